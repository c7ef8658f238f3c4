/* swiglu.cu: gate * sigmoid(gate) * up. */
#include "kernels/cuda/cuda.cuh"

#define THREADS 256

static __global__ void swiglu(const float *gate, const float *up, size_t n, float *out) {
    size_t i = (size_t)blockIdx.x * THREADS + threadIdx.x;
    if (i < n)
        out[i] = gate[i] / (1 + __expf(-gate[i])) * up[i];
}

int drt_cuda_swiglu(drt_backend *b, const float *gate, const float *up, size_t n, float *out) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (n == 0)
        return 0;
    swiglu<<<drt_blocks(n, THREADS), THREADS, 0, cuda->stream>>>(gate, up, n, out);
    return drt_cuda_launched(b, "computing SwiGLU");
}
