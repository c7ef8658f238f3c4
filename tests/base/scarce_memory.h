/* scarce_memory.h: memory that runs out after N allocations: of the program, while shared libraries keep theirs
 * (drt_scarce_memory(name) in the CMakeLists.txt of a test), or of the whole process (drt_scarce_process(name)).
 * May use: libc. */
#ifndef DRT_TESTS_BASE_SCARCE_MEMORY_H
#define DRT_TESTS_BASE_SCARCE_MEMORY_H

#include "engine/drt.h"

/* Allocations of all threads that succeed from now on; < 0: all. Returns what was set before, less those made since. */
long scarce_memory_allow(long allocations);

/* The number-th allocation from now on fails (from 1; 0: none), those after it do not. */
void scarce_memory_fail_once(long number);
/* Ends either; returns whether an allocation has failed since it began. */
bool scarce_memory_end(void);
/* For other allocators that take part: is there nothing left for an allocation that is to be made now? It is counted. */
bool scarce_memory_exhausted(void);

/* Runs work with 0, 1, 2, ... allocations until it returns DRT_OK; each failure must leave a sentence in context.
 * Returns how many it took. */
long scarce_memory_until_it_succeeds(const drt_context *context, drt_status (*work)(void));

#endif
