/* encoder.c: the encoder stream: tokens of documents -> landmarks and chunk memory. See network.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/network/layers.h"
#include "engine/network/network.h"

struct drt_encoder {
    drt_model *model;
    drt_layers layers;
    drt_window window;
    float *rope; /* (S,head_size) */
};

drt_status drt_encoder_new(drt_context *context, drt_model *model, int max_slots, drt_encoder **out) {
    const drt_config *c = &model->config;
    drt_backend *b = model->device->backend;
    int head_size = c->d_model / c->n_heads;
    *out = NULL;
    drt_encoder *encoder = calloc(1, sizeof *encoder);
    if (!encoder)
        return drt_fail_memory(context, "the encoder");
    encoder->model = model;
    drt_status status = drt_layers_open(context, model, max_slots, &encoder->layers);
    if (status == DRT_OK)
        status = drt_window_open(context, b, c->lower_layers, c->d_model, c->window, max_slots, &encoder->window);
    if (status == DRT_OK && (drt_layers_floats(b, (size_t)c->chunk_size * (size_t)head_size, &encoder->rope) ||
                             b->rope_table(b, c->chunk_size, head_size, c->rope_theta, encoder->rope)))
        status = drt_layers_failed(context, b);
    if (status != DRT_OK) {
        drt_encoder_free(encoder);
        return status;
    }
    *out = encoder;
    return DRT_OK;
}

void drt_encoder_free(drt_encoder *encoder) {
    if (!encoder)
        return;
    drt_backend *b = encoder->model->device->backend;
    b->buffer_free(b, encoder->rope);
    drt_window_close(&encoder->window);
    drt_layers_close(&encoder->layers);
    free(encoder);
}

drt_room drt_encoder_room(const drt_model *model, int max_slots) {
    const drt_config *c = &model->config;
    drt_room layers = drt_layers_room(c, max_slots);
    drt_room window = drt_window_room(c->lower_layers, c->d_model, c->window, max_slots);
    size_t rope = (size_t)c->chunk_size * (size_t)(c->d_model / c->n_heads) * sizeof(float);
    return (drt_room){layers.device + window.device + rope, layers.host + window.host};
}

/* Lower layers: x = embeddings -> x. */
static drt_status run_lower(drt_context *context, drt_encoder *encoder, int n_slots) {
    const drt_model *model = encoder->model;
    drt_layers *l = &encoder->layers;
    drt_span all = {&encoder->window, 0, n_slots};
    for (int i = 0; i < model->config.lower_layers; i++) {
        if (drt_cancelled(context))
            return drt_fail(context, DRT_FAILED, "cancelled");
        if (drt_layers_window_attention(l, &model->lower[i], &all, 1, i, n_slots) ||
            drt_layers_mlp(l, &model->lower[i], l->x, n_slots))
            return drt_layers_failed(context, l->backend);
    }
    return DRT_OK;
}

/* Chunk encoder: x -> y in l->normed. */
static drt_status run_encoder(drt_context *context, drt_encoder *encoder, int n_slots) {
    const drt_model *model = encoder->model;
    const drt_config *c = &model->config;
    drt_layers *l = &encoder->layers;
    drt_backend *b = l->backend;
    if (b->rms_norm(b, l->x, model->encoder_in_norm, c->rms_eps, n_slots, c->d_model, l->x))
        return drt_layers_failed(context, b);
    for (int i = 0; i < c->encoder_layers; i++) {
        if (drt_cancelled(context))
            return drt_fail(context, DRT_FAILED, "cancelled");
        if (drt_layers_chunk_attention(l, &model->encoder[i], encoder->rope, n_slots / c->chunk_size) ||
            drt_layers_mlp(l, &model->encoder[i], l->x, n_slots))
            return drt_layers_failed(context, b);
    }
    if (b->rms_norm(b, l->x, model->encoder_out_norm, c->rms_eps, n_slots, c->d_model, l->normed))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

drt_status drt_encoder_run(drt_context *context, drt_encoder *encoder, const int32_t *tokens, const int32_t *segment,
                           int n_slots, float *landmarks, float *y) {
    const drt_model *model = encoder->model;
    const drt_config *c = &model->config;
    drt_layers *l = &encoder->layers;
    drt_window *window = &encoder->window;
    drt_backend *b = l->backend;
    size_t d = (size_t)c->d_model, S = (size_t)c->chunk_size;
    if (n_slots < 0 || n_slots > l->max_slots || n_slots % c->chunk_size)
        return drt_fail(context, DRT_FAILED, "the encoder takes whole chunks of %d slots, at most %d slots, not %d",
                        c->chunk_size, l->max_slots, n_slots);
    if (drt_window_reserve(window, n_slots) || b->embed(b, &model->embed, tokens, n_slots, l->x))
        return drt_layers_failed(context, b);
    memcpy(window->segment + window->used, segment, (size_t)n_slots * sizeof *segment);
    drt_status status = run_lower(context, encoder, n_slots);
    if (status == DRT_OK)
        status = run_encoder(context, encoder, n_slots);
    if (status != DRT_OK)
        return status;
    if (b->download(b, y, l->normed, (size_t)n_slots * d * sizeof *y) || b->synchronize(b))
        return drt_layers_failed(context, b);
    for (size_t chunk = 0; chunk < (size_t)n_slots / S; chunk++)
        memcpy(landmarks + chunk * d, y + (chunk * S + S - 1) * d, d * sizeof *y);
    window->used += n_slots; /* only now: after a failure the stream stands where it stood */
    return DRT_OK;
}
