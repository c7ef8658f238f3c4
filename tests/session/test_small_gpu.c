/* A GPU that is too small: smaller batches and fewer lanes as far as they help, then a sentence that says how much is
 * needed; the same where single allocations fail. Nothing is kept afterwards, and never more taken than there is. */
#include "tests/network/fake_gpu.h"

#include "engine/network/network.h"
#include "engine/session/session.h"
#include "tests/base/scratch.h"
#include "tests/network/small_model.h"

static struct {
    scratch scratch;
    drt_context *context;
    char model[128], documents[128];
    int number; /* of the library */
} t;

static int set_up(void **state) {
    (void)state;
    small_model small;
    t.context = drt_context_new(NULL);
    scratch_open(&t.scratch);
    snprintf(t.model, sizeof t.model, "%s/model", t.scratch.folder);
    snprintf(t.documents, sizeof t.documents, "%s/texts", t.scratch.folder);
    assert_int_equal(mkdir(t.model, 0700), 0);
    assert_int_equal(mkdir(t.documents, 0700), 0);
    small_model_make(t.context, DRT_TENSOR_F32, &small);
    small_model_write(&small, t.model, 8);
    small_model_clear(&small);
    scratch_write(&t.scratch, "texts/a.txt", "The lamp was lit in 1874 by the first keeper.\n\nIt burned for long.\n");
    scratch_write(&t.scratch, "texts/b.txt", "The bridge over the river is closed in winter.\n");
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    drt_context_free(t.context);
    scratch_close(&t.scratch);
    return 0;
}

/* --------------------------------------------------------------------------- everything ---- */

static drt_status ingest(drt_model *model, drt_library **library) {
    drt_library_params params = {.mode = DRT_LIBRARY_CREATE, .model = model, .memory_type = DRT_MEMORY_INT8};
    drt_ingest_params what = {.paths = (const char *[]){t.documents}, .n_paths = 1};
    drt_ingest_report report;
    char path[128];
    snprintf(path, sizeof path, "%s/%d.drt", t.scratch.folder, t.number++);
    scratch_check(t.context, drt_library_open(t.context, path, &params, library));
    drt_status status = drt_ingest(t.context, *library, model, &what, &report);
    drt_library_close(*library);
    params.mode = DRT_LIBRARY_READ;
    *library = NULL;
    return status == DRT_OK ? drt_library_open(t.context, path, &params, library) : status;
}

static drt_status ask(drt_library *library, drt_model *model, drt_string *answer) {
    drt_session *session;
    drt_answer *found;
    drt_ask_params params = drt_ask_params_default();
    params.max_tokens = 10;
    params.store = false;
    drt_status status = drt_session_open(t.context, library, model, &session);
    if (status != DRT_OK)
        return status;
    status = drt_session_ask(t.context, session, "Who lit the lamp?", 17, &params, &found);
    assert_true((status == DRT_OK) == (found != NULL));
    if (found) {
        *answer = found->answer;
        found->answer = (drt_string){0};
    }
    drt_answer_free(found);
    drt_session_close(session);
    return status;
}

/* Loads, ingests and asks on a GPU of this size. */
static drt_status run(size_t total, long fails_at, bool then_always, drt_string *answer) {
    fake_gpu gpu;
    drt_model *model = NULL;
    drt_library *library = NULL;
    *answer = (drt_string){0};
    fake_gpu_open(&gpu, total);
    gpu.fails_at = fails_at;
    gpu.then_always = then_always;
    drt_status status = drt_model_load(t.context, &gpu.device, t.model, &model);
    if (status == DRT_OK)
        status = ingest(model, &library);
    if (status == DRT_OK)
        status = ask(library, model, answer);
    if (status != DRT_OK)
        assert_true(drt_error(t.context)[0]);
    drt_library_close(library);
    drt_model_free(model);
    fake_gpu_close(&gpu);
    return status;
}

#define PLENTY ((size_t)1 << 30)

static void every_size_works_or_says_what_is_needed(void **state) {
    (void)state;
    drt_string expected, answer;
    scratch_check(t.context, run(PLENTY, -1, false, &expected));
    assert_true(expected.data != NULL);
    int worked = 0, refused = 0;
    for (size_t total = 0; total < (size_t)24 << 20; total += 257 << 10) {
        drt_status status = run(total, -1, false, &answer);
        if (status == DRT_OK) {
            worked++;
            assert_int_equal(answer.length, expected.length);
            assert_memory_equal(answer.data, expected.data, expected.length);
        } else {
            assert_int_equal(worked, 0); /* what is enough once is enough from there on */
            refused++;
            const char *said = drt_error(t.context), *least = strstr(said, " needs at least "),
                       *left = strstr(said, "MiB are free");
            assert_true(least && left);
            assert_true(strtoul(least + strlen(" needs at least "), NULL, 10) << 20 > total / 2);
        }
        drt_string_free(&answer);
    }
    assert_true(worked > 3 && refused > 3);
    drt_string_free(&expected);
}

static void allocations_that_fail_are_survived(void **state) {
    (void)state;
    drt_string answer;
    int failed = 0, worked = 0;
    for (long n = 0; worked == 0; n++) { /* all from the n-th on */
        worked += run(PLENTY, n, true, &answer) == DRT_OK;
        drt_string_free(&answer);
        failed += worked == 0;
    }
    assert_in_range(failed, 30, 1000);
    worked = 0;
    for (int n = 0; n < failed; n += 2) { /* the n-th alone: mostly something smaller does instead */
        worked += run(PLENTY, n, false, &answer) == DRT_OK;
        drt_string_free(&answer);
    }
    assert_true(worked > 2 && worked < failed / 2); /* weights have nothing smaller */
}

/* ------------------------------------------------------------------------------ sizes ---- */

/* Rooms as planned are what is taken, to the byte. */
static void rooms_are_what_is_taken(void **state) {
    (void)state;
    fake_gpu gpu;
    drt_model *model;
    drt_record_encoder *encoder;
    drt_reader *reader;
    drt_memory_plan plan;
    fake_gpu_open(&gpu, PLENTY);
    scratch_check(t.context, drt_memory_plan_make(t.context, &gpu.device, t.model, NULL, &plan));
    assert_int_equal(gpu.alive, 0);
    scratch_check(t.context, drt_model_load(t.context, &gpu.device, t.model, &model));
    assert_int_equal(gpu.used, plan.items[DRT_PLAN_WEIGHTS].device_bytes);
    size_t weights = gpu.used;
    scratch_check(t.context, drt_record_encoder_new(t.context, model, DRT_MEMORY_INT8, &encoder));
    assert_int_equal(gpu.used - weights, plan.items[DRT_PLAN_ENCODER].device_bytes);
    assert_int_equal(drt_record_encoder_chunks(encoder), plan.batch_chunks);
    drt_record_encoder_free(encoder);
    for (int lanes = 1; lanes < 4; lanes++) {
        scratch_check(t.context, drt_reader_new(t.context, model, lanes, 16, NULL, NULL, &reader));
        assert_int_equal(gpu.used - weights, drt_reader_room(model, lanes).device);
        drt_reader_free(reader);
    }
    drt_model_free(model);
    fake_gpu_close(&gpu);
}

/* One byte less than a size takes: half of it. */
static void a_byte_too_little_halves(void **state) {
    (void)state;
    drt_model *model;
    drt_record_encoder *encoder;
    fake_gpu gpu;
    for (int n = 32; n > 1; n /= 2) {
        fake_gpu_open(&gpu, PLENTY);
        scratch_check(t.context, drt_model_load(t.context, &gpu.device, t.model, &model));
        size_t enough = gpu.used + DRT_PLAN_WORKING + drt_record_encoder_room(model, DRT_MEMORY_INT8, n).device;
        for (int less = 0; less < 2; less++) {
            gpu.device.backend->memory_limit = enough - (size_t)less;
            scratch_check(t.context, drt_record_encoder_new(t.context, model, DRT_MEMORY_INT8, &encoder));
            assert_int_equal(drt_record_encoder_chunks(encoder), less ? n / 2 : n);
            drt_record_encoder_free(encoder);
        }
        drt_model_free(model);
        fake_gpu_close(&gpu);
    }
}

static void sessions_take_the_lanes_that_fit(void **state) {
    (void)state;
    fake_gpu gpu;
    drt_model *model;
    drt_library *library;
    drt_session *session;
    fake_gpu_open(&gpu, PLENTY);
    scratch_check(t.context, drt_model_load(t.context, &gpu.device, t.model, &model));
    scratch_check(t.context, ingest(model, &library));
    drt_library_facts facts;
    scratch_check(t.context, drt_library_inspect(t.context, library, &facts));
    size_t enough = gpu.used + DRT_PLAN_WORKING + drt_plan_least_landmarks(facts.chunks, 4);
    for (int less = 0; less < 2; less++) {
        gpu.device.backend->memory_limit = enough + drt_reader_room(model, 16).device - (size_t)less;
        scratch_check(t.context, drt_session_open(t.context, library, model, &session));
        scratch_check(t.context, drt_session_reserve(t.context, session, 64));
        assert_int_equal(session->n_lanes, less ? 8 : 16);
        drt_session_close(session);
    }
    gpu.device.backend->memory_limit = enough;
    assert_int_equal(drt_session_open(t.context, library, model, &session), DRT_FATAL);
    assert_non_null(strstr(drt_error(t.context), "answering questions needs at least 17 MiB of the GPU's memory"));
    assert_non_null(strstr(drt_error(t.context), "that --gpu-memory allows are free"));
    drt_library_close(library);
    drt_model_free(model);
    fake_gpu_close(&gpu);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_size_works_or_says_what_is_needed),
        cmocka_unit_test(allocations_that_fail_are_survived),
        cmocka_unit_test(rooms_are_what_is_taken),
        cmocka_unit_test(a_byte_too_little_halves),
        cmocka_unit_test(sessions_take_the_lanes_that_fit),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
