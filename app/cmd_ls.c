/* cmd_ls.c: drt ls LIB: the documents of a library, skipped ones included. */
#include "app/commands.h"
#include "app/evidence.h"
#include "app/signals.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    bool json;
    const char *glob;
} values;

static const values defaults;

static const drt_option option_table[] = {
    OPT_FLAG("json", json, "one JSON object for each document, see drt(1)"),
    OPT_STRING("document", glob, "GLOB", "only documents whose path matches"),
    OPT_END,
};

static bool print_json(void *user, const drt_document *document) {
    json_writer json;
    (void)user;
    json_open(&json, stdout);
    evidence_document_json(&json, document);
    json_close(&json);
    return !ferror(stdout) && !signals_cancelled(NULL);
}

static bool print_plain(void *user, const drt_document *document) {
    (void)user;
    printf("doc:%-6lld %-7s %-9s %6lld chunks %10lld bytes  ", (long long)document->id,
           evidence_document_status(document->status), document->format.data ? document->format.data : "",
           (long long)document->chunks, (long long)document->bytes);
    terminal_write(stdout, document->path.data, document->path.length, TEXT_LINE);
    for (size_t i = 0; i < document->n_aliases; i++) {
        fputs(" = ", stdout);
        terminal_write(stdout, document->aliases[i].data, document->aliases[i].length, TEXT_LINE);
    }
    evidence_citation_print(document);
    if (document->reason.data) {
        fputs(": ", stdout);
        terminal_write(stdout, document->reason.data, document->reason.length, TEXT_LINE);
    }
    putchar('\n');
    return !ferror(stdout) && !signals_cancelled(NULL);
}

static int run(const void *given, char **operands) {
    const values *options = given;
    workspace work;
    int status = EXIT_USAGE;
    if (workspace_open(&work) && workspace_open_library(&work, operands[0], DRT_LIBRARY_READ))
        status = workspace_exit_status(&work, drt_library_documents(work.context, work.library, options->glob, true,
                                                                    options->json ? print_json : print_plain, NULL));
    workspace_close(&work);
    return status;
}

const drt_command command_ls = {
    .name = "ls",
    .operands = "LIB",
    .summary = "list the documents, with those that were skipped and why",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 1,
    .max_operands = 1,
    .run = run,
};
