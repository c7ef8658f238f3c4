/* test_power_loss.c: all that a library's life does to its files is recorded, SQLite's writes too; then power is lost
 * after each call, and the disk holds all, nothing or something of what was not synced. The library opens, verifies
 * and is as after the last step that was finished or the one under way; the next step then works.
 * Putting the library right after that may fail as well, and costs nothing.
 *
 * With the argument "all" after every call; without it after some, which the seed chooses. */
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

#define STRIDE 5 /* on average */

static life t;
static file_record record;
static bool every_call;

static int set_up(void **state) {
    (void)state;
    life_open(&t);
    life_take_all(&t);
    life_go_back(&t, 0);
    file_calls_record();
    for (int step = 0; step < LIFE_STEPS; step++) {
        file_calls_mark(step);
        if (life_take(&t, (life_step)step) != DRT_OK)
            fail_msg("step %d: %s", step, drt_error(t.context));
    }
    record = file_calls_end_record();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    file_record_free(&record);
    life_close(&t);
    return 0;
}

static void the_record_is_whole(void **state) {
    (void)state;
    size_t n[FILE_CALL_KINDS] = {0}, journal = 0;
    for (size_t i = 0; i < record.count; i++) {
        n[record.calls[i].kind]++;
        journal += record.calls[i].kind == FILE_CALL_UNLINK && strstr(record.calls[i].name, "-journal") != NULL;
    }
    for (int kind = 0; kind < FILE_CALL_KINDS; kind++)
        assert_true(n[kind] > 0);
    assert_true(journal >= LIFE_STEPS); /* SQLite's calls are among them */
    /* Without a loss the last state comes out. */
    life_empty(t.disk);
    file_record_replay(&record, record.count, POWER_LOSS_LOSES_ALL, 1, t.disk);
    assert_int_equal(life_expect(&t, DRT_LIBRARY_READ, LIFE_STEPS, "all calls"), LIFE_STEPS);
}

/* Power is lost after n calls. */
static void lose_power(size_t n, power_loss loss, uint32_t seed) {
    char where[64];
    int done = n < record.count ? record.calls[n].mark : LIFE_STEPS;
    snprintf(where, sizeof where, "power lost after call %zu, kind %d, seed %u", n, (int)loss, (unsigned)seed);
    life_empty(t.disk);
    file_record_replay(&record, n, loss, seed, t.disk);
    if (done > 0 && !life_has_library(&t))
        fail_msg("%s: the library has gone", where);
    int there = life_expect(&t, (n + loss) % 2 ? DRT_LIBRARY_READ : DRT_LIBRARY_UPDATE, done, where);
    if (there != done || done == LIFE_STEPS)
        return;
    if (life_take(&t, (life_step)done) != DRT_OK)
        fail_msg("%s: the next step fails: %s", where, drt_error(t.context));
    assert_int_equal(life_expect(&t, DRT_LIBRARY_READ, done + 1, where), done + 1);
}

static void power_may_be_lost_at_any_time(void **state) {
    (void)state;
    uint32_t seed = 20240607;
    size_t points = 0;
    for (size_t n = 0; n <= record.count; n++) {
        seed = seed * 1664525u + 1013904223u;
        if (!every_call && (seed >> 8) % STRIDE != 0)
            continue;
        for (int loss = 0; loss < POWER_LOSS_KINDS; loss++, points++)
            lose_power(n, (power_loss)loss, seed);
        for (uint32_t i = 1; i < 4; i++, points++)
            lose_power(n, POWER_LOSS_RANDOM, seed + i * 7919);
    }
    print_message("%zu calls recorded, power lost at %zu points\n", record.count, points);
}

/* The number-th call fails while the library is mended that was cut off after n calls; returns whether there was one. */
static bool fail_mending(size_t n, long number, bool lasting) {
    char where[512];
    const char *what;
    int done = n < record.count ? record.calls[n].mark : LIFE_STEPS;
    life_empty(t.disk);
    file_record_replay(&record, n, POWER_LOSS_KEEPS_ALL, 1, t.disk);
    if (!life_has_library(&t))
        return false;
    file_calls_fail(number, lasting ? ENOSPC : EIO, lasting);
    drt_status status = life_mend(&t);
    bool failed = file_calls_end_failures(&what);
    snprintf(where, sizeof where, "cut off after call %zu, then call %ld fails%s (%s)", n, number,
             lasting ? " and all after it" : "", failed ? what : "none");
    if (file_calls_open_files() != 0 || (status != DRT_OK && (!failed || !strstr(drt_error(t.context), "lib.drt"))))
        fail_msg("%s: %s; %d files stay open", where, drt_error(t.context), file_calls_open_files());
    life_expect(&t, DRT_LIBRARY_READ, done, where);
    return failed;
}

static void mending_may_fail(void **state) {
    (void)state;
    uint32_t seed = 20240607;
    size_t points = 0;
    for (size_t n = 0; n <= record.count; n++) {
        seed = seed * 1664525u + 1013904223u;
        if (!every_call && (seed >> 8) % (2 * STRIDE) != 0)
            continue;
        for (long number = 1; fail_mending(n, number, false); number++)
            points++;
        for (long number = 1; fail_mending(n, number, true); number++)
            points++;
    }
    print_message("%zu failures while libraries that were cut off are opened again\n", points);
    assert_true(points > 100);
}

int main(int argc, char **argv) {
    every_call = argc > 1 && strcmp(argv[1], "all") == 0;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_record_is_whole),
        cmocka_unit_test(power_may_be_lost_at_any_time),
        cmocka_unit_test(mending_may_fail),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
