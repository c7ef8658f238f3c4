/* schema.c: the tables of catalog.sqlite. See schema.h. */
#include "engine/library/schema.h"

#include <string.h>

#define APPLICATION_ID 0x64727431 /* "drt1" */

/* Step v takes a catalog from user_version v to v + 1; a new catalog takes all of them. A released step
 * never changes. */
static const char *const schema_steps[] = {
    /* 0 -> 1 */
    /* One row: whose library this is, and how far it is committed. */
    "CREATE TABLE library ("
    "  one INTEGER PRIMARY KEY CHECK (one = 1),"
    "  fingerprint BLOB NOT NULL," /* SHA-256 of the model */
    "  model_name TEXT NOT NULL,"
    "  model_directory BLOB NOT NULL," /* absolute path, bytes */
    "  chunk_size INTEGER NOT NULL,"   /* S */
    "  d_model INTEGER NOT NULL,"      /* d */
    "  memory_type INTEGER NOT NULL,"  /* drt_memory_type */
    "  chunks INTEGER NOT NULL,"       /* ids given out, dead ones included */
    "  revision INTEGER NOT NULL);"    /* grows with every change to documents or slabs */
    /* status: drt_document_status. dead: removed or replaced, kept for its chunk ids; then without paths. */
    "CREATE TABLE documents ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  path TEXT NOT NULL," /* its first row in paths; of a dead one the last path it had */
    "  title TEXT,"
    "  date TEXT,"
    "  format TEXT NOT NULL,"
    "  sha256 BLOB," /* of the raw bytes; NULL when they were not read */
    "  status INTEGER NOT NULL,"
    "  reason TEXT,"
    "  replacements INTEGER NOT NULL,"
    "  bytes INTEGER NOT NULL," /* of the normalised text */
    "  first_chunk INTEGER NOT NULL,"
    "  chunks INTEGER NOT NULL,"
    "  dead INTEGER NOT NULL);"
    "CREATE INDEX documents_by_hash ON documents (sha256) WHERE dead = 0;"
    "CREATE INDEX documents_dead ON documents (first_chunk, chunks) WHERE dead = 1;"
    "CREATE TABLE authors ("
    "  document INTEGER NOT NULL,"
    "  position INTEGER NOT NULL,"
    "  name TEXT NOT NULL,"
    "  PRIMARY KEY (document, position)) WITHOUT ROWID;"
    /* Where each document was found: by id, its path first, then its aliases. */
    "CREATE TABLE paths ("
    "  id INTEGER PRIMARY KEY,"
    "  archive BLOB NOT NULL," /* absolute path of the file or folder that was ingested, bytes */
    "  path TEXT NOT NULL,"    /* "archive.zip/inner/path.txt" */
    "  document INTEGER NOT NULL,"
    "  UNIQUE (archive, path));"
    "CREATE INDEX paths_by_document ON paths (document, id);"
    "CREATE INDEX paths_by_path ON paths (path);"
    /* Normalised text in parts; each a zstd frame with its checksum. */
    "CREATE TABLE texts ("
    "  id INTEGER PRIMARY KEY,"
    "  document INTEGER NOT NULL,"
    "  start INTEGER NOT NULL," /* its first byte's place in the text */
    "  zstd BLOB NOT NULL,"
    "  UNIQUE (document, start));"
    "CREATE TABLE chunks ("
    "  id INTEGER PRIMARY KEY,"
    "  document INTEGER NOT NULL,"
    "  start INTEGER NOT NULL,"
    "  end INTEGER NOT NULL);"
    /* Where records of memory.bin lie once it was compacted: chunk c of the extent with the largest
     * first_chunk <= c has record first_record + c - first_chunk. generation: as in the file's header. */
    "CREATE TABLE extents ("
    "  generation INTEGER NOT NULL,"
    "  first_chunk INTEGER NOT NULL,"
    "  first_record INTEGER NOT NULL,"
    "  PRIMARY KEY (generation, first_chunk)) WITHOUT ROWID;"
    "CREATE TABLE sessions ("
    "  id INTEGER PRIMARY KEY AUTOINCREMENT,"
    "  time INTEGER NOT NULL," /* seconds since 1970 */
    "  question TEXT NOT NULL,"
    "  answer TEXT NOT NULL,"
    "  events INTEGER NOT NULL,"
    "  trace BLOB NOT NULL);" /* stored_trace.h */
    /* rowid: the chunk id; live chunks only. The text as drt_terms_spread writes it. */
    "CREATE VIRTUAL TABLE passages USING fts5 (text, content = '', tokenize = 'porter unicode61 remove_diacritics 2');",
    /* 1 -> 2 */
    /* From byte start of the document's text on, it stands on this page. Formats without pages have no rows. */
    "CREATE TABLE pages ("
    "  document INTEGER NOT NULL,"
    "  start INTEGER NOT NULL,"
    "  page INTEGER NOT NULL,"
    "  PRIMARY KEY (document, start)) WITHOUT ROWID;",
};

/* What a reader of an older catalog makes for itself in place of a step: empty tables. */
static const char *const schema_stand_ins[] = {
    NULL,
    "CREATE TEMP TABLE pages (document, start, page)",
};

#define N_STEPS ((int)(sizeof schema_steps / sizeof *schema_steps))

static drt_status run_steps(drt_context *context, const drt_catalog *catalog, const char *const *steps, int from,
                            int n_steps) {
    drt_status status = DRT_OK;
    for (int step = from; step < n_steps && status == DRT_OK; step++)
        status = drt_catalog_script(context, catalog, steps[step]);
    if (status != DRT_OK)
        return status;
    char sql[96];
    sqlite3_snprintf(sizeof sql, sql, "PRAGMA application_id = %d; PRAGMA user_version = %d", APPLICATION_ID, n_steps);
    return drt_catalog_script(context, catalog, sql);
}

drt_status drt_schema_create(drt_context *context, const drt_catalog *catalog, const drt_store_identity *identity) {
    /* Free pages can be handed back after `verify --compact`; has to come before the first table. */
    drt_status status = drt_catalog_script(context, catalog, "PRAGMA auto_vacuum = INCREMENTAL");
    if (status == DRT_OK)
        status = drt_catalog_begin_write(context, catalog);
    if (status != DRT_OK)
        return status;
    status = run_steps(context, catalog, schema_steps, 0, N_STEPS);
    if (status == DRT_OK)
        status =
            drt_catalog_run(context, catalog, "INSERT INTO library VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, 0, 0)",
                            DRT_VALUES(drt_value_blob(identity->fingerprint, DRT_FINGERPRINT_SIZE),
                                       drt_value_text_z(identity->model_name),
                                       drt_value_blob(identity->model_directory, strlen(identity->model_directory)),
                                       drt_value_integer(identity->chunk_size), drt_value_integer(identity->d_model),
                                       drt_value_integer(identity->memory_type)));
    return drt_catalog_finish(context, catalog, status);
}

static drt_status migrate_from(drt_context *context, const drt_catalog *catalog, const char *const *steps, int version,
                               int n_steps) {
    drt_status status = drt_catalog_begin_write(context, catalog);
    if (status != DRT_OK)
        return status;
    return drt_catalog_finish(context, catalog, run_steps(context, catalog, steps, version, n_steps));
}

drt_status drt_schema_check(drt_context *context, const drt_catalog *catalog, bool migrate) {
    return drt_schema_check_steps(context, catalog, migrate, schema_steps, schema_stand_ins, N_STEPS);
}

static drt_status stand_in(drt_context *context, const drt_catalog *catalog, const char *const *stand_ins, int version,
                           int n_steps) {
    drt_status status = DRT_OK;
    for (int step = version; step < n_steps && status == DRT_OK; step++)
        status = stand_ins[step]
                     ? drt_catalog_script(context, catalog, stand_ins[step])
                     : drt_fail(context, DRT_FATAL,
                                "%s has the older format %d: run 'drt verify --compact' on the library once, which "
                                "updates it",
                                catalog->path, version);
    return status;
}

drt_status drt_schema_check_steps(drt_context *context, const drt_catalog *catalog, bool migrate,
                                  const char *const *steps, const char *const *stand_ins, int n_steps) {
    int64_t application = 0, version = 0, foreign = 0;
    drt_status status = drt_catalog_number(context, catalog, &application, "PRAGMA application_id", DRT_NO_VALUES);
    if (status == DRT_OK)
        status = drt_catalog_number(context, catalog, &version, "PRAGMA user_version", DRT_NO_VALUES);
    /* Views and triggers are never made here: they would be code of a stranger. */
    if (status == DRT_OK)
        status =
            drt_catalog_number(context, catalog, &foreign,
                               "SELECT count(*) FROM sqlite_schema WHERE type IN ('view', 'trigger')", DRT_NO_VALUES);
    if (status != DRT_OK)
        return status;
    if (application != APPLICATION_ID || version < 1)
        return drt_fail(context, DRT_FATAL, "%s is no catalog of a drt library", catalog->path);
    if (version > n_steps)
        return drt_fail(context, DRT_FATAL,
                        "%s has format %lld, made by a newer drt; this one reads up to format %d: update drt",
                        catalog->path, (long long)version, n_steps);
    if (foreign)
        return drt_catalog_damaged(context, catalog, "it holds views or triggers, which drt never makes");
    if (version == n_steps)
        return DRT_OK;
    if (!migrate)
        return stand_in(context, catalog, stand_ins, (int)version, n_steps);
    return migrate_from(context, catalog, steps, (int)version, n_steps);
}

drt_status drt_schema_stage(drt_context *context, const drt_catalog *catalog) {
    return drt_catalog_script(
        context, catalog,
        "CREATE TEMP TABLE new_documents (id INTEGER PRIMARY KEY, path, title, date, format, sha256, status, reason,"
        "  replacements, bytes, first_chunk, chunks);"
        "CREATE INDEX temp.new_documents_by_hash ON new_documents (sha256);"
        "CREATE TEMP TABLE new_authors (document, position, name);"
        "CREATE TEMP TABLE new_paths (id INTEGER PRIMARY KEY, archive, path, document,"
        "  UNIQUE (archive, path) ON CONFLICT REPLACE);"
        "CREATE INDEX temp.new_paths_by_document ON new_paths (document);"
        "CREATE TEMP TABLE new_texts (document, start, zstd);"
        "CREATE TEMP TABLE new_pages (document, start, page);"
        "CREATE TEMP TABLE new_chunks (id INTEGER PRIMARY KEY, document, start, end);");
}
