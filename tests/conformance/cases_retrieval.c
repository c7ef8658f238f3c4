/* cases_retrieval.c: scores of landmarks and the choice of the best. */
#include <math.h>
#include <string.h>

#include "conformance.h"

/* A finite fp16 of magnitude 2^-7 to 2^1, or zero. */
static uint16_t draw_half(run *r) {
    if (draw_below(r, 50) == 0)
        return 0;
    return (uint16_t)(draw_below(r, 2) << 15 | (8 + draw_below(r, 8)) << 10 | draw_below(r, 1024));
}

/* at: n, d */
static void retrieval_scores(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0], d = (size_t)r->at[1];
    uint16_t *halves = host_room(r, n * d * sizeof *halves);
    float *query = host_room(r, d * sizeof *query), *scores = output(r, n);
    if (!halves || !query || !scores)
        return;
    for (size_t i = 0; i < n * d; i++)
        halves[i] = draw_half(r);
    for (size_t i = 0; i < d; i++)
        query[i] = draw_normal(r);
    const void *landmarks;
    if (!did(r, b->share(b, halves, n * d * sizeof *halves, &landmarks)))
        return;
    if (did(r, b->retrieval_scores(b, landmarks, (int64_t)n, (int)d, query, scores))) {
        memset(query, 0, d * sizeof *query); /* read during the call only */
        emit(r, scores, n);
    }
    b->unshare(b, landmarks);
}

static uint64_t *mask(run *r, size_t n, int one_in) {
    uint64_t *bits = host_room(r, (n + 63) / 64 * sizeof *bits);
    for (size_t i = 0; bits && i < n; i++)
        bits[i / 64] |= (uint64_t)(draw_below(r, one_in) == 0) << i % 64;
    return bits;
}

/* at: n, k, distinct scores (0: all differ), allowed one in (0: all), dead one in (0: none), NaN one in (0: none) */
static void top_k(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0], k = (size_t)r->at[1];
    float *scores = host_room(r, n * sizeof *scores), *values = host_room(r, (k + 1) * sizeof *values);
    int64_t *indices = host_room(r, (k + 1) * sizeof *indices);
    for (size_t i = 0; going(r) && i < n; i++) {
        scores[i] = r->at[2] ? (float)(draw_below(r, r->at[2]) - r->at[2] / 2) : draw_normal(r);
        if (r->at[5] && draw_below(r, r->at[5]) == 0)
            scores[i] = draw_below(r, 3) ? NAN : -INFINITY;
    }
    const uint64_t *allowed = r->at[3] ? mask(r, n, r->at[3]) : NULL, *dead = r->at[4] ? mask(r, n, r->at[4]) : NULL;
    float *on_backend = going(r) ? copied(r, scores, n * sizeof *scores) : NULL;
    int count = -1;
    if (!on_backend || !did(r, b->top_k(b, on_backend, (int64_t)n, allowed, dead, (int)k, indices, values, &count)))
        return;
    emit_number(r, count);
    for (int i = 0; i < count; i++) {
        emit_number(r, (double)indices[i]);
        emit_number(r, values[i]);
    }
}

const conformance_case retrieval_cases[] = {
    {"retrieval_scores", "1003 x 384", "fp16", 1e-5, retrieval_scores, {1003, 384}, true},
    {"retrieval_scores", "77 x 37", "fp16", 1e-5, retrieval_scores, {77, 37}, true},
    {"retrieval_scores", "1 x 384", "fp16", 1e-5, retrieval_scores, {1, 384}, true},
    {"retrieval_scores", "60001 x 768", "fp16", 1e-5, retrieval_scores, {60001, 768}, false},
    {"retrieval_scores", "no chunks", "fp16", 0, retrieval_scores, {0, 384}, true},
    {"top_k", "8 of 10007", "fp32", 0, top_k, {10007, 8, 0, 0, 0, 0}, true},
    {"top_k", "8 of 10007, many ties", "fp32", 0, top_k, {10007, 8, 5, 0, 0, 0}, true},
    {"top_k", "8 of 10007, all equal", "fp32", 0, top_k, {10007, 8, 1, 0, 3, 0}, true},
    {"top_k", "8 of 5", "fp32", 0, top_k, {5, 8, 0, 0, 0, 0}, true},
    {"top_k", "8 of 4097, one in 900 allowed", "fp32", 0, top_k, {4097, 8, 0, 900, 0, 0}, true},
    {"top_k", "8 of 9000, allowed, dead, NaN", "fp32", 0, top_k, {9000, 8, 50, 2, 3, 4}, true},
    {"top_k", "8 of 3000, all NaN or infinite", "fp32", 0, top_k, {3000, 8, 0, 0, 0, 1}, true},
    {"top_k", "64 of 20000, ties", "fp32", 0, top_k, {20000, 64, 1000, 0, 2, 0}, true},
    {"top_k", "1000 of 5000", "fp32", 0, top_k, {5000, 1000, 700, 2, 0, 9}, true},
    {"top_k", "8 of 3000001", "fp32", 0, top_k, {3000001, 8, 0, 0, 5, 0}, false},
    {"top_k", "none of 100", "fp32", 0, top_k, {100, 0, 0, 0, 0, 0}, true},
    {"top_k", "8 of none", "fp32", 0, top_k, {0, 8, 0, 0, 0, 0}, true},
};
const size_t n_retrieval_cases = sizeof retrieval_cases / sizeof *retrieval_cases;
