/* The benchmarks' parts, and each benchmark once, small: what they report must hang together. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/bench/bench.h"
#include "tests/base/scratch.h"

typedef struct {
    drt_context *context;
    drt_device *device;
    drt_model *model;
    scratch scratch;
} bench_case;

static int setup(void **state) {
    bench_case *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->context = drt_context_new(NULL);
    scratch_model(t->context, NULL, 2, &t->device, &t->model);
    scratch_open(&t->scratch);
    *state = t;
    return 0;
}

static int teardown(void **state) {
    bench_case *t = *state;
    scratch_close(&t->scratch);
    drt_model_free(t->model);
    drt_device_close(t->device);
    drt_context_free(t->context);
    free(t);
    return 0;
}

static void flops_are_those_of_the_network(void **state) {
    bench_case *t = *state;
    /* d 384, f 1024, 6 + 2 layers, window 512, S 64: counted by hand from drt_reference.py */
    double products = 8 * 2.0 * (384.0 * 1152 + 384.0 * 384 + 3 * 384.0 * 1024);
    double attention = 6 * 2 * 2.0 * 512 * 384 + 2 * 2 * 2.0 * 64 * 384;
    assert_true(drt_bench_slot_flops(drt_model_config(t->model)) == products + attention);
}

static void text_is_repeatable_and_different_by_seed(void **state) {
    (void)state;
    drt_buffer a = {0}, b = {0}, c = {0};
    int n = DRT_BENCH_COMMON_WORDS;
    assert_true(drt_bench_text(&a, 500, n, 1) && drt_bench_text(&b, 500, n, 1) && drt_bench_text(&c, 500, n, 2));
    assert_int_equal(a.length, b.length);
    assert_memory_equal(a.data, b.data, a.length);
    assert_true(strcmp(a.data, c.data) != 0);
    assert_non_null(strstr(a.data, ".\n\n"));
    assert_null(strstr(a.data, "bababa")); /* the first of the words that are made up */
    drt_buffer_free(&c);
    c = (drt_buffer){0};
    assert_true(drt_bench_text(&c, 2000, n + 1, 1));
    assert_non_null(strstr(c.data, "bababa"));
    drt_buffer_free(&a);
    drt_buffer_free(&b);
    drt_buffer_free(&c);
}

static void medians_and_memory(void **state) {
    (void)state;
    double values[] = {5, 1, 4, 2, 3};
    int64_t peak, anonymous;
    assert_true(drt_bench_median(values, 5) == 3);
    drt_bench_memory(&peak, &anonymous);
#ifdef __linux__
    assert_true(anonymous > 0 && peak >= anonymous);
#endif
}

static void scratch_folders_go_with_their_contents(void **state) {
    bench_case *t = *state;
    drt_string path, inner = {0};
    assert_int_equal(drt_bench_scratch_new(t->context, t->scratch.folder, &path), DRT_OK);
    assert_true(drt_path_join(&inner, path.data, "inner"));
    assert_int_equal(drt_bench_make_folder(t->context, inner.data), DRT_OK);
    assert_int_equal(drt_bench_make_folder(t->context, inner.data), DRT_FATAL);
    drt_bench_scratch_remove(&path);
    scratch_check_empty(&t->scratch);
    assert_int_equal(drt_bench_scratch_new(t->context, inner.data, &path), DRT_FATAL);
    assert_non_null(strstr(drt_error(t->context), inner.data));
    drt_string_free(&inner);
}

typedef struct {
    int n, errors;
    bool bound; /* every bound is the longest of its three */
    drt_bench_ops_report report;
} seen_operations;

static void see(void *user, const drt_bench_operation *o) {
    seen_operations *seen = user;
    double copy = o->bytes / seen->report.copy_rate, link = o->link_bytes / seen->report.link_rate;
    double product = o->flop / seen->report.gemm_rate, bound = fmax(fmax(copy, link), product);
    double named = strcmp(o->limit, "copy") == 0 ? copy : strcmp(o->limit, "link") == 0 ? link : product;
    seen->n++;
    seen->errors += o->error != NULL;
    seen->bound = seen->bound && fabs(o->bound / bound - 1) < 1e-9 && fabs(named / bound - 1) < 1e-9;
    assert_true(o->seconds > 0 && o->operation[0] && o->shape[0]);
}

static void operations_are_measured(void **state) {
    bench_case *t = *state;
    seen_operations seen = {.bound = true};
    drt_bench_ops_params params = {.slots = 128, .chunks = 1000, .operation = see, .user = &seen};
    if (drt_bench_ops(t->context, t->model, &params, &seen.report) != DRT_OK)
        fail_msg("%s", drt_error(t->context));
    assert_true(seen.report.copy_rate > 0 && seen.report.link_rate > 0 && seen.report.gemm_rate > 0);
    assert_true(seen.n >= 40 && seen.errors == 0 && seen.bound);
    params.slots = 100; /* no whole chunks */
    assert_int_equal(drt_bench_ops(t->context, t->model, &params, &seen.report), DRT_FAILED);
}

static void an_ingest_is_measured(void **state) {
    bench_case *t = *state;
    drt_bench_ingest_params params = {.tokens = 700, .directory = t->scratch.folder};
    drt_bench_ingest_report report;
    if (drt_bench_ingest(t->context, t->model, &params, &report) != DRT_OK)
        fail_msg("%s", drt_error(t->context));
    assert_true(report.tokens > 500 && report.tokens < 1000);
    assert_int_equal(report.chunks, (report.tokens + 62) / 63);
    assert_true(report.encoder_rate > 0);
    for (int i = DRT_STAGE_TOKENISE; i < DRT_STAGES; i++)
        assert_int_equal(report.stages[i].amount, report.tokens);
    double rate = report.flop_per_token * (double)report.tokens / report.seconds;
    assert_true(report.gemm_rate > 0 && fabs(report.share * report.gemm_rate / rate - 1) < 1e-6);
    scratch_check_empty(&t->scratch);
    const char *paths[] = {"/nonexistent/texts"};
    params.paths = paths;
    params.n_paths = 1;
    assert_int_equal(drt_bench_ingest(t->context, t->model, &params, &report), DRT_FAILED);
    scratch_check_empty(&t->scratch);
}

static void questions_are_measured(void **state) {
    bench_case *t = *state;
    drt_bench_ask_params params = {
        .chunks = 1300, .questions = 3, .max_tokens = 4, .batch = 5, .directory = t->scratch.folder};
    drt_bench_ask_report report;
    if (drt_bench_ask(t->context, t->model, &params, &report) != DRT_OK)
        fail_msg("%s", drt_error(t->context));
    assert_true(report.first_token_ms > 0 && report.p95_ms >= report.first_token_ms);
    assert_true(report.slowest_ms >= report.p95_ms && report.total_ms >= report.first_token_ms);
    assert_true(report.tokens >= 1 && report.tokens <= 4 && (report.token_ms > 0) == (report.tokens > 1));
    assert_true(report.batch_rate > 0);
    assert_int_equal(report.device_bytes, 0); /* a CPU */
    /* a chunk: 24,832 bytes of memory and a landmark of 768; besides, the catalog */
    assert_true(report.library_bytes > 1300 * (24832 + 768) && report.library_bytes < 2 * 1300 * (24832 + 768));
    scratch_check_empty(&t->scratch);
    params.chunks = INT64_MAX / 100000; /* no disk has that */
    assert_int_equal(drt_bench_ask(t->context, t->model, &params, &report), DRT_FAILED);
    assert_non_null(strstr(drt_error(t->context), "GB free"));
    scratch_check_empty(&t->scratch);
    params.questions = 0;
    assert_int_equal(drt_bench_ask(t->context, t->model, &params, &report), DRT_FAILED);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(flops_are_those_of_the_network),
        cmocka_unit_test(text_is_repeatable_and_different_by_seed),
        cmocka_unit_test(medians_and_memory),
        cmocka_unit_test(scratch_folders_go_with_their_contents),
        cmocka_unit_test(operations_are_measured),
        cmocka_unit_test(an_ingest_is_measured),
        cmocka_unit_test(questions_are_measured),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
