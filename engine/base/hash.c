/* hash.c: SHA-256. See hash.h. */
#include "engine/base/hash.h"

void drt_hash_start(drt_hash *hash) {
    sha256_init(hash);
}

void drt_hash_add(drt_hash *hash, const void *data, size_t length) {
    sha256_update(hash, length, data);
}

void drt_hash_finish(drt_hash *hash, uint8_t digest[DRT_HASH_SIZE]) {
    sha256_digest(hash, DRT_HASH_SIZE, digest);
}

void drt_hash_hex(const uint8_t digest[DRT_HASH_SIZE], char hex[2 * DRT_HASH_SIZE + 1]) {
    static const char digits[] = "0123456789abcdef";
    for (int i = 0; i < DRT_HASH_SIZE; i++) {
        hex[2 * i] = digits[digest[i] >> 4];
        hex[2 * i + 1] = digits[digest[i] & 15];
    }
    hex[2 * DRT_HASH_SIZE] = 0;
}
