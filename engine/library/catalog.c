/* catalog.c: the SQLite connection. See catalog.h. */
#include "engine/library/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/file.h"

/* Longest wait for another process's commit (readers) or for readers and short writers (writers). */
#define BUSY_MILLISECONDS 30000
#define WRITER_BUSY_MILLISECONDS 120000

drt_value drt_value_integer(int64_t integer) {
    return (drt_value){SQLITE_INTEGER, integer, NULL, 0};
}

drt_value drt_value_text(const char *data, size_t length) {
    return (drt_value){data ? SQLITE_TEXT : SQLITE_NULL, 0, data, length};
}

drt_value drt_value_text_z(const char *text) {
    return drt_value_text(text, text ? strlen(text) : 0);
}

drt_value drt_value_blob(const void *data, size_t length) {
    return (drt_value){data ? SQLITE_BLOB : SQLITE_NULL, 0, data, length};
}

drt_status drt_catalog_fail(drt_context *context, const drt_catalog *catalog) {
    int last = errno; /* where a failed COMMIT leaves the system's error */
    int code = catalog->db ? sqlite3_errcode(catalog->db) : SQLITE_NOMEM;
    const char *text = catalog->db ? sqlite3_errmsg(catalog->db) : sqlite3_errstr(code);
    int cause = catalog->db ? sqlite3_system_errno(catalog->db) : 0;
    if (cause == 0)
        cause = last;
    if (code == SQLITE_READONLY_ROLLBACK)
        return drt_fail(
            context, DRT_FATAL,
            "the last writer of %s was interrupted: run 'drt info' on it once as a user who may write there",
            catalog->path);
    switch (code & 0xFF) {
    case SQLITE_NOMEM:
        return drt_fail_memory(context, catalog->path);
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
        return drt_fail(context, DRT_FAILED, "%s is held by another process: try again", catalog->path);
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
        return drt_catalog_damaged(context, catalog, text);
    case SQLITE_READONLY:
        return drt_fail(context, DRT_FATAL, "cannot write %s: it or its folder is read-only", catalog->path);
    case SQLITE_CANTOPEN:
    case SQLITE_PERM:
        /* SQLite tries a file that can't be made once more, without making it, and keeps that error alone. */
        if (cause == ENOENT)
            return drt_fail(context, DRT_FATAL,
                            "cannot open or write %s: it is not there, or its folder takes no more files (is the disk "
                            "full?)",
                            catalog->path);
        return drt_fail(context, DRT_FATAL, "cannot open or write %s: %s", catalog->path,
                        cause ? strerror(cause) : text);
    case SQLITE_FULL:
        return drt_fail(context, DRT_FATAL, "cannot write %s: no space left on the disk; what was committed stays",
                        catalog->path);
    case SQLITE_IOERR:
        return drt_fail(context, DRT_FATAL, "cannot read or write %s: %s", catalog->path,
                        cause ? strerror(cause) : text);
    default:
        return drt_fail(context, DRT_FATAL, "%s: %s", catalog->path, text);
    }
}

drt_status drt_catalog_damaged(drt_context *context, const drt_catalog *catalog, const char *what) {
    return drt_fail(context, DRT_FATAL, "%s is damaged (%s): restore it from a backup or ingest into a new library",
                    catalog->path, what);
}

/* trusted_schema: SQL inside a hostile file may not call functions with side effects.
 * cache_size of a writer: a commit of less than 64 MiB locks readers out only while it is written. */
static drt_status configure(drt_context *context, drt_catalog *catalog, drt_catalog_mode mode) {
    bool writes = mode != DRT_CATALOG_READ;
    sqlite3_extended_result_codes(catalog->db, 1);
    sqlite3_busy_timeout(catalog->db, writes ? WRITER_BUSY_MILLISECONDS : BUSY_MILLISECONDS);
    sqlite3_db_config(catalog->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
    drt_status status = drt_catalog_script(context, catalog,
                                           "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON;"
                                           "PRAGMA temp_store = MEMORY; PRAGMA synchronous = EXTRA;");
    if (status == DRT_OK && writes)
        status = drt_catalog_script(context, catalog, "PRAGMA cache_size = -65536;");
    return status;
}

drt_status drt_catalog_open(drt_context *context, const char *path, drt_catalog_mode mode, drt_catalog *catalog) {
    *catalog = (drt_catalog){.path = strdup(path)};
    if (!catalog->path)
        return drt_fail_memory(context, path);
    /* An absolute path: SQLite would take a name that starts with "file:" for a URI. */
    drt_string absolute;
    drt_status status = drt_path_absolute(context, path, &absolute);
    if (status == DRT_OK) {
        /* SQLite itself falls back to reading when the file may not be written. */
        int flags = SQLITE_OPEN_READWRITE | (mode == DRT_CATALOG_CREATE ? SQLITE_OPEN_CREATE : 0);
        bool opened = sqlite3_open_v2(absolute.data, &catalog->db, flags, NULL) == SQLITE_OK;
        status = opened ? configure(context, catalog, mode) : drt_catalog_fail(context, catalog);
    }
    drt_string_free(&absolute);
    if (status != DRT_OK)
        drt_catalog_close(catalog);
    return status;
}

void drt_catalog_close(drt_catalog *catalog) {
    sqlite3_close_v2(catalog->db);
    free(catalog->path);
    *catalog = (drt_catalog){0};
}

static int bind(sqlite3_stmt *statement, int index, const drt_value *value) {
    /* A zero-length value keeps its type: SQLite takes a NULL pointer for NULL. */
    const void *bytes = value->bytes ? value->bytes : "";
    switch (value->type) {
    case SQLITE_INTEGER:
        return sqlite3_bind_int64(statement, index, value->integer);
    case SQLITE_TEXT:
        return sqlite3_bind_text64(statement, index, bytes, value->length, SQLITE_STATIC, SQLITE_UTF8);
    case SQLITE_BLOB:
        return sqlite3_bind_blob64(statement, index, bytes, value->length, SQLITE_STATIC);
    default:
        return sqlite3_bind_null(statement, index);
    }
}

drt_status drt_catalog_prepare(drt_context *context, const drt_catalog *catalog, sqlite3_stmt **statement,
                               const char *sql, const drt_value *values, size_t n_values) {
    *statement = NULL;
    if (sqlite3_prepare_v2(catalog->db, sql, -1, statement, NULL) != SQLITE_OK)
        return drt_catalog_fail(context, catalog);
    drt_status status = drt_catalog_rebind(context, catalog, *statement, values, n_values);
    if (status != DRT_OK) {
        sqlite3_finalize(*statement);
        *statement = NULL;
    }
    return status;
}

drt_status drt_catalog_rebind(drt_context *context, const drt_catalog *catalog, sqlite3_stmt *statement,
                              const drt_value *values, size_t n_values) {
    sqlite3_reset(statement);
    for (size_t i = 0; i < n_values; i++)
        if (bind(statement, (int)i + 1, &values[i]) != SQLITE_OK)
            return drt_catalog_fail(context, catalog);
    return DRT_OK;
}

drt_status drt_catalog_step(drt_context *context, const drt_catalog *catalog, sqlite3_stmt *statement, bool *row) {
    errno = 0;
    int code = sqlite3_step(statement);
    *row = code == SQLITE_ROW;
    return code == SQLITE_ROW || code == SQLITE_DONE ? DRT_OK : drt_catalog_fail(context, catalog);
}

drt_status drt_catalog_run(drt_context *context, const drt_catalog *catalog, const char *sql, const drt_value *values,
                           size_t n_values) {
    sqlite3_stmt *statement;
    drt_status status = drt_catalog_prepare(context, catalog, &statement, sql, values, n_values);
    bool row = true;
    while (status == DRT_OK && row)
        status = drt_catalog_step(context, catalog, statement, &row);
    sqlite3_finalize(statement);
    return status;
}

drt_status drt_catalog_script(drt_context *context, const drt_catalog *catalog, const char *sql) {
    errno = 0;
    return sqlite3_exec(catalog->db, sql, NULL, NULL, NULL) == SQLITE_OK ? DRT_OK : drt_catalog_fail(context, catalog);
}

drt_status drt_catalog_number(drt_context *context, const drt_catalog *catalog, int64_t *number, const char *sql,
                              const drt_value *values, size_t n_values) {
    sqlite3_stmt *statement;
    bool row = false;
    drt_status status = drt_catalog_prepare(context, catalog, &statement, sql, values, n_values);
    if (status == DRT_OK)
        status = drt_catalog_step(context, catalog, statement, &row);
    if (row && sqlite3_column_type(statement, 0) != SQLITE_NULL)
        *number = sqlite3_column_int64(statement, 0);
    sqlite3_finalize(statement);
    return status;
}

drt_string drt_catalog_borrow(sqlite3_stmt *statement, int column) {
    const void *data = sqlite3_column_blob(statement, column);
    return (drt_string){(char *)(uintptr_t)data, data ? (size_t)sqlite3_column_bytes(statement, column) : 0};
}

bool drt_catalog_string(sqlite3_stmt *statement, int column, drt_string *string) {
    *string = (drt_string){0};
    if (sqlite3_column_type(statement, column) == SQLITE_NULL)
        return true;
    const void *bytes = sqlite3_column_blob(statement, column); /* NULL when empty or out of memory */
    return drt_string_set(string, bytes ? bytes : "", bytes ? (size_t)sqlite3_column_bytes(statement, column) : 0);
}

drt_status drt_catalog_begin_read(drt_context *context, const drt_catalog *catalog) {
    return drt_catalog_script(context, catalog, "BEGIN");
}

drt_status drt_catalog_begin_write(drt_context *context, const drt_catalog *catalog) {
    return drt_catalog_script(context, catalog, "BEGIN IMMEDIATE");
}

drt_status drt_catalog_finish(drt_context *context, const drt_catalog *catalog, drt_status status) {
    if (status == DRT_OK)
        status = drt_catalog_script(context, catalog, "COMMIT");
    /* Some errors end the transaction by themselves; a failed COMMIT leaves it open. */
    if (!sqlite3_get_autocommit(catalog->db))
        sqlite3_exec(catalog->db, "ROLLBACK", NULL, NULL, NULL);
    return status;
}
