/* test_failures.c: each allocation and each system call that writes fails in turn, in everything that changes
 * a library: the call ends with a sentence, leaks nothing, and the library is as it was or as it should be.
 * Linked with --wrap for the functions below (SQLite's own are out of reach; test_files.c meets those). */
#include "fixture.h"

#include <errno.h>
#include <unistd.h>

/* Which call fails: the countdown runs from N to 1; 0: none. */
static struct {
    long countdown;
    bool failed;
} injected;

static bool fails(void) {
    if (injected.countdown == 0 || --injected.countdown > 0)
        return false;
    injected.failed = true;
    return true;
}

#define WRAP(type, name, arguments, values, failure, error)                                                            \
    type __real_##name arguments;                                                                                      \
    type __wrap_##name arguments;                                                                                      \
    type __wrap_##name arguments {                                                                                     \
        if (fails()) {                                                                                                 \
            errno = error;                                                                                             \
            return failure;                                                                                            \
        }                                                                                                              \
        return __real_##name values;                                                                                   \
    }

WRAP(void *, malloc, (size_t size), (size), NULL, ENOMEM)
WRAP(void *, calloc, (size_t n, size_t size), (n, size), NULL, ENOMEM)
WRAP(void *, realloc, (void *memory, size_t size), (memory, size), NULL, ENOMEM)
WRAP(char *, strdup, (const char *text), (text), NULL, ENOMEM)
WRAP(void *, mmap64, (void *at, size_t n, int protection, int flags, int file, off_t offset),
     (at, n, protection, flags, file, offset), (void *)-1, ENOMEM)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, ENOSPC)
WRAP(ssize_t, write, (int file, const void *data, size_t n), (file, data, n), -1, ENOSPC)
WRAP(ssize_t, pwrite64, (int file, const void *data, size_t n, off_t at), (file, data, n, at), -1, EIO)
WRAP(int, fsync, (int file), (file), -1, EIO)
WRAP(int, fdatasync, (int file), (file), -1, EIO)
WRAP(int, ftruncate64, (int file, off_t size), (file, size), -1, EIO)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1, EIO)

static const char first_text[] = "The first text is in the library before anything fails.";
static const char second_text[] = "The second text comes while things fail, caf\xC3\xA9 and all.";

/* Starts counting; drt_error is quoted when the operation fails without a reason to. */
static void inject(long number) {
    injected.countdown = number;
    injected.failed = false;
}

static bool end_injection(void) {
    injected.countdown = 0;
    return injected.failed;
}

static void expect_sentence(fixture *with, drt_status status) {
    if (status == DRT_OK)
        return;
    assert_true(status == DRT_FATAL || status == DRT_FAILED || status == DRT_WARN);
    assert_true(strlen(drt_error(with->context)) > 10);
}

/* The library holds the first text, and the second one where it may. */
static int64_t expect_sound(fixture *with) {
    drt_library *library = open_library(with, DRT_LIBRARY_UPDATE);
    drt_verify_report report;
    if (drt_library_verify(with->context, library, false, &report) != DRT_OK)
        fail_msg("%s %s", drt_error(with->context), with->warnings);
    int64_t n = check_library(with->context, library);
    expect_text(with, library, "a.zip/first", first_text);
    drt_library_close(library);
    return n;
}

static void make_library(fixture *with) {
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_document(with, library, "a.zip/first", first_text);
    commit(with, library);
    drt_library_close(library);
}

static void making_a_library(void **state) {
    fixture *with = *state;
    drt_store_identity identity = test_identity(1);
    drt_library *library;
    bool failed = true;
    for (long n = 1; failed; n++) {
        inject(n);
        drt_status status = drt_store_open(with->context, with->library, DRT_LIBRARY_CREATE, &identity, &library);
        failed = end_injection();
        expect_sentence(with, status);
        assert_true(failed || status == DRT_OK);
        assert_int_equal(library == NULL, status != DRT_OK);
        drt_library_close(library);
        if (status == DRT_OK) {
            /* Not all failures cost the library: the lock's message is not worth it. */
            snprintf(with->library, sizeof with->library, "%s/lib%ld.drt", with->folder, n);
        }
    }
    make_library(with);
    expect_sound(with);
}

static drt_status add_second(fixture *with) {
    drt_store_identity identity = test_identity(1);
    drt_library *library;
    drt_document_facts facts = test_facts("a.zip/second", second_text), alias = test_facts("a.zip/alias", first_text);
    const char *authors[] = {"A", "B"};
    drt_content content;
    int64_t document;
    facts.authors = authors;
    facts.n_authors = 2;
    drt_status status = drt_store_open(with->context, with->library, DRT_LIBRARY_CREATE, &identity, &library);
    if (status != DRT_OK)
        return status;
    drt_range range = {0, sizeof second_text - 1};
    uint16_t landmark[D_MODEL] = {0};
    uint8_t record[1024] = {0};
    status = drt_store_find(with->context, library, alias.sha256, &alias, true, &content, &document);
    if (status == DRT_OK)
        status =
            drt_store_begin(with->context, library, &facts, second_text, sizeof second_text - 1, &range, 1, &document);
    if (status == DRT_OK)
        status = drt_store_append(with->context, library, 1, landmark, record);
    if (status == DRT_OK)
        status = drt_store_end(with->context, library);
    if (status == DRT_OK)
        status = drt_store_commit(with->context, library);
    drt_library_close(library);
    return status;
}

static void adding_a_document(void **state) {
    fixture *with = *state;
    make_library(with);
    bool failed = true;
    drt_status status = DRT_FATAL;
    for (long n = 1; failed; n++) {
        inject(n);
        status = add_second(with);
        failed = end_injection();
        expect_sentence(with, status);
        drt_library *library = open_library(with, DRT_LIBRARY_UPDATE);
        drt_verify_report report;
        assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_OK);
        expect_text(with, library, "a.zip/first", first_text);
        drt_document document;
        bool there = drt_library_document(with->context, library, "a.zip/second", 12, &document) == DRT_OK;
        /* A commit that could not be read back is one all the same. */
        assert_true(there || status != DRT_OK);
        if (there && failed)
            assert_int_equal(drt_library_remove(with->context, library, &document, NULL, 0), DRT_OK);
        drt_document_clear(&document);
        drt_library_close(library);
    }
    assert_int_equal(status, DRT_OK);
}

static drt_status remove_and_compact(fixture *with) {
    drt_library *library;
    drt_document document;
    drt_verify_report report;
    drt_status status = drt_store_open(with->context, with->library, DRT_LIBRARY_UPDATE, NULL, &library);
    if (status != DRT_OK)
        return status;
    status = drt_library_document(with->context, library, "a.zip/gone", 10, &document);
    if (status == DRT_OK)
        status = drt_library_remove(with->context, library, &document, NULL, 0);
    drt_document_clear(&document);
    if (status == DRT_OK)
        status = drt_library_verify(with->context, library, true, &report);
    drt_library_close(library);
    return status;
}

static void removing_and_compacting(void **state) {
    fixture *with = *state;
    make_library(with);
    bool failed = true;
    drt_status status = DRT_FATAL;
    for (long n = 1; failed; n++) {
        drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
        drt_document document;
        if (drt_library_document(with->context, library, "a.zip/gone", 10, &document) != DRT_OK) {
            add_document(with, library, "a.zip/gone", "A text that is removed soon.");
            commit(with, library);
        }
        drt_document_clear(&document);
        drt_library_close(library);
        inject(n);
        status = remove_and_compact(with);
        failed = end_injection();
        expect_sentence(with, status);
        assert_true(expect_sound(with) <= 2);
    }
    assert_int_equal(status, DRT_OK);
    assert_int_equal(expect_sound(with), 1);
}

static bool stop_never(void *user, const drt_document *document) {
    (void)user;
    (void)document;
    return true;
}

static bool go_on(void *user, const drt_session_summary *summary) {
    (void)user;
    (void)summary;
    return true;
}

/* All that an ask does, and a listing. */
static drt_status read_library(fixture *with) {
    drt_library *library;
    drt_store_view view;
    drt_string path = {0}, title = {0}, text = {0};
    drt_answer answer = {.question = {"Q", 1}, .answer = {"A", 1}}, *loaded = NULL;
    int64_t chunks[4];
    int count;
    uint64_t mask = 0;
    drt_status status = drt_store_open(with->context, with->library, DRT_LIBRARY_READ, NULL, &library);
    if (status != DRT_OK)
        return status;
    status = drt_store_refresh(with->context, library, &view);
    if (status == DRT_OK)
        status = drt_store_bm25(with->context, library, "first text", 10, NULL, view.n_chunks, 4, chunks, &count);
    if (status == DRT_OK)
        status = drt_store_glob_mask(with->context, library, "*", &mask, view.n_chunks);
    if (status == DRT_OK)
        status = drt_store_document_name(with->context, library, 1, &path, &title);
    if (status == DRT_OK)
        status = drt_library_text(with->context, library, 1, &text);
    if (status == DRT_OK)
        status = drt_library_documents(with->context, library, NULL, true, stop_never, NULL);
    if (status == DRT_OK)
        status = drt_store_session(with->context, library, &answer);
    if (status == DRT_OK)
        status = drt_library_sessions(with->context, library, go_on, NULL);
    if (status == DRT_OK)
        status = drt_library_session_load(with->context, library, answer.session, &loaded);
    /* Those that were stored would make the next round longer. */
    injected.countdown = 0;
    if (answer.session)
        assert_int_equal(drt_library_session_delete(with->context, library, answer.session), DRT_OK);
    drt_answer_free(loaded);
    drt_string_free(&path);
    drt_string_free(&title);
    drt_string_free(&text);
    drt_library_close(library);
    return status;
}

static void reading_and_storing_sessions(void **state) {
    fixture *with = *state;
    make_library(with);
    bool failed = true;
    drt_status status = DRT_FATAL;
    for (long n = 1; failed; n++) {
        inject(n);
        status = read_library(with);
        failed = end_injection();
        expect_sentence(with, status);
        assert_true(failed || status == DRT_OK);
    }
    assert_int_equal(status, DRT_OK);
    assert_int_equal(expect_sound(with), 1);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(making_a_library),
        TEST(adding_a_document),
        TEST(removing_and_compacting),
        TEST(reading_and_storing_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
