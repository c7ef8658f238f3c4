/* scarce_memory.c: counts allocations and says which of them fail. See scarce_memory.h. */
#include "tests/base/scarce_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

static atomic_long left = -1;
static atomic_long until_failure; /* 0: none is to come */
static atomic_bool failed;

/* Takes one off unless it is at 0 or below; returns what was there. */
static long take_one(atomic_long *count) {
    long now = atomic_load(count);
    while (now > 0 && !atomic_compare_exchange_weak(count, &now, now - 1))
        ;
    return now;
}

bool scarce_memory_exhausted(void) {
    bool out = take_one(&left) == 0;
    if (take_one(&until_failure) == 1)
        out = true;
    if (out)
        atomic_store(&failed, true);
    return out;
}

long scarce_memory_allow(long allocations) {
    atomic_store(&failed, false);
    return atomic_exchange(&left, allocations);
}

void scarce_memory_fail_once(long number) {
    atomic_store(&failed, false);
    atomic_store(&until_failure, number);
}

bool scarce_memory_end(void) {
    atomic_store(&left, -1);
    atomic_store(&until_failure, 0);
    return atomic_load(&failed);
}

long scarce_memory_until_it_succeeds(const drt_context *context, drt_status (*work)(void)) {
    for (long n = 0;; n++) {
        scarce_memory_allow(n);
        drt_status status = work();
        scarce_memory_allow(-1);
        if (status == DRT_OK)
            return n;
        assert_true(drt_error(context)[0]);
    }
}
