/* chunk_attention.cu: the encoder's attention: every slot of a chunk on all slots of the chunk. */
#include "kernels/cuda/attention.cuh"

template <int HEAD>
static __global__ void __launch_bounds__(DRT_TILE_THREADS) attend(drt_chunk_attention p, float scale) {
    extern __shared__ __nv_bfloat16 memory[];
    __nv_bfloat16 *keys = memory, *values = memory + drt_tile<HEAD>::elements;
    int head = blockIdx.y, first = blockIdx.z * DRT_TILE, lane = threadIdx.x % DRT_WARP;
    size_t stride = (size_t)p.n_heads * p.head_size;
    size_t start = (size_t)blockIdx.x * p.chunk_size * stride + (size_t)head * p.head_size;
    unsigned q[HEAD / 16][4];
    drt_load_tile<HEAD>(keys, p.q + start, stride, first, p.chunk_size, p.head_size);
    __syncthreads();
    drt_load_queries<HEAD>(q, keys);

    float out[HEAD / 8][4] = {};
    drt_running running = drt_running_start();
    for (int tile = 0; tile < p.chunk_size; tile += DRT_TILE) {
        __syncthreads();
        drt_load_tile<HEAD>(keys, p.k + start, stride, tile, p.chunk_size, p.head_size);
        drt_load_tile<HEAD>(values, p.v + start, stride, tile, p.chunk_size, p.head_size);
        __syncthreads();
        float s[DRT_TILE / 8][4], factor[2];
        drt_tile_scores<HEAD>(s, q, keys);
#pragma unroll
        for (int j = 0; j < DRT_TILE / 8; j++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                s[j][c] = tile + j * 8 + lane % 4 * 2 + c % 2 < p.chunk_size ? s[j][c] * scale : -INFINITY;
        drt_running_add(&running, s, factor);
        drt_scale_rows<HEAD>(out, factor);
        drt_tile_values<HEAD>(out, s, values);
    }
    float share[2] = {1 / drt_row_sum(running.sum[0]), 1 / drt_row_sum(running.sum[1])};
    drt_scale_rows<HEAD>(out, share);
    drt_store_rows<HEAD>(out, p.out + start + (size_t)first * stride, stride, min(DRT_TILE, p.chunk_size - first),
                         p.head_size);
}

template <int HEAD> static int launch(drt_backend *b, const drt_chunk_attention &p) {
    drt_cuda *cuda = (drt_cuda *)b;
    size_t shared = 2 * drt_tile<HEAD>::elements * sizeof(__nv_bfloat16);
    if (drt_allow_shared(b, attend<HEAD>, shared) != 0)
        return -1;
    dim3 blocks((unsigned)p.n_chunks, (unsigned)p.n_heads, drt_blocks((size_t)p.chunk_size, DRT_TILE));
    attend<HEAD><<<blocks, DRT_TILE_THREADS, shared, cuda->stream>>>(p, DRT_LOG2_E / sqrtf((float)p.head_size));
    return drt_cuda_launched(b, "attending inside chunks");
}

int drt_cuda_chunk_attention(drt_backend *b, const drt_chunk_attention *p) {
    drt_cuda_enter(b);
    if (p->n_chunks <= 0)
        return 0;
    if (drt_check_head(b, p->head_size) != 0)
        return -1;
    return DRT_FOR_HEAD(p->head_size, launch, b, *p);
}
