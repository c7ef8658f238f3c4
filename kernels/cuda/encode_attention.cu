/* encode_attention.cu: attention of the encoder stream, to the window or inside chunks. A warpgroup takes 64 slots of
 * one head; tiles of 64 keys and values arrive while the one before is worked on, and several blocks share a
 * multiprocessor, so that exponentials of one overlap products of another.
 *
 * Queries and keys have unit rms, so no score exceeds sqrt(head size): softmax needs no running maximum. */
#include "kernels/cuda/encode.cuh"

#define TILE 64
#define THREADS 128
#define BLOCKS_OF_A_MULTIPROCESSOR 4
#define TILE_BYTES (TILE * DRT_ROW_BYTES)
#define SHARED_BYTES (1024 + 5 * TILE_BYTES) /* queries, two stages of keys and values */
#define LOG2_E 1.4426950408889634f
#define LARGEST_SCORE 8.1f /* sqrt(64), and some for rounding */

#ifdef DRT_HOPPER

static __device__ __forceinline__ float power_of_two(float x) {
    float y;
    asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
}

struct tile_rows {
    int first_query, first_key; /* rows of qkv */
};

/* Is every key of the tile visible to every query? Segments are runs, so their ends tell. */
static __device__ __forceinline__ bool all_visible(const drt_encode_attention &a, tile_rows at) {
    int last_query = at.first_query + TILE - 1;
    return at.first_key + TILE <= at.first_query && last_query - at.first_key < a.window &&
           a.segment[at.first_key] == a.segment[last_query];
}

static __device__ __forceinline__ bool none_visible(const drt_encode_attention &a, tile_rows at) {
    int last_key = at.first_key + TILE - 1;
    return last_key < at.first_query &&
           (at.first_query - last_key >= a.window || a.segment[last_key] != a.segment[at.first_query]);
}

#endif

template <bool WINDOW>
static __global__ void __launch_bounds__(THREADS, BLOCKS_OF_A_MULTIPROCESSOR)
    attend(const __grid_constant__ CUtensorMap qkv, const drt_encode_attention a) {
#ifdef DRT_HOPPER
    extern __shared__ char memory[];
    __shared__ uint64_t queries_full, keys_full[2];
    unsigned q = (drt_shared(memory) + 1023) & ~1023u, ring = q + TILE_BYTES;
    int d = a.n_heads * DRT_ENCODE_HEAD, column = blockIdx.y * DRT_ENCODE_HEAD;
    int row = a.before + blockIdx.x * TILE, first = row;
    if (WINDOW) {
        first = max(0, row - (a.window - 1 + TILE - 1) / TILE * TILE);
        while (none_visible(a, {row, first}))
            first += TILE;
    }
    if (threadIdx.x == 0) {
        drt_barrier_init(drt_shared(&queries_full), 1);
        drt_barrier_init(drt_shared(&keys_full[0]), 1);
        drt_barrier_init(drt_shared(&keys_full[1]), 1);
        drt_barrier_publish();
        drt_barrier_expect(drt_shared(&queries_full), TILE_BYTES);
        drt_tile_copy(q, &qkv, row, column, drt_shared(&queries_full));
        drt_barrier_expect(drt_shared(&keys_full[0]), 2 * TILE_BYTES);
        drt_tile_copy(ring, &qkv, first, d + column, drt_shared(&keys_full[0]));
        drt_tile_copy(ring + TILE_BYTES, &qkv, first, 2 * d + column, drt_shared(&keys_full[0]));
    }
    __syncthreads();
    drt_barrier_wait(drt_shared(&queries_full), 0);

    int lane = threadIdx.x % DRT_WARP, t = lane % 4, own = row + threadIdx.x / DRT_WARP * 16 + lane / 4;
    const float scale = LOG2_E / 8; /* of scores, in units of log 2 */
    float slope = WINDOW ? exp2f(-8.0f * (float)(blockIdx.y + 1) / (float)a.n_heads) * LOG2_E : 0;
    float out[TILE / 2] = {}, sum[2] = {0, 0};
    for (int tile = first, turn = 0; tile <= row; tile += TILE, turn++) {
        int stage = turn & 1;
        unsigned k = ring + stage * 2 * TILE_BYTES, v = k + TILE_BYTES;
        if (threadIdx.x == 0 && tile < row) {
            unsigned next = ring + (stage ^ 1) * 2 * TILE_BYTES, barrier = drt_shared(&keys_full[stage ^ 1]);
            drt_barrier_expect(barrier, 2 * TILE_BYTES);
            drt_tile_copy(next, &qkv, tile + TILE, d + column, barrier);
            drt_tile_copy(next + TILE_BYTES, &qkv, tile + TILE, 2 * d + column, barrier);
        }
        drt_barrier_wait(drt_shared(&keys_full[stage]), turn / 2 & 1);
        float s[TILE / 2];
        drt_wgmma_fence();
#pragma unroll
        for (int i = 0; i < DRT_ENCODE_HEAD / 16; i++)
            drt_wgmma_64(s, drt_tile_descriptor(q + i * 32), drt_tile_descriptor(k + i * 32), i > 0);
        drt_wgmma_commit();
        /* The score of column c falls by slope for each slot of distance: base + slope * c. */
        float base[2] = {slope * (float)(tile + 2 * t - own) - LARGEST_SCORE * LOG2_E,
                         slope * (float)(tile + 2 * t - own - 8) - LARGEST_SCORE * LOG2_E};
        bool plain = !WINDOW || all_visible(a, {row, tile});
        drt_wgmma_wait<0>();
        unsigned p[TILE / 4];
#pragma unroll
        for (int j = 0; j < TILE / 8; j++)
#pragma unroll
            for (int half = 0; half < 2; half++) {
                float x = s[4 * j + 2 * half], y = s[4 * j + 2 * half + 1];
                x = power_of_two(x * scale + (base[half] + slope * (float)(8 * j)));
                y = power_of_two(y * scale + (base[half] + slope * (float)(8 * j + 1)));
                if (!plain) {
                    int key = tile + 8 * j + 2 * t, query = own + 8 * half, segment = a.segment[query];
                    x = key <= query && query - key < a.window && a.segment[key] == segment ? x : 0;
                    key++;
                    y = key <= query && query - key < a.window && a.segment[key] == segment ? y : 0;
                }
                sum[half] += x + y;
                __nv_bfloat162 pair = __floats2bfloat162_rn(x, y);
                p[2 * j + half] = *(unsigned *)&pair;
            }
        drt_wgmma_fence();
#pragma unroll
        for (int i = 0; i < TILE / 16; i++)
            drt_wgmma_64_registers(out, p + 4 * i, drt_tile_descriptor(v + i * 16 * DRT_ROW_BYTES));
        drt_wgmma_commit();
        drt_wgmma_wait<0>();
        __syncthreads(); /* this stage may be filled again */
    }
#pragma unroll
    for (int half = 0; half < 2; half++) {
        sum[half] += __shfl_xor_sync(0xFFFFFFFF, sum[half], 1);
        sum[half] += __shfl_xor_sync(0xFFFFFFFF, sum[half], 2);
        int slot = own - a.before + 8 * half;
        if (slot >= a.n)
            continue;
        float share = 1 / sum[half];
        __nv_bfloat16 *to = a.out + (size_t)slot * d + column + 2 * t;
#pragma unroll
        for (int j = 0; j < DRT_ENCODE_HEAD / 8; j++)
            *(__nv_bfloat162 *)(to + 8 * j) =
                __floats2bfloat162_rn(out[4 * j + 2 * half] * share, out[4 * j + 2 * half + 1] * share);
    }
#endif
}

int drt_encode_attend(drt_backend *b, const CUtensorMap *qkv, const drt_encode_attention *p) {
    drt_cuda *cuda = (drt_cuda *)b;
    dim3 blocks(drt_blocks((size_t)p->n, TILE), (unsigned)p->n_heads);
    const void *kernel = p->window ? (const void *)attend<true> : (const void *)attend<false>;
    if (drt_cuda_check(b, cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES),
                       "preparing attention") != 0)
        return -1;
    if (p->window)
        attend<true><<<blocks, THREADS, SHARED_BYTES, cuda->stream>>>(*qkv, *p);
    else
        attend<false><<<blocks, THREADS, SHARED_BYTES, cuda->stream>>>(*qkv, *p);
    return drt_cuda_launched(b, "attending in the encoder");
}
