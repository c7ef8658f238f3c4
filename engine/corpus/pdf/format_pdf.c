/* format_pdf.c: PDF through poppler's pdftotext, a process of its own that is found when it is needed: $DRT_PDFTOTEXT,
 * or pdftotext on the PATH. What its pages become: pdf.h. */
#define _GNU_SOURCE /* memmem */
#include <stdlib.h>
#include <string.h>

#include "engine/base/process.h"
#include "engine/corpus/pdf/pdf.h"

#define BASE_SECONDS 30.0         /* that pdftotext may take, */
#define SECONDS_A_MEGABYTE 5.0    /* and more for large files, */
#define MOST_SECONDS 300.0        /* to this */
#define MOST_OUTPUT (256LL << 20) /* bytes: words with their places take about 110 each */
#define MOST_MEMORY (1LL << 30)   /* bytes of address space */
#define MOST_PAGE (64u << 20)     /* bytes of its output for one page */
#define PAGE_END "</page>"
#define PAGES_WITHOUT_TEXT 4 /* one in so many is looked at as a loss */

static const char missing[] = "pdftotext is not installed, which reads PDF (package poppler-utils)";

typedef struct {
    drt_pdf pdf;
    drt_extract *extract;
    drt_buffer output; /* of the page at hand */
    size_t searched;   /* of it for the page's end */
    bool out_of_memory;
} reader;

/* Takes whole pages out of the output so far. */
static bool take_output(void *user, const char *data, size_t length) {
    reader *r = user;
    if (!drt_buffer_append(&r->output, data, length)) {
        r->out_of_memory = true;
        return false;
    }
    const char *end;
    while ((end = memmem(r->output.data + r->searched, r->output.length - r->searched, PAGE_END,
                         sizeof PAGE_END - 1)) != NULL) {
        size_t taken = (size_t)(end - r->output.data) + sizeof PAGE_END - 1;
        r->out_of_memory = !drt_pdf_add_page(&r->pdf, r->output.data, taken, r->extract);
        if (r->out_of_memory)
            return false;
        memmove(r->output.data, r->output.data + taken, r->output.length - taken);
        r->output.length -= taken;
        r->searched = 0;
    }
    r->searched = r->output.length < sizeof PAGE_END ? 0 : r->output.length - sizeof PAGE_END;
    return r->output.length <= MOST_PAGE;
}

/* ------------------------------------------------------------------------ what became of it ---- */

static bool says(const drt_process_result *result, const char *words) {
    return memmem(result->messages, result->messages_length, words, strlen(words)) != NULL;
}

/* Poppler calls much that every reader overlooks an error: only these cost text. */
static bool is_damaged(const drt_process_result *result) {
    static const char *const signs[] = {"May not be a PDF file",
                                        "Couldn't find trailer",
                                        "Couldn't read xref",
                                        "Invalid XRef",
                                        "xref num",
                                        "Loop in Pages tree",
                                        "Unterminated",
                                        "Unexpected end of file",
                                        "Missing 'endstream'",
                                        "Bad FCHECK in flate stream",
                                        "bad block header in flate stream",
                                        "Unknown compression method in flate stream",
                                        "End of file inside",
                                        "Failed to parse page",
                                        "Page count",
                                        "Kids object",
                                        "Catalog object is wrong type",
                                        "Weird page contents",
                                        "Unknown operator",
                                        "Too few (",
                                        "Too many nested"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (says(result, signs[i]))
            return true;
    return false;
}

/* Does the file end as PDF files end? Mail and disks put blanks and zeros behind it. */
static bool is_cut(const drt_format_input *input) {
    size_t end = input->length;
    while (end > 0 && (input->data[end - 1] == 0 || strchr(" \r\n", input->data[end - 1])))
        end--;
    size_t tail = end < 2048 ? end : 2048;
    return memmem(input->data + end - tail, tail, "%%EOF", 5) == NULL;
}

/* Files in it are found where their names are not packed, as most programs leave them. */
static bool has_attachments(const drt_format_input *input) {
    return memmem(input->data, input->length, "/EmbeddedFile", 13) != NULL;
}

/* Why there is no text at all. */
static bool note_nothing(reader *r, const drt_process_result *result, size_t unreadable) {
    const char *reason = "it has no text: its pages are empty or scanned pictures";
    if (result->end == DRT_PROCESS_TIME)
        reason = "it takes too long to read";
    else if (result->end == DRT_PROCESS_OUTPUT || result->end == DRT_PROCESS_REFUSED)
        reason = "it becomes too large when it is unpacked, which looks like a trap";
    else if (result->end == DRT_PROCESS_SIGNALLED)
        reason = "it is damaged: pdftotext breaks down over it";
    else if (says(result, "Incorrect password"))
        reason = "it is encrypted; a password would be needed";
    else if (result->code == 3)
        reason = "it is protected: its text may not be copied";
    else if (says(result, "Unsupported") && says(result, "security"))
        reason = "it is encrypted in a way that pdftotext does not know";
    else if (result->code == 127)
        reason = "pdftotext cannot be started";
    else if (says(result, "Usage: pdftotext"))
        reason = "the pdftotext that is installed is not that of the package poppler-utils, or too old";
    else if (result->code != 0)
        reason = "it is damaged: pdftotext cannot open it";
    else if (unreadable > 0)
        reason = "its letters cannot be told: its fonts do not say which characters they show";
    else if (says(result, "Missing language pack"))
        reason = "its letters cannot be told without the tables of the package poppler-data";
    else if (r->pdf.n_pages == 0 || is_damaged(result))
        reason = "it is damaged: pdftotext finds no text in it";
    return drt_extract_note(r->extract, DRT_DOCUMENT_SKIPPED, "%s", reason);
}

static bool note_end(reader *r, const drt_process_result *result) {
    unsigned long pages = (unsigned long)r->pdf.n_pages;
    const char *reason = NULL;
    if (result->end == DRT_PROCESS_TIME)
        reason = "it takes too long to read";
    else if (result->end == DRT_PROCESS_OUTPUT || result->end == DRT_PROCESS_REFUSED)
        reason = "it becomes too large when it is unpacked";
    else if (result->end == DRT_PROCESS_SIGNALLED || result->code != 0)
        reason = "it is damaged: pdftotext breaks down over it";
    return !reason || drt_extract_note(r->extract, DRT_DOCUMENT_PARTIAL, "%s; its first %lu page%s in", reason, pages,
                                       pages == 1 ? " is" : "s are");
}

static bool note_pages(reader *r, const drt_process_result *result, const drt_format_input *input, size_t unreadable,
                       size_t without_text) {
    drt_extract *extract = r->extract;
    size_t pages = r->pdf.n_pages;
    if (!note_end(r, result))
        return false;
    if (extract->status == DRT_DOCUMENT_OK && (is_damaged(result) || is_cut(input)) &&
        !drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "it is damaged%s; what could be read is in",
                          is_cut(input) ? " or cut short" : ""))
        return false;
    if (says(result, "Missing language pack") &&
        !drt_extract_note(extract, DRT_DOCUMENT_PARTIAL,
                          "some of its letters cannot be told without the tables of the package poppler-data"))
        return false;
    if (has_attachments(input) &&
        !drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "files are attached to it, which are not read"))
        return false;
    if (unreadable > 0 &&
        !drt_extract_note(
            extract, DRT_DOCUMENT_PARTIAL,
            "the letters of %zu of %zu pages cannot be told: their fonts do not say which characters they show",
            unreadable, pages))
        return false;
    if (without_text * PAGES_WITHOUT_TEXT >= pages && pages >= PAGES_WITHOUT_TEXT &&
        !drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "%zu of %zu pages have no text: empty or scanned pictures",
                          without_text, pages))
        return false;
    return drt_extract_note_charset(extract, r->pdf.lost, NULL);
}

static bool note_losses(reader *r, const drt_process_result *result, const drt_format_input *input) {
    size_t unreadable = 0, without_text = 0;
    for (size_t i = 0; i < r->pdf.n_pages; i++) {
        unreadable += r->pdf.pages[i].unreadable;
        without_text += !r->pdf.pages[i].unreadable && r->pdf.pages[i].n_lines == 0;
    }
    if (r->extract->text.length == 0)
        return note_nothing(r, result, unreadable);
    return note_pages(r, result, input, unreadable, without_text);
}

/* --------------------------------------------------------------------------------- running it ---- */

/* Path of pdftotext; data NULL: it is not there. false: out of memory. */
static bool find_program(drt_string *path) {
    const char *given = getenv("DRT_PDFTOTEXT");
    if (given && *given)
        return drt_string_set(path, given, strlen(given));
    return drt_process_find("pdftotext", path);
}

static double seconds_for(size_t length) {
    double seconds = BASE_SECONDS + SECONDS_A_MEGABYTE * (double)length / (1 << 20);
    return seconds < MOST_SECONDS ? seconds : MOST_SECONDS;
}

static drt_status read_pdf(drt_context *context, const drt_string *program, const drt_format_input *input, reader *r) {
    const char *const arguments[] = {program->data, "-enc", "UTF-8", "-bbox-layout", "/dev/stdin", "/dev/stdout", NULL};
    const drt_process_params params = {.arguments = arguments,
                                       .input = input->data,
                                       .input_length = input->length,
                                       .max_seconds = seconds_for(input->length),
                                       .max_output = MOST_OUTPUT,
                                       .max_memory = MOST_MEMORY,
                                       .output = take_output,
                                       .user = r};
    drt_process_result result;
    drt_status status = drt_process_run(context, &params, &result);
    if (status == DRT_FAILED && !drt_cancelled(context))
        return drt_extract_note(r->extract, DRT_DOCUMENT_SKIPPED, "%s", drt_error(context))
                   ? DRT_OK
                   : drt_fail_memory(context, "a PDF");
    if (status != DRT_OK)
        return status;
    if (r->out_of_memory)
        return drt_fail_memory(context, "a PDF");
    status = drt_pdf_text(context, &r->pdf, r->extract);
    return status == DRT_OK && !note_losses(r, &result, input) ? drt_fail_memory(context, "a PDF") : status;
}

drt_status drt_format_pdf_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_string program = {0};
    if (!find_program(&program))
        return drt_fail_memory(context, "a path");
    if (!program.data)
        return drt_extract_note(extract, DRT_DOCUMENT_SKIPPED, "%s", missing) ? DRT_OK
                                                                              : drt_fail_memory(context, "a PDF");
    reader r = {.extract = extract};
    drt_status status = read_pdf(context, &program, input, &r);
    drt_pdf_clear(&r.pdf);
    drt_buffer_free(&r.output);
    drt_string_free(&program);
    return status;
}

/* ---------------------------------------------------------------------------------- drt info ---- */

static bool ignore_output(void *user, const char *data, size_t length) {
    (void)user, (void)data, (void)length;
    return true;
}

/* "pdftotext version 22.12.0" is the first line that -v prints. */
static drt_status describe_version(drt_context *context, const drt_string *program, drt_buffer *line) {
    const char *const arguments[] = {program->data, "-v", NULL};
    const drt_process_params params = {.arguments = arguments,
                                       .input = "",
                                       .max_seconds = 10,
                                       .max_output = 1 << 16,
                                       .max_memory = MOST_MEMORY,
                                       .output = ignore_output};
    drt_process_result result = {0};
    drt_status status = drt_process_run(context, &params, &result);
    const char *end = memchr(result.messages, '\n', result.messages_length);
    bool known = status == DRT_OK && result.end == DRT_PROCESS_EXITED && result.code != 127 && end;
    if (status != DRT_OK && drt_cancelled(context))
        return status;
    bool ok = known ? drt_buffer_append(line, result.messages, (size_t)(end - result.messages)) &&
                          drt_buffer_printf(line, ", %s", program->data)
                    : drt_buffer_printf(line, "pdftotext cannot be started: %s", program->data);
    return ok ? DRT_OK : drt_fail_memory(context, "a description");
}

drt_status drt_helpers_describe(drt_context *context, drt_string *text) {
    drt_string program = {0};
    drt_buffer line = {0};
    *text = (drt_string){0};
    drt_status status = find_program(&program) ? DRT_OK : drt_fail_memory(context, "a path");
    if (status == DRT_OK && program.data)
        status = describe_version(context, &program, &line);
    else if (status == DRT_OK && !drt_buffer_append_text(&line, missing))
        status = drt_fail_memory(context, "a description");
    if (status == DRT_OK && !drt_string_take(text, &line))
        status = drt_fail_memory(context, "a description");
    drt_string_free(&program);
    drt_buffer_free(&line);
    return status;
}
