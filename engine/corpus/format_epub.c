/* format_epub.c: EPUB books: the chapters in the order of the package's spine, title, authors and date from its
 * metadata. Encrypted chapters (DRM) are named; a chapter that is missing or damaged doesn't lose the book. See
 * formats.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/html.h"
#include "engine/corpus/markup.h"
#include "engine/corpus/package.h"
#include "engine/corpus/xml.h"

/* An item of the manifest, strings decoded; those that it lacks have NULL data. */
typedef struct {
    drt_string id, href, type, properties;
} book_item;

typedef struct {
    drt_context *context;
    drt_extract *extract;
    drt_package zip;
    book_item *items; /* sorted by id once all are known */
    size_t n_items;
    drt_string *spine; /* idrefs */
    size_t n_spine;
    /* What became of the chapters. */
    size_t chapters, missing, locked, damaged;
    int64_t replacements;
    const char *guessed;
} book;

/* ---------------------------------------------------------- its papers ---- */

static bool is_paper(const char *name, size_t length) {
    drt_string path = {(char *)name, length};
    return drt_name_has_extension(name, length, " .opf ") || drt_string_equal(&path, "META-INF/container.xml", 22) ||
           drt_string_equal(&path, "META-INF/encryption.xml", 23);
}

/* META-INF/container.xml names the package; without it the first .opf file is taken. */
static bool find_package(book *b, const drt_buffer *container, drt_package_file **package) {
    drt_markup markup = {.data = container->data, .length = container->length, .xml = true};
    drt_markup_token token;
    bool ok = true;
    *package = NULL;
    while (ok && !*package && drt_markup_next(&markup, &token)) {
        drt_string path = {0};
        if (token.kind == DRT_MARKUP_START && drt_markup_is(&token, "rootfile"))
            ok = drt_xml_attribute(&token, "full-path", &path) &&
                 (!path.data || drt_package_refer(&b->zip, "", 0, &path, package));
        drt_string_free(&path);
    }
    for (size_t i = 0; !*package && i < b->zip.n_files; i++)
        if (drt_name_has_extension(b->zip.files[i].name.data, b->zip.files[i].name.length, " .opf "))
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
    return drt_xml_attribute(token, "id", &item->id) && drt_xml_attribute(token, "href", &item->href) &&
           drt_xml_attribute(token, "media-type", &item->type) &&
           drt_xml_attribute(token, "properties", &item->properties);
}

static bool add_spine(book *b, const drt_markup_token *token) {
    if (!drt_array_grow((void **)&b->spine, b->n_spine, sizeof *b->spine))
        return false;
    return drt_xml_attribute(token, "idref", &b->spine[b->n_spine++]);
}

/* dc:title, dc:creator, dc:date; of several titles the first, of several dates that of publication. */
static bool add_metadata(book *b, drt_markup *markup, const drt_markup_token *token) {
    drt_extract *extract = b->extract;
    drt_markup_attribute event;
    bool title = drt_markup_is(token, "title"), date = drt_markup_is(token, "date");
    if ((!title && !date && !drt_markup_is(token, "creator")) || token->empty)
        return true;
    drt_string line;
    bool ok = drt_xml_line(markup, token, &line);
    if (ok && line.data && title && !extract->title.data) {
        extract->title = line;
        line = (drt_string){0};
    } else if (ok && line.data && date) {
        bool published = drt_markup_find(token, "event", &event) && drt_markup_value_is(&event, "publication");
        if (published || !extract->date.data) {
            drt_string_free(&extract->date);
            extract->date = line;
            line = (drt_string){0};
        }
    } else if (ok && line.data && !title) {
        ok = drt_extract_add_author(extract, &line);
    }
    drt_string_free(&line);
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

/* The spine's files, in order: NULL where one is missing. false: out of memory. */
static bool list_chapters(book *b, const drt_package_file *package, drt_package_file **chapters) {
    drt_string folder = package ? package->name : (drt_string){0};
    while (folder.length > 0 && folder.data[folder.length - 1] != '/')
        folder.length--;
    if (b->n_items)
        qsort(b->items, b->n_items, sizeof *b->items, compare_items);
    for (size_t i = 0; i < b->n_spine; i++) {
        const book_item *item = find_item(b, &b->spine[i]);
        drt_package_file *file = NULL;
        if (item && (is_picture(item) || contains_word(&item->properties, "nav")))
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
        if (!drt_name_has_extension(b->zip.files[i].name.data, b->zip.files[i].name.length, " .xhtml .html .htm .xht "))
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
    const drt_package_file *container = drt_package_find(&b->zip, "META-INF/container.xml", 22);
    const drt_package_file *encryption = drt_package_find(&b->zip, "META-INF/encryption.xml", 23);
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
    else if (!list_chapters(b, package, chapters))
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
    }
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
