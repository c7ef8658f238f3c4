/* What lies over the panes: past questions, the palette, export, help; and their golden screens. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "fixture.h"
#include "golden.h"

static drt_string owned(const char *text) {
    drt_string out = {0};
    assert_true(model_string_set(&out, text, strlen(text)));
    return out;
}

static void add_sessions(front *shown) {
    static const char *const rows[][2] = {
        {"Who is the keeper of the lighthouse at Marn?", "Odo Veldt is the keeper of the lighthouse at Marn."},
        {"When will the clock be mended?", "The clock will be mended in May."},
        {"\xE8\xAA\xB0\xE3\x81\x8C\xE6\x9B\xB8\xE3\x81\x84\xE3\x81\x9F?", "\xE6\xBC\xA2\xE5\xAD\x97"},
        {"\xC3\x9C"
         "ber den M\xC3\xBChlbach?",
         "Nothing in the library says so."},
    };
    size_t n = sizeof rows / sizeof *rows;
    shown->model.sessions = calloc(n, sizeof *shown->model.sessions);
    assert_non_null(shown->model.sessions);
    shown->model.n_sessions = n;
    for (size_t i = 0; i < n; i++)
        shown->model.sessions[i] = (drt_session_summary){.id = (int64_t)(n - i),
                                                         .time = 1790000000 - 86400 * (int64_t)i,
                                                         .question = owned(rows[i][0]),
                                                         .answer = owned(rows[i][1]),
                                                         .n_events = 4};
    front_changed(shown, CHANGED_SESSIONS);
}

static void open_front(front *shown, fixture_outside *outside) {
    fixture_open(shown, outside);
    fixture_documents(shown);
    fixture_answer(shown);
    shown->model.turns[0].trace->session = 12;
    add_sessions(shown);
}

/* ------------------------------------------------------------------------------- sessions ---- */

static void past_questions_are_searched_while_typing(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_front(&shown, &outside);
    fixture_press(&shown, 's');
    assert_true(fixture_shows(&shown, 24, 80, "When will the clock"));
    fixture_press(&shown, '/');
    fixture_press(&shown, 0xFC); /* the other case of the stored one */
    fixture_type(&shown, "ber");
    assert_true(fixture_shows(&shown, 24, 80, "1 found"));
    assert_false(fixture_shows(&shown, 24, 80, "When will the clock"));
    golden_check_sizes("sessions-search", &shown);
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_LOAD_SESSION);
    assert_int_equal(outside.last.number, 1);
    assert_int_equal(shown.n_overlays, 0);
    assert_int_equal(shown.focus, PANE_CONVERSATION);
    front_free(&shown);
}

static void escape_leaves_by_steps(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_front(&shown, &outside);
    fixture_press(&shown, 's');
    fixture_press(&shown, '/');
    fixture_type(&shown, "zeppelin");
    assert_true(fixture_shows(&shown, 24, 80, "No question or answer holds this."));
    fixture_press(&shown, UI_KEY_ESCAPE); /* the line */
    fixture_press(&shown, UI_KEY_ESCAPE); /* the filter */
    assert_true(fixture_shows(&shown, 24, 80, "When will the clock"));
    fixture_press(&shown, UI_KEY_ESCAPE);
    assert_int_equal(shown.n_overlays, 0);
    front_free(&shown);
}

static void a_question_that_is_a_turn_is_not_read_again(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_front(&shown, &outside);
    shown.model.turns[0].trace->session = 4;
    fixture_press(&shown, 's');
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_not_equal(outside.last.kind, ACTION_LOAD_SESSION);
    assert_int_equal(shown.model.turn, 0);
    front_free(&shown);
}

static void deleting_asks_first(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_front(&shown, &outside);
    fixture_press(&shown, 's');
    fixture_press(&shown, UI_KEY_DOWN);
    fixture_press(&shown, 'd');
    golden_check_sizes("sessions-delete", &shown);
    fixture_press(&shown, UI_KEY_ESCAPE);
    assert_int_equal(outside.count, 0);
    assert_int_equal(shown.n_overlays, 1);
    fixture_press(&shown, 'd');
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_DELETE_SESSION);
    assert_int_equal(outside.last.number, 3);
    front_free(&shown);
}

/* -------------------------------------------------------------------------------- palette ---- */

static void the_palette_runs_what_it_finds(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_front(&shown, &outside);
    fixture_press(&shown, ':');
    golden_check_sizes("palette", &shown);
    fixture_type(&shown, "nxtok");
    golden_check_sizes("palette-search", &shown);
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(shown.n_overlays, 0);
    assert_int_equal(shown.model.place.token, 1);
    fixture_press(&shown, UI_KEY_F1 + 1);
    fixture_type(&shown, "theme");
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_COMMAND);
    assert_int_equal(outside.last.number, COMMAND_THEME);
    fixture_press(&shown, UI_KEY_F1 + 1);
    fixture_type(&shown, "no such command");
    assert_true(fixture_shows(&shown, 24, 80, "No command has such a name."));
    fixture_press(&shown, UI_KEY_ENTER);
    fixture_press(&shown, UI_KEY_ESCAPE);
    assert_int_equal(shown.n_overlays, 0);
    front_free(&shown);
}

/* Every command of the palette, run from it: nothing may break. */
static void every_entry_can_be_run(void **state) {
    (void)state;
    for (int entry = 0; entry < 60; entry++) {
        front shown;
        fixture_outside outside;
        open_front(&shown, &outside);
        fixture_press(&shown, ':');
        for (int i = 0; i < entry; i++)
            fixture_press(&shown, UI_KEY_DOWN);
        fixture_press(&shown, UI_KEY_ENTER);
        fixture_shows(&shown, 24, 80, "");
        front_free(&shown);
    }
}

/* --------------------------------------------------------------------------------- export ---- */

static void exporting_asks_for_a_name(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_front(&shown, &outside);
    fixture_press(&shown, 'E');
    assert_true(fixture_shows(&shown, 24, 80, "answer-12.json"));
    golden_check_sizes("export", &shown);
    fixture_press(&shown, CONTROL('u'));
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.count, 0);
    fixture_type(&shown, "/no/such/folder/a.json");
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_EXPORT_JSON);
    assert_int_equal(outside.last.number, 0);
    assert_string_equal(outside.text, "/no/such/folder/a.json");
    assert_int_equal(shown.n_overlays, 0);
    front_free(&shown);
}

static void a_file_that_is_there_is_asked_about(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    char path[] = "/tmp/drt-export-XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    open_front(&shown, &outside);
    fixture_press(&shown, 'e');
    fixture_press(&shown, CONTROL('u'));
    fixture_type(&shown, "/tmp");
    fixture_press(&shown, UI_KEY_ENTER); /* a folder */
    assert_int_equal(shown.model.notice, NOTICE_ERROR);
    fixture_press(&shown, CONTROL('u'));
    fixture_type(&shown, path);
    fixture_press(&shown, UI_KEY_ENTER);
    assert_true(fixture_shows(&shown, 24, 80, "There is such a file already."));
    fixture_press(&shown, UI_KEY_ESCAPE);
    assert_false(fixture_shows(&shown, 24, 80, "There is such a file already."));
    assert_int_equal(outside.count, 0);
    fixture_press(&shown, UI_KEY_ENTER);
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_EXPORT_TEXT);
    assert_int_equal(outside.last.number, 1);
    assert_int_equal(shown.n_overlays, 0);
    front_free(&shown);
    unlink(path);
}

static void without_an_answer_there_is_nothing_to_export(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    fixture_press(&shown, 'e');
    golden_check_sizes("export-none", &shown);
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.count, 0);
    front_free(&shown);
}

/* ----------------------------------------------------------------------------------- help ---- */

static void help_begins_with_the_keys_of_the_view(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_front(&shown, &outside);
    fixture_press(&shown, '4');
    fixture_press(&shown, '?');
    assert_true(fixture_shows(&shown, 24, 80, "attention of the next token"));
    assert_true(fixture_shows(&shown, 24, 80, "switches the mouse off"));
    golden_check_sizes("help-passage", &shown);
    fixture_press(&shown, UI_KEY_END);
    golden_check_sizes("help-end", &shown);
    front_free(&shown);
}

static void golden_screens(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    open_front(&shown, &outside);
    fixture_press(&shown, 's');
    golden_check_sizes("sessions", &shown);
    front_free(&shown);
    fixture_open(&shown, &outside);
    fixture_press(&shown, 's');
    golden_check_sizes("sessions-none", &shown);
    front_free(&shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(past_questions_are_searched_while_typing),
        cmocka_unit_test(escape_leaves_by_steps),
        cmocka_unit_test(a_question_that_is_a_turn_is_not_read_again),
        cmocka_unit_test(deleting_asks_first),
        cmocka_unit_test(the_palette_runs_what_it_finds),
        cmocka_unit_test(every_entry_can_be_run),
        cmocka_unit_test(exporting_asks_for_a_name),
        cmocka_unit_test(a_file_that_is_there_is_asked_about),
        cmocka_unit_test(without_an_answer_there_is_nothing_to_export),
        cmocka_unit_test(help_begins_with_the_keys_of_the_view),
        cmocka_unit_test(golden_screens),
    };
    setenv("TZ", "UTC", 1); /* the list shows local time */
    return cmocka_run_group_tests(tests, NULL, NULL);
}
