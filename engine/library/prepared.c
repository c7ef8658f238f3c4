/* prepared.c: a text as the catalog keeps it. See store.h, prepared.h. */
#include "engine/library/prepared.h"

#include <stdlib.h>

#include "engine/base/utf8.h"
#include "engine/library/compress.h"

#define PARTS_OF_A_TASK 16            /* 1 MiB of text */
#define MOST_WORDS ((size_t)64 << 20) /* bytes of text; a larger one's words would take too much room */

/* ------------------------------------------------------------------------------- start ---- */

static size_t part_end(const char *text, size_t length, size_t start) {
    if (length - start <= DRT_TEXT_PART_SIZE)
        return length;
    size_t end = drt_utf8_floor(text, length, start + DRT_TEXT_PART_SIZE);
    return end > start ? end : start + DRT_TEXT_PART_SIZE; /* no UTF-8 at all */
}

static bool cut_parts(drt_prepared *prepared, const char *text) {
    size_t capacity = prepared->length / (DRT_TEXT_PART_SIZE - 3) + 1; /* a part loses 3 bytes of a character at most */
    prepared->parts = calloc(capacity, sizeof *prepared->parts);
    if (!prepared->parts)
        return false;
    for (size_t start = 0; start < prepared->length; start = part_end(text, prepared->length, start))
        prepared->parts[prepared->n_parts++].start = (int64_t)start;
    return true;
}

drt_status drt_prepared_start(drt_context *context, const char *text, size_t length, size_t n_chunks, bool words,
                              drt_prepared **out) {
    drt_prepared *prepared = calloc(1, sizeof *prepared);
    *out = prepared;
    if (!prepared)
        return drt_fail_memory(context, "a text");
    prepared->length = length;
    prepared->n_chunks = n_chunks;
    bool ok = cut_parts(prepared, text);
    if (ok && words && length <= MOST_WORDS) {
        prepared->n_words = (n_chunks + DRT_WORDS_CHUNKS - 1) / DRT_WORDS_CHUNKS;
        prepared->words = calloc(prepared->n_words + 1, sizeof *prepared->words);
        ok = prepared->words != NULL;
    }
    if (ok)
        return DRT_OK;
    drt_prepared_free(prepared);
    *out = NULL;
    return drt_fail_memory(context, "a text");
}

void drt_words_free(drt_words *words, size_t n) {
    for (size_t i = 0; words && i < n; i++) {
        drt_buffer_free(&words[i].terms);
        free(words[i].ends);
    }
    free(words);
}

void drt_prepared_free(drt_prepared *prepared) {
    if (!prepared)
        return;
    for (size_t i = 0; i < prepared->n_parts; i++)
        drt_string_free(&prepared->parts[i].frame);
    free(prepared->parts);
    drt_words_free(prepared->words, prepared->n_words);
    free(prepared);
}

size_t drt_prepared_bytes(const drt_prepared *prepared) {
    size_t bytes = 0;
    for (size_t i = 0; i < prepared->n_parts; i++)
        bytes += prepared->parts[i].frame.length;
    for (size_t i = 0; prepared->words && i < prepared->n_words; i++)
        bytes += prepared->words[i].terms.capacity + DRT_WORDS_CHUNKS * sizeof *prepared->words[i].ends;
    return bytes;
}

/* ------------------------------------------------------------------------------- tasks ---- */

static bool is_border(const char *text, size_t length, int64_t at) {
    return at == (int64_t)length || ((unsigned char)text[at] & 0xC0) != 0x80;
}

static bool is_sound(const char *text, size_t length, const drt_range *range) {
    return range->start >= 0 && range->end >= range->start && range->end <= (int64_t)length &&
           is_border(text, length, range->start) && is_border(text, length, range->end);
}

bool drt_ranges_are_sound(const char *text, size_t length, const drt_range *ranges, size_t n) {
    for (size_t i = 0; i < n; i++)
        if (!is_sound(text, length, &ranges[i]))
            return false;
    return true;
}

static size_t compress_tasks(const drt_prepared *prepared) {
    return (prepared->n_parts + PARTS_OF_A_TASK - 1) / PARTS_OF_A_TASK;
}

size_t drt_prepared_tasks(const drt_prepared *prepared) {
    return compress_tasks(prepared) + prepared->n_words;
}

/* frame: room to work in. */
static drt_status compress_part(drt_context *context, drt_prepared *prepared, const char *text, size_t i,
                                drt_buffer *frame) {
    drt_text_part *part = &prepared->parts[i];
    size_t start = (size_t)part->start;
    size_t end = i + 1 < prepared->n_parts ? (size_t)prepared->parts[i + 1].start : prepared->length;
    frame->length = 0;
    drt_status status = drt_compress(context, text + start, end - start, frame);
    if (status == DRT_OK && !drt_string_set(&part->frame, frame->data, frame->length))
        status = drt_fail_memory(context, "compressed text");
    return status;
}

static drt_status list_words(drt_context *context, drt_prepared *prepared, const drt_terms *terms, const char *text,
                             const drt_range *ranges, size_t group) {
    drt_words *words = &prepared->words[group];
    size_t first = group * DRT_WORDS_CHUNKS, left = prepared->n_chunks - first;
    size_t n = left < DRT_WORDS_CHUNKS ? left : DRT_WORDS_CHUNKS;
    drt_buffer spread = {0};
    drt_status status = DRT_OK;
    words->ends = calloc(n, sizeof *words->ends);
    if (!words->ends)
        status = drt_fail_memory(context, "the words of a text");
    else if (!drt_ranges_are_sound(text, prepared->length, ranges + first, n))
        status = drt_fail(context, DRT_FAILED, "a chunk lies outside its text");
    for (size_t i = 0; i < n && status == DRT_OK; i++) {
        const drt_range *range = &ranges[first + i];
        if (drt_terms_spread(&spread, text + range->start, (size_t)(range->end - range->start)))
            status = drt_terms_list(context, terms, spread.data, spread.length, &words->terms);
        else
            status = drt_fail_memory(context, "the words of a text");
        words->ends[i] = (uint32_t)words->terms.length;
    }
    drt_buffer_free(&spread);
    return status;
}

drt_status drt_prepared_run(drt_context *context, drt_prepared *prepared, drt_terms *terms, const char *text,
                            const drt_range *ranges, size_t task) {
    drt_status status = DRT_OK;
    drt_buffer frame = {0};
    if (task >= compress_tasks(prepared))
        return list_words(context, prepared, terms, text, ranges, task - compress_tasks(prepared));
    size_t first = task * PARTS_OF_A_TASK, end = first + PARTS_OF_A_TASK;
    for (size_t i = first; i < end && i < prepared->n_parts && status == DRT_OK; i++)
        status = compress_part(context, prepared, text, i, &frame);
    drt_buffer_free(&frame);
    return status;
}
