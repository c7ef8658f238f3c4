/* Chunk memory records and halves: layouts, rounding, extremes; names of devices. */
#include "tests/golden/golden.h"

static void int8_records_follow_the_layout(void **state) {
    (void)state;
    enum { S = 4, D = 3 };
    const float y[S * D] = {1, -2, 0.5f, 0, 0, 0, 127, 2.5f, 3.5f, 9, 9, 9};
    const int8_t values[S * D] = {64, -127, 32, 0, 0, 0, 127, 2, 4, 0, 0, 0}; /* halves go to the even number */
    int8_t record[S * D + 4 * S];
    float scales[S], back[S * D];
    assert_int_equal(drt_memory_record_size(DRT_MEMORY_INT8, S, D), sizeof record);
    drt_memory_pack(DRT_MEMORY_INT8, S, D, y, record);
    assert_memory_equal(record, values, sizeof values);
    memcpy(scales, record + S * D, sizeof scales);
    assert_true(scales[0] == 2.0f / 127 && scales[1] == 0 && scales[2] == 1 && scales[3] == 0);
    drt_memory_unpack(DRT_MEMORY_INT8, S, D, record, back);
    for (int i = 0; i < S * D; i++)
        assert_true(back[i] == (float)values[i] * scales[i / D]);
}

static void values_that_are_no_numbers_become_zero(void **state) {
    (void)state;
    const float y[4] = {NAN, INFINITY, 0, 0};
    int8_t record[4 + 8];
    drt_memory_pack(DRT_MEMORY_INT8, 2, 2, y, record);
    assert_int_equal(record[0], 0);
    assert_int_equal(record[1], 0);
}

static void wide_records_keep_the_values(void **state) {
    (void)state;
    enum { S = 3, D = 2 };
    /* 1 + 2^-8 lies between two bf16 values and goes to the even one, as does 1 + 3*2^-8. */
    const float y[S * D] = {1, 1.00390625f, 1.01171875f, -3.0e38f, 5, 5};
    const float rounded[3] = {1, 1, 1.015625f};
    unsigned char record[S * D * 4];
    float back[S * D];
    assert_int_equal(drt_memory_record_size(DRT_MEMORY_BF16, S, D), S * D * 2);
    drt_memory_pack(DRT_MEMORY_BF16, S, D, y, record);
    drt_memory_unpack(DRT_MEMORY_BF16, S, D, record, back);
    for (int i = 0; i < 3; i++)
        assert_true(back[i] == rounded[i]);
    assert_true(fabsf(back[3] / y[3] - 1) <= 0x1p-8f && back[4] == 0 && back[5] == 0);
    drt_memory_pack(DRT_MEMORY_F32, S, D, y, record);
    drt_memory_unpack(DRT_MEMORY_F32, S, D, record, back);
    assert_memory_equal(back, y, 4 * sizeof *y);
    assert_true(back[4] == 0 && back[5] == 0);
}

/* Every half comes back from its float; a float goes to the nearest half, ties to even. */
static void halves_round_to_nearest_even(void **state) {
    (void)state;
    uint16_t half, next, back;
    float value, above, middle;
    for (unsigned i = 0; i < 0x7C00; i++) {
        half = (uint16_t)i;
        next = (uint16_t)(i + 1);
        drt_half_to_float(&half, &value, 1);
        drt_half_to_float(&next, &above, 1);
        drt_half_from_float(&value, &back, 1);
        assert_int_equal(back, half);
        middle = i + 1 < 0x7C00 ? (value + above) / 2 : 65520;
        drt_half_from_float(&middle, &back, 1);
        assert_int_equal(back, i % 2 ? next : half);
        middle = nextafterf(middle, 0);
        drt_half_from_float(&middle, &back, 1);
        assert_int_equal(back, half);
        value = -value;
        drt_half_from_float(&value, &back, 1);
        assert_int_equal(back, half | 0x8000);
    }
    const float special[3] = {INFINITY, -1e30f, NAN};
    uint16_t halves[3];
    drt_half_from_float(special, halves, 3);
    assert_int_equal(halves[0], 0x7C00);
    assert_int_equal(halves[1], 0xFC00);
    drt_half_to_float(halves, &value, 1);
    assert_true(isinf(value));
    drt_half_to_float(halves + 2, &value, 1);
    assert_true(isnan(value));
}

static void devices_are_found_by_name(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int threads;
        drt_status status;
        const char *sentence;
    } cases[] = {
        {"auto", 0, DRT_OK, NULL},
        {"cpu", 3, DRT_OK, NULL},
        {"cuda", 0, DRT_FAILED, "--device cuda: cannot read the CUDA module"},
        {"cuda:1", 0, DRT_FAILED, "--device cuda:1: cannot read the CUDA module"},
        {"cuda:", 0, DRT_FAILED, "is no device"},
        {"gpu", 0, DRT_FAILED, "\"gpu\" is no device: use auto, cpu, cuda or cuda:N"},
        {"", 0, DRT_FAILED, "is no device"},
        {"cpu", -1, DRT_FAILED, "-1 is no number of threads"},
        {"cpu", 100000, DRT_FAILED, "is no number of threads"},
    };
    setenv("DRT_CUDA_MODULE", "/no/such/module.so", 1); /* tests/kernels/test_module.c has one */
    drt_context *context = drt_context_new(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drt_device_params params = {cases[i].name, cases[i].threads, 0};
        drt_device *device;
        assert_int_equal(drt_device_open(context, &params, &device), cases[i].status);
        if (cases[i].status == DRT_OK) {
            assert_string_equal(drt_device_name(device), "cpu");
            assert_non_null(strstr(drt_device_description(device), "thread"));
        } else {
            assert_null(device);
            assert_non_null(strstr(drt_error(context), cases[i].sentence));
        }
        drt_device_close(device);
    }
    drt_string text;
    assert_int_equal(drt_backends_describe(context, &text), DRT_OK);
    assert_int_equal(strncmp(text.data, "cpu: ", 5), 0);
    drt_string_free(&text);
    drt_device_close(NULL);
    drt_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(int8_records_follow_the_layout), cmocka_unit_test(values_that_are_no_numbers_become_zero),
        cmocka_unit_test(wide_records_keep_the_values),   cmocka_unit_test(halves_round_to_nearest_even),
        cmocka_unit_test(devices_are_found_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
