/* kernels.h: what the kernel tests share: every CPU variant that this processor can run, fresh random
 * numbers, comparison with a plain double-precision loop. DRT_TEST_SEED repeats a failed run. */
#ifndef DRT_TESTS_KERNELS_H
#define DRT_TESTS_KERNELS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "kernels/cpu/cpu.h"

static uint64_t random_state;
static uint64_t random_seed;

static inline void random_start(void) {
    const char *seed = getenv("DRT_TEST_SEED");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    random_seed = seed ? strtoull(seed, NULL, 10) : (uint64_t)now.tv_sec * 1000003u + (uint64_t)now.tv_nsec;
    random_state = random_seed;
    printf("DRT_TEST_SEED=%llu\n", (unsigned long long)random_seed);
}

static inline uint32_t random_bits(void) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 32);
}

/* 0 .. n-1 */
static inline int random_below(int n) {
    return (int)(random_bits() % (uint32_t)n);
}

/* -1 .. 1 */
static inline float random_float(void) {
    return (float)random_bits() / 2147483648.0f - 1;
}

static inline float *zero_floats(size_t n) {
    float *values = calloc(n ? n : 1, sizeof *values);
    assert_non_null(values);
    return values;
}

static inline float *random_floats(size_t n) {
    float *values = zero_floats(n);
    for (size_t i = 0; i < n; i++)
        values[i] = random_float();
    return values;
}

/* max|a-b| <= 1e-5 * max(1, max|b|): single precision against double. */
static inline void assert_close(const char *what, const float *a, const double *b, size_t n) {
    double error = 0, size = 1;
    for (size_t i = 0; i < n; i++) {
        double difference = fabs((double)a[i] - b[i]);
        if (!(difference <= error))
            error = difference;
        size = fmax(size, fabs(b[i]));
    }
    if (!(error <= 1e-5 * size))
        fail_msg("%s: differs by %g where %g is allowed", what, error, 1e-5 * size);
}

static inline double *zero_doubles(size_t n) {
    double *values = calloc(n ? n : 1, sizeof *values);
    assert_non_null(values);
    return values;
}

/* Calls check for every variant of the inner loops, on 1 and 3 threads, with and without the GEMM library. */
static inline void for_each_backend(void (*check)(drt_backend *b)) {
    const drt_simd *list[3];
    int n = drt_simd_available(list);
    char error[256];
    for (int i = 0; i < n; i++)
        for (int threads = 1; threads <= 3; threads += 2)
            for (int blas = 0; blas <= 1; blas++) {
                drt_backend *b;
                if (drt_cpu_open(threads, list[i], blas != 0, &b, error, sizeof error) != 0)
                    fail_msg("%s", error);
                check(b);
                b->close(b);
            }
}

#endif
