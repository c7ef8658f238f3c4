/* library.h: what the files of engine/library share: the open library and its parts.
 * May use: store.h, catalog.h, slab.h. */
#ifndef DRT_LIBRARY_LIBRARY_H
#define DRT_LIBRARY_LIBRARY_H

#include "engine/library/catalog.h"
#include "engine/library/prepared.h"
#include "engine/library/slab.h"
#include "engine/library/store.h"

#define DRT_CATALOG_NAME "catalog.sqlite"
#define DRT_CATALOG_NEW_NAME "catalog.sqlite.new" /* while a library is made */
#define DRT_LANDMARKS_NAME "landmarks.bin"
#define DRT_MEMORY_NAME "memory.bin"
#define DRT_MEMORY_NEW_NAME "memory.bin.new" /* while it is compacted */
#define DRT_LOCK_NAME "lock"

/* The records of memory.bin from first_chunk's on; see schema.c. */
typedef struct {
    int64_t first_chunk, first_record;
} drt_extent;

/* Words of a staged document, for the index. */
typedef struct drt_staged_words {
    struct drt_staged_words *next;
    int64_t document, first_chunk;
    size_t n_chunks;
    drt_words *words;
    size_t n_words;
} drt_staged_words;

struct drt_library {
    drt_library_mode mode;
    char *path;
    int lock; /* -1 in READ mode */
    drt_catalog catalog;
    drt_slab landmarks, memory;

    /* Owned copies behind `identity`, read from the catalog. */
    uint8_t fingerprint[DRT_FINGERPRINT_SIZE];
    drt_string model_name, model_directory;
    drt_store_identity identity;

    /* The view: the commit that was seen last. */
    int64_t n_chunks, revision;
    uint64_t *dead;
    drt_extent *extents; /* by first_chunk; the first starts at chunk 0 */
    size_t n_extents;

    /* Writing: what was staged since the last commit. */
    bool writing; /* opened for it, and ready */
    drt_staged_words *words, **words_end;
    int64_t next_document;  /* id */
    int64_t next_chunk;     /* n_chunks + staged ones */
    int64_t open_document;  /* 0: none */
    int64_t chunks_missing; /* of the open document */
    bool broken;            /* its files and this object may disagree: no more writing */
};

/* Path of a file in the library's folder; owned. */
drt_status drt_library_file(drt_context *context, const char *library, const char *name, drt_string *path);

/* lock.c: takes the writers' lock; DRT_FATAL names the process that has it. */
drt_status drt_lock_take(drt_context *context, const char *library, int *lock);
void drt_lock_release(int lock);

/* create.c: a folder without a catalog becomes an empty library, whole or not at all. `path` must be
 * missing, empty, or left by an interrupted creation. Returns with the lock taken. */
drt_status drt_library_create(drt_context *context, const char *path, const drt_store_identity *identity, int *lock);
/* The sentence for a path without a library in it. */
drt_status drt_library_missing(drt_context *context, const char *path);

/* library.c: bytes of the catalog's file. */
int64_t drt_library_catalog_size(const drt_library *library);
/* The memory record that belongs to a chunk. */
int64_t drt_library_record_of(const drt_library *library, int64_t chunk);
/* Needs CREATE or UPDATE mode. */
drt_status drt_library_check_writable(drt_context *context, const drt_library *library, drt_library_mode least);

/* write.c: drops what is staged and goes on where the catalog is, whatever became of the last commit. */
drt_status drt_library_go_back(drt_context *context, drt_library *library);

/* compact.c: rewrites memory.bin without removed chunks and drops their texts (UPDATE mode). */
drt_status drt_library_compact(drt_context *context, drt_library *library, int64_t *bytes_freed);

/* remove.c: after paths of a document were deleted, in a write transaction: the first path left becomes its own;
 * without any it dies, its passages with it (or its row, when it has no chunks). */
drt_status drt_document_settle(drt_context *context, const drt_library *library, int64_t document);

#endif
