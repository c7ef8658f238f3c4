/* format_docx.c: Microsoft Word (Office Open XML), read as if all tracked changes were accepted: deleted text is out, so is
 * hidden text; of fields the result stands; footnotes, endnotes and text boxes go behind their paragraph; comments, headers
 * and footers are left out. Numbers of headings and items that Word counts stand before them. Title, author and date from
 * the core properties. See formats.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/formats/docx.h"

typedef drt_docx document;

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

/* Steps through what stands to a file in relations of a type. */
typedef struct {
    document *d;
    const drt_string *name;
    const char *type;
    drt_markup markup;
    bool failed; /* out of memory */
} relations;

/* The relations of the file called `name`, of the whole package: "", whose type ends so. */
static relations relations_of(document *d, const drt_string *name, const char *type) {
    relations r = {.d = d, .name = name, .type = type};
    drt_buffer path = {0};
    size_t folder = folder_length(name);
    r.failed = !drt_buffer_append(&path, name->data, folder) || !drt_buffer_append_text(&path, "_rels/") ||
               !drt_buffer_append(&path, name->data + folder, name->length - folder) ||
               !drt_buffer_append_text(&path, ".rels");
    const drt_package_file *file = r.failed ? NULL : drt_package_find(&d->zip, path.data, path.length);
    drt_buffer_free(&path);
    if (file)
        r.markup = (drt_markup){.data = file->data.data, .length = file->data.length, .xml = true};
    return r;
}

/* *file NULL: it is missing. false: there are no more, or out of memory. */
static bool next_related(relations *r, drt_markup_token *token, drt_package_file **file) {
    drt_markup_attribute found;
    drt_string target;
    while (!r->failed && drt_markup_next(&r->markup, token)) {
        if (token->kind != DRT_MARKUP_START || !drt_markup_is(token, "Relationship") ||
            !drt_markup_find(token, "Type", &found) || !ends_with(&found, r->type))
            continue;
        *file = NULL;
        r->failed =
            !drt_xml_attribute(token, "Target", &target) ||
            (target.data && !drt_package_refer(&r->d->zip, r->name->data, folder_length(r->name), &target, file));
        drt_string_free(&target);
        return !r->failed;
    }
    return false;
}

/* The first that is there; *file NULL: none. false: out of memory. */
static bool find_related(document *d, const drt_string *name, const char *type, drt_package_file **file) {
    relations r = relations_of(d, name, type);
    drt_markup_token token;
    *file = NULL;
    while (!*file && next_related(&r, &token, file))
        ;
    return !r.failed;
}

static bool find_chunks(document *d, const drt_string *name) {
    relations r = relations_of(d, name, "/aFChunk");
    drt_markup_token token;
    drt_package_file *file;
    while (d->n_chunks < DRT_DOCX_CHUNKS && next_related(&r, &token, &file)) {
        drt_docx_chunk *c = &d->chunks[d->n_chunks++];
        r.failed |= !drt_xml_attribute(&token, "Id", &c->id);
        c->file = file;
        if (file)
            file->wanted = true;
    }
    return !r.failed;
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
        status = drt_docx_read_part(d, footnotes);
    d->key = 'e';
    if (endnotes && endnotes->read && status == DRT_OK)
        status = drt_docx_read_part(d, endnotes);
    d->key = 0;
    if (status == DRT_OK)
        status = drt_docx_read_part(d, text);
    if (!drt_flow_finish(&d->flow, false) && status == DRT_OK)
        status = drt_fail_memory(d->zip.context, "a document");
    return status;
}

static drt_status note(document *d, drt_document_status status, const char *reason) {
    return drt_extract_note(d->extract, status, "%s", reason) ? DRT_OK : drt_fail_memory(d->zip.context, "a document");
}

/* Styles and numbering; both may be missing or damaged, the text is read all the same. */
static drt_status read_styles(document *d, const drt_package_file *styles, const drt_package_file *numbering) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_status status = DRT_OK;
    if (styles && styles->read)
        status = drt_package_decode(&d->zip, styles, &decoded, &facts);
    bool ok = status != DRT_OK || drt_docx_styles_read(&d->styles, decoded.data, decoded.length);
    decoded.length = 0;
    if (ok && status == DRT_OK && numbering && numbering->read)
        status = drt_package_decode(&d->zip, numbering, &decoded, &facts);
    ok = ok && (status != DRT_OK || drt_docx_numbering_read(&d->styles, decoded.data, decoded.length));
    drt_buffer_free(&decoded);
    return ok ? status : drt_fail_memory(d->zip.context, "a document");
}

/* The text where no relation names it: by its usual name, in whatever folder it was packed. */
static bool find_text(document *d, drt_package_file **text) {
    static const char usual[] = "word/document.xml";
    size_t n = sizeof usual - 1;
    bool ok = drt_package_refer(&d->zip, "", 0, &(drt_string){(char *)usual, n}, text);
    for (size_t i = 0; ok && !*text && i < d->zip.n_files; i++) {
        const drt_string *name = &d->zip.files[i].name;
        if (name->length > n && name->data[name->length - n - 1] == '/' &&
            strncasecmp(name->data + name->length - n, usual, n) == 0)
            *text = &d->zip.files[i];
    }
    return ok;
}

static drt_status read_document(document *d) {
    static const char *const types[] = {"/footnotes", "/endnotes", "/styles", "/numbering"};
    drt_package_file *text, *others[4];
    if (!find_related(d, &(drt_string){"", 0}, "/officeDocument", &text))
        return drt_fail_memory(d->zip.context, "a document");
    if (!text && !find_text(d, &text))
        return drt_fail_memory(d->zip.context, "a document");
    if (!text)
        return note(d, DRT_DOCUMENT_SKIPPED, "its text is missing");
    if (text->locked)
        return note(d, DRT_DOCUMENT_SKIPPED, "it is encrypted; a password would be needed");
    text->wanted = true;
    for (size_t i = 0; i < 4; i++) {
        if (!find_related(d, &text->name, types[i], &others[i]))
            return drt_fail_memory(d->zip.context, "a document");
        if (others[i])
            others[i]->wanted = true;
    }
    if (!find_chunks(d, &text->name))
        return drt_fail_memory(d->zip.context, "a document");
    drt_status status = drt_package_read(&d->zip);
    if (status == DRT_FATAL || drt_cancelled(d->zip.context))
        return status == DRT_FATAL ? status : DRT_FAILED;
    d->damaged |= !text->read;
    const drt_package_file *properties = drt_package_find(&d->zip, "docProps/core.xml", 17);
    if (properties && !read_properties(d, properties))
        return drt_fail_memory(d->zip.context, "a document");
    status = read_styles(d, others[2], others[3]);
    return status == DRT_OK ? read_parts(d, text, others[0], others[1]) : status;
}

static void close_document(document *d) {
    for (size_t i = 0; i < d->n_chunks; i++)
        drt_string_free(&d->chunks[i].id);
    drt_docx_styles_free(&d->styles);
    drt_buffer_free(&d->mark);
    drt_package_close(&d->zip);
}

drt_status drt_format_docx_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.extract = extract};
    drt_status status = drt_package_open(&d.zip, context, input, is_paper);
    if (status == DRT_FAILED && !drt_cancelled(context))
        status = note(&d, DRT_DOCUMENT_PARTIAL, drt_error(context));
    if (status == DRT_OK)
        status = read_document(&d);
    close_document(&d);
    if (status == DRT_OK && d.damaged)
        status = note(&d, DRT_DOCUMENT_PARTIAL, "its text is damaged and may be incomplete");
    if (status == DRT_OK && !drt_extract_note_charset(extract, d.replacements, d.guessed))
        status = drt_fail_memory(context, "a document");
    return status;
}
