/* window_attention.cu: causal attention inside a sliding window and a segment, with ALiBi. A block takes 64
 * slots of one head and walks over the tiles of keys that its window can reach: O(window) a slot. */
#include <string.h>

#include "kernels/cuda/attention.cuh"

struct window_arguments {
    drt_window_attention p;
    const int32_t *segment; /* on the device, or NULL */
    float scale;            /* of scores, in units of log 2 */
};

static __device__ __forceinline__ float slope_of(int head, int n_heads) {
    return exp2f(-8.0f * (float)(head + 1) / (float)n_heads) * DRT_LOG2_E;
}

template <int HEAD> static __global__ void __launch_bounds__(DRT_TILE_THREADS) attend(window_arguments a) {
    extern __shared__ __nv_bfloat16 memory[];
    __nv_bfloat16 *keys = memory, *values = memory + drt_tile<HEAD>::elements;
    const drt_window_attention &p = a.p;
    int head = blockIdx.y, first = blockIdx.x * DRT_TILE, rows = min(DRT_TILE, p.n - first);
    int lane = threadIdx.x % DRT_WARP, own = threadIdx.x / DRT_WARP * 16 + lane / 4;
    size_t stride = (size_t)p.n_heads * p.head_size, column = (size_t)head * p.head_size;
    unsigned q[HEAD / 16][4];
    drt_load_tile<HEAD>(keys, p.q + column, stride, first, p.n, p.head_size);
    __syncthreads();
    drt_load_queries<HEAD>(q, keys);

    int position[2], segment[2]; /* of this thread's two rows */
    for (int half = 0; half < 2; half++) {
        position[half] = p.m - p.n + min(first + own + half * 8, p.n - 1);
        segment[half] = a.segment ? a.segment[position[half]] : 0;
    }
    float slope = slope_of(head, p.n_heads), out[HEAD / 8][4] = {};
    drt_running running = drt_running_start();
    int begin = max(0, p.m - p.n + first - p.window + 1), end = p.m - p.n + first + rows;
    for (int tile = begin / DRT_TILE * DRT_TILE; tile < end; tile += DRT_TILE) {
        __syncthreads();
        drt_load_tile<HEAD>(keys, p.k + column, stride, tile, end, p.head_size);
        drt_load_tile<HEAD>(values, p.v + column, stride, tile, end, p.head_size);
        __syncthreads();
        float s[DRT_TILE / 8][4], factor[2];
        drt_tile_scores<HEAD>(s, q, keys);
#pragma unroll
        for (int j = 0; j < DRT_TILE / 8; j++)
#pragma unroll
            for (int c = 0; c < 4; c++) {
                int key = tile + j * 8 + lane % 4 * 2 + c % 2, distance = position[c / 2] - key;
                bool visible = distance >= 0 && distance < p.window && (!a.segment || a.segment[key] == segment[c / 2]);
                s[j][c] = visible ? s[j][c] * a.scale - slope * (float)distance : -INFINITY;
            }
        drt_running_add(&running, s, factor);
        drt_scale_rows<HEAD>(out, factor);
        drt_tile_values<HEAD>(out, s, values);
    }
    float share[2] = {1 / drt_row_sum(running.sum[0]), 1 / drt_row_sum(running.sum[1])};
    drt_scale_rows<HEAD>(out, share);
    drt_store_rows<HEAD>(out, p.out + (size_t)first * stride + column, stride, rows, p.head_size);
}

template <int HEAD> static int launch(drt_backend *b, const window_arguments &a) {
    drt_cuda *cuda = (drt_cuda *)b;
    size_t shared = 2 * drt_tile<HEAD>::elements * sizeof(__nv_bfloat16);
    if (drt_allow_shared(b, attend<HEAD>, shared) != 0)
        return -1;
    dim3 blocks(drt_blocks((size_t)a.p.n, DRT_TILE), (unsigned)a.p.n_heads);
    attend<HEAD><<<blocks, DRT_TILE_THREADS, shared, cuda->stream>>>(a);
    return drt_cuda_launched(b, "attending to the window");
}

int drt_cuda_window_attention(drt_backend *b, const drt_window_attention *p) {
    drt_cuda_enter(b);
    if (p->n <= 0)
        return 0;
    if (drt_check_head(b, p->head_size) != 0)
        return -1;
    window_arguments a = {*p, NULL, DRT_LOG2_E / sqrtf((float)p->head_size)};
    if (p->segment) {
        /* Earlier rows than the first slot's window are never looked at. */
        int base = p->m - p->n - p->window + 1 > 0 ? p->m - p->n - p->window + 1 : 0;
        size_t bytes = (size_t)(p->m - base) * sizeof *p->segment;
        void *host, *device;
        if (drt_cuda_stage(b, bytes, &host, &device) != 0)
            return -1;
        memcpy(host, p->segment + base, bytes);
        if (drt_cuda_stage_send(b, bytes) != 0)
            return -1;
        a.segment = (const int32_t *)device - base;
    }
    return DRT_FOR_HEAD(p->head_size, launch, b, a);
}
