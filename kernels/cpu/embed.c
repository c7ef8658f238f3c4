/* embed.c: rows of the embedding table. */
#include <string.h>

#include "kernels/cpu/cpu.h"

int drt_cpu_embed(drt_backend *b, const drt_matrix *table, const int32_t *ids, int n, float *x) {
    const float *rows = drt_cpu_matrix_of(table)->rows;
    size_t d = (size_t)table->cols;
    for (int i = 0; i < n; i++) {
        if (ids[i] < 0 || ids[i] >= table->rows)
            return drt_cpu_fail(b, "token %d is outside the vocabulary of %d", (int)ids[i], table->rows);
        memcpy(x + (size_t)i * d, rows + (size_t)ids[i] * d, d * sizeof *x);
    }
    return 0;
}
