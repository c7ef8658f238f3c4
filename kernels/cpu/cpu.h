/* cpu.h: inside of the CPU backend, shared by its operations. May use: simd.h, pool.h. */
#ifndef DRT_KERNELS_CPU_CPU_H
#define DRT_KERNELS_CPU_CPU_H

#include "kernels/backend.h"
#include "kernels/cpu/pool.h"
#include "kernels/cpu/simd.h"

typedef struct {
    drt_backend table; /* first: a drt_backend is cast to this */
    const drt_simd *simd;
    drt_pool *pool;
    bool blas; /* the GEMM library passed its test */
    float *scratch;
    size_t scratch_floats;
} drt_cpu;

/* What drt_matrix.data points to. Products of many slots use fp32 (the GEMM library's type); those of few slots are
 * bound by reading the weights, so int8 weights are kept besides, a quarter of the bytes. */
typedef struct {
    float *rows;   /* (rows,cols) */
    int8_t *bytes; /* (rows,cols), or NULL: the file held no int8 */
    float *scale;  /* (rows) of bytes */
} drt_cpu_matrix;

static inline const drt_cpu_matrix *drt_cpu_matrix_of(const drt_matrix *m) {
    return m->data;
}

/* As drt_backend_open_cpu, with a chosen variant of the inner loops and, for tests, without the GEMM library. */
int drt_cpu_open(int threads, const drt_simd *simd, bool blas, drt_backend **backend, char *error, size_t error_size);

/* Stores the sentence, returns -1. */
int drt_cpu_fail(drt_backend *b, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Memory for the running operation, aligned to 64 bytes, kept for the next one; NULL: out of memory, and said so. */
float *drt_cpu_scratch(drt_backend *b, size_t floats);

/* The GEMM library (gemm.c). start: false where this build has none; core: which of its kernels it uses. */
bool drt_cpu_gemm_start(void);
const char *drt_cpu_gemm_core(void);
/* out (n,rows), rows out_stride apart, = x (n,cols) . m (rows,cols)^T, on the calling thread. */
void drt_cpu_sgemm(const float *x, const float *m, int n, int rows, int cols, bool accumulate, float *out,
                   int out_stride);
typedef void (*drt_cpu_product)(const float *x, const float *m, int n, int rows, int cols, bool accumulate, float *out,
                                int out_stride);
/* gemm_check.c: does `product`, called as drt_cpu_sgemm is, give right results on this processor? */
bool drt_cpu_gemm_is_right(drt_pool *pool, int threads, drt_cpu_product product);

static inline int drt_round_up(int n, int multiple) {
    return (n + multiple - 1) / multiple * multiple;
}

/* The operations, one a file; contracts in backend.h. */
int drt_cpu_matrix_load(drt_backend *b, drt_matrix *m, drt_weight_type type, const void *data, const float *scale,
                        int rows, int cols);
void drt_cpu_matrix_free(drt_backend *b, drt_matrix *m);
size_t drt_cpu_matrix_room(drt_backend *b, drt_weight_type type, int rows, int cols);
int drt_cpu_embed(drt_backend *b, const drt_matrix *table, const int32_t *ids, int n, float *x);
int drt_cpu_rms_norm(drt_backend *b, const float *x, const float *weight, float eps, int n, int d, float *out);
int drt_cpu_unit_rms(drt_backend *b, float *x, float eps, int64_t n, int head_size);
int drt_cpu_linear(drt_backend *b, const float *x, const drt_matrix *m, int n, bool accumulate, float *out);
int drt_cpu_add(drt_backend *b, const float *x, const float *y, size_t n, float *out);
int drt_cpu_swiglu(drt_backend *b, const float *gate, const float *up, size_t n, float *out);
int drt_cpu_rope_table(drt_backend *b, int chunk_size, int head_size, float theta, float *table);
int drt_cpu_split_qkv(drt_backend *b, const drt_split_qkv *p);
int drt_cpu_window_attention(drt_backend *b, const drt_window_attention *p);
int drt_cpu_chunk_attention(drt_backend *b, const drt_chunk_attention *p);
int drt_cpu_cross_attention(drt_backend *b, const drt_cross_attention *p);
int drt_cpu_landmarks_open(drt_backend *b, int d, size_t budget, drt_landmark_set **l);
void drt_cpu_landmarks_close(drt_backend *b, drt_landmark_set *l);
int drt_cpu_landmarks_set(drt_backend *b, drt_landmark_set *l, const uint16_t *host, int64_t n, int64_t kept);
int drt_cpu_landmarks_scan(drt_backend *b, drt_landmark_set *l, drt_landmark_scan *scans, int n_scans);
int drt_cpu_landmarks_histogram(drt_backend *b, drt_landmark_set *l, drt_landmark_histogram *histograms,
                                int n_histograms);
int drt_cpu_landmarks_scores(drt_backend *b, drt_landmark_set *l, const float *query, const int64_t *chunks, int n,
                             float *scores);

#endif
