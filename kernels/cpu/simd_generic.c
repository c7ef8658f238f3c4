/* simd_generic.c: the inner loops in plain C, for any processor. */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "kernels/half.h"

#define SIMD_NAME "generic"
#define SIMD_TABLE drt_simd_generic
#define WIDTH 4
#define STRIP 4

typedef struct {
    float at[WIDTH];
} vec;

#define EACH(expression)                                                                                               \
    vec out;                                                                                                           \
    for (int i = 0; i < WIDTH; i++)                                                                                    \
        out.at[i] = (expression);                                                                                      \
    return out

static inline vec v_set(float x) {
    EACH(x);
}
static inline vec v_zero(void) {
    return v_set(0);
}
static inline vec v_load(const float *x) {
    EACH(x[i]);
}
static inline vec v_load_bytes(const int8_t *x) {
    EACH((float)x[i]);
}
static inline void v_store(float *to, vec x) {
    memcpy(to, x.at, sizeof x.at);
}
static inline vec v_add(vec a, vec b) {
    EACH(a.at[i] + b.at[i]);
}
static inline vec v_mul(vec a, vec b) {
    EACH(a.at[i] * b.at[i]);
}
static inline vec v_div(vec a, vec b) {
    EACH(a.at[i] / b.at[i]);
}
static inline vec v_fma(vec a, vec b, vec c) {
    EACH(a.at[i] * b.at[i] + c.at[i]);
}
static inline vec v_max(vec a, vec b) {
    EACH(a.at[i] > b.at[i] ? a.at[i] : b.at[i]);
}
static inline vec v_min(vec a, vec b) {
    EACH(a.at[i] < b.at[i] ? a.at[i] : b.at[i]);
}
static inline float v_sum(vec x) {
    return (x.at[0] + x.at[1]) + (x.at[2] + x.at[3]);
}
static inline float v_highest(vec x) {
    return fmaxf(fmaxf(x.at[0], x.at[1]), fmaxf(x.at[2], x.at[3]));
}
static inline vec v_round(vec x) {
    EACH(rintf(x.at[i]));
}
static inline vec v_power(vec x) {
    EACH(ldexpf(1.0f, (int)x.at[i]));
}
static inline vec v_keep(vec x, vec low, vec y) {
    EACH(x.at[i] >= low.at[i] ? y.at[i] : 0);
}

static inline vec v_load_half(const uint16_t *x) {
    EACH(drt_half_value(x[i]));
}

#include "kernels/cpu/simd_body.h"
