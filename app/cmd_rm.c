/* cmd_rm.c: drt rm LIB SELECTOR...: removes documents from a library. */
#include <string.h>

#include "app/commands.h"
#include "app/signals.h"
#include "app/terminal.h"
#include "app/workspace.h"

static const drt_option option_table[] = {OPT_END};

/* doc:N takes the document away; a path only itself, when the document has others. Returns the exit status. */
static int remove_one(workspace *work, char *selector) {
    drt_document document = {0};
    int status = workspace_exit_status(work, workspace_find_document(work, selector, &document));
    size_t length = strlen(selector);
    if (status != EXIT_ALL)
        return status;
    bool by_id = strncmp(selector, "doc:", 4) == 0 &&
                 !(document.path.length == length && memcmp(document.path.data, selector, length) == 0);
    status = workspace_exit_status(
        work, drt_library_remove(work->context, work->library, &document, by_id ? NULL : selector, by_id ? 0 : length));
    if (status == EXIT_ALL) {
        fputs("removed ", stdout);
        terminal_write(stdout, by_id ? document.path.data : selector, by_id ? document.path.length : length, TEXT_LINE);
        putchar('\n');
    }
    drt_document_clear(&document);
    return status;
}

static int run(const void *given, char **operands) {
    (void)given;
    workspace work;
    int status = EXIT_USAGE;
    if (workspace_open(&work) && workspace_open_library(&work, operands[0], DRT_LIBRARY_UPDATE)) {
        status = EXIT_ALL;
        for (char **selector = operands + 1; *selector && status != EXIT_USAGE && !signals_cancelled(NULL);
             selector++) {
            int one = remove_one(&work, *selector);
            status = one > status ? one : status;
        }
    }
    workspace_close(&work);
    return status;
}

const drt_command command_rm = {
    .name = "rm",
    .operands = "LIB DOC...",
    .summary = "remove documents from a library",
    .description =
        "DOC is doc:N or a path as drt ls shows them. A path of a document that has several takes away only\n"
        "that path. Ids are never used again; drt verify --compact gives the space back.",
    .options = option_table,
    .min_operands = 2,
    .max_operands = -1,
    .run = run,
};
