/* scarce_program.c: the linker sends the program's own allocations here (--wrap). See scarce_memory.h. */
#include <stdlib.h>

#include "tests/base/scarce_memory.h"

#define WRAP(type, name, arguments, values)                                                                            \
    type __real_##name arguments;                                                                                      \
    type __wrap_##name arguments;                                                                                      \
    type __wrap_##name arguments {                                                                                     \
        return scarce_memory_exhausted() ? NULL : __real_##name values;                                                \
    }

WRAP(void *, malloc, (size_t size), (size))
WRAP(void *, calloc, (size_t n, size_t size), (n, size))
WRAP(void *, realloc, (void *memory, size_t size), (memory, size))
WRAP(char *, strdup, (const char *text), (text))
WRAP(char *, strndup, (const char *text, size_t length), (text, length))
