/* test_bm25.c: BM25 over chunks: words, stems, stop words, scripts without spaces, masks, hostile queries. */
#include "fixture.h"

#include "engine/base/buffer.h"
#include "engine/library/terms.h"

/* One chunk each (at most CHUNK_BYTES). */
static const char *const passages[] = {
    "Ada Marsh built the lighthouse",                                           /* 0 */
    "The lighthouses were burning oil",                                         /* 1 */
    "It was not the one to be",                                                 /* 2 */
    "Caf\xC3\xA9 \xC3\x89t\xC3\xA9, don't stop",                                /* 3 */
    "\xE6\x9D\xB1\xE4\xBA\xAC\xE9\x83\xBD\xE3\x81\xAB\xE4\xBD\x8F\xE3\x82\x80", /* 4: 東京都に住む */
    "\xE4\xBA\xAC\xE9\x83\xBD \xE6\x9D\xB1",                                    /* 5: 京都 東 */
    "oil oil oil lantern oil",                                                  /* 6 */
    "lantern",                                                                  /* 7 */
    "lantern",                                                                  /* 8 */
};
#define N_PASSAGES ((int64_t)(sizeof passages / sizeof *passages))

static drt_library *make_library(fixture *with) {
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    for (int i = 0; i < N_PASSAGES; i++) {
        char path[32];
        snprintf(path, sizeof path, "a.zip/%d", i);
        drt_document_facts facts = test_facts(path, path);
        int64_t id;
        assert_int_equal(write_document(with->context, library, &facts, passages[i], &id), DRT_OK);
    }
    commit(with, library);
    drt_store_view view;
    assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
    assert_int_equal(view.n_chunks, N_PASSAGES);
    return library;
}

/* Chunk ids as "0 1 2". */
static const char *ask(fixture *with, drt_library *library, const char *text, size_t length, const uint64_t *mask,
                       int64_t n_chunks, int top) {
    static char found[256];
    int64_t chunks[64];
    int count;
    assert_true(top <= 64);
    assert_int_equal(drt_store_bm25(with->context, library, text, length, mask, n_chunks, top, chunks, &count), DRT_OK);
    found[0] = 0;
    for (int i = 0; i < count; i++)
        snprintf(found + strlen(found), sizeof found - strlen(found), "%s%d", i ? " " : "", (int)chunks[i]);
    return found;
}

static const char *ask_all(fixture *with, drt_library *library, const char *text) {
    return ask(with, library, text, strlen(text), NULL, N_PASSAGES, 64);
}

static void words_find_their_chunks(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    static const struct {
        const char *query, *found;
    } cases[] = {
        {"Who built the LIGHTHOUSE?", "0 1"},
        {"marsh", "0"},
        {"lighthouse", "0 1"}, /* stems agree */
        {"burn", "1"},
        {"lantern", "7 8 6"}, /* equal scores: the lower id first */
        {"oil", "6 1"},
        {"oil oil lantern", "6 1 7 8"}, /* a repeated word counts once */
        {"the", "0 1 2"},               /* stop words alone are looked for */
        {"the one", "2"},               /* else they are dropped */
        {"it was not to be", "2"},
        {"cafe ete", "3"}, /* accents fold */
        {"CAF\xC3\x89", "3"},
        {"don't", "3"},
        {"stop", "3"},
        {"\xE6\x9D\xB1\xE4\xBA\xAC", "4"},   /* 東京: a pair of neighbours */
        {"\xE4\xBA\xAC\xE9\x83\xBD", "5 4"}, /* 京都 in 東京都 too, as bigrams do */
        {"\xE6\x9D\xB1", "5 4"},             /* 東 alone */
        {"\xE4\xBA\xAC\xE6\x9D\xB1", ""},    /* 京東: both are there, never side by side */
        {"\xE4\xBD\x8F\xE3\x82\x80 lantern", "4 7 8 6"},
        {"nowhere", ""},
        {"", ""},
        {"?!  ...", ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *found = ask_all(with, library, cases[i].query);
        if (strcmp(found, cases[i].found) != 0)
            fail_msg("\"%s\" found [%s], not [%s]", cases[i].query, found, cases[i].found);
    }
    drt_library_close(library);
}

/* A pair of characters that the border between two chunks of a document cuts is found all the same. */
static void pairs_across_a_border_are_found(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    char text[2 * CHUNK_BYTES];
    memset(text, 'x', sizeof text);
    memcpy(text + CHUNK_BYTES - 3, "\xE5\x85\xA5\xE6\xB8\xAF", 6); /* 入港 */
    text[sizeof text - 1] = 0;
    drt_document_facts facts = test_facts("a.zip/a", "a.zip/a");
    int64_t id;
    assert_int_equal(write_document(with->context, library, &facts, text, &id), DRT_OK);
    commit(with, library);
    assert_string_equal(ask(with, library, "\xE5\x85\xA5\xE6\xB8\xAF", 6, NULL, 2, 8), "0");
    assert_string_equal(ask(with, library, "\xE6\xB8\xAF\xE5\x85\xA5", 6, NULL, 2, 8), "");
    uint64_t second_alone = 2;
    assert_string_equal(ask(with, library, "\xE5\x85\xA5\xE6\xB8\xAF", 6, &second_alone, 2, 8), "");
    drt_library_close(library);
}

static void masks_and_limits_lose_no_hit(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    uint64_t mask = 1 << 1 | 1 << 8;
    assert_string_equal(ask(with, library, "oil lantern", 11, &mask, N_PASSAGES, 64), "1 8");
    assert_string_equal(ask(with, library, "oil lantern", 11, &mask, N_PASSAGES, 1), "1");
    assert_string_equal(ask(with, library, "oil lantern", 11, &mask, 8, 1), "1");
    assert_string_equal(ask(with, library, "lantern", 7, NULL, 8, 2), "7 6");
    assert_string_equal(ask(with, library, "lantern", 7, NULL, N_PASSAGES, 2), "7 8");
    assert_string_equal(ask(with, library, "lantern", 7, NULL, N_PASSAGES, 0), "");
    assert_string_equal(ask(with, library, "lantern", 7, NULL, 0, 5), "");
    mask = 1 << 8; /* the last of its rank alone */
    assert_string_equal(ask(with, library, "oil lantern", 11, &mask, N_PASSAGES, 1), "8");
    mask = 0;
    assert_string_equal(ask(with, library, "lantern", 7, &mask, N_PASSAGES, 5), "");
    drt_library_close(library);
}

static void removed_chunks_are_not_found(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, "a.zip/7", 7, &document), DRT_OK);
    assert_int_equal(drt_library_remove(with->context, library, &document, NULL, 0), DRT_OK);
    drt_document_clear(&document);
    assert_string_equal(ask_all(with, library, "lantern"), "8 6");
    drt_library_close(library);
}

static void hostile_queries_are_words_like_others(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    static const char *const queries[] = {
        "lantern\" OR \"x",
        "lantern*",
        "text:lantern",
        "NEAR(lantern nothing)",
        "lantern AND nothing",
        "^lantern",
        "-lantern",
        "{text} : lantern + lantern",
        "lantern') ; DROP TABLE",
        "(((((lantern",
        "\"\"\"\"\"lantern",
        "lantern\\",
        "NOT lantern",
        "\xFF\xFElantern\x80",
    };
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        if (strcmp(ask_all(with, library, queries[i]), "7 8 6") != 0)
            fail_msg("\"%s\" found [%s]", queries[i], ask_all(with, library, queries[i]));
    assert_string_equal(ask(with, library, "nothing\0lantern", 15, NULL, N_PASSAGES, 64), "7 8 6");

    /* Thousands of words, one word of a megabyte, a megabyte of quotes, of characters without spaces. */
    drt_buffer long_text = {0};
    for (int i = 0; i < 20000; i++)
        assert_true(drt_buffer_printf(&long_text, "word%d ", i));
    assert_string_equal(ask(with, library, long_text.data, long_text.length, NULL, N_PASSAGES, 64), "");
    memset(long_text.data, 'q', long_text.length);
    assert_string_equal(ask(with, library, long_text.data, long_text.length, NULL, N_PASSAGES, 64), "");
    memset(long_text.data, '"', long_text.length);
    assert_string_equal(ask(with, library, long_text.data, long_text.length, NULL, N_PASSAGES, 64), "");
    for (size_t i = 0; i + 3 <= long_text.length; i += 3)
        memcpy(long_text.data + i, "\xE6\x9D\xB1", 3);
    assert_string_equal(ask(with, library, long_text.data, long_text.length, NULL, N_PASSAGES, 64), "");
    drt_buffer_free(&long_text);
    drt_library_close(library);
}

static void cancelling_stops_a_search(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    size_t n = 5000, length = n * CHUNK_BYTES;
    char *text = malloc(length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++)
        memcpy(text + i * CHUNK_BYTES, "the same words in each of these chunks  ", CHUNK_BYTES);
    text[length] = 0;
    add_document(with, library, "a.zip/1", text);
    free(text);
    commit(with, library);
    int64_t chunks[4];
    int count;
    assert_int_equal(drt_store_bm25(with->context, library, "words", 5, NULL, (int64_t)n, 4, chunks, &count), DRT_OK);
    assert_int_equal(count, 4);
    with->cancel = true;
    assert_int_equal(drt_store_bm25(with->context, library, "words", 5, NULL, (int64_t)n, 4, chunks, &count),
                     DRT_FAILED);
    drt_library_close(library);
}

static void spreading_cuts_unspaced_scripts(void **state) {
    (void)state;
    drt_buffer out = {0};
    static const struct {
        const char *text, *spread;
    } cases[] = {
        {"plain text", "plain text"},
        {"", ""},
        {"a\xE6\x9D\xB1\xE4\xBA\xAC z", "a \xE6\x9D\xB1  \xE4\xBA\xAC  z"},
        {"\xF0\xA0\x80\x80", " \xF0\xA0\x80\x80 "},
        {"\xE0\xB8\x81", " \xE0\xB8\x81 "},
        {"x\xFFy", "x y"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(drt_terms_spread(&out, cases[i].text, strlen(cases[i].text)));
        assert_int_equal(out.length, strlen(cases[i].spread));
        if (out.length)
            assert_memory_equal(out.data, cases[i].spread, out.length);
    }
    drt_buffer_free(&out);
    assert_true(drt_terms_unspaced(0xAC00));
    assert_false(drt_terms_unspaced('a'));
    assert_false(drt_terms_unspaced(0x0E00 - 1));
    assert_false(drt_terms_unspaced(0x1F600));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(words_find_their_chunks),
        TEST(pairs_across_a_border_are_found),
        TEST(masks_and_limits_lose_no_hit),
        TEST(removed_chunks_are_not_found),
        TEST(hostile_queries_are_words_like_others),
        TEST(cancelling_stops_a_search),
        TEST(spreading_cuts_unspaced_scripts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
