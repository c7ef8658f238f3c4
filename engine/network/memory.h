/* memory.h: the stored form of chunk memory: y_c (S,d) as int8 with a scale a slot, bf16 or fp32,
 * and landmarks as fp16. The one place that knows these layouts (DESIGN.md, "Library directory").
 *
 *   int8   S x d int8 row-major, then S F32 scales; scale = max|y| of the slot / 127, 0 if the slot
 *          is all zero; values round half to even
 *   bf16   S x d, round to nearest even
 *   fp32   S x d (tests only)
 * Slot S-1 (the null slot) is written as zero. Little-endian. May use: base. */
#ifndef DRT_NETWORK_MEMORY_H
#define DRT_NETWORK_MEMORY_H

#include "engine/drt.h"

/* Bytes of one chunk's record. */
size_t drt_memory_record_size(drt_memory_type type, int chunk_size, int d_model);
/* y (S,d) -> record. */
void drt_memory_pack(drt_memory_type type, int chunk_size, int d_model, const float *y, void *record);
/* record -> y (S,d); slot S-1 zero. */
void drt_memory_unpack(drt_memory_type type, int chunk_size, int d_model, const void *record, float *y);

/* fp32 -> IEEE binary16, round to nearest even, and back. */
void drt_half_from_float(const float *from, uint16_t *to, size_t n);
void drt_half_to_float(const uint16_t *from, float *to, size_t n);

#endif
