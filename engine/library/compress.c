/* compress.c: zstd frames in memory. See compress.h. */
#include "engine/library/compress.h"

#include <zstd.h>

#define COMPRESSION_LEVEL 3
#define STEP ((size_t)128 << 10)

drt_status drt_compress(drt_context *context, const void *data, size_t length, drt_buffer *frame) {
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    size_t bound = ZSTD_compressBound(length);
    if (!compressor || ZSTD_isError(bound) || !drt_buffer_reserve(frame, bound)) {
        ZSTD_freeCCtx(compressor);
        return drt_fail_memory(context, "compressed text");
    }
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(compressor, frame->data + frame->length, bound, data, length);
    ZSTD_freeCCtx(compressor);
    if (ZSTD_isError(size))
        return drt_fail(context, DRT_FATAL, "zstd: %s", ZSTD_getErrorName(size));
    frame->length += size;
    return DRT_OK;
}

static drt_status decompress_all(drt_context *context, ZSTD_DCtx *decompressor, ZSTD_inBuffer *in, size_t limit,
                                 drt_buffer *data) {
    size_t start = data->length, left = 1; /* 0 at the frame's end */
    while (left != 0) {
        if (!drt_buffer_reserve(data, STEP))
            return drt_fail_memory(context, "compressed text");
        ZSTD_outBuffer out = {data->data + data->length, STEP, 0};
        left = ZSTD_decompressStream(decompressor, &out, in);
        if (ZSTD_isError(left))
            return drt_fail(context, DRT_FAILED, "compressed data is damaged: %s", ZSTD_getErrorName(left));
        data->length += out.pos;
        if (data->length - start > limit)
            return drt_fail(context, DRT_FAILED, "compressed data is damaged: it holds more than it may");
        if (left != 0 && in->pos == in->size && out.pos < out.size)
            return drt_fail(context, DRT_FAILED, "compressed data is damaged: it is cut short");
    }
    return DRT_OK;
}

drt_status drt_decompress(drt_context *context, const void *frame, size_t length, size_t limit, drt_buffer *data) {
    ZSTD_DCtx *decompressor = ZSTD_createDCtx();
    if (!decompressor)
        return drt_fail_memory(context, "compressed text");
    ZSTD_inBuffer in = {frame, length, 0};
    drt_status status = decompress_all(context, decompressor, &in, limit, data);
    if (status == DRT_OK && in.pos < in.size)
        status = drt_fail(context, DRT_FAILED, "compressed data is damaged: bytes follow it");
    ZSTD_freeDCtx(decompressor);
    return status;
}
