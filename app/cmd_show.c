/* cmd_show.c: drt show LIB CHUNK|DOC: a text and where it came from. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands.h"
#include "app/evidence.h"
#include "app/json.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    bool json, text;
} values;

static const values defaults;

static const drt_option option_table[] = {
    OPT_FLAG("json", json, "one JSON object, see drt(1)"),
    OPT_FLAG("text", text, "the text alone, without the line that says where it is from"),
    OPT_END,
};

/* What is shown: a document, whole or the part that one of its chunks is. */
typedef struct {
    drt_document document;
    drt_string text; /* of the whole document */
    bool is_chunk;
    drt_chunk chunk;
    size_t start, end; /* of what is shown */
    int64_t page;      /* that a chunk begins on; 0: there are no pages */
} passage;

static bool parse_chunk(const char *selector, int64_t *chunk) {
    size_t digits = strspn(selector, "0123456789");
    errno = 0;
    *chunk = strtoll(selector, NULL, 10);
    return digits > 0 && selector[digits] == '\0' && errno == 0;
}

static drt_status find_page(workspace *work, passage *found) {
    size_t at = found->start;
    while (at < found->end && at < found->text.length && (found->text.data[at] == ' ' || found->text.data[at] == '\n'))
        at++;
    return drt_library_page(work->context, work->library, found->document.id, (int64_t)at, &found->page);
}

static drt_status find(workspace *work, char *selector, passage *found) {
    int64_t id;
    char by_number[32];
    found->is_chunk = parse_chunk(selector, &id);
    if (found->is_chunk) {
        drt_status status = drt_library_chunk(work->context, work->library, id, &found->chunk);
        if (status < DRT_WARN)
            return status;
        snprintf(by_number, sizeof by_number, "doc:%lld", (long long)found->chunk.document);
        selector = by_number;
    }
    drt_status status = workspace_find_document(work, selector, &found->document);
    if (status >= DRT_WARN && found->document.status != DRT_DOCUMENT_SKIPPED)
        status = drt_library_text(work->context, work->library, found->document.id, &found->text);
    found->end = found->text.length;
    if (found->is_chunk) {
        found->start = (size_t)found->chunk.start;
        found->end = (size_t)found->chunk.end;
    }
    if (status >= DRT_WARN && found->is_chunk)
        status = find_page(work, found);
    return status;
}

static void print_json(const passage *found) {
    const drt_document *document = &found->document;
    json_writer json;
    json_open(&json, stdout);
    json_string(&json, "document", document->path.data, document->path.length);
    json_integer(&json, "id", document->id);
    json_string(&json, "title", document->title.data, document->title.length);
    if (found->is_chunk) {
        json_integer(&json, "chunk", found->chunk.id);
        json_bool(&json, "dead", found->chunk.dead);
        evidence_page_json(&json, found->page);
    }
    json_integer(&json, "start", (int64_t)found->start);
    json_integer(&json, "end", (int64_t)found->end);
    json_string(&json, "text", found->text.data ? found->text.data + found->start : "", found->end - found->start);
    json_close(&json);
}

static void print_origin(const passage *found) {
    const drt_document *document = &found->document;
    terminal_write(stdout, document->path.data, document->path.length, TEXT_LINE);
    if (document->title.data) {
        fputs(" \"", stdout);
        terminal_write(stdout, document->title.data, document->title.length, TEXT_LINE);
        putchar('"');
    }
    if (found->page > 0)
        printf(", p. %lld", (long long)found->page);
    if (found->is_chunk)
        printf(", bytes %zu-%zu of %zu, chunk %lld of doc:%lld%s\n\n", found->start, found->end, found->text.length,
               (long long)found->chunk.id, (long long)document->id, found->chunk.dead ? ", removed" : "");
    else
        printf(", doc:%lld, %zu bytes, chunks %lld-%lld\n\n", (long long)document->id, found->text.length,
               (long long)document->first_chunk, (long long)(document->first_chunk + document->chunks - 1));
}

/* Returns the exit status. */
static int show(workspace *work, const values *options, char *selector) {
    passage found = {0};
    int status = workspace_exit_status(work, find(work, selector, &found));
    if (status != EXIT_ALL) {
        /* nothing to show */
    } else if (found.document.status == DRT_DOCUMENT_SKIPPED) {
        complain("%s was skipped, there is no text of it: %s", selector,
                 found.document.reason.data ? found.document.reason.data : "no reason is known");
        status = EXIT_SOME;
    } else if (found.start > found.end || found.end > found.text.length) {
        complain("%s lies outside its document's text: run drt verify", selector);
        status = EXIT_USAGE;
    } else if (options->json) {
        print_json(&found);
    } else {
        if (!options->text)
            print_origin(&found);
        terminal_write(stdout, found.text.data + found.start, found.end - found.start, TEXT_BODY);
        putchar('\n');
    }
    drt_document_clear(&found.document);
    drt_string_free(&found.text);
    return status;
}

static int run(const void *given, char **operands) {
    const values *options = given;
    workspace work;
    int status = EXIT_USAGE;
    if (workspace_open(&work) && workspace_open_library(&work, operands[0], DRT_LIBRARY_READ))
        status = show(&work, options, operands[1]);
    workspace_close(&work);
    return status;
}

const drt_command command_show = {
    .name = "show",
    .operands = "LIB CHUNK|DOC",
    .summary = "print the text of a chunk or document, and where it came from",
    .description = "A number is a chunk; doc:N or a path, as drt ls shows them, is a document.",
    .options = option_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 2,
    .max_operands = 2,
    .run = run,
};
