/* Normalisation, SwiGLU, sums, and the split of a projection with norms and rotary positions. */
#include "tests/kernels/kernels.h"

static double factor_of(const float *x, int n, double eps) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)x[i] * (double)x[i];
    return 1 / sqrt(sum / n + eps);
}

static void check_norms(drt_backend *b) {
    static const int sizes[] = {1, 3, 7, 16, 33, 64, 100, 387};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        int n = 1 + random_below(90), d = sizes[s];
        size_t floats = (size_t)n * (size_t)d;
        float *x = random_floats(floats), *weight = random_floats((size_t)d), *out = zero_floats(floats);
        double *expected = zero_doubles(floats);
        memset(x, 0, (size_t)d * sizeof *x); /* the first row is all zero and stays so */
        for (int i = 0; i < n; i++)
            for (int j = 0; j < d; j++)
                expected[i * d + j] = (double)x[i * d + j] * factor_of(x + i * d, d, 1e-5) * (double)weight[j];
        assert_int_equal(b->rms_norm(b, x, weight, 1e-5f, n, d, out), 0);
        assert_close("rms_norm", out, expected, floats);
        for (int i = 0; i < n; i++)
            for (int j = 0; j < d; j++)
                expected[i * d + j] = (double)x[i * d + j] * factor_of(x + i * d, d, 1e-5);
        assert_int_equal(b->unit_rms(b, x, 1e-5f, n, d), 0);
        assert_close("unit_rms", x, expected, floats);
        free(x);
        free(weight);
        free(out);
        free(expected);
    }
}

static void norms_are_the_plain_formula(void **state) {
    (void)state;
    for_each_backend(check_norms);
}

static void check_swiglu(drt_backend *b) {
    size_t n = (size_t)(1 + random_below(40000));
    float *gate = random_floats(n), *up = random_floats(n), *out = zero_floats(n);
    double *expected = zero_doubles(n);
    for (size_t i = 0; i < n; i++)
        gate[i] *= i % 3 ? 8 : 300; /* also where e^-gate overflows or vanishes */
    for (size_t i = 0; i < n; i++)
        expected[i] = (double)gate[i] / (1 + exp(-(double)gate[i])) * (double)up[i];
    assert_int_equal(b->swiglu(b, gate, up, n, out), 0);
    assert_close("swiglu", out, expected, n);
    for (size_t i = 0; i < n; i++)
        expected[i] = (double)gate[i] + (double)up[i];
    assert_int_equal(b->add(b, gate, up, n, gate), 0);
    assert_close("add", gate, expected, n);
    free(gate);
    free(up);
    free(out);
    free(expected);
}

static void swiglu_and_add_are_the_plain_formula(void **state) {
    (void)state;
    for_each_backend(check_swiglu);
}

/* One head of one slot as the reference does it. */
static void expected_head(const float *from, int head_size, bool unit, double theta, int position, double *to) {
    double factor = unit ? factor_of(from, head_size, 1e-5) : 1;
    int half = head_size / 2;
    for (int i = 0; i < head_size; i++)
        to[i] = (double)from[i] * factor;
    for (int i = 0; theta > 0 && i < half; i++) {
        double angle = position * pow(theta, -2.0 * i / head_size), a = to[i], c = to[half + i];
        to[i] = a * cos(angle) - c * sin(angle);
        to[half + i] = c * cos(angle) + a * sin(angle);
    }
}

static void check_split(drt_backend *b, int n_heads, int head_size, bool unit, bool rope) {
    int n = 1 + random_below(80), d = n_heads * head_size, S = 5;
    size_t floats = (size_t)n * (size_t)d;
    float *qkv = random_floats(3 * floats), *q = zero_floats(floats), *k = zero_floats(floats),
          *v = zero_floats(floats);
    float *table = zero_floats((size_t)(S * head_size));
    double *eq = zero_doubles(floats), *ek = zero_doubles(floats), *ev = zero_doubles(floats);
    for (int i = 0; i < n; i++)
        for (int h = 0; h < n_heads; h++) {
            const float *from = qkv + i * 3 * d + h * head_size;
            int at = i * d + h * head_size;
            expected_head(from, head_size, unit, rope ? 10000 : 0, i % S, eq + at);
            expected_head(from + d, head_size, unit, rope ? 10000 : 0, i % S, ek + at);
            expected_head(from + 2 * d, head_size, false, 0, 0, ev + at);
        }
    if (rope)
        assert_int_equal(b->rope_table(b, S, head_size, 10000, table), 0);
    drt_split_qkv p = {qkv, n, n_heads, head_size, unit, 1e-5f, rope ? table : NULL, S, q, k, v};
    assert_int_equal(b->split_qkv(b, &p), 0);
    assert_close("q", q, eq, floats);
    assert_close("k", k, ek, floats);
    assert_close("v", v, ev, floats);
    free(qkv);
    free(q);
    free(k);
    free(v);
    free(table);
    free(eq);
    free(ek);
    free(ev);
}

static void check_splits(drt_backend *b) {
    static const int sizes[] = {2, 6, 18, 64};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        for (int variant = 0; variant < 4; variant++)
            check_split(b, 1 + random_below(4), sizes[i], variant & 1, variant & 2);
    check_split(b, 3, 7, true, false);
    float table[7];
    assert_int_equal(b->rope_table(b, 1, 7, 10000, table), -1);
}

static void projections_are_split_normed_and_turned(void **state) {
    (void)state;
    for_each_backend(check_splits);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(norms_are_the_plain_formula),
        cmocka_unit_test(swiglu_and_add_are_the_plain_formula),
        cmocka_unit_test(projections_are_split_normed_and_turned),
    };
    random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
