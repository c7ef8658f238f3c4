/* encode_ends.cu: where the encoder stream begins and ends: embeddings, the norm between its two halves, chunk records
 * and landmarks; and the folding of norms into matrices. A warp a slot. */
#include "kernels/cuda/encode.cuh"

#define WARPS 8
#define VALUES 8                                       /* of a 16-byte access */
#define KEPT (DRT_ENCODE_WIDEST / (VALUES * DRT_WARP)) /* such accesses of a lane, kept in registers */

static __device__ __forceinline__ void unpack(uint4 bits, float v[VALUES]) {
    const unsigned words[4] = {bits.x, bits.y, bits.z, bits.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        v[2 * i] = __uint_as_float(words[i] << 16);
        v[2 * i + 1] = __uint_as_float(words[i] & 0xFFFF0000);
    }
}

static __device__ __forceinline__ float squares(const float v[VALUES]) {
    float sum = 0;
#pragma unroll
    for (int i = 0; i < VALUES; i++)
        sum += v[i] * v[i];
    return sum;
}

static __device__ __forceinline__ uint4 pack(float v[VALUES]) {
    unsigned words[4];
#pragma unroll
    for (int i = 0; i < 4; i++) {
        __nv_bfloat162 pair = __floats2bfloat162_rn(v[2 * i], v[2 * i + 1]);
        words[i] = *(unsigned *)&pair;
    }
    return make_uint4(words[0], words[1], words[2], words[3]);
}

static __device__ __forceinline__ int slot_of_warp() {
    return blockIdx.x * WARPS + threadIdx.x / DRT_WARP;
}

static __global__ void embed(const __nv_bfloat16 *table, const int32_t *ids, int n, int d, __nv_bfloat16 *x,
                             float *sums) {
    int slot = slot_of_warp(), lane = threadIdx.x % DRT_WARP;
    if (slot >= n)
        return;
    const uint4 *from = (const uint4 *)(table + (size_t)ids[slot] * d);
    uint4 *to = (uint4 *)(x + (size_t)slot * d);
    float sum = 0;
    for (int i = lane; i < d / VALUES; i += DRT_WARP) {
        uint4 bits = from[i];
        float v[VALUES];
        unpack(bits, v);
        sum += squares(v);
        to[i] = bits;
    }
    sum = drt_warp_sum(sum);
    if (lane == 0)
        sums[slot] = sum;
}

int drt_encode_embed(drt_backend *b, const __nv_bfloat16 *table, const int32_t *ids, int n, int d, __nv_bfloat16 *x,
                     float *sums) {
    drt_cuda *cuda = (drt_cuda *)b;
    embed<<<drt_blocks((size_t)n, WARPS), WARPS * DRT_WARP, 0, cuda->stream>>>(table, ids, n, d, x, sums);
    return drt_cuda_launched(b, "reading embeddings");
}

static __global__ void renorm(__nv_bfloat16 *x, const float *sums_in, const float *weight, float eps, int n, int d,
                              float *sums) {
    int slot = slot_of_warp(), lane = threadIdx.x % DRT_WARP;
    if (slot >= n)
        return;
    float factor = rsqrtf(sums_in[slot] / (float)d + eps), sum = 0;
    uint4 *at = (uint4 *)(x + (size_t)slot * d);
    for (int i = lane; i < d / VALUES; i += DRT_WARP) {
        float v[VALUES];
        unpack(at[i], v);
#pragma unroll
        for (int j = 0; j < VALUES; j++)
            v[j] *= factor * weight[i * VALUES + j];
        uint4 bits = pack(v);
        unpack(bits, v);
        sum += squares(v);
        at[i] = bits;
    }
    sum = drt_warp_sum(sum);
    if (lane == 0)
        sums[slot] = sum;
}

int drt_encode_renorm(drt_backend *b, __nv_bfloat16 *x, const float *sums_in, const float *weight, float eps, int n,
                      int d, float *sums) {
    drt_cuda *cuda = (drt_cuda *)b;
    renorm<<<drt_blocks((size_t)n, WARPS), WARPS * DRT_WARP, 0, cuda->stream>>>(x, sums_in, weight, eps, n, d, sums);
    return drt_cuda_launched(b, "normalising");
}

/* Eight values of a slot through the norm -> v; their largest magnitude. Nothing past the slot's end. */
static __device__ __forceinline__ float normalised(const uint4 *from, const float *weight, float factor, int d, int at,
                                                   float v[VALUES]) {
    if (at >= d / VALUES)
        return 0;
    const float4 *gain = (const float4 *)(weight + at * VALUES);
    float4 a = gain[0], c = gain[1];
    unpack(from[at], v);
    const float gains[VALUES] = {a.x, a.y, a.z, a.w, c.x, c.y, c.z, c.w};
    float largest = 0;
#pragma unroll
    for (int j = 0; j < VALUES; j++) {
        v[j] *= factor * gains[j];
        largest = fmaxf(largest, fabsf(v[j]));
    }
    return largest;
}

static __device__ __forceinline__ uint2 as_bytes(const float v[VALUES], float inverse) {
    unsigned words[2] = {0, 0};
#pragma unroll
    for (int j = 0; j < VALUES; j++)
        words[j / 4] |= (unsigned)(__float2int_rn(v[j] * inverse) & 0xFF) << j % 4 * 8;
    return make_uint2(words[0], words[1]);
}

/* The record's layout: backend.h, encode_run. */
static __global__ void quantise(const __nv_bfloat16 *x, const float *sums, const float *weight, float eps, int n, int d,
                                unsigned char *records, __half *landmarks) {
    int slot = slot_of_warp(), lane = threadIdx.x % DRT_WARP;
    if (slot >= n)
        return;
    int chunk = slot / DRT_ENCODE_CHUNK, place = slot % DRT_ENCODE_CHUNK;
    bool is_landmark = place == DRT_ENCODE_CHUNK - 1;
    size_t record_bytes = (size_t)DRT_ENCODE_CHUNK * (d + sizeof(float));
    unsigned char *record = records + chunk * record_bytes;
    const uint4 *from = (const uint4 *)(x + (size_t)slot * d);
    float factor = rsqrtf(sums[slot] / (float)d + eps), largest = 0, v[KEPT][VALUES];
#pragma unroll
    for (int i = 0; i < KEPT; i++)
        largest = fmaxf(largest, normalised(from, weight, factor, d, i * DRT_WARP + lane, v[i]));
    for (int step = DRT_WARP / 2; step > 0; step /= 2)
        largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFF, largest, step));
    float scale = is_landmark ? 0 : largest / 127, inverse = scale > 0 ? 1 / scale : 0;
    uint2 *to = (uint2 *)(record + (size_t)place * d);
    __half *landmark = is_landmark ? landmarks + (size_t)chunk * d : NULL;
#pragma unroll
    for (int i = 0; i < KEPT; i++) {
        int at = i * DRT_WARP + lane;
        if (at < d / VALUES)
            to[at] = as_bytes(v[i], inverse);
        for (int j = 0; landmark && at < d / VALUES && j < VALUES; j++)
            landmark[at * VALUES + j] = __float2half_rn(v[i][j]);
    }
    if (lane == 0)
        *(float *)(record + (size_t)DRT_ENCODE_CHUNK * d + place * sizeof(float)) = scale;
}

int drt_encode_quantise(drt_backend *b, const __nv_bfloat16 *x, const float *sums, const float *weight, float eps,
                        int n, int d, unsigned char *records, __half *landmarks) {
    drt_cuda *cuda = (drt_cuda *)b;
    quantise<<<drt_blocks((size_t)n, WARPS), WARPS * DRT_WARP, 0, cuda->stream>>>(x, sums, weight, eps, n, d, records,
                                                                                  landmarks);
    return drt_cuda_launched(b, "quantising chunk memory");
}

/* A block a row of the result. */
static __global__ void fold(const __nv_bfloat16 *m, const __nv_bfloat16 *other, const float *gain, int cols,
                            __nv_bfloat16 *out) {
    size_t row = blockIdx.x;
    const __nv_bfloat16 *from = m + row * cols;
    if (other)
        from = (row % 16 < 8 ? m : other) + (row / 16 * 8 + row % 8) * cols;
    for (int i = threadIdx.x; i < cols; i += blockDim.x)
        out[row * cols + i] = gain ? __float2bfloat16_rn(__bfloat162float(from[i]) * gain[i]) : from[i];
}

int drt_encode_fold(drt_backend *b, const drt_matrix *m, const drt_matrix *other, const float *gain,
                    __nv_bfloat16 *out) {
    drt_cuda *cuda = (drt_cuda *)b;
    unsigned rows = (unsigned)(other ? 2 * m->rows : m->rows);
    fold<<<rows, 128, 0, cuda->stream>>>((const __nv_bfloat16 *)m->data,
                                         other ? (const __nv_bfloat16 *)other->data : NULL, gain, m->cols, out);
    return drt_cuda_launched(b, "folding a norm into a matrix");
}
