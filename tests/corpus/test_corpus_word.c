/* Word documents as Word makes them: styles in any language, numbers that it counts, parts in other formats, signs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/corpus/formats/docx_styles.h"
#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

#define RELATION(id, type, target) "<Relationship Id='" id "' Type='x/" type "' Target='" target "'/>"

static drt_extract word(const char *body, const char *styles, const char *numbering, archive_part part) {
    char document[4000];
    snprintf(document, sizeof document, "<w:document><w:body>%s</w:body></w:document>", body);
    archive_part parts[] = {
        {"_rels/.rels", RELATION("r", "officeDocument", "word/document.xml"), -1, NULL},
        {"word/_rels/document.xml.rels",
         RELATION("s", "styles", "styles.xml") RELATION("n", "numbering", "numbering.xml")
             RELATION("c", "aFChunk", "/word/chunk.bin"),
         -1, NULL},
        {"word/document.xml", document, -1, NULL},
        {"word/styles.xml", styles, -1, NULL},
        {"word/numbering.xml", numbering, -1, NULL},
        part,
    };
    drt_buffer zip = archive_make("zip", NULL, NULL, parts, COUNT(parts));
    drt_extract made = extract_bytes("a.docx", zip.data, zip.length);
    drt_buffer_free(&zip);
    return made;
}

#define P(properties, inside) "<w:p><w:pPr>" properties "</w:pPr><w:r><w:t>" inside "</w:t></w:r></w:p>"
#define STYLE(id) "<w:pStyle w:val='" id "'/>"
#define NUMBER(id, level) "<w:numPr><w:ilvl w:val='" level "'/><w:numId w:val='" id "'/></w:numPr>"

static const char styles[] =
    "<w:styles><w:docDefaults><w:vanish/></w:docDefaults>"
    "<w:style w:styleId='berschrift1'><w:name w:val='heading 1'/><w:pPr>" NUMBER(
        "1",
        "0") "</w:pPr></w:style>"
             "<w:style w:styleId='Punkt'><w:name w:val='List Bullet'/><w:pPr><w:numPr><w:numId "
             "w:val='2'/></w:numPr></w:pPr>"
             "</w:style><w:style w:styleId='MeinPunkt'><w:name w:val='Mein Punkt'/><w:basedOn w:val='Punkt'/></w:style>"
             "<w:style w:styleId='Absatz'><w:name w:val='List Paragraph'/></w:style>"
             "<w:style w:styleId='Titel'><w:name w:val='Title'/></w:style>"
             "<w:style w:styleId='Kreis'><w:name w:val='Ring'/><w:basedOn w:val='Kreis'/></w:style>"
             "<w:style w:styleId='Geheim'><w:name w:val='Secret'/><w:rPr><w:vanish/></w:rPr></w:style></w:styles>";
static const char numbering[] =
    "<w:numbering><w:abstractNum w:abstractNumId='7'><w:lvl w:ilvl='0'><w:start w:val='1'/><w:numFmt w:val='decimal'/>"
    "<w:lvlText w:val='%1.'/></w:lvl><w:lvl w:ilvl='1'><w:numFmt w:val='lowerLetter'/><w:lvlText "
    "w:val='%1(%2)'/></w:lvl>"
    "<w:lvl w:ilvl='2'><w:start w:val='4'/><w:numFmt w:val='upperRoman'/><w:lvlText "
    "w:val='%3'/></w:lvl></w:abstractNum>"
    "<w:abstractNum w:abstractNumId='8'><w:lvl w:ilvl='0'><w:numFmt w:val='bullet'/><w:lvlText "
    "w:val='&#61623;'/></w:lvl>"
    "</w:abstractNum><w:num w:numId='1'><w:abstractNumId w:val='7'/></w:num>"
    "<w:num w:numId='2'><w:abstractNumId w:val='8'/></w:num>"
    "<w:num w:numId='3'><w:abstractNumId w:val='7'/><w:lvlOverride w:ilvl='0'><w:startOverride "
    "w:val='5'/></w:lvlOverride>"
    "</w:num></w:numbering>";

static void assert_word(const char *body, const char *text) {
    drt_extract made = word(body, styles, numbering, (archive_part){"x", "", 0, NULL});
    assert_string_equal(made.text.data ? made.text.data : "", text);
    assert_int_equal(made.status, DRT_DOCUMENT_OK);
    drt_extract_clear(&made);
}

static void styles_tell_items_and_headings(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {P(STYLE("Punkt"), "red") P(STYLE("MeinPunkt"), "blue") P("", "after"), "red\nblue\n\nafter"},
        {P(STYLE("Absatz"), "one") P(STYLE("Absatz"), "two"), "one\n\ntwo"},
        {P(STYLE("Absatz") NUMBER("2", "0"), "one") P(STYLE("Absatz") NUMBER("2", "0"), "two"), "one\ntwo"},
        {P(STYLE("Punkt") NUMBER("0", "0"), "one") P(STYLE("Punkt") NUMBER("0", "0"), "two"), "one\n\ntwo"},
        {P(STYLE("berschrift1"), "Head") P("", "text"), "1. Head\n\ntext"},
        {P(STYLE("Kreis"), "ring"), "ring"},
        {P(STYLE("Unknown"), "one") P(STYLE("ListNumber"), "two") P(STYLE("ListNumber"), "three"), "one\n\ntwo\nthree"},
        {P(STYLE("Geheim"), "no") P("", "yes"), "yes"},
        {"<w:p><w:r><w:rPr><w:rStyle w:val='Geheim'/></w:rPr><w:t>no</w:t></w:r><w:r><w:t>yes</w:t></w:r></w:p>",
         "yes"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_word(cases[i][0], cases[i][1]);
    drt_extract made = word(P(STYLE("Titel"), "Der Titel"), styles, numbering, (archive_part){"x", "", 0, NULL});
    assert_string_equal(made.title.data, "Der Titel");
    drt_extract_clear(&made);
}

static void numbers_are_counted(void **state) {
    (void)state;
    assert_word(P(NUMBER("1", "0"), "a") P(NUMBER("1", "1"), "b") P(NUMBER("1", "1"), "c") P(NUMBER("1", "2"), "d")
                    P(NUMBER("1", "0"), "e") P(NUMBER("1", "1"), "f"),
                "1. a\n1(a) b\n1(b) c\nIV d\n2. e\n2(a) f");
    assert_word(P(NUMBER("1", "0"), "a") P(NUMBER("3", "0"), "b") P(NUMBER("3", "0"), "c"), "1. a\n5. b\n6. c");
    assert_word(P(NUMBER("1", "1"), "a"), "1(a) a");
    assert_word(P(NUMBER("9", "0"), "a") P(NUMBER("1", "99"), "b"), "a\nb");
    static const struct {
        const char *format;
        int start;
        const char *mark;
    } cases[] = {{"lowerLetter", 28, "bb"},
                 {"lowerRoman", 1994, "mcmxciv"},
                 {"upperRoman", 4000, "4000"},
                 {"lowerLetter", 0, "0"},
                 {"none", 3, ""},
                 {"chineseCounting", 3, "3"},
                 {"decimal", 9999999, "99999"}};
    for (size_t i = 0; i < COUNT(cases); i++) {
        char source[400];
        drt_docx_styles read = {0};
        drt_buffer mark = {0};
        snprintf(
            source, sizeof source,
            "<abstractNum abstractNumId='1'><lvl ilvl='0'><start val='%d'/><numFmt val='%s'/><lvlText val='%%1'/></lvl>"
            "</abstractNum><num numId='1'><abstractNumId val='1'/></num>",
            cases[i].start, cases[i].format);
        assert_true(drt_docx_numbering_read(&read, source, strlen(source)));
        assert_true(drt_docx_mark(&read, 1, -1, &mark) && drt_buffer_append_byte(&mark, 0));
        assert_string_equal(mark.data, cases[i].mark);
        drt_buffer_free(&mark);
        drt_docx_styles_free(&read);
    }
}

static void parts_in_other_formats_are_read(void **state) {
    (void)state;
    static const struct {
        const char *body;
        archive_part part;
        drt_document_status status;
        const char *text;
    } cases[] = {
        {P("", "a") "<w:altChunk r:id='c'/>" P("", "b"),
         {"word/chunk.bin", "<html><p>one</p><p>two</p></html>", -1, NULL},
         DRT_DOCUMENT_OK,
         "a\n\none\n\ntwo\n\nb"},
        {"<w:altChunk r:id='c'/>",
         {"word/chunk.bin", "{\\rtf1 rich\\par text}", -1, NULL},
         DRT_DOCUMENT_OK,
         "rich\n\ntext"},
        {P("", "a") "<w:altChunk r:id='c'/>",
         {"word/chunk.bin", "{\\rtf1 cut", -1, NULL},
         DRT_DOCUMENT_PARTIAL,
         "a\n\ncut"},
        {P("", "a") "<w:altChunk r:id='c'/>", {"word/other", "", 0, NULL}, DRT_DOCUMENT_PARTIAL, "a"},
        {P("", "a") "<w:altChunk/>", {"word/chunk.bin", "never", -1, NULL}, DRT_DOCUMENT_PARTIAL, "a"},
        {P("", "a") "<w:altChunk r:id='c'/>",
         {"word/chunk.bin", "PK\3\4\24\0\0\0\0\0\0\0!\0", 14, NULL},
         DRT_DOCUMENT_PARTIAL,
         "a"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_extract made = word(cases[i].body, styles, numbering, cases[i].part);
        assert_string_equal(made.text.data, cases[i].text);
        assert_int_equal(made.status, cases[i].status);
        drt_extract_clear(&made);
    }
}

#define R(text) "<w:r><w:t>" text "</w:t></w:r>"

static void signs_and_formulas(void **state) {
    (void)state;
    static const char *const cases[][2] = {
        {"<w:p><w:r><w:sym w:font='Symbol' w:char='F061'/></w:r><w:r><w:sym w:font='Wingdings' w:char='F0E0'/></w:r>"
         "<w:r><w:sym w:font='Arial' w:char='03B2'/></w:r><w:r><w:sym w:char='F061'/></w:r></w:p>",
         "\xCE\xB1\xCE\xB2"},
        {"<w:p><m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=''/></m:dPr><m:e>" R("a") "<m:d><m:e>" R(
             "b") "</m:e></m:d></m:e></m:d>" R("c") "</w:p>",
         "[a(b)c"},
        {"<w:p><m:m><m:mr><m:e>" R("1") "</m:e><m:e>" R("2") "</m:e></m:mr><m:mr><m:e>" R("3") "</m:e><m:e>" R(
             "4") "</m:e></m:mr></m:m></w:p>",
         "1 2; 3 4;"},
        {"<w:p><m:func><m:fName>" R("sin") "</m:fName><m:e>" R("x") "</m:e></m:func></w:p>", "sin x"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_word(cases[i][0], cases[i][1]);
}

static void the_text_is_found_where_it_was_packed(void **state) {
    (void)state;
    static const char *const names[][2] = {{"_Rels/.Rels", "Word/Document.XML"},
                                           {"My paper/_rels/.rels", "My paper/word/document.xml"}};
    for (size_t i = 0; i < COUNT(names); i++) {
        archive_part parts[] = {
            {names[i][0], RELATION("r", "officeDocument", "word/document.xml"), -1, NULL},
            {names[i][1], "<w:document><w:p><w:r><w:t>text</w:t></w:r></w:p></w:document>", -1, NULL},
            {"other/keyword/document.xmlx", "no", -1, NULL}};
        drt_buffer zip = archive_make("zip", NULL, NULL, parts, COUNT(parts));
        drt_extract made = extract_bytes("a.docx", zip.data, zip.length);
        assert_string_equal(made.text.data, "text");
        drt_extract_clear(&made);
        drt_buffer_free(&zip);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(styles_tell_items_and_headings),        cmocka_unit_test(numbers_are_counted),
        cmocka_unit_test(parts_in_other_formats_are_read),       cmocka_unit_test(signs_and_formulas),
        cmocka_unit_test(the_text_is_found_where_it_was_packed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
