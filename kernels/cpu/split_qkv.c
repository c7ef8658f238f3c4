/* split_qkv.c: takes a (3d) projection apart into queries, keys and values, normalises the first two per
 * head and turns them by their positions. One pass over memory for all of it. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/cpu.h"

#define SLOTS_OF_A_TASK 32

typedef struct {
    const drt_simd *simd;
    const drt_split_qkv *p;
} split_job;

int drt_cpu_rope_table(drt_backend *b, int chunk_size, int head_size, float theta, float *table) {
    if (head_size % 2)
        return drt_cpu_fail(b, "rotary positions need an even head size, not %d", head_size);
    int half = head_size / 2;
    for (int position = 0; position < chunk_size; position++)
        for (int i = 0; i < half; i++) {
            float frequency = powf(theta, -(float)(2 * i) / (float)head_size);
            float angle = (float)position * frequency;
            table[(size_t)position * (size_t)head_size + (size_t)i] = cosf(angle);
            table[(size_t)position * (size_t)head_size + (size_t)(half + i)] = sinf(angle);
        }
    return 0;
}

static void rotate(float *x, const float *restrict cosines, int half) {
    const float *restrict sines = cosines + half;
    for (int i = 0; i < half; i++) {
        float a = x[i], c = x[half + i];
        x[i] = a * cosines[i] - c * sines[i];
        x[half + i] = c * cosines[i] + a * sines[i];
    }
}

static void put_heads(const split_job *job, const float *from, const float *rope, float *to) {
    const drt_split_qkv *p = job->p;
    for (int h = 0; h < p->n_heads; h++, from += p->head_size, to += p->head_size) {
        if (p->unit_rms)
            job->simd->rms(from, NULL, p->eps, p->head_size, to);
        else
            memcpy(to, from, (size_t)p->head_size * sizeof *to);
        if (rope)
            rotate(to, rope, p->head_size / 2);
    }
}

static void run(void *argument, int task, int worker) {
    (void)worker;
    const split_job *job = argument;
    const drt_split_qkv *p = job->p;
    size_t d = (size_t)p->n_heads * (size_t)p->head_size;
    int end = (task + 1) * SLOTS_OF_A_TASK;
    for (int i = task * SLOTS_OF_A_TASK; i < end && i < p->n; i++) {
        const float *qkv = p->qkv + 3 * d * (size_t)i;
        const float *rope = p->rope ? p->rope + (size_t)(i % p->chunk_size) * (size_t)p->head_size : NULL;
        put_heads(job, qkv, rope, p->q + d * (size_t)i);
        put_heads(job, qkv + d, rope, p->k + d * (size_t)i);
        memcpy(p->v + d * (size_t)i, qkv + 2 * d, d * sizeof *p->v);
    }
}

int drt_cpu_split_qkv(drt_backend *b, const drt_split_qkv *p) {
    drt_cpu *cpu = (drt_cpu *)b;
    split_job job = {cpu->simd, p};
    drt_pool_run(cpu->pool, (p->n + SLOTS_OF_A_TASK - 1) / SLOTS_OF_A_TASK, run, &job);
    return 0;
}
