/* text.c: normalised text in zstd parts. See text.h. */
#include "engine/library/text.h"

#include "engine/base/utf8.h"
#include "engine/library/compress.h"

drt_status drt_text_stage(drt_context *context, const drt_catalog *catalog, int64_t document,
                          const drt_text_part *parts, size_t n_parts) {
    sqlite3_stmt *insert;
    bool row;
    drt_status status =
        drt_catalog_prepare(context, catalog, &insert, "INSERT INTO temp.new_texts VALUES (?1, ?2, ?3)", DRT_NO_VALUES);
    for (size_t i = 0; i < n_parts && status == DRT_OK; i++) {
        status = drt_catalog_rebind(context, catalog, insert,
                                    DRT_VALUES(drt_value_integer(document), drt_value_integer(parts[i].start),
                                               drt_value_blob(parts[i].frame.data, parts[i].frame.length)));
        if (status == DRT_OK)
            status = drt_catalog_step(context, catalog, insert, &row);
    }
    sqlite3_finalize(insert);
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
    if (status == DRT_OK) {
        reader->part.length = 0;
        const void *frame = sqlite3_column_blob(reader->query, 1);
        if (drt_decompress(context, frame, (size_t)sqlite3_column_bytes(reader->query, 1), DRT_TEXT_PART_SIZE,
                           &reader->part) != DRT_OK)
            status = drt_catalog_damaged(context, reader->catalog, drt_error(context));
    }
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

static drt_status check_part(drt_context *context, sqlite3_stmt *row, int64_t *at, drt_buffer *part) {
    if (sqlite3_column_int64(row, 0) != *at)
        return drt_fail(context, DRT_FAILED, "its text has a gap at byte %lld", (long long)*at);
    part->length = 0;
    drt_status status = drt_decompress(context, sqlite3_column_blob(row, 1), (size_t)sqlite3_column_bytes(row, 1),
                                       DRT_TEXT_PART_SIZE, part);
    if (status != DRT_OK)
        return status;
    size_t valid = drt_utf8_valid_prefix(part->data, part->length);
    if (valid < part->length)
        return drt_fail(context, DRT_FAILED, "its text is no UTF-8 at byte %lld", (long long)*at + (long long)valid);
    *at += (int64_t)part->length;
    return DRT_OK;
}

drt_status drt_text_check(drt_context *context, const drt_catalog *catalog, int64_t document, int64_t bytes) {
    sqlite3_stmt *parts;
    drt_buffer part = {0};
    int64_t at = 0;
    bool row = true;
    drt_status status = drt_catalog_prepare(context, catalog, &parts,
                                            "SELECT start, zstd FROM texts WHERE document = ?1 ORDER BY start",
                                            DRT_VALUES(drt_value_integer(document)));
    while (status == DRT_OK && (status = drt_catalog_step(context, catalog, parts, &row)) == DRT_OK && row)
        status = check_part(context, parts, &at, &part);
    if (status == DRT_OK && at != bytes)
        status =
            drt_fail(context, DRT_FAILED, "its text has %lld bytes instead of %lld", (long long)at, (long long)bytes);
    sqlite3_finalize(parts);
    drt_buffer_free(&part);
    return status;
}
