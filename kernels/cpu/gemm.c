/* gemm.c: the only file that calls the GEMM library, OpenBLAS. Built without it (DRT_OPENBLAS not defined) there
 * is none, and products are made with our own panels. */
#ifdef DRT_OPENBLAS
#include <cblas.h>
#endif

#include "kernels/cpu/cpu.h"

#ifdef DRT_OPENBLAS

bool drt_cpu_gemm_start(void) {
    /* Our workers each multiply their own rows, so the library must not start threads for one product. */
    openblas_set_num_threads(1);
    return true;
}

const char *drt_cpu_gemm_core(void) {
    return openblas_get_corename();
}

void drt_cpu_sgemm(const float *x, const float *m, int n, int rows, int cols, bool accumulate, float *out,
                   int out_stride) {
    cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, n, rows, cols, 1, x, cols, m, cols, accumulate ? 1 : 0, out,
                out_stride);
}

#else

bool drt_cpu_gemm_start(void) {
    return false;
}

const char *drt_cpu_gemm_core(void) {
    return "none";
}

void drt_cpu_sgemm(const float *x, const float *m, int n, int rows, int cols, bool accumulate, float *out,
                   int out_stride) {
    for (int i = 0; i < n; i++)
        for (int j = 0; j < rows; j++) {
            float sum = accumulate ? out[(size_t)i * (size_t)out_stride + (size_t)j] : 0;
            for (int k = 0; k < cols; k++)
                sum += x[(size_t)i * (size_t)cols + (size_t)k] * m[(size_t)j * (size_t)cols + (size_t)k];
            out[(size_t)i * (size_t)out_stride + (size_t)j] = sum;
        }
}

#endif
