/* reStructuredText, notebooks and subtitles as they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void restructured_text_tells_what_stands_below_its_title(void **state) {
    (void)state;
    static const char source[] =
        "=====\nTitle\n=====\n---\nSub\n---\n\n:Authors: - Ada Renn\n          - Bo Tarn\n:Date: 2020\n"
        ":Version: 1.0\n\nText.\n\n:Date: 1999\n";
    drt_extract made = extract_bytes("a.rst", source, sizeof source - 1);
    assert_string_equal(made.title.data, "Title");
    assert_int_equal(made.n_authors, 2);
    assert_string_equal(made.authors[1].data, "Bo Tarn");
    assert_string_equal(made.date.data, "2020");
    assert_string_equal(made.text.data, "Title\n\nSub\n\nVersion 1.0\n\nText.\n\nDate 1999");
    drt_extract_clear(&made);
}

static void restructured_text_has_substitutions_and_sessions(void **state) {
    (void)state;
    assert_text("a.rst",
                ".. |mill| replace:: the *Lower* Mill\n.. |picture| image:: x.png\n\nSee |mill|, |picture|, |open",
                "See the Lower Mill, picture, |open");
    assert_text("a.rst", ">>> 1 + 1\n2\n\nText", ">>> 1 + 1\n2\n\nText");
}

static void notebooks_as_they_come(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"{\"worksheets\":[{\"cells\":[{\"cell_type\":\"markdown\",\"source\":\"one\"}]},{\"cells\":[{\"cell_type\":"
         "\"markdown\",\"source\":\"two\"}]}]}",
         "one\n\ntwo"},
        {"{\"cells\":[{\"cell_type\":\"markdown\",\"source\":\"a\\u0000b \\\\u0000\"}]}", "a b \\u0000"},
        {"{\"cells\":[{\"cell_type\":\"code\",\"source\":\"x\",\"outputs\":[{\"text\":\"\\u001b[1;31mred\\u001b["
         "0m\\n10%\\r"
         "100%\\r\\nend\\u001b[\"}]}]}",
         "x\n\nred\n100%\nend"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.ipynb", cases[i][0], cases[i][1]);
}

static void subtitles_as_they_come(void **state) {
    (void)state;
    assert_text("a.ass",
                "[Events]\nDialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{\\p1}m 0 0 l 9 9{\\p0}\n"
                "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{\\pos(1,2)}words\n",
                "words");
    static const char srt[] = "\xEF\xBB\xBF"
                              "1\r\n00:00:01,000 --> 00:00:02,000\r\nWords\r\n";
    assert_string_equal(format_of("a.txt", srt, sizeof srt - 1)->name, "subtitles");
    static const char *const others[] = {"1\nwords --> 00:00:02,000\n", "1\n2 --> 3\n",
                                         "words\n00:00:01,000 --> 00:00:02,000", "", "1"};
    for (size_t i = 0; i < COUNT(others); i++)
        assert_string_equal(format_of("a.txt", others[i], strlen(others[i]))->name, "text");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restructured_text_tells_what_stands_below_its_title),
        cmocka_unit_test(restructured_text_has_substitutions_and_sessions),
        cmocka_unit_test(notebooks_as_they_come),
        cmocka_unit_test(subtitles_as_they_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
