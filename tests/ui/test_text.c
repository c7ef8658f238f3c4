/* Units of wrap.c, textview.c, fold.c and list.c. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/fold.h"
#include "ui/list.h"
#include "ui/textview.h"

/* The lines joined by '|'. */
static void check_wrap(const char *text, int columns, wrap_mode mode, const char *wanted) {
    wrap lines = {0};
    char joined[256] = "";
    assert_true(wrap_text(&lines, text, strlen(text), columns, false, mode));
    for (size_t i = 0; i < lines.n; i++) {
        strcat(joined, i > 0 ? "|" : "");
        strncat(joined, text + lines.lines[i].start, lines.lines[i].end - lines.lines[i].start);
    }
    assert_string_equal(joined, wanted);
    wrap_free(&lines);
}

static void text_breaks_at_words(void **state) {
    (void)state;
    check_wrap("", 5, WRAP_WORDS, "");
    check_wrap("one two three", 8, WRAP_WORDS, "one two|three");
    check_wrap("one two", 7, WRAP_WORDS, "one two");
    check_wrap("one  two ", 5, WRAP_WORDS, "one|two ");
    check_wrap("abcdefgh ij", 3, WRAP_WORDS, "abc|def|gh|ij");
    check_wrap("a\n\nb\n", 5, WRAP_WORDS, "a||b|");
    check_wrap("\n", 5, WRAP_WORDS, "|");
    check_wrap("\xE6\xBC\xA2\xE5\xAD\x97\xE6\x9C\xAC", 5, WRAP_WORDS, "\xE6\xBC\xA2\xE5\xAD\x97|\xE6\x9C\xAC");
    check_wrap("\xE6\xBC\xA2", 1, WRAP_WORDS, "\xE6\xBC\xA2"); /* too narrow: it goes on all the same */
    check_wrap("ab cd", 3, WRAP_CHARACTERS, "ab |cd");
    check_wrap("ab", 0, WRAP_CHARACTERS, "a|b");
}

static void places_in_the_text_and_on_the_screen_agree(void **state) {
    (void)state;
    const char *text = "The \xE6\xBC\xA2\xE5\xAD\x97 word, e\xCC\x81t\xC3\xA9 and\nmore words that wrap";
    size_t length = strlen(text);
    wrap lines = {0};
    assert_true(wrap_text(&lines, text, length, 11, false, WRAP_WORDS));
    for (size_t at = 0; at < length; at = cluster_after(text, length, at)) {
        size_t line = wrap_line_of(&lines, at);
        if (at >= lines.lines[line].end)
            continue; /* white space at a break */
        int column = wrap_column_of(&lines, line, text, false, at);
        assert_int_equal(wrap_offset_of(&lines, line, text, false, column), at);
    }
    wrap_free(&lines);
}

static void views_scroll_mark_and_find(void **state) {
    (void)state;
    const char *text = "one\ntwo\nthree\nFOUR \xC3\x9C"
                       "ber\nfive\nsix\nseven\neight\nnine\nten";
    textview view = {0};
    cells out = {0};
    rect area = {0, 0, 3, 20};
    size_t start, end;
    assert_true(cells_resize(&out, 3, 20));
    textview_set(&view, text, strlen(text));
    textview_draw(&view, &out, area);
    textview_command(&view, COMMAND_LAST);
    textview_draw(&view, &out, area);
    assert_int_equal(cells_at(&out, 2, 0)->shown.bytes[0], 't');
    assert_true(textview_find(&view,
                              "\xC3\xBC"
                              "BER",
                              5, 0, false, &start, &end));
    assert_int_equal(start, 19);
    assert_int_equal(end, 24);
    assert_true(textview_mark(&view, start, end, ROLE_MATCH));
    textview_show(&view, start);
    cells_clear(&out);
    textview_draw(&view, &out, area);
    assert_int_equal(cells_at(&out, 1, 5)->look, ROLE_MATCH);
    assert_int_equal(cells_at(&out, 1, 4)->look, ROLE_TEXT);
    assert_true(textview_at(&view, area, 1, 6, &start));
    assert_int_equal(start, 21);
    assert_false(textview_at(&view, area, 1, 15, &start));
    assert_true(textview_find(&view, "e", 1, 5, true, &start, &end)); /* backwards */
    assert_int_equal(start, 2);
    assert_true(textview_find(&view, "one", 3, 5, false, &start, &end)); /* around the end */
    assert_int_equal(start, 0);
    assert_false(textview_find(&view, "zebra", 5, 0, false, &start, &end));
    assert_false(textview_find(&view, "", 0, 0, false, &start, &end));
    textview_free(&view);
    cells_free(&out);
}

static void case_is_ignored_in_every_script(void **state) {
    (void)state;
    static const struct {
        const char *text, *wanted;
        bool found;
    } cases[] = {
        {"\xD0\x9A\xD0\xBE\xD1\x82\xD0\xB8\xD0\xBA.txt", "\xD0\xBA\xD0\xBE\xD1\x82\xD0\xB8\xD0\xBA", true},
        {"\xC3\x9C"
         "ber-Stra\xC3\x9F"
         "e",
         "\xC3\xBC"
         "ber",
         true},
        {"Stra\xC3\x9F"
         "e",
         "STRASSE", true},
        {"U\xCC\x88"
         "ber",
         "\xC3\xBC", true}, /* decomposed */
        {"\xE6\x96\x87\xE4\xBB\xB6\xE6\x90\x9C\xE7\xB4\xA2", "\xE6\x90\x9C\xE7\xB4\xA2", true},
        {"plain.txt", "\xE6\x90\x9C\xE7\xB4\xA2", false},
        {"plain.txt", "PLAIN", true},
        {"plain", "", true},
        {"bad\xFF"
         "name",
         "D\xFF"
         "N",
         true},
        {"pla", "plain", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length;
        char *folded = fold_text(cases[i].wanted, strlen(cases[i].wanted), &length);
        assert_non_null(folded);
        assert_int_equal(fold_contains(cases[i].text, strlen(cases[i].text), folded, length), cases[i].found);
        free(folded);
    }
}

static size_t drawn_lines, drawn_last;

static void count_line(void *user, size_t index, cells *out, rect row, attribute look) {
    (void)user;
    (void)out;
    (void)row;
    (void)look;
    drawn_lines++;
    drawn_last = index;
}

static void lists_draw_only_what_shows(void **state) {
    (void)state;
    list lines = {0};
    cells out = {0};
    assert_true(cells_resize(&out, 10, 20));
    list_set_count(&lines, 100000);
    list_draw(&lines, &out, cells_area(&out), true, count_line, NULL);
    assert_true(list_command(&lines, COMMAND_LAST));
    drawn_lines = 0;
    list_draw(&lines, &out, cells_area(&out), true, count_line, NULL);
    assert_int_equal(drawn_lines, 10);
    assert_int_equal(drawn_last, 99999);
    list_command(&lines, COMMAND_PAGE_UP);
    assert_int_equal(lines.selected, 99990);
    list_command(&lines, COMMAND_DOWN);
    list_set_count(&lines, 5);
    assert_int_equal(lines.selected, 4);
    list_draw(&lines, &out, cells_area(&out), true, count_line, NULL);
    assert_int_equal(lines.first, 0);
    list_set_count(&lines, 0);
    list_command(&lines, COMMAND_DOWN);
    list_command(&lines, COMMAND_UP);
    assert_int_equal(lines.selected, 0);
    ui_event click = {.kind = EVENT_MOUSE, .mouse = MOUSE_PRESS, .row = 3, .column = 1};
    list_set_count(&lines, 9);
    assert_true(list_mouse(&lines, &click, cells_area(&out)));
    assert_int_equal(lines.selected, 3);
    cells_free(&out);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_breaks_at_words),       cmocka_unit_test(places_in_the_text_and_on_the_screen_agree),
        cmocka_unit_test(views_scroll_mark_and_find), cmocka_unit_test(case_is_ignored_in_every_script),
        cmocka_unit_test(lists_draw_only_what_shows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
