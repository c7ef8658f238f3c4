/* text_stream.c: incremental decoding. See text_stream.h.
 *
 * A piece's text depends on its neighbours in two ways: the very first piece loses its leading space,
 * and byte pieces form characters together. So a window of ids is decoded again for each new one;
 * what differs is the new text. A tail of U+FFFD may still become a character and is held back. The
 * window moves on from time to time, to start at an id with text of its own, which keeps the
 * tokenizer from taking the next piece for the first. */
#include "engine/session/text_stream.h"

#include <stdlib.h>
#include <string.h>

#define WINDOW 64 /* ids; the work for an answer of n ids is n * WINDOW */

static const char replacement[] = "\xEF\xBF\xBD"; /* U+FFFD */
#define REPLACEMENT_SIZE (sizeof replacement - 1)

/* Length without the tail of U+FFFD. */
static size_t settled_length(const char *text, size_t length) {
    while (length >= REPLACEMENT_SIZE && memcmp(text + length - REPLACEMENT_SIZE, replacement, REPLACEMENT_SIZE) == 0)
        length -= REPLACEMENT_SIZE;
    return length;
}

static drt_status decode(drt_context *context, const drt_text_stream *stream, const int32_t *ids, size_t count,
                         char **text, size_t *length) {
    char error[256];
    if (stream->decode(stream->decoder, ids, count, text, length, error, sizeof error) == 0)
        return DRT_OK;
    return drt_fail(context, DRT_FAILED, "the answer cannot be turned into text: %s", error);
}

/* All text so far was given out: the window may start at the newest id, if that has text alone. */
static drt_status move_window(drt_context *context, drt_text_stream *stream, const int32_t *ids, size_t count) {
    char *text;
    size_t length;
    drt_status status = decode(context, stream, ids + count - 1, 1, &text, &length);
    if (status != DRT_OK)
        return status;
    if (length > 0 && settled_length(text, length) == length) {
        stream->base = count - 1;
        stream->given = length;
    }
    free(text);
    return DRT_OK;
}

drt_status drt_text_stream_add(drt_context *context, drt_text_stream *stream, const int32_t *ids, size_t count,
                               bool last, drt_buffer *out) {
    char *text;
    size_t length;
    drt_status status = decode(context, stream, ids + stream->base, count - stream->base, &text, &length);
    if (status != DRT_OK)
        return status;
    size_t settled = last ? length : settled_length(text, length);
    if (settled > stream->given) {
        if (!drt_buffer_append(out, text + stream->given, settled - stream->given))
            status = drt_fail_memory(context, "an answer");
        stream->given = settled;
    }
    free(text);
    if (status == DRT_OK && settled == length && count - stream->base > WINDOW)
        status = move_window(context, stream, ids, count);
    return status;
}
