/* attention.cuh: what the attention operations share: tiles of 64 rows in shared memory as bf16, products of
 * tiles on the tensor cores, and the softmax that runs along with them.
 *
 * A block of four warps takes 64 slots, a warp 16 of them. HEAD is the head size rounded up to one of 32, 64,
 * 128 or 256; columns past the head's own size are zero. Fragments are those of mma.m16n8k16: a thread with lane
 * 4*g+t holds rows g and g+8 of its warp's 16, and of each 8 columns 2*t and 2*t+1. */
#ifndef DRT_KERNELS_CUDA_ATTENTION_CUH
#define DRT_KERNELS_CUDA_ATTENTION_CUH

#include <math.h>

#include "kernels/cuda/cuda.cuh"

#define DRT_TILE 64
#define DRT_TILE_THREADS 128
#define DRT_LARGEST_HEAD 256
#define DRT_LOG2_E 1.4426950408889634f

/* Elements of a tile's row: 16 bytes more than a head, so that eight rows lie in different banks. */
template <int HEAD> struct drt_tile {
    static constexpr int stride = HEAD + 8;
    static constexpr int elements = DRT_TILE * stride;
};

/* Rows first.. of x to a tile; rows outside 0..end-1 and columns past head_size become zero. */
template <int HEAD>
static __device__ __forceinline__ void drt_load_tile(__nv_bfloat16 *tile, const float *x, size_t stride, int first,
                                                     int end, int head_size) {
    constexpr int groups = HEAD / 4;
    bool whole = head_size % 4 == 0 && stride % 4 == 0 && ((size_t)x & 15) == 0;
    for (int i = threadIdx.x; i < DRT_TILE * groups; i += DRT_TILE_THREADS) {
        int row = i / groups, column = i % groups * 4, source = first + row;
        float4 v = make_float4(0, 0, 0, 0);
        if (source >= 0 && source < end && column < head_size) {
            const float *from = x + (size_t)source * stride + column;
            if (whole) {
                v = *(const float4 *)from;
            } else {
                v.x = from[0];
                v.y = column + 1 < head_size ? from[1] : 0;
                v.z = column + 2 < head_size ? from[2] : 0;
                v.w = column + 3 < head_size ? from[3] : 0;
            }
        }
        __nv_bfloat162 *to = (__nv_bfloat162 *)(tile + row * drt_tile<HEAD>::stride + column);
        to[0] = __floats2bfloat162_rn(v.x, v.y);
        to[1] = __floats2bfloat162_rn(v.z, v.w);
    }
}

static __device__ __forceinline__ void drt_ldmatrix(unsigned r[4], const __nv_bfloat16 *from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

static __device__ __forceinline__ void drt_ldmatrix_transposed(unsigned r[4], const __nv_bfloat16 *from) {
    unsigned address = (unsigned)__cvta_generic_to_shared(from);
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address)
                 : "memory");
}

static __device__ __forceinline__ void drt_mma(float c[4], const unsigned a[4], unsigned b0, unsigned b1) {
    asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, "
                 "{%0,%1,%2,%3};"
                 : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
                 : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b0), "r"(b1));
}

static __device__ __forceinline__ unsigned drt_pack(float low, float high) {
    __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *(unsigned *)&pair;
}

/* The warp's 16 rows of a tile as the left operand of a product. */
template <int HEAD>
static __device__ __forceinline__ void drt_load_queries(unsigned q[HEAD / 16][4], const __nv_bfloat16 *tile) {
    int lane = threadIdx.x % DRT_WARP, warp = threadIdx.x / DRT_WARP;
    const __nv_bfloat16 *from = tile + (warp * 16 + lane % 16) * drt_tile<HEAD>::stride + lane / 16 * 8;
#pragma unroll
    for (int i = 0; i < HEAD / 16; i++)
        drt_ldmatrix(q[i], from + i * 16);
}

/* s (16,64) = queries . keys^T */
template <int HEAD>
static __device__ __forceinline__ void drt_tile_scores(float s[DRT_TILE / 8][4], const unsigned q[HEAD / 16][4],
                                                       const __nv_bfloat16 *keys) {
    int lane = threadIdx.x % DRT_WARP;
    const __nv_bfloat16 *from = keys + (lane / 16 * 8 + lane % 8) * drt_tile<HEAD>::stride + lane / 8 % 2 * 8;
#pragma unroll
    for (int j = 0; j < DRT_TILE / 8; j++)
        s[j][0] = s[j][1] = s[j][2] = s[j][3] = 0;
#pragma unroll
    for (int i = 0; i < HEAD / 16; i++)
#pragma unroll
        for (int j = 0; j < DRT_TILE / 16; j++) {
            unsigned k[4];
            drt_ldmatrix(k, from + j * 16 * drt_tile<HEAD>::stride + i * 16);
            drt_mma(s[2 * j], q[i], k[0], k[1]);
            drt_mma(s[2 * j + 1], q[i], k[2], k[3]);
        }
}

/* out (16,HEAD) += p (16,64) . values */
template <int HEAD>
static __device__ __forceinline__ void drt_tile_values(float out[HEAD / 8][4], const float p[DRT_TILE / 8][4],
                                                       const __nv_bfloat16 *values) {
    int lane = threadIdx.x % DRT_WARP;
    const __nv_bfloat16 *from = values + (lane / 8 % 2 * 8 + lane % 8) * drt_tile<HEAD>::stride + lane / 16 * 8;
#pragma unroll
    for (int j = 0; j < DRT_TILE / 16; j++) {
        const unsigned shares[4] = {drt_pack(p[2 * j][0], p[2 * j][1]), drt_pack(p[2 * j][2], p[2 * j][3]),
                                    drt_pack(p[2 * j + 1][0], p[2 * j + 1][1]),
                                    drt_pack(p[2 * j + 1][2], p[2 * j + 1][3])};
#pragma unroll
        for (int i = 0; i < HEAD / 16; i++) {
            unsigned v[4];
            drt_ldmatrix_transposed(v, from + j * 16 * drt_tile<HEAD>::stride + i * 16);
            drt_mma(out[2 * i], shares, v[0], v[1]);
            drt_mma(out[2 * i + 1], shares, v[2], v[3]);
        }
    }
}

/* Over the four threads that share a row. */
static __device__ __forceinline__ float drt_row_max(float x) {
    x = fmaxf(x, __shfl_xor_sync(0xFFFFFFFF, x, 1));
    return fmaxf(x, __shfl_xor_sync(0xFFFFFFFF, x, 2));
}

static __device__ __forceinline__ float drt_row_sum(float x) {
    x += __shfl_xor_sync(0xFFFFFFFF, x, 1);
    return x + __shfl_xor_sync(0xFFFFFFFF, x, 2);
}

/* What a softmax over tiles carries from one to the next, for the two rows of a thread. */
struct drt_running {
    float highest[2], sum[2]; /* sum: this thread's columns only */
};

static __device__ __forceinline__ drt_running drt_running_start() {
    drt_running r = {{-INFINITY, -INFINITY}, {0, 0}};
    return r;
}

/* Scores in units of log 2, -INFINITY where not visible -> their exponentials; `factor` is what earlier sums and
 * outputs are to be multiplied with. */
static __device__ __forceinline__ void drt_running_add(drt_running *r, float s[DRT_TILE / 8][4], float factor[2]) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        float highest = r->highest[half];
#pragma unroll
        for (int j = 0; j < DRT_TILE / 8; j++)
            highest = fmaxf(highest, fmaxf(s[j][2 * half], s[j][2 * half + 1]));
        highest = drt_row_max(highest);
        float shift = highest == -INFINITY ? 0 : highest;
        factor[half] = exp2f(r->highest[half] - shift);
        r->highest[half] = highest;
        r->sum[half] *= factor[half];
#pragma unroll
        for (int j = 0; j < DRT_TILE / 8; j++) {
            s[j][2 * half] = exp2f(s[j][2 * half] - shift);
            s[j][2 * half + 1] = exp2f(s[j][2 * half + 1] - shift);
            r->sum[half] += s[j][2 * half] + s[j][2 * half + 1];
        }
    }
}

template <int HEAD>
static __device__ __forceinline__ void drt_scale_rows(float out[HEAD / 8][4], const float factor[2]) {
#pragma unroll
    for (int i = 0; i < HEAD / 8; i++) {
        out[i][0] *= factor[0];
        out[i][1] *= factor[0];
        out[i][2] *= factor[1];
        out[i][3] *= factor[1];
    }
}

/* Rows of the block that exist, columns that exist. out: the block's first row, the head's first column. */
template <int HEAD>
static __device__ __forceinline__ void drt_store_rows(const float from[HEAD / 8][4], float *out, size_t stride,
                                                      int rows, int head_size) {
    int lane = threadIdx.x % DRT_WARP, row = threadIdx.x / DRT_WARP * 16 + lane / 4;
#pragma unroll
    for (int i = 0; i < HEAD / 8; i++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            int r = row + c / 2 * 8, column = i * 8 + lane % 4 * 2 + c % 2;
            if (r < rows && column < head_size)
                out[(size_t)r * stride + column] = from[i][c];
        }
}

/* Calls run<HEAD>(arguments...) for the smallest HEAD that holds head_size. */
#define DRT_FOR_HEAD(head_size, run, ...)                                                                              \
    ((head_size) <= 32    ? run<32>(__VA_ARGS__)                                                                       \
     : (head_size) <= 64  ? run<64>(__VA_ARGS__)                                                                       \
     : (head_size) <= 128 ? run<128>(__VA_ARGS__)                                                                      \
                          : run<256>(__VA_ARGS__))

static inline int drt_check_head(drt_backend *b, int head_size) {
    return head_size <= DRT_LARGEST_HEAD
               ? 0
               : drt_cuda_fail(b, "heads of %d values are too large for the GPU kernels: %d is the most", head_size,
                               DRT_LARGEST_HEAD);
}

/* Lets a kernel use `bytes` of shared memory. */
template <typename KERNEL> static inline int drt_allow_shared(drt_backend *b, KERNEL kernel, size_t bytes) {
    return drt_cuda_check(b, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
                          "preparing attention");
}

#endif
