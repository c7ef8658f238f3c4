/* Units of edit.c: editing by characters as people see them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/edit.h"

#define SAN "12\xE4\xB8\x89\xE5\x9B\x9B"

static void type(edit *line, const char *text) {
    assert_true(edit_insert(line, text, strlen(text)));
}

static void check(edit *line, const char *text, int column) {
    cells out = {0};
    assert_true(cells_resize(&out, 1, 200));
    assert_string_equal(line->text ? line->text : "", text);
    edit_draw(line, &out, cells_area(&out), true, ROLE_INPUT);
    assert_int_equal(out.cursor_column, column);
    cells_free(&out);
}

static void the_cursor_moves_by_characters(void **state) {
    (void)state;
    edit line = {0};
    type(&line, SAN "56");
    check(&line, SAN "56", 8);
    edit_command(&line, COMMAND_EDIT_ERASE_LEFT);
    edit_command(&line, COMMAND_EDIT_ERASE_LEFT);
    edit_command(&line, COMMAND_EDIT_LEFT);
    check(&line, SAN, 4);
    assert_true(edit_key(&line, 'x'));
    check(&line, "12\xE4\xB8\x89x\xE5\x9B\x9B", 5);
    edit_command(&line, COMMAND_EDIT_START);
    edit_command(&line, COMMAND_EDIT_ERASE_RIGHT);
    check(&line, "2\xE4\xB8\x89x\xE5\x9B\x9B", 0);
    edit_command(&line, COMMAND_EDIT_END);
    for (int i = 0; i < 9; i++) /* more than there is */
        assert_true(edit_command(&line, COMMAND_EDIT_ERASE_LEFT));
    check(&line, "", 0);
    edit_free(&line);
}

static void combining_and_joined_characters_are_one(void **state) {
    (void)state;
    edit line = {0};
    type(&line, "e\xCC\x81"
                "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80");
    check(&line, "e\xCC\x81\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80", 5);
    edit_command(&line, COMMAND_EDIT_ERASE_LEFT);
    check(&line, "e\xCC\x81", 1);
    edit_command(&line, COMMAND_EDIT_ERASE_LEFT);
    check(&line, "", 0);
    type(&line, "ex");
    edit_command(&line, COMMAND_EDIT_LEFT);
    assert_true(edit_key(&line, 0x301)); /* joins the e before it */
    check(&line, "e\xCC\x81x", 1);
    edit_free(&line);
}

static void words_are_erased_whole(void **state) {
    (void)state;
    edit line = {0};
    type(&line, "\xC3\xB6\xC3\xA4Z\xC3\xBC S\xC3\xA3o  ");
    edit_command(&line, COMMAND_EDIT_WORD_LEFT);
    check(&line, "\xC3\xB6\xC3\xA4Z\xC3\xBC S\xC3\xA3o  ", 5);
    edit_command(&line, COMMAND_EDIT_WORD_RIGHT);
    check(&line, "\xC3\xB6\xC3\xA4Z\xC3\xBC S\xC3\xA3o  ", 8);
    edit_command(&line, COMMAND_EDIT_END);
    edit_command(&line, COMMAND_EDIT_ERASE_WORD);
    check(&line, "\xC3\xB6\xC3\xA4Z\xC3\xBC ", 5);
    edit_command(&line, COMMAND_EDIT_START);
    edit_command(&line, COMMAND_EDIT_RIGHT);
    edit_command(&line, COMMAND_EDIT_ERASE_TO_END);
    check(&line, "\xC3\xB6", 1);
    edit_command(&line, COMMAND_EDIT_ERASE_TO_START);
    check(&line, "", 0);
    edit_free(&line);
}

static void history_keeps_the_draft(void **state) {
    (void)state;
    edit line = {0};
    edit_command(&line, COMMAND_EDIT_OLDER);
    check(&line, "", 0);
    type(&line, "one");
    edit_accept(&line);
    type(&line, "two");
    edit_accept(&line);
    type(&line, "two"); /* repeated: kept once */
    edit_accept(&line);
    type(&line, "draft");
    edit_command(&line, COMMAND_EDIT_OLDER);
    check(&line, "two", 3);
    edit_command(&line, COMMAND_EDIT_OLDER);
    edit_command(&line, COMMAND_EDIT_OLDER);
    check(&line, "one", 3);
    edit_command(&line, COMMAND_EDIT_NEWER);
    edit_command(&line, COMMAND_EDIT_NEWER);
    check(&line, "draft", 5);
    edit_free(&line);
}

static void history_is_bounded(void **state) {
    (void)state;
    edit line = {0};
    char text[16];
    for (int i = 0; i < EDIT_HISTORY + 10; i++) {
        snprintf(text, sizeof text, "%d", i);
        type(&line, text);
        edit_accept(&line);
    }
    assert_int_equal(line.n_history, EDIT_HISTORY);
    assert_string_equal(line.history[0], "10");
    edit_free(&line);
}

static void pastes_of_several_lines_stay_text(void **state) {
    (void)state;
    edit line = {0}, path = {.one_line = true};
    type(&line, "first\nsecond");
    assert_int_equal(edit_rows(&line, 40, false), 2);
    edit_command(&line, COMMAND_EDIT_OLDER); /* up a row */
    assert_int_equal(line.cursor, 5);
    edit_command(&line, COMMAND_EDIT_NEWER);
    assert_int_equal(line.cursor, 11);
    type(&path, "a\nb");
    assert_string_equal(path.text, "a b");
    edit_free(&line);
    edit_free(&path);
}

static void the_end_of_a_long_line_shows(void **state) {
    (void)state;
    edit line = {0};
    cells out = {0};
    for (int i = 0; i < 1000; i++)
        type(&line, "abcdefghij ");
    type(&line, "END");
    assert_true(cells_resize(&out, 3, 40));
    edit_draw(&line, &out, cells_area(&out), true, ROLE_INPUT);
    assert_int_equal(out.cursor_row, 2);
    assert_int_equal(cells_at(&out, 2, out.cursor_column - 1)->shown.bytes[0], 'D');
    cells_free(&out);
    edit_free(&line);
}

static void what_is_no_text_is_refused(void **state) {
    (void)state;
    edit line = {0};
    char *large = malloc(EDIT_MAX_BYTES);
    assert_non_null(large);
    memset(large, 'x', EDIT_MAX_BYTES);
    assert_false(edit_insert(&line, "\xFF", 1));
    assert_false(edit_insert(&line, "a\0b", 3));
    assert_false(edit_key(&line, 0x1B));
    assert_false(edit_key(&line, UI_KEY_UP));
    assert_true(edit_insert(&line, large, EDIT_MAX_BYTES));
    assert_false(edit_key(&line, 'x'));
    assert_int_equal(line.length, EDIT_MAX_BYTES);
    edit_free(&line);
    free(large);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cursor_moves_by_characters),
        cmocka_unit_test(combining_and_joined_characters_are_one),
        cmocka_unit_test(words_are_erased_whole),
        cmocka_unit_test(history_keeps_the_draft),
        cmocka_unit_test(history_is_bounded),
        cmocka_unit_test(pastes_of_several_lines_stay_text),
        cmocka_unit_test(the_end_of_a_long_line_shows),
        cmocka_unit_test(what_is_no_text_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
