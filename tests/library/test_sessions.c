/* test_sessions.c: answers with their traces, stored and loaded again, exactly; damaged ones refused. */
#include "fixture.h"

#include <float.h>
#include <math.h>

#include "engine/base/buffer.h"
#include "engine/library/compress.h"
#include "engine/library/stored_trace.h"

#define N_TOKENS 5
#define N_GROUPS 2
#define TOP_K 3
#define N_STEPS 2

static void set_string(drt_string *string, const char *text) {
    assert_true(drt_string_set(string, text, text ? strlen(text) : 0));
}

static void *room(size_t count, size_t size) {
    void *memory = calloc(count, size);
    assert_non_null(memory);
    return memory;
}

static drt_hit make_hit(int seed) {
    drt_hit hit = {.chunk = 1000000007LL * seed,
                   .rank = seed + 1,
                   .score = -FLT_MIN / (float)(seed + 1),
                   .weight = 1.0f / (float)(seed + 3),
                   .document_id = seed * 5,
                   .start = seed * 10,
                   .end = seed * 10 + 4};
    set_string(&hit.document, "archive.zip/inner/\xE6\x9D\xB1.txt");
    set_string(&hit.title, seed % 2 ? "A \"title\"" : NULL);
    assert_true(drt_string_set(&hit.text, "a\0\nb", 4));
    hit.slots = seed % 3 ? room(CHUNK_SIZE, sizeof *hit.slots) : NULL;
    for (int i = 0; hit.slots && i < CHUNK_SIZE; i++)
        hit.slots[i] = (drt_range){hit.start + i % 4, hit.start + i % 4 + i % 2};
    return hit;
}

/* Every field holds something that a sloppy copy would lose. */
static drt_answer *make_answer(void) {
    drt_answer *a = room(1, sizeof *a);
    set_string(&a->question, "Who built the lighthouse?");
    assert_true(drt_string_set(&a->answer, "Ada\0Marsh", 9));
    set_string(&a->device, "cpu");
    set_string(&a->model, "model-1");
    strcpy(a->retriever, "learned");
    a->n_tokens = N_TOKENS;
    a->tokens = room(N_TOKENS, sizeof *a->tokens);
    a->token_ends = room(N_TOKENS, sizeof *a->token_ends);
    a->token_steps = room(N_TOKENS, sizeof *a->token_steps);
    for (int i = 0; i < N_TOKENS; i++) {
        a->tokens[i] = 100 * i - 3;
        a->token_ends[i] = 2 * i + 1;
        a->token_steps[i] = i / 3;
    }
    a->finish = DRT_FINISH_LENGTH;
    a->question_cut = true;
    a->first_token_ms = 0.1;
    a->total_ms = 1e300;
    a->n_groups = N_GROUPS;
    a->top_k = TOP_K;
    a->chunk_size = CHUNK_SIZE;
    a->n_steps = N_STEPS;
    a->n_events = N_STEPS * N_GROUPS;
    a->events = room(a->n_events, sizeof *a->events);
    for (size_t e = 0; e < a->n_events; e++) {
        drt_event *event = &a->events[e];
        event->step = (int)(e / N_GROUPS);
        event->group = (int)(e % N_GROUPS);
        event->null_mass = 0.25f * (float)e;
        event->histogram_low = -INFINITY;
        event->histogram_high = 1e-30f;
        for (int b = 0; b < DRT_HISTOGRAM_BINS; b++)
            event->histogram[b] = (uint32_t)(e * 1000003u + (unsigned)b);
        event->n_hits = e == 3 ? 0 : TOP_K;
        event->hits = event->n_hits ? room(event->n_hits, sizeof *event->hits) : NULL;
        for (size_t h = 0; h < event->n_hits; h++)
            event->hits[h] = make_hit((int)(e * TOP_K + h));
    }
    a->bm25 = room(N_STEPS, sizeof *a->bm25);
    for (int s = 0; s < N_STEPS; s++) {
        a->bm25[s] = room(TOP_K, sizeof **a->bm25);
        for (int k = 0; k < TOP_K; k++)
            a->bm25[s][k] = k == 2 ? -1 : ((int64_t)1 << 40) + s * 10 + k;
    }
    size_t n = N_TOKENS * N_GROUPS * TOP_K * CHUNK_SIZE;
    a->attention = room(n, 1);
    for (size_t i = 0; i < n; i++)
        a->attention[i] = (uint8_t)(i * 7);
    return a;
}

static void expect_same_string(const drt_string *a, const drt_string *b) {
    assert_int_equal(a->length, b->length);
    assert_int_equal(a->data == NULL, b->data == NULL);
    if (a->data)
        assert_memory_equal(a->data, b->data, a->length);
}

static void expect_hit(const drt_hit *a, const drt_hit *b) {
    assert_int_equal(a->chunk, b->chunk);
    assert_int_equal(a->rank, b->rank);
    assert_memory_equal(&a->score, &b->score, sizeof a->score);
    assert_memory_equal(&a->weight, &b->weight, sizeof a->weight);
    assert_int_equal(a->document_id, b->document_id);
    assert_int_equal(a->start, b->start);
    assert_int_equal(a->end, b->end);
    expect_same_string(&a->document, &b->document);
    expect_same_string(&a->title, &b->title);
    expect_same_string(&a->text, &b->text);
    assert_int_equal(a->slots == NULL, b->slots == NULL);
    if (a->slots)
        assert_memory_equal(a->slots, b->slots, CHUNK_SIZE * sizeof *a->slots);
}

static void expect_event(const drt_event *a, const drt_event *b) {
    assert_int_equal(a->step, b->step);
    assert_int_equal(a->group, b->group);
    assert_memory_equal(&a->null_mass, &b->null_mass, sizeof a->null_mass);
    assert_memory_equal(&a->histogram_low, &b->histogram_low, sizeof a->histogram_low);
    assert_memory_equal(&a->histogram_high, &b->histogram_high, sizeof a->histogram_high);
    assert_memory_equal(a->histogram, b->histogram, sizeof a->histogram);
    assert_int_equal(a->n_hits, b->n_hits);
    for (size_t i = 0; i < a->n_hits; i++)
        expect_hit(&a->hits[i], &b->hits[i]);
}

static void expect_answer(const drt_answer *a, const drt_answer *b) {
    expect_same_string(&a->question, &b->question);
    expect_same_string(&a->answer, &b->answer);
    expect_same_string(&a->device, &b->device);
    expect_same_string(&a->model, &b->model);
    assert_string_equal(a->retriever, b->retriever);
    assert_int_equal(a->finish, b->finish);
    assert_int_equal(a->question_cut, b->question_cut);
    assert_memory_equal(&a->first_token_ms, &b->first_token_ms, sizeof a->first_token_ms);
    assert_memory_equal(&a->total_ms, &b->total_ms, sizeof a->total_ms);
    assert_int_equal(a->session, b->session);
    assert_int_equal(a->n_tokens, b->n_tokens);
    if (a->n_tokens) {
        assert_memory_equal(a->tokens, b->tokens, a->n_tokens * sizeof *a->tokens);
        assert_memory_equal(a->token_ends, b->token_ends, a->n_tokens * sizeof *a->token_ends);
        assert_memory_equal(a->token_steps, b->token_steps, a->n_tokens * sizeof *a->token_steps);
    }
    assert_int_equal(a->n_groups, b->n_groups);
    assert_int_equal(a->top_k, b->top_k);
    assert_int_equal(a->chunk_size, b->chunk_size);
    assert_int_equal(a->n_events, b->n_events);
    for (size_t i = 0; i < a->n_events; i++)
        expect_event(&a->events[i], &b->events[i]);
    assert_int_equal(a->n_steps, b->n_steps);
    for (size_t i = 0; i < a->n_steps; i++)
        assert_memory_equal(a->bm25[i], b->bm25[i], (size_t)a->top_k * sizeof **a->bm25);
    assert_int_equal(a->attention == NULL, b->attention == NULL);
    if (a->attention && a->n_tokens)
        assert_memory_equal(a->attention, b->attention,
                            a->n_tokens * (size_t)a->n_groups * (size_t)a->top_k * (size_t)a->chunk_size);
}

static void an_answer_replays_exactly(void **state) {
    fixture *with = *state;
    drt_library_close(open_library(with, DRT_LIBRARY_CREATE));
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    drt_answer *answer = make_answer(), *loaded;
    assert_int_equal(drt_store_session(with->context, library, answer), DRT_OK);
    assert_int_equal(answer->session, 1);
    drt_library_close(library);
    library = open_library(with, DRT_LIBRARY_READ);
    assert_int_equal(drt_library_session_load(with->context, library, 1, &loaded), DRT_OK);
    expect_answer(answer, loaded);
    drt_answer_free(loaded);
    drt_library_facts facts;
    assert_int_equal(drt_library_inspect(with->context, library, &facts), DRT_OK);
    assert_int_equal(facts.sessions, 1);
    drt_answer_free(answer);
    drt_library_close(library);
}

static void the_smallest_answer_replays_too(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    drt_answer empty = {.finish = DRT_FINISH_CANCELLED}, *loaded;
    set_string(&empty.question, "");
    set_string(&empty.answer, "");
    assert_int_equal(drt_store_session(with->context, library, &empty), DRT_OK);
    assert_int_equal(drt_library_session_load(with->context, library, 1, &loaded), DRT_OK);
    expect_answer(&empty, loaded);
    drt_answer_free(loaded);
    drt_string_free(&empty.question);
    drt_string_free(&empty.answer);
    drt_library_close(library);
}

typedef struct {
    int64_t ids[256];
    int n, stop_after;
} listed;

static bool list(void *user, const drt_session_summary *summary) {
    listed *to = user;
    assert_string_equal(summary->question.data, "Who built the lighthouse?");
    assert_int_equal(summary->answer.length, 9);
    assert_int_equal(summary->n_events, N_STEPS * N_GROUPS);
    assert_true(summary->time > 1600000000);
    to->ids[to->n++] = summary->id;
    return to->n != to->stop_after;
}

static void sessions_are_listed_newest_first_and_deleted(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    drt_answer *answer = make_answer(), *loaded;
    for (int i = 0; i < 70; i++)
        assert_int_equal(drt_store_session(with->context, library, answer), DRT_OK);
    listed all = {.stop_after = -1}, two = {.stop_after = 2};
    assert_int_equal(drt_library_sessions(with->context, library, list, &all), DRT_OK);
    assert_int_equal(all.n, 70);
    for (int i = 0; i < 70; i++)
        assert_int_equal(all.ids[i], 70 - i);
    assert_int_equal(drt_library_sessions(with->context, library, list, &two), DRT_OK);
    assert_int_equal(two.n, 2);

    assert_int_equal(drt_library_session_delete(with->context, library, 70), DRT_OK);
    assert_int_equal(drt_library_session_delete(with->context, library, 70), DRT_FAILED);
    assert_string_equal(drt_error(with->context), "the library has no session 70");
    assert_int_equal(drt_library_session_load(with->context, library, 70, &loaded), DRT_FAILED);
    assert_null(loaded);
    /* Ids are not given out again. */
    assert_int_equal(drt_store_session(with->context, library, answer), DRT_OK);
    assert_int_equal(answer->session, 71);
    drt_answer_free(answer);
    drt_library_close(library);
}

static void a_trace_outlives_its_document(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_document(with, library, "a.zip/1", "words that are soon gone");
    commit(with, library);
    drt_answer *answer = make_answer(), *loaded;
    assert_int_equal(drt_store_session(with->context, library, answer), DRT_OK);
    drt_document document;
    drt_verify_report report;
    assert_int_equal(drt_library_document(with->context, library, "doc:1", 5, &document), DRT_OK);
    assert_int_equal(drt_library_remove(with->context, library, &document, NULL, 0), DRT_OK);
    drt_document_clear(&document);
    assert_int_equal(drt_library_verify(with->context, library, true, &report), DRT_OK);
    assert_int_equal(drt_library_session_load(with->context, library, 1, &loaded), DRT_OK);
    expect_answer(answer, loaded);
    drt_answer_free(loaded);
    drt_answer_free(answer);
    drt_library_close(library);
}

/* --------------------------------------------------------------------------------- damage ---- */

static drt_status read_bytes(drt_context *context, const char *data, size_t length) {
    drt_buffer frame = {0};
    assert_int_equal(drt_compress(context, data, length, &frame), DRT_OK);
    drt_answer *answer = room(1, sizeof *answer);
    set_string(&answer->answer, "123456789");
    drt_status status = drt_stored_trace_read(context, frame.data, frame.length, answer);
    drt_answer_free(answer);
    drt_buffer_free(&frame);
    return status;
}

static void damaged_traces_are_refused(void **state) {
    fixture *with = *state;
    drt_context *context = with->context;
    drt_answer *answer = make_answer();
    drt_buffer frame = {0}, bytes = {0};
    assert_int_equal(drt_stored_trace_write(context, answer, &frame), DRT_OK);
    assert_int_equal(drt_decompress(context, frame.data, frame.length, 1 << 20, &bytes), DRT_OK);
    assert_int_equal(read_bytes(context, bytes.data, bytes.length), DRT_OK);
    /* Cut anywhere, or longer than it should be. */
    for (size_t length = 0; length < bytes.length; length++)
        assert_int_equal(read_bytes(context, bytes.data, length), DRT_FAILED);
    assert_true(drt_buffer_append_byte(&bytes, 0));
    assert_int_equal(read_bytes(context, bytes.data, bytes.length), DRT_FAILED);
    bytes.length--;
    /* Any byte at its largest: refused or another answer, but never a crash (lengths of 4 billion). */
    for (size_t at = 0; at < bytes.length; at++) {
        char kept = bytes.data[at];
        bytes.data[at] = (char)0xFF;
        read_bytes(context, bytes.data, bytes.length);
        bytes.data[at] = kept;
    }
    bytes.data[0] = 3; /* a later version */
    assert_int_equal(read_bytes(context, bytes.data, bytes.length), DRT_FAILED);
    assert_non_null(strstr(drt_error(context), "another version"));
    /* The frame itself. */
    drt_answer *none = room(1, sizeof *none);
    assert_int_equal(drt_stored_trace_read(context, "junk", 4, none), DRT_FAILED);
    assert_int_equal(drt_stored_trace_read(context, frame.data, frame.length - 1, none), DRT_FAILED);
    assert_int_equal(drt_stored_trace_read(context, NULL, 0, none), DRT_FAILED);
    drt_answer_free(none);
    drt_buffer_free(&frame);
    drt_buffer_free(&bytes);
    drt_answer_free(answer);
}

static void frames_are_bounded_and_checked(void **state) {
    fixture *with = *state;
    drt_buffer frame = {0}, data = {0}, zeros = {0};
    assert_true(drt_buffer_reserve(&zeros, 1 << 20));
    memset(zeros.data, 0, 1 << 20);
    assert_int_equal(drt_compress(with->context, zeros.data, 1 << 20, &frame), DRT_OK);
    assert_true(frame.length < 200);
    assert_int_equal(drt_decompress(with->context, frame.data, frame.length, 1 << 20, &data), DRT_OK);
    assert_int_equal(data.length, 1 << 20);
    data.length = 0;
    assert_int_equal(drt_decompress(with->context, frame.data, frame.length, (1 << 20) - 1, &data), DRT_FAILED);
    assert_non_null(strstr(drt_error(with->context), "more than it may"));
    data.length = 0;
    assert_int_equal(drt_decompress(with->context, frame.data, frame.length - 1, 1 << 20, &data), DRT_FAILED);
    frame.data[frame.length - 1] ^= 1; /* the checksum */
    data.length = 0;
    assert_int_equal(drt_decompress(with->context, frame.data, frame.length, 1 << 20, &data), DRT_FAILED);
    frame.data[frame.length - 1] ^= 1;
    assert_true(drt_buffer_append_byte(&frame, 0));
    data.length = 0;
    assert_int_equal(drt_decompress(with->context, frame.data, frame.length, 1 << 20, &data), DRT_FAILED);
    assert_non_null(strstr(drt_error(with->context), "bytes follow"));
    drt_buffer_free(&frame);
    drt_buffer_free(&data);
    drt_buffer_free(&zeros);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_answer_replays_exactly),
        TEST(the_smallest_answer_replays_too),
        TEST(sessions_are_listed_newest_first_and_deleted),
        TEST(a_trace_outlives_its_document),
        TEST(damaged_traces_are_refused),
        TEST(frames_are_bounded_and_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
