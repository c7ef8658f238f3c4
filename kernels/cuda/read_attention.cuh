/* read_attention.cuh: 16 queries of a head against 32 keys at a time, a warp. May use: read.cuh.
 *
 * As in the products, operands go straight from memory to registers, 16 bytes a load. For that, keys take part in an order
 * of their own: of 32, lane 4*g+t ends up with the scores of keys 8*t .. 8*t+7, for rows g and g+8, and so are the
 * values read. Queries and keys have unit rms, so that no score is above sqrt(64): a softmax needs no maximum. */
#ifndef DRT_KERNELS_CUDA_READ_ATTENTION_CUH
#define DRT_KERNELS_CUDA_READ_ATTENTION_CUH

#include "kernels/cuda/read.cuh"

#define DRT_READ_SCALE (0.125f * DRT_LOG2_E) /* of scores, in units of log 2 */
#define DRT_READ_HIGHEST (8.0f * DRT_LOG2_E) /* no scaled score is above it */

/* Rows g and g+8 of a warp's queries, 8 values of each 32. */
struct drt_read_queries {
    uint4 low[2], high[2];
};

/* q (16,64), rows `stride` apart. */
static __device__ __forceinline__ drt_read_queries drt_read_load_queries(const __nv_bfloat16 *q, size_t stride) {
    int lane = threadIdx.x % DRT_WARP;
    const __nv_bfloat16 *from = q + lane / 4 * stride + lane % 4 * 8;
    drt_read_queries queries;
#pragma unroll
    for (int i = 0; i < 2; i++) {
        queries.low[i] = *(const uint4 *)(from + i * 32);
        queries.high[i] = *(const uint4 *)(from + 8 * stride + i * 32);
    }
    return queries;
}

/* The key, of 32, that element i of row i / 2 * 8 + g stands for in s[j]. */
static __device__ __forceinline__ int drt_read_key(int j, int i) {
    return threadIdx.x % 4 * 8 + j * 2 + i % 2;
}

/* s (16,32) = queries . keys^T, keys (32,64). */
static __device__ __forceinline__ void drt_read_scores(float s[4][4], const drt_read_queries &q,
                                                       const __nv_bfloat16 *keys) {
    int lane = threadIdx.x % DRT_WARP, g = lane / 4, t = lane % 4;
    const __nv_bfloat16 *from = keys + (g / 2 * 8 + g % 2) * DRT_READ_HEAD + t * 8;
#pragma unroll
    for (int j = 0; j < 4; j++) {
        s[j][0] = s[j][1] = s[j][2] = s[j][3] = 0;
#pragma unroll
        for (int i = 0; i < 2; i++) {
            uint4 k = *(const uint4 *)(from + j * 2 * DRT_READ_HEAD + i * 32);
            const unsigned even[4] = {q.low[i].x, q.high[i].x, q.low[i].y, q.high[i].y};
            const unsigned odd[4] = {q.low[i].z, q.high[i].z, q.low[i].w, q.high[i].w};
            drt_mma(s[j], even, k.x, k.y);
            drt_mma(s[j], odd, k.z, k.w);
        }
    }
}

/* values (64 dimensions,32 keys), rows `stride` apart. */
static __device__ __forceinline__ void drt_read_load_values(uint4 v[8], const __nv_bfloat16 *values, size_t stride) {
    int lane = threadIdx.x % DRT_WARP;
    const __nv_bfloat16 *from = values + lane / 4 * stride + lane % 4 * 8;
#pragma unroll
    for (int i = 0; i < 8; i++)
        v[i] = *(const uint4 *)(from + i * 8 * stride);
}

/* out (16,64) += p (16,32) . values */
static __device__ __forceinline__ void drt_read_add_values(float out[8][4], const float p[4][4], const uint4 v[8]) {
    const unsigned even[4] = {drt_pack(p[0][0], p[0][1]), drt_pack(p[0][2], p[0][3]), drt_pack(p[1][0], p[1][1]),
                              drt_pack(p[1][2], p[1][3])};
    const unsigned odd[4] = {drt_pack(p[2][0], p[2][1]), drt_pack(p[2][2], p[2][3]), drt_pack(p[3][0], p[3][1]),
                             drt_pack(p[3][2], p[3][3])};
#pragma unroll
    for (int i = 0; i < 8; i++) {
        drt_mma(out[i], even, v[i].x, v[i].y);
        drt_mma(out[i], odd, v[i].z, v[i].w);
    }
}

/* What the warps of a block found, to be added up. */
template <int WARPS> struct drt_read_parts {
    static constexpr int stride = DRT_READ_HEAD + 4;
    float out[WARPS][DRT_READ_SLOTS * stride];
};

template <int WARPS>
static __device__ __forceinline__ void drt_read_give(drt_read_parts<WARPS> &parts, const float out[8][4]) {
    int lane = threadIdx.x % DRT_WARP, g = lane / 4, t = lane % 4;
    float *to = parts.out[threadIdx.x / DRT_WARP];
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            to[(g + c / 2 * 8) * drt_read_parts<WARPS>::stride + i * 8 + 2 * t + c % 2] = out[i][c];
}

template <int WARPS>
static __device__ __forceinline__ float drt_read_take(const drt_read_parts<WARPS> &parts, int slot, int dimension) {
    float sum = 0;
#pragma unroll
    for (int warp = 0; warp < WARPS; warp++)
        sum += parts.out[warp][slot * drt_read_parts<WARPS>::stride + dimension];
    return sum;
}

#endif
