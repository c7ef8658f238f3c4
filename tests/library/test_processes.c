/* test_processes.c: several processes on one library: the writers' lock, reading and storing sessions
 * while another process writes, and a writer that is killed. */
#include "fixture.h"

#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "engine/library/library.h"

/* Runs `work` in a child that has said over a pipe that it is ready; returns its process id. */
static pid_t start(fixture *with, void (*work)(fixture *with, int ready)) {
    int ends[2];
    char byte;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        work(with, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    assert_int_equal(read(ends[0], &byte, 1), 1);
    close(ends[0]);
    return child;
}

static void say_ready(int ready) {
    if (write(ready, "r", 1) != 1)
        _exit(9);
}

static void expect_end(pid_t child) {
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void stop(pid_t child) {
    kill(child, SIGKILL);
    assert_int_equal(waitpid(child, NULL, 0), child);
}

static void document_text(int number, char text[256]) {
    snprintf(text, 256, "Document number %d, with words of its own: %d and %d, and some that all of them have.", number,
             number * 7, number * number);
}

static void add_numbered(fixture *with, drt_library *library, int number) {
    char path[32], text[256];
    snprintf(path, sizeof path, "a.zip/%d", number);
    document_text(number, text);
    add_document(with, library, path, text);
}

static void hold_lock(fixture *with, int ready) {
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_numbered(with, library, 0); /* never committed */
    say_ready(ready);
    pause();
    drt_library_close(library);
}

static void the_second_writer_is_told_who_has_it(void **state) {
    fixture *with = *state;
    char expected[64];
    pid_t child = start(with, hold_lock);
    snprintf(expected, sizeof expected, "another drt (process %ld) is writing to", (long)child);
    expect_no_library(with, DRT_LIBRARY_CREATE, expected);
    expect_no_library(with, DRT_LIBRARY_UPDATE, expected);
    drt_library_close(open_library(with, DRT_LIBRARY_READ));
    stop(child);
    /* A dead process has no lock, whatever the file says. */
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    assert_int_equal(check_library(with->context, library), 0);
    /* Two handles of one process count as two. */
    expect_no_library(with, DRT_LIBRARY_UPDATE, "another drt (process ");
    drt_library_close(library);
    drt_library_close(open_library(with, DRT_LIBRARY_UPDATE));
}

#define WRITTEN 60

static void write_many(fixture *with, int ready) {
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    say_ready(ready);
    for (int i = 0; i < WRITTEN; i++) {
        add_numbered(with, library, i);
        if (i % 3 == 2)
            commit(with, library);
    }
    drt_library_close(library);
}

/* Each look sees whole commits, never fewer than the look before; answers are stored meanwhile. */
static void reading_and_storing_go_on_during_an_ingest(void **state) {
    fixture *with = *state;
    pid_t child = start(with, write_many);
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    int64_t seen = 0, stored = 0, looks = 0;
    while (seen < WRITTEN) {
        drt_store_view view;
        assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
        int64_t chunks[100];
        int count;
        assert_int_equal(
            drt_store_bm25(with->context, library, "number words", 12, NULL, view.n_chunks, 100, chunks, &count),
            DRT_OK);
        int64_t n = check_library(with->context, library);
        assert_true(n >= seen && n % 3 == 0);
        assert_true(count <= n * 3);
        seen = n;
        looks++;
        drt_answer answer = {0};
        if (looks % 4 == 1) {
            assert_int_equal(drt_store_session(with->context, library, &answer), DRT_OK);
            assert_int_equal(answer.session, ++stored);
        }
        drt_verify_report report;
        if (looks % 8 == 3)
            assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_OK);
        nanosleep(&(struct timespec){0, 5000000}, NULL);
    }
    expect_end(child);
    drt_verify_report report;
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_OK);
    drt_library_facts facts;
    assert_int_equal(drt_library_inspect(with->context, library, &facts), DRT_OK);
    assert_int_equal(facts.documents, WRITTEN);
    assert_int_equal(facts.sessions, stored);
    drt_library_close(library);
}

static void create_at_once(fixture *with, int ready) {
    drt_store_identity identity = test_identity(1);
    drt_library *library;
    say_ready(ready);
    drt_status status = drt_store_open(with->context, with->library, DRT_LIBRARY_CREATE, &identity, &library);
    if (status != DRT_OK && !strstr(drt_error(with->context), "another drt"))
        _exit(7);
    drt_library_close(library);
}

static void creating_twice_at_once_makes_one_library(void **state) {
    fixture *with = *state;
    for (int round = 0; round < 10; round++) {
        snprintf(with->library, sizeof with->library, "%s/lib%d.drt", with->folder, round);
        pid_t children[3];
        for (int i = 0; i < 3; i++)
            children[i] = start(with, create_at_once);
        for (int i = 0; i < 3; i++)
            expect_end(children[i]);
        drt_library *library = open_library(with, DRT_LIBRARY_UPDATE);
        drt_verify_report report;
        assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_OK);
        drt_library_close(library);
    }
}

static void verify_and_compact(fixture *with, int ready) {
    drt_library *library = open_library(with, DRT_LIBRARY_UPDATE);
    say_ready(ready);
    for (int i = 1; i <= 10; i++) {
        drt_document document = {.id = i};
        drt_verify_report report;
        assert_int_equal(drt_library_remove(with->context, library, &document, NULL, 0), DRT_OK);
        assert_int_equal(drt_library_verify(with->context, library, true, &report), DRT_OK);
    }
    drt_library_close(library);
}

static void reading_goes_on_while_documents_are_removed(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    for (int i = 0; i < 12; i++)
        add_numbered(with, library, i);
    commit(with, library);
    drt_library_close(library);
    pid_t child = start(with, verify_and_compact);
    library = open_library(with, DRT_LIBRARY_READ);
    drt_store_view view;
    do {
        assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
        for (int64_t c = 0; c < view.n_chunks; c++) {
            drt_chunk chunk;
            drt_string text;
            uint16_t landmark[D_MODEL];
            uint8_t record[1024];
            if (view.dead[c / 64] >> c % 64 & 1)
                continue;
            /* Its document may be removed at any time, its memory stays as long as the view. */
            assert_int_equal(drt_library_chunk(with->context, library, c, &chunk), DRT_OK);
            if (drt_store_chunk_text(with->context, library, &chunk, &text) != DRT_OK)
                continue;
            make_chunk(text.data, text.length, landmark, record);
            assert_memory_equal(drt_store_record(library, c), record, record_size());
            drt_string_free(&text);
        }
    } while (waitpid(child, NULL, WNOHANG) == 0);
    assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_OK);
    assert_int_equal(check_library(with->context, library), 2);
    drt_library_close(library);
}

/* Another program that holds the catalog for long, for whatever reason. */
static void a_held_catalog_is_told(void **state) {
    fixture *with = *state;
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_numbered(with, library, 1);
    commit(with, library);
    sqlite3 *holder;
    assert_int_equal(sqlite3_open(library_path(with, "catalog.sqlite"), &holder), SQLITE_OK);
    assert_int_equal(sqlite3_exec(holder, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_busy_timeout(library->catalog.db, 10);
    drt_store_view view;
    assert_int_equal(drt_store_refresh(with->context, library, &view), DRT_FAILED);
    assert_non_null(strstr(drt_error(with->context), "catalog.sqlite is held by another process: try again"));
    drt_answer answer = {0};
    assert_int_equal(drt_store_session(with->context, library, &answer), DRT_WARN);
    add_numbered(with, library, 2);
    assert_int_equal(drt_store_commit(with->context, library), DRT_FATAL);
    assert_int_equal(sqlite3_exec(holder, "ROLLBACK", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(holder);
    /* What was staged is not lost by that. */
    commit(with, library);
    assert_int_equal(check_library(with->context, library), 2);
    drt_library_close(library);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(the_second_writer_is_told_who_has_it),        TEST(reading_and_storing_go_on_during_an_ingest),
        TEST(creating_twice_at_once_makes_one_library),    TEST(a_held_catalog_is_told),
        TEST(reading_goes_on_while_documents_are_removed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
