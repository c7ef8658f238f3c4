/* zip.h: fuzzed bytes as a file of a zip, so that mutations reach the parser behind it. */
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

/* A zip of one stored file, without a central directory where that would not be read: both headers are alike. */
static inline drt_buffer zip_of(const char *name, const uint8_t *data, size_t size) {
    drt_buffer zip = {0};
    uint32_t crc = crc32_of(data, size), length = (uint32_t)strlen(name);
    for (int central = 0; central < 2; central++) {
        put_number(&zip, central ? 0x02014B50 : 0x04034B50, 4);
        put_number(&zip, 20, central ? 2 : 0);
        put_number(&zip, 20, 2);
        put_number(&zip, 0, 2 + 2);
        put_number(&zip, 0, 4);
        put_number(&zip, crc, 4);
        put_number(&zip, (uint32_t)size, 4);
        put_number(&zip, (uint32_t)size, 4);
        put_number(&zip, length, 4);
        for (int i = 0; central && i < 14; i++)
            put_number(&zip, 0, 1);
        FUZZ_CHECK(drt_buffer_append(&zip, name, length));
        if (!central)
            FUZZ_CHECK(drt_buffer_append(&zip, data, size));
    }
    put_number(&zip, 0x06054B50, 4);
    put_number(&zip, 0, 4);
    put_number(&zip, 1, 2);
    put_number(&zip, 1, 2);
    put_number(&zip, 46 + length, 4);
    put_number(&zip, 30 + length + (uint32_t)size, 4);
    put_number(&zip, 0, 2);
    return zip;
}

#endif
