/* slots.c: finds a stored chunk among the tokens of its text. See slots.h. */
#include "engine/session/slots.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/session/pieces.h"

/* ------------------------------------------------------------------------ parts of a text ---- */

/* A part of a paragraph; all zero: before the first one. */
typedef struct {
    size_t start, end;
    size_t paragraph_end, next_paragraph;
} part;

static bool next_part(const char *text, size_t length, part *p) {
    if (p->end == p->paragraph_end) {
        if (p->next_paragraph >= length)
            return false;
        p->start = p->next_paragraph;
        p->paragraph_end = drt_paragraph_end(text, length, p->start, &p->next_paragraph);
    } else {
        p->start = p->end;
    }
    p->end = p->start + drt_part_length(text + p->start, p->paragraph_end - p->start);
    return true;
}

/* The parts up to the one that holds byte `at` -> parts. */
static drt_status list_parts(drt_context *context, const char *text, size_t length, size_t at, drt_buffer *parts) {
    for (part p = {0}; next_part(text, length, &p);) {
        if (!drt_buffer_append(parts, &p, sizeof p))
            return drt_fail_memory(context, "parts of a text");
        if (p.end > at)
            break;
    }
    return DRT_OK;
}

/* --------------------------------------------------------------------------------- tokens ---- */

/* Ranges of successive tokens, in whole characters; empty ones of tokens that stand for no text. */
typedef struct {
    const drt_tokenizer *tokenizer;
    const char *text;
    size_t length;
    drt_buffer ranges, scratch;
    int64_t end; /* largest end so far */
} tokens;

static size_t count_of(const tokens *t) {
    return t->ranges.length / sizeof(drt_range);
}

static const drt_range *ranges_of(const tokens *t) {
    return (const drt_range *)(const void *)t->ranges.data;
}

static bool add_range(void *user, int32_t id, size_t start, size_t end) {
    (void)id;
    tokens *t = user;
    drt_range range = {t->end, t->end};
    if (start < end) {
        range.start = (int64_t)drt_utf8_floor(t->text, t->length, start);
        range.end = (int64_t)drt_utf8_ceil(t->text, t->length, end);
    }
    if (range.end > t->end)
        t->end = range.end;
    return drt_buffer_append(&t->ranges, &range, sizeof range);
}

/* The part's tokens, and <par> where its paragraph ends. */
static drt_status add_part(drt_context *context, tokens *t, const part *p) {
    size_t before = count_of(t);
    drt_status status = drt_part_encode(context, t->tokenizer, &t->scratch, t->text, p->start, p->end, add_range, t);
    if (status == DRT_OK && p->end == p->paragraph_end && count_of(t) > before &&
        !add_range(t, DRT_TOKEN_PARAGRAPH, 0, 0))
        status = drt_fail_memory(context, "tokens");
    return status;
}

/* Tokens from before the text of the first chunk until after that of the last one, or to the text's end. *opened:
 * they start with the document's <doc>. *ended: they end with its last token. */
static drt_status encode_around(drt_context *context, tokens *t, const drt_range *ranges, size_t n, bool *opened,
                                bool *ended) {
    drt_buffer list = {0};
    drt_status status = list_parts(context, t->text, t->length, (size_t)ranges[0].start, &list);
    const part *parts = (const part *)(const void *)list.data;
    size_t n_parts = list.length / sizeof *parts, first = n_parts ? n_parts - 1 : 0;
    /* One part with tokens before the chunk's own: a <par> may lead the chunk. */
    for (size_t found = 0; status == DRT_OK && first > 0 && !found; found = count_of(t)) {
        t->ranges.length = 0;
        status = add_part(context, t, &parts[--first]);
    }
    t->ranges.length = 0;
    t->end = 0;
    *opened = first == 0;
    *ended = false;
    if (status == DRT_OK && *opened && !add_range(t, DRT_TOKEN_DOCUMENT, 0, 0))
        status = drt_fail_memory(context, "tokens");
    part p = {0};
    if (first > 0)
        p = parts[first - 1];
    while (status == DRT_OK && !*ended && t->end <= ranges[n - 1].end) {
        if (next_part(t->text, t->length, &p))
            status = add_part(context, t, &p);
        else
            *ended = true;
    }
    drt_buffer_free(&list);
    return status;
}

/* -------------------------------------------------------------------------------- matching ---- */

/* The range of a chunk of these tokens, as drt_chunks_build counts it. */
static drt_range range_of(const drt_range *at, size_t n) {
    drt_range range = {0};
    for (size_t i = 0; i < n; i++) {
        if (at[i].start == at[i].end)
            continue;
        if (range.start == range.end)
            range = at[i];
        else if (at[i].end > range.end)
            range.end = at[i].end;
    }
    return range;
}

/* Are these the chunks when the first one starts with token `from`? */
static bool fits(const tokens *t, size_t from, size_t per_chunk, const drt_range *ranges, size_t n, bool ended) {
    const drt_range *all = ranges_of(t);
    size_t count = count_of(t);
    for (size_t k = 0; k < n; k++, from += per_chunk) {
        if (from >= count)
            return false;
        size_t left = count - from, size = left < per_chunk ? left : per_chunk;
        if (size < per_chunk && !(ended && k + 1 == n)) /* only a document's last chunk is padded */
            return false;
        drt_range range = range_of(all + from, size);
        bool no_text = range.start == range.end && ranges[k].start == ranges[k].end;
        if (!no_text && (range.start != ranges[k].start || range.end != ranges[k].end))
            return false;
    }
    return true;
}

/* Slots of the chunk that starts with token `from`; pads and the landmark stand behind it. */
static void fill_slots(const tokens *t, size_t from, size_t chunk_size, const drt_range *chunk, drt_range *slots) {
    int64_t end = chunk->start;
    for (size_t i = 0; i < chunk_size; i++) {
        bool text = i + 1 < chunk_size && from + i < count_of(t);
        drt_range range = text ? ranges_of(t)[from + i] : (drt_range){0};
        slots[i] = range.start < range.end ? range : (drt_range){end, end};
        if (slots[i].end > end)
            end = slots[i].end;
    }
}

static drt_status match(drt_context *context, const tokens *t, size_t chunk_size, const drt_range *ranges, size_t n,
                        const bool may_start[2], bool ended, drt_range *slots, drt_slots_result *result) {
    size_t per_chunk = chunk_size - 1, size = chunk_size * sizeof *slots;
    drt_range *other = malloc(size);
    if (!other)
        return drt_fail_memory(context, "slots");
    for (size_t from = 0; from < count_of(t) && *result != DRT_SLOTS_SEVERAL; from++) {
        if (!may_start[from > 0] || !fits(t, from, per_chunk, ranges, n, ended))
            continue;
        fill_slots(t, from + (n - 1) * per_chunk, chunk_size, &ranges[n - 1], other);
        if (*result == DRT_SLOTS_NONE)
            memcpy(slots, other, size);
        else if (memcmp(slots, other, size) != 0)
            *result = DRT_SLOTS_SEVERAL;
        if (*result == DRT_SLOTS_NONE)
            *result = DRT_SLOTS_FOUND;
    }
    free(other);
    return DRT_OK;
}

drt_status drt_slots_locate(drt_context *context, const drt_tokenizer *tokenizer, int chunk_size, const char *text,
                            size_t length, const drt_range *ranges, size_t n, bool opens_document, drt_range *slots,
                            drt_slots_result *result) {
    tokens t = {.tokenizer = tokenizer, .text = text, .length = length};
    bool opened, ended;
    *result = DRT_SLOTS_NONE;
    drt_status status = encode_around(context, &t, ranges, n, &opened, &ended);
    if (status == DRT_OK) {
        /* <doc> starts the first chunk and no other. */
        const bool may_start[2] = {opened == opens_document, !opens_document};
        status = match(context, &t, (size_t)chunk_size, ranges, n, may_start, ended, slots, result);
    }
    drt_buffer_free(&t.ranges);
    drt_buffer_free(&t.scratch);
    return status;
}

drt_status drt_slots_encode(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t length,
                            drt_buffer *ranges) {
    tokens t = {.tokenizer = tokenizer, .text = text, .length = length};
    drt_status status = add_range(&t, DRT_TOKEN_DOCUMENT, 0, 0) ? DRT_OK : drt_fail_memory(context, "tokens");
    for (part p = {0}; status == DRT_OK && next_part(text, length, &p);)
        status = add_part(context, &t, &p);
    drt_buffer_free(&t.scratch);
    *ranges = t.ranges;
    return status;
}

bool drt_slots_at(const drt_buffer *ranges, int chunk_size, size_t index, const drt_range *chunk, drt_range *slots) {
    const tokens t = {.ranges = *ranges};
    size_t per_chunk = (size_t)chunk_size - 1, from = index * per_chunk;
    if (!fits(&t, from, per_chunk, chunk, 1, true))
        return false;
    fill_slots(&t, from, (size_t)chunk_size, chunk, slots);
    return true;
}
