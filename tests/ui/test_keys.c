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

/* What key_write_mdoc writes, NUL-terminated. */
static char *written_section(void) {
    char *text = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&text, &length);
    assert_non_null(memory);
    key_write_mdoc(memory);
    assert_int_equal(fclose(memory), 0);
    return text;
}

static void the_section_names_every_key(void **state) {
    (void)state;
    char *text = written_section();
    size_t n, rows = 0;
    key_table(&n);
    for (const char *at = text; (at = strstr(at, ".It Sy ")); at++)
        rows++;
    assert_int_equal(rows, n);
    free(text);
}

#define PAGE_BYTES (1 << 18) /* more than it has */

static char *read_page(void) {
    FILE *file = fopen(DRT_MAN_PAGE, "r");
    char *text = malloc(PAGE_BYTES);
    assert_true(file && text);
    size_t length = fread(text, 1, PAGE_BYTES - 1, file);
    assert_in_range(length, 1, PAGE_BYTES - 2);
    text[length] = '\0';
    fclose(file);
    return text;
}

/* The page's section KEYS is the key table's, word for word. DRT_GOLDEN_WRITE=1 writes it there. */
static void the_man_page_has_the_section(void **state) {
    (void)state;
    char *page = read_page(), *section = written_section();
    char *start = strstr(page, "\n.Sh KEYS\n");
    assert_non_null(start);
    start = strstr(start, "\n.Nm drt open .\n");
    assert_non_null(start);
    start += strlen("\n.Nm drt open .\n");
    char *end = strstr(start, ".Sh ");
    assert_non_null(end);
    bool same = (size_t)(end - start) == strlen(section) && memcmp(start, section, strlen(section)) == 0;
    if (!same && getenv("DRT_GOLDEN_WRITE")) {
        FILE *file = fopen(DRT_MAN_PAGE, "w");
        assert_non_null(file);
        fprintf(file, "%.*s%s%s", (int)(start - page), page, section, end);
        assert_int_equal(fclose(file), 0);
    } else if (!same) {
        fail_msg("the KEYS section of man/drt.1 is not that of the key table (DRT_GOLDEN_WRITE=1 rewrites it)");
    }
    free(page);
    free(section);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_is_whole),
        cmocka_unit_test(no_key_means_two_things),
        cmocka_unit_test(typing_takes_text_and_leaves_commands),
        cmocka_unit_test(labels),
        cmocka_unit_test(the_section_names_every_key),
        cmocka_unit_test(the_man_page_has_the_section),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
