/* xml.c: XML documents as running text. See xml.h. */
#include "engine/corpus/formats/xml.h"

#include <stdlib.h>
#include <string.h>

#include "engine/corpus/formats/mathml.h"

static int compare_element(const void *key, const void *item) {
    const char *element = ((const drt_xml_element *)item)->name;
    return drt_string_compare(key, element, strlen(element));
}

static const drt_xml_element *find_element(const drt_xml *xml, const drt_markup_token *token) {
    drt_string name = {(char *)token->name, token->name_length};
    return name.length ? bsearch(&name, xml->elements, xml->n_elements, sizeof *xml->elements, compare_element) : NULL;
}

static bool same_name(const drt_markup_token *a, const drt_markup_token *b) {
    return a->name_length == b->name_length && memcmp(a->name, b->name, a->name_length) == 0;
}

bool drt_xml_inside(drt_markup *markup, const drt_markup_token *start, int *depth, drt_markup_token *token) {
    if (start->empty)
        return false;
    while (*depth > 0 && drt_markup_next(markup, token)) {
        if (token->kind == DRT_MARKUP_TEXT)
            continue;
        if (same_name(token, start) && !token->empty)
            *depth += token->kind == DRT_MARKUP_START ? 1 : -1;
        if (*depth > 0)
            return true;
    }
    return false;
}

void drt_xml_skip(drt_markup *markup, const drt_markup_token *start) {
    drt_markup_token token;
    for (int depth = 1; drt_xml_inside(markup, start, &depth, &token);)
        ;
}

bool drt_xml_line(drt_markup *markup, const drt_markup_token *start, drt_string *line) {
    drt_markup_token token;
    drt_buffer text = {0};
    bool ok = true;
    *line = (drt_string){0};
    for (int depth = start->empty ? 0 : 1; ok && depth > 0 && drt_markup_next(markup, &token);) {
        if (token.kind != DRT_MARKUP_TEXT)
            depth += !same_name(&token, start) || token.empty ? 0 : token.kind == DRT_MARKUP_START ? 1 : -1;
        else
            ok = token.literal ? drt_buffer_append(&text, token.data, token.length)
                               : drt_markup_decode(&text, token.data, token.length);
    }
    ok = ok && (text.length == 0 || drt_text_single_line(text.data, text.length, line));
    drt_buffer_free(&text);
    return ok;
}

bool drt_xml_attribute(const drt_markup_token *token, const char *name, drt_string *value) {
    drt_markup_attribute found;
    drt_buffer decoded = {0};
    *value = (drt_string){0};
    if (!drt_markup_find(token, name, &found))
        return true;
    bool ok = drt_markup_decode(&decoded, found.value, found.value_length) && drt_string_take(value, &decoded);
    drt_buffer_free(&decoded);
    return ok;
}

bool drt_xml_attribute_line(const drt_markup_token *token, const char *name, drt_string *line) {
    drt_string value;
    *line = (drt_string){0};
    bool ok =
        drt_xml_attribute(token, name, &value) && (!value.data || drt_text_single_line(value.data, value.length, line));
    drt_string_free(&value);
    return ok;
}

bool drt_xml_has_prefix(const drt_markup_token *token, const char *prefix) {
    size_t n = strlen(prefix);
    return token->prefix_length == n && memcmp(token->name - n - 1, prefix, n) == 0;
}

/* ---------------------------------------------------------- metadata ---- */

static void take_first(drt_string *to, drt_string *line) {
    if (!to->data) {
        *to = *line;
        *line = (drt_string){0};
    }
    drt_string_free(line);
    *line = (drt_string){0};
}

void drt_xml_take_title(drt_extract *extract, drt_string *line) {
    take_first(&extract->title, line);
}

void drt_xml_take_date(drt_extract *extract, drt_string *line) {
    take_first(&extract->date, line);
}

bool drt_xml_take_author(drt_extract *extract, drt_string *line) {
    bool ok = !line->data || drt_extract_add_author(extract, line);
    drt_string_free(line);
    *line = (drt_string){0};
    return ok;
}

bool drt_xml_take_authors(drt_extract *extract, drt_string *line) {
    bool ok = true;
    for (size_t at = 0; ok && at < line->length;) {
        const char *name = line->data + at, *end = memchr(name, ';', line->length - at);
        size_t n = end ? (size_t)(end - name) : line->length - at;
        drt_string author;
        ok = drt_text_single_line(name, n, &author) && drt_xml_take_author(extract, &author);
        at += n + 1;
    }
    drt_string_free(line);
    return ok;
}

/* -------------------------------------------------------------- text ---- */

static void add(drt_xml *xml, const char *data, size_t length) {
    const char *feed;
    while (xml->lines > 0 && length > 0 && (feed = memchr(data, '\n', length)) != NULL) {
        size_t n = (size_t)(feed - data);
        drt_flow_add(xml->flow, data, n);
        drt_flow_line(xml->flow);
        data += n + 1;
        length -= n + 1;
    }
    drt_flow_add(xml->flow, data, length);
}

static void add_text(drt_xml *xml, const drt_markup_token *token) {
    xml->decoded.length = 0;
    if (xml->quiet)
        return;
    if (token->literal)
        add(xml, token->data, token->length);
    else if (drt_markup_decode(&xml->decoded, token->data, token->length))
        add(xml, xml->decoded.data ? xml->decoded.data : "", xml->decoded.length);
    else
        xml->failed = true;
}

static void read_math(drt_xml *xml, const drt_markup_token *token) {
    drt_buffer text = {0};
    if (!drt_mathml_read(&xml->markup, token, &text))
        xml->failed = true;
    else if (!xml->quiet)
        drt_flow_add(xml->flow, text.data ? text.data : "", text.length);
    drt_buffer_free(&text);
}

/* The edges of an element. */
static void edge(drt_xml *xml, drt_xml_kind kind, bool start) {
    drt_flow *flow = xml->flow;
    switch (kind) {
    case DRT_XML_BLOCK:
        drt_flow_paragraph(flow);
        break;
    case DRT_XML_LINE:
    case DRT_XML_BREAK:
        drt_flow_line(flow);
        break;
    case DRT_XML_SPACE:
        drt_flow_add(flow, " ", 1);
        break;
    case DRT_XML_RAISE:
        if (start)
            drt_flow_raise(flow);
        break;
    case DRT_XML_LINES:
        drt_flow_paragraph(flow);
        xml->lines += start ? 1 : xml->lines > 0 ? -1 : 0;
        break;
    case DRT_XML_LIST:
        (start ? drt_flow_list : drt_flow_list_end)(flow);
        break;
    case DRT_XML_TABLE:
        (start ? drt_flow_table : drt_flow_table_end)(flow);
        break;
    case DRT_XML_ROW:
        drt_flow_row(flow);
        break;
    case DRT_XML_CELL:
        drt_flow_cell(flow);
        break;
    case DRT_XML_NOTE:
        (start ? drt_flow_note_start : drt_flow_note_end)(flow);
        break;
    default:
        break;
    }
}

static void take_tag(drt_xml *xml, const drt_markup_token *token) {
    const drt_xml_element *element = find_element(xml, token);
    bool start = token->kind == DRT_MARKUP_START;
    if (!element)
        return;
    if (element->kind == DRT_XML_HOOK) {
        xml->hook(xml, token);
    } else if (element->kind == DRT_XML_SKIP) {
        if (start)
            drt_xml_skip(&xml->markup, token);
    } else if (element->kind == DRT_XML_MATH) {
        if (start)
            read_math(xml, token);
    } else {
        edge(xml, element->kind, start);
        if (token->empty)
            edge(xml, element->kind, false);
    }
}

static void take_token(drt_xml *xml, const drt_markup_token *token) {
    if (token->kind == DRT_MARKUP_TEXT)
        add_text(xml, token);
    else
        take_tag(xml, token);
}

/* The next token; false: the end, cancelled, or out of memory. */
static bool next(drt_xml *xml, drt_markup_token *token, drt_status *status) {
    if (*status != DRT_OK || xml->failed || !drt_markup_next(&xml->markup, token))
        return false;
    if (++xml->tokens % 8192 == 0 && drt_cancelled(xml->context))
        *status = DRT_FAILED;
    return *status == DRT_OK;
}

static drt_status end_reading(drt_xml *xml, drt_status status) {
    drt_buffer_free(&xml->decoded);
    return status == DRT_OK && xml->failed ? drt_fail_memory(xml->context, "a document") : status;
}

drt_status drt_xml_read(drt_xml *xml, const char *data, size_t length, bool *cut) {
    drt_status status = DRT_OK;
    drt_markup_token token;
    xml->markup = (drt_markup){.data = data, .length = length, .xml = true};
    while (next(xml, &token, &status))
        take_token(xml, &token);
    *cut = xml->markup.cut;
    return end_reading(xml, status);
}

/* Reads the inside of a note. */
static void read_note(drt_xml *xml, const drt_markup_token *start, drt_status *status) {
    drt_string id;
    drt_markup_token token;
    if (!drt_xml_attribute(start, "id", &id)) {
        xml->failed = true;
        return;
    }
    drt_flow_note_define(xml->flow, id.data ? id.data : "", id.length);
    for (int depth = 1; next(xml, &token, status);) {
        if (token.kind != DRT_MARKUP_TEXT && !token.empty && same_name(&token, start))
            depth += token.kind == DRT_MARKUP_START ? 1 : -1;
        if (depth == 0)
            break;
        take_token(xml, &token);
    }
    drt_flow_note_end(xml->flow);
    drt_string_free(&id);
}

drt_status drt_xml_read_notes(drt_xml *xml, const char *data, size_t length,
                              bool (*is_note)(drt_xml *xml, const drt_markup_token *token)) {
    drt_status status = DRT_OK;
    drt_markup_token token;
    xml->markup = (drt_markup){.data = data, .length = length, .xml = true};
    while (next(xml, &token, &status))
        if (token.kind == DRT_MARKUP_START && is_note(xml, &token) && !token.empty)
            read_note(xml, &token, &status);
    return end_reading(xml, status);
}

void drt_xml_note(drt_xml *xml, const drt_markup_token *token, bool collecting) {
    drt_string id = {0};
    bool start = token->kind == DRT_MARKUP_START && !token->empty;
    if (start)
        xml->failed |= !drt_xml_attribute(token, "id", &id);
    if (collecting && start) /* a note inside a note */
        drt_flow_paragraph(xml->flow);
    else if (start && id.data && drt_flow_note_refer(xml->flow, id.data, id.length))
        drt_xml_skip(&xml->markup, token);
    else if (start)
        drt_flow_note_start(xml->flow);
    else if (!collecting)
        drt_flow_note_end(xml->flow);
    drt_string_free(&id);
}

void drt_xml_refer(drt_xml *xml, const drt_markup_token *token, const char *attribute) {
    drt_string target = {0};
    if (token->kind != DRT_MARKUP_START)
        return;
    xml->failed |= !drt_xml_attribute(token, attribute, &target);
    size_t mark = target.length > 0 && target.data[0] == '#';
    if (target.length > mark && drt_flow_note_refer(xml->flow, target.data + mark, target.length - mark))
        drt_xml_skip(&xml->markup, token);
    drt_string_free(&target);
}

drt_status drt_xml_extract(drt_xml *xml, const drt_format_input *input, drt_extract *extract,
                           bool (*is_note)(drt_xml *xml, const drt_markup_token *token), bool *collecting) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    bool cut = false;
    drt_flow_start(xml->flow, &extract->text);
    drt_status status = drt_markup_to_utf8(xml->context, input->data, input->length, &decoded, &facts);
    const char *data = decoded.data ? decoded.data : "";
    *collecting = true;
    if (status == DRT_OK && is_note)
        status = drt_xml_read_notes(xml, data, decoded.length, is_note);
    *collecting = false;
    if (status == DRT_OK)
        status = drt_xml_read(xml, data, decoded.length, &cut);
    drt_buffer_free(&decoded);
    bool ok = drt_flow_finish(xml->flow, true) &&
              (status != DRT_OK ||
               (drt_extract_note_charset(extract, facts.replacements, facts.guessed ? facts.name : NULL) &&
                (!cut || drt_extract_note(extract, DRT_DOCUMENT_PARTIAL,
                                          "it ends inside a tag or a comment, which may hide "
                                          "text"))));
    return status == DRT_OK && !ok ? drt_fail_memory(xml->context, "a document") : status;
}

bool drt_xml_root(const drt_format_probe *probe, drt_markup_token *root) {
    drt_markup markup = {.data = probe->head, .length = probe->head_length, .xml = true};
    if (probe->head_length >= 3 && memcmp(probe->head, "\xEF\xBB\xBF", 3) == 0)
        markup.at = 3;
    while (markup.at < markup.length && memchr(" \t\r\n", markup.data[markup.at], 4))
        markup.at++;
    if (markup.at == markup.length || markup.data[markup.at] != '<')
        return false;
    while (drt_markup_next(&markup, root))
        if (root->kind != DRT_MARKUP_TEXT)
            return root->kind == DRT_MARKUP_START;
    return false;
}
