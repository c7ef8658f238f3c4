/* timing.c: what each operation takes at the sizes of ingest and of an answer, beside the least that its bytes and
 * its arithmetic could take. Ceilings are measured first: a large copy, a large product. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "conformance.h"

#define WARM_CALLS 3
#define BATCHES 5
#define BATCH_SECONDS 0.02

enum { D = 384, HEADS = 6, HEAD = 64, FF = 1024, S = 64, WINDOW = 512, K = 8, VOCABULARY = 16384 };

typedef struct {
    drt_backend *b;
    run r;
    double copy_bytes, product_flops; /* a second */
} bench;

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

typedef int call_fn(bench *t, void *arguments);

/* Seconds of one call: calls queued one after the other, the median of several batches. */
static double seconds_of(bench *t, call_fn *call, void *arguments) {
    double best[BATCHES];
    int calls = 1;
    for (int i = 0; i < WARM_CALLS; i++)
        did(&t->r, call(t, arguments));
    did(&t->r, t->b->synchronize(t->b));
    for (int batch = 0; batch < BATCHES && going(&t->r);) {
        double start = now();
        for (int i = 0; i < calls && going(&t->r); i++)
            did(&t->r, call(t, arguments));
        did(&t->r, t->b->synchronize(t->b));
        double spent = now() - start;
        if (batch == 0 && spent < BATCH_SECONDS && calls < 1 << 16) {
            calls *= 2;
            continue;
        }
        int i = batch++;
        for (; i > 0 && best[i - 1] > spent / calls; i--)
            best[i] = best[i - 1];
        best[i] = spent / calls;
    }
    return going(&t->r) ? best[BATCHES / 2] : 0;
}

static void report(bench *t, const char *name, const char *shape, double bytes, double flops, call_fn *call,
                   void *arguments) {
    double seconds = seconds_of(t, call, arguments);
    double by_bytes = bytes / t->copy_bytes, by_flops = flops / t->product_flops;
    double floor = by_bytes > by_flops ? by_bytes : by_flops;
    if (!going(&t->r)) {
        printf("%-17s %-34s %s\n", name, shape, t->r.failure);
        t->r.failure[0] = 0;
        return;
    }
    printf("%-17s %-34s %10.4f %10.4f %s %6.1f %8.0f %8.1f\n", name, shape, seconds * 1e3, floor * 1e3,
           by_bytes > by_flops ? "bytes" : "flops", seconds / floor, bytes / seconds * 1e-9, flops / seconds * 1e-12);
    fflush(stdout);
}

/* Everything an operation may want; each call takes what it needs. */
typedef struct {
    size_t n;
    const drt_matrix *m;
    const void *in;
    float *x, *y, *z, *out;
    const float *host;
    int32_t *ids;
    int64_t *indices;
    drt_split_qkv split;
    drt_window_attention window;
    drt_chunk_attention chunk;
    drt_cross_attention cross;
} work;

static int call_move(bench *t, void *w) {
    return t->b->move(t->b, ((work *)w)->out, ((work *)w)->x, ((work *)w)->n);
}
static int call_linear(bench *t, void *a) {
    work *w = a;
    return t->b->linear(t->b, w->x, w->m, (int)w->n, false, w->out);
}
static int call_embed(bench *t, void *a) {
    work *w = a;
    return t->b->embed(t->b, w->m, w->ids, (int)w->n, w->out);
}
static int call_rms_norm(bench *t, void *a) {
    work *w = a;
    return t->b->rms_norm(t->b, w->x, w->y, 1e-5f, (int)w->n, D, w->out);
}
static int call_swiglu(bench *t, void *a) {
    work *w = a;
    return t->b->swiglu(t->b, w->x, w->y, w->n, w->out);
}
static int call_split(bench *t, void *a) {
    return t->b->split_qkv(t->b, &((work *)a)->split);
}
static int call_window(bench *t, void *a) {
    return t->b->window_attention(t->b, &((work *)a)->window);
}
static int call_chunk(bench *t, void *a) {
    return t->b->chunk_attention(t->b, &((work *)a)->chunk);
}
static int call_cross(bench *t, void *a) {
    return t->b->cross_attention(t->b, &((work *)a)->cross);
}
static int call_scores(bench *t, void *a) {
    work *w = a;
    return t->b->retrieval_scores(t->b, w->in, (int64_t)w->n, D, w->host, w->out);
}
static int call_top_k(bench *t, void *a) {
    work *w = a;
    float values[K];
    int count;
    return t->b->top_k(t->b, w->x, (int64_t)w->n, NULL, NULL, K, w->indices, values, &count);
}

/* Backend memory of n floats, filled by repeating a random piece, since large inputs are slow to draw. */
static float *filled(bench *t, size_t n) {
    size_t piece = n < ((size_t)1 << 20) ? n : (size_t)1 << 20;
    const float *random = input(&t->r, piece, 1);
    float *data = backend_room(&t->r, n * sizeof *data);
    for (size_t at = 0; data && random && at < n; at += piece)
        did(&t->r, t->b->move(t->b, data + at, random, (n - at < piece ? n - at : piece) * sizeof *data));
    return data;
}

static void ceilings(bench *t) {
    size_t bytes = (size_t)1 << 30;
    work copy = {.n = bytes, .x = filled(t, bytes / 4), .out = filled(t, bytes / 4)};
    t->copy_bytes = 2 * (double)bytes / seconds_of(t, call_move, &copy);
    finish(&t->r);
    size_t n = 8192;
    work product = {
        .n = n, .m = matrix(&t->r, DRT_WEIGHT_BF16, (int)n, (int)n), .x = filled(t, n * n), .out = filled(t, n * n)};
    t->product_flops = 2e-12 * (double)n * (double)n * (double)n / seconds_of(t, call_linear, &product) * 1e12;
    finish(&t->r);
    printf("ceilings: copy %.0f GB/s (read + written), product of 8192^3 %.0f TFLOP/s, with its rounding to bf16\n\n",
           t->copy_bytes * 1e-9, t->product_flops * 1e-12);
    printf("%-17s %-34s %10s %10s       %6s %8s %8s\n", "operation", "shape", "ms", "floor", "ratio", "GB/s",
           "TFLOP/s");
}

static void time_linear(bench *t, size_t n, int rows, int cols) {
    work w = {.n = n,
              .m = matrix(&t->r, DRT_WEIGHT_BF16, rows, cols),
              .x = filled(t, n * (size_t)cols),
              .out = filled(t, n * (size_t)rows)};
    char shape[64];
    snprintf(shape, sizeof shape, "%zu x %d -> %d", n, cols, rows);
    report(t, "linear", shape, 4 * (double)n * (rows + cols) + 2.0 * rows * cols, 2.0 * (double)n * rows * cols,
           call_linear, &w);
    finish(&t->r);
}

static void time_slots(bench *t, size_t n) {
    size_t d = D, before = WINDOW - 1;
    float *x = filled(t, n * 3 * d), *y = filled(t, (n + before) * d), *z = filled(t, (n + before) * d),
          *out = filled(t, n * 3 * d);
    int32_t *ids = host_room(&t->r, n * sizeof *ids);
    char shape[64];
    snprintf(shape, sizeof shape, "%zu slots of 384", n);
    double floats = 4 * (double)n * D;
    work w = {.n = n, .m = matrix(&t->r, DRT_WEIGHT_BF16, VOCABULARY, D), .x = x, .y = y, .out = out, .ids = ids};
    for (size_t i = 0; ids && i < n; i++)
        ids[i] = draw_below(&t->r, VOCABULARY);
    report(t, "embed", shape, floats * 1.5, 0, call_embed, &w);
    report(t, "rms_norm", shape, floats * 2, 0, call_rms_norm, &w);
    w.split = (drt_split_qkv){x, (int)n, HEADS, HEAD, true, 1e-5f, NULL, S, out, y, z};
    report(t, "split_qkv", shape, floats * 6, 0, call_split, &w);
    w.window = (drt_window_attention){x, y, z, NULL, (int)n, (int)(n + before), WINDOW, HEADS, HEAD, out};
    report(t, "window_attention", shape, floats * 4, 4.0 * (double)n * WINDOW * D, call_window, &w);
    w.chunk = (drt_chunk_attention){x, y, z, (int)(n / S), S, HEADS, HEAD, out};
    report(t, "chunk_attention", shape, floats * 4, 4.0 * (double)n * S * D, call_chunk, &w);
    work s = {.n = n * D, .x = x, .y = y, .out = out};
    report(t, "swiglu", shape, floats * 3, 0, call_swiglu, &s);
    finish(&t->r);
}

static void time_cross(bench *t, size_t n) {
    size_t d = D;
    float weights[K] = {0.3f, 0.2f, 0.1f, 0.1f, 0.1f, 0.1f, 0.05f, 0.05f};
    float *q = filled(t, n * d), *k = filled(t, (size_t)K * S * d), *v = filled(t, (size_t)K * S * d),
          *out = filled(t, n * d);
    drt_gca_block block = {0, (int)n, K, k, v, weights};
    work w = {.cross = {.q = q,
                        .n = (int)n,
                        .n_heads = HEADS,
                        .head_size = HEAD,
                        .chunk_size = S,
                        .blocks = &block,
                        .n_blocks = 1,
                        .out = out}};
    char shape[64];
    snprintf(shape, sizeof shape, "%zu slots, 8 chunks", n);
    report(t, "cross_attention", shape, 8.0 * (double)(n * d) + 8.0 * K * S * D, 4.0 * (double)n * K * S * D,
           call_cross, &w);
    finish(&t->r);
}

static void time_retrieval(bench *t, size_t n) {
    int64_t indices[K];
    float query[D], *landmarks = filled(t, n * D / 2), *scores = filled(t, n);
    for (int i = 0; i < D; i++)
        query[i] = draw_normal(&t->r);
    work w = {.n = n, .in = landmarks, .host = query, .x = scores, .out = scores, .indices = indices};
    char shape[64];
    snprintf(shape, sizeof shape, "%zu chunks", n);
    report(t, "top_k", shape, 4.0 * (double)n, 0, call_top_k, &w);
    report(t, "retrieval_scores", shape, (double)n * (2 * D + 4), 0, call_scores, &w);
    finish(&t->r);
}

/* A token: its products and its attention. */
static void report_encode(bench *t, int n) {
    double seconds, products = 2.0 * 8 * (4.0 * D * D + 3.0 * D * FF), attention = 4.0 * D * (6.0 * WINDOW + 2 * S);
    int status = time_encode(&t->r, n, &seconds, now);
    finish(&t->r);
    if (status != 0)
        printf("encode_run        %s\n", status == 1 ? "not on this device" : t->r.failure);
    else
        printf("encode_run        %d slots: %.3f ms, %.2f M tokens/s (63 of 64 slots), %.0f TFLOP/s\n", n,
               seconds * 1e3, (double)n / seconds * 1e-6 * 63 / 64,
               (double)n * (products + attention) / seconds * 1e-12);
    fflush(stdout);
}

int print_timings(drt_backend *b, bool encode_only) {
    bench t = {.b = b, .r = {.backend = b, .random = 1}};
    if (!encode_only) {
        ceilings(&t);
        size_t sizes[] = {1, 64, 65536};
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
            time_linear(&t, sizes[i], 3 * D, D);
            time_linear(&t, sizes[i], D, D);
            time_linear(&t, sizes[i], FF, D);
            time_linear(&t, sizes[i], D, FF);
        }
        time_linear(&t, 1, VOCABULARY, D);
        time_slots(&t, 64);
        time_slots(&t, 65536);
        time_cross(&t, 1);
        time_cross(&t, 64);
        time_retrieval(&t, 16384);
        time_retrieval(&t, 262144);
        time_retrieval(&t, 1048576);
    }
    for (int n = 4096; n <= 131072; n *= 2)
        report_encode(&t, n);
    return going(&t.r) ? 0 : 1;
}
