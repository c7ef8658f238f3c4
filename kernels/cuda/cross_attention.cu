/* cross_attention.cu: grouped cross-attention in one pass over the retrieved chunks: one softmax for each chunk,
 * the results summed with the retrieval weights, nothing gathered or repeated.
 *
 * A block takes 64 slots that share a retrieval, of one head, and all their chunks, or where few slots would leave the
 * GPU idle some of the chunks. The weight of a chunk is multiplied into its shares, so that all chunks add to the same
 * sums. What several blocks have in common, parts of a sum and the heads' attention, is written out and added up by a
 * second kernel in a fixed order, so that results repeat to the bit. */
#include <string.h>

#include "kernels/cuda/attention.cuh"

/* 64 slots or fewer of one retrieval, as a kernel reads it. */
struct cross_task {
    int first, n, n_chunks;
    int weights; /* where the block's weights begin */
    const float *k, *v;
};

struct cross_arguments {
    drt_cross_attention p;
    const cross_task *tasks; /* on the device */
    const float *weights;
    float scale;   /* of scores, in units of log 2 */
    float *shares; /* (n_heads,n,most_keys), or NULL */
    int most_keys;
    float *parts; /* (splits,n,d), or NULL where a block takes all chunks */
    int splits;   /* blocks that share the chunks of a task */
};

/* Highest score and sum of one chunk's softmax for this thread's rows; s holds the scores of its last tile,
 * scaled, -INFINITY past the chunk. */
template <int HEAD>
static __device__ __forceinline__ void chunk_softmax(const cross_arguments &a, const float *k, size_t stride,
                                                     const unsigned q[HEAD / 16][4], __nv_bfloat16 *keys,
                                                     float s[DRT_TILE / 8][4], drt_running *running) {
    int lane = threadIdx.x % DRT_WARP, chunk_size = a.p.chunk_size;
    *running = drt_running_start();
    for (int tile = 0; tile < chunk_size; tile += DRT_TILE) {
        __syncthreads();
        drt_load_tile<HEAD>(keys, k, stride, tile, chunk_size, a.p.head_size);
        __syncthreads();
        drt_tile_scores<HEAD>(s, q, keys);
        float copy[DRT_TILE / 8][4], factor[2];
#pragma unroll
        for (int j = 0; j < DRT_TILE / 8; j++)
#pragma unroll
            for (int c = 0; c < 4; c++)
                copy[j][c] = s[j][c] = tile + j * 8 + lane % 4 * 2 + c % 2 < chunk_size ? s[j][c] * a.scale : -INFINITY;
        drt_running_add(running, copy, factor);
    }
    running->sum[0] = drt_row_sum(running->sum[0]);
    running->sum[1] = drt_row_sum(running->sum[1]);
}

template <int HEAD> static __global__ void __launch_bounds__(DRT_TILE_THREADS) attend(cross_arguments a) {
    extern __shared__ __nv_bfloat16 memory[];
    __nv_bfloat16 *keys = memory, *values = memory + drt_tile<HEAD>::elements;
    const drt_cross_attention &p = a.p;
    const cross_task task = a.tasks[blockIdx.x];
    int head = blockIdx.y, lane = threadIdx.x % DRT_WARP, own = threadIdx.x / DRT_WARP * 16 + lane / 4;
    size_t stride = (size_t)p.n_heads * p.head_size, column = (size_t)head * p.head_size;
    unsigned q[HEAD / 16][4];
    drt_load_tile<HEAD>(keys, p.q + column, stride, task.first, task.first + task.n, p.head_size);
    __syncthreads();
    drt_load_queries<HEAD>(q, keys);

    float out[HEAD / 8][4] = {};
    for (int chunk = blockIdx.z; chunk < task.n_chunks; chunk += a.splits) {
        size_t start = (size_t)chunk * p.chunk_size * stride + column;
        float weight = a.weights[task.weights + chunk], s[DRT_TILE / 8][4];
        drt_running running;
        chunk_softmax<HEAD>(a, task.k + start, stride, q, keys, s, &running);
        for (int tile = 0; tile < p.chunk_size; tile += DRT_TILE) {
            __syncthreads();
            drt_load_tile<HEAD>(values, task.v + start, stride, tile, p.chunk_size, p.head_size);
            if (p.chunk_size > DRT_TILE)
                drt_load_tile<HEAD>(keys, task.k + start, stride, tile, p.chunk_size, p.head_size);
            __syncthreads();
            if (p.chunk_size > DRT_TILE)
                drt_tile_scores<HEAD>(s, q, keys);
#pragma unroll
            for (int j = 0; j < DRT_TILE / 8; j++)
#pragma unroll
                for (int c = 0; c < 4; c++) {
                    int slot = tile + j * 8 + lane % 4 * 2 + c % 2, row = own + c / 2 * 8;
                    float score = p.chunk_size > DRT_TILE ? s[j][c] * a.scale : s[j][c];
                    float share = slot < p.chunk_size ? exp2f(score - running.highest[c / 2]) / running.sum[c / 2] : 0;
                    if (a.shares && slot < p.chunk_size && row < task.n)
                        a.shares[((size_t)head * p.n + task.first + row) * a.most_keys + chunk * p.chunk_size + slot] =
                            share;
                    s[j][c] = share * weight;
                }
            drt_tile_values<HEAD>(out, s, values);
        }
    }
    float *to = a.parts ? a.parts + (size_t)blockIdx.z * p.n * stride : p.out;
    drt_store_rows<HEAD>(out, to + (size_t)task.first * stride + column, stride, task.n, p.head_size);
}

/* out = the sum of the parts, for the slots of the task that is this block's. */
static __global__ void add_parts(cross_arguments a) {
    const cross_task task = a.tasks[blockIdx.x];
    size_t d = (size_t)a.p.n_heads * a.p.head_size, first = task.first * d;
    for (size_t i = first + threadIdx.x; i < first + task.n * d; i += blockDim.x) {
        float sum = 0;
        for (int part = 0; part < a.splits; part++)
            sum += a.parts[(size_t)part * a.p.n * d + i];
        a.p.out[i] = sum;
    }
}

/* attention[slot][key] += the heads' shares * factor, for the slots of the task that is this block's. */
static __global__ void add_shares(cross_arguments a) {
    const cross_task task = a.tasks[blockIdx.x];
    int n_keys = task.n_chunks * a.p.chunk_size;
    for (int i = threadIdx.x; i < task.n * n_keys; i += blockDim.x) {
        size_t slot = (size_t)(task.first + i / n_keys), key = (size_t)(i % n_keys);
        float *to = a.p.attention + slot * a.p.attention_stride + key, sum = *to;
        for (int head = 0; head < a.p.n_heads; head++)
            sum += a.shares[((size_t)head * a.p.n + slot) * a.most_keys + key] * a.p.attention_factor;
        *to = sum;
    }
}

template <int HEAD> static int launch(drt_backend *b, const cross_arguments &a, unsigned n_tasks) {
    drt_cuda *cuda = (drt_cuda *)b;
    size_t shared = 2 * drt_tile<HEAD>::elements * sizeof(__nv_bfloat16);
    if (drt_allow_shared(b, attend<HEAD>, shared) != 0)
        return -1;
    attend<HEAD>
        <<<dim3(n_tasks, (unsigned)a.p.n_heads, (unsigned)a.splits), DRT_TILE_THREADS, shared, cuda->stream>>>(a);
    if (a.parts)
        add_parts<<<n_tasks, 256, 0, cuda->stream>>>(a);
    if (a.shares)
        add_shares<<<n_tasks, 256, 0, cuda->stream>>>(a);
    return drt_cuda_launched(b, "attending to retrieved chunks");
}

/* Tasks and weights side by side in the staging area; returns the number of tasks, or -1. */
static int stage_tasks(drt_backend *b, const drt_cross_attention *p, cross_arguments *a) {
    size_t n_tasks = 0, n_weights = 0;
    for (int i = 0; i < p->n_blocks; i++) {
        if (p->blocks[i].n_chunks == 0)
            continue;
        n_tasks += drt_blocks((size_t)p->blocks[i].n, DRT_TILE);
        n_weights += (size_t)p->blocks[i].n_chunks;
    }
    if (n_tasks == 0)
        return 0;
    size_t at = drt_aligned(n_tasks * sizeof(cross_task)), bytes = at + n_weights * sizeof(float);
    void *host, *device;
    if (drt_cuda_stage(b, bytes, &host, &device) != 0)
        return -1;
    cross_task *task = (cross_task *)host;
    float *weights = (float *)((char *)host + at);
    int used = 0;
    for (int i = 0; i < p->n_blocks; i++) {
        const drt_gca_block *block = &p->blocks[i];
        if (block->n_chunks == 0)
            continue;
        for (int done = 0; done < block->n; done += DRT_TILE)
            *task++ = {block->first + done,
                       block->n - done < DRT_TILE ? block->n - done : DRT_TILE,
                       block->n_chunks,
                       used,
                       block->k,
                       block->v};
        memcpy(weights + used, block->weights, (size_t)block->n_chunks * sizeof *weights);
        used += block->n_chunks;
    }
    a->tasks = (const cross_task *)device;
    a->weights = (const float *)((const char *)device + at);
    return drt_cuda_stage_send(b, bytes) != 0 ? -1 : (int)n_tasks;
}

/* Working space for shares and parts. */
static int reserve(drt_backend *b, cross_arguments *a, int n_tasks) {
    const drt_cross_attention *p = &a->p;
    int blocks = n_tasks * p->n_heads, most_chunks = a->most_keys / p->chunk_size;
    a->splits = ((drt_cuda *)b)->multiprocessors / blocks;
    a->splits = a->splits < 1 ? 1 : a->splits > most_chunks ? most_chunks : a->splits;
    size_t d = (size_t)p->n_heads * (size_t)p->head_size, n = (size_t)p->n;
    size_t shares = p->attention ? drt_aligned((size_t)p->n_heads * n * (size_t)a->most_keys * sizeof(float)) : 0;
    size_t parts = a->splits > 1 ? (size_t)a->splits * n * d * sizeof(float) : 0;
    if (shares + parts == 0)
        return 0;
    char *memory = (char *)drt_cuda_scratch(b, shares + parts);
    a->shares = shares ? (float *)memory : NULL;
    a->parts = parts ? (float *)(memory + shares) : NULL;
    return memory ? 0 : -1;
}

int drt_cuda_cross_attention(drt_backend *b, const drt_cross_attention *p) {
    drt_cuda_enter(b);
    if (p->n <= 0)
        return 0;
    if (drt_check_head(b, p->head_size) != 0 ||
        b->clear(b, p->out, (size_t)p->n * (size_t)p->n_heads * (size_t)p->head_size * sizeof *p->out) != 0)
        return -1;
    cross_arguments a = {*p, NULL, NULL, DRT_LOG2_E / sqrtf((float)p->head_size), NULL, 0, NULL, 1};
    for (int i = 0; i < p->n_blocks; i++)
        if (p->blocks[i].n_chunks * p->chunk_size > a.most_keys)
            a.most_keys = p->blocks[i].n_chunks * p->chunk_size;
    int n_tasks = stage_tasks(b, p, &a);
    if (n_tasks <= 0)
        return n_tasks;
    return reserve(b, &a, n_tasks) != 0 ? -1 : DRT_FOR_HEAD(p->head_size, launch, b, a, (unsigned)n_tasks);
}
