/* timing.h: how long each operation of a backend takes at a model's shapes, beside the least that it could take.
 *
 * Three ceilings are measured first, in the same run: a large copy, a large product, a large copy from the host. The
 * bound of an operation is what its bytes and its arithmetic would take at those rates, whichever is longer.
 * A library of its own, for `drt bench ops` and for the conformance runner. May use: backend.h, libc. */
#ifndef DRT_KERNELS_TIMING_H
#define DRT_KERNELS_TIMING_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The sizes of a model, named as in its config.json. */
typedef struct {
    int vocab_size, d_model, n_heads, d_ff, lower_layers, encoder_layers, chunk_size, window, top_k, n_groups;
    const int *group_layers; /* (n_groups) */
} drt_timing_shape;

#define DRT_TIMING_LIBRARIES 4

typedef struct {
    drt_timing_shape shape;
    int slots;                            /* of a full batch of an ingest: a multiple of chunk_size */
    int64_t chunks[DRT_TIMING_LIBRARIES]; /* of the libraries that are searched; 0: none */
    bool stream;                          /* also with landmarks that do not stay with the backend */
    int product;                          /* n of the n x n x n product whose rate is the ceiling */
    size_t copy;                          /* bytes of the copy whose rate is the ceiling */
    const char *only; /* NULL, or "encode_run" (for several batch sizes up to `slots`) or "read" alone */
} drt_timing_params;

/* The bundled model's shape, and sizes that fill a GPU, or else a CPU. */
drt_timing_params drt_timing_params_default(bool gpu);

typedef struct {
    double copy;    /* bytes/s, read and written ones both counted */
    double link;    /* bytes/s from the host's memory (host_alloc) to the backend's */
    double product; /* FLOP/s of `linear`, whatever it converts included */
} drt_timing_ceilings;

typedef enum { DRT_TIMING_COPY, DRT_TIMING_LINK, DRT_TIMING_PRODUCT } drt_timing_limit;

typedef struct {
    const char *operation; /* its name in the table of backend.h */
    const char *shape;     /* for people: "64 x 384 -> 1152" */
    const char *error;     /* NULL, or why it could not be timed; then the rest is 0 */
    double seconds;        /* of one call, calls queued one after the other: median of several batches */
    double bytes;          /* of backend memory that must be read or written */
    double link_bytes;     /* that must cross between the host's memory and the backend's */
    double flops;
    double bound; /* seconds */
    drt_timing_limit limit;
} drt_timing_row;

/* Measures the ceilings, then every operation, and hands each row to `row` (strings valid during the call), which
 * returns false to stop. Returns 0, or -1 with a sentence in error when not even the ceilings could be measured. */
int drt_timing_run(drt_backend *b, const drt_timing_params *params, drt_timing_ceilings *ceilings,
                   bool (*row)(void *user, const drt_timing_row *row), void *user, char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
