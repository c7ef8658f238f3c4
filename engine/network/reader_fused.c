/* reader_fused.c: a round of the reader where the backend has the reader stream as one set of operations. See reader.h.
 *
 * Records go to the backend as the library stores them; fp32 ones, which only tests have, as bf16. */
#include <stdlib.h>
#include <string.h>

#include "engine/network/reader.h"

struct drt_fused_reader {
    drt_model *model;
    drt_read_layer *layers; /* lower ones, then the groups' */
    drt_read_state *state;
    drt_read_part *parts; /* (n_lanes) */
    uint8_t *packed;      /* (top_k) bf16 records */
    const void **records; /* (top_k) those */
};

static drt_backend *backend_of(const drt_fused_reader *fused) {
    return fused->model->device->backend;
}

/* ----------------------------------------------------------------------- open, close ---- */

static drt_read_layer layer_of(const drt_layer_weights *w) {
    return (drt_read_layer){.attn_norm = w->attn_norm,
                            .gca_norm = w->gca_norm,
                            .mlp_norm = w->mlp_norm,
                            .qkv = &w->qkv,
                            .out = &w->out,
                            .gca_q = &w->gca_q,
                            .gca_out = &w->gca_out,
                            .gate = &w->mlp.gate,
                            .up = &w->mlp.up,
                            .down = &w->mlp.down};
}

static drt_status allocate(drt_context *context, drt_fused_reader *fused, int n_lanes) {
    const drt_model *m = fused->model;
    const drt_config *c = &m->config;
    size_t n = (size_t)c->lower_layers, k = (size_t)c->top_k;
    for (int g = 0; g < c->n_groups; g++)
        n += (size_t)c->group_layers[g];
    fused->layers = malloc((n + 1) * sizeof *fused->layers);
    fused->parts = malloc((size_t)n_lanes * sizeof *fused->parts);
    fused->packed = malloc(k * drt_memory_record_size(DRT_MEMORY_BF16, c->chunk_size, c->d_model));
    fused->records = malloc(k * sizeof *fused->records);
    if (!fused->layers || !fused->parts || !fused->packed || !fused->records)
        return drt_fail_memory(context, "the reader");
    drt_read_layer *to = fused->layers;
    for (int i = 0; i < c->lower_layers; i++)
        *to++ = layer_of(&m->lower[i]);
    for (int g = 0; g < c->n_groups; g++)
        for (int i = 0; i < c->group_layers[g]; i++)
            *to++ = layer_of(&m->upper[g][i]);
    return DRT_OK;
}

/* Does the backend read in this variant of the network at all? */
static bool has_operations(const drt_model *model) {
    const drt_config *c = &model->config;
    return model->device->backend->read_open && c->landmark_reads_own_retrieval && c->gca_in_residual;
}

/* The sizes, as the backend asks for them. */
static drt_read_weights shape_of(const drt_config *c) {
    return (drt_read_weights){.d = c->d_model,
                              .n_heads = c->n_heads,
                              .d_ff = c->d_ff,
                              .chunk_size = c->chunk_size,
                              .window = c->window,
                              .top_k = c->top_k,
                              .unit_rms = c->qk_norm,
                              .eps = c->rms_eps,
                              .n_lower = c->lower_layers,
                              .n_groups = c->n_groups,
                              .group_layers = c->group_layers};
}

size_t drt_fused_reader_room(const drt_model *model, int n_lanes, int max_rows) {
    drt_backend *b = model->device->backend;
    drt_read_weights shape = shape_of(&model->config);
    return has_operations(model) ? b->read_room(b, &shape, n_lanes, max_rows) : 0;
}

/* 0, -1, or 1: not for this model. */
static int open_state(drt_fused_reader *fused, int n_lanes, int max_rows) {
    const drt_model *m = fused->model;
    const drt_config *c = &m->config;
    drt_backend *b = backend_of(fused);
    drt_read_weights w = shape_of(c);
    w.embed = &m->embed;
    w.chunk_k = &m->chunk_k;
    w.chunk_v = &m->chunk_v;
    w.lower = fused->layers;
    w.upper = fused->layers + c->lower_layers;
    w.query_norm = (const float *const *)m->query_norm;
    w.final_norm = m->final_norm;
    return b->read_open(b, &w, n_lanes, max_rows, &fused->state);
}

drt_status drt_fused_reader_new(drt_context *context, drt_model *model, int n_lanes, int max_rows,
                                drt_fused_reader **out) {
    *out = NULL;
    if (!has_operations(model))
        return DRT_OK;
    drt_fused_reader *fused = calloc(1, sizeof *fused);
    if (!fused)
        return drt_fail_memory(context, "the reader");
    fused->model = model;
    drt_status status = allocate(context, fused, n_lanes);
    int opened = status == DRT_OK ? open_state(fused, n_lanes, max_rows) : 1;
    if (opened < 0)
        status = drt_layers_failed(context, backend_of(fused));
    if (opened == 0)
        *out = fused;
    else
        drt_fused_reader_free(fused);
    return status;
}

void drt_fused_reader_free(drt_fused_reader *fused) {
    if (!fused)
        return;
    if (fused->state)
        backend_of(fused)->read_close(backend_of(fused), fused->state);
    free(fused->layers);
    free(fused->parts);
    free(fused->packed);
    free(fused->records);
    free(fused);
}

void drt_fused_reader_reset(drt_fused_reader *fused, int lane) {
    drt_backend *b = backend_of(fused);
    for (int g = 0; g < fused->model->config.n_groups; g++)
        b->read_chunks(b, fused->state, lane, g, 0, NULL, DRT_WEIGHT_I8, NULL);
}

/* -------------------------------------------------------------------------------- run ---- */

/* What a lane reads in group g from now on. */
static int give_chunks(drt_fused_reader *fused, int lane, int g, const drt_retrieved *found) {
    const drt_config *c = &fused->model->config;
    drt_backend *b = backend_of(fused);
    size_t record = drt_memory_record_size(DRT_MEMORY_BF16, c->chunk_size, c->d_model);
    if (found->type != DRT_MEMORY_F32)
        return b->read_chunks(b, fused->state, lane, g, found->n, found->weights,
                              found->type == DRT_MEMORY_INT8 ? DRT_WEIGHT_I8 : DRT_WEIGHT_BF16, found->records);
    for (int i = 0; i < found->n; i++) {
        fused->records[i] = fused->packed + (size_t)i * record;
        drt_memory_pack(DRT_MEMORY_BF16, c->chunk_size, c->d_model, found->records[i],
                        fused->packed + (size_t)i * record);
    }
    return b->read_chunks(b, fused->state, lane, g, found->n, found->weights, DRT_WEIGHT_BF16, fused->records);
}

/* queries (n_parts,d), of parts with a landmark. */
static drt_status retrieve_all(drt_context *context, const drt_reader *reader, const drt_reader_round *round, int g,
                               const float *queries) {
    drt_fused_reader *fused = reader->fused;
    size_t d = (size_t)reader->model->config.d_model;
    for (int i = 0; i < round->n_parts; i++) {
        const drt_reader_part *part = &round->parts[i];
        drt_retrieved found;
        if (part->landmark < 0)
            continue;
        drt_status status = drt_reader_ask(context, reader, part, g, queries + (size_t)i * d, &found);
        if (status != DRT_OK)
            return status;
        if (give_chunks(fused, part->item->lane, g, &found))
            return drt_layers_failed(context, backend_of(fused));
    }
    return DRT_OK;
}

static void hand_out(const drt_reader *reader, const drt_reader_round *round, const float *hidden,
                     const float *attention) {
    size_t d = (size_t)reader->model->config.d_model, width = drt_reader_attention_width(&reader->model->config);
    for (int i = 0; i < round->n_parts; i++) {
        const drt_reader_part *part = &round->parts[i];
        const drt_reader_item *item = part->item;
        size_t first = (size_t)part->first, n = (size_t)part->n, done = (size_t)part->done;
        memcpy(item->hidden + done * d, hidden + first * d, n * d * sizeof *hidden);
        if (item->attention)
            memcpy(item->attention + done * width, attention + first * width, n * width * sizeof *attention);
    }
}

drt_status drt_fused_reader_run(drt_context *context, const drt_reader *reader, const drt_reader_round *round) {
    drt_fused_reader *fused = reader->fused;
    drt_backend *b = backend_of(fused);
    const float *queries = NULL, *hidden = NULL, *attention = NULL;
    for (int i = 0; i < round->n_parts; i++) {
        const drt_reader_part *p = &round->parts[i];
        fused->parts[i] = (drt_read_part){p->item->lane, p->first, p->n, p->position, p->start, p->landmark >= 0};
    }
    if (b->read_begin(b, fused->state, round->tokens, fused->parts, round->n_parts, round->trace, &queries))
        return drt_layers_failed(context, b);
    for (int g = 0; g < reader->model->config.n_groups; g++) {
        drt_status status = queries ? retrieve_all(context, reader, round, g, queries) : DRT_OK;
        if (status != DRT_OK)
            return status;
        if (b->read_group(b, fused->state, g, &queries))
            return drt_layers_failed(context, b);
    }
    if (b->read_end(b, fused->state, &hidden, &attention))
        return drt_layers_failed(context, b);
    hand_out(reader, round, hidden, attention);
    return DRT_OK;
}
