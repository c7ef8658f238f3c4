/* The evaluation's parts (text in passes, where sentences go, what counts as right, how sure a share is) and one small
 * evaluation of each kind. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/bench/bench.h"
#include "engine/eval/eval.h"
#include "engine/eval/judge.h"
#include "engine/session/chunker.h"
#include "tests/base/scratch.h"

#define FACTS 40

typedef struct {
    drt_context *context;
    drt_device *device;
    drt_model *model;
    scratch scratch;
    bool cancelled;
} eval_case;

static bool is_cancelled(void *user) {
    return ((eval_case *)user)->cancelled;
}

static int setup(void **state) {
    eval_case *t = calloc(1, sizeof *t);
    drt_context_params params = {.cancelled = is_cancelled, .user = t};
    assert_non_null(t);
    t->context = drt_context_new(&params);
    scratch_model(t->context, NULL, 2, &t->device, &t->model);
    scratch_open(&t->scratch);
    *state = t;
    return 0;
}

static int teardown(void **state) {
    eval_case *t = *state;
    scratch_close(&t->scratch);
    drt_model_free(t->model);
    drt_device_close(t->device);
    drt_context_free(t->context);
    free(t);
    return 0;
}

static void collect(eval_case *t, int64_t tokens, drt_hay *hay) {
    static const char *const paths[] = {DRT_SOURCE_DIR "/samples/texts"};
    assert_int_equal(drt_hay_collect(t->context, t->model->tokenizer, paths, 1, tokens, hay), DRT_OK);
}

/* ------------------------------------------------------------------------------- hay ------ */

static void hay_has_lines_with_their_tokens(void **state) {
    eval_case *t = *state;
    drt_hay hay;
    int64_t tokens = 0;
    collect(t, 5000, &hay);
    for (size_t i = 0; i < hay.n_paragraphs; i++) {
        const drt_hay_paragraph *p = &hay.paragraphs[i];
        int64_t pieces;
        assert_int_equal(drt_hay_count(t->context, t->model->tokenizer, hay.text.data + p->start, p->length, &pieces),
                         DRT_OK);
        assert_int_equal(p->tokens, pieces + 1);
        assert_null(memchr(hay.text.data + p->start, '\n', p->length));
        tokens += p->tokens;
    }
    assert_int_equal(tokens, hay.tokens);
    assert_in_range(hay.tokens, 5000, 6000); /* reading stops when there is enough */
    drt_hay_free(&hay);
}

static void hay_says_what_is_missing(void **state) {
    eval_case *t = *state;
    const char *const paths[] = {"/nonexistent/books", t->scratch.folder};
    drt_hay hay;
    assert_int_equal(drt_hay_collect(t->context, t->model->tokenizer, paths, 1, 5000, &hay), DRT_FAILED);
    assert_non_null(strstr(drt_error(t->context), "/nonexistent/books"));
    assert_int_equal(drt_hay_collect(t->context, t->model->tokenizer, paths + 1, 1, 5000, &hay), DRT_FAILED);
    assert_non_null(strstr(drt_error(t->context), "no text"));
}

static void passes_have_every_paragraph_once(void **state) {
    eval_case *t = *state;
    drt_hay hay;
    drt_hay_cursor cursor;
    collect(t, 3000, &hay);
    size_t n = hay.n_paragraphs;
    size_t *order = calloc(3 * n, sizeof *order);
    assert_non_null(order);
    assert_int_equal(drt_hay_cursor_open(t->context, &hay, 7, &cursor), DRT_OK);
    for (size_t i = 0; i < 3 * n; i++)
        order[i] = (size_t)(drt_hay_next(&cursor) - hay.paragraphs);
    for (size_t pass = 0; pass < 3; pass++)
        for (size_t wanted = 0; wanted < n; wanted++) {
            size_t count = 0;
            for (size_t i = 0; i < n; i++)
                count += order[pass * n + i] == wanted;
            assert_int_equal(count, 1);
        }
    for (size_t i = 0; i < n; i++)
        assert_int_equal(order[i], i); /* the first as the text has it */
    assert_true(memcmp(order, order + n, n * sizeof *order) != 0);
    assert_true(memcmp(order + n, order + 2 * n, n * sizeof *order) != 0);
    drt_hay_cursor_close(&cursor);
    assert_int_equal(drt_hay_cursor_open(t->context, &hay, 8, &cursor), DRT_OK);
    size_t same = 0;
    for (size_t i = 0; i < 2 * n; i++)
        same += (size_t)(drt_hay_next(&cursor) - hay.paragraphs) == order[i];
    assert_in_range(same, n, n + n / 4); /* another seed shuffles otherwise */
    drt_hay_cursor_close(&cursor);
    free(order);
    drt_hay_free(&hay);
}

static void cuts_end_with_words(void **state) {
    eval_case *t = *state;
    static const char text[] = "The harbour book of Tolbeck was kept by the widow Marrowby.";
    for (int64_t tokens = 0; tokens < 30; tokens++) {
        size_t kept;
        int64_t count, pieces;
        assert_int_equal(drt_hay_cut(t->context, t->model->tokenizer, text, sizeof text - 1, tokens, &kept, &count),
                         DRT_OK);
        assert_true(count <= tokens);
        assert_true(kept == 0 || text[kept] == ' ' || text[kept] == '\0');
        if (kept > 0) {
            assert_int_equal(drt_hay_count(t->context, t->model->tokenizer, text, kept, &pieces), DRT_OK);
            assert_int_equal(count, pieces + 1);
        }
        assert_true(tokens < 2 || tokens - count < 8 || kept == sizeof text - 1);
        assert_true(tokens < 29 || kept == sizeof text - 1);
    }
}

/* ------------------------------------------------------------------------------ plant ----- */

typedef struct {
    drt_buffer text; /* all files, a blank line between them */
    int64_t tokens;
    size_t files;
} written;

static void read_folder(eval_case *t, const char *folder, written *w) {
    *w = (written){0};
    for (;; w->files++) {
        char name[32];
        drt_string path = {0};
        drt_chunks chunks;
        snprintf(name, sizeof name, "hay-%zu.txt", w->files);
        assert_true(drt_path_join(&path, folder, name));
        if (access(path.data, R_OK) != 0) {
            drt_string_free(&path);
            return;
        }
        assert_true(w->files == 0 || drt_buffer_append_text(&w->text, "\n\n"));
        size_t start = w->text.length;
        assert_int_equal(drt_file_read(t->context, path.data, 1 << 24, &w->text), DRT_OK);
        assert_int_equal(drt_chunks_build(t->context, t->model->tokenizer, drt_model_config(t->model)->chunk_size,
                                          w->text.data + start, w->text.length - start, &chunks),
                         DRT_OK);
        w->tokens += chunks.n_tokens;
        drt_chunks_clear(&chunks);
        drt_string_free(&path);
    }
}

static void write_needles(eval_case *t, const drt_hay *hay, int64_t tokens, drt_needle *needles, size_t n, written *w) {
    drt_string folder = {0};
    drt_hay_cursor cursor;
    assert_true(drt_path_join(&folder, t->scratch.folder, "folder"));
    assert_int_equal(drt_bench_make_folder(t->context, folder.data), DRT_OK);
    assert_int_equal(drt_hay_cursor_open(t->context, hay, 1, &cursor), DRT_OK);
    assert_int_equal(drt_needles_write(t->context, t->model->tokenizer, &cursor, folder.data, tokens, needles, n),
                     DRT_OK);
    drt_hay_cursor_close(&cursor);
    read_folder(t, folder.data, w);
    drt_bench_scratch_remove(&folder);
}

static void lengths_are_met(void **state) {
    eval_case *t = *state;
    static const int64_t lengths[] = {1000, 1024, 4096, 16384, 300000};
    drt_hay hay;
    drt_needle *needles;
    collect(t, 20000, &hay); /* up to fifteen passes */
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        written w;
        assert_int_equal(drt_needles_make(t->context, 1, 4, &needles), DRT_OK);
        write_needles(t, &hay, lengths[i], needles, 4, &w);
        assert_in_range(w.tokens, lengths[i] - 63, lengths[i] + 63);
        assert_int_equal(w.files > 1, lengths[i] == 300000);
        drt_needles_free(needles, 4);
        drt_buffer_free(&w.text);
    }
    drt_hay_free(&hay);
}

/* Takes each sentence out of the text; *depth is where it stood. */
static void take_out(drt_buffer *text, const drt_place *place) {
    char *found = strstr(text->data, place->sentence->data);
    assert_non_null(found);
    size_t at = (size_t)(found - text->data), length = place->sentence->length;
    assert_true(fabs((double)at / (double)text->length - place->depth) < 0.03);
    assert_true(at == 0 || text->data[at - 1] == ' ');
    bool last = text->data[at + length] == '\0' || text->data[at + length] == '\n';
    assert_true(last || text->data[at + length] == ' ');
    if (last) { /* it followed a word */
        at--;
        found--;
    }
    memmove(found, found + length + 1, text->length - at - length);
    text->length -= length + 1;
}

static void sentences_stand_between_words(void **state) {
    eval_case *t = *state;
    drt_hay hay;
    drt_needle *needles;
    written with, without;
    int64_t all = 0;
    collect(t, 20000, &hay);
    assert_int_equal(drt_needles_make(t->context, 5, FACTS, &needles), DRT_OK);
    write_needles(t, &hay, 20000, needles, FACTS, &with);
    for (size_t i = 0; i < FACTS; i++)
        for (size_t s = 0; s < needles[i].fact.n_sentences; s++) {
            int64_t pieces;
            const drt_string *text = needles[i].places[s].sentence;
            assert_int_equal(drt_hay_count(t->context, t->model->tokenizer, text->data, text->length, &pieces), DRT_OK);
            all += pieces;
            take_out(&with.text, &needles[i].places[s]);
        }
    write_needles(t, &hay, 20000 - all, NULL, 0, &without);
    assert_int_equal(with.text.length, without.text.length);
    assert_memory_equal(with.text.data, without.text.data, with.text.length);
    drt_needles_free(needles, FACTS);
    drt_buffer_free(&with.text);
    drt_buffer_free(&without.text);
    drt_hay_free(&hay);
}

static void depths_are_even_and_two_hops_far_apart(void **state) {
    eval_case *t = *state;
    enum { n = 2000, TENTHS = 10 };
    drt_needle *needles;
    size_t count[2][TENTHS] = {{0}};
    assert_int_equal(drt_needles_make(t->context, 11, n, &needles), DRT_OK);
    for (size_t i = 0; i < n; i++)
        for (size_t s = 0; s < 2; s++) {
            double depth = needles[i].places[s].depth, apart = fabs(depth - needles[i].places[0].depth);
            assert_true(depth >= 0 && depth < 1);
            assert_true(s == 0 || (apart > 0.299 && apart < 0.701));
            count[s][(size_t)(depth * TENTHS)]++;
        }
    for (size_t s = 0; s < 2; s++)
        for (size_t i = 0; i < TENTHS; i++)
            assert_in_range(count[s][i], n / TENTHS - 54, n / TENTHS + 54); /* four standard deviations */
    drt_needles_free(needles, n);
}

/* ------------------------------------------------------------------------------ score ----- */

static void assert_same(eval_case *t, const char *answer, const char *expected, bool wanted) {
    drt_string a = {0}, b = {0};
    bool right;
    assert_true(drt_string_set(&a, answer, strlen(answer)) && drt_string_set(&b, expected, strlen(expected)));
    assert_int_equal(drt_judge(t->context, &a, &b, &right), DRT_OK);
    if (right != wanted)
        fail_msg("'%s' and '%s' should%s be the same", answer, expected, wanted ? "" : " not");
    drt_string_free(&a);
    drt_string_free(&b);
}

static void answers_are_judged_as_by_the_script(void **state) {
    eval_case *t = *state;
    assert_same(t, "Elston", "Elston", true);
    assert_same(t, "  elston. ", "Elston", true);
    assert_same(t, "The 84,000 crowns.", "84000 crowns", true);
    assert_same(t, "\xe2\x80\x9cKofi\xe2\x80\x9d\xe2\x80\x94Marsh", "kofimarsh", true);
    assert_same(t, "an anchor", "a anchor", true);
    assert_same(t, "\xef\xbc\x95\xef\xbc\x94", "54", true); /* wide digits */
    assert_same(t, "CAF\xc3\x89", "cafe\xcc\x81", true);
    assert_same(t, "the a an", "", true);
    assert_same(t, "Elston, Dalby", "Elston", false);
    assert_same(t, "49", "049", false);
    assert_same(t, "Kofi Marsh", "KofiMarsh", false);
    assert_same(t, "", "key", false);
    assert_same(t, "theatre", "atre", false);
}

static void intervals_are_wilsons(void **state) {
    static const struct {
        int right, asked;
        double low, high;
    } known[] = {
        /* Newcombe 1998, table I, and round figures */
        {81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611},
        {1, 29, 0.0061, 0.1718},   {10, 10, 0.7225, 1},       {5, 10, 0.2366, 0.7634},
    };
    (void)state;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        double low, high;
        drt_wilson(known[i].right, known[i].asked, &low, &high);
        assert_true(fabs(low - known[i].low) < 6e-5);
        assert_true(fabs(high - known[i].high) < 6e-5);
    }
}

static void room_is_counted_before_anything_is_made(void **state) {
    eval_case *t = *state;
    drt_eval_params params = drt_eval_params_default();
    int64_t bytes = drt_eval_disk_bytes(drt_model_config(t->model), DRT_MEMORY_INT8, 64 << 20);
    assert_true(bytes > 27e9 && bytes < 32e9);
    assert_int_equal(drt_bench_check_space(t->context, t->scratch.folder, 1), DRT_OK);
    assert_int_equal(drt_bench_check_space(t->context, t->scratch.folder, INT64_MAX), DRT_FAILED);
    assert_non_null(strstr(drt_error(t->context), t->scratch.folder));
    assert_non_null(strstr(drt_error(t->context), "9223372036.9 GB"));
    params.directory = "/nonexistent/scratch";
    assert_int_equal(drt_eval_check(t->context, t->model, &params), DRT_FAILED);
    assert_non_null(strstr(drt_error(t->context), "/nonexistent/scratch"));
    params.directory = t->scratch.folder;
    params.tokens = 999;
    assert_int_equal(drt_eval_check(t->context, t->model, &params), DRT_FAILED);
    params.tokens = 1024;
    params.needles = 0;
    assert_int_equal(drt_eval_check(t->context, t->model, &params), DRT_FAILED);
}

/* -------------------------------------------------------------------------- evaluations --- */

typedef struct {
    eval_case *t;
    int results, located, cancel_after;
    int lanes;      /* set by the test */
    char said[512]; /* all answers */
} seen;

static void on_result(void *user, const drt_eval_result *result) {
    seen *s = user;
    s->results++;
    strncat(s->said, result->answer->answer.data, 20);
    for (size_t i = 0; i < result->n_sentences; i++)
        s->located += result->sentences[i].last_chunk >= result->sentences[i].first_chunk;
    s->t->cancelled = s->results == s->cancel_after;
}

static drt_status evaluate(eval_case *t, bool pass_keys, int needles, int cancel_after, seen *s,
                           drt_eval_report *report) {
    static const char *const paths[] = {DRT_SOURCE_DIR "/samples/texts"};
    drt_eval *eval;
    drt_eval_params params = drt_eval_params_default();
    *s = (seen){.t = t, .cancel_after = cancel_after, .lanes = s->lanes};
    params.lanes = s->lanes;
    params.pass_keys = pass_keys;
    params.tokens = 2048;
    params.needles = needles;
    params.directory = t->scratch.folder;
    params.result = on_result;
    params.user = s;
    assert_int_equal(drt_eval_open(t->context, t->model, paths, 1, params.tokens, &eval), DRT_OK);
    drt_status status = drt_eval_run(t->context, eval, &params, report);
    t->cancelled = false;
    drt_eval_close(eval);
    scratch_check_empty(&t->scratch);
    return status;
}

static void facts_are_hidden_and_found(void **state) {
    eval_case *t = *state;
    drt_eval_report report;
    seen s = {.lanes = 1};
    assert_int_equal(evaluate(t, false, 12, 0, &s, &report), DRT_OK);
    const drt_eval_score *one = &report.scores[DRT_EVAL_ONE_HOP], *two = &report.scores[DRT_EVAL_TWO_HOP];
    assert_int_equal(one->asked + two->asked, 12);
    assert_int_equal(report.scores[DRT_EVAL_PASS_KEY].asked, 0);
    assert_int_equal(s.results, 12);
    assert_int_equal(s.located, one->asked + 2 * two->asked);
    assert_int_equal(report.libraries, 2); /* eight facts have room */
    assert_int_equal(report.together, 6);
    assert_true(one->right >= one->asked - 1);
    assert_true(one->found_first[0] >= one->right && one->found_first[0] <= one->found_any[0]);
    assert_true(one->low < 1 && one->low > 0.4 && one->high > 0.9);
    assert_in_range(report.tokens, 2048 - 63, 2048 + 63);
    assert_in_range(report.chunks, 32, 35);
    assert_true(report.retrieval_ms > 0 && report.retrieval_ms < report.first_token_ms);
    assert_true(report.ask_seconds > 0 && report.ask_seconds < report.seconds);
    assert_int_equal(report.device_bytes, 0);
    assert_true(report.first_token_ms > 0 && report.first_token_ms <= report.slowest_ms);
    assert_true(report.ingest_rate > 0 && report.library_bytes > report.chunks * 25000);
}

static void lanes_change_nothing(void **state) {
    eval_case *t = *state;
    drt_eval_report one_by_one, together;
    seen a = {.lanes = 1}, b = {.lanes = 3};
    assert_int_equal(evaluate(t, false, 8, 0, &a, &one_by_one), DRT_OK);
    assert_int_equal(evaluate(t, false, 8, 0, &b, &together), DRT_OK);
    assert_string_equal(a.said, b.said);
    for (int k = 0; k < DRT_EVAL_KINDS; k++) {
        assert_int_equal(one_by_one.scores[k].asked, together.scores[k].asked);
        assert_int_equal(one_by_one.scores[k].right, together.scores[k].right);
    }
}

static void pass_keys_come_one_at_a_time(void **state) {
    eval_case *t = *state;
    drt_eval_report report;
    seen s = {.lanes = 1};
    assert_int_equal(evaluate(t, true, 6, 0, &s, &report), DRT_OK);
    assert_int_equal(report.scores[DRT_EVAL_PASS_KEY].asked, 6);
    assert_true(report.scores[DRT_EVAL_PASS_KEY].right >=
                5); /* had one stayed, its successors would be mistaken for it */
    assert_int_equal(report.libraries, 1);
    assert_int_equal(report.scores[DRT_EVAL_ONE_HOP].asked + report.scores[DRT_EVAL_TWO_HOP].asked, 0);
}

static void a_cancelled_one_leaves_nothing(void **state) {
    eval_case *t = *state;
    drt_eval_report report;
    seen s = {.lanes = 1};
    assert_int_equal(evaluate(t, false, 6, 2, &s, &report), DRT_FAILED);
    assert_int_equal(s.results, 2);
    assert_non_null(strstr(drt_error(t->context), "cancelled"));
    s.lanes = 4;
    assert_int_equal(evaluate(t, false, 6, 2, &s, &report), DRT_FAILED);
    assert_int_equal(s.results, 2);
    assert_non_null(strstr(drt_error(t->context), "cancelled"));
    assert_int_equal(evaluate(t, true, 6, 2, &s, &report), DRT_FAILED);
    assert_int_equal(s.results, 2);
    assert_non_null(strstr(drt_error(t->context), "cancelled"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hay_has_lines_with_their_tokens),
        cmocka_unit_test(hay_says_what_is_missing),
        cmocka_unit_test(passes_have_every_paragraph_once),
        cmocka_unit_test(cuts_end_with_words),
        cmocka_unit_test(lengths_are_met),
        cmocka_unit_test(sentences_stand_between_words),
        cmocka_unit_test(depths_are_even_and_two_hops_far_apart),
        cmocka_unit_test(answers_are_judged_as_by_the_script),
        cmocka_unit_test(intervals_are_wilsons),
        cmocka_unit_test(room_is_counted_before_anything_is_made),
        cmocka_unit_test(facts_are_hidden_and_found),
        cmocka_unit_test(lanes_change_nothing),
        cmocka_unit_test(pass_keys_come_one_at_a_time),
        cmocka_unit_test(a_cancelled_one_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
