/* ingest_known.c: a set of fingerprints. See ingest_known.h. */
#include "engine/session/ingest_known.h"

#include <stdlib.h>

#define FIRST_CAPACITY 1024 /* a power of two, as all are */

/* 0 marks a free slot. */
static uint64_t stored(uint64_t fingerprint) {
    return fingerprint ? fingerprint : 1;
}

/* The slot that holds it, or the free one where it belongs. Fingerprints are hashes: their low bits will do. */
static uint64_t *find(uint64_t *slots, size_t capacity, uint64_t value) {
    size_t at = (size_t)value & (capacity - 1);
    while (slots[at] && slots[at] != value)
        at = (at + 1) & (capacity - 1);
    return &slots[at];
}

static bool grow(drt_known_set *set) {
    size_t capacity = set->capacity ? 2 * set->capacity : FIRST_CAPACITY;
    uint64_t *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < set->capacity; i++)
        if (set->slots[i])
            *find(slots, capacity, set->slots[i]) = set->slots[i];
    free(set->slots);
    set->slots = slots;
    set->capacity = capacity;
    return true;
}

bool drt_known_add(drt_known_set *set, uint64_t fingerprint) {
    if (2 * (set->n + 1) > set->capacity && !grow(set))
        return false;
    uint64_t value = stored(fingerprint), *slot = find(set->slots, set->capacity, value);
    set->n += *slot == 0;
    *slot = value;
    return true;
}

bool drt_known_has(const drt_known_set *set, uint64_t fingerprint) {
    uint64_t value = stored(fingerprint);
    return set->capacity > 0 && *find(set->slots, set->capacity, value) == value;
}

void drt_known_free(drt_known_set *set) {
    free(set->slots);
    *set = (drt_known_set){0};
}
