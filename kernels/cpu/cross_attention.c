/* cross_attention.c: grouped cross-attention: one softmax for each retrieved chunk, the chunks' results
 * summed with their retrieval weights.
 *
 * All chunks of a block lie side by side as one list of keys: one product gives all scores, and once each
 * chunk's share is scaled with its weight, one product gives the sum. */
#include <string.h>

#include "kernels/cpu/attention.h"

typedef struct {
    const drt_simd *simd;
    const drt_cross_attention *p;
    drt_head head;
    size_t stride;    /* d */
    int most_keys;    /* of any block */
    float *workspace; /* a worker after the other: a packed head, scores, spare rows */
    size_t workspace_floats;
    size_t score_stride;
    float *shares; /* (n_heads,n,most_keys): each head's attention, where it is wanted */
} cross_job;

/* Scores (n_rows,n_chunks*S) -> what each key contributes with; each head's shares are kept on the way. */
static void weigh(const cross_job *job, const drt_gca_block *block, int head, int slot, int n_rows, float *scores) {
    const drt_cross_attention *p = job->p;
    for (int r = 0; r < n_rows; r++) {
        float *row = scores + (size_t)r * job->score_stride;
        float *shares = job->shares
                            ? job->shares + ((size_t)head * (size_t)p->n + (size_t)(slot + r)) * (size_t)job->most_keys
                            : NULL;
        for (int c = 0; c < block->n_chunks; c++, row += p->chunk_size) {
            float share = 1 / job->simd->softmax(row, p->chunk_size, job->head.scale, 0);
            float weight = share * block->weights[c];
            for (int s = 0; s < p->chunk_size; s++) {
                if (shares)
                    *shares++ = row[s] * share;
                row[s] *= weight;
            }
        }
    }
}

static void attend_strips(const cross_job *job, const drt_gca_block *block, int head, float *memory) {
    const drt_cross_attention *p = job->p;
    const drt_simd *simd = job->simd;
    int n_keys = block->n_chunks * p->chunk_size;
    size_t column = (size_t)head * (size_t)p->head_size;
    drt_packed_head packed = drt_packed_at(simd, &job->head, n_keys, memory);
    float *scores = memory + drt_packed_floats(simd, &job->head, job->most_keys);
    float *spare = scores + (size_t)simd->strip * job->score_stride, factor[16];
    for (int r = 0; r < simd->strip; r++)
        factor[r] = 1;
    drt_pack_rows(simd, &job->head, block->k + column, block->v + column, job->stride, 0, n_keys, &packed);
    for (int i = 0; i < block->n; i += simd->strip) {
        int n_rows = block->n - i < simd->strip ? block->n - i : simd->strip, slot = block->first + i;
        size_t offset = (size_t)slot * job->stride + column;
        simd->panel_product(p->q + offset, job->stride, n_rows, p->head_size, packed.panels, n_keys, false, scores,
                            job->score_stride);
        weigh(job, block, head, slot, n_rows, scores);
        drt_gather_values(simd, &job->head, scores, job->score_stride, n_rows, packed.values, n_keys, factor, spare,
                          p->out + offset, job->stride);
    }
}

static void attend_few(const cross_job *job, const drt_gca_block *block, int head, float *scores) {
    const drt_cross_attention *p = job->p;
    int n_keys = block->n_chunks * p->chunk_size;
    size_t column = (size_t)head * (size_t)p->head_size;
    for (int slot = block->first; slot < block->first + block->n; slot++) {
        size_t offset = (size_t)slot * job->stride + column;
        job->simd->dot_rows(block->k + column, job->stride, n_keys, p->head_size, p->q + offset, scores);
        weigh(job, block, head, slot, 1, scores);
        job->simd->add_rows(scores, block->v + column, job->stride, n_keys, p->head_size, p->out + offset);
    }
}

static void attend(void *argument, int task, int worker) {
    const cross_job *job = argument;
    const drt_gca_block *block = &job->p->blocks[task / job->p->n_heads];
    int head = task % job->p->n_heads;
    float *memory = job->workspace + (size_t)worker * job->workspace_floats;
    if (block->n <= DRT_FEW_SLOTS)
        attend_few(job, block, head, memory);
    else
        attend_strips(job, block, head, memory);
}

/* Sums the heads' shares of one block's slots, in the order of the heads. */
static void add_shares(const cross_job *job, const drt_gca_block *block) {
    const drt_cross_attention *p = job->p;
    size_t n_keys = (size_t)block->n_chunks * (size_t)p->chunk_size;
    for (int slot = block->first; slot < block->first + block->n; slot++) {
        float *to = p->attention + (size_t)slot * p->attention_stride;
        for (int head = 0; head < p->n_heads; head++) {
            const float *shares = job->shares + ((size_t)head * (size_t)p->n + (size_t)slot) * (size_t)job->most_keys;
            for (size_t j = 0; j < n_keys; j++)
                to[j] += shares[j] * p->attention_factor;
        }
    }
}

int drt_cpu_cross_attention(drt_backend *b, const drt_cross_attention *p) {
    drt_cpu *cpu = (drt_cpu *)b;
    if (p->n <= 0)
        return 0;
    cross_job job = {.simd = cpu->simd, .p = p, .head = drt_head_of(cpu->simd, p->head_size)};
    job.stride = (size_t)p->n_heads * (size_t)p->head_size;
    for (int i = 0; i < p->n_blocks; i++)
        if (p->blocks[i].n_chunks * p->chunk_size > job.most_keys)
            job.most_keys = p->blocks[i].n_chunks * p->chunk_size;
    memset(p->out, 0, (size_t)p->n * job.stride * sizeof *p->out);
    if (job.most_keys == 0)
        return 0;
    job.score_stride = (size_t)drt_round_up(job.most_keys, cpu->simd->panel);
    job.workspace_floats = drt_packed_floats(cpu->simd, &job.head, job.most_keys) +
                           (size_t)cpu->simd->strip * (job.score_stride + (size_t)job.head.padded);
    size_t all = (size_t)b->threads * job.workspace_floats;
    size_t shares = p->attention ? (size_t)p->n_heads * (size_t)p->n * (size_t)job.most_keys : 0;
    job.workspace = drt_cpu_scratch(b, all + shares);
    if (!job.workspace)
        return -1;
    job.shares = shares ? job.workspace + all : NULL;
    drt_pool_run(cpu->pool, p->n_blocks * p->n_heads, attend, &job);
    for (int i = 0; job.shares && i < p->n_blocks; i++)
        add_shares(&job, &p->blocks[i]);
    return 0;
}
