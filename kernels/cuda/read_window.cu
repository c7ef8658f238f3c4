/* read_window.cu: window attention of the reader: see read.cuh. A block takes up to 16 slots of a lane and one head; its
 * warps divide the keys of the ring, of which they skip those that no slot sees. */
#include "kernels/cuda/read_attention.cuh"

#define WARPS 9
#define KEYS 32 /* of a warp's step */

/* Slots from one place in the ring back to another. */
static __device__ __forceinline__ int distance(int from, int to, int ring) {
    int steps = from - to;
    return steps < 0 ? steps + ring : steps;
}

/* Does a slot of the tile see one of the KEYS keys from `key` on? */
static __device__ __forceinline__ bool visible(const drt_read_attention &a, const drt_read_tile &tile, int key) {
    int last = tile.ring + tile.n - 1, seen = min(tile.seen, a.shape.window - 1) + tile.n - 1;
    last = last < a.shape.ring ? last : last - a.shape.ring;
    return (last >= key && last < key + KEYS) || distance(last, key + KEYS - 1, a.shape.ring) <= seen;
}

/* Scores -> exponentials, 0 where not visible; sum: of rows g and g+8, this thread's keys only. */
static __device__ __forceinline__ void weigh(const drt_read_attention &a, const drt_read_tile &tile, int first_key,
                                             float slope, float s[4][4], float sum[2]) {
#pragma unroll
    for (int half = 0; half < 2; half++) {
        int slot = threadIdx.x % DRT_WARP / 4 + half * 8, at = tile.ring + slot;
        int seen = min(tile.seen + slot, a.shape.window - 1);
        at = at < a.shape.ring ? at : at - a.shape.ring;
#pragma unroll
        for (int j = 0; j < 4; j++)
#pragma unroll
            for (int i = 2 * half; i < 2 * half + 2; i++) {
                int back = distance(at, first_key + drt_read_key(j, i), a.shape.ring);
                float share = exp2f(s[j][i] * DRT_READ_SCALE - DRT_READ_HIGHEST - slope * (float)back);
                s[j][i] = back <= seen ? share : 0;
                sum[half] += s[j][i];
            }
    }
}

static __global__ void __launch_bounds__(WARPS *DRT_WARP, 2) attend(drt_read_attention a) {
    __shared__ drt_read_parts<WARPS> parts;
    __shared__ float sums[WARPS][DRT_READ_SLOTS];
    int warp = threadIdx.x / DRT_WARP, lane = threadIdx.x % DRT_WARP, head = blockIdx.y;
    drt_read_release();
    drt_read_wait();
    const drt_read_tile tile = a.tiles[blockIdx.x];
    if (tile.n == 0)
        return;
    size_t column = (size_t)head * DRT_READ_HEAD, stride = (size_t)a.shape.d;
    size_t cache = ((size_t)tile.lane * a.shape.n_heads + head) * DRT_READ_HEAD * a.shape.ring;
    float slope = exp2f(-8.0f * (float)(head + 1) / (float)a.shape.n_heads) * DRT_LOG2_E;
    float out[8][4] = {}, sum[2] = {0, 0};
    drt_read_queries q = drt_read_load_queries(a.q + (size_t)tile.row * stride + column, stride);
    for (int key = warp * KEYS; key < a.shape.ring; key += WARPS * KEYS) {
        if (!visible(a, tile, key))
            continue;
        float s[4][4];
        uint4 v[8];
        drt_read_scores(s, q, a.keys + cache + (size_t)key * DRT_READ_HEAD);
        drt_read_load_values(v, a.values + cache + key, (size_t)a.shape.ring);
        weigh(a, tile, key, slope, s, sum);
        drt_read_add_values(out, s, v);
    }
    drt_read_give(parts, out);
    for (int i = 0; i < 2; i++) {
        float total = drt_row_sum(sum[i]);
        if (lane % 4 == 0)
            sums[warp][lane / 4 + i * 8] = total;
    }
    __syncthreads();
    for (int i = threadIdx.x; i < tile.n * DRT_READ_HEAD; i += WARPS * DRT_WARP) {
        int slot = i / DRT_READ_HEAD, dimension = i % DRT_READ_HEAD;
        float total = 0;
        for (int other = 0; other < WARPS; other++)
            total += sums[other][slot];
        a.out[(size_t)(tile.row + slot) * stride + column + dimension] =
            __float2bfloat16_rn(drt_read_take(parts, slot, dimension) / total);
    }
}

int drt_read_window(drt_backend *b, const drt_read_attention *p, int n_tiles) {
    return drt_read_launch(b, "attending to the window", attend, dim3((unsigned)n_tiles, (unsigned)p->shape.n_heads),
                           WARPS * DRT_WARP, *p);
}
