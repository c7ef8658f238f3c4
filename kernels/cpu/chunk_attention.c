/* chunk_attention.c: the encoder's attention: every slot of a chunk on all slots of the chunk. */
#include "kernels/cpu/attention.h"

typedef struct {
    const drt_simd *simd;
    const drt_chunk_attention *p;
    drt_head head;
    size_t stride; /* d */
    size_t score_stride;
    float *workspace; /* a worker after the other: a packed head, scores, spare rows */
    size_t workspace_floats;
} chunk_job;

static void attend(void *argument, int task, int worker) {
    const chunk_job *job = argument;
    const drt_chunk_attention *p = job->p;
    const drt_simd *simd = job->simd;
    size_t chunk = (size_t)(task / p->n_heads), head = (size_t)(task % p->n_heads);
    size_t start = chunk * (size_t)p->chunk_size * job->stride + head * (size_t)p->head_size;
    float *memory = job->workspace + (size_t)worker * job->workspace_floats;
    drt_packed_head packed = drt_packed_at(simd, &job->head, p->chunk_size, memory);
    float *scores = memory + drt_packed_floats(simd, &job->head, p->chunk_size);
    float *spare = scores + (size_t)simd->strip * job->score_stride, factor[16];
    drt_pack_rows(simd, &job->head, p->k + start, p->v + start, job->stride, 0, p->chunk_size, &packed);
    for (int i = 0; i < p->chunk_size; i += simd->strip) {
        int n_rows = p->chunk_size - i < simd->strip ? p->chunk_size - i : simd->strip;
        size_t offset = start + (size_t)i * job->stride;
        simd->panel_product(p->q + offset, job->stride, n_rows, p->head_size, packed.panels, p->chunk_size, false,
                            scores, job->score_stride);
        for (int r = 0; r < n_rows; r++)
            factor[r] = 1 / simd->softmax(scores + (size_t)r * job->score_stride, p->chunk_size, job->head.scale, 0);
        drt_gather_values(simd, &job->head, scores, job->score_stride, n_rows, packed.values, p->chunk_size, factor,
                          spare, p->out + offset, job->stride);
    }
}

int drt_cpu_chunk_attention(drt_backend *b, const drt_chunk_attention *p) {
    drt_cpu *cpu = (drt_cpu *)b;
    if (p->n_chunks <= 0)
        return 0;
    chunk_job job = {.simd = cpu->simd, .p = p, .head = drt_head_of(cpu->simd, p->head_size)};
    job.stride = (size_t)p->n_heads * (size_t)p->head_size;
    job.score_stride = (size_t)drt_round_up(p->chunk_size, cpu->simd->panel);
    job.workspace_floats = drt_packed_floats(cpu->simd, &job.head, p->chunk_size) +
                           (size_t)cpu->simd->strip * (job.score_stride + (size_t)job.head.padded);
    job.workspace = drt_cpu_scratch(b, (size_t)b->threads * job.workspace_floats);
    if (!job.workspace)
        return -1;
    drt_pool_run(cpu->pool, p->n_chunks * p->n_heads, attend, &job);
    return 0;
}
