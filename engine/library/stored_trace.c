/* stored_trace.c: an answer's trace as bytes. See stored_trace.h. */
#include "engine/library/stored_trace.h"

#include <stdlib.h>
#include <string.h>

#include "engine/library/compress.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "numbers are copied as they are: little-endian machines only"
#endif

#define VERSION 2
#define NO_STRING UINT32_MAX
#define MAX_SIZE ((size_t)1 << 30)
#define MAX_DIMENSION 65536

/* ------------------------------------------------------------------------------ writing ---- */

typedef struct {
    drt_buffer bytes;
    bool failed; /* out of memory */
} writer;

static void put(writer *to, const void *data, size_t length) {
    if (!to->failed && length && !drt_buffer_append(&to->bytes, data, length))
        to->failed = true;
}

static void put_u8(writer *to, uint8_t value) {
    put(to, &value, sizeof value);
}

static void put_u32(writer *to, uint32_t value) {
    put(to, &value, sizeof value);
}

static void put_i64(writer *to, int64_t value) {
    put(to, &value, sizeof value);
}

static void put_float(writer *to, float value) {
    put(to, &value, sizeof value);
}

static void put_double(writer *to, double value) {
    put(to, &value, sizeof value);
}

static void put_string(writer *to, const char *data, size_t length) {
    put_u32(to, data ? (uint32_t)length : NO_STRING);
    if (data)
        put(to, data, length);
}

static void put_slots(writer *to, const drt_hit *hit, int chunk_size) {
    put_u8(to, hit->slots != NULL);
    for (int i = 0; hit->slots && i < chunk_size; i++) {
        put_u32(to, (uint32_t)(hit->slots[i].start - hit->start));
        put_u32(to, (uint32_t)(hit->slots[i].end - hit->start));
    }
}

static void put_hit(writer *to, const drt_hit *hit, int chunk_size) {
    put_i64(to, hit->chunk);
    put_u32(to, (uint32_t)hit->rank);
    put_float(to, hit->score);
    put_float(to, hit->weight);
    put_i64(to, hit->document_id);
    put_i64(to, hit->start);
    put_i64(to, hit->end);
    put_string(to, hit->document.data, hit->document.length);
    put_string(to, hit->title.data, hit->title.length);
    put_string(to, hit->text.data, hit->text.length);
    put_slots(to, hit, chunk_size);
}

static void put_event(writer *to, const drt_event *event, int chunk_size) {
    put_u32(to, (uint32_t)event->step);
    put_u32(to, (uint32_t)event->group);
    put_float(to, event->null_mass);
    put_float(to, event->histogram_low);
    put_float(to, event->histogram_high);
    put(to, event->histogram, sizeof event->histogram);
    put_u32(to, (uint32_t)event->n_hits);
    for (size_t i = 0; i < event->n_hits; i++)
        put_hit(to, &event->hits[i], chunk_size);
}

static size_t attention_size(const drt_answer *answer) {
    return answer->n_tokens * (size_t)answer->n_groups * (size_t)answer->top_k * (size_t)answer->chunk_size;
}

static void put_answer(writer *to, const drt_answer *answer) {
    put_u32(to, VERSION);
    put_u8(to, (uint8_t)answer->finish);
    put_u8(to, answer->question_cut);
    put_double(to, answer->first_token_ms);
    put_double(to, answer->total_ms);
    put_string(to, answer->retriever, strlen(answer->retriever));
    put_string(to, answer->device.data, answer->device.length);
    put_string(to, answer->model.data, answer->model.length);
    put_u32(to, (uint32_t)answer->n_tokens);
    put(to, answer->tokens, answer->n_tokens * sizeof *answer->tokens);
    put(to, answer->token_ends, answer->n_tokens * sizeof *answer->token_ends);
    put(to, answer->token_steps, answer->n_tokens * sizeof *answer->token_steps);
    put_u32(to, (uint32_t)answer->n_groups);
    put_u32(to, (uint32_t)answer->top_k);
    put_u32(to, (uint32_t)answer->chunk_size);
    put_u32(to, (uint32_t)answer->n_events);
    for (size_t i = 0; i < answer->n_events; i++)
        put_event(to, &answer->events[i], answer->chunk_size);
    put_u32(to, answer->bm25 ? (uint32_t)answer->n_steps : 0);
    for (size_t i = 0; answer->bm25 && i < answer->n_steps; i++)
        put(to, answer->bm25[i], (size_t)answer->top_k * sizeof **answer->bm25);
    put_u8(to, answer->attention != NULL);
    if (answer->attention)
        put(to, answer->attention, attention_size(answer));
}

drt_status drt_stored_trace_write(drt_context *context, const drt_answer *answer, drt_buffer *frame) {
    writer to = {0};
    put_answer(&to, answer);
    drt_status status = to.failed ? drt_fail_memory(context, "a trace") : DRT_OK;
    if (status == DRT_OK && to.bytes.length > MAX_SIZE)
        status = drt_fail(context, DRT_FAILED, "the trace is too long to be stored");
    if (status == DRT_OK)
        status = drt_compress(context, to.bytes.data, to.bytes.length, frame);
    drt_buffer_free(&to.bytes);
    return status;
}

/* ------------------------------------------------------------------------------ reading ---- */

typedef struct {
    const char *data;
    size_t left;
    bool failed; /* cut short, impossible, or out of memory */
} reader;

static void take(reader *from, void *to, size_t length) {
    if (from->failed || length > from->left) {
        from->failed = true;
        return;
    }
    if (length)
        memcpy(to, from->data, length);
    from->data += length;
    from->left -= length;
}

static uint8_t take_u8(reader *from) {
    uint8_t value = 0;
    take(from, &value, sizeof value);
    return value;
}

static uint32_t take_u32(reader *from) {
    uint32_t value = 0;
    take(from, &value, sizeof value);
    return value;
}

static int64_t take_i64(reader *from) {
    int64_t value = 0;
    take(from, &value, sizeof value);
    return value;
}

static float take_float(reader *from) {
    float value = 0;
    take(from, &value, sizeof value);
    return value;
}

static double take_double(reader *from) {
    double value = 0;
    take(from, &value, sizeof value);
    return value;
}

/* A number of things that take at least `size` bytes each, so that no more are allocated than there can be. */
static size_t take_count(reader *from, size_t size) {
    uint32_t count = take_u32(from);
    if (from->failed || count > from->left / size) {
        from->failed = true;
        return 0;
    }
    return count;
}

static int take_dimension(reader *from) {
    uint32_t value = take_u32(from);
    if (value > MAX_DIMENSION)
        from->failed = true;
    return from->failed ? 0 : (int)value;
}

/* Room for count things; NULL for none and after a failure. */
static void *allocate(reader *from, size_t count, size_t size) {
    if (from->failed || count == 0)
        return NULL;
    void *room = calloc(count, size);
    if (!room)
        from->failed = true;
    return room;
}

static void take_string(reader *from, drt_string *string) {
    uint32_t length = take_u32(from);
    *string = (drt_string){0};
    if (from->failed || length == NO_STRING)
        return;
    if (length > from->left || !drt_string_set(string, from->data, length)) {
        from->failed = true;
        return;
    }
    from->data += length;
    from->left -= length;
}

static void take_name(reader *from, char *name, size_t size) {
    drt_string string;
    take_string(from, &string);
    if (string.length >= size)
        from->failed = true;
    else if (string.data)
        memcpy(name, string.data, string.length + 1);
    drt_string_free(&string);
}

#define HIT_SIZE (4 * 8 + 3 * 4 + 3 * 4 + 1)
#define EVENT_SIZE (5 * 4 + 4 * DRT_HISTOGRAM_BINS + 4)

/* They lie in the hit's range; starts and ends of other bytes than its own would be drawn outside it. */
static void take_slots(reader *from, drt_hit *hit, int chunk_size) {
    if (take_u8(from) == 0)
        return;
    if ((size_t)chunk_size > from->left / (2 * sizeof(uint32_t)))
        from->failed = true;
    hit->slots = allocate(from, (size_t)chunk_size, sizeof *hit->slots);
    for (int i = 0; hit->slots && i < chunk_size; i++) {
        uint32_t start = take_u32(from), end = take_u32(from);
        if (start > end || end > hit->end - hit->start) {
            from->failed = true;
            return;
        }
        hit->slots[i] = (drt_range){hit->start + start, hit->start + end};
    }
}

static void take_hit(reader *from, drt_hit *hit, int chunk_size) {
    hit->chunk = take_i64(from);
    hit->rank = (int)take_u32(from);
    hit->score = take_float(from);
    hit->weight = take_float(from);
    hit->document_id = take_i64(from);
    hit->start = take_i64(from);
    hit->end = take_i64(from);
    take_string(from, &hit->document);
    take_string(from, &hit->title);
    take_string(from, &hit->text);
    if (hit->start < 0 || hit->end < hit->start)
        from->failed = true;
    take_slots(from, hit, chunk_size);
}

static void take_event(reader *from, drt_event *event, int chunk_size) {
    event->step = (int)take_u32(from);
    event->group = (int)take_u32(from);
    event->null_mass = take_float(from);
    event->histogram_low = take_float(from);
    event->histogram_high = take_float(from);
    take(from, event->histogram, sizeof event->histogram);
    size_t n_hits = take_count(from, HIT_SIZE);
    event->hits = allocate(from, n_hits, sizeof *event->hits);
    event->n_hits = event->hits ? n_hits : 0;
    for (size_t i = 0; i < event->n_hits; i++)
        take_hit(from, &event->hits[i], chunk_size);
}

/* Counts are set once there is room for what they count, so that drt_answer_free works at any time. */
static void take_tokens(reader *from, drt_answer *answer) {
    size_t n = take_count(from, sizeof *answer->tokens + sizeof *answer->token_ends + sizeof *answer->token_steps);
    answer->tokens = allocate(from, n, sizeof *answer->tokens);
    answer->token_ends = allocate(from, n, sizeof *answer->token_ends);
    answer->token_steps = allocate(from, n, sizeof *answer->token_steps);
    if (from->failed)
        return;
    answer->n_tokens = n;
    take(from, answer->tokens, n * sizeof *answer->tokens);
    take(from, answer->token_ends, n * sizeof *answer->token_ends);
    take(from, answer->token_steps, n * sizeof *answer->token_steps);
    int64_t last = 0;
    for (size_t i = 0; i < n; i++) {
        if (answer->token_ends[i] < last || answer->token_ends[i] > (int64_t)answer->answer.length)
            from->failed = true;
        last = answer->token_ends[i];
    }
}

static void take_events(reader *from, drt_answer *answer) {
    size_t n = take_count(from, EVENT_SIZE);
    answer->events = allocate(from, n, sizeof *answer->events);
    answer->n_events = answer->events ? n : 0;
    for (size_t i = 0; i < answer->n_events; i++)
        take_event(from, &answer->events[i], answer->chunk_size);
}

static void take_bm25(reader *from, drt_answer *answer) {
    size_t row = (size_t)answer->top_k * sizeof **answer->bm25;
    size_t n = take_count(from, row ? row : 1);
    answer->bm25 = allocate(from, n, sizeof *answer->bm25);
    answer->n_steps = answer->bm25 ? n : 0;
    for (size_t i = 0; i < answer->n_steps; i++) {
        answer->bm25[i] = allocate(from, (size_t)answer->top_k, sizeof **answer->bm25);
        if (answer->bm25[i])
            take(from, answer->bm25[i], row);
    }
}

static void take_attention(reader *from, drt_answer *answer) {
    if (take_u8(from) == 0)
        return;
    size_t row = (size_t)answer->n_groups * (size_t)answer->top_k * (size_t)answer->chunk_size;
    if (row && answer->n_tokens > from->left / row)
        from->failed = true;
    /* Never NULL when it is there, also for an answer without tokens. */
    answer->attention = allocate(from, attention_size(answer) + 1, 1);
    if (answer->attention)
        take(from, answer->attention, attention_size(answer));
}

static bool take_answer(reader *from, drt_answer *answer) {
    if (take_u32(from) != VERSION)
        return false;
    uint8_t finish = take_u8(from);
    if (finish > DRT_FINISH_CANCELLED)
        return false;
    answer->finish = (drt_finish)finish;
    answer->question_cut = take_u8(from) != 0;
    answer->first_token_ms = take_double(from);
    answer->total_ms = take_double(from);
    take_name(from, answer->retriever, sizeof answer->retriever);
    take_string(from, &answer->device);
    take_string(from, &answer->model);
    take_tokens(from, answer);
    answer->n_groups = take_dimension(from);
    answer->top_k = take_dimension(from);
    answer->chunk_size = take_dimension(from);
    take_events(from, answer);
    take_bm25(from, answer);
    take_attention(from, answer);
    return !from->failed && from->left == 0;
}

drt_status drt_stored_trace_read(drt_context *context, const void *frame, size_t length, drt_answer *answer) {
    drt_buffer bytes = {0};
    drt_status status = drt_decompress(context, frame, length, MAX_SIZE, &bytes);
    reader from = {bytes.data, bytes.length, false};
    if (status == DRT_OK && !take_answer(&from, answer))
        status = drt_fail(context, DRT_FAILED, "it is damaged, or was stored by another version of drt");
    drt_buffer_free(&bytes);
    return status;
}
