/* Models with every kind of damage: each is refused with a sentence that names the file, and nothing
 * stays allocated. One small model is made, one thing in it changed, and loading tried. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/network/fake_device.h"
#include "tests/network/small_model.h"

static drt_context *context;
static char folder[] = "/tmp/drt-damage-XXXXXX";

static int make_folder(void **state) {
    (void)state;
    context = drt_context_new(NULL);
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    (void)state;
    small_model_remove(folder);
    drt_context_free(context);
    return 0;
}

/* Loads the folder; it must fail with a sentence that has both words. */
static void assert_refused(const char *file, const char *says) {
    fake_device fake;
    fake_device_open(&fake);
    drt_model *model;
    drt_status status = drt_model_load(context, &fake.device, folder, &model);
    if (status == DRT_OK)
        fail_msg("loaded, although: %s", says);
    assert_null(model);
    assert_int_equal(fake.alive, 0);
    if (!strstr(drt_error(context), file) || !strstr(drt_error(context), says))
        fail_msg("expected %s and \"%s\" in: %s", file, says, drt_error(context));
}

static void replace(drt_buffer *buffer, const char *from, const char *to) {
    char *found = strstr(buffer->data, from);
    if (!found)
        fail_msg("nothing to replace: %s", from);
    drt_buffer changed = {0};
    assert_true(drt_buffer_append(&changed, buffer->data, (size_t)(found - buffer->data)));
    assert_true(drt_buffer_append_text(&changed, to));
    assert_true(drt_buffer_append_text(&changed, found + strlen(from)));
    drt_buffer_free(buffer);
    *buffer = changed;
}

static void undamaged_models_load(void **state) {
    (void)state;
    static const drt_tensor_type types[] = {DRT_TENSOR_F32, DRT_TENSOR_BF16, DRT_TENSOR_I8};
    for (size_t i = 0; i < 6; i++) {
        small_model m;
        small_model_make(context, types[i / 2], &m);
        if (i % 2) /* data at odd addresses */
            assert_true(drt_buffer_append(&m.header, "        ", (9 - m.header.length % 8) % 8));
        small_model_write(&m, folder, i % 2 ? 1 : 8);
        fake_device fake;
        fake_device_open(&fake);
        drt_model *model;
        assert_int_equal(drt_model_load(context, &fake.device, folder, &model), DRT_OK);
        const drt_parameter *last = &model->parameters[model->n_parameters - 1];
        assert_string_equal(last->name, "final_norm.weight");
        for (size_t at = 0; at < 4; at++)
            assert_true(model->final_norm[at] == small_weight(model->n_parameters - 1, at));
        float expected = small_weight(0, 5);
        if (types[i / 2] == DRT_TENSOR_I8)
            expected = (float)(int8_t)(expected * 127) * 0.5f;
        assert_true(((float *)model->embed.data)[5] == expected);
        drt_model_free(model);
        assert_int_equal(fake.alive, 0);
        small_model_clear(&m);
    }
}

typedef struct {
    const char *from, *to, *says;
} change;

static void damaged_configs_are_refused(void **state) {
    (void)state;
    static const change changes[] = {
        {"{", "[", "not an object"},
        {"}", "", "not valid"},
        {"}\n", "} x", "goes on"},
        {"small", "sm\xFFll", "UTF-8"},
        {"small", "sm\\u0000ll", "NUL"},
        {"\"small\"", "\"\"", "\"name\""},
        {"\"small\"", "7", "\"name\""},
        {"16384", "16385", "embed.weight"},
        {"16384", "9", "\"vocab_size\" must be a whole number from 10"},
        {"16384", "1e30", "\"vocab_size\""},
        {"16384", "-1", "\"vocab_size\""},
        {"16384", "16384.5", "\"vocab_size\""},
        {"16384", "\"16384\"", "\"vocab_size\""},
        {"16384", "null", "\"vocab_size\""},
        {"\"d_model\": 4", "\"d_model\": 6", "even"},
        {"\"d_model\": 4", "\"d_model\": 5", "multiple"},
        {"\"d_model\": 4", "\"d_model\": 0", "\"d_model\""},
        {"\"d_model\": 4", "\"d_model\": 4, \"d_model\": 4", "twice"},
        {"\"n_heads\": 2", "\"n_heads\": 0", "\"n_heads\""},
        {"\"n_heads\": 2", "\"n_heads\": 4", "even"},
        {"\"d_ff\": 6", "\"d_ff\": 0", "\"d_ff\""},
        {"\"lower_layers\": 1", "\"lower_layers\": 0", "\"lower_layers\""},
        {"\"encoder_layers\": 1", "\"encoder_layers\": 257", "\"encoder_layers\""},
        {"[1, 1]", "[]", "\"group_layers\""},
        {"[1, 1]", "2", "\"group_layers\""},
        {"[1, 1]", "[1, 0]", "\"group_layers\""},
        {"[1, 1]", "[1, \"1\"]", "\"group_layers\""},
        {"[1, 1]", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "\"group_layers\""},
        {"\"chunk_size\": 8", "\"chunk_size\": 1", "\"chunk_size\""},
        {"\"window\": 16", "\"window\": 0", "\"window\""},
        {"\"top_k\": 2", "\"top_k\": 0", "\"top_k\""},
        {"1e-05", "0", "\"rms_eps\""},
        {"1e-05", "1e999", "\"rms_eps\""},
        {"10000.0", "-1", "\"rope_theta\""},
        {"10000.0", "[]", "\"rope_theta\""},
        {"\"qk_norm\": true", "\"qk_norm\": 1", "\"qk_norm\""},
        {"\"tokenizer.model\"", "\"../tokenizer.model\"", "\"tokenizer\""},
        {"\"tokenizer.model\"", "\"\"", "\"tokenizer\""},
        {"\"tokenizer.model\"", "null", "\"tokenizer\""},
        {"\"d_model\": 4", "\"d_model\": 16384, \"x\": [{}]", "parameters"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        small_model m;
        small_model_make(context, DRT_TENSOR_I8, &m);
        replace(&m.config, changes[i].from, changes[i].to);
        if (strstr(changes[i].says, "parameters")) {
            replace(&m.config, "\"d_ff\": 6", "\"d_ff\": 65536");
            replace(&m.config, "[1, 1]", "[200, 200]");
        }
        small_model_write(&m, folder, 8);
        assert_refused(strstr(changes[i].says, ".weight") ? "model.safetensors" : "config.json", changes[i].says);
        small_model_clear(&m);
    }
}

static void configs_of_other_shapes_are_refused(void **state) {
    (void)state;
    static const change changes[] = {
        {"\"d_model\": 4", "\"d_model\": 8", "embed.weight"},
        {"\"d_ff\": 6", "\"d_ff\": 7", "lower.0.mlp.gate.weight"},
        {"\"lower_layers\": 1", "\"lower_layers\": 2", "no tensor \"lower.1."},
        {"\"encoder_layers\": 1", "\"encoder_layers\": 3", "no tensor \"encoder.1."},
        {"[1, 1]", "[1, 2]", "no tensor \"upper.1.1."},
        {"[1, 1]", "[1]", "has a tensor \""},
        {"[1, 1]", "[2, 1]", "no tensor \"upper.0.1."},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        small_model m;
        small_model_make(context, DRT_TENSOR_F32, &m);
        replace(&m.config, changes[i].from, changes[i].to);
        small_model_write(&m, folder, 8);
        assert_refused("model.safetensors", changes[i].says);
        small_model_clear(&m);
    }
}

static void damaged_headers_are_refused(void **state) {
    (void)state;
#define SCALE "\"chunk_k.weight.scale\": {\"dtype\": \"F32\", \"shape\": [4]"
    static const change changes[] = {
        {"{", "", "not an object"},
        {"}}", "}", "not valid"},
        {"}}", "}} {}", "goes on"},
        {"\"embed.weight\"", "\"embed.w\"", "no tensor \"embed.weight\""},
        {"\"embed.weight\"", "\"embed\\u0000weight\"", "NUL"},
        {"\"embed.weight\"", "\"\xC0\x80\"", "UTF-8"},
        {"\"chunk_v.weight\"", "\"chunk_k.weight\"", "two tensors \"chunk_k.weight\""},
        {"\"chunk_k.weight.scale\"", "\"chunk_k.weight.scales\"", "\"chunk_k.weight.scale\" is missing"},
        {"\"I8\"", "\"F16\"", "F16"},
        {"\"I8\"", "8", "no dtype"},
        {"\"dtype\": \"I8\", ", "", "not {dtype"},
        {"\"dtype\": \"I8\"", "\"dtype\": \"I8\", \"dtype\": \"I8\"", "not {dtype"},
        {"[16384, 4]", "[4, 16384]", "shape"},
        {"[16384, 4]", "[16384, 5]", "bytes where its shape"},
        {"[16384, 4]", "[65536]", "shape [65536]"},
        {"[16384, 4]", "[16384, 2, 2]", "shape [16384, 2, 2]"},
        {"[16384, 4]", "[16384, 4, 1]", "shape [16384, 4, 1]"},
        {"[16384, 4]", "[1, 1, 1, 1, 1, 1, 1, 16384, 4]", "axes"},
        {"[16384, 4]", "[4294967296, 4294967296, 65536]", "too large"},
        {"[16384, 4]", "[9007199254740993, 4]", "list of sizes"},
        {"[16384, 4]", "[-16384, -4]", "list of sizes"},
        {"[16384, 4]", "[16384.5, 4]", "list of sizes"},
        {"[16384, 4]", "16384", "no shape"},
        {"[0, 65536]", "[1, 65537]", "leaves a gap"},
        {"[65536, 131072]", "[65532, 131068]", "overlaps"},
        {"[0, 65536]", "[65536, 0]", "data_offsets"},
        {"[0, 65536]", "[0, 65535]", "bytes where its shape"},
        {"[0, 65536]", "[0]", "data_offsets"},
        {"[0, 65536]", "[0, 65536, 65536]", "data_offsets"},
        {"[0, 65536]", "[99999999, 100065535]", "cut short or damaged"},
        {"[0, 65536]", "[0, 18446744073709551615]", "data_offsets"},
        {"}}", "}, \"more\": {\"dtype\": \"I8\", \"shape\": [0], \"data_offsets\": [0, 0]}}", "has a tensor \"more\""},
        {"}}", "}, \"more\": 7}", "\"more\""},
        {SCALE, "\"chunk_k.weight.scale\": {\"dtype\": \"F32\", \"shape\": [2, 2]", "a scale for each row"},
        {"\"dtype\": \"F32\", \"shape\": [4]", "\"dtype\": \"I8\", \"shape\": [16]", "shape [16]"},
    };
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
        small_model m;
        small_model_make(context, DRT_TENSOR_I8, &m);
        replace(&m.header, changes[i].from, changes[i].to);
        small_model_write(&m, folder, 8);
        assert_refused("model.safetensors", changes[i].says);
        small_model_clear(&m);
    }
}

/* Overwrites bytes of a tensor's data. */
static void poke(small_model *m, const char *tensor, const void *bytes, size_t n) {
    char *entry = strstr(m->header.data, tensor);
    assert_non_null(entry);
    unsigned long at = strtoul(strstr(entry, "offsets\": [") + 11, NULL, 10);
    memcpy(m->data.data + at, bytes, n);
}

static void values_that_are_not_finite_are_refused(void **state) {
    (void)state;
    static const struct {
        drt_tensor_type type;
        const char *tensor, *bytes;
        size_t n;
        const char *says;
    } cases[] = {
        {DRT_TENSOR_F32, "\"chunk_v.weight\"", "\0\0\x80\x7F", 4, "chunk_v.weight"},           /* infinity */
        {DRT_TENSOR_F32, "\"upper.1.0.gca_norm.weight\"", "\1\0\xC0\xFF", 4, "upper.1.0.gca"}, /* NaN */
        {DRT_TENSOR_BF16, "\"lower.0.attn.qkv.weight\"", "\xC0\x7F", 2, "lower.0.attn.qkv"},
        {DRT_TENSOR_I8, "\"embed.weight.scale\"", "\0\0\x80\xFF", 4, "embed.weight.scale"},
        {DRT_TENSOR_I8, "\"embed.weight.scale\"", "\0\0\x80\xBF", 4, "negative"},
        {DRT_TENSOR_I8, "\"final_norm.weight\"", "\0\0\xC0\x7F", 4, "final_norm"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        small_model m;
        small_model_make(context, cases[i].type, &m);
        poke(&m, cases[i].tensor, cases[i].bytes, cases[i].n);
        small_model_write(&m, folder, 8);
        assert_refused("model.safetensors", cases[i].says);
        small_model_clear(&m);
    }
}

static void write_weights(const void *data, size_t length) {
    small_write(folder, "model.safetensors", data, length, "wb");
}

static void files_that_are_cut_or_longer_are_refused(void **state) {
    (void)state;
    small_model m;
    char path[128];
    small_model_make(context, DRT_TENSOR_I8, &m);
    small_model_write(&m, folder, 8);
    snprintf(path, sizeof path, "%s/model.safetensors", folder);
    drt_buffer whole = {0};
    assert_int_equal(drt_file_read(context, path, SIZE_MAX, &whole), DRT_OK);

    static const size_t lengths[] = {0, 1, 7, 8, 9, 500};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        write_weights(whole.data, lengths[i]);
        assert_refused("model.safetensors", "cut short");
    }
    write_weights(whole.data, whole.length / 2);
    assert_refused("model.safetensors", "cut short");
    write_weights(whole.data, whole.length - 1);
    assert_refused("model.safetensors", "cut short");
    write_weights(whole.data, whole.length);
    small_write(folder, "model.safetensors", "x", 1, "ab");
    assert_refused("model.safetensors", "1 bytes behind its last tensor");

    memcpy(whole.data, "\0\0\0\0\0\0\0\0", 8);
    write_weights(whole.data, whole.length);
    assert_refused("model.safetensors", "not an object");
    memcpy(whole.data, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF", 8);
    write_weights(whole.data, whole.length);
    assert_refused("model.safetensors", "cut short");
    memset(whole.data, 'x', whole.length);
    write_weights(whole.data, whole.length);
    assert_refused("model.safetensors", "no safetensors file");

    drt_buffer large = {0}; /* a header that is there, but of 17 MiB */
    uint64_t length = 17 << 20;
    assert_true(drt_buffer_append(&large, &length, 8) && drt_buffer_reserve(&large, length));
    memset(large.data + 8, ' ', length);
    write_weights(large.data, length + 8);
    assert_refused("model.safetensors", "allowed");
    drt_buffer_free(&large);
    drt_buffer_free(&whole);
    small_model_clear(&m);
}

static void missing_files_are_named(void **state) {
    (void)state;
    static const char *const names[] = {"config.json", "model.safetensors", "tokenizer.model"};
    for (size_t i = 0; i < 3; i++) {
        small_model m;
        char path[128];
        small_model_make(context, DRT_TENSOR_BF16, &m);
        small_model_write(&m, folder, 8);
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        assert_int_equal(unlink(path), 0);
        assert_refused(path, "cannot open");
        assert_int_equal(mkdir(path, 0777), 0);
        assert_refused(path, "not a regular file");
        assert_int_equal(rmdir(path), 0);
        small_model_clear(&m);
    }
    drt_model *model;
    fake_device fake;
    fake_device_open(&fake);
    assert_int_equal(drt_model_load(context, &fake.device, "/nonexistent/model", &model), DRT_FAILED);
    assert_non_null(strstr(drt_error(context), "/nonexistent/model/config.json"));
}

static void large_configs_are_refused(void **state) {
    (void)state;
    small_model m;
    small_model_make(context, DRT_TENSOR_I8, &m);
    while (m.config.length <= 1 << 20)
        assert_true(drt_buffer_append_text(&m.config, "                                "));
    small_model_write(&m, folder, 8);
    assert_refused("config.json", "larger than");
    small_model_clear(&m);
}

static void other_tokenizers_are_refused(void **state) {
    (void)state;
    small_model m;
    small_model_make(context, DRT_TENSOR_I8, &m);
    size_t length = m.tokenizer.length;
    m.tokenizer.length = 0;
    small_model_write(&m, folder, 8);
    assert_refused("tokenizer.model", "empty");
    m.tokenizer.length = length / 2;
    small_model_write(&m, folder, 8);
    assert_refused("tokenizer.model", "sentencepiece");
    m.tokenizer.length = length;
    char *control = m.tokenizer.data;
    while (memcmp(control, "<doc>", 5) != 0)
        control++;
    memcpy(control, "<dxc>", 5);
    small_model_write(&m, folder, 8);
    assert_refused("tokenizer.model", "<doc>");
    small_model_clear(&m);

    small_model_make(context, DRT_TENSOR_I8, &m); /* a tokenizer of another model */
    drt_buffer_free(&m.config);
    assert_int_equal(drt_file_read(context, DRT_TEST_DATA "/golden/tiny/config.json", SIZE_MAX, &m.config), DRT_OK);
    replace(&m.config, "{", "{\"tokenizer\": \"tokenizer.model\",");
    small_model_write(&m, folder, 8);
    drt_buffer weights = {0};
    assert_int_equal(drt_file_read(context, DRT_TEST_DATA "/golden/tiny/model.safetensors", SIZE_MAX, &weights),
                     DRT_OK);
    write_weights(weights.data, weights.length);
    assert_refused("tokenizer.model", "has 16384 pieces where the \"vocab_size\" of config.json is 131");
    drt_buffer_free(&weights);
    small_model_clear(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(undamaged_models_load),
        cmocka_unit_test(damaged_configs_are_refused),
        cmocka_unit_test(configs_of_other_shapes_are_refused),
        cmocka_unit_test(damaged_headers_are_refused),
        cmocka_unit_test(values_that_are_not_finite_are_refused),
        cmocka_unit_test(files_that_are_cut_or_longer_are_refused),
        cmocka_unit_test(missing_files_are_named),
        cmocka_unit_test(large_configs_are_refused),
        cmocka_unit_test(other_tokenizers_are_refused),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
