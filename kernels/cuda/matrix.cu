/* matrix.cu: weights as bf16, whatever the file holds. They are rounded on the host, piece by piece, since
 * they come from a mapped file and are loaded once. */
#include <math.h>
#include <string.h>

#include "kernels/cuda/cuda.cuh"

#define PIECE_BYTES ((size_t)512 << 10)

static uint16_t round_to_bf16(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    if (isnan(value))
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

static float element_f32(const void *data, size_t i) {
    float value;
    memcpy(&value, (const char *)data + i * sizeof value, sizeof value);
    return value;
}

/* Elements first..first+n-1 of the matrix as bf16. */
static void convert(drt_weight_type type, const void *data, const float *scale, size_t cols, size_t first, size_t n,
                    uint16_t *out) {
    if (type == DRT_WEIGHT_BF16)
        memcpy(out, (const char *)data + first * sizeof *out, n * sizeof *out);
    else if (type == DRT_WEIGHT_F32)
        for (size_t i = 0; i < n; i++)
            out[i] = round_to_bf16(element_f32(data, first + i));
    else
        for (size_t i = 0; i < n; i++)
            out[i] = round_to_bf16((float)((const int8_t *)data)[first + i] * element_f32(scale, (first + i) / cols));
}

int drt_cuda_matrix_load(drt_backend *b, drt_matrix *m, drt_weight_type type, const void *data, const float *scale,
                         int rows, int cols) {
    drt_cuda *cuda = drt_cuda_enter(b);
    size_t n = (size_t)rows * (size_t)cols, piece = PIECE_BYTES / sizeof(uint16_t);
    m->data = NULL;
    m->rows = rows;
    m->cols = cols;
    if (b->buffer_alloc(b, n * sizeof(uint16_t), &m->data) != 0)
        return -1;
    for (size_t first = 0; first < n; first += piece) {
        size_t count = n - first < piece ? n - first : piece;
        void *host;
        if (drt_cuda_stage(b, count * sizeof(uint16_t), &host, NULL) != 0) {
            drt_cuda_matrix_free(b, m);
            return -1;
        }
        convert(type, data, scale, (size_t)cols, first, count, (uint16_t *)host);
        if (drt_cuda_check(b,
                           cudaMemcpyAsync((uint16_t *)m->data + first, host, count * sizeof(uint16_t),
                                           cudaMemcpyHostToDevice, cuda->stream),
                           "copying weights") != 0) {
            drt_cuda_matrix_free(b, m);
            return -1;
        }
    }
    return 0;
}

void drt_cuda_matrix_free(drt_backend *b, drt_matrix *m) {
    b->buffer_free(b, m->data);
    m->data = NULL;
    m->rows = m->cols = 0;
}

size_t drt_cuda_matrix_room(drt_backend *b, drt_weight_type type, int rows, int cols) {
    (void)b;
    (void)type;
    return (size_t)rows * (size_t)cols * sizeof(uint16_t);
}
