/* cmd_verify.c: drt verify LIB: checks a library, and gives the space of removed documents back. */
#include "app/commands.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    bool compact;
} values;

static const values defaults;

static const drt_option option_table[] = {
    OPT_FLAG("compact", compact, "then rewrite the library without removed chunks"),
    OPT_END,
};

static int run(const void *given, char **operands) {
    const values *options = given;
    workspace work;
    int status = EXIT_USAGE;
    if (workspace_open(&work) &&
        workspace_open_library(&work, operands[0], options->compact ? DRT_LIBRARY_UPDATE : DRT_LIBRARY_READ)) {
        drt_verify_report report = {0};
        status =
            workspace_exit_status(&work, drt_library_verify(work.context, work.library, options->compact, &report));
        printf("%lld documents and %lld chunks checked, %lld problems\n", (long long)report.documents_checked,
               (long long)report.chunks_checked, (long long)report.problems);
        if (options->compact && status == EXIT_ALL)
            printf("%lld bytes given back\n", (long long)report.bytes_freed);
    }
    workspace_close(&work);
    return status;
}

const drt_command command_verify = {
    .name = "verify",
    .operands = "LIB",
    .summary = "check a library; with --compact, give back the space of removed documents",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
