/* fingerprints.c: a table from 64-bit fingerprints to numbers. See fingerprints.h. */
#include "engine/base/fingerprints.h"

#include <stdbool.h>
#include <stdlib.h>

#define FIRST_CAPACITY 1024 /* a power of two, as all are */

/* Fingerprints are hashes: their low bits will do. */
static drt_fingerprint *find(const drt_fingerprints *table, uint64_t key) {
    size_t at = (size_t)key & (table->capacity - 1);
    while (table->entries[at].key && table->entries[at].key != key)
        at = (at + 1) & (table->capacity - 1);
    return &table->entries[at];
}

static bool grow(drt_fingerprints *table) {
    drt_fingerprints grown = {.n = table->n, .capacity = table->capacity ? 2 * table->capacity : FIRST_CAPACITY};
    grown.entries = calloc(grown.capacity, sizeof *grown.entries);
    if (!grown.entries)
        return false;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->entries[i].key)
            *find(&grown, table->entries[i].key) = table->entries[i];
    free(table->entries);
    *table = grown;
    return true;
}

uint64_t *drt_fingerprints_value(drt_fingerprints *table, uint64_t fingerprint) {
    uint64_t key = fingerprint ? fingerprint : 1;
    if (2 * (table->n + 1) > table->capacity && !grow(table))
        return NULL;
    drt_fingerprint *found = find(table, key);
    table->n += found->key == 0;
    found->key = key;
    return &found->value;
}

void drt_fingerprints_free(drt_fingerprints *table) {
    free(table->entries);
    *table = (drt_fingerprints){0};
}

uint64_t drt_fingerprint_add(uint64_t before, const char *data, size_t length) {
    for (size_t i = 0; i < length; i++)
        before = (before ^ (unsigned char)data[i]) * UINT64_C(0x100000001B3);
    return before;
}
