/* compress.h: zstd frames with a checksum, in memory. May use: base, zstd. */
#ifndef DRT_LIBRARY_COMPRESS_H
#define DRT_LIBRARY_COMPRESS_H

#include "engine/base/buffer.h"

/* Appends one frame with all of data. */
drt_status drt_compress(drt_context *context, const void *data, size_t length, drt_buffer *frame);
/* Appends a frame's contents; more than `limit` bytes, or a damaged frame, is DRT_FAILED. Memory grows with
 * what is really there, not with what the frame claims. */
drt_status drt_decompress(drt_context *context, const void *frame, size_t length, size_t limit, drt_buffer *data);

#endif
