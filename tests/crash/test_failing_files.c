/* test_failing_files.c: each call that changes a file of the library, SQLite's too, fails in turn, in every step of a
 * library's life: once with EIO, once with ENOSPC, and with a disk that stays full. The step ends with a sentence that
 * names the file and the cause, or was finished all the same; no file stays open, nothing leaks (the debug preset
 * looks), and the library is as before the step or after it. The step then works.
 *
 * With the argument "all" every call fails; without it some, which the seed chooses. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "tests/base/file_calls.h"
#include "tests/crash/life.h"

#define STRIDE 3 /* on average */

static life t;
static bool every_call;

static int set_up(void **state) {
    (void)state;
    life_open(&t);
    life_take_all(&t);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    life_close(&t);
    return 0;
}

/* SQLite keeps to itself why a file could not be opened: a catalog that can't be opened for writing it only reads, and a
 * journal that can't be made it takes for one that is not there. */
static bool says_that_it_does_not_open(const char *sentence) {
    return strstr(sentence, "takes no more files") || strstr(sentence, "is read-only") ||
           strstr(sentence, "may not be written");
}

static void expect_sentence(const char *where, const char *what, int error) {
    const char *sentence = drt_error(t.context);
    bool cause = strstr(sentence, strerror(error)) || (error == ENOSPC && strstr(sentence, "no space left")) ||
                 (strncmp(what, "opening of", strlen("opening of")) == 0 && says_that_it_does_not_open(sentence));
    if (!cause || !strstr(sentence, "lib.drt"))
        fail_msg("%s: \"%s\" does not name the file and the cause", where, sentence);
}

/* The number-th call fails; returns false when there are not so many. */
static bool fail_call(life_step step, long number, int error, bool lasting) {
    char where[512];
    const char *what;
    life_go_back(&t, step);
    file_calls_fail(number, error, lasting);
    drt_status status = life_take(&t, step);
    bool failed = file_calls_end_failures(&what);
    snprintf(where, sizeof where, "step %d, call %ld (%s)%s: %s", (int)step, number, failed ? what : "none",
             lasting ? " and all after it" : "", strerror(error));
    if (file_calls_open_files() != 0)
        fail_msg("%s: %d files stay open", where, file_calls_open_files());
    if (!failed && status != DRT_OK)
        fail_msg("%s: %s", where, drt_error(t.context));
    if (status != DRT_OK)
        expect_sentence(where, what, error);
    int there =
        life_expect(&t, number % 2 ? DRT_LIBRARY_READ : DRT_LIBRARY_UPDATE, status == DRT_OK ? step + 1 : step, where);
    if (there != (int)step)
        return failed;
    status = life_take(&t, step);
    if (status != DRT_OK)
        fail_msg("%s: the step does not work afterwards: %s", where, drt_error(t.context));
    life_expect(&t, DRT_LIBRARY_READ, step + 1, where);
    return failed;
}

static void fail_all(life_step step) {
    uint32_t seed = 20240607;
    long points = 0, number = 1;
    for (bool failed = true; failed; number++) {
        seed = seed * 1664525u + 1013904223u;
        if (!every_call && (seed >> 8) % STRIDE != 0)
            continue;
        failed = fail_call(step, number, EIO, false);
        failed = fail_call(step, number, ENOSPC, false) && failed;
        failed = fail_call(step, number, ENOSPC, true) && failed;
        points += 3 * failed;
    }
    print_message("step %d: %ld failures among its first %ld calls\n", (int)step, points, number - 2);
    assert_true(points > 10);
}

static void step_survives(void **state) {
    fail_all(*(const life_step *)*state);
}

int main(int argc, char **argv) {
    every_call = argc > 1 && strcmp(argv[1], "all") == 0;
    return life_run_steps(step_survives, set_up, tear_down);
}
