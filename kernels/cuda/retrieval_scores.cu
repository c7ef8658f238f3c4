/* retrieval_scores.cu: one product of a query with every landmark. Reading the landmarks is its cost: a warp
 * takes ROWS landmarks at once, so that enough loads are under way. */
#include <math.h>
#include <string.h>

#include "kernels/cuda/cuda.cuh"

#define WARPS 8
#define ROWS 4

static __device__ __forceinline__ float dot4(uint2 bits, float4 q) {
    float2 a = __half22float2(*(__half2 *)&bits.x), c = __half22float2(*(__half2 *)&bits.y);
    return a.x * q.x + a.y * q.y + c.x * q.z + c.y * q.w;
}

static __global__ void scores(const __half *landmarks, int64_t n, int d, const float *query, float factor, float *out) {
    int64_t first = ((int64_t)blockIdx.x * WARPS + threadIdx.x / DRT_WARP) * ROWS;
    int lane = threadIdx.x % DRT_WARP, count = n - first < ROWS ? (int)(n - first) : ROWS;
    if (count <= 0)
        return;
    const __half *rows = landmarks + first * d;
    float sum[ROWS] = {0};
    int whole = d % 4 == 0 && ((size_t)landmarks & 7) == 0 ? d : 0;
    for (int i = lane * 4; i < whole; i += DRT_WARP * 4) {
        float4 q = *(const float4 *)(query + i);
        uint2 bits[ROWS];
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            bits[r] = r < count ? *(const uint2 *)(rows + (int64_t)r * d + i) : make_uint2(0, 0);
#pragma unroll
        for (int r = 0; r < ROWS; r++)
            sum[r] += dot4(bits[r], q);
    }
    for (int i = whole + lane; i < d; i += DRT_WARP)
        for (int r = 0; r < count; r++)
            sum[r] += __half2float(rows[(int64_t)r * d + i]) * query[i];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        float total = drt_warp_sum(sum[r]);
        if (lane == r && r < count)
            out[first + r] = total * factor;
    }
}

int drt_cuda_retrieval_scores(drt_backend *b, const uint16_t *landmarks, int64_t n_chunks, int d, const float *query,
                              float *out) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (n_chunks <= 0)
        return 0;
    size_t bytes = (size_t)d * sizeof *query;
    void *host, *device;
    if (drt_cuda_stage(b, bytes, &host, &device) != 0)
        return -1;
    memcpy(host, query, bytes);
    if (drt_cuda_stage_send(b, bytes) != 0)
        return -1;
    scores<<<drt_blocks((size_t)n_chunks, WARPS * ROWS), WARPS * DRT_WARP, 0, cuda->stream>>>(
        (const __half *)landmarks, n_chunks, d, (const float *)device, 1 / sqrtf((float)d), out);
    return drt_cuda_launched(b, "scoring landmarks");
}
