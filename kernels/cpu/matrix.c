/* matrix.c: weights as fp32, whatever the file holds. */
#include <stdlib.h>
#include <string.h>

#include "kernels/cpu/cpu.h"

static void widen_bf16(const unsigned char *data, size_t n, float *out) {
    for (size_t i = 0; i < n; i++) {
        uint16_t half;
        memcpy(&half, data + 2 * i, sizeof half);
        uint32_t bits = (uint32_t)half << 16;
        memcpy(out + i, &bits, sizeof bits);
    }
}

static void scale_rows(const int8_t *data, const float *scale, int rows, int cols, float *out) {
    for (size_t r = 0; r < (size_t)rows; r++) {
        float factor;
        memcpy(&factor, (const char *)scale + r * sizeof factor, sizeof factor);
        for (size_t c = 0; c < (size_t)cols; c++)
            out[r * (size_t)cols + c] = (float)data[r * (size_t)cols + c] * factor;
    }
}

int drt_cpu_matrix_load(drt_backend *b, drt_matrix *m, drt_weight_type type, const void *data, const float *scale,
                        int rows, int cols) {
    size_t n = (size_t)rows * (size_t)cols;
    *m = (drt_matrix){NULL, rows, cols};
    if (b->buffer_alloc(b, n * sizeof(float), &m->data) != 0)
        return -1;
    if (type == DRT_WEIGHT_I8)
        scale_rows(data, scale, rows, cols, m->data);
    else if (type == DRT_WEIGHT_BF16)
        widen_bf16(data, n, m->data);
    else if (n)
        memcpy(m->data, data, n * sizeof(float));
    return 0;
}

void drt_cpu_matrix_free(drt_backend *b, drt_matrix *m) {
    b->buffer_free(b, m->data);
    *m = (drt_matrix){0};
}
