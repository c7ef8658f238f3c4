/* cuda.cuh: inside of the CUDA backend, shared by its operations. May use: CUDA's runtime and cuBLAS.
 *
 * Operations are queued on one stream and do not wait. Host arrays that an operation is given travel
 * through a pinned staging area, so they may change as soon as the call returns. Activations are fp32 in
 * memory; matrix products take bf16 operands and sum in fp32. */
#ifndef DRT_KERNELS_CUDA_CUDA_CUH
#define DRT_KERNELS_CUDA_CUDA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <unordered_map>

#include "kernels/backend.h"
#include "kernels/cuda/blas.cuh"

#define DRT_WARP 32

struct drt_cuda {
    drt_backend table; /* first: a drt_backend is cast to this */
    int device;
    int capability; /* 90: 9.0 */
    int multiprocessors;
    cudaStream_t stream;
    cudaStream_t copy_stream; /* of results that later operations need not wait for */
    drt_blas blas;
    std::unordered_map<void *, size_t> sizes; /* of everything that device_alloc gave */
    size_t used, peak;                        /* their sum */
    void *scratch;                            /* of the running operation, kept for the next one */
    size_t scratch_bytes;
    char *stage_host, *stage_device; /* the same bytes on both sides */
    size_t stage_bytes, stage_used;
    size_t stage_open; /* where the piece handed out last begins */
};

/* The backend behind the table, its device made current for the calling thread. */
drt_cuda *drt_cuda_enter(drt_backend *b);

/* Stores the sentence, returns -1. */
int drt_cuda_fail(drt_backend *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* 0, or -1 with a sentence that says what was being done. */
int drt_cuda_check(drt_backend *b, cudaError_t status, const char *doing);
int drt_cuda_check_blas(drt_backend *b, cublasStatus_t status, const char *doing);
/* Asks whether the kernel just launched was accepted. */
int drt_cuda_launched(drt_backend *b, const char *operation);

/* Device memory within the limit, counted; `purpose` is for the sentence. free: NULL does nothing. */
int drt_cuda_alloc(drt_backend *b, size_t bytes, const char *purpose, void **buffer);
void drt_cuda_free(drt_backend *b, void *buffer);

/* Device memory for the running operation. NULL: too little memory, and said so. */
void *drt_cuda_scratch(drt_backend *b, size_t bytes);

/* Room for one operation's host arrays: fill *host, call drt_cuda_stage_send, read *device in kernels launched
 * after that. One piece an operation. */
int drt_cuda_stage(drt_backend *b, size_t bytes, void **host, void **device);
int drt_cuda_stage_send(drt_backend *b, size_t bytes);

/* out[i] = bf16 of x[i]. */
int drt_cuda_to_bf16(drt_backend *b, const float *x, size_t n, __nv_bfloat16 *out);

static inline unsigned drt_blocks(size_t n, size_t per_block) {
    return (unsigned)((n + per_block - 1) / per_block);
}

static inline size_t drt_aligned(size_t bytes) {
    return (bytes + 255) & ~(size_t)255;
}

#ifdef __CUDACC__
static __device__ __forceinline__ float drt_warp_sum(float x) {
    for (int step = DRT_WARP / 2; step > 0; step /= 2)
        x += __shfl_xor_sync(0xFFFFFFFF, x, step);
    return x;
}
#endif

/* The operations, one a file; contracts in backend.h. */
int drt_cuda_matrix_load(drt_backend *b, drt_matrix *m, drt_weight_type type, const void *data, const float *scale,
                         int rows, int cols);
void drt_cuda_matrix_free(drt_backend *b, drt_matrix *m);
size_t drt_cuda_matrix_room(drt_backend *b, drt_weight_type type, int rows, int cols);
int drt_cuda_embed(drt_backend *b, const drt_matrix *table, const int32_t *ids, int n, float *x);
int drt_cuda_rms_norm(drt_backend *b, const float *x, const float *weight, float eps, int n, int d, float *out);
int drt_cuda_unit_rms(drt_backend *b, float *x, float eps, int64_t n, int head_size);
int drt_cuda_linear(drt_backend *b, const float *x, const drt_matrix *m, int n, bool accumulate, float *out);
int drt_cuda_add(drt_backend *b, const float *x, const float *y, size_t n, float *out);
int drt_cuda_swiglu(drt_backend *b, const float *gate, const float *up, size_t n, float *out);
int drt_cuda_rope_table(drt_backend *b, int chunk_size, int head_size, float theta, float *table);
int drt_cuda_split_qkv(drt_backend *b, const drt_split_qkv *p);
int drt_cuda_window_attention(drt_backend *b, const drt_window_attention *p);
int drt_cuda_chunk_attention(drt_backend *b, const drt_chunk_attention *p);
int drt_cuda_cross_attention(drt_backend *b, const drt_cross_attention *p);
int drt_cuda_landmarks_open(drt_backend *b, int d, size_t budget, drt_landmark_set **l);
void drt_cuda_landmarks_close(drt_backend *b, drt_landmark_set *l);
int drt_cuda_landmarks_set(drt_backend *b, drt_landmark_set *l, const uint16_t *host, int64_t n, int64_t kept);
int drt_cuda_landmarks_scan(drt_backend *b, drt_landmark_set *l, drt_landmark_scan *scans, int n_scans);
int drt_cuda_landmarks_histogram(drt_backend *b, drt_landmark_set *l, drt_landmark_histogram *histograms,
                                 int n_histograms);
int drt_cuda_landmarks_scores(drt_backend *b, drt_landmark_set *l, const float *query, const int64_t *chunks, int n,
                              float *scores);

#endif
