/* hopper.cu: tensor maps; see hopper.cuh. The driver's function is asked for at run time: the module is not linked
 * with the driver, which machines without a GPU lack. */
#include "kernels/cuda/hopper.cuh"

typedef CUresult encode_fn(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                           const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                           CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);

static encode_fn *find_encode() {
    void *function = NULL;
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    cudaError_t status =
        cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, 12000, cudaEnableDefault, &found);
#else
    cudaError_t status = cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &function, cudaEnableDefault, &found);
#endif
    return status == cudaSuccess && found == cudaDriverEntryPointSuccess ? (encode_fn *)function : NULL;
}

int drt_tile_map(drt_backend *b, CUtensorMap *map, const void *x, size_t rows, size_t columns, size_t stride,
                 unsigned tile_rows) {
    encode_fn *encode = find_encode();
    if (!encode)
        return drt_cuda_fail(b, "the GPU driver is older than CUDA 12: it knows no tensor maps");
    const cuuint64_t sizes[] = {columns, rows}, strides[] = {stride * sizeof(__nv_bfloat16)};
    const cuuint32_t tile[] = {DRT_TILE_COLUMNS, tile_rows}, steps[] = {1, 1};
    CUresult status = encode(map, CU_TENSOR_MAP_DATA_TYPE_BFLOAT16, 2, (void *)x, sizes, strides, tile, steps,
                             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                             CU_TENSOR_MAP_L2_PROMOTION_L2_256B, CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
    return status == CUDA_SUCCESS ? 0 : drt_cuda_fail(b, "the GPU driver refuses a tensor map (error %d)", (int)status);
}
