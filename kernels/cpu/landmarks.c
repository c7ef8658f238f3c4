/* landmarks.c: scans of landmarks where they lie. Reading them is the cost, so a few queries share each reading; memory
 * for scores is that of a block, however many landmarks there are. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/best.h"
#include "kernels/cpu/cpu.h"
#include "kernels/landmarks.h"

#define BLOCK 4096 /* chunks scored before their scores are used */
#define CHUNKS_OF_A_TASK 512

struct drt_landmark_set {
    int d;
    const uint16_t *host; /* (n,d) */
};

/* ------------------------------------------------------------------------------- set ---- */

int drt_cpu_landmarks_open(drt_backend *b, int d, size_t budget, drt_landmark_set **l) {
    (void)budget;
    *l = calloc(1, sizeof **l);
    if (!*l)
        return drt_cpu_fail(b, "out of memory for landmarks");
    (*l)->d = d;
    return 0;
}

void drt_cpu_landmarks_close(drt_backend *b, drt_landmark_set *l) {
    (void)b;
    free(l);
}

int drt_cpu_landmarks_set(drt_backend *b, drt_landmark_set *l, const uint16_t *host, int64_t n, int64_t kept) {
    (void)b;
    (void)n;
    (void)kept;
    l->host = host;
    return 0;
}

/* ---------------------------------------------------------------------------- scores ---- */

/* Scores of a block of chunks: those of query q at scores + q * BLOCK. */
typedef struct {
    const drt_simd *simd;
    const uint16_t *rows;
    const float *queries[DRT_SCAN_QUERIES];
    int n_queries, d;
    int64_t end; /* of all blocks: the most chunks that a query looks at */
    int64_t n;   /* chunks of this one */
    float factor;
    float *scores;
} block;

static void score_task(void *argument, int task, int worker) {
    (void)worker;
    const block *k = argument;
    int64_t first = (int64_t)task * CHUNKS_OF_A_TASK;
    int64_t n = k->n - first < CHUNKS_OF_A_TASK ? k->n - first : CHUNKS_OF_A_TASK;
    for (int q = 0; q < k->n_queries; q++)
        k->simd->half_dot_rows(k->rows + first * k->d, n, k->d, k->queries[q], k->factor,
                               k->scores + q * BLOCK + first);
}

/* The block that begins with chunk `first`. */
static void score_block(drt_cpu *cpu, const drt_landmark_set *l, int64_t first, block *k) {
    k->rows = l->host + first * l->d;
    k->n = k->end - first < BLOCK ? k->end - first : BLOCK;
    drt_pool_run(cpu->pool, (int)((k->n + CHUNKS_OF_A_TASK - 1) / CHUNKS_OF_A_TASK), score_task, k);
}

static int open_block(drt_cpu *cpu, const drt_landmark_set *l, int n_queries, block *k) {
    *k = (block){.simd = cpu->simd, .n_queries = n_queries, .d = l->d, .factor = 1 / sqrtf((float)l->d)};
    k->scores = drt_cpu_scratch(&cpu->table, (size_t)n_queries * BLOCK);
    return k->scores ? 0 : -1;
}

/* Query q looks at the first n chunks. */
static void add_query(block *k, int q, const float *query, int64_t n) {
    k->queries[q] = query;
    if (n > k->end)
        k->end = n;
}

/* Of n chunks from `first` on, those before chunk `end`. */
static int64_t within(int64_t end, int64_t first, int64_t n) {
    return end - first < n ? end - first : n;
}

static bool is_allowed(const uint64_t *allowed, int64_t chunk) {
    return !allowed || (allowed[chunk / 64] >> (chunk % 64) & 1);
}

/* ------------------------------------------------------------------------------ scan ---- */

/* One query's scores of n chunks, the first of them `first`. */
static void look_at(drt_landmark_scan *scan, drt_best *best, const float *scores, int64_t first, int64_t n) {
    for (int64_t i = 0; i < within(scan->n, first, n); i++) {
        if (!is_allowed(scan->allowed, first + i))
            continue;
        scan->low = fminf(scan->low, scores[i]);
        scan->high = fmaxf(scan->high, scores[i]);
        drt_best_offer(best, first + i, scores[i]);
    }
}

static int scan_some(drt_cpu *cpu, const drt_landmark_set *l, drt_landmark_scan *scans, int n) {
    drt_best best[DRT_SCAN_QUERIES];
    block k;
    if (open_block(cpu, l, n, &k) != 0)
        return -1;
    for (int q = 0; q < n; q++) {
        add_query(&k, q, scans[q].query, scans[q].n);
        best[q] = (drt_best){scans[q].chunks, scans[q].scores, 0, scans[q].k};
        scans[q].low = INFINITY;
        scans[q].high = -INFINITY;
    }
    for (int64_t first = 0; first < k.end; first += BLOCK) {
        score_block(cpu, l, first, &k);
        for (int q = 0; q < n; q++)
            look_at(&scans[q], &best[q], k.scores + q * BLOCK, first, k.n);
    }
    for (int q = 0; q < n; q++) {
        drt_best_sort(&best[q]);
        scans[q].count = best[q].n;
    }
    return 0;
}

int drt_cpu_landmarks_scan(drt_backend *b, drt_landmark_set *l, drt_landmark_scan *scans, int n_scans) {
    int status = 0;
    for (int at = 0; at < n_scans && status == 0; at += DRT_SCAN_QUERIES)
        status =
            scan_some((drt_cpu *)b, l, scans + at, n_scans - at < DRT_SCAN_QUERIES ? n_scans - at : DRT_SCAN_QUERIES);
    return status;
}

/* ------------------------------------------------------------------------- histogram ---- */

static int bin_of(float score, float low, float high) {
    double at = high > low ? (double)(score - low) / (double)(high - low) * DRT_SCORE_BINS : 0;
    return at > 0 ? at < DRT_SCORE_BINS ? (int)at : DRT_SCORE_BINS - 1 : 0;
}

static void count(drt_landmark_histogram *h, const float *scores, int64_t first, int64_t n) {
    for (int64_t i = 0; i < within(h->n, first, n); i++)
        if (is_allowed(h->allowed, first + i) && scores[i] == scores[i])
            h->counts[bin_of(scores[i], h->low, h->high)]++;
}

static int count_some(drt_cpu *cpu, const drt_landmark_set *l, drt_landmark_histogram *histograms, int n) {
    block k;
    if (open_block(cpu, l, n, &k) != 0)
        return -1;
    for (int q = 0; q < n; q++) {
        add_query(&k, q, histograms[q].query, histograms[q].n);
        memset(histograms[q].counts, 0, DRT_SCORE_BINS * sizeof *histograms[q].counts);
    }
    for (int64_t first = 0; first < k.end; first += BLOCK) {
        score_block(cpu, l, first, &k);
        for (int q = 0; q < n; q++)
            count(&histograms[q], k.scores + q * BLOCK, first, k.n);
    }
    return 0;
}

int drt_cpu_landmarks_histogram(drt_backend *b, drt_landmark_set *l, drt_landmark_histogram *histograms, int n) {
    int status = 0;
    for (int at = 0; at < n && status == 0; at += DRT_SCAN_QUERIES)
        status = count_some((drt_cpu *)b, l, histograms + at, n - at < DRT_SCAN_QUERIES ? n - at : DRT_SCAN_QUERIES);
    return status;
}

/* --------------------------------------------------------------------- single chunks ---- */

int drt_cpu_landmarks_scores(drt_backend *b, drt_landmark_set *l, const float *query, const int64_t *chunks, int n,
                             float *scores) {
    const drt_simd *simd = ((drt_cpu *)b)->simd;
    for (int i = 0; i < n; i++)
        simd->half_dot_rows(l->host + chunks[i] * l->d, 1, l->d, query, 1 / sqrtf((float)l->d), scores + i);
    return 0;
}
