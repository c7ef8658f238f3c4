/* text.c: normalised text in zstd parts. See text.h. */
#include "engine/library/text.h"

#include <stdlib.h>
#include <zstd.h>

#define COMPRESSION_LEVEL 3

static drt_status stage_part(drt_context *context, const drt_catalog *catalog, ZSTD_CCtx *compressor,
                             sqlite3_stmt *insert, int64_t document, int64_t start, const char *text, size_t length) {
    size_t bound = ZSTD_compressBound(length);
    void *frame = malloc(bound);
    if (!frame)
        return drt_fail_memory(context, "compressed text");
    size_t size = ZSTD_compress2(compressor, frame, bound, text, length);
    bool row;
    drt_status status = ZSTD_isError(size)
                            ? drt_fail(context, DRT_FATAL, "zstd: %s", ZSTD_getErrorName(size))
                            : drt_catalog_rebind(context, catalog, insert,
                                                 DRT_VALUES(drt_value_integer(document), drt_value_integer(start),
                                                            drt_value_blob(frame, size)));
    if (status == DRT_OK)
        status = drt_catalog_step(context, catalog, insert, &row);
    free(frame);
    return status;
}

drt_status drt_text_stage(drt_context *context, const drt_catalog *catalog, int64_t document, const char *text,
                          size_t length) {
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    if (!compressor)
        return drt_fail_memory(context, "compressed text");
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_compressionLevel, COMPRESSION_LEVEL);
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1);
    sqlite3_stmt *insert;
    drt_status status =
        drt_catalog_prepare(context, catalog, &insert, "INSERT INTO temp.new_texts VALUES (?1, ?2, ?3)", DRT_NO_VALUES);
    for (size_t start = 0; start < length && status == DRT_OK; start += DRT_TEXT_PART_SIZE) {
        size_t left = length - start;
        size_t part = left < DRT_TEXT_PART_SIZE ? left : DRT_TEXT_PART_SIZE;
        status = stage_part(context, catalog, compressor, insert, document, (int64_t)start, text + start, part);
    }
    sqlite3_finalize(insert);
    ZSTD_freeCCtx(compressor);
    return status;
}

drt_status drt_text_reader_open(drt_context *context, const drt_catalog *catalog, drt_text_reader *reader) {
    *reader = (drt_text_reader){.catalog = catalog, .part_start = -1};
    return drt_catalog_prepare(context, catalog, &reader->query,
                               "SELECT start, zstd FROM texts WHERE document = ?1 AND start <= ?2"
                               " ORDER BY start DESC LIMIT 1",
                               DRT_NO_VALUES);
}

void drt_text_reader_close(drt_text_reader *reader) {
    sqlite3_finalize(reader->query);
    drt_buffer_free(&reader->part);
    *reader = (drt_text_reader){0};
}

static drt_status decompress(drt_context *context, drt_text_reader *reader, const void *frame, size_t size) {
    /* No part is larger, whatever a damaged frame claims. */
    reader->part.length = 0;
    if (!drt_buffer_reserve(&reader->part, DRT_TEXT_PART_SIZE))
        return drt_fail_memory(context, "a text");
    size_t length = ZSTD_decompress(reader->part.data, DRT_TEXT_PART_SIZE, frame, size);
    if (ZSTD_isError(length))
        return drt_catalog_damaged(context, reader->catalog, "a text does not decompress");
    reader->part.length = length;
    return DRT_OK;
}

/* Brings the part that holds byte `at` into reader->part. */
static drt_status load_part(drt_context *context, drt_text_reader *reader, int64_t document, int64_t at) {
    bool row = false;
    reader->part_start = -1;
    drt_status status = drt_catalog_rebind(context, reader->catalog, reader->query,
                                           DRT_VALUES(drt_value_integer(document), drt_value_integer(at)));
    if (status == DRT_OK)
        status = drt_catalog_step(context, reader->catalog, reader->query, &row);
    if (status == DRT_OK && !row)
        status =
            drt_fail(context, DRT_FAILED, "the text of doc:%lld is not in the library any more", (long long)document);
    if (status == DRT_OK)
        status = decompress(context, reader, sqlite3_column_blob(reader->query, 1),
                            (size_t)sqlite3_column_bytes(reader->query, 1));
    if (status == DRT_OK) {
        reader->document = document;
        reader->part_start = sqlite3_column_int64(reader->query, 0);
    }
    sqlite3_reset(reader->query);
    return status;
}

drt_status drt_text_reader_slice(drt_context *context, drt_text_reader *reader, int64_t document, int64_t start,
                                 int64_t end, drt_buffer *out) {
    out->length = 0;
    if (start < 0 || end < start)
        return drt_catalog_damaged(context, reader->catalog, "a chunk's range is impossible");
    while (start < end) {
        bool loaded = reader->part_start >= 0 && reader->document == document && start >= reader->part_start &&
                      start - reader->part_start < (int64_t)reader->part.length;
        if (!loaded) {
            drt_status status = load_part(context, reader, document, start);
            if (status != DRT_OK)
                return status;
        }
        int64_t at = start - reader->part_start;
        if (at < 0 || at >= (int64_t)reader->part.length)
            return drt_catalog_damaged(context, reader->catalog, "a text is shorter than its chunks say");
        int64_t there = (int64_t)reader->part.length - at;
        int64_t wanted = end - start < there ? end - start : there;
        if (!drt_buffer_append(out, reader->part.data + at, (size_t)wanted))
            return drt_fail_memory(context, "a text");
        start += wanted;
    }
    return DRT_OK;
}
