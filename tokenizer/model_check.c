/* model_check.c: character maps of a sentencepiece model. See model_check.h.
 *
 * Where they are: fields 3 (normaliser) and 5 (denormaliser) of the model, and in those field 2.
 * What they are: u32 n, n bytes of a double-array trie (Darts-clone), then the strings that characters
 * become, each closed by a NUL. A unit of the trie is a u32: bits 0-7 label, bit 8 has a leaf, bit 9
 * offset is in units of 256, bits 10-30 offset, bit 31 this is a leaf and the rest its value, an index
 * into the strings. The children of unit i stand at i ^ offset ^ label, its leaf at i ^ offset. */
#include "tokenizer/model_check.h"

#include <stdbool.h>
#include <stdint.h>

#define MAX_STRING 1024 /* NFKC needs 33 bytes at most; more makes a bomb of every text */

static uint32_t read_u32(const uint8_t *bytes) {
    return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

/* -------------------------------------------------------------------- character map ---- */

/* Whatever label follows, the child of unit i lies inside the trie; its leaf names a string. */
static bool unit_is_safe(const uint8_t *trie, size_t n_units, size_t i, size_t strings_size) {
    uint32_t unit = read_u32(trie + 4 * i);
    if (unit >> 31 && i > 0) /* a leaf: never followed */
        return true;
    size_t base = i ^ ((size_t)(unit >> 10) << (unit >> 9 & 1 ? 8 : 0));
    if ((base | 0xFF) >= n_units)
        return false;
    bool has_leaf = unit >> 8 & 1;
    return !has_leaf || (read_u32(trie + 4 * base) & 0x7FFFFFFF) < strings_size;
}

static bool strings_are_safe(const uint8_t *strings, size_t size) {
    size_t length = 0;
    for (size_t i = 0; i < size; i++) {
        length = strings[i] ? length + 1 : 0;
        if (length > MAX_STRING)
            return false;
    }
    return length == 0; /* the last one is closed */
}

static bool map_is_safe(const uint8_t *map, size_t size) {
    if (size == 0) /* no map */
        return true;
    size_t trie_size = size > 4 ? read_u32(map) : 0;
    if (trie_size == 0 || trie_size % 4 || trie_size >= size - 4)
        return false;
    const uint8_t *trie = map + 4, *strings = trie + trie_size;
    size_t strings_size = size - 4 - trie_size;
    for (size_t i = 0; i < trie_size / 4; i++)
        if (!unit_is_safe(trie, trie_size / 4, i, strings_size))
            return false;
    return strings_are_safe(strings, strings_size);
}

/* ------------------------------------------------------------------ protocol buffer ---- */

typedef struct {
    const uint8_t *at, *end;
} reader;

typedef struct {
    uint64_t number;
    const uint8_t *data; /* of a length-delimited field; else NULL */
    size_t size;
} field;

static bool read_varint(reader *r, uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 64 && r->at < r->end; shift += 7) {
        uint8_t byte = *r->at++;
        *value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool skip(reader *r, uint64_t n) {
    if (n > (uint64_t)(r->end - r->at))
        return false;
    r->at += n;
    return true;
}

static bool read_field(reader *r, field *f) {
    uint64_t key, n;
    *f = (field){0};
    if (!read_varint(r, &key))
        return false;
    f->number = key >> 3;
    switch (key & 7) {
    case 0:
        return read_varint(r, &n);
    case 1:
        return skip(r, 8);
    case 2:
        if (!read_varint(r, &n))
            return false;
        f->data = r->at;
        f->size = (size_t)n;
        return skip(r, n);
    case 5:
        return skip(r, 4);
    default:
        return false;
    }
}

static const char *check_normalizer(const field *normalizer) {
    reader r = {normalizer->data, normalizer->data + normalizer->size};
    field f;
    while (r.at < r.end) {
        if (!read_field(&r, &f))
            return "it is damaged or cut short";
        if (f.number == 2 && f.data && !map_is_safe(f.data, f.size))
            return "its character map is damaged";
    }
    return NULL;
}

const char *drt_tokenizer_model_check(const void *data, size_t size) {
    reader r = {data, (const uint8_t *)data + size};
    field f;
    while (r.at < r.end) {
        if (!read_field(&r, &f))
            return "it is damaged or cut short";
        bool is_normalizer = (f.number == 3 || f.number == 5) && f.data;
        const char *problem = is_normalizer ? check_normalizer(&f) : NULL;
        if (problem)
            return problem;
    }
    return NULL;
}
