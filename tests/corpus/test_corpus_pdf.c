/* PDF through pdftotext (needs poppler-utils): what becomes of the fixtures of pdf.py, of a pdftotext that is missing or
 * goes wild, and of output that pdftotext never gives. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include <cmocka.h>

#include "engine/corpus/pdf/pdf.h"
#include "tests/corpus/rows.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

static int make_scratch(void **state) {
    (void)state;
    scratch_make();
    return 0;
}

static int remove_scratch(void **state) {
    (void)state;
    scratch_remove();
    return 0;
}

/* "name.pdf | status | pdf | reason | text". */
static void assert_fixture(const char *name, const char *expected) {
    char path[512], row[4096];
    snprintf(path, sizeof path, "%s/%s.pdf", PDF_FIXTURES, name);
    snprintf(row, sizeof row, "%s.pdf | %s\n", name, expected);
    drt_buffer rows = walk_rows(path, NULL);
    assert_string_equal(rows.data, row);
    drt_buffer_free(&rows);
}

/* ------------------------------------------------------------------------------- layout ---- */

static void columns_are_read_one_after_the_other(void **state) {
    (void)state;
    assert_fixture(
        "paper",
        "ok | pdf |  | On the Sluices of Harrow Fen\\n\\n1. Part A\\n\\n"
        "The sluices of Harrow Fen were counted twice before the winter, since the ledger of the board named forty of "
        "them.\\n\\n"
        "Whoever walks along the dyke sees the doors of oak, the chains and the wheels, and the white marks that tell "
        "how high the water stood in the year of the independent survey. Each mark has a name that children learn by "
        "heart, and that strangers misspell.\\n\\n"
        "The northern marks are older than the southern ones.\\n\\n2. Part B\\n\\n"
        "At the mill the dyke turns to the east and meets the old road, which nobody mends any more.\\n\\n"
        "Carts go by the bridge that was built for them in the second year of the frost, when the ice carried the old "
        "one to the sea and laid it on the beach of Thorn, where it served the fishers as a shed for their nets and "
        "lamps.\\n\\nIt stands there still.\\n\\n* Told by a keeper of the lock.\\n\\n3. Part C\\n\\n"
        "Of the keepers eleven could write, and the others drew what they saw.\\n\\n"
        "Their drawings fill three shelves: herons, barges, a fox upon the ice, the lights in the windows of the mill, "
        "and over and over again the water itself, which is hard to draw because it never stands still for anybody at "
        "all.\\n\\nThe board has never shown them.");
}

static void tables_are_read_row_by_row(void **state) {
    (void)state;
    static const char expected[] =
        "ok | pdf |  | The counts of the three locks are given below for the year in which the weir was mended, as the "
        "keepers wrote them down.\\n\\n"
        "Lock Keeper Gates\\nUpper Dyke Holt 12\\nLower Dyke Marsh 7\\nMill Race Fenn 23\\n\\n"
        "Nobody has counted them since, although the board asks for it every spring in the same words.";
    assert_fixture("table", expected);
    assert_fixture("open", expected);      /* encrypted, without a password */
    assert_fixture("late-mark", expected); /* something stands before "%PDF-" */
}

static void notes_stand_behind_their_paragraph(void **state) {
    (void)state;
    assert_fixture("notes",
                   "ok | pdf |  | The widow paid in eggs until the frost came, and in candles afterwards.\\n\\n"
                   "Of which half were broken, as the ledger says.\\n\\nThe next paragraph begins here.");
}

static void hyphens_of_line_ends_go_and_others_stay(void **state) {
    (void)state;
    assert_fixture("hyphens",
                   "ok | pdf |  | The weaver had many capabilities, and her well-known loom was the bestknown "
                   "one. Her name, A-Marsh, and a X-Ray were softened by well-known friends.");
}

static void ligatures_are_letters(void **state) {
    (void)state;
    assert_fixture("ligatures", "ok | pdf |  | The officer filed a flour.");
}

static void turned_lines_are_read_together(void **state) {
    (void)state;
    assert_fixture("sideways", "ok | pdf |  | An upright line.\\n\\nThe wide table was printed sideways in the second "
                               "edition.");
}

/* -------------------------------------------------------------------------------- facts ---- */

typedef struct {
    drt_extract extract;
} kept;

static drt_status keep(void *user, const drt_source *source, drt_extract *extract) {
    kept *all = user;
    (void)source;
    all->extract = *extract;
    *extract = (drt_extract){0};
    return DRT_OK;
}

static drt_extract extract_fixture(const char *name) {
    char path[512];
    kept all = {0};
    drt_context *context = drt_context_new(NULL);
    drt_corpus_params params = drt_corpus_params_default();
    params.member = keep;
    params.user = &all;
    snprintf(path, sizeof path, "%s/%s.pdf", PDF_FIXTURES, name);
    assert_int_equal(drt_corpus_walk(context, path, &params), DRT_OK);
    drt_context_free(context);
    return all.extract;
}

static void title_authors_and_date(void **state) {
    (void)state;
    drt_extract extract = extract_fixture("paper");
    assert_string_equal(extract.title.data, "On Sluices");
    assert_string_equal(extract.date.data, "2021-03-04");
    assert_int_equal(extract.n_authors, 3);
    assert_string_equal(extract.authors[0].data, "Ada Fenn");
    assert_string_equal(extract.authors[1].data, "Bo Marsh");
    assert_string_equal(extract.authors[2].data, "Cy Dyke");
    drt_extract_clear(&extract);
    extract = extract_fixture("untitled"); /* the name of another file is no title */
    assert_null(extract.title.data);
    assert_null(extract.date.data);
    assert_int_equal(extract.n_authors, 0);
    drt_extract_clear(&extract);
}

static void pages_are_marked_where_they_begin(void **state) {
    (void)state;
    static const char *const begins[] = {"On the Sluices", "2. Part B", "3. Part C"};
    drt_extract extract = extract_fixture("paper");
    assert_int_equal(extract.n_pages, 3);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(extract.pages[i].page, i + 1);
        assert_memory_equal(extract.text.data + extract.pages[i].start, begins[i], strlen(begins[i]));
    }
    drt_extract_clear(&extract);
}

/* ------------------------------------------------------------------------------- losses ---- */

static void what_has_no_text_is_skipped_with_its_reason(void **state) {
    (void)state;
    assert_fixture("pictures", "skipped | pdf | it has no text: its pages are empty or scanned pictures | ");
    assert_fixture("locked", "skipped | pdf | it is encrypted; a password would be needed | ");
    assert_fixture("no-map",
                   "skipped | pdf | its letters cannot be told: its fonts do not say which characters they show | ");
    assert_fixture("cut-early", "skipped | pdf | it is damaged: pdftotext cannot open it | ");
    assert_fixture("no-pages", "skipped | pdf | it is damaged: pdftotext cannot open it | ");
}

static void what_is_lost_in_part_is_told(void **state) {
    (void)state;
    assert_fixture("broken-map", "partial | pdf | the letters of 1 of 2 pages cannot be told: their fonts do not say "
                                 "which characters they show | A page that can be read.");
    drt_extract extract = extract_fixture("damaged-page");
    assert_int_equal(extract.status, DRT_DOCUMENT_PARTIAL);
    assert_string_equal(extract.reason.data, "it is damaged; what could be read is in");
    assert_non_null(strstr(extract.text.data, "Row 3 of the long list of keepers"));
    assert_non_null(strstr(extract.text.data, "The second page is whole."));
    drt_extract_clear(&extract);
}

static void loops_and_bombs_end(void **state) {
    (void)state;
    assert_fixture("page-tree-loop", "partial | pdf | it is damaged; what could be read is in | The ring road has no "
                                     "end.\\n\\nThe ring road has no end.\\n\\nThe ring road has no end.");
    assert_fixture("xref-loop", "ok | pdf |  | The table leads back to itself.");
    assert_fixture("bomb", "ok | pdf |  | Before the bomb.");
}

/* ---------------------------------------------------------------------- another pdftotext ---- */

/* A script in pdftotext's place. */
static void put_program(const char *script) {
    char text[1024];
    snprintf(text, sizeof text, "#!/bin/sh\n%s\n", script);
    scratch_write("pdftotext", text, strlen(text));
    assert_int_equal(chmod(scratch_path("pdftotext"), 0755), 0);
    setenv("DRT_PDFTOTEXT", scratch_path("pdftotext"), 1);
}

#define WORD "<word xMin=\"72\" yMin=\"80\" xMax=\"99\" yMax=\"90\">Kept</word>"
#define PAGE "<page width=\"600\" height=\"800\"><line>" WORD "</line></page>"

static void a_missing_program_is_named(void **state) {
    (void)state;
    char *before = strdup(getenv("PATH"));
    unsetenv("DRT_PDFTOTEXT");
    setenv("PATH", "/nowhere", 1);
    assert_fixture("table", "skipped | pdf | pdftotext is not installed, which reads PDF (package poppler-utils) | ");
    setenv("PATH", before, 1);
    free(before);
    setenv("DRT_PDFTOTEXT", "/nowhere/pdftotext", 1);
    assert_fixture("table", "skipped | pdf | pdftotext cannot be started | ");
    unsetenv("DRT_PDFTOTEXT");
}

/* Chinese, Japanese and Korean in fonts that are not in the file. */
static void missing_tables_are_named(void **state) {
    (void)state;
    put_program("echo \"Syntax Error: Missing language pack for 'Adobe-GB1' mapping\" >&2; echo '<page></page>'");
    assert_fixture("table", "skipped | pdf | its letters cannot be told without the tables of the package poppler-data "
                            "| ");
    put_program("echo \"Syntax Error: Missing language pack for 'Adobe-GB1' mapping\" >&2; echo '" PAGE "'");
    assert_fixture("table", "partial | pdf | some of its letters cannot be told without the tables of the package "
                            "poppler-data | Kept");
    unsetenv("DRT_PDFTOTEXT");
}

/* That of xpdf has the same name, and no option that tells places. */
static void another_program_of_that_name_is_told_apart(void **state) {
    (void)state;
    put_program("echo 'pdftotext version 4.04 [www.example.com]' >&2\n"
                "echo 'Usage: pdftotext [options] <PDF-file> [<text-file>]' >&2\nexit 99");
    assert_fixture("table", "skipped | pdf | the pdftotext that is installed is not that of the package poppler-utils, "
                            "or too old | ");
    unsetenv("DRT_PDFTOTEXT");
}

static void a_program_that_breaks_down_costs_its_rest(void **state) {
    (void)state;
    put_program("kill -SEGV $$");
    assert_fixture("table", "skipped | pdf | it is damaged: pdftotext breaks down over it | ");
    put_program("echo '" PAGE "'; echo '" PAGE "'; echo '<page><line><word'; kill -SEGV $$");
    assert_fixture("table", "partial | pdf | it is damaged: pdftotext breaks down over it; its first 2 pages are in | "
                            "Kept\\n\\nKept");
    put_program("echo '" PAGE "'; exit 99");
    assert_fixture("table",
                   "partial | pdf | it is damaged: pdftotext breaks down over it; its first 1 page is in | Kept");
    put_program("echo '<page>'; exec cat /dev/zero");
    assert_fixture("table", "skipped | pdf | it becomes too large when it is unpacked, which looks like a trap | ");
    unsetenv("DRT_PDFTOTEXT");
}

static void odd_output_is_read_somehow(void **state) {
    (void)state;
    static const char *const outputs[] = {
        "</page></page></page>",
        "<page><page></line></line>" WORD "</page>",
        "<page width=\"nan\" height=\"-inf\"><line><word xMin=\"1e999\" yMin=\"x\" xMax=\"\">a</word>"
        "<word yMax=\"-1e30\">b</word></line></page>",
        "<word>outside</word></line><page>" WORD "</line></page>",
        "<title>&#0;&bogus;<b></title><meta name=\"Author\" content=\";;; and ;\"/><page></page>",
        "<page><line><word>\x01\x02\xFF\xC3</word></line></page>",
        "<page><line><word>\xD7\x9C"
        "1\xBD\xBD(\xF7</word></line></page>",
    };
    for (size_t i = 0; i < COUNT(outputs); i++) {
        drt_pdf pdf = {0};
        drt_extract extract = {0};
        drt_context *context = drt_context_new(NULL);
        assert_true(drt_pdf_add_page(&pdf, outputs[i], strlen(outputs[i]), &extract));
        assert_int_equal(drt_pdf_text(context, &pdf, &extract), DRT_OK);
        drt_context_free(context);
        drt_pdf_clear(&pdf);
        drt_extract_clear(&extract);
    }
}

/* Lines all over a page, as many as nobody prints. */
static void pages_full_of_lines_take_bounded_time(void **state) {
    (void)state;
    for (unsigned lines = 1500; lines <= 24000; lines *= 4) {
        drt_buffer page = {0};
        drt_pdf pdf = {0};
        drt_extract extract = {0};
        drt_context *context = drt_context_new(NULL);
        uint32_t seed = lines;
        assert_true(drt_buffer_append_text(&page, "<page width=\"600\" height=\"800\">"));
        for (unsigned i = 0; i < lines; i++) {
            seed = seed * 1664525 + 1013904223;
            unsigned x = seed >> 23, y = seed >> 12 & 1023;
            assert_true(drt_buffer_printf(&page,
                                          "<line><word xMin=\"%u\" yMin=\"%u\" xMax=\"%u\" yMax=\"%u\">w</word></line>",
                                          x, y, x + 20, y + 10));
        }
        assert_true(drt_buffer_append_text(&page, "</page>"));
        clock_t start = clock();
        assert_true(drt_pdf_add_page(&pdf, page.data, page.length, &extract));
        assert_int_equal(drt_pdf_text(context, &pdf, &extract), DRT_OK);
        assert_true((double)(clock() - start) / CLOCKS_PER_SEC < 20);
        drt_context_free(context);
        drt_buffer_free(&page);
        drt_pdf_clear(&pdf);
        drt_extract_clear(&extract);
    }
}

static void the_program_is_described(void **state) {
    (void)state;
    drt_string text;
    drt_context *context = drt_context_new(NULL);
    assert_int_equal(drt_helpers_describe(context, &text), DRT_OK);
    assert_int_equal(strncmp(text.data, "pdftotext version ", 18), 0);
    drt_string_free(&text);
    setenv("DRT_PDFTOTEXT", "/nowhere/pdftotext", 1);
    assert_int_equal(drt_helpers_describe(context, &text), DRT_OK);
    assert_string_equal(text.data, "pdftotext cannot be started: /nowhere/pdftotext");
    drt_string_free(&text);
    unsetenv("DRT_PDFTOTEXT");
    drt_context_free(context);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(columns_are_read_one_after_the_other),
        TEST(tables_are_read_row_by_row),
        TEST(notes_stand_behind_their_paragraph),
        TEST(hyphens_of_line_ends_go_and_others_stay),
        TEST(ligatures_are_letters),
        TEST(turned_lines_are_read_together),
        TEST(title_authors_and_date),
        TEST(pages_are_marked_where_they_begin),
        TEST(what_has_no_text_is_skipped_with_its_reason),
        TEST(what_is_lost_in_part_is_told),
        TEST(loops_and_bombs_end),
        TEST(a_missing_program_is_named),
        TEST(missing_tables_are_named),
        TEST(another_program_of_that_name_is_told_apart),
        TEST(a_program_that_breaks_down_costs_its_rest),
        TEST(odd_output_is_read_somehow),
        TEST(pages_full_of_lines_take_bounded_time),
        TEST(the_program_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
