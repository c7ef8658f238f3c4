/* test_crash_store.c: a writer is killed (SIGKILL) at random moments, again and again. A fixed list of steps
 * (adding, replacing, removing, aliases, compacting) has one right state after each; the writer says which
 * step it has finished. After each kill the library must open, verify, and be in the state after that step
 * or the next one, which was under way: every committed document whole, and nothing else. */
#include "../library/fixture.h"

#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define KILLS 60
#define N_STEPS 4000
#define N_PATHS 9

/* ------------------------------------------------------------------- steps and their state ---- */

/* Which text each path has; 0: none. Texts are numbered by the step that brought them. */
typedef struct {
    int text[N_PATHS];
} model;

typedef enum { STEP_ADD_TWO, STEP_REPLACE, STEP_ALIAS, STEP_REMOVE, STEP_COMPACT } step_kind;

static step_kind kind_of(int step) {
    static const step_kind kinds[] = {STEP_ADD_TWO, STEP_ADD_TWO, STEP_ALIAS,   STEP_REPLACE, STEP_ADD_TWO, STEP_REMOVE,
                                      STEP_COMPACT, STEP_ADD_TWO, STEP_REPLACE, STEP_REMOVE,  STEP_ALIAS};
    return kinds[step % (int)(sizeof kinds / sizeof *kinds)];
}

static int path_of(int step) {
    return step * 5 % N_PATHS;
}

static void advance(model *m, int step) {
    int path = path_of(step), next = (path + 1) % N_PATHS;
    switch (kind_of(step)) {
    case STEP_ADD_TWO:
        m->text[next] = step * 10 + 2;
        m->text[path] = step * 10 + 1;
        break;
    case STEP_REPLACE:
        m->text[path] = step * 10 + 1;
        break;
    case STEP_ALIAS:
        if (m->text[path])
            m->text[next] = m->text[path];
        break;
    case STEP_REMOVE:
        m->text[path] = 0;
        break;
    case STEP_COMPACT:
        break;
    }
}

static void make_text(int number, char text[2048]) {
    int at = snprintf(text, 2048, "Text %d begins", number);
    for (int i = 0; i < 5 + number % 40; i++)
        at += snprintf(text + at, 2048 - (size_t)at, ", goes on with words %d and %d", i, number * i);
}

/* ------------------------------------------------------------------------- the writer ---- */

/* No cmocka in here: the child only writes, and ends with a code that says where it failed. */
static void must(bool ok, int code) {
    if (!ok)
        _exit(code);
}

static void put(drt_context *context, drt_library *library, int path, int number) {
    char name[32], text[2048];
    int64_t document;
    snprintf(name, sizeof name, "a.zip/%d", path);
    make_text(number, text);
    drt_document_facts facts = test_facts(name, text);
    must(write_document(context, library, &facts, text, &document) == DRT_OK, 11);
}

static void put_alias(drt_context *context, drt_library *library, const model *before, int path, int next) {
    char name[32], text[2048];
    drt_content content;
    int64_t document;
    if (!before->text[path])
        return;
    make_text(before->text[path], text);
    snprintf(name, sizeof name, "a.zip/%d", next);
    drt_document_facts facts = test_facts(name, text);
    must(drt_store_find(context, library, facts.sha256, &facts, true, &content, &document) == DRT_OK, 12);
    must(content != DRT_CONTENT_NEW, 13);
}

static void take(drt_context *context, drt_library *library, const model *before, int path) {
    char name[32];
    drt_document document;
    if (!before->text[path])
        return;
    snprintf(name, sizeof name, "a.zip/%d", path);
    must(drt_library_document(context, library, name, strlen(name), &document) == DRT_OK, 14);
    must(drt_library_remove(context, library, &document, name, strlen(name)) == DRT_OK, 15);
    drt_document_clear(&document);
}

static void run_step(drt_context *context, drt_library *library, const model *before, int step) {
    int path = path_of(step), next = (path + 1) % N_PATHS;
    drt_verify_report report;
    switch (kind_of(step)) {
    case STEP_ADD_TWO:
        put(context, library, next, step * 10 + 2);
        put(context, library, path, step * 10 + 1);
        break;
    case STEP_REPLACE:
        put(context, library, path, step * 10 + 1);
        break;
    case STEP_ALIAS:
        put_alias(context, library, before, path, next);
        break;
    case STEP_REMOVE:
        take(context, library, before, path);
        break;
    case STEP_COMPACT:
        must(drt_library_verify(context, library, true, &report) == DRT_OK, 16);
        break;
    }
    must(drt_store_commit(context, library) == DRT_OK, 17);
}

/* Runs steps [first, end) and says each one's number when it is finished. */
static void write_library(const char *path, const model *start, int first, int end, int report) {
    drt_context *context = drt_context_new(NULL);
    drt_store_identity identity = test_identity(1);
    drt_library *library;
    model m = *start;
    must(context && drt_store_open(context, path, DRT_LIBRARY_CREATE, &identity, &library) == DRT_OK, 10);
    for (int step = first; step < end; step++) {
        run_step(context, library, &m, step);
        advance(&m, step);
        must(write(report, &step, sizeof step) == sizeof step, 18);
    }
    drt_library_close(library);
    drt_context_free(context);
}

/* -------------------------------------------------------------------------- the checks ---- */

/* Do the library's live documents say exactly what the model says? */
static bool is_in_state(fixture *with, drt_library *library, const model *m) {
    bool same = true;
    for (int path = 0; path < N_PATHS && same; path++) {
        char name[32], text[2048];
        drt_document document;
        drt_string found;
        snprintf(name, sizeof name, "a.zip/%d", path);
        bool there = drt_library_document(with->context, library, name, strlen(name), &document) == DRT_OK;
        same = there == (m->text[path] != 0);
        if (!there)
            continue;
        make_text(m->text[path], text);
        assert_int_equal(drt_library_text(with->context, library, document.id, &found), DRT_OK);
        same = same && drt_string_equal(&found, text, strlen(text));
        drt_string_free(&found);
        drt_document_clear(&document);
    }
    return same;
}

/* Checks what a kill has left, with a library that only reads or one that cleans up. */
static bool check_state(fixture *with, drt_library_mode mode, const model *m) {
    drt_library *library = open_library(with, mode);
    drt_verify_report report;
    if (drt_library_verify(with->context, library, false, &report) != DRT_OK)
        fail_msg("%s: %s", drt_error(with->context), with->warnings);
    check_library(with->context, library);
    bool same = is_in_state(with, library, m);
    drt_library_close(library);
    return same;
}

static bool has_catalog(const fixture *with) {
    return access(library_path(with, "catalog.sqlite"), F_OK) == 0;
}

typedef struct {
    model state; /* after steps [0, done) */
    int done;
} progress;

/* Starts a writer, kills it after some time, and reads how far it said it was. */
static void run_and_kill(fixture *with, progress *at, long microseconds) {
    int ends[2], step;
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(ends[0]);
        write_library(with->library, &at->state, at->done, N_STEPS, ends[1]);
        _exit(0);
    }
    close(ends[1]);
    nanosleep(&(struct timespec){microseconds / 1000000, microseconds % 1000000 * 1000}, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status))
        fail_msg("the writer ended by itself, with code %d", WEXITSTATUS(status));
    while (read(ends[0], &step, sizeof step) == sizeof step) {
        assert_int_equal(step, at->done);
        advance(&at->state, at->done++);
    }
    close(ends[0]);
}

/* The step that was under way is either not there or there as a whole. */
static void settle(fixture *with, progress *at) {
    model next = at->state;
    advance(&next, at->done);
    if (!has_catalog(with)) {
        assert_int_equal(at->done, 0);
        return;
    }
    /* Alternately the next one to come is a reader or a writer. */
    drt_library_mode mode = at->done % 2 ? DRT_LIBRARY_READ : DRT_LIBRARY_UPDATE;
    if (check_state(with, mode, &at->state))
        return;
    if (!check_state(with, DRT_LIBRARY_READ, &next))
        fail_msg("after step %d the library is in no state that it may be in", at->done);
    at->state = next;
    at->done++;
}

static void remove_library(fixture *with) {
    static const char *const names[] = {
        "lock",           "landmarks.bin",          "memory.bin",         "memory.bin.new",
        "catalog.sqlite", "catalog.sqlite-journal", "catalog.sqlite.new", "catalog.sqlite.new-journal"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(library_path(with, names[i]));
    assert_true(rmdir(with->library) == 0 || access(with->library, F_OK) != 0); /* and nothing else in it */
}

static void a_killed_writer_loses_only_what_was_under_way(void **state) {
    fixture *with = *state;
    progress at = {.done = 0};
    unsigned seed = 20240607;
    int steps = 0, unsaid = 0, unmade = 0, journals = 0;
    for (int kill_number = 0; kill_number < KILLS; kill_number++) {
        /* Every sixth kill hits a library that is being made; the others go on with the last one. */
        bool fresh = kill_number % 6 == 0;
        if (fresh) {
            remove_library(with);
            at = (progress){.done = 0};
        }
        int first = at.done;
        seed = seed * 1664525u + 1013904223u;
        long limit = fresh ? 60000 : 450000; /* microseconds */
        run_and_kill(with, &at, (long)(seed >> 8) % limit);
        unmade += !has_catalog(with);
        journals += access(library_path(with, "catalog.sqlite-journal"), F_OK) == 0;
        int said = at.done;
        settle(with, &at);
        unsaid += at.done - said;
        steps += at.done - first;
    }
    /* A last run goes through. */
    int end = at.done + 22, step, ends[2];
    assert_int_equal(pipe(ends), 0);
    write_library(with->library, &at.state, at.done, end, ends[1]);
    close(ends[1]);
    while (read(ends[0], &step, sizeof step) == sizeof step)
        advance(&at.state, step);
    close(ends[0]);
    assert_true(check_state(with, DRT_LIBRARY_UPDATE, &at.state));
    print_message("%d kills in %d steps: %d before there was a library, %d within a transaction, %d behind one\n",
                  KILLS, steps, unmade, journals, unsaid);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_killed_writer_loses_only_what_was_under_way, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
