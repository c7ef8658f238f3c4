/* test_catalog.c: parts of the library by themselves: the schema's migrations, statements, patterns. */
#include "fixture.h"

#include "engine/library/glob.h"
#include "engine/library/schema.h"

/* ---------------------------------------------------------------------------- migrations ---- */

static const char *const later_steps[] = {
    "CREATE TABLE never_run (x)", /* 0 -> 1, 1 -> 2: these libraries are there already */
    "CREATE TABLE never_run (x)",
    "ALTER TABLE documents ADD COLUMN language TEXT; UPDATE documents SET language = 'en'",
    "CREATE TABLE extra (x); INSERT INTO extra VALUES (3)",
};

static const char *const no_stand_ins[4];

static void open_catalog(fixture *with, drt_catalog *catalog) {
    assert_int_equal(drt_catalog_open(with->context, library_path(with, "catalog.sqlite"), DRT_CATALOG_WRITE, catalog),
                     DRT_OK);
}

static int64_t number(fixture *with, const drt_catalog *catalog, const char *sql) {
    int64_t value = -1;
    assert_int_equal(drt_catalog_number(with->context, catalog, &value, sql, DRT_NO_VALUES), DRT_OK);
    return value;
}

static void older_libraries_are_brought_up_to_date(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_document(with, library, "a.zip/1", "some text");
    commit(with, library);
    drt_library_close(library);
    drt_catalog catalog;
    open_catalog(with, &catalog);
    assert_int_equal(drt_schema_check_steps(with->context, &catalog, false, later_steps, no_stand_ins, 4), DRT_FATAL);
    assert_non_null(strstr(drt_error(with->context), "has the older format 2: run 'drt verify --compact'"));
    assert_int_equal(number(with, &catalog, "PRAGMA user_version"), 2);
    assert_int_equal(drt_schema_check_steps(with->context, &catalog, true, later_steps, no_stand_ins, 4), DRT_OK);
    assert_int_equal(number(with, &catalog, "PRAGMA user_version"), 4);
    assert_int_equal(number(with, &catalog, "SELECT count(*) FROM documents WHERE language = 'en'"), 1);
    assert_int_equal(number(with, &catalog, "SELECT x FROM extra"), 3);
    assert_int_equal(number(with, &catalog, "SELECT count(*) FROM sqlite_schema WHERE name = 'never_run'"), 0);
    assert_int_equal(drt_schema_check_steps(with->context, &catalog, false, later_steps, no_stand_ins, 4), DRT_OK);
    /* To today's program that is a newer one. */
    assert_int_equal(drt_schema_check(with->context, &catalog, true), DRT_FATAL);
    assert_non_null(strstr(drt_error(with->context), "has format 4, made by a newer drt"));
    drt_catalog_close(&catalog);
}

static void a_migration_that_fails_changes_nothing(void **state) {
    fixture *with = *state;
    drt_library_close(open_library(with, DRT_LIBRARY_CREATE));
    drt_catalog catalog;
    const char *const broken[] = {later_steps[0], later_steps[1], later_steps[2], "INSERT INTO nowhere VALUES (1)"};
    open_catalog(with, &catalog);
    assert_int_equal(drt_schema_check_steps(with->context, &catalog, true, broken, no_stand_ins, 4), DRT_FATAL);
    assert_non_null(strstr(drt_error(with->context), "nowhere"));
    assert_int_equal(number(with, &catalog, "PRAGMA user_version"), 2);
    assert_int_equal(
        number(with, &catalog, "SELECT count(*) FROM pragma_table_info('documents') WHERE name = 'language'"), 0);
    assert_int_equal(drt_schema_check(with->context, &catalog, false), DRT_OK);
    drt_catalog_close(&catalog);
}

/* A library as it was before there were pages. */
static void make_older(fixture *with) {
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_document(with, library, "a.zip/1", "some text");
    commit(with, library);
    drt_library_close(library);
    drt_catalog catalog;
    open_catalog(with, &catalog);
    assert_int_equal(drt_catalog_script(with->context, &catalog, "DROP TABLE pages; PRAGMA user_version = 1"), DRT_OK);
    drt_catalog_close(&catalog);
}

static void a_library_without_pages_is_read_and_then_brought_up_to_date(void **state) {
    fixture *with = *state;
    make_older(with);
    drt_catalog catalog;
    int64_t page = -1;
    drt_verify_report report;
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    assert_int_equal(check_library(with->context, library), 1);
    assert_int_equal(drt_library_page(with->context, library, 1, 3, &page), DRT_OK);
    assert_int_equal(page, 0);
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_OK);
    drt_library_close(library);
    open_catalog(with, &catalog);
    assert_int_equal(number(with, &catalog, "PRAGMA user_version"), 1); /* reading changes nothing */
    drt_catalog_close(&catalog);

    library = open_library(with, DRT_LIBRARY_CREATE);
    static const drt_page pages[] = {{0, 7}, {6, 8}};
    drt_document_facts facts = test_facts("a.zip/2", "other text");
    facts.pages = pages;
    facts.n_pages = 2;
    int64_t id;
    assert_int_equal(write_document(with->context, library, &facts, "other text", &id), DRT_OK);
    commit(with, library);
    assert_int_equal(drt_library_page(with->context, library, id, 5, &page), DRT_OK);
    assert_int_equal(page, 7);
    assert_int_equal(drt_library_page(with->context, library, id, 6, &page), DRT_OK);
    assert_int_equal(page, 8);
    assert_int_equal(drt_library_page(with->context, library, 1, 3, &page), DRT_OK);
    assert_int_equal(page, 0);
    drt_library_close(library);
    open_catalog(with, &catalog);
    assert_int_equal(number(with, &catalog, "PRAGMA user_version"), 2);
    assert_int_equal(drt_catalog_script(with->context, &catalog, "UPDATE pages SET start = 11 WHERE page = 8"), DRT_OK);
    drt_catalog_close(&catalog);
    library = open_library(with, DRT_LIBRARY_READ);
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_FAILED);
    assert_non_null(strstr(with->warnings, "1 pages of doc:2 lie outside its text"));
    drt_library_close(library);
}

static void pages_go_with_their_document(void **state) {
    fixture *with = *state;
    static const drt_page pages[] = {{0, 1}, {6, 2}};
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    drt_document_facts facts = test_facts("a.zip/1", "other text");
    facts.pages = pages;
    facts.n_pages = 2;
    int64_t id, page = 0;
    assert_int_equal(write_document(with->context, library, &facts, "other text", &id), DRT_OK);
    commit(with, library);
    drt_library_close(library);
    library = open_library(with, DRT_LIBRARY_UPDATE);
    drt_document document;
    drt_verify_report report;
    assert_int_equal(drt_library_document(with->context, library, "doc:1", 5, &document), DRT_OK);
    assert_int_equal(drt_library_remove(with->context, library, &document, NULL, 0), DRT_OK);
    drt_document_clear(&document);
    assert_int_equal(drt_library_page(with->context, library, 1, 6, &page), DRT_OK);
    assert_int_equal(page, 2); /* old traces still show it */
    assert_int_equal(drt_library_verify(with->context, library, true, &report), DRT_OK);
    drt_library_close(library);
    drt_catalog catalog;
    open_catalog(with, &catalog);
    assert_int_equal(number(with, &catalog, "SELECT count(*) FROM pages"), 0);
    drt_catalog_close(&catalog);
}

/* ---------------------------------------------------------------------------- statements ---- */

static void values_keep_their_types_and_bytes(void **state) {
    fixture *with = *state;
    drt_library_close(open_library(with, DRT_LIBRARY_CREATE));
    drt_catalog catalog;
    sqlite3_stmt *query;
    bool row;
    drt_string text, none, empty;
    open_catalog(with, &catalog);
    assert_int_equal(
        drt_catalog_prepare(
            with->context, &catalog, &query, "SELECT ?1, ?2, ?3, ?4, typeof(?5), typeof(?6), typeof(?7)",
            DRT_VALUES(drt_value_integer(INT64_MIN), drt_value_text("a\0b", 3), drt_value_text(NULL, 0),
                       drt_value_text("", 0), drt_value_blob("", 0), drt_value_text_z(NULL), drt_value_text_z("x"))),
        DRT_OK);
    assert_int_equal(drt_catalog_step(with->context, &catalog, query, &row), DRT_OK);
    assert_true(row);
    assert_true(sqlite3_column_int64(query, 0) == INT64_MIN);
    assert_true(drt_catalog_string(query, 1, &text) && drt_catalog_string(query, 2, &none) &&
                drt_catalog_string(query, 3, &empty));
    assert_int_equal(text.length, 3);
    assert_memory_equal(text.data, "a\0b", 4);
    assert_null(none.data);
    assert_string_equal(empty.data, "");
    assert_string_equal((const char *)sqlite3_column_text(query, 4), "blob");
    assert_string_equal((const char *)sqlite3_column_text(query, 5), "null");
    assert_string_equal((const char *)sqlite3_column_text(query, 6), "text");
    assert_int_equal(drt_catalog_step(with->context, &catalog, query, &row), DRT_OK);
    assert_false(row);
    sqlite3_finalize(query);
    drt_string_free(&text);
    drt_string_free(&empty);

    assert_int_equal(drt_catalog_prepare(with->context, &catalog, &query, "SELEKT", DRT_NO_VALUES), DRT_FATAL);
    assert_null(query);
    assert_int_equal(drt_catalog_prepare(with->context, &catalog, &query, "SELECT 1", DRT_VALUES(drt_value_integer(1))),
                     DRT_FATAL);
    assert_null(query);
    int64_t kept = 5;
    assert_int_equal(drt_catalog_number(with->context, &catalog, &kept, "SELECT NULL", DRT_NO_VALUES), DRT_OK);
    assert_int_equal(kept, 5);
    drt_catalog_close(&catalog);
}

static void a_transaction_is_all_or_nothing(void **state) {
    fixture *with = *state;
    drt_library_close(open_library(with, DRT_LIBRARY_CREATE));
    drt_catalog catalog;
    open_catalog(with, &catalog);
    assert_int_equal(drt_catalog_begin_write(with->context, &catalog), DRT_OK);
    assert_int_equal(drt_catalog_script(with->context, &catalog, "UPDATE library SET revision = 7"), DRT_OK);
    assert_int_equal(drt_catalog_finish(with->context, &catalog, DRT_FAILED), DRT_FAILED);
    assert_int_equal(number(with, &catalog, "SELECT revision FROM library"), 0);
    assert_int_equal(drt_catalog_begin_write(with->context, &catalog), DRT_OK);
    assert_int_equal(drt_catalog_script(with->context, &catalog, "UPDATE library SET revision = 7"), DRT_OK);
    assert_int_equal(drt_catalog_finish(with->context, &catalog, DRT_OK), DRT_OK);
    assert_int_equal(number(with, &catalog, "SELECT revision FROM library"), 7);
    drt_catalog_close(&catalog);
}

/* ------------------------------------------------------------------------------ patterns ---- */

static void patterns_match_as_fnmatch_does(void **state) {
    (void)state;
    static const struct {
        const char *pattern, *name;
        bool matches;
    } cases[] = {
        {"", "", true},
        {"", "a", false},
        {"abc", "abc", true},
        {"abc", "abcd", false},
        {"abc", "ab", false},
        {"*", "", true},
        {"*", "any/thing at.all", true},
        {"*.txt", "a/b/c.txt", true},
        {"*.txt", "c.txt.gz", false},
        {"a*b*c", "a-b-b-c", true},
        {"a*b*c", "a-b-b", false},
        {"**a**", "xxax", true},
        {"a?c", "abc", true},
        {"a?c",
         "a\xC3\xA9"
         "c",
         true}, /* one character, two bytes */
        {"a?c", "ac", false},
        {"?", "\xFF", true},
        {"?", "\xE6\x9D\xB1", true},
        {"[abc]x", "bx", true},
        {"[abc]x", "dx", false},
        {"[a-c]", "b", true},
        {"[a-c]", "d", false},
        {"[!a-c]", "d", true},
        {"[^a-c]", "b", false},
        {"[]]", "]", true},
        {"[!]]", "]", false},
        {"[a-]", "-", true},
        {"[\\]]", "]", true},
        {"[\xC3\xA0-\xC3\xBF]", "\xC3\xA9", true}, /* à-ÿ */
        {"[\xC3\xA0-\xC3\xBF]", "e", false},
        {"[abc", "[abc", true}, /* never closed */
        {"[abc", "a", false},
        {"x[", "x[", true},
        {"\\*", "*", true},
        {"\\*", "a", false},
        {"\\", "\\", true},
        {"a\\", "a\\", true},
        {"*[0-9].txt", "chapter 7.txt", true},
        {"*[0-9].txt", "chapter x.txt", false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (drt_glob_matches(cases[i].pattern, strlen(cases[i].pattern), cases[i].name, strlen(cases[i].name)) !=
            cases[i].matches)
            fail_msg("\"%s\" and \"%s\"", cases[i].pattern, cases[i].name);
    assert_true(drt_glob_matches("a\0*", 3, "a\0b", 3));
    assert_false(drt_glob_matches("a\0c", 3, "a\0b", 3));
}

/* With one choice after another to go back to, this would take longer than anybody lives. */
static void patterns_take_no_time(void **state) {
    (void)state;
    char pattern[4001], name[20001];
    for (size_t i = 0; i < 4000; i += 2)
        memcpy(pattern + i, "*a", 2);
    memset(name, 'a', 20000);
    name[19999] = 'b';
    assert_false(drt_glob_matches(pattern, 4000, name, 20000));
    name[19999] = 'a';
    assert_true(drt_glob_matches(pattern, 4000, name, 20000));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(older_libraries_are_brought_up_to_date),
        TEST(a_migration_that_fails_changes_nothing),
        TEST(a_library_without_pages_is_read_and_then_brought_up_to_date),
        TEST(pages_go_with_their_document),
        TEST(values_keep_their_types_and_bytes),
        TEST(a_transaction_is_all_or_nothing),
        cmocka_unit_test(patterns_match_as_fnmatch_does),
        cmocka_unit_test(patterns_take_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
