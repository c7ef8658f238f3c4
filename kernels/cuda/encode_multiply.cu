/* encode_multiply.cu: matrix products of the encoder stream with their neighbours fused in.
 *
 * A block of three warpgroups stays on its multiprocessor. The first copies tiles of x (128 slots x 64) through a ring
 * in shared memory; the other two take whole tiles of the result (128 x 192) in turns, so that one multiplies while
 * the other writes. A block keeps to one range of 192 columns: where that part of m fits (RESIDENT) it is read once and
 * stays; otherwise it passes through the ring beside x. */
#include "kernels/cuda/encode.cuh"

#define SLOTS DRT_PRODUCT_SLOTS
#define COLUMNS DRT_PRODUCT_COLUMNS
#define STAGES 5
#define THREADS 384
#define X_BYTES (SLOTS * DRT_ROW_BYTES)
#define M_BYTES (COLUMNS * DRT_ROW_BYTES)
#define MOST_RESIDENT_STEPS 6

#ifdef DRT_HOPPER

/* The two warpgroups multiply in turns: one that is ahead must not take the ring's stages for its own, which it can
 * tell from older ones only by their parity. Barriers 1 and 2 say whose turn it is. */
static __device__ __forceinline__ void await_turn(int group) {
    asm volatile("bar.sync %0, 256;" ::"r"(group) : "memory");
}

static __device__ __forceinline__ void give_turn(int group) {
    asm volatile("bar.arrive %0, 256;" ::"r"(group) : "memory");
}

/* Element i of lane t of four neighbours <-> element t of lane i. */
static __device__ __forceinline__ void transpose(unsigned r[4]) {
    bool odd = threadIdx.x & 1, high = threadIdx.x & 2;
    unsigned a = __shfl_xor_sync(0xFFFFFFFF, odd ? r[0] : r[1], 1),
             c = __shfl_xor_sync(0xFFFFFFFF, odd ? r[2] : r[3], 1);
    r[0] = odd ? a : r[0];
    r[1] = odd ? r[1] : a;
    r[2] = odd ? c : r[2];
    r[3] = odd ? r[3] : c;
    a = __shfl_xor_sync(0xFFFFFFFF, high ? r[0] : r[2], 2);
    c = __shfl_xor_sync(0xFFFFFFFF, high ? r[1] : r[3], 2);
    r[0] = high ? a : r[0];
    r[2] = high ? r[2] : a;
    r[1] = high ? c : r[1];
    r[3] = high ? r[3] : c;
}

static __device__ __forceinline__ unsigned pack(float low, float high) {
    __nv_bfloat162 pair = __floats2bfloat162_rn(low, high);
    return *(unsigned *)&pair;
}

static __device__ __forceinline__ float2 unpack(unsigned pair) {
    return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xFFFF0000));
}

static __device__ __forceinline__ float quad_sum(float x) {
    x += __shfl_xor_sync(0xFFFFFFFF, x, 1);
    return x + __shfl_xor_sync(0xFFFFFFFF, x, 2);
}

/* Four packed values of a row, of 8 columns each -> 32 columns at `to`. */
static __device__ __forceinline__ void store(unsigned r[4], __nv_bfloat16 *to, bool valid) {
    transpose(r);
    if (valid)
        *(uint4 *)(to + threadIdx.x % 4 * 8) = make_uint4(r[0], r[1], r[2], r[3]);
}

/* One row's share of a tile: c[4*j], c[4*j+1] are columns 8*j + 2*t and the next, t = lane % 4. */
static __device__ __forceinline__ void split_heads(const drt_encode_product &p, const float *c, int row, int column,
                                                   float factor) {
    int t = threadIdx.x % 4;
#pragma unroll
    for (int head = 0; head < COLUMNS / 64; head++, column += 64) {
        const float *from = c + head * 32;
        bool valid = row < p.n && column < p.rows, normal = column < 2 * p.d;
        float sum = 0, scale = factor;
#pragma unroll
        for (int j = 0; j < 8; j++)
            sum += from[4 * j] * from[4 * j] + from[4 * j + 1] * from[4 * j + 1];
        if (normal)
            scale *= rsqrtf(quad_sum(sum) * factor * factor / 64 + p.eps);
        unsigned low[4], high[4];
        if (normal && p.rope) {
            const float *cosines = p.rope + row % 64 * 64 + 2 * t;
#pragma unroll
            for (int j = 0; j < 4; j++) {
                float2 cosine = *(const float2 *)(cosines + 8 * j), sine = *(const float2 *)(cosines + 32 + 8 * j);
                float a0 = from[4 * j] * scale, a1 = from[4 * j + 1] * scale;
                float b0 = from[4 * j + 16] * scale, b1 = from[4 * j + 17] * scale;
                low[j] = pack(a0 * cosine.x - b0 * sine.x, a1 * cosine.y - b1 * sine.y);
                high[j] = pack(b0 * cosine.x + a0 * sine.x, b1 * cosine.y + a1 * sine.y);
            }
        } else {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                low[j] = pack(from[4 * j] * scale, from[4 * j + 1] * scale);
                high[j] = pack(from[4 * j + 16] * scale, from[4 * j + 17] * scale);
            }
        }
        __nv_bfloat16 *to = p.out + (size_t)row * p.rows + column;
        store(low, to, valid);
        store(high, to + 32, valid);
    }
}

static __device__ __forceinline__ void swiglu(const drt_encode_product &p, const float *c, int row, int column,
                                              float factor) {
    column /= 2;
#pragma unroll
    for (int group = 0; group < COLUMNS / 64; group++, column += 32) {
        unsigned r[4];
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float *gate = c + (4 * group + j) * 8, *up = gate + 4;
            float a = gate[0] * factor, b = gate[1] * factor;
            r[j] = pack(__fdividef(a, 1 + __expf(-a)) * up[0] * factor, __fdividef(b, 1 + __expf(-b)) * up[1] * factor);
        }
        store(r, p.out + (size_t)row * p.out_columns + column, row < p.n && column < p.out_columns);
    }
}

static __device__ __forceinline__ void add(const drt_encode_product &p, const float *c, int row, int column) {
    float sum = 0;
#pragma unroll
    for (int group = 0; group < COLUMNS / 32; group++, column += 32) {
        __nv_bfloat16 *at = p.out + (size_t)row * p.rows + column;
        bool valid = row < p.n && column < p.rows;
        unsigned r[4] = {0, 0, 0, 0};
        if (valid) {
            uint4 old = *(const uint4 *)(at + threadIdx.x % 4 * 8);
            r[0] = old.x;
            r[1] = old.y;
            r[2] = old.z;
            r[3] = old.w;
        }
        transpose(r);
#pragma unroll
        for (int j = 0; j < 4; j++) {
            const float *from = c + (4 * group + j) * 4;
            float2 old = unpack(r[j]);
            r[j] = pack(old.x + from[0], old.y + from[1]);
            float2 rounded = unpack(r[j]);
            sum += valid ? rounded.x * rounded.x + rounded.y * rounded.y : 0;
        }
        store(r, at, valid);
    }
    sum = quad_sum(sum);
    if (threadIdx.x % 4 == 0 && row < p.n)
        atomicAdd(p.sums_out + row, sum);
}

/* c: 64 slots of a tile, this warpgroup's. */
template <drt_epilogue EPILOGUE>
static __device__ __forceinline__ void write(const drt_encode_product &p, const float c[COLUMNS / 2], int slot,
                                             int column) {
    int thread = threadIdx.x % 128;
#pragma unroll
    for (int half = 0; half < 2; half++) {
        int row = slot + thread / 32 * 16 + thread % 32 / 4 + half * 8;
        float factor = EPILOGUE == DRT_ADD || row >= p.n ? 0 : rsqrtf(p.sums_in[row] / (float)p.cols + p.eps);
        float own[COLUMNS / 2]; /* this row's values where the first row's lie: registers, all indices are constant */
#pragma unroll
        for (int j = 0; j < COLUMNS / 8; j++) {
            own[4 * j] = c[4 * j + 2 * half];
            own[4 * j + 1] = c[4 * j + 2 * half + 1];
        }
        if (EPILOGUE == DRT_SPLIT_HEADS)
            split_heads(p, own, row, column, factor);
        else if (EPILOGUE == DRT_SWIGLU)
            swiglu(p, own, row, column, factor);
        else
            add(p, own, row, column);
    }
}

#endif

template <drt_epilogue EPILOGUE, bool RESIDENT>
static __global__ void __launch_bounds__(THREADS, 1)
    multiply(const __grid_constant__ CUtensorMap x_map, const __grid_constant__ CUtensorMap m_map,
             const drt_encode_product p) {
#ifdef DRT_HOPPER
    extern __shared__ char memory[];
    __shared__ uint64_t full[STAGES], empty[STAGES], resident;
    constexpr unsigned stage_bytes = RESIDENT ? X_BYTES : X_BYTES + M_BYTES;
    int steps = p.cols / DRT_TILE_COLUMNS, ranges = (p.rows + COLUMNS - 1) / COLUMNS;
    unsigned kept = (drt_shared(memory) + 1023) & ~1023u, ring = kept + (RESIDENT ? steps * M_BYTES : 0);
    int column = blockIdx.x % ranges * COLUMNS, first = blockIdx.x / ranges, stride = gridDim.x / ranges;
    int tiles = (p.n + SLOTS - 1) / SLOTS;
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            drt_barrier_init(drt_shared(&full[i]), 1);
            drt_barrier_init(drt_shared(&empty[i]), 1);
        }
        drt_barrier_init(drt_shared(&resident), 1);
        drt_barrier_publish();
    }
    __syncthreads();

    int group = threadIdx.x / 128;
    if (group == 0) {
        asm volatile("setmaxnreg.dec.sync.aligned.u32 24;");
        if (threadIdx.x != 0)
            return;
        if (RESIDENT) {
            drt_barrier_expect(drt_shared(&resident), steps * M_BYTES);
            for (int step = 0; step < steps; step++)
                drt_tile_copy(kept + step * M_BYTES, &m_map, column, step * DRT_TILE_COLUMNS, drt_shared(&resident));
        }
        int stage = 0;
        unsigned parity = 1; /* the first round finds every stage empty */
        for (int tile = first; tile < tiles; tile += stride)
            for (int step = 0; step < steps; step++) {
                unsigned barrier = drt_shared(&full[stage]), to = ring + stage * stage_bytes;
                drt_barrier_wait(drt_shared(&empty[stage]), parity);
                drt_barrier_expect(barrier, stage_bytes);
                drt_tile_copy(to, &x_map, tile * SLOTS, step * DRT_TILE_COLUMNS, barrier);
                if (!RESIDENT)
                    drt_tile_copy(to + X_BYTES, &m_map, column, step * DRT_TILE_COLUMNS, barrier);
                if (++stage == STAGES) {
                    stage = 0;
                    parity ^= 1;
                }
            }
        return;
    }

    asm volatile("setmaxnreg.inc.sync.aligned.u32 240;");
    if (RESIDENT)
        drt_barrier_wait(drt_shared(&resident), 0);
    bool signals = threadIdx.x % 128 == 0;
    if (group == 2)
        give_turn(1);
    for (int tile = first + (group - 1) * stride, turn = group - 1; tile < tiles; tile += 2 * stride, turn += 2) {
        float c[2][COLUMNS / 2];
        unsigned at = (unsigned)turn * steps;
        await_turn(group);
        for (int step = 0; step < steps; step++, at++) {
            int stage = at % STAGES;
            unsigned x = ring + stage * stage_bytes, m = RESIDENT ? kept + step * M_BYTES : x + X_BYTES;
            drt_barrier_wait(drt_shared(&full[stage]), at / STAGES & 1);
            drt_wgmma_fence();
#pragma unroll
            for (int k = 0; k < DRT_TILE_COLUMNS / 16; k++)
#pragma unroll
                for (int half = 0; half < 2; half++)
                    drt_wgmma_192(c[half], drt_tile_descriptor(x + half * (X_BYTES / 2) + k * 32),
                                  drt_tile_descriptor(m + k * 32), step + k > 0);
            drt_wgmma_commit();
            if (step > 0) {
                drt_wgmma_wait<1>();
                if (signals)
                    drt_barrier_arrive(drt_shared(&empty[(at - 1) % STAGES]));
            }
        }
        give_turn(3 - group);
        drt_wgmma_wait<0>();
        if (signals)
            drt_barrier_arrive(drt_shared(&empty[(at - 1) % STAGES]));
        write<EPILOGUE>(p, c[0], tile * SLOTS, column);
        write<EPILOGUE>(p, c[1], tile * SLOTS + 64, column);
    }
#endif
}

template <drt_epilogue EPILOGUE, bool RESIDENT>
static int launch(drt_backend *b, const CUtensorMap *x, const CUtensorMap *m, const drt_encode_product *p) {
    drt_cuda *cuda = (drt_cuda *)b;
    int steps = p->cols / DRT_TILE_COLUMNS, ranges = (p->rows + COLUMNS - 1) / COLUMNS;
    size_t bytes =
        1024 + (RESIDENT ? (size_t)steps * M_BYTES + STAGES * X_BYTES : STAGES * (size_t)(X_BYTES + M_BYTES));
    if (drt_cuda_check(
            b,
            cudaFuncSetAttribute(multiply<EPILOGUE, RESIDENT>, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)bytes),
            "preparing a product") != 0)
        return -1;
    int in_flight = cuda->multiprocessors / ranges > 0 ? cuda->multiprocessors / ranges : 1;
    int tiles = (p->n + SLOTS - 1) / SLOTS;
    unsigned blocks = (unsigned)((in_flight < tiles ? in_flight : tiles) * ranges);
    multiply<EPILOGUE, RESIDENT><<<blocks, THREADS, bytes, cuda->stream>>>(*x, *m, *p);
    return drt_cuda_launched(b, "multiplying matrices of the encoder");
}

template <drt_epilogue EPILOGUE>
static int choose(drt_backend *b, const CUtensorMap *x, const CUtensorMap *m, const drt_encode_product *p) {
    return p->cols <= MOST_RESIDENT_STEPS * DRT_TILE_COLUMNS ? launch<EPILOGUE, true>(b, x, m, p)
                                                             : launch<EPILOGUE, false>(b, x, m, p);
}

int drt_encode_multiply(drt_backend *b, drt_epilogue epilogue, const CUtensorMap *x, const CUtensorMap *m,
                        const drt_encode_product *p) {
    return epilogue == DRT_SPLIT_HEADS ? choose<DRT_SPLIT_HEADS>(b, x, m, p)
           : epilogue == DRT_SWIGLU    ? choose<DRT_SWIGLU>(b, x, m, p)
                                       : choose<DRT_ADD>(b, x, m, p);
}
