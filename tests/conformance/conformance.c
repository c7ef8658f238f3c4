/* conformance.c: compares every operation of the CUDA backend with its CPU twin and prints one table.
 *
 *   conformance [--small] [--only OPERATION] [--seed N] [--repeat N] [--device N] [--time] [--self]
 *
 * --small: a reduced set, for sanitizers. --only: cases of one operation. --time: timings instead, or with --only those of
 * encode_run or read. --self: the CPU backend with itself, which tests this program where there is no GPU. Exit code 0: all
 * within their bounds; 1: not; 2: no such backend, or bad usage. */
#include "conformance.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernels/module.h"

#define GUARD_FLOATS 64
#define POISON 0x7FC0DEADu /* a NaN that no operation gives */

/* ----------------------------------------------------------------------------- one run ---- */

uint64_t draw(run *r) { /* splitmix64 */
    uint64_t z = r->random += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

int draw_below(run *r, int below) {
    return (int)(draw(r) % (uint64_t)below);
}

float draw_normal(run *r) {
    double sum = 0;
    for (int i = 0; i < 4; i++)
        sum += (double)(draw(r) >> 40) / (1 << 24) - 0.5;
    return (float)(sum * 1.7320508);
}

bool going(const run *r) {
    return r->failure[0] == 0;
}

static void fail(run *r, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void fail(run *r, const char *format, ...) {
    if (!going(r))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(r->failure, sizeof r->failure, format, arguments);
    va_end(arguments);
}

bool did(run *r, int status) {
    if (status != 0)
        fail(r, "%s", r->backend->error);
    return going(r);
}

/* Host buffers and backend buffers share one list; `floats` tells them apart. */
#define HOST_BUFFER SIZE_MAX

static bool keep(run *r, void *data, size_t floats) {
    if (r->n_buffers == MOST_BUFFERS) {
        fail(r, "a case has more than %d buffers", MOST_BUFFERS);
        return false;
    }
    r->buffers[r->n_buffers].data = data;
    r->buffers[r->n_buffers++].floats = floats;
    return true;
}

void *host_room(run *r, size_t bytes) {
    if (!going(r))
        return NULL;
    void *data = calloc(1, bytes ? bytes : 1);
    if (!data)
        fail(r, "out of memory");
    else if (!keep(r, data, HOST_BUFFER)) {
        free(data);
        data = NULL;
    }
    return data;
}

static void *guarded_room(run *r, size_t bytes, size_t floats) {
    void *data = NULL;
    if (!going(r) || !did(r, r->backend->buffer_alloc(r->backend, bytes, &data)))
        return NULL;
    if (!keep(r, data, floats)) {
        r->backend->buffer_free(r->backend, data);
        return NULL;
    }
    return data;
}

void *backend_room(run *r, size_t bytes) {
    return guarded_room(r, bytes, 0);
}

void *copied(run *r, const void *host, size_t bytes) {
    void *data = backend_room(r, bytes);
    return data && did(r, r->backend->upload(r->backend, data, host, bytes)) ? data : NULL;
}

float *input(run *r, size_t n, float scale) {
    float *host = host_room(r, n * sizeof *host);
    for (size_t i = 0; host && i < n; i++)
        host[i] = draw_normal(r) * scale;
    return host ? copied(r, host, n * sizeof *host) : NULL;
}

float *output(run *r, size_t n) {
    size_t bytes = (n + GUARD_FLOATS) * sizeof(float);
    uint32_t *poison = host_room(r, bytes);
    float *data = guarded_room(r, bytes, n);
    if (!poison || !data)
        return NULL;
    for (size_t i = 0; i < n + GUARD_FLOATS; i++)
        poison[i] = POISON;
    return did(r, r->backend->upload(r->backend, data, poison, bytes)) ? data : NULL;
}

const drt_matrix *matrix(run *r, drt_weight_type type, int rows, int cols) {
    size_t n = (size_t)rows * (size_t)cols;
    char *data = host_room(r, n * sizeof(float));
    float *scale = host_room(r, (size_t)rows * sizeof *scale);
    if (!data || !scale)
        return NULL;
    for (size_t i = 0; i < (size_t)rows; i++)
        scale[i] = 0.001f * (float)(1 + draw_below(r, 9));
    for (size_t i = 0; i < n; i++) {
        float value = draw_normal(r) * 0.1f;
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        uint16_t half = (uint16_t)(bits >> 16);
        if (type == DRT_WEIGHT_I8)
            data[i] = (char)(draw_below(r, 255) - 127);
        else if (type == DRT_WEIGHT_BF16)
            memcpy(data + i * sizeof half, &half, sizeof half);
        else
            memcpy(data + i * sizeof value, &value, sizeof value);
    }
    if (r->n_matrices == MOST_MATRICES) {
        fail(r, "a case has more than %d matrices", MOST_MATRICES);
        return NULL;
    }
    drt_matrix *m = &r->matrices[r->n_matrices];
    if (!did(r, r->backend->matrix_load(r->backend, m, type, data, type == DRT_WEIGHT_I8 ? scale : NULL, rows, cols)))
        return NULL;
    r->n_matrices++;
    return m;
}

void emit_number(run *r, double value) {
    if (!going(r))
        return;
    if (r->n_results == r->room_results) {
        size_t room = r->room_results ? 2 * r->room_results : 1024;
        double *more = realloc(r->results, room * sizeof *more);
        if (!more) {
            fail(r, "out of memory");
            return;
        }
        r->results = more;
        r->room_results = room;
    }
    r->results[r->n_results++] = value;
}

void emit(run *r, const float *values, size_t n) {
    if (!going(r))
        return;
    float *host = malloc(n ? n * sizeof *host : 1);
    if (!host)
        fail(r, "out of memory");
    else if (did(r, r->backend->download(r->backend, host, values, n * sizeof *host)))
        for (size_t i = 0; i < n; i++)
            emit_number(r, host[i]);
    free(host);
}

/* Were the floats behind an output left alone? */
static void check_guard(run *r, const float *data, size_t floats) {
    uint32_t guard[GUARD_FLOATS];
    if (!did(r, r->backend->download(r->backend, guard, data + floats, sizeof guard)))
        return;
    for (int i = 0; i < GUARD_FLOATS; i++)
        if (guard[i] != POISON)
            fail(r, "wrote %d floats past the end of an output of %zu", i + 1, floats);
}

void finish(run *r) {
    drt_backend *b = r->backend;
    for (int i = 0; i < r->n_buffers; i++)
        if (going(r) && r->buffers[i].floats && r->buffers[i].floats != HOST_BUFFER)
            check_guard(r, r->buffers[i].data, r->buffers[i].floats);
    for (int i = 0; i < r->n_buffers; i++)
        if (r->buffers[i].floats == HOST_BUFFER)
            free(r->buffers[i].data);
        else
            b->buffer_free(b, r->buffers[i].data);
    for (int i = 0; i < r->n_matrices; i++)
        b->matrix_free(b, &r->matrices[i]);
    r->n_buffers = r->n_matrices = 0;
}

/* ------------------------------------------------------------------------- comparison ---- */

/* |a - b| / |b|; NaN where one has a NaN or an infinity that the other has not, or their numbers differ in count. */
static double difference(const run *a, const run *b) {
    if (a->n_results != b->n_results)
        return NAN;
    double sum = 0, whole = 0;
    for (size_t i = 0; i < a->n_results; i++) {
        double x = a->results[i], y = b->results[i];
        if (x == y)
            whole += isfinite(y) ? y * y : 0;
        else if (!isfinite(x) || !isfinite(y))
            return NAN;
        else {
            sum += (x - y) * (x - y);
            whole += y * y;
        }
    }
    return sum == 0 ? 0 : sqrt(sum) / sqrt(whole > 0 ? whole : 1e-300);
}

typedef struct {
    drt_backend *tested, *twin;
    bool small;
    const char *only; /* NULL, or the one operation to run */
    uint64_t seed;
    int repeat;
    int n_run, n_wrong;
} suite;

/* Runs the case on one backend; false: it failed, and said why. */
static bool run_on(drt_backend *b, const char *name, const conformance_case *c, uint64_t seed, run *r) {
    *r = (run){.backend = b, .random = seed, .at = c->at};
    c->body(r);
    finish(r);
    if (!going(r))
        printf("  %s: %s\n", name, r->failure);
    return going(r);
}

static void run_case(suite *s, const conformance_case *c) {
    if ((s->small && !c->small) || (s->only && strcmp(s->only, c->operation) != 0))
        return;
    double worst = 0;
    size_t n = 0;
    bool right = true;
    for (int i = 0; i < s->repeat; i++) {
        uint64_t seed = s->seed + (uint64_t)i * 1000003u;
        run tested, twin;
        right &= run_on(s->tested, "tested", c, seed, &tested);
        right &= run_on(s->twin, "twin", c, seed, &twin);
        double error = right ? difference(&tested, &twin) : NAN;
        worst = isnan(error) || error > worst ? error : worst;
        n += twin.n_results;
        free(tested.results);
        free(twin.results);
        right = right && error <= c->bound;
        if (!right)
            break;
    }
    s->n_run++;
    s->n_wrong += !right;
    printf("%-17s %-38s %-5s %9zu %9.1e %9.1e  %s\n", c->operation, c->what, c->type, n, worst, c->bound,
           right ? "ok" : "WRONG");
    fflush(stdout);
}

static void run_cases(suite *s, const conformance_case *cases, size_t n) {
    for (size_t i = 0; i < n; i++)
        run_case(s, &cases[i]);
}

static int usage(void) {
    fprintf(stderr, "usage: conformance [--small] [--only OPERATION] [--seed N] [--repeat N] [--device N] [--time] "
                    "[--self]\n");
    return 2;
}

int main(int argc, char **argv) {
    suite s = {.seed = (uint64_t)time(NULL), .repeat = 3};
    int device = 0;
    bool self = false, timings = false;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--small") == 0)
            s.small = true;
        else if (strcmp(argv[i], "--self") == 0)
            self = true;
        else if (strcmp(argv[i], "--time") == 0)
            timings = true;
        else if (value && strcmp(argv[i], "--only") == 0)
            s.only = argv[++i];
        else if (value && strcmp(argv[i], "--seed") == 0)
            s.seed = strtoull(argv[++i], NULL, 10);
        else if (value && strcmp(argv[i], "--repeat") == 0)
            s.repeat = atoi(argv[++i]);
        else if (value && strcmp(argv[i], "--device") == 0)
            device = atoi(argv[++i]);
        else
            return usage();
    }
    char error[512];
    int status = self ? drt_backend_open_cpu(0, &s.tested, error, sizeof error)
                      : drt_backend_open_cuda(device, &s.tested, error, sizeof error);
    if (status != 0) {
        fprintf(stderr, "conformance: %s\n", error);
        return 2;
    }
    printf("tested: %s\n", s.tested->description);
    int code = 2;
    if (timings) {
        code = print_timings(s.tested, !self, s.only);
    } else if (drt_backend_open_cpu(0, &s.twin, error, sizeof error) != 0) {
        fprintf(stderr, "conformance: %s\n", error);
    } else {
        printf("twin:   %s\nseed:   %" PRIu64 ", %d times\n\n", s.twin->description, s.seed, s.repeat);
        printf("%-17s %-38s %-5s %9s %9s %9s\n", "operation", "case", "type", "values", "error", "bound");
        run_cases(&s, dense_cases, n_dense_cases);
        run_cases(&s, attention_cases, n_attention_cases);
        run_cases(&s, retrieval_cases, n_retrieval_cases);
        run_cases(&s, encode_cases, n_encode_cases);
        run_cases(&s, read_cases, n_read_cases);
        printf("\n%d cases, %d wrong\n", s.n_run, s.n_wrong);
        code = s.n_wrong ? 1 : 0;
        s.twin->close(s.twin);
    }
    s.tested->close(s.tested);
    return code;
}
