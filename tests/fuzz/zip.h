/* zip.h: fuzzed bytes as files of a zip, so that mutations reach the parsers behind it. */
#ifndef DRT_TESTS_FUZZ_ZIP_H
#define DRT_TESTS_FUZZ_ZIP_H

#include "tests/fuzz/extract.h"

static inline void put_number(drt_buffer *zip, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        FUZZ_CHECK(drt_buffer_append_byte(zip, (char)(value >> 8 * i)));
}

static inline uint32_t crc32_of(const uint8_t *data, size_t size) {
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < size; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

typedef struct {
    const char *name;
    const void *data;
    size_t size;
} zip_part;

static inline void put_header(drt_buffer *zip, const zip_part *part, bool central, size_t offset) {
    size_t length = strlen(part->name);
    put_number(zip, central ? 0x02014B50 : 0x04034B50, 4);
    put_number(zip, 20, central ? 2 : 0);
    put_number(zip, 20, 2);
    put_number(zip, 0, 2 + 2);
    put_number(zip, 0, 4);
    put_number(zip, crc32_of(part->data, part->size), 4);
    put_number(zip, (uint32_t)part->size, 4);
    put_number(zip, (uint32_t)part->size, 4);
    put_number(zip, (uint32_t)length, 4);
    for (int i = 0; central && i < 10; i++)
        put_number(zip, 0, 1);
    put_number(zip, (uint32_t)offset, central ? 4 : 0);
    FUZZ_CHECK(drt_buffer_append(zip, part->name, length));
}

/* A zip of at most 8 stored files. */
static inline drt_buffer zip_of(const zip_part *parts, size_t n) {
    drt_buffer zip = {0};
    size_t offsets[8], directory;
    for (size_t i = 0; i < n; i++) {
        offsets[i] = zip.length;
        put_header(&zip, &parts[i], false, 0);
        FUZZ_CHECK(drt_buffer_append(&zip, parts[i].data, parts[i].size));
    }
    directory = zip.length;
    for (size_t i = 0; i < n; i++)
        put_header(&zip, &parts[i], true, offsets[i]);
    size_t length = zip.length - directory;
    put_number(&zip, 0x06054B50, 4);
    put_number(&zip, 0, 4);
    put_number(&zip, (uint32_t)n, 2);
    put_number(&zip, (uint32_t)n, 2);
    put_number(&zip, (uint32_t)length, 4);
    put_number(&zip, (uint32_t)directory, 4);
    put_number(&zip, 0, 2);
    return zip;
}

/* The bytes between NULs as the files of these names, the last one has the rest. */
static inline drt_buffer zip_of_pieces(const char *const *names, size_t n, const uint8_t *data, size_t size) {
    zip_part parts[8];
    for (size_t i = 0; i < n; i++) {
        const uint8_t *end = i + 1 < n && size > 0 ? memchr(data, 0, size) : NULL;
        size_t length = end ? (size_t)(end - data) : size;
        parts[i] = (zip_part){names[i], data, length};
        data += length + (end != NULL);
        size -= length + (end != NULL);
    }
    return zip_of(parts, n);
}

#endif
