/* chunker.c: text -> chunks of tokens with byte ranges. See chunker.h. */
#include "engine/session/chunker.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/base/utf8.h"
#include "engine/session/pieces.h"

#define REPEATED_TOKENS 40 /* of a question in its reading chunk */
#define ANSWER_ROOM 24     /* slots a small chunk keeps for the rest of it */

/* ------------------------------------------------------------------- tokens of a text ---- */

/* Encodes text[start, end), in parts. */
static drt_status encode(drt_context *context, const drt_tokenizer *tokenizer, drt_buffer *scratch, const char *text,
                         size_t start, size_t end, drt_piece_fn each, void *user) {
    drt_status status = DRT_OK;
    while (status == DRT_OK && start < end) {
        size_t length = drt_part_length(text + start, end - start);
        if (drt_cancelled(context))
            status = drt_fail(context, DRT_FAILED, "encoding was cancelled");
        else
            status = drt_part_encode(context, tokenizer, scratch, text, start, start + length, each, user);
        start += length;
    }
    return status;
}

typedef struct {
    drt_buffer *tokens;
    size_t origin; /* what ranges are counted from */
} token_list;

static bool add_token(void *user, int32_t id, size_t start, size_t end) {
    const token_list *list = user;
    drt_token token = {id, (uint32_t)(start - list->origin), (uint32_t)(end - list->origin)};
    return drt_buffer_append(list->tokens, &token, sizeof token);
}

size_t drt_range_end(const char *text, size_t length, size_t start) {
    size_t next;
    if (length - start <= DRT_RANGE_BYTES)
        return length;
    /* Wherever one starts to look, the paragraph found next is one of the text's. */
    drt_paragraph_end(text, length, start + DRT_RANGE_BYTES, &next);
    return next;
}

drt_status drt_range_encode(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t start,
                            size_t end, drt_buffer *tokens) {
    token_list list = {tokens, start};
    drt_buffer scratch = {0};
    drt_status status = DRT_OK;
    size_t next;
    tokens->length = 0;
    if (end - start > UINT32_MAX)
        return drt_fail(context, DRT_FAILED, "a paragraph of more than 4 GiB cannot be encoded");
    for (size_t at = start; at < end && status == DRT_OK; at = next) {
        size_t paragraph = drt_paragraph_end(text, end, at, &next), before = tokens->length;
        status = encode(context, tokenizer, &scratch, text, at, paragraph, add_token, &list);
        if (status == DRT_OK && tokens->length > before && !add_token(&list, DRT_TOKEN_PARAGRAPH, paragraph, paragraph))
            status = drt_fail_memory(context, "tokens");
    }
    drt_buffer_free(&scratch);
    return status;
}

/* -------------------------------------------------------------- chunks of a document ---- */

void drt_chunker_start(drt_chunker *chunker, int chunk_size, const char *text, size_t length, drt_chunks *chunks) {
    *chunks = (drt_chunks){0};
    *chunker = (drt_chunker){
        .chunks = chunks,
        .chunk_size = (size_t)chunk_size,
        .filled = (size_t)chunk_size - 1, /* the first token opens a chunk */
        .text = text,
        .length = length,
    };
}

static bool grow(drt_chunker *c) {
    if (c->chunks->n_chunks < c->capacity)
        return true;
    size_t capacity = c->capacity ? 2 * c->capacity : 16;
    if (capacity > SIZE_MAX / sizeof(drt_range) || capacity > SIZE_MAX / sizeof(int32_t) / c->chunk_size)
        return false;
    int32_t *tokens = realloc(c->chunks->tokens, capacity * c->chunk_size * sizeof *tokens);
    if (!tokens)
        return false;
    c->chunks->tokens = tokens;
    drt_range *ranges = realloc(c->chunks->ranges, capacity * sizeof *ranges);
    if (!ranges)
        return false;
    c->chunks->ranges = ranges;
    c->capacity = capacity;
    return true;
}

/* A chunk of pads, closed by its landmark, with an empty range behind the one before. */
static bool open_chunk(drt_chunker *c) {
    if (!grow(c))
        return false;
    drt_chunks *chunks = c->chunks;
    int32_t *tokens = chunks->tokens + chunks->n_chunks * c->chunk_size;
    for (size_t i = 0; i + 1 < c->chunk_size; i++)
        tokens[i] = DRT_TOKEN_PAD;
    tokens[c->chunk_size - 1] = DRT_TOKEN_LANDMARK;
    int64_t at = chunks->n_chunks ? chunks->ranges[chunks->n_chunks - 1].end : 0;
    chunks->ranges[chunks->n_chunks++] = (drt_range){at, at};
    c->filled = 0;
    return true;
}

static bool place_token(drt_chunker *c, int32_t id) {
    if (c->filled == c->chunk_size - 1 && !open_chunk(c))
        return false;
    c->chunks->tokens[(c->chunks->n_chunks - 1) * c->chunk_size + c->filled++] = id;
    c->chunks->n_tokens++;
    return true;
}

static bool place_piece(drt_chunker *c, int32_t id, size_t start, size_t end) {
    if (!place_token(c, id))
        return false;
    if (start == end)
        return true;
    drt_range *range = &c->chunks->ranges[c->chunks->n_chunks - 1];
    int64_t first = (int64_t)drt_utf8_floor(c->text, c->length, start);
    int64_t last = (int64_t)drt_utf8_ceil(c->text, c->length, end);
    if (range->start == range->end)
        *range = (drt_range){first, last};
    else if (last > range->end)
        range->end = last;
    return true;
}

drt_status drt_chunker_add(drt_context *context, drt_chunker *c, size_t start, const drt_buffer *tokens) {
    const drt_token *token = (const drt_token *)(const void *)tokens->data;
    bool ok = c->chunks->n_tokens > 0 || place_token(c, DRT_TOKEN_DOCUMENT);
    for (size_t n = tokens->length / sizeof *token; ok && n > 0; n--, token++)
        ok = place_piece(c, token->id, start + token->start, start + token->end);
    return ok ? DRT_OK : drt_fail_memory(context, "tokens");
}

drt_status drt_chunks_build(drt_context *context, const drt_tokenizer *tokenizer, int chunk_size, const char *text,
                            size_t length, drt_chunks *chunks) {
    drt_chunker chunker;
    drt_buffer tokens = {0};
    drt_chunker_start(&chunker, chunk_size, text, length, chunks);
    size_t valid = drt_utf8_valid_prefix(text, length);
    drt_status status =
        valid == length ? DRT_OK : drt_fail(context, DRT_FAILED, "the text is not valid UTF-8 at byte %zu", valid);
    for (size_t start = 0, end; start < length && status == DRT_OK; start = end) {
        end = drt_range_end(text, length, start);
        status = drt_range_encode(context, tokenizer, text, start, end, &tokens);
        if (status == DRT_OK)
            status = drt_chunker_add(context, &chunker, start, &tokens);
    }
    drt_buffer_free(&tokens);
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
    drt_buffer ids = {0}, scratch = {0};
    *tokens = NULL;
    *count = 0;
    drt_status status = encode(context, tokenizer, &scratch, question, 0, length, append_id, &ids);
    drt_buffer_free(&scratch);
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
