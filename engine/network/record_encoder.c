/* record_encoder.c: documents -> landmarks and records as the library stores them. See network.h.
 *
 * Where the backend has the encoder stream as one operation it makes the records too; otherwise the encoder of
 * encoder.c runs, and its results are packed here. */
#include <stdlib.h>
#include <string.h>

#include "engine/network/layers.h"
#include "engine/network/network.h"

#define COMPOSED_CHUNKS 32 /* of one call: a cache's worth of activations */
#define FUSED_CHUNKS 1024  /* enough to fill a GPU */

struct drt_record_encoder {
    drt_model *model;
    drt_memory_type type;
    int max_chunks;
    /* composed */
    drt_encoder *encoder;
    float *float_landmarks, *y; /* (max_chunks,d), (max_chunks,S,d) */
    /* fused */
    drt_encode_layer *layers; /* lower ones, then the encoder's */
    drt_encode_state *state;
};

static drt_backend *backend_of(const drt_record_encoder *e) {
    return e->model->device->backend;
}

static drt_encode_layer layer_of(const drt_layer_weights *w) {
    return (drt_encode_layer){w->attn_norm, w->mlp_norm, &w->qkv, &w->out, &w->mlp.gate, &w->mlp.up, &w->mlp.down};
}

/* The sizes, as the backend asks for them. */
static drt_encode_weights shape_of(const drt_config *c) {
    return (drt_encode_weights){.d = c->d_model,
                                .n_heads = c->n_heads,
                                .d_ff = c->d_ff,
                                .chunk_size = c->chunk_size,
                                .window = c->window,
                                .unit_rms = c->qk_norm,
                                .eps = c->rms_eps,
                                .rope_theta = c->rope_theta,
                                .n_lower = c->lower_layers,
                                .n_encoder = c->encoder_layers};
}

/* Of the encoder stream as one operation; 0: the backend does not take this model. */
static size_t fused_room(const drt_model *model, drt_memory_type type, int n_chunks) {
    drt_backend *b = model->device->backend;
    drt_encode_weights shape = shape_of(&model->config);
    return b->encode_room && type == DRT_MEMORY_INT8 ? b->encode_room(b, &shape, n_chunks * shape.chunk_size) : 0;
}

int drt_record_encoder_most(const drt_model *model, drt_memory_type type) {
    return fused_room(model, type, FUSED_CHUNKS) > 0 ? FUSED_CHUNKS : COMPOSED_CHUNKS;
}

drt_room drt_record_encoder_room(const drt_model *model, drt_memory_type type, int n_chunks) {
    const drt_config *c = &model->config;
    size_t n = (size_t)n_chunks, d = (size_t)c->d_model, fused = fused_room(model, type, n_chunks);
    size_t results =
        DRT_RECORD_BATCHES * n * (d * sizeof(uint16_t) + drt_memory_record_size(type, c->chunk_size, c->d_model));
    drt_room composed = drt_encoder_room(model, n_chunks * c->chunk_size);
    if (fused)
        return (drt_room){fused, results};
    return (drt_room){composed.device, composed.host + results + n * (1 + (size_t)c->chunk_size) * d * sizeof(float)};
}

static drt_status open_fused(drt_context *context, drt_record_encoder *e) {
    const drt_model *m = e->model;
    const drt_config *c = &m->config;
    drt_backend *b = backend_of(e);
    e->layers = calloc((size_t)c->lower_layers + (size_t)c->encoder_layers + 1, sizeof *e->layers);
    if (!e->layers)
        return drt_fail_memory(context, "the encoder");
    for (int i = 0; i < c->lower_layers; i++)
        e->layers[i] = layer_of(&m->lower[i]);
    for (int i = 0; i < c->encoder_layers; i++)
        e->layers[c->lower_layers + i] = layer_of(&m->encoder[i]);
    drt_encode_weights w = shape_of(c);
    w.embed = &m->embed;
    w.lower = e->layers;
    w.encoder = e->layers + c->lower_layers;
    w.encoder_in_norm = m->encoder_in_norm;
    w.encoder_out_norm = m->encoder_out_norm;
    return b->encode_open(b, &w, e->max_chunks * c->chunk_size, &e->state) != 0 ? drt_layers_failed(context, b)
                                                                                : DRT_OK;
}

static drt_status open_composed(drt_context *context, drt_record_encoder *e) {
    const drt_config *c = &e->model->config;
    size_t n = (size_t)e->max_chunks, d = (size_t)c->d_model, slots = n * (size_t)c->chunk_size;
    e->float_landmarks = malloc(n * d * sizeof *e->float_landmarks);
    e->y = malloc(slots * d * sizeof *e->y);
    if (!e->float_landmarks || !e->y)
        return drt_fail_memory(context, "the encoder");
    return drt_encoder_new(context, e->model, (int)slots, &e->encoder);
}

static drt_status open_batch(drt_context *context, drt_model *model, drt_memory_type type, int n_chunks,
                             drt_record_encoder **out) {
    drt_record_encoder *e = calloc(1, sizeof *e);
    if (!e)
        return drt_fail_memory(context, "the encoder");
    *e = (drt_record_encoder){.model = model, .type = type, .max_chunks = n_chunks};
    drt_status status = fused_room(model, type, n_chunks) > 0 ? open_fused(context, e) : open_composed(context, e);
    if (status != DRT_OK) {
        drt_record_encoder_free(e);
        return status;
    }
    *out = e;
    return DRT_OK;
}

typedef struct {
    const drt_model *model;
    drt_memory_type type;
} sizing;

static drt_room room_of(const void *user, int n_chunks) {
    const sizing *s = user;
    return drt_record_encoder_room(s->model, s->type, n_chunks);
}

/* A batch that fits by plan; where that fails all the same, since others took the memory, smaller ones. */
drt_status drt_record_encoder_new(drt_context *context, drt_model *model, drt_memory_type type,
                                  drt_record_encoder **out) {
    const sizing s = {model, type};
    int n = drt_record_encoder_most(model, type);
    *out = NULL;
    drt_status status = drt_plan_fit(context, model->device, n, 0, room_of, &s, "reading text into a library", &n);
    if (status == DRT_OK)
        status = open_batch(context, model, type, n, out);
    while (status == DRT_FATAL && (n /= 2) > 0)
        status = open_batch(context, model, type, n, out);
    return status;
}

void drt_record_encoder_free(drt_record_encoder *e) {
    if (!e)
        return;
    drt_backend *b = backend_of(e);
    if (e->state)
        b->encode_close(b, e->state);
    drt_encoder_free(e->encoder);
    free(e->float_landmarks);
    free(e->y);
    free(e->layers);
    free(e);
}

drt_status drt_record_batch_new(drt_context *context, const drt_record_encoder *e, drt_record_batch **out) {
    const drt_config *c = &e->model->config;
    drt_backend *b = backend_of(e);
    size_t n = (size_t)e->max_chunks;
    void *landmarks = NULL, *records = NULL;
    *out = NULL;
    drt_record_batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return drt_fail_memory(context, "the encoder");
    bool ok = b->host_alloc(b, n * (size_t)c->d_model * sizeof *batch->landmarks, &landmarks) == 0 &&
              b->host_alloc(b, n * drt_memory_record_size(e->type, c->chunk_size, c->d_model), &records) == 0;
    batch->landmarks = landmarks;
    batch->records = records;
    if (!ok) {
        drt_record_batch_free(e, batch);
        return drt_layers_failed(context, b);
    }
    *out = batch;
    return DRT_OK;
}

void drt_record_batch_free(const drt_record_encoder *e, drt_record_batch *batch) {
    if (!batch)
        return;
    drt_backend *b = backend_of(e);
    b->host_free(b, batch->landmarks);
    b->host_free(b, batch->records);
    free(batch);
}

int drt_record_encoder_chunks(const drt_record_encoder *e) {
    return e->max_chunks;
}

static drt_status run_composed(drt_context *context, drt_record_encoder *e, const int32_t *tokens,
                               const int32_t *segment, int n_chunks, drt_record_batch *batch) {
    const drt_config *c = &e->model->config;
    size_t d = (size_t)c->d_model, chunk = (size_t)c->chunk_size * d;
    size_t record = drt_memory_record_size(e->type, c->chunk_size, c->d_model);
    drt_status status =
        drt_encoder_run(context, e->encoder, tokens, segment, n_chunks * c->chunk_size, e->float_landmarks, e->y);
    if (status != DRT_OK)
        return status;
    drt_half_from_float(e->float_landmarks, batch->landmarks, (size_t)n_chunks * d);
    for (size_t i = 0; i < (size_t)n_chunks; i++)
        drt_memory_pack(e->type, c->chunk_size, c->d_model, e->y + i * chunk, batch->records + i * record);
    return DRT_OK;
}

drt_status drt_record_encoder_run(drt_context *context, drt_record_encoder *e, const int32_t *tokens,
                                  const int32_t *segment, int n_chunks, drt_record_batch *batch) {
    drt_backend *b = backend_of(e);
    if (!e->state)
        return run_composed(context, e, tokens, segment, n_chunks, batch);
    if (drt_cancelled(context))
        return drt_fail(context, DRT_FAILED, "cancelled");
    int n_slots = n_chunks * e->model->config.chunk_size;
    if (b->encode_run(b, e->state, tokens, segment, n_slots, batch->landmarks, batch->records) != 0 ||
        b->synchronize(b) != 0)
        return drt_layers_failed(context, b);
    return DRT_OK;
}
