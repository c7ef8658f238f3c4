/* test_documents.c: writing documents and reading them back: catalog rows, texts, chunks, slabs, dedupe. */
#include "fixture.h"

static const char lighthouse[] = "The lighthouse at Corran Point was built by Ada Marsh in the year 1874. "
                                 "Its lantern burned whale oil until the harbour was lit by gas.";
static const char bridge[] = "The bridge over the Wend cost 84,000 crowns and took three winters.";

static void an_empty_library_opens_and_says_so(void **state) {
    fixture *with = *state;
    drt_library_close(open_library(with, DRT_LIBRARY_CREATE));
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    drt_library_facts facts;
    assert_int_equal(drt_library_inspect(with->context, library, &facts), DRT_OK);
    assert_int_equal(facts.documents, 0);
    assert_int_equal(facts.chunks, 0);
    assert_int_equal(facts.chunk_size, CHUNK_SIZE);
    assert_int_equal(facts.d_model, D_MODEL);
    assert_int_equal(facts.memory_type, DRT_MEMORY_INT8);
    assert_string_equal(facts.model_name.data, "model-1");
    assert_string_equal(facts.model_directory.data, "/models/one");
    assert_true(facts.disk_bytes >= 128);
    drt_store_view view;
    assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
    assert_int_equal(view.n_chunks, 0);
    drt_chunk chunk;
    assert_int_equal(drt_library_chunk(with->context, library, 0, &chunk), DRT_FAILED);
    assert_string_equal(drt_error(with->context), "the library has no chunk 0");
    int64_t chunks[4];
    int count;
    assert_int_equal(drt_store_bm25(with->context, library, "x", 1, NULL, 0, 4, chunks, &count), DRT_OK);
    assert_int_equal(count, 0);
    drt_library_close(library);
}

static void documents_come_back_as_they_were_written(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    const char *authors[] = {"Ada Marsh", "B. Keeper"};
    drt_document_facts facts = test_facts("archive.zip/light\nhouse.txt", lighthouse);
    facts.title = "The Lighthouse";
    facts.date = "1874-05";
    facts.authors = authors;
    facts.n_authors = 2;
    facts.format = "html";
    facts.status = DRT_DOCUMENT_PARTIAL;
    facts.reason = "the end is missing";
    facts.replacements = 3;
    int64_t first, second;
    assert_int_equal(write_document(with->context, library, &facts, lighthouse, &first), DRT_OK);
    second = add_document(with, library, "archive.zip/bridge.txt", bridge);
    assert_int_equal(first, 1);
    assert_int_equal(second, 2);
    commit(with, library);
    drt_library_close(library);

    library = open_library(with, DRT_LIBRARY_READ);
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, "doc:1", 5, &document), DRT_OK);
    assert_int_equal(document.id, 1);
    assert_string_equal(document.path.data, "archive.zip/light\nhouse.txt");
    assert_string_equal(document.title.data, "The Lighthouse");
    assert_string_equal(document.date.data, "1874-05");
    assert_int_equal(document.n_authors, 2);
    assert_string_equal(document.authors[0].data, "Ada Marsh");
    assert_string_equal(document.authors[1].data, "B. Keeper");
    assert_string_equal(document.format.data, "html");
    assert_int_equal(document.status, DRT_DOCUMENT_PARTIAL);
    assert_string_equal(document.reason.data, "the end is missing");
    assert_int_equal(document.replacements, 3);
    assert_int_equal(document.bytes, strlen(lighthouse));
    assert_int_equal(document.first_chunk, 0);
    assert_int_equal(document.n_aliases, 0);
    int64_t n = document.chunks;
    drt_document_clear(&document);

    expect_text(with, library, "archive.zip/light\nhouse.txt", lighthouse);
    expect_text(with, library, "archive.zip/bridge.txt", bridge);
    assert_int_equal(drt_library_document(with->context, library, "doc:2", 5, &document), DRT_OK);
    assert_null(document.title.data);
    assert_null(document.date.data);
    assert_null(document.reason.data);
    assert_int_equal(document.first_chunk, n);
    n += document.chunks;
    drt_document_clear(&document);
    expect_no_document(with, library, "doc:3");
    expect_no_document(with, library, "doc:");
    expect_no_document(with, library, "doc:1x");
    expect_no_document(with, library, "bridge.txt");

    drt_library_facts about;
    assert_int_equal(drt_library_inspect(with->context, library, &about), DRT_OK);
    assert_int_equal(about.documents, 2);
    assert_int_equal(about.partial, 1);
    assert_int_equal(about.chunks, n);
    assert_int_equal(about.text_bytes, strlen(lighthouse) + strlen(bridge));
    drt_string path, title;
    assert_int_equal(drt_store_document_name(with->context, library, 1, &path, &title), DRT_OK);
    assert_string_equal(path.data, "archive.zip/light\nhouse.txt");
    assert_string_equal(title.data, "The Lighthouse");
    drt_string_free(&path);
    drt_string_free(&title);
    assert_int_equal(drt_store_document_name(with->context, library, 9, &path, &title), DRT_FAILED);
    assert_null(path.data);
    assert_int_equal(drt_library_text(with->context, library, 9, &path), DRT_FAILED);
    assert_string_equal(drt_error(with->context), "there is no doc:9 in the library");
    drt_library_close(library);
}

static void strings_and_texts_keep_their_nul_bytes(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    static const char path[] = "a.zip/one\0two", text[] = "one\0two";
    drt_document_facts facts = test_facts("", "x");
    facts.path = path;
    facts.path_length = sizeof path - 1;
    drt_range range = {0, 7};
    uint16_t landmark[D_MODEL];
    uint8_t record[1024];
    int64_t id;
    make_chunk(text, 7, landmark, record);
    assert_int_equal(drt_store_begin(with->context, library, &facts, text, 7, &range, 1, &id), DRT_OK);
    assert_int_equal(drt_store_append(with->context, library, 1, landmark, record), DRT_OK);
    assert_int_equal(drt_store_end(with->context, library), DRT_OK);
    commit(with, library);
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, path, sizeof path - 1, &document), DRT_OK);
    assert_int_equal(document.path.length, sizeof path - 1);
    assert_memory_equal(document.path.data, path, sizeof path - 1);
    drt_document_clear(&document);
    expect_no_document(with, library, "a.zip/one");
    drt_string back;
    assert_int_equal(drt_library_text(with->context, library, id, &back), DRT_OK);
    assert_int_equal(back.length, 7);
    assert_memory_equal(back.data, text, 7);
    drt_string_free(&back);
    drt_library_close(library);
}

static void a_long_text_is_read_across_its_parts(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    size_t length = 150000; /* three parts */
    char *text = malloc(length + 1);
    assert_non_null(text);
    for (size_t i = 0; i < length; i++)
        text[i] = i % 11 == 10 ? ' ' : (char)('a' + i * i / 7 % 26);
    text[length] = 0;
    add_document(with, library, "a.zip/long.txt", text);
    commit(with, library);
    drt_library_close(library);
    library = open_library(with, DRT_LIBRARY_READ);
    expect_text(with, library, "a.zip/long.txt", text);
    free(text);
    drt_library_close(library);
}

static void nothing_shows_before_the_commit(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_document(with, library, "a.zip/1", bridge);
    expect_no_document(with, library, "a.zip/1");
    drt_store_view view;
    assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
    assert_int_equal(view.n_chunks, 0);
    drt_library_close(library);

    library = open_library(with, DRT_LIBRARY_CREATE);
    assert_int_equal(check_library(with->context, library), 0);
    assert_int_equal(add_document(with, library, "a.zip/2", lighthouse), 1);
    commit(with, library);
    add_document(with, library, "a.zip/3", bridge);
    drt_store_rollback(library);
    add_document(with, library, "a.zip/4", "something else entirely");
    commit(with, library);
    commit(with, library); /* nothing to do */
    drt_library_close(library);

    library = open_library(with, DRT_LIBRARY_READ);
    assert_int_equal(check_library(with->context, library), 2);
    expect_text(with, library, "a.zip/2", lighthouse);
    expect_text(with, library, "doc:2", "something else entirely");
    drt_library_close(library);
}

static void misuse_is_refused(void **state) {
    fixture *with = *state;
    drt_context *context = with->context;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    drt_document_facts facts = test_facts("a.zip/1", bridge);
    uint16_t landmark[D_MODEL] = {0};
    uint8_t record[1024] = {0};
    int64_t id;
    static const drt_range bad[] = {{-1, 2}, {2, 1}, {0, 5}, {2, 3}, {0, 2}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) /* "aé" is 3 bytes */
        assert_int_equal(drt_store_begin(context, library, &facts, "a\xC3\xA9", 3, &bad[i], 1, &id), DRT_FAILED);
    drt_range range = {0, 3};
    assert_int_equal(drt_store_append(context, library, 1, landmark, record), DRT_FAILED);
    assert_int_equal(drt_store_end(context, library), DRT_FAILED);
    assert_int_equal(drt_store_begin(context, library, &facts, "a\xC3\xA9", 3, &range, 1, &id), DRT_OK);
    assert_int_equal(drt_store_end(context, library), DRT_FAILED);
    assert_int_equal(drt_store_commit(context, library), DRT_FAILED);
    assert_int_equal(drt_store_begin(context, library, &facts, "a\xC3\xA9", 3, &range, 1, &id), DRT_FAILED);
    assert_int_equal(drt_store_append(context, library, 2, landmark, record), DRT_FAILED);
    assert_int_equal(drt_store_append(context, library, 1, landmark, record), DRT_OK);
    assert_int_equal(drt_store_end(context, library), DRT_OK);
    commit(with, library);
    drt_library_close(library);
    library = open_library(with, DRT_LIBRARY_READ);
    assert_int_equal(drt_store_begin(context, library, &facts, "a", 1, NULL, 0, &id), DRT_FAILED);
    assert_int_equal(drt_store_commit(context, library), DRT_FAILED);
    drt_document document = {.id = 1};
    assert_int_equal(drt_library_remove(context, library, &document, NULL, 0), DRT_FAILED);
    assert_non_null(strstr(drt_error(context), "opened for reading only"));
    drt_library_close(library);
}

/* --------------------------------------------------------------------- dedupe and aliases ---- */

static drt_content find(fixture *with, drt_library *library, const char *path, const char *text, int64_t *id) {
    drt_document_facts facts = test_facts(path, text);
    drt_content content;
    assert_int_equal(drt_store_find(with->context, library, facts.sha256, &facts, true, &content, id), DRT_OK);
    return content;
}

static void expect_aliases(fixture *with, drt_library *library, const char *selector, const char *path, size_t n,
                           const char *alias) {
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, selector, strlen(selector), &document), DRT_OK);
    assert_string_equal(document.path.data, path);
    assert_int_equal(document.n_aliases, n);
    if (n)
        assert_string_equal(document.aliases[n - 1].data, alias);
    drt_document_clear(&document);
}

static void the_same_content_is_stored_once(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    int64_t id;
    assert_int_equal(find(with, library, "a.zip/1", bridge, &id), DRT_CONTENT_NEW);
    add_document(with, library, "a.zip/1", bridge);
    assert_int_equal(find(with, library, "a.zip/1", bridge, &id), DRT_CONTENT_SAME_PATH);
    assert_int_equal(id, 1);
    assert_int_equal(find(with, library, "a.zip/2", bridge, &id), DRT_CONTENT_OTHER_PATH);
    commit(with, library);
    drt_library_close(library);

    library = open_library(with, DRT_LIBRARY_CREATE);
    assert_int_equal(find(with, library, "a.zip/2", bridge, &id), DRT_CONTENT_SAME_PATH);
    assert_int_equal(find(with, library, "a.zip/3", bridge, &id), DRT_CONTENT_OTHER_PATH);
    commit(with, library);
    expect_aliases(with, library, "a.zip/3", "a.zip/1", 2, "a.zip/3");

    /* Without registering, nothing is kept. */
    drt_document_facts facts = test_facts("a.zip/4", bridge);
    drt_content content;
    assert_int_equal(drt_store_find(with->context, library, facts.sha256, &facts, false, &content, &id), DRT_OK);
    assert_int_equal(content, DRT_CONTENT_OTHER_PATH);
    commit(with, library);
    expect_no_document(with, library, "a.zip/4");

    /* An unread member has no hash to be found by. */
    memset(facts.sha256, 0, sizeof facts.sha256);
    assert_int_equal(drt_store_find(with->context, library, facts.sha256, &facts, true, &content, &id), DRT_OK);
    assert_int_equal(content, DRT_CONTENT_NEW);
    drt_library_close(library);
}

static void removing_one_path_keeps_the_other(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    int64_t id;
    add_document(with, library, "a.zip/1", bridge);
    find(with, library, "a.zip/2", bridge, &id);
    add_document(with, library, "a.zip/other", lighthouse);
    commit(with, library);
    drt_library_close(library);

    library = open_library(with, DRT_LIBRARY_UPDATE);
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, "a.zip/1", 7, &document), DRT_OK);
    assert_int_equal(drt_library_remove(with->context, library, &document, "a.zip/9", 7), DRT_FAILED);
    assert_int_equal(drt_library_remove(with->context, library, &document, "a.zip/1", 7), DRT_OK);
    expect_no_document(with, library, "a.zip/1");
    expect_text(with, library, "a.zip/2", bridge);
    expect_aliases(with, library, "doc:1", "a.zip/2", 0, NULL);
    assert_int_equal(drt_library_remove(with->context, library, &document, "a.zip/2", 7), DRT_OK);
    drt_library_close(library);

    library = open_library(with, DRT_LIBRARY_READ);
    expect_no_document(with, library, "a.zip/2");
    expect_no_document(with, library, "doc:1");
    assert_non_null(strstr(drt_error(with->context), "doc:1 was removed"));
    assert_int_equal(check_library(with->context, library), 1);
    drt_store_view view;
    assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
    for (int64_t c = 0; c < view.n_chunks; c++)
        assert_int_equal(view.dead[c / 64] >> c % 64 & 1, c < document.first_chunk + document.chunks);
    drt_chunk chunk;
    assert_int_equal(drt_library_chunk(with->context, library, 0, &chunk), DRT_OK);
    assert_true(chunk.dead);
    drt_string text; /* still there for old traces */
    assert_int_equal(drt_store_chunk_text(with->context, library, &chunk, &text), DRT_OK);
    assert_memory_equal(text.data, bridge, text.length);
    drt_string_free(&text);
    drt_library_facts facts;
    assert_int_equal(drt_library_inspect(with->context, library, &facts), DRT_OK);
    assert_int_equal(facts.dead_chunks, document.chunks);
    assert_int_equal(facts.documents, 1);
    drt_document_clear(&document);
    drt_library_close(library);
}

static void ids_are_never_given_twice(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    int64_t id = add_document(with, library, "a.zip/1", bridge);
    commit(with, library);
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, "doc:1", 5, &document), DRT_OK);
    int64_t end = document.first_chunk + document.chunks;
    assert_int_equal(drt_library_remove(with->context, library, &document, NULL, 0), DRT_OK);
    drt_document_clear(&document);
    drt_library_close(library);

    library = open_library(with, DRT_LIBRARY_CREATE);
    assert_int_equal(find(with, library, "a.zip/1", bridge, &id), DRT_CONTENT_NEW);
    assert_int_equal(add_document(with, library, "a.zip/1", bridge), 2);
    commit(with, library);
    assert_int_equal(drt_library_document(with->context, library, "a.zip/1", 7, &document), DRT_OK);
    assert_int_equal(document.first_chunk, end);
    drt_document_clear(&document);
    assert_int_equal(check_library(with->context, library), 1);
    drt_library_close(library);
}

static void new_content_at_a_path_replaces_the_old(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    int64_t id;
    add_document(with, library, "a.zip/1", bridge);
    add_document(with, library, "a.zip/2", lighthouse);
    find(with, library, "a.zip/2b", lighthouse, &id);
    commit(with, library);
    /* 1 is replaced; 2 lives on under its alias. */
    add_document(with, library, "a.zip/1", "new words for the first");
    add_document(with, library, "a.zip/2", "new words for the second");
    /* Its content is about to go, so it is not known any more. */
    assert_int_equal(find(with, library, "a.zip/1c", bridge, &id), DRT_CONTENT_NEW);
    assert_int_equal(find(with, library, "a.zip/2c", lighthouse, &id), DRT_CONTENT_OTHER_PATH);
    /* Replaced within the same batch. */
    add_document(with, library, "a.zip/1", "newer words for the first");
    assert_int_equal(find(with, library, "a.zip/9", "new words for the first", &id), DRT_CONTENT_NEW);
    commit(with, library);
    drt_library_close(library);

    library = open_library(with, DRT_LIBRARY_READ);
    expect_text(with, library, "a.zip/1", "newer words for the first");
    expect_text(with, library, "a.zip/2", "new words for the second");
    expect_text(with, library, "a.zip/2b", lighthouse);
    expect_aliases(with, library, "a.zip/2b", "a.zip/2b", 1, "a.zip/2c");
    expect_no_document(with, library, "doc:1");
    expect_no_document(with, library, "doc:3");
    assert_int_equal(check_library(with->context, library), 3);
    /* The index knows live texts only. */
    drt_store_view view;
    int64_t chunks[8];
    int count;
    assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
    assert_int_equal(drt_store_bm25(with->context, library, "crowns", 6, NULL, view.n_chunks, 8, chunks, &count),
                     DRT_OK);
    assert_int_equal(count, 0);
    assert_int_equal(drt_store_bm25(with->context, library, "words", 5, NULL, view.n_chunks, 8, chunks, &count),
                     DRT_OK);
    assert_int_equal(count, 2);
    drt_library_close(library);
}

static void a_path_that_takes_known_content_leaves_its_old_document(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    int64_t id;
    add_document(with, library, "a.zip/1", bridge);
    add_document(with, library, "a.zip/2", lighthouse);
    commit(with, library);
    assert_int_equal(find(with, library, "a.zip/2", bridge, &id), DRT_CONTENT_OTHER_PATH);
    commit(with, library);
    expect_aliases(with, library, "a.zip/2", "a.zip/1", 1, "a.zip/2");
    expect_no_document(with, library, "doc:2");
    assert_int_equal(check_library(with->context, library), 1);
    drt_library_close(library);
}

/* All of it before one commit: the first path goes to another content and, at the second commit, comes back. */
static void a_document_that_loses_its_first_path_has_its_next(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    drt_verify_report report;
    int64_t id;
    add_document(with, library, "a.zip/1", bridge);
    assert_int_equal(find(with, library, "a.zip/2", bridge, &id), DRT_CONTENT_OTHER_PATH);
    add_document(with, library, "a.zip/1", lighthouse);
    commit(with, library);
    expect_aliases(with, library, "doc:1", "a.zip/2", 0, NULL);
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_OK);
    assert_int_equal(find(with, library, "a.zip/1", bridge, &id), DRT_CONTENT_OTHER_PATH);
    commit(with, library);
    expect_aliases(with, library, "doc:1", "a.zip/2", 1, "a.zip/1");
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_OK);
    drt_library_close(library);
}

static void the_same_display_path_from_two_archives_is_two_documents(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    drt_document_facts facts = test_facts("a.zip/1", bridge);
    facts.archive = "/elsewhere/a\xFF.zip";
    facts.archive_length = strlen(facts.archive);
    int64_t id;
    add_document(with, library, "a.zip/1", lighthouse);
    assert_int_equal(write_document(with->context, library, &facts, bridge, &id), DRT_OK);
    commit(with, library);
    assert_int_equal(check_library(with->context, library), 2);
    expect_no_document(with, library, "a.zip/1");
    assert_non_null(strstr(drt_error(with->context), "names 2 documents, among them doc:1 and doc:2"));
    expect_text(with, library, "doc:2", bridge);
    drt_library_close(library);
}

/* ------------------------------------------------------------------------------- skipped ---- */

static int64_t add_skipped(fixture *with, drt_library *library, const char *path, const char *reason) {
    drt_document_facts facts = test_facts(path, "");
    memset(facts.sha256, 0, sizeof facts.sha256);
    facts.reason = reason;
    facts.format = "";
    int64_t id;
    assert_int_equal(drt_store_add_skipped(with->context, library, &facts, &id), DRT_OK);
    return id;
}

static bool count_documents(void *user, const drt_document *document) {
    (void)document;
    ++*(int *)user;
    return true;
}

static int count(fixture *with, drt_library *library, const char *glob, bool include_skipped) {
    int n = 0;
    assert_int_equal(drt_library_documents(with->context, library, glob, include_skipped, count_documents, &n), DRT_OK);
    return n;
}

static void skipped_members_are_listed_until_they_work(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_skipped(with, library, "a.zip/1", "first reason");
    add_skipped(with, library, "a.zip/1", "second reason");
    add_skipped(with, library, "a.zip/2", "broken");
    commit(with, library);
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, "a.zip/1", 7, &document), DRT_OK);
    assert_int_equal(document.status, DRT_DOCUMENT_SKIPPED);
    assert_string_equal(document.reason.data, "second reason");
    drt_document_clear(&document);
    assert_int_equal(count(with, library, NULL, true), 2);
    assert_int_equal(count(with, library, NULL, false), 0);

    add_skipped(with, library, "a.zip/2", "still broken");
    add_document(with, library, "a.zip/1", bridge);
    commit(with, library);
    assert_int_equal(count(with, library, NULL, true), 2);
    expect_text(with, library, "a.zip/1", bridge);
    drt_library_facts facts;
    assert_int_equal(drt_library_inspect(with->context, library, &facts), DRT_OK);
    assert_int_equal(facts.documents, 1);
    assert_int_equal(facts.skipped, 1);

    /* A copy that can't be read does not cost the text that is there, staged or stored. */
    assert_int_equal(add_skipped(with, library, "a.zip/1", "truncated"), 5);
    add_document(with, library, "a.zip/3", lighthouse);
    add_skipped(with, library, "a.zip/3", "truncated");
    commit(with, library);
    expect_text(with, library, "a.zip/1", bridge);
    expect_text(with, library, "a.zip/3", lighthouse);

    assert_int_equal(drt_library_document(with->context, library, "a.zip/2", 7, &document), DRT_OK);
    assert_string_equal(document.reason.data, "still broken");
    assert_int_equal(drt_library_remove(with->context, library, &document, NULL, 0), DRT_OK);
    drt_document_clear(&document);
    assert_int_equal(count(with, library, NULL, true), 2);
    drt_library_close(library);
}

/* -------------------------------------------------------------------------------- listing ---- */

static bool stop_at_three(void *user, const drt_document *document) {
    *(int64_t *)user = document->id;
    return document->id < 3;
}

typedef struct {
    fixture *with;
    drt_library *library;
    int n;
} nested;

/* A visitor may use the library, even change it. */
static bool remove_some(void *user, const drt_document *document) {
    nested *in = user;
    if (in->n % 100 == 50)
        assert_int_equal(drt_library_remove(in->with->context, in->library, document, NULL, 0), DRT_OK);
    in->n++;
    return true;
}

static void documents_are_listed_in_pages(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    for (int i = 0; i < 700; i++) {
        char path[32];
        snprintf(path, sizeof path, "a.zip/%c/%d", i % 2 ? 'x' : 'y', i);
        if (i % 7 == 0)
            add_skipped(with, library, path, "why not");
        else
            add_document(with, library, path, path);
    }
    commit(with, library);
    assert_int_equal(count(with, library, NULL, true), 700);
    assert_int_equal(count(with, library, NULL, false), 600);
    assert_int_equal(count(with, library, "*/x/*", false), 300);
    assert_int_equal(count(with, library, "*69[0-4]", true), 5);
    assert_int_equal(count(with, library, "nothing", true), 0);
    int64_t last = 0;
    assert_int_equal(drt_library_documents(with->context, library, NULL, true, stop_at_three, &last), DRT_OK);
    assert_int_equal(last, 3);
    int seen = 0; /* cancelled: no page but the first */
    with->cancel = true;
    assert_int_equal(drt_library_documents(with->context, library, NULL, true, count_documents, &seen), DRT_OK);
    assert_true(seen > 0 && seen < 700);
    with->cancel = false;
    nested in = {with, library, 0};
    assert_int_equal(drt_library_documents(with->context, library, NULL, true, remove_some, &in), DRT_OK);
    assert_int_equal(in.n, 700);
    assert_int_equal(count(with, library, NULL, true), 693);
    drt_library_close(library);
}

static void globs_select_chunks_by_path_and_alias(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    int64_t id;
    add_document(with, library, "a.zip/deep/er/one.txt", bridge);
    find(with, library, "b.tar/uno.txt", bridge, &id);
    add_document(with, library, "a.zip/two.txt", lighthouse);
    commit(with, library);
    drt_document one;
    drt_store_view view;
    assert_int_equal(drt_library_document(with->context, library, "doc:1", 5, &one), DRT_OK);
    assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
    uint64_t first = ((uint64_t)1 << one.chunks) - 1, all = ((uint64_t)1 << view.n_chunks) - 1;
    static const struct {
        const char *glob;
        int which;
    } cases[] = {{"*one.txt", 1}, {"b.tar/*", 1}, {"*two*", 2}, {"*.txt", 3}, {"a.zip/?wo.txt", 2}, {"x", 0}, {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t mask = 0, expected = (cases[i].which & 1 ? first : 0) | (cases[i].which & 2 ? all & ~first : 0);
        assert_int_equal(drt_store_glob_mask(with->context, library, cases[i].glob, &mask, view.n_chunks), DRT_OK);
        assert_int_equal(mask, expected);
        mask = 0; /* an older view knows fewer chunks */
        assert_int_equal(drt_store_glob_mask(with->context, library, cases[i].glob, &mask, one.chunks), DRT_OK);
        assert_int_equal(mask, expected & first);
    }
    assert_int_equal(drt_library_remove(with->context, library, &one, NULL, 0), DRT_OK);
    uint64_t mask = 0;
    assert_int_equal(drt_store_glob_mask(with->context, library, "*", &mask, view.n_chunks), DRT_OK);
    assert_int_equal(mask, all & ~first);
    drt_document_clear(&one);
    drt_library_close(library);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(an_empty_library_opens_and_says_so),
        TEST(documents_come_back_as_they_were_written),
        TEST(strings_and_texts_keep_their_nul_bytes),
        TEST(a_long_text_is_read_across_its_parts),
        TEST(nothing_shows_before_the_commit),
        TEST(misuse_is_refused),
        TEST(the_same_content_is_stored_once),
        TEST(removing_one_path_keeps_the_other),
        TEST(ids_are_never_given_twice),
        TEST(new_content_at_a_path_replaces_the_old),
        TEST(a_path_that_takes_known_content_leaves_its_old_document),
        TEST(a_document_that_loses_its_first_path_has_its_next),
        TEST(the_same_display_path_from_two_archives_is_two_documents),
        TEST(skipped_members_are_listed_until_they_work),
        TEST(documents_are_listed_in_pages),
        TEST(globs_select_chunks_by_path_and_alias),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
