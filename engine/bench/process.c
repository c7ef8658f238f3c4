/* process.c: memory and time of this process, and its end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/bench/bench.h"

drt_status drt_bench_cancelled(drt_context *context) {
    return drt_fail(context, DRT_FAILED, "the benchmark was cancelled");
}

void drt_bench_memory(int64_t *peak, int64_t *anonymous) {
    char line[256];
    long long kilobytes;
    *peak = *anonymous = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status && fgets(line, sizeof line, status)) {
        if (sscanf(line, "VmHWM: %lld kB", &kilobytes) == 1)
            *peak = 1024 * kilobytes;
        if (sscanf(line, "RssAnon: %lld kB", &kilobytes) == 1)
            *anonymous = 1024 * kilobytes;
    }
    if (status)
        fclose(status);
}

bool drt_bench_is_gpu(const drt_model *model) {
    return strncmp(model->device->name, "cuda", 4) == 0;
}

int64_t drt_bench_device_memory(const drt_model *model) {
    drt_backend *b = model->device->backend;
    drt_memory_info info;
    if (!drt_bench_is_gpu(model) || b->memory_info(b, &info) != 0)
        return 0;
    return (int64_t)(info.total - info.free);
}

double drt_bench_clock(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double drt_bench_median(double *values, size_t n) {
    qsort(values, n, sizeof *values, compare);
    return values[n / 2];
}
