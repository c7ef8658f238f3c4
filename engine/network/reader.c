/* reader.c: the reader stream: the whole network over questions and answers. See network.h.
 *
 * Slots are run in steps that read one retrieval: a step starts where a new retrieval begins to be read
 * (every S slots: at the landmark, or the slot after it in the paper's variant). Each group keeps the
 * keys and values of what it retrieved, projected once, for the S slots that read them. */
#include <stdlib.h>
#include <string.h>

#include "engine/network/layers.h"
#include "engine/network/network.h"

/* What a group retrieved, ready for its layers. */
typedef struct {
    int n;          /* chunks */
    float *weights; /* (top_k) host */
    float *k, *v;   /* (top_k,S,d) backend memory */
} retrieval;

struct drt_reader {
    drt_model *model;
    int max_slots;
    drt_retrieve_fn retrieve;
    void *user;
    drt_layers layers; /* S slots */
    drt_window window; /* lower layers, then the groups' layers */
    retrieval groups[DRT_MAX_GROUPS];
    float *y;         /* (top_k,S,d) backend memory */
    float *read;      /* (S,d): what cross-attention gives */
    float *mixed;     /* (S,d): input of the MLP in the paper's variant */
    float *landmark;  /* (d): the landmark before the group's layers, in the paper's variant */
    float *attention; /* (S,G,top_k,S) */
    float *logits;    /* (S,vocab) */
    float *query;     /* (d) host */
    int64_t position; /* slots since the reset */
    int32_t segment;
};

static size_t chunk_floats(const drt_config *c) {
    return (size_t)c->chunk_size * (size_t)c->d_model;
}

static size_t attention_width(const drt_config *c) {
    return (size_t)c->n_groups * (size_t)c->top_k * (size_t)c->chunk_size;
}

static int upper_layers(const drt_config *c) {
    int n = 0;
    for (int g = 0; g < c->n_groups; g++)
        n += c->group_layers[g];
    return n;
}

/* ----------------------------------------------------------------------- open, close ---- */

static drt_status allocate(drt_context *context, drt_reader *reader) {
    const drt_config *c = &reader->model->config;
    drt_backend *b = reader->model->device->backend;
    size_t d = (size_t)c->d_model, S = (size_t)c->chunk_size, k = (size_t)c->top_k;
    reader->query = malloc(d * sizeof *reader->query);
    if (!reader->query)
        return drt_fail_memory(context, "the reader");
    for (int g = 0; g < c->n_groups; g++) {
        retrieval *r = &reader->groups[g];
        r->weights = malloc(k * sizeof *r->weights);
        if (!r->weights)
            return drt_fail_memory(context, "the reader");
        if (drt_layers_floats(b, k * chunk_floats(c), &r->k) || drt_layers_floats(b, k * chunk_floats(c), &r->v))
            return drt_layers_failed(context, b);
    }
    if (drt_layers_floats(b, k * chunk_floats(c), &reader->y) || drt_layers_floats(b, S * d, &reader->read) ||
        drt_layers_floats(b, S * d, &reader->mixed) || drt_layers_floats(b, d, &reader->landmark) ||
        drt_layers_floats(b, S * attention_width(c), &reader->attention) ||
        drt_layers_floats(b, S * (size_t)c->vocab_size, &reader->logits))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

drt_status drt_reader_new(drt_context *context, drt_model *model, int max_slots, drt_retrieve_fn retrieve, void *user,
                          drt_reader **out) {
    const drt_config *c = &model->config;
    *out = NULL;
    drt_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return drt_fail_memory(context, "the reader");
    reader->model = model;
    reader->max_slots = max_slots;
    reader->retrieve = retrieve;
    reader->user = user;
    drt_status status = drt_layers_open(context, model, c->chunk_size, &reader->layers);
    if (status == DRT_OK)
        status = drt_window_open(context, model->device->backend, c->lower_layers + upper_layers(c), c->d_model,
                                 c->window, c->chunk_size, &reader->window);
    if (status == DRT_OK)
        status = allocate(context, reader);
    if (status != DRT_OK) {
        drt_reader_free(reader);
        return status;
    }
    *out = reader;
    return DRT_OK;
}

void drt_reader_free(drt_reader *reader) {
    if (!reader)
        return;
    drt_backend *b = reader->model->device->backend;
    for (int g = 0; g < reader->model->config.n_groups; g++) {
        free(reader->groups[g].weights);
        b->buffer_free(b, reader->groups[g].k);
        b->buffer_free(b, reader->groups[g].v);
    }
    float *buffers[] = {reader->y, reader->read, reader->mixed, reader->landmark, reader->attention, reader->logits};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        b->buffer_free(b, buffers[i]);
    drt_window_close(&reader->window);
    drt_layers_close(&reader->layers);
    free(reader->query);
    free(reader);
}

void drt_reader_reset(drt_reader *reader) {
    reader->position = 0;
    reader->window.used = 0;
    for (int g = 0; g < DRT_MAX_GROUPS; g++)
        reader->groups[g].n = 0;
}

void drt_reader_next_segment(drt_reader *reader) {
    reader->segment++;
}

/* -------------------------------------------------------------------------- retrieval ---- */

/* Asks for what group g retrieves at a landmark, x (d) there, and projects it. */
static drt_status retrieve(drt_context *context, drt_reader *reader, int g, const float *x, int step) {
    const drt_model *model = reader->model;
    const drt_config *c = &model->config;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    size_t d = (size_t)c->d_model;
    retrieval *r = &reader->groups[g];
    drt_retrieved found = {0};
    if (b->rms_norm(b, x, model->query_norm[g], c->rms_eps, 1, c->d_model, l->normed) ||
        b->download(b, reader->query, l->normed, d * sizeof *reader->query) || b->synchronize(b))
        return drt_layers_failed(context, b);
    drt_status status = reader->retrieve(reader->user, context, step, g, reader->query, &found);
    if (status != DRT_OK)
        return status;
    if (found.n < 0 || found.n > c->top_k)
        return drt_fail(context, DRT_FAILED, "%d chunks were retrieved where the model reads %d", found.n, c->top_k);
    r->n = found.n;
    if (r->n == 0)
        return DRT_OK;
    memcpy(r->weights, found.weights, (size_t)r->n * sizeof *r->weights);
    if (b->upload(b, reader->y, found.y, (size_t)r->n * chunk_floats(c) * sizeof *reader->y) ||
        drt_layers_project_chunks(model, reader->y, r->n, r->k, r->v))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

/* ----------------------------------------------------------------------------- layers ---- */

/* read (n,d) = gca_out(cross-attention(gca_q(gca_norm(x)))), in the paper's variant; else added to x. */
static int cross_attention(drt_reader *reader, int g, const drt_layer_weights *w, int n, bool trace) {
    const drt_config *c = &reader->model->config;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    const retrieval *r = &reader->groups[g];
    int head_size = c->d_model / c->n_heads;
    drt_gca_block block = {0, n, r->n, r->k, r->v, r->weights};
    drt_cross_attention p = {.q = l->q,
                             .n = n,
                             .n_heads = c->n_heads,
                             .head_size = head_size,
                             .chunk_size = c->chunk_size,
                             .blocks = &block,
                             .n_blocks = 1,
                             .out = reader->read};
    if (trace) {
        p.attention = reader->attention + (size_t)g * (size_t)c->top_k * (size_t)c->chunk_size;
        p.attention_stride = attention_width(c);
        p.attention_factor = 1 / (float)(c->n_heads * c->group_layers[g]);
    }
    if (b->rms_norm(b, l->x, w->gca_norm, c->rms_eps, n, c->d_model, l->normed) ||
        b->linear(b, l->normed, &w->gca_q, n, false, l->q) ||
        (c->qk_norm && b->unit_rms(b, l->q, c->rms_eps, (int64_t)n * c->n_heads, head_size)) ||
        b->cross_attention(b, &p))
        return -1;
    if (c->gca_in_residual)
        return b->linear(b, reader->read, &w->gca_out, n, true, l->x);
    if (b->linear(b, reader->read, &w->gca_out, n, false, reader->mixed))
        return -1;
    return b->add(b, l->x, reader->mixed, (size_t)n * (size_t)c->d_model, reader->mixed);
}

static int run_upper_layer(drt_reader *reader, int g, const drt_layer_weights *w, int index, int n, bool trace) {
    drt_layers *l = &reader->layers;
    const float *input = l->x;
    if (drt_layers_window_attention(l, w, &reader->window, index, n))
        return -1;
    if (reader->groups[g].n > 0) {
        if (cross_attention(reader, g, w, n, trace))
            return -1;
        if (!reader->model->config.gca_in_residual)
            input = reader->mixed;
    }
    return drt_layers_mlp(l, w, input, n);
}

/* n slots that read one retrieval: x = embeddings -> hidden in l->normed. `landmark` is the row of the landmark among
 * them, or -1; `step` counts it. */
static drt_status run_layers(drt_context *context, drt_reader *reader, int n, int landmark, int step, bool trace) {
    const drt_model *model = reader->model;
    const drt_config *c = &model->config;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    int index = 0;
    for (int i = 0; i < c->lower_layers; i++)
        if (drt_layers_window_attention(l, &model->lower[i], &reader->window, index++, n) ||
            drt_layers_mlp(l, &model->lower[i], l->x, n))
            return drt_layers_failed(context, b);
    for (int g = 0; g < c->n_groups; g++) {
        drt_status status = DRT_OK;
        const float *x = l->x + (size_t)(landmark < 0 ? 0 : landmark) * (size_t)c->d_model;
        if (landmark >= 0 && c->landmark_reads_own_retrieval)
            status = retrieve(context, reader, g, x, step);
        else if (landmark >= 0 && b->move(b, reader->landmark, x, (size_t)c->d_model * sizeof *x))
            status = drt_layers_failed(context, b);
        for (int i = 0; status == DRT_OK && i < c->group_layers[g]; i++)
            if (run_upper_layer(reader, g, &model->upper[g][i], index++, n, trace))
                status = drt_layers_failed(context, b);
        if (status == DRT_OK && landmark >= 0 && !c->landmark_reads_own_retrieval)
            status = retrieve(context, reader, g, reader->landmark, step); /* read from the next slot on */
        if (status != DRT_OK)
            return status;
    }
    if (b->rms_norm(b, l->x, model->final_norm, c->rms_eps, n, c->d_model, l->normed))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

/* -------------------------------------------------------------------------------- run ---- */

/* Slots from `position` on that read the same retrieval, at most n. */
static int step_length(const drt_config *c, int64_t position, int n) {
    int shift = c->landmark_reads_own_retrieval ? c->chunk_size - 1 : 0;
    int into = (int)((position + c->chunk_size - shift) % c->chunk_size);
    return n < c->chunk_size - into ? n : c->chunk_size - into;
}

static drt_status run_step(drt_context *context, drt_reader *reader, const int32_t *tokens, int n, float *hidden,
                           float *attention) {
    const drt_model *model = reader->model;
    const drt_config *c = &model->config;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    int S = c->chunk_size, landmark = S - 1 - (int)(reader->position % S);
    int step = (int)(reader->position / S);
    size_t attention_bytes = (size_t)n * attention_width(c) * sizeof *attention;
    if (drt_window_reserve(&reader->window, n) || b->embed(b, &model->embed, tokens, n, l->x) ||
        (attention && b->clear(b, reader->attention, attention_bytes)))
        return drt_layers_failed(context, b);
    for (int i = 0; i < n; i++)
        reader->window.segment[reader->window.used + i] = reader->segment;
    drt_status status = run_layers(context, reader, n, landmark < n ? landmark : -1, step, attention != NULL);
    if (status != DRT_OK)
        return status;
    if (b->download(b, hidden, l->normed, (size_t)n * (size_t)c->d_model * sizeof *hidden) ||
        (attention && b->download(b, attention, reader->attention, attention_bytes)) || b->synchronize(b))
        return drt_layers_failed(context, b);
    reader->window.used += n;
    reader->position += n;
    return DRT_OK;
}

drt_status drt_reader_run(drt_context *context, drt_reader *reader, const int32_t *tokens, int n, float *hidden,
                          float *attention) {
    const drt_config *c = &reader->model->config;
    if (n < 1 || n > reader->max_slots)
        return drt_fail(context, DRT_FAILED, "the reader takes 1 to %d slots at once, not %d", reader->max_slots, n);
    for (int done = 0; done < n;) {
        int length = step_length(c, reader->position, n - done);
        drt_status status = run_step(context, reader, tokens + done, length, hidden + (size_t)done * (size_t)c->d_model,
                                     attention ? attention + (size_t)done * attention_width(c) : NULL);
        if (status != DRT_OK)
            return status;
        done += length;
    }
    return DRT_OK;
}

drt_status drt_reader_logits(drt_context *context, drt_reader *reader, const float *hidden, int n, float *logits) {
    const drt_model *model = reader->model;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    size_t d = (size_t)model->config.d_model, vocab = (size_t)model->config.vocab_size;
    for (int done = 0; done < n; done += l->max_slots) {
        int part = n - done < l->max_slots ? n - done : l->max_slots;
        if (b->upload(b, l->normed, hidden + (size_t)done * d, (size_t)part * d * sizeof *hidden) ||
            b->linear(b, l->normed, &model->embed, part, false, reader->logits) ||
            b->download(b, logits + (size_t)done * vocab, reader->logits, (size_t)part * vocab * sizeof *logits) ||
            b->synchronize(b))
            return drt_layers_failed(context, b);
    }
    return DRT_OK;
}
