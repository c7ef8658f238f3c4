/* process.h: another program run on bytes of ours, in a cage: limits on time, memory and output, a session of its
 * own, no descriptors but its three standard ones, an empty environment but PATH and LANG. It ends with the call,
 * and all that it started with it as long as it stayed in its group. Several may run at once on several threads.
 * May use: POSIX, Linux (memfd_create, close_range, prctl). */
#ifndef DRT_BASE_PROCESS_H
#define DRT_BASE_PROCESS_H

#include "engine/base/buffer.h"

typedef struct {
    const char *const *arguments; /* [0] is the path of the program; a NULL ends them */
    const char *input;            /* what it finds in its standard input: a sealed file that can be sought */
    size_t input_length;
    double max_seconds; /* on the clock, and rounded up of processor time */
    int64_t max_output; /* bytes of its standard output */
    int64_t max_memory; /* bytes of address space */
    bool may_fork;      /* else it can't, unless root runs this */
    /* Its standard output as it comes; false ends the program. */
    bool (*output)(void *user, const char *data, size_t length);
    void *user;
} drt_process_params;

typedef enum {
    DRT_PROCESS_EXITED,    /* code: its exit status; 127 also when it could not be started */
    DRT_PROCESS_SIGNALLED, /* code: the signal that it died of */
    DRT_PROCESS_TIME,      /* ended: it took too long, */
    DRT_PROCESS_OUTPUT,    /* wrote too much, */
    DRT_PROCESS_REFUSED    /* or output() said false */
} drt_process_end;

typedef struct {
    drt_process_end end;
    int code;
    char messages[4096]; /* the beginning of its standard error, any bytes */
    size_t messages_length;
} drt_process_result;

/* Runs the program to its end. DRT_OK: it ran, however it ended. DRT_FAILED: it could not be started (no memory,
 * no descriptors, too many processes), or the context was cancelled. */
drt_status drt_process_run(drt_context *context, const drt_process_params *params, drt_process_result *result);

/* The executable file of that name in the folders of $PATH (absolute ones only); data NULL: none. false: out of
 * memory. */
bool drt_process_find(const char *name, drt_string *path);

#endif
