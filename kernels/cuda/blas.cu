/* blas.cu: loads cuBLAS; see blas.cuh. */
#include "kernels/cuda/blas.cuh"

#include <dlfcn.h>
#include <stdio.h>

#define NAME_OF(version) "libcublas.so." NAME_OF_NUMBER(version)
#define NAME_OF_NUMBER(version) #version

/* The name that this module was compiled for: another major version is another interface. */
static const char *const library_name = NAME_OF(CUBLAS_VER_MAJOR);
static_assert(CUBLAS_VER_MAJOR >= 12, "cuBLAS of CUDA 12 or newer");

template <typename FUNCTION> static bool find(drt_blas *blas, const char *name, FUNCTION *function) {
    *(void **)function = dlsym(blas->library, name);
    return *function != NULL;
}

int drt_blas_open(drt_blas *blas, cudaStream_t stream, char *error, size_t error_size) {
    decltype(&cublasCreate_v2) create;
    decltype(&cublasSetStream_v2) set_stream;
    blas->library = dlopen(library_name, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!blas->library) {
        snprintf(error, error_size, "cannot load cuBLAS: %s", dlerror());
        return -1;
    }
    if (!find(blas, "cublasCreate_v2", &create) || !find(blas, "cublasSetStream_v2", &set_stream) ||
        !find(blas, "cublasDestroy_v2", &blas->destroy) || !find(blas, "cublasGemmEx", &blas->gemm) ||
        !find(blas, "cublasGetStatusString", &blas->status_string)) {
        snprintf(error, error_size, "%s lacks a function: %s", library_name, dlerror());
        return -1;
    }
    cublasStatus_t status = create(&blas->handle);
    if (status == CUBLAS_STATUS_SUCCESS)
        status = set_stream(blas->handle, stream);
    else
        blas->handle = NULL;
    if (status != CUBLAS_STATUS_SUCCESS) {
        snprintf(error, error_size, "cannot start cuBLAS: %s", blas->status_string(status));
        return -1;
    }
    return 0;
}

void drt_blas_close(drt_blas *blas) {
    if (blas->handle)
        blas->destroy(blas->handle);
    if (blas->library)
        dlclose(blas->library);
}
