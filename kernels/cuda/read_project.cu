/* read_project.cu: records of retrieved chunks, int8 or bf16, as they lie in a library -> keys and values that the reader's
 * layers share: see read.cuh. A block makes one head's keys or values of a chunk. */
#include "kernels/cuda/read_multiply.cuh"

#define SLOTS DRT_READ_CHUNK
#define FEATURES DRT_READ_HEAD

typedef drt_read_block<FEATURES, SLOTS> block_of_sums;

/* 8 int8 as bf16, which holds them all. */
static __device__ __forceinline__ uint4 widen(int2 bytes) {
    const int words[2] = {bytes.x, bytes.y};
    unsigned pairs[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        int two = words[i / 2] >> i % 2 * 16;
        pairs[i] = drt_pack((float)(signed char)two, (float)(signed char)(two >> 8));
    }
    return make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
}

/* Scaled and, of the null slot, zero. scales: NULL, or a factor a slot. */
static __device__ __forceinline__ float value(const block_of_sums &block, const float *scales, int slot, int feature) {
    if (slot == SLOTS - 1)
        return 0;
    return drt_read_sum(block, slot, feature) * (scales ? scales[slot] : 1);
}

/* to (64 slots,64): unit rms. */
static __device__ __forceinline__ void store_keys(const block_of_sums &block, const float *scales, float eps,
                                                  __nv_bfloat16 *to) {
    int feature = threadIdx.x % DRT_WARP * 2;
    for (int slot = threadIdx.x / DRT_WARP; slot < SLOTS; slot += block_of_sums::warps) {
        float a = value(block, scales, slot, feature), b = value(block, scales, slot, feature + 1);
        float scale = rsqrtf(drt_warp_sum(a * a + b * b) / FEATURES + eps);
        *(unsigned *)(to + slot * FEATURES + feature) = drt_pack(a * scale, b * scale);
    }
}

/* to (64,64 slots) */
static __device__ __forceinline__ void store_values(const block_of_sums &block, const float *scales,
                                                    __nv_bfloat16 *to) {
    for (int i = threadIdx.x; i < FEATURES * SLOTS; i += block_of_sums::threads)
        to[i] = __float2bfloat16_rn(value(block, scales, i % SLOTS, i / SLOTS));
}

static __global__ void __launch_bounds__(block_of_sums::threads) project(drt_read_projection p) {
    __shared__ block_of_sums block;
    const drt_read_shape &shape = p.shape;
    int head = blockIdx.x % shape.n_heads, chunk = blockIdx.y, d = shape.d;
    bool values = (int)blockIdx.x >= shape.n_heads;
    drt_read_release();
    drt_read_wait();
    const drt_read_fresh fresh = p.fresh[blockIdx.z];
    if (fresh.lane < 0 || chunk >= fresh.n)
        return;
    size_t slots = (size_t)SLOTS * d, area = (size_t)shape.top_k * slots * sizeof(__nv_bfloat16);
    size_t record = fresh.int8 ? slots + SLOTS * sizeof(float) : slots * sizeof(__nv_bfloat16);
    const unsigned char *from = p.raw + fresh.lane * area + chunk * record;
    const __nv_bfloat16 *m = (values ? p.chunk_v : p.chunk_k) + (size_t)head * FEATURES * d;
    auto load = [&](int slot, int column) {
        size_t at = (size_t)slot * d + column;
        return fresh.int8 ? widen(*(const int2 *)(from + at)) : *(const uint4 *)(from + at * sizeof(__nv_bfloat16));
    };
    drt_read_sums<FEATURES, SLOTS, false>(block, m, d, load);
    const float *scales = fresh.int8 ? (const float *)(from + slots) : NULL;
    size_t place = ((size_t)fresh.lane * shape.n_groups + p.group) * shape.top_k + chunk;
    size_t tile = (place * shape.n_heads + head) * FEATURES * SLOTS;
    if (values)
        store_values(block, scales, p.values + tile);
    else
        store_keys(block, scales, shape.eps, p.keys + tile);
}

int drt_read_project(drt_backend *b, const drt_read_projection *p, int n_fresh) {
    dim3 grid(2 * (unsigned)p->shape.n_heads, (unsigned)p->shape.top_k, (unsigned)n_fresh);
    return drt_read_launch(b, "projecting retrieved chunks", project, grid, block_of_sums::threads, *p);
}
