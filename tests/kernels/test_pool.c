/* The worker threads: every task exactly once, a worker never twice at the same time, many short jobs. */
#include <stdatomic.h>

#include "tests/kernels/kernels.h"

#define MOST_TASKS 300
#define MOST_WORKERS 8

typedef struct {
    atomic_int calls[MOST_TASKS];
    atomic_int busy[MOST_WORKERS];
    atomic_int clashes;
} job;

static void run(void *argument, int task, int worker) {
    job *j = argument;
    if (atomic_fetch_add(&j->busy[worker], 1) != 0)
        atomic_fetch_add(&j->clashes, 1);
    atomic_fetch_add(&j->calls[task], 1);
    atomic_fetch_sub(&j->busy[worker], 1);
}

static void every_task_runs_once(void **state) {
    (void)state;
    for (int threads = 1; threads <= MOST_WORKERS; threads++) {
        drt_pool *pool = drt_pool_new(threads);
        assert_non_null(pool);
        for (int round = 0; round < 200; round++) {
            job j = {0};
            int n = random_below(round % 10 ? 6 : MOST_TASKS);
            drt_pool_run(pool, n, run, &j);
            assert_int_equal(atomic_load(&j.clashes), 0);
            for (int task = 0; task < MOST_TASKS; task++)
                assert_int_equal(atomic_load(&j.calls[task]), task < n ? 1 : 0);
        }
        drt_pool_free(pool);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_task_runs_once),
    };
    random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
