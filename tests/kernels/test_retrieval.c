/* Scores over fp16 landmarks and exact top-k. */
#include "tests/kernels/kernels.h"

/* A finite half and its value. */
static uint16_t random_half(double *value) {
    uint16_t half = (uint16_t)(random_bits() & 0xFFFF);
    int exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    if (exponent > 18) {
        half &= 0x8000 | 0x3FF; /* subnormal */
        exponent = 0;
    }
    *value = exponent ? ldexp(1024 + fraction, exponent - 25) : ldexp(fraction, -24);
    if (half & 0x8000)
        *value = -*value;
    return half;
}

static void check_scores(drt_backend *b) {
    static const int sizes[] = {1, 7, 16, 40, 131, 384};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int d = sizes[s], n = random_below(1500);
        uint16_t *landmarks = malloc(((size_t)n * (size_t)d + 1) * sizeof *landmarks);
        float *query = random_floats((size_t)d), *scores = zero_floats((size_t)n);
        double *expected = zero_doubles((size_t)n), value;
        assert_non_null(landmarks);
        for (int c = 0; c < n; c++) {
            for (int i = 0; i < d; i++) {
                landmarks[c * d + i] = random_half(&value);
                expected[c] += value * (double)query[i];
            }
            expected[c] /= sqrt(d);
        }
        const void *shared;
        assert_int_equal(b->share(b, landmarks, (size_t)n * (size_t)d * sizeof *landmarks, &shared), 0);
        assert_int_equal(b->retrieval_scores(b, shared, n, d, query, scores), 0);
        assert_close("retrieval_scores", scores, expected, (size_t)n);
        b->unshare(b, shared);
        free(landmarks);
        free(query);
        free(scores);
        free(expected);
    }
}

static void scores_are_the_plain_product(void **state) {
    (void)state;
    for_each_backend(check_scores);
}

/* Repeated maximum: the definition. */
static int expected_top(const float *scores, int n, const uint64_t *allowed, const uint64_t *dead, int k,
                        int64_t *indices) {
    bool *taken = calloc((size_t)n + 1, sizeof *taken);
    int count = 0;
    assert_non_null(taken);
    for (; count < k; count++) {
        int best = -1;
        for (int i = 0; i < n; i++) {
            bool usable = !taken[i] && scores[i] == scores[i] && (!allowed || allowed[i / 64] >> (i % 64) & 1) &&
                          !(dead && dead[i / 64] >> (i % 64) & 1);
            if (usable && (best < 0 || scores[i] > scores[best]))
                best = i;
        }
        if (best < 0)
            break;
        taken[best] = true;
        indices[count] = best;
    }
    free(taken);
    return count;
}

static void check_top(drt_backend *b, int n, int k, bool ties, bool masks) {
    float *scores = random_floats((size_t)n), *values = zero_floats((size_t)k);
    int64_t *indices = calloc((size_t)k + 1, sizeof *indices), *expected = calloc((size_t)k + 1, sizeof *expected);
    size_t words = (size_t)n / 64 + 1;
    uint64_t *allowed = calloc(words, sizeof *allowed), *dead = calloc(words, sizeof *dead);
    assert_true(indices && expected && allowed && dead);
    for (int i = 0; i < n; i++) {
        if (ties)
            scores[i] = (float)random_below(4);
        if (random_below(20) == 0)
            scores[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? -INFINITY : INFINITY;
    }
    for (size_t i = 0; i < words; i++) {
        allowed[i] = (uint64_t)random_bits() << 32 | random_bits();
        dead[i] = ((uint64_t)random_bits() << 32 | random_bits()) & allowed[i];
    }
    int count;
    assert_int_equal(b->top_k(b, scores, n, masks ? allowed : NULL, masks ? dead : NULL, k, indices, values, &count),
                     0);
    assert_int_equal(count, expected_top(scores, n, masks ? allowed : NULL, masks ? dead : NULL, k, expected));
    for (int i = 0; i < count; i++) {
        assert_int_equal(indices[i], expected[i]);
        assert_true(values[i] == scores[indices[i]]);
    }
    free(scores);
    free(values);
    free(indices);
    free(expected);
    free(allowed);
    free(dead);
}

static void check_tops(drt_backend *b) {
    for (int variant = 0; variant < 4; variant++) {
        check_top(b, 0, 8, variant & 1, variant & 2);
        check_top(b, 5, 8, variant & 1, variant & 2);
        check_top(b, 1000, 1, variant & 1, variant & 2);
        check_top(b, 1000, 0, variant & 1, variant & 2);
        check_top(b, 1 + random_below(500), 1 + random_below(40), variant & 1, variant & 2);
        check_top(b, 65, 65, variant & 1, variant & 2);
    }
}

static void top_k_is_exact_with_ties_to_the_lower_index(void **state) {
    (void)state;
    for_each_backend(check_tops);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_are_the_plain_product),
        cmocka_unit_test(top_k_is_exact_with_ties_to_the_lower_index),
    };
    random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
