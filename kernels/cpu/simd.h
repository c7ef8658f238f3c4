/* simd.h: the inner loops of the CPU backend, compiled once for each instruction set.
 *
 * simd_body.h is their one source; simd_generic.c (plain C), simd_avx2.c and simd_avx512.c define the
 * vector type and include it. All strides are in floats. May use: libc. */
#ifndef DRT_KERNELS_CPU_SIMD_H
#define DRT_KERNELS_CPU_SIMD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
    const char *name; /* "generic", "avx2", "avx512" */
    int width;        /* floats of a vector */
    int strip;        /* rows that the matrix loops take at once */
    int panel;        /* keys of a panel, a multiple of width */

    /* out = x / sqrt(mean(x^2) + eps) * weight, n elements; weight NULL: 1. out may be x. */
    void (*rms)(const float *x, const float *weight, float eps, int n, float *out);
    /* out = gate * sigmoid(gate) * up, n elements. */
    void (*swiglu)(const float *gate, const float *up, size_t n, float *out);

    /* Rows x (n_rows,size) -> panels (ceil(n_rows/panel), size, panel), transposed inside a panel, zeros
     * past the last row. */
    void (*pack_panels)(const float *x, size_t stride, int n_rows, int size, float *panels);
    /* out (n_rows, n_panels*panel) = x (n_rows,size) . rows of the panels, added to out when accumulate. Only the
     * first n_out columns are written. */
    void (*panel_product)(const float *x, size_t stride, int n_rows, int size, const float *panels, int n_out,
                          bool accumulate, float *out, size_t out_stride);
    /* out (n_rows,size) = sum over j < n of p (n_rows,n)[.][j] * v (n,size)[j], times factor (n_rows). size is a
     * multiple of width. */
    void (*weighted_sum)(const float *p, size_t p_stride, int n_rows, const float *v, size_t v_stride, int n, int size,
                         const float *factor, float *out, size_t out_stride);

    /* out (n) = rows x (n,size) . y (size): few products, nothing packed. */
    void (*dot_rows)(const float *x, size_t stride, int n, int size, const float *y, float *out);
    /* out (n) = int8 rows x (n,size) . y (size), row j times scale[j]. Strides in bytes. */
    void (*byte_dot_rows)(const int8_t *x, size_t stride, int n, int size, const float *y, const float *scale,
                          float *out);
    /* out (size) += sum over j < n of p[j] * x (n,size)[j]. */
    void (*add_rows)(const float *p, const float *x, size_t stride, int n, int size, float *out);

    /* s[i] = exp(s'[i] - max s'), s'[i] = s[i] * scale - slope * (n-1-i); returns the sum. -INFINITY gives 0; at
     * least one element is finite. */
    float (*softmax)(float *s, int n, float scale, float slope);

    /* out (n) = fp16 rows x (n,size) . y (size), times factor. */
    void (*half_dot_rows)(const uint16_t *x, int64_t n, int size, const float *y, float factor, float *out);
} drt_simd;

extern const drt_simd drt_simd_generic;
#ifdef DRT_SIMD_X86
extern const drt_simd drt_simd_avx2;   /* AVX2, FMA, F16C */
extern const drt_simd drt_simd_avx512; /* AVX-512F besides */
#endif

/* The variants that this processor can run, slowest first -> list; returns how many (1..3). */
int drt_simd_available(const drt_simd *list[3]);

#endif
