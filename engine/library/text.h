/* text.h: a document's normalised text in the catalog: parts of at most 64 KiB, cut between characters,
 * each a zstd frame, so that the text of one chunk costs one or two parts however large the document is.
 * May use: catalog.h, compress.h. */
#ifndef DRT_LIBRARY_TEXT_H
#define DRT_LIBRARY_TEXT_H

#include "engine/library/catalog.h"

#define DRT_TEXT_PART_SIZE ((size_t)64 << 10)

typedef struct {
    int64_t start; /* its first byte's place in the text */
    drt_string frame;
} drt_text_part;

/* Stages the parts of a new document's text in temp.new_texts, in a transaction of the caller's. */
drt_status drt_text_stage(drt_context *context, const drt_catalog *catalog, int64_t document,
                          const drt_text_part *parts, size_t n_parts);

/* Reads ranges of one document after another; ascending ones decompress each part once. */
typedef struct {
    const drt_catalog *catalog;
    sqlite3_stmt *query;
    int64_t document;
    int64_t part_start; /* of the part in `part`; -1: none */
    drt_buffer part;
} drt_text_reader;

drt_status drt_text_reader_open(drt_context *context, const drt_catalog *catalog, drt_text_reader *reader);
void drt_text_reader_close(drt_text_reader *reader);
/* Replaces out's contents by bytes [start, end) of the document. DRT_FAILED: there is no such text (never was,
 * or compacted away); DRT_FATAL: it is damaged. */
drt_status drt_text_reader_slice(drt_context *context, drt_text_reader *reader, int64_t document, int64_t start,
                                 int64_t end, drt_buffer *out);
/* Are the document's parts `bytes` bytes of UTF-8, without a gap? DRT_FAILED says what is wrong. */
drt_status drt_text_check(drt_context *context, const drt_catalog *catalog, int64_t document, int64_t bytes);

#endif
