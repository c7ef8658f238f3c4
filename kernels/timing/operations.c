/* operations.c: the operations of the table one by one: their arguments, and the bytes and FLOP that they cannot do
 * without. Slots: one (a token of an answer), a chunk (a question), a full batch (ingest). */
#include <stdlib.h>

#include "kernels/landmarks.h"
#include "kernels/timing/run.h"

#define EPS 1e-5f

/* Everything an operation may want; each call takes what it needs. */
typedef struct {
    size_t n;
    int width;
    const drt_matrix *m;
    float *x, *y, *out;
    void *host;
    int32_t *ids;
    drt_landmark_set *set;
    drt_landmark_scan *scans;
    drt_landmark_histogram *histograms;
    drt_split_qkv split;
    drt_window_attention window;
    drt_chunk_attention chunk;
    drt_cross_attention cross;
} operands;

static int call_upload(timing *t, void *a) {
    operands *o = a;
    return t->b->upload(t->b, o->out, o->host, o->n);
}
static int call_download(timing *t, void *a) {
    operands *o = a;
    return t->b->download(t->b, o->host, o->out, o->n);
}
static int call_linear(timing *t, void *a) {
    operands *o = a;
    return t->b->linear(t->b, o->x, o->m, (int)o->n, false, o->out);
}
static int call_embed(timing *t, void *a) {
    operands *o = a;
    return t->b->embed(t->b, o->m, o->ids, (int)o->n, o->out);
}
static int call_rms_norm(timing *t, void *a) {
    operands *o = a;
    return t->b->rms_norm(t->b, o->x, o->y, EPS, (int)o->n, o->width, o->out);
}
static int call_unit_rms(timing *t, void *a) {
    operands *o = a;
    return t->b->unit_rms(t->b, o->out, EPS, (int64_t)o->n, o->width);
}
static int call_add(timing *t, void *a) {
    operands *o = a;
    return t->b->add(t->b, o->x, o->y, o->n, o->out);
}
static int call_swiglu(timing *t, void *a) {
    operands *o = a;
    return t->b->swiglu(t->b, o->x, o->y, o->n, o->out);
}
static int call_split(timing *t, void *a) {
    return t->b->split_qkv(t->b, &((operands *)a)->split);
}
static int call_window(timing *t, void *a) {
    return t->b->window_attention(t->b, &((operands *)a)->window);
}
static int call_chunk(timing *t, void *a) {
    return t->b->chunk_attention(t->b, &((operands *)a)->chunk);
}
static int call_cross(timing *t, void *a) {
    return t->b->cross_attention(t->b, &((operands *)a)->cross);
}
static int call_scan(timing *t, void *a) {
    operands *o = a;
    return t->b->landmarks_scan(t->b, o->set, o->scans, (int)o->n);
}
static int call_histogram(timing *t, void *a) {
    operands *o = a;
    return t->b->landmarks_histogram(t->b, o->set, o->histograms, (int)o->n);
}

/* ------------------------------------------------------------------------------- groups ---- */

/* int8 chunk memory of one group's retrieval, and of a batch. */
static void time_copies(timing *t) {
    const drt_timing_shape *s = &t->params->shape;
    size_t record = (size_t)s->chunk_size * ((size_t)s->d_model + sizeof(float));
    const int counts[] = {s->top_k, 32 * s->top_k};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        size_t bytes = (size_t)counts[i] * record;
        operands o = {.n = bytes, .host = timing_pinned(t, bytes), .out = timing_room(t, bytes)};
        timing_report(t, (timing_work){"upload", .link_bytes = (double)bytes}, call_upload, &o, "%d int8 records",
                      counts[i]);
        timing_report(t, (timing_work){"download", .link_bytes = (double)bytes}, call_download, &o, "%d int8 records",
                      counts[i]);
        timing_release(t);
    }
}

static void time_linear(timing *t, size_t n, int rows, int cols) {
    operands o = {.n = n,
                  .m = timing_matrix(t, rows, cols),
                  .x = timing_floats(t, n * (size_t)cols),
                  .out = timing_room(t, n * (size_t)rows * sizeof(float))};
    timing_report(t,
                  (timing_work){"linear", .bytes = 4 * (double)n * (rows + cols) + 2.0 * rows * cols,
                                .flops = 2.0 * (double)n * rows * cols},
                  call_linear, &o, "%zu x %d -> %d", n, cols, rows);
    timing_release(t);
}

static void time_products(timing *t, size_t n) {
    const drt_timing_shape *s = &t->params->shape;
    time_linear(t, n, 3 * s->d_model, s->d_model);
    time_linear(t, n, s->d_model, s->d_model);
    time_linear(t, n, s->d_ff, s->d_model);
    time_linear(t, n, s->d_model, s->d_ff);
}

static void time_rows(timing *t, size_t n) {
    const drt_timing_shape *s = &t->params->shape;
    size_t d = (size_t)s->d_model, f = (size_t)s->d_ff;
    double floats = 4 * (double)n * s->d_model;
    operands o = {.n = n,
                  .width = s->d_model,
                  .m = timing_matrix(t, s->vocab_size, s->d_model),
                  .x = timing_floats(t, n * d),
                  .y = timing_floats(t, n * d),
                  .out = timing_floats(t, n * d),
                  .ids = timing_host(t, n * sizeof *o.ids)};
    for (size_t i = 0; o.ids && i < n; i++)
        o.ids[i] = timing_draw(t, s->vocab_size);
    /* A row of the table is bf16 or fp32; the lesser counts. */
    timing_report(t, (timing_work){"embed", .bytes = floats * 1.5}, call_embed, &o, "%zu slots", n);
    timing_report(t, (timing_work){"rms_norm", .bytes = floats * 2}, call_rms_norm, &o, "%zu x %zu", n, d);
    operands heads = {.n = n * (size_t)s->n_heads, .width = s->d_model / s->n_heads, .out = o.out};
    timing_report(t, (timing_work){"unit_rms", .bytes = floats * 2}, call_unit_rms, &heads, "%zu x %d", heads.n,
                  heads.width);
    operands sum = {.n = n * d, .x = o.x, .y = o.y, .out = o.out};
    timing_report(t, (timing_work){"add", .bytes = floats * 3}, call_add, &sum, "%zu x %zu", n, d);
    timing_release(t);
    operands gated = {
        .n = n * f, .x = timing_floats(t, n * f), .y = timing_floats(t, n * f), .out = timing_room(t, n * f * 4)};
    timing_report(t, (timing_work){"swiglu", .bytes = 12 * (double)n * s->d_ff}, call_swiglu, &gated, "%zu x %zu", n,
                  f);
    timing_release(t);
}

static void time_attention(timing *t, size_t n) {
    const drt_timing_shape *s = &t->params->shape;
    size_t d = (size_t)s->d_model, before = (size_t)s->window - 1;
    int head_size = s->d_model / s->n_heads, slots = (int)n;
    double floats = 4 * (double)n * s->d_model;
    float *qkv = timing_floats(t, n * 3 * d), *k = timing_floats(t, (n + before) * d);
    float *v = timing_floats(t, (n + before) * d), *q = timing_floats(t, n * d), *out = timing_floats(t, n * d);
    operands o = {.split = {qkv, slots, s->n_heads, head_size, true, EPS, NULL, s->chunk_size, out, k, v},
                  .window = {q, k, v, NULL, slots, (int)(n + before), s->window, s->n_heads, head_size, out},
                  .chunk = {q, k, v, slots / s->chunk_size, s->chunk_size, s->n_heads, head_size, out}};
    timing_report(t, (timing_work){"split_qkv", .bytes = floats * 6}, call_split, &o, "%zu slots", n);
    timing_report(t,
                  (timing_work){"window_attention", .bytes = floats * 4 + 8.0 * (double)(before * d),
                                .flops = 4.0 * (double)n * s->window * s->d_model},
                  call_window, &o, "%zu slots, window %d", n, s->window);
    if (slots >= s->chunk_size)
        timing_report(t,
                      (timing_work){"chunk_attention", .bytes = floats * 4,
                                    .flops = 4.0 * (double)n * s->chunk_size * s->d_model},
                      call_chunk, &o, "%d chunks", slots / s->chunk_size);
    timing_release(t);
}

static void time_cross(timing *t, size_t n) {
    const drt_timing_shape *s = &t->params->shape;
    size_t d = (size_t)s->d_model, K = (size_t)s->top_k, memory = K * (size_t)s->chunk_size * d;
    float *weights = timing_host(t, K * sizeof *weights);
    for (size_t i = 0; weights && i < K; i++)
        weights[i] = 1 / (float)K;
    drt_gca_block block = {0, (int)n, s->top_k, timing_floats(t, memory), timing_floats(t, memory), weights};
    operands o = {.cross = {.q = timing_floats(t, n * d),
                            .n = (int)n,
                            .n_heads = s->n_heads,
                            .head_size = s->d_model / s->n_heads,
                            .chunk_size = s->chunk_size,
                            .blocks = &block,
                            .n_blocks = 1,
                            .out = timing_room(t, n * d * sizeof(float))}};
    timing_report(t,
                  (timing_work){"cross_attention", .bytes = 8 * (double)(n * d) + 8 * (double)memory,
                                .flops = 4.0 * (double)n * (double)memory},
                  call_cross, &o, "%zu slots, %zu chunks", n, K);
    timing_release(t);
}

/* Queries of one scan. Each call waits for its results. */
static void draw_queries(timing *t, operands *o, int64_t n_chunks) {
    size_t d = (size_t)t->params->shape.d_model, k = (size_t)t->params->shape.top_k;
    float *queries = timing_host(t, o->n * d * sizeof *queries), *scores = timing_host(t, o->n * k * sizeof *scores);
    int64_t *chunks = timing_host(t, o->n * k * sizeof *chunks);
    o->scans = timing_host(t, o->n * sizeof *o->scans);
    o->histograms = timing_host(t, o->n * sizeof *o->histograms);
    for (size_t i = 0; !t->error[0] && i < o->n * d; i++)
        queries[i] = (float)timing_draw(t, 1000) / 500 - 1;
    for (size_t i = 0; !t->error[0] && i < o->n; i++) {
        o->scans[i] = (drt_landmark_scan){.query = queries + i * d, .n = n_chunks, .k = (int)k};
        o->scans[i].chunks = chunks + i * k;
        o->scans[i].scores = scores + i * k;
        o->histograms[i] = (drt_landmark_histogram){.query = queries + i * d, .n = n_chunks, .low = -1, .high = 1};
    }
}

/* resident: all landmarks stay with the backend; else as few as it can do with. */
static void time_scan(timing *t, const uint16_t *landmarks, int64_t n_chunks, size_t n_queries, bool resident) {
    const drt_timing_shape *s = &t->params->shape;
    size_t budget = drt_landmarks_bytes(n_chunks, resident ? n_chunks : 0, s->d_model);
    double bytes = 2 * (double)n_chunks * s->d_model;
    timing_work work = {
        .bytes = bytes, .link_bytes = resident ? 0 : bytes, .flops = bytes * (double)n_queries}; /* two a number */
    const char *how = resident ? "" : ", streamed";
    operands o = {.n = n_queries};
    draw_queries(t, &o, n_chunks);
    if (timing_did(t, t->b->landmarks_open(t->b, s->d_model, budget, &o.set)))
        timing_did(t, t->b->landmarks_set(t->b, o.set, landmarks, n_chunks, 0));
    work.operation = "landmarks_scan";
    timing_report(t, work, call_scan, &o, "%lld chunks x %zu%s", (long long)n_chunks, n_queries, how);
    work.operation = "landmarks_histogram";
    timing_report(t, work, call_histogram, &o, "%lld chunks x %zu%s", (long long)n_chunks, n_queries, how);
    if (o.set)
        t->b->landmarks_close(t->b, o.set);
    timing_release(t);
}

static void time_retrieval(timing *t, int64_t n_chunks) {
    static const size_t queries[] = {1, 2, 8, 32};
    const drt_timing_shape *s = &t->params->shape;
    uint16_t *landmarks = timing_halves(t, (size_t)n_chunks * (size_t)s->d_model);
    for (size_t i = 0; i < sizeof queries / sizeof *queries && !timing_over(t); i++)
        time_scan(t, landmarks, n_chunks, queries[i], true);
    if (t->params->stream) {
        time_scan(t, landmarks, n_chunks, 1, false);
        time_scan(t, landmarks, n_chunks, 8, false);
    }
    free(landmarks);
}

void timing_operations(timing *t) {
    const drt_timing_params *p = t->params;
    const size_t slots[] = {1, (size_t)p->shape.chunk_size, (size_t)p->slots};
    time_copies(t);
    for (size_t i = 0; i < sizeof slots / sizeof *slots && !timing_over(t); i++) {
        time_products(t, slots[i]);
        time_rows(t, slots[i]);
        time_attention(t, slots[i]);
    }
    time_linear(t, 1, p->shape.vocab_size, p->shape.d_model);
    time_cross(t, 1);
    time_cross(t, (size_t)p->shape.chunk_size);
    for (size_t i = 0; i < DRT_TIMING_LIBRARIES && !timing_over(t); i++)
        if (p->chunks[i])
            time_retrieval(t, p->chunks[i]);
}
