/* linear.c: x . W^T. OpenBLAS, called by our workers for a part of the product each; where OpenBLAS failed
 * its test, our own panels. A few slots are products of one vector each, which are read-bound. */
#include "kernels/cpu/cpu.h"

#define FEW_SLOTS 4
#define ROWS_OF_A_TASK 32 /* the least that is worth a task of its own */

typedef struct {
    const drt_cpu *cpu;
    const float *x;
    const drt_matrix *m;
    int n;
    bool accumulate;
    float *out;
    int per_task;   /* slots or out features */
    float *scratch; /* a part for each worker */
    size_t part;
} linear_job;

static int smaller(int a, int b) {
    return a < b ? a : b;
}

/* A range of slots. */
static void run_slots(void *argument, int task, int worker) {
    (void)worker;
    const linear_job *job = argument;
    const drt_matrix *m = job->m;
    size_t first = (size_t)task * (size_t)job->per_task;
    int n = smaller(job->per_task, job->n - (int)first);
    drt_cpu_sgemm(job->x + first * (size_t)m->cols, drt_cpu_matrix_of(m)->rows, n, m->rows, m->cols, job->accumulate,
                  job->out + first * (size_t)m->rows, m->rows);
}

/* A range of out features, for few slots. */
static void run_features(void *argument, int task, int worker) {
    (void)worker;
    const linear_job *job = argument;
    const drt_matrix *m = job->m;
    int first = task * job->per_task, n = smaller(job->per_task, m->rows - first);
    const float *rows = drt_cpu_matrix_of(m)->rows + (size_t)first * (size_t)m->cols;
    drt_cpu_sgemm(job->x, rows, job->n, n, m->cols, job->accumulate, job->out + first, m->rows);
}

/* A range of out features for each of a few slots. */
static void run_vectors(void *argument, int task, int worker) {
    const linear_job *job = argument;
    const drt_simd *simd = job->cpu->simd;
    const drt_matrix *m = job->m;
    const drt_cpu_matrix *w = drt_cpu_matrix_of(m);
    int first = task * job->per_task, n = smaller(job->per_task, m->rows - first);
    size_t cols = (size_t)m->cols, start = (size_t)first * cols;
    float *sums = job->scratch + (size_t)worker * job->part;
    for (int i = 0; i < job->n; i++) {
        const float *x = job->x + (size_t)i * cols;
        float *out = job->out + (size_t)i * (size_t)m->rows + first;
        if (w->bytes)
            simd->byte_dot_rows(w->bytes + start, cols, n, m->cols, x, w->scale + first, sums);
        else
            simd->dot_rows(w->rows + start, cols, n, m->cols, x, sums);
        for (int j = 0; j < n; j++)
            out[j] = job->accumulate ? out[j] + sums[j] : sums[j];
    }
}

/* A panel of out features, all slots, without the GEMM library. */
static void run_panel(void *argument, int task, int worker) {
    const linear_job *job = argument;
    const drt_matrix *m = job->m;
    const drt_simd *simd = job->cpu->simd;
    int first = task * job->per_task, n = smaller(job->per_task, m->rows - first);
    float *panel = job->scratch + (size_t)worker * job->part;
    simd->pack_panels(drt_cpu_matrix_of(m)->rows + (size_t)first * (size_t)m->cols, (size_t)m->cols, n, m->cols, panel);
    simd->panel_product(job->x, (size_t)m->cols, job->n, m->cols, panel, n, job->accumulate, job->out + first,
                        (size_t)m->rows);
}

int drt_cpu_linear(drt_backend *b, const float *x, const drt_matrix *m, int n, bool accumulate, float *out) {
    drt_cpu *cpu = (drt_cpu *)b;
    if (n <= 0)
        return 0;
    linear_job job = {.cpu = cpu, .x = x, .m = m, .n = n, .accumulate = accumulate, .out = out};
    int total = m->rows;
    void (*run)(void *, int, int) = run_features;
    if (n <= FEW_SLOTS) {
        run = run_vectors;
        job.per_task = ROWS_OF_A_TASK * 2;
        job.part = (size_t)job.per_task;
    } else if (!cpu->blas) {
        run = run_panel;
        job.per_task = cpu->simd->panel;
        job.part = (size_t)job.per_task * (size_t)m->cols;
    } else if (n >= ROWS_OF_A_TASK * b->threads) {
        run = run_slots;
        total = n;
        job.per_task = (n + b->threads - 1) / b->threads;
    } else {
        int per_thread = (m->rows + b->threads - 1) / b->threads;
        job.per_task = per_thread > ROWS_OF_A_TASK ? per_thread : ROWS_OF_A_TASK;
    }
    if (job.part) {
        job.scratch = drt_cpu_scratch(b, job.part * (size_t)b->threads);
        if (!job.scratch)
            return -1;
    }
    drt_pool_run(cpu->pool, (total + job.per_task - 1) / job.per_task, run, &job);
    return 0;
}
