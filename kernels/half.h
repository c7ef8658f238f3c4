/* half.h: the value of an IEEE binary16 number. May use: libc. */
#ifndef DRT_KERNELS_HALF_H
#define DRT_KERNELS_HALF_H

#include <stdint.h>
#include <string.h>

static inline float drt_half_value(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    if (exponent == 0) {
        float value = (float)fraction * 0x1p-24f;
        return sign ? -value : value;
    }
    uint32_t bits = sign | (exponent == 31 ? 0x7F800000 : (exponent + 112) << 23) | fraction << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#endif
