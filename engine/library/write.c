/* write.c: adding documents. They are staged in temporary tables and in the slabs behind the last
 * commit; drt_store_commit syncs the slabs and moves the rows over in one transaction. See store.h.
 *
 * Staged paths shadow the catalog's: whoever has a path last, has it. */
#include <stdlib.h>
#include <string.h>

#include "engine/library/library.h"
#include "engine/library/terms.h"
#include "engine/library/text.h"

/* -------------------------------------------------------------------------------- words ---- */

drt_status drt_store_terms_new(drt_context *context, const drt_library *library, drt_terms **out) {
    drt_terms *terms = calloc(1, sizeof *terms);
    *out = NULL;
    if (!terms)
        return drt_fail_memory(context, "the words of texts");
    drt_status status = drt_terms_open(context, &library->catalog, true, terms);
    if (status == DRT_OK)
        *out = terms;
    else
        drt_store_terms_free(terms);
    return status;
}

void drt_store_terms_free(drt_terms *terms) {
    if (terms)
        drt_terms_close(terms);
    free(terms);
}

/* --------------------------------------------------------------------------------- find ---- */

static drt_value hash_value(const uint8_t sha256[DRT_HASH_SIZE]) {
    static const uint8_t unread[DRT_HASH_SIZE];
    bool known = memcmp(sha256, unread, DRT_HASH_SIZE) != 0;
    return drt_value_blob(known ? sha256 : NULL, DRT_HASH_SIZE);
}

static drt_value archive_value(const drt_document_facts *facts) {
    return drt_value_blob(facts->archive, facts->archive_length);
}

static drt_value path_value(const drt_document_facts *facts) {
    return drt_value_text(facts->path, facts->path_length);
}

/* A document with text and this hash that will have a path after the commit; 0: none. */
static drt_status find_content(drt_context *context, const drt_library *library, const uint8_t sha256[DRT_HASH_SIZE],
                               int64_t *document) {
    *document = 0;
    return drt_catalog_number(
        context, &library->catalog, document,
        "SELECT d.id FROM (SELECT id FROM temp.new_documents WHERE sha256 = ?1 AND status <> 2 UNION ALL"
        "                  SELECT id FROM main.documents WHERE sha256 = ?1 AND dead = 0 AND status <> 2) AS d"
        " WHERE EXISTS (SELECT 1 FROM temp.new_paths AS n WHERE n.document = d.id)"
        "    OR EXISTS (SELECT 1 FROM main.paths AS p WHERE p.document = d.id AND NOT EXISTS"
        "               (SELECT 1 FROM temp.new_paths AS n WHERE n.archive = p.archive AND n.path = p.path))"
        " LIMIT 1",
        DRT_VALUES(hash_value(sha256)));
}

/* The document that has the path after the commit; 0: none. */
drt_status drt_store_owner(drt_context *context, drt_library *library, const drt_document_facts *facts,
                           int64_t *document) {
    *document = 0;
    return drt_catalog_number(context, &library->catalog, document,
                              "SELECT coalesce((SELECT document FROM temp.new_paths WHERE archive = ?1 AND path = ?2),"
                              "                (SELECT document FROM main.paths WHERE archive = ?1 AND path = ?2))",
                              DRT_VALUES(archive_value(facts), path_value(facts)));
}

drt_status drt_store_is_whole(drt_context *context, drt_library *library, int64_t document, bool *whole) {
    int64_t state = DRT_DOCUMENT_SKIPPED;
    drt_status status = drt_catalog_number(context, &library->catalog, &state,
                                           "SELECT status FROM temp.new_documents WHERE id = ?1"
                                           " UNION ALL SELECT status FROM main.documents WHERE id = ?1",
                                           DRT_VALUES(drt_value_integer(document)));
    *whole = state == DRT_DOCUMENT_OK;
    return status;
}

drt_status drt_store_places(drt_context *context, drt_library *library,
                            bool (*visit)(void *user, const drt_string *archive, const drt_string *path,
                                          const uint8_t sha256[DRT_HASH_SIZE], drt_document_status status),
                            void *user) {
    static const uint8_t unread[DRT_HASH_SIZE];
    sqlite3_stmt *query;
    bool row = true;
    drt_status status =
        drt_catalog_prepare(context, &library->catalog, &query,
                            "SELECT p.archive, p.path, iif(d.status = 2, NULL, d.sha256), d.status FROM "
                            "main.paths AS p CROSS JOIN main.documents AS d"
                            " ON d.id = p.document",
                            DRT_NO_VALUES);
    while (status == DRT_OK && (status = drt_catalog_step(context, &library->catalog, query, &row)) == DRT_OK && row) {
        drt_string archive = drt_catalog_borrow(query, 0), path = drt_catalog_borrow(query, 1),
                   hash = drt_catalog_borrow(query, 2);
        const uint8_t *sha256 = hash.length == DRT_HASH_SIZE ? (const uint8_t *)hash.data : unread;
        if (!visit(user, &archive, &path, sha256, (drt_document_status)sqlite3_column_int(query, 3)))
            break;
    }
    sqlite3_finalize(query);
    return status;
}

static drt_status stage_path(drt_context *context, const drt_library *library, const drt_document_facts *facts,
                             int64_t document) {
    return drt_catalog_run(context, &library->catalog,
                           "INSERT INTO temp.new_paths (archive, path, document) VALUES (?1, ?2, ?3)",
                           DRT_VALUES(archive_value(facts), path_value(facts), drt_value_integer(document)));
}

drt_status drt_store_find(drt_context *context, drt_library *library, const uint8_t sha256[DRT_HASH_SIZE],
                          const drt_document_facts *facts, bool register_alias, drt_content *content,
                          int64_t *document) {
    int64_t owner = 0;
    *content = DRT_CONTENT_NEW;
    drt_status status = drt_library_check_writable(context, library, DRT_LIBRARY_CREATE);
    if (status == DRT_OK)
        status = find_content(context, library, sha256, document);
    if (status != DRT_OK || *document == 0)
        return status;
    status = drt_store_owner(context, library, facts, &owner);
    if (status != DRT_OK)
        return status;
    *content = owner == *document ? DRT_CONTENT_SAME_PATH : DRT_CONTENT_OTHER_PATH;
    if (*content == DRT_CONTENT_OTHER_PATH && register_alias)
        status = stage_path(context, library, facts, *document);
    return status;
}

/* -------------------------------------------------------------------------------- stage ---- */

static drt_status stage_facts(drt_context *context, const drt_library *library, const drt_document_facts *facts,
                              int64_t document, size_t bytes, size_t n_chunks) {
    return drt_catalog_run(context, &library->catalog,
                           "INSERT INTO temp.new_documents VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
                           DRT_VALUES(drt_value_integer(document), path_value(facts), drt_value_text_z(facts->title),
                                      drt_value_text_z(facts->date),
                                      drt_value_text_z(facts->format ? facts->format : ""), hash_value(facts->sha256),
                                      drt_value_integer(facts->status), drt_value_text_z(facts->reason),
                                      drt_value_integer(facts->replacements), drt_value_integer((int64_t)bytes),
                                      drt_value_integer(library->next_chunk), drt_value_integer((int64_t)n_chunks)));
}

static drt_status stage_authors(drt_context *context, const drt_library *library, const drt_document_facts *facts,
                                int64_t document) {
    drt_status status = DRT_OK;
    for (size_t i = 0; i < facts->n_authors && status == DRT_OK; i++)
        status = drt_catalog_run(context, &library->catalog, "INSERT INTO temp.new_authors VALUES (?1, ?2, ?3)",
                                 DRT_VALUES(drt_value_integer(document), drt_value_integer((int64_t)i),
                                            drt_value_text_z(facts->authors[i])));
    return status;
}

static drt_status stage_ranges(drt_context *context, const drt_library *library, int64_t document,
                               const drt_range *ranges, size_t n_chunks) {
    sqlite3_stmt *insert;
    bool row;
    drt_status status = drt_catalog_prepare(context, &library->catalog, &insert,
                                            "INSERT INTO temp.new_chunks VALUES (?1, ?2, ?3, ?4)", DRT_NO_VALUES);
    for (size_t i = 0; i < n_chunks && status == DRT_OK; i++) {
        status = drt_catalog_rebind(context, &library->catalog, insert,
                                    DRT_VALUES(drt_value_integer(library->next_chunk + (int64_t)i),
                                               drt_value_integer(document), drt_value_integer(ranges[i].start),
                                               drt_value_integer(ranges[i].end)));
        if (status == DRT_OK)
            status = drt_catalog_step(context, &library->catalog, insert, &row);
    }
    sqlite3_finalize(insert);
    return status;
}

static drt_status stage_pages(drt_context *context, const drt_library *library, const drt_document_facts *facts,
                              int64_t document) {
    drt_status status = DRT_OK;
    for (size_t i = 0; i < facts->n_pages && status == DRT_OK; i++)
        status = drt_catalog_run(context, &library->catalog, "INSERT INTO temp.new_pages VALUES (?1, ?2, ?3)",
                                 DRT_VALUES(drt_value_integer(document), drt_value_integer(facts->pages[i].start),
                                            drt_value_integer(facts->pages[i].page)));
    return status;
}

static drt_status stage_document(drt_context *context, const drt_library *library, const drt_document_facts *facts,
                                 int64_t document, const drt_prepared *prepared, const drt_range *ranges,
                                 size_t n_chunks) {
    drt_status status = stage_facts(context, library, facts, document, prepared->length, n_chunks);
    if (status == DRT_OK)
        status = stage_authors(context, library, facts, document);
    if (status == DRT_OK)
        status = stage_pages(context, library, facts, document);
    if (status == DRT_OK)
        status = drt_text_stage(context, &library->catalog, document, prepared->parts, prepared->n_parts);
    if (status == DRT_OK)
        status = stage_ranges(context, library, document, ranges, n_chunks);
    if (status == DRT_OK)
        status = stage_path(context, library, facts, document);
    return status;
}

static drt_status check_idle(drt_context *context, const drt_library *library) {
    drt_status status = drt_library_check_writable(context, library, DRT_LIBRARY_CREATE);
    if (status == DRT_OK && library->open_document)
        status = drt_fail(context, DRT_FAILED, "doc:%lld is still being written", (long long)library->open_document);
    return status;
}

/* Stages a document under the next ids, which are given out when that succeeds. */
static drt_status stage_next(drt_context *context, drt_library *library, const drt_document_facts *facts,
                             const drt_prepared *prepared, const drt_range *ranges, size_t n_chunks,
                             int64_t *document) {
    drt_status status = drt_catalog_begin_read(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    *document = library->next_document;
    status = stage_document(context, library, facts, *document, prepared, ranges, n_chunks);
    status = drt_catalog_finish(context, &library->catalog, status);
    if (status == DRT_OK)
        library->next_document++;
    return status;
}

drt_status drt_store_add_skipped(drt_context *context, drt_library *library, const drt_document_facts *facts,
                                 int64_t *document) {
    int64_t has_text = 0;
    drt_status status = check_idle(context, library);
    if (status == DRT_OK)
        status = drt_store_owner(context, library, facts, document);
    if (status == DRT_OK && *document)
        status = drt_catalog_number(context, &library->catalog, &has_text,
                                    "SELECT status <> 2 FROM temp.new_documents WHERE id = ?1"
                                    " UNION ALL SELECT status <> 2 FROM main.documents WHERE id = ?1",
                                    DRT_VALUES(drt_value_integer(*document)));
    if (status != DRT_OK || has_text)
        return status;
    drt_document_facts skipped = *facts;
    skipped.status = DRT_DOCUMENT_SKIPPED;
    return stage_next(context, library, &skipped, &(drt_prepared){0}, NULL, 0, document);
}

static drt_status keep_words(drt_context *context, drt_library *library, int64_t document, drt_prepared *prepared) {
    if (!prepared->words)
        return DRT_OK;
    drt_staged_words *staged = malloc(sizeof *staged);
    if (!staged)
        return drt_fail_memory(context, "the words of a text");
    *staged =
        (drt_staged_words){NULL, document, library->next_chunk, prepared->n_chunks, prepared->words, prepared->n_words};
    prepared->words = NULL;
    *library->words_end = staged;
    library->words_end = &staged->next;
    return DRT_OK;
}

drt_status drt_store_add(drt_context *context, drt_library *library, const drt_document_facts *facts,
                         drt_prepared *prepared, const drt_range *ranges, size_t n_chunks, int64_t *document) {
    drt_status status = check_idle(context, library);
    if (status == DRT_OK)
        status = stage_next(context, library, facts, prepared, ranges, n_chunks, document);
    if (status == DRT_OK)
        status = keep_words(context, library, *document, prepared);
    if (status == DRT_OK)
        library->next_chunk += (int64_t)n_chunks;
    return status;
}

/* The text alone: its words are taken from the catalog later. */
static drt_status compress_text(drt_context *context, const char *text, size_t length, drt_prepared **prepared) {
    drt_status status = drt_prepared_start(context, text, length, 0, false, prepared);
    for (size_t i = 0; status == DRT_OK && i < drt_prepared_tasks(*prepared); i++)
        status = drt_prepared_run(context, *prepared, NULL, text, NULL, i);
    return status;
}

drt_status drt_store_begin(drt_context *context, drt_library *library, const drt_document_facts *facts,
                           const char *text, size_t text_length, const drt_range *ranges, size_t n_chunks,
                           int64_t *document) {
    drt_prepared *prepared = NULL;
    drt_status status = check_idle(context, library);
    if (status == DRT_OK && !drt_ranges_are_sound(text, text_length, ranges, n_chunks))
        status = drt_fail(context, DRT_FAILED, "a chunk of %s lies outside its text", facts->path);
    if (status == DRT_OK)
        status = compress_text(context, text, text_length, &prepared);
    if (status == DRT_OK)
        status = stage_next(context, library, facts, prepared, ranges, n_chunks, document);
    drt_prepared_free(prepared);
    if (status == DRT_OK) {
        library->open_document = *document;
        library->chunks_missing = (int64_t)n_chunks;
    }
    return status;
}

drt_store_sink drt_store_sink_open(const drt_library *library) {
    return (drt_store_sink){
        .landmarks = library->landmarks.file,
        .memory = library->memory.file,
        .landmarks_path = library->landmarks.path,
        .memory_path = library->memory.path,
        .landmark_size = library->landmarks.record_size,
        .record_size = library->memory.record_size,
        .first_chunk = library->next_chunk,
        .first_record = drt_library_record_of(library, library->next_chunk),
    };
}

drt_status drt_store_sink_write(drt_context *context, const drt_store_sink *sink, int64_t chunk, size_t n,
                                const uint16_t *landmarks, const void *records) {
    drt_status status =
        drt_slab_write_to(context, sink->landmarks, sink->landmarks_path, sink->landmark_size, chunk, n, landmarks);
    if (status != DRT_OK)
        return status;
    return drt_slab_write_to(context, sink->memory, sink->memory_path, sink->record_size,
                             sink->first_record + (chunk - sink->first_chunk), n, records);
}

drt_status drt_store_append(drt_context *context, drt_library *library, size_t n, const uint16_t *landmarks,
                            const void *records) {
    if (!library->open_document || n > (size_t)library->chunks_missing)
        return drt_fail(context, DRT_FAILED, "more chunks than the document has");
    drt_store_sink sink = drt_store_sink_open(library);
    drt_status status = drt_store_sink_write(context, &sink, library->next_chunk, n, landmarks, records);
    if (status == DRT_OK) {
        library->next_chunk += (int64_t)n;
        library->chunks_missing -= (int64_t)n;
    }
    return status;
}

drt_status drt_store_end(drt_context *context, drt_library *library) {
    if (!library->open_document)
        return drt_fail(context, DRT_FAILED, "no document is being written");
    if (library->chunks_missing)
        return drt_fail(context, DRT_FAILED, "doc:%lld lacks %lld chunks", (long long)library->open_document,
                        (long long)library->chunks_missing);
    library->open_document = 0;
    return DRT_OK;
}

/* ------------------------------------------------------------------------------- commit ---- */

typedef struct {
    int64_t *ids;
    size_t count;
} id_list;

/* All values of the query's first column. */
static drt_status list_ids(drt_context *context, const drt_library *library, const char *sql, id_list *list) {
    sqlite3_stmt *query;
    size_t capacity = 0;
    bool row = true;
    *list = (id_list){0};
    drt_status status = drt_catalog_prepare(context, &library->catalog, &query, sql, DRT_NO_VALUES);
    while (status == DRT_OK && (status = drt_catalog_step(context, &library->catalog, query, &row)) == DRT_OK && row) {
        if (list->count == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            int64_t *grown = realloc(list->ids, capacity * sizeof *grown);
            if (!grown) {
                status = drt_fail_memory(context, "a batch of documents");
                break;
            }
            list->ids = grown;
        }
        list->ids[list->count++] = sqlite3_column_int64(query, 0);
    }
    sqlite3_finalize(query);
    return status;
}

static drt_status move_rows(drt_context *context, const drt_library *library) {
    return drt_catalog_script(
        context, &library->catalog,
        "DELETE FROM main.paths WHERE id IN (SELECT p.id FROM temp.new_paths AS n JOIN main.paths AS p"
        "    ON p.archive = n.archive AND p.path = n.path);"
        "INSERT INTO main.paths (archive, path, document)"
        "    SELECT archive, path, document FROM temp.new_paths ORDER BY id;"
        "INSERT INTO main.documents SELECT *, 0 FROM temp.new_documents ORDER BY id;"
        "INSERT INTO main.authors SELECT * FROM temp.new_authors;"
        "INSERT INTO main.pages SELECT * FROM temp.new_pages;"
        "INSERT INTO main.texts (document, start, zstd) SELECT * FROM temp.new_texts;"
        "INSERT INTO main.chunks SELECT * FROM temp.new_chunks;");
}

/* From the words that came with it, else from its text. */
static drt_status index_document(drt_context *context, const drt_library *library, int64_t document,
                                 const drt_staged_words **staged) {
    while (*staged && (*staged)->document < document)
        *staged = (*staged)->next;
    const drt_staged_words *given = *staged;
    if (!given || given->document != document)
        return drt_terms_index(context, &library->catalog, document, true);
    drt_status status = DRT_OK;
    size_t left = given->n_chunks;
    for (size_t i = 0; i < given->n_words && status == DRT_OK; i++) {
        size_t n = left < DRT_WORDS_CHUNKS ? left : DRT_WORDS_CHUNKS;
        status = drt_terms_add(context, &library->catalog, given->first_chunk + (int64_t)i * DRT_WORDS_CHUNKS,
                               &given->words[i].terms, given->words[i].ends, n);
        left -= n;
    }
    return status;
}

static drt_status index_new(drt_context *context, const drt_library *library) {
    id_list added;
    const drt_staged_words *staged = library->words;
    drt_status status =
        list_ids(context, library, "SELECT id FROM temp.new_documents WHERE chunks > 0 ORDER BY id", &added);
    for (size_t i = 0; i < added.count && status == DRT_OK; i++)
        status = index_document(context, library, added.ids[i], &staged);
    free(added.ids);
    return status;
}

static drt_status settle_all(drt_context *context, const drt_library *library, const id_list *losers) {
    drt_status status = DRT_OK;
    for (size_t i = 0; i < losers->count && status == DRT_OK; i++)
        status = drt_document_settle(context, library, losers->ids[i]);
    return status;
}

static drt_status move_staged(drt_context *context, const drt_library *library) {
    /* Documents that lose a path to a staged one: stored ones, and staged ones whose first path another one came to have. */
    id_list losers;
    drt_status status = list_ids(context, library,
                                 "SELECT p.document FROM temp.new_paths AS n JOIN main.paths AS p"
                                 "    ON p.archive = n.archive AND p.path = n.path UNION "
                                 "SELECT id FROM temp.new_documents AS d WHERE path IS NOT"
                                 "    (SELECT path FROM temp.new_paths WHERE document = d.id ORDER BY id LIMIT 1)",
                                 &losers);
    if (status == DRT_OK)
        status = move_rows(context, library);
    if (status == DRT_OK)
        status = index_new(context, library);
    if (status == DRT_OK)
        status = settle_all(context, library, &losers);
    if (status == DRT_OK)
        status = drt_catalog_run(context, &library->catalog, "UPDATE library SET chunks = ?1, revision = revision + 1",
                                 DRT_VALUES(drt_value_integer(library->next_chunk)));
    free(losers.ids);
    return status;
}

static void drop_words(drt_library *library) {
    while (library->words) {
        drt_staged_words *staged = library->words;
        library->words = staged->next;
        drt_words_free(staged->words, staged->n_words);
        free(staged);
    }
    library->words_end = &library->words;
}

static drt_status clear_stage(drt_context *context, drt_library *library) {
    drop_words(library);
    return drt_catalog_script(
        context, &library->catalog,
        "DELETE FROM temp.new_documents; DELETE FROM temp.new_authors; DELETE FROM temp.new_paths;"
        "DELETE FROM temp.new_pages; DELETE FROM temp.new_texts; DELETE FROM temp.new_chunks;");
}

static drt_status commit(drt_context *context, drt_library *library) {
    drt_status status = drt_slab_sync(context, &library->landmarks);
    if (status == DRT_OK)
        status = drt_slab_sync(context, &library->memory);
    if (status == DRT_OK)
        status = drt_catalog_begin_write(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    return drt_catalog_finish(context, &library->catalog, move_staged(context, library));
}

drt_status drt_store_commit(drt_context *context, drt_library *library) {
    drt_store_view view;
    int64_t staged = 0;
    drt_status status = check_idle(context, library);
    if (status == DRT_OK)
        status = drt_catalog_number(context, &library->catalog, &staged, "SELECT count(*) FROM temp.new_paths",
                                    DRT_NO_VALUES);
    if (status != DRT_OK || staged == 0)
        return status;
    status = commit(context, library);
    if (status == DRT_OK)
        status = clear_stage(context, library);
    /* Whatever kept it from being written, there is no point in going on. */
    return status == DRT_OK ? drt_store_refresh(context, library, &view) : DRT_FATAL;
}

drt_status drt_library_go_back(drt_context *context, drt_library *library) {
    library->open_document = 0;
    library->chunks_missing = 0;
    library->next_document = 1;
    drt_status status = clear_stage(context, library);
    if (status == DRT_OK)
        status = drt_catalog_number(context, &library->catalog, &library->next_chunk, "SELECT chunks FROM library",
                                    DRT_NO_VALUES);
    if (status == DRT_OK)
        status = drt_catalog_number(context, &library->catalog, &library->next_document,
                                    "SELECT seq + 1 FROM sqlite_sequence WHERE name = 'documents'", DRT_NO_VALUES);
    if (status == DRT_OK)
        status = drt_slab_truncate(context, &library->landmarks, library->next_chunk);
    if (status == DRT_OK)
        status = drt_slab_truncate(context, &library->memory, drt_library_record_of(library, library->next_chunk));
    return status;
}

void drt_store_rollback(drt_library *library) {
    drt_context *context = drt_context_new(NULL);
    drop_words(library); /* also when there is no memory for the rest */
    /* When it fails, the next one to write cuts the slabs. */
    if (!context || drt_library_go_back(context, library) != DRT_OK)
        library->broken = true;
    drt_context_free(context);
}
