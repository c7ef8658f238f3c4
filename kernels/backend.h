/* backend.h: the table of compute operations that every backend fills in.
 *
 * kernels/cpu and kernels/cuda implement it, one operation per file, twins side by side. This folder
 * knows nothing of the engine. Pointers named out, x, q, k, v, y, weight point to backend memory
 * (buffer_alloc); arrays of int32_t and structs are host memory. Operations run in order; results are
 * visible to the host after download or synchronize. Layouts are row-major, the last axis contiguous;
 * d = n_heads * head_size.
 *
 * Every operation returns 0, or -1 with a sentence in backend->error.
 */
#ifndef DRT_KERNELS_BACKEND_H
#define DRT_KERNELS_BACKEND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types of weights as they come from a file. */
typedef enum { DRT_WEIGHT_F32, DRT_WEIGHT_BF16, DRT_WEIGHT_I8 } drt_weight_type;

/* A weight matrix in the backend's own form (fp32 on the CPU, bf16 on CUDA). */
typedef struct {
    void *data;
    int rows, cols; /* out features, in features */
} drt_matrix;

/* Slots first .. first+n-1 of a call share one retrieval of n_chunks chunks. */
typedef struct {
    int first, n;
    int n_chunks;         /* 0: these slots read nothing (output 0) */
    const float *k, *v;   /* (n_chunks,S,d), heads inside d */
    const float *weights; /* (n_chunks) host memory */
} drt_gca_block;

typedef struct drt_backend drt_backend;

struct drt_backend {
    char error[512];
    char description[256]; /* a line for people */
    int threads;

    void (*close)(drt_backend *b);

    /* -------------------------------------------------------------- memory ------------- */
    int (*buffer_alloc)(drt_backend *b, size_t bytes, void **buffer);
    void (*buffer_free)(drt_backend *b, void *buffer);
    int (*upload)(drt_backend *b, void *to, const void *from, size_t bytes);
    int (*download)(drt_backend *b, void *to, const void *from, size_t bytes);
    int (*synchronize)(drt_backend *b);

    /* data (rows,cols) of `type`; scale (rows) for I8, else NULL. Host memory, read only during the call. */
    int (*matrix_load)(drt_backend *b, drt_matrix *m, drt_weight_type type, const void *data, const float *scale,
                       int rows, int cols);
    void (*matrix_free)(drt_backend *b, drt_matrix *m);

    /* ---------------------------------------------------------- operations ------------- */
    /* The implementer of the CPU backend completes this table (embed, rms_norm, linear, swiglu,
     * sliding_window_attention, encoder_attention, grouped_cross_attention, scores, top_k). */
};

#ifdef __cplusplus
}
#endif
#endif
