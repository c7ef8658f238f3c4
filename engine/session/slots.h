/* slots.h: which bytes each slot of a stored chunk stands for. Libraries keep a chunk's range only, so the
 * paragraphs around it are encoded once more and the chunk is found among their tokens.
 * May use: pieces.h, chunker.h. */
#ifndef DRT_SESSION_SLOTS_H
#define DRT_SESSION_SLOTS_H

#include "engine/base/buffer.h"
#include "engine/session/chunker.h"

typedef enum {
    DRT_SLOTS_FOUND,
    DRT_SLOTS_SEVERAL, /* the ranges fit in more than one way: more chunks before them would tell */
    DRT_SLOTS_NONE     /* no such chunk can come of this text */
} drt_slots_result;

/* text: the document's normalised text; ranges (n >= 1): successive chunks of it, as stored, the last of them the
 * wanted one; opens_document: the first of them is the document's first chunk. slots (chunk_size) is filled when
 * FOUND, in order, as drt_hit.slots. */
drt_status drt_slots_locate(drt_context *context, const drt_tokenizer *tokenizer, int chunk_size, const char *text,
                            size_t length, const drt_range *ranges, size_t n, bool opens_document, drt_range *slots,
                            drt_slots_result *result);

/* The same by counting from the document's start, which leaves nothing open but encodes all of the text. ranges:
 * freed by the caller; one drt_range a token. */
drt_status drt_slots_encode(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t length,
                            drt_buffer *ranges);
/* The slots of the document's chunk `index`, counted from 0. false: its tokens have not this range. */
bool drt_slots_at(const drt_buffer *ranges, int chunk_size, size_t index, const drt_range *chunk, drt_range *slots);

#endif
