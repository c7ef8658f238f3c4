/* compact.c: giving the space of removed chunks back. See library.h.
 *
 * memory.bin is written anew under another name, with the next generation in its header; then the catalog
 * learns where the chunks lie in that generation; then the new file takes the old one's place; then the
 * catalog forgets the old generation. A reader takes the places for the generation of the file it has
 * open, so each moment between is a sound library, and a reader with the old file keeps it. Landmarks
 * stay: a removed one is masked and 64 times smaller than its memory. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/library/library.h"

typedef struct {
    drt_extent *items;
    size_t count, capacity;
    int64_t live; /* chunks, hence records of the new file */
} extent_list;

static bool is_dead(const drt_library *library, int64_t chunk) {
    return library->dead[chunk / 64] >> chunk % 64 & 1;
}

static bool add_extent(extent_list *list, int64_t first_chunk) {
    if (list->count == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        drt_extent *grown = realloc(list->items, capacity * sizeof *grown);
        if (!grown)
            return false;
        list->items = grown;
        list->capacity = capacity;
    }
    list->items[list->count++] = (drt_extent){first_chunk, list->live};
    return true;
}

/* One extent from chunk 0, one at each live chunk that follows a dead one, one for chunks to come. */
static drt_status plan(drt_context *context, const drt_library *library, extent_list *list) {
    bool ok = add_extent(list, 0);
    for (int64_t chunk = 0; chunk < library->n_chunks && ok; chunk++) {
        if (is_dead(library, chunk))
            continue;
        if (chunk > 0 && is_dead(library, chunk - 1))
            ok = add_extent(list, chunk);
        list->live++;
    }
    if (ok && library->n_chunks > 0 && is_dead(library, library->n_chunks - 1))
        ok = add_extent(list, library->n_chunks);
    return ok ? DRT_OK : drt_fail_memory(context, "the places of chunk memory");
}

/* Chunks [*first, end) from *first on that are live and lie together in the old file. */
static int64_t run_end(const drt_library *library, int64_t first) {
    int64_t end = first + 1;
    while (end < library->n_chunks && !is_dead(library, end) &&
           drt_library_record_of(library, end) - drt_library_record_of(library, first) == end - first)
        end++;
    return end;
}

static drt_status copy_live(drt_context *context, const drt_library *library, const drt_slab *to) {
    drt_status status = DRT_OK;
    int64_t record = 0;
    for (int64_t chunk = 0; chunk < library->n_chunks && status == DRT_OK;) {
        if (is_dead(library, chunk)) {
            chunk++;
            continue;
        }
        int64_t end = run_end(library, chunk);
        status = drt_slab_write(context, to, record, (size_t)(end - chunk), drt_store_record(library, chunk));
        record += end - chunk;
        chunk = end;
        if (status == DRT_OK && drt_cancelled(context))
            status = drt_fail(context, DRT_FAILED, "compacting was cancelled");
    }
    return status;
}

static drt_status write_file(drt_context *context, const drt_library *library, const char *path, uint64_t generation) {
    drt_slab slab;
    struct stat facts;
    drt_status status = drt_slab_create(context, path, DRT_SLAB_MEMORY, &library->identity, generation);
    if (status == DRT_OK)
        status = drt_slab_open(context, path, DRT_SLAB_MEMORY, &library->identity, true, &slab);
    if (status != DRT_OK)
        return status;
    /* Who may read the old file may read the new one, and nobody else. */
    if (fstat(library->memory.file, &facts) != 0 || fchmod(slab.file, facts.st_mode & 07777) != 0)
        status = drt_fail(context, DRT_FATAL, "cannot write %s: %s", path, strerror(errno));
    if (status == DRT_OK)
        status = copy_live(context, library, &slab);
    if (status == DRT_OK)
        status = drt_slab_sync(context, &slab);
    drt_slab_close(&slab);
    return status;
}

static drt_status insert_extents(drt_context *context, const drt_library *library, const extent_list *list,
                                 uint64_t generation) {
    sqlite3_stmt *insert;
    bool row;
    drt_status status = drt_catalog_begin_write(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = drt_catalog_prepare(context, &library->catalog, &insert, "INSERT INTO extents VALUES (?1, ?2, ?3)",
                                 DRT_NO_VALUES);
    for (size_t i = 0; i < list->count && status == DRT_OK; i++) {
        status = drt_catalog_rebind(context, &library->catalog, insert,
                                    DRT_VALUES(drt_value_integer((int64_t)generation),
                                               drt_value_integer(list->items[i].first_chunk),
                                               drt_value_integer(list->items[i].first_record)));
        if (status == DRT_OK)
            status = drt_catalog_step(context, &library->catalog, insert, &row);
    }
    sqlite3_finalize(insert);
    return drt_catalog_finish(context, &library->catalog, status);
}

/* The new file takes its place; from here on an interruption leaves the compacted library. */
static drt_status install_file(drt_context *context, const drt_library *library, const char *path) {
    if (rename(path, library->memory.path) != 0)
        return drt_fail(context, DRT_FATAL, "cannot rename %s: %s", path, strerror(errno));
    return drt_folder_sync(context, library->path);
}

static drt_status rewrite_memory(drt_context *context, const drt_library *library, const extent_list *list) {
    drt_string path;
    uint64_t generation = library->memory.generation + 1;
    drt_status status = drt_library_file(context, library->path, DRT_MEMORY_NEW_NAME, &path);
    if (status == DRT_OK)
        status = write_file(context, library, path.data, generation);
    if (status == DRT_OK)
        status = insert_extents(context, library, list, generation);
    if (status == DRT_OK)
        status = install_file(context, library, path.data);
    else if (path.data)
        unlink(path.data);
    drt_string_free(&path);
    return status;
}

/* Texts and pages of removed documents, and the places of chunks in older generations of the memory file. */
static drt_status forget_removed(drt_context *context, const drt_library *library, uint64_t generation) {
    drt_status status = drt_catalog_begin_write(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = drt_catalog_run(context, &library->catalog, "DELETE FROM extents WHERE generation <> ?1",
                             DRT_VALUES(drt_value_integer((int64_t)generation)));
    if (status == DRT_OK)
        status = drt_catalog_script(context, &library->catalog,
                                    "DELETE FROM texts WHERE document IN (SELECT id FROM documents WHERE dead = 1);"
                                    "DELETE FROM pages WHERE document IN (SELECT id FROM documents WHERE dead = 1);"
                                    "UPDATE library SET revision = revision + 1;");
    status = drt_catalog_finish(context, &library->catalog, status);
    if (status == DRT_OK)
        status = drt_catalog_script(context, &library->catalog, "PRAGMA incremental_vacuum");
    return status;
}

static int64_t size_of(const drt_library *library) {
    return drt_library_catalog_size(library) + drt_slab_size(&library->memory);
}

drt_status drt_library_compact(drt_context *context, drt_library *library, int64_t *bytes_freed) {
    extent_list list = {0};
    drt_store_view view;
    int64_t before = size_of(library);
    uint64_t generation = library->memory.generation;
    drt_status status = plan(context, library, &list);
    if (status == DRT_OK && list.live < drt_library_record_of(library, library->n_chunks)) {
        status = rewrite_memory(context, library, &list);
        generation++;
    }
    if (status == DRT_OK)
        status = forget_removed(context, library, generation);
    if (status == DRT_OK)
        status = drt_store_refresh(context, library, &view);
    if (status == DRT_OK)
        *bytes_freed = before - size_of(library);
    else
        library->broken = true; /* perhaps the memory file that is open here is not the library's any more */
    free(list.items);
    return status;
}
