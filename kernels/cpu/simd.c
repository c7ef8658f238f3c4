/* simd.c: which variants of the inner loops this processor can run. */
#include "kernels/cpu/simd.h"

int drt_simd_available(const drt_simd *list[3]) {
    int n = 0;
    list[n++] = &drt_simd_generic;
#ifdef DRT_SIMD_X86
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c")) {
        list[n++] = &drt_simd_avx2;
        if (__builtin_cpu_supports("avx512f"))
            list[n++] = &drt_simd_avx512;
    }
#endif
    return n;
}
