/* Asking and searching with the bundled model over the golden documents, ingested into a scratch
 * library: answers, retrieval and traces against the reference's. */
#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cJSON.h>
#include <cmocka.h>

#include "engine/network/safetensors.h"
#include "engine/session/session.h"
#include "tests/base/scratch.h"

#define GOLDEN DRT_TEST_DATA "/golden/trained"
#define QUESTIONS 12
#define GROUPS 2
#define TOP_K 8

/* What all tests share: it takes seconds to make. */
static struct {
    scratch scratch;
    drt_context *context;
    drt_device *device;
    drt_model *model;
    drt_library *library;
    drt_session *session;
    drt_safetensors golden;
    cJSON *answers[QUESTIONS];
    struct {
        const char *name;
        void *data;
    } copies[8];
    size_t n_copies;
} t;

static bool cancel_now;

static bool is_cancelled(void *user) {
    (void)user;
    return cancel_now;
}

/* ------------------------------------------------------------------------- set up --------- */

static void read_answers(void) {
    drt_buffer lines = {0};
    assert_int_equal(drt_file_read(t.context, GOLDEN "/answers.jsonl", 1 << 20, &lines), DRT_OK);
    const char *at = lines.data;
    for (int i = 0; i < QUESTIONS; i++) {
        t.answers[i] = cJSON_ParseWithOpts(at, &at, false);
        assert_non_null(t.answers[i]);
    }
    drt_buffer_free(&lines);
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
    assert_int_equal(report.ok, 3);
    assert_int_equal(report.chunks, 13);
    t.library = scratch_library(t.context, t.model, scratch_path(&t.scratch, "golden.drt"));
    scratch_check(t.context, drt_session_open(t.context, t.library, t.model, &t.session));
    scratch_check(t.context, drt_safetensors_open(t.context, GOLDEN "/golden.safetensors", &t.golden));
    read_answers();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    for (int i = 0; i < QUESTIONS; i++)
        cJSON_Delete(t.answers[i]);
    for (size_t i = 0; i < t.n_copies; i++)
        free(t.copies[i].data);
    drt_safetensors_close(&t.golden);
    drt_session_close(t.session);
    drt_library_close(t.library);
    drt_model_free(t.model);
    drt_device_close(t.device);
    drt_context_free(t.context);
    scratch_close(&t.scratch);
    return 0;
}

/* A copy of a golden tensor: in the file it may lie unaligned. Freed at the end. */
static const void *golden(const char *name) {
    for (size_t i = 0; i < t.n_copies; i++)
        if (strcmp(t.copies[i].name, name) == 0)
            return t.copies[i].data;
    const drt_tensor *tensor = drt_safetensors_find(&t.golden, name);
    assert_non_null(tensor);
    assert_true(t.n_copies < sizeof t.copies / sizeof *t.copies);
    void *data = malloc(tensor->bytes);
    assert_non_null(data);
    memcpy(data, tensor->data, tensor->bytes);
    t.copies[t.n_copies].name = name;
    t.copies[t.n_copies++].data = data;
    return data;
}

static const int64_t *golden_ints(const char *name) {
    return golden(name);
}

static const float *golden_floats(const char *name) {
    return golden(name);
}

static const char *question(int i) {
    return cJSON_GetObjectItem(t.answers[i], "question")->valuestring;
}

static drt_ask_params plain(void) {
    drt_ask_params params = drt_ask_params_default();
    params.store = false;
    return params;
}

static drt_answer *ask(const char *text, const drt_ask_params *params) {
    drt_answer *answer = NULL;
    scratch_check(t.context, drt_session_ask(t.context, t.session, text, strlen(text), params, &answer));
    assert_non_null(answer);
    return answer;
}

/* ------------------------------------------------------------------------- golden --------- */

static void check_tokens(const drt_answer *answer, const cJSON *expected) {
    const cJSON *tokens = cJSON_GetObjectItem(expected, "tokens");
    assert_int_equal(answer->n_tokens, cJSON_GetArraySize(tokens));
    for (size_t i = 0; i < answer->n_tokens; i++)
        assert_int_equal(answer->tokens[i], cJSON_GetArrayItem(tokens, (int)i)->valueint);
    assert_string_equal(answer->answer.data, cJSON_GetObjectItem(expected, "answer")->valuestring);
    assert_int_equal(answer->token_ends[answer->n_tokens - 1], answer->answer.length);
}

/* Chunks in the golden order. int8 memory moves group 1's scores a little. */
static void check_event(const drt_event *event, const int64_t *indices, const float *weights, float tolerance) {
    assert_int_equal(event->n_hits, TOP_K);
    for (int k = 0; k < TOP_K; k++) {
        const drt_hit *hit = &event->hits[k];
        assert_int_equal(hit->rank, k + 1);
        assert_true(fabsf(hit->weight - weights[k]) < tolerance);
        if (hit->chunk == indices[k])
            continue;
        /* Two chunks may change places where their weights are next to equal. */
        int golden = 0;
        while (golden < TOP_K && indices[golden] != hit->chunk)
            golden++;
        if (golden == TOP_K)
            assert_true(weights[k] - weights[TOP_K - 1] < tolerance);
        else
            assert_true(fabsf(weights[golden] - weights[k]) < tolerance);
    }
}

static void twelve_golden_answers(void **state) {
    (void)state;
    drt_ask_params params = plain();
    for (int i = 0; i < QUESTIONS; i++) {
        drt_answer *answer = ask(question(i), &params);
        check_tokens(answer, t.answers[i]);
        assert_string_equal(answer->question.data, question(i));
        assert_int_equal(answer->finish, DRT_FINISH_END);
        assert_false(answer->question_cut);
        assert_int_equal(answer->n_events, GROUPS);
        assert_int_equal(answer->n_steps, 1);
        for (int g = 0; g < GROUPS; g++) {
            size_t at = ((size_t)i * GROUPS + (size_t)g) * TOP_K;
            assert_int_equal(answer->events[g].step, 0);
            assert_int_equal(answer->events[g].group, g);
            check_event(&answer->events[g], golden_ints("indices") + at, golden_floats("weights") + at, 0.02f);
            assert_true(answer->events[g].null_mass > 0 && answer->events[g].null_mass < 1);
        }
        for (int k = 0; k < TOP_K; k++) /* group 0's scores don't depend on memory */
            assert_true(fabsf(answer->events[0].hits[k].score - golden_floats("scores")[i * GROUPS * TOP_K + k]) <
                        0.02f);
        assert_true(answer->first_token_ms > 0 && answer->first_token_ms <= answer->total_ms);
        assert_string_equal(answer->retriever, "learned");
        assert_string_equal(answer->device.data, "cpu");
        assert_string_equal(answer->model.data, "drt-33m");
        drt_answer_free(answer);
    }
}

/* Chunk memory of the other types gives the same answers. */
static void golden_answers_from_memory(drt_memory_type type, const char *name) {
    drt_ingest_report report;
    drt_session *session;
    scratch_ingest(t.context, t.model, scratch_path(&t.scratch, name), type, (const char *[]){GOLDEN "/documents"}, 1,
                   &report);
    drt_library *library = scratch_library(t.context, t.model, scratch_path(&t.scratch, name));
    scratch_check(t.context, drt_session_open(t.context, library, t.model, &session));
    drt_ask_params params = plain();
    for (int i = 0; i < QUESTIONS; i++) {
        drt_answer *answer;
        scratch_check(t.context,
                      drt_session_ask(t.context, session, question(i), strlen(question(i)), &params, &answer));
        check_tokens(answer, t.answers[i]);
        for (int g = 0; type == DRT_MEMORY_F32 && g < GROUPS; g++) {
            size_t at = ((size_t)i * GROUPS + (size_t)g) * TOP_K;
            check_event(&answer->events[g], golden_ints("indices") + at, golden_floats("weights") + at, 2e-3f);
        }
        drt_answer_free(answer);
    }
    drt_session_close(session);
    drt_library_close(library);
}

static void golden_answers_from_bf16_memory(void **state) {
    (void)state;
    golden_answers_from_memory(DRT_MEMORY_BF16, "bf16.drt");
}

static void golden_answers_from_fp32_memory(void **state) {
    (void)state;
    golden_answers_from_memory(DRT_MEMORY_F32, "fp32.drt");
}

static void hits_carry_their_text(void **state) {
    (void)state;
    drt_ask_params params = plain();
    drt_answer *answer = ask(question(0), &params);
    for (size_t e = 0; e < answer->n_events; e++) {
        double weights = 0;
        for (size_t i = 0; i < answer->events[e].n_hits; i++) {
            const drt_hit *hit = &answer->events[e].hits[i];
            drt_string text;
            scratch_check(t.context, drt_library_text(t.context, t.library, hit->document_id, &text));
            assert_in_range(hit->end, hit->start + 1, text.length);
            assert_true(drt_string_equal(&hit->text, text.data + hit->start, (size_t)(hit->end - hit->start)));
            drt_string_free(&text);
            assert_non_null(strstr(hit->document.data, "documents/"));
            weights += hit->weight;
        }
        assert_true(fabs(weights - 1) < 1e-5);
    }
    assert_non_null(strstr(answer->events[1].hits[0].document.data, "1_lighthouse.txt"));
    drt_answer_free(answer);
}

static void histograms_count_every_live_chunk(void **state) {
    (void)state;
    drt_ask_params params = plain();
    drt_answer *answer = ask(question(0), &params);
    for (size_t e = 0; e < answer->n_events; e++) {
        const drt_event *event = &answer->events[e];
        uint32_t sum = 0;
        for (int i = 0; i < DRT_HISTOGRAM_BINS; i++)
            sum += event->histogram[i];
        assert_int_equal(sum, 13);
        assert_true(event->histogram[0] > 0 && event->histogram[DRT_HISTOGRAM_BINS - 1] > 0);
        assert_true(fabsf(event->histogram_high - event->hits[0].score) < 1e-4f);
        assert_true(event->histogram_low <= event->hits[TOP_K - 1].score);
    }
    drt_answer_free(answer);
}

/* The reader over the golden long answer, in pieces, retrieving through the library. */
static void long_answer_retrieves_at_each_landmark(void **state) {
    (void)state;
    const int64_t *golden = golden_ints("long_tokens");
    int32_t tokens[192];
    for (int i = 0; i < 192; i++)
        tokens[i] = (int32_t)golden[i];
    drt_lane *lane = &t.session->lanes[0];
    drt_retrieval *r = &lane->retrieval;
    const drt_string text = {(char *)"what", 4};
    scratch_check(t.context, drt_retrieval_start(t.context, r, DRT_RETRIEVER_LEARNED, NULL, 0, TOP_K, false, &text));
    drt_lane_begin(t.session, lane);
    for (int at = 0; at < 192; at += 48) {
        drt_reader_item item = {lane->number, tokens + at, 48, lane->hidden, NULL};
        scratch_check(t.context, drt_reader_run(t.context, t.session->reader, &item, 1));
    }
    assert_int_equal(r->n_events, 3 * GROUPS);
    assert_int_equal(r->n_steps, 3);
    for (size_t e = 0; e < r->n_events; e++) {
        assert_int_equal(r->events[e].step, e / GROUPS);
        assert_int_equal(r->events[e].group, e % GROUPS);
        check_event(&r->events[e], golden_ints("long_indices") + e * TOP_K, golden_floats("long_weights") + e * TOP_K,
                    0.03f);
    }
}

/* ------------------------------------------------------------------------- asking --------- */

static void same_question_same_answer(void **state) {
    (void)state;
    drt_ask_params params = plain();
    drt_answer *a = ask(question(2), &params), *b = ask(question(2), &params);
    assert_int_equal(a->n_tokens, b->n_tokens);
    assert_memory_equal(a->tokens, b->tokens, a->n_tokens * sizeof *a->tokens);
    assert_memory_equal(a->attention, b->attention, a->n_tokens * GROUPS * TOP_K * 64);
    for (size_t e = 0; e < a->n_events; e++)
        for (size_t i = 0; i < a->events[e].n_hits; i++) {
            assert_int_equal(a->events[e].hits[i].chunk, b->events[e].hits[i].chunk);
            assert_true(a->events[e].hits[i].score == b->events[e].hits[i].score);
        }
    drt_answer_free(a);
    drt_answer_free(b);
}

static void max_tokens_ends_an_answer(void **state) {
    (void)state;
    drt_ask_params params = plain();
    params.max_tokens = 3;
    drt_answer *answer = ask(question(2), &params);
    assert_int_equal(answer->n_tokens, 3);
    assert_int_equal(answer->finish, DRT_FINISH_LENGTH);
    drt_answer_free(answer);
    params.max_tokens = 0;
    assert_int_equal(drt_session_ask(t.context, t.session, "Who?", 4, &params, &answer), DRT_FAILED);
    assert_null(answer);
}

/* With every predicting slot's attention stored, the null masses follow from it. */
static void null_mass_follows_from_the_attention(void **state) {
    (void)state;
    drt_ask_params params = plain();
    params.max_tokens = 5;
    drt_answer *answer = ask(question(2), &params);
    assert_int_equal(answer->n_tokens, 5);
    for (int g = 0; g < GROUPS; g++) {
        double mass = 0, total = 0;
        for (size_t i = 0; i < answer->n_tokens; i++)
            for (int k = 0; k < TOP_K; k++) {
                const uint8_t *slots = answer->attention + ((i * GROUPS + (size_t)g) * TOP_K + (size_t)k) * 64;
                mass += answer->events[g].hits[k].weight * slots[63] / 255.0 / 5;
                for (int s = 0; s < 64; s++)
                    total += slots[s] / 255.0 / 5 / TOP_K;
            }
        assert_true(fabs(mass - answer->events[g].null_mass) < 0.5 / 255 + 1e-4);
        assert_true(fabs(total - 1) < 32.0 / 255); /* each chunk's softmax adds up to 1 */
    }
    drt_answer_free(answer);
}

static void long_questions_keep_their_end(void **state) {
    (void)state;
    drt_buffer text = {0};
    for (int i = 0; i < 80; i++)
        drt_buffer_append_text(&text, "Well now, ");
    drt_buffer_append_text(&text, question(0));
    drt_ask_params params = plain();
    drt_answer *answer = NULL;
    assert_int_equal(drt_session_ask(t.context, t.session, text.data, text.length, &params, &answer), DRT_WARN);
    assert_true(answer->question_cut);
    assert_true(drt_string_equal(&answer->question, text.data, text.length));
    assert_non_null(strstr(drt_error(t.context), "last 62"));
    assert_non_null(strstr(answer->events[1].hits[0].document.data, "1_lighthouse.txt"));
    drt_answer_free(answer);
    drt_buffer_free(&text);
}

static void bad_questions_fail_alone(void **state) {
    (void)state;
    static const struct {
        const char *text;
        size_t length;
    } bad[] = {{"", 0}, {" \n", 2}, {"Caf\xE9", 4}, {"\0\0", 2}};
    drt_ask_params params = plain();
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        drt_answer *answer = NULL;
        assert_int_equal(drt_session_ask(t.context, t.session, bad[i].text, bad[i].length, &params, &answer),
                         DRT_FAILED);
        assert_null(answer);
    }
    drt_answer *answer = ask(question(8), &params);
    check_tokens(answer, t.answers[8]);
    drt_answer_free(answer);
    assert_int_equal(drt_session_ask(t.context, t.session, "nul\0in it?", 10, &params, &answer), DRT_OK);
    assert_int_equal(answer->question.length, 10);
    drt_answer_free(answer);
}

typedef struct {
    drt_buffer text;
    int calls, cancel_after;
} listener;

static void on_token(void *user, const char *text, size_t length) {
    listener *l = user;
    assert_true(drt_buffer_append(&l->text, text, length));
    if (++l->calls == l->cancel_after)
        cancel_now = true;
}

static void streamed_text_is_the_answer(void **state) {
    (void)state;
    listener l = {0};
    drt_ask_params params = plain();
    params.token = on_token;
    params.user = &l;
    drt_answer *answer = ask(question(9), &params);
    assert_int_equal(l.calls, answer->n_tokens);
    assert_true(drt_string_equal(&answer->answer, l.text.data, l.text.length));
    drt_answer_free(answer);
    drt_buffer_free(&l.text);
}

static void cancelling_keeps_what_there_is(void **state) {
    (void)state;
    listener l = {.cancel_after = 2};
    drt_ask_params params = plain();
    params.token = on_token;
    params.user = &l;
    drt_answer *answer = ask(question(2), &params);
    assert_int_equal(answer->finish, DRT_FINISH_CANCELLED);
    assert_int_equal(answer->n_tokens, 2);
    assert_true(drt_string_equal(&answer->answer, l.text.data, l.text.length));
    assert_int_equal(answer->n_events, GROUPS);
    drt_answer_free(answer);
    drt_buffer_free(&l.text);
    params.token = NULL; /* cancelled before it began */
    params.store = true;
    answer = ask(question(2), &params);
    cancel_now = false;
    assert_int_equal(answer->finish, DRT_FINISH_CANCELLED);
    assert_int_equal(answer->n_tokens, 0);
    assert_string_equal(answer->answer.data, "");
    assert_int_equal(answer->session, 0);
    drt_answer_free(answer);
}

typedef struct {
    int events, tokens, tokens_at_first;
    int64_t chunks[8][4];
} event_listener;

static void count_token(void *user, const char *text, size_t length) {
    (void)text, (void)length;
    ((event_listener *)user)->tokens++;
}

static void on_event(void *user, const drt_event *event) {
    event_listener *l = user;
    assert_true(l->events < 8);
    assert_int_equal(event->step, l->events / GROUPS);
    assert_int_equal(event->group, l->events % GROUPS);
    if (l->events == 0)
        l->tokens_at_first = l->tokens;
    for (size_t i = 0; i < 4; i++) {
        assert_non_null(event->hits[i].text.data);
        assert_non_null(event->hits[i].document.data);
        l->chunks[l->events][i] = event->hits[i].chunk;
    }
    l->events++;
}

static void retrievals_are_told_while_the_answer_grows(void **state) {
    (void)state;
    event_listener l = {0};
    drt_ask_params params = plain();
    params.token = count_token;
    params.event = on_event;
    params.user = &l;
    drt_answer *answer = ask(question(9), &params);
    assert_int_equal(l.events, answer->n_events);
    assert_int_equal(l.tokens_at_first, 1);
    for (size_t e = 0; e < answer->n_events; e++)
        for (size_t i = 0; i < 4; i++)
            assert_int_equal(l.chunks[e][i], answer->events[e].hits[i].chunk);
    drt_answer_free(answer);
}

/* Every hit's slots lie in its range, in order, cover its first and last byte, and leave the null slot out. */
static void hits_say_what_their_slots_stand_for(void **state) {
    (void)state;
    drt_ask_params params = plain();
    drt_answer *answer = ask(question(8), &params);
    for (size_t e = 0; e < answer->n_events; e++) {
        for (size_t h = 0; h < answer->events[e].n_hits; h++) {
            const drt_hit *hit = &answer->events[e].hits[h];
            int64_t first = hit->end, last = hit->start;
            assert_non_null(hit->slots);
            for (int i = 0; i < answer->chunk_size; i++) {
                drt_range slot = hit->slots[i];
                assert_true(hit->start <= slot.start && slot.start <= slot.end && slot.end <= hit->end);
                assert_true(i == 0 || slot.start >= hit->slots[i - 1].start);
                first = slot.start < slot.end && slot.start < first ? slot.start : first;
                last = slot.start < slot.end && slot.end > last ? slot.end : last;
            }
            assert_int_equal(first, hit->start);
            assert_int_equal(last, hit->end);
            assert_int_equal(hit->slots[answer->chunk_size - 1].start, hit->slots[answer->chunk_size - 1].end);
        }
    }
    for (size_t i = 0; i < answer->n_tokens; i++)
        assert_int_equal(answer->token_steps[i], 0);
    drt_answer_free(answer);
}

/* ------------------------------------------------------------------------- sampling ------- */

static drt_ask_params hot(uint64_t seed) {
    drt_ask_params params = plain();
    params.temperature = 5; /* next to uniform: an end is unlikely */
    params.seed = seed;
    params.max_tokens = 130;
    return params;
}

static void seeds_reproduce_samples(void **state) {
    (void)state;
    drt_ask_params params = hot(1);
    params.max_tokens = 12;
    drt_answer *a = ask(question(0), &params), *b = ask(question(0), &params);
    params.seed = 2;
    drt_answer *c = ask(question(0), &params);
    assert_int_equal(a->n_tokens, b->n_tokens);
    assert_memory_equal(a->tokens, b->tokens, a->n_tokens * sizeof *a->tokens);
    assert_true(c->n_tokens != a->n_tokens || memcmp(a->tokens, c->tokens, a->n_tokens * sizeof *a->tokens) != 0);
    drt_answer_free(a);
    drt_answer_free(b);
    drt_answer_free(c);
    params.temperature = -1;
    assert_int_equal(drt_session_ask(t.context, t.session, "Who?", 4, &params, &a), DRT_FAILED);
    params.temperature = 1;
    params.top_p = 0;
    assert_int_equal(drt_session_ask(t.context, t.session, "Who?", 4, &params, &a), DRT_FAILED);
}

/* Slots and landmarks of a long answer, against the reference's: its first reading chunk has room for
 * 63 - (n + 2) tokens, the next ones for 63; the landmark predicts the first token of the next chunk. */
static void answers_longer_than_a_chunk_retrieve_again(void **state) {
    (void)state;
    listener l = {0};
    drt_ask_params params = hot(3);
    params.token = on_token;
    params.user = &l;
    drt_answer *answer = ask(question(0), &params);
    assert_int_equal(answer->n_tokens, 130);
    assert_int_equal(answer->finish, DRT_FINISH_LENGTH);
    int32_t *tokens;
    size_t n_tokens;
    scratch_check(t.context, drt_question_encode(t.context, t.model->tokenizer, question(0), strlen(question(0)),
                                                 &tokens, &n_tokens));
    free(tokens);
    size_t first = 63 - (n_tokens + 2), steps = 1 + (130 - 1 - first) / 63 + 1;
    assert_int_equal(answer->n_steps, steps);
    assert_int_equal(answer->n_events, steps * GROUPS);
    for (size_t e = 0; e < answer->n_events; e++) {
        assert_int_equal(answer->events[e].step, e / GROUPS);
        assert_int_equal(answer->events[e].group, e % GROUPS);
        assert_int_equal(answer->events[e].n_hits, TOP_K);
        assert_true(answer->events[e].null_mass > 0 && answer->events[e].null_mass < 1);
    }
    /* Attention of the token that the landmark predicted is that of the new retrieval: the sums of its
     * null slots give the new step's null mass together with the rest of that chunk's tokens. */
    for (int g = 0; g < GROUPS; g++) {
        const drt_event *event = &answer->events[GROUPS + g];
        double mass = 0;
        for (size_t i = first; i < first + 63; i++)
            for (int k = 0; k < TOP_K; k++)
                mass += event->hits[k].weight / 63 *
                        answer->attention[((i * GROUPS + (size_t)g) * TOP_K + (size_t)k) * 64 + 63] / 255.0;
        assert_true(fabs(mass - event->null_mass) < 0.5 / 255 + 1e-3);
    }
    /* BM25 looks for the question and the answer up to the landmark. */
    drt_buffer text = {0};
    int64_t ranking[TOP_K];
    int n = 0;
    assert_true(
        drt_buffer_printf(&text, "%s\n%.*s", question(0), (int)answer->token_ends[first - 1], answer->answer.data));
    scratch_check(t.context,
                  drt_store_bm25(t.context, t.library, text.data, text.length, NULL, 13, TOP_K, ranking, &n));
    drt_buffer_free(&text);
    for (int k = 0; k < TOP_K; k++)
        assert_int_equal(answer->bm25[1][k], k < n ? ranking[k] : -1);
    assert_true(drt_string_equal(&answer->answer, l.text.data, l.text.length));
    for (size_t i = 1; i < answer->n_tokens; i++)
        assert_true(answer->token_ends[i] >= answer->token_ends[i - 1]);
    for (size_t i = 0; i < answer->n_tokens; i++)
        assert_int_equal(answer->token_steps[i], i < first ? 0 : 1 + (i - first) / 63);
    char *whole, error[64];
    size_t length;
    assert_int_equal(drt_tokenizer_decode(t.model->tokenizer, answer->tokens, answer->n_tokens, &whole, &length, error,
                                          sizeof error),
                     0);
    assert_true(drt_string_equal(&answer->answer, whole, length));
    free(whole);
    drt_answer_free(answer);
    drt_buffer_free(&l.text);
}

/* ------------------------------------------------------------------------- retrievers ----- */

/* Weights are the softmax of the learned scores whoever proposed the hits. */
static void check_weights(const drt_event *event) {
    float scores[64], weights[64];
    for (size_t i = 0; i < event->n_hits; i++)
        scores[i] = event->hits[i].score;
    drt_rank_weights(scores, (int)event->n_hits, weights);
    for (size_t i = 0; i < event->n_hits; i++) {
        assert_true(fabsf(event->hits[i].weight - weights[i]) < 1e-6f);
        assert_int_equal(event->hits[i].rank, i + 1);
    }
}

static float learned_score(const drt_answer *learned, int group, int64_t chunk) {
    for (size_t i = 0; i < learned->events[group].n_hits; i++)
        if (learned->events[group].hits[i].chunk == chunk)
            return learned->events[group].hits[i].score;
    return NAN;
}

static void bm25_proposes_for_every_group(void **state) {
    (void)state;
    drt_ask_params params = plain();
    drt_answer *learned = ask(question(0), &params);
    params.retriever = DRT_RETRIEVER_BM25;
    drt_answer *answer = ask(question(0), &params);
    assert_string_equal(answer->retriever, "bm25");
    for (int g = 0; g < GROUPS; g++) {
        const drt_event *event = &answer->events[g];
        check_weights(event);
        assert_in_range(event->n_hits, 1, TOP_K);
        for (int k = 0; k < TOP_K; k++) /* the ranking that every answer keeps for contrast */
            assert_int_equal(learned->bm25[0][k], (size_t)k < event->n_hits ? event->hits[k].chunk : -1);
    }
    for (size_t i = 0; i < answer->events[0].n_hits; i++) {
        float score = learned_score(learned, 0, answer->events[0].hits[i].chunk);
        assert_true(isnan(score) || fabsf(score - answer->events[0].hits[i].score) < 1e-5f);
    }
    drt_answer_free(learned);
    drt_answer_free(answer);
    /* Nothing to look for: nothing is read. */
    answer = ask("?!", &params);
    assert_int_equal(answer->events[0].n_hits, 0);
    assert_true(answer->events[0].null_mass == 1);
    drt_answer_free(answer);
}

static void both_interleaves_per_group(void **state) {
    (void)state;
    drt_ask_params params = plain();
    drt_answer *learned = ask(question(3), &params);
    params.retriever = DRT_RETRIEVER_BOTH;
    drt_answer *both = ask(question(3), &params);
    int64_t ranking[TOP_K], expected[TOP_K];
    int n_bm25 = 0;
    while (n_bm25 < TOP_K && learned->bm25[0][n_bm25] >= 0)
        n_bm25++;
    for (int k = 0; k < TOP_K; k++)
        ranking[k] = learned->events[0].hits[k].chunk;
    int n = drt_rank_interleave(ranking, TOP_K, learned->bm25[0], n_bm25, TOP_K, expected);
    assert_int_equal(both->events[0].n_hits, n);
    for (int k = 0; k < n; k++)
        assert_int_equal(both->events[0].hits[k].chunk, expected[k]);
    for (int g = 0; g < GROUPS; g++)
        check_weights(&both->events[g]);
    drt_answer_free(learned);
    drt_answer_free(both);
}

static void random_depends_on_the_seed_alone(void **state) {
    (void)state;
    drt_ask_params params = plain();
    params.retriever = DRT_RETRIEVER_RANDOM;
    params.seed = 5;
    drt_answer *a = ask(question(0), &params), *b = ask(question(0), &params);
    params.seed = 6;
    drt_answer *c = ask(question(0), &params);
    int same = 0;
    for (int k = 0; k < TOP_K; k++) {
        assert_int_equal(a->events[0].hits[k].chunk, b->events[0].hits[k].chunk);
        same += a->events[0].hits[k].chunk == c->events[0].hits[k].chunk;
    }
    assert_true(same < TOP_K);
    check_weights(&a->events[1]);
    drt_answer_free(a);
    drt_answer_free(b);
    drt_answer_free(c);
}

static void globs_limit_what_is_retrieved(void **state) {
    (void)state;
    static const drt_retriever all[] = {DRT_RETRIEVER_LEARNED, DRT_RETRIEVER_BM25, DRT_RETRIEVER_BOTH,
                                        DRT_RETRIEVER_RANDOM};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        drt_ask_params params = plain();
        params.retriever = all[i];
        params.document_glob = "*library*";
        params.max_tokens = 2;
        drt_answer *answer = ask("Who was the first keeper and librarian?", &params);
        assert_true(answer->events[0].n_hits > 0 && answer->events[0].n_hits <= 4); /* K shrinks */
        for (size_t e = 0; e < answer->n_events; e++)
            for (size_t k = 0; k < answer->events[e].n_hits; k++)
                assert_non_null(strstr(answer->events[e].hits[k].document.data, "2_library.txt"));
        drt_answer_free(answer);
    }
    drt_ask_params params = plain();
    params.document_glob = "nothing*";
    drt_answer *answer;
    assert_int_equal(drt_session_ask(t.context, t.session, "Who?", 4, &params, &answer), DRT_FAILED);
    assert_non_null(strstr(drt_error(t.context), "nothing*"));
}

/* ------------------------------------------------------------------------- search --------- */

static drt_search_result *search(const char *text, drt_retriever retriever, int top) {
    drt_search_params params = drt_search_params_default();
    params.retriever = retriever;
    params.top = top;
    drt_search_result *result = NULL;
    scratch_check(t.context, drt_session_search(t.context, t.session, text, strlen(text), &params, &result));
    return result;
}

static void search_lists_per_group(void **state) {
    (void)state;
    drt_ask_params params = plain();
    drt_answer *answer = ask(question(0), &params);
    static const int tops[] = {3, 8, 12, 1000};
    for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
        drt_search_result *result = search(question(0), DRT_RETRIEVER_LEARNED, tops[i]);
        assert_int_equal(result->n_groups, GROUPS);
        assert_string_equal(result->query.data, question(0));
        for (int g = 0; g < GROUPS; g++) {
            const drt_event *event = &result->groups[g];
            assert_int_equal(event->group, g);
            assert_int_equal(event->n_hits, tops[i] < 13 ? tops[i] : 13);
            check_weights(event);
            for (size_t k = 0; k < event->n_hits && k < TOP_K; k++)
                assert_int_equal(event->hits[k].chunk, answer->events[g].hits[k].chunk);
        }
        drt_search_result_free(result);
    }
    drt_answer_free(answer);
}

static void search_by_other_proposers(void **state) {
    (void)state;
    drt_search_result *bm25 = search("brass sextant of the captain", DRT_RETRIEVER_BM25, 5);
    assert_int_equal(bm25->n_groups, 1);
    assert_in_range(bm25->groups[0].n_hits, 1, 5);
    check_weights(&bm25->groups[0]);
    assert_non_null(strstr(bm25->groups[0].hits[0].text.data, "sextant"));
    drt_search_result *random = search("brass sextant of the captain", DRT_RETRIEVER_RANDOM, 5);
    assert_int_equal(random->n_groups, 1);
    assert_int_equal(random->groups[0].n_hits, 5);
    drt_search_result *both = search("brass sextant of the captain", DRT_RETRIEVER_BOTH, 5);
    assert_int_equal(both->n_groups, GROUPS);
    assert_int_equal(both->groups[1].n_hits, 5);
    assert_int_equal(both->groups[0].hits[1].chunk, bm25->groups[0].hits[0].chunk == both->groups[0].hits[0].chunk
                                                        ? both->groups[0].hits[1].chunk
                                                        : bm25->groups[0].hits[0].chunk);
    drt_search_result_free(bm25);
    drt_search_result_free(random);
    drt_search_result_free(both);
}

/* ------------------------------------------------------------------------- sessions ------- */

static void stored_answers_come_back_whole(void **state) {
    (void)state;
    drt_ask_params params = drt_ask_params_default();
    drt_answer *answer = ask(question(2), &params), *loaded = NULL;
    assert_true(answer->session > 0);
    scratch_check(t.context, drt_library_session_load(t.context, t.library, answer->session, &loaded));
    assert_string_equal(loaded->question.data, answer->question.data);
    assert_string_equal(loaded->answer.data, answer->answer.data);
    assert_int_equal(loaded->n_tokens, answer->n_tokens);
    assert_memory_equal(loaded->tokens, answer->tokens, answer->n_tokens * sizeof *answer->tokens);
    assert_memory_equal(loaded->token_ends, answer->token_ends, answer->n_tokens * sizeof *answer->token_ends);
    assert_memory_equal(loaded->attention, answer->attention, answer->n_tokens * GROUPS * TOP_K * 64);
    assert_int_equal(loaded->n_events, answer->n_events);
    assert_memory_equal(loaded->bm25[0], answer->bm25[0], TOP_K * sizeof **answer->bm25);
    for (size_t e = 0; e < answer->n_events; e++) {
        assert_true(loaded->events[e].null_mass == answer->events[e].null_mass);
        assert_memory_equal(loaded->events[e].histogram, answer->events[e].histogram,
                            sizeof answer->events[e].histogram);
        for (size_t i = 0; i < answer->events[e].n_hits; i++) {
            assert_int_equal(loaded->events[e].hits[i].chunk, answer->events[e].hits[i].chunk);
            assert_true(loaded->events[e].hits[i].weight == answer->events[e].hits[i].weight);
            assert_string_equal(loaded->events[e].hits[i].text.data, answer->events[e].hits[i].text.data);
        }
    }
    drt_answer_free(answer);
    drt_answer_free(loaded);
}

/* Nothing can be written: answers come all the same, and it is said once. */
static void answers_come_without_being_stored(void **state) {
    (void)state;
    struct rlimit old, none;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_IGN);
    none = old;
    none.rlim_cur = 1;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
    drt_ask_params params = drt_ask_params_default();
    drt_status status[2];
    drt_answer *answers[2];
    for (int i = 0; i < 2; i++)
        status[i] = drt_session_ask(t.context, t.session, question(8), strlen(question(8)), &params, &answers[i]);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    signal(SIGXFSZ, SIG_DFL);
    assert_int_equal(status[0], DRT_WARN);
    assert_int_equal(status[1], DRT_OK);
    for (int i = 0; i < 2; i++) {
        check_tokens(answers[i], t.answers[8]);
        assert_int_equal(answers[i]->session, 0);
        drt_answer_free(answers[i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(twelve_golden_answers),
        cmocka_unit_test(golden_answers_from_bf16_memory),
        cmocka_unit_test(golden_answers_from_fp32_memory),
        cmocka_unit_test(hits_carry_their_text),
        cmocka_unit_test(histograms_count_every_live_chunk),
        cmocka_unit_test(long_answer_retrieves_at_each_landmark),
        cmocka_unit_test(same_question_same_answer),
        cmocka_unit_test(max_tokens_ends_an_answer),
        cmocka_unit_test(null_mass_follows_from_the_attention),
        cmocka_unit_test(long_questions_keep_their_end),
        cmocka_unit_test(bad_questions_fail_alone),
        cmocka_unit_test(streamed_text_is_the_answer),
        cmocka_unit_test(cancelling_keeps_what_there_is),
        cmocka_unit_test(retrievals_are_told_while_the_answer_grows),
        cmocka_unit_test(hits_say_what_their_slots_stand_for),
        cmocka_unit_test(seeds_reproduce_samples),
        cmocka_unit_test(answers_longer_than_a_chunk_retrieve_again),
        cmocka_unit_test(bm25_proposes_for_every_group),
        cmocka_unit_test(both_interleaves_per_group),
        cmocka_unit_test(random_depends_on_the_seed_alone),
        cmocka_unit_test(globs_limit_what_is_retrieved),
        cmocka_unit_test(search_lists_per_group),
        cmocka_unit_test(search_by_other_proposers),
        cmocka_unit_test(stored_answers_come_back_whole),
        cmocka_unit_test(answers_come_without_being_stored),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
