/* slab.h: landmarks.bin and memory.bin: a 64-byte header, then records of one size.
 *
 *   0   8  magic: "drt lmk\n" or "drt mem\n"
 *   8   4  format version, 1
 *  12   4  dtype of the records: 0 fp16 (landmarks), else a drt_memory_type
 *  16   4  S, slots of a chunk
 *  20   4  d
 *  24   8  generation: 0, then one more with each compaction
 *  32  32  fingerprint of the model
 *
 * All numbers little-endian. How many records count is the catalog's business: bytes behind them are
 * the rest of an interrupted ingest. Records are read through a mapping, written at their place.
 * May use: base, network/memory.h. */
#ifndef DRT_LIBRARY_SLAB_H
#define DRT_LIBRARY_SLAB_H

#include <sys/types.h>

#include "engine/library/store.h"

#define DRT_SLAB_HEADER_SIZE 64

typedef enum { DRT_SLAB_LANDMARKS, DRT_SLAB_MEMORY } drt_slab_kind;

typedef struct {
    char *path;
    int file; /* -1: closed */
    size_t record_size;
    uint64_t generation;
    const uint8_t *map; /* the header and some records; NULL: nothing mapped */
    size_t map_size;
    dev_t device; /* which file this is, */
    ino_t inode;  /* to notice that a compaction has put another in its place */
} drt_slab;

/* Writes and syncs a new file with a header alone. */
drt_status drt_slab_create(drt_context *context, const char *path, drt_slab_kind kind,
                           const drt_store_identity *identity, uint64_t generation);
/* Opens and checks the header against whose library it is. */
drt_status drt_slab_open(drt_context *context, const char *path, drt_slab_kind kind, const drt_store_identity *identity,
                         bool writable, drt_slab *slab);
void drt_slab_close(drt_slab *slab);
/* false: another file has taken the path's place, or none is there. */
bool drt_slab_is_current(const drt_slab *slab);
/* Maps at least n records; DRT_FATAL when the file holds fewer. Earlier pointers may become invalid. */
drt_status drt_slab_map(drt_context *context, drt_slab *slab, int64_t n);
const uint8_t *drt_slab_record(const drt_slab *slab, int64_t record); /* a mapped one */
drt_status drt_slab_write(drt_context *context, const drt_slab *slab, int64_t record, size_t n, const void *data);
/* The same for a slab that another thread has open as `file`; path: for sentences. */
drt_status drt_slab_write_to(drt_context *context, int file, const char *path, size_t record_size, int64_t record,
                             size_t n, const void *data);
drt_status drt_slab_sync(drt_context *context, const drt_slab *slab);
/* Cuts the file behind n records; DRT_FATAL when it holds fewer. */
drt_status drt_slab_truncate(drt_context *context, const drt_slab *slab, int64_t n);
/* Bytes of the file. */
int64_t drt_slab_size(const drt_slab *slab);

/* Syncs a folder, so that the names in it last. */
drt_status drt_folder_sync(drt_context *context, const char *path);

#endif
