/* simd.c: which variants of the inner loops this processor can run. */
#include "kernels/cpu/simd.h"

#ifdef DRT_SIMD_X86
#include <cpuid.h>
#include <stdbool.h>

/* clang 14 does not know "f16c" in __builtin_cpu_supports. */
static bool has_f16c(void) {
    unsigned a, b, c, d;
    return __get_cpuid(1, &a, &b, &c, &d) && (c & bit_F16C);
}
#endif

int drt_simd_available(const drt_simd *list[3]) {
    int n = 0;
    list[n++] = &drt_simd_generic;
#ifdef DRT_SIMD_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && has_f16c()) {
        list[n++] = &drt_simd_avx2;
        if (__builtin_cpu_supports("avx512f"))
            list[n++] = &drt_simd_avx512;
    }
#endif
    return n;
}
