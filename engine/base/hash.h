/* hash.h: SHA-256 (nettle) of memory, streams and files; hexadecimal form.
 * May use: nettle. */
#ifndef DRT_BASE_HASH_H
#define DRT_BASE_HASH_H

#include <nettle/sha2.h>

#include "engine/base/context.h"

#define DRT_HASH_SIZE 32

typedef struct sha256_ctx drt_hash;

void drt_hash_start(drt_hash *hash);
void drt_hash_add(drt_hash *hash, const void *data, size_t length);
void drt_hash_finish(drt_hash *hash, uint8_t digest[DRT_HASH_SIZE]);
/* digest -> 64 lower-case hexadecimal digits and a NUL. */
void drt_hash_hex(const uint8_t digest[DRT_HASH_SIZE], char hex[2 * DRT_HASH_SIZE + 1]);

#endif
