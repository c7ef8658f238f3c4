/* layers.c: sublayers and buffers that both streams are made of. See layers.h. */
#include "engine/network/layers.h"

#include <stdlib.h>
#include <string.h>

drt_status drt_layers_failed(drt_context *context, const drt_backend *backend) {
    return drt_fail(context, DRT_FATAL, "the network cannot run: %s", backend->error);
}

int drt_layers_floats(drt_backend *backend, size_t n, float **buffer) {
    void *memory = NULL;
    int result = backend->buffer_alloc(backend, n * sizeof(float), &memory);
    *buffer = result == 0 ? memory : NULL;
    return result;
}

/* ----------------------------------------------------------------------------- window ---- */

drt_status drt_window_open(drt_context *context, drt_backend *backend, int n_layers, int d, int window, int room,
                           drt_window *w) {
    *w = (drt_window){.backend = backend, .d = d, .window = window, .n_layers = n_layers};
    w->capacity = window - 1 + room;
    w->k = calloc((size_t)n_layers, sizeof *w->k);
    w->v = calloc((size_t)n_layers, sizeof *w->v);
    w->segment = malloc((size_t)w->capacity * sizeof *w->segment);
    if ((n_layers && (!w->k || !w->v)) || !w->segment) {
        drt_window_close(w);
        return drt_fail_memory(context, "the window of keys and values");
    }
    size_t floats = (size_t)w->capacity * (size_t)d;
    for (int i = 0; i < n_layers; i++)
        if (drt_layers_floats(backend, floats, &w->k[i]) != 0 || drt_layers_floats(backend, floats, &w->v[i]) != 0) {
            drt_window_close(w);
            return drt_layers_failed(context, backend);
        }
    return DRT_OK;
}

void drt_window_close(drt_window *w) {
    for (int i = 0; i < w->n_layers; i++) {
        if (w->k)
            w->backend->buffer_free(w->backend, w->k[i]);
        if (w->v)
            w->backend->buffer_free(w->backend, w->v[i]);
    }
    free(w->k);
    free(w->v);
    free(w->segment);
    *w = (drt_window){0};
}

drt_room drt_window_room(int n_layers, int d, int window, int room) {
    size_t rows = (size_t)window - 1 + (size_t)room;
    return (drt_room){.device = (size_t)n_layers * 2 * rows * (size_t)d * sizeof(float),
                      .host = rows * sizeof(int32_t)};
}

int drt_window_reserve(drt_window *w, int n) {
    if (w->used + n <= w->capacity)
        return 0;
    int keep = w->used < w->window - 1 ? w->used : w->window - 1;
    size_t from = (size_t)(w->used - keep) * (size_t)w->d, bytes = (size_t)keep * (size_t)w->d * sizeof(float);
    for (int i = 0; i < w->n_layers; i++)
        if (w->backend->move(w->backend, w->k[i], w->k[i] + from, bytes) != 0 ||
            w->backend->move(w->backend, w->v[i], w->v[i] + from, bytes) != 0)
            return -1;
    memmove(w->segment, w->segment + (w->used - keep), (size_t)keep * sizeof *w->segment);
    w->used = keep;
    return 0;
}

/* ---------------------------------------------------------------------------- buffers ---- */

drt_status drt_layers_open(drt_context *context, const drt_model *model, int max_slots, drt_layers *l) {
    drt_backend *b = model->device->backend;
    size_t n = (size_t)max_slots, d = (size_t)model->config.d_model, f = (size_t)model->config.d_ff;
    *l = (drt_layers){.model = model, .backend = b, .max_slots = max_slots};
    if (drt_layers_floats(b, n * d, &l->x) || drt_layers_floats(b, n * d, &l->normed) ||
        drt_layers_floats(b, n * 3 * d, &l->qkv) || drt_layers_floats(b, n * d, &l->q) ||
        drt_layers_floats(b, n * d, &l->v) || drt_layers_floats(b, n * f, &l->gate) ||
        drt_layers_floats(b, n * f, &l->up)) {
        drt_layers_close(l);
        return drt_layers_failed(context, b);
    }
    return DRT_OK;
}

drt_room drt_layers_room(const drt_config *c, int max_slots) {
    size_t widths = 7 * (size_t)c->d_model + 2 * (size_t)c->d_ff;
    return (drt_room){.device = (size_t)max_slots * widths * sizeof(float)};
}

void drt_layers_close(drt_layers *l) {
    float *buffers[] = {l->x, l->normed, l->qkv, l->q, l->v, l->gate, l->up};
    for (size_t i = 0; l->backend && i < sizeof buffers / sizeof *buffers; i++)
        l->backend->buffer_free(l->backend, buffers[i]);
    *l = (drt_layers){0};
}

/* -------------------------------------------------------------------------- sublayers ---- */

/* Queries of a span in l->qkv -> what they read, in l->q. */
static int attend_span(drt_layers *l, const drt_span *span, int index) {
    drt_backend *b = l->backend;
    const drt_config *c = &l->model->config;
    const drt_window *window = span->window;
    int head_size = c->d_model / c->n_heads;
    size_t d = (size_t)c->d_model, first = (size_t)span->first * d, past = (size_t)window->used * d;
    drt_split_qkv split = {.qkv = l->qkv + 3 * first,
                           .n = span->n,
                           .n_heads = c->n_heads,
                           .head_size = head_size,
                           .unit_rms = c->qk_norm,
                           .eps = c->rms_eps,
                           .q = l->q + first,
                           .k = window->k[index] + past,
                           .v = window->v[index] + past};
    drt_window_attention attention = {.q = l->q + first,
                                      .k = window->k[index],
                                      .v = window->v[index],
                                      .segment = window->segment,
                                      .n = span->n,
                                      .m = window->used + span->n,
                                      .window = window->window,
                                      .n_heads = c->n_heads,
                                      .head_size = head_size,
                                      .out = l->q + first};
    return b->split_qkv(b, &split) || b->window_attention(b, &attention) ? -1 : 0;
}

int drt_layers_window_attention(drt_layers *l, const drt_layer_weights *w, const drt_span *spans, int n_spans,
                                int index, int n) {
    drt_backend *b = l->backend;
    const drt_config *c = &l->model->config;
    if (b->rms_norm(b, l->x, w->attn_norm, c->rms_eps, n, c->d_model, l->normed) ||
        b->linear(b, l->normed, &w->qkv, n, false, l->qkv))
        return -1;
    for (int i = 0; i < n_spans; i++)
        if (attend_span(l, &spans[i], index))
            return -1;
    return b->linear(b, l->q, &w->out, n, true, l->x);
}

int drt_layers_chunk_attention(drt_layers *l, const drt_layer_weights *w, const float *rope, int n_chunks) {
    drt_backend *b = l->backend;
    const drt_config *c = &l->model->config;
    int n = n_chunks * c->chunk_size, head_size = c->d_model / c->n_heads;
    drt_split_qkv split = {.qkv = l->qkv,
                           .n = n,
                           .n_heads = c->n_heads,
                           .head_size = head_size,
                           .unit_rms = c->qk_norm,
                           .eps = c->rms_eps,
                           .rope = rope,
                           .chunk_size = c->chunk_size,
                           .q = l->q,
                           .k = l->normed, /* no longer needed once projected */
                           .v = l->v};
    drt_chunk_attention attention = {l->q, l->normed, l->v, n_chunks, c->chunk_size, c->n_heads, head_size, l->q};
    if (b->rms_norm(b, l->x, w->attn_norm, c->rms_eps, n, c->d_model, l->normed) ||
        b->linear(b, l->normed, &w->qkv, n, false, l->qkv) || b->split_qkv(b, &split) ||
        b->chunk_attention(b, &attention))
        return -1;
    return b->linear(b, l->q, &w->out, n, true, l->x);
}

int drt_layers_mlp(drt_layers *l, const drt_layer_weights *w, const float *input, int n) {
    drt_backend *b = l->backend;
    const drt_config *c = &l->model->config;
    if (b->rms_norm(b, input, w->mlp_norm, c->rms_eps, n, c->d_model, l->normed) ||
        b->linear(b, l->normed, &w->mlp.gate, n, false, l->gate) ||
        b->linear(b, l->normed, &w->mlp.up, n, false, l->up) ||
        b->swiglu(b, l->gate, l->up, (size_t)n * (size_t)c->d_ff, l->gate))
        return -1;
    return b->linear(b, l->gate, &w->mlp.down, n, true, l->x);
}

int drt_layers_project_chunks(const drt_model *model, float *y, int n_chunks, float *k, float *v) {
    drt_backend *b = model->device->backend;
    const drt_config *c = &model->config;
    size_t d = (size_t)c->d_model, chunk = (size_t)c->chunk_size * d;
    int n = n_chunks * c->chunk_size;
    for (size_t i = 1; i <= (size_t)n_chunks; i++)
        if (b->clear(b, y + i * chunk - d, d * sizeof *y) != 0)
            return -1;
    if (b->linear(b, y, &model->chunk_k, n, false, k) || b->linear(b, y, &model->chunk_v, n, false, v))
        return -1;
    return c->qk_norm ? b->unit_rms(b, k, c->rms_eps, (int64_t)n * c->n_heads, c->d_model / c->n_heads) : 0;
}
