/* format_notebook.c: Jupyter notebooks: cells of Markdown as text, code as it is, and the text of its output as far as it is
 * short. See formats.h. */
#include <string.h>

#include <cjson/cJSON.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/markdown.h"
#include "engine/corpus/formats/xml.h"
#include "engine/corpus/normalise.h"

#define OUTPUT 2000           /* bytes of one cell's output that are taken */
#define NOTEBOOK (64LL << 20) /* bytes of a notebook; as a tree it takes several times as much */

/* A string, or a list of strings that are its lines. false: out of memory. */
static bool append_source(const cJSON *source, drt_buffer *out) {
    const cJSON *line;
    if (cJSON_IsString(source))
        return drt_buffer_append_text(out, source->valuestring);
    bool ok = true;
    cJSON_ArrayForEach(line, source) ok =
        ok && (!cJSON_IsString(line) || drt_buffer_append_text(out, line->valuestring));
    return ok;
}

/* The length of an escape sequence of terminals, which colour what programs put out; 0: none begins here. */
static size_t escape_length(const char *data, size_t length) {
    size_t n = 2;
    if (length < 3 || data[0] != '\x1B' || data[1] != '[')
        return 0;
    while (n < length && (unsigned char)data[n] >= 0x20 && (unsigned char)data[n] < 0x40)
        n++;
    return n < length ? n + 1 : n;
}

/* Takes out escape sequences, and of lines that were written over all but the last writing. */
static void settle_terminal(drt_buffer *text) {
    size_t to = 0, line = 0;
    for (size_t at = 0; at < text->length;) {
        char c = text->data[at];
        size_t n = escape_length(text->data + at, text->length - at);
        at += n ? n : 1;
        if (n)
            continue;
        if (c == '\r' && at < text->length && text->data[at] != '\n' && text->data[at] != '\r')
            to = line;
        else
            text->data[to++] = c;
        if (c == '\n')
            line = to;
    }
    text->length = to;
}

/* Lines as they are. */
static bool add_lines(drt_extract *extract, const char *data, size_t length) {
    drt_text text;
    drt_text_start(&text, &extract->text);
    for (size_t at = 0; at < length;) {
        const char *line = data + at, *end = memchr(line, '\n', length - at);
        size_t n = end ? (size_t)(end - line) : length - at;
        drt_text_add(&text, line, n);
        drt_text_line(&text);
        at += n + 1;
    }
    return drt_text_finish(&text);
}

/* The text of what a cell put out: streams, results, not pictures and not the tracks of errors. */
static bool add_outputs(drt_extract *extract, const cJSON *outputs) {
    const cJSON *output;
    drt_buffer text = {0};
    bool ok = true;
    cJSON_ArrayForEach(output, outputs) {
        const cJSON *data = cJSON_GetObjectItemCaseSensitive(output, "data");
        const cJSON *plain = cJSON_GetObjectItemCaseSensitive(data ? data : output, data ? "text/plain" : "text");
        ok = ok && append_source(plain, &text) && drt_buffer_append_byte(&text, '\n');
        if (text.length > OUTPUT)
            break;
    }
    settle_terminal(&text);
    size_t length = text.length > OUTPUT ? drt_utf8_floor(text.data, text.length, OUTPUT) : text.length;
    ok = ok && (length == 0 || add_lines(extract, text.data, length));
    drt_buffer_free(&text);
    return ok;
}

static drt_status add_cell(drt_context *context, drt_extract *extract, const cJSON *cell) {
    const cJSON *type = cJSON_GetObjectItemCaseSensitive(cell, "cell_type");
    const cJSON *source = cJSON_GetObjectItemCaseSensitive(cell, "source");
    const char *kind = cJSON_IsString(type) ? type->valuestring : "";
    drt_buffer text = {0};
    drt_status status = DRT_OK;
    bool ok = append_source(source ? source : cJSON_GetObjectItemCaseSensitive(cell, "input"), &text);
    if (ok && text.length > 0 && (strcmp(kind, "markdown") == 0 || strcmp(kind, "heading") == 0))
        status = drt_markdown_read(context, text.data, text.length, extract);
    else if (ok && text.length > 0)
        ok = add_lines(extract, text.data, text.length);
    drt_buffer_free(&text);
    ok = ok && add_outputs(extract, cJSON_GetObjectItemCaseSensitive(cell, "outputs"));
    return status == DRT_OK && !ok ? drt_fail_memory(context, "a notebook") : status;
}

static bool take_metadata(drt_extract *extract, const cJSON *metadata) {
    const cJSON *title = cJSON_GetObjectItemCaseSensitive(metadata, "title"), *author;
    drt_string line;
    bool ok = true;
    if (cJSON_IsString(title)) {
        ok = drt_text_single_line(title->valuestring, strlen(title->valuestring), &line);
        drt_xml_take_title(extract, &line);
    }
    cJSON_ArrayForEach(author, cJSON_GetObjectItemCaseSensitive(metadata, "authors")) {
        const cJSON *name = cJSON_IsString(author) ? author : cJSON_GetObjectItemCaseSensitive(author, "name");
        if (cJSON_IsString(name))
            ok = ok && drt_text_single_line(name->valuestring, strlen(name->valuestring), &line) &&
                 drt_xml_take_author(extract, &line);
    }
    return ok;
}

static drt_status read_cells(drt_context *context, const cJSON *sheet, drt_extract *extract) {
    const cJSON *cells = cJSON_GetObjectItemCaseSensitive(sheet, "cells"), *cell;
    drt_status status = DRT_OK;
    cJSON_ArrayForEach(cell, cells) {
        if (status == DRT_OK && drt_cancelled(context))
            status = DRT_FAILED;
        if (status == DRT_OK)
            status = add_cell(context, extract, cell);
    }
    return status;
}

/* In format 3 cells are in worksheets. */
static drt_status read_notebook(drt_context *context, const cJSON *notebook, drt_extract *extract) {
    const cJSON *sheet;
    if (!take_metadata(extract, cJSON_GetObjectItemCaseSensitive(notebook, "metadata")))
        return drt_fail_memory(context, "a notebook");
    drt_status status = read_cells(context, notebook, extract);
    cJSON_ArrayForEach(sheet, cJSON_GetObjectItemCaseSensitive(notebook, "worksheets")) {
        if (status == DRT_OK)
            status = read_cells(context, sheet, extract);
    }
    return status;
}

/* "\\u0000" would end a string for cJSON: it becomes a space. */
static void replace_nuls(drt_buffer *json) {
    for (size_t i = 0; i + 1 < json->length; i++) {
        if (json->data[i] != '\\')
            continue;
        if (json->length - i >= 6 && memcmp(json->data + i, "\\u0000", 6) == 0)
            json->data[i + 4] = '2';
        i++;
    }
}

drt_status drt_format_notebook_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_buffer decoded = {0};
    drt_charset_facts facts = {0};
    const char *reason = (int64_t)input->length > NOTEBOOK ? "it is larger than the limit of notebooks, 64 MiB" : NULL;
    drt_status status = DRT_OK;
    if (!reason)
        status = drt_charset_decode(context, input->data, input->length, NULL, 0, &decoded, &facts);
    replace_nuls(&decoded);
    cJSON *notebook = decoded.length > 0 ? cJSON_ParseWithLength(decoded.data, decoded.length) : NULL;
    if (status == DRT_OK && !reason && !notebook)
        reason = "it is no valid notebook: its JSON is damaged";
    if (status == DRT_OK && notebook)
        status = read_notebook(context, notebook, extract);
    cJSON_Delete(notebook);
    drt_buffer_free(&decoded);
    bool ok = (!reason || drt_extract_note(extract, DRT_DOCUMENT_SKIPPED, "%s", reason)) &&
              drt_extract_note_charset(extract, facts.replacements, facts.guessed ? facts.name : NULL);
    return status == DRT_OK && !ok ? drt_fail_memory(context, "a notebook") : status;
}
