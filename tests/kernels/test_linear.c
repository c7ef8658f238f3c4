/* Matrices and products: weight types, odd sizes, accumulation, embedding. */
#include "tests/kernels/kernels.h"

static void check_linear(drt_backend *b, int n, int rows, int cols, bool accumulate, bool int8) {
    float *x = random_floats((size_t)n * (size_t)cols), *w = random_floats((size_t)rows * (size_t)cols);
    float *scale = random_floats((size_t)rows);
    int8_t *bytes = malloc((size_t)rows * (size_t)cols);
    assert_non_null(bytes);
    for (int i = 0; int8 && i < rows * cols; i++) {
        bytes[i] = (int8_t)(random_below(255) - 127);
        w[i] = (float)bytes[i] * scale[i / cols];
    }
    float *out = random_floats((size_t)n * (size_t)rows);
    double *expected = zero_doubles((size_t)n * (size_t)rows);
    drt_matrix m;
    for (int i = 0; i < n; i++)
        for (int r = 0; r < rows; r++) {
            double sum = accumulate ? (double)out[i * rows + r] : 0;
            for (int c = 0; c < cols; c++)
                sum += (double)x[i * cols + c] * (double)w[r * cols + c];
            expected[i * rows + r] = sum;
        }
    if (int8)
        assert_int_equal(b->matrix_load(b, &m, DRT_WEIGHT_I8, bytes, scale, rows, cols), 0);
    else
        assert_int_equal(b->matrix_load(b, &m, DRT_WEIGHT_F32, w, NULL, rows, cols), 0);
    assert_int_equal(b->linear(b, x, &m, n, accumulate, out), 0);
    assert_close("linear", out, expected, (size_t)n * (size_t)rows);
    b->matrix_free(b, &m);
    free(x);
    free(w);
    free(scale);
    free(bytes);
    free(out);
    free(expected);
}

static void check_linears(drt_backend *b) {
    static const int slots[] = {0, 1, 2, 4, 5, 31, 97, 150};
    for (size_t i = 0; i < sizeof slots / sizeof *slots; i++) {
        check_linear(b, slots[i], 1 + random_below(150), 1 + random_below(130), i % 2 == 0, false);
        check_linear(b, slots[i], 1 + random_below(150), 1 + random_below(130), i % 2 == 0, true);
        check_linear(b, slots[i], 64, 96, i % 2 == 1, true);
    }
}

static void linear_is_the_plain_product(void **state) {
    (void)state;
    for_each_backend(check_linears);
}

static void check_weight_types(drt_backend *b) {
    enum { ROWS = 3, COLS = 37 };
    int8_t bytes[ROWS * COLS];
    uint16_t halves[ROWS * COLS];
    float scale[ROWS] = {0.5f, 0, 3}, identity[COLS] = {0}, out[ROWS];
    drt_matrix m;
    for (int i = 0; i < ROWS * COLS; i++) {
        bytes[i] = (int8_t)(i % 255 - 127);
        halves[i] = (uint16_t)(0x3F80 + i); /* 1.0 and the values after it */
    }
    for (int c = 0; c < COLS; c++) {
        memset(identity, 0, sizeof identity);
        identity[c] = 1;
        assert_int_equal(b->matrix_load(b, &m, DRT_WEIGHT_I8, bytes, scale, ROWS, COLS), 0);
        assert_int_equal(b->linear(b, identity, &m, 1, false, out), 0);
        for (int r = 0; r < ROWS; r++)
            assert_true(out[r] == (float)bytes[r * COLS + c] * scale[r]);
        b->matrix_free(b, &m);
        assert_int_equal(b->matrix_load(b, &m, DRT_WEIGHT_BF16, halves, NULL, ROWS, COLS), 0);
        assert_int_equal(b->linear(b, identity, &m, 1, false, out), 0);
        for (int r = 0; r < ROWS; r++)
            assert_true(out[r] == 1 + (float)(r * COLS + c) / 128);
        b->matrix_free(b, &m);
    }
}

static void weights_of_every_type_are_widened_exactly(void **state) {
    (void)state;
    for_each_backend(check_weight_types);
}

static void check_embed(drt_backend *b) {
    enum { VOCAB = 11, D = 5 };
    float *table = random_floats(VOCAB * D), x[3 * D];
    const int32_t ids[] = {10, 0, 10}, below[] = {-1}, above[] = {VOCAB};
    drt_matrix m;
    assert_int_equal(b->matrix_load(b, &m, DRT_WEIGHT_F32, table, NULL, VOCAB, D), 0);
    assert_int_equal(b->embed(b, &m, ids, 3, x), 0);
    for (int i = 0; i < 3; i++)
        assert_memory_equal(x + i * D, table + ids[i] * D, D * sizeof *x);
    assert_int_equal(b->embed(b, &m, below, 1, x), -1);
    assert_int_equal(b->embed(b, &m, above, 1, x), -1);
    assert_string_equal(b->error, "token 11 is outside the vocabulary of 11");
    b->matrix_free(b, &m);
    free(table);
}

static void embedding_gives_rows_and_refuses_other_ids(void **state) {
    (void)state;
    for_each_backend(check_embed);
}

/* A slot's result depends on its neighbours in the call by rounding alone. */
static void check_composition(drt_backend *b) {
    enum { N = 130, ROWS = 75, COLS = 96 };
    float *x = random_floats(N * COLS), *w = random_floats(ROWS * COLS);
    float *all = zero_floats(N * ROWS), *part = zero_floats(N * ROWS);
    double *expected = zero_doubles(N * ROWS);
    drt_matrix m;
    assert_int_equal(b->matrix_load(b, &m, DRT_WEIGHT_F32, w, NULL, ROWS, COLS), 0);
    assert_int_equal(b->linear(b, x, &m, N, false, all), 0);
    for (int i = 0; i < N * ROWS; i++)
        expected[i] = (double)all[i];
    for (int first = 0, n; first < N; first += n) {
        n = 1 + random_below(N - first < 50 ? N - first : 50);
        assert_int_equal(b->linear(b, x + first * COLS, &m, n, false, part + first * ROWS), 0);
    }
    assert_close("linear in pieces", part, expected, N * ROWS);
    b->matrix_free(b, &m);
    free(x);
    free(w);
    free(all);
    free(part);
    free(expected);
}

static void linear_does_not_depend_on_the_batch(void **state) {
    (void)state;
    for_each_backend(check_composition);
}

/* ------------------------------------------------------------------ check of the GEMM ---- */

static int wrong_row, wrong_column;

/* Right but for one element, off by one. */
static void wrong_product(const float *x, const float *m, int n, int rows, int cols, bool accumulate, float *out,
                          int out_stride) {
    drt_cpu_sgemm(x, m, n, rows, cols, accumulate, out, out_stride);
    if (wrong_row < n && wrong_column < rows)
        out[wrong_row * out_stride + wrong_column] += 1;
}

/* As if `out` had been empty. */
static void forgetful_product(const float *x, const float *m, int n, int rows, int cols, bool accumulate, float *out,
                              int out_stride) {
    (void)accumulate;
    drt_cpu_sgemm(x, m, n, rows, cols, false, out, out_stride);
}

static void a_wrong_gemm_library_is_noticed(void **state) {
    (void)state;
    for (int threads = 1; threads <= 3; threads++) {
        drt_pool *pool = drt_pool_new(threads);
        assert_non_null(pool);
        assert_true(drt_cpu_gemm_is_right(pool, threads, drt_cpu_sgemm));
        assert_false(drt_cpu_gemm_is_right(pool, threads, forgetful_product));
        for (int i = 0; i < 20; i++) {
            wrong_row = random_below(50);
            wrong_column = random_below(1000);
            assert_false(drt_cpu_gemm_is_right(pool, threads, wrong_product));
        }
        drt_pool_free(pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(linear_is_the_plain_product),
        cmocka_unit_test(weights_of_every_type_are_widened_exactly),
        cmocka_unit_test(embedding_gives_rows_and_refuses_other_ids),
        cmocka_unit_test(linear_does_not_depend_on_the_batch),
        cmocka_unit_test(a_wrong_gemm_library_is_noticed),
    };
    random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
