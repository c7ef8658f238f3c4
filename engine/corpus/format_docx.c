/* format_docx.c: Microsoft Word (Office Open XML), read as if all tracked changes were accepted: deleted text is out, so is
 * hidden text; of fields the result stands; footnotes, endnotes and text boxes go behind their paragraph; comments, headers
 * and footers are left out. Title, author and date from the core properties. See formats.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/package.h"
#include "engine/corpus/xml.h"

#define NESTING 32 /* fields, and text boxes, inside each other */

typedef struct {
    bool item;    /* of a list */
    bool title;   /* in the style of a document's title */
    bool joined;  /* its end was deleted */
    bool entered; /* it has text */
    bool hidden;  /* the run at hand */
    bool raised;  /* the same, above the line */
} paragraph;

typedef struct {
    drt_package zip;
    drt_extract *extract;
    drt_flow flow;
    paragraph now, outside[NESTING]; /* those around a text box */
    size_t boxes;
    bool after_item;  /* the last paragraph was an item */
    size_t title_at;  /* where the title begins in the text */
    uint64_t codes;   /* of the fields open, the inner one lowest: 1 while its instruction is read */
    uint64_t scripts; /* of the super- and subscripts open, the inner one lowest: 1 in parentheses */
    char key;         /* of the notes being read, 0: the text */
    int64_t replacements;
    const char *guessed;
    bool damaged;
} document;

static const drt_xml_element elements[] = {
    /* sorted by name */
    {"Fallback", DRT_XML_SKIP},
    {"br", DRT_XML_BREAK},
    {"cr", DRT_XML_BREAK},
    {"d", DRT_XML_HOOK},
    {"deg", DRT_XML_SKIP},
    {"del", DRT_XML_SKIP},
    {"delInstrText", DRT_XML_SKIP},
    {"delText", DRT_XML_SKIP},
    {"den", DRT_XML_HOOK},
    {"endnote", DRT_XML_HOOK},
    {"endnoteReference", DRT_XML_HOOK},
    {"f", DRT_XML_HOOK},
    {"fldChar", DRT_XML_HOOK},
    {"footnote", DRT_XML_HOOK},
    {"footnoteReference", DRT_XML_HOOK},
    {"instrText", DRT_XML_SKIP},
    {"moveFrom", DRT_XML_SKIP},
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
    if (token->kind == DRT_MARKUP_START)
        d->now = (paragraph){.entered = d->now.joined && d->now.entered};
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

static void take_paragraph_properties(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    bool heading = false;
    for (int depth = 1; start->kind == DRT_MARKUP_START && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        if (token.kind != DRT_MARKUP_START)
            continue;
        if (drt_markup_is(&token, "numId"))
            d->now.item = is_on(&token);
        else if (drt_markup_is(&token, "outlineLvl"))
            heading = true;
        else if (drt_markup_is(&token, "del"))
            d->now.joined = true;
        else if (drt_markup_is(&token, "pPrChange"))
            drt_xml_skip(&xml->markup, &token);
        else if (drt_markup_is(&token, "pStyle")) {
            heading |= value_begins(&token, "Heading");
            d->now.item |= value_begins(&token, "List");
            d->now.title = value_begins(&token, "Title");
        }
    }
    d->now.item &= !heading;
}

static void take_run_properties(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    for (int depth = 1; start->kind == DRT_MARKUP_START && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        if (token.kind == DRT_MARKUP_START && drt_markup_is(&token, "vanish"))
            d->now.hidden = is_on(&token);
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
    } else if (d->boxes == NESTING) {
        d->damaged = true;
        drt_xml_skip(&xml->markup, token);
    } else if (!token->empty) {
        enter(d);
        d->outside[d->boxes++] = d->now;
        d->now = (paragraph){.hidden = d->now.hidden};
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

static void hook(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START;
    if (drt_markup_is(token, "t"))
        take_text(xml, token);
    else if (drt_markup_is(token, "r"))
        d->now.hidden = d->now.raised = false;
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
    else if (drt_markup_is(token, "f") || drt_markup_is(token, "d"))
        add(d, start ? "(" : ")");
}

/* --------------------------------------------------------------- the package ---- */

static bool is_paper(const char *name, size_t length) {
    return drt_name_has_extension(name, length, " .rels ") ||
           drt_string_equal(&(drt_string){(char *)name, length}, "docProps/core.xml", 17);
}

/* Length of a name's folder, with its slash. */
static size_t folder_length(const drt_string *name) {
    size_t length = name->length;
    while (length > 0 && name->data[length - 1] != '/')
        length--;
    return length;
}

static bool ends_with(const drt_markup_attribute *attribute, const char *word) {
    size_t n = strlen(word);
    return attribute->value_length >= n && memcmp(attribute->value + attribute->value_length - n, word, n) == 0;
}

/* The file that stands to the one called `name` in a relation whose type ends so; that to the whole package: "". false:
 * out of memory. */
static bool find_related(document *d, const drt_string *name, const char *type, drt_package_file **file) {
    drt_buffer path = {0};
    size_t folder = folder_length(name);
    *file = NULL;
    bool ok = drt_buffer_append(&path, name->data, folder) && drt_buffer_append_text(&path, "_rels/") &&
              drt_buffer_append(&path, name->data + folder, name->length - folder) &&
              drt_buffer_append_text(&path, ".rels");
    const drt_package_file *relations = ok ? drt_package_find(&d->zip, path.data, path.length) : NULL;
    drt_buffer_free(&path);
    if (!relations)
        return ok;
    drt_markup markup = {.data = relations->data.data, .length = relations->data.length, .xml = true};
    drt_markup_token token;
    while (ok && !*file && drt_markup_next(&markup, &token)) {
        drt_markup_attribute found;
        drt_string target;
        if (token.kind != DRT_MARKUP_START || !drt_markup_is(&token, "Relationship") ||
            !drt_markup_find(&token, "Type", &found) || !ends_with(&found, type))
            continue;
        ok = drt_xml_attribute(&token, "Target", &target) &&
             (!target.data || drt_package_refer(&d->zip, name->data, folder, &target, file));
        drt_string_free(&target);
    }
    return ok;
}

static drt_status read_part(document *d, const drt_package_file *file) {
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
    d->now = (paragraph){0};
    d->boxes = 0;
    d->codes = d->scripts = 0;
    d->damaged |= cut || file->damaged;
    d->replacements += facts.replacements;
    d->guessed = facts.guessed ? facts.name : d->guessed;
    return status;
}

/* Title, authors ("Ada Renn; Bo Tarn") and date. */
static bool read_properties(document *d, const drt_package_file *file) {
    drt_markup markup = {.data = file->data.data, .length = file->data.length, .xml = true};
    drt_markup_token token;
    bool ok = true;
    while (ok && drt_markup_next(&markup, &token)) {
        drt_string line = {0};
        bool title = drt_markup_is(&token, "title"), date = drt_markup_is(&token, "created");
        if (token.kind != DRT_MARKUP_START || token.empty || !(title || date || drt_markup_is(&token, "creator")))
            continue;
        ok = drt_xml_line(&markup, &token, &line);
        if (title)
            drt_xml_take_title(d->extract, &line);
        else if (date)
            drt_xml_take_date(d->extract, &line);
        else
            ok = ok && drt_xml_take_authors(d->extract, &line);
    }
    return ok;
}

/* The notes come first: the text refers to them. */
static drt_status read_parts(document *d, const drt_package_file *text, const drt_package_file *footnotes,
                             const drt_package_file *endnotes) {
    drt_status status = DRT_OK;
    drt_flow_start(&d->flow, &d->extract->text);
    d->key = 'f';
    if (footnotes && footnotes->read)
        status = read_part(d, footnotes);
    d->key = 'e';
    if (endnotes && endnotes->read && status == DRT_OK)
        status = read_part(d, endnotes);
    d->key = 0;
    if (status == DRT_OK)
        status = read_part(d, text);
    if (!drt_flow_finish(&d->flow, false) && status == DRT_OK)
        status = drt_fail_memory(d->zip.context, "a document");
    return status;
}

static drt_status note(document *d, drt_document_status status, const char *reason) {
    return drt_extract_note(d->extract, status, "%s", reason) ? DRT_OK : drt_fail_memory(d->zip.context, "a document");
}

static drt_status read_document(document *d) {
    drt_package_file *text, *footnotes = NULL, *endnotes = NULL;
    if (!find_related(d, &(drt_string){"", 0}, "/officeDocument", &text))
        return drt_fail_memory(d->zip.context, "a document");
    if (!text)
        text = drt_package_find(&d->zip, "word/document.xml", 17);
    if (!text)
        return note(d, DRT_DOCUMENT_SKIPPED, "its text is missing");
    if (text->locked)
        return note(d, DRT_DOCUMENT_SKIPPED, "it is encrypted; a password would be needed");
    if (!find_related(d, &text->name, "/footnotes", &footnotes) ||
        !find_related(d, &text->name, "/endnotes", &endnotes))
        return drt_fail_memory(d->zip.context, "a document");
    text->wanted = true;
    if (footnotes)
        footnotes->wanted = true;
    if (endnotes)
        endnotes->wanted = true;
    drt_status status = drt_package_read(&d->zip);
    if (status == DRT_FATAL || drt_cancelled(d->zip.context))
        return status == DRT_FATAL ? status : DRT_FAILED;
    d->damaged |= !text->read;
    const drt_package_file *properties = drt_package_find(&d->zip, "docProps/core.xml", 17);
    if (properties && !read_properties(d, properties))
        return drt_fail_memory(d->zip.context, "a document");
    return read_parts(d, text, footnotes, endnotes);
}

drt_status drt_format_docx_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.extract = extract};
    drt_status status = drt_package_open(&d.zip, context, input, is_paper);
    if (status == DRT_FAILED && !drt_cancelled(context))
        status = note(&d, DRT_DOCUMENT_PARTIAL, drt_error(context));
    if (status == DRT_OK)
        status = read_document(&d);
    drt_package_close(&d.zip);
    if (status == DRT_OK && d.damaged)
        status = note(&d, DRT_DOCUMENT_PARTIAL, "its text is damaged and may be incomplete");
    if (status == DRT_OK && !drt_extract_note_charset(extract, d.replacements, d.guessed))
        status = drt_fail_memory(context, "a document");
    return status;
}
