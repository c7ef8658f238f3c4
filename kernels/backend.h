/* backend.h: the table of compute operations that every backend fills in.
 *
 * kernels/cpu and kernels/cuda implement it, one operation per file, twins side by side. This folder
 * knows nothing of the engine.
 *
 * Memory. Float and half pointers that operations take or give are backend memory (buffer_alloc) unless
 * the comment says host; pointer arithmetic on them is allowed. Arrays of integers, masks and parameter
 * structs are host memory, read during the call. Operations run in order; results are visible to the
 * host after download or synchronize. On the CPU backend memory is host memory.
 *
 * Layouts are row-major, the last axis contiguous. Shapes: n slots, d = n_heads * head_size model
 * width (heads side by side inside d), f feed-forward width, S slots of a chunk, K retrieved chunks,
 * C chunks of a library. Out and input may be the same buffer only where that is said.
 *
 * Every operation returns 0, or -1 with a sentence in backend->error. Sizes of 0 slots are allowed and
 * do nothing. One call at a time on one backend.
 */
#ifndef DRT_KERNELS_BACKEND_H
#define DRT_KERNELS_BACKEND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types of weights as they come from a file. */
typedef enum { DRT_WEIGHT_F32, DRT_WEIGHT_BF16, DRT_WEIGHT_I8 } drt_weight_type;

/* A weight matrix in the backend's own form (fp32 on the CPU, bf16 on CUDA). */
typedef struct {
    void *data;
    int rows, cols; /* out features, in features */
} drt_matrix;

/* The product of a layer's (3d,d) projection, taken apart: q, k, v of each slot. */
typedef struct {
    const float *qkv; /* (n,3d): q, k, v side by side */
    int n, n_heads, head_size;
    bool unit_rms;     /* scale q and k of each head to root mean square 1 */
    float eps;         /* of unit_rms */
    const float *rope; /* (S,head_size) from rope_table: rotate q and k, slot i at position i % S; NULL: not */
    int chunk_size;    /* S; read with rope only */
    float *q, *k, *v;  /* (n,d) each */
} drt_split_qkv;

/* Slot i of the n new ones stands at row m-n+i of k, v and segment. It sees itself and the window-1
 * rows before it that carry its segment number. Logits: q.k/sqrt(head_size) - slope * distance, slope of
 * head j (from 0) = 2^(-8(j+1)/n_heads) (ALiBi). */
typedef struct {
    const float *q;         /* (n,d) */
    const float *k, *v;     /* (m,d): m-n earlier slots, then the new ones */
    const int32_t *segment; /* (m) host; NULL: all the same */
    int n, m, window, n_heads, head_size;
    float *out; /* (n,d); may be q */
} drt_window_attention;

/* Bidirectional attention inside each chunk of S slots. */
typedef struct {
    const float *q, *k, *v; /* (n_chunks*S,d) */
    int n_chunks, chunk_size, n_heads, head_size;
    float *out; /* (n_chunks*S,d); may be q */
} drt_chunk_attention;

/* Slots first .. first+n-1 of a call share one retrieval of n_chunks chunks. */
typedef struct {
    int first, n;
    int n_chunks;         /* 0: these slots read nothing (output 0) */
    const float *k, *v;   /* (n_chunks,S,d); slot S-1 of each chunk is zero: the null slot */
    const float *weights; /* (n_chunks) host */
} drt_gca_block;

/* Grouped cross-attention: for each chunk of a slot's block softmax(q.k/sqrt(head_size)) over its S
 * slots, times v; the chunks' results summed with `weights`. Slots of no block get 0. */
typedef struct {
    const float *q; /* (n,d) */
    int n, n_heads, head_size, chunk_size;
    const drt_gca_block *blocks; /* host; disjoint ranges of slots */
    int n_blocks;
    float *out; /* (n,d); not q */
    /* NULL, or slot i's attention on slot s of its chunk c, summed over heads and multiplied with
     * attention_factor, is added to attention[i*attention_stride + c*S + s]. */
    float *attention;
    size_t attention_stride;
    float attention_factor;
} drt_cross_attention;

/* The encoder stream as one operation: lower layers (window attention with ALiBi), the norm encoder_in, encoder layers
 * (attention inside chunks, rotary positions), the norm encoder_out. Both kinds of layer: x += attention(norm(x)),
 * x += down(silu(gate) * up) of mlp_norm(x). Everything must outlive the state made from it. */
typedef struct {
    const float *attn_norm, *mlp_norm; /* (d) */
    const drt_matrix *qkv, *out, *gate, *up, *down;
} drt_encode_layer;

typedef struct {
    int d, n_heads, d_ff, chunk_size, window;
    bool unit_rms; /* of queries and keys, each head */
    float eps, rope_theta;
    const drt_matrix *embed;
    const drt_encode_layer *lower, *encoder; /* host */
    int n_lower, n_encoder;
    const float *encoder_in_norm, *encoder_out_norm; /* (d) */
} drt_encode_weights;

typedef struct drt_encode_state drt_encode_state;

/* The landmarks of a library, scanned for the chunks nearest to queries. A score is landmark . query / sqrt(d), summed
 * in the same order however many queries share a scan. Scores that are NaN are never taken and count nowhere. */
typedef struct drt_landmark_set drt_landmark_set;

#define DRT_SCORE_BINS 64

typedef struct {
    const float *query;      /* (d) host */
    int64_t n;               /* the first n chunks of the set are looked at, */
    const uint64_t *allowed; /* where bit i%64 of word i/64 is set (backend memory); NULL: all of them */
    int k;                   /* wanted */
    int64_t *chunks;         /* (k) host: the best first, ties to the lower chunk */
    float *scores;           /* (k) host */
    int count;               /* found, <= k */
    float low, high;         /* of all allowed scores; low > high: there are none */
} drt_landmark_scan;

typedef struct {
    const float *query; /* these three as in a scan */
    int64_t n;
    const uint64_t *allowed;
    float low, high;                 /* divided into bins of equal width; what lies outside counts in the outer ones */
    uint32_t counts[DRT_SCORE_BINS]; /* of allowed scores; all in bin 0 where low is not below high */
} drt_landmark_histogram;

/* The reader stream as one set of operations: lower layers as above, then groups of layers that have grouped
 * cross-attention (x += attention(norm(x)), x += gca_out(gca(gca_q(gca_norm(x)))), x += down(silu(gate) * up)), for
 * several lanes, each a sequence of slots with a window and retrievals of its own. Everything must outlive the state
 * made from it. */
typedef struct {
    const float *attn_norm, *gca_norm, *mlp_norm;  /* (d) */
    const drt_matrix *qkv, *out, *gca_q, *gca_out; /* gca_*: of the groups' layers */
    const drt_matrix *gate, *up, *down;
} drt_read_layer;

typedef struct {
    int d, n_heads, d_ff, chunk_size, window, top_k;
    bool unit_rms; /* of queries and keys, each head */
    float eps;
    const drt_matrix *embed, *chunk_k, *chunk_v;
    const drt_read_layer *lower, *upper; /* host; upper: the groups' layers one after the other */
    int n_lower, n_groups;
    const int *group_layers;        /* (n_groups) host */
    const float *const *query_norm; /* (n_groups) host, of (d) */
    const float *final_norm;        /* (d) */
} drt_read_weights;

/* Consecutive slots of a lane in one call, at most S: rows first .. first+n-1. The parts of a call lie behind each
 * other; a lane has at most one, and its slots come without gaps. */
typedef struct {
    int lane, first, n;
    int64_t position, start; /* of the first slot in the lane, and where its segment began: nothing before is seen */
    bool landmark;           /* the first row retrieves, and all rows read what it finds */
} drt_read_part;

typedef struct drt_read_state drt_read_state;

/* Bytes of the memory that buffers come from. */
typedef struct {
    size_t available;  /* for more buffers: what is free, within the limit; 0: not known */
    size_t free;       /* of all; 0: not known */
    size_t total;      /* in all; 0: not known */
    size_t used, peak; /* in buffers now, and at most so far; 0 on the CPU, which does not count them */
} drt_memory_info;

typedef struct drt_backend drt_backend;

struct drt_backend {
    char error[512];
    char description[256]; /* a line for people */
    int threads;
    bool own_memory;     /* buffers do not lie in the host's memory */
    size_t memory_limit; /* bytes that all buffers together may take, set by whoever opened it; 0: no limit */

    void (*close)(drt_backend *b);

    /* -------------------------------------------------------------- memory ------------- */
    int (*buffer_alloc)(drt_backend *b, size_t bytes, void **buffer);
    void (*buffer_free)(drt_backend *b, void *buffer);
    int (*upload)(drt_backend *b, void *to, const void *from, size_t bytes);
    int (*download)(drt_backend *b, void *to, const void *from, size_t bytes);
    /* Inside backend memory; the ranges may overlap. */
    int (*move)(drt_backend *b, void *to, const void *from, size_t bytes);
    int (*clear)(drt_backend *b, void *buffer, size_t bytes);
    int (*synchronize)(drt_backend *b);
    int (*memory_info)(drt_backend *b, drt_memory_info *info);

    /* Host memory that copies to and from the backend need not wait for. */
    int (*host_alloc)(drt_backend *b, size_t bytes, void **host);
    void (*host_free)(drt_backend *b, void *host);

    /* data (rows,cols) of `type`, of any alignment; scale (rows) for I8, else NULL. Host memory, read only
     * during the call. */
    int (*matrix_load)(drt_backend *b, drt_matrix *m, drt_weight_type type, const void *data, const float *scale,
                       int rows, int cols);
    void (*matrix_free)(drt_backend *b, drt_matrix *m);
    /* Bytes of the backend's memory that matrix_load takes. */
    size_t (*matrix_room)(drt_backend *b, drt_weight_type type, int rows, int cols);

    /* ---------------------------------------------------------- operations ------------- */
    /* x (n,cols) = rows `ids` of table. An id outside the table fails. */
    int (*embed)(drt_backend *b, const drt_matrix *table, const int32_t *ids, int n, float *x);
    /* out (n,d) = x / sqrt(mean(x^2) + eps) * weight (d). out may be x. */
    int (*rms_norm)(drt_backend *b, const float *x, const float *weight, float eps, int n, int d, float *out);
    /* x (n,head_size): each row scaled to root mean square 1, in place; a zero row stays zero. */
    int (*unit_rms)(drt_backend *b, float *x, float eps, int64_t n, int head_size);
    /* out (n,rows) = x (n,cols) . m^T, added to out when accumulate. out may not be x. */
    int (*linear)(drt_backend *b, const float *x, const drt_matrix *m, int n, bool accumulate, float *out);
    /* out = x + y, n elements. out may be either. */
    int (*add)(drt_backend *b, const float *x, const float *y, size_t n, float *out);
    /* out = gate * sigmoid(gate) * up, n elements. out may be either. */
    int (*swiglu)(drt_backend *b, const float *gate, const float *up, size_t n, float *out);
    /* table (S,head_size): cosines of positions 0..S-1 in the first half of a row, sines in the second,
     * frequencies theta^(-2i/head_size). head_size must be even. */
    int (*rope_table)(drt_backend *b, int chunk_size, int head_size, float theta, float *table);
    int (*split_qkv)(drt_backend *b, const drt_split_qkv *p);
    int (*window_attention)(drt_backend *b, const drt_window_attention *p);
    int (*chunk_attention)(drt_backend *b, const drt_chunk_attention *p);
    int (*cross_attention)(drt_backend *b, const drt_cross_attention *p);
    /* Scans of landmarks. open: an empty set of landmarks of d numbers. budget: bytes of backend memory that it may take
     * (kernels/landmarks.h says how they are shared out); what does not stay there streams through it at every scan.
     * The CPU reads everything where it lies and takes none. */
    int (*landmarks_open)(drt_backend *b, int d, size_t budget, drt_landmark_set **l);
    void (*landmarks_close)(drt_backend *b, drt_landmark_set *l);
    /* The set is now host (n,d) fp16, host memory that must stay as it is until the next set or close. Its first `kept`
     * landmarks are those that it held before: they are not copied again where they stay. */
    int (*landmarks_set)(drt_backend *b, drt_landmark_set *l, const uint16_t *host, int64_t n, int64_t kept);
    /* Each fills its results before it returns; queries of one call share the reading of the landmarks. */
    int (*landmarks_scan)(drt_backend *b, drt_landmark_set *l, drt_landmark_scan *scans, int n_scans);
    int (*landmarks_histogram)(drt_backend *b, drt_landmark_set *l, drt_landmark_histogram *histograms,
                               int n_histograms);
    /* scores (n, host) of the given chunks; query (d) and chunks (n) host. */
    int (*landmarks_scores)(drt_backend *b, drt_landmark_set *l, const float *query, const int64_t *chunks, int n,
                            float *scores);

    /* All of the encoder stream at once, on activations narrower than fp32; NULL where a backend has only the
     * operations above. open: 0, -1, or 1 where these weights have a shape that it does not take. */
    int (*encode_open)(drt_backend *b, const drt_encode_weights *w, int max_slots, drt_encode_state **state);
    void (*encode_close)(drt_backend *b, drt_encode_state *state);
    /* Bytes of buffers that encode_open would take, by the sizes in w alone; 0: it does not take this shape. */
    size_t (*encode_room)(drt_backend *b, const drt_encode_weights *w, int max_slots);
    /* Adds n slots (whole chunks, at most max_slots). tokens, segment (n) as in window_attention, numbers from 0 that
     * come in runs: one that ended does not return. Keys and values of earlier calls are seen. Writes to host memory from
     * host_alloc, there after synchronize: landmarks (n/S,d) fp16; records, one a chunk: S x d int8, then S float scales,
     * scale = max|y| of the slot / 127, slot S-1 all zero. */
    int (*encode_run)(drt_backend *b, drt_encode_state *state, const int32_t *tokens, const int32_t *segment, int n,
                      uint16_t *landmarks, void *records);

    /* The reader stream on matrices and keys narrower than fp32; NULL where a backend has only the operations above.
     * open: 0, -1, or 1 where these weights have a shape that it does not take. max_slots: most rows of a call. */
    int (*read_open)(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots, drt_read_state **state);
    void (*read_close)(drt_backend *b, drt_read_state *state);
    /* Bytes of buffers that read_open would take, by the sizes in w alone; 0: it does not take this shape. */
    size_t (*read_room)(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots);
    /* A call is read_begin, read_group for each group in order, read_end. read_begin runs the lower layers. Both wait for
     * *queries (n_parts,d) host, of parts with a landmark: rms_norm of its row with the gain of the group that runs
     * next; where no part has one, and after the last group, they do not wait and set it to NULL. trace: attention is
     * wanted from read_end. */
    int (*read_begin)(drt_backend *b, drt_read_state *state, const int32_t *tokens, const drt_read_part *parts,
                      int n_parts, bool trace, const float **queries);
    int (*read_group)(drt_backend *b, drt_read_state *state, int group, const float **queries);
    /* What a lane reads in a group from that group's next run on: n chunks, 0: nothing. records (n) host, as encode_run
     * gives them for I8; for BF16 S x d. They are copied before the call returns. n 0 does not fail. */
    int (*read_chunks)(drt_backend *b, drt_read_state *state, int lane, int group, int n, const float *weights,
                       drt_weight_type type, const void *const *records);
    /* Waits. *hidden (rows,d) after the final norm and *attention (rows,n_groups,top_k,S), or NULL, are host memory
     * that stays as it is until the next read_begin. attention: within-chunk softmax, mean over heads and the group's
     * layers; zero for chunks that were not there. */
    int (*read_end)(drt_backend *b, drt_read_state *state, const float **hidden, const float **attention);
};

/* The CPU backend. threads 0: one for each usable core. Returns 0, or -1 with a sentence in error. */
int drt_backend_open_cpu(int threads, drt_backend **backend, char *error, size_t error_size);

/* The memory of this machine; what other programs could be made to give back counts as available. */
void drt_host_memory(drt_memory_info *info);

#ifdef __cplusplus
}
#endif
#endif
