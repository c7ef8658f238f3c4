/* format_epub.c: EPUB books: the chapters in the order of the package's spine, title, authors and date from its
 * metadata. Encrypted chapters (DRM) are named; a chapter that is missing or damaged doesn't lose the book. See
 * formats.h. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/formats/html.h"
#include "engine/corpus/formats/markup.h"
#include "engine/corpus/formats/package.h"
#include "engine/corpus/formats/xml.h"

#define REFINED 256 /* titles and creators that are looked through for what a refinement is of */

/* An item of the manifest, strings decoded; those that it lacks have NULL data. */
typedef struct {
    drt_string id, href, type, properties, fallback;
} book_item;

/* A title or a creator of the metadata, which may be refined later on. */
typedef struct {
    drt_string id, line;
    bool title;
    bool first; /* the main title, or an author where others are translators, editors, ... */
    bool other; /* said to be something else than that */
} book_entry;

typedef struct {
    drt_context *context;
    drt_extract *extract;
    drt_package zip;
    book_item *items; /* sorted by id once all are known */
    size_t n_items;
    drt_string *spine; /* idrefs */
    size_t n_spine;
    book_entry *entries;
    size_t n_entries;
    /* What became of the chapters. */
    size_t chapters, missing, locked, damaged;
    int64_t replacements;
    const char *guessed;
} book;

/* ---------------------------------------------------------- its papers ---- */

static const drt_string container_name = {(char *)"META-INF/container.xml", 22},
                        encryption_name = {(char *)"META-INF/encryption.xml", 23};

static bool is_called(const char *name, size_t length, const drt_string *other) {
    return length == other->length && strncasecmp(name, other->data, length) == 0;
}

static bool is_paper(const char *name, size_t length) {
    return drt_name_has_extension(name, length, " .opf ") || is_called(name, length, &container_name) ||
           is_called(name, length, &encryption_name);
}

/* A copy by macOS, which holds no text, but has its name. */
static bool is_shadow(const drt_string *name) {
    size_t base = name->length;
    while (base > 0 && name->data[base - 1] != '/')
        base--;
    return (name->length - base >= 2 && memcmp(name->data + base, "._", 2) == 0) ||
           (name->length >= 9 && memcmp(name->data, "__MACOSX/", 9) == 0);
}

/* A book may be there as a PDF, too. */
static bool is_package(const drt_markup_token *rootfile) {
    drt_markup_attribute type, path;
    return !drt_markup_find(rootfile, "media-type", &type) ||
           drt_markup_value_is(&type, "application/oebps-package+xml") ||
           (drt_markup_find(rootfile, "full-path", &path) &&
            drt_name_has_extension(path.value, path.value_length, " .opf "));
}

/* META-INF/container.xml names the package; without it the first .opf file is taken. */
static bool find_package(book *b, const drt_buffer *container, drt_package_file **package) {
    drt_markup markup = {.data = container->data, .length = container->length, .xml = true};
    drt_markup_token token;
    bool ok = true;
    *package = NULL;
    while (ok && !*package && drt_markup_next(&markup, &token)) {
        drt_string path = {0};
        if (token.kind == DRT_MARKUP_START && drt_markup_is(&token, "rootfile") && is_package(&token))
            ok = drt_xml_attribute(&token, "full-path", &path) &&
                 (!path.data || drt_package_refer(&b->zip, "", 0, &path, package));
        drt_string_free(&path);
    }
    for (size_t i = 0; !*package && i < b->zip.n_files; i++)
        if (drt_name_has_extension(b->zip.files[i].name.data, b->zip.files[i].name.length, " .opf ") &&
            !is_shadow(&b->zip.files[i].name))
            *package = &b->zip.files[i];
    return ok;
}

/* Fonts made unreadable by these two are no sign of DRM. */
static bool is_font_obfuscation(const drt_markup_attribute *algorithm) {
    return drt_markup_value_is(algorithm, "http://www.idpf.org/2008/embedding") ||
           drt_markup_value_is(algorithm, "http://ns.adobe.com/pdf/enc#RC");
}

/* META-INF/encryption.xml lists the files that are encrypted. */
static bool mark_encrypted(book *b, const drt_buffer *list) {
    drt_markup markup = {.data = list->data, .length = list->length, .xml = true};
    drt_markup_token token;
    bool ok = true, harmless = false;
    while (ok && drt_markup_next(&markup, &token)) {
        drt_markup_attribute algorithm;
        if (token.kind != DRT_MARKUP_START)
            continue;
        if (drt_markup_is(&token, "EncryptedData"))
            harmless = false;
        else if (drt_markup_is(&token, "EncryptionMethod") && drt_markup_find(&token, "Algorithm", &algorithm))
            harmless = is_font_obfuscation(&algorithm);
        else if (drt_markup_is(&token, "CipherReference") && !harmless) {
            drt_string reference;
            drt_package_file *file = NULL;
            ok = drt_xml_attribute(&token, "URI", &reference) &&
                 (!reference.data || drt_package_refer(&b->zip, "", 0, &reference, &file));
            drt_string_free(&reference);
            if (file)
                file->locked = true;
        }
    }
    return ok;
}

static bool add_item(book *b, const drt_markup_token *token) {
    if (!drt_array_grow((void **)&b->items, b->n_items, sizeof *b->items))
        return false;
    book_item *item = &b->items[b->n_items++];
    *item = (book_item){0};
    return drt_xml_attribute_line(token, "id", &item->id) && drt_xml_attribute(token, "href", &item->href) &&
           drt_xml_attribute(token, "media-type", &item->type) &&
           drt_xml_attribute(token, "properties", &item->properties) &&
           drt_xml_attribute_line(token, "fallback", &item->fallback);
}

static bool add_spine(book *b, const drt_markup_token *token) {
    if (!drt_array_grow((void **)&b->spine, b->n_spine, sizeof *b->spine))
        return false;
    return drt_xml_attribute_line(token, "idref", &b->spine[b->n_spine++]);
}

static bool is_value(const drt_string *value, const char *word) {
    return value->data && drt_string_equal(value, word, strlen(word));
}

/* A line; of creators those whose role is given as another one's are no authors. */
static bool add_entry(book *b, drt_markup *markup, const drt_markup_token *token, bool title) {
    drt_string role;
    if (!drt_array_grow((void **)&b->entries, b->n_entries, sizeof *b->entries))
        return false;
    book_entry *entry = &b->entries[b->n_entries++];
    *entry = (book_entry){.title = title};
    bool ok = drt_xml_attribute_line(token, "id", &entry->id) && drt_xml_attribute_line(token, "role", &role) &&
              drt_xml_line(markup, token, &entry->line);
    entry->first = is_value(&role, "aut");
    entry->other = role.data && !entry->first;
    drt_string_free(&role);
    return ok;
}

/* <meta refines="#t1" property="title-type">main</meta>, <meta refines="#c2" property="role">trl</meta>. */
static bool refine(book *b, drt_markup *markup, const drt_markup_token *token) {
    drt_string target, property, value = {0};
    bool ok = drt_xml_attribute_line(token, "refines", &target) && drt_xml_attribute_line(token, "property", &property);
    bool known = ok && (is_value(&property, "title-type") || is_value(&property, "role"));
    if (known && target.length > 1)
        ok = drt_xml_line(markup, token, &value);
    for (size_t i = 0; value.data && i < b->n_entries && i < REFINED; i++) {
        book_entry *entry = &b->entries[i];
        if (!entry->id.data || !drt_string_equal(&entry->id, target.data + 1, target.length - 1))
            continue;
        entry->first = is_value(&value, entry->title ? "main" : "aut");
        entry->other = !entry->first;
    }
    drt_string_free(&target);
    drt_string_free(&property);
    drt_string_free(&value);
    return ok;
}

/* Of several dates that of publication, and never that of the last change. */
static bool add_date(book *b, drt_markup *markup, const drt_markup_token *token) {
    drt_markup_attribute event = {0};
    drt_string line;
    bool given = drt_markup_find(token, "event", &event);
    bool ok = drt_xml_line(markup, token, &line);
    if (line.data && given && drt_markup_value_is(&event, "publication"))
        drt_string_free(&b->extract->date);
    if (given && drt_markup_value_is(&event, "modification"))
        drt_string_free(&line);
    else
        drt_xml_take_date(b->extract, &line);
    return ok;
}

/* dc:title, dc:creator, dc:date, and what refines them. */
static bool add_metadata(book *b, drt_markup *markup, const drt_markup_token *token) {
    bool title = drt_markup_is(token, "title");
    if (token->empty)
        return true;
    if (title || drt_markup_is(token, "creator"))
        return add_entry(b, markup, token, title);
    if (drt_markup_is(token, "meta"))
        return refine(b, markup, token);
    return !drt_markup_is(token, "date") || add_date(b, markup, token);
}

/* The main title or else the first one; the authors or else all that had a part in it. */
static bool take_entries(book *b) {
    bool ok = true, authors = false;
    for (int pass = 0; ok && pass < 2; pass++)
        for (size_t i = 0; ok && i < b->n_entries; i++) {
            book_entry *entry = &b->entries[i];
            if (entry->title && (pass == 1 || entry->first))
                drt_xml_take_title(b->extract, &entry->line);
            else if (!entry->title && (pass == 0 ? !entry->other : !authors))
                ok = drt_xml_take_author(b->extract, &entry->line);
            authors |= pass == 0 && b->extract->n_authors > 0;
        }
    return ok;
}

/* The package: metadata, manifest, spine. */
static drt_status read_package(book *b, const drt_package_file *package) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_status status = drt_package_decode(&b->zip, package, &decoded, &facts);
    drt_markup markup = {.data = decoded.data, .length = decoded.length, .xml = true};
    drt_markup_token token;
    bool ok = true, metadata = false;
    while (status == DRT_OK && ok && drt_markup_next(&markup, &token)) {
        if (drt_markup_is(&token, "metadata"))
            metadata = token.kind == DRT_MARKUP_START && !token.empty;
        else if (token.kind != DRT_MARKUP_START)
            continue;
        else if (metadata)
            ok = add_metadata(b, &markup, &token);
        else if (drt_markup_is(&token, "item"))
            ok = add_item(b, &token);
        else if (drt_markup_is(&token, "itemref"))
            ok = add_spine(b, &token);
    }
    drt_buffer_free(&decoded);
    ok = ok && take_entries(b);
    return status == DRT_OK && !ok ? drt_fail_memory(b->context, "a book") : status;
}

/* ------------------------------------------------------------- chapters ---- */

static bool contains_word(const drt_string *words, const char *word) {
    size_t n = strlen(word);
    for (size_t at = 0; words->data && at + n <= words->length; at++)
        if (memcmp(words->data + at, word, n) == 0 && (at == 0 || words->data[at - 1] == ' ') &&
            (at + n == words->length || words->data[at + n] == ' '))
            return true;
    return false;
}

/* Pictures in the spine are no loss of text. */
static bool is_picture(const book_item *item) {
    return item->type.data && strncmp(item->type.data, "image/", 6) == 0;
}

static int compare_items(const void *a, const void *b) {
    const drt_string *left = &((const book_item *)a)->id, *right = &((const book_item *)b)->id;
    if (!left->data || !right->data)
        return (left->data != NULL) - (right->data != NULL);
    return drt_string_compare(left, right->data, right->length);
}

static const book_item *find_item(const book *b, const drt_string *id) {
    book_item key = {.id = *id};
    return id->data && b->n_items ? bsearch(&key, b->items, b->n_items, sizeof *b->items, compare_items) : NULL;
}

/* The item, or the one that stands in for it where it is of a kind that not every reader knows. */
static const book_item *readable_item(const book *b, const book_item *item) {
    static const char *const texts[] = {"application/xhtml+xml", "text/html",  "application/x-dtbook+xml",
                                        "text/x-oeb1-document",  "text/plain", "text/xml",
                                        "application/xml",       "image/"};
    for (int step = 0; item && step < 16; step++) {
        bool readable = !item->type.data || !item->fallback.data;
        for (size_t i = 0; !readable && i < sizeof texts / sizeof *texts; i++)
            readable = strncmp(item->type.data, texts[i], strlen(texts[i])) == 0;
        const book_item *other = readable ? NULL : find_item(b, &item->fallback);
        if (!other)
            break;
        item = other;
    }
    return item;
}

/* The spine's files, in order: NULL where one is missing. Tables of contents for programs are left out unless asked for.
 * false: out of memory. */
static bool list_chapters(book *b, const drt_package_file *package, drt_package_file **chapters, bool contents) {
    drt_string folder = package ? package->name : (drt_string){0};
    while (folder.length > 0 && folder.data[folder.length - 1] != '/')
        folder.length--;
    if (b->n_items)
        qsort(b->items, b->n_items, sizeof *b->items, compare_items);
    for (size_t i = 0; i < b->n_spine; i++) {
        const book_item *item = readable_item(b, find_item(b, &b->spine[i]));
        drt_package_file *file = NULL;
        if (item && (is_picture(item) || (!contents && contains_word(&item->properties, "nav"))))
            continue;
        if (item && item->href.data && !drt_package_refer(&b->zip, folder.data, folder.length, &item->href, &file))
            return false;
        if (file && file->wanted)
            continue; /* the package itself, or a chapter named twice */
        if (file)
            file->wanted = true;
        chapters[b->chapters++] = file;
    }
    return true;
}

/* Without a spine: every page, in the zip's order. */
static void take_all_pages(book *b, drt_package_file **chapters) {
    for (size_t i = 0; i < b->zip.n_files; i++) {
        const drt_string *name = &b->zip.files[i].name;
        if (!drt_name_has_extension(name->data, name->length, " .xhtml .html .htm .xht ") || is_shadow(name))
            continue;
        b->zip.files[i].wanted = true;
        chapters[b->chapters++] = &b->zip.files[i];
    }
}

static drt_status add_chapter(book *b, const drt_package_file *file, drt_text *text) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    bool cut = false;
    drt_status status = drt_package_decode(&b->zip, file, &decoded, &facts);
    if (status == DRT_OK && decoded.length > 0)
        status = drt_html_read(b->context, decoded.data, decoded.length, true, text, NULL, &cut);
    drt_text_paragraph(text);
    drt_buffer_free(&decoded);
    b->damaged += cut && !file->damaged;
    b->replacements += facts.replacements;
    if (facts.guessed)
        b->guessed = facts.name;
    return status;
}

static drt_status add_chapters(book *b, drt_package_file *const *chapters) {
    drt_text text;
    drt_status status = DRT_OK;
    drt_text_start(&text, &b->extract->text);
    for (size_t i = 0; i < b->chapters && status == DRT_OK; i++) {
        drt_package_file *file = chapters[i];
        if (!file)
            b->missing++;
        else if (file->locked)
            b->locked++;
        else
            b->damaged += file->damaged || !file->read;
        if (file && file->read && !file->locked)
            status = add_chapter(b, file, &text);
        if (file)
            drt_buffer_free(&file->data);
    }
    if (!drt_text_finish(&text) && status == DRT_OK)
        status = drt_fail_memory(b->context, "a book");
    return status;
}

static bool note_losses(book *b) {
    drt_extract *extract = b->extract;
    if (b->chapters > 0 && b->locked == b->chapters)
        return drt_extract_note(extract, DRT_DOCUMENT_SKIPPED, "all its chapters are encrypted (DRM)");
    return (b->locked == 0 || drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "encrypted chapters (DRM): %zu of %zu",
                                               b->locked, b->chapters)) &&
           (b->missing == 0 ||
            drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "missing chapters: %zu of %zu", b->missing, b->chapters)) &&
           (b->damaged == 0 ||
            drt_extract_note(extract, DRT_DOCUMENT_PARTIAL, "damaged chapters: %zu of %zu", b->damaged, b->chapters)) &&
           (b->n_spine > 0 || drt_extract_note(extract, DRT_DOCUMENT_PARTIAL,
                                               "it has no reading order; chapters stand as in the archive")) &&
           drt_extract_note_charset(extract, b->replacements, b->guessed);
}

/* --------------------------------------------------------------- the book ---- */

static drt_status read_book(book *b, const drt_format_input *input) {
    drt_package_file *package = NULL;
    drt_status status = drt_package_open(&b->zip, b->context, input, is_paper);
    if (status == DRT_FATAL || drt_cancelled(b->context))
        return status == DRT_FATAL ? status : DRT_FAILED;
    if (b->zip.n_files == 0)
        return drt_extract_note(b->extract, DRT_DOCUMENT_SKIPPED, "%s",
                                status == DRT_FAILED ? drt_error(b->context) : "there is nothing in it")
                   ? DRT_OK
                   : drt_fail_memory(b->context, "a book");
    if (status == DRT_FAILED && !drt_extract_note(b->extract, DRT_DOCUMENT_PARTIAL, "%s", drt_error(b->context)))
        return drt_fail_memory(b->context, "a book");
    drt_package_file *container, *encryption;
    if (!drt_package_refer(&b->zip, "", 0, &container_name, &container) ||
        !drt_package_refer(&b->zip, "", 0, &encryption_name, &encryption))
        return drt_fail_memory(b->context, "a book");
    if (!find_package(b, container ? &container->data : &(drt_buffer){0}, &package) ||
        (encryption && !mark_encrypted(b, &encryption->data)))
        return drt_fail_memory(b->context, "a book");
    status = package ? read_package(b, package) : DRT_OK;
    if (status != DRT_OK)
        return status;
    drt_package_file **chapters = calloc(b->n_spine + b->zip.n_files + 1, sizeof *chapters);
    if (!chapters)
        return drt_fail_memory(b->context, "a book");
    if (b->n_spine == 0)
        take_all_pages(b, chapters);
    else if (!list_chapters(b, package, chapters, false) ||
             (b->chapters == 0 && !list_chapters(b, package, chapters, true)))
        status = drt_fail_memory(b->context, "a book");
    if (status == DRT_OK)
        status = drt_package_read(&b->zip);
    if (status != DRT_FATAL)
        status = drt_cancelled(b->context) ? DRT_FAILED : add_chapters(b, chapters);
    if (status == DRT_OK && !note_losses(b))
        status = drt_fail_memory(b->context, "a book");
    free(chapters);
    return status;
}

static void close_book(book *b) {
    for (size_t i = 0; i < b->n_items; i++) {
        drt_string_free(&b->items[i].id);
        drt_string_free(&b->items[i].href);
        drt_string_free(&b->items[i].type);
        drt_string_free(&b->items[i].properties);
        drt_string_free(&b->items[i].fallback);
    }
    for (size_t i = 0; i < b->n_entries; i++) {
        drt_string_free(&b->entries[i].id);
        drt_string_free(&b->entries[i].line);
    }
    free(b->entries);
    for (size_t i = 0; i < b->n_spine; i++)
        drt_string_free(&b->spine[i]);
    drt_package_close(&b->zip);
    free(b->items);
    free(b->spine);
}

drt_status drt_format_epub_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    book b = {.context = context, .extract = extract};
    drt_status status = read_book(&b, input);
    close_book(&b);
    return status;
}
