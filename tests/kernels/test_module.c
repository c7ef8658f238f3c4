/* Finding, loading and refusing the CUDA module, with fakes in its place; --device cuda and auto. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/drt.h"
#include "kernels/module.h"

static void expect_refusal(const char *module, int device, const char *part) {
    drt_backend *backend = NULL;
    char error[1024] = "";
    setenv("DRT_CUDA_MODULE", module, 1);
    assert_int_equal(drt_backend_open_cuda(device, &backend, error, sizeof error), -1);
    if (!strstr(error, part))
        fail_msg("\"%s\" does not say \"%s\"", error, part);
    assert_null(backend);
}

static void opens_a_module(void **state) {
    (void)state;
    drt_backend *backend = NULL;
    char error[1024] = "";
    setenv("DRT_CUDA_MODULE", FAKE_MODULE, 1);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(drt_backend_open_cuda(0, &backend, error, sizeof error), 0);
        assert_non_null(backend->linear);
        backend->close(backend);
    }
}

static void says_what_is_missing(void **state) {
    (void)state;
    expect_refusal("/no/such/module.so", 0, "cannot read the CUDA module /no/such/module.so");
    expect_refusal(DRT_SOURCE_DIR "/README.md", 0, "cannot load the CUDA module");
    expect_refusal(FAKE_MODULE_NO_ENTRY, 0, "is not a CUDA module of drt");
    expect_refusal(FAKE_MODULE_OLD, 0, "another version of drt");
    expect_refusal(FAKE_MODULE, 3, "there is no GPU 3");
}

static drt_device *open_device(drt_context *context, const char *name, drt_status expected) {
    drt_device_params params = drt_device_params_default();
    params.name = name;
    params.threads = 1;
    drt_device *device = NULL;
    assert_int_equal(drt_device_open(context, &params, &device), expected);
    assert_int_equal(device != NULL, expected == DRT_OK);
    return device;
}

static void expect_device(const char *name, const char *opened) {
    drt_context *context = drt_context_new(NULL);
    drt_device *device = open_device(context, name, DRT_OK);
    assert_string_equal(drt_device_name(device), opened);
    drt_device_close(device);
    drt_context_free(context);
}

static void devices_by_name(void **state) {
    (void)state;
    setenv("DRT_CUDA_MODULE", FAKE_MODULE, 1);
    expect_device("cuda", "cuda:0");
    expect_device("cuda:0", "cuda:0");
    expect_device("auto", "cuda:0");
    expect_device("cpu", "cpu");
}

static void auto_falls_back_to_the_cpu(void **state) {
    (void)state;
    const char *unusable[] = {FAKE_MODULE_OLD, FAKE_MODULE_NO_ENTRY, "/no/such/module.so"};
    for (size_t i = 0; i < sizeof unusable / sizeof *unusable; i++) {
        setenv("DRT_CUDA_MODULE", unusable[i], 1);
        expect_device("auto", "cpu");
        drt_context *context = drt_context_new(NULL);
        open_device(context, "cuda", DRT_FAILED);
        assert_non_null(strstr(drt_error(context), "--device cuda: "));
        drt_context_free(context);
    }
}

static void refuses_other_names(void **state) {
    (void)state;
    const char *names[] = {"", "cuda:", "cuda:x", "cuda:1x", "cuda:1000", "cuda1", "gpu", "CPU"};
    drt_context *context = drt_context_new(NULL);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        open_device(context, names[i], DRT_FAILED);
        assert_non_null(strstr(drt_error(context), "is no device"));
    }
    drt_context_free(context);
}

static void describes_backends(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    drt_string text;
    setenv("DRT_CUDA_MODULE", FAKE_MODULE_OLD, 1);
    assert_int_equal(drt_backends_describe(context, &text), DRT_OK);
    assert_non_null(strstr(text.data, "cpu: "));
    assert_non_null(strstr(text.data, "\ncuda: cannot use CUDA ("));
    drt_string_free(&text);
    drt_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opens_a_module),      cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(devices_by_name),     cmocka_unit_test(auto_falls_back_to_the_cpu),
        cmocka_unit_test(refuses_other_names), cmocka_unit_test(describes_backends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
