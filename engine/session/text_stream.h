/* text_stream.h: token ids -> text, as they come. The pieces put together are what decoding all ids
 * at once gives, and each holds whole characters only. May use: base, tokenizer. */
#ifndef DRT_SESSION_TEXT_STREAM_H
#define DRT_SESSION_TEXT_STREAM_H

#include "engine/base/buffer.h"
#include "engine/base/context.h"

/* Ids -> owned UTF-8, as drt_tokenizer_decode: incomplete byte sequences become U+FFFD. */
typedef int (*drt_decode_fn)(const void *decoder, const int32_t *ids, size_t count, char **text, size_t *length,
                             char *error, size_t error_size);

typedef struct {
    drt_decode_fn decode;
    const void *decoder;
    size_t base;  /* first id of the window that is decoded again for each new id */
    size_t given; /* bytes of the window's text given out */
} drt_text_stream;

/* ids (count): all so far; the last one, or `last` (no more will come), is new. Appends the text that
 * can't change any more. DRT_FAILED when an id can't be decoded. */
drt_status drt_text_stream_add(drt_context *context, drt_text_stream *stream, const int32_t *ids, size_t count,
                               bool last, drt_buffer *text);

#endif
