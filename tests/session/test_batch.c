/* Several questions at a time against one by one: the same answers and traces, in the order of the questions, whatever
 * becomes of their neighbours. With the bundled model over the golden documents. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "engine/session/session.h"
#include "tests/base/scratch.h"
#include "tests/network/small_model.h"

#define GOLDEN DRT_TEST_DATA "/golden/trained"
#define MOST 64

/* The golden ones, whose answers have 1 to 9 tokens. */
static const char *const questions[] = {
    "Who was the first keeper of the lighthouse?",
    "In what year was the lighthouse at Corran Point finished?",
    "What did the captain give the keeper?",
    "How many men were saved by the boat from Dunmallet?",
    "Who was the first paid librarian of Wexley?",
    "What did the librarian study?",
    "When was the winter flood that ruined the books?",
    "Who gave the collection of maps?",
    "How many planks are rotten?",
    "What is the cost of the work?",
    "How far has the south anchor moved?",
    "Where is the next crossing?",
};

#define QUESTIONS (sizeof questions / sizeof *questions)

static struct {
    scratch scratch;
    drt_context *context;
    drt_device *device;
    drt_model *model;
    drt_library *library;
    drt_session *session;
    drt_answer *alone[QUESTIONS]; /* asked one by one */
} t;

static bool cancel_now;

static bool is_cancelled(void *user) {
    (void)user;
    return cancel_now;
}

/* ------------------------------------------------------------------------- batches -------- */

/* A source of questions and what came of them. */
typedef struct {
    const drt_batch_question *questions;
    size_t n;
    bool one_at_a_time;  /* the next question is there only once the last answer is */
    size_t stop_after;   /* results; 0: never */
    size_t cancel_after; /* results; 0: never */
    void (*meanwhile)(size_t n_done);
    bool no_events; /* nobody listens to them */

    size_t taken, begun, done, taken_at_first;
    drt_status status[MOST];
    drt_answer *answers[MOST];
    char sentences[MOST][80];
    drt_buffer streamed; /* of the question whose turn it is */
    size_t told_events;
} batch;

static drt_batch_next next(void *user, bool wait, drt_batch_question *question) {
    batch *b = user;
    assert_true(!wait || b->taken == b->done);
    if (b->taken == b->n || cancel_now)
        return DRT_BATCH_END;
    if (b->one_at_a_time && !wait)
        return DRT_BATCH_NOT_YET;
    *question = b->questions[b->taken++];
    return DRT_BATCH_QUESTION;
}

static void begin(void *user, const char *question, size_t length) {
    batch *b = user;
    assert_int_equal(b->begun, b->done);
    assert_true(length == b->questions[b->begun].length && memcmp(question, b->questions[b->begun].text, length) == 0);
    b->begun++;
    b->streamed.length = b->told_events = 0;
}

static bool done(void *user, const drt_batch_result *result) {
    batch *b = user;
    assert_int_equal(b->begun, b->done + 1);
    const drt_batch_question *question = &b->questions[b->done];
    assert_true(result->length == question->length && memcmp(result->question, question->text, result->length) == 0);
    assert_true((result->status >= DRT_WARN) == (result->answer != NULL));
    if (b->done == 0)
        b->taken_at_first = b->taken;
    b->status[b->done] = result->status;
    b->answers[b->done] = result->answer;
    if (result->status != DRT_OK)
        snprintf(b->sentences[b->done], sizeof b->sentences[0], "%s", drt_error(t.context));
    if (result->answer && b->streamed.length > 0) {
        assert_true(drt_string_equal(&result->answer->answer, b->streamed.data, b->streamed.length));
        assert_int_equal(b->told_events, b->no_events ? 0 : result->answer->n_events);
    }
    b->done++;
    if (b->meanwhile)
        b->meanwhile(b->done);
    cancel_now = cancel_now || b->done == b->cancel_after;
    return b->done != b->stop_after;
}

static void on_token(void *user, const char *text, size_t length) {
    batch *b = user;
    assert_int_equal(b->begun, b->done + 1);
    assert_true(drt_buffer_append(&b->streamed, text, length));
}

static void on_event(void *user, const drt_event *event) {
    batch *b = user;
    assert_int_equal(event->step * 2 + event->group, b->told_events);
    assert_true(event->n_hits == 0 || event->hits[0].text.data);
    b->told_events++;
}

static drt_batch_params params_of(batch *b, int lanes) {
    drt_batch_params params = drt_batch_params_default();
    params.ask.store = false;
    params.ask.token = on_token;
    params.ask.event = b->no_events ? NULL : on_event;
    params.ask.user = b;
    params.lanes = lanes;
    params.next = next;
    params.begin = begin;
    params.done = done;
    params.user = b;
    return params;
}

static void run(drt_session *session, const drt_batch_params *params) {
    scratch_check(t.context, drt_session_ask_batch(t.context, session, params));
}

static void clear(batch *b) {
    for (size_t i = 0; i < b->done; i++)
        drt_answer_free(b->answers[i]);
    drt_buffer_free(&b->streamed);
}

static drt_batch_question asked(const char *text) {
    return (drt_batch_question){.text = text, .length = strlen(text)};
}

/* The golden questions again and again. */
static void fill(drt_batch_question *list, size_t n) {
    for (size_t i = 0; i < n; i++)
        list[i] = asked(questions[i % QUESTIONS]);
}

/* ------------------------------------------------------------------------- set up --------- */

static drt_answer *ask(drt_session *session, const char *text, const drt_ask_params *params) {
    drt_answer *answer = NULL;
    assert_true(drt_session_ask(t.context, session, text, strlen(text), params, &answer) >= DRT_WARN);
    return answer;
}

static int set_up(void **state) {
    (void)state;
    drt_context_params params = drt_context_params_default();
    params.cancelled = is_cancelled;
    t.context = drt_context_new(&params);
    assert_non_null(t.context);
    scratch_open(&t.scratch);
    scratch_model(t.context, NULL, 0, &t.device, &t.model);
    drt_ingest_report report;
    scratch_ingest(t.context, t.model, scratch_path(&t.scratch, "golden.drt"), DRT_MEMORY_INT8,
                   (const char *[]){GOLDEN "/documents"}, 1, &report);
    t.library = scratch_library(t.context, t.model, scratch_path(&t.scratch, "golden.drt"));
    scratch_check(t.context, drt_session_open(t.context, t.library, t.model, &t.session));
    drt_ask_params ask_params = drt_ask_params_default();
    ask_params.store = false;
    for (size_t i = 0; i < QUESTIONS; i++)
        t.alone[i] = ask(t.session, questions[i], &ask_params);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (size_t i = 0; i < QUESTIONS; i++)
        drt_answer_free(t.alone[i]);
    drt_session_close(t.session);
    drt_library_close(t.library);
    drt_model_free(t.model);
    drt_device_close(t.device);
    drt_context_free(t.context);
    scratch_close(&t.scratch);
    return 0;
}

/* ------------------------------------------------------------------------- the same ------- */

/* Products of other sizes sum in another order: numbers may differ a little, what is written may not. */
static void check_event(const drt_event *a, const drt_event *b) {
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->group, b->group);
    assert_int_equal(a->n_hits, b->n_hits);
    assert_true(fabsf(a->null_mass - b->null_mass) < 1e-3f);
    for (size_t i = 0; i < a->n_hits; i++) {
        assert_int_equal(a->hits[i].chunk, b->hits[i].chunk);
        assert_true(fabsf(a->hits[i].score - b->hits[i].score) < 1e-3f);
        assert_true(fabsf(a->hits[i].weight - b->hits[i].weight) < 1e-3f);
        assert_string_equal(a->hits[i].text.data, b->hits[i].text.data);
    }
    uint32_t sums[2] = {0};
    for (int i = 0; i < DRT_HISTOGRAM_BINS; i++) {
        sums[0] += a->histogram[i];
        sums[1] += b->histogram[i];
    }
    assert_int_equal(sums[0], sums[1]);
}

static void check_same(const drt_answer *a, const drt_answer *b) {
    assert_string_equal(a->question.data, b->question.data);
    assert_int_equal(a->finish, b->finish);
    assert_int_equal(a->n_tokens, b->n_tokens);
    assert_memory_equal(a->tokens, b->tokens, a->n_tokens * sizeof *a->tokens);
    assert_memory_equal(a->token_ends, b->token_ends, a->n_tokens * sizeof *a->token_ends);
    assert_memory_equal(a->token_steps, b->token_steps, a->n_tokens * sizeof *a->token_steps);
    assert_string_equal(a->answer.data, b->answer.data);
    for (size_t i = 0; i < a->n_tokens * (size_t)(a->n_groups * a->top_k * a->chunk_size); i++)
        assert_in_range(a->attention[i] + 1, b->attention[i], b->attention[i] + 2);
    assert_int_equal(a->n_events, b->n_events);
    for (size_t e = 0; e < a->n_events; e++)
        check_event(&a->events[e], &b->events[e]);
    assert_int_equal(a->n_steps, b->n_steps);
    for (size_t i = 0; i < a->n_steps; i++)
        assert_memory_equal(a->bm25[i], b->bm25[i], (size_t)a->top_k * sizeof **a->bm25);
    assert_true(a->first_token_ms > 0 && a->first_token_ms <= a->total_ms);
    assert_string_equal(a->retriever, b->retriever);
}

/* Each answer of the batch is what its question gets alone. */
static void check_alone(drt_session *session, const batch *b, drt_ask_params params) {
    params.token = NULL;
    params.event = NULL;
    for (size_t i = 0; i < b->done; i++) {
        drt_answer *alone = ask(session, b->questions[i].text, &params);
        check_same(b->answers[i], alone);
        drt_answer_free(alone);
    }
}

static void batches_equal_one_by_one(void **state) {
    (void)state;
    static const int lanes[] = {3, 0};
    drt_batch_question list[14];
    fill(list, 14);
    for (size_t l = 0; l < sizeof lanes / sizeof *lanes; l++) {
        batch b = {.questions = list, .n = 14};
        drt_batch_params params = params_of(&b, lanes[l]);
        run(t.session, &params);
        assert_int_equal(b.done, 14);
        for (size_t i = 0; i < 14; i++)
            check_same(b.answers[i], t.alone[i % QUESTIONS]);
        clear(&b);
    }
}

/* Tokens and chunks drawn with a seed. */
static void seeds_give_each_what_it_gets_alone(void **state) {
    (void)state;
    static const drt_retriever retrievers[] = {DRT_RETRIEVER_RANDOM, DRT_RETRIEVER_BOTH};
    for (size_t r = 0; r < 2; r++) {
        drt_batch_question list[6];
        fill(list, 6);
        batch b = {.questions = list, .n = 6};
        drt_batch_params params = params_of(&b, 4);
        params.ask.retriever = retrievers[r];
        params.ask.temperature = 1.2f;
        params.ask.top_p = 0.9f;
        params.ask.seed = 11 + r;
        params.ask.max_tokens = 12;
        run(t.session, &params);
        check_alone(t.session, &b, params.ask);
        clear(&b);
    }
}

/* A model of random weights whose chunks have 8 slots: its answers do not end and retrieve anew again and again. */
static void long_answers_retrieve_each_on_their_own(void **state) {
    (void)state;
    small_model small;
    drt_model *model;
    drt_session *session;
    drt_ingest_report report;
    char path[128];
    snprintf(path, sizeof path, "%s/model", t.scratch.folder);
    assert_int_equal(mkdir(path, 0700), 0);
    small_model_make(t.context, DRT_TENSOR_F32, &small);
    small_model_write(&small, path, 8);
    small_model_clear(&small);
    scratch_check(t.context, drt_model_load(t.context, t.device, path, &model));
    scratch_ingest(t.context, model, scratch_path(&t.scratch, "small.drt"), DRT_MEMORY_INT8,
                   (const char *[]){GOLDEN "/documents"}, 1, &report);
    drt_library *library = scratch_library(t.context, model, scratch_path(&t.scratch, "small.drt"));
    scratch_check(t.context, drt_session_open(t.context, library, model, &session));
    for (int greedy = 0; greedy < 2; greedy++) {
        drt_batch_question list[9];
        fill(list, 9);
        batch b = {.questions = list, .n = 9};
        drt_batch_params params = params_of(&b, 4);
        params.ask.temperature = greedy ? 0 : 50;
        params.ask.seed = 7;
        params.ask.max_tokens = 40;
        run(session, &params);
        for (size_t i = 0; i < b.done; i++)
            assert_int_equal(b.answers[i]->n_steps, 1 + (40 - 5) / 7);
        check_alone(session, &b, params.ask);
        clear(&b);
    }
    drt_session_close(session);
    drt_library_close(library);
    drt_model_free(model);
}

/* ------------------------------------------------------------------------- order ---------- */

static void bad_questions_fail_in_their_place(void **state) {
    (void)state;
    drt_batch_question list[11];
    fill(list, 11);
    list[0] = (drt_batch_question){.text = "Caf\xE9", .length = 4};
    list[3] = (drt_batch_question){.text = " \n", .length = 2};
    list[4] = (drt_batch_question){.text = "cut", .length = 3, .problem = "the line is too long"};
    list[10] = (drt_batch_question){.text = "\0\0", .length = 2};
    batch b = {.questions = list, .n = 11};
    drt_batch_params params = params_of(&b, 4);
    run(t.session, &params);
    assert_int_equal(b.done, 11);
    for (size_t i = 0; i < 11; i++) {
        if (i == 0 || i == 3 || i == 4 || i == 10)
            assert_int_equal(b.status[i], DRT_FAILED);
        else
            check_same(b.answers[i], t.alone[i]);
    }
    assert_non_null(strstr(b.sentences[0], "UTF-8"));
    assert_string_equal(b.sentences[3], "the question is empty");
    assert_string_equal(b.sentences[4], "the line is too long");
    clear(&b);
}

static void nothing_is_asked_with_bad_parameters(void **state) {
    (void)state;
    drt_batch_question list[1];
    fill(list, 1);
    batch b = {.questions = list, .n = 1};
    drt_batch_params params = params_of(&b, 0);
    params.ask.max_tokens = 0;
    assert_int_equal(drt_session_ask_batch(t.context, t.session, &params), DRT_FAILED);
    assert_int_equal(b.taken, 0);
    b.n = 0; /* no question at all */
    params.ask.max_tokens = 1;
    run(t.session, &params);
    assert_int_equal(b.done, 0);
}

/* Lanes do not wait for the longest answer. */
static void free_lanes_take_the_next_question(void **state) {
    (void)state;
    drt_batch_question list[16];
    fill(list, 16);
    list[0] = asked(questions[2]); /* nine tokens, the next have two or one */
    for (size_t i = 1; i < 16; i++)
        list[i] = asked(questions[i % 2 ? 7 : 8]);
    batch b = {.questions = list, .n = 16};
    drt_batch_params params = params_of(&b, 2);
    run(t.session, &params);
    assert_int_equal(b.done, 16);
    assert_in_range(b.taken_at_first, 5, 10);
    check_same(b.answers[0], t.alone[2]);
    for (size_t i = 1; i < 16; i++)
        check_same(b.answers[i], t.alone[i % 2 ? 7 : 8]);
    clear(&b);
}

static void an_answer_does_not_wait_for_the_next_question(void **state) {
    (void)state;
    drt_batch_question list[5];
    fill(list, 5);
    batch b = {.questions = list, .n = 5, .one_at_a_time = true};
    drt_batch_params params = params_of(&b, 4);
    run(t.session, &params);
    assert_int_equal(b.done, 5);
    for (size_t i = 0; i < 5; i++)
        check_same(b.answers[i], t.alone[i]);
    clear(&b);
}

/* What waits behind a long answer is bounded. */
static void questions_wait_when_much_is_held(void **state) {
    (void)state;
    size_t size = (size_t)5 << 20;
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'x', size);
    drt_batch_question list[40];
    list[0] = asked(questions[2]);
    for (size_t i = 1; i < 40; i++)
        list[i] = (drt_batch_question){text, size, "too long"};
    batch b = {.questions = list, .n = 40};
    drt_batch_params params = params_of(&b, 2);
    run(t.session, &params);
    assert_int_equal(b.done, 40);
    assert_in_range(b.taken_at_first, 2, 15);
    check_same(b.answers[0], t.alone[2]);
    clear(&b);
    free(text);
}

/* ------------------------------------------------------------------------- ends ----------- */

static void cancelling_keeps_what_there_is(void **state) {
    (void)state;
    drt_batch_question list[30];
    fill(list, 30);
    batch b = {.questions = list, .n = 30, .cancel_after = 4};
    drt_batch_params params = params_of(&b, 5);
    run(t.session, &params);
    cancel_now = false;
    assert_in_range(b.done, 5, 12);
    assert_int_equal(b.done, b.taken); /* every question that was taken has its answer */
    size_t cancelled = 0;
    for (size_t i = 0; i < b.done; i++) {
        const drt_answer *alone = t.alone[i % QUESTIONS], *answer = b.answers[i];
        assert_int_equal(b.status[i], DRT_OK);
        if (answer->finish == DRT_FINISH_CANCELLED) {
            cancelled++;
            assert_true(answer->n_tokens <= alone->n_tokens);
            assert_memory_equal(answer->tokens, alone->tokens, answer->n_tokens * sizeof *answer->tokens);
            assert_true(answer->answer.length <= alone->answer.length);
        } else {
            check_same(answer, alone);
        }
    }
    assert_in_range(cancelled, 1, 5);
    clear(&b);
    b = (batch){.questions = list, .n = 3};
    params = params_of(&b, 2);
    run(t.session, &params); /* the session goes on */
    check_same(b.answers[2], t.alone[2]);
    clear(&b);
}

static void the_receiver_can_stop(void **state) {
    (void)state;
    drt_batch_question list[30];
    fill(list, 30);
    batch b = {.questions = list, .n = 30, .stop_after = 3};
    drt_batch_params params = params_of(&b, 5);
    run(t.session, &params);
    assert_int_equal(b.done, 3);
    check_same(b.answers[2], t.alone[2]);
    clear(&b);
}

/* ------------------------------------------------------------------------- libraries ------ */

static drt_session *open_copy(const char *name, drt_library **library) {
    drt_session *session;
    drt_ingest_report report;
    scratch_ingest(t.context, t.model, scratch_path(&t.scratch, name), DRT_MEMORY_INT8,
                   (const char *[]){GOLDEN "/documents"}, 1, &report);
    *library = scratch_library(t.context, t.model, scratch_path(&t.scratch, name));
    scratch_check(t.context, drt_session_open(t.context, *library, t.model, &session));
    return session;
}

static bool retrieves(const drt_answer *answer, int64_t chunk) {
    for (size_t e = 0; e < answer->n_events; e++)
        for (size_t i = 0; i < answer->events[e].n_hits; i++)
            if (answer->events[e].hits[i].chunk == chunk)
                return true;
    return false;
}

/* A chunk that some questions retrieve and others do not. */
static int64_t chunk_of_some(void) {
    for (int64_t chunk = 0; chunk < 13; chunk++) {
        size_t n = 0;
        for (size_t i = 0; i < QUESTIONS; i++)
            n += retrieves(t.alone[i], chunk);
        if (n > 1 && n + 1 < QUESTIONS)
            return chunk;
    }
    fail_msg("every chunk is retrieved by all or none");
    return -1;
}

/* A damaged catalog: one chunk's range lies behind its document. Who retrieves it fails, the others do not. */
static void one_damaged_chunk_fails_those_who_read_it(void **state) {
    (void)state;
    drt_library *library;
    drt_session *session = open_copy("damaged.drt", &library);
    int64_t chunk = chunk_of_some();
    char sql[120];
    sqlite3 *catalog;
    assert_int_equal(sqlite3_open(scratch_path(&t.scratch, "damaged.drt/catalog.sqlite"), &catalog), SQLITE_OK);
    snprintf(sql, sizeof sql, "UPDATE chunks SET start = 90000000, \"end\" = 90000001 WHERE id = %d", (int)chunk);
    if (sqlite3_exec(catalog, sql, NULL, NULL, NULL) != SQLITE_OK)
        fail_msg("%s", sqlite3_errmsg(catalog));
    sqlite3_close(catalog);
    drt_batch_question list[QUESTIONS];
    fill(list, QUESTIONS);
    batch b = {.questions = list, .n = QUESTIONS, .no_events = true};
    drt_batch_params params = params_of(&b, 4);
    run(session, &params);
    assert_int_equal(b.done, QUESTIONS);
    for (size_t i = 0; i < QUESTIONS; i++) {
        if (retrieves(t.alone[i], chunk))
            assert_non_null(strstr(b.sentences[i], "run drt verify"));
        else
            check_same(b.answers[i], t.alone[i]);
    }
    clear(&b);
    drt_session_close(session);
    drt_library_close(library);
}

static struct {
    char path[256];
    int64_t document, first, end; /* removed, with these chunks */
} removed;

static void remove_document(size_t n_done) {
    if (n_done != 1)
        return;
    drt_library_params params = drt_library_params_default();
    params.mode = DRT_LIBRARY_UPDATE;
    drt_library *library;
    drt_document document;
    scratch_check(t.context, drt_library_open(t.context, removed.path, &params, &library));
    scratch_check(t.context, drt_library_document(t.context, library, "doc:1", 5, &document));
    removed.document = document.id;
    removed.first = document.first_chunk;
    removed.end = document.first_chunk + document.chunks;
    scratch_check(t.context, drt_library_remove(t.context, library, &document, NULL, 0));
    drt_verify_report report;
    scratch_check(t.context, drt_library_verify(t.context, library, true, &report)); /* its memory is gone too */
    drt_document_clear(&document);
    drt_library_close(library);
}

/* Each question reads the library as it is when it begins; those under way read on. */
static void documents_removed_meanwhile_are_not_read(void **state) {
    (void)state;
    drt_library *library;
    drt_session *session = open_copy("removed.drt", &library);
    snprintf(removed.path, sizeof removed.path, "%s", t.scratch.path);
    drt_batch_question list[16];
    fill(list, 16);
    batch b = {.questions = list, .n = 16, .meanwhile = remove_document, .no_events = true};
    drt_batch_params params = params_of(&b, 3);
    run(session, &params);
    assert_int_equal(b.done, 16);
    check_same(b.answers[0], t.alone[0]);
    for (size_t i = 1; i < 16; i++) {
        assert_true(b.status[i] == DRT_OK || b.status[i] == DRT_FAILED);
        for (int64_t chunk = removed.first; i > 12 && chunk < removed.end; chunk++)
            assert_false(retrieves(b.answers[i], chunk));
    }
    clear(&b);
    drt_session_close(session);
    drt_library_close(library);
}

static bool count_session(void *user, const drt_session_summary *summary) {
    static const size_t n = 4;
    size_t *seen = user;
    assert_true(drt_string_equal(&summary->question, questions[n - 1 - *seen], strlen(questions[n - 1 - *seen])));
    ++*seen;
    return true;
}

/* Sessions are stored in the order of their questions, and replay. */
static void stored_sessions_are_in_order(void **state) {
    (void)state;
    drt_batch_question list[4];
    fill(list, 4);
    batch b = {.questions = list, .n = 4};
    drt_batch_params params = params_of(&b, 3);
    params.ask.store = true;
    run(t.session, &params);
    size_t seen = 0;
    scratch_check(t.context, drt_library_sessions(t.context, t.library, count_session, &seen));
    assert_int_equal(seen, 4);
    for (size_t i = 0; i < 4; i++) {
        drt_answer *loaded;
        scratch_check(t.context, drt_library_session_load(t.context, t.library, b.answers[i]->session, &loaded));
        assert_string_equal(loaded->answer.data, t.alone[i]->answer.data);
        assert_int_equal(loaded->n_events, t.alone[i]->n_events);
        drt_answer_free(loaded);
    }
    clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(batches_equal_one_by_one),
        cmocka_unit_test(seeds_give_each_what_it_gets_alone),
        cmocka_unit_test(long_answers_retrieve_each_on_their_own),
        cmocka_unit_test(bad_questions_fail_in_their_place),
        cmocka_unit_test(nothing_is_asked_with_bad_parameters),
        cmocka_unit_test(free_lanes_take_the_next_question),
        cmocka_unit_test(an_answer_does_not_wait_for_the_next_question),
        cmocka_unit_test(questions_wait_when_much_is_held),
        cmocka_unit_test(cancelling_keeps_what_there_is),
        cmocka_unit_test(the_receiver_can_stop),
        cmocka_unit_test(one_damaged_chunk_fails_those_who_read_it),
        cmocka_unit_test(documents_removed_meanwhile_are_not_read),
        cmocka_unit_test(stored_sessions_are_in_order),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
