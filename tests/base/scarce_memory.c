/* scarce_memory.c: the linker sends the program's allocations here (--wrap). See scarce_memory.h. */
#include "tests/base/scarce_memory.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>

#include <cmocka.h>

static atomic_long left = -1;

static bool exhausted(void) {
    long now = atomic_load(&left);
    while (now > 0 && !atomic_compare_exchange_weak(&left, &now, now - 1))
        ;
    return now == 0;
}

#define WRAP(type, name, arguments, values)                                                                            \
    type __real_##name arguments;                                                                                      \
    type __wrap_##name arguments;                                                                                      \
    type __wrap_##name arguments {                                                                                     \
        return exhausted() ? NULL : __real_##name values;                                                              \
    }

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *memory, size_t size), (memory, size))
WRAP(char *, strdup, (const char *text), (text))

long scarce_memory_allow(long allocations) {
    return atomic_exchange(&left, allocations);
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
