/* landmarks.cu: scans of landmarks, in device memory as far as the budget reaches, the others streamed through two
 * windows whose copies overlap the scoring of what came before. Reading the landmarks is the cost: a warp takes ROWS of
 * them at once, so that enough loads are under way, for all queries of a call together. A block scores a tile of
 * chunks into shared memory and keeps the best there, so scores never travel; a last kernel chooses among the tiles'
 * best. A score and its chunk make one 64-bit key that ranks as the contract says. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "kernels/cuda/cuda.cuh"
#include "kernels/landmarks.h"

#define WARPS 8
#define THREADS (WARPS * DRT_WARP)
#define ROWS 4
#define TILE DRT_SCAN_TILE
#define MERGE_THREADS 1024

typedef unsigned long long key_t64;

struct drt_landmark_set {
    int d;
    size_t budget;
    const uint16_t *host; /* all, (n,d) */
    __half *resident;     /* (capacity,d): the first n_resident landmarks */
    int64_t capacity, n_resident;
    char *tiles; /* DRT_SCAN_TILE_BYTES for each of n_tiles: keys, then ranges */
    size_t n_tiles;
    struct {
        __half *device;             /* (DRT_SCAN_WINDOW,d) */
        uint16_t *pinned;           /* the same on the host */
        cudaEvent_t copied, scored; /* the host's, the device's side may be written again */
    } windows[2];
};

/* --------------------------------------------------------------------------- kernels ---- */

/* Q queries (Q,d), and which chunks each looks at. */
template <int Q> struct query_set {
    const float *values;
    const uint64_t *allowed[Q];
    int64_t n[Q];
    float factor;
};

/* The sums over a warp's lanes of N values; lanes l with l / (32 / N) == i receive that of value i. The tree of
 * additions is the same for every N. */
template <int N> static __device__ __forceinline__ float sums_of_warp(float (&values)[N], int lane) {
    int left = N;
#pragma unroll
    for (int step = DRT_WARP / 2; step > 0; step /= 2) {
        if (left == 1) {
            values[0] += __shfl_xor_sync(0xFFFFFFFF, values[0], step);
            continue;
        }
        left /= 2;
        bool upper = lane & step;
#pragma unroll
        for (int i = 0; i < N / 2; i++) {
            if (i >= left)
                break;
            float sent = upper ? values[i] : values[i + left];
            values[i] = (upper ? values[i + left] : values[i]) + __shfl_xor_sync(0xFFFFFFFF, sent, step);
        }
    }
    return values[0];
}

static __device__ __forceinline__ float4 four_halves(const __half *at) {
    uint2 bits = *(const uint2 *)at;
    float2 a = __half22float2(*(__half2 *)&bits.x), b = __half22float2(*(__half2 *)&bits.y);
    return make_float4(a.x, a.y, b.x, b.y);
}

/* scores (Q,TILE) shared = rows (n,d), n <= TILE, times each query; by the whole block. */
template <int Q>
static __device__ void score_tile(const __half *rows, int n, int d, const query_set<Q> &queries, float *scores) {
    int warp = threadIdx.x / DRT_WARP, lane = threadIdx.x % DRT_WARP;
    int whole = d % 4 == 0 ? d : 0;
    for (int first = warp * ROWS; first < n; first += WARPS * ROWS) {
        const __half *at = rows + (int64_t)first * d;
        float sums[ROWS * Q] = {0};
        for (int i = lane * 4; i < whole; i += DRT_WARP * 4) {
            float4 row[ROWS];
#pragma unroll
            for (int r = 0; r < ROWS; r++)
                row[r] = first + r < n ? four_halves(at + (int64_t)r * d + i) : make_float4(0, 0, 0, 0);
#pragma unroll
            for (int q = 0; q < Q; q++) {
                float4 x = *(const float4 *)(queries.values + q * d + i);
#pragma unroll
                for (int r = 0; r < ROWS; r++)
                    sums[r * Q + q] += row[r].x * x.x + row[r].y * x.y + row[r].z * x.z + row[r].w * x.w;
            }
        }
        for (int i = whole + lane; i < d; i += DRT_WARP)
            for (int r = 0; r < ROWS; r++)
#pragma unroll
                for (int q = 0; q < Q; q++)
                    if (first + r < n)
                        sums[r * Q + q] += __half2float(at[(int64_t)r * d + i]) * queries.values[q * d + i];
        float sum = sums_of_warp(sums, lane);
        int value = lane / (DRT_WARP / (ROWS * Q)), r = value / Q, q = value % Q;
        if (lane % (DRT_WARP / (ROWS * Q)) == 0 && first + r < n)
            scores[q * TILE + first + r] = sum * queries.factor;
    }
    __syncthreads();
}

static __device__ __forceinline__ bool is_allowed(const uint64_t *allowed, int64_t n, int64_t chunk) {
    return chunk < n && (!allowed || (allowed[chunk / 64] >> (chunk % 64) & 1));
}

/* Larger for better scores, at equal scores for lower chunks; never 0. */
static __device__ __forceinline__ key_t64 key_of(float score, int64_t chunk) {
    unsigned bits = __float_as_uint(score + 0.0f); /* -0 ranks as 0 */
    bits = bits & 0x80000000 ? ~bits : bits | 0x80000000;
    return (key_t64)bits << 32 | (0xFFFFFFFF - (unsigned)chunk);
}

static __device__ __forceinline__ key_t64 larger(key_t64 a, key_t64 b) {
    return a > b ? a : b;
}

static __device__ __forceinline__ key_t64 largest_of_warp(key_t64 key) {
    for (int step = DRT_WARP / 2; step > 0; step /= 2)
        key = larger(key, __shfl_xor_sync(0xFFFFFFFF, key, step));
    return key;
}

static __device__ __forceinline__ float2 wider(float2 a, float2 b) {
    return make_float2(fminf(a.x, b.x), fmaxf(a.y, b.y));
}

static __device__ __forceinline__ float2 range_of_warp(float2 range) {
    for (int step = DRT_WARP / 2; step > 0; step /= 2)
        range = wider(
            range, make_float2(__shfl_xor_sync(0xFFFFFFFF, range.x, step), __shfl_xor_sync(0xFFFFFFFF, range.y, step)));
    return range;
}

/* By one warp: the k best of n scores whose keys are below `below` -> kept (k), largest first, 0 where there are fewer;
 * and the range of all that are allowed. */
static __device__ void choose(const float *scores, int n, int64_t first_chunk, int64_t n_chunks,
                              const uint64_t *allowed, key_t64 below, int k, key_t64 *kept, float2 *range) {
    int lane = threadIdx.x % DRT_WARP;
    key_t64 own[TILE / DRT_WARP], best = 0, top = below;
    float2 seen = make_float2(INFINITY, -INFINITY);
#pragma unroll
    for (int j = 0; j < TILE / DRT_WARP; j++) {
        int i = j * DRT_WARP + lane;
        float score = i < n ? scores[i] : NAN;
        bool counts = !isnan(score) && is_allowed(allowed, n_chunks, first_chunk + i);
        own[j] = counts ? key_of(score, first_chunk + i) : 0;
        if (counts)
            seen = wider(seen, make_float2(score, score));
        if (own[j] < top)
            best = larger(best, own[j]);
    }
    for (int taken = 0; taken < k; taken++) {
        top = largest_of_warp(best);
        if (lane == 0)
            kept[taken] = top;
        if (best != top || top == 0)
            continue;
        best = 0;
#pragma unroll
        for (int j = 0; j < TILE / DRT_WARP; j++)
            if (own[j] < top)
                best = larger(best, own[j]);
    }
    seen = range_of_warp(seen);
    if (lane == 0)
        *range = seen;
}

/* A block a tile: rows (n,d) are chunks first_chunk.., which begin with tile first_tile of n_tiles. kept
 * (Q,n_tiles,k), ranges (Q,n_tiles). below: the key that all kept ones of query q must stay under stands at
 * below[q * stride]; NULL: none. */
template <int Q>
static __global__ void __launch_bounds__(THREADS)
    scan_tiles(const __half *rows, int64_t n, int d, query_set<Q> queries, int64_t first_chunk, size_t n_tiles, int k,
               const key_t64 *below, size_t stride, key_t64 *kept, float2 *ranges) {
    __shared__ float scores[Q * TILE];
    int64_t at = (int64_t)blockIdx.x * TILE;
    int count = n - at < TILE ? (int)(n - at) : TILE, q = threadIdx.x / DRT_WARP;
    score_tile<Q>(rows + at * d, count, d, queries, scores);
    if (q >= Q)
        return;
    size_t tile = (size_t)q * n_tiles + (size_t)(first_chunk / TILE) + blockIdx.x;
    choose(scores + q * TILE, count, first_chunk + at, queries.n[q], queries.allowed[q],
           below ? below[q * stride] : ~(key_t64)0, k, kept + tile * k, ranges + tile);
}

/* The largest key of the block, in every thread. */
static __device__ key_t64 largest_of_block(key_t64 key, key_t64 *shared) {
    int warp = threadIdx.x / DRT_WARP, lane = threadIdx.x % DRT_WARP;
    key = largest_of_warp(key);
    if (lane == 0)
        shared[warp] = key;
    __syncthreads();
    key = largest_of_warp(shared[lane]);
    __syncthreads();
    return key;
}

static __device__ key_t64 largest_below(const key_t64 *keys, size_t n, key_t64 top) {
    key_t64 best = 0;
    for (size_t i = threadIdx.x; i < n; i += MERGE_THREADS)
        if (keys[i] < top)
            best = larger(best, keys[i]);
    return best;
}

/* A block a query: the k best of all tiles -> best (queries,stride), the range of all -> range. */
static __global__ void __launch_bounds__(MERGE_THREADS)
    merge_tiles(const key_t64 *kept, const float2 *ranges, size_t n_tiles, int k, size_t stride, key_t64 *best,
                float2 *range) {
    __shared__ key_t64 largest[MERGE_THREADS / DRT_WARP];
    __shared__ float2 widest[MERGE_THREADS / DRT_WARP];
    const key_t64 *keys = kept + blockIdx.x * n_tiles * k;
    size_t n = n_tiles * k;
    key_t64 own = largest_below(keys, n, ~(key_t64)0);
    for (int taken = 0; taken < k; taken++) {
        key_t64 top = largest_of_block(own, largest);
        if (threadIdx.x == 0)
            best[blockIdx.x * stride + taken] = top;
        if (own == top && top != 0)
            own = largest_below(keys, n, top);
    }
    float2 seen = make_float2(INFINITY, -INFINITY);
    for (size_t i = threadIdx.x; i < n_tiles; i += MERGE_THREADS)
        seen = wider(seen, ranges[blockIdx.x * n_tiles + i]);
    seen = range_of_warp(seen);
    if (threadIdx.x % DRT_WARP == 0)
        widest[threadIdx.x / DRT_WARP] = seen;
    __syncthreads();
    seen = range_of_warp(widest[threadIdx.x % DRT_WARP]);
    if (threadIdx.x == 0)
        range[blockIdx.x] = seen;
}

static __device__ __forceinline__ int bin_of(float score, float2 range) {
    double at = range.y > range.x ? (double)(score - range.x) / (double)(range.y - range.x) * DRT_SCORE_BINS : 0;
    return at > 0 ? at < DRT_SCORE_BINS ? (int)at : DRT_SCORE_BINS - 1 : 0;
}

/* counts (Q,bins) += the tile's. */
template <int Q>
static __global__ void __launch_bounds__(THREADS)
    count_tiles(const __half *rows, int64_t n, int d, query_set<Q> queries, int64_t first_chunk, const float2 *ranges,
                unsigned *counts) {
    __shared__ float scores[Q * TILE];
    __shared__ unsigned bins[Q * DRT_SCORE_BINS];
    int64_t at = (int64_t)blockIdx.x * TILE;
    int count = n - at < TILE ? (int)(n - at) : TILE;
    for (int i = threadIdx.x; i < Q * DRT_SCORE_BINS; i += THREADS)
        bins[i] = 0;
    score_tile<Q>(rows + at * d, count, d, queries, scores);
#pragma unroll
    for (int q = 0; q < Q; q++)
        for (int i = threadIdx.x; i < count; i += THREADS) {
            float score = scores[q * TILE + i];
            if (!isnan(score) && is_allowed(queries.allowed[q], queries.n[q], first_chunk + at + i))
                atomicAdd(&bins[q * DRT_SCORE_BINS + bin_of(score, ranges[q])], 1);
        }
    __syncthreads();
    for (int i = threadIdx.x; i < Q * DRT_SCORE_BINS; i += THREADS)
        if (bins[i])
            atomicAdd(&counts[i], bins[i]);
}

static __global__ void __launch_bounds__(THREADS)
    score_rows(const __half *rows, int n, int d, query_set<1> queries, float *out) {
    __shared__ float scores[TILE];
    score_tile<1>(rows, n, d, queries, scores);
    for (int i = threadIdx.x; i < n; i += THREADS)
        out[i] = scores[i];
}

/* ------------------------------------------------------------------------------- set ---- */

int drt_cuda_landmarks_open(drt_backend *b, int d, size_t budget, drt_landmark_set **l) {
    *l = (drt_landmark_set *)calloc(1, sizeof **l);
    if (!*l)
        return drt_cuda_fail(b, "out of memory for landmarks");
    (*l)->d = d;
    (*l)->budget = budget;
    return 0;
}

/* Device and pinned memory; the set is empty afterwards. */
static void release(drt_backend *b, drt_landmark_set *l) {
    drt_cuda *cuda = drt_cuda_enter(b);
    cudaStreamSynchronize(cuda->stream);
    b->buffer_free(b, l->resident);
    b->buffer_free(b, l->tiles);
    for (int i = 0; i < 2; i++) {
        b->buffer_free(b, l->windows[i].device);
        b->host_free(b, l->windows[i].pinned);
        if (l->windows[i].copied)
            cudaEventDestroy(l->windows[i].copied);
        if (l->windows[i].scored)
            cudaEventDestroy(l->windows[i].scored);
    }
    int d = l->d;
    size_t budget = l->budget;
    memset(l, 0, sizeof *l);
    l->d = d;
    l->budget = budget;
}

void drt_cuda_landmarks_close(drt_backend *b, drt_landmark_set *l) {
    if (!l)
        return;
    release(b, l);
    free(l);
}

static int open_windows(drt_backend *b, drt_landmark_set *l) {
    size_t bytes = (size_t)DRT_SCAN_WINDOW * (size_t)l->d * sizeof(__half);
    for (int i = 0; i < 2; i++) {
        void *device, *pinned;
        if (b->buffer_alloc(b, bytes, &device) != 0)
            return -1;
        l->windows[i].device = (__half *)device;
        if (b->host_alloc(b, bytes, &pinned) != 0)
            return -1;
        l->windows[i].pinned = (uint16_t *)pinned;
        if (drt_cuda_check(b, cudaEventCreateWithFlags(&l->windows[i].copied, cudaEventDisableTiming),
                           "making events") != 0 ||
            drt_cuda_check(b, cudaEventCreateWithFlags(&l->windows[i].scored, cudaEventDisableTiming),
                           "making events") != 0)
            return -1;
    }
    return 0;
}

/* Room for n landmarks, and where they all stay for some more, so that a library can grow. */
static int make_room(drt_backend *b, drt_landmark_set *l, int64_t n) {
    int64_t more = n + n / 16;
    if (drt_landmarks_resident(l->budget, more, l->d) < more)
        more = n;
    int64_t capacity = drt_landmarks_resident(l->budget, more, l->d);
    if (capacity < 0)
        return drt_cuda_fail(
            b, "the landmarks of %lld chunks need at least %zu MiB of the GPU's memory; they may take %zu",
            (long long)n, drt_landmarks_bytes(n, 0, l->d) / (1 << 20) + 1, l->budget >> 20);
    release(b, l);
    void *tiles, *resident;
    if (b->buffer_alloc(b, drt_landmarks_tiles(more) * DRT_SCAN_TILE_BYTES, &tiles) != 0)
        return -1;
    l->tiles = (char *)tiles;
    l->n_tiles = drt_landmarks_tiles(more);
    if (b->buffer_alloc(b, (size_t)capacity * (size_t)l->d * sizeof(__half), &resident) != 0)
        return -1;
    l->resident = (__half *)resident;
    l->capacity = capacity;
    return capacity < n ? open_windows(b, l) : 0;
}

int drt_cuda_landmarks_set(drt_backend *b, drt_landmark_set *l, const uint16_t *host, int64_t n, int64_t kept) {
    if (n > 0xFFFFFFFF)
        return drt_cuda_fail(b, "%lld chunks are more than the GPU can choose from", (long long)n);
    bool roomy = l->resident && drt_landmarks_tiles(n) <= l->n_tiles && (l->windows[0].device || n <= l->capacity);
    if (!roomy && make_room(b, l, n) != 0) {
        release(b, l);
        return -1;
    }
    int64_t resident = n < l->capacity ? n : l->capacity, there = l->n_resident < kept ? l->n_resident : kept;
    if (there > resident)
        there = resident;
    l->host = host;
    l->n_resident = 0; /* until they are there */
    size_t row = (size_t)l->d;
    if (b->upload(b, l->resident + (size_t)there * row, host + (size_t)there * row,
                  (size_t)(resident - there) * row * sizeof *host) != 0)
        return -1;
    l->n_resident = resident;
    return 0;
}

/* ------------------------------------------------------------------------------ pass ---- */

/* Some of the landmarks, on the device. */
struct piece {
    const __half *rows;
    int64_t first, n;
    int window; /* that holds them; -1: resident */
};

/* Copies the next piece behind `p` into a window. The host waits until the copy before the last one has left. */
static int fill_window(drt_backend *b, drt_landmark_set *l, piece *p) {
    drt_cuda *cuda = (drt_cuda *)b;
    size_t row = (size_t)l->d;
    p->window = p->window == 0;
    auto *window = &l->windows[p->window];
    size_t bytes = (size_t)p->n * row * sizeof(__half);
    if (drt_cuda_check(b, cudaEventSynchronize(window->copied), "copying landmarks") != 0)
        return -1;
    memcpy(window->pinned, l->host + (size_t)p->first * row, bytes);
    p->rows = window->device;
    return drt_cuda_check(b, cudaStreamWaitEvent(cuda->copy_stream, window->scored, 0), "copying landmarks") != 0 ||
                   drt_cuda_check(b,
                                  cudaMemcpyAsync(window->device, window->pinned, bytes, cudaMemcpyHostToDevice,
                                                  cuda->copy_stream),
                                  "copying landmarks") != 0 ||
                   drt_cuda_check(b, cudaEventRecord(window->copied, cuda->copy_stream), "copying landmarks") != 0 ||
                   drt_cuda_check(b, cudaStreamWaitEvent(cuda->stream, window->copied, 0), "copying landmarks") != 0
               ? -1
               : 0;
}

/* Runs launch(piece) for pieces that together are the first `end` landmarks. */
template <typename launch_fn>
static int for_pieces(drt_backend *b, drt_landmark_set *l, int64_t end, launch_fn launch) {
    drt_cuda *cuda = (drt_cuda *)b;
    piece p = {l->resident, 0, end < l->n_resident ? end : l->n_resident, -1};
    while (p.first < end) {
        if (p.n > 0) {
            launch(p);
            if (drt_cuda_launched(b, "scanning landmarks") != 0 ||
                (p.window >= 0 && drt_cuda_check(b, cudaEventRecord(l->windows[p.window].scored, cuda->stream),
                                                 "scanning landmarks") != 0))
                return -1;
        }
        p.first += p.n;
        p.n = end - p.first < DRT_SCAN_WINDOW ? end - p.first : DRT_SCAN_WINDOW;
        if (p.n > 0 && fill_window(b, l, &p) != 0)
            return -1;
    }
    return 0;
}

/* What travels for one call: to the device queries (Q,d) and whatever the call adds behind them, back its results. */
struct cargo {
    char *host, *device;
    size_t sent, bytes; /* results stand at `sent` */
};

static int load(drt_backend *b, size_t sent, size_t results, cargo *c) {
    void *host, *device;
    c->sent = drt_aligned(sent);
    c->bytes = c->sent + results;
    if (drt_cuda_stage(b, c->bytes, &host, &device) != 0)
        return -1;
    c->host = (char *)host;
    c->device = (char *)device;
    return 0;
}

/* Brings the results back and waits for them. */
static int fetch(drt_backend *b, const cargo *c) {
    drt_cuda *cuda = (drt_cuda *)b;
    if (drt_cuda_check(b,
                       cudaMemcpyAsync(c->host + c->sent, c->device + c->sent, c->bytes - c->sent,
                                       cudaMemcpyDeviceToHost, cuda->stream),
                       "copying from the GPU") != 0)
        return -1;
    return drt_cuda_check(b, cudaStreamSynchronize(cuda->stream), "scanning landmarks");
}

/* Query q of `n` asks (scans or histograms) for the kernels; those past the end look at nothing. *end: the most chunks
 * that one looks at. */
template <int Q, typename ask>
static query_set<Q> take_queries(const cargo *c, const ask *asks, int n, int d, int64_t *end) {
    query_set<Q> set = {(const float *)c->device, {NULL}, {0}, 1 / sqrtf((float)d)};
    *end = 0;
    for (int q = 0; q < Q; q++) {
        float *to = (float *)c->host + (size_t)q * d;
        if (q < n)
            memcpy(to, asks[q].query, (size_t)d * sizeof *to);
        else
            memset(to, 0, (size_t)d * sizeof *to);
        set.allowed[q] = q < n ? asks[q].allowed : NULL;
        set.n[q] = q < n ? asks[q].n : 0;
        *end = set.n[q] > *end ? set.n[q] : *end;
    }
    return set;
}

/* ------------------------------------------------------------------------------ scan ---- */

static float score_of(key_t64 key) {
    uint32_t bits = (uint32_t)(key >> 32);
    bits = bits & 0x80000000 ? bits & 0x7FFFFFFF : ~bits;
    float score;
    memcpy(&score, &bits, sizeof score);
    return score;
}

static void unpack(drt_landmark_scan *scan, const key_t64 *best, const float2 *range) {
    scan->low = range->x;
    scan->high = range->y;
    for (scan->count = 0; scan->count < scan->k && best[scan->count] != 0; scan->count++) {
        scan->chunks[scan->count] = 0xFFFFFFFF - (int64_t)(best[scan->count] & 0xFFFFFFFF);
        scan->scores[scan->count] = score_of(best[scan->count]);
    }
}

/* One pass finds the best DRT_SCAN_KEPT; the next one those below them. */
template <int Q> static int scan_some(drt_backend *b, drt_landmark_set *l, drt_landmark_scan *scans, int n) {
    drt_cuda *cuda = (drt_cuda *)b;
    int d = l->d, k = 0;
    for (int q = 0; q < n; q++)
        k = scans[q].k > k ? scans[q].k : k;
    cargo c;
    size_t room = (size_t)k + 1, ranges = Q * sizeof(float2);
    if (load(b, (size_t)Q * d * sizeof(float), ranges + Q * room * sizeof(key_t64), &c) != 0)
        return -1;
    int64_t end;
    query_set<Q> queries = take_queries<Q>(&c, scans, n, d, &end);
    if (drt_cuda_stage_send(b, c.sent) != 0)
        return -1;
    float2 *range = (float2 *)(c.device + c.sent);
    key_t64 *best = (key_t64 *)(c.device + c.sent + ranges), *kept = (key_t64 *)l->tiles;
    float2 *tile_ranges = (float2 *)(kept + (size_t)DRT_SCAN_QUERIES * DRT_SCAN_KEPT * l->n_tiles);
    size_t tiles = drt_landmarks_tiles(end);
    for (int done = 0; done == 0 || done < k; done += DRT_SCAN_KEPT) {
        int wanted = k - done < DRT_SCAN_KEPT ? k - done : DRT_SCAN_KEPT;
        const key_t64 *below = done ? best + done - 1 : NULL;
        if (for_pieces(b, l, end, [&](const piece &p) {
                scan_tiles<Q><<<drt_blocks((size_t)p.n, TILE), THREADS, 0, cuda->stream>>>(
                    p.rows, p.n, d, queries, p.first, tiles, wanted, below, room, kept, tile_ranges);
            }) != 0)
            return -1;
        merge_tiles<<<(unsigned)n, MERGE_THREADS, 0, cuda->stream>>>(kept, tile_ranges, tiles, wanted, room,
                                                                     best + done, range);
        if (drt_cuda_launched(b, "choosing the best chunks") != 0)
            return -1;
    }
    if (fetch(b, &c) != 0)
        return -1;
    for (int q = 0; q < n; q++)
        unpack(&scans[q], (const key_t64 *)(c.host + c.sent + ranges) + (size_t)q * room,
               (const float2 *)(c.host + c.sent) + q);
    return 0;
}

int drt_cuda_landmarks_scan(drt_backend *b, drt_landmark_set *l, drt_landmark_scan *scans, int n_scans) {
    drt_cuda_enter(b);
    int status = 0;
    for (int at = 0, n; at < n_scans && status == 0; at += n) {
        n = n_scans - at < DRT_SCAN_QUERIES ? n_scans - at : DRT_SCAN_QUERIES;
        status = n > 4   ? scan_some<8>(b, l, scans + at, n)
                 : n > 2 ? scan_some<4>(b, l, scans + at, n)
                         : scan_some<2>(b, l, scans + at, n); /* faster than <1>, even for one */
    }
    return status;
}

/* ------------------------------------------------------------------------- histogram ---- */

template <int Q> static int count_some(drt_backend *b, drt_landmark_set *l, drt_landmark_histogram *histograms, int n) {
    drt_cuda *cuda = (drt_cuda *)b;
    int d = l->d;
    cargo c;
    size_t ranges = (size_t)Q * d * sizeof(float), bins = Q * DRT_SCORE_BINS * sizeof(unsigned);
    ranges = drt_aligned(ranges);
    if (load(b, ranges + Q * sizeof(float2), bins, &c) != 0)
        return -1;
    int64_t end;
    query_set<Q> queries = take_queries<Q>(&c, histograms, n, d, &end);
    for (int q = 0; q < Q; q++)
        ((float2 *)(c.host + ranges))[q] = q < n ? make_float2(histograms[q].low, histograms[q].high) : float2{0, 0};
    unsigned *counts = (unsigned *)(c.device + c.sent);
    if (drt_cuda_stage_send(b, c.sent) != 0 ||
        drt_cuda_check(b, cudaMemsetAsync(counts, 0, bins, cuda->stream), "clearing memory") != 0 ||
        for_pieces(b, l, end,
                   [&](const piece &p) {
                       count_tiles<Q><<<drt_blocks((size_t)p.n, TILE), THREADS, 0, cuda->stream>>>(
                           p.rows, p.n, d, queries, p.first, (const float2 *)(c.device + ranges), counts);
                   }) != 0 ||
        fetch(b, &c) != 0)
        return -1;
    for (int q = 0; q < n; q++)
        memcpy(histograms[q].counts, c.host + c.sent + q * sizeof histograms[q].counts, sizeof histograms[q].counts);
    return 0;
}

int drt_cuda_landmarks_histogram(drt_backend *b, drt_landmark_set *l, drt_landmark_histogram *histograms,
                                 int n_histograms) {
    drt_cuda_enter(b);
    int status = 0;
    for (int at = 0, n; at < n_histograms && status == 0; at += n) {
        n = n_histograms - at < DRT_SCAN_QUERIES ? n_histograms - at : DRT_SCAN_QUERIES;
        status = n > 4   ? count_some<8>(b, l, histograms + at, n)
                 : n > 2 ? count_some<4>(b, l, histograms + at, n)
                         : count_some<2>(b, l, histograms + at, n); /* faster than <1>, even for one */
    }
    return status;
}

/* --------------------------------------------------------------------- single chunks ---- */

static int score_some(drt_backend *b, const drt_landmark_set *l, const float *query, const int64_t *chunks, int n,
                      float *scores) {
    drt_cuda *cuda = (drt_cuda *)b;
    size_t d = (size_t)l->d, rows = drt_aligned(d * sizeof *query), row = d * sizeof(__half);
    cargo c;
    if (load(b, rows + (size_t)n * row, (size_t)n * sizeof *scores, &c) != 0)
        return -1;
    memcpy(c.host, query, d * sizeof *query);
    for (int i = 0; i < n; i++)
        memcpy(c.host + rows + (size_t)i * row, l->host + (size_t)chunks[i] * d, row);
    query_set<1> queries = {(const float *)c.device, {NULL}, {0}, 1 / sqrtf((float)l->d)};
    if (drt_cuda_stage_send(b, c.sent) != 0)
        return -1;
    score_rows<<<1, THREADS, 0, cuda->stream>>>((const __half *)(c.device + rows), n, l->d, queries,
                                                (float *)(c.device + c.sent));
    if (drt_cuda_launched(b, "scoring landmarks") != 0 || fetch(b, &c) != 0)
        return -1;
    memcpy(scores, c.host + c.sent, (size_t)n * sizeof *scores);
    return 0;
}

int drt_cuda_landmarks_scores(drt_backend *b, drt_landmark_set *l, const float *query, const int64_t *chunks, int n,
                              float *scores) {
    drt_cuda_enter(b);
    int status = 0;
    for (int at = 0; at < n && status == 0; at += TILE)
        status = score_some(b, l, query, chunks + at, n - at < TILE ? n - at : TILE, scores + at);
    return status;
}
