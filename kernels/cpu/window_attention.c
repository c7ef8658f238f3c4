/* window_attention.c: causal attention inside a sliding window and a segment, with ALiBi.
 *
 * Keys and values are packed per head once; then each strip of slots multiplies only with the keys
 * that its window can reach: cost O(window) a slot, whatever came before. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/attention.h"

#define STRIPS_OF_A_TASK 8

typedef struct {
    const drt_simd *simd;
    const drt_window_attention *p;
    drt_head head;
    size_t stride; /* d */
    int base;      /* first row of k, v that any slot can see */
    int n_keys;    /* rows from base on */
    int n_blocks;  /* tasks a head */
    float *packed; /* a head after the other */
    size_t packed_floats;
    float *workspace; /* a worker after the other: scores, then spare rows */
    size_t workspace_floats;
    size_t score_stride;
} window_job;

static int larger(int a, int b) {
    return a > b ? a : b;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static float slope_of(const drt_window_attention *p, int head) {
    return exp2f(-8.0f * (float)(head + 1) / (float)p->n_heads);
}

static void pack(void *argument, int task, int worker) {
    (void)worker;
    const window_job *job = argument;
    const drt_window_attention *p = job->p;
    int rows_of_a_task = 8 * job->simd->panel;
    int tasks_of_a_head = (job->n_keys + rows_of_a_task - 1) / rows_of_a_task;
    int head = task / tasks_of_a_head, first = task % tasks_of_a_head * rows_of_a_task;
    size_t start = (size_t)job->base * job->stride + (size_t)head * (size_t)p->head_size;
    drt_packed_head packed =
        drt_packed_at(job->simd, &job->head, job->n_keys, job->packed + (size_t)head * job->packed_floats);
    drt_pack_rows(job->simd, &job->head, p->k + start, p->v + start, job->stride, first,
                  smaller(rows_of_a_task, job->n_keys - first), &packed);
}

/* Do rows first..end-1 all carry one segment number? */
static bool one_segment(const int32_t *segment, int first, int end) {
    if (segment)
        for (int j = first + 1; j < end; j++)
            if (segment[j] != segment[first])
                return false;
    return true;
}

/* The first row from `first` on that carries the segment of one of the slots from..end-1. */
static int first_shared(const int32_t *segment, int first, int from, int end) {
    for (; first < from; first++)
        for (int i = from; i < end; i++)
            if (segment[first] == segment[i])
                return first;
    return first;
}

/* Slots i..i+n_rows-1 of one head. Rows (positions) count from base here. */
static void attend_strip(const window_job *job, int head, const drt_packed_head *packed, float *scores, int i,
                         int n_rows) {
    const drt_window_attention *p = job->p;
    const drt_simd *simd = job->simd;
    const int32_t *segment = p->segment ? p->segment + job->base : NULL;
    int position = job->n_keys - p->n + i, end = position + n_rows;
    int low = larger(0, position - p->window + 1);
    bool mixed = !one_segment(segment, low, end);
    if (mixed)
        low = first_shared(segment, low, position, end);
    int start = low / simd->panel * simd->panel, columns = end - start;
    size_t offset = (size_t)i * job->stride + (size_t)head * (size_t)p->head_size;
    simd->panel_product(p->q + offset, job->stride, n_rows, p->head_size,
                        packed->panels + (size_t)start * (size_t)p->head_size, columns, false, scores,
                        job->score_stride);
    float slope = slope_of(p, head), factor[16];
    for (int r = 0; r < n_rows; r++) {
        float *row = scores + (size_t)r * job->score_stride;
        int self = position + r - start;
        int first = larger(low, position + r - p->window + 1) - start;
        for (int j = first; mixed && j < self; j++)
            if (segment[start + j] != segment[position + r])
                row[j] = -INFINITY;
        factor[r] = 1 / simd->softmax(row + first, self + 1 - first, job->head.scale, slope);
        memset(row, 0, (size_t)first * sizeof *row);
        memset(row + self + 1, 0, (size_t)(columns - self - 1) * sizeof *row);
    }
    float *spare = scores + (size_t)simd->strip * job->score_stride;
    drt_gather_values(simd, &job->head, scores, job->score_stride, n_rows,
                      packed->values + (size_t)start * (size_t)job->head.padded, columns, factor, spare,
                      p->out + offset, job->stride);
}

static void attend_block(void *argument, int task, int worker) {
    const window_job *job = argument;
    int head = task / job->n_blocks, strip = job->simd->strip;
    int first = task % job->n_blocks * STRIPS_OF_A_TASK * strip;
    int end = smaller(first + STRIPS_OF_A_TASK * strip, job->p->n);
    drt_packed_head packed =
        drt_packed_at(job->simd, &job->head, job->n_keys, job->packed + (size_t)head * job->packed_floats);
    float *scores = job->workspace + (size_t)worker * job->workspace_floats;
    for (int i = first; i < end; i += strip)
        attend_strip(job, head, &packed, scores, i, smaller(strip, end - i));
}

/* All slots of one head, one by one, on the rows as they lie. */
static void attend_few(void *argument, int task, int worker) {
    const window_job *job = argument;
    const drt_window_attention *p = job->p;
    float *scores = job->workspace + (size_t)worker * job->workspace_floats;
    size_t column = (size_t)task * (size_t)p->head_size;
    for (int i = 0; i < p->n; i++) {
        int self = p->m - p->n + i, first = larger(0, self - p->window + 1), n = self + 1 - first;
        size_t start = (size_t)first * job->stride + column;
        float *out = p->out + (size_t)i * job->stride + column;
        job->simd->dot_rows(p->k + start, job->stride, n, p->head_size, p->q + (size_t)i * job->stride + column,
                            scores);
        for (int j = 0; p->segment && j < n; j++)
            if (p->segment[first + j] != p->segment[self])
                scores[j] = -INFINITY;
        float factor = 1 / job->simd->softmax(scores, n, job->head.scale, slope_of(p, task));
        for (int j = 0; j < n; j++)
            scores[j] *= factor;
        memset(out, 0, (size_t)p->head_size * sizeof *out);
        job->simd->add_rows(scores, p->v + start, job->stride, n, p->head_size, out);
    }
}

int drt_cpu_window_attention(drt_backend *b, const drt_window_attention *p) {
    drt_cpu *cpu = (drt_cpu *)b;
    if (p->n <= 0)
        return 0;
    window_job job = {.simd = cpu->simd, .p = p, .head = drt_head_of(cpu->simd, p->head_size)};
    job.stride = (size_t)p->n_heads * (size_t)p->head_size;
    job.base = larger(0, p->m - p->n - p->window + 1);
    job.n_keys = p->m - job.base;
    int reach = smaller(job.n_keys, p->window + cpu->simd->strip) + cpu->simd->panel;
    job.score_stride = (size_t)drt_round_up(reach, cpu->simd->panel);
    job.workspace_floats = (size_t)cpu->simd->strip * (job.score_stride + (size_t)job.head.padded);
    bool few = p->n <= DRT_FEW_SLOTS;
    job.packed_floats = few ? 0 : drt_packed_floats(cpu->simd, &job.head, job.n_keys);
    size_t all_packed = (size_t)p->n_heads * job.packed_floats;
    job.packed = drt_cpu_scratch(b, all_packed + (size_t)b->threads * job.workspace_floats);
    if (!job.packed)
        return -1;
    job.workspace = job.packed + all_packed;
    if (few) {
        drt_pool_run(cpu->pool, p->n_heads, attend_few, &job);
        return 0;
    }
    int rows_of_a_task = 8 * cpu->simd->panel, slots_of_a_task = STRIPS_OF_A_TASK * cpu->simd->strip;
    drt_pool_run(cpu->pool, p->n_heads * ((job.n_keys + rows_of_a_task - 1) / rows_of_a_task), pack, &job);
    job.n_blocks = (p->n + slots_of_a_task - 1) / slots_of_a_task;
    drt_pool_run(cpu->pool, p->n_heads * job.n_blocks, attend_block, &job);
    return 0;
}
