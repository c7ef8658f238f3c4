/* ingest_known.h: contents and places (archive and path) that a library may have, as 64-bit fingerprints. What is not in
 * here is certainly not in the library, so a new member is told from the known ones without asking the catalog, which
 * is busy for most of an ingest at the speed of a GPU. 8 bytes an entry at half load. May use: base. */
#ifndef DRT_SESSION_INGEST_KNOWN_H
#define DRT_SESSION_INGEST_KNOWN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* {0} is empty. */
typedef struct {
    uint64_t *slots; /* (capacity) open addressing; 0: free */
    size_t n, capacity;
} drt_known_set;

/* false: out of memory, and nothing was added. */
bool drt_known_add(drt_known_set *set, uint64_t fingerprint);
/* false: certainly not added before. */
bool drt_known_has(const drt_known_set *set, uint64_t fingerprint);
void drt_known_free(drt_known_set *set);

#endif
