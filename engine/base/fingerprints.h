/* fingerprints.h: a table from 64-bit fingerprints to numbers. May use: nothing. */
#ifndef DRT_BASE_FINGERPRINTS_H
#define DRT_BASE_FINGERPRINTS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint64_t key, value; /* key 0: free */
} drt_fingerprint;

/* Open addressing, 16 bytes an entry at half load. {0} is empty. */
typedef struct {
    drt_fingerprint *entries;
    size_t n, capacity;
} drt_fingerprints;

/* The number of a fingerprint, 0 at first; valid until the next call. NULL: out of memory. */
uint64_t *drt_fingerprints_value(drt_fingerprints *table, uint64_t fingerprint);
void drt_fingerprints_free(drt_fingerprints *table);

/* Of some bytes, or of those that `before` is of and these (start with DRT_FINGERPRINT_OF_NOTHING). FNV-1a: for a table,
 * not against anybody. */
#define DRT_FINGERPRINT_OF_NOTHING UINT64_C(0xCBF29CE484222325)
uint64_t drt_fingerprint_add(uint64_t before, const char *data, size_t length);

#endif
