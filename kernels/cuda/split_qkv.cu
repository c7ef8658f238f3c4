/* split_qkv.cu: takes a (3d) projection apart into queries, keys and values, normalises the first two per
 * head and turns them by their positions. One pass; a warp for each slot, head and part. */
#include "kernels/cuda/cuda.cuh"

#define WARPS 8
#define THREADS 128

static __global__ void rope_table(int chunk_size, int head_size, float theta, float *table) {
    int half = head_size / 2, i = blockIdx.x * THREADS + threadIdx.x;
    if (i >= chunk_size * half)
        return;
    int position = i / half, column = i % half;
    float angle = (float)position * powf(theta, -(float)(2 * column) / (float)head_size);
    table[position * head_size + column] = cosf(angle);
    table[position * head_size + half + column] = sinf(angle);
}

int drt_cuda_rope_table(drt_backend *b, int chunk_size, int head_size, float theta, float *table) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (head_size % 2)
        return drt_cuda_fail(b, "rotary positions need an even head size, not %d", head_size);
    size_t n = (size_t)chunk_size * (size_t)(head_size / 2);
    if (n == 0)
        return 0;
    rope_table<<<drt_blocks(n, THREADS), THREADS, 0, cuda->stream>>>(chunk_size, head_size, theta, table);
    return drt_cuda_launched(b, "computing rotary positions");
}

static __global__ void split(drt_split_qkv p) {
    int64_t task = (int64_t)blockIdx.x * WARPS + threadIdx.x / DRT_WARP;
    int lane = threadIdx.x % DRT_WARP, parts = 3 * p.n_heads;
    if (task >= (int64_t)p.n * parts)
        return;
    int64_t slot = task / parts;
    int part = (int)(task % parts) / p.n_heads, head = (int)(task % p.n_heads);
    int64_t d = (int64_t)p.n_heads * p.head_size;
    const float *from = p.qkv + (slot * 3 + part) * d + head * p.head_size;
    float *to = (part == 0 ? p.q : part == 1 ? p.k : p.v) + slot * d + head * p.head_size;
    float factor = 1;
    if (part < 2 && p.unit_rms) {
        float sum = 0;
        for (int i = lane; i < p.head_size; i += DRT_WARP)
            sum += from[i] * from[i];
        factor = rsqrtf(drt_warp_sum(sum) / (float)p.head_size + p.eps);
    }
    if (part == 2 || !p.rope) {
        for (int i = lane; i < p.head_size; i += DRT_WARP)
            to[i] = from[i] * factor;
        return;
    }
    int half = p.head_size / 2;
    const float *cosines = p.rope + (slot % p.chunk_size) * p.head_size, *sines = cosines + half;
    for (int i = lane; i < half; i += DRT_WARP) {
        float a = from[i] * factor, c = from[half + i] * factor;
        to[i] = a * cosines[i] - c * sines[i];
        to[half + i] = c * cosines[i] + a * sines[i];
    }
}

int drt_cuda_split_qkv(drt_backend *b, const drt_split_qkv *p) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (p->n <= 0)
        return 0;
    size_t tasks = (size_t)p->n * 3 * (size_t)p->n_heads;
    split<<<drt_blocks(tasks, WARPS), WARPS * DRT_WARP, 0, cuda->stream>>>(*p);
    return drt_cuda_launched(b, "splitting queries, keys and values");
}
