/* docx_text.c: the text of a part of a Word document. See docx.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/corpus/formats/docx.h"
#include "engine/corpus/formats/symbol.h"

typedef drt_docx document;

static const drt_xml_element elements[] = {
    /* sorted by name */
    {"Fallback", DRT_XML_SKIP},
    {"altChunk", DRT_XML_HOOK},
    {"br", DRT_XML_BREAK},
    {"cr", DRT_XML_BREAK},
    {"d", DRT_XML_HOOK},
    {"deg", DRT_XML_SKIP},
    {"del", DRT_XML_SKIP},
    {"delInstrText", DRT_XML_SKIP},
    {"delText", DRT_XML_SKIP},
    {"den", DRT_XML_HOOK},
    {"e", DRT_XML_HOOK},
    {"endnote", DRT_XML_HOOK},
    {"endnoteReference", DRT_XML_HOOK},
    {"f", DRT_XML_HOOK},
    {"fName", DRT_XML_HOOK},
    {"fldChar", DRT_XML_HOOK},
    {"footnote", DRT_XML_HOOK},
    {"footnoteReference", DRT_XML_HOOK},
    {"instrText", DRT_XML_SKIP},
    {"m", DRT_XML_HOOK},
    {"moveFrom", DRT_XML_SKIP},
    {"mr", DRT_XML_HOOK},
    {"naryPr", DRT_XML_HOOK},
    {"noBreakHyphen", DRT_XML_HOOK},
    {"p", DRT_XML_HOOK},
    {"pPr", DRT_XML_HOOK},
    {"ptab", DRT_XML_SPACE},
    {"r", DRT_XML_HOOK},
    {"rPr", DRT_XML_HOOK},
    {"rad", DRT_XML_HOOK},
    {"rt", DRT_XML_SKIP},
    {"sdtPr", DRT_XML_SKIP},
    {"sub", DRT_XML_HOOK},
    {"sup", DRT_XML_HOOK},
    {"sym", DRT_XML_HOOK},
    {"t", DRT_XML_HOOK},
    {"tab", DRT_XML_SPACE},
    {"tbl", DRT_XML_TABLE},
    {"tc", DRT_XML_CELL},
    {"tr", DRT_XML_ROW},
    {"trPr", DRT_XML_HOOK},
    {"txbxContent", DRT_XML_HOOK},
};

/* <w:vanish/>, <w:vanish w:val="0"/>. */
static bool is_on(const drt_markup_token *token) {
    drt_markup_attribute value;
    return !drt_markup_find(token, "val", &value) ||
           !(drt_markup_value_is(&value, "0") || drt_markup_value_is(&value, "false") ||
             drt_markup_value_is(&value, "off"));
}

static bool value_begins(const drt_markup_token *token, const char *word) {
    drt_markup_attribute value;
    size_t n = strlen(word);
    return drt_markup_find(token, "val", &value) && value.value_length >= n && memcmp(value.value, word, n) == 0;
}

/* -------------------------------------------------------------- paragraphs ---- */

/* Text comes: is it to be read? The first of a paragraph ends a list before it. */
static bool enter(document *d) {
    if (d->now.hidden || d->codes)
        return false;
    if (!d->now.entered) {
        if (d->after_item && !d->now.item)
            drt_flow_paragraph(&d->flow);
        d->after_item = d->now.item;
        d->now.entered = true;
        d->title_at = d->extract->text.length;
        if (d->mark.length > 0 && drt_buffer_append_byte(&d->mark, ' '))
            drt_flow_add(&d->flow, d->mark.data, d->mark.length);
        d->mark.length = 0;
    }
    return true;
}

static void add(document *d, const char *text) {
    if (enter(d))
        drt_flow_add(&d->flow, text, strlen(text));
}

/* What stands in the style "Title" is the title where the properties have none. */
static void take_title(drt_xml *xml, document *d) {
    size_t length = d->extract->text.length - d->title_at;
    const char *text = length ? d->extract->text.data + d->title_at : "";
    while (length > 0 && *text == '\n') {
        text++;
        length--;
    }
    const char *end = length ? memchr(text, '\n', length) : NULL;
    drt_string line;
    if (length == 0)
        return;
    if (!drt_text_single_line(text, end ? (size_t)(end - text) : length, &line))
        xml->failed = true;
    else
        drt_xml_take_title(d->extract, &line);
}

static void take_paragraph(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    if (token->kind == DRT_MARKUP_START) {
        d->now = (drt_docx_paragraph){.entered = d->now.joined && d->now.entered};
        d->mark.length = 0;
    }
    if (token->kind == DRT_MARKUP_START && !token->empty)
        return;
    if (d->now.joined || !d->now.entered)
        return;
    if (d->now.item)
        drt_flow_line(&d->flow);
    else
        drt_flow_paragraph(&d->flow);
    if (d->now.title && d->boxes == 0 && !d->key)
        take_title(xml, d);
}

static int number_in(const drt_markup_token *token) {
    drt_markup_attribute value;
    int number = 0;
    bool given = drt_markup_find(token, "val", &value);
    for (size_t i = 0; given && i < value.value_length && i < 6 && value.value[i] >= '0' && value.value[i] <= '9'; i++)
        number = number * 10 + (value.value[i] - '0');
    return number;
}

/* A style that the document doesn't describe is taken at its name. */
static drt_docx_look look_of(const document *d, const drt_markup_token *token) {
    drt_markup_attribute id = {.value = ""};
    drt_markup_find(token, "val", &id);
    drt_docx_look look = drt_docx_style_look(&d->styles, id.value, id.value_length);
    if (!look.known) {
        look.heading = value_begins(token, "Heading");
        look.item = value_begins(token, "List");
        look.title = value_begins(token, "Title");
    }
    return look;
}

static void take_paragraph_properties(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    drt_docx_look look = {.number = -1, .level = -1};
    int number = -1, level = -1;
    for (int depth = 1; start->kind == DRT_MARKUP_START && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        if (token.kind != DRT_MARKUP_START)
            continue;
        if (drt_markup_is(&token, "numId"))
            number = number_in(&token);
        else if (drt_markup_is(&token, "ilvl"))
            level = number_in(&token);
        else if (drt_markup_is(&token, "outlineLvl"))
            look.heading |= number_in(&token) < 9;
        else if (drt_markup_is(&token, "del"))
            d->now.joined = true;
        else if (drt_markup_is(&token, "pPrChange"))
            drt_xml_skip(&xml->markup, &token);
        else if (drt_markup_is(&token, "pStyle"))
            look = look_of(d, &token);
    }
    number = number >= 0 ? number : look.number;
    level = level >= 0 ? level : look.level;
    d->now.item = !look.heading && (number > 0 || (number < 0 && look.item));
    d->now.title = look.title;
    d->now.unseen = d->now.hidden = look.hidden;
    if (start->kind == DRT_MARKUP_START && number > 0)
        d->failed |= !drt_docx_mark(&d->styles, number, level, &d->mark);
}

static void take_run_properties(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    for (int depth = 1; start->kind == DRT_MARKUP_START && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        if (token.kind == DRT_MARKUP_START && drt_markup_is(&token, "vanish"))
            d->now.hidden = is_on(&token);
        else if (token.kind == DRT_MARKUP_START && drt_markup_is(&token, "rStyle"))
            d->now.hidden |= look_of(d, &token).hidden;
        else if (token.kind == DRT_MARKUP_START && drt_markup_is(&token, "vertAlign"))
            d->now.raised = value_begins(&token, "superscript");
        else if (token.kind == DRT_MARKUP_START && drt_markup_is(&token, "rPrChange"))
            drt_xml_skip(&xml->markup, &token);
    }
}

/* A text box stands behind the paragraph that it is fixed to. */
static void take_box(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    if (token->kind == DRT_MARKUP_END) {
        if (d->boxes == 0)
            return;
        drt_flow_note_end(&d->flow);
        d->now = d->outside[--d->boxes];
    } else if (d->boxes == DRT_DOCX_NESTING) {
        d->damaged = true;
        drt_xml_skip(&xml->markup, token);
    } else if (!token->empty) {
        enter(d);
        d->outside[d->boxes++] = d->now;
        d->now = (drt_docx_paragraph){.hidden = d->now.hidden};
        drt_flow_note_start(&d->flow);
    }
}

/* A row that was deleted says so in its properties. */
static void take_row_properties(drt_xml *xml, const drt_markup_token *start) {
    drt_markup_token token, row = {.kind = DRT_MARKUP_START, .name = "tr", .name_length = 2};
    bool deleted = false;
    for (int depth = 1; start->kind == DRT_MARKUP_START && drt_xml_inside(&xml->markup, start, &depth, &token);)
        deleted |= drt_markup_is(&token, "del");
    if (deleted)
        drt_xml_skip(&xml->markup, &row);
}

/* ------------------------------------------------------- fields, notes, formulas ---- */

static void take_field(document *d, const drt_markup_token *token) {
    drt_markup_attribute type;
    if (token->kind != DRT_MARKUP_START || !drt_markup_find(token, "fldCharType", &type))
        return;
    if (drt_markup_value_is(&type, "begin"))
        d->codes = d->codes << 1 | 1;
    else if (drt_markup_value_is(&type, "separate"))
        d->codes &= ~(uint64_t)1;
    else if (drt_markup_value_is(&type, "end"))
        d->codes >>= 1;
}

/* "f12", "e3": notes of both kinds are numbered from 1. */
static bool note_key(const drt_markup_token *token, char kind, char key[24], size_t *length) {
    drt_markup_attribute id;
    if (!drt_markup_find(token, "id", &id) || id.value_length > 20)
        return false;
    key[0] = kind;
    memcpy(key + 1, id.value, id.value_length);
    *length = id.value_length + 1;
    return true;
}

/* A note's text. Those that have a type are the lines between text and notes. */
static void take_note(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_markup_attribute type;
    char key[24];
    size_t length;
    if (token->kind == DRT_MARKUP_END)
        drt_flow_note_end(&d->flow);
    else if (!d->key || !note_key(token, d->key, key, &length) ||
             (drt_markup_find(token, "type", &type) && !drt_markup_value_is(&type, "normal")))
        drt_xml_skip(&xml->markup, token);
    else if (!token->empty)
        drt_flow_note_define(&d->flow, key, length);
}

static void take_reference(document *d, const drt_markup_token *token) {
    char key[24];
    size_t length;
    if (token->kind == DRT_MARKUP_START && !d->key && note_key(token, *token->name, key, &length) && enter(d))
        drt_flow_note_refer(&d->flow, key, length);
}

/* How many bytes of text the element holds, as far as that matters: 0, 1, or more. */
static size_t script_length(const drt_xml *xml, const drt_markup_token *start) {
    drt_markup ahead = xml->markup;
    drt_markup_token token;
    size_t bytes = 0;
    for (int n = 0; n < 64 && bytes < 2 && drt_markup_next(&ahead, &token); n++) {
        if (token.kind == DRT_MARKUP_END && token.name_length == start->name_length &&
            memcmp(token.name, start->name, start->name_length) == 0)
            break;
        bytes += token.kind == DRT_MARKUP_TEXT ? token.length : 0;
    }
    return bytes;
}

/* a^2, a_(i+1). */
static void take_script(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    if (token->kind == DRT_MARKUP_END) {
        if (d->scripts & 1)
            add(d, ")");
        d->scripts >>= 1;
        return;
    }
    size_t length = script_length(xml, token);
    if (length == 0) {
        drt_xml_skip(&xml->markup, token);
        return;
    }
    d->scripts = d->scripts << 1 | (length > 1);
    add(d, drt_markup_is(token, "sub") ? "_" : "^");
    add(d, length > 1 ? "(" : "");
}

/* "(x)", "[x]", "|x|": the properties say which, an empty one is none. */
static void take_parentheses(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_markup ahead = xml->markup;
    drt_markup_token next;
    char open[8] = "(", *close = d->close[d->parentheses % DRT_DOCX_NESTING];
    if (token->kind == DRT_MARKUP_END) {
        d->parentheses -= d->parentheses > 0;
        add(d, d->close[d->parentheses % DRT_DOCX_NESTING]);
        return;
    }
    strcpy(close, ")");
    for (int n = 0; n < 8 && drt_markup_next(&ahead, &next) && !drt_markup_is(&next, "e"); n++) {
        char *sign = drt_markup_is(&next, "begChr") ? open : drt_markup_is(&next, "endChr") ? close : NULL;
        drt_markup_attribute value;
        if (!sign || next.kind != DRT_MARKUP_START || !drt_markup_find(&next, "val", &value) || value.value_length > 7)
            continue;
        memcpy(sign, value.value, value.value_length);
        sign[value.value_length] = 0;
    }
    d->parentheses++;
    add(d, open);
}

/* Cells of a matrix are words, its rows end in semicolons. */
static void take_matrix(document *d, const drt_markup_token *token) {
    bool start = token->kind == DRT_MARKUP_START, row = drt_markup_is(token, "mr");
    if (drt_markup_is(token, "m")) {
        d->matrices += start ? 1 : d->matrices > 0 ? -1 : 0;
    } else if (row) {
        d->cell = false;
        add(d, start ? "" : "; ");
    } else if (start && d->matrices > 0) {
        add(d, d->cell ? " " : "");
        d->cell = true;
    }
}

/* The sign of a sum or an integral. */
static void take_operator(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    drt_markup_attribute sign;
    for (int depth = 1; start->kind == DRT_MARKUP_START && drt_xml_inside(&xml->markup, start, &depth, &token);)
        if (drt_markup_is(&token, "chr") && drt_markup_find(&token, "val", &sign) && enter(d))
            drt_flow_add(&d->flow, sign.value, sign.value_length);
}

static void take_text(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    xml->quiet = token->kind == DRT_MARKUP_END || token->empty || !enter(d);
    if (!xml->quiet && d->now.raised)
        drt_flow_raise(&d->flow);
}

static drt_docx_paragraph after_run(const drt_docx_paragraph *now) {
    drt_docx_paragraph next = *now;
    next.hidden = now->unseen;
    next.raised = false;
    return next;
}

/* Adds a text that is normalised already. */
static void add_text(document *d, const drt_buffer *text) {
    drt_flow_paragraph(&d->flow);
    for (size_t at = 0; at < text->length;) {
        const char *line = text->data + at, *end = memchr(line, '\n', text->length - at);
        size_t n = end ? (size_t)(end - line) : text->length - at;
        drt_flow_add(&d->flow, line, n);
        at += n + 1;
        (at < text->length && text->data[at] == '\n' ? drt_flow_paragraph : drt_flow_line)(&d->flow);
    }
    drt_flow_paragraph(&d->flow);
}

/* Reads a part in another format. A package inside the package is told only: it could hold itself. */
static bool read_chunk(drt_xml *xml, const drt_package_file *file) {
    document *d = xml->user;
    const char *data = file->data.data ? file->data.data : "";
    drt_format_probe probe = {
        .name = file->name.data,
        .name_length = file->name.length,
        .head = data,
        .head_length = file->data.length < DRT_FORMAT_HEAD ? file->data.length : DRT_FORMAT_HEAD,
        .whole = file->data.length <= DRT_FORMAT_HEAD,
    };
    const drt_format *format = drt_format_by_content(&probe);
    format = format ? format : drt_format_by_name(&probe);
    drt_format_input input = {data, file->data.length, file->name.data, file->name.length};
    drt_extract made = {0};
    if (!format->extract || format->basis != DRT_FORMAT_TEXT)
        return drt_extract_note(d->extract, DRT_DOCUMENT_PARTIAL, "a part of it in another format is not read");
    bool ok = format->extract(xml->context, &input, &made) != DRT_FATAL;
    if (ok && made.reason.data)
        ok = drt_extract_note(d->extract, DRT_DOCUMENT_PARTIAL, "in a part of it: %s", made.reason.data);
    d->extract->replacements += made.replacements;
    add_text(d, &made.text);
    drt_extract_clear(&made);
    return ok;
}

static void take_chunk(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_string id;
    size_t i = 0;
    if (token->kind != DRT_MARKUP_START)
        return;
    xml->failed |= !drt_xml_attribute(token, "id", &id);
    while (id.data && i < d->n_chunks && !drt_string_equal(&d->chunks[i].id, id.data, id.length))
        i++;
    drt_package_file *file = id.data && i < d->n_chunks ? d->chunks[i].file : NULL;
    drt_string_free(&id);
    if (!(file && file->read ? read_chunk(xml, file)
                             : drt_extract_note(d->extract, DRT_DOCUMENT_PARTIAL, "a part of it is missing")))
        xml->failed = true;
}

/* A letter of a font of signs. Of fonts with pictures nothing is text. */
static void take_symbol(document *d, const drt_markup_token *token) {
    drt_markup_attribute font, value;
    char number[9] = "", encoded[4];
    if (token->kind != DRT_MARKUP_START || !drt_markup_find(token, "font", &font) ||
        !drt_markup_find(token, "char", &value) || value.value_length >= sizeof number)
        return;
    memcpy(number, value.value, value.value_length);
    unsigned long c = strtoul(number, NULL, 16);
    if (c >= 0xF000 && c <= 0xF0FF)
        c = drt_markup_value_is(&font, "Symbol") ? drt_symbol_character((unsigned char)c) : 0;
    if (c >= ' ' && c < 0xD800 && enter(d))
        drt_flow_add(&d->flow, encoded, drt_utf8_encode((uint32_t)c, encoded));
}

static void hook(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START;
    if (drt_markup_is(token, "t"))
        take_text(xml, token);
    else if (drt_markup_is(token, "r"))
        d->now = after_run(&d->now);
    else if (drt_markup_is(token, "rPr"))
        take_run_properties(xml, token);
    else if (drt_markup_is(token, "p"))
        take_paragraph(xml, token);
    else if (drt_markup_is(token, "pPr"))
        take_paragraph_properties(xml, token);
    else if (drt_markup_is(token, "trPr"))
        take_row_properties(xml, token);
    else if (drt_markup_is(token, "fldChar"))
        take_field(d, token);
    else if (drt_markup_is(token, "footnote") || drt_markup_is(token, "endnote"))
        take_note(xml, token);
    else if (drt_markup_is(token, "footnoteReference") || drt_markup_is(token, "endnoteReference"))
        take_reference(d, token);
    else if (drt_markup_is(token, "txbxContent"))
        take_box(xml, token);
    else if (drt_markup_is(token, "sym"))
        take_symbol(d, token);
    else if (drt_markup_is(token, "altChunk"))
        take_chunk(xml, token);
    else if (drt_markup_is(token, "noBreakHyphen"))
        add(d, start ? "-" : "");
    else if (token->empty)
        ;
    else if (drt_markup_is(token, "sub") || drt_markup_is(token, "sup"))
        take_script(xml, token);
    else if (drt_markup_is(token, "naryPr"))
        take_operator(xml, token);
    else if (drt_markup_is(token, "den"))
        add(d, start ? ")/(" : "");
    else if (drt_markup_is(token, "rad"))
        add(d, start ? "\xE2\x88\x9A(" : ")");
    else if (drt_markup_is(token, "f"))
        add(d, start ? "(" : ")");
    else if (drt_markup_is(token, "d"))
        take_parentheses(xml, token);
    else if (drt_markup_is(token, "fName"))
        add(d, start ? "" : " ");
    else
        take_matrix(d, token);
}

drt_status drt_docx_read_part(drt_docx *d, const drt_package_file *file) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    bool cut = false;
    drt_xml xml = {.context = d->zip.context,
                   .flow = &d->flow,
                   .elements = elements,
                   .n_elements = sizeof elements / sizeof *elements,
                   .hook = hook,
                   .user = d,
                   .quiet = true};
    drt_status status = drt_package_decode(&d->zip, file, &decoded, &facts);
    if (status == DRT_OK)
        status = drt_xml_read(&xml, decoded.data ? decoded.data : "", decoded.length, &cut);
    drt_buffer_free(&decoded);
    if (status == DRT_OK && d->failed)
        status = drt_fail_memory(d->zip.context, "a document");
    d->now = (drt_docx_paragraph){0};
    d->mark.length = 0;
    d->boxes = d->parentheses = 0;
    d->matrices = 0;
    d->codes = d->scripts = 0;
    d->damaged |= cut || file->damaged;
    d->replacements += facts.replacements;
    d->guessed = facts.guessed ? facts.name : d->guessed;
    return status;
}
