/* Memory that runs out at every place in turn, with a model of a few thousand weights: asking and
 * searching fail with a sentence and work again afterwards; an ingest leaves a sound library. The
 * debug preset looks for leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/session/session.h"
#include "tests/base/scarce_memory.h"
#include "tests/base/scratch.h"
#include "tests/network/small_model.h"

static struct {
    scratch scratch;
    drt_context *context;
    drt_device *device;
    drt_model *model;
    drt_library *library;
    drt_session *session;
    char documents[128], path[128]; /* a folder of texts, a library */
} t;

static int set_up(void **state) {
    (void)state;
    small_model small;
    t.context = drt_context_new(NULL);
    scratch_open(&t.scratch);
    assert_int_equal(mkdir(scratch_path(&t.scratch, "model"), 0700), 0);
    small_model_make(t.context, DRT_TENSOR_F32, &small);
    small_model_write(&small, scratch_path(&t.scratch, "model"), 8);
    small_model_clear(&small);
    snprintf(t.documents, sizeof t.documents, "%s/texts", t.scratch.folder);
    snprintf(t.path, sizeof t.path, "%s/library.drt", t.scratch.folder);
    assert_int_equal(mkdir(t.documents, 0700), 0);
    scratch_write(&t.scratch, "texts/a.txt", "The lamp was lit in 1874 by the first keeper.\n\nIt burned for long.\n");
    scratch_write(&t.scratch, "texts/b.txt", "The bridge over the river is closed in winter.\n");
    scratch_write(&t.scratch, "texts/c.txt", "The lamp was lit in 1874 by the first keeper.\n\nIt burned for long.\n");
    drt_ingest_report report;
    scratch_model(t.context, scratch_path(&t.scratch, "model"), 0, &t.device, &t.model);
    scratch_ingest(t.context, t.model, t.path, DRT_MEMORY_INT8, (const char *[]){t.documents}, 1, &report);
    assert_int_equal(report.ok, 2);
    assert_int_equal(report.known, 1);
    assert_true(report.chunks > 2);
    t.library = scratch_library(t.context, t.model, t.path);
    scratch_check(t.context, drt_session_open(t.context, t.library, t.model, &t.session));
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    drt_session_close(t.session);
    drt_library_close(t.library);
    drt_model_free(t.model);
    drt_device_close(t.device);
    drt_context_free(t.context);
    scratch_close(&t.scratch);
    return 0;
}

static drt_status open_session(void) {
    drt_session *session;
    drt_status status = drt_session_open(t.context, t.library, t.model, &session);
    assert_true((status == DRT_OK) == (session != NULL));
    drt_session_close(session);
    return status;
}

/* With chunks of 8 slots a dozen tokens make several reading chunks. */
static drt_status ask(void) {
    static const char question[] = "Who lit the lamp?";
    drt_ask_params params = drt_ask_params_default();
    params.retriever = DRT_RETRIEVER_BOTH;
    params.document_glob = "*.txt";
    params.temperature = 50; /* an end is unlikely */
    params.max_tokens = 20;
    drt_answer *answer;
    drt_status status = drt_session_ask(t.context, t.session, question, sizeof question - 1, &params, &answer);
    /* A warning: the session was not stored. */
    assert_true((status == DRT_OK || status == DRT_WARN) == (answer != NULL));
    if (status == DRT_OK)
        assert_true(answer->n_steps > 2 && answer->session > 0);
    drt_answer_free(answer);
    t.session->storing_failed = false; /* say it each time */
    return status;
}

typedef struct {
    size_t taken, done, ok;
} counts;

static drt_batch_next next(void *user, bool wait, drt_batch_question *question) {
    static const char *const questions[] = {"Who lit the lamp?", "\xFF", "When?", "Where?"};
    counts *n = user;
    (void)wait;
    if (n->taken == sizeof questions / sizeof *questions)
        return DRT_BATCH_END;
    *question = (drt_batch_question){.text = questions[n->taken], .length = strlen(questions[n->taken])};
    n->taken++;
    return DRT_BATCH_QUESTION;
}

static bool done(void *user, const drt_batch_result *result) {
    counts *n = user;
    n->done++;
    n->ok += result->status == DRT_OK;
    assert_true((result->status >= DRT_WARN) == (result->answer != NULL));
    assert_true(result->status == DRT_OK || drt_error(t.context)[0]);
    drt_answer_free(result->answer);
    return true;
}

/* More questions than lanes, which are made anew each time. */
static drt_status ask_several(void) {
    counts n = {0};
    drt_batch_params params = drt_batch_params_default();
    params.ask.temperature = 50;
    params.ask.max_tokens = 4;
    params.ask.store = false;
    params.lanes = 2;
    params.next = next;
    params.done = done;
    params.user = &n;
    drt_session *session = NULL;
    long allowed = scarce_memory_allow(-1);
    scratch_check(t.context, drt_session_open(t.context, t.library, t.model, &session));
    scarce_memory_allow(allowed);
    drt_status status = drt_session_ask_batch(t.context, session, &params);
    scarce_memory_allow(-1);
    assert_true(status == DRT_OK || status == DRT_FATAL);
    /* Only a question for which there was no memory at all is not heard of again. */
    assert_in_range(n.done, n.taken > 0 ? n.taken - 1 : 0, n.taken);
    assert_true(status != DRT_OK || n.done == 4);
    drt_session_close(session);
    return status == DRT_OK && n.ok < 3 ? DRT_WARN : status;
}

static drt_status search(void) {
    drt_search_params params = drt_search_params_default();
    params.retriever = DRT_RETRIEVER_RANDOM;
    params.top = 3;
    drt_search_result *result;
    drt_status status = drt_session_search(t.context, t.session, "lamp", 4, &params, &result);
    assert_true((status == DRT_OK) == (result != NULL));
    drt_search_result_free(result);
    return status;
}

/* Into a library of its own, which is opened with all the memory there is. */
static drt_status ingest(void) {
    static int64_t documents;
    long allowed = scarce_memory_allow(-1);
    char path[128];
    drt_library_params params = drt_library_params_default();
    params.mode = DRT_LIBRARY_CREATE;
    params.model = t.model;
    drt_library *library;
    drt_library_facts facts;
    snprintf(path, sizeof path, "%s/other.drt", t.scratch.folder);
    scratch_check(t.context, drt_library_open(t.context, path, &params, &library));
    drt_ingest_params ingest = {.paths = (const char *[]){t.documents}, .n_paths = 1, .threads = 3, .sync = true};
    drt_ingest_report report;
    scarce_memory_allow(allowed);
    drt_status status = drt_ingest(t.context, library, t.model, &ingest, &report);
    scarce_memory_allow(-1);
    /* Nothing is lost or half there. */
    scratch_check(t.context, drt_library_inspect(t.context, library, &facts));
    assert_true(facts.documents >= documents && facts.documents <= 2);
    documents = facts.documents;
    assert_true(status != DRT_OK || facts.documents == 2);
    drt_verify_report verify;
    scratch_check(t.context, drt_library_verify(t.context, library, false, &verify));
    drt_library_close(library);
    return status;
}

static void ignore_preview(void *user, const drt_preview *preview) {
    (void)user;
    (void)preview;
}

static drt_status preview(void) {
    drt_ingest_params params = {.paths = (const char *[]){t.documents}, .n_paths = 1, .sync = true};
    drt_preview_report report;
    drt_status status = drt_ingest_preview(t.context, NULL, &params, ignore_preview, &report);
    scarce_memory_allow(-1);
    assert_true(status != DRT_OK || report.members[DRT_WOULD_ADD] == 2);
    return status;
}

static void opening_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(t.context, open_session), 10, 500);
}

static void asking_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(t.context, ask), 50, 3000);
}

static void asking_several_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(t.context, ask_several), 100, 5000);
}

static void searching_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(t.context, search), 10, 500);
}

static void ingesting_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(t.context, ingest), 50, 2000);
}

static void previewing_survives(void **state) {
    (void)state;
    assert_in_range(scarce_memory_until_it_succeeds(t.context, preview), 10, 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_survives),        cmocka_unit_test(asking_survives),
        cmocka_unit_test(asking_several_survives), cmocka_unit_test(searching_survives),
        cmocka_unit_test(ingesting_survives),      cmocka_unit_test(previewing_survives),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
