/* remove.c: taking documents, or single paths of them, out of a library. See drt.h, library.h, store.h. */
#include <stdlib.h>

#include "engine/library/library.h"
#include "engine/library/terms.h"

static drt_status kill_document(drt_context *context, const drt_library *library, int64_t document) {
    drt_status status = drt_terms_index(context, &library->catalog, document, false);
    if (status == DRT_OK)
        status = drt_catalog_run(context, &library->catalog, "UPDATE documents SET dead = 1 WHERE id = ?1",
                                 DRT_VALUES(drt_value_integer(document)));
    return status;
}

static drt_status erase_document(drt_context *context, const drt_library *library, int64_t document) {
    static const char *const statements[] = {
        "DELETE FROM authors WHERE document = ?1", "DELETE FROM pages WHERE document = ?1",
        "DELETE FROM texts WHERE document = ?1", "DELETE FROM documents WHERE id = ?1"};
    drt_status status = DRT_OK;
    for (size_t i = 0; i < sizeof statements / sizeof *statements && status == DRT_OK; i++)
        status = drt_catalog_run(context, &library->catalog, statements[i], DRT_VALUES(drt_value_integer(document)));
    return status;
}

drt_status drt_document_settle(drt_context *context, const drt_library *library, int64_t document) {
    int64_t paths = 0, chunks = 0;
    drt_status status =
        drt_catalog_number(context, &library->catalog, &paths, "SELECT count(*) FROM paths WHERE document = ?1",
                           DRT_VALUES(drt_value_integer(document)));
    if (status == DRT_OK)
        status = drt_catalog_number(context, &library->catalog, &chunks, "SELECT chunks FROM documents WHERE id = ?1",
                                    DRT_VALUES(drt_value_integer(document)));
    if (status != DRT_OK)
        return status;
    if (paths > 0)
        return drt_catalog_run(context, &library->catalog,
                               "UPDATE documents SET path ="
                               " (SELECT path FROM paths WHERE document = ?1 ORDER BY id LIMIT 1) WHERE id = ?1",
                               DRT_VALUES(drt_value_integer(document)));
    return chunks > 0 ? kill_document(context, library, document) : erase_document(context, library, document);
}

static drt_status remove_paths(drt_context *context, drt_library *library, int64_t document, const char *path,
                               size_t length) {
    drt_status status = drt_catalog_run(context, &library->catalog,
                                        "DELETE FROM paths WHERE document = ?1 AND (?2 IS NULL OR path = ?2)",
                                        DRT_VALUES(drt_value_integer(document), drt_value_text(path, length)));
    if (status == DRT_OK && sqlite3_changes(library->catalog.db) == 0)
        status = drt_fail(context, DRT_FAILED, "doc:%lld has no such path in %s", (long long)document, library->path);
    if (status == DRT_OK)
        status = drt_document_settle(context, library, document);
    if (status == DRT_OK)
        status =
            drt_catalog_run(context, &library->catalog, "UPDATE library SET revision = revision + 1", DRT_NO_VALUES);
    return status;
}

drt_status drt_library_remove(drt_context *context, drt_library *library, const drt_document *document,
                              const char *path, size_t length) {
    drt_status status = drt_library_check_writable(context, library, DRT_LIBRARY_UPDATE);
    if (status == DRT_OK)
        status = drt_catalog_begin_write(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = remove_paths(context, library, document->id, path, length);
    return drt_catalog_finish(context, &library->catalog, status);
}

/* --------------------------------------------------------------------------- many paths ---- */

typedef struct {
    int64_t id, document;
    drt_string path;
} place;

typedef struct {
    place *places;
    size_t n, capacity;
} place_list;

static bool add_place(place_list *list, sqlite3_stmt *query) {
    if (list->n == list->capacity) {
        size_t capacity = list->capacity ? 2 * list->capacity : 64;
        place *places = realloc(list->places, capacity * sizeof *places);
        if (!places)
            return false;
        list->places = places;
        list->capacity = capacity;
    }
    place *added = &list->places[list->n];
    *added = (place){.id = sqlite3_column_int64(query, 0), .document = sqlite3_column_int64(query, 1)};
    bool copied = drt_catalog_string(query, 3, &added->path);
    list->n += copied;
    return copied;
}

static drt_status list_gone(drt_context *context, const drt_library *library,
                            bool (*gone)(void *user, const drt_string *archive, const drt_string *path), void *user,
                            place_list *list) {
    sqlite3_stmt *query;
    bool row = true;
    drt_status status =
        drt_catalog_prepare(context, &library->catalog, &query,
                            "SELECT id, document, archive, path FROM main.paths ORDER BY id", DRT_NO_VALUES);
    while (status == DRT_OK && (status = drt_catalog_step(context, &library->catalog, query, &row)) == DRT_OK && row) {
        drt_string archive = drt_catalog_borrow(query, 2), path = drt_catalog_borrow(query, 3);
        if (gone(user, &archive, &path) && !add_place(list, query))
            status = drt_fail_memory(context, "a list of documents");
    }
    sqlite3_finalize(query);
    return status;
}

static drt_status remove_listed(drt_context *context, const drt_library *library, const place_list *list) {
    drt_status status = DRT_OK;
    for (size_t i = 0; i < list->n && status == DRT_OK; i++) {
        status = drt_catalog_run(context, &library->catalog, "DELETE FROM main.paths WHERE id = ?1",
                                 DRT_VALUES(drt_value_integer(list->places[i].id)));
        if (status == DRT_OK)
            status = drt_document_settle(context, library, list->places[i].document);
    }
    if (status == DRT_OK && list->n > 0)
        status =
            drt_catalog_run(context, &library->catalog, "UPDATE library SET revision = revision + 1", DRT_NO_VALUES);
    return status;
}

drt_status drt_store_remove_places(drt_context *context, drt_library *library,
                                   bool (*gone)(void *user, const drt_string *archive, const drt_string *path),
                                   void (*removed)(void *user, const drt_string *path, int64_t document), void *user) {
    place_list list = {0};
    drt_status status = drt_library_check_writable(context, library, DRT_LIBRARY_UPDATE);
    if (status == DRT_OK)
        status = drt_catalog_begin_write(context, &library->catalog);
    if (status != DRT_OK)
        return status;
    status = list_gone(context, library, gone, user, &list);
    if (status == DRT_OK)
        status = remove_listed(context, library, &list);
    status = drt_catalog_finish(context, &library->catalog, status);
    for (size_t i = 0; i < list.n; i++) {
        if (status == DRT_OK)
            removed(user, &list.places[i].path, list.places[i].document);
        drt_string_free(&list.places[i].path);
    }
    free(list.places);
    return status;
}
