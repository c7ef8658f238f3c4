/* simd_body.h: inner loops, written once over a vector type. Included by simd_<set>.c after
 *
 *   SIMD_NAME, SIMD_TABLE        "avx2", drt_simd_avx2
 *   WIDTH, STRIP                 floats of a vector, rows of a strip
 *   vec, v_zero v_set v_load v_store v_load_half v_load_bytes v_add v_mul v_div v_fma(a*b+c) v_max v_min v_sum v_highest
 *   v_round (to integral), v_power (2^x, x integral), v_keep(x, low, y): y where x >= low, else 0
 *
 * A panel is two vectors wide, so the matrix loops hold STRIP x 2 sums in registers. */
#include <math.h>
#include <string.h>

#include "kernels/cpu/simd.h"
#include "kernels/half.h"

#define PANEL (2 * WIDTH)
#define INLINE static inline __attribute__((always_inline))

/* exp: 2^n * e^r with |r| <= ln2/2, a polynomial of degree 6; below e^-87 zero, above e^88 that. */
INLINE vec v_exp(vec x) {
    const vec low = v_set(-87.0f);
    vec y = v_min(v_max(x, low), v_set(88.0f));
    vec n = v_round(v_mul(y, v_set(1.44269504088896341f)));
    vec r = v_fma(n, v_set(-0.693359375f), y);
    r = v_fma(n, v_set(2.12194440e-4f), r);
    vec p = v_set(1.0f / 720);
    p = v_fma(p, r, v_set(1.0f / 120));
    p = v_fma(p, r, v_set(1.0f / 24));
    p = v_fma(p, r, v_set(1.0f / 6));
    p = v_fma(p, r, v_set(0.5f));
    p = v_fma(p, r, v_set(1.0f));
    p = v_fma(p, r, v_set(1.0f));
    return v_keep(x, low, v_mul(p, v_power(n)));
}

/* The last n < WIDTH elements of an array, `fill` after them. */
INLINE vec v_load_part(const float *x, size_t n, float fill) {
    float part[WIDTH];
    for (size_t i = 0; i < WIDTH; i++)
        part[i] = i < n ? x[i] : fill;
    return v_load(part);
}

INLINE void v_store_part(float *x, vec v, size_t n) {
    float part[WIDTH];
    v_store(part, v);
    memcpy(x, part, n * sizeof *x);
}

static void rms(const float *x, const float *weight, float eps, int n, float *out) {
    vec sums = v_zero();
    int i = 0;
    for (; i + WIDTH <= n; i += WIDTH) {
        vec v = v_load(x + i);
        sums = v_fma(v, v, sums);
    }
    float sum = v_sum(sums);
    for (; i < n; i++)
        sum += x[i] * x[i];
    float factor = 1 / sqrtf(sum / (float)n + eps);
    vec factors = v_set(factor);
    for (i = 0; i + WIDTH <= n; i += WIDTH) {
        vec v = v_mul(v_load(x + i), factors);
        v_store(out + i, weight ? v_mul(v, v_load(weight + i)) : v);
    }
    for (; i < n; i++)
        out[i] = x[i] * factor * (weight ? weight[i] : 1);
}

INLINE vec v_swiglu(vec gate, vec up) {
    vec one = v_set(1);
    return v_mul(v_div(gate, v_add(one, v_exp(v_mul(gate, v_set(-1))))), up);
}

static void swiglu(const float *gate, const float *up, size_t n, float *out) {
    size_t i = 0;
    for (; i + WIDTH <= n; i += WIDTH)
        v_store(out + i, v_swiglu(v_load(gate + i), v_load(up + i)));
    if (i < n)
        v_store_part(out + i, v_swiglu(v_load_part(gate + i, n - i, 0), v_load_part(up + i, n - i, 0)), n - i);
}

static void pack_panels(const float *x, size_t stride, int n_rows, int size, float *panels) {
    for (int first = 0; first < n_rows; first += PANEL) {
        int n = n_rows - first < PANEL ? n_rows - first : PANEL;
        float *panel = panels + (size_t)first * size;
        for (int r = 0; r < n; r++)
            for (int i = 0; i < size; i++)
                panel[(size_t)i * PANEL + r] = x[(size_t)(first + r) * stride + i];
        for (int i = 0; i < size && n < PANEL; i++)
            memset(panel + (size_t)i * PANEL + n, 0, (size_t)(PANEL - n) * sizeof *panel);
    }
}

INLINE void store_columns(float *out, vec a, vec b, int n, bool accumulate) {
    if (n >= PANEL) {
        v_store(out, accumulate ? v_add(a, v_load(out)) : a);
        v_store(out + WIDTH, accumulate ? v_add(b, v_load(out + WIDTH)) : b);
        return;
    }
    float part[PANEL];
    v_store(part, a);
    v_store(part + WIDTH, b);
    for (int i = 0; i < n; i++)
        out[i] = accumulate ? out[i] + part[i] : part[i];
}

/* `rows` is a constant where this is inlined, so the sums stay in registers. */
INLINE void panel_strip(const float *x, size_t stride, const int rows, int size, const float *panel, int n_out,
                        bool accumulate, float *out, size_t out_stride) {
    vec a[STRIP], b[STRIP];
    for (int r = 0; r < rows; r++)
        a[r] = b[r] = v_zero();
    for (int i = 0; i < size; i++) {
        vec low = v_load(panel + (size_t)i * PANEL), high = v_load(panel + (size_t)i * PANEL + WIDTH);
        for (int r = 0; r < rows; r++) {
            vec value = v_set(x[r * stride + i]);
            a[r] = v_fma(value, low, a[r]);
            b[r] = v_fma(value, high, b[r]);
        }
    }
    for (int r = 0; r < rows; r++)
        store_columns(out + r * out_stride, a[r], b[r], n_out, accumulate);
}

static void panel_product(const float *x, size_t stride, int n_rows, int size, const float *panels, int n_out,
                          bool accumulate, float *out, size_t out_stride) {
    for (int column = 0; column < n_out; column += PANEL) {
        const float *panel = panels + (size_t)column * size;
        int row = 0;
        for (; row + STRIP <= n_rows; row += STRIP)
            panel_strip(x + row * stride, stride, STRIP, size, panel, n_out - column, accumulate,
                        out + row * out_stride + column, out_stride);
        for (; row < n_rows; row++)
            panel_strip(x + row * stride, stride, 1, size, panel, n_out - column, accumulate,
                        out + row * out_stride + column, out_stride);
    }
}

INLINE void weighted_strip(const float *p, size_t p_stride, const int rows, const float *v, size_t v_stride, int n,
                           const int vectors, const float *factor, float *out, size_t out_stride) {
    vec sum[STRIP][2];
    for (int r = 0; r < rows; r++)
        sum[r][0] = sum[r][1] = v_zero();
    for (int j = 0; j < n; j++) {
        vec low = v_load(v + j * v_stride), high = vectors > 1 ? v_load(v + j * v_stride + WIDTH) : low;
        for (int r = 0; r < rows; r++) {
            vec value = v_set(p[r * p_stride + j]);
            sum[r][0] = v_fma(value, low, sum[r][0]);
            if (vectors > 1)
                sum[r][1] = v_fma(value, high, sum[r][1]);
        }
    }
    for (int r = 0; r < rows; r++) {
        v_store(out + r * out_stride, v_mul(sum[r][0], v_set(factor[r])));
        if (vectors > 1)
            v_store(out + r * out_stride + WIDTH, v_mul(sum[r][1], v_set(factor[r])));
    }
}

INLINE void weighted_columns(const float *p, size_t p_stride, int n_rows, const float *v, size_t v_stride, int n,
                             const int vectors, const float *factor, float *out, size_t out_stride) {
    int row = 0;
    for (; row + STRIP <= n_rows; row += STRIP)
        weighted_strip(p + row * p_stride, p_stride, STRIP, v, v_stride, n, vectors, factor + row,
                       out + row * out_stride, out_stride);
    for (; row < n_rows; row++)
        weighted_strip(p + row * p_stride, p_stride, 1, v, v_stride, n, vectors, factor + row, out + row * out_stride,
                       out_stride);
}

static void weighted_sum(const float *p, size_t p_stride, int n_rows, const float *v, size_t v_stride, int n, int size,
                         const float *factor, float *out, size_t out_stride) {
    int column = 0;
    for (; column + PANEL <= size; column += PANEL)
        weighted_columns(p, p_stride, n_rows, v + column, v_stride, n, 2, factor, out + column, out_stride);
    if (column < size)
        weighted_columns(p, p_stride, n_rows, v + column, v_stride, n, 1, factor, out + column, out_stride);
}

/* Sums of products of `rows` rows with y, the rows side by side so that additions do not wait for each
 * other. Once for floats, once for bytes. */
#define DOT_ROWS(name, type, load)                                                                                     \
    INLINE void name(const type *x, size_t stride, const int rows, int size, const float *y, float *out) {             \
        vec sums[4];                                                                                                   \
        int i = 0;                                                                                                     \
        for (int r = 0; r < rows; r++)                                                                                 \
            sums[r] = v_zero();                                                                                        \
        for (; i + WIDTH <= size; i += WIDTH)                                                                          \
            for (int r = 0; r < rows; r++)                                                                             \
                sums[r] = v_fma(load(x + r * stride + i), v_load(y + i), sums[r]);                                     \
        for (int r = 0; r < rows; r++) {                                                                               \
            out[r] = v_sum(sums[r]);                                                                                   \
            for (int rest = i; rest < size; rest++)                                                                    \
                out[r] += (float)x[r * stride + rest] * y[rest];                                                       \
        }                                                                                                              \
    }
DOT_ROWS(dot_some, float, v_load)
DOT_ROWS(byte_dot_some, int8_t, v_load_bytes)

static void dot_rows(const float *x, size_t stride, int n, int size, const float *y, float *out) {
    int row = 0;
    for (; row + 4 <= n; row += 4)
        dot_some(x + row * stride, stride, 4, size, y, out + row);
    for (; row < n; row++)
        dot_some(x + row * stride, stride, 1, size, y, out + row);
}

static void byte_dot_rows(const int8_t *x, size_t stride, int n, int size, const float *y, const float *scale,
                          float *out) {
    int row = 0;
    for (; row + 4 <= n; row += 4)
        byte_dot_some(x + row * stride, stride, 4, size, y, out + row);
    for (; row < n; row++)
        byte_dot_some(x + row * stride, stride, 1, size, y, out + row);
    for (row = 0; row < n; row++)
        out[row] *= scale[row];
}

static void add_rows(const float *p, const float *x, size_t stride, int n, int size, float *out) {
    int i = 0;
    for (; i + WIDTH <= size; i += WIDTH) {
        vec even = v_load(out + i), odd = v_zero();
        int j = 0;
        for (; j + 2 <= n; j += 2) {
            even = v_fma(v_set(p[j]), v_load(x + j * stride + i), even);
            odd = v_fma(v_set(p[j + 1]), v_load(x + (j + 1) * stride + i), odd);
        }
        if (j < n)
            even = v_fma(v_set(p[j]), v_load(x + j * stride + i), even);
        v_store(out + i, v_add(even, odd));
    }
    for (; i < size; i++)
        for (int j = 0; j < n; j++)
            out[i] += p[j] * x[j * stride + i];
}

static float softmax(float *s, int n, float scale, float slope) {
    float step[WIDTH];
    for (int i = 0; i < WIDTH; i++)
        step[i] = slope * (float)i;
    const vec steps = v_load(step), scales = v_set(scale);
    const size_t rest = (size_t)(n % WIDTH);
    const int whole = n - (int)rest, last = n - 1;
    vec highest = v_set(-INFINITY);
    for (int i = 0; i < whole; i += WIDTH) {
        vec v = v_fma(v_load(s + i), scales, v_add(v_set(slope * (float)(i - last)), steps));
        v_store(s + i, v);
        highest = v_max(highest, v);
    }
    if (rest) {
        vec v = v_load_part(s + whole, rest, -INFINITY);
        v = v_fma(v, scales, v_add(v_set(slope * (float)(whole - last)), steps));
        v_store_part(s + whole, v, rest);
        highest = v_max(highest, v);
    }
    const vec shift = v_set(-v_highest(highest));
    vec sums = v_zero();
    for (int i = 0; i < whole; i += WIDTH) {
        vec v = v_exp(v_add(v_load(s + i), shift));
        v_store(s + i, v);
        sums = v_add(sums, v);
    }
    if (rest) {
        vec v = v_exp(v_add(v_load_part(s + whole, rest, -INFINITY), shift));
        v_store_part(s + whole, v, rest);
        sums = v_add(sums, v);
    }
    return v_sum(sums);
}

static void half_dot_rows(const uint16_t *x, int64_t n, int size, const float *y, float factor, float *out) {
    for (int64_t row = 0; row < n; row++) {
        const uint16_t *a = x + row * size;
        vec s0 = v_zero(), s1 = v_zero();
        int i = 0;
        for (; i + 2 * WIDTH <= size; i += 2 * WIDTH) {
            s0 = v_fma(v_load_half(a + i), v_load(y + i), s0);
            s1 = v_fma(v_load_half(a + i + WIDTH), v_load(y + i + WIDTH), s1);
        }
        float sum = v_sum(v_add(s0, s1));
        for (; i < size; i++)
            sum += drt_half_value(a[i]) * y[i];
        out[row] = sum * factor;
    }
}

const drt_simd SIMD_TABLE = {
    .name = SIMD_NAME,
    .width = WIDTH,
    .strip = STRIP,
    .panel = PANEL,
    .rms = rms,
    .swiglu = swiglu,
    .pack_panels = pack_panels,
    .panel_product = panel_product,
    .weighted_sum = weighted_sum,
    .dot_rows = dot_rows,
    .byte_dot_rows = byte_dot_rows,
    .add_rows = add_rows,
    .softmax = softmax,
    .half_dot_rows = half_dot_rows,
};
