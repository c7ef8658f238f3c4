/* chunker.c: text -> chunks of tokens with byte ranges. See chunker.h. */
#include "engine/session/chunker.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/base/utf8.h"
#include "engine/session/pieces.h"

#define REPEATED_TOKENS 40 /* of a question in its reading chunk */
#define ANSWER_ROOM 24     /* slots a small chunk keeps for the rest of it */

/* Encodes text[start, end), in parts. */
static drt_status encode(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t start,
                         size_t end, drt_piece_fn each, void *user) {
    drt_buffer scratch = {0};
    drt_status status = DRT_OK;
    while (status == DRT_OK && start < end) {
        size_t length = drt_part_length(text + start, end - start);
        if (drt_cancelled(context))
            status = drt_fail(context, DRT_FAILED, "encoding was cancelled");
        else
            status = drt_part_encode(context, tokenizer, &scratch, text, start, start + length, each, user);
        start += length;
    }
    drt_buffer_free(&scratch);
    return status;
}

/* -------------------------------------------------------------- chunks of a document ---- */

typedef struct {
    drt_chunks *chunks;
    size_t chunk_size, capacity; /* capacity in chunks */
    size_t filled;               /* slots of the last chunk; S-1 at the start: the first token opens one */
    const char *text;
    size_t length;
} builder;

static bool grow(builder *b) {
    if (b->chunks->n_chunks < b->capacity)
        return true;
    size_t capacity = b->capacity ? 2 * b->capacity : 16;
    if (capacity > SIZE_MAX / sizeof(drt_range) || capacity > SIZE_MAX / sizeof(int32_t) / b->chunk_size)
        return false;
    int32_t *tokens = realloc(b->chunks->tokens, capacity * b->chunk_size * sizeof *tokens);
    if (!tokens)
        return false;
    b->chunks->tokens = tokens;
    drt_range *ranges = realloc(b->chunks->ranges, capacity * sizeof *ranges);
    if (!ranges)
        return false;
    b->chunks->ranges = ranges;
    b->capacity = capacity;
    return true;
}

/* A chunk of pads, closed by its landmark, with an empty range behind the one before. */
static bool open_chunk(builder *b) {
    if (!grow(b))
        return false;
    drt_chunks *chunks = b->chunks;
    int32_t *tokens = chunks->tokens + chunks->n_chunks * b->chunk_size;
    for (size_t i = 0; i + 1 < b->chunk_size; i++)
        tokens[i] = DRT_TOKEN_PAD;
    tokens[b->chunk_size - 1] = DRT_TOKEN_LANDMARK;
    int64_t at = chunks->n_chunks ? chunks->ranges[chunks->n_chunks - 1].end : 0;
    chunks->ranges[chunks->n_chunks++] = (drt_range){at, at};
    b->filled = 0;
    return true;
}

static bool add_token(builder *b, int32_t id) {
    if (b->filled == b->chunk_size - 1 && !open_chunk(b))
        return false;
    b->chunks->tokens[(b->chunks->n_chunks - 1) * b->chunk_size + b->filled++] = id;
    b->chunks->n_tokens++;
    return true;
}

static bool add_piece(void *user, int32_t id, size_t start, size_t end) {
    builder *b = user;
    if (!add_token(b, id))
        return false;
    if (start == end)
        return true;
    drt_range *range = &b->chunks->ranges[b->chunks->n_chunks - 1];
    int64_t first = (int64_t)drt_utf8_floor(b->text, b->length, start);
    int64_t last = (int64_t)drt_utf8_ceil(b->text, b->length, end);
    if (range->start == range->end)
        *range = (drt_range){first, last};
    else if (last > range->end)
        range->end = last;
    return true;
}

static drt_status add_paragraphs(drt_context *context, const drt_tokenizer *tokenizer, builder *b) {
    size_t next;
    if (!add_token(b, DRT_TOKEN_DOCUMENT))
        return drt_fail_memory(context, "tokens");
    for (size_t start = 0; start < b->length; start = next) {
        size_t end = drt_paragraph_end(b->text, b->length, start, &next);
        int64_t before = b->chunks->n_tokens;
        drt_status status = encode(context, tokenizer, b->text, start, end, add_piece, b);
        if (status != DRT_OK)
            return status;
        if (b->chunks->n_tokens > before && !add_token(b, DRT_TOKEN_PARAGRAPH))
            return drt_fail_memory(context, "tokens");
    }
    return DRT_OK;
}

drt_status drt_chunks_build(drt_context *context, const drt_tokenizer *tokenizer, int chunk_size, const char *text,
                            size_t length, drt_chunks *chunks) {
    *chunks = (drt_chunks){0};
    if (drt_utf8_valid_prefix(text, length) != length)
        return drt_fail(context, DRT_FAILED, "the text is not valid UTF-8 at byte %zu",
                        drt_utf8_valid_prefix(text, length));
    builder b = {
        .chunks = chunks,
        .chunk_size = (size_t)chunk_size,
        .filled = (size_t)chunk_size - 1,
        .text = text,
        .length = length,
    };
    drt_status status = add_paragraphs(context, tokenizer, &b);
    if (status != DRT_OK || chunks->n_tokens == 1) /* <doc> alone: there was no text */
        drt_chunks_clear(chunks);
    return status;
}

void drt_chunks_clear(drt_chunks *chunks) {
    free(chunks->tokens);
    free(chunks->ranges);
    *chunks = (drt_chunks){0};
}

/* ---------------------------------------------------------------------- questions ---- */

static bool append_id(void *user, int32_t id, size_t start, size_t end) {
    (void)start, (void)end;
    return drt_buffer_append(user, &id, sizeof id);
}

drt_status drt_question_encode(drt_context *context, const drt_tokenizer *tokenizer, const char *question,
                               size_t length, int32_t **tokens, size_t *count) {
    drt_buffer ids = {0};
    *tokens = NULL;
    *count = 0;
    drt_status status = encode(context, tokenizer, question, 0, length, append_id, &ids);
    if (status != DRT_OK) {
        drt_buffer_free(&ids);
        return status;
    }
    *tokens = (int32_t *)(void *)ids.data;
    *count = ids.length / sizeof **tokens;
    return DRT_OK;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

size_t drt_question_chunk(const int32_t *question, size_t count, int chunk_size, int32_t *out) {
    size_t room = (size_t)chunk_size - 2, kept = smaller(count, room), at = 0;
    while (at < room - kept)
        out[at++] = DRT_TOKEN_PAD;
    out[at++] = DRT_TOKEN_QUESTION;
    for (size_t i = count - kept; i < count; i++)
        out[at++] = question[i];
    out[at] = DRT_TOKEN_LANDMARK;
    return kept;
}

size_t drt_reading_prefix(const int32_t *question, size_t count, int chunk_size, int32_t *out) {
    size_t room = chunk_size > ANSWER_ROOM ? (size_t)(chunk_size - ANSWER_ROOM) : 0;
    size_t kept = smaller(count, smaller(room, REPEATED_TOKENS)), at = 0;
    out[at++] = DRT_TOKEN_QUESTION;
    for (size_t i = count - kept; i < count; i++)
        out[at++] = question[i];
    out[at++] = DRT_TOKEN_ANSWER;
    return at;
}
