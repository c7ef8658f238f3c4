/* rms_norm.cu: root-mean-square normalisation of slots with a gain, and of heads without. A warp a row. */
#include "kernels/cuda/cuda.cuh"

#define WARPS 8

static __global__ void rms(const float *x, const float *weight, float eps, int64_t n, int size, float *out) {
    int64_t row = (int64_t)blockIdx.x * WARPS + threadIdx.x / DRT_WARP;
    int lane = threadIdx.x % DRT_WARP;
    if (row >= n)
        return;
    const float *from = x + row * size;
    float *to = out + row * size, sum = 0;
    for (int i = lane; i < size; i += DRT_WARP)
        sum += from[i] * from[i];
    float factor = rsqrtf(drt_warp_sum(sum) / (float)size + eps);
    for (int i = lane; i < size; i += DRT_WARP)
        to[i] = from[i] * factor * (weight ? weight[i] : 1);
}

static int normalise(drt_backend *b, const float *x, const float *weight, float eps, int64_t n, int size, float *out) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (n <= 0)
        return 0;
    rms<<<drt_blocks((size_t)n, WARPS), WARPS * DRT_WARP, 0, cuda->stream>>>(x, weight, eps, n, size, out);
    return drt_cuda_launched(b, "normalising");
}

int drt_cuda_rms_norm(drt_backend *b, const float *x, const float *weight, float eps, int n, int d, float *out) {
    return normalise(b, x, weight, eps, n, d, out);
}

int drt_cuda_unit_rms(drt_backend *b, float *x, float eps, int64_t n, int head_size) {
    return normalise(b, x, NULL, eps, n, head_size, x);
}
