/* fake_reader.h: the reader stream of backend.h on the fake device: computes nothing, keeps what it was told, and gives
 * results that say where they come from. */
#ifndef DRT_TESTS_FAKE_READER_H
#define DRT_TESTS_FAKE_READER_H

#include "tests/network/fake_device.h"

#define FAKE_CALLS 32
#define FAKE_ROWS 1024
#define FAKE_PARTS 256

/* A call from read_begin to read_end. */
typedef struct {
    drt_read_part parts[FAKE_PARTS];
    int n_parts, n_rows, groups; /* groups: run so far */
    int32_t tokens[FAKE_ROWS];
    bool trace, ended;
} fake_call;

/* What read_chunks was given last for a group of a lane. */
typedef struct {
    int given; /* times */
    int n;
    float first_weight;
    drt_weight_type type;
    uint8_t first_bytes[8]; /* of the first record */
} fake_chunks;

struct drt_read_state {
    drt_read_weights w;
    int max_slots;
    fake_call calls[FAKE_CALLS];
    int n_calls;
    fake_chunks chunks[FAKE_PARTS][DRT_MAX_GROUPS];
    float *hidden, *attention, *queries; /* fake device memory */
};

static inline void fake_fill(float *to, size_t n, float value) {
    for (size_t i = 0; i < n; i++)
        to[i] = value;
}

static inline void fake_read_close(drt_backend *b, drt_read_state *s) {
    float *buffers[] = {s->hidden, s->attention, s->queries};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        fake_buffer_free(b, buffers[i]);
    fake_buffer_free(b, s);
}

static inline int fake_read_open(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots,
                                 drt_read_state **state) {
    fake_device *fake = (fake_device *)b;
    size_t rows = (size_t)max_slots, d = (size_t)w->d;
    (void)n_lanes;
    *state = NULL;
    drt_read_state *s = fake_alloc(fake, sizeof *s);
    if (!s)
        return -1;
    memset(s, 0, sizeof *s);
    s->w = *w;
    s->max_slots = max_slots;
    s->hidden = fake_alloc(fake, rows * d * sizeof(float));
    s->queries = fake_alloc(fake, rows * d * sizeof(float));
    s->attention = fake_alloc(fake, rows * (size_t)(w->n_groups * w->top_k * w->chunk_size) * sizeof(float));
    if (!s->hidden || !s->queries || !s->attention) {
        fake_read_close(b, s);
        return -1;
    }
    *state = s;
    return 0;
}

/* Of a shape that the device does not take. */
static inline int fake_read_refuse(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots,
                                   drt_read_state **state) {
    (void)b;
    (void)w;
    (void)n_lanes;
    (void)max_slots;
    *state = NULL;
    return 1;
}

/* 100 * group + part */
static inline void fake_queries(drt_read_state *s, const fake_call *call, int group, const float **queries) {
    size_t d = (size_t)s->w.d;
    *queries = NULL;
    for (int i = 0; i < call->n_parts && group < s->w.n_groups; i++)
        if (call->parts[i].landmark) {
            fake_fill(s->queries + (size_t)i * d, d, (float)(100 * group + i));
            *queries = s->queries;
        }
}

static inline int fake_read_begin(drt_backend *b, drt_read_state *s, const int32_t *tokens, const drt_read_part *parts,
                                  int n_parts, bool trace, const float **queries) {
    fake_call *call = &s->calls[s->n_calls];
    if (s->n_calls == FAKE_CALLS || n_parts > FAKE_PARTS) {
        snprintf(b->error, sizeof b->error, "the fake reader has room for %d calls", FAKE_CALLS);
        return -1;
    }
    s->n_calls++;
    *call = (fake_call){.n_parts = n_parts, .trace = trace};
    for (int i = 0; i < n_parts; i++) {
        call->parts[i] = parts[i];
        call->n_rows += parts[i].n;
    }
    memcpy(call->tokens, tokens, (size_t)call->n_rows * sizeof *tokens);
    fake_queries(s, call, 0, queries);
    return 0;
}

static inline int fake_read_group(drt_backend *b, drt_read_state *s, int group, const float **queries) {
    fake_call *call = &s->calls[s->n_calls - 1];
    (void)b;
    call->groups++;
    fake_queries(s, call, group + 1, queries);
    return 0;
}

static inline int fake_read_chunks(drt_backend *b, drt_read_state *s, int lane, int group, int n, const float *weights,
                                   drt_weight_type type, const void *const *records) {
    fake_chunks *chunks = &s->chunks[lane][group];
    (void)b;
    chunks->given++;
    chunks->n = n;
    chunks->type = type;
    if (n == 0)
        return 0;
    chunks->first_weight = weights[0];
    memcpy(chunks->first_bytes, records[0], sizeof chunks->first_bytes);
    return 0;
}

/* Of each row: hidden its token, attention its number. */
static inline int fake_read_end(drt_backend *b, drt_read_state *s, const float **hidden, const float **attention) {
    fake_call *call = &s->calls[s->n_calls - 1];
    size_t d = (size_t)s->w.d, width = (size_t)(s->w.n_groups * s->w.top_k * s->w.chunk_size);
    (void)b;
    for (size_t row = 0; row < (size_t)call->n_rows; row++) {
        fake_fill(s->hidden + row * d, d, (float)call->tokens[row]);
        fake_fill(s->attention + row * width, width, (float)row);
    }
    call->ended = true;
    *hidden = s->hidden;
    *attention = call->trace ? s->attention : NULL;
    return 0;
}

static inline void fake_reader_install(fake_device *fake) {
    fake->backend.read_open = fake_read_open;
    fake->backend.read_close = fake_read_close;
    fake->backend.read_begin = fake_read_begin;
    fake->backend.read_group = fake_read_group;
    fake->backend.read_chunks = fake_read_chunks;
    fake->backend.read_end = fake_read_end;
}

#endif
