/* format_fb2.c: FictionBook. The bodies of notes are taken apart and each note goes behind the paragraph that refers to it.
 * See formats.h. */
#include <string.h>

#include "engine/corpus/formats/xml.h"

typedef struct {
    drt_extract *extract;
    drt_flow flow;
    bool collecting; /* notes; then the text is read */
    bool in_notes;   /* the body at hand holds notes */
} document;

static const drt_xml_element elements[] = {
    /* sorted by name */
    {"a", DRT_XML_HOOK},
    {"binary", DRT_XML_SKIP},
    {"body", DRT_XML_HOOK},
    {"cite", DRT_XML_BLOCK},
    {"description", DRT_XML_HOOK},
    {"empty-line", DRT_XML_BLOCK},
    {"epigraph", DRT_XML_BLOCK},
    {"p", DRT_XML_BLOCK},
    {"poem", DRT_XML_BLOCK},
    {"section", DRT_XML_BLOCK},
    {"stanza", DRT_XML_BLOCK},
    {"stylesheet", DRT_XML_SKIP},
    {"subtitle", DRT_XML_BLOCK},
    {"sup", DRT_XML_RAISE},
    {"table", DRT_XML_TABLE},
    {"td", DRT_XML_CELL},
    {"text-author", DRT_XML_BLOCK},
    {"th", DRT_XML_CELL},
    {"title", DRT_XML_HOOK},
    {"tr", DRT_XML_ROW},
    {"v", DRT_XML_LINE},
};

static bool append_line(drt_xml *xml, const drt_markup_token *token, drt_buffer *name) {
    drt_string line;
    bool ok = drt_xml_line(&xml->markup, token, &line) &&
              (!line.data || ((name->length == 0 || drt_buffer_append_byte(name, ' ')) &&
                              drt_buffer_append(name, line.data, line.length)));
    drt_string_free(&line);
    return ok;
}

/* "First Middle Last", or the nickname where there is nothing else. */
static bool take_author(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    drt_buffer name = {0};
    drt_string author;
    bool ok = true;
    for (int depth = 1; ok && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        bool part = drt_markup_is(&token, "first-name") || drt_markup_is(&token, "middle-name") ||
                    drt_markup_is(&token, "last-name") || (drt_markup_is(&token, "nickname") && name.length == 0);
        if (part && token.kind == DRT_MARKUP_START && !token.empty)
            ok = append_line(xml, &token, &name);
    }
    ok = ok && (name.length == 0 || (drt_string_take(&author, &name) && drt_xml_take_author(d->extract, &author)));
    drt_buffer_free(&name);
    return ok;
}

/* Title, authors and date of <title-info>; of the original (<src-title-info>) and of the file nothing is taken. */
static bool take_description(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    bool ok = true;
    for (int depth = 1; ok && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        drt_string line;
        if (token.kind != DRT_MARKUP_START || token.empty)
            continue;
        if (drt_markup_is(&token, "src-title-info") || drt_markup_is(&token, "document-info") ||
            drt_markup_is(&token, "publish-info") || drt_markup_is(&token, "custom-info")) {
            drt_xml_skip(&xml->markup, &token);
        } else if (drt_markup_is(&token, "author")) {
            ok = take_author(xml, &token);
        } else if (drt_markup_is(&token, "book-title")) {
            ok = drt_xml_line(&xml->markup, &token, &line);
            drt_xml_take_title(d->extract, &line);
        } else if (drt_markup_is(&token, "date")) {
            drt_string value;
            ok = drt_xml_attribute_line(&token, "value", &value) && drt_xml_line(&xml->markup, &token, &line);
            drt_xml_take_date(d->extract, value.length ? &value : &line);
            drt_string_free(&value);
            drt_string_free(&line);
        }
    }
    return ok;
}

/* A body called "notes" or "comments" holds a section for each note, with an id. */
static bool is_notes_body(const drt_markup_token *token) {
    drt_markup_attribute name;
    return drt_markup_is(token, "body") && drt_markup_find(token, "name", &name) &&
           (drt_markup_value_is(&name, "notes") || drt_markup_value_is(&name, "comments"));
}

static bool is_note(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_markup_attribute id;
    if (drt_markup_is(token, "body"))
        d->in_notes = is_notes_body(token);
    return d->in_notes && drt_markup_is(token, "section") && drt_markup_find(token, "id", &id);
}

static void hook(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START;
    if (drt_markup_is(token, "a")) {
        drt_xml_refer(xml, token, "href");
    } else if (drt_markup_is(token, "description")) {
        xml->failed |= start && !take_description(xml, token);
    } else {
        drt_flow_paragraph(&d->flow); /* <body>, and the <title> of a note is its number */
        if (start && (d->collecting ? drt_markup_is(token, "title") : is_notes_body(token)))
            drt_xml_skip(&xml->markup, token);
    }
}

drt_status drt_format_fb2_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.extract = extract, .collecting = true};
    drt_xml xml = {.context = context,
                   .flow = &d.flow,
                   .elements = elements,
                   .n_elements = sizeof elements / sizeof *elements,
                   .hook = hook,
                   .user = &d};
    return drt_xml_extract(&xml, input, extract, is_note, &d.collecting);
}

bool drt_format_fb2_detect(const drt_format_probe *probe) {
    drt_markup_token root;
    return drt_xml_root(probe, &root) && drt_markup_is(&root, "FictionBook");
}
