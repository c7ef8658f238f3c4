/* library.c: opening and closing a library, the view of its last commit, facts. See library.h, store.h. */
#include "engine/library/library.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/library/schema.h"
#include "engine/library/terms.h"

#define MAX_CHUNK_SIZE 65536
#define MAX_D_MODEL 65536

drt_status drt_library_file(drt_context *context, const char *library, const char *name, drt_string *path) {
    return drt_path_join(path, library, name) ? DRT_OK : drt_fail_memory(context, "a path");
}

drt_status drt_library_check_writable(drt_context *context, const drt_library *library, drt_library_mode least) {
    if (library->mode < least)
        return drt_fail(context, DRT_FAILED, "the library %s was opened for reading only", library->path);
    if (library->broken)
        return drt_fail(context, DRT_FATAL, "the library %s can't be written any more: open it again", library->path);
    return DRT_OK;
}

/* ----------------------------------------------------------------------------- identity ---- */

static drt_status take_identity(drt_context *context, drt_library *library, sqlite3_stmt *row) {
    if (sqlite3_column_bytes(row, 0) != DRT_FINGERPRINT_SIZE)
        return drt_catalog_damaged(context, &library->catalog, "the model's fingerprint has a wrong length");
    memcpy(library->fingerprint, sqlite3_column_blob(row, 0), DRT_FINGERPRINT_SIZE);
    if (!drt_catalog_string(row, 1, &library->model_name) || !drt_catalog_string(row, 2, &library->model_directory))
        return drt_fail_memory(context, library->path);
    int64_t chunk_size = sqlite3_column_int64(row, 3), d_model = sqlite3_column_int64(row, 4);
    int64_t type = sqlite3_column_int64(row, 5);
    if (chunk_size < 2 || chunk_size > MAX_CHUNK_SIZE || d_model < 1 || d_model > MAX_D_MODEL ||
        type < DRT_MEMORY_INT8 || type > DRT_MEMORY_F32)
        return drt_catalog_damaged(context, &library->catalog, "the sizes of chunks or of the model are impossible");
    library->identity = (drt_store_identity){
        .fingerprint = library->fingerprint,
        .model_name = library->model_name.data ? library->model_name.data : "",
        .model_directory = library->model_directory.data ? library->model_directory.data : "",
        .chunk_size = (int)chunk_size,
        .d_model = (int)d_model,
        .memory_type = (drt_memory_type)type,
    };
    return DRT_OK;
}

static drt_status read_identity(drt_context *context, drt_library *library) {
    sqlite3_stmt *query;
    bool row = false;
    drt_status status = drt_catalog_prepare(
        context, &library->catalog, &query,
        "SELECT fingerprint, model_name, model_directory, chunk_size, d_model, memory_type FROM library",
        DRT_NO_VALUES);
    if (status == DRT_OK)
        status = drt_catalog_step(context, &library->catalog, query, &row);
    if (status == DRT_OK)
        status = row ? take_identity(context, library, query)
                     : drt_catalog_damaged(context, &library->catalog, "it does not say whose library it is");
    sqlite3_finalize(query);
    return status;
}

static drt_status check_identity(drt_context *context, const drt_library *library, const drt_store_identity *given) {
    if (memcmp(given->fingerprint, library->fingerprint, DRT_FINGERPRINT_SIZE) == 0)
        return DRT_OK;
    char theirs[2 * DRT_HASH_SIZE + 1], ours[2 * DRT_HASH_SIZE + 1];
    drt_hash_hex(library->fingerprint, theirs);
    drt_hash_hex(given->fingerprint, ours);
    return drt_fail(context, DRT_FATAL,
                    "the library %s was built with the model %s (%.12s, %s), not with %s (%.12s, %s): use that model, "
                    "or ingest into a new library",
                    library->path, library->identity.model_name, theirs, library->identity.model_directory,
                    given->model_name, ours, given->model_directory);
}

/* --------------------------------------------------------------------------------- view ---- */

static drt_status load_dead(drt_context *context, drt_library *library, int64_t n_chunks, uint64_t **dead) {
    *dead = calloc((size_t)n_chunks / 64 + 1, sizeof **dead);
    if (!*dead)
        return drt_fail_memory(context, "the marks of removed chunks");
    sqlite3_stmt *query;
    drt_status status = drt_catalog_prepare(context, &library->catalog, &query,
                                            "SELECT first_chunk, chunks FROM documents WHERE dead = 1", DRT_NO_VALUES);
    bool row = true;
    while (status == DRT_OK && (status = drt_catalog_step(context, &library->catalog, query, &row)) == DRT_OK && row) {
        int64_t first = sqlite3_column_int64(query, 0), n = sqlite3_column_int64(query, 1);
        if (first < 0 || n < 0 || first > n_chunks || n > n_chunks - first)
            status = drt_catalog_damaged(context, &library->catalog, "a removed document has chunks that never were");
        else
            for (int64_t chunk = first; chunk < first + n; chunk++)
                (*dead)[chunk / 64] |= (uint64_t)1 << chunk % 64;
    }
    sqlite3_finalize(query);
    return status;
}

/* Reads the extents of the memory file that is open. A file never compacted has one, from 0 to 0. */
static drt_status load_extents(drt_context *context, drt_library *library, uint64_t generation, drt_extent **extents,
                               size_t *n_extents) {
    sqlite3_stmt *query;
    int64_t count = 0;
    drt_status status =
        drt_catalog_number(context, &library->catalog, &count, "SELECT count(*) FROM extents WHERE generation = ?1",
                           DRT_VALUES(drt_value_integer((int64_t)generation)));
    if (status != DRT_OK)
        return status;
    *n_extents = 0;
    *extents = calloc((size_t)count + 1, sizeof **extents);
    if (!*extents)
        return drt_fail_memory(context, "the places of chunk memory");
    status =
        drt_catalog_prepare(context, &library->catalog, &query,
                            "SELECT first_chunk, first_record FROM extents WHERE generation = ?1 ORDER BY first_chunk",
                            DRT_VALUES(drt_value_integer((int64_t)generation)));
    bool row = true;
    while (status == DRT_OK && (status = drt_catalog_step(context, &library->catalog, query, &row)) == DRT_OK && row &&
           *n_extents < (size_t)count)
        (*extents)[(*n_extents)++] = (drt_extent){sqlite3_column_int64(query, 0), sqlite3_column_int64(query, 1)};
    sqlite3_finalize(query);
    if (status == DRT_OK && generation == 0 && *n_extents == 0)
        *n_extents = 1;
    return status;
}

/* Extents ascend from chunk 0 and record 0; no more records lie between two than chunks. */
static bool extents_are_sound(const drt_extent *extents, size_t n, int64_t n_chunks) {
    if (n == 0 || extents[0].first_chunk != 0 || extents[0].first_record != 0)
        return false;
    for (size_t i = 1; i < n; i++) {
        const drt_extent *last = &extents[i - 1], *next = &extents[i];
        if (next->first_chunk <= last->first_chunk || next->first_chunk > n_chunks ||
            next->first_record < last->first_record ||
            next->first_record - last->first_record > next->first_chunk - last->first_chunk)
            return false;
    }
    return true;
}

/* Chunks of an extent that have no record, because the next one's begin there, were removed. */
static bool lost_chunks_are_dead(const drt_extent *extents, size_t n, const uint64_t *dead) {
    for (size_t i = 1; i < n; i++) {
        int64_t records = extents[i].first_record - extents[i - 1].first_record;
        for (int64_t chunk = extents[i - 1].first_chunk + records; chunk < extents[i].first_chunk; chunk++)
            if (!(dead[chunk / 64] >> chunk % 64 & 1))
                return false;
    }
    return true;
}

static int64_t record_of(const drt_extent *extents, size_t n, int64_t chunk) {
    size_t low = 0, high = n; /* the last extent with first_chunk <= chunk is in [low, high) */
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (extents[middle].first_chunk <= chunk)
            low = middle;
        else
            high = middle;
    }
    return extents[low].first_record + (chunk - extents[low].first_chunk);
}

int64_t drt_library_record_of(const drt_library *library, int64_t chunk) {
    return record_of(library->extents, library->n_extents, chunk);
}

static drt_status open_slab(drt_context *context, drt_library *library, drt_slab_kind kind, drt_slab *slab) {
    drt_string path;
    drt_status status = drt_library_file(context, library->path,
                                         kind == DRT_SLAB_LANDMARKS ? DRT_LANDMARKS_NAME : DRT_MEMORY_NAME, &path);
    if (status == DRT_OK)
        status = drt_slab_open(context, path.data, kind, &library->identity, library->mode != DRT_LIBRARY_READ, slab);
    drt_string_free(&path);
    return status;
}

/* In a read transaction: all of the view for the commit that it sees. */
static drt_status load_view(drt_context *context, drt_library *library, int64_t n_chunks, int64_t revision) {
    uint64_t *dead = NULL;
    drt_extent *extents = NULL;
    size_t n_extents = 0;
    drt_status status = DRT_OK;
    if (n_chunks < 0)
        return drt_catalog_damaged(context, &library->catalog, "it has a negative number of chunks");
    drt_slab memory = library->memory;
    bool compacted = !drt_slab_is_current(&memory);
    if (compacted) {
        memory = (drt_slab){.file = -1};
        status = open_slab(context, library, DRT_SLAB_MEMORY, &memory);
    }
    /* Sizes of the files bound what a damaged catalog could make us allocate. */
    if (status == DRT_OK)
        status = drt_slab_map(context, &library->landmarks, n_chunks);
    if (status == DRT_OK)
        status = load_extents(context, library, memory.generation, &extents, &n_extents);
    if (status == DRT_OK && !extents_are_sound(extents, n_extents, n_chunks))
        status = drt_catalog_damaged(context, &library->catalog, "it does not say where chunk memory lies");
    if (status == DRT_OK)
        status = drt_slab_map(context, &memory, record_of(extents, n_extents, n_chunks));
    if (status == DRT_OK)
        status = load_dead(context, library, n_chunks, &dead);
    if (status == DRT_OK && !lost_chunks_are_dead(extents, n_extents, dead))
        status = drt_catalog_damaged(context, &library->catalog, "chunks in use have no memory");
    drt_slab *unused = status == DRT_OK ? &library->memory : &memory;
    if (compacted)
        drt_slab_close(unused);
    if (status == DRT_OK || !compacted)
        library->memory = memory;
    if (status != DRT_OK) {
        free(dead);
        free(extents);
        return status;
    }
    free(library->dead);
    free(library->extents);
    library->dead = dead;
    library->extents = extents;
    library->n_extents = n_extents;
    library->n_chunks = n_chunks;
    library->revision = revision;
    return DRT_OK;
}

static drt_status refresh(drt_context *context, drt_library *library) {
    int64_t n_chunks = 0, revision = 0;
    drt_status status = drt_catalog_begin_read(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = drt_catalog_number(context, &library->catalog, &n_chunks, "SELECT chunks FROM library", DRT_NO_VALUES);
    if (status == DRT_OK)
        status =
            drt_catalog_number(context, &library->catalog, &revision, "SELECT revision FROM library", DRT_NO_VALUES);
    if (status == DRT_OK && (!library->dead || revision != library->revision))
        status = load_view(context, library, n_chunks, revision);
    return drt_catalog_finish(context, &library->catalog, status);
}

drt_status drt_store_refresh(drt_context *context, drt_library *library, drt_store_view *view) {
    drt_status status = refresh(context, library);
    if (status != DRT_OK)
        return status;
    *view = (drt_store_view){
        .n_chunks = library->n_chunks,
        .landmarks = (const uint16_t *)(const void *)drt_slab_record(&library->landmarks, 0),
        .dead = library->dead,
        .chunk_size = library->identity.chunk_size,
        .d_model = library->identity.d_model,
        .memory_type = library->identity.memory_type,
    };
    return DRT_OK;
}

const void *drt_store_record(const drt_library *library, int64_t chunk) {
    return drt_slab_record(&library->memory, drt_library_record_of(library, chunk));
}

/* ------------------------------------------------------------------------ open and close ---- */

/* What an interrupted compaction left. */
static drt_status drop_remains(drt_context *context, drt_library *library) {
    drt_string path;
    drt_status status = drt_library_file(context, library->path, DRT_MEMORY_NEW_NAME, &path);
    if (status == DRT_OK && unlink(path.data) != 0 && errno != ENOENT)
        status = drt_fail(context, DRT_FATAL, "cannot remove %s: %s", path.data, strerror(errno));
    drt_string_free(&path);
    if (status == DRT_OK)
        status = drt_catalog_run(context, &library->catalog, "DELETE FROM extents WHERE generation <> ?1",
                                 DRT_VALUES(drt_value_integer((int64_t)library->memory.generation)));
    return status;
}

static drt_status start_writing(drt_context *context, drt_library *library) {
    drt_status status = drop_remains(context, library);
    if (status == DRT_OK)
        status = drt_terms_accept_lists(context, &library->catalog);
    if (status == DRT_OK)
        status = drt_schema_stage(context, &library->catalog);
    if (status == DRT_OK)
        status = drt_library_go_back(context, library);
    return status;
}

/* Opens the files of a library whose folder is there, and checks that they belong together. */
static drt_status open_files(drt_context *context, drt_library *library, const drt_store_identity *identity) {
    bool writes = library->mode != DRT_LIBRARY_READ;
    drt_string path;
    drt_status status = drt_library_file(context, library->path, DRT_CATALOG_NAME, &path);
    if (status == DRT_OK && access(path.data, F_OK) != 0)
        status = errno == ENOENT || errno == ENOTDIR
                     ? drt_library_missing(context, library->path)
                     : drt_fail(context, DRT_FATAL, "cannot open %s: %s", path.data, strerror(errno));
    if (status == DRT_OK && writes && library->lock < 0)
        status = drt_lock_take(context, library->path, &library->lock);
    if (status == DRT_OK)
        status = drt_catalog_open(context, path.data, writes ? DRT_CATALOG_WRITE : DRT_CATALOG_READ, &library->catalog);
    drt_string_free(&path);
    if (status == DRT_OK)
        status = drt_schema_check(context, &library->catalog, writes);
    if (status == DRT_OK)
        status = read_identity(context, library);
    if (status == DRT_OK && identity)
        status = check_identity(context, library, identity);
    if (status == DRT_OK)
        status = open_slab(context, library, DRT_SLAB_LANDMARKS, &library->landmarks);
    if (status == DRT_OK)
        status = open_slab(context, library, DRT_SLAB_MEMORY, &library->memory);
    if (status == DRT_OK)
        status = refresh(context, library);
    if (status == DRT_OK && writes)
        status = start_writing(context, library);
    library->writing = status == DRT_OK && writes;
    return status;
}

static bool has_catalog(const char *path) {
    drt_string file;
    bool there = drt_path_join(&file, path, DRT_CATALOG_NAME) && access(file.data, F_OK) == 0;
    drt_string_free(&file);
    return there;
}

drt_status drt_store_open(drt_context *context, const char *path, drt_library_mode mode,
                          const drt_store_identity *identity, drt_library **out) {
    *out = NULL;
    drt_library *library = calloc(1, sizeof *library);
    char *copy = strdup(path);
    if (!library || !copy) {
        free(library);
        free(copy);
        return drt_fail_memory(context, path);
    }
    *library = (drt_library){.mode = mode, .path = copy, .lock = -1, .landmarks = {.file = -1}, .memory = {.file = -1}};
    drt_status status = DRT_OK;
    if (mode == DRT_LIBRARY_CREATE && !has_catalog(path))
        status = drt_library_create(context, path, identity, &library->lock);
    if (status == DRT_OK)
        status = open_files(context, library, identity);
    if (status != DRT_OK) {
        drt_library_close(library);
        return DRT_FATAL;
    }
    *out = library;
    return DRT_OK;
}

void drt_library_close(drt_library *library) {
    if (!library)
        return;
    if (library->writing)
        drt_store_rollback(library);
    drt_slab_close(&library->landmarks);
    drt_slab_close(&library->memory);
    drt_catalog_close(&library->catalog);
    drt_lock_release(library->lock);
    drt_string_free(&library->model_name);
    drt_string_free(&library->model_directory);
    free(library->dead);
    free(library->extents);
    free(library->path);
    free(library);
}

/* -------------------------------------------------------------------------------- facts ---- */

int64_t drt_library_catalog_size(const drt_library *library) {
    struct stat facts;
    drt_string path;
    bool there = drt_path_join(&path, library->path, DRT_CATALOG_NAME) && stat(path.data, &facts) == 0;
    drt_string_free(&path);
    return there ? (int64_t)facts.st_size : 0;
}

static drt_status count_rows(drt_context *context, const drt_library *library, drt_library_facts *facts) {
    sqlite3_stmt *query;
    bool row = false;
    drt_status status = drt_catalog_prepare(
        context, &library->catalog, &query,
        "SELECT count(*) FILTER (WHERE status <> 2), count(*) FILTER (WHERE status = 1),"
        "       count(*) FILTER (WHERE status = 2), coalesce(sum(bytes), 0),"
        "       (SELECT coalesce(sum(chunks), 0) FROM documents WHERE dead = 1), (SELECT count(*) FROM sessions),"
        "       (SELECT chunks FROM library)"
        "  FROM documents WHERE dead = 0",
        DRT_NO_VALUES);
    if (status == DRT_OK)
        status = drt_catalog_step(context, &library->catalog, query, &row);
    if (status == DRT_OK) {
        facts->documents = sqlite3_column_int64(query, 0);
        facts->partial = sqlite3_column_int64(query, 1);
        facts->skipped = sqlite3_column_int64(query, 2);
        facts->text_bytes = sqlite3_column_int64(query, 3);
        facts->dead_chunks = sqlite3_column_int64(query, 4);
        facts->sessions = sqlite3_column_int64(query, 5);
        facts->chunks = sqlite3_column_int64(query, 6);
    }
    sqlite3_finalize(query);
    return status;
}

drt_status drt_library_inspect(drt_context *context, drt_library *library, drt_library_facts *facts) {
    *facts = (drt_library_facts){
        .chunk_size = library->identity.chunk_size,
        .d_model = library->identity.d_model,
        .memory_type = library->identity.memory_type,
        .model_name = library->model_name,
        .model_directory = library->model_directory,
        .disk_bytes =
            drt_library_catalog_size(library) + drt_slab_size(&library->landmarks) + drt_slab_size(&library->memory),
    };
    memcpy(facts->fingerprint, library->fingerprint, DRT_FINGERPRINT_SIZE);
    return count_rows(context, library, facts);
}
