/* chunker.h: normalised text -> tokens in chunks, each with its byte range. Also question chunks.
 *
 * Tokens of a document: <doc>, then per paragraph (blank line between) its pieces and <par>. Chunks
 * of S-1 tokens, each closed by <lmk>; the last one padded with <pad>. Formulas: DESIGN.md "Text and
 * tokens", insert_landmarks and question_chunks in drt_reference.py. May use: base, tokenizer. */
#ifndef DRT_SESSION_CHUNKER_H
#define DRT_SESSION_CHUNKER_H

#include "engine/base/buffer.h"
#include "tokenizer/tokenizer.h"

typedef struct {
    int32_t *tokens;   /* (n_chunks, S) */
    drt_range *ranges; /* (n_chunks) whole characters; start == end: no text token */
    size_t n_chunks;
    int64_t n_tokens; /* <doc>, pieces and <par>; neither pads nor landmarks */
} drt_chunks;

/* text is normalised (see corpus.h); invalid UTF-8 fails. Empty text gives 0 chunks. Ranges of
 * successive chunks neither start nor end earlier than those before; they overlap by one character
 * where a chunk's border falls between the pieces of it. Polls for cancellation. */
drt_status drt_chunks_build(drt_context *context, const drt_tokenizer *tokenizer, int chunk_size, const char *text,
                            size_t length, drt_chunks *chunks);
void drt_chunks_clear(drt_chunks *chunks);

/* The same in steps, so that several threads can share a text and no more than some ranges of it are held as tokens:
 * the text is cut into ranges, each is encoded by itself, and their tokens are added in order. */
#define DRT_RANGE_BYTES ((size_t)256 << 10)

/* A token and the bytes it stands for, counted from the start of its range. */
typedef struct {
    int32_t id;
    uint32_t start, end;
} drt_token;

/* Where the range that begins at `start` ends: at a paragraph, DRT_RANGE_BYTES or more behind it. */
size_t drt_range_end(const char *text, size_t length, size_t start);
/* Replaces what is in `tokens` by the drt_token of text[start, end): pieces and <par>. Polls for cancellation. */
drt_status drt_range_encode(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t start,
                            size_t end, drt_buffer *tokens);

typedef struct {
    drt_chunks *chunks;
    const char *text;
    size_t length;
    size_t chunk_size, capacity; /* capacity in chunks */
    size_t filled;               /* slots of the last chunk */
} drt_chunker;

/* Empties *chunks. text is valid UTF-8. */
void drt_chunker_start(drt_chunker *chunker, int chunk_size, const char *text, size_t length, drt_chunks *chunks);
/* Adds the tokens of the next range, which begins at `start`. */
drt_status drt_chunker_add(drt_context *context, drt_chunker *chunker, size_t start, const drt_buffer *tokens);

/* Tokens of a question: pieces of its text (no control ids); line breaks count as spaces. *tokens is
 * owned (free), NULL when there are none. */
drt_status drt_question_encode(drt_context *context, const drt_tokenizer *tokenizer, const char *question,
                               size_t length, int32_t **tokens, size_t *count);
/* The question chunk: S-2-n pads, <q>, the last n <= S-2 tokens, <lmk> -> out (S). Returns n. */
size_t drt_question_chunk(const int32_t *question, size_t count, int chunk_size, int32_t *out);
/* What the reading chunk starts with: <q>, the question's last 40 tokens (fewer in smaller chunks:
 * at most S-24), <a> -> out (room for 42). Returns how many were written. */
size_t drt_reading_prefix(const int32_t *question, size_t count, int chunk_size, int32_t *out);

#endif
