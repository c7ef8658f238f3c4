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

static char long_line[30000];

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
}

/* What mail programs, lists and gateways make of texts. */
static void messages_as_they_come(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"Just a text without\nany header.\n", "Just a text without\nany header."},
        {"From: a@b\nSubject: s\nno header, and no blank line\n", "no header, and no blank line"},
        {"Subject: The mill has burned (no more to say)\n\n\n", "The mill has burned (no more to say)"},
        {"Content-Transfer-Encoding: base64\n\nIt only says that it is.\n", "It only says that it is."},
        {"Content-Transfer-Encoding: base64\n\nVGhlIG1pbGw=\n\n______\nA list of mail\n",
         "The mill\n\n______\nA list of mail"},
        {"Content-Transfer-Encoding: base64\n\nVGhlIA==\nbWlsbA==\n", "The mill"},
        {"Content-Transfer-Encoding: quoted-printable\n\nOne= \t\n two =\r\nthree=3D a=b =ZZ",
         "One two three= a=b =ZZ"},
        {"Content-Type: text/plain; charset=us-ascii\n\nM\xFCller gr\xF6\xDF"
         "er \xFC"
         "ber Stra\xDF"
         "e f\xFCr\n",
         "M\xC3\xBCller gr\xC3\xB6\xC3\x9F"
         "er \xC3\xBC"
         "ber Stra\xC3\x9F"
         "e f\xC3\xBCr"},
        {"Content-Type: text/html\n\n<meta charset=iso-8859-2><p>\xB3\xF3"
         "d\xBC\n",
         "\xC5\x82\xC3\xB3"
         "d\xC5\xBA"},
        {"Content-Type: text/plain; format=flowed\n\nThe lamp was \nlit. \n\n> quoted \n> text\n>\n> more\n From "
         "here\n-- \nAda\n",
         "The lamp was lit.\n\n> quoted text\n\n> more\n\nFrom here\n--\nAda"},
        {"Content-Type: text/plain; format=flowed; delsp=yes\n\n\xE4\xB8\x80 \n\xE4\xBA\x8C\n",
         "\xE4\xB8\x80\xE4\xBA\x8C"},
        {"\n> The lamp was lit at dusk and it went out at dawn, for\n> nobody had filled it with oil in time for the "
         "night.\nNo.\n",
         "> The lamp was lit at dusk and it went out at dawn, for nobody had filled it with oil in time for the "
         "night.\n\nNo."},
        {"\n-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\nSigned.\n- - item\n-----BEGIN PGP "
         "SIGNATURE-----\n\niQ\n-----END PGP SIGNATURE-----\n",
         "Signed.\n- item"},
        {MULTI("signed", "--b\n\nSigned.\n--b\nContent-Type: application/pgp-signature; name=s.asc\n\niQ\n"),
         "Signed."},
        {MULTI("mixed", "--b\nContent-Type: multipart/alternative; boundary=bb\n\n--bb\n\nplain\n--bb\nContent-Type: "
                        "text/html\n\npage\n--bb--\n--b\n\nmore\n"),
         "plain\n\nmore"},
        {MULTI("related", "--b\nContent-Type: text/html\n\n<p>See <img src=cid:1> here\n--b\nContent-Type: image/png\n"
                          "Content-ID: <1>\n\nno\n"),
         "See here"},
        /* headers that are wrong cost no text */
        {"Content-Type: text\n\nOne word.\n", "One word."},
        {"Content-Type:\n\nNo type.\n", "No type."},
        {"Content-Type: multipart/mixed\n\n--x\n\nNo boundary.\n--x--\n", "No boundary."},
        {"Content-Type: multipart/mixed; boundary=y\n\n--x\n\nAnother one.\n--x--\n", "Another one."},
        {"Content-Type: multipart/mixed; boundary=y\n\nNo part at all.\n", "No part at all."},
        {"Content-Type: text/plain\nContent-Disposition: inline; filename=a.txt\n\nA named text.\n", "A named text."},
        {"Subject: x\n\n<html><body><p>A page.</body></html>\n", "A page."},
        {"CONTENT-TYPE: TEXT/HTML\nCONTENT-TRANSFER-ENCODING: BASE64 (x)\n\nPHA+SGVsbG8=\n", "Hello"},
        {MULTI("alternative", "--b\n\n\n--b\nContent-Type: text/html\n\npage\n"), "page"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.eml", cases[i][0], cases[i][1]);
    assert_text("a.emlx", "15\nSubject: x\n\nOne<plist>", "One");
}

static void what_a_message_keeps_to_itself_is_told(void **state) {
    (void)state;
    static const struct {
        const char *source, *reason, *text;
    } cases[] = {
        {MULTI("encrypted", "--b\nContent-Type: application/octet-stream\n\nxx\n"),
         "it is encrypted; a key would be needed", ""},
        {"Content-Type: application/pkcs7-mime; smime-type=enveloped-data\n\nMIIB",
         "it is encrypted; a key would be needed", ""},
        {"Content-Type: application/pkcs7-mime; smime-type=signed-data\n\nMIIB",
         "it is packed with its signature (S/MIME), which is not read", ""},
        {"\n-----BEGIN PGP MESSAGE-----\n\nhQ\n-----END PGP MESSAGE-----\n", "it is encrypted; a key would be needed",
         ""},
        {"\nHello.\n-----BEGIN PGP MESSAGE-----\n\nhQ\n-----END PGP MESSAGE-----\n",
         "a part of it is encrypted; a key would be needed", "Hello."},
        {"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nOne.\n--b\n\nTwo",
         "its last part has no end: it may be cut", "One.\n\nTwo"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_extract made = extract_bytes("a.eml", cases[i].source, strlen(cases[i].source));
        assert_int_equal(made.status, *cases[i].text ? DRT_DOCUMENT_PARTIAL : DRT_DOCUMENT_SKIPPED);
        assert_string_equal(made.reason.data, cases[i].reason);
        assert_string_equal(made.text.length ? made.text.data : "", cases[i].text);
        drt_extract_clear(&made);
    }
}

static void assert_headers(const char *source, const char *title, const char *date, const char *authors) {
    drt_extract made = extract_bytes("a.eml", source, strlen(source));
    drt_buffer joined = {0};
    for (size_t i = 0; i < made.n_authors; i++)
        assert_true(drt_buffer_printf(&joined, "%s%s", i ? "|" : "", made.authors[i].data));
    assert_string_equal(made.title.data ? made.title.data : "", title);
    assert_string_equal(made.date.data ? made.date.data : "", date);
    assert_string_equal(joined.length ? joined.data : "", authors);
    drt_buffer_free(&joined);
    drt_extract_clear(&made);
}

static void headers(void **state) {
    (void)state;
    /* words that share a character, folded, of several charsets, with a language, among plain ones */
    assert_headers("Subject: =?utf-8?B?w6TDtsM=?=\n =?UTF-8*de?B?vA==?= and "
                   "=?iso-8859-1?Q?caf=E9?=\n\t=?utf-8?q?_b=C3=A4r?= x\n\n.",
                   "\xC3\xA4\xC3\xB6\xC3\xBC and caf\xC3\xA9 b\xC3\xA4r x", "", "");
    assert_headers("From: \"Renn, Ada\" <ada@x>, bo@x (Bo Tarn),\n <cy@x>, \"E \\\"the\\\" F\" <e@f>\n\n.", "", "",
                   "Renn, Ada|Bo Tarn|cy@x|E \"the\" F");
    assert_headers("Sender: Ada Renn <a@x>\n\n.", "", "", "Ada Renn");
    assert_headers("subject : T\nFROM:\n Ada\n\n.", "T", "", "Ada");
    assert_headers("Date: Tue, 3 Mar 2020 23:59:00 -0800 (PST)\n\n.", "", "2020-03-03", "");
    assert_headers("Date: 03-Mar-98 10:00\n\n.", "", "1998-03-03", "");
    assert_headers("Date: Tue Mar  3 10:00:00 2020\n\n.", "", "2020-03-03", "");
    assert_headers("Date: Tuesday, 3 March 2020\n\n.", "", "2020-03-03", "");
    assert_headers("Date: 2020-03-03T10:00:00Z\n\n.", "", "2020-03-03", "");
    assert_headers("Date: some day\n\n.", "", "some day", "");
    static const char source[] =
        "From: =?iso-8859-1?Q?Bj=F6rn?= =?utf-8?B?IFQu?= <b@x>\nSubject: The\n =?utf-8?Q?M=C3=BChle?=\n"
        "Date: Tue, 3 Mar 2020 10:00:00 +0100\n\nText";
    drt_extract made = extract_bytes("a.eml", source, sizeof source - 1);
    assert_string_equal(made.title.data, "The M\xC3\xBChle");
    assert_string_equal(made.date.data, "2020-03-03");
    assert_string_equal(made.authors[0].data, "Bj\xC3\xB6rn T.");
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
    assert_rows("e.mbox", "e.mbox | ok | text |  | no mail\n"); /* nor a mailbox */
    scratch_write("inbox", box, sizeof box - 1);
    drt_buffer rows = walk_rows(scratch_path("inbox"), NULL);
    assert_non_null(strstr(rows.data, "inbox/1.eml | ok"));
    drt_buffer_free(&rows);
    scratch_remove();
}

#define MARK "From ada@x Tue Mar  3 10:00:00 2020\n"

/* Names say nothing in folders of mail: what is inside tells. */
static void folders_of_mail(void **state) {
    (void)state;
    static const char mail[] = "Return-Path: <ada@x>\nFrom: Ada <ada@x>\nDate: 3 Mar 2020\nSubject: T\n\nText.\n";
    static const char digest[] = MULTI("digest", "--b\n\nSubject: x\n\nInner.\n");
    static const char named[] =
        MULTI("mixed", "--b\n\nSee.\n--b\nContent-Disposition: attachment;\n filename*0*=utf-8''caf;"
                       " filename*1*=%C3%A9;\n filename*2=\" x.txt\"\n\nAttached.\n");
    scratch_make();
    scratch_write("m/cur/1700000000.M1P2.host,S=10:2,S", mail, sizeof mail - 1);
    scratch_write("m/new/1700000000.M1P2.mail.example.com", mail, sizeof mail - 2);
    scratch_write("m/1", mail, sizeof mail - 3);
    scratch_write("m/note.txt", mail, sizeof mail - 1);
    scratch_write("m/digest.eml", digest, sizeof digest - 1);
    scratch_write("m/named.eml", named, sizeof named - 1);
    scratch_write("m/title", "Title: x\nAuthor: y\n\nNo mail.", 28);
    assert_rows("m",
                "m/1 | ok | mail |  | Text\n"
                "m/cur/1700000000.M1P2.host,S=10:2,S | ok | mail |  | Text.\n"
                "m/digest.eml/part-1.eml | ok | mail |  | Inner.\n"
                "m/digest.eml | skipped | mail | there is no text in it | \n"
                "m/named.eml/caf\xC3\xA9 x.txt | ok | text |  | Attached.\n"
                "m/named.eml | ok | mail |  | See.\n"
                "m/new/1700000000.M1P2.mail.example.com | ok | mail |  | Text.\n"
                "m/note.txt | ok | text |  | Return-Path: <ada@x>\\nFrom: Ada <ada@x>\\nDate: 3 Mar 2020\\nSubject: "
                "T\\n\\nText.\n"
                "m/title | ok | text |  | Title: x\\nAuthor: y\\n\\nNo mail.\n");
    scratch_remove();
}

/* Lines that look like the beginning of a message, as written by several programs; line ends of both kinds. */
static void mailboxes_as_they_come(void **state) {
    (void)state;
    static const char box[] =
        "\xEF\xBB\xBF\n" MARK "Subject: x\n\nOne.\n>From here.\n\n>>From there.\n\nFrom 10:30 to 2020\n"
        "\nFrom - Tue Mar 03 10:00:00 2020\nSubject: \\documentclass\n\n{html}\n\n"
        "From 17@xxx Tue Mar 03 10:00:00 +0000 2020\r\nSubject: x\r\n\r\nThree.\r\n\r\n" MARK
        "Subject: x\n\nFour, and no blank line.\n" MARK "Subject: x\n\nFive.\n" MARK "is no header.\n\n" MARK;
    scratch_make();
    scratch_write("m.mbox", box, sizeof box - 1);
    assert_rows("m.mbox", "m.mbox/1.eml | ok | mail |  | One.\\nFrom here.\\n\\n> From there.\\n\\nFrom 10:30 to 2020\n"
                          "m.mbox/2.eml | ok | mail |  | {html}\n"
                          "m.mbox/3.eml | ok | mail |  | Three.\n"
                          "m.mbox/4.eml | ok | mail |  | Four, and no blank line.\n"
                          "m.mbox/5.eml | ok | mail |  | Five.\\nFrom ada@x Tue Mar 3 10:00:00 2020\\nis no header.\n");
    scratch_remove();
}

/* A mailbox that is larger than any document may be is read all the same, and a message that is, is skipped alone. */
static void mailboxes_are_read_in_pieces(void **state) {
    (void)state;
    drt_buffer box = {0};
    for (int i = 0; i < 40; i++)
        assert_true(drt_buffer_printf(&box, MARK "Subject: %d\n\n%.*s\n\n", i, i == 7 ? 30000 : 3000,
                                      (const char *)memset(long_line, 'a' + i % 26, sizeof long_line)));
    scratch_make();
    scratch_write("m.mbox", box.data, box.length);
    drt_corpus_params params = drt_corpus_params_default();
    params.limits.max_member_bytes = 16384;
    drt_buffer rows = walk_rows(scratch_path("m.mbox"), &params);
    assert_non_null(strstr(rows.data, "m.mbox/8.eml | skipped | mail | it is larger than the limit of 0 MiB"));
    assert_non_null(strstr(rows.data, "m.mbox/40.eml | ok | mail |  | nnn"));
    size_t lines = 0;
    for (const char *at = rows.data; (at = strchr(at, '\n')) != NULL; at++)
        lines++;
    assert_int_equal(lines, 40);
    drt_buffer_free(&rows);
    drt_buffer_free(&box);
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
        cmocka_unit_test(messages_as_they_come),
        cmocka_unit_test(what_a_message_keeps_to_itself_is_told),
        cmocka_unit_test(headers),
        cmocka_unit_test(mailboxes_hold_messages_and_what_is_attached),
        cmocka_unit_test(folders_of_mail),
        cmocka_unit_test(mailboxes_as_they_come),
        cmocka_unit_test(mailboxes_are_read_in_pieces),
        cmocka_unit_test(mail_nests_to_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
