/* Word processors' formats: what of a document is its text, and in which order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* ------------------------------------------------------------ Microsoft Word ---- */

static drt_extract word(const char *body, const char *footnotes, const char *endnotes) {
    char document[4000];
    snprintf(document, sizeof document, "<w:document><w:body>%s</w:body></w:document>", body);
    archive_part parts[] = {
        {"_rels/.rels", "<Relationship Type='x/officeDocument' Target='/word/document2.xml'/>", -1, NULL},
        {"word/_rels/document2.xml.rels",
         "<Relationship Type='x/endnotes' Target='endnotes.xml'/>"
         "<Relationship Type='x/footnotes' Target='notes/footnotes.xml'/>",
         -1, NULL},
        {"word/document2.xml", document, -1, NULL},
        {"word/notes/footnotes.xml", footnotes, -1, NULL},
        {"word/endnotes.xml", endnotes, -1, NULL},
        {"word/comments.xml", "<w:p><w:r><w:t>no</w:t></w:r></w:p>", -1, NULL},
        {"docProps/core.xml",
         "<dc:title>The &#77;ill</dc:title><dc:creator>Ada Renn; Bo Tarn</dc:creator>"
         "<dcterms:created>2020-01-02T03:04:05Z</dcterms:created><dcterms:modified>2021</dcterms:modified>",
         -1, NULL},
    };
    drt_buffer zip = archive_make("zip", NULL, NULL, parts, COUNT(parts));
    drt_extract made = extract_bytes("a.docx", zip.data, zip.length);
    drt_buffer_free(&zip);
    return made;
}

static void assert_word(const char *body, const char *text) {
    drt_extract made = word(body, "", "");
    assert_string_equal(made.text.data ? made.text.data : "", text);
    assert_int_equal(made.status, DRT_DOCUMENT_OK);
    drt_extract_clear(&made);
}

#define P(inside) "<w:p>" inside "</w:p>"
#define R(text) "<w:r><w:t>" text "</w:t></w:r>"
#define ITEM "<w:pPr><w:numPr><w:numId w:val='2'/></w:numPr></w:pPr>"

static void word_text(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {P(R("one ") "\n" R("word")) P(R("two")), "one word\n\ntwo"},
        {P("<w:r><w:t>a</w:t></w:r>\n <w:r><w:t>b</w:t></w:r>"), "ab"},
        {P("<w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t></w:r>"), "a b\nc"},
        {P(ITEM R("red")) P(ITEM R("blue")) P(R("after")), "red\nblue\n\nafter"},
        {P(R("before")) P(ITEM R("red")) P("") P(ITEM R("blue")), "before\n\nred\nblue"},
        {P("<w:pPr><w:pStyle w:val='Heading2'/><w:numPr><w:numId w:val='1'/></w:numPr></w:pPr>" R("head"))
             P("<w:pPr><w:numPr><w:numId w:val='0'/></w:numPr></w:pPr>" R("text")),
         "head\n\ntext"},
        {"<w:tbl><w:tr><w:tc>" P(R("a")) "</w:tc><w:tc>" P(R("b"))
             P(R("c")) "</w:tc></w:tr><w:tr><w:tc>" P(R("d")) "</w:tc></w:tr></w:tbl>" P(R("e")),
         "a b\nc\nd\n\ne"},
        {"<w:tbl><w:tr><w:tc>" P(R("out")) "<w:tbl><w:tr><w:tc>" P(R("in")) "</w:tc></w:tr></w:tbl>" P(
             R("rest")) "</w:tc><w:tc>" P(R("x")) "</w:tc></w:tr></w:tbl>",
         "out\nin\nrest x"},
        {P("<w:pPr><w:pStyle w:val='Title'/></w:pPr>" R(" ")), ""},
        /* changes */
        {P(R("10") "<w:r><w:rPr><w:vertAlign w:val='superscript'/></w:rPr><w:t>6</w:t></w:r>" R("7")), "10^67"},
        {P(R("a") "<w:del><w:r><w:delText>no</w:delText></w:r></w:del><w:ins>" R("b") "</w:ins>"), "ab"},
        {P("<w:pPr><w:rPr><w:del/></w:rPr></w:pPr>" R("joined ")) P(R("again")), "joined again"},
        {"<w:tbl><w:tr><w:trPr><w:del/></w:trPr><w:tc>" P(R("no")) "</w:tc></w:tr><w:tr><w:tc>" P(
             R("yes")) "</w:tc></w:tr></w:tbl>",
         "yes"},
        {P("<w:pPr><w:pPrChange><w:pPr>" ITEM "</w:pPr></w:pPrChange></w:pPr>" R("a")) P(R("b")), "a\n\nb"},
        /* hidden text; fields */
        {P("<w:r><w:rPr><w:vanish/></w:rPr><w:t>no</w:t></w:r>" R("yes")), "yes"},
        {P("<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t>yes</w:t></w:r>"), "yes"},
        {P("<w:fldChar w:fldCharType='begin'/><w:instrText>IF</w:instrText><w:fldChar "
           "w:fldCharType='begin'/>" R("no") "<w:fldChar w:fldCharType='separate'/>" R(
               "no") "<w:fldChar w:fldCharType='end'/><w:fldChar "
                     "w:fldCharType='separate'/>" R("yes") "<w:fldChar w:fldCharType='end'/>" R(" end")),
         "yes end"},
        {P("<w:fldChar w:fldCharType='end'/>" R("never began")), "never began"},
        {P("<w:sdt><w:sdtPr><w:t>no</w:t></w:sdtPr><w:sdtContent>" R("yes") "</w:sdtContent></w:sdt>"), "yes"},
        /* formulas */
        {P("<m:oMath><m:f><m:num>" R("a") "</m:num><m:den>" R("b") "</m:den></m:f><m:sSubSup><m:e>" R(
             "x") "</m:e><m:sub>" R("i") "</m:sub><m:sup>" R("n+1") "</m:sup></m:sSubSup></m:oMath>"),
         "(a)/(b)x_i^(n+1)"},
        {P("<m:nary><m:naryPr><m:chr m:val='\xE2\x88\x91'/></m:naryPr><m:sub/><m:e>" R("k") "</m:e></m:nary>"),
         "\xE2\x88\x91k"},
        {P("<v:f eqn='x'/><m:rad><m:deg/><m:e>" R("2") "</m:e></m:rad>"), "\xE2\x88\x9A(2)"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_word(cases[i][0], cases[i][1]);
}

#define BOX(inside) "<w:r><w:pict><w:txbxContent>" inside "</w:txbxContent></w:pict></w:r>"

static void word_boxes_stand_behind_their_paragraph(void **state) {
    (void)state;
    assert_word(P(R("a ") BOX(P(R("box")) P(R("more"))) R("b")) P(R("c")), "a b\n\nbox\n\nmore\n\nc");
    assert_word(P("<mc:Choice>" BOX(P(R("once"))) "</mc:Choice><mc:Fallback>" BOX(P(R("twice"))) "</mc:Fallback>"),
                "once");
    assert_word(P(BOX(P(R("out") BOX(P(R("in")))))), "out\n\nin");
    drt_buffer deep = {0};
    for (int i = 0; i < 100; i++)
        assert_true(drt_buffer_append_text(&deep, "<w:txbxContent>"));
    assert_true(drt_buffer_append_text(&deep, R("deep")));
    drt_extract made = word(deep.data, "", "");
    assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
    drt_extract_clear(&made);
    drt_buffer_free(&deep);
}

static void word_notes_stand_behind_their_paragraph(void **state) {
    (void)state;
    drt_extract made =
        word(P(R("one") "<w:footnoteReference w:id='2'/>" R(" goes on") "<w:endnoteReference w:id='2'/>")
                 P(R("two") "<w:footnoteReference w:id='9'/><w:footnoteReference w:id='2'/>"),
             "<w:footnote w:type='separator' w:id='1'>" P(R("no")) "</w:footnote><w:footnote w:id='2'>" P(R("foot"))
                 P(R("note")) "</w:footnote><w:footnote w:id='3'>" P(R("unused")) "</w:footnote>",
             "<w:endnote w:id='2'>" P(R("end")) "</w:endnote>");
    assert_string_equal(made.text.data, "one goes on\n\nfoot\n\nnote\n\nend\n\ntwo");
    assert_string_equal(made.title.data, "The Mill");
    assert_string_equal(made.date.data, "2020-01-02T03:04:05Z");
    assert_int_equal(made.n_authors, 2);
    assert_string_equal(made.authors[1].data, "Bo Tarn");
    drt_extract_clear(&made);
}

static void word_files_that_are_damaged(void **state) {
    (void)state;
    drt_extract made = word(P(R("kept")) "<w:p><!-- ", "", "");
    assert_string_equal(made.text.data, "kept");
    assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
    assert_string_equal(made.reason.data, "its text is damaged and may be incomplete");
    drt_extract_clear(&made);
    static const archive_part other[] = {{"word/other.xml", "", -1, NULL}};
    drt_buffer zip = archive_make("zip", NULL, NULL, other, 1);
    made = extract_bytes("a.docx", zip.data, zip.length);
    assert_string_equal(made.reason.data, "its text is missing");
    drt_extract_clear(&made);
    made = extract_bytes("a.docx", zip.data, 20);
    assert_non_null(made.reason.data);
    drt_extract_clear(&made);
    drt_buffer_free(&zip);
}

/* ------------------------------------------------------------------ OpenDocument ---- */

static void assert_open(const char *body, const char *text) {
    char content[2000];
    snprintf(content, sizeof content,
             "<office:document-content><office:automatic-styles><style:style style:name='H'><style:text-properties "
             "text:display='none'/></style:style></office:automatic-styles>%s</office:document-content>",
             body);
    archive_part parts[] = {
        {"mimetype", "application/vnd.oasis.opendocument.text", -1, NULL},
        {"content.xml", content, -1, NULL},
        {"meta.xml",
         "<office:meta><dc:creator>No</dc:creator><dc:date>2001</dc:date><dc:title>The Mill</dc:title>"
         "<meta:initial-creator>Ada Renn</meta:initial-creator></office:meta>",
         -1, NULL},
        {"Object 1/content.xml", "<math><mfrac><mi>a</mi><mrow><mi>b</mi><mo>+</mo><mn>1</mn></mrow></mfrac></math>",
         -1, NULL},
    };
    drt_buffer zip = archive_make("zip", NULL, "compression=store", parts, COUNT(parts));
    drt_extract made = extract_bytes("a.odt", zip.data, zip.length);
    assert_string_equal(made.text.data ? made.text.data : "", text);
    assert_int_equal(made.status, DRT_DOCUMENT_OK);
    assert_string_equal(made.title.data, "The Mill");
    assert_string_equal(made.date.data, "2001");
    assert_int_equal(made.n_authors, 1);
    assert_string_equal(made.authors[0].data, "Ada Renn");
    drt_extract_clear(&made);
    drt_buffer_free(&zip);
}

#define T(inside) "<text:p>" inside "</text:p>"

static void open_document_text(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<text:h>Head</text:h>" T("a<text:s text:c='3'/>b<text:tab/>c<text:line-break/>d"), "Head\n\na b c\nd"},
        {T("one <text:note><text:note-citation>1</text:note-citation><text:note-body>" T("foot")
               T("note") "</text:note-body></text:note>goes on") T("two"),
         "one goes on\n\nfoot\n\nnote\n\ntwo"},
        {"<text:list><text:list-item>" T("red") "<text:list><text:list-item>" T(
             "deep") "</text:list-item></text:list>"
                     "</text:list-item><text:list-item>" T("blue") "</text:list-item></text:list>" T("after"),
         "red\ndeep\nblue\n\nafter"},
        {T("<text:span text:style-name='H'>no</text:span><text:span text:style-name='I'>yes</text:span>"), "yes"},
        {"<text:p text:style-name='H'>no</text:p><text:section text:display='none'>" T("no") "</text:section>" T("yes"),
         "yes"},
        {"<text:tracked-changes>" T("no") "</text:tracked-changes>" T(
             "a<office:annotation>" T("no") "</office:annotation>b"),
         "ab"},
        {T("a<draw:frame><draw:text-box>" T("box") "</draw:text-box><svg:title>no</svg:title><svg:desc>no</svg:desc>"
                                                   "</draw:frame>b<text:title>field</text:title>"),
         "abfield\n\nbox"},
        {T("x = <draw:frame><draw:object xlink:href='./Object 1'/><draw:object xlink:href='./Object 9'/></draw:frame>"),
         "x = (a)/(b + 1)"},
        {"<table:table><table:table-row><table:table-cell>" T("a") "</table:table-cell><table:covered-table-cell>" T(
             "no") "</table:covered-table-cell>"
                   "<table:table-cell>" T("b") "</table:table-cell></table:table-row></table:table>",
         "a b"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_open(cases[i][0], cases[i][1]);
}

static void open_documents_that_are_locked(void **state) {
    (void)state;
    static const archive_part parts[] = {
        {"content.xml", "noise", -1, NULL},
        {"META-INF/manifest.xml", "<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>", -1, NULL}};
    drt_buffer zip = archive_make("zip", NULL, NULL, parts, COUNT(parts));
    drt_extract made = {0};
    drt_context *context = drt_context_new(NULL);
    drt_format_input input = {zip.data, zip.length, "a.odt", 5};
    assert_int_equal(drt_format_odt_extract(context, &input, &made), DRT_OK);
    assert_int_equal(made.status, DRT_DOCUMENT_SKIPPED);
    assert_string_equal(made.reason.data, "it is encrypted; a password would be needed");
    drt_extract_clear(&made);
    drt_context_free(context);
    drt_buffer_free(&zip);
}

/* -------------------------------------------------------------- Rich Text Format ---- */

#define RTF(text)                                                                                                      \
    "{\\rtf1\\ansi\\ansicpg1252\\deff0{\\fonttbl{\\f0 Arial;}{\\f1\\fcharset204 A;}{\\f2\\fcharset128 "                \
    "B;}{\\f3\\fcharset2 Symbol;}}" text "}"

static void rich_text(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {RTF("one \\b two\\b0  three\\par\nfour\\line five\\tab six"), "one two three\n\nfour\nfive six"},
        {RTF("Caf\\'e9 \\u8212?\\u8212\\'97 \\uc0\\u233 x {\\uc2\\u233 ??}y"),
         "Caf\xC3\xA9 \xE2\x80\x94\xE2\x80\x94 \xC3\xA9x \xC3\xA9y"},
        {RTF("\\uc1\\u-10179?\\u-8704?"), "\xF0\x9F\x98\x80"},
        {RTF("{\\f1 \\'cc\\'e8\\'f0} {\\f2\\'96\\'da\\'83A} {\\f3 ab}"),
         "\xD0\x9C\xD0\xB8\xD1\x80 \xE7\x9B\xAE\xE3\x82\xA2 \xCE\xB1\xCE\xB2"},
        {RTF("\\{a\\}\\\\ \\~b\\_c un\\-usual\\emdash \\lquote x\\rquote"),
         "{a}\\ b-c unusual\xE2\x80\x94\xE2\x80\x98x\xE2\x80\x99"},
        {RTF("a{\\footnote\\pard first\\par second}b\\par c"), "ab\n\nfirst\n\nsecond\n\nc"},
        {RTF("\\trowd\\pard\\intbl a\\cell b\\par c\\cell\\row\\trowd\\pard\\intbl d\\cell\\row\\pard e\\par"),
         "a b\nc\nd\n\ne"},
        {RTF("\\pard\\ls1{\\listtext 1.}red\\par\\pard\\ls1 blue\\par\\pard after"), "red\nblue\n\nafter"},
        {RTF("{\\header no}{\\*\\unknown no}{\\pict 00ff}{\\v hidden}{\\deleted no}{\\field{\\*\\fldinst no}{\\fldrslt "
             "yes}}"),
         "yes"},
        {RTF("a{\\shp{\\*\\shpinst{\\sp{\\sn no}}{\\shptxt box}}{\\shprslt no}}b"), "ab\n\nbox"},
        {RTF("{\\upr{no}{\\*\\ud yes}}"), "yes"},
        {RTF("a\\bin5 }}}}}b"), "ab"},
        {RTF("end} trailing \\b{"), "end"},
        {RTF("caf\xC3\xA9 \xD0\x96\\u1078\xD0\x96 \\'e9"), "caf\xC3\xA9 \xD0\x96\xD0\xB6 \xC3\xA9"},
        {RTF("10{\\super 6} {\\f3\\u61537?\\'a3} {\\f1\\u61537?}x"), "10^6 \xCE\xB1\xE2\x89\xA4 x"},
        {"{\\rtf1{\\fonttbl{\\f31506\\fcharset204 Calibri Cyr;}}\\f31506\\'cc}", "\xD0\x9C"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_text("a.rtf", cases[i][0], cases[i][1]);
}

static void rich_text_tells_title_authors_and_date(void **state) {
    (void)state;
    static const char source[] = RTF("{\\info{\\title The M\\'fchle}{\\author Ada Renn; "
                                     "Bo}{\\creatim\\yr2020\\mo3\\dy4\\hr5}{\\revtim\\yr2021}}text");
    drt_extract made = extract_bytes("a.rtf", source, sizeof source - 1);
    assert_string_equal(made.text.data, "text");
    assert_string_equal(made.title.data, "The M\xC3\xBChle");
    assert_string_equal(made.date.data, "2020-03-04");
    assert_int_equal(made.n_authors, 2);
    drt_extract_clear(&made);
}

static void rich_text_that_is_damaged(void **state) {
    (void)state;
    drt_extract made = extract_bytes("a.rtf", "{\\rtf1 kept {\\b more", 20);
    assert_string_equal(made.text.data, "kept more");
    assert_string_equal(made.reason.data, "it is cut short");
    drt_extract_clear(&made);
    drt_buffer deep = {0};
    assert_true(drt_buffer_append_text(&deep, "{\\rtf1 kept"));
    for (int i = 0; i < 100000; i++)
        assert_true(drt_buffer_append_text(&deep, "{a"));
    made = extract_bytes("a.rtf", deep.data, deep.length);
    assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
    assert_non_null(strstr(made.reason.data, "nested too deep"));
    drt_extract_clear(&made);
    drt_buffer_free(&deep);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(word_text),
        cmocka_unit_test(word_boxes_stand_behind_their_paragraph),
        cmocka_unit_test(word_notes_stand_behind_their_paragraph),
        cmocka_unit_test(word_files_that_are_damaged),
        cmocka_unit_test(open_document_text),
        cmocka_unit_test(open_documents_that_are_locked),
        cmocka_unit_test(rich_text),
        cmocka_unit_test(rich_text_tells_title_authors_and_date),
        cmocka_unit_test(rich_text_that_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
