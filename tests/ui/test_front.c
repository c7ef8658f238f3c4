/* The front without a terminal: layout, focus, overlays, actions; golden screens; random keys at random sizes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "fixture.h"
#include "golden.h"

static bool overlap(rect a, rect b) {
    return a.rows > 0 && b.rows > 0 && a.row < b.row + b.rows && b.row < a.row + a.rows &&
           a.column < b.column + b.columns && b.column < a.column + a.columns;
}

static void panes_fill_every_size_without_overlap(void **state) {
    (void)state;
    for (int rows = 1; rows <= 100; rows++)
        for (int columns = 1; columns <= 300; columns++)
            for (int focus = 0; focus < PANE_COUNT * 2; focus++) {
                layout places = layout_of(rows, columns, (pane_id)(focus % PANE_COUNT), focus >= PANE_COUNT);
                assert_int_equal(places.too_small, rows < 12 || columns < 40);
                if (places.too_small)
                    continue;
                int cells_used = 0;
                assert_true(places.panes[focus % PANE_COUNT].rows > 0); /* the focus is always visible */
                for (int i = 0; i < PANE_COUNT; i++) {
                    cells_used += places.panes[i].rows * places.panes[i].columns;
                    for (int j = 0; j < i; j++)
                        assert_false(overlap(places.panes[i], places.panes[j]));
                }
                assert_int_equal(cells_used, (rows - 2) * columns);
            }
}

static void keys_reach_the_view_with_the_focus(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    fixture_press(&shown, UI_KEY_TAB);
    assert_int_equal(shown.focus, PANE_CONVERSATION);
    fixture_type(&shown, "who? q");
    assert_true(fixture_shows(&shown, 24, 80, "who? q"));
    fixture_press(&shown, UI_KEY_ENTER);
    assert_int_equal(outside.last.kind, ACTION_ASK);
    assert_string_equal(outside.text, "who? q");
    fixture_press(&shown, UI_KEY_BACK_TAB);
    fixture_press(&shown, 'q');
    assert_int_equal(outside.last.kind, ACTION_QUIT);
    front_free(&shown);
}

static void help_opens_over_everything_and_closes(void **state) {
    (void)state;
    static const ui_key closing[] = {UI_KEY_ESCAPE, '?', 'q'};
    for (size_t i = 0; i < sizeof closing / sizeof *closing; i++) {
        front shown;
        fixture_outside outside;
        fixture_open(&shown, &outside);
        fixture_press(&shown, '?');
        assert_true(fixture_shows(&shown, 24, 80, "Everywhere"));
        fixture_press(&shown, UI_KEY_TAB); /* the panes wait */
        assert_int_equal(shown.focus, PANE_DOCUMENTS);
        fixture_press(&shown, closing[i]);
        assert_false(fixture_shows(&shown, 24, 80, "Everywhere"));
        assert_int_equal(outside.count, 0);
        front_free(&shown);
    }
}

static void a_paste_asks_nothing(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    ui_event paste = {.kind = EVENT_PASTE, .paste = "one\nq\n", .paste_length = 6};
    front_input(&shown, &paste); /* no line has the cursor */
    fixture_press(&shown, 'a');
    front_input(&shown, &paste);
    assert_int_equal(outside.count, 0);
    assert_true(fixture_shows(&shown, 24, 80, "one"));
    front_free(&shown);
}

static void choosing_a_hit_opens_its_chunk(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    fixture_documents(&shown);
    fixture_answer(&shown);
    front_act(&shown, &(ui_action){.kind = ACTION_PLACE, .place = {.step = 0, .group = 0, .hit = 1}});
    assert_int_equal(outside.last.kind, ACTION_OPEN_CHUNK);
    assert_int_equal(outside.last.number, 4);
    front_free(&shown);
}

static void golden_screens(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    golden_check_sizes("empty", &shown);
    fixture_press(&shown, '?');
    golden_check_sizes("help", &shown);
    front_free(&shown);
}

static void too_small_says_so(void **state) {
    (void)state;
    front shown;
    fixture_outside outside;
    fixture_open(&shown, &outside);
    assert_true(fixture_shows(&shown, 11, 39, "too small: 39x11"));
    assert_true(fixture_shows(&shown, 11, 39, "needed: 40x12"));
    front_free(&shown);
}

static ui_key random_key(uint32_t random) {
    static const ui_key special[] = {
        UI_KEY_TAB,   UI_KEY_ENTER, UI_KEY_ESCAPE, UI_KEY_BACKSPACE, UI_KEY_UP,        UI_KEY_DOWN,   UI_KEY_LEFT,
        UI_KEY_RIGHT, UI_KEY_HOME,  UI_KEY_END,    UI_KEY_PAGE_UP,   UI_KEY_PAGE_DOWN, UI_KEY_DELETE, UI_KEY_BACK_TAB,
        UI_KEY_F1,    CONTROL('w'), CONTROL('u'),  ALT('b'),         0x6F22,           0x301,         0x1F469,
        0x200D};
    return random % 3 == 0 ? special[random / 3 % (sizeof special / sizeof *special)] : 0x20 + random / 3 % 0x5F;
}

/* Every key, paste and click in every state, drawn at every kind of size: nothing may go out of bounds. */
static void random_keys_at_random_sizes(void **state) {
    (void)state;
    static const int rows[] = {1, 2, 5, 12, 13, 24, 60, 100}, columns[] = {1, 2, 9, 39, 40, 80, 120, 200, 300};
    uint32_t seed = 7;
    front shown;
    fixture_outside outside;
    cells out = {0};
    fixture_open(&shown, &outside);
    for (int i = 0; i < 6000; i++) {
        seed = seed * 1664525u + 1013904223u;
        uint32_t random = seed >> 8;
        if (i == 1000)
            fixture_documents(&shown);
        if (i == 2000)
            fixture_answer(&shown);
        if (random % 50 == 0)
            front_input(&shown, &(ui_event){.kind = EVENT_PASTE, .paste = "a\n\xE6\xBC\xA2", .paste_length = 5});
        else if (random % 20 == 0)
            front_input(&shown, &(ui_event){.kind = EVENT_MOUSE,
                                            .mouse = (mouse_action)(random / 20 % 5),
                                            .row = (int)(random / 100 % 70),
                                            .column = (int)(random / 7000 % 220)});
        else
            fixture_press(&shown, random_key(random));
        if (i % 4 == 0) {
            out.ascii = random % 2;
            assert_true(cells_resize(&out, rows[random / 8 % 8], columns[random / 64 % 9]));
            front_draw(&shown, &out);
        }
    }
    cells_free(&out);
    front_free(&shown);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(panes_fill_every_size_without_overlap),
        cmocka_unit_test(keys_reach_the_view_with_the_focus),
        cmocka_unit_test(help_opens_over_everything_and_closes),
        cmocka_unit_test(a_paste_asks_nothing),
        cmocka_unit_test(choosing_a_hit_opens_its_chunk),
        cmocka_unit_test(golden_screens),
        cmocka_unit_test(too_small_says_so),
        cmocka_unit_test(random_keys_at_random_sizes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
