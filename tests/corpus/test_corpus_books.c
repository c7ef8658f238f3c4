/* EPUB books: their spine, their papers, what is lost, and how they come in the wild. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const char container[] =
    "<container><rootfiles><rootfile full-path=\"OEBPS/book.opf\"/></rootfiles></container>";
static const char package[] =
    "<?xml version=\"1.0\"?><package><metadata xmlns:dc=\"x\"><dc:title>The Mill</dc:title><dc:title>No</dc:title>"
    "<dc:creator>Ada Renn</dc:creator><dc:creator>Bo Tarn</dc:creator><dc:date opf:event=\"creation\">1999</dc:date>"
    "<dc:date opf:event=\"publication\">2001</dc:date></metadata>"
    "<manifest><item id=\"nav\" href=\"nav.xhtml\" properties=\"nav\"/><item id=\"a\" href=\"a%20b.xhtml\"/>"
    "<item id=\"b\" href=\"sub/../c.xhtml#part\"/><item id=\"p\" href=\"p.svg\" "
    "media-type=\"image/svg+xml\"/></manifest>"
    "<spine><itemref idref=\"b\"/><itemref idref=\"nav\"/><itemref idref=\"p\"/><itemref "
    "idref=\"a\"/></spine></package>";

static drt_extract read_book(const archive_part *parts, size_t n_parts) {
    drt_buffer zip = archive_make("zip", NULL, NULL, parts, n_parts);
    drt_extract made = extract_bytes("a.epub", zip.data, zip.length);
    drt_buffer_free(&zip);
    return made;
}

#define BOOK                                                                                                           \
    {"META-INF/container.xml", container, -1, NULL}, {"OEBPS/book.opf", package, -1, NULL}, {                          \
        "OEBPS/nav.xhtml", "<nav>Contents</nav>Contents", -1, NULL                                                     \
    }

static void books_follow_their_spine(void **state) {
    (void)state;
    static const archive_part parts[] = {BOOK,
                                         {"OEBPS/a b.xhtml", "<p>Second</p>", -1, NULL},
                                         {"OEBPS/c.xhtml", "<title>no</title><p>First</p>", -1, NULL}};
    drt_extract made = read_book(parts, COUNT(parts));
    assert_string_equal(made.text.data, "First\n\nSecond");
    assert_int_equal(made.status, DRT_DOCUMENT_OK);
    assert_string_equal(made.title.data, "The Mill");
    assert_string_equal(made.date.data, "2001");
    assert_int_equal(made.n_authors, 2);
    assert_string_equal(made.authors[1].data, "Bo Tarn");
    drt_extract_clear(&made);
}

static void a_missing_chapter_does_not_lose_the_book(void **state) {
    (void)state;
    static const archive_part parts[] = {BOOK, {"OEBPS/c.xhtml", "<p>First</p>", -1, NULL}};
    drt_extract made = read_book(parts, COUNT(parts));
    assert_string_equal(made.text.data, "First");
    assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
    assert_string_equal(made.reason.data, "missing chapters: 1 of 2");
    drt_extract_clear(&made);
}

static void books_without_papers_are_read_in_order(void **state) {
    (void)state;
    static const archive_part parts[] = {{"b.html", "one", -1, NULL}, {"a.html", "two", -1, NULL}};
    drt_extract made = read_book(parts, COUNT(parts));
    assert_string_equal(made.text.data, "one\n\ntwo");
    assert_int_equal(made.status, DRT_DOCUMENT_PARTIAL);
    drt_extract_clear(&made);
}

#define ENCRYPTED(algorithm, uri)                                                                                      \
    "<encryption><EncryptedData><EncryptionMethod Algorithm=\"" algorithm                                              \
    "\"/><CipherData><CipherReference URI=\"" uri "\"/></CipherData></EncryptedData>"

static void drm_is_told_and_font_obfuscation_is_none(void **state) {
    (void)state;
    static const struct {
        const char *encryption, *text, *reason;
        drt_document_status status;
    } cases[] = {
        {ENCRYPTED("http://www.idpf.org/2008/embedding", "OEBPS/c.xhtml"), "First\n\nSecond", NULL, DRT_DOCUMENT_OK},
        {ENCRYPTED("http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/a%20b.xhtml"), "First",
         "encrypted chapters (DRM): 1 of 2", DRT_DOCUMENT_PARTIAL},
        {ENCRYPTED("x", "OEBPS/a%20b.xhtml") ENCRYPTED("x", "OEBPS/c.xhtml"), "",
         "all its chapters are encrypted (DRM)", DRT_DOCUMENT_SKIPPED},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        archive_part parts[] = {BOOK,
                                {"OEBPS/a b.xhtml", "<p>Second</p>", -1, NULL},
                                {"OEBPS/c.xhtml", "<p>First</p>", -1, NULL},
                                {"META-INF/encryption.xml", cases[i].encryption, -1, NULL}};
        drt_extract made = read_book(parts, COUNT(parts));
        assert_string_equal(made.text.data ? made.text.data : "", cases[i].text);
        assert_int_equal(made.status, cases[i].status);
        if (cases[i].reason)
            assert_string_equal(made.reason.data, cases[i].reason);
        drt_extract_clear(&made);
    }
}

static void chapters_have_encodings_of_their_own(void **state) {
    (void)state;
    static const archive_part parts[] = {
        BOOK,
        {"OEBPS/a b.xhtml", "<?xml version='1.0' encoding='windows-1251'?><p>\xD7\xE0\xF1\xEE\xE2\xF9\xE8\xEA</p>", -1,
         NULL},
        {"OEBPS/c.xhtml", "\xFF\xFE<\0p\0>\0\xD8\0r\0", 12, NULL}};
    drt_extract made = read_book(parts, COUNT(parts));
    assert_string_equal(made.text.data,
                        "\xC3\x98r\n\n\xD0\xA7\xD0\xB0\xD1\x81\xD0\xBE\xD0\xB2\xD1\x89\xD0\xB8\xD0\xBA");
    assert_int_equal(made.status, DRT_DOCUMENT_OK);
    drt_extract_clear(&made);
}

/* Every truncation of a book ends with a status, and with a reason unless it is whole. */
static void cut_books_are_told(void **state) {
    (void)state;
    static const archive_part parts[] = {
        BOOK, {"OEBPS/a b.xhtml", "<p>Second</p>", -1, NULL}, {"OEBPS/c.xhtml", "<p>First</p>", -1, NULL}};
    drt_buffer zip = archive_make("zip", NULL, NULL, parts, COUNT(parts));
    for (size_t length = 4; length < zip.length; length += 7) {
        drt_extract made = extract_bytes("a.epub", zip.data, length);
        assert_int_not_equal(made.status, DRT_DOCUMENT_OK);
        assert_non_null(made.reason.data);
        drt_extract_clear(&made);
    }
    drt_buffer_free(&zip);
}

/* ------------------------------------------------------- as they come ---- */

#define MANIFEST(metadata, items, spine)                                                                               \
    "<package><metadata>" metadata "</metadata><manifest>" items "</manifest><spine>" spine "</spine></package>"
#define PAGE(id, href) "<item id=\"" id "\" href=\"" href "\" media-type=\"application/xhtml+xml\"/>"
#define REF(id) "<itemref idref=\"" id "\"/>"

/* A book of this package and these files is whole and has this text. */
static void assert_book(const char *opf, archive_part one, archive_part two, const char *text) {
    archive_part parts[] = {
        {"META-INF/container.xml", container, -1, NULL}, {"OEBPS/book.opf", opf, -1, NULL}, one, two};
    drt_extract made = read_book(parts, COUNT(parts));
    assert_string_equal(made.text.data ? made.text.data : "", text);
    assert_int_equal(made.status, DRT_DOCUMENT_OK);
    drt_extract_clear(&made);
}

static void names_in_the_package_are_taken_with_forbearance(void **state) {
    (void)state;
    static const char *const names[][2] = {
        {"text/A.xhtml", "OEBPS/Text/a.xhtml"},      {"Text\\a.xhtml", "OEBPS/Text/a.xhtml"},
        {"OEBPS/a.xhtml", "OEBPS/a.xhtml"},          {"../oebps/a%20b.xhtml", "OEBPS/A b.xhtml"},
        {"u\xCC\x88.xhtml", "OEBPS/\xC3\xBC.xhtml"}, {"\xC3\xBC.xhtml", "OEBPS/u\xCC\x88.xhtml"},
    };
    for (size_t i = 0; i < COUNT(names); i++) {
        char opf[400];
        snprintf(opf, sizeof opf, MANIFEST("", PAGE("a", "%s"), REF(" a ")), names[i][0]);
        assert_book(opf, (archive_part){names[i][1], "<p>one</p>", -1, NULL},
                    (archive_part){"OEBPS/other.xhtml", "<p>no</p>", -1, NULL}, "one");
    }
    /* what is named exactly goes before what is named nearly so */
    assert_book(MANIFEST("", PAGE("a", "a.xhtml") PAGE("b", "A.xhtml"), REF("b") REF("a")),
                (archive_part){"OEBPS/a.xhtml", "<p>small</p>", -1, NULL},
                (archive_part){"OEBPS/A.xhtml", "<p>large</p>", -1, NULL}, "large\n\nsmall");
}

static void what_stands_in_the_spine_is_read(void **state) {
    (void)state;
    static const archive_part page = {"OEBPS/a.xhtml", "<nav>Contents</nav><p>Text</p>", -1, NULL},
                              junk = {"OEBPS/a.foo", "junk", -1, NULL};
    /* all of the book in the file that has the table of contents, too */
    assert_book(MANIFEST("", "<item id=\"n\" href=\"a.xhtml\" properties=\"nav\"/>", REF("n")), page, junk, "Text");
    assert_book(
        MANIFEST("",
                 "<item id=\"f\" href=\"a.foo\" media-type=\"application/x-foo\" fallback=\"p\"/>" PAGE("p", "a.xhtml"),
                 REF("f")),
        page, junk, "Text");
    /* chains of such that go in a circle */
    assert_book(MANIFEST("",
                         "<item id=\"f\" href=\"a.xhtml\" media-type=\"a/b\" fallback=\"g\"/>"
                         "<item id=\"g\" href=\"a.xhtml\" media-type=\"a/b\" fallback=\"f\"/>",
                         REF("f")),
                page, junk, "Text");
}

/* Footnotes stand behind the paragraph that refers to them, once; their marks, and those of printed pages, are no text. */
static void notes_of_chapters(void **state) {
    (void)state;
#define MARK(id) "<a epub:type=\"noteref\" href=\"a.xhtml#" id "\"><sup>1</sup></a>"
#define NOTE(id, text) "<aside epub:type=\"footnote\" id=\"" id "\"><p>" text "</p></aside>"
    static const char *const cases[][2] = {
        {"<p>one" MARK("a") " goes on</p><p>two</p>" NOTE("a", "note a"), "one goes on\n\nnote a\n\ntwo"},
        {"<p>one" MARK("a") MARK("b") "</p><p>two" MARK("a") "</p>" NOTE("b", "b") NOTE("a", "a")
             NOTE("c", "c") "<p>end</p>",
         "one\n\na\n\nb\n\ntwo\n\nc\n\nend"},
        {NOTE("a", "first") "<p>one" MARK("a") "</p>", "first\n\none"},
        {"<p>one" MARK("nowhere") "</p>" NOTE("a", "a"), "one\n\na"},
        {"<ul><li>x" MARK("a") "</li><li>y</li></ul><p>z</p>" NOTE("a", "a"), "x\ny\n\na\n\nz"},
        {"<p>one<a role=\"doc-noteref\" class=\"footnote-ref\" href=\"#f1\">1</a></p><p>two</p><section "
         "class=\"footnotes\" role=\"doc-endnotes\"><hr/><ol><li id=\"f1\"><p>note <a "
         "role=\"doc-backlink\">back</a></p></li><li id=\"f2\">left</li></ol></section>",
         "one\n\nnote\n\ntwo\n\nleft"},
        {"<p>wo<span epub:type=\"pagebreak\" title=\"2\">2</span>rd</p><div role=\"doc-pagebreak\">3</div><p>on" MARK(
             "a") "</p><aside epub:type=\"footnote\" id=\"a\"><p>never closed",
         "word\n\non\n\nnever closed"},
        {"<p>one" MARK("a") "</p>" NOTE("a", "a" MARK("a") MARK("b")) NOTE("b", "b"), "one\n\na\n\nb"},
    };
    for (size_t i = 0; i < COUNT(cases); i++)
        assert_book(MANIFEST("", PAGE("a", "a.xhtml"), REF("a")),
                    (archive_part){"OEBPS/a.xhtml", cases[i][0], -1, NULL}, (archive_part){"OEBPS/other", "", 0, NULL},
                    cases[i][1]);
}

static void the_package_is_found(void **state) {
    (void)state;
    static const char opf[] = MANIFEST("", PAGE("a", "a.xhtml"), REF("a"));
    static const archive_part pdf_first[] = {
        {"META-INF/container.xml",
         "<rootfile full-path=\"b.pdf\" media-type=\"application/pdf\"/><rootfile full-path=\"b/b.opf\" "
         "media-type=\"application/oebps-package+xml\"/>",
         -1, NULL},
        {"b.pdf", "%PDF-", -1, NULL},
        {"b/b.opf", opf, -1, NULL},
        {"b/a.xhtml", "<p>Text</p>", -1, NULL}};
    static const archive_part shadows[] = {{"__MACOSX/b/._b.opf", "x", -1, NULL},
                                           {"b/._b.opf", "x", -1, NULL},
                                           {"b/b.opf", opf, -1, NULL},
                                           {"b/a.xhtml", "<p>Text</p>", -1, NULL}};
    static const archive_part small[] = {{"meta-inf/Container.xml", "<rootfile full-path=\"b.opf\"/>", -1, NULL},
                                         {"a.opf", "<package><spine/></package>", -1, NULL},
                                         {"b.opf", opf, -1, NULL},
                                         {"a.xhtml", "<p>Text</p>", -1, NULL}};
    const archive_part *const cases[] = {pdf_first, shadows, small};
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_extract made = read_book(cases[i], 4);
        assert_string_equal(made.text.data, "Text");
        assert_int_equal(made.status, DRT_DOCUMENT_OK);
        drt_extract_clear(&made);
    }
}

static void authors_are_told_from_others(void **state) {
    (void)state;
    static const struct {
        const char *metadata, *title, *authors[3], *date;
    } cases[] = {
        {"<dc:title id=\"t2\">Sub</dc:title><dc:title id=\"t1\">Main</dc:title><meta refines=\"#t2\" "
         "property=\"title-type\">subtitle</meta><meta refines=\"#t1\" property=\"title-type\">main</meta><dc:creator "
         "id=\"c2\">Tom</dc:creator><meta refines=\"#c2\" property=\"role\">trl</meta><dc:creator>Ada</dc:creator>",
         "Main",
         {"Ada"},
         NULL},
        {"<dc:title>Main</dc:title><dc:creator opf:role=\"ill\">Ill</dc:creator><dc:creator "
         "opf:role=\"aut\">Ada</dc:creator><dc:date opf:event=\"modification\">2020</dc:date><dc:date>2001</dc:date>",
         "Main",
         {"Ada"},
         "2001"},
        {"<dc:creator opf:role=\"edt\">Ed</dc:creator><dc:creator opf:role=\"ill\">Ill</dc:creator>",
         NULL,
         {"Ed", "Ill"},
         NULL},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char opf[1000];
        size_t n = 0;
        snprintf(opf, sizeof opf, MANIFEST("%s", PAGE("a", "a.xhtml"), REF("a")), cases[i].metadata);
        archive_part parts[] = {{"b.opf", opf, -1, NULL}, {"a.xhtml", "<p>Text</p>", -1, NULL}};
        drt_extract made = read_book(parts, COUNT(parts));
        for (; n < 3 && cases[i].authors[n]; n++)
            assert_string_equal(made.authors[n].data, cases[i].authors[n]);
        assert_int_equal(made.n_authors, n);
        for (int j = 0; j < 2; j++) {
            const char *wanted = j ? cases[i].date : cases[i].title, *found = j ? made.date.data : made.title.data;
            assert_true(!wanted == !found);
            assert_string_equal(wanted ? wanted : "", found ? found : "");
        }
        drt_extract_clear(&made);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(books_follow_their_spine),
        cmocka_unit_test(a_missing_chapter_does_not_lose_the_book),
        cmocka_unit_test(books_without_papers_are_read_in_order),
        cmocka_unit_test(drm_is_told_and_font_obfuscation_is_none),
        cmocka_unit_test(chapters_have_encodings_of_their_own),
        cmocka_unit_test(cut_books_are_told),
        cmocka_unit_test(names_in_the_package_are_taken_with_forbearance),
        cmocka_unit_test(what_stands_in_the_spine_is_read),
        cmocka_unit_test(notes_of_chapters),
        cmocka_unit_test(the_package_is_found),
        cmocka_unit_test(authors_are_told_from_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
