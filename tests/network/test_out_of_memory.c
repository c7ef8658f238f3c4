/* Memory that runs out at every place in turn: loading, inspecting and quantising a model, opening a reader and cutting
 * a text into chunks each end with an error, without a leak (the debug preset looks) and with nothing left
 * on disk. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/network/network.h"
#include "engine/session/chunker.h"
#include "tests/base/scarce_memory.h"
#include "tests/network/fake_reader.h"
#include "tests/network/small_model.h"

#define TINY DRT_TEST_DATA "/golden/tiny"

static drt_context *context;
static drt_tokenizer *tokenizer;

static int load(void **state) {
    (void)state;
    char error[512];
    context = drt_context_new(NULL);
    return drt_tokenizer_load(DRT_SOURCE_DIR "/samples/model/tokenizer.model", &tokenizer, error, sizeof error);
}

static int unload(void **state) {
    (void)state;
    drt_tokenizer_free(tokenizer);
    drt_context_free(context);
    return 0;
}

static drt_status load_model(void) {
    fake_device fake;
    drt_model *model;
    fake_device_open(&fake);
    drt_status status = drt_model_load(context, &fake.device, TINY, &model);
    assert_true((status == DRT_OK) == (model != NULL));
    drt_model_free(model);
    assert_int_equal(fake.alive, 0);
    return status;
}

static drt_status find_nothing(void *user, drt_context *c, int lane, int step, int group, const float *query,
                               drt_retrieved *out) {
    (void)user;
    (void)c;
    (void)lane;
    (void)step;
    (void)group;
    (void)query;
    *out = (drt_retrieved){0};
    return DRT_OK;
}

/* The model is loaded with all the memory there is. */
static drt_status open_reader(bool fused) {
    long allowed = scarce_memory_allow(-1);
    fake_device fake;
    drt_model *model;
    drt_reader *reader;
    fake_device_open(&fake);
    if (fused)
        fake_reader_install(&fake);
    assert_int_equal(drt_model_load(context, &fake.device, TINY, &model), DRT_OK);
    scarce_memory_allow(allowed);
    drt_status status = drt_reader_new(context, model, 2, 8, find_nothing, NULL, &reader);
    scarce_memory_allow(-1);
    assert_true((status == DRT_OK) == (reader != NULL));
    drt_reader_free(reader);
    drt_model_free(model);
    assert_int_equal(fake.alive, 0);
    return status;
}

static drt_status open_composed_reader(void) {
    return open_reader(false);
}

static drt_status open_fused_reader(void) {
    return open_reader(true);
}

static drt_status inspect_model(void) {
    drt_string name;
    drt_status status = drt_model_inspect(context, TINY, NULL, NULL, &name, NULL);
    drt_string_free(&name);
    return status;
}

static char scratch[] = "/tmp/drt-memory-XXXXXX";

static drt_status quantize_model(void) {
    char out[64];
    drt_quantize_report report;
    snprintf(out, sizeof out, "%s/out", scratch);
    drt_status status = drt_model_quantize(context, TINY, out, &report);
    if (status == DRT_OK || status == DRT_WARN) /* a warning: written, but not known to be synced */
        small_model_remove(out);
    assert_int_equal(rmdir(scratch), 0); /* empty, whatever happened */
    assert_int_equal(mkdir(scratch, 0700), 0);
    return status;
}

static drt_status cut_text(void) {
    drt_buffer text = {0};
    long kept = scarce_memory_allow(-1);
    for (int i = 0; i < 400; i++)
        assert_true(drt_buffer_printf(&text, "Paragraph %d of a long text.\n\n", i));
    scarce_memory_allow(kept);
    drt_chunks chunks;
    drt_status status = drt_chunks_build(context, tokenizer, 16, text.data, text.length, &chunks);
    assert_true((status == DRT_OK) == (chunks.tokens != NULL));
    drt_chunks_clear(&chunks);
    drt_buffer_free(&text);
    return status;
}

static drt_status encode_question(void) {
    int32_t *tokens;
    size_t count;
    drt_status status = drt_question_encode(context, tokenizer, "Who kept the light?", 19, &tokens, &count);
    free(tokens);
    return status;
}

static void loading_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(context, load_model), 100, 2000);
}

static void opening_readers_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(context, open_composed_reader), 20, 500);
    assert_in_range(scarce_memory_until_it_succeeds(context, open_fused_reader), 10, 500);
}

static void inspecting_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(context, inspect_model), 50, 2000);
}

static void quantising_survives(void **state) {
    (void)state;
    assert_non_null(mkdtemp(scratch));
    assert_in_range(scarce_memory_until_it_succeeds(context, quantize_model), 50, 2000);
    assert_int_equal(rmdir(scratch), 0);
}

static void cutting_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(context, cut_text), 400, 5000);
    assert_in_range(scarce_memory_until_it_succeeds(context, encode_question), 2, 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loading_survives),    cmocka_unit_test(opening_readers_survives),
        cmocka_unit_test(inspecting_survives), cmocka_unit_test(quantising_survives),
        cmocka_unit_test(cutting_survives),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
