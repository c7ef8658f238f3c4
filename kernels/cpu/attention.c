/* attention.c: packing of one head's keys and values; see attention.h. */
#include "kernels/cpu/attention.h"

#include <math.h>
#include <string.h>

drt_head drt_head_of(const drt_simd *simd, int head_size) {
    return (drt_head){head_size, drt_round_up(head_size, simd->width), 1 / sqrtf((float)head_size)};
}

static size_t panel_floats(const drt_simd *simd, const drt_head *head, int n_keys) {
    return (size_t)drt_round_up(drt_round_up(n_keys, simd->panel) * head->head_size, 16);
}

size_t drt_packed_floats(const drt_simd *simd, const drt_head *head, int n_keys) {
    return panel_floats(simd, head, n_keys) + (size_t)drt_round_up(n_keys * head->padded, 16);
}

drt_packed_head drt_packed_at(const drt_simd *simd, const drt_head *head, int n_keys, float *memory) {
    return (drt_packed_head){memory, memory + panel_floats(simd, head, n_keys)};
}

void drt_pack_rows(const drt_simd *simd, const drt_head *head, const float *k, const float *v, size_t stride, int first,
                   int n, drt_packed_head *packed) {
    size_t size = (size_t)head->head_size, padded = (size_t)head->padded;
    simd->pack_panels(k + (size_t)first * stride, stride, n, head->head_size, packed->panels + (size_t)first * size);
    for (size_t row = (size_t)first; row < (size_t)(first + n); row++) {
        float *to = packed->values + row * padded;
        memcpy(to, v + row * stride, size * sizeof *to);
        memset(to + size, 0, (padded - size) * sizeof *to);
    }
}

void drt_gather_values(const drt_simd *simd, const drt_head *head, const float *p, size_t p_stride, int n_rows,
                       const float *values, int n_keys, const float *factor, float *spare, float *out,
                       size_t out_stride) {
    size_t padded = (size_t)head->padded;
    if (head->padded == head->head_size) {
        simd->weighted_sum(p, p_stride, n_rows, values, padded, n_keys, head->padded, factor, out, out_stride);
        return;
    }
    simd->weighted_sum(p, p_stride, n_rows, values, padded, n_keys, head->padded, factor, spare, padded);
    for (int r = 0; r < n_rows; r++)
        memcpy(out + (size_t)r * out_stride, spare + (size_t)r * padded, (size_t)head->head_size * sizeof *out);
}
