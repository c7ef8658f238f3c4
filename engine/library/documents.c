/* documents.c: reading documents, chunks and texts. See drt.h, store.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/library/glob.h"
#include "engine/library/library.h"
#include "engine/library/text.h"

/* Rows read under one lock; the visitor runs without it. */
#define PAGE 256

/* ------------------------------------------------------------------------------ one row ---- */

void drt_document_clear(drt_document *document) {
    drt_string_free(&document->path);
    drt_string_free(&document->title);
    for (size_t i = 0; i < document->n_authors; i++)
        drt_string_free(&document->authors[i]);
    free(document->authors);
    drt_string_free(&document->date);
    drt_string_free(&document->format);
    drt_string_free(&document->reason);
    for (size_t i = 0; i < document->n_aliases; i++)
        drt_string_free(&document->aliases[i]);
    free(document->aliases);
    *document = (drt_document){0};
}

#define AUTHORS "SELECT name FROM authors WHERE document = ?1 ORDER BY position"

/* Statements for reading whole documents. */
typedef struct {
    const drt_catalog *catalog;
    sqlite3_stmt *row, *authors, *aliases;
} document_reader;

static drt_status reader_open(drt_context *context, const drt_catalog *catalog, document_reader *reader) {
    *reader = (document_reader){.catalog = catalog};
    drt_status status =
        drt_catalog_prepare(context, catalog, &reader->row,
                            "SELECT id, path, title, date, format, status, reason, replacements, bytes, chunks,"
                            " first_chunk FROM documents WHERE id = ?1",
                            DRT_NO_VALUES);
    if (status == DRT_OK)
        status = drt_catalog_prepare(context, catalog, &reader->authors, AUTHORS, DRT_NO_VALUES);
    if (status == DRT_OK)
        status = drt_catalog_prepare(context, catalog, &reader->aliases,
                                     "SELECT path FROM paths WHERE document = ?1 ORDER BY id LIMIT -1 OFFSET 1",
                                     DRT_NO_VALUES);
    return status;
}

static void reader_close(document_reader *reader) {
    sqlite3_finalize(reader->row);
    sqlite3_finalize(reader->authors);
    sqlite3_finalize(reader->aliases);
}

/* All strings of a query's first column. */
static drt_status read_strings(drt_context *context, const drt_catalog *catalog, sqlite3_stmt *query, int64_t document,
                               drt_string **strings, size_t *count) {
    bool row = true;
    drt_status status = drt_catalog_rebind(context, catalog, query, DRT_VALUES(drt_value_integer(document)));
    while (status == DRT_OK && (status = drt_catalog_step(context, catalog, query, &row)) == DRT_OK && row) {
        drt_string *grown = realloc(*strings, (*count + 1) * sizeof *grown);
        if (grown)
            *strings = grown;
        if (!grown || !drt_catalog_string(query, 0, &grown[*count]))
            status = drt_fail_memory(context, "a document's names");
        else
            ++*count;
    }
    sqlite3_reset(query);
    return status;
}

static bool read_row(sqlite3_stmt *row, drt_document *document) {
    int64_t status = sqlite3_column_int64(row, 5);
    document->id = sqlite3_column_int64(row, 0);
    document->status = status == DRT_DOCUMENT_OK || status == DRT_DOCUMENT_PARTIAL ? (drt_document_status)status
                                                                                   : DRT_DOCUMENT_SKIPPED;
    document->replacements = sqlite3_column_int64(row, 7);
    document->bytes = sqlite3_column_int64(row, 8);
    document->chunks = sqlite3_column_int64(row, 9);
    document->first_chunk = sqlite3_column_int64(row, 10);
    return drt_catalog_string(row, 1, &document->path) && drt_catalog_string(row, 2, &document->title) &&
           drt_catalog_string(row, 3, &document->date) && drt_catalog_string(row, 4, &document->format) &&
           drt_catalog_string(row, 6, &document->reason);
}

/* DRT_FAILED: no such row. The document is cleared after a failure. */
static drt_status read_document(drt_context *context, document_reader *reader, int64_t id, drt_document *document) {
    bool row = false;
    *document = (drt_document){0};
    drt_status status = drt_catalog_rebind(context, reader->catalog, reader->row, DRT_VALUES(drt_value_integer(id)));
    if (status == DRT_OK)
        status = drt_catalog_step(context, reader->catalog, reader->row, &row);
    if (status == DRT_OK && !row)
        status = drt_fail(context, DRT_FAILED, "there is no doc:%lld in the library", (long long)id);
    if (status == DRT_OK && !read_row(reader->row, document))
        status = drt_fail_memory(context, "a document's names");
    sqlite3_reset(reader->row);
    if (status == DRT_OK)
        status = read_strings(context, reader->catalog, reader->authors, id, &document->authors, &document->n_authors);
    if (status == DRT_OK)
        status = read_strings(context, reader->catalog, reader->aliases, id, &document->aliases, &document->n_aliases);
    if (status != DRT_OK)
        drt_document_clear(document);
    return status;
}

/* ------------------------------------------------------------------------------ listing ---- */

static bool document_matches(const char *glob, const drt_document *document) {
    if (!glob)
        return true;
    size_t length = strlen(glob);
    bool found = drt_glob_matches(glob, length, document->path.data, document->path.length);
    for (size_t i = 0; i < document->n_aliases && !found; i++)
        found = drt_glob_matches(glob, length, document->aliases[i].data, document->aliases[i].length);
    return found;
}

/* Up to PAGE documents with id > after, by id. */
static drt_status read_page(drt_context *context, const drt_catalog *catalog, int64_t after, bool include_skipped,
                            drt_document page[PAGE], size_t *count) {
    document_reader reader;
    sqlite3_stmt *ids = NULL;
    bool row = true;
    *count = 0;
    drt_status status = reader_open(context, catalog, &reader);
    if (status == DRT_OK)
        status = drt_catalog_prepare(
            context, catalog, &ids,
            "SELECT id FROM documents WHERE id > ?1 AND dead = 0 AND (?2 OR status <> 2)"
            " ORDER BY id LIMIT ?3",
            DRT_VALUES(drt_value_integer(after), drt_value_integer(include_skipped), drt_value_integer(PAGE)));
    while (status == DRT_OK && *count < PAGE && (status = drt_catalog_step(context, catalog, ids, &row)) == DRT_OK &&
           row) {
        status = read_document(context, &reader, sqlite3_column_int64(ids, 0), &page[*count]);
        if (status == DRT_OK)
            ++*count;
    }
    sqlite3_finalize(ids);
    reader_close(&reader);
    return status;
}

drt_status drt_library_documents(drt_context *context, drt_library *library, const char *glob, bool include_skipped,
                                 bool (*visit)(void *user, const drt_document *document), void *user) {
    drt_document *page = calloc(PAGE, sizeof *page);
    if (!page)
        return drt_fail_memory(context, "a list of documents");
    drt_status status;
    size_t count;
    int64_t after = 0;
    bool more = true;
    do {
        status = drt_catalog_begin_read(context, &library->catalog);
        if (status != DRT_OK)
            break;
        status = read_page(context, &library->catalog, after, include_skipped, page, &count);
        status = drt_catalog_finish(context, &library->catalog, status);
        for (size_t i = 0; i < count; i++) {
            after = page[i].id;
            if (status == DRT_OK && more && document_matches(glob, &page[i]))
                more = visit(user, &page[i]);
            drt_document_clear(&page[i]);
        }
        if (drt_cancelled(context))
            more = false;
    } while (status == DRT_OK && more && count == PAGE);
    free(page);
    return status;
}

/* ---------------------------------------------------------------------------- selection ---- */

/* "doc:N" -> N; false: something else. */
static bool parse_id(const char *selector, size_t length, int64_t *id) {
    if (length < 5 || length > 4 + 18 || memcmp(selector, "doc:", 4) != 0)
        return false;
    *id = 0;
    for (size_t i = 4; i < length; i++) {
        if (selector[i] < '0' || selector[i] > '9')
            return false;
        *id = *id * 10 + (selector[i] - '0');
    }
    return true;
}

static drt_status find_id(drt_context *context, const drt_catalog *catalog, int64_t wanted, int64_t *id) {
    int64_t dead = -1;
    drt_status status = drt_catalog_number(context, catalog, &dead, "SELECT dead FROM documents WHERE id = ?1",
                                           DRT_VALUES(drt_value_integer(wanted)));
    if (status == DRT_OK && dead != 0)
        status = drt_fail(context, DRT_FAILED,
                          dead < 0 ? "there is no doc:%lld in the library" : "doc:%lld was removed", (long long)wanted);
    *id = wanted;
    return status;
}

static drt_status find_path(drt_context *context, const drt_catalog *catalog, const char *path, size_t length,
                            int64_t *id) {
    int64_t count = 0, other = 0;
    *id = 0;
    drt_status status =
        drt_catalog_number(context, catalog, &count, "SELECT count(DISTINCT document) FROM paths WHERE path = ?1",
                           DRT_VALUES(drt_value_text(path, length)));
    if (status == DRT_OK)
        status = drt_catalog_number(context, catalog, id, "SELECT min(document) FROM paths WHERE path = ?1",
                                    DRT_VALUES(drt_value_text(path, length)));
    if (status == DRT_OK)
        status = drt_catalog_number(context, catalog, &other, "SELECT max(document) FROM paths WHERE path = ?1",
                                    DRT_VALUES(drt_value_text(path, length)));
    if (status == DRT_OK && count == 0)
        return drt_fail(context, DRT_FAILED, "there is no document %.*s in the library ('drt ls' lists them)",
                        (int)(length < 1000 ? length : 1000), path);
    if (status == DRT_OK && count > 1)
        return drt_fail(context, DRT_FAILED,
                        "%.*s names %lld documents, among them doc:%lld and doc:%lld: give one of those",
                        (int)(length < 1000 ? length : 1000), path, (long long)count, (long long)*id, (long long)other);
    return status;
}

static drt_status select_document(drt_context *context, const drt_catalog *catalog, const char *selector, size_t length,
                                  drt_document *document) {
    document_reader reader = {0};
    int64_t id = 0;
    drt_status status = parse_id(selector, length, &id) ? find_id(context, catalog, id, &id)
                                                        : find_path(context, catalog, selector, length, &id);
    if (status == DRT_OK)
        status = reader_open(context, catalog, &reader);
    if (status == DRT_OK)
        status = read_document(context, &reader, id, document);
    reader_close(&reader);
    return status;
}

drt_status drt_library_document(drt_context *context, drt_library *library, const char *selector, size_t length,
                                drt_document *document) {
    *document = (drt_document){0};
    drt_status status = drt_catalog_begin_read(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = select_document(context, &library->catalog, selector, length, document);
    status = drt_catalog_finish(context, &library->catalog, status);
    if (status != DRT_OK)
        drt_document_clear(document);
    return status;
}

drt_status drt_store_document(drt_context *context, drt_library *library, int64_t id, drt_document *document) {
    document_reader reader;
    drt_status status = drt_catalog_begin_read(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = reader_open(context, &library->catalog, &reader);
    if (status == DRT_OK)
        status = read_document(context, &reader, id, document);
    reader_close(&reader);
    status = drt_catalog_finish(context, &library->catalog, status);
    if (status != DRT_OK)
        drt_document_clear(document);
    return status;
}

/* -------------------------------------------------------------------- chunks and texts ---- */

drt_status drt_library_chunk(drt_context *context, drt_library *library, int64_t chunk, drt_chunk *out) {
    sqlite3_stmt *query;
    bool row = false;
    *out = (drt_chunk){0};
    drt_status status = drt_catalog_prepare(context, &library->catalog, &query,
                                            "SELECT c.document, c.start, c.end, d.dead FROM chunks AS c"
                                            " JOIN documents AS d ON d.id = c.document WHERE c.id = ?1",
                                            DRT_VALUES(drt_value_integer(chunk)));
    if (status == DRT_OK)
        status = drt_catalog_step(context, &library->catalog, query, &row);
    if (status == DRT_OK && !row)
        status = drt_fail(context, DRT_FAILED, "the library has no chunk %lld", (long long)chunk);
    if (status == DRT_OK)
        *out = (drt_chunk){
            .id = chunk,
            .document = sqlite3_column_int64(query, 0),
            .start = sqlite3_column_int64(query, 1),
            .end = sqlite3_column_int64(query, 2),
            .dead = sqlite3_column_int64(query, 3) != 0,
        };
    sqlite3_finalize(query);
    return status;
}

drt_status drt_library_page(drt_context *context, drt_library *library, int64_t document, int64_t at, int64_t *page) {
    *page = 0;
    return drt_catalog_number(context, &library->catalog, page,
                              "SELECT page FROM pages WHERE document = ?1 AND start <= ?2 ORDER BY start DESC LIMIT 1",
                              DRT_VALUES(drt_value_integer(document), drt_value_integer(at)));
}

static drt_status read_authors(drt_context *context, drt_library *library, drt_hit *hit) {
    sqlite3_stmt *query;
    drt_status status = drt_catalog_prepare(context, &library->catalog, &query, AUTHORS, DRT_NO_VALUES);
    if (status == DRT_OK)
        status = read_strings(context, &library->catalog, query, hit->document_id, &hit->authors, &hit->n_authors);
    sqlite3_finalize(query);
    return status;
}

static drt_status read_date(drt_context *context, drt_library *library, drt_hit *hit) {
    sqlite3_stmt *query;
    bool row = false;
    drt_status status =
        drt_catalog_prepare(context, &library->catalog, &query, "SELECT date FROM documents WHERE id = ?1",
                            DRT_VALUES(drt_value_integer(hit->document_id)));
    if (status == DRT_OK)
        status = drt_catalog_step(context, &library->catalog, query, &row);
    if (status == DRT_OK && row && !drt_catalog_string(query, 0, &hit->date))
        status = drt_fail_memory(context, "a document's date");
    sqlite3_finalize(query);
    return status;
}

drt_status drt_store_hit_facts(drt_context *context, drt_library *library, drt_hit *hit) {
    size_t blank = 0; /* a chunk may begin with what parts it from the page before */
    while (blank < hit->text.length && (hit->text.data[blank] == ' ' || hit->text.data[blank] == '\n'))
        blank++;
    drt_status status = drt_library_page(context, library, hit->document_id, hit->start + (int64_t)blank, &hit->page);
    if (status == DRT_OK)
        status = read_authors(context, library, hit);
    return status == DRT_OK ? read_date(context, library, hit) : status;
}

static drt_status read_text(drt_context *context, const drt_catalog *catalog, int64_t document, int64_t start,
                            int64_t end, drt_string *text) {
    drt_text_reader reader;
    drt_buffer buffer = {0};
    *text = (drt_string){0};
    drt_status status = drt_text_reader_open(context, catalog, &reader);
    if (status == DRT_OK)
        status = drt_text_reader_slice(context, &reader, document, start, end, &buffer);
    if (status == DRT_OK && !drt_string_take(text, &buffer))
        status = drt_fail_memory(context, "a text");
    drt_buffer_free(&buffer);
    drt_text_reader_close(&reader);
    return status;
}

drt_status drt_library_text(drt_context *context, drt_library *library, int64_t document, drt_string *text) {
    int64_t bytes = -1;
    *text = (drt_string){0};
    drt_status status = drt_catalog_begin_read(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = drt_catalog_number(context, &library->catalog, &bytes, "SELECT bytes FROM documents WHERE id = ?1",
                                DRT_VALUES(drt_value_integer(document)));
    if (status == DRT_OK && bytes < 0)
        status = drt_fail(context, DRT_FAILED, "there is no doc:%lld in the library", (long long)document);
    if (status == DRT_OK)
        status = read_text(context, &library->catalog, document, 0, bytes, text);
    return drt_catalog_finish(context, &library->catalog, status);
}

drt_status drt_store_chunk_text(drt_context *context, drt_library *library, const drt_chunk *chunk, drt_string *text) {
    return read_text(context, &library->catalog, chunk->document, chunk->start, chunk->end, text);
}

drt_status drt_store_document_name(drt_context *context, drt_library *library, int64_t document, drt_string *path,
                                   drt_string *title) {
    sqlite3_stmt *query;
    bool row = false;
    *path = *title = (drt_string){0};
    drt_status status =
        drt_catalog_prepare(context, &library->catalog, &query, "SELECT path, title FROM documents WHERE id = ?1",
                            DRT_VALUES(drt_value_integer(document)));
    if (status == DRT_OK)
        status = drt_catalog_step(context, &library->catalog, query, &row);
    if (status == DRT_OK && !row)
        status = drt_fail(context, DRT_FAILED, "there is no doc:%lld in the library", (long long)document);
    if (status == DRT_OK && (!drt_catalog_string(query, 0, path) || !drt_catalog_string(query, 1, title))) {
        drt_string_free(path);
        status = drt_fail_memory(context, "a document's name");
    }
    sqlite3_finalize(query);
    return status;
}

/* -------------------------------------------------------------------------------- masks ---- */

static void set_bits(uint64_t *mask, int64_t n_chunks, int64_t first, int64_t count) {
    int64_t end = first < n_chunks && count > n_chunks - first ? n_chunks : first + count;
    for (int64_t chunk = first; chunk >= 0 && chunk < end && chunk < n_chunks; chunk++)
        mask[chunk / 64] |= (uint64_t)1 << chunk % 64;
}

drt_status drt_store_glob_mask(drt_context *context, drt_library *library, const char *glob, uint64_t *mask,
                               int64_t n_chunks) {
    sqlite3_stmt *query;
    size_t length = strlen(glob);
    bool row = true;
    drt_status status = drt_catalog_prepare(
        context, &library->catalog, &query,
        /* In the order of paths, which is nearly that of documents: both tables are read from start to end. */
        "SELECT p.path, d.first_chunk, d.chunks FROM paths AS p CROSS JOIN documents AS d ON d.id = p.document"
        " WHERE d.dead = 0 AND d.chunks > 0",
        DRT_NO_VALUES);
    while (status == DRT_OK && (status = drt_catalog_step(context, &library->catalog, query, &row)) == DRT_OK && row) {
        const char *path = sqlite3_column_blob(query, 0);
        if (drt_glob_matches(glob, length, path ? path : "", (size_t)sqlite3_column_bytes(query, 0)))
            set_bits(mask, n_chunks, sqlite3_column_int64(query, 1), sqlite3_column_int64(query, 2));
    }
    sqlite3_finalize(query);
    return status;
}
