/* run.h: what timing.c gives to the files that know the operations. May use: timing.h, libc. */
#ifndef DRT_KERNELS_TIMING_RUN_H
#define DRT_KERNELS_TIMING_RUN_H

#include "kernels/timing/timing.h"

#define MOST_BUFFERS 64
#define MOST_MATRICES 256
#define SHAPE_TEXT 48

typedef struct {
    drt_backend *b;
    const drt_timing_params *params;
    drt_timing_ceilings ceilings;
    bool (*row)(void *user, const drt_timing_row *row);
    void *user;
    bool stopped; /* the caller wants no more */
    uint64_t random;
    char error[600]; /* of what is being timed; "": none. After an error every further call does nothing. */
    void *buffers[MOST_BUFFERS], *pinned[MOST_BUFFERS], *plain[MOST_BUFFERS];
    int n_buffers, n_pinned, n_plain;
    drt_matrix matrices[MOST_MATRICES];
    int n_matrices;
} timing;

/* One call of an operation; returns what the operation returns. */
typedef int timing_call(timing *t, void *arguments);

/* Memory that lasts until timing_release; NULL after an error. Contents: zero. */
void *timing_host(timing *t, size_t bytes);   /* plain */
void *timing_pinned(timing *t, size_t bytes); /* host_alloc */
/* Backend memory: as it comes; random floats. */
void *timing_room(timing *t, size_t bytes);
float *timing_floats(timing *t, size_t n);
/* Random fp16 numbers in host memory, the caller's. */
uint16_t *timing_halves(timing *t, size_t n);
const drt_matrix *timing_matrix(timing *t, int rows, int cols); /* bf16 */
/* 0..below-1 */
int timing_draw(timing *t, int below);
void timing_release(timing *t);
/* Whether there is no error, having noted this one. */
bool timing_did(timing *t, int status);

/* Seconds of one call; 0 after an error. */
double timing_seconds(timing *t, timing_call *call, void *arguments);

typedef struct {
    const char *operation;
    double bytes, link_bytes, flops;
} timing_work;

/* Times it, hands over its row, and clears the error. The shape as printf makes it. */
void timing_report(timing *t, timing_work work, timing_call *call, void *arguments, const char *shape, ...)
    __attribute__((format(printf, 5, 6)));
/* Nothing is to be measured any more. */
bool timing_over(const timing *t);

/* operations.c, read.c, encode.c: time and report their operations. */
void timing_operations(timing *t);
void timing_read(timing *t);
void timing_encode(timing *t, int slots);

#endif
