/* test_failing_memory.c: each allocation of the program and of SQLite, or of the process with all its libraries
 * (scarce_process.c), fails in turn, in every step of a library's life:
 * alone, or with all after it. The step ends with a sentence, or was finished all the same, or lacks members whose reason
 * is memory; nothing leaks (the debug preset looks), and the library is as before the step or after it, or verifies when
 * it lacks members. The step then works.
 *
 * With the argument "all" every allocation fails, with a number about so many a step; without it POINTS, which the seed
 * chooses. */
#define _GNU_SOURCE /* memmem */
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <sqlite3.h>

#include "tests/base/file_calls.h"
#include "tests/base/scarce_memory.h"
#include "tests/crash/life.h"

#define POINTS 20

static life t;
static long wanted = POINTS;    /* a step */
static sqlite3_mem_methods own; /* SQLite's */

static void *scarce_malloc(int size) {
    return scarce_memory_exhausted() ? NULL : own.xMalloc(size);
}

static void *scarce_realloc(void *memory, int size) {
    return scarce_memory_exhausted() ? NULL : own.xRealloc(memory, size);
}

static int set_up(void **state) {
    (void)state;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &own), SQLITE_OK);
    sqlite3_mem_methods scarce = own;
    scarce.xMalloc = scarce_malloc;
    scarce.xRealloc = scarce_realloc;
    assert_int_equal(sqlite3_config(SQLITE_CONFIG_MALLOC, &scarce), SQLITE_OK);
    life_open(&t);
    file_calls_watch(NULL);
    life_take_all(&t);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    life_close(&t);
    return 0;
}

/* How many allocations the step makes. */
static long count_allocations(life_step step) {
    enum { PLENTY = 100000000 };
    life_go_back(&t, step);
    scarce_memory_allow(PLENTY);
    assert_int_equal(life_take(&t, step), DRT_OK);
    return PLENTY - scarce_memory_allow(-1);
}

/* Is every member's loss one of memory? */
static bool losses_are_of_memory(void) {
    const char *line = t.losses;
    for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
        if (!memmem(line, (size_t)(end - line), "memory", strlen("memory")))
            return false;
    return true;
}

/* The step lacks members. It works afterwards, and then the library holds as much as without the failure: which path of a
 * text is its alias depends on which came first. */
static void expect_all_after_losses(life_step step, const char *where) {
    drt_buffer lacking = {0}, whole = {0};
    life_read(&t, DRT_LIBRARY_UPDATE, &lacking);
    if (life_take(&t, step) != DRT_OK)
        fail_msg("%s: the step does not work after a loss: %s", where, drt_error(t.context));
    life_read(&t, DRT_LIBRARY_READ, &whole);
    if (whole.length != t.states[step + 1].length)
        fail_msg("%s: the library holds %zu bytes after a loss, %zu without", where, whole.length,
                 t.states[step + 1].length);
    drt_buffer_free(&lacking);
    drt_buffer_free(&whole);
}

static void fail_allocation(life_step step, long number, bool lasting) {
    char where[128];
    snprintf(where, sizeof where, "step %d, allocation %ld%s", (int)step, number, lasting ? " and all after it" : "");
    life_go_back(&t, step);
    if (lasting)
        scarce_memory_allow(number - 1);
    else
        scarce_memory_fail_once(number);
    drt_status status = life_take(&t, step);
    bool failed = scarce_memory_end();
    bool told = t.losses[0] ? losses_are_of_memory() : strstr(drt_error(t.context), "memory") != NULL;
    if (status != DRT_OK && !(failed && told))
        fail_msg("%s: status %d, \"%s\" does not name the cause; lost: [%s]", where, (int)status, drt_error(t.context),
                 t.losses);
    if (t.losses[0]) {
        expect_all_after_losses(step, where);
        return;
    }
    int there =
        life_expect(&t, number % 2 ? DRT_LIBRARY_READ : DRT_LIBRARY_UPDATE, status == DRT_OK ? step + 1 : step, where);
    if (there != (int)step)
        return;
    if (life_take(&t, step) != DRT_OK)
        fail_msg("%s: the step does not work afterwards: %s", where, drt_error(t.context));
    life_expect(&t, DRT_LIBRARY_READ, step + 1, where);
}

static void fail_all(life_step step) {
    uint32_t seed = 20240607;
    long n = count_allocations(step), stride = n / wanted + 1, points = 0;
    for (long number = 1; number <= n; points += 2) {
        fail_allocation(step, number, false);
        fail_allocation(step, number, true);
        seed = seed * 1664525u + 1013904223u;
        number += 1 + (stride > 1 ? (long)(seed >> 8) % (2 * stride - 1) : 0);
    }
    print_message("step %d: %ld failures among %ld allocations\n", (int)step, points, n);
    assert_true(points > POINTS);
}

static void step_survives(void **state) {
    fail_all(*(const life_step *)*state);
}

int main(int argc, char **argv) {
    if (argc > 1)
        wanted = strcmp(argv[1], "all") == 0 ? LONG_MAX : atol(argv[1]);
    return life_run_steps(step_survives, set_up, tear_down);
}
