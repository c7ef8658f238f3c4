/* reStructuredText, notebooks, subtitles, mail and mailboxes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void restructured_text(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"Title\n=====\n\nText *em* **strong** ``lit *``\ngoes on.\n\n----\n\nMore",
         "Title\n\nText em strong lit * goes on.\n\nMore"},
        {"`link <http://x>`_ :ref:`title <t>` :code:`x` word_ |sub| 2\\*3 snake_case a*b",
         "link title x word sub 2*3 snake_case a*b"},
        {"text [1]_ and [#n]_ on.\n\nNext [Ref]_.\n\n.. [1] First\n   note.\n.. [#n] Second.\n.. [Ref] A book.",
         "text and on.\n\nFirst note.\n\nSecond.\n\nNext [Ref].\n\n[Ref] A book."},
        {"- one\n  more\n- two\n\n* three\n\n1. four\n2. five", "one more\ntwo\nthree\n1. four\n2. five"},
        {".. note:: Mind\n   the gap.\n\n.. image:: x.png\n   :alt: no\n\n.. code-block:: c\n   :linenos:\n\n   int "
         "x;\n     y;\n\n.. comment\n"
         "   goes on\n\nend",
         "Mind\n\nthe gap.\n\nint x;\ny;\n\nend"},
        {".. figure:: x.png\n   :width: 2\n\n   A caption.\n\n.. _t: http://x\n.. |s| replace:: no", "A caption."},
        {"Code::\n\n  a = 1\n  b = 2\n\nand ::\n\n  c\n\nafter", "Code:\n\na = 1\nb = 2\n\nand\n\nc\n\nafter"},
        {"+---+---+\n| a | b |\n+===+===+\n| c | d |\n+---+---+\n\n===  ===\na    b\n===  ===\nc    d\n===  ===\n",
         "a b\nc d\n\na b\nc d"},
        {"| verse one\n| verse two", "verse one\nverse two"},
        {"Text\n:field: value", "Text\nfield value"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.rst", cases[i][0], cases[i][1]);
    static const char fields[] = ":Author: Ada Renn\n:Date: 2020\n\n=====\nTitle\n=====\n\nText";
    drt_extract made = extract_bytes("a.rst", fields, sizeof fields - 1);
    assert_string_equal(made.text.data, "Title\n\nText");
    assert_string_equal(made.title.data, "Title");
    assert_string_equal(made.date.data, "2020");
    assert_string_equal(made.authors[0].data, "Ada Renn");
    drt_extract_clear(&made);
}

static void notebooks(void **state) {
    (void)state;
    static const char source[] = "{\"metadata\":{\"authors\":[{\"name\":\"Ada\"}]},\"cells\":[{\"cell_type\":"
                                 "\"markdown\",\"source\":[\"# Head\\n\",\"*text*\"]},"
                                 "{\"cell_type\":\"code\",\"source\":\"x = "
                                 "1\\nprint(x)\",\"outputs\":[{\"output_type\":\"stream\",\"text\":[\"1\\n\"]},"
                                 "{\"data\":{\"image/png\":\"AAAA\",\"text/"
                                 "plain\":\"<Figure>\"}}]},{\"cell_type\":\"raw\",\"source\":\"raw\"}]}";
    drt_extract made = extract_bytes("a.ipynb", source, sizeof source - 1);
    assert_string_equal(made.text.data, "Head\n\ntext\n\nx = 1\nprint(x)\n\n1\n<Figure>\n\nraw");
    assert_string_equal(made.title.data, "Head");
    assert_string_equal(made.authors[0].data, "Ada");
    drt_extract_clear(&made);
    assert_text("a.ipynb", "{\"worksheets\":[{\"cells\":[{\"cell_type\":\"code\",\"input\":[\"old\"]}]}]}", "old");
    drt_buffer deep = {0};
    for (int i = 0; i < 100000; i++)
        assert_true(drt_buffer_append_byte(&deep, '['));
    made = extract_bytes("a.ipynb", deep.data, deep.length);
    assert_int_equal(made.status, DRT_DOCUMENT_SKIPPED);
    assert_non_null(strstr(made.reason.data, "no valid notebook"));
    drt_extract_clear(&made);
    drt_buffer_free(&deep);
}

static void subtitles(void **state) {
    (void)state;
    assert_text("a.srt",
                "1\n00:00:01,000 --> 00:00:02,000\n<i>The wheel</i>\nstands still.\n\n2\n00:00:02,500 --> "
                "00:00:03,000\n{\\an8}It "
                "is\n3\n00:00:03,000 --> 00:00:04,000\n1702 &amp; late.\n\n4\n00:01:00,000 --> 00:01:01,000\nNext.",
                "The wheel stands still. It is 1702 & late.\n\nNext.");
    assert_text("a.txt",
                "WEBVTT - title\n\nNOTE no\nno\n\nname\n00:01.000 --> 00:02.000 line:0\n<v Ada>One "
                "<00:01.500>two\n\n00:02.000 --> "
                "00:03.000\nOne two\nthree",
                "One two three");
    static const char events[] =
        "[Script Info]\nTitle: The Mill\n[Events]\nComment: 0,0:00:01.00,0:00:02.00,,,0,0,0,,no\n"
        "Dialogue: 0,0:00:01.00,0:00:02.00,D,,0,0,0,,{\\b1}One,\\Ntwo\nDialogue: broken\n";
    drt_extract made = extract_bytes("a.ass", events, sizeof events - 1);
    assert_string_equal(made.text.data, "One, two");
    assert_string_equal(made.title.data, "The Mill");
    drt_extract_clear(&made);
}

#define MULTI(type, parts) "Content-Type: multipart/" type "; boundary=\"b\"\n\n" parts "--b--\n"

static void messages(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"Subject: x\n\nA line that was\nwrapped here by the program that\nsent it, as usual in plain mail.\n",
         "A line that was\nwrapped here by the program that\nsent it, as usual in plain mail."},
        {"Content-Type: text/plain; charset=\"iso-8859-1\"\r\nContent-Transfer-Encoding: "
         "quoted-printable\r\n\r\nCaf=E9 =\r\nau lait",
         "Caf\xC3\xA9 au lait"},
        {"Content-Transfer-Encoding: base64\n\nVGhl\nIG1pbGw=", "The mill"},
        {"Content-Type: text/html\n\n<p>one<p>two", "one\n\ntwo"},
        {MULTI("alternative", "--b\nContent-Type: text/plain\n\nplain\n--b\nContent-Type: text/html\n\n<b>page</b>\n"),
         "plain"},
        {MULTI("alternative", "--b\nContent-Type: text/html\n\n<b>page</b>\n--b\nContent-Type: image/png\n\nno\n"),
         "page"},
        {MULTI("mixed",
               "preamble\n--b\n\none\n--b\nContent-Disposition: attachment; filename=a.txt\n\nno\n--b\n\ntwo\n"),
         "one\n\ntwo"},
        {MULTI("mixed", "--b\nContent-Type: multipart/alternative; boundary=c\n\n--c\n\ninner\n--c--\n"), "inner"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.eml", cases[i][0], cases[i][1]);
    static const char source[] =
        "From: =?iso-8859-1?Q?Bj=F6rn?= =?utf-8?B?IFQu?= <b@x>\nSubject: The\n =?utf-8?Q?M=C3=BChle?=\n"
        "Date: Tue, 3 Mar 2020 10:00:00 +0100\n\nText";
    drt_extract made = extract_bytes("a.eml", source, sizeof source - 1);
    assert_string_equal(made.title.data, "The M\xC3\xBChle");
    assert_string_equal(made.date.data, "2020-03-03");
    assert_string_equal(made.authors[0].data, "Bj\xC3\xB6rn T.");
    drt_extract_clear(&made);
    static const char locked[] = MULTI("encrypted", "--b\nContent-Type: application/octet-stream\n\nxx\n");
    made = extract_bytes("a.eml", locked, sizeof locked - 1);
    assert_int_equal(made.status, DRT_DOCUMENT_SKIPPED);
    assert_string_equal(made.reason.data, "it is encrypted; a key would be needed");
    drt_extract_clear(&made);
}

static void mailboxes_hold_messages_and_what_is_attached(void **state) {
    (void)state;
    static const char box[] = "From ada@x Tue Mar  3 10:00:00 2020\nSubject: One\n\nFirst.\nFrom here on: "
                              "text.\n\nFrom bo@x Tue Mar  3 11:00:00 2020\n"
                              "Subject: Two\nContent-Type: multipart/mixed; "
                              "boundary=b\n\n--b\n\nSecond.\n--b\nContent-Type: text/markdown; name=\"a/b.md\"\n"
                              "Content-Disposition: attachment\nContent-Transfer-Encoding: "
                              "base64\n\nIyBIZWFk\n--b\nContent-Type: message/rfc822\n\n"
                              "Subject: Three\n\nForwarded.\n--b--\n\nFrom no-one\n";
    scratch_make();
    scratch_write("m.mbox", box, sizeof box - 1);
    assert_rows("m.mbox", "m.mbox/1.eml | ok | mail |  | First.\\nFrom here on: text.\n"
                          "m.mbox/2.eml/a_b.md | ok | markdown |  | Head\n"
                          "m.mbox/2.eml/part-3.eml | ok | mail |  | Forwarded.\n"
                          "m.mbox/2.eml | ok | mail |  | Second.\n");
    scratch_write("e.mbox", "no mail", 7);
    assert_rows("e.mbox", "e.mbox | skipped | mbox | there is nothing in it, or it is damaged | \n");
    scratch_write("inbox", box, sizeof box - 1);
    drt_buffer rows = walk_rows(scratch_path("inbox"), NULL);
    assert_non_null(strstr(rows.data, "inbox/1.eml | ok"));
    drt_buffer_free(&rows);
    scratch_remove();
}

/* Messages inside each other end at the depth that archives may have. */
static void mail_nests_to_a_limit(void **state) {
    (void)state;
    drt_buffer mail = {0};
    for (int i = 0; i < 50; i++)
        assert_true(drt_buffer_printf(
            &mail, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\nContent-Type: message/rfc822\n\n", i, i));
    assert_true(drt_buffer_append_text(&mail, "\nDeep."));
    scratch_make();
    scratch_write("d.eml", mail.data, mail.length);
    drt_buffer rows = walk_rows(scratch_path("d.eml"), NULL);
    assert_non_null(strstr(rows.data, "nested too deep"));
    drt_buffer_free(&rows);
    drt_buffer_free(&mail);
    scratch_remove();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(restructured_text),
        cmocka_unit_test(notebooks),
        cmocka_unit_test(subtitles),
        cmocka_unit_test(messages),
        cmocka_unit_test(mailboxes_hold_messages_and_what_is_attached),
        cmocka_unit_test(mail_nests_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
