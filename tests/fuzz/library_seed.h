/* library_seed.h: the small library whose catalog is fuzzed: S=8, d=16, int8, three documents, a removed one,
 * a skipped one, an alias, a session. seeds_catalog.c writes its catalog, fuzz_catalog.c makes the files
 * beside it. */
#ifndef DRT_TESTS_LIBRARY_SEED_H
#define DRT_TESTS_LIBRARY_SEED_H

#include <string.h>

#include "engine/library/store.h"

#define SEED_CHUNK_SIZE 8
#define SEED_D_MODEL 16

static inline drt_store_identity seed_identity(void) {
    static const uint8_t fingerprint[DRT_FINGERPRINT_SIZE] = "thirty-two bytes of fingerprint";
    return (drt_store_identity){fingerprint, "seed", "/models/seed", SEED_CHUNK_SIZE, SEED_D_MODEL, DRT_MEMORY_INT8};
}

#endif
