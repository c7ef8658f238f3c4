/* attention.h: what the attention operations share: keys and values of one head, packed for the matrix
 * loops, and attention of single slots on rows as they lie. */
#ifndef DRT_KERNELS_CPU_ATTENTION_H
#define DRT_KERNELS_CPU_ATTENTION_H

#include "kernels/cpu/cpu.h"

/* Up to this many slots are attended one by one: packing would cost more than it saves. */
#define DRT_FEW_SLOTS 3

/* Keys and values of one head. */
typedef struct {
    float *panels; /* keys, as drt_simd.pack_panels */
    float *values; /* (n_keys,padded), zeros past head_size */
} drt_packed_head;

/* Sizes that follow from a head. */
typedef struct {
    int head_size;
    int padded; /* head_size rounded up to whole vectors */
    float scale;
} drt_head;

drt_head drt_head_of(const drt_simd *simd, int head_size);
/* Floats of a packed head with n_keys keys, and where its parts lie in `memory`. */
size_t drt_packed_floats(const drt_simd *simd, const drt_head *head, int n_keys);
drt_packed_head drt_packed_at(const drt_simd *simd, const drt_head *head, int n_keys, float *memory);
/* Packs rows first..first+n-1 of n_keys; first is a multiple of the panel. k, v: the head's first row. */
void drt_pack_rows(const drt_simd *simd, const drt_head *head, const float *k, const float *v, size_t stride, int first,
                   int n, drt_packed_head *packed);

/* out (n_rows,head_size) = p (n_rows,n_keys) . values, row r times factor[r]; spare (strip,padded). */
void drt_gather_values(const drt_simd *simd, const drt_head *head, const float *p, size_t p_stride, int n_rows,
                       const float *values, int n_keys, const float *factor, float *spare, float *out,
                       size_t out_stride);

#endif
