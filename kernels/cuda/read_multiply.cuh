/* read_multiply.cuh: the inner loop of the reader's products: few slots times many features. May use: read.cuh.
 *
 * The tensor cores get features as rows and slots as columns, so that even one slot wastes only 7 of 8 columns. Both
 * operands go from memory to registers, 16 bytes a load: a thread's 8 columns of a step of 32 stand for the columns that
 * the instructions expect of it, in another order on both sides. A block's warps divide its features by 16 and the
 * columns among them; their sums meet in shared memory. */
#ifndef DRT_KERNELS_CUDA_READ_MULTIPLY_CUH
#define DRT_KERNELS_CUDA_READ_MULTIPLY_CUH

#include "kernels/cuda/read.cuh"

#define DRT_READ_STEP 32 /* columns of a step */
#define DRT_READ_AHEAD 4 /* steps whose weights are loaded before the slots are there */

template <int FEATURES, int SLOTS> struct drt_read_block {
    static constexpr int groups = FEATURES / 16;
    static constexpr int splits = groups == 1 ? 8 : SLOTS == 64 ? 2 : 4;
    static constexpr int warps = groups * splits, threads = warps * DRT_WARP;
    static constexpr int stride = FEATURES + 4; /* of a slot's sums: neighbours in different banks */
    float sums[splits][SLOTS * stride];
    float squares[splits][SLOTS];
};

/* Features of m, the block's first row on, times slots: load(slot, column) gives 8 values from there on as bf16. Squares:
 * also the slots' sums of squares. Waits for the kernel before this one, then for the block. */
template <int FEATURES, int SLOTS, bool SQUARES, class LOAD>
static __device__ __forceinline__ void drt_read_sums(drt_read_block<FEATURES, SLOTS> &block, const __nv_bfloat16 *m,
                                                     int cols, const LOAD &load) {
    using shape = drt_read_block<FEATURES, SLOTS>;
    constexpr int tiles = SLOTS / 8;
    int warp = threadIdx.x / DRT_WARP, lane = threadIdx.x % DRT_WARP, g = lane / 4, t = lane % 4;
    int split = warp / shape::groups, feature = warp % shape::groups * 16 + g, steps = cols / DRT_READ_STEP;
    const __nv_bfloat16 *weights = m + (size_t)feature * cols + t * 8;
    float c[tiles][4] = {}, squares[tiles] = {};
    bool waited = false;
    drt_read_release();
    for (int first = split; first < steps; first += DRT_READ_AHEAD * shape::splits) {
        uint4 low[DRT_READ_AHEAD], high[DRT_READ_AHEAD];
#pragma unroll
        for (int i = 0; i < DRT_READ_AHEAD; i++) {
            int step = first + i * shape::splits;
            if (step < steps) {
                low[i] = *(const uint4 *)(weights + step * DRT_READ_STEP);
                high[i] = *(const uint4 *)(weights + (size_t)8 * cols + step * DRT_READ_STEP);
            }
        }
        if (!waited)
            drt_read_wait();
        waited = true;
#pragma unroll
        for (int i = 0; i < DRT_READ_AHEAD; i++) {
            int step = first + i * shape::splits;
            if (step >= steps)
                continue;
            const unsigned even[4] = {low[i].x, high[i].x, low[i].y, high[i].y};
            const unsigned odd[4] = {low[i].z, high[i].z, low[i].w, high[i].w};
#pragma unroll
            for (int j = 0; j < tiles; j++) {
                uint4 x = load(j * 8 + g, step * DRT_READ_STEP + t * 8);
                drt_mma(c[j], even, x.x, x.y);
                drt_mma(c[j], odd, x.z, x.w);
                if (SQUARES)
                    squares[j] +=
                        drt_pair_square(x.x) + drt_pair_square(x.y) + drt_pair_square(x.z) + drt_pair_square(x.w);
            }
        }
    }
    if (!waited)
        drt_read_wait();
#pragma unroll
    for (int j = 0; j < tiles; j++) {
#pragma unroll
        for (int i = 0; i < 4; i++)
            block.sums[split][(j * 8 + 2 * t + i % 2) * shape::stride + feature + i / 2 * 8] = c[j][i];
        if (SQUARES) {
            float sum = drt_row_sum(squares[j]);
            if (warp % shape::groups == 0 && t == 0)
                block.squares[split][j * 8 + g] = sum;
        }
    }
    __syncthreads();
}

/* One result, from the splits. */
template <int FEATURES, int SLOTS>
static __device__ __forceinline__ float drt_read_sum(const drt_read_block<FEATURES, SLOTS> &block, int slot,
                                                     int feature) {
    using shape = drt_read_block<FEATURES, SLOTS>;
    float sum = 0;
#pragma unroll
    for (int split = 0; split < shape::splits; split++)
        sum += block.sums[split][slot * shape::stride + feature];
    return sum;
}

/* The factor of a slot's root-mean-square norm. */
template <int FEATURES, int SLOTS>
static __device__ __forceinline__ float drt_read_factor(const drt_read_block<FEATURES, SLOTS> &block, int slot,
                                                        int cols, float eps) {
    float sum = 0;
#pragma unroll
    for (int split = 0; split < drt_read_block<FEATURES, SLOTS>::splits; split++)
        sum += block.squares[split][slot];
    return rsqrtf(sum / (float)cols + eps);
}

#endif
