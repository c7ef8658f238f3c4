/* layers.h: the parts of a layer, shared by the encoder and the reader stream: working buffers, the
 * window of past keys and values, and the sublayers on n slots.
 *
 * Functions that return int give 0, or -1 with the sentence in backend->error (drt_layers_failed makes it
 * the context's). All tensors are backend memory. May use: model.h, kernels/backend.h. */
#ifndef DRT_NETWORK_LAYERS_H
#define DRT_NETWORK_LAYERS_H

#include "engine/network/model.h"
#include "engine/network/plan.h"

/* Keys and values of the slots that the next ones can still see, for several layers that move on
 * together. Rows are appended until the room is used up; then the last window-1 move to the front. */
typedef struct {
    drt_backend *backend;
    int d, window, n_layers;
    int capacity;     /* rows: window-1 and the room for new slots */
    int used;         /* rows filled */
    float **k, **v;   /* (n_layers) of (capacity,d) */
    int32_t *segment; /* (capacity) host */
} drt_window;

/* Slots first .. first+n-1 of a call, which go on one window. */
typedef struct {
    drt_window *window;
    int first, n;
} drt_span;

/* room: most slots of one step. */
drt_status drt_window_open(drt_context *context, drt_backend *backend, int n_layers, int d, int window, int room,
                           drt_window *w);
void drt_window_close(drt_window *w);
/* What a window of this shape takes. */
drt_room drt_window_room(int n_layers, int d, int window, int room);
/* Makes room for n more rows. After the layers have written theirs, `used` grows by n. */
int drt_window_reserve(drt_window *w, int n);

/* Buffers for up to max_slots slots, all (max_slots, width). */
typedef struct {
    const drt_model *model;
    drt_backend *backend;
    int max_slots;
    float *x;         /* d: the residual stream */
    float *normed;    /* d */
    float *qkv;       /* 3d */
    float *q;         /* d: queries, then what attention gives */
    float *v;         /* d: values of chunk attention */
    float *gate, *up; /* d_ff */
} drt_layers;

drt_status drt_layers_open(drt_context *context, const drt_model *model, int max_slots, drt_layers *l);
void drt_layers_close(drt_layers *l);
drt_room drt_layers_room(const drt_config *config, int max_slots);
/* Turns the backend's error into the context's; DRT_FATAL. */
drt_status drt_layers_failed(drt_context *context, const drt_backend *backend);

/* x += attention(x) of n slots, which the spans divide, over layer `index` of their windows, whose rows used ..
 * used+span.n-1 it writes (segments are set). */
int drt_layers_window_attention(drt_layers *l, const drt_layer_weights *w, const drt_span *spans, int n_spans,
                                int index, int n);
/* x += attention(x) inside each of n_chunks chunks; rope as backend->rope_table gives it. */
int drt_layers_chunk_attention(drt_layers *l, const drt_layer_weights *w, const float *rope, int n_chunks);
/* x += mlp(mlp_norm(input)); input (n,d) may be x. */
int drt_layers_mlp(drt_layers *l, const drt_layer_weights *w, const float *input, int n);

/* y (n_chunks,S,d) chunk memory, whose slots S-1 it sets to zero -> k, v (n_chunks,S,d) for the upper layers. */
int drt_layers_project_chunks(const drt_model *model, float *y, int n_chunks, float *k, float *v);

/* Allocates floats; *buffer is NULL after failure. */
int drt_layers_floats(drt_backend *backend, size_t n, float **buffer);

#endif
