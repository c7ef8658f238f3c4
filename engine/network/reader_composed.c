/* reader_composed.c: a round of the reader, composed of the backend's operations in fp32. See reader.h.
 *
 * Each group of a lane keeps the keys and values of what it retrieved, projected once, for the S slots that read
 * them. */
#include <stdlib.h>
#include <string.h>

#include "engine/network/reader.h"

/* What a group retrieved, ready for its layers. */
typedef struct {
    int n;          /* chunks */
    float *weights; /* (top_k) host */
    float *k, *v;   /* (top_k,S,d) backend memory */
} retrieval;

typedef struct {
    drt_window window; /* lower layers, then the groups' layers */
    retrieval groups[DRT_MAX_GROUPS];
} lane_state;

struct drt_composed_reader {
    drt_model *model;
    int n_lanes;
    drt_layers layers; /* max_rows slots */
    lane_state *lanes;
    float *y;         /* (top_k,S,d) backend memory */
    float *unpacked;  /* (top_k,S,d) host */
    float *read;      /* (max_rows,d): what cross-attention gives */
    float *mixed;     /* (max_rows,d): input of the MLP in the paper's variant */
    float *landmarks; /* (n_lanes,d): each part's landmark before the group's layers, in the paper's variant */
    float *attention; /* (max_rows,G,top_k,S) */
    float *query;     /* (d) host */
    /* Of the running round, a part each, host: */
    drt_span *spans;
    drt_gca_block *blocks;
};

static size_t chunk_floats(const drt_config *c) {
    return (size_t)c->chunk_size * (size_t)c->d_model;
}

static int upper_layers(const drt_config *c) {
    int n = 0;
    for (int g = 0; g < c->n_groups; g++)
        n += c->group_layers[g];
    return n;
}

static lane_state *lane_of(const drt_reader *reader, const drt_reader_part *part) {
    return &reader->composed->lanes[part->item->lane];
}

/* ----------------------------------------------------------------------- open, close ---- */

static drt_status open_lane(drt_context *context, const drt_model *model, lane_state *lane) {
    const drt_config *c = &model->config;
    drt_backend *b = model->device->backend;
    size_t k = (size_t)c->top_k;
    drt_status status = drt_window_open(context, b, c->lower_layers + upper_layers(c), c->d_model, c->window,
                                        c->chunk_size, &lane->window);
    for (int g = 0; g < c->n_groups && status == DRT_OK; g++) {
        retrieval *r = &lane->groups[g];
        r->weights = malloc(k * sizeof *r->weights);
        if (!r->weights)
            status = drt_fail_memory(context, "the reader");
        else if (drt_layers_floats(b, k * chunk_floats(c), &r->k) || drt_layers_floats(b, k * chunk_floats(c), &r->v))
            status = drt_layers_failed(context, b);
    }
    return status;
}

static void close_lane(const drt_model *model, lane_state *lane) {
    drt_backend *b = model->device->backend;
    for (int g = 0; g < model->config.n_groups; g++) {
        free(lane->groups[g].weights);
        b->buffer_free(b, lane->groups[g].k);
        b->buffer_free(b, lane->groups[g].v);
    }
    drt_window_close(&lane->window);
}

static drt_status allocate_buffers(drt_context *context, drt_composed_reader *composed, size_t rows) {
    const drt_config *c = &composed->model->config;
    drt_backend *b = composed->model->device->backend;
    size_t d = (size_t)c->d_model, k = (size_t)c->top_k, lanes = (size_t)composed->n_lanes;
    composed->query = malloc(d * sizeof *composed->query);
    composed->unpacked = malloc(k * chunk_floats(c) * sizeof *composed->unpacked);
    composed->spans = malloc(lanes * sizeof *composed->spans);
    composed->blocks = malloc(lanes * sizeof *composed->blocks);
    if (!composed->query || !composed->unpacked || !composed->spans || !composed->blocks)
        return drt_fail_memory(context, "the reader");
    if (drt_layers_floats(b, k * chunk_floats(c), &composed->y) || drt_layers_floats(b, rows * d, &composed->read) ||
        drt_layers_floats(b, rows * d, &composed->mixed) || drt_layers_floats(b, lanes * d, &composed->landmarks) ||
        drt_layers_floats(b, rows * drt_reader_attention_width(c), &composed->attention))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

drt_status drt_composed_reader_new(drt_context *context, drt_model *model, int n_lanes, int max_rows,
                                   drt_composed_reader **out) {
    *out = NULL;
    drt_composed_reader *composed = calloc(1, sizeof *composed);
    if (!composed)
        return drt_fail_memory(context, "the reader");
    *composed = (drt_composed_reader){.model = model, .n_lanes = n_lanes};
    composed->lanes = calloc((size_t)n_lanes, sizeof *composed->lanes);
    drt_status status = composed->lanes ? drt_layers_open(context, model, max_rows, &composed->layers)
                                        : drt_fail_memory(context, "the reader");
    for (int i = 0; i < n_lanes && status == DRT_OK; i++)
        status = open_lane(context, model, &composed->lanes[i]);
    if (status == DRT_OK)
        status = allocate_buffers(context, composed, (size_t)max_rows);
    if (status == DRT_OK)
        *out = composed;
    else
        drt_composed_reader_free(composed);
    return status;
}

drt_room drt_composed_reader_room(const drt_model *model, int n_lanes, int max_rows) {
    const drt_config *c = &model->config;
    size_t d = (size_t)c->d_model, k = (size_t)c->top_k, lanes = (size_t)n_lanes;
    drt_room layers = drt_layers_room(c, max_rows);
    drt_room window = drt_window_room(c->lower_layers + upper_layers(c), c->d_model, c->window, c->chunk_size);
    size_t of_a_lane = 2 * (size_t)c->n_groups * k * chunk_floats(c) + d;
    size_t floats =
        lanes * of_a_lane + k * chunk_floats(c) + (size_t)max_rows * (2 * d + drt_reader_attention_width(c));
    return (drt_room){layers.device + lanes * window.device + floats * sizeof(float),
                      layers.host + lanes * window.host + k * chunk_floats(c) * sizeof(float)};
}

void drt_composed_reader_free(drt_composed_reader *composed) {
    if (!composed)
        return;
    drt_backend *b = composed->model->device->backend;
    for (int i = 0; composed->lanes && i < composed->n_lanes; i++)
        close_lane(composed->model, &composed->lanes[i]);
    float *buffers[] = {composed->y, composed->read, composed->mixed, composed->landmarks, composed->attention};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        b->buffer_free(b, buffers[i]);
    drt_layers_close(&composed->layers);
    free(composed->lanes);
    free(composed->query);
    free(composed->unpacked);
    free(composed->spans);
    free(composed->blocks);
    free(composed);
}

void drt_composed_reader_reset(drt_composed_reader *composed, int lane) {
    composed->lanes[lane].window.used = 0;
    for (int g = 0; g < DRT_MAX_GROUPS; g++)
        composed->lanes[lane].groups[g].n = 0;
}

/* -------------------------------------------------------------------------- retrieval ---- */

/* Asks for what group g retrieves at a part's landmark, x (d) there, and projects it. */
static drt_status retrieve(drt_context *context, const drt_reader *reader, const drt_reader_part *part, int g,
                           const float *x) {
    drt_composed_reader *composed = reader->composed;
    const drt_model *model = reader->model;
    const drt_config *c = &model->config;
    drt_layers *l = &composed->layers;
    drt_backend *b = l->backend;
    size_t d = (size_t)c->d_model;
    retrieval *r = &lane_of(reader, part)->groups[g];
    drt_retrieved found;
    if (b->rms_norm(b, x, model->query_norm[g], c->rms_eps, 1, c->d_model, l->normed) ||
        b->download(b, composed->query, l->normed, d * sizeof *composed->query) || b->synchronize(b))
        return drt_layers_failed(context, b);
    drt_status status = drt_reader_ask(context, reader, part, g, composed->query, &found);
    if (status != DRT_OK)
        return status;
    r->n = found.n;
    if (r->n == 0)
        return DRT_OK;
    memcpy(r->weights, found.weights, (size_t)r->n * sizeof *r->weights);
    for (int i = 0; i < r->n; i++)
        drt_memory_unpack(found.type, c->chunk_size, c->d_model, found.records[i],
                          composed->unpacked + (size_t)i * chunk_floats(c));
    if (b->upload(b, composed->y, composed->unpacked, (size_t)r->n * chunk_floats(c) * sizeof *composed->y) ||
        drt_layers_project_chunks(model, composed->y, r->n, r->k, r->v))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

/* For group g, of every part with a landmark. x: the round's rows, or where one_each the parts' landmarks. */
static drt_status retrieve_all(drt_context *context, const drt_reader *reader, const drt_reader_round *round, int g,
                               const float *x, bool one_each) {
    size_t d = (size_t)reader->model->config.d_model;
    drt_status status = DRT_OK;
    for (int i = 0; i < round->n_parts && status == DRT_OK; i++) {
        const drt_reader_part *part = &round->parts[i];
        if (part->landmark >= 0)
            status = retrieve(context, reader, part, g, x + (size_t)(one_each ? i : part->landmark) * d);
    }
    return status;
}

/* Landmarks as they are before a group's layers: those slots do not read what they retrieve. */
static int keep_landmarks(drt_composed_reader *composed, const drt_reader_round *round) {
    drt_layers *l = &composed->layers;
    size_t d = (size_t)composed->model->config.d_model;
    for (int i = 0; i < round->n_parts; i++) {
        int row = round->parts[i].landmark;
        if (row >= 0 &&
            l->backend->move(l->backend, composed->landmarks + (size_t)i * d, l->x + (size_t)row * d, d * sizeof *l->x))
            return -1;
    }
    return 0;
}

/* ----------------------------------------------------------------------------- layers ---- */

/* What each part reads in group g; returns whether any reads something. */
static bool fill_blocks(const drt_reader *reader, const drt_reader_round *round, int g) {
    bool any = false;
    for (int i = 0; i < round->n_parts; i++) {
        const drt_reader_part *part = &round->parts[i];
        const retrieval *r = &lane_of(reader, part)->groups[g];
        reader->composed->blocks[i] = (drt_gca_block){part->first, part->n, r->n, r->k, r->v, r->weights};
        any = any || r->n > 0;
    }
    return any;
}

/* read (rows,d) = gca_out(cross-attention(gca_q(gca_norm(x)))), in the paper's variant; else added to x. */
static int cross_attention(drt_composed_reader *composed, const drt_reader_round *round, int g,
                           const drt_layer_weights *w) {
    const drt_config *c = &composed->model->config;
    drt_layers *l = &composed->layers;
    drt_backend *b = l->backend;
    int n = round->n_rows, head_size = c->d_model / c->n_heads;
    drt_cross_attention p = {.q = l->q,
                             .n = n,
                             .n_heads = c->n_heads,
                             .head_size = head_size,
                             .chunk_size = c->chunk_size,
                             .blocks = composed->blocks,
                             .n_blocks = round->n_parts,
                             .out = composed->read};
    if (round->trace) {
        p.attention = composed->attention + (size_t)g * (size_t)c->top_k * (size_t)c->chunk_size;
        p.attention_stride = drt_reader_attention_width(c);
        p.attention_factor = 1 / (float)(c->n_heads * c->group_layers[g]);
    }
    if (b->rms_norm(b, l->x, w->gca_norm, c->rms_eps, n, c->d_model, l->normed) ||
        b->linear(b, l->normed, &w->gca_q, n, false, l->q) ||
        (c->qk_norm && b->unit_rms(b, l->q, c->rms_eps, (int64_t)n * c->n_heads, head_size)) ||
        b->cross_attention(b, &p))
        return -1;
    if (c->gca_in_residual)
        return b->linear(b, composed->read, &w->gca_out, n, true, l->x);
    if (b->linear(b, composed->read, &w->gca_out, n, false, composed->mixed))
        return -1;
    return b->add(b, l->x, composed->mixed, (size_t)n * (size_t)c->d_model, composed->mixed);
}

static int run_upper_layer(const drt_reader *reader, const drt_reader_round *round, int g, const drt_layer_weights *w,
                           int index) {
    drt_composed_reader *composed = reader->composed;
    drt_layers *l = &composed->layers;
    const float *input = l->x;
    if (drt_layers_window_attention(l, w, composed->spans, round->n_parts, index, round->n_rows))
        return -1;
    if (fill_blocks(reader, round, g)) {
        if (cross_attention(composed, round, g, w))
            return -1;
        if (!composed->model->config.gca_in_residual)
            input = composed->mixed;
    }
    return drt_layers_mlp(l, w, input, round->n_rows);
}

static drt_status run_group(drt_context *context, const drt_reader *reader, const drt_reader_round *round, int g,
                            int index) {
    drt_composed_reader *composed = reader->composed;
    const drt_model *model = reader->model;
    const drt_config *c = &model->config;
    drt_layers *l = &composed->layers;
    drt_status status = DRT_OK;
    if (c->landmark_reads_own_retrieval)
        status = retrieve_all(context, reader, round, g, l->x, false);
    else if (keep_landmarks(composed, round))
        status = drt_layers_failed(context, l->backend);
    for (int i = 0; status == DRT_OK && i < c->group_layers[g]; i++)
        if (run_upper_layer(reader, round, g, &model->upper[g][i], index + i))
            status = drt_layers_failed(context, l->backend);
    if (status == DRT_OK && !c->landmark_reads_own_retrieval)
        status = retrieve_all(context, reader, round, g, composed->landmarks, true); /* read from the next slot on */
    return status;
}

/* The round's rows: x = embeddings -> hidden in l->normed. */
static drt_status run_layers(drt_context *context, const drt_reader *reader, const drt_reader_round *round) {
    drt_composed_reader *composed = reader->composed;
    const drt_model *model = reader->model;
    const drt_config *c = &model->config;
    drt_layers *l = &composed->layers;
    int index = c->lower_layers, n = round->n_rows;
    for (int i = 0; i < c->lower_layers; i++)
        if (drt_layers_window_attention(l, &model->lower[i], composed->spans, round->n_parts, i, n) ||
            drt_layers_mlp(l, &model->lower[i], l->x, n))
            return drt_layers_failed(context, l->backend);
    for (int g = 0; g < c->n_groups; index += c->group_layers[g++]) {
        drt_status status = run_group(context, reader, round, g, index);
        if (status != DRT_OK)
            return status;
    }
    if (l->backend->rms_norm(l->backend, l->x, model->final_norm, c->rms_eps, n, c->d_model, l->normed))
        return drt_layers_failed(context, l->backend);
    return DRT_OK;
}

/* -------------------------------------------------------------------------------- run ---- */

/* Room in the windows, segments, embeddings, attention to add to. */
static int begin(const drt_reader *reader, const drt_reader_round *round) {
    drt_composed_reader *composed = reader->composed;
    drt_layers *l = &composed->layers;
    drt_backend *b = l->backend;
    size_t attention = (size_t)round->n_rows * drt_reader_attention_width(&reader->model->config);
    for (int i = 0; i < round->n_parts; i++) {
        const drt_reader_part *part = &round->parts[i];
        drt_window *window = &lane_of(reader, part)->window;
        if (drt_window_reserve(window, part->n))
            return -1;
        for (int j = 0; j < part->n; j++)
            window->segment[window->used + j] = (int32_t)part->start;
        composed->spans[i] = (drt_span){window, part->first, part->n};
    }
    if (b->embed(b, &reader->model->embed, round->tokens, round->n_rows, l->x))
        return -1;
    return round->trace ? b->clear(b, composed->attention, attention * sizeof *composed->attention) : 0;
}

/* Hands the results out. */
static int end(const drt_reader *reader, const drt_reader_round *round) {
    drt_composed_reader *composed = reader->composed;
    const drt_config *c = &reader->model->config;
    drt_layers *l = &composed->layers;
    drt_backend *b = l->backend;
    size_t d = (size_t)c->d_model, width = drt_reader_attention_width(c);
    for (int i = 0; i < round->n_parts; i++) {
        const drt_reader_part *part = &round->parts[i];
        const drt_reader_item *item = part->item;
        size_t first = (size_t)part->first, n = (size_t)part->n, done = (size_t)part->done;
        if (b->download(b, item->hidden + done * d, l->normed + first * d, n * d * sizeof *l->normed) ||
            (item->attention && b->download(b, item->attention + done * width, composed->attention + first * width,
                                            n * width * sizeof *composed->attention)))
            return -1;
        composed->spans[i].window->used += part->n;
    }
    return b->synchronize(b);
}

drt_status drt_composed_reader_run(drt_context *context, const drt_reader *reader, const drt_reader_round *round) {
    drt_backend *b = reader->model->device->backend;
    if (begin(reader, round))
        return drt_layers_failed(context, b);
    drt_status status = run_layers(context, reader, round);
    return status == DRT_OK && end(reader, round) ? drt_layers_failed(context, b) : status;
}
