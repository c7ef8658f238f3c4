/* store.h: the library's inside, for the other parts of the engine: writing documents, reading
 * landmarks and memory, BM25, storing sessions. The public part is in drt.h.
 *
 *   library folder   catalog.sqlite (source of truth), landmarks.bin, memory.bin, lock
 *   order of writes  slabs appended -> slabs synced -> one SQLite transaction (a batch of documents)
 *   on open to write slab bytes past the last committed chunk are dropped
 * May use: base, network/memory.h, SQLite, zstd. Knows no network. */
#ifndef DRT_LIBRARY_STORE_H
#define DRT_LIBRARY_STORE_H

#include "engine/base/buffer.h"
#include "engine/base/hash.h"
#include "engine/session/chunker.h"

/* ----------------------------------------------------------------------------- opening ---- */

/* Whose library it is: what drt_library_open takes from its model. Borrowed. */
typedef struct {
    const uint8_t *fingerprint; /* DRT_FINGERPRINT_SIZE bytes */
    const char *model_name, *model_directory;
    int chunk_size, d_model;
    drt_memory_type memory_type; /* of a new library; an old one keeps its own */
} drt_store_identity;

/* drt_library_open without a loaded model. identity NULL: not checked (READ, UPDATE only). */
drt_status drt_store_open(drt_context *context, const char *path, drt_library_mode mode,
                          const drt_store_identity *identity, drt_library **library);

/* ----------------------------------------------------------------------------- writing ---- */

/* Catalog fields of a member before it is stored. Borrowed strings, valid during the call. */
typedef struct {
    const char *archive; /* absolute path of the argument's file or folder, bytes as given */
    size_t archive_length;
    const char *path; /* display path, as drt_document.path */
    size_t path_length;
    const char *title, *date; /* NULL: none; NUL-terminated UTF-8 */
    const char *const *authors;
    size_t n_authors;
    const char *format;
    drt_document_status status;
    const char *reason; /* NULL: none */
    int64_t replacements;
    uint8_t sha256[DRT_HASH_SIZE]; /* of the raw bytes; all zero when skipped before they were read */
    const drt_page *pages;         /* by start, each another one; within the text */
    size_t n_pages;
} drt_document_facts;

typedef enum { DRT_CONTENT_NEW, DRT_CONTENT_SAME_PATH, DRT_CONTENT_OTHER_PATH } drt_content;

/* Is a live document with this hash there (uncommitted ones of this writer count)? Another path
 * becomes an alias when register_alias, and leaves the document that had it before. *document receives
 * its id unless NEW. An all-zero hash is always NEW. */
drt_status drt_store_find(drt_context *context, drt_library *library, const uint8_t sha256[DRT_HASH_SIZE],
                          const drt_document_facts *facts, bool register_alias, drt_content *content,
                          int64_t *document);

/* The document that has this archive and path, staged ones included; 0: none. */
drt_status drt_store_owner(drt_context *context, drt_library *library, const drt_document_facts *facts,
                           int64_t *document);

/* Is it a document that is in without losses, staged ones included? */
drt_status drt_store_is_whole(drt_context *context, drt_library *library, int64_t document, bool *whole);

/* Visits every path of the last commit with its archive, the hash of its document, all zero where there is none or no text,
 * and its status. The visitor keeps nothing of them and calls nothing of the library; false stops. */
drt_status drt_store_places(drt_context *context, drt_library *library,
                            bool (*visit)(void *user, const drt_string *archive, const drt_string *path,
                                          const uint8_t sha256[DRT_HASH_SIZE], drt_document_status status),
                            void *user);

/* A member without text: status skipped, with its reason. Replaces an earlier skipped row of the same
 * archive and path. When a document with text has that path, it stays as it is, nothing is stored and
 * *document receives its id: a damaged copy never costs the text that is there. */
drt_status drt_store_add_skipped(drt_context *context, drt_library *library, const drt_document_facts *facts,
                                 int64_t *document);

/* A text as the catalog keeps it: compressed, and its words for the full-text index. Made without the library, so by
 * any thread: started, then its tasks run in any order and by several threads. */
typedef struct drt_prepared drt_prepared;
typedef struct drt_terms drt_terms; /* cuts texts into words: one a thread */

drt_status drt_store_terms_new(drt_context *context, const drt_library *library, drt_terms **terms);
void drt_store_terms_free(drt_terms *terms);

/* words: list them now; otherwise, and for texts above 64 MiB, they are taken from the stored text in the commit. */
drt_status drt_prepared_start(drt_context *context, const char *text, size_t length, size_t n_chunks, bool words,
                              drt_prepared **prepared);
size_t drt_prepared_tasks(const drt_prepared *prepared);
/* text and ranges (n_chunks) as they will be stored; terms: the calling thread's. DRT_FAILED when a range lies outside
 * the text or off its characters. */
drt_status drt_prepared_run(drt_context *context, drt_prepared *prepared, drt_terms *terms, const char *text,
                            const drt_range *ranges, size_t task);
size_t drt_prepared_bytes(const drt_prepared *prepared); /* of memory, about */
void drt_prepared_free(drt_prepared *prepared);

/* Where the library's chunks are written. Other threads may write while the library is used; valid until its close. */
typedef struct {
    int landmarks, memory; /* files */
    const char *landmarks_path, *memory_path;
    size_t landmark_size, record_size;
    int64_t first_chunk;  /* the next one after the last commit */
    int64_t first_record; /* its place in memory.bin */
} drt_store_sink;

drt_store_sink drt_store_sink_open(const drt_library *library);
/* Chunks from sink->first_chunk on: landmarks (n,d) fp16, records n x drt_memory_record_size. */
drt_status drt_store_sink_write(drt_context *context, const drt_store_sink *sink, int64_t chunk, size_t n,
                                const uint16_t *landmarks, const void *records);

/* Adds a document whose chunks the next ids belong to, n_chunks of them; they are in the sink before the commit.
 * Otherwise as drt_store_begin, _append and _end below, which do one step after the other. Takes the words of `prepared`. */
drt_status drt_store_add(drt_context *context, drt_library *library, const drt_document_facts *facts,
                         drt_prepared *prepared, const drt_range *ranges, size_t n_chunks, int64_t *document);

/* Starts a document; its chunks follow. Several may be finished before one commit; one is open at a
 * time. A live document of the same archive and path but other content loses that path in the same
 * transaction, and is marked dead unless an alias keeps it. Until the commit the compressed text and the
 * ranges are kept in memory. DRT_FAILED when a range lies outside the text or off its characters. */
drt_status drt_store_begin(drt_context *context, drt_library *library, const drt_document_facts *facts,
                           const char *text, size_t text_length, const drt_range *ranges, size_t n_chunks,
                           int64_t *document);
/* n chunks of the open document: landmarks (n,d) fp16, records n x drt_memory_record_size. */
drt_status drt_store_append(drt_context *context, drt_library *library, size_t n, const uint16_t *landmarks,
                            const void *records);
/* Closes the open document (all its chunks were appended). Not yet durable. */
drt_status drt_store_end(drt_context *context, drt_library *library);
/* Syncs the slabs, commits the finished documents, aliases and skipped rows. */
drt_status drt_store_commit(drt_context *context, drt_library *library);
/* Removes, in one transaction of its own, each committed path for which `gone` says so, and documents with their last
 * path; calls `removed` for each afterwards. `gone` keeps nothing and calls nothing of the library. */
drt_status drt_store_remove_places(drt_context *context, drt_library *library,
                                   bool (*gone)(void *user, const drt_string *archive, const drt_string *path),
                                   void (*removed)(void *user, const drt_string *path, int64_t document), void *user);
/* Drops everything since the last commit, the open document included. */
void drt_store_rollback(drt_library *library);

/* ----------------------------------------------------------------------------- reading ---- */

/* The last committed state when it was taken. Pointers stay valid until the next _refresh or close.
 * Chunks of dead documents are marked in dead. */
typedef struct {
    int64_t n_chunks;
    const uint16_t *landmarks; /* (n_chunks,d) fp16, mapped */
    const uint64_t *dead;      /* bit c%64 of word c/64 */
    int chunk_size, d_model;
    drt_memory_type memory_type;
} drt_store_view;

/* Brings the view up to the last commit and returns it. */
drt_status drt_store_refresh(drt_context *context, drt_library *library, drt_store_view *view);
/* The memory record of a live chunk (mapped). */
const void *drt_store_record(const drt_library *library, int64_t chunk);

/* mask (n_chunks bits, caller's, all set to 0 first): 1 = chunk of a live document whose path or alias matches glob. */
drt_status drt_store_glob_mask(drt_context *context, drt_library *library, const char *glob, uint64_t *mask,
                               int64_t n_chunks);

/* BM25 over chunk texts: terms of `text` quoted and OR-ed (porter, stop words dropped), the `top` best
 * live chunks with id < n_chunks, best first, whose bit is set in mask (NULL: all). */
drt_status drt_store_bm25(drt_context *context, drt_library *library, const char *text, size_t length,
                          const uint64_t *mask, int64_t n_chunks, int top, int64_t *chunks, int *count);

/* The bytes of one chunk's range, owned; also of a removed chunk until the library is compacted. */
drt_status drt_store_chunk_text(drt_context *context, drt_library *library, const drt_chunk *chunk, drt_string *text);

/* A document by id, removed ones included; DRT_FAILED when there is none. */
drt_status drt_store_document(drt_context *context, drt_library *library, int64_t id, drt_document *document);

/* Sets the page that a hit's text begins on (of its first visible character), and its document's authors and date. */
drt_status drt_store_hit_facts(drt_context *context, drt_library *library, drt_hit *hit);

/* Path and title of a document by id, removed ones included; owned. */
drt_status drt_store_document_name(drt_context *context, drt_library *library, int64_t document, drt_string *path,
                                   drt_string *title);

/* ---------------------------------------------------------------------------- sessions ---- */

/* Stores an answer and its trace in one short transaction; sets answer->session. DRT_WARN when the
 * library can't be written (read-only folder, full disk): the answer stays valid. */
drt_status drt_store_session(drt_context *context, drt_library *library, drt_answer *answer);

#endif
