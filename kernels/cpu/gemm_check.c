/* gemm_check.c: does the GEMM library multiply correctly here? Old builds of OpenBLAS err on some newer
 * processors. Checked once when a backend opens, at shapes of a small model, as the forward pass calls it: each
 * worker its slots, at the same time.
 *
 * The numbers are small integers, so every product is exact in fp32 and whatever differs is wrong. Instead of
 * multiplying once more, sums over out features are compared: for weights c, sum_j c[j] out[i][j] must be
 * x[i] . sum_j c[j] m[j], which costs a thousandth. */
#include <stdlib.h>

#include "kernels/cpu/cpu.h"

typedef struct {
    int n, rows, cols;
} shape;

static const shape shapes[] = {{3, 33, 387}, {67, 160, 387}, {256, 1152, 384}, {160, 384, 1024}};

typedef struct {
    shape s;
    drt_cpu_product product;
    const float *x, *m;
    float *out;
    int slots_of_a_task;
} check_job;

static void run(void *argument, int task, int worker) {
    (void)worker;
    const check_job *job = argument;
    size_t first = (size_t)task * (size_t)job->slots_of_a_task;
    int left = job->s.n - (int)first, n = left < job->slots_of_a_task ? left : job->slots_of_a_task;
    if (n > 0)
        job->product(job->x + first * (size_t)job->s.cols, job->m, n, job->s.rows, job->s.cols, true,
                     job->out + first * (size_t)job->s.rows, job->s.rows);
}

static double weight(size_t j) {
    return (double)(j % 7) - 2.5;
}

/* sums (cols): weighted rows of m. */
static bool sums_agree(const check_job *job, double *sums) {
    size_t rows = (size_t)job->s.rows, cols = (size_t)job->s.cols;
    double ones = 0; /* what `out` held before */
    for (size_t c = 0; c < cols; c++)
        sums[c] = 0;
    for (size_t j = 0; j < rows; j++) {
        ones += weight(j);
        for (size_t c = 0; c < cols; c++)
            sums[c] += weight(j) * (double)job->m[j * cols + c];
    }
    for (size_t i = 0; i < (size_t)job->s.n; i++) {
        double expected = ones, sum = 0;
        for (size_t c = 0; c < cols; c++)
            expected += sums[c] * (double)job->x[i * cols + c];
        for (size_t j = 0; j < rows; j++)
            sum += weight(j) * (double)job->out[i * rows + j];
        if (sum != expected)
            return false;
    }
    return true;
}

static bool shape_is_right(drt_pool *pool, int threads, drt_cpu_product product, shape s) {
    size_t n_x = (size_t)s.n * (size_t)s.cols, n_m = (size_t)s.rows * (size_t)s.cols;
    size_t n_out = (size_t)s.n * (size_t)s.rows;
    float *memory = malloc((n_x + n_m + n_out) * sizeof *memory);
    double *sums = malloc((size_t)s.cols * sizeof *sums);
    bool right = memory && sums;
    uint32_t state = 1;
    for (size_t i = 0; right && i < n_x + n_m; i++) {
        state = state * 1664525u + 1013904223u;
        memory[i] = (float)(int)(state >> 28) - 8;
    }
    for (size_t i = n_x + n_m; right && i < n_x + n_m + n_out; i++)
        memory[i] = 1;
    if (right) {
        check_job job = {s, product, memory, memory + n_x, memory + n_x + n_m, (s.n + threads - 1) / threads};
        drt_pool_run(pool, threads, run, &job);
        right = sums_agree(&job, sums);
    }
    free(memory);
    free(sums);
    return right;
}

bool drt_cpu_gemm_is_right(drt_pool *pool, int threads, drt_cpu_product product) {
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
        if (!shape_is_right(pool, threads, product, shapes[i]))
            return false;
    return true;
}
