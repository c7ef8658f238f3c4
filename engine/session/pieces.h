/* pieces.h: text -> the pieces of its parts. What a document's chunks and the slots of one chunk are
 * both counted in. May use: base, tokenizer. */
#ifndef DRT_SESSION_PIECES_H
#define DRT_SESSION_PIECES_H

#include "engine/base/buffer.h"
#include "engine/base/context.h"
#include "tokenizer/tokenizer.h"

/* Where the paragraph at `start` ends: before the next line break that only white space parts from
 * another one. *next: where the following paragraph starts. */
size_t drt_paragraph_end(const char *text, size_t length, size_t start, size_t *next);

/* Bytes of the next part, which is encoded at once: all that is left, or up to the last space within
 * 64 KiB; a word longer than that is cut between characters. */
size_t drt_part_length(const char *text, size_t length);

/* Receives each piece, its range counted from the whole text. false: out of memory. */
typedef bool (*drt_piece_fn)(void *user, int32_t id, size_t start, size_t end);

/* Encodes the part text[start, end); line breaks in it are spaces to the network. scratch: kept from
 * part to part, freed by the caller. Does not poll for cancellation. */
drt_status drt_part_encode(drt_context *context, const drt_tokenizer *tokenizer, drt_buffer *scratch, const char *text,
                           size_t start, size_t end, drt_piece_fn each, void *user);

#endif
