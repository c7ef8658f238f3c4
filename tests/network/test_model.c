/* Units of model loading: the golden models and the sample model on a device that only keeps weights. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/base/hash.h"
#include "engine/network/safetensors.h"
#include "tests/network/fake_device.h"

#define SAMPLE DRT_SOURCE_DIR "/samples/model"
#define TINY DRT_TEST_DATA "/golden/tiny"

static void golden_models_load_as_they_are(void **state) {
    (void)state;
    static const char *const names[] = {"tiny", "segments", "paper"};
    for (size_t i = 0; i < 3; i++) {
        char directory[512], path[1024];
        snprintf(directory, sizeof directory, DRT_TEST_DATA "/golden/%s", names[i]);
        snprintf(path, sizeof path, "%s/model.safetensors", directory);
        fake_device fake;
        fake_device_open(&fake);
        drt_context *context = drt_context_new(NULL);
        drt_model *model;
        assert_int_equal(drt_model_load(context, &fake.device, directory, &model), DRT_OK);
        assert_null(model->tokenizer);
        assert_string_equal(drt_model_directory(model), directory);
        assert_ptr_equal(drt_model_device(model), &fake.device);

        drt_safetensors file;
        assert_int_equal(drt_safetensors_open(context, path, &file), DRT_OK);
        const drt_tensor *down = drt_safetensors_find(&file, "lower.1.mlp.down.weight");
        assert_int_equal(model->lower[1].mlp.down.rows, 64);
        assert_int_equal(model->lower[1].mlp.down.cols, 96);
        assert_memory_equal(model->lower[1].mlp.down.data, down->data, down->bytes);
        const drt_tensor *norm = drt_safetensors_find(&file, "upper.0.0.gca_norm.weight");
        assert_memory_equal(model->upper[0][0].gca_norm, norm->data, norm->bytes);
        assert_null(model->lower[0].gca_norm);
        drt_safetensors_close(&file);
        drt_model_free(model);
        assert_int_equal(fake.alive, 0);
        drt_context_free(context);
    }
}

static void the_sample_model_loads(void **state) {
    (void)state;
    fake_device fake;
    fake_device_open(&fake);
    drt_context *context = drt_context_new(NULL);
    drt_model *model;
    assert_int_equal(drt_model_load(context, &fake.device, SAMPLE, &model), DRT_OK);
    assert_string_equal(drt_model_name(model), "drt-33m");
    const drt_config *c = drt_model_config(model);
    assert_int_equal(c->d_model, 384);
    assert_int_equal(c->n_groups, 2);
    assert_int_equal(c->group_layers[1], 3);
    assert_int_equal(drt_tokenizer_size(model->tokenizer), c->vocab_size);
    assert_int_equal(model->embed.rows, c->vocab_size);

    drt_safetensors file; /* a row of int8 times its scale */
    assert_int_equal(drt_safetensors_open(context, SAMPLE "/model.safetensors", &file), DRT_OK);
    const drt_tensor *rows = drt_safetensors_find(&file, "upper.1.2.gca_q.weight");
    const drt_tensor *scales = drt_safetensors_find(&file, "upper.1.2.gca_q.weight.scale");
    float scale;
    memcpy(&scale, scales->data + 5 * sizeof scale, sizeof scale);
    const float *loaded = model->upper[1][2].gca_q.data;
    for (size_t i = 5 * 384; i < 6 * 384; i++)
        assert_true(loaded[i] == (float)(int8_t)rows->data[i] * scale);
    drt_safetensors_close(&file);

    drt_hash hash; /* of the three files, one after the other */
    static const char *const files[] = {"config.json", "model.safetensors", "tokenizer.model"};
    uint8_t digest[DRT_HASH_SIZE];
    drt_hash_start(&hash);
    for (size_t i = 0; i < 3; i++) {
        drt_mapping mapping;
        drt_string path;
        assert_true(drt_path_join(&path, SAMPLE, files[i]));
        assert_int_equal(drt_mapping_open(context, path.data, &mapping), DRT_OK);
        drt_hash_add(&hash, mapping.data, mapping.size);
        drt_mapping_close(&mapping);
        drt_string_free(&path);
    }
    drt_hash_finish(&hash, digest);
    assert_memory_equal(drt_model_fingerprint(model), digest, DRT_HASH_SIZE);
    drt_model_free(model);
    assert_int_equal(fake.alive, 0);
    drt_context_free(context);
}

static void a_full_device_is_an_error_without_leaks(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    for (int n = 0; n < 62; n++) { /* tiny has 62 parameters */
        fake_device fake;
        fake_device_open(&fake);
        fake.allocations_left = n;
        drt_model *model;
        drt_status status = drt_model_load(context, &fake.device, TINY, &model);
        assert_int_equal(status, DRT_FAILED);
        assert_null(model);
        assert_non_null(strstr(drt_error(context), "the fake device is full"));
        assert_int_equal(fake.alive, 0);
    }
    drt_model_free(NULL);
    drt_context_free(context);
}

static bool always(void *user) {
    (void)user;
    return true;
}

static void loading_can_be_cancelled(void **state) {
    (void)state;
    drt_context_params params = {.cancelled = always};
    drt_context *context = drt_context_new(&params);
    fake_device fake;
    fake_device_open(&fake);
    drt_model *model;
    assert_int_equal(drt_model_load(context, &fake.device, TINY, &model), DRT_FAILED);
    assert_int_equal(fake.alive, 0);
    drt_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(golden_models_load_as_they_are),
        cmocka_unit_test(the_sample_model_loads),
        cmocka_unit_test(a_full_device_is_an_error_without_leaks),
        cmocka_unit_test(loading_can_be_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
