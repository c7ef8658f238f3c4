/* read.cuh: the reader stream: what its kernels share. May use: cuda.cuh, attention.cuh.
 *
 * The residual stream is fp32, with a bf16 copy that products read; keys, values and weights are bf16. A norm costs no
 * pass of its own: its gain is multiplied into the matrix that follows, its factor into that matrix's results. Keys and
 * values of a lane's window lie in a ring of whole tiles of 64 slots, head by head: keys (ring,64), values transposed
 * (64,ring), so that both are read as they lie by the tensor cores. Retrieved chunks likewise, a tile a chunk.
 *
 * Everything that changes from call to call is read from a sheet in device memory, so that a call's kernels can be
 * recorded once as a graph: their launches depend on rounded sizes only. */
#ifndef DRT_KERNELS_CUDA_READ_CUH
#define DRT_KERNELS_CUDA_READ_CUH

#include "kernels/cuda/attention.cuh"

#define DRT_READ_HEAD 64  /* the only head size */
#define DRT_READ_CHUNK 64 /* the only chunk size, and the slots of a tile of keys */
#define DRT_READ_SLOTS 16 /* slots that an attention block takes */

/* Of a row: its lane, and its place in the lane's ring. lane -1: padding. */
struct drt_read_row {
    int lane, ring;
};

/* Up to DRT_READ_SLOTS rows of one lane: the first one, its place in the ring, and how many slots before it it could
 * see in a window without end. n 0: padding. */
struct drt_read_tile {
    int row, n, lane, ring, seen;
};

/* Chunks that a lane has just retrieved, as records. lane -1: padding. */
struct drt_read_fresh {
    int lane, n;
    int int8; /* else bf16 */
};

/* One area of memory, at the same offsets on both sides. */
struct drt_read_sheet {
    int32_t *tokens;       /* (max_rows) */
    drt_read_row *rows;    /* (max_rows) */
    drt_read_tile *tiles;  /* (max_rows) */
    int32_t *landmarks;    /* (max_rows): a part's row with a landmark, or -1 */
    drt_read_fresh *fresh; /* (n_lanes) */
    int32_t *counts;       /* (n_lanes,n_groups) chunks that a lane reads */
    float *weights;        /* (n_lanes,n_groups,top_k) */
};

/* What all kernels of a state know. */
struct drt_read_shape {
    int d, n_heads, d_ff, window, ring, n_groups, top_k, n_lanes;
    float eps;
};

/* Launches a kernel that may begin while the one before it ends; it calls drt_read_wait before it reads what that one
 * wrote. */
template <typename... P, typename... A>
static int drt_read_launch(drt_backend *b, const char *doing, void (*kernel)(P...), dim3 grid, unsigned threads,
                           A... arguments) {
    drt_cuda *cuda = (drt_cuda *)b;
    cudaLaunchAttribute early = {};
    early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    early.val.programmaticStreamSerializationAllowed = 1;
    cudaLaunchConfig_t config = {};
    config.gridDim = grid;
    config.blockDim = dim3(threads);
    config.stream = cuda->stream;
    config.attrs = &early;
    config.numAttrs = cuda->capability >= 90 ? 1 : 0;
    return drt_cuda_check(b, cudaLaunchKernelEx(&config, kernel, P(arguments)...), doing);
}

#ifdef __CUDACC__

/* The next kernel may begin. */
static __device__ __forceinline__ void drt_read_release() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

/* Until everything before this kernel is done. */
static __device__ __forceinline__ void drt_read_wait() {
#if __CUDA_ARCH__ >= 900
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

/* The sum of squares of two packed bf16. */
static __device__ __forceinline__ float drt_pair_square(unsigned pair) {
    float low = __uint_as_float(pair << 16), high = __uint_as_float(pair & 0xFFFF0000);
    return low * low + high * high;
}

#endif

/* What happens to a product x . m^T on its way out. factor: of x's root-mean-square norm. */
enum drt_read_epilogue {
    DRT_READ_WINDOW, /* times factor; queries, keys and values of the window, the first two to unit rms */
    DRT_READ_QUERY,  /* times factor; queries of cross-attention, to unit rms */
    DRT_READ_SWIGLU, /* times factor; columns are gate and up in turns of 8: silu(gate) * up */
    DRT_READ_ADD     /* added to the residual */
};

struct drt_read_product {
    drt_read_shape shape;
    const __nv_bfloat16 *x, *m; /* (n,cols), (rows,cols) */
    int rows, cols;
    const drt_read_row *place;    /* (n) */
    __nv_bfloat16 *out;           /* queries (n,d), SwiGLU's (n,d_ff), or the bf16 copy of the residual (n,d) */
    float *residual;              /* (n,d) */
    __nv_bfloat16 *keys, *values; /* of the layer's window */
};
/* n: 8, or 16 times a power of 2. */
int drt_read_multiply(drt_backend *b, drt_read_epilogue epilogue, const drt_read_product *p, int n);

/* out (n,d) = attention of q (n,d) over the window of one layer. */
struct drt_read_attention {
    drt_read_shape shape;
    const drt_read_tile *tiles;
    const __nv_bfloat16 *q, *keys, *values;
    __nv_bfloat16 *out;
};
int drt_read_window(drt_backend *b, const drt_read_attention *p, int n_tiles);

/* As above over the chunks of a group: keys, values (n_lanes,n_groups,top_k,n_heads,64,64). shares: NULL, or (n_heads,
 * max_rows,top_k*64) attention, written where there are chunks. */
struct drt_read_cross {
    drt_read_attention of;
    int group, max_rows;
    const int32_t *counts;
    const float *weights;
    float *shares;
};
int drt_read_cross_attention(drt_backend *b, const drt_read_cross *p, int n_tiles);

/* Records of fresh chunks -> keys, values of the group. raw: an area of top_k * 64 * d * 2 bytes a lane, its records one
 * after the other. */
struct drt_read_projection {
    drt_read_shape shape;
    int group;
    const drt_read_fresh *fresh;
    const unsigned char *raw;
    const __nv_bfloat16 *chunk_k, *chunk_v; /* (d,d) */
    __nv_bfloat16 *keys, *values;
};
int drt_read_project(drt_backend *b, const drt_read_projection *p, int n_fresh);

/* x (n,d) and its bf16 copy = rows of the table; padding becomes 0. */
int drt_read_embed(drt_backend *b, const drt_read_shape *shape, const __nv_bfloat16 *table, const int32_t *tokens,
                   const drt_read_row *place, float *x, __nv_bfloat16 *copy, int n);
/* out (n,d), which the host sees, = rms_norm of rows of x: of `rows`, -1: none; NULL: all that are no padding. */
int drt_read_norm(drt_backend *b, const drt_read_shape *shape, const float *x, const int32_t *rows,
                  const drt_read_row *place, const float *gain, float *out, int n);
/* out (n,n_groups,top_k*64), which the host sees: the group's part = the sum of n_shares shares of drt_read_cross, times
 * factor. */
int drt_read_trace(drt_backend *b, const drt_read_shape *shape, int group, const drt_read_row *place,
                   const int32_t *counts, const float *shares, int n_shares, int max_rows, float factor, float *out,
                   int n);

int drt_cuda_read_open(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots, drt_read_state **state);
void drt_cuda_read_close(drt_backend *b, drt_read_state *state);
size_t drt_cuda_read_room(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots);
int drt_cuda_read_begin(drt_backend *b, drt_read_state *state, const int32_t *tokens, const drt_read_part *parts,
                        int n_parts, bool trace, const float **queries);
int drt_cuda_read_group(drt_backend *b, drt_read_state *state, int group, const float **queries);
int drt_cuda_read_chunks(drt_backend *b, drt_read_state *state, int lane, int group, int n, const float *weights,
                         drt_weight_type type, const void *const *records);
int drt_cuda_read_end(drt_backend *b, drt_read_state *state, const float **hidden, const float **attention);

#endif
