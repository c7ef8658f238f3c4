/* Units of model.c and news.c: looking up, and what the worker's messages change. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "ui/news.h"

static news *message(news_kind kind, work_kind about, const char *text) {
    news *made = calloc(1, sizeof *made);
    assert_non_null(made);
    made->kind = kind;
    made->work = about;
    made->chunk = -1;
    assert_true(model_string_set(&made->text, text, text ? strlen(text) : 0));
    return made;
}

static void chunks_lead_to_their_documents(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    fixture_documents(&shown);
    assert_int_equal(model_document_of_chunk(&shown.model, 0)->id, 1);
    assert_int_equal(model_document_of_chunk(&shown.model, 19)->id, 1);
    assert_int_equal(model_document_of_chunk(&shown.model, 20)->id, 2);
    assert_int_equal(model_document_of_chunk(&shown.model, 37)->id, 5); /* 4 has no chunks */
    assert_int_equal(model_document_of_chunk(&shown.model, 63)->id, 9);
    assert_null(model_document_of_chunk(&shown.model, 64));
    assert_null(model_document_of_chunk(&shown.model, -1));
    assert_int_equal(model_document(&shown.model, 4)->status, DRT_DOCUMENT_SKIPPED);
    assert_null(model_document(&shown.model, 10));
    front_free(&shown);
}

static void places_stay_within_the_trace(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    model_set_place(&shown.model, (trace_place){5, 5, 5, 5}); /* without a trace */
    assert_null(model_hit(&shown.model));
    fixture_answer(&shown);
    model_set_place(&shown.model, (trace_place){9, 9, 99, 999});
    assert_int_equal(shown.model.place.step, 1);
    assert_int_equal(shown.model.place.group, 1);
    assert_int_equal(model_hit(&shown.model)->rank, 4);
    assert_int_equal(shown.model.place.token, model_trace(&shown.model)->n_tokens - 1);
    model_set_place(&shown.model, (trace_place){-1, -1, 0, 0});
    assert_int_equal(model_hit(&shown.model)->chunk, 3);
    const uint8_t *shares = trace_attention(model_trace(&shown.model), 2, 1, 3);
    assert_int_equal(shares[2], 200);
    assert_null(trace_attention(model_trace(&shown.model), 999, 0, 0));
    assert_null(trace_attention(model_trace(&shown.model), 0, 2, 0));
    front_free(&shown);
}

static void an_answer_streams_into_its_turn(void **state) {
    (void)state;
    ui_model model = {.passage = {.chunk = -1}};
    assert_true(model_begin_turn(&model, "Who?", 4));
    assert_int_equal(model.answering, ANSWER_LOADING);
    model_take_news(&model, message(NEWS_MODEL, WORK_ASK, "cpu"));
    assert_int_equal(model.answering, ANSWER_RETRIEVING);
    model_take_news(&model, message(NEWS_TOKEN, WORK_ASK, "Odo"));
    assert_int_equal(model_take_news(&model, message(NEWS_TOKEN, WORK_ASK, " Veldt")), CHANGED_TURNS);
    assert_string_equal(model.turns[0].text.data, "Odo Veldt");
    assert_int_equal(model.answering, ANSWER_WRITING);
    news *whole = message(NEWS_ANSWER, WORK_ASK, NULL);
    whole->answer = fixture_trace();
    assert_int_equal(model_take_news(&model, whole), CHANGED_TURNS | CHANGED_PLACE);
    assert_int_equal(model.answering, ANSWER_IDLE);
    assert_string_equal(model.turns[0].text.data, model_trace(&model)->answer.data);
    assert_true(model_begin_turn(&model, "And?", 4));
    model_take_news(&model, message(NEWS_FAILED, WORK_ASK, "the library is empty"));
    assert_string_equal(model.turns[1].error.data, "the library is empty");
    assert_int_equal(model.answering, ANSWER_IDLE);
    model_take_news(&model, message(NEWS_TOKEN, WORK_ASK, "late")); /* nobody waits for it */
    assert_null(model.turns[1].text.data);
    model_free(&model);
}

static void an_ingest_is_followed_to_its_end(void **state) {
    (void)state;
    ui_model model = {0};
    model_begin_ingest(&model, "books.zip");
    assert_true(model.ingest.running);
    for (int second = 1; second <= 5; second++) {
        news *progress = message(NEWS_PROGRESS, WORK_INGEST, "books.zip/a.txt");
        progress->progress = (drt_progress){
            .bytes_total = 10000, .bytes_done = 1000 * second, .tokens = 200 * second, .seconds = second};
        assert_int_equal(model_take_news(&model, progress), CHANGED_INGEST);
    }
    assert_true(model.ingest.bytes_per_second > 999 && model.ingest.bytes_per_second < 1001);
    news *member = message(NEWS_MEMBER, WORK_INGEST, NULL);
    member->status = DRT_DOCUMENT_SKIPPED;
    assert_true(model_string_set(&member->path, "books.zip/x", 11));
    model_take_news(&model, member);
    assert_string_equal(model.ingest.failures[0].path.data, "books.zip/x");
    model_take_news(&model, message(NEWS_INGESTED, WORK_INGEST, NULL));
    assert_true(model.ingest.finished && !model.ingest.running);
    model_free(&model);
}

static void failures_land_where_they_belong(void **state) {
    (void)state;
    ui_model model = {0};
    assert_int_equal(model_take_news(&model, message(NEWS_FAILED, WORK_LIBRARY, "no library")), CHANGED_LIBRARY);
    assert_string_equal(model.library_error.data, "no library");
    assert_int_equal(model_take_news(&model, message(NEWS_FAILED, WORK_CHUNK, "gone")), CHANGED_PASSAGE);
    assert_string_equal(model.passage.error.data, "gone");
    assert_int_equal(model_take_news(&model, message(NEWS_FAILED, WORK_TEXT, "no text")), CHANGED_DOCUMENT);
    assert_string_equal(model.document.error.data, "no text");
    model.removing = 2;
    model_take_news(&model, message(NEWS_FAILED, WORK_REMOVE, "in use"));
    assert_string_equal(model.notice_text.data, "in use");
    assert_int_equal(model.notice, NOTICE_ERROR);
    assert_int_equal(model.removing, 1);
    model_take_news(&model, message(NEWS_DONE, WORK_REMOVE, NULL));
    assert_int_equal(model.removing, 0);
    assert_int_equal(model.notice, NOTICE_INFO);
    model_free(&model);
}

static drt_document *rows_of(const int64_t *ids, size_t n) {
    drt_document *rows = calloc(n, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++) {
        rows[i].id = ids[i];
        assert_true(model_string_set(&rows[i].path, "a.txt", 5));
    }
    return rows;
}

static void marks_stay_with_their_documents(void **state) {
    (void)state;
    ui_model model = {0};
    assert_true(model_set_documents(&model, rows_of((int64_t[]){1, 3, 5, 7}, 4), 4));
    static const int64_t order[] = {5, 1, 7, 5, 4};
    for (size_t i = 0; i < 5; i++)
        model_mark(&model, order[i], true); /* one twice, one that is not there */
    assert_int_equal(model.n_marked, 3);
    model_mark(&model, 1, false);
    assert_false(model_is_marked(&model, 1));
    assert_true(model_is_marked(&model, 5) && model_is_marked(&model, 7));
    assert_true(model_set_documents(&model, rows_of((int64_t[]){3, 7, 9}, 3), 3));
    assert_int_equal(model.n_marked, 1);
    assert_true(model_is_marked(&model, 7));
    model_free(&model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chunks_lead_to_their_documents),  cmocka_unit_test(places_stay_within_the_trace),
        cmocka_unit_test(an_answer_streams_into_its_turn), cmocka_unit_test(an_ingest_is_followed_to_its_end),
        cmocka_unit_test(failures_land_where_they_belong), cmocka_unit_test(marks_stay_with_their_documents),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
