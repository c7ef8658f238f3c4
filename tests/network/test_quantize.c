/* Units of drt_model_inspect and drt_model_quantize. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>

#include "tests/network/fake_device.h"
#include "tests/network/small_model.h"

#define SAMPLE DRT_SOURCE_DIR "/samples/model"
#define TINY DRT_TEST_DATA "/golden/tiny"

static drt_context *context;
static char scratch[] = "/tmp/drt-quantize-XXXXXX";
static char from[64], to[64];

static int make_scratch(void **state) {
    (void)state;
    context = drt_context_new(NULL);
    if (!mkdtemp(scratch))
        return -1;
    snprintf(from, sizeof from, "%s/from", scratch);
    snprintf(to, sizeof to, "%s/to", scratch);
    return mkdir(from, 0777);
}

static int remove_scratch(void **state) {
    (void)state;
    small_model_remove(from);
    drt_context_free(context);
    return rmdir(scratch); /* fails when a test left something there */
}

static int entries(const char *folder) {
    DIR *dir = opendir(folder);
    int n = -2;
    while (readdir(dir))
        n++;
    closedir(dir);
    return n;
}

static void make_model(drt_tensor_type type) {
    small_model m;
    small_model_make(context, type, &m);
    small_model_write(&m, from, 8);
    small_model_clear(&m);
}

static drt_model *load(const char *directory, fake_device *fake) {
    drt_model *model;
    fake_device_open(fake);
    if (drt_model_load(context, &fake->device, directory, &model) != DRT_OK)
        fail_msg("%s", drt_error(context));
    return model;
}

/* Row by row: scale = max|w| / 127, values scale * round(w / scale). Returns |error| / |w|. */
static double check_matrix(const drt_matrix *before, const drt_matrix *after) {
    double lost = 0, all = 0;
    for (int r = 0; r < before->rows; r++) {
        const float *w = (const float *)before->data + (size_t)r * (size_t)before->cols;
        const float *v = (const float *)after->data + (size_t)r * (size_t)before->cols;
        float largest = 0;
        for (int i = 0; i < before->cols; i++)
            largest = fabsf(w[i]) > largest ? fabsf(w[i]) : largest;
        float scale = largest / 127;
        for (int i = 0; i < before->cols; i++) {
            float rounded = scale > 0 ? nearbyintf(w[i] / scale) : 0;
            assert_true(v[i] == rounded * scale);
            lost += ((double)w[i] - v[i]) * ((double)w[i] - v[i]);
            all += (double)w[i] * w[i];
        }
    }
    return sqrt(lost / all);
}

static void check_quantized(const char *source, int64_t matrices) {
    drt_quantize_report report;
    if (drt_model_quantize(context, source, to, &report) != DRT_OK)
        fail_msg("%s", drt_error(context));
    fake_device fakes[2];
    drt_model *before = load(source, &fakes[0]), *after = load(to, &fakes[1]);
    double sum = 0, largest = 0;
    const char *largest_name = "";
    for (size_t i = 0; i < before->n_parameters; i++) {
        const drt_parameter *p = &before->parameters[i], *q = &after->parameters[i];
        if (p->vector) {
            assert_memory_equal(*p->vector, *q->vector, (size_t)p->rows * sizeof(float));
            continue;
        }
        double error = check_matrix(p->matrix, q->matrix);
        sum += error;
        if (error > largest)
            largest = error, largest_name = p->name;
    }
    assert_int_equal(report.matrices, matrices);
    assert_true(fabs(report.mean_error - sum / (double)matrices) < 1e-6);
    assert_true(fabs(report.max_error - largest) < 1e-6);
    assert_string_equal(report.max_error_name, largest_name);
    assert_true(report.max_error < 0.02);

    drt_model_facts facts;
    assert_int_equal(drt_model_inspect(context, to, NULL, &facts, NULL, NULL), DRT_OK);
    assert_string_equal(facts.dtype, "I8 + F32");
    assert_int_equal(facts.weight_bytes, report.bytes_after);
    assert_int_equal(drt_model_inspect(context, source, NULL, &facts, NULL, NULL), DRT_OK);
    assert_int_equal(facts.weight_bytes, report.bytes_before);
    drt_model_free(before);
    drt_model_free(after);
    small_model_remove(to);
    assert_int_equal(entries(scratch), 1);
}

static void rows_become_int8_with_a_scale(void **state) {
    (void)state;
    check_quantized(TINY, 44);
    make_model(DRT_TENSOR_F32);
    check_quantized(from, 27);
    make_model(DRT_TENSOR_BF16);
    check_quantized(from, 27);
}

static void rows_of_zeros_and_of_tiny_values_stay_finite(void **state) {
    (void)state;
    small_model m;
    small_model_make(context, DRT_TENSOR_F32, &m);
    const float tiny[] = {1e-45f, -1e-45f, 1e-44f, 0, 3e-39f, 0, 0, -1e-40f};
    memset(m.data.data, 0, 4 * sizeof(float)); /* the first rows of embed.weight */
    memcpy(m.data.data + 4 * sizeof(float), tiny, sizeof tiny);
    small_model_write(&m, from, 8);
    small_model_clear(&m);
    drt_quantize_report report;
    assert_int_equal(drt_model_quantize(context, from, to, &report), DRT_OK);
    fake_device fake;
    drt_model *model = load(to, &fake);
    const float *rows = model->embed.data;
    for (size_t i = 0; i < 4; i++)
        assert_true(rows[i] == 0);
    for (size_t i = 0; i < 8; i++)
        assert_true(fabsf(rows[4 + i] - tiny[i]) <= 1e-40f);
    drt_model_free(model);
    small_model_remove(to);
}

static void assert_fails(const char *source, const char *target, const char *says) {
    drt_quantize_report report;
    int before = entries(scratch);
    assert_int_equal(drt_model_quantize(context, source, target, &report), DRT_FAILED);
    if (!strstr(drt_error(context), says))
        fail_msg("expected \"%s\" in: %s", says, drt_error(context));
    assert_int_equal(entries(scratch), before);
}

static void bad_targets_and_sources_are_named(void **state) {
    (void)state;
    char path[128];
    assert_fails(SAMPLE, to, "is int8 already");
    make_model(DRT_TENSOR_F32);
    assert_fails(from, from, "exists already");
    snprintf(path, sizeof path, "%s/config.json", from);
    assert_fails(from, path, "exists already");
    snprintf(path, sizeof path, "%s/config.json/x", from);
    assert_fails(from, path, "Not a directory");
    snprintf(path, sizeof path, "%s/none/x", scratch);
    assert_fails(from, path, "No such file");
    assert_fails("/nonexistent", to, "/nonexistent/config.json");
    assert_fails(from, "", "No such file");

    drt_quantize_report report; /* slashes at the end do no harm */
    snprintf(path, sizeof path, "%s//", to);
    assert_int_equal(drt_model_quantize(context, from, path, &report), DRT_OK);
    assert_fails(from, path, "exists already");
    small_model_remove(to);
}

/* A limit on the size of files stands for a full disk: writes fail half way through. */
static void a_full_disk_leaves_nothing(void **state) {
    (void)state;
    make_model(DRT_TENSOR_F32);
    struct rlimit usual, small;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &usual), 0);
    static const rlim_t sizes[] = {0, 100, 4096, 100000, 500000, 590000};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        small = usual;
        small.rlim_cur = sizes[i];
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
        drt_quantize_report report;
        drt_status status = drt_model_quantize(context, from, to, &report);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &usual), 0);
        if (status == DRT_OK) { /* the last limit is enough */
            assert_int_equal(i, 5);
            small_model_remove(to);
            continue;
        }
        assert_int_equal(status, DRT_FAILED);
        assert_non_null(strstr(drt_error(context), "cannot write"));
        assert_int_equal(entries(scratch), 1);
    }
}

static bool fifth_time(void *user) {
    return ++*(int *)user == 5;
}

static void quantising_can_be_cancelled(void **state) {
    (void)state;
    make_model(DRT_TENSOR_F32);
    int asked = 0;
    drt_context_params params = {.cancelled = fifth_time, .user = &asked};
    drt_context *stopped = drt_context_new(&params);
    drt_quantize_report report;
    assert_int_equal(drt_model_quantize(stopped, from, to, &report), DRT_FAILED);
    assert_non_null(strstr(drt_error(stopped), "cancelled"));
    assert_int_equal(entries(scratch), 1);
    drt_context_free(stopped);
}

static void models_are_inspected_without_a_device(void **state) {
    (void)state;
    drt_config config;
    drt_model_facts facts;
    drt_string name;
    uint8_t fingerprint[DRT_FINGERPRINT_SIZE];
    assert_int_equal(drt_model_inspect(context, SAMPLE, &config, &facts, &name, fingerprint), DRT_OK);
    assert_int_equal(config.d_model, 384);
    assert_string_equal(name.data, "drt-33m");
    assert_string_equal(facts.dtype, "I8 + F32");
    assert_int_equal(facts.parameters, 33143424);
    assert_int_equal(facts.weight_bytes, 33516928);
    fake_device fake;
    drt_model *model = load(SAMPLE, &fake);
    assert_memory_equal(fingerprint, drt_model_fingerprint(model), DRT_FINGERPRINT_SIZE);
    drt_model_free(model);
    drt_string_free(&name);

    assert_int_equal(drt_model_inspect(context, TINY, NULL, &facts, &name, fingerprint), DRT_OK);
    assert_string_equal(facts.dtype, "F32");
    assert_string_equal(name.data, "unnamed");
    drt_string_free(&name);
    assert_int_equal(drt_model_inspect(context, "/nonexistent", NULL, NULL, &name, NULL), DRT_FAILED);
    assert_null(name.data);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_become_int8_with_a_scale),
        cmocka_unit_test(rows_of_zeros_and_of_tiny_values_stay_finite),
        cmocka_unit_test(bad_targets_and_sources_are_named),
        cmocka_unit_test(a_full_disk_leaves_nothing),
        cmocka_unit_test(quantising_can_be_cancelled),
        cmocka_unit_test(models_are_inspected_without_a_device),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
