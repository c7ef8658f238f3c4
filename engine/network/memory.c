/* memory.c: chunk memory as it is stored. See memory.h. */
#include "engine/network/memory.h"

#include <math.h>
#include <string.h>

#include "kernels/half.h"

size_t drt_memory_record_size(drt_memory_type type, int chunk_size, int d_model) {
    size_t slots = (size_t)chunk_size, n = slots * (size_t)d_model;
    switch (type) {
    case DRT_MEMORY_INT8:
        return n + slots * sizeof(float);
    case DRT_MEMORY_BF16:
        return n * sizeof(uint16_t);
    case DRT_MEMORY_F32:
        return n * sizeof(float);
    }
    return 0;
}

/* One slot to int8; returns its scale. Values that are no numbers become 0. */
static float pack_slot(const float *y, size_t d, int8_t *out) {
    float largest = 0;
    for (size_t i = 0; i < d; i++)
        largest = fmaxf(largest, fabsf(y[i]));
    float scale = largest / 127;
    for (size_t i = 0; i < d; i++) {
        float value = scale > 0 ? rintf(y[i] / scale) : 0;
        out[i] = value >= -127 && value <= 127 ? (int8_t)value : 0;
    }
    return scale;
}

static void pack_int8(size_t slots, size_t d, const float *y, void *record) {
    int8_t *values = record;
    for (size_t s = 0; s < slots; s++) {
        float scale = s + 1 < slots ? pack_slot(y + s * d, d, values + s * d) : 0;
        if (s + 1 == slots)
            memset(values + s * d, 0, d);
        memcpy(values + slots * d + s * sizeof scale, &scale, sizeof scale);
    }
}

static uint16_t bf16_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    if (x != x)
        return (uint16_t)(bits >> 16 | 0x40);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

void drt_memory_pack(drt_memory_type type, int chunk_size, int d_model, const float *y, void *record) {
    size_t slots = (size_t)chunk_size, d = (size_t)d_model, kept = (slots - 1) * d;
    if (type == DRT_MEMORY_INT8) {
        pack_int8(slots, d, y, record);
        return;
    }
    memset(record, 0, drt_memory_record_size(type, chunk_size, d_model));
    if (type == DRT_MEMORY_F32) {
        memcpy(record, y, kept * sizeof *y);
        return;
    }
    for (size_t i = 0; i < kept; i++) {
        uint16_t value = bf16_of(y[i]);
        memcpy((char *)record + i * sizeof value, &value, sizeof value);
    }
}

void drt_memory_unpack(drt_memory_type type, int chunk_size, int d_model, const void *record, float *y) {
    size_t slots = (size_t)chunk_size, d = (size_t)d_model, kept = (slots - 1) * d;
    memset(y + kept, 0, d * sizeof *y);
    if (type == DRT_MEMORY_F32) {
        memcpy(y, record, kept * sizeof *y);
    } else if (type == DRT_MEMORY_BF16) {
        for (size_t i = 0; i < kept; i++) {
            uint16_t value;
            memcpy(&value, (const char *)record + i * sizeof value, sizeof value);
            uint32_t bits = (uint32_t)value << 16;
            memcpy(y + i, &bits, sizeof bits);
        }
    } else {
        const int8_t *values = record;
        for (size_t s = 0; s + 1 < slots; s++) {
            float scale;
            memcpy(&scale, values + slots * d + s * sizeof scale, sizeof scale);
            for (size_t i = 0; i < d; i++)
                y[s * d + i] = (float)values[s * d + i] * scale;
        }
    }
}

/* ------------------------------------------------------------------------------- half ---- */

static uint16_t half_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    bits &= 0x7FFFFFFF;
    if (bits > 0x7F800000)
        return sign | 0x7E00;
    if (bits >= 0x477FF000) /* rounds to 65536 or more */
        return sign | 0x7C00;
    if (bits < 0x38800000) { /* below 2^-14: multiples of 2^-24 */
        float magnitude;
        memcpy(&magnitude, &bits, sizeof magnitude);
        return sign | (uint16_t)rintf(magnitude * 0x1p24f);
    }
    bits += 0xFFF + (bits >> 13 & 1);
    return sign | (uint16_t)((bits - 0x38000000) >> 13);
}

void drt_half_from_float(const float *from, uint16_t *to, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = half_of(from[i]);
}

void drt_half_to_float(const uint16_t *from, float *to, size_t n) {
    for (size_t i = 0; i < n; i++)
        to[i] = drt_half_value(from[i]);
}
