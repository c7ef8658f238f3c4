/* embed.cu: rows of the embedding table. */
#include <string.h>

#include "kernels/cuda/cuda.cuh"

#define THREADS 128

static __global__ void embed(const __nv_bfloat16 *table, const int32_t *ids, int d, float *x) {
    const __nv_bfloat16 *row = table + (size_t)ids[blockIdx.x] * d;
    float *to = x + (size_t)blockIdx.x * d;
    for (int i = threadIdx.x; i < d; i += THREADS)
        to[i] = __bfloat162float(row[i]);
}

int drt_cuda_embed(drt_backend *b, const drt_matrix *table, const int32_t *ids, int n, float *x) {
    drt_cuda *cuda = drt_cuda_enter(b);
    for (int i = 0; i < n; i++)
        if (ids[i] < 0 || ids[i] >= table->rows)
            return drt_cuda_fail(b, "token %d is outside the vocabulary of %d", (int)ids[i], table->rows);
    if (n <= 0)
        return 0;
    size_t bytes = (size_t)n * sizeof *ids;
    void *host, *device;
    if (drt_cuda_stage(b, bytes, &host, &device) != 0)
        return -1;
    memcpy(host, ids, bytes);
    if (drt_cuda_stage_send(b, bytes) != 0)
        return -1;
    embed<<<(unsigned)n, THREADS, 0, cuda->stream>>>((const __nv_bfloat16 *)table->data, (const int32_t *)device,
                                                     table->cols, x);
    return drt_cuda_launched(b, "reading embeddings");
}
