/* The conversation: question line, streamed answers, evidence marks, tokens, how questions are asked; golden screens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "golden.h"
#include "ui/evidence.h"
#include "ui/news.h"
#include "ui/transcript.h"

static void open_conversation(front *shown, fixture_outside *outside, bool documents) {
    fixture_open(shown, outside);
    if (documents)
        fixture_documents(shown);
    shown->focus = PANE_CONVERSATION;
}

static void tell(front *shown, news message) {
    news *owned = calloc(1, sizeof *owned);
    assert_non_null(owned);
    *owned = message;
    front_changed(shown, model_take_news(&shown->model, owned));
}

static drt_string owned(const char *text) {
    drt_string string = {0};
    assert_true(model_string_set(&string, text, strlen(text)));
    return string;
}

static void ask(front *shown, const char *question) {
    assert_true(model_begin_turn(&shown->model, question, strlen(question)));
    front_changed(shown, CHANGED_TURNS | CHANGED_PLACE);
}

/* -------------------------------------------------------------------------------- evidence ---- */

static void evidence_is_the_heaviest_of_each_chunk(void **state) {
    (void)state;
    drt_answer *trace = fixture_trace();
    evidence found[EVIDENCE_MAX];
    size_t n = evidence_of(trace, found);
    assert_int_equal(n, EVIDENCE_MAX);
    for (size_t i = 0; i < n; i++) {
        const drt_hit *hit = &trace_event(trace, found[i].place.step, found[i].place.group)->hits[found[i].place.hit];
        assert_true(hit->weight == found[i].weight && hit->weight >= EVIDENCE_WEIGHT);
        assert_true(i == 0 || found[i - 1].weight >= found[i].weight);
        for (size_t j = 0; j < i; j++)
            assert_true(hit->chunk !=
                        trace_event(trace, found[j].place.step, found[j].place.group)->hits[found[j].place.hit].chunk);
        assert_int_equal(trace->token_steps[found[i].place.token], found[i].place.step);
        assert_true(found[i].at == (int64_t)trace->answer.length || trace->answer.data[found[i].at] == ' ');
    }
    trace->events[0].hits[0].weight = 0.04f;
    trace->events[2].hits[0].weight = 0.9f;
    n = evidence_of(trace, found);
    assert_int_equal(found[0].place.step, 1);
    free(trace->attention);
    trace->attention = NULL;
    n = evidence_of(trace, found);
    for (size_t i = 0; i < n; i++)
        assert_true(found[i].at == EVIDENCE_NOWHERE);
    drt_answer_free(trace);
}

static void tokens_keep_their_text_among_the_marks(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_conversation(&shown, &outside, true);
    fixture_answer(&shown);
    transcript text = {0};
    transcript_make(&text, &shown.model);
    const drt_answer *trace = shown.model.turns[0].trace;
    size_t start, end, marks = 0;
    for (size_t i = 0; i < trace->n_tokens; i++) {
        int64_t from = i > 0 ? trace->token_ends[i - 1] + 1 : 0;
        assert_true(transcript_token(&text, trace, i, &start, &end));
        assert_int_equal(end - start, trace->token_ends[i] - from);
        assert_memory_equal(text.text.data + start, trace->answer.data + from, end - start);
    }
    assert_false(transcript_token(&text, trace, trace->n_tokens, &start, &end));
    for (size_t at = 0; at < text.text.length; at++)
        if (transcript_mark_at(&text, at) >= 0 && text.text.data[at] == '[')
            assert_int_equal(text.text.data[at + 1], '1' + transcript_mark_at(&text, at)), marks++;
    assert_int_equal(marks, 2 * text.n_marks); /* in the answer and in the list */
    transcript_free(&text);
    front_free(&shown);
}

/* --------------------------------------------------------------------------------- reading ---- */

static void marks_and_tokens_move_the_place(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_conversation(&shown, &outside, true);
    fixture_answer(&shown);
    fixture_press(&shown, UI_KEY_ESCAPE);
    fixture_press(&shown, UI_KEY_RIGHT);
    fixture_press(&shown, '.');
    assert_int_equal(shown.model.place.token, 2);
    fixture_press(&shown, UI_KEY_LEFT);
    assert_int_equal(shown.model.place.token, 1);
    for (int i = 0; i < 20; i++)
        fixture_press(&shown, '.');
    assert_int_equal(shown.model.place.token, 9);
    assert_int_equal(shown.model.place.step, 1); /* that the token was written in */
    evidence found[EVIDENCE_MAX];
    size_t n = evidence_of(model_trace(&shown.model), found);
    fixture_press(&shown, ']');
    assert_int_equal(shown.model.place.hit, found[0].place.hit);
    assert_int_equal(shown.model.place.group, found[0].place.group);
    assert_int_equal(shown.model.place.token, found[0].place.token);
    fixture_press(&shown, '[');
    assert_int_equal(shown.model.place.hit, found[n - 1].place.hit);
    assert_int_equal(outside.last.kind, ACTION_OPEN_CHUNK);
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(shown.focus, PANE_PASSAGE);
    front_free(&shown);
}

static void how_questions_are_asked_can_be_chosen(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_conversation(&shown, &outside, true);
    assert_true(fixture_shows(&shown, 24, 100, "learned \xC2\xB7 256 tokens \xC2\xB7 all"));
    fixture_press(&shown, UI_KEY_ESCAPE);
    fixture_press(&shown, 'r');
    assert_int_equal(shown.model.asking.retriever, DRT_RETRIEVER_BM25);
    for (int i = 0; i < 3; i++)
        fixture_press(&shown, 'r');
    assert_int_equal(shown.model.asking.retriever, DRT_RETRIEVER_LEARNED);
    fixture_press(&shown, 't');
    assert_int_equal(shown.model.asking.max_tokens, 512);
    fixture_press(&shown, 'f');
    fixture_type(&shown, "*.md");
    fixture_press(&shown, UI_KEY_ENTER);
    assert_string_equal(shown.model.asking.documents.data, "*.md");
    assert_true(fixture_shows(&shown, 24, 100, "512 tokens \xC2\xB7 *.md"));
    fixture_type(&shown, "q"); /* the question line has the cursor again */
    assert_true(fixture_shows(&shown, 24, 100, "\xE2\x96\xB8 q") || fixture_shows(&shown, 24, 100, " q"));
    front_free(&shown);
}

static void a_question_can_be_begun_from_every_pane(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_conversation(&shown, &outside, true);
    fixture_press(&shown, UI_KEY_ESCAPE); /* the answer has the keys */
    fixture_press(&shown, '4');
    fixture_type(&shown, "awho?");
    assert_int_equal(shown.focus, PANE_CONVERSATION);
    assert_true(fixture_shows(&shown, 24, 80, "who?"));
    front_free(&shown);
}

static void turns_can_be_walked(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_conversation(&shown, &outside, true);
    fixture_answer(&shown);
    ask(&shown, "And who came after him?");
    fixture_press(&shown, UI_KEY_ESCAPE);
    fixture_press(&shown, 'K');
    assert_int_equal(shown.model.turn, 0);
    fixture_press(&shown, 'K');
    assert_int_equal(shown.model.turn, 0);
    fixture_press(&shown, 'J');
    assert_int_equal(shown.model.turn, 1);
    front_free(&shown);
}

static void one_answer_at_a_time(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_conversation(&shown, &outside, true);
    ask(&shown, "first?");
    size_t before = outside.count;
    fixture_type(&shown, "second?");
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(shown.model.notice, NOTICE_WARNING);
    assert_true(fixture_shows(&shown, 24, 100, "second?")); /* the line is kept */
    assert_true(outside.count == before || outside.last.kind != ACTION_ASK);
    front_free(&shown);
}

/* ---------------------------------------------------------------------------------- screens ---- */

static void streaming(front *shown, const char *question, const char *text) {
    ask(shown, question);
    tell(shown, (news){.kind = NEWS_MODEL, .work = WORK_ASK, .text = owned("cpu"), .n_groups = 2, .top_k = 4});
    tell(shown, (news){.kind = NEWS_TOKEN, .work = WORK_ASK, .text = owned(text)});
}

static void finish(front *shown, const char *answer, const char *reason, drt_finish how) {
    drt_answer *trace = fixture_trace();
    if (answer) {
        drt_string_free(&trace->answer);
        trace->answer = owned(answer);
        trace->n_tokens = 0; /* no token of it has a place */
    }
    trace->finish = how;
    news message = {.kind = NEWS_ANSWER, .work = WORK_ASK, .answer = trace};
    if (reason)
        message.reason = owned(reason);
    tell(shown, message);
}

#define SCREEN(name, ...)                                                                                              \
    do {                                                                                                               \
        open_conversation(&shown, &outside, true);                                                                     \
        __VA_ARGS__;                                                                                                   \
        golden_check_sizes(name, &shown);                                                                              \
        front_free(&shown);                                                                                            \
    } while (0)

static void golden_screens(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    SCREEN("conversation-start", (void)0);
    SCREEN("conversation-typing",
           fixture_type(&shown, "Who is the keeper of the lighthouse at Marn, and who came "
                                "before him, when the lamp was still of oil and had to be trimmed?"));
    SCREEN("conversation-loading", ask(&shown, "Who is the keeper?"));
    SCREEN("conversation-streaming", streaming(&shown, "Who is the keeper?", "Odo Veldt is the"));
    SCREEN("conversation-answered", fixture_answer(&shown));
    SCREEN("conversation-reading", fixture_answer(&shown), fixture_press(&shown, UI_KEY_ESCAPE),
           fixture_press(&shown, ']'));
    SCREEN("conversation-cancelled", streaming(&shown, "Who is the keeper?", "Odo"),
           finish(&shown, "Odo", NULL, DRT_FINISH_CANCELLED));
    SCREEN("conversation-warning", streaming(&shown, "A question of many words", "Odo"),
           finish(&shown, NULL, "the question is too long: only its last 62 tokens were read", DRT_FINISH_LENGTH));
    SCREEN("conversation-error", ask(&shown, "Who?"),
           tell(&shown, (news){.kind = NEWS_FAILED, .work = WORK_ASK, .text = owned("there is no document to ask")}));
    SCREEN("conversation-replayed", fixture_answer(&shown),
           tell(&shown, (news){.kind = NEWS_SESSION, .work = WORK_SESSION_LOAD, .answer = fixture_trace()}));
    SCREEN("conversation-documents", fixture_press(&shown, UI_KEY_ESCAPE), fixture_press(&shown, 'f'),
           fixture_type(&shown, "*lighthouse*"));
    SCREEN(
        "conversation-wide",
        streaming(&shown,
                  "\xE7\x81\xAF\xE5\x8F\xB0\xE3\x81\xAE\xE7\x95\xAA\xE4\xBA\xBA\xE3\x81\xAF\xE8\xAA\xB0\xE3\x81\xA7"
                  "\xE3\x81\x99\xE3\x81\x8B\xEF\xBC\x9F",
                  ""),
        finish(
            &shown,
            "\xE7\x95\xAA\xE4\xBA\xBA\xE3\x81\xAF\xE3\x82\xAA\xE3\x83\x89\xE3\x83\xBB\xE3\x83\xB4\xE3\x82\xA7\xE3\x83"
            "\xAB\xE3\x83\x88\xE3\x81\xA7\xE3\x81\x99\xE3\x80\x82 \xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80 "
            "e\xCC\x81",
            NULL, DRT_FINISH_END));
}

static void long_texts_scroll(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    char text[6000];
    for (size_t i = 0; i < sizeof text; i++)
        text[i] = i % 7 == 6 ? ' ' : (char)('a' + i / 7 % 26);
    memcpy(text + sizeof text - 5, " end", 5);
    open_conversation(&shown, &outside, true);
    streaming(&shown, "Tell me all.", text);
    assert_true(fixture_shows(&shown, 24, 80, "end")); /* the end is followed */
    fixture_press(&shown, UI_KEY_ESCAPE);
    fixture_press(&shown, UI_KEY_HOME);
    assert_true(fixture_shows(&shown, 24, 80, "Tell me all."));
    tell(&shown, (news){.kind = NEWS_TOKEN, .work = WORK_ASK, .text = owned(" more")});
    assert_true(fixture_shows(&shown, 24, 80, "Tell me all.")); /* and not when reading elsewhere */
    fixture_press(&shown, UI_KEY_END);
    assert_true(fixture_shows(&shown, 24, 80, "end more"));
    front_free(&shown);
}

static void live_retrievals_are_there_before_the_answer(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_conversation(&shown, &outside, true);
    streaming(&shown, "Who is the keeper?", "Odo");
    for (int i = 0; i < 2; i++) {
        drt_answer *all = fixture_trace(), *one = calloc(1, sizeof *one);
        assert_non_null(one);
        one->events = calloc(1, sizeof *one->events);
        assert_non_null(one->events);
        one->n_groups = all->n_groups;
        one->top_k = all->top_k;
        one->chunk_size = all->chunk_size;
        one->n_events = 1;
        one->events[0] = all->events[i];
        all->events[i].hits = NULL;
        all->events[i].n_hits = 0;
        drt_answer_free(all);
        tell(&shown, (news){.kind = NEWS_EVENT, .work = WORK_ASK, .answer = one});
    }
    assert_int_equal(model_trace(&shown.model)->n_events, 2);
    assert_int_equal(model_trace(&shown.model)->n_steps, 1);
    assert_int_equal(model_trace(&shown.model)->bm25[0][0], -1);
    assert_int_equal(model_hit(&shown.model)->chunk, 3);
    for (int pane = 0; pane < PANE_COUNT; pane++) { /* every view can draw it */
        shown.focus = (pane_id)pane;
        fixture_shows(&shown, 60, 200, "Odo");
        for (const char *keys = "\r][w+-pc.,jk"; *keys; keys++) {
            fixture_press(&shown, (ui_key)*keys);
            fixture_shows(&shown, 60, 200, "Odo");
        }
        fixture_press(&shown, UI_KEY_ESCAPE);
    }
    finish(&shown, NULL, NULL, DRT_FINISH_END);
    assert_null(shown.model.turns[0].live);
    assert_int_equal(model_trace(&shown.model)->n_events, 4);
    front_free(&shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evidence_is_the_heaviest_of_each_chunk),
        cmocka_unit_test(tokens_keep_their_text_among_the_marks),
        cmocka_unit_test(marks_and_tokens_move_the_place),
        cmocka_unit_test(how_questions_are_asked_can_be_chosen),
        cmocka_unit_test(a_question_can_be_begun_from_every_pane),
        cmocka_unit_test(turns_can_be_walked),
        cmocka_unit_test(one_answer_at_a_time),
        cmocka_unit_test(golden_screens),
        cmocka_unit_test(long_texts_scroll),
        cmocka_unit_test(live_retrievals_are_there_before_the_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
