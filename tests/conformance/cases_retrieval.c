/* cases_retrieval.c: scans of landmarks. Small integers are summed without rounding, so that what is chosen must be the
 * same to the bit, ties included. */
#include <math.h>
#include <string.h>

#include "conformance.h"
#include "kernels/landmarks.h"

/* A finite fp16 of magnitude 2^-7 to 2^1, or zero. */
static uint16_t draw_half(run *r) {
    if (draw_below(r, 50) == 0)
        return 0;
    return (uint16_t)(draw_below(r, 2) << 15 | (8 + draw_below(r, 8)) << 10 | draw_below(r, 1024));
}

/* 0, +-1 or +-2; or one in `special` a NaN or an infinity. */
static uint16_t draw_small(run *r, int special) {
    static const uint16_t whole[] = {0, 0x3C00, 0xBC00, 0x4000, 0xC000}, other[] = {0x7E00, 0x7C00, 0xFC00};
    return special && draw_below(r, special) == 0 ? other[draw_below(r, 3)] : whole[draw_below(r, 5)];
}

enum { RESIDENT, STREAMED, HALF };

/* Landmarks (n,d) at host, opened with a budget for all, for the least, or for about half of them. */
static drt_landmark_set *landmarks(run *r, const uint16_t *host, int64_t n, int64_t first, int d, int where) {
    drt_backend *b = r->backend;
    size_t all = drt_landmarks_bytes(n + n / 8, n + n / 8, d), least = drt_landmarks_bytes(n, 0, d);
    size_t row = (size_t)d * sizeof *host, half = (size_t)n / 2 * row;
    drt_landmark_set *set;
    if (n <= 4 * DRT_SCAN_WINDOW) /* two windows are more than that: take away what they need */
        half = 0;
    if (!did(r, b->landmarks_open(b, d, where == RESIDENT ? all : where == STREAMED ? least : least + half, &set)))
        return NULL;
    if (did(r, b->landmarks_set(b, set, host, first, 0)) &&
        (first == n || did(r, b->landmarks_set(b, set, host, n, first))))
        return set;
    b->landmarks_close(b, set);
    return NULL;
}

static const uint64_t *mask(run *r, int64_t n, int one_in) {
    size_t bytes = (size_t)(n + 63) / 64 * sizeof(uint64_t);
    uint64_t *bits = one_in ? host_room(r, bytes) : NULL;
    for (int64_t i = 0; bits && i < n; i++)
        bits[i / 64] |= (uint64_t)(draw_below(r, one_in) == 0) << i % 64;
    return bits ? copied(r, bits, bytes) : NULL;
}

static void emit_scan(run *r, const drt_landmark_scan *scan) {
    emit_number(r, scan->count);
    for (int i = 0; i < scan->count; i++) {
        emit_number(r, (double)scan->chunks[i]);
        emit_number(r, scan->scores[i]);
    }
    emit_number(r, scan->low);
    emit_number(r, scan->high);
}

/* at: n, d, k, queries, where, allowed one in (0: all), special one in (0: none), 1: the set grew, histograms too */
static void scan(run *r) {
    drt_backend *b = r->backend;
    int64_t n = r->at[0], first = r->at[7] ? n - n / 3 : n;
    size_t d = (size_t)r->at[1], k = (size_t)r->at[2], n_queries = (size_t)r->at[3];
    uint16_t *host = host_room(r, (size_t)n * d * sizeof *host);
    float *queries = host_room(r, n_queries * d * sizeof *queries);
    float *scores = host_room(r, (n_queries * k + 1) * sizeof *scores);
    int64_t *chunks = host_room(r, (n_queries * k + 1) * sizeof *chunks);
    drt_landmark_scan *scans = host_room(r, n_queries * sizeof *scans);
    drt_landmark_histogram *histograms = host_room(r, n_queries * sizeof *histograms);
    if (!going(r))
        return;
    for (size_t i = 0; i < (size_t)n * d; i++)
        host[i] = draw_small(r, r->at[6]);
    for (size_t i = 0; i < n_queries * d; i++)
        queries[i] = (float)(draw_below(r, 7) - 3);
    drt_landmark_set *set = landmarks(r, host, n, first, (int)d, r->at[4]);
    for (size_t q = 0; set && q < n_queries; q++) {
        int64_t seen = q % 3 == 2 ? n - n / 5 : n; /* a library that grew since the question began */
        scans[q] = (drt_landmark_scan){.query = queries + q * d, .n = seen, .k = q == 1 ? (int)k / 2 : (int)k};
        scans[q].chunks = chunks + q * k;
        scans[q].scores = scores + q * k;
        scans[q].allowed = mask(r, n, r->at[5]);
    }
    if (set && going(r) && did(r, b->landmarks_scan(b, set, scans, (int)n_queries)))
        for (size_t q = 0; q < n_queries; q++)
            emit_scan(r, &scans[q]);
    for (size_t q = 0; set && q < n_queries; q++) {
        histograms[q] =
            (drt_landmark_histogram){scans[q].query, scans[q].n, scans[q].allowed, scans[q].low, scans[q].high, {7}};
        if (q % 2)
            histograms[q].low = histograms[q].high;
    }
    if (set && going(r) && did(r, b->landmarks_histogram(b, set, histograms, (int)n_queries)))
        for (size_t q = 0; q < n_queries; q++)
            for (int i = 0; i < DRT_SCORE_BINS; i++)
                emit_number(r, histograms[q].counts[i]);
    if (set)
        b->landmarks_close(b, set);
}

/* at: n, d, chunks asked for, where: numbers that round. The best scores equal those asked for one by one. */
static void scores(run *r) {
    drt_backend *b = r->backend;
    int64_t n = r->at[0], *chunks = host_room(r, (size_t)r->at[2] * sizeof *chunks);
    size_t d = (size_t)r->at[1];
    uint16_t *host = host_room(r, (size_t)n * d * sizeof *host);
    float *query = host_room(r, d * sizeof *query), *values = host_room(r, (size_t)r->at[2] * sizeof *values);
    float best[8], again[8];
    int64_t ids[8];
    if (!going(r))
        return;
    for (size_t i = 0; i < (size_t)n * d; i++)
        host[i] = draw_half(r);
    for (size_t i = 0; i < d; i++)
        query[i] = draw_normal(r);
    for (int i = 0; i < r->at[2]; i++)
        chunks[i] = draw_below(r, (int)n);
    drt_landmark_set *set = landmarks(r, host, n, n, (int)d, r->at[3]);
    if (!set)
        return;
    drt_landmark_scan scan[3] = {{.query = query, .n = n, .k = 8, .chunks = ids, .scores = best}};
    scan[1] = scan[2] = (drt_landmark_scan){.query = query, .n = n}; /* company that must not change it */
    if (did(r, b->landmarks_scores(b, set, query, chunks, r->at[2], values)))
        for (int i = 0; i < r->at[2]; i++)
            emit_number(r, values[i]);
    if (did(r, b->landmarks_scan(b, set, scan, 3)) &&
        did(r, b->landmarks_scores(b, set, query, ids, scan[0].count, again)))
        for (int i = 0; i < scan[0].count; i++) {
            emit_number(r, best[i]);
            emit_number(r, best[i] == again[i]);
        }
    b->landmarks_close(b, set);
}

/* A budget that is too small for any scan: a sentence; the CPU needs none. */
static void too_little(run *r) {
    drt_backend *b = r->backend;
    drt_landmark_set *set;
    uint16_t *host = host_room(r, 64 * 64 * sizeof *host);
    if (!host || !did(r, b->landmarks_open(b, 64, 1000, &set)))
        return;
    b->error[0] = 0;
    emit_number(r, (b->landmarks_set(b, set, host, 64, 0) != 0) == (b->error[0] != 0));
    b->landmarks_close(b, set);
}

const conformance_case retrieval_cases[] = {
    {"landmarks_scores", "20 of 1003 x 384", "fp16", 1e-5, scores, {1003, 384, 20, RESIDENT}, true},
    {"landmarks_scores", "600 of 777 x 37", "fp16", 1e-5, scores, {777, 37, 600, RESIDENT}, true},
    {"landmarks_scores", "1 of 1 x 384", "fp16", 1e-5, scores, {1, 384, 1, RESIDENT}, true},
    {"landmarks_scores", "99 of 60001 x 768, streamed", "fp16", 1e-5, scores, {60001, 768, 99, STREAMED}, false},
    {"landmarks_scan", "8 of 10007 x 64", "exact", 0, scan, {10007, 64, 8, 1, RESIDENT, 0, 0, 0}, true},
    {"landmarks_scan", "8 of 511 x 64, grown, NaN", "exact", 0, scan, {511, 64, 8, 2, RESIDENT, 2, 99, 1}, true},
    {"landmarks_scan", "8 of 513 x 20, 3 queries", "exact", 0, scan, {513, 20, 8, 3, RESIDENT, 3, 0, 0}, true},
    {"landmarks_scan", "8 of 5 x 384, 5 queries", "exact", 0, scan, {5, 384, 8, 5, RESIDENT, 0, 0, 0}, true},
    {"landmarks_scan", "8 of 3000 x 7, one in 900", "exact", 0, scan, {3000, 7, 8, 2, RESIDENT, 900, 0, 0}, true},
    {"landmarks_scan", "8 of 2000 x 384, mostly NaN", "exact", 0, scan, {2000, 384, 8, 1, RESIDENT, 0, 150, 0}, true},
    {"landmarks_scan", "64 of 5000 x 8, ties", "exact", 0, scan, {5000, 8, 64, 2, RESIDENT, 2, 0, 0}, true},
    {"landmarks_scan", "700 of 5000 x 8, ties", "exact", 0, scan, {5000, 8, 700, 3, RESIDENT, 2, 50, 1}, true},
    {"landmarks_scan", "none of 600 x 8", "exact", 0, scan, {600, 8, 0, 1, RESIDENT, 2, 0, 0}, true},
    {"landmarks_scan", "8 of none", "exact", 0, scan, {0, 384, 8, 2, RESIDENT, 0, 0, 0}, true},
    {"landmarks_scan", "8 of 20000 x 24, streamed", "exact", 0, scan, {20000, 24, 8, 9, STREAMED, 2, 999, 1}, true},
    {"landmarks_scan", "100 of 40000 x 24, half", "exact", 0, scan, {40000, 24, 100, 2, HALF, 2, 999, 1}, true},
    {"landmarks_scan", "8 of 300001 x 384", "exact", 0, scan, {300001, 384, 8, 1, RESIDENT, 2, 0, 1}, false},
    {"landmarks_scan", "8 of 100003 x 384, half", "exact", 0, scan, {100003, 384, 8, 17, HALF, 2, 9999, 1}, false},
    {"landmarks_set", "a budget that is too small", "any", 0, too_little, {0}, true},
};
const size_t n_retrieval_cases = sizeof retrieval_cases / sizeof *retrieval_cases;
