/* rms_norm.c: root-mean-square normalisation of slots with a gain, and of heads without. */
#include "kernels/cpu/cpu.h"

#define FLOATS_OF_A_TASK 16384

typedef struct {
    const drt_simd *simd;
    const float *x, *weight;
    float *out;
    float eps;
    int64_t n, rows_of_a_task;
    int size;
} rms_job;

static void run(void *argument, int task, int worker) {
    (void)worker;
    const rms_job *job = argument;
    int64_t end = (task + 1) * job->rows_of_a_task;
    for (int64_t row = task * job->rows_of_a_task; row < end && row < job->n; row++)
        job->simd->rms(job->x + row * job->size, job->weight, job->eps, job->size, job->out + row * job->size);
}

static int rms(drt_backend *b, const float *x, const float *weight, float eps, int64_t n, int size, float *out) {
    drt_cpu *cpu = (drt_cpu *)b;
    int64_t rows = size < FLOATS_OF_A_TASK ? FLOATS_OF_A_TASK / size : 1;
    rms_job job = {cpu->simd, x, weight, out, eps, n, rows, size};
    drt_pool_run(cpu->pool, (int)((n + rows - 1) / rows), run, &job);
    return 0;
}

int drt_cpu_rms_norm(drt_backend *b, const float *x, const float *weight, float eps, int n, int d, float *out) {
    return rms(b, x, weight, eps, n, d, out);
}

int drt_cpu_unit_rms(drt_backend *b, float *x, float eps, int64_t n, int head_size) {
    return rms(b, x, NULL, eps, n, head_size, x);
}
