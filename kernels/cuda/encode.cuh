/* encode.cuh: the encoder stream on bf16 activations: what its kernels share. May use: hopper.cuh.
 *
 * A root-mean-square norm costs no pass of its own: its gain is multiplied into the matrix that follows, and its factor,
 * one number a slot, into that matrix's results. The sums of squares behind those factors are made by whatever wrote
 * the slots. All activations are row-major bf16. */
#ifndef DRT_KERNELS_CUDA_ENCODE_CUH
#define DRT_KERNELS_CUDA_ENCODE_CUH

#include "kernels/cuda/hopper.cuh"

#define DRT_ENCODE_HEAD 64     /* the only head size */
#define DRT_ENCODE_CHUNK 64    /* the only chunk size */
#define DRT_ENCODE_WIDEST 1024 /* largest model width */

/* What happens to a product x . m^T on its way out. */
enum drt_epilogue {
    DRT_SPLIT_HEADS, /* times the norm's factor; queries and keys to unit rms, turned where rope is set */
    DRT_SWIGLU,      /* times the norm's factor; columns are gate and up in turns of 8: silu(gate) * up */
    DRT_ADD          /* added to `residual` in place; its sums of squares are added to sums_out */
};

struct drt_encode_product {
    int n, rows, cols; /* slots, columns of the product, columns of x */
    int d;             /* of DRT_SPLIT_HEADS: the model width */
    float eps;
    const float *sums_in; /* (n) sums of squares of x's slots */
    const float *rope;    /* (64,64) cosines and sines, or NULL */
    __nv_bfloat16 *out;   /* (n,rows), of DRT_SWIGLU (n,out_columns); DRT_ADD: the residual */
    int out_columns;
    float *sums_out;
};

/* x (n,cols) and m (rows,cols) as maps of tiles of DRT_PRODUCT_SLOTS and DRT_PRODUCT_COLUMNS rows. */
#define DRT_PRODUCT_SLOTS 128
#define DRT_PRODUCT_COLUMNS 192
int drt_encode_multiply(drt_backend *b, drt_epilogue epilogue, const CUtensorMap *x, const CUtensorMap *m,
                        const drt_encode_product *p);

/* qkv (before+n,3d) as a map of tiles of 64 rows; its first `before` rows, a multiple of 64, are earlier slots. segment
 * (before+n) on the device. window 0: attention inside chunks. Queries and keys have unit rms. out (n,d). */
struct drt_encode_attention {
    int n, before, window, n_heads;
    const int32_t *segment;
    __nv_bfloat16 *out;
};
int drt_encode_attend(drt_backend *b, const CUtensorMap *qkv, const drt_encode_attention *p);

/* x (n,d) = rows ids of table, and their sums of squares. ids on the device. */
int drt_encode_embed(drt_backend *b, const __nv_bfloat16 *table, const int32_t *ids, int n, int d, __nv_bfloat16 *x,
                     float *sums);
/* x = rms_norm(x) with a gain, and its sums of squares. */
int drt_encode_renorm(drt_backend *b, __nv_bfloat16 *x, const float *sums_in, const float *weight, float eps, int n,
                      int d, float *sums);
/* y = rms_norm(x) with a gain -> int8 records of chunks and fp16 landmarks, on the device. */
int drt_encode_quantise(drt_backend *b, const __nv_bfloat16 *x, const float *sums, const float *weight, float eps,
                        int n, int d, unsigned char *records, __half *landmarks);
/* out (rows of both, cols) bf16 = rows of m, each column times gain; other != NULL: rows of both in turns of 8. */
int drt_encode_fold(drt_backend *b, const drt_matrix *m, const drt_matrix *other, const float *gain,
                    __nv_bfloat16 *out);

int drt_cuda_encode_open(drt_backend *b, const drt_encode_weights *w, int max_slots, drt_encode_state **state);
int drt_cuda_encode_run(drt_backend *b, drt_encode_state *state, const int32_t *tokens, const int32_t *segment, int n,
                        uint16_t *landmarks, void *records);
void drt_cuda_encode_close(drt_backend *b, drt_encode_state *state);
size_t drt_cuda_encode_room(drt_backend *b, const drt_encode_weights *w, int max_slots);

#endif
