/* retrieval_scores.c: one product of a query with every landmark. Reading the landmarks is its cost. */
#include <math.h>

#include "kernels/cpu/cpu.h"

#define CHUNKS_OF_A_TASK 512

typedef struct {
    const drt_simd *simd;
    const uint16_t *landmarks;
    const float *query;
    float *scores;
    float factor;
    int64_t n;
    int d;
} scores_job;

static void run(void *argument, int task, int worker) {
    (void)worker;
    const scores_job *job = argument;
    int64_t first = (int64_t)task * CHUNKS_OF_A_TASK;
    int64_t n = job->n - first < CHUNKS_OF_A_TASK ? job->n - first : CHUNKS_OF_A_TASK;
    job->simd->half_dot_rows(job->landmarks + first * job->d, n, job->d, job->query, job->factor, job->scores + first);
}

int drt_cpu_retrieval_scores(drt_backend *b, const uint16_t *landmarks, int64_t n_chunks, int d, const float *query,
                             float *scores) {
    drt_cpu *cpu = (drt_cpu *)b;
    scores_job job = {cpu->simd, landmarks, query, scores, 1 / sqrtf((float)d), n_chunks, d};
    drt_pool_run(cpu->pool, (int)((n_chunks + CHUNKS_OF_A_TASK - 1) / CHUNKS_OF_A_TASK), run, &job);
    return 0;
}
