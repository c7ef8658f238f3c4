/* Units of keys.c: the table is sound, and keys mean what they should where they are pressed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/keys.h"

static void every_row_is_whole(void **state) {
    (void)state;
    size_t n;
    const key_row *table = key_table(&n);
    for (size_t i = 0; i < n; i++) {
        assert_true(table[i].name && *table[i].name && table[i].help && *table[i].help);
        assert_in_range(table[i].command, COMMAND_NONE + 1, COMMAND_COUNT - 1);
    }
}

static void no_key_means_two_things(void **state) {
    (void)state;
    size_t n;
    const key_row *table = key_table(&n);
    for (size_t i = 0; i < n; i++)
        for (size_t j = i + 1; j < n; j++)
            for (int a = 0; a < KEYS_PER_COMMAND && table[i].keys[a]; a++)
                for (int b = 0; b < KEYS_PER_COMMAND && table[j].keys[b]; b++) {
                    bool moves = (table[i].scope == SCOPE_GLOBAL && table[j].scope == SCOPE_MOVE);
                    if (table[i].keys[a] == table[j].keys[b] && (table[i].scope == table[j].scope || moves))
                        fail_msg("%s and %s share a key", table[i].name, table[j].name);
                }
}

static void typing_takes_text_and_leaves_commands(void **state) {
    (void)state;
    assert_int_equal(key_command(SCOPE_DOCUMENTS, true, false, 'q'), COMMAND_QUIT);
    assert_int_equal(key_command(SCOPE_DOCUMENTS, true, true, 'q'), COMMAND_NONE);
    assert_int_equal(key_command(SCOPE_CONVERSATION, true, true, CONTROL('c')), COMMAND_STOP);
    assert_int_equal(key_command(SCOPE_CONVERSATION, true, true, UI_KEY_TAB), COMMAND_NEXT_PANE);
    assert_int_equal(key_command(SCOPE_CONVERSATION, true, true, UI_KEY_UP), COMMAND_EDIT_OLDER);
    assert_int_equal(key_command(SCOPE_CONVERSATION, true, false, UI_KEY_UP), COMMAND_UP);
    assert_int_equal(key_command(SCOPE_CONVERSATION, true, true, UI_KEY_F1), COMMAND_HELP);
    assert_int_equal(key_command(SCOPE_DOCUMENTS, true, false, 'd'), COMMAND_REMOVE);
    assert_int_equal(key_command(SCOPE_GLOBAL, false, false, UI_KEY_UP), COMMAND_NONE);
}

static void labels(void **state) {
    (void)state;
    static const struct {
        ui_key key;
        const char *label;
    } cases[] = {{'q', "q"},
                 {CONTROL('l'), "Ctrl-L"},
                 {ALT('b'), "Alt-b"},
                 {' ', "Space"},
                 {UI_KEY_PAGE_DOWN, "PgDn"},
                 {CONTROL(UI_KEY_LEFT), "Ctrl-Left"},
                 {UI_KEY_F1 + 9, "F10"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char label[32];
        key_label(cases[i].key, label);
        assert_string_equal(label, cases[i].label);
    }
}

static void the_man_page_names_every_key(void **state) {
    (void)state;
    char *text = NULL;
    size_t length = 0, n, rows = 0;
    FILE *memory = open_memstream(&text, &length);
    assert_non_null(memory);
    key_write_mdoc(memory);
    assert_int_equal(fclose(memory), 0);
    key_table(&n);
    for (const char *at = text; (at = strstr(at, ".It Sy ")); at++)
        rows++;
    assert_int_equal(rows, n);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(no_key_means_two_things),
        cmocka_unit_test(typing_takes_text_and_leaves_commands),
        cmocka_unit_test(labels),
        cmocka_unit_test(the_man_page_names_every_key),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
