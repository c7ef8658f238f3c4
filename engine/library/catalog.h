/* catalog.h: the SQLite connection of a library: statements with typed parameters, transactions, and
 * errors as sentences. Knows nothing of what the tables mean (schema.h does).
 *
 * Journal mode is SQLite's rollback journal, not WAL: it opens in read-only folders and on read-only
 * media without side files, and survives killed writers. Its price, that a commit waits for readers
 * and they for it, is kept small by rule: no transaction is open while a network runs or a visitor
 * is called, so locks last milliseconds and both sides wait for them. May use: base, SQLite. */
#ifndef DRT_LIBRARY_CATALOG_H
#define DRT_LIBRARY_CATALOG_H

#include <sqlite3.h>

#include "engine/base/buffer.h"

typedef struct {
    sqlite3 *db;
    char *path; /* as given, for sentences */
} drt_catalog;

/* One statement parameter; bytes are borrowed until the statement is finalised or bound again. */
typedef struct {
    int type; /* SQLITE_NULL, SQLITE_INTEGER, SQLITE_TEXT, SQLITE_BLOB */
    int64_t integer;
    const void *bytes;
    size_t length;
} drt_value;

drt_value drt_value_integer(int64_t integer);
/* NULL data binds NULL. */
drt_value drt_value_text(const char *data, size_t length);
drt_value drt_value_text_z(const char *text);
drt_value drt_value_blob(const void *data, size_t length);

/* A parameter list ?1, ?2, ... for the calls below, and the empty one. */
#define DRT_VALUES(...) (const drt_value[]){__VA_ARGS__}, sizeof((const drt_value[]){__VA_ARGS__}) / sizeof(drt_value)
#define DRT_NO_VALUES NULL, 0

typedef enum {
    DRT_CATALOG_READ,  /* written to only by stored sessions; read-only files are fine */
    DRT_CATALOG_WRITE, /* must exist */
    DRT_CATALOG_CREATE /* must not exist */
} drt_catalog_mode;

/* Errors of all calls are DRT_FATAL, but DRT_FAILED when another process holds the file too long. */
drt_status drt_catalog_open(drt_context *context, const char *path, drt_catalog_mode mode, drt_catalog *catalog);
void drt_catalog_close(drt_catalog *catalog);
/* The sentence for the connection's last error. */
drt_status drt_catalog_fail(drt_context *context, const drt_catalog *catalog);
drt_status drt_catalog_damaged(drt_context *context, const drt_catalog *catalog, const char *what);

/* Prepares and binds. *statement is NULL after an error; sqlite3_finalize it in any case. */
drt_status drt_catalog_prepare(drt_context *context, const drt_catalog *catalog, sqlite3_stmt **statement,
                               const char *sql, const drt_value *values, size_t n_values);
/* Resets a statement and gives it other parameters. */
drt_status drt_catalog_rebind(drt_context *context, const drt_catalog *catalog, sqlite3_stmt *statement,
                              const drt_value *values, size_t n_values);
/* *row: a row is there (not the end). */
drt_status drt_catalog_step(drt_context *context, const drt_catalog *catalog, sqlite3_stmt *statement, bool *row);
/* Runs one statement and drops its rows. */
drt_status drt_catalog_run(drt_context *context, const drt_catalog *catalog, const char *sql, const drt_value *values,
                           size_t n_values);
drt_status drt_catalog_script(drt_context *context, const drt_catalog *catalog, const char *sql);
/* The first column of the first row; *number keeps its value when there is no row or it is NULL. */
drt_status drt_catalog_number(drt_context *context, const drt_catalog *catalog, int64_t *number, const char *sql,
                              const drt_value *values, size_t n_values);
/* An owned copy of a column; NULL stays NULL. false: out of memory. */
bool drt_catalog_string(sqlite3_stmt *statement, int column, drt_string *string);
/* A column's bytes until the statement's next step. */
drt_string drt_catalog_borrow(sqlite3_stmt *statement, int column);

/* A read transaction pins the last committed state; a write transaction waits for its turn first. */
drt_status drt_catalog_begin_read(drt_context *context, const drt_catalog *catalog);
drt_status drt_catalog_begin_write(drt_context *context, const drt_catalog *catalog);
/* Commits when status is DRT_OK, else rolls back; returns the first failure. */
drt_status drt_catalog_finish(drt_context *context, const drt_catalog *catalog, drt_status status);

#endif
