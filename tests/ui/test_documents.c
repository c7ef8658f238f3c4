/* The documents: the tree, folding, the filter, marks; reading one; the ingest and its report; removing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "golden.h"
#include "ui/document_tree.h"
#include "ui/fold.h"
#include "ui/news.h"

static drt_string owned(const char *text) {
    drt_string out = {0};
    assert_true(model_string_set(&out, text, strlen(text)));
    return out;
}

/* ------------------------------------------------------------------------------------ tree ---- */

static drt_document *rows_of(const char *const *paths, size_t n) {
    drt_document *rows = calloc(n, sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++)
        rows[i] = (drt_document){.id = (int64_t)i + 1, .path = owned(paths[i]), .bytes = 10, .chunks = 2};
    return rows;
}

static void free_rows(drt_document *rows, size_t n) {
    for (size_t i = 0; i < n; i++)
        drt_document_clear(&rows[i]);
    free(rows);
}

/* The shown rows as "depth:name " in one line. */
static void rows_text(const document_tree *tree, const drt_document *rows, char *out, size_t size) {
    *out = '\0';
    for (size_t i = 0; i < tree->n_rows; i++) {
        const tree_node *node = &tree->nodes[tree->rows[i]];
        size_t used = strlen(out);
        snprintf(out + used, size - used, "%d:%.*s ", node->depth, (int)(node->end - node->start),
                 rows[node->document].path.data + node->start);
    }
}

static void check_rows(const document_tree *tree, const drt_document *rows, const char *wanted) {
    char text[1024];
    rows_text(tree, rows, text, sizeof text);
    assert_string_equal(text, wanted);
}

static const char *const paths[] = {"z.txt", "a.zip/b/c/2.txt", "a.zip/b/c/1.txt", "a.zip", "a-b.txt", "/abs/x",
                                    "d//e"};
#define N_PATHS (sizeof paths / sizeof *paths)

static void paths_make_branches(void **state) {
    (void)state;
    document_tree tree = {0};
    drt_document *rows = rows_of(paths, N_PATHS);
    assert_true(tree_build(&tree, rows, N_PATHS));
    tree_show(&tree, rows, "", 0, true);
    check_rows(&tree, rows, "0:/abs/ 1:x 0:a-b.txt 0:a.zip 0:a.zip/b/c/ 1:1.txt 1:2.txt 0:d/ 1:/e 0:z.txt ");
    const tree_node *branch = &tree.nodes[tree.rows[4]];
    assert_int_equal(branch->documents, 2);
    assert_int_equal(branch->chunks, 4);
    assert_int_equal(branch->bytes, 20);
    free_rows(rows, N_PATHS);
    tree_free(&tree);
}

static void folding_outlives_a_new_list(void **state) {
    (void)state;
    static const char *const more[] = {"a.zip/b/c/0.txt", "a.zip/b/c/2.txt", "b.zip/1", "b.zip/2"};
    document_tree tree = {0};
    drt_document *rows = rows_of(paths, N_PATHS);
    assert_true(tree_build(&tree, rows, N_PATHS));
    tree_show(&tree, rows, "", 0, true);
    tree_fold(&tree, rows, tree.rows[4], true);
    tree_show(&tree, rows, "", 0, true);
    check_rows(&tree, rows, "0:/abs/ 1:x 0:a-b.txt 0:a.zip 0:a.zip/b/c/ 0:d/ 1:/e 0:z.txt ");
    assert_int_equal(tree_row_of(&tree, tree_node_of(&tree, 1)), 4); /* folded into its branch */
    tree_show(&tree, rows, "2", 1, true);                            /* the filter opens it */
    check_rows(&tree, rows, "0:a.zip/b/c/ 1:2.txt ");
    free_rows(rows, N_PATHS);
    rows = rows_of(more, 4);
    assert_true(tree_build(&tree, rows, 4));
    tree_show(&tree, rows, "", 0, true);
    check_rows(&tree, rows, "0:a.zip/b/c/ 0:b.zip/ 1:1 1:2 ");
    tree_fold(&tree, rows, 0, false);
    tree_show(&tree, rows, "", 0, true);
    check_rows(&tree, rows, "0:a.zip/b/c/ 1:0.txt 1:2.txt 0:b.zip/ 1:1 1:2 ");
    free_rows(rows, 4);
    tree_free(&tree);
}

static void deep_and_empty_paths_are_rows_too(void **state) {
    (void)state;
    char deep[1200];
    const char *const odd[] = {deep, "", "/", "a/", "a/b"};
    for (size_t i = 0; i < sizeof deep - 1; i++)
        deep[i] = i % 2 ? '/' : 'x';
    deep[sizeof deep - 1] = '\0';
    document_tree tree = {0};
    drt_document *rows = rows_of(odd, 5);
    assert_true(tree_build(&tree, rows, 5));
    tree_show(&tree, rows, "", 0, true);
    assert_int_equal(tree.matches, 5);
    free_rows(rows, 5);
    assert_true(tree_build(&tree, NULL, 0));
    tree_show(&tree, NULL, "", 0, true);
    assert_int_equal(tree.n_rows, 0);
    tree_free(&tree);
}

/* -------------------------------------------------------------------------------- documents ---- */

typedef struct {
    front shown;
    fixture_outside outside;
} scene;

static void open_scene(scene *s) {
    fixture_open(&s->shown, &s->outside);
    fixture_documents(&s->shown);
}

static bool shows(scene *s, const char *text) {
    return fixture_shows(&s->shown, 24, 80, text);
}

static void the_filter_ignores_case_in_every_script(void **state) {
    (void)state;
    static const char *const names[] = {"Котик.txt", "Über-Straße.txt", "Ähre.txt",
                                        "plain.txt", "文件搜索.txt",    "another.txt"};
    static const struct {
        const char *typed, *wanted, *other;
    } cases[] = {{"котик", "Котик", "plain"},
                 {"über", "Über", "another"},
                 {"ähre", "Ähre", "plain"},
                 {"搜索", "文件", "plain"},
                 {"PLAIN", "plain", "Котик"}};
    scene s;
    fixture_open(&s.shown, &s.outside);
    assert_true(model_set_documents(&s.shown.model, rows_of(names, 6), 6));
    front_changed(&s.shown, CHANGED_DOCUMENTS);
    for (size_t i = 0; i < 5; i++) {
        uint32_t code;
        fixture_press(&s.shown, '/');
        for (size_t at = 0, n; at < strlen(cases[i].typed); at += n) {
            n = drt_utf8_decode(cases[i].typed + at, strlen(cases[i].typed) - at, &code);
            fixture_press(&s.shown, code);
        }
        assert_true(shows(&s, cases[i].wanted));
        assert_false(shows(&s, cases[i].other));
        fixture_press(&s.shown, UI_KEY_ENTER); /* it stays */
        assert_false(shows(&s, cases[i].other));
        fixture_press(&s.shown, UI_KEY_ESCAPE);
        assert_true(shows(&s, cases[i].other));
    }
    front_free(&s.shown);
}

static void documents_open_and_skipped_ones_say_why(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    fixture_press(&s.shown, UI_KEY_DOWN); /* books.zip -> lighthouse.txt */
    fixture_press(&s.shown, UI_KEY_ENTER);
    assert_int_equal(s.outside.last.kind, ACTION_OPEN_DOCUMENT);
    assert_int_equal(s.outside.last.number, 1);
    fixture_press(&s.shown, '/');
    fixture_type(&s.shown, "scan");
    fixture_press(&s.shown, UI_KEY_ENTER);
    s.outside.count = 0;
    fixture_press(&s.shown, UI_KEY_ENTER);
    assert_int_equal(s.outside.count, 0);
    assert_true(shows(&s, "this format is not known"));
    fixture_press(&s.shown, UI_KEY_ESCAPE);
    assert_true(shows(&s, "scan.pdf"));
    fixture_press(&s.shown, 'x');
    assert_false(shows(&s, "scan.pdf"));
    front_free(&s.shown);
}

static void the_selection_stays_when_the_list_changes(void **state) {
    (void)state;
    static const char *const before[] = {"m.txt", "p.txt"};
    scene s;
    fixture_open(&s.shown, &s.outside);
    assert_true(model_set_documents(&s.shown.model, rows_of(before, 2), 2));
    front_changed(&s.shown, CHANGED_DOCUMENTS);
    fixture_press(&s.shown, UI_KEY_DOWN);
    static const char *const after[] = {"m.txt", "p.txt", "a.txt", "b.txt"};
    assert_true(model_set_documents(&s.shown.model, rows_of(after, 4), 4));
    front_changed(&s.shown, CHANGED_DOCUMENTS);
    fixture_press(&s.shown, UI_KEY_ENTER);
    assert_int_equal(s.outside.last.number, 2);
    front_free(&s.shown);
}

static void one_or_all_marked_are_removed_after_a_question(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    fixture_press(&s.shown, UI_KEY_DOWN);
    fixture_press(&s.shown, 'd');
    assert_true(shows(&s, "remove this document?"));
    fixture_press(&s.shown, UI_KEY_ESCAPE);
    assert_int_equal(s.outside.count, 0);
    fixture_press(&s.shown, 'd');
    fixture_press(&s.shown, UI_KEY_ENTER);
    assert_int_equal(s.outside.last.kind, ACTION_REMOVE);
    assert_int_equal(s.outside.last.number, 1);
    assert_int_equal(s.outside.count, 1);
    fixture_press(&s.shown, UI_KEY_HOME);
    fixture_press(&s.shown, 'm'); /* all of books.zip */
    assert_int_equal(s.shown.model.n_marked, 4);
    fixture_press(&s.shown, UI_KEY_END);
    fixture_press(&s.shown, 'm');
    fixture_press(&s.shown, 'd');
    assert_true(shows(&s, "remove 5 documents?"));
    fixture_press(&s.shown, UI_KEY_ENTER);
    assert_int_equal(s.outside.count, 6);
    assert_int_equal(s.shown.model.n_marked, 0);
    s.shown.model.ingest.running = true;
    fixture_press(&s.shown, 'd');
    assert_int_equal(s.shown.n_overlays, 0);
    front_free(&s.shown);
}

static void golden_documents(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    fixture_press(&s.shown, UI_KEY_DOWN);
    golden_check_sizes("documents", &s.shown);
    fixture_press(&s.shown, 'z');
    golden_check_sizes("documents-zoomed", &s.shown);
    fixture_press(&s.shown, 'z');
    fixture_press(&s.shown, UI_KEY_LEFT);
    fixture_press(&s.shown, 'm');
    fixture_press(&s.shown, 'o');
    golden_check_sizes("documents-folded-marked", &s.shown);
    fixture_press(&s.shown, '/');
    fixture_type(&s.shown, "PAPERS");
    golden_check_sizes("documents-filter", &s.shown);
    fixture_type(&s.shown, "xyz");
    golden_check_sizes("documents-no-match", &s.shown);
    fixture_press(&s.shown, UI_KEY_ESCAPE);
    fixture_press(&s.shown, '/');
    fixture_type(&s.shown, "scan");
    fixture_press(&s.shown, UI_KEY_ENTER);
    golden_check_sizes("documents-skipped", &s.shown);
    fixture_press(&s.shown, 'd');
    golden_check_sizes("remove", &s.shown);
    front_free(&s.shown);
}

/* ----------------------------------------------------------------------------------- reading ---- */

static const char text[] = "The lighthouse stands on a rock of grey slate.\n\n"
                           "The keeper of the lighthouse at Marn is Odo Veldt. He trims the lamp at dusk and writes "
                           "the weather into a red book.\n\nEvery spring the glass is cleaned with vinegar.\n";

static void open_document(scene *s) {
    open_scene(s);
    news *message = calloc(1, sizeof *message);
    assert_non_null(message);
    *message = (news){.kind = NEWS_TEXT, .work = WORK_TEXT, .document = 1, .chunk = -1, .n_borders = 4};
    message->path = owned("books.zip/lighthouse.txt");
    message->text = owned(text);
    message->borders = calloc(4, sizeof *message->borders);
    assert_non_null(message->borders);
    memcpy(message->borders, (int64_t[]){0, 48, 99, 170}, 4 * sizeof(int64_t));
    front_act(&s->shown, &(ui_action){.kind = ACTION_OVERLAY, .overlay = OVERLAY_DOCUMENT, .number = 1});
    assert_true(shows(s, "reading..."));
    front_changed(&s->shown, model_take_news(&s->shown.model, message));
}

static void a_text_is_searched_and_gone_through(void **state) {
    (void)state;
    scene s;
    open_document(&s);
    golden_check_sizes("document", &s.shown);
    fixture_press(&s.shown, '/');
    fixture_type(&s.shown, "LIGHTHOUSE");
    fixture_press(&s.shown, UI_KEY_ENTER);
    assert_true(shows(&s, "bytes 4-14"));
    fixture_press(&s.shown, 'n');
    assert_true(shows(&s, "bytes 66-76"));
    golden_check_sizes("document-found", &s.shown);
    fixture_press(&s.shown, 'n'); /* around the end */
    assert_true(shows(&s, "bytes 4-14"));
    fixture_press(&s.shown, 'N');
    assert_true(shows(&s, "bytes 66-76"));
    fixture_press(&s.shown, ']');
    assert_true(shows(&s, "bytes 99-170"));
    fixture_press(&s.shown, '[');
    assert_true(shows(&s, "bytes 48-99"));
    fixture_press(&s.shown, '[');
    assert_true(shows(&s, "bytes 0-48"));
    front_free(&s.shown);
}

static void bytes_are_gone_to(void **state) {
    (void)state;
    static const struct {
        const char *typed, *shown;
    } cases[] = {{"52-58", "bytes 52-58"},    {"7", "bytes 7-8"},
                 {"100-99999", "bytes 100-"}, {"99999", "has only"},
                 {"5-2", "Bytes are one"},    {"", "Bytes are one"},
                 {"1x", "Bytes are one"},     {"-", "Bytes are one"},
                 {"3-", "Bytes are one"},     {"99999999999999999999999", "only"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scene s;
        open_document(&s);
        fixture_press(&s.shown, 'b');
        fixture_type(&s.shown, cases[i].typed);
        fixture_press(&s.shown, UI_KEY_ENTER);
        if (!shows(&s, cases[i].shown))
            fail_msg("%s: no %s", cases[i].typed, cases[i].shown);
        fixture_press(&s.shown, UI_KEY_ESCAPE);
        assert_int_equal(s.shown.n_overlays, 0);
        front_free(&s.shown);
    }
}

/* ------------------------------------------------------------------------------------ ingest ---- */

static void complete(scene *s, const char *typed, const char *common, const char *const *names, size_t n) {
    news *message = calloc(1, sizeof *message);
    assert_non_null(message);
    *message = (news){.kind = NEWS_COMPLETION, .work = WORK_COMPLETE, .n = n};
    message->path = owned(typed);
    message->text = owned(common);
    message->names = calloc(n + 1, sizeof *message->names);
    assert_non_null(message->names);
    for (size_t i = 0; i < n; i++)
        message->names[i] = owned(names[i]);
    front_changed(&s->shown, model_take_news(&s->shown.model, message));
}

static void a_path_is_completed_and_ingested(void **state) {
    (void)state;
    static const char *const names[] = {"letters/", "letters-1.zip", "letters-2.zip"};
    scene s;
    open_scene(&s);
    fixture_press(&s.shown, 'i');
    fixture_type(&s.shown, "~/le");
    fixture_press(&s.shown, UI_KEY_TAB);
    assert_int_equal(s.outside.last.kind, ACTION_COMPLETE);
    assert_string_equal(s.outside.text, "~/le");
    complete(&s, "~/l", "xxx", names, 1); /* late, of what is not there any more */
    assert_false(shows(&s, "xxx"));
    complete(&s, "~/le", "tters", names, 3);
    assert_true(shows(&s, "~/letters "));
    golden_check_sizes("ingest", &s.shown);
    fixture_type(&s.shown, "/  ");
    assert_false(shows(&s, "letters-1.zip"));
    fixture_press(&s.shown, UI_KEY_TAB);
    complete(&s, "~/letters/  ", "", NULL, 0);
    assert_true(shows(&s, "No name there begins so."));
    fixture_press(&s.shown, UI_KEY_ENTER);
    assert_int_equal(s.outside.last.kind, ACTION_INGEST);
    assert_string_equal(s.outside.text, "~/letters/");
    assert_true(shows(&s, "ingest report"));
    front_free(&s.shown);
}

static void an_empty_path_is_not_ingested(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    fixture_press(&s.shown, 'i');
    fixture_press(&s.shown, UI_KEY_ENTER);
    fixture_type(&s.shown, "  ");
    fixture_press(&s.shown, UI_KEY_ENTER);
    assert_int_equal(s.outside.count, 0);
    assert_int_equal(s.shown.n_overlays, 1);
    front_free(&s.shown);
}

static const drt_stage_facts stages[DRT_STAGES] = {
    {6200000, 0.31, 1}, {84900, 0.45, 2}, {84120, 19.2, 1}, {84120, 0.05, 1}, {84120, 0.9, 1}};

static void run_ingest(scene *s) {
    ui_model *model = &s->shown.model;
    model_begin_ingest(model, "letters.zip");
    model->ingest.members_done = 120;
    model->ingest.members_failed = 2;
    model->ingest.bytes_done = 3000000;
    model->ingest.bytes_total = 12000000;
    model->ingest.bytes_per_second = 150000;
    model->ingest.tokens_per_second = 4321;
    memcpy(model->ingest.stages, stages, sizeof stages);
    model->ingest.chunks = 1402;
    model->ingest.tokens = 84120;
    model->ingest.seconds = 20;
    model->ingest.current = owned("letters.zip/1901/march/to the council.txt");
    static const struct {
        const char *path, *reason;
        drt_document_status status;
    } failed[] = {
        {"letters.zip/photo.jpg", "images hold no text that drt reads", DRT_DOCUMENT_SKIPPED},
        {"letters.zip/1900/torn.txt", "31 characters could not be decoded", DRT_DOCUMENT_PARTIAL},
        {"letters.zip/ledger.xls", "this format is not known", DRT_DOCUMENT_SKIPPED},
    };
    for (size_t i = 0; i < 3; i++) {
        news *message = calloc(1, sizeof *message);
        assert_non_null(message);
        *message = (news){.kind = NEWS_MEMBER, .work = WORK_INGEST, .status = failed[i].status};
        message->path = owned(failed[i].path);
        message->reason = owned(failed[i].reason);
        model_take_news(model, message);
    }
    front_changed(&s->shown, CHANGED_INGEST);
}

static void the_report_follows_an_ingest(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    fixture_press(&s.shown, 'I');
    assert_true(shows(&s, "No ingest since"));
    fixture_press(&s.shown, UI_KEY_ESCAPE);
    run_ingest(&s);
    golden_check_sizes("ingest-behind", &s.shown);
    fixture_press(&s.shown, 'i'); /* one at a time */
    assert_true(shows(&s, "1 min 0 s left"));
    golden_check_sizes("ingest-running", &s.shown);
    fixture_press(&s.shown, 'r');
    assert_int_equal(s.outside.count, 0);
    fixture_press(&s.shown, CONTROL('c'));
    assert_int_equal(s.outside.last.kind, ACTION_COMMAND);
    assert_int_equal(s.outside.last.number, COMMAND_STOP);
    news *message = calloc(1, sizeof *message);
    assert_non_null(message);
    *message = (news){.kind = NEWS_INGESTED, .work = WORK_INGEST};
    message->report = (drt_ingest_report){
        .ok = 119, .partial = 1, .skipped = 2, .chunks = 1402, .tokens = 84120, .seconds = 20.4, .cancelled = true};
    memcpy(message->report.stages, stages, sizeof stages);
    front_changed(&s.shown, model_take_news(&s.shown.model, message));
    golden_check_sizes("ingest-stopped", &s.shown);
    fixture_press(&s.shown, 'r');
    assert_int_equal(s.outside.last.kind, ACTION_INGEST);
    assert_string_equal(s.outside.text, "letters.zip");
    front_free(&s.shown);
}

static void a_failed_ingest_says_why(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    model_begin_ingest(&s.shown.model, "gone.zip");
    news *message = calloc(1, sizeof *message);
    assert_non_null(message);
    *message = (news){.kind = NEWS_FAILED, .work = WORK_INGEST};
    message->text = owned("cannot write town.drt: no space left on device");
    front_changed(&s.shown, model_take_news(&s.shown.model, message));
    fixture_press(&s.shown, 'I');
    assert_true(shows(&s, "no space left on device"));
    golden_check_sizes("ingest-failed", &s.shown);
    front_free(&s.shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_make_branches),
        cmocka_unit_test(folding_outlives_a_new_list),
        cmocka_unit_test(deep_and_empty_paths_are_rows_too),
        cmocka_unit_test(the_filter_ignores_case_in_every_script),
        cmocka_unit_test(documents_open_and_skipped_ones_say_why),
        cmocka_unit_test(the_selection_stays_when_the_list_changes),
        cmocka_unit_test(one_or_all_marked_are_removed_after_a_question),
        cmocka_unit_test(golden_documents),
        cmocka_unit_test(a_text_is_searched_and_gone_through),
        cmocka_unit_test(bytes_are_gone_to),
        cmocka_unit_test(a_path_is_completed_and_ingested),
        cmocka_unit_test(an_empty_path_is_not_ingested),
        cmocka_unit_test(the_report_follows_an_ingest),
        cmocka_unit_test(a_failed_ingest_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
