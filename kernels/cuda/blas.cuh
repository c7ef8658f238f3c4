/* blas.cuh: cuBLAS, loaded when a device is there: it is half a gigabyte, and a machine without a GPU should find that
 * out quickly. May use: dlopen, cuBLAS's types. */
#ifndef DRT_KERNELS_CUDA_BLAS_CUH
#define DRT_KERNELS_CUDA_BLAS_CUH

#include <cublas_v2.h>
#include <stddef.h>

struct drt_blas {
    void *library;
    cublasHandle_t handle;
    decltype(&cublasDestroy_v2) destroy;
    cublasStatus_t (*gemm)(cublasHandle_t, cublasOperation_t, cublasOperation_t, int m, int n, int k, const void *alpha,
                           const void *a, cudaDataType, int lda, const void *b, cudaDataType, int ldb, const void *beta,
                           void *c, cudaDataType, int ldc, cublasComputeType_t, cublasGemmAlgo_t); /* cublasGemmEx */
    decltype(&cublasGetStatusString) status_string;
};

/* Loads the library and makes a handle that works on `stream`. 0, or -1 with a sentence. */
int drt_blas_open(drt_blas *blas, cudaStream_t stream, char *error, size_t error_size);
/* Accepts what was never opened, or not wholly. */
void drt_blas_close(drt_blas *blas);

#endif
