/* simd_avx512.c: the inner loops for AVX-512F. Compiled with those instructions on, so it is called only
 * after drt_simd_available found them. */
#include <immintrin.h>

#define SIMD_NAME "avx512"
#define SIMD_TABLE drt_simd_avx512
#define WIDTH 16
#define STRIP 8

typedef __m512 vec;

#define v_zero() _mm512_setzero_ps()
#define v_set(x) _mm512_set1_ps(x)
#define v_load(p) _mm512_loadu_ps(p)
#define v_store(p, x) _mm512_storeu_ps(p, x)
#define v_load_half(p) _mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)(const void *)(p)))
#define v_load_bytes(p) _mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(_mm_loadu_si128((const __m128i *)(const void *)(p))))
#define v_add(a, b) _mm512_add_ps(a, b)
#define v_mul(a, b) _mm512_mul_ps(a, b)
#define v_div(a, b) _mm512_div_ps(a, b)
#define v_fma(a, b, c) _mm512_fmadd_ps(a, b, c)
#define v_max(a, b) _mm512_max_ps(a, b)
#define v_min(a, b) _mm512_min_ps(a, b)
#define v_sum(x) _mm512_reduce_add_ps(x)
#define v_highest(x) _mm512_reduce_max_ps(x)
#define v_round(x) _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)
#define v_power(x) _mm512_scalef_ps(_mm512_set1_ps(1), x)
#define v_keep(x, low, y) _mm512_maskz_mov_ps(_mm512_cmp_ps_mask(x, low, _CMP_GE_OQ), y)

#include "kernels/cpu/simd_body.h"
