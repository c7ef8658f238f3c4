/* remove.c: taking documents, or single paths of them, out of a library. See drt.h, library.h. */
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
