/* format_epub.c: EPUB books: the chapters in the order of the package's spine, title, authors and date from its
 * metadata. Encrypted chapters (DRM) are named; a chapter that is missing or damaged doesn't lose the book. See
 * formats.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/archive.h"
#include "engine/corpus/charset.h"
#include "engine/corpus/html.h"
#include "engine/corpus/markup.h"

#define FILE_LIMIT (64LL << 20) /* bytes of one chapter */
#define BOOK_FLOOR (4LL << 20)  /* bytes that any book may unpack to; more, */
#define BOOK_RATIO 200          /* when it is no larger than so many times its archive */
#define MEMBERS_LIMIT 100000    /* files in a book that are looked at */

/* A file in the book's zip. */
typedef struct {
    drt_string name; /* as drt_archive_member.path */
    drt_buffer data; /* when it was wanted */
    bool wanted, read;
    bool damaged; /* data are what could be read */
    bool locked;  /* encrypted, by the zip or by DRM */
} book_file;

/* An item of the manifest, strings decoded; those that it lacks have NULL data. */
typedef struct {
    drt_string id, href, type, properties;
} book_item;

typedef struct {
    drt_context *context;
    const drt_format_input *input;
    drt_extract *extract;
    book_file *files;
    size_t n_files;
    book_file **index; /* files by name, for searching */
    book_item *items;  /* sorted by id once all are known */
    size_t n_items;
    drt_string *spine; /* idrefs */
    size_t n_spine;
    int64_t unpacked;
    /* What became of the chapters. */
    size_t chapters, missing, locked, damaged;
    int64_t replacements;
    const char *guessed;
} book;

/* ---------------------------------------------------------------- the zip ---- */

static const char *charge(void *user, int64_t bytes) {
    book *b = user;
    b->unpacked += bytes;
    return b->unpacked > BOOK_FLOOR + (int64_t)b->input->length * BOOK_RATIO
               ? "it expands to many times its size, which looks like a trap"
               : NULL;
}

/* Makes room for one more item of an array of n; n only ever grows by one. */
static bool make_room(void **array, size_t n, size_t size) {
    if (n & (n - 1))
        return true;
    void *grown = realloc(*array, (n ? 2 * n : 1) * size);
    if (grown)
        *array = grown;
    return grown != NULL;
}

static int compare_strings(const drt_string *a, const char *data, size_t length) {
    int order = memcmp(a->data, data, a->length < length ? a->length : length);
    return order ? order : (a->length > length) - (a->length < length);
}

static int compare_files(const void *a, const void *b) {
    const drt_string *left = &(*(book_file *const *)a)->name, *right = &(*(book_file *const *)b)->name;
    return compare_strings(left, right->data, right->length);
}

static bool index_files(book *b) {
    b->index = malloc((b->n_files + 1) * sizeof *b->index);
    if (!b->index)
        return false;
    for (size_t i = 0; i < b->n_files; i++)
        b->index[i] = &b->files[i];
    qsort(b->index, b->n_files, sizeof *b->index, compare_files);
    return true;
}

static book_file *find_file(const book *b, const char *name, size_t length) {
    size_t from = 0, to = b->n_files;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = compare_strings(&b->index[middle]->name, name, length);
        if (order == 0)
            return b->index[middle];
        *(order < 0 ? &from : &to) = order < 0 ? middle + 1 : middle;
    }
    return NULL;
}

static drt_status read_file(book *b, book_file *file, const drt_archive_member *member) {
    const char *data;
    ssize_t n;
    file->read = true;
    while ((n = drt_stream_read(member->stream, &data)) > 0) {
        if ((int64_t)file->data.length + n > FILE_LIMIT)
            break;
        if (!drt_buffer_append(&file->data, data, (size_t)n))
            return drt_fail_memory(b->context, "a book");
        if (drt_cancelled(b->context))
            return DRT_FAILED;
    }
    file->damaged = n != 0;
    return DRT_OK;
}

/* Notes a member on the first pass over the zip. */
static drt_status add_file(book *b, const drt_archive_member *member) {
    if (!make_room((void **)&b->files, b->n_files, sizeof *b->files))
        return drt_fail_memory(b->context, "a book");
    book_file *file = &b->files[b->n_files];
    *file = (book_file){.locked = member->encrypted};
    if (!drt_string_set(&file->name, member->path, member->path_length))
        return drt_fail_memory(b->context, "a book");
    b->n_files++;
    file->wanted = drt_name_has_extension(member->path, member->path_length, " .opf ") ||
                   drt_string_equal(&file->name, "META-INF/container.xml", 22) ||
                   drt_string_equal(&file->name, "META-INF/encryption.xml", 23);
    return DRT_OK;
}

/* Passes over the zip and reads what is wanted and not read yet. The first pass notes all names. */
static drt_status pass_over(book *b, bool first) {
    drt_memory_stream stream;
    drt_archive_meter meter = {charge, b};
    drt_archive *archive;
    drt_memory_stream_open(&stream, b->input->data, b->input->length);
    drt_status status = drt_archive_open(b->context, drt_container_named("zip"), &stream.base, &meter, &archive);
    drt_archive_member member;
    for (size_t i = 0; status == DRT_OK && i < MEMBERS_LIMIT;) {
        status = drt_archive_next(b->context, archive, &member);
        if (status != DRT_OK || member.kind != DRT_MEMBER_FILE)
            continue;
        if (first)
            status = add_file(b, &member);
        book_file *file = status == DRT_OK && i < b->n_files ? &b->files[i] : NULL;
        if (file && file->wanted && !file->read && !file->locked)
            status = read_file(b, file, &member);
        i++;
    }
    drt_archive_close(archive);
    drt_stream_clear(&stream.base);
    return status;
}

/* -------------------------------------------------------------- its papers ---- */

/* A file's bytes as UTF-8, by what it declares. */
static drt_status decode_file(book *b, const book_file *file, drt_buffer *out, drt_charset_facts *facts) {
    const char *label = NULL;
    size_t length = 0;
    const char *data = file->data.data ? file->data.data : "";
    drt_markup_charset(data, file->data.length, &label, &length);
    return drt_charset_decode(b->context, data, file->data.length, label, length, out, facts);
}

/* An attribute's decoded value; NULL data when it isn't there. */
static bool attribute(const drt_markup_token *token, const char *name, drt_string *value) {
    drt_markup_attribute found;
    drt_buffer decoded = {0};
    *value = (drt_string){0};
    if (!drt_markup_find(token, name, &found))
        return true;
    bool ok = drt_markup_decode(&decoded, found.value, found.value_length) && drt_string_take(value, &decoded);
    drt_buffer_free(&decoded);
    return ok;
}

static int hex_digit(char c) {
    return c >= '0' && c <= '9' ? c - '0' : (c | 0x20) >= 'a' && (c | 0x20) <= 'f' ? (c | 0x20) - 'a' + 10 : -1;
}

/* Resolves a reference against a folder ("OEBPS/" or ""): fragment off, "%20" decoded if asked, "." and ".." gone. */
static bool resolve(const char *folder, size_t folder_length, const drt_string *reference, bool decode,
                    drt_buffer *path) {
    drt_buffer joined = {0};
    bool absolute = reference->length > 0 && reference->data[0] == '/';
    bool ok = drt_buffer_append(&joined, folder, absolute ? 0 : folder_length);
    for (size_t i = 0; ok && i < reference->length && reference->data[i] != '#'; i++) {
        const char *at = reference->data + i;
        bool escape =
            decode && *at == '%' && i + 2 < reference->length && hex_digit(at[1]) >= 0 && hex_digit(at[2]) >= 0;
        ok = drt_buffer_append_byte(&joined, escape ? (char)(hex_digit(at[1]) * 16 + hex_digit(at[2])) : *at);
        i += escape ? 2 : 0;
    }
    path->length = 0;
    for (size_t at = 0; ok && at < joined.length;) {
        const char *part = joined.data + at, *slash = memchr(part, '/', joined.length - at);
        size_t n = slash ? (size_t)(slash - part) : joined.length - at;
        at += n + 1;
        if (n == 0 || (n == 1 && part[0] == '.'))
            continue;
        if (n == 2 && part[0] == '.' && part[1] == '.') {
            while (path->length > 0 && path->data[--path->length] != '/')
                ;
            continue;
        }
        ok = (path->length == 0 || drt_buffer_append_byte(path, '/')) && drt_buffer_append(path, part, n);
    }
    drt_buffer_free(&joined);
    return ok;
}

/* The file that a reference names: percent signs are escapes, or else what they are. */
static bool find_reference(const book *b, const drt_string *folder, const drt_string *reference, book_file **file) {
    drt_buffer path = {0};
    bool ok = true;
    *file = NULL;
    for (int decode = 1; ok && !*file && decode >= 0; decode--) {
        ok = resolve(folder->data ? folder->data : "", folder->length, reference, decode, &path);
        if (ok && path.length)
            *file = find_file(b, path.data, path.length);
    }
    drt_buffer_free(&path);
    return ok;
}

/* META-INF/container.xml names the package; without it the first .opf file is taken. */
static bool find_package(book *b, const drt_buffer *container, book_file **package) {
    drt_markup markup = {.data = container->data, .length = container->length, .xml = true};
    drt_markup_token token;
    bool ok = true;
    *package = NULL;
    while (ok && !*package && drt_markup_next(&markup, &token)) {
        drt_string path = {0};
        if (token.kind == DRT_MARKUP_START && drt_markup_is(&token, "rootfile"))
            ok = attribute(&token, "full-path", &path) &&
                 (!path.data || find_reference(b, &(drt_string){0}, &path, package));
        drt_string_free(&path);
    }
    for (size_t i = 0; !*package && i < b->n_files; i++)
        if (drt_name_has_extension(b->files[i].name.data, b->files[i].name.length, " .opf "))
            *package = &b->files[i];
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
            book_file *file = NULL;
            ok = attribute(&token, "URI", &reference) &&
                 (!reference.data || find_reference(b, &(drt_string){0}, &reference, &file));
            drt_string_free(&reference);
            if (file)
                file->locked = true;
        }
    }
    return ok;
}

static bool add_item(book *b, const drt_markup_token *token) {
    if (!make_room((void **)&b->items, b->n_items, sizeof *b->items))
        return false;
    book_item *item = &b->items[b->n_items++];
    *item = (book_item){0};
    return attribute(token, "id", &item->id) && attribute(token, "href", &item->href) &&
           attribute(token, "media-type", &item->type) && attribute(token, "properties", &item->properties);
}

static bool add_spine(book *b, const drt_markup_token *token) {
    if (!make_room((void **)&b->spine, b->n_spine, sizeof *b->spine))
        return false;
    return attribute(token, "idref", &b->spine[b->n_spine++]);
}

/* The text of the element that begins here, as one line. */
static bool element_line(drt_markup *markup, drt_string *line) {
    drt_markup_token token;
    drt_buffer text = {0};
    bool ok = true;
    *line = (drt_string){0};
    while (ok && drt_markup_next(markup, &token) && token.kind == DRT_MARKUP_TEXT)
        ok = token.literal ? drt_buffer_append(&text, token.data, token.length)
                           : drt_markup_decode(&text, token.data, token.length);
    ok = ok && drt_text_single_line(text.data ? text.data : "", text.length, line);
    drt_buffer_free(&text);
    return ok;
}

/* dc:title, dc:creator, dc:date; of several titles the first, of several dates that of publication. */
static bool add_metadata(book *b, drt_markup *markup, const drt_markup_token *token) {
    drt_extract *extract = b->extract;
    drt_markup_attribute event;
    bool title = drt_markup_is(token, "title"), date = drt_markup_is(token, "date");
    if ((!title && !date && !drt_markup_is(token, "creator")) || token->empty)
        return true;
    drt_string line;
    bool ok = element_line(markup, &line);
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
static drt_status read_package(book *b, const book_file *package) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_status status = decode_file(b, package, &decoded, &facts);
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
    return compare_strings(left, right->data, right->length);
}

static const book_item *find_item(const book *b, const drt_string *id) {
    book_item key = {.id = *id};
    return id->data && b->n_items ? bsearch(&key, b->items, b->n_items, sizeof *b->items, compare_items) : NULL;
}

/* The spine's files, in order: NULL where one is missing. false: out of memory. */
static bool list_chapters(book *b, const book_file *package, book_file **chapters) {
    drt_string folder = package ? package->name : (drt_string){0};
    while (folder.length > 0 && folder.data[folder.length - 1] != '/')
        folder.length--;
    if (b->n_items)
        qsort(b->items, b->n_items, sizeof *b->items, compare_items);
    for (size_t i = 0; i < b->n_spine; i++) {
        const book_item *item = find_item(b, &b->spine[i]);
        book_file *file = NULL;
        if (item && (is_picture(item) || contains_word(&item->properties, "nav")))
            continue;
        if (item && item->href.data && !find_reference(b, &folder, &item->href, &file))
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
static void take_all_pages(book *b, book_file **chapters) {
    for (size_t i = 0; i < b->n_files; i++) {
        if (!drt_name_has_extension(b->files[i].name.data, b->files[i].name.length, " .xhtml .html .htm .xht "))
            continue;
        b->files[i].wanted = true;
        chapters[b->chapters++] = &b->files[i];
    }
}

static drt_status add_chapter(book *b, const book_file *file, drt_text *text) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    bool cut = false;
    drt_status status = decode_file(b, file, &decoded, &facts);
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

static drt_status add_chapters(book *b, book_file *const *chapters) {
    drt_text text;
    drt_status status = DRT_OK;
    drt_text_start(&text, &b->extract->text);
    for (size_t i = 0; i < b->chapters && status == DRT_OK; i++) {
        book_file *file = chapters[i];
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

static drt_status read_book(book *b) {
    book_file *package = NULL;
    drt_status status = pass_over(b, true);
    if (status == DRT_FATAL || drt_cancelled(b->context))
        return status == DRT_FATAL ? status : DRT_FAILED;
    if (b->n_files == 0)
        return drt_extract_note(b->extract, DRT_DOCUMENT_SKIPPED, "%s",
                                status == DRT_FAILED ? drt_error(b->context) : "there is nothing in it")
                   ? DRT_OK
                   : drt_fail_memory(b->context, "a book");
    if (status == DRT_FAILED && !drt_extract_note(b->extract, DRT_DOCUMENT_PARTIAL, "%s", drt_error(b->context)))
        return drt_fail_memory(b->context, "a book");
    if (!index_files(b))
        return drt_fail_memory(b->context, "a book");
    const book_file *container = find_file(b, "META-INF/container.xml", 22);
    const book_file *encryption = find_file(b, "META-INF/encryption.xml", 23);
    if (!find_package(b, container ? &container->data : &(drt_buffer){0}, &package) ||
        (encryption && !mark_encrypted(b, &encryption->data)))
        return drt_fail_memory(b->context, "a book");
    status = package ? read_package(b, package) : DRT_OK;
    if (status != DRT_OK)
        return status;
    book_file **chapters = calloc(b->n_spine + b->n_files + 1, sizeof *chapters);
    if (!chapters)
        return drt_fail_memory(b->context, "a book");
    if (b->n_spine == 0)
        take_all_pages(b, chapters);
    else if (!list_chapters(b, package, chapters))
        status = drt_fail_memory(b->context, "a book");
    if (status == DRT_OK)
        status = pass_over(b, false);
    if (drt_cancelled(b->context))
        status = DRT_FAILED;
    else if (status == DRT_WARN || status == DRT_FAILED)
        status = add_chapters(b, chapters);
    if (status == DRT_OK && !note_losses(b))
        status = drt_fail_memory(b->context, "a book");
    free(chapters);
    return status;
}

static void close_book(book *b) {
    for (size_t i = 0; i < b->n_files; i++) {
        drt_string_free(&b->files[i].name);
        drt_buffer_free(&b->files[i].data);
    }
    for (size_t i = 0; i < b->n_items; i++) {
        drt_string_free(&b->items[i].id);
        drt_string_free(&b->items[i].href);
        drt_string_free(&b->items[i].type);
        drt_string_free(&b->items[i].properties);
    }
    for (size_t i = 0; i < b->n_spine; i++)
        drt_string_free(&b->spine[i]);
    free(b->index);
    free(b->files);
    free(b->items);
    free(b->spine);
}

drt_status drt_format_epub_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    book b = {.context = context, .input = input, .extract = extract};
    drt_status status = read_book(&b);
    close_book(&b);
    return status;
}
