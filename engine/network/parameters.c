/* parameters.c: the tensors of a model. See parameters.h. */
#include "engine/network/parameters.h"

#include <stdio.h>
#include <stdlib.h>

#define PER_LAYER 12 /* more than any layer has */

static bool new_layers(drt_layer_weights **layers, int n) {
    *layers = calloc((size_t)n, sizeof **layers);
    return *layers != NULL;
}

typedef struct {
    drt_parameter *list;
    size_t count;
    int d, d_ff;
} walk;

static drt_parameter *add(walk *w, const char *prefix, const char *name) {
    drt_parameter *p = &w->list[w->count++];
    *p = (drt_parameter){0};
    snprintf(p->name, sizeof p->name, "%s%s.weight", prefix, name);
    return p;
}

static void add_vector(walk *w, const char *prefix, const char *name, float **vector) {
    drt_parameter *p = add(w, prefix, name);
    p->rows = w->d;
    p->vector = vector;
}

static void add_matrix(walk *w, const char *prefix, const char *name, int rows, int cols, drt_matrix *matrix) {
    drt_parameter *p = add(w, prefix, name);
    p->rows = rows;
    p->cols = cols;
    p->matrix = matrix;
}

static void add_mlp(walk *w, const char *prefix, drt_mlp_weights *mlp) {
    add_matrix(w, prefix, "mlp.gate", w->d_ff, w->d, &mlp->gate);
    add_matrix(w, prefix, "mlp.up", w->d_ff, w->d, &mlp->up);
    add_matrix(w, prefix, "mlp.down", w->d, w->d_ff, &mlp->down);
}

static void add_lower(walk *w, const char *prefix, drt_layer_weights *layer) {
    add_vector(w, prefix, "attn_norm", &layer->attn_norm);
    add_vector(w, prefix, "mlp_norm", &layer->mlp_norm);
    add_matrix(w, prefix, "attn.qkv", 3 * w->d, w->d, &layer->qkv);
    add_matrix(w, prefix, "attn.out", w->d, w->d, &layer->out);
    add_mlp(w, prefix, &layer->mlp);
}

static void add_encoder(walk *w, const char *prefix, drt_layer_weights *layer) {
    add_vector(w, prefix, "attn_norm", &layer->attn_norm);
    add_vector(w, prefix, "mlp_norm", &layer->mlp_norm);
    add_matrix(w, prefix, "qkv", 3 * w->d, w->d, &layer->qkv);
    add_matrix(w, prefix, "out", w->d, w->d, &layer->out);
    add_mlp(w, prefix, &layer->mlp);
}

static void add_upper(walk *w, const char *prefix, drt_layer_weights *layer) {
    add_vector(w, prefix, "gca_norm", &layer->gca_norm);
    add_lower(w, prefix, layer);
    add_matrix(w, prefix, "gca_q", w->d, w->d, &layer->gca_q);
    add_matrix(w, prefix, "gca_out", w->d, w->d, &layer->gca_out);
}

static size_t most_parameters(const drt_config *c) {
    size_t layers = (size_t)c->lower_layers + (size_t)c->encoder_layers;
    for (int g = 0; g < c->n_groups; g++)
        layers += (size_t)c->group_layers[g];
    return layers * PER_LAYER + DRT_MAX_GROUPS + 6;
}

/* In the reference's order, but for the norms of upper layers. */
static void list_parameters(drt_model *model) {
    const drt_config *c = &model->config;
    walk w = {.list = model->parameters, .d = c->d_model, .d_ff = c->d_ff};
    char prefix[32];
    add_matrix(&w, "", "embed", c->vocab_size, w.d, &model->embed);
    for (int i = 0; i < c->lower_layers; i++) {
        snprintf(prefix, sizeof prefix, "lower.%d.", i);
        add_lower(&w, prefix, &model->lower[i]);
    }
    add_vector(&w, "", "encoder_in_norm", &model->encoder_in_norm);
    for (int i = 0; i < c->encoder_layers; i++) {
        snprintf(prefix, sizeof prefix, "encoder.%d.", i);
        add_encoder(&w, prefix, &model->encoder[i]);
    }
    add_vector(&w, "", "encoder_out_norm", &model->encoder_out_norm);
    add_matrix(&w, "", "chunk_k", w.d, w.d, &model->chunk_k);
    add_matrix(&w, "", "chunk_v", w.d, w.d, &model->chunk_v);
    for (int g = 0; g < c->n_groups; g++) {
        snprintf(prefix, sizeof prefix, "query_norm.%d", g);
        add_vector(&w, "", prefix, &model->query_norm[g]);
    }
    for (int g = 0; g < c->n_groups; g++) {
        for (int i = 0; i < c->group_layers[g]; i++) {
            snprintf(prefix, sizeof prefix, "upper.%d.%d.", g, i);
            add_upper(&w, prefix, &model->upper[g][i]);
        }
    }
    add_vector(&w, "", "final_norm", &model->final_norm);
    model->n_parameters = w.count;
}

drt_status drt_model_new_empty(drt_context *context, const drt_config *config, drt_model **model) {
    drt_model *m = calloc(1, sizeof *m);
    *model = m;
    if (!m)
        return drt_fail_memory(context, "a model");
    m->config = *config;
    m->parameters = calloc(most_parameters(config), sizeof *m->parameters);
    bool ok =
        m->parameters && new_layers(&m->lower, config->lower_layers) && new_layers(&m->encoder, config->encoder_layers);
    for (int g = 0; ok && g < config->n_groups; g++)
        ok = new_layers(&m->upper[g], config->group_layers[g]);
    if (ok) {
        list_parameters(m);
        return DRT_OK;
    }
    drt_model_free(m);
    *model = NULL;
    return drt_fail_memory(context, "a model's layers");
}
