/* read_cross.cu: grouped cross-attention of the reader: see read.cuh. A block takes up to 16 slots of a lane and one head,
 * a warp of it a chunk at a time: one softmax a chunk, the results summed with the retrieval weights, one pass over the
 * chunks' keys and values. */
#include "kernels/cuda/read_attention.cuh"

#define WARPS 8

/* Scores of a chunk -> shares. */
static __device__ __forceinline__ void softmax(float s[8][4]) {
    float sum[2] = {0, 0};
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int c = 0; c < 4; c++) {
            s[j][c] = exp2f(s[j][c] * DRT_READ_SCALE - DRT_READ_HIGHEST);
            sum[c / 2] += s[j][c];
        }
    const float factor[2] = {1 / drt_row_sum(sum[0]), 1 / drt_row_sum(sum[1])};
#pragma unroll
    for (int j = 0; j < 8; j++)
#pragma unroll
        for (int c = 0; c < 4; c++)
            s[j][c] *= factor[c / 2];
}

/* to: where the chunk's shares of the tile's first row and this head go, rows `stride` apart. */
static __device__ __forceinline__ void store_shares(const float s[8][4], int n, float *to, size_t stride) {
    int g = threadIdx.x % DRT_WARP / 4;
#pragma unroll
    for (int half = 0; half < 2; half++)
#pragma unroll
        for (int row = 0; row < 2; row++) {
            if (g + row * 8 >= n)
                continue;
            float4 *at = (float4 *)(to + (size_t)(g + row * 8) * stride + half * 32 + drt_read_key(0, 0));
            const float(*from)[4] = s + half * 4;
            at[0] = make_float4(from[0][2 * row], from[0][2 * row + 1], from[1][2 * row], from[1][2 * row + 1]);
            at[1] = make_float4(from[2][2 * row], from[2][2 * row + 1], from[3][2 * row], from[3][2 * row + 1]);
        }
}

static __global__ void __launch_bounds__(WARPS *DRT_WARP, 2) attend(drt_read_cross a) {
    __shared__ drt_read_parts<WARPS> parts;
    const drt_read_attention &of = a.of;
    const drt_read_shape &shape = of.shape;
    drt_read_release();
    drt_read_wait();
    const drt_read_tile tile = of.tiles[blockIdx.x];
    if (tile.n == 0)
        return;
    int head = blockIdx.y, list = tile.lane * shape.n_groups + a.group, n_chunks = a.counts[list];
    size_t column = (size_t)head * DRT_READ_HEAD, stride = (size_t)shape.d, row = (size_t)tile.row;
    float out[8][4] = {};
    drt_read_queries q = drt_read_load_queries(of.q + row * stride + column, stride);
    for (int chunk = threadIdx.x / DRT_WARP; chunk < n_chunks; chunk += WARPS) {
        int place = list * shape.top_k + chunk;
        size_t tile_at = ((size_t)place * shape.n_heads + head) * DRT_READ_HEAD * DRT_READ_CHUNK;
        float weight = a.weights[place], s[8][4];
        uint4 v[8];
        drt_read_scores(s, q, of.keys + tile_at);
        drt_read_scores(s + 4, q, of.keys + tile_at + 32 * DRT_READ_HEAD);
        softmax(s);
        if (a.shares)
            store_shares(s, tile.n,
                         a.shares + (((size_t)head * a.max_rows + row) * shape.top_k + chunk) * DRT_READ_CHUNK,
                         (size_t)shape.top_k * DRT_READ_CHUNK);
#pragma unroll
        for (int j = 0; j < 8; j++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                s[j][c] *= weight;
        drt_read_load_values(v, of.values + tile_at, DRT_READ_CHUNK);
        drt_read_add_values(out, s, v);
        drt_read_load_values(v, of.values + tile_at + 32, DRT_READ_CHUNK);
        drt_read_add_values(out, s + 4, v);
    }
    drt_read_give(parts, out);
    __syncthreads();
    for (int i = threadIdx.x; i < tile.n * DRT_READ_HEAD; i += WARPS * DRT_WARP) {
        int slot = i / DRT_READ_HEAD, dimension = i % DRT_READ_HEAD;
        of.out[(row + slot) * stride + column + dimension] = __float2bfloat16_rn(drt_read_take(parts, slot, dimension));
    }
}

int drt_read_cross_attention(drt_backend *b, const drt_read_cross *p, int n_tiles) {
    return drt_read_launch(b, "attending to retrieved chunks", attend,
                           dim3((unsigned)n_tiles, (unsigned)p->of.shape.n_heads), WARPS * DRT_WARP, *p);
}
