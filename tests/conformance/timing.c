/* timing.c: prints what kernels/timing measures of a backend, at the bundled model's shape. */
#include <stdio.h>

#include "conformance.h"
#include "kernels/timing/timing.h"

typedef struct {
    const drt_timing_ceilings *ceilings;
    bool headed;
    int failed;
} printer;

static void print_heading(printer *p) {
    printf("ceilings: copy %.0f GB/s (read + written), from the host %.1f GB/s, products %.1f TFLOP/s\n\n",
           p->ceilings->copy * 1e-9, p->ceilings->link * 1e-9, p->ceilings->product * 1e-12);
    printf("%-17s %-26s %10s %10s %-7s %6s %8s %8s\n", "operation", "shape", "ms", "bound ms", "by", "share", "GB/s",
           "TFLOP/s");
    p->headed = true;
}

static bool print_row(void *user, const drt_timing_row *row) {
    static const char *const limits[] = {"copy", "link", "product"};
    printer *p = user;
    if (!p->headed)
        print_heading(p);
    if (row->error)
        printf("%-17s %-26s %s\n", row->operation, row->shape, row->error);
    else
        printf("%-17s %-26s %10.4f %10.4f %-7s %4.0f %% %8.1f %8.2f\n", row->operation, row->shape, row->seconds * 1e3,
               row->bound * 1e3, limits[row->limit], 100 * row->bound / row->seconds,
               (row->bytes + row->link_bytes) / row->seconds * 1e-9, row->flops / row->seconds * 1e-12);
    p->failed += row->error != NULL;
    fflush(stdout);
    return true;
}

int print_timings(drt_backend *b, bool gpu, const char *only) {
    drt_timing_params params = drt_timing_params_default(gpu);
    drt_timing_ceilings ceilings;
    printer p = {.ceilings = &ceilings};
    char error[512];
    params.only = only;
    if (drt_timing_run(b, &params, &ceilings, print_row, &p, error, sizeof error) != 0) {
        printf("timings: %s\n", error);
        return 1;
    }
    return p.failed ? 1 : 0;
}
