/* top_k.cu: the best scores without sorting them all. A score and its index make one 64-bit key that ranks as
 * the contract says; each block keeps the k largest keys of its slice, and the survivors go through the same
 * kernel until one block holds them all. Many wanted scores are selected on the host instead. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/cuda.cuh"

#define THREADS 256
#define KEYS_OF_A_THREAD 16
#define SLICE (THREADS * KEYS_OF_A_THREAD)
#define MOST 64 /* wanted scores; each costs a pass over the keys that a block holds */

typedef unsigned long long key_t64;

/* kernels/cpu/top_k.c, linked into the module too; it does not use its backend. */
extern "C" int drt_cpu_top_k(drt_backend *b, const float *scores, int64_t n, const uint64_t *allowed,
                             const uint64_t *dead, int k, int64_t *indices, float *values, int *count);

/* Larger for better scores, at equal scores for lower indices; 0 for what is never taken. */
static __device__ __forceinline__ key_t64 key_of(float score, int64_t i, const uint64_t *allowed,
                                                 const uint64_t *dead) {
    if ((allowed && !(allowed[i / 64] >> (i % 64) & 1)) || (dead && (dead[i / 64] >> (i % 64) & 1)) || isnan(score))
        return 0;
    unsigned bits = __float_as_uint(score + 0.0f); /* -0 ranks as 0 */
    bits = bits & 0x80000000 ? ~bits : bits | 0x80000000;
    return (key_t64)bits << 32 | (0xFFFFFFFF - (unsigned)i);
}

static __host__ float score_of(key_t64 key) {
    uint32_t bits = (uint32_t)(key >> 32);
    bits = bits & 0x80000000 ? bits & 0x7FFFFFFF : ~bits;
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

static __device__ __forceinline__ key_t64 larger(key_t64 a, key_t64 b) {
    return a > b ? a : b;
}

/* The largest key of the block, in every thread. */
static __device__ key_t64 block_largest(key_t64 key, key_t64 *shared) {
    for (int step = DRT_WARP / 2; step > 0; step /= 2)
        key = larger(key, __shfl_xor_sync(0xFFFFFFFF, key, step));
    if (threadIdx.x % DRT_WARP == 0)
        shared[threadIdx.x / DRT_WARP] = key;
    __syncthreads();
    key_t64 best = shared[0];
#pragma unroll
    for (int i = 1; i < THREADS / DRT_WARP; i++)
        best = larger(best, shared[i]);
    __syncthreads();
    return best;
}

/* kept (blocks,k) = the k largest of each block's slice, largest first, 0 where there are fewer. Keys come from
 * `keys`, or where that is NULL from scores and masks. */
static __global__ void __launch_bounds__(THREADS)
    select(const float *scores, const uint64_t *allowed, const uint64_t *dead, const key_t64 *keys, int64_t n, int k,
           key_t64 *kept) {
    __shared__ key_t64 shared[THREADS / DRT_WARP];
    int64_t first = (int64_t)blockIdx.x * SLICE + threadIdx.x;
    key_t64 own[KEYS_OF_A_THREAD], best = 0;
#pragma unroll
    for (int j = 0; j < KEYS_OF_A_THREAD; j++) {
        int64_t i = first + (int64_t)j * THREADS;
        own[j] = i >= n ? 0 : keys ? keys[i] : key_of(scores[i], i, allowed, dead);
        best = larger(best, own[j]);
    }
    for (int taken = 0; taken < k; taken++) {
        key_t64 top = block_largest(best, shared);
        if (threadIdx.x == 0)
            kept[(int64_t)blockIdx.x * k + taken] = top;
        if (top == 0 || best != top)
            continue;
        best = 0;
#pragma unroll
        for (int j = 0; j < KEYS_OF_A_THREAD; j++) {
            own[j] = own[j] == top ? 0 : own[j];
            best = larger(best, own[j]);
        }
    }
}

static int select_on_host(drt_backend *b, const float *scores, int64_t n, const uint64_t *allowed, const uint64_t *dead,
                          int k, int64_t *indices, float *values, int *count) {
    float *copy = (float *)malloc((size_t)n * sizeof *copy);
    if (!copy)
        return drt_cuda_fail(b, "out of memory for %lld scores", (long long)n);
    int status = b->download(b, copy, scores, (size_t)n * sizeof *copy);
    if (status == 0)
        status = drt_cpu_top_k(b, copy, n, allowed, dead, k, indices, values, count);
    free(copy);
    return status;
}

/* The masks on the device, one behind the other; NULL stays NULL. */
static int stage_masks(drt_backend *b, int64_t n, const uint64_t **allowed, const uint64_t **dead) {
    size_t words = ((size_t)n + 63) / 64, bytes = words * sizeof(uint64_t) * ((*allowed != NULL) + (*dead != NULL));
    if (bytes == 0)
        return 0;
    void *host, *device;
    if (drt_cuda_stage(b, bytes, &host, &device) != 0)
        return -1;
    uint64_t *to = (uint64_t *)host;
    const uint64_t *on_device = (const uint64_t *)device;
    if (*allowed) {
        memcpy(to, *allowed, words * sizeof *to);
        *allowed = on_device;
        to += words;
        on_device += words;
    }
    if (*dead) {
        memcpy(to, *dead, words * sizeof *to);
        *dead = on_device;
    }
    return drt_cuda_stage_send(b, bytes);
}

int drt_cuda_top_k(drt_backend *b, const float *scores, int64_t n, const uint64_t *allowed, const uint64_t *dead, int k,
                   int64_t *indices, float *values, int *count) {
    drt_cuda *cuda = drt_cuda_enter(b);
    *count = 0;
    if (n <= 0 || k <= 0)
        return 0;
    if (n > 0xFFFFFFFF)
        return drt_cuda_fail(b, "%lld chunks are more than the GPU can choose from", (long long)n);
    if (k > MOST)
        return select_on_host(b, scores, n, allowed, dead, k, indices, values, count);
    size_t blocks = drt_blocks((size_t)n, SLICE), half = drt_aligned(blocks * (size_t)k * sizeof(key_t64));
    char *memory = (char *)drt_cuda_scratch(b, 2 * half);
    if (!memory || stage_masks(b, n, &allowed, &dead) != 0)
        return -1;
    key_t64 *kept = (key_t64 *)memory, *other = (key_t64 *)(memory + half);
    select<<<(unsigned)blocks, THREADS, 0, cuda->stream>>>(scores, allowed, dead, NULL, n, k, kept);
    while (blocks > 1) {
        size_t keys = blocks * (size_t)k;
        blocks = drt_blocks(keys, SLICE);
        select<<<(unsigned)blocks, THREADS, 0, cuda->stream>>>(NULL, NULL, NULL, kept, (int64_t)keys, k, other);
        key_t64 *swap = kept;
        kept = other;
        other = swap;
    }
    if (drt_cuda_launched(b, "choosing the best scores") != 0)
        return -1;
    void *room;
    if (drt_cuda_stage(b, (size_t)k * sizeof(key_t64), &room, NULL) != 0 ||
        b->download(b, room, kept, (size_t)k * sizeof(key_t64)) != 0)
        return -1;
    const key_t64 *best = (const key_t64 *)room;
    for (; *count < k && best[*count] != 0; ++*count) {
        indices[*count] = 0xFFFFFFFF - (int64_t)(best[*count] & 0xFFFFFFFF);
        values[*count] = score_of(best[*count]);
    }
    return 0;
}
