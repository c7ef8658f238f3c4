/* swiglu.c: gate * sigmoid(gate) * up. */
#include "kernels/cpu/cpu.h"

#define FLOATS_OF_A_TASK 16384

typedef struct {
    const drt_simd *simd;
    const float *gate, *up;
    size_t n;
    float *out;
} swiglu_job;

static void run(void *argument, int task, int worker) {
    (void)worker;
    const swiglu_job *job = argument;
    size_t first = (size_t)task * FLOATS_OF_A_TASK;
    size_t n = job->n - first < FLOATS_OF_A_TASK ? job->n - first : FLOATS_OF_A_TASK;
    job->simd->swiglu(job->gate + first, job->up + first, n, job->out + first);
}

int drt_cpu_swiglu(drt_backend *b, const float *gate, const float *up, size_t n, float *out) {
    drt_cpu *cpu = (drt_cpu *)b;
    swiglu_job job = {cpu->simd, gate, up, n, out};
    drt_pool_run(cpu->pool, (int)((n + FLOATS_OF_A_TASK - 1) / FLOATS_OF_A_TASK), run, &job);
    return 0;
}
