/* context.h: the error sentence, warnings and cancellation that travel through the engine.
 * May use: libc. Everything in engine/ may use it. */
#ifndef DRT_BASE_CONTEXT_H
#define DRT_BASE_CONTEXT_H

#include <stdarg.h>

#include "engine/drt.h"

#if defined(__GNUC__)
#define DRT_PRINTF(at, first) __attribute__((format(printf, at, first)))
#else
#define DRT_PRINTF(at, first)
#endif

/* Stores the sentence (cut at 2,000 bytes) and returns `status`: `return drt_fail(c, DRT_FAILED, "...")`.
 * A sentence names the thing, what is wrong with it, and what to do when that is not obvious. */
drt_status drt_fail(drt_context *context, drt_status status, const char *format, ...) DRT_PRINTF(3, 4);
/* The same for an allocation that failed: "out of memory for <what>". */
drt_status drt_fail_memory(drt_context *context, const char *what);
void drt_warn(drt_context *context, const char *format, ...) DRT_PRINTF(2, 3);
bool drt_cancelled(const drt_context *context);

#endif
