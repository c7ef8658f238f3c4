/* linear.cu: x . W^T. cuBLAS on bf16 copies of x; a few slots are products of vectors, bound by reading the
 * weights once, and keep x in fp32. */
#include "kernels/cuda/cuda.cuh"

#define FEW_SLOTS 8
#define WARPS 4
#define THREADS 256

static __global__ void to_bf16(const float *x, size_t n, __nv_bfloat16 *out) {
    size_t i = ((size_t)blockIdx.x * THREADS + threadIdx.x) * 4;
    if (i + 4 <= n && ((size_t)(x)&15) == 0) {
        float4 v = *(const float4 *)(x + i);
        *(__nv_bfloat162 *)(out + i) = __floats2bfloat162_rn(v.x, v.y);
        *(__nv_bfloat162 *)(out + i + 2) = __floats2bfloat162_rn(v.z, v.w);
        return;
    }
    for (size_t end = i + 4 < n ? i + 4 : n; i < end; i++)
        out[i] = __float2bfloat16_rn(x[i]);
}

int drt_cuda_to_bf16(drt_backend *b, const float *x, size_t n, __nv_bfloat16 *out) {
    drt_cuda *cuda = (drt_cuda *)b;
    to_bf16<<<drt_blocks(n, THREADS * 4), THREADS, 0, cuda->stream>>>(x, n, out);
    return drt_cuda_launched(b, "rounding to bf16");
}

/* Eight weights at once where rows allow it, else one. */
static __device__ __forceinline__ float2 pair(unsigned bits) {
    return make_float2(__uint_as_float(bits << 16), __uint_as_float(bits & 0xFFFF0000));
}

/* A warp for each out feature, all N slots. */
template <int N>
static __global__ void vectors(const float *x, const __nv_bfloat16 *m, int n, int rows, int cols, bool accumulate,
                               float *out) {
    int row = blockIdx.x * WARPS + threadIdx.x / DRT_WARP, lane = threadIdx.x % DRT_WARP;
    if (row >= rows)
        return;
    const __nv_bfloat16 *weights = m + (size_t)row * cols;
    float sum[N];
#pragma unroll
    for (int i = 0; i < N; i++)
        sum[i] = 0;
    int whole = cols % 8 == 0 && ((size_t)x & 15) == 0 ? cols : 0;
    for (int column = lane * 8; column < whole; column += DRT_WARP * 8) {
        uint4 w = *(const uint4 *)(weights + column);
        float2 w0 = pair(w.x), w1 = pair(w.y), w2 = pair(w.z), w3 = pair(w.w);
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i < n) {
                const float4 *values = (const float4 *)(x + (size_t)i * cols + column);
                float4 a = values[0], c = values[1];
                sum[i] += w0.x * a.x + w0.y * a.y + w1.x * a.z + w1.y * a.w + w2.x * c.x + w2.y * c.y + w3.x * c.z +
                          w3.y * c.w;
            }
    }
    for (int column = whole + lane; column < cols; column += DRT_WARP)
#pragma unroll
        for (int i = 0; i < N; i++)
            if (i < n)
                sum[i] += __bfloat162float(weights[column]) * x[(size_t)i * cols + column];
#pragma unroll
    for (int i = 0; i < N; i++) {
        float total = drt_warp_sum(sum[i]);
        float *to = out + (size_t)i * rows + row;
        if (lane == 0 && i < n)
            *to = accumulate ? *to + total : total;
    }
}

static int multiply_vectors(drt_backend *b, const float *x, const drt_matrix *m, int n, bool accumulate, float *out) {
    drt_cuda *cuda = (drt_cuda *)b;
    const __nv_bfloat16 *weights = (const __nv_bfloat16 *)m->data;
    unsigned blocks = drt_blocks((size_t)m->rows, WARPS), threads = WARPS * DRT_WARP;
    if (n == 1)
        vectors<1><<<blocks, threads, 0, cuda->stream>>>(x, weights, n, m->rows, m->cols, accumulate, out);
    else if (n <= 4)
        vectors<4><<<blocks, threads, 0, cuda->stream>>>(x, weights, n, m->rows, m->cols, accumulate, out);
    else
        vectors<FEW_SLOTS><<<blocks, threads, 0, cuda->stream>>>(x, weights, n, m->rows, m->cols, accumulate, out);
    return drt_cuda_launched(b, "multiplying vectors");
}

int drt_cuda_linear(drt_backend *b, const float *x, const drt_matrix *m, int n, bool accumulate, float *out) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (n <= 0 || m->rows == 0)
        return 0;
    if (n <= FEW_SLOTS)
        return multiply_vectors(b, x, m, n, accumulate, out);
    size_t elements = (size_t)n * (size_t)m->cols;
    __nv_bfloat16 *rounded = (__nv_bfloat16 *)drt_cuda_scratch(b, elements * sizeof *rounded);
    if (!rounded || drt_cuda_to_bf16(b, x, elements, rounded) != 0)
        return -1;
    /* cuBLAS counts in columns: out^T (rows,n) = m (rows,cols) . x^T (cols,n). */
    float one = 1, keep = accumulate ? 1 : 0;
    return drt_cuda_check_blas(b,
                               cuda->blas.gemm(cuda->blas.handle, CUBLAS_OP_T, CUBLAS_OP_N, m->rows, n, m->cols, &one,
                                               m->data, CUDA_R_16BF, m->cols, rounded, CUDA_R_16BF, m->cols, &keep, out,
                                               CUDA_R_32F, m->rows, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT),
                               "multiplying matrices");
}
