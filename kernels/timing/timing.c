/* timing.c: memory, clock, ceilings and the order of what is timed. See timing.h. */
#include "kernels/timing/timing.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/timing/run.h"

#define WARM_CALLS 3
#define BATCHES 5
#define BATCH_SECONDS 0.02
#define MOST_CALLS (1 << 16)
#define RANDOM_PIECE ((size_t)1 << 20) /* elements; larger inputs repeat them, since they are slow to draw */
#define SMALLEST_BATCH (4096)          /* slots, of encode_run alone */
#define LINK_BYTES ((size_t)64 << 20)

drt_timing_params drt_timing_params_default(bool gpu) {
    static const int group_layers[] = {3, 3};
    return (drt_timing_params){.shape = {.vocab_size = 16384,
                                         .d_model = 384,
                                         .n_heads = 6,
                                         .d_ff = 1024,
                                         .lower_layers = 6,
                                         .encoder_layers = 2,
                                         .chunk_size = 64,
                                         .window = 512,
                                         .top_k = 8,
                                         .n_groups = 2,
                                         .group_layers = group_layers},
                               .slots = gpu ? 65536 : 2048,
                               .chunks = {16384, 262144, 1048576, gpu ? 4194304 : 0},
                               .stream = gpu,
                               .product = gpu ? 8192 : 2048,
                               .copy = gpu ? (size_t)1 << 30 : (size_t)256 << 20};
}

/* ------------------------------------------------------------------------------- memory ---- */

static bool fail(timing *t, const char *sentence) {
    if (!t->error[0])
        snprintf(t->error, sizeof t->error, "%s", sentence);
    return false;
}

bool timing_did(timing *t, int status) {
    return t->error[0] ? false : status != 0 ? fail(t, t->b->error) : true;
}

static bool has_room(timing *t, int n) {
    return !t->error[0] && (n < MOST_BUFFERS || fail(t, "one operation has too many buffers"));
}

void *timing_host(timing *t, size_t bytes) {
    void *data = has_room(t, t->n_plain) ? calloc(1, bytes ? bytes : 1) : NULL;
    if (data)
        t->plain[t->n_plain++] = data;
    else
        fail(t, "out of memory");
    return data;
}

void *timing_pinned(timing *t, size_t bytes) {
    void *data = NULL;
    if (!has_room(t, t->n_pinned) || !timing_did(t, t->b->host_alloc(t->b, bytes, &data)))
        return NULL;
    memset(data, 0, bytes);
    return t->pinned[t->n_pinned++] = data;
}

void *timing_room(timing *t, size_t bytes) {
    void *data = NULL;
    if (!has_room(t, t->n_buffers) || !timing_did(t, t->b->buffer_alloc(t->b, bytes, &data)))
        return NULL;
    t->buffers[t->n_buffers++] = data;
    return timing_did(t, t->b->clear(t->b, data, bytes)) ? data : NULL;
}

static uint64_t draw(timing *t) { /* splitmix64 */
    uint64_t z = t->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

int timing_draw(timing *t, int below) {
    return (int)(draw(t) % (uint64_t)below);
}

static float draw_float(timing *t) { /* -1 .. 1 */
    return (float)(draw(t) >> 40) / (1 << 23) - 1;
}

/* Backend memory filled with a random piece of host memory, again and again. */
static void *repeated(timing *t, const void *piece, size_t piece_bytes, size_t bytes) {
    char *data = timing_room(t, bytes);
    for (size_t at = 0; data && at < bytes; at += piece_bytes) {
        size_t n = bytes - at < piece_bytes ? bytes - at : piece_bytes;
        /* Only the first comes from the host. */
        if (!timing_did(t, at ? t->b->move(t->b, data + at, data, n) : t->b->upload(t->b, data, piece, n)))
            return NULL;
    }
    return data;
}

float *timing_floats(timing *t, size_t n) {
    size_t piece = n < RANDOM_PIECE ? n : RANDOM_PIECE;
    float *host = malloc((piece ? piece : 1) * sizeof *host);
    for (size_t i = 0; host && i < piece; i++)
        host[i] = draw_float(t);
    float *data = host ? repeated(t, host, piece * sizeof *host, n * sizeof *host) : NULL;
    if (!host)
        fail(t, "out of memory");
    free(host);
    return data;
}

uint16_t *timing_halves(timing *t, size_t n) {
    size_t piece = n < RANDOM_PIECE ? n : RANDOM_PIECE;
    uint16_t *halves = malloc((n ? n : 1) * sizeof *halves);
    if (!halves)
        fail(t, "out of memory");
    for (size_t i = 0; halves && i < piece; i++) {
        uint64_t bits = draw(t);
        halves[i] = (uint16_t)((bits & 0x83FF) | (8 + (bits >> 32) % 7) << 10); /* any sign and fraction, 2^-7 .. 1 */
    }
    for (size_t at = piece; halves && at < n; at += piece)
        memcpy(halves + at, halves, (n - at < piece ? n - at : piece) * sizeof *halves);
    return halves;
}

const drt_matrix *timing_matrix(timing *t, int rows, int cols) {
    size_t n = (size_t)rows * (size_t)cols;
    uint16_t *host = malloc(n * sizeof *host);
    if (!host || t->n_matrices == MOST_MATRICES) {
        free(host);
        fail(t, host ? "one operation has too many matrices" : "out of memory");
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        float value = draw_float(t) * 0.1f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        host[i] = (uint16_t)(bits >> 16);
    }
    drt_matrix *m = &t->matrices[t->n_matrices];
    bool loaded = !t->error[0] && timing_did(t, t->b->matrix_load(t->b, m, DRT_WEIGHT_BF16, host, NULL, rows, cols));
    free(host);
    t->n_matrices += loaded;
    return loaded ? m : NULL;
}

void timing_release(timing *t) {
    while (t->n_matrices)
        t->b->matrix_free(t->b, &t->matrices[--t->n_matrices]);
    while (t->n_buffers)
        t->b->buffer_free(t->b, t->buffers[--t->n_buffers]);
    while (t->n_pinned)
        t->b->host_free(t->b, t->pinned[--t->n_pinned]);
    while (t->n_plain)
        free(t->plain[--t->n_plain]);
}

/* -------------------------------------------------------------------------------- clock ---- */

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool call_times(timing *t, timing_call *call, void *arguments, int times) {
    for (int i = 0; i < times; i++)
        if (!timing_did(t, call(t, arguments)))
            return false;
    return timing_did(t, t->b->synchronize(t->b));
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double timing_seconds(timing *t, timing_call *call, void *arguments) {
    double batches[BATCHES];
    int calls = 1;
    if (t->error[0] || !call_times(t, call, arguments, WARM_CALLS))
        return 0;
    for (int done = 0; done < BATCHES;) {
        double start = now();
        if (!call_times(t, call, arguments, calls))
            return 0;
        double spent = now() - start;
        if (done == 0 && spent < BATCH_SECONDS && calls < MOST_CALLS)
            calls *= 2;
        else
            batches[done++] = spent / calls;
    }
    qsort(batches, BATCHES, sizeof *batches, ascending);
    return batches[BATCHES / 2];
}

void timing_report(timing *t, timing_work work, timing_call *call, void *arguments, const char *shape, ...) {
    char text[SHAPE_TEXT];
    va_list values;
    if (timing_over(t))
        return;
    va_start(values, shape);
    vsnprintf(text, sizeof text, shape, values);
    va_end(values);
    drt_timing_row row = {.operation = work.operation, .shape = text};
    double seconds = timing_seconds(t, call, arguments);
    if (t->error[0]) {
        row.error = t->error;
    } else {
        const double bounds[] = {[DRT_TIMING_COPY] = work.bytes / t->ceilings.copy,
                                 [DRT_TIMING_LINK] = work.link_bytes / t->ceilings.link,
                                 [DRT_TIMING_PRODUCT] = work.flops / t->ceilings.product};
        row.seconds = seconds;
        row.bytes = work.bytes;
        row.link_bytes = work.link_bytes;
        row.flops = work.flops;
        for (drt_timing_limit i = DRT_TIMING_COPY; i <= DRT_TIMING_PRODUCT; i++)
            if (bounds[i] > bounds[row.limit])
                row.limit = i;
        row.bound = bounds[row.limit];
    }
    t->stopped = !t->row(t->user, &row);
    t->error[0] = 0;
}

bool timing_over(const timing *t) {
    return t->stopped;
}

/* ----------------------------------------------------------------------------- ceilings ---- */

typedef struct {
    size_t n;
    const drt_matrix *m;
    const void *from;
    void *to;
} ceiling;

static int call_move(timing *t, void *arguments) {
    ceiling *c = arguments;
    return t->b->move(t->b, c->to, c->from, c->n);
}

static int call_upload(timing *t, void *arguments) {
    ceiling *c = arguments;
    return t->b->upload(t->b, c->to, c->from, c->n);
}

static int call_product(timing *t, void *arguments) {
    ceiling *c = arguments;
    return t->b->linear(t->b, c->from, c->m, (int)c->n, false, c->to);
}

static bool measure_ceilings(timing *t) {
    size_t bytes = t->params->copy, n = (size_t)t->params->product;
    ceiling copy = {.n = bytes, .from = timing_room(t, bytes), .to = timing_room(t, bytes)};
    double copy_seconds = timing_seconds(t, call_move, &copy);
    timing_release(t);
    ceiling link = {.n = LINK_BYTES, .from = timing_pinned(t, LINK_BYTES), .to = timing_room(t, LINK_BYTES)};
    double link_seconds = timing_seconds(t, call_upload, &link);
    timing_release(t);
    ceiling product = {.n = n,
                       .m = timing_matrix(t, (int)n, (int)n),
                       .from = timing_floats(t, n * n),
                       .to = timing_room(t, n * n * sizeof(float))};
    double product_seconds = timing_seconds(t, call_product, &product);
    timing_release(t);
    if (t->error[0])
        return false;
    t->ceilings = (drt_timing_ceilings){.copy = 2 * (double)bytes / copy_seconds,
                                        .link = (double)LINK_BYTES / link_seconds,
                                        .product = 2 * (double)n * (double)n * (double)n / product_seconds};
    return true;
}

int drt_timing_run(drt_backend *b, const drt_timing_params *params, drt_timing_ceilings *ceilings,
                   bool (*row)(void *user, const drt_timing_row *row), void *user, char *error, size_t error_size) {
    timing t = {.b = b, .params = params, .row = row, .user = user, .random = 1};
    if (!measure_ceilings(&t)) {
        snprintf(error, error_size, "%s", t.error);
        return -1;
    }
    *ceilings = t.ceilings;
    bool encode_only = params->only && strcmp(params->only, "encode_run") == 0;
    bool read_only = params->only && strcmp(params->only, "read") == 0;
    if (!params->only)
        timing_operations(&t);
    if (!encode_only)
        timing_read(&t);
    for (int n = encode_only ? SMALLEST_BATCH : params->slots; n <= params->slots && !read_only; n *= 2)
        timing_encode(&t, n);
    return 0;
}
