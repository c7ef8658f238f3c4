/* matrix.c: weights as fp32, whatever the file holds, and as int8 where it holds that. */
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

static void widen_int8(const int8_t *data, const float *scale, size_t rows, size_t cols, float *out) {
    for (size_t r = 0; r < rows; r++)
        for (size_t c = 0; c < cols; c++)
            out[r * cols + c] = (float)data[r * cols + c] * scale[r];
}

static int allocate(drt_backend *b, drt_matrix *m, size_t n, bool int8) {
    drt_cpu_matrix *matrix = calloc(1, sizeof *matrix);
    if (!matrix)
        return drt_cpu_fail(b, "out of memory for a matrix");
    m->data = matrix;
    void *rows = NULL, *bytes = NULL, *scale = NULL;
    int result = b->buffer_alloc(b, n * sizeof *matrix->rows, &rows);
    if (result == 0 && int8)
        result = b->buffer_alloc(b, n, &bytes);
    if (result == 0 && int8)
        result = b->buffer_alloc(b, (size_t)m->rows * sizeof *matrix->scale, &scale);
    *matrix = (drt_cpu_matrix){rows, bytes, scale};
    if (result != 0)
        drt_cpu_matrix_free(b, m);
    return result;
}

int drt_cpu_matrix_load(drt_backend *b, drt_matrix *m, drt_weight_type type, const void *data, const float *scale,
                        int rows, int cols) {
    size_t n = (size_t)rows * (size_t)cols;
    *m = (drt_matrix){NULL, rows, cols};
    if (allocate(b, m, n, type == DRT_WEIGHT_I8) != 0)
        return -1;
    drt_cpu_matrix *matrix = m->data;
    if (type == DRT_WEIGHT_I8) {
        memcpy(matrix->bytes, data, n);
        memcpy(matrix->scale, scale, (size_t)rows * sizeof *scale);
        widen_int8(matrix->bytes, matrix->scale, (size_t)rows, (size_t)cols, matrix->rows);
    } else if (type == DRT_WEIGHT_BF16) {
        widen_bf16(data, n, matrix->rows);
    } else {
        memcpy(matrix->rows, data, n * sizeof(float));
    }
    return 0;
}

void drt_cpu_matrix_free(drt_backend *b, drt_matrix *m) {
    drt_cpu_matrix *matrix = m->data;
    if (matrix) {
        b->buffer_free(b, matrix->rows);
        b->buffer_free(b, matrix->bytes);
        b->buffer_free(b, matrix->scale);
    }
    free(matrix);
    *m = (drt_matrix){0};
}

size_t drt_cpu_matrix_room(drt_backend *b, drt_weight_type type, int rows, int cols) {
    (void)b;
    size_t n = (size_t)rows * (size_t)cols, bytes = n * sizeof(float);
    return type == DRT_WEIGHT_I8 ? bytes + n + (size_t)rows * sizeof(float) : bytes;
}
