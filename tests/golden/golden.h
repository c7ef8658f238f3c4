/* golden.h: what the golden tests share: a case's files and model, comparison with the stored tensors, and
 * a retriever over chunk memory held in fp32. */
#ifndef DRT_TESTS_GOLDEN_H
#define DRT_TESTS_GOLDEN_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/network/layers.h"
#include "engine/network/network.h"
#include "engine/network/safetensors.h"
#include "kernels/cpu/cpu.h"

#define TOLERANCE 1e-4

/* Fails the test with the context's sentence. */
#define assert_ok(context, call)                                                                                       \
    do {                                                                                                               \
        if ((call) != DRT_OK)                                                                                          \
            fail_msg("%s: %s", #call, drt_error(context));                                                             \
    } while (0)

typedef struct {
    drt_context *context;
    drt_device *device;
    drt_model *model;
    drt_safetensors golden;
} golden_case;

/* simd: a variant of the CPU's inner loops; NULL: the best one. */
static inline void golden_open(golden_case *g, const char *model_directory, const char *golden_file, int threads,
                               const drt_simd *simd) {
    drt_device_params params = {"cpu", threads, 0};
    char error[256];
    g->context = drt_context_new(NULL);
    assert_non_null(g->context);
    assert_ok(g->context, drt_device_open(g->context, &params, &g->device));
    if (simd) {
        drt_backend *chosen;
        assert_int_equal(drt_cpu_open(threads, simd, true, &chosen, error, sizeof error), 0);
        g->device->backend->close(g->device->backend);
        g->device->backend = chosen;
    }
    assert_ok(g->context, drt_model_load(g->context, g->device, model_directory, &g->model));
    assert_ok(g->context, drt_safetensors_open(g->context, golden_file, &g->golden));
}

static inline void golden_close(golden_case *g) {
    drt_safetensors_close(&g->golden);
    drt_model_free(g->model);
    drt_device_close(g->device);
    drt_context_free(g->context);
}

static inline const drt_tensor *golden_tensor(const golden_case *g, const char *name, drt_tensor_type type) {
    const drt_tensor *tensor = drt_safetensors_find(&g->golden, name);
    if (!tensor || tensor->type != type)
        fail_msg("the golden file has no %s \"%s\"", drt_tensor_type_name(type), name);
    return tensor;
}

static inline size_t golden_count(const drt_tensor *tensor) {
    return tensor->bytes / drt_tensor_type_size(tensor->type);
}

/* Copies, since tensors lie unaligned in the file. */
static inline float *golden_floats(const golden_case *g, const char *name) {
    const drt_tensor *tensor = golden_tensor(g, name, DRT_TENSOR_F32);
    float *values = malloc(tensor->bytes);
    assert_non_null(values);
    return memcpy(values, tensor->data, tensor->bytes);
}

static inline int32_t *golden_integers(const golden_case *g, const char *name, size_t *count) {
    const drt_tensor *tensor = golden_tensor(g, name, DRT_TENSOR_I64);
    size_t n = golden_count(tensor);
    int32_t *values = malloc(n * sizeof *values);
    assert_non_null(values);
    for (size_t i = 0; i < n; i++) {
        int64_t value;
        memcpy(&value, tensor->data + i * sizeof value, sizeof value);
        values[i] = (int32_t)value;
    }
    if (count)
        *count = n;
    return values;
}

static inline float *new_floats(size_t n) {
    float *values = calloc(n ? n : 1, sizeof *values);
    assert_non_null(values);
    return values;
}

/* max|a-b| <= tolerance * max(1, max|b|). */
static inline void assert_close(const char *what, const float *a, const float *b, size_t n, double tolerance) {
    double error = 0, size = 1;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)a[i] - (double)b[i]);
        if (!(difference <= error))
            error = difference;
        size = fmax(size, fabs((double)b[i]));
    }
    if (!(error <= tolerance * size))
        fail_msg("%s: differs by %g where %g is allowed", what, error, tolerance * size);
}

static inline void assert_golden(const golden_case *g, const char *name, const float *values, size_t n) {
    float *expected = golden_floats(g, name);
    assert_int_equal(golden_count(golden_tensor(g, name, DRT_TENSOR_F32)), n);
    assert_close(name, values, expected, n, TOLERANCE);
    free(expected);
}

/* rows (n_chunks*S,d) -> heads (n_chunks,H,S,h), the reference's order. */
static inline float *by_heads(const float *rows, size_t n_chunks, const drt_config *c) {
    size_t S = (size_t)c->chunk_size, H = (size_t)c->n_heads, h = (size_t)(c->d_model / c->n_heads);
    float *heads = new_floats(n_chunks * S * H * h);
    for (size_t chunk = 0; chunk < n_chunks; chunk++)
        for (size_t s = 0; s < S; s++)
            for (size_t head = 0; head < H; head++)
                memcpy(heads + ((chunk * H + head) * S + s) * h, rows + ((chunk * S + s) * H + head) * h,
                       h * sizeof *rows);
    return heads;
}

/* Slots n of one lane of the reader. */
static inline drt_status read_lane(drt_context *context, drt_reader *reader, int lane, const int32_t *tokens, size_t n,
                                   float *hidden, float *attention) {
    drt_reader_item item = {lane, tokens, (int)n, hidden, attention};
    return drt_reader_run(context, reader, &item, 1);
}

/* Documents' landmarks (n,d) and memory (n,S,d), and what was retrieved from them. */
typedef struct {
    const drt_config *config;
    const float *landmarks, *y;
    int n;
    /* (steps,n): may step's landmark retrieve the chunk; NULL: any. */
    const uint8_t *visible;
    /* Results by step and group: (steps,G,K), of hits that are there; counts (steps,G). */
    float *scores, *weights;
    int32_t *indices;
    int *counts;
    const void **records; /* (G,K): what the reader was given, fp32 */
} memory_retriever;

static inline void retriever_open(memory_retriever *r, const drt_config *c, const float *landmarks, const float *y,
                                  int n, int steps) {
    size_t results = (size_t)steps * (size_t)c->n_groups * (size_t)c->top_k;
    *r = (memory_retriever){.config = c, .landmarks = landmarks, .y = y, .n = n};
    r->scores = new_floats(results);
    r->weights = new_floats(results);
    r->indices = calloc(results, sizeof *r->indices);
    r->counts = calloc((size_t)(steps * c->n_groups), sizeof *r->counts);
    r->records = calloc((size_t)(c->n_groups * c->top_k), sizeof *r->records);
    assert_non_null(r->indices);
    assert_non_null(r->counts);
    assert_non_null(r->records);
}

static inline void retriever_close(memory_retriever *r) {
    free(r->scores);
    free(r->weights);
    free(r->indices);
    free(r->counts);
    free(r->records);
}

/* Softmax over the n scores of a retrieval. */
static inline void softmax_scores(const float *scores, int n, float *weights) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += exp((double)scores[i] - (double)scores[0]);
    for (int i = 0; i < n; i++)
        weights[i] = (float)(exp((double)scores[i] - (double)scores[0]) / sum);
}

/* A drt_retrieve_fn: plain scores, selection by repeated maximum. */
static inline drt_status retrieve_from_memory(void *user, drt_context *context, int lane, int step, int group,
                                              const float *query, drt_retrieved *out) {
    (void)context;
    (void)lane;
    memory_retriever *r = user;
    const drt_config *c = r->config;
    size_t d = (size_t)c->d_model, chunk = (size_t)c->chunk_size * d, K = (size_t)c->top_k;
    size_t row = (size_t)step, at = (row * (size_t)c->n_groups + (size_t)group) * K;
    const void **records = r->records + (size_t)group * K;
    int count = 0;
    for (int k = 0; k < c->top_k; k++) {
        int best = -1;
        float best_score = 0;
        for (int e = 0; e < r->n; e++) {
            bool taken = r->visible && !r->visible[row * (size_t)r->n + (size_t)e];
            for (int i = 0; i < count; i++)
                taken = taken || r->indices[at + (size_t)i] == e;
            double score = 0;
            for (size_t i = 0; i < d; i++)
                score += (double)query[i] * (double)r->landmarks[(size_t)e * d + i];
            score /= sqrt((double)d);
            if (!taken && (best < 0 || (float)score > best_score)) {
                best = e;
                best_score = (float)score;
            }
        }
        if (best < 0)
            break;
        r->scores[at + (size_t)count] = best_score;
        r->indices[at + (size_t)count] = best;
        records[count++] = r->y + (size_t)best * chunk;
    }
    softmax_scores(r->scores + at, count, r->weights + at);
    r->counts[row * (size_t)c->n_groups + (size_t)group] = count;
    *out = (drt_retrieved){count, r->weights + at, DRT_MEMORY_F32, records};
    return DRT_OK;
}

/* One retrieval (count hits) against golden indices and weights (K): weights to tolerance, indices where the score is
 * more than 1e-4 away from its neighbours'. Golden entries of weight 0 are arbitrary. */
static inline void assert_retrieval(const char *what, const float *scores, const float *weights, const int32_t *indices,
                                    int count, const int32_t *expected, const float *expected_weights, int K) {
    for (int k = 0; k < K; k++) {
        if (expected_weights[k] == 0) {
            assert_true(k >= count || weights[k] < TOLERANCE);
            continue;
        }
        if (k >= count)
            fail_msg("%s: %d chunks retrieved, more were expected", what, count);
        if (fabsf(weights[k] - expected_weights[k]) > TOLERANCE)
            fail_msg("%s: weight %d is %g, not %g", what, k, (double)weights[k], (double)expected_weights[k]);
        bool clear = (k == 0 || scores[k - 1] - scores[k] > TOLERANCE) &&
                     (k + 1 >= count || scores[k] - scores[k + 1] > TOLERANCE);
        if (clear && indices[k] != expected[k])
            fail_msg("%s: hit %d is chunk %d, not %d", what, k, (int)indices[k], (int)expected[k]);
    }
}

#endif
