/* read_ends.cu: where the reader stream begins and ends: embeddings, norms whose results leave the device, and the sums of
 * the layers' and heads' attention. See read.cuh. */
#include "kernels/cuda/read.cuh"

#define WARPS 4 /* of a norm's block: a row each */
#define THREADS 128

static __global__ void embed(const __nv_bfloat16 *table, const int32_t *tokens, const drt_read_row *place, int d,
                             float *x, __nv_bfloat16 *copy) {
    size_t row = blockIdx.x;
    drt_read_release();
    drt_read_wait();
    bool padding = place[row].lane < 0;
    const __nv_bfloat16 *from = table + (padding ? 0 : (size_t)tokens[row] * d);
    for (int i = threadIdx.x; i < d; i += THREADS) {
        __nv_bfloat16 value = padding ? __float2bfloat16_rn(0) : from[i];
        copy[row * d + i] = value;
        x[row * d + i] = __bfloat162float(value);
    }
}

int drt_read_embed(drt_backend *b, const drt_read_shape *shape, const __nv_bfloat16 *table, const int32_t *tokens,
                   const drt_read_row *place, float *x, __nv_bfloat16 *copy, int n) {
    return drt_read_launch(b, "looking up embeddings", embed, dim3((unsigned)n), THREADS, table, tokens, place,
                           shape->d, x, copy);
}

static __global__ void norm(const float *x, const int32_t *rows, const drt_read_row *place, const float *gain, int d,
                            float eps, float *out, int n) {
    int i = blockIdx.x * WARPS + threadIdx.x / DRT_WARP, lane = threadIdx.x % DRT_WARP;
    drt_read_release();
    drt_read_wait();
    if (i >= n)
        return;
    int row = rows ? rows[i] : place[i].lane < 0 ? -1 : i;
    if (row < 0)
        return;
    const float4 *from = (const float4 *)(x + (size_t)row * d), *gains = (const float4 *)gain;
    float4 *to = (float4 *)(out + (size_t)i * d);
    float sum = 0;
    for (int at = lane; at < d / 4; at += DRT_WARP) {
        float4 v = from[at];
        sum += v.x * v.x + v.y * v.y + v.z * v.z + v.w * v.w;
    }
    float factor = rsqrtf(drt_warp_sum(sum) / (float)d + eps);
    for (int at = lane; at < d / 4; at += DRT_WARP) {
        float4 v = from[at], g = gains[at];
        to[at] = make_float4(v.x * factor * g.x, v.y * factor * g.y, v.z * factor * g.z, v.w * factor * g.w);
    }
}

int drt_read_norm(drt_backend *b, const drt_read_shape *shape, const float *x, const int32_t *rows,
                  const drt_read_row *place, const float *gain, float *out, int n) {
    return drt_read_launch(b, "normalising slots", norm, dim3(drt_blocks((size_t)n, WARPS)), WARPS * DRT_WARP, x, rows,
                           place, gain, shape->d, shape->eps, out, n);
}

/* A block a row. */
static __global__ void add_shares(drt_read_shape shape, int group, const drt_read_row *place, const int32_t *counts,
                                  const float *shares, int n_shares, int max_rows, float factor, float *out) {
    size_t row = blockIdx.x;
    drt_read_release();
    drt_read_wait();
    int lane = place[row].lane;
    if (lane < 0)
        return;
    int n_keys = shape.top_k * DRT_READ_CHUNK, there = counts[lane * shape.n_groups + group] * DRT_READ_CHUNK;
    float *to = out + (row * shape.n_groups + group) * n_keys;
    for (int key = threadIdx.x * 4; key < n_keys; key += THREADS * 4) {
        float4 sum = make_float4(0, 0, 0, 0);
        for (int i = 0; key < there && i < n_shares; i++) {
            float4 share = *(const float4 *)(shares + ((size_t)i * max_rows + row) * n_keys + key);
            sum = make_float4(sum.x + share.x, sum.y + share.y, sum.z + share.z, sum.w + share.w);
        }
        *(float4 *)(to + key) = make_float4(sum.x * factor, sum.y * factor, sum.z * factor, sum.w * factor);
    }
}

int drt_read_trace(drt_backend *b, const drt_read_shape *shape, int group, const drt_read_row *place,
                   const int32_t *counts, const float *shares, int n_shares, int max_rows, float factor, float *out,
                   int n) {
    return drt_read_launch(b, "adding up attention", add_shares, dim3((unsigned)n), THREADS, *shape, group, place,
                           counts, shares, n_shares, max_rows, factor, out);
}
