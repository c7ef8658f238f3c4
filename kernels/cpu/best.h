/* best.h: exact selection of the best scores. May use: libc. */
#ifndef DRT_KERNELS_CPU_BEST_H
#define DRT_KERNELS_CPU_BEST_H

#include <stdbool.h>
#include <stdint.h>

/* The `capacity` best of the chunks offered, ties to the lower chunk: a heap whose root is the worst kept, until
 * drt_best_sort makes it a ranking. */
typedef struct {
    int64_t *chunks; /* (capacity), the caller's, and */
    float *scores;   /* (capacity) */
    int n, capacity;
} drt_best;

/* NaN is never taken. */
void drt_best_offer(drt_best *best, int64_t chunk, float score);
void drt_best_sort(drt_best *best);

#endif
