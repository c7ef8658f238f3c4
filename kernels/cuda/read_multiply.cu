/* read_multiply.cu: the reader's products with their neighbours fused in: see read.cuh and read_multiply.cuh. */
#include "kernels/cuda/read_multiply.cuh"

#define MOST_NARROW 256 /* slots: up to there more blocks are worth more than weights read less often */

/* Two neighbouring features of a head, 2*lane and the next, scaled; their sum of squares is the warp's business. */
static __device__ __forceinline__ float unit_rms(float a, float b, float eps) {
    return rsqrtf(drt_warp_sum(a * a + b * b) / DRT_READ_HEAD + eps);
}

static __device__ __forceinline__ void store_pair(__nv_bfloat16 *to, float a, float b) {
    *(unsigned *)to = drt_pack(a, b);
}

/* The block's 64 features are one head's queries, keys or values. */
template <int SLOTS>
static __device__ __forceinline__ void split_heads(const drt_read_product &p,
                                                   const drt_read_block<DRT_READ_HEAD, SLOTS> &block, int first_row) {
    const drt_read_shape &shape = p.shape;
    int head = blockIdx.x % shape.n_heads, kind = blockIdx.x / shape.n_heads; /* 0: queries, 1: keys, 2: values */
    int warp = threadIdx.x / DRT_WARP, feature = threadIdx.x % DRT_WARP * 2;
    for (int slot = warp; slot < SLOTS; slot += drt_read_block<DRT_READ_HEAD, SLOTS>::warps) {
        int row = first_row + slot;
        drt_read_row place = p.place[row];
        if (place.lane < 0)
            continue;
        float factor = drt_read_factor(block, slot, p.cols, shape.eps);
        float a = drt_read_sum(block, slot, feature) * factor, b = drt_read_sum(block, slot, feature + 1) * factor;
        size_t cache = ((size_t)place.lane * shape.n_heads + head) * DRT_READ_HEAD * shape.ring;
        if (kind == 2) {
            __nv_bfloat16 *to = p.values + cache + (size_t)feature * shape.ring + place.ring;
            to[0] = __float2bfloat16_rn(a);
            to[shape.ring] = __float2bfloat16_rn(b);
            continue;
        }
        float scale = unit_rms(a, b, shape.eps);
        __nv_bfloat16 *to = kind == 0 ? p.out + (size_t)row * shape.d + head * DRT_READ_HEAD
                                      : p.keys + cache + (size_t)place.ring * DRT_READ_HEAD;
        store_pair(to + feature, a * scale, b * scale);
    }
}

template <int FEATURES, int SLOTS>
static __device__ __forceinline__ void swiglu(const drt_read_product &p, const drt_read_block<FEATURES, SLOTS> &block,
                                              int first_row) {
    for (int i = threadIdx.x; i < SLOTS * FEATURES / 2; i += drt_read_block<FEATURES, SLOTS>::threads) {
        int slot = i / (FEATURES / 2), column = i % (FEATURES / 2), gate = column / 8 * 16 + column % 8;
        float factor = drt_read_factor(block, slot, p.cols, p.shape.eps);
        float a = drt_read_sum(block, slot, gate) * factor, b = drt_read_sum(block, slot, gate + 8) * factor;
        p.out[(size_t)(first_row + slot) * p.shape.d_ff + blockIdx.x * (FEATURES / 2) + column] =
            __float2bfloat16_rn(a / (1 + __expf(-a)) * b);
    }
}

template <int FEATURES, int SLOTS>
static __device__ __forceinline__ void add(const drt_read_product &p, const drt_read_block<FEATURES, SLOTS> &block,
                                           int first_row) {
    for (int i = threadIdx.x; i < SLOTS * FEATURES; i += drt_read_block<FEATURES, SLOTS>::threads) {
        int slot = i / FEATURES, feature = i % FEATURES;
        size_t at = (size_t)(first_row + slot) * p.shape.d + blockIdx.x * FEATURES + feature;
        float sum = p.residual[at] + drt_read_sum(block, slot, feature);
        p.residual[at] = sum;
        p.out[at] = __float2bfloat16_rn(sum);
    }
}

template <int FEATURES, int SLOTS, drt_read_epilogue EPILOGUE>
static __global__ void __launch_bounds__(drt_read_block<FEATURES, SLOTS>::threads) multiply(drt_read_product p) {
    __shared__ drt_read_block<FEATURES, SLOTS> block;
    int first_row = blockIdx.y * SLOTS;
    const __nv_bfloat16 *x = p.x + (size_t)first_row * p.cols;
    auto load = [&](int slot, int column) { return *(const uint4 *)(x + (size_t)slot * p.cols + column); };
    drt_read_sums<FEATURES, SLOTS, EPILOGUE != DRT_READ_ADD>(block, p.m + (size_t)blockIdx.x * FEATURES * p.cols,
                                                             p.cols, load);
    if constexpr (EPILOGUE == DRT_READ_WINDOW || EPILOGUE == DRT_READ_QUERY)
        split_heads<SLOTS>(p, block, first_row);
    else if constexpr (EPILOGUE == DRT_READ_SWIGLU)
        swiglu(p, block, first_row);
    else
        add(p, block, first_row);
}

template <int SLOTS> static int launch(drt_backend *b, drt_read_epilogue epilogue, const drt_read_product *p, int n) {
    const char *doing = "multiplying matrices";
    unsigned slots = (unsigned)(n / SLOTS), narrow = (unsigned)p->rows / 16, wide = (unsigned)p->rows / 64;
    constexpr unsigned narrow_threads = drt_read_block<16, SLOTS>::threads;
    constexpr unsigned wide_threads = drt_read_block<64, SLOTS>::threads;
    switch (epilogue) {
    case DRT_READ_WINDOW:
        return drt_read_launch(b, doing, multiply<64, SLOTS, DRT_READ_WINDOW>, dim3(wide, slots), wide_threads, *p);
    case DRT_READ_QUERY:
        return drt_read_launch(b, doing, multiply<64, SLOTS, DRT_READ_QUERY>, dim3(wide, slots), wide_threads, *p);
    case DRT_READ_SWIGLU: /* narrow blocks fill the GPU, wide ones read the slots less often */
        return n <= MOST_NARROW ? drt_read_launch(b, doing, multiply<16, SLOTS, DRT_READ_SWIGLU>, dim3(narrow, slots),
                                                  narrow_threads, *p)
                                : drt_read_launch(b, doing, multiply<64, SLOTS, DRT_READ_SWIGLU>, dim3(wide, slots),
                                                  wide_threads, *p);
    case DRT_READ_ADD:
        return drt_read_launch(b, doing, multiply<16, SLOTS, DRT_READ_ADD>, dim3(narrow, slots), narrow_threads, *p);
    }
    return -1;
}

int drt_read_multiply(drt_backend *b, drt_read_epilogue epilogue, const drt_read_product *p, int n) {
    return n <= 8             ? launch<8>(b, epilogue, p, n)
           : n <= MOST_NARROW ? launch<16>(b, epilogue, p, n)
                              : launch<64>(b, epilogue, p, n);
}
