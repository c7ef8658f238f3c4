/* format_odt.c: OpenDocument text, zipped or flat. Deleted and hidden text, annotations, headers and footers are out; notes
 * and text boxes go behind their paragraph. Title, author and date from the metadata. See formats.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/formats/mathml.h"
#include "engine/corpus/formats/package.h"
#include "engine/corpus/formats/xml.h"

#define STYLES 64 /* names that are kept of hidden ones and of raised ones; more are taken as shown and level */

typedef struct {
    drt_package *zip; /* NULL: a flat file */
    drt_extract *extract;
    drt_flow flow;
    drt_string hidden[STYLES], raised[STYLES];
    size_t n_hidden, n_raised;
} document;

static const drt_xml_element elements[] = {
    /* sorted by name */
    {"alphabetical-index-source", DRT_XML_SKIP},
    {"annotation", DRT_XML_SKIP},
    {"automatic-styles", DRT_XML_HOOK},
    {"bibliography-source", DRT_XML_SKIP},
    {"binary-data", DRT_XML_SKIP},
    {"covered-table-cell", DRT_XML_SKIP},
    {"desc", DRT_XML_SKIP},
    {"endnote", DRT_XML_NOTE}, /* these four are OpenOffice 1's */
    {"endnote-citation", DRT_XML_SKIP},
    {"font-face-decls", DRT_XML_SKIP},
    {"footnote", DRT_XML_NOTE},
    {"footnote-citation", DRT_XML_SKIP},
    {"forms", DRT_XML_SKIP},
    {"h", DRT_XML_HOOK},
    {"hidden-paragraph", DRT_XML_SKIP},
    {"hidden-text", DRT_XML_SKIP},
    {"illustration-index-source", DRT_XML_SKIP},
    {"line-break", DRT_XML_BREAK},
    {"list", DRT_XML_LIST},
    {"master-styles", DRT_XML_SKIP},
    {"math", DRT_XML_MATH},
    {"meta", DRT_XML_HOOK},
    {"note", DRT_XML_NOTE},
    {"note-citation", DRT_XML_SKIP},
    {"number", DRT_XML_SKIP},
    {"object", DRT_XML_HOOK},
    {"object-index-source", DRT_XML_SKIP},
    {"p", DRT_XML_HOOK},
    {"ruby-text", DRT_XML_SKIP},
    {"s", DRT_XML_SPACE},
    {"script", DRT_XML_SKIP},
    {"scripts", DRT_XML_SKIP},
    {"section", DRT_XML_HOOK},
    {"settings", DRT_XML_SKIP},
    {"span", DRT_XML_HOOK},
    {"styles", DRT_XML_SKIP},
    {"tab", DRT_XML_SPACE},
    {"table", DRT_XML_TABLE},
    {"table-cell", DRT_XML_CELL},
    {"table-index-source", DRT_XML_SKIP},
    {"table-of-content-source", DRT_XML_SKIP},
    {"table-row", DRT_XML_ROW},
    {"text-box", DRT_XML_NOTE},
    {"title", DRT_XML_HOOK},
    {"tracked-changes", DRT_XML_SKIP},
    {"user-index-source", DRT_XML_SKIP},
};

/* ---------------------------------------------------------- text ---- */

static bool is_none(const drt_markup_token *token) {
    drt_markup_attribute display;
    return drt_markup_find(token, "display", &display) && drt_markup_value_is(&display, "none");
}

/* "super 58%", "33% 58%": above the line. */
static bool is_raised(const drt_markup_token *token) {
    drt_markup_attribute position;
    return drt_markup_find(token, "text-position", &position) && position.value_length > 0 &&
           (strncmp(position.value, "super", 5) == 0 || (*position.value >= '1' && *position.value <= '9'));
}

static void keep_style(drt_xml *xml, const drt_markup_token *style, drt_string *names, size_t *n) {
    if (*n == STYLES)
        return;
    xml->failed |= !drt_xml_attribute(style, "name", &names[*n]);
    *n += names[*n].data != NULL;
}

/* Keeps the names of the styles whose text is not shown or above the line. */
static void take_styles(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token, style = {0};
    for (int depth = 1; start->kind == DRT_MARKUP_START && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        if (token.kind != DRT_MARKUP_START)
            continue;
        if (drt_markup_is(&token, "style"))
            style = token;
        else if (drt_markup_is(&token, "text-properties") && is_none(&token))
            keep_style(xml, &style, d->hidden, &d->n_hidden);
        else if (drt_markup_is(&token, "text-properties") && is_raised(&token))
            keep_style(xml, &style, d->raised, &d->n_raised);
    }
}

/* Is it in one of these styles? */
static bool is_in(drt_xml *xml, const drt_markup_token *token, const drt_string *names, size_t n) {
    drt_string name;
    bool found = false;
    if (n == 0)
        return false;
    xml->failed |= !drt_xml_attribute(token, "style-name", &name);
    for (size_t i = 0; name.data && i < n && !found; i++)
        found = drt_string_equal(&names[i], name.data, name.length);
    drt_string_free(&name);
    return found;
}

/* A formula is a document of its own inside the package. */
static void take_object(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    drt_string folder;
    drt_buffer path = {0}, text = {0};
    drt_package_file *file = NULL;
    if (!d->zip || token->kind != DRT_MARKUP_START)
        return;
    bool ok = drt_xml_attribute(token, "href", &folder) && drt_buffer_append(&path, folder.data, folder.length) &&
              drt_buffer_append_text(&path, "/content.xml");
    drt_string reference = {path.data, path.length};
    ok = ok && drt_package_refer(d->zip, "", 0, &reference, &file);
    if (ok && file && file->read) {
        drt_markup markup = {.data = file->data.data, .length = file->data.length, .xml = true};
        drt_markup_token inner;
        while (ok && drt_markup_next(&markup, &inner))
            if (inner.kind == DRT_MARKUP_START && drt_markup_is(&inner, "math"))
                ok = drt_mathml_read(&markup, &inner, &text);
        drt_flow_add(&d->flow, text.data ? text.data : "", text.length);
    }
    drt_buffer_free(&text);
    drt_buffer_free(&path);
    drt_string_free(&folder);
    xml->failed |= !ok;
}

/* Who wrote it first and when goes before who changed it last. */
static void take_metadata(drt_xml *xml, const drt_markup_token *start) {
    document *d = xml->user;
    drt_markup_token token;
    drt_string editor = {0}, changed = {0};
    bool ok = true;
    for (int depth = 1; ok && start->kind == DRT_MARKUP_START && drt_xml_inside(&xml->markup, start, &depth, &token);) {
        bool first = drt_markup_is(&token, "initial-creator"), last = drt_markup_is(&token, "creator");
        bool title = drt_markup_is(&token, "title"), made = drt_markup_is(&token, "creation-date");
        drt_string line = {0};
        if (token.kind != DRT_MARKUP_START || token.empty ||
            !(first || last || title || made || drt_markup_is(&token, "date")))
            continue;
        ok = drt_xml_line(&xml->markup, &token, &line);
        if (title)
            drt_xml_take_title(d->extract, &line);
        else if (made)
            drt_xml_take_date(d->extract, &line);
        else if (first)
            ok = ok && drt_xml_take_authors(d->extract, &line);
        else {
            drt_string *kept = last ? &editor : &changed;
            drt_string_free(kept);
            *kept = line;
        }
    }
    if (d->extract->n_authors == 0)
        ok = ok && drt_xml_take_authors(d->extract, &editor);
    drt_xml_take_date(d->extract, &changed);
    drt_string_free(&editor);
    xml->failed |= !ok;
}

static void hook(drt_xml *xml, const drt_markup_token *token) {
    document *d = xml->user;
    bool start = token->kind == DRT_MARKUP_START;
    bool block = drt_markup_is(token, "p") || drt_markup_is(token, "h");
    if (block || drt_markup_is(token, "span")) {
        if (start && is_in(xml, token, d->hidden, d->n_hidden))
            drt_xml_skip(&xml->markup, token);
        else if (block)
            drt_flow_paragraph(&d->flow);
        else if (start && is_in(xml, token, d->raised, d->n_raised))
            drt_flow_raise(&d->flow);
    } else if (drt_markup_is(token, "section")) {
        drt_flow_paragraph(&d->flow);
        if (start && is_none(token))
            drt_xml_skip(&xml->markup, token);
    } else if (drt_markup_is(token, "title")) {
        if (start && drt_xml_has_prefix(token, "svg")) /* of a picture; text:title is a field */
            drt_xml_skip(&xml->markup, token);
    } else if (drt_markup_is(token, "object")) {
        take_object(xml, token);
    } else if (drt_markup_is(token, "automatic-styles")) {
        take_styles(xml, token);
    } else if (drt_xml_has_prefix(token, "office")) {
        take_metadata(xml, token);
    }
}

/* Reads one XML file; its metadata and its text where it has them. */
static drt_status read_xml(document *d, drt_context *context, const char *data, size_t length, bool *damaged) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    bool cut = false;
    drt_xml xml = {.context = context,
                   .flow = &d->flow,
                   .elements = elements,
                   .n_elements = sizeof elements / sizeof *elements,
                   .hook = hook,
                   .user = d};
    drt_status status = drt_markup_to_utf8(context, data, length, &decoded, &facts);
    if (status == DRT_OK)
        status = drt_xml_read(&xml, decoded.data ? decoded.data : "", decoded.length, &cut);
    drt_buffer_free(&decoded);
    *damaged |= cut;
    if (status == DRT_OK &&
        !drt_extract_note_charset(d->extract, facts.replacements, facts.guessed ? facts.name : NULL))
        status = drt_fail_memory(context, "a document");
    return status;
}

static drt_status note(drt_context *context, drt_extract *extract, drt_document_status status, const char *reason) {
    return drt_extract_note(extract, status, "%s", reason) ? DRT_OK : drt_fail_memory(context, "a document");
}

static drt_status end(document *d, drt_context *context, drt_status status, bool damaged) {
    for (size_t i = 0; i < d->n_hidden; i++)
        drt_string_free(&d->hidden[i]);
    for (size_t i = 0; i < d->n_raised; i++)
        drt_string_free(&d->raised[i]);
    if (!drt_flow_finish(&d->flow, false) && status == DRT_OK)
        status = drt_fail_memory(context, "a document");
    if (status == DRT_OK && damaged)
        status = note(context, d->extract, DRT_DOCUMENT_PARTIAL, "its text is damaged and may be incomplete");
    return status;
}

/* ---------------------------------------------------------- files ---- */

static bool is_wanted(const char *name, size_t length) {
    static const char *const names[] = {"content.xml", "meta.xml", "META-INF/manifest.xml"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t n = strlen(names[i]);
        if (length >= n && memcmp(name + length - n, names[i], n) == 0 && (length == n || name[length - n - 1] == '/'))
            return true;
    }
    return false;
}

/* Files that are encrypted are listed with how. */
static bool is_encrypted(const drt_package *zip) {
    const drt_package_file *manifest = drt_package_find(zip, "META-INF/manifest.xml", 21);
    drt_markup markup = {
        .data = manifest ? manifest->data.data : "", .length = manifest ? manifest->data.length : 0, .xml = true};
    drt_markup_token token;
    while (drt_markup_next(&markup, &token))
        if (drt_markup_is(&token, "encryption-data"))
            return true;
    return false;
}

static drt_status read_package(drt_package *zip, drt_extract *extract) {
    document d = {.zip = zip, .extract = extract};
    const drt_package_file *text = drt_package_find(zip, "content.xml", 11),
                           *meta = drt_package_find(zip, "meta.xml", 8);
    if ((text && text->locked) || is_encrypted(zip))
        return note(zip->context, extract, DRT_DOCUMENT_SKIPPED, "it is encrypted; a password would be needed");
    if (!text)
        return note(zip->context, extract, DRT_DOCUMENT_SKIPPED, "its text is missing");
    drt_status status = DRT_OK;
    bool damaged = text->damaged || !text->read, ignored = false;
    drt_flow_start(&d.flow, &extract->text);
    if (meta && meta->data.length)
        status = read_xml(&d, zip->context, meta->data.data, meta->data.length, &ignored);
    if (status == DRT_OK && text->data.length)
        status = read_xml(&d, zip->context, text->data.data, text->data.length, &damaged);
    return end(&d, zip->context, status, damaged);
}

drt_status drt_format_odt_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_package zip;
    drt_status status = drt_package_open(&zip, context, input, is_wanted);
    if (status == DRT_FAILED && !drt_cancelled(context))
        status = note(context, extract, DRT_DOCUMENT_PARTIAL, drt_error(context));
    if (status == DRT_OK)
        status = read_package(&zip, extract);
    drt_package_close(&zip);
    return status;
}

bool drt_format_fodt_detect(const drt_format_probe *probe) {
    drt_markup_token root;
    drt_markup_attribute type;
    return drt_xml_root(probe, &root) && drt_xml_has_prefix(&root, "office") && drt_markup_is(&root, "document") &&
           drt_markup_find(&root, "mimetype", &type) &&
           drt_markup_value_is(&type, "application/vnd.oasis.opendocument.text");
}

drt_status drt_format_fodt_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.extract = extract};
    bool damaged = false;
    drt_flow_start(&d.flow, &extract->text);
    drt_status status = read_xml(&d, context, input->data, input->length, &damaged);
    return end(&d, context, status, damaged);
}
