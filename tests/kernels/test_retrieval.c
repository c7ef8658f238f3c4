/* Scans of fp16 landmarks: scores, the best of them, ranges, histograms. */
#include "kernels/cpu/best.h"
#include "tests/kernels/kernels.h"

/* A finite half and its value; few: one of nine values, so that scores are equal. */
static uint16_t random_half(bool few, double *value) {
    uint16_t half = (uint16_t)(random_bits() & 0xFFFF);
    int exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    if (few) {
        exponent = 13 + random_below(4);
        half = (uint16_t)((half & 0x8000) | exponent << 10);
        fraction = 0;
    } else if (exponent > 18) {
        half &= 0x8000 | 0x3FF; /* subnormal */
        exponent = 0;
    }
    *value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (half & 0x8000)
        *value = -*value;
    return half;
}

/* Landmarks, queries and what their scores are. */
typedef struct {
    int n, d, n_queries;
    uint16_t *landmarks;
    float *queries;
    double *scores; /* (n_queries,n) */
    uint64_t *allowed;
    drt_landmark_set *set;
} library;

static void library_open(drt_backend *b, library *l, int n, int d, int n_queries, bool few) {
    *l = (library){.n = n, .d = d, .n_queries = n_queries};
    l->landmarks = malloc(((size_t)n * (size_t)d + 1) * sizeof *l->landmarks);
    l->queries = random_floats((size_t)n_queries * (size_t)d);
    l->scores = zero_doubles((size_t)n_queries * (size_t)n);
    l->allowed = calloc((size_t)n / 64 + 1, sizeof *l->allowed);
    assert_true(l->landmarks && l->allowed);
    for (int i = 0; few && i < n_queries * d; i++)
        l->queries[i] = (float)(random_below(5) - 2);
    for (int i = 0; i < n * d; i++) {
        double value;
        l->landmarks[i] = random_half(few, &value);
        for (int q = 0; q < n_queries; q++)
            l->scores[q * n + i / d] += value * (double)l->queries[q * d + i % d] / sqrt(d);
    }
    for (int i = 0; i <= n / 64; i++)
        l->allowed[i] = (uint64_t)random_bits() << 32 | random_bits();
    assert_int_equal(b->landmarks_open(b, d, 0, &l->set), 0);
    assert_int_equal(b->landmarks_set(b, l->set, l->landmarks, n, 0), 0);
}

static void library_close(drt_backend *b, library *l) {
    b->landmarks_close(b, l->set);
    free(l->landmarks);
    free(l->queries);
    free(l->scores);
    free(l->allowed);
}

static void check_scores(drt_backend *b) {
    static const int sizes[] = {1, 7, 16, 40, 131, 384};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        library l;
        int n = random_below(1500);
        library_open(b, &l, n, sizes[s], 1, false);
        float *scores = zero_floats((size_t)n);
        int64_t *chunks = calloc((size_t)n + 1, sizeof *chunks);
        assert_non_null(chunks);
        for (int i = 0; i < n; i++)
            chunks[i] = i;
        assert_int_equal(b->landmarks_scores(b, l.set, l.queries, chunks, n, scores), 0);
        assert_close("landmarks_scores", scores, l.scores, (size_t)n);
        free(scores);
        free(chunks);
        library_close(b, &l);
    }
}

static void scores_are_the_plain_product(void **state) {
    (void)state;
    for_each_backend(check_scores);
}

static bool is_allowed(const library *l, const drt_landmark_scan *scan, int i) {
    return i < scan->n && (!scan->allowed || (l->allowed[i / 64] >> (i % 64) & 1));
}

/* Against the definition: as many chunks come before each as its rank says. */
static void check_scan(const library *l, int q, const drt_landmark_scan *scan, const float *scores) {
    int n_allowed = 0;
    float low = INFINITY, high = -INFINITY;
    for (int i = 0; i < l->n; i++) {
        if (!is_allowed(l, scan, i))
            continue;
        n_allowed++;
        low = fminf(low, scores[i]);
        high = fmaxf(high, scores[i]);
        assert_true(fabs((double)scores[i] - l->scores[q * l->n + i]) < 1e-3);
    }
    assert_int_equal(scan->count, scan->k < n_allowed ? scan->k : n_allowed);
    assert_true(n_allowed == 0 ? scan->low > scan->high : scan->low == low && scan->high == high);
    for (int rank = 0; rank < scan->count; rank++) {
        int chunk = (int)scan->chunks[rank], before = 0;
        assert_true(is_allowed(l, scan, chunk) && scan->scores[rank] == scores[chunk]);
        for (int i = 0; i < l->n; i++)
            before +=
                is_allowed(l, scan, i) && (scores[i] > scores[chunk] || (scores[i] == scores[chunk] && i < chunk));
        assert_int_equal(before, rank);
    }
}

static void check_histogram(const library *l, const drt_landmark_scan *scan, const drt_landmark_histogram *h,
                            const float *scores) {
    uint32_t counts[DRT_SCORE_BINS] = {0};
    for (int i = 0; i < l->n; i++) {
        if (!is_allowed(l, scan, i))
            continue;
        int bin = 0;
        while (bin < DRT_SCORE_BINS - 1 && h->high > h->low &&
               (double)(scores[i] - h->low) / (double)(h->high - h->low) * DRT_SCORE_BINS >= bin + 1)
            bin++;
        counts[bin]++;
    }
    assert_memory_equal(h->counts, counts, sizeof counts);
}

/* Many queries at once, some over fewer chunks, against the scores of single chunks. */
static void check_scans(drt_backend *b, int n, int d, int n_queries, int k, bool few, bool masked) {
    library l;
    library_open(b, &l, n, d, n_queries, few);
    float *scores = zero_floats((size_t)n), *values = zero_floats((size_t)(n_queries * k));
    int64_t *ids = calloc((size_t)(n_queries * k) + 1, sizeof *ids), *all = calloc((size_t)n + 1, sizeof *all);
    drt_landmark_scan *scans = calloc((size_t)n_queries, sizeof *scans);
    drt_landmark_histogram *histograms = calloc((size_t)n_queries, sizeof *histograms);
    assert_true(ids && all && scans && histograms);
    for (int i = 0; i < n; i++)
        all[i] = i;
    for (int q = 0; q < n_queries; q++)
        scans[q] = (drt_landmark_scan){l.queries + q * d,
                                       q % 4 == 3 ? n / 2 : n,
                                       masked ? l.allowed : NULL,
                                       k,
                                       ids + q * k,
                                       values + q * k,
                                       0,
                                       0,
                                       0};
    assert_int_equal(b->landmarks_scan(b, l.set, scans, n_queries), 0);
    for (int q = 0; q < n_queries; q++)
        histograms[q] =
            (drt_landmark_histogram){scans[q].query, scans[q].n, scans[q].allowed, scans[q].low, scans[q].high, {1}};
    histograms[0].high = histograms[0].low + (histograms[0].high - histograms[0].low) / 2; /* scores beyond it */
    assert_int_equal(b->landmarks_histogram(b, l.set, histograms, n_queries), 0);
    for (int q = 0; q < n_queries; q++) {
        assert_int_equal(b->landmarks_scores(b, l.set, scans[q].query, all, n, scores), 0);
        check_scan(&l, q, &scans[q], scores);
        check_histogram(&l, &scans[q], &histograms[q], scores);
    }
    free(scores);
    free(values);
    free(ids);
    free(all);
    free(scans);
    free(histograms);
    library_close(b, &l);
}

static void check_all_scans(drt_backend *b) {
    for (int variant = 0; variant < 4; variant++) {
        bool few = variant & 1, masked = variant & 2;
        check_scans(b, 0, 5, 1, 8, few, masked);
        check_scans(b, 5, 16, 2, 8, few, masked);
        check_scans(b, 65, 3, 9, 65, few, masked);
        check_scans(b, 1 + random_below(700), 1 + random_below(40), 5, random_below(20), few, masked);
    }
    check_scans(b, 8300, 4, 3, 8, true, true); /* several blocks */
}

static void scans_find_the_best_the_range_and_the_histogram(void **state) {
    (void)state;
    for_each_backend(check_all_scans);
}

/* NaN is nowhere; a set that grows keeps what it had. */
static void check_numbers_that_are_none(drt_backend *b) {
    uint16_t landmarks[6] = {0x3C00, 0x7E00, 0x7C00, 0xFC00, 0x4000, 0x3C00}; /* 1 NaN inf -inf 2 1 */
    float query = 1, scores[6];
    int64_t chunks[6];
    drt_landmark_set *set;
    assert_int_equal(b->landmarks_open(b, 1, 0, &set), 0);
    assert_int_equal(b->landmarks_set(b, set, landmarks, 2, 0), 0);
    drt_landmark_scan scan = {&query, 2, NULL, 6, chunks, scores, 0, 0, 0};
    assert_int_equal(b->landmarks_scan(b, set, &scan, 1), 0);
    assert_int_equal(scan.count, 1);
    assert_true(scan.low == 1 && scan.high == 1);
    assert_int_equal(b->landmarks_set(b, set, landmarks, 6, 2), 0);
    scan.n = 6;
    assert_int_equal(b->landmarks_scan(b, set, &scan, 1), 0);
    assert_int_equal(scan.count, 5);
    assert_memory_equal(chunks, ((int64_t[]){2, 4, 0, 5, 3}), 5 * sizeof *chunks);
    drt_landmark_histogram h = {&query, 6, NULL, 1, 2, {0}};
    assert_int_equal(b->landmarks_histogram(b, set, &h, 1), 0);
    assert_int_equal(h.counts[0], 3);
    assert_int_equal(h.counts[DRT_SCORE_BINS - 1], 2);
    h.low = scan.low; /* -inf to inf: no widths, but every score counts */
    h.high = scan.high;
    assert_int_equal(b->landmarks_histogram(b, set, &h, 1), 0);
    uint32_t sum = 0;
    for (int i = 0; i < DRT_SCORE_BINS; i++)
        sum += h.counts[i];
    assert_int_equal(sum, 5);
    b->landmarks_close(b, set);
}

static void numbers_that_are_none_are_never_taken(void **state) {
    (void)state;
    for_each_backend(check_numbers_that_are_none);
}

static void best_list_takes_any_order(void **state) {
    (void)state;
    int64_t chunks[3];
    float scores[3];
    drt_best best = {chunks, scores, 0, 3};
    static const int64_t offered[] = {9, 4, 7, 2, 8, 1};
    static const float with[] = {1, 1, 2, 1, 0, 1};
    for (int i = 0; i < 6; i++)
        drt_best_offer(&best, offered[i], with[i]);
    drt_best_offer(&best, 0, NAN);
    drt_best_sort(&best);
    assert_int_equal(best.n, 3);
    assert_memory_equal(chunks, ((int64_t[]){7, 1, 2}), sizeof chunks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_plain_product),
        cmocka_unit_test(scans_find_the_best_the_range_and_the_histogram),
        cmocka_unit_test(numbers_that_are_none_are_never_taken),
        cmocka_unit_test(best_list_takes_any_order),
    };
    random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
