/* verify.c: does everything in a library agree? See drt.h.
 *
 * Each step reads under a short lock, so verifying a large library stops neither an ingest nor questions;
 * chunks that are added meanwhile are left out. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/library/library.h"
#include "engine/library/terms.h"
#include "engine/library/text.h"
#include "engine/network/memory.h"

#define PAGE 64             /* documents read under one lock */
#define INDEX_STEP 100000   /* index entries read under one lock */
#define INTEGRITY_ROWS "50" /* problems that SQLite reports at most */
#define MAX_TERM 32768      /* bytes of a term that FTS5 keeps */

typedef struct {
    drt_context *context;
    drt_library *library;
    drt_verify_report *report;
    drt_store_view view;
    drt_text_reader texts;
    drt_terms terms;
    drt_buffer text, spread;
    float *values;         /* one unpacked record, then one landmark */
    uint64_t expected;     /* sum over the terms of all live chunks' texts */
    int64_t chunk;         /* being tokenized */
    int64_t position;      /* of the next term in it */
    int64_t last_document; /* id; later ones were added meanwhile */
} verifier;

static void problem(verifier *v, const char *format, ...) DRT_PRINTF(2, 3);
static void problem(verifier *v, const char *format, ...) {
    char sentence[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    drt_warn(v->context, "%s: %s", v->library->path, sentence);
    v->report->problems++;
}

/* ------------------------------------------------------------------------------- SQLite ---- */

/* SQLite tells of a page that it has no memory for as of a damaged one. */
static bool lacks_memory(const char *line) {
    for (const char *at = line; (at = strstr(at, "error code")) != NULL;) {
        at += strlen("error code");
        long code = strtol(*at == '=' ? at + 1 : at, NULL, 10);
        if (code == SQLITE_NOMEM || code == SQLITE_IOERR_NOMEM)
            return true;
    }
    return false;
}

static drt_status check_sqlite(verifier *v) {
    const drt_catalog *catalog = &v->library->catalog;
    sqlite3_stmt *check;
    bool row = true;
    drt_status status =
        drt_catalog_prepare(v->context, catalog, &check, "PRAGMA integrity_check(" INTEGRITY_ROWS ")", DRT_NO_VALUES);
    while (status == DRT_OK && (status = drt_catalog_step(v->context, catalog, check, &row)) == DRT_OK && row) {
        const char *line = (const char *)sqlite3_column_text(check, 0);
        if (!line || lacks_memory(line))
            status = drt_fail_memory(v->context, v->library->path);
        else if (strcmp(line, "ok") != 0)
            problem(v, "%s is damaged: %s", DRT_CATALOG_NAME, line);
    }
    sqlite3_finalize(check);
    return status;
}

/* --------------------------------------------------------------------------- one chunk ---- */

static bool all_finite(const float *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!isfinite(values[i]))
            return false;
    return true;
}

static void check_numbers(verifier *v, int64_t chunk) {
    size_t d = (size_t)v->view.d_model, n = (size_t)v->view.chunk_size * d;
    drt_memory_unpack(v->view.memory_type, v->view.chunk_size, v->view.d_model, drt_store_record(v->library, chunk),
                      v->values);
    if (!all_finite(v->values, n))
        problem(v, "the memory of chunk %lld holds numbers that are none", (long long)chunk);
    drt_half_to_float(v->view.landmarks + (size_t)chunk * d, v->values, d);
    if (!all_finite(v->values, d))
        problem(v, "the landmark of chunk %lld holds numbers that are none", (long long)chunk);
}

/* The same for an entry of the index and for a term of a text; sums do not depend on the order. */
static uint64_t entry_hash(const char *term, size_t length, int64_t chunk, int64_t position) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a, then a mixing step */
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)term[i]) * 1099511628211u;
    hash ^= (uint64_t)chunk * 0x9E3779B97F4A7C15u;
    hash ^= (uint64_t)position * 0xC2B2AE3D27D4EB4Fu;
    hash = (hash ^ hash >> 30) * 0xBF58476D1CE4E5B9u;
    return hash ^ hash >> 31;
}

static bool add_term(void *user, const char *term, size_t length, int start, int end) {
    verifier *v = user;
    (void)start;
    (void)end;
    v->expected += entry_hash(term, length < MAX_TERM ? length : MAX_TERM, v->chunk, v->position++);
    return true;
}

static drt_status check_terms(verifier *v, int64_t chunk) {
    if (!drt_terms_spread(&v->spread, v->text.data, v->text.length))
        return drt_fail_memory(v->context, "a text");
    v->chunk = chunk;
    v->position = 0;
    return drt_terms_visit(v->context, &v->terms, v->spread.data, v->spread.length, add_term, v);
}

/* ------------------------------------------------------------------------- one document ---- */

typedef struct {
    int64_t id, bytes, first_chunk, chunks;
    bool dead, skipped;
} document_row;

/* A chunk of a live document, whose text is whole. */
static drt_status check_chunk(verifier *v, const document_row *document, int64_t start, int64_t end, int64_t chunk) {
    if (start < 0 || end < start || end > document->bytes) {
        problem(v, "chunk %lld lies outside the text of doc:%lld", (long long)chunk, (long long)document->id);
        return DRT_OK;
    }
    drt_status status = drt_text_reader_slice(v->context, &v->texts, document->id, start, end, &v->text);
    if (status != DRT_OK)
        return status;
    if (drt_utf8_valid_prefix(v->text.data, v->text.length) < v->text.length)
        problem(v, "chunk %lld does not start and end between characters", (long long)chunk);
    check_numbers(v, chunk);
    v->report->chunks_checked++;
    return check_terms(v, chunk);
}

/* Rows of chunks, also of a removed document: ids in a row, from the first. */
static drt_status check_chunks(verifier *v, const document_row *document, bool look) {
    const drt_catalog *catalog = &v->library->catalog;
    sqlite3_stmt *query;
    int64_t next = document->first_chunk;
    bool row = true;
    drt_status status = drt_catalog_prepare(
        v->context, catalog, &query,
        "SELECT id, start, end FROM chunks WHERE id >= ?1 AND id < ?2 AND document = ?3 ORDER BY id",
        DRT_VALUES(drt_value_integer(document->first_chunk),
                   drt_value_integer(document->first_chunk + document->chunks), drt_value_integer(document->id)));
    while (status == DRT_OK && (status = drt_catalog_step(v->context, catalog, query, &row)) == DRT_OK && row &&
           sqlite3_column_int64(query, 0) == next) {
        if (look)
            status = check_chunk(v, document, sqlite3_column_int64(query, 1), sqlite3_column_int64(query, 2), next);
        next++;
    }
    if (status == DRT_OK && next != document->first_chunk + document->chunks)
        problem(v, "doc:%lld lacks its chunk %lld", (long long)document->id, (long long)next);
    sqlite3_finalize(query);
    return status;
}

static drt_status check_paths(verifier *v, const document_row *document) {
    int64_t right = 0;
    drt_status status = drt_catalog_number(
        v->context, &v->library->catalog, &right,
        document->dead ? "SELECT NOT EXISTS (SELECT 1 FROM paths WHERE document = ?1)"
                       : "SELECT path = (SELECT path FROM paths WHERE document = ?1 ORDER BY id LIMIT 1)"
                         " FROM documents WHERE id = ?1",
        DRT_VALUES(drt_value_integer(document->id)));
    if (status == DRT_OK && !right)
        problem(v, "the paths of doc:%lld do not agree", (long long)document->id);
    return status;
}

static drt_status check_pages(verifier *v, const document_row *document) {
    int64_t wrong = 0;
    drt_status status =
        drt_catalog_number(v->context, &v->library->catalog, &wrong,
                           "SELECT count(*) FROM pages WHERE document = ?1 AND (start < 0 OR start > ?2 OR page < 1)",
                           DRT_VALUES(drt_value_integer(document->id), drt_value_integer(document->bytes)));
    if (status == DRT_OK && wrong)
        problem(v, "%lld pages of doc:%lld lie outside its text", (long long)wrong, (long long)document->id);
    return status;
}

static drt_status check_document(verifier *v, const document_row *document) {
    v->report->documents_checked++;
    if (document->bytes < 0 || document->first_chunk < 0 || document->chunks < 0 ||
        document->chunks > v->view.n_chunks || document->first_chunk > v->view.n_chunks - document->chunks ||
        (document->skipped && document->chunks > 0)) {
        problem(v, "doc:%lld has impossible sizes", (long long)document->id);
        return DRT_OK;
    }
    drt_status status = check_paths(v, document);
    if (status == DRT_OK)
        status = check_pages(v, document);
    bool whole = !document->dead;
    if (status == DRT_OK && whole) {
        status = drt_text_check(v->context, &v->library->catalog, document->id, document->bytes);
        if (status == DRT_FAILED) {
            problem(v, "doc:%lld: %s", (long long)document->id, drt_error(v->context));
            whole = false;
            status = DRT_OK;
        }
    }
    return status == DRT_OK ? check_chunks(v, document, whole) : status;
}

/* ---------------------------------------------------------------------------- documents ---- */

/* Up to PAGE documents with id > *after. */
static drt_status read_page(verifier *v, int64_t *after, document_row page[PAGE], size_t *count) {
    const drt_catalog *catalog = &v->library->catalog;
    sqlite3_stmt *query;
    bool row = true;
    *count = 0;
    drt_status status = drt_catalog_prepare(
        v->context, catalog, &query,
        "SELECT id, bytes, first_chunk, chunks, dead, status = 2 FROM documents"
        " WHERE id > ?1 AND id <= ?2 ORDER BY id LIMIT ?3",
        DRT_VALUES(drt_value_integer(*after), drt_value_integer(v->last_document), drt_value_integer(PAGE)));
    while (status == DRT_OK && *count < PAGE &&
           (status = drt_catalog_step(v->context, catalog, query, &row)) == DRT_OK && row) {
        document_row *document = &page[(*count)++];
        *document = (document_row){
            .id = sqlite3_column_int64(query, 0),
            .bytes = sqlite3_column_int64(query, 1),
            .first_chunk = sqlite3_column_int64(query, 2),
            .chunks = sqlite3_column_int64(query, 3),
            .dead = sqlite3_column_int64(query, 4) != 0,
            .skipped = sqlite3_column_int64(query, 5) != 0,
        };
        *after = document->id;
    }
    sqlite3_finalize(query);
    return status;
}

static drt_status check_page(verifier *v, int64_t *after, size_t *count) {
    document_row page[PAGE];
    drt_status status = drt_catalog_begin_read(v->context, &v->library->catalog);
    if (status != DRT_OK)
        return status;
    status = read_page(v, after, page, count);
    for (size_t i = 0; i < *count && status == DRT_OK; i++)
        status = check_document(v, &page[i]);
    v->texts.part_start = -1; /* the next page may see another commit */
    return drt_catalog_finish(v->context, &v->library->catalog, status);
}

static drt_status check_cancelled(verifier *v) {
    return drt_cancelled(v->context) ? drt_fail(v->context, DRT_FAILED, "verifying was cancelled") : DRT_OK;
}

static drt_status check_documents(verifier *v) {
    int64_t after = 0;
    size_t count = PAGE;
    drt_status status = DRT_OK;
    while (status == DRT_OK && count == PAGE) {
        status = check_page(v, &after, &count);
        if (status == DRT_OK)
            status = check_cancelled(v);
    }
    return status;
}

/* Each document had its chunks, so these sums leave none over and none twice. */
static drt_status check_sums(verifier *v) {
    static const struct {
        const char *sql, *what;
    } sums[] = {
        {"SELECT coalesce(sum(chunks), 0) FROM documents WHERE id <= ?1", "documents"},
        {"SELECT count(*) FROM chunks WHERE document <= ?1", "rows of chunks"},
    };
    drt_status status = DRT_OK;
    for (size_t i = 0; i < sizeof sums / sizeof *sums && status == DRT_OK; i++) {
        int64_t sum = 0;
        status = drt_catalog_number(v->context, &v->library->catalog, &sum, sums[i].sql,
                                    DRT_VALUES(drt_value_integer(v->last_document)));
        if (status == DRT_OK && sum != v->view.n_chunks)
            problem(v, "%s add up to %lld chunks instead of %lld", sums[i].what, (long long)sum,
                    (long long)v->view.n_chunks);
    }
    return status;
}

/* -------------------------------------------------------------------------------- index ---- */

/* Adds up index entries from the terms behind `last` on; *last becomes the last one that was read to its end. */
static drt_status sum_entries(verifier *v, drt_string *last, uint64_t *sum, bool *more) {
    const drt_catalog *catalog = &v->library->catalog;
    sqlite3_stmt *query;
    drt_string term = {0};
    bool row = true;
    *more = false;
    drt_status status = drt_catalog_prepare(v->context, catalog, &query,
                                            "SELECT term, doc, offset FROM temp.passage_entries WHERE term > ?1",
                                            DRT_VALUES(drt_value_text(last->data, last->length)));
    for (int64_t seen = 0; status == DRT_OK; seen++) {
        status = drt_catalog_step(v->context, catalog, query, &row);
        if (status != DRT_OK || !row)
            break;
        const char *bytes = sqlite3_column_blob(query, 0);
        size_t length = (size_t)sqlite3_column_bytes(query, 0);
        if (!drt_string_equal(&term, bytes ? bytes : "", length)) {
            *more = seen >= INDEX_STEP;
            if (*more)
                break;
            drt_string_free(&term);
            if (!drt_string_set(&term, bytes ? bytes : "", length))
                status = drt_fail_memory(v->context, "a term");
        }
        int64_t chunk = sqlite3_column_int64(query, 1);
        if (status == DRT_OK && chunk < v->view.n_chunks)
            *sum += entry_hash(term.data, term.length, chunk, sqlite3_column_int64(query, 2));
    }
    sqlite3_finalize(query);
    if (term.data) {
        drt_string_free(last);
        *last = term;
    }
    return status;
}

static drt_status count_removed(verifier *v, int64_t *removed) {
    return drt_catalog_number(v->context, &v->library->catalog, removed,
                              "SELECT count(*) FROM documents WHERE dead = 1", DRT_NO_VALUES);
}

static drt_status check_index(verifier *v, int64_t removed_before) {
    drt_string last = {0};
    uint64_t sum = 0;
    int64_t removed = 0;
    bool more = true;
    drt_status status = drt_string_set(&last, "", 0) ? DRT_OK : drt_fail_memory(v->context, "a term");
    if (status == DRT_OK)
        status =
            drt_catalog_script(v->context, &v->library->catalog,
                               "CREATE VIRTUAL TABLE temp.passage_entries USING fts5vocab(main, passages, instance)");
    while (status == DRT_OK && more) {
        status = sum_entries(v, &last, &sum, &more);
        if (status == DRT_OK)
            status = check_cancelled(v);
    }
    drt_string_free(&last);
    sqlite3_exec(v->library->catalog.db, "DROP TABLE IF EXISTS temp.passage_entries", NULL, NULL, NULL);
    if (status == DRT_OK)
        status = count_removed(v, &removed);
    if (status == DRT_OK && removed != removed_before)
        return drt_fail(v->context, DRT_FAILED, "documents were removed from %s meanwhile: verify it again",
                        v->library->path);
    if (status == DRT_OK && sum != v->expected && v->report->problems == 0)
        problem(v, "the full-text index does not agree with the texts");
    return status;
}

/* ---------------------------------------------------------------------------------- all ---- */

/* The view, and which documents it knows: both of one commit. */
static drt_status take_view(verifier *v) {
    drt_status status = DRT_OK;
    v->last_document = -1;
    while (status == DRT_OK && v->last_document < 0) {
        status = drt_store_refresh(v->context, v->library, &v->view);
        if (status == DRT_OK)
            status = drt_catalog_number(
                v->context, &v->library->catalog, &v->last_document,
                "SELECT (SELECT coalesce(max(id), 0) FROM documents) FROM library WHERE revision = ?1",
                DRT_VALUES(drt_value_integer(v->library->revision)));
    }
    return status;
}

static drt_status verifier_open(verifier *v) {
    drt_status status = take_view(v);
    if (status != DRT_OK)
        return status;
    v->values = malloc((size_t)v->view.chunk_size * (size_t)v->view.d_model * sizeof *v->values);
    if (!v->values)
        return drt_fail_memory(v->context, "chunk memory");
    status = drt_text_reader_open(v->context, &v->library->catalog, &v->texts);
    if (status == DRT_OK)
        status = drt_terms_open(v->context, &v->library->catalog, true, &v->terms);
    return status;
}

static void verifier_close(verifier *v) {
    drt_text_reader_close(&v->texts);
    drt_terms_close(&v->terms);
    drt_buffer_free(&v->text);
    drt_buffer_free(&v->spread);
    free(v->values);
}

static drt_status verify(verifier *v) {
    int64_t removed = 0;
    drt_status status = verifier_open(v);
    if (status == DRT_OK)
        status = count_removed(v, &removed);
    if (status == DRT_OK)
        status = check_sqlite(v);
    if (status == DRT_OK)
        status = check_documents(v);
    if (status == DRT_OK)
        status = check_sums(v);
    if (status == DRT_OK)
        status = check_index(v, removed);
    return status;
}

drt_status drt_library_verify(drt_context *context, drt_library *library, bool compact, drt_verify_report *report) {
    *report = (drt_verify_report){0};
    drt_status status = compact ? drt_library_check_writable(context, library, DRT_LIBRARY_UPDATE) : DRT_OK;
    if (status != DRT_OK)
        return status;
    verifier v = {.context = context, .library = library, .report = report};
    status = verify(&v);
    verifier_close(&v);
    if (status == DRT_OK && report->problems)
        status =
            drt_fail(context, DRT_FAILED, "%s has %lld problems: restore it from a backup or ingest into a new library",
                     library->path, (long long)report->problems);
    return status == DRT_OK && compact ? drt_library_compact(context, library, &report->bytes_freed) : status;
}
