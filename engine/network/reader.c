/* reader.c: the reader stream: the whole network over questions and answers, in several lanes. See network.h.
 *
 * A run is divided into rounds. In each, every lane that has slots left goes on by those that read one retrieval: such
 * a part ends where a new retrieval begins to be read (every S slots: at the landmark, or the slot after it in the
 * paper's variant). The parts lie behind each other in the working buffers, so that products are done for all lanes at
 * once. Each group of a lane keeps the keys and values of what it retrieved, projected once, for the S slots that read
 * them. */
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

typedef struct {
    drt_window window; /* lower layers, then the groups' layers */
    retrieval groups[DRT_MAX_GROUPS];
    int64_t position; /* slots since the reset */
    int32_t segment;
} lane_state;

/* A lane's slots of one round: rows first .. first+n-1. */
typedef struct {
    const drt_reader_item *item;
    lane_state *lane;
    int first, n, done; /* done: slots of the item in earlier rounds */
    int landmark;       /* its row, or -1 */
    int step;           /* which counts the landmark */
} part;

struct drt_reader {
    drt_model *model;
    int n_lanes, max_slots;
    drt_retrieve_fn retrieve;
    void *user;
    drt_layers layers; /* (n_lanes*S) slots */
    lane_state *lanes;
    float *y;         /* (top_k,S,d) backend memory */
    float *unpacked;  /* (top_k,S,d) host */
    float *read;      /* (n_lanes*S,d): what cross-attention gives */
    float *mixed;     /* (n_lanes*S,d): input of the MLP in the paper's variant */
    float *landmarks; /* (n_lanes,d): each part's landmark before the group's layers, in the paper's variant */
    float *attention; /* (n_lanes*S,G,top_k,S) */
    float *logits;    /* (S,vocab) */
    float *query;     /* (d) host */
    /* Of the running round, all host: */
    part *parts;           /* (n_lanes), */
    drt_span *spans;       /* their windows, */
    drt_gca_block *blocks; /* and what they read */
    int n_parts, n_rows;
    bool trace;      /* attention is wanted */
    int32_t *tokens; /* (n_lanes*S) */
    int *done;       /* (n_items) slots */
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

static drt_status allocate_buffers(drt_context *context, drt_reader *reader) {
    const drt_config *c = &reader->model->config;
    drt_backend *b = reader->model->device->backend;
    size_t d = (size_t)c->d_model, S = (size_t)c->chunk_size, k = (size_t)c->top_k;
    size_t lanes = (size_t)reader->n_lanes, slots = lanes * S;
    reader->query = malloc(d * sizeof *reader->query);
    reader->unpacked = malloc(k * chunk_floats(c) * sizeof *reader->unpacked);
    reader->parts = malloc(lanes * sizeof *reader->parts);
    reader->spans = malloc(lanes * sizeof *reader->spans);
    reader->blocks = malloc(lanes * sizeof *reader->blocks);
    reader->done = malloc(lanes * sizeof *reader->done);
    reader->tokens = malloc(slots * sizeof *reader->tokens);
    if (!reader->query || !reader->unpacked || !reader->parts || !reader->spans || !reader->blocks || !reader->done ||
        !reader->tokens)
        return drt_fail_memory(context, "the reader");
    if (drt_layers_floats(b, k * chunk_floats(c), &reader->y) || drt_layers_floats(b, slots * d, &reader->read) ||
        drt_layers_floats(b, slots * d, &reader->mixed) || drt_layers_floats(b, lanes * d, &reader->landmarks) ||
        drt_layers_floats(b, slots * attention_width(c), &reader->attention) ||
        drt_layers_floats(b, S * (size_t)c->vocab_size, &reader->logits))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

static drt_status allocate(drt_context *context, drt_reader *reader) {
    drt_model *model = reader->model;
    reader->lanes = calloc((size_t)reader->n_lanes, sizeof *reader->lanes);
    if (!reader->lanes)
        return drt_fail_memory(context, "the reader");
    drt_status status = drt_layers_open(context, model, reader->n_lanes * model->config.chunk_size, &reader->layers);
    for (int i = 0; i < reader->n_lanes && status == DRT_OK; i++)
        status = open_lane(context, model, &reader->lanes[i]);
    return status == DRT_OK ? allocate_buffers(context, reader) : status;
}

drt_status drt_reader_new(drt_context *context, drt_model *model, int n_lanes, int max_slots, drt_retrieve_fn retrieve,
                          void *user, drt_reader **out) {
    *out = NULL;
    drt_reader *reader = calloc(1, sizeof *reader);
    if (!reader)
        return drt_fail_memory(context, "the reader");
    *reader =
        (drt_reader){.model = model, .n_lanes = n_lanes, .max_slots = max_slots, .retrieve = retrieve, .user = user};
    drt_status status = allocate(context, reader);
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
    for (int i = 0; reader->lanes && i < reader->n_lanes; i++)
        close_lane(reader->model, &reader->lanes[i]);
    float *buffers[] = {reader->y, reader->read, reader->mixed, reader->landmarks, reader->attention, reader->logits};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        b->buffer_free(b, buffers[i]);
    drt_layers_close(&reader->layers);
    free(reader->lanes);
    free(reader->query);
    free(reader->unpacked);
    free(reader->parts);
    free(reader->spans);
    free(reader->blocks);
    free(reader->done);
    free(reader->tokens);
    free(reader);
}

void drt_reader_reset(drt_reader *reader, int lane) {
    lane_state *l = &reader->lanes[lane];
    l->position = 0;
    l->window.used = 0;
    for (int g = 0; g < DRT_MAX_GROUPS; g++)
        l->groups[g].n = 0;
}

void drt_reader_next_segment(drt_reader *reader, int lane) {
    reader->lanes[lane].segment++;
}

/* -------------------------------------------------------------------------- retrieval ---- */

/* Asks for what group g retrieves at a part's landmark, x (d) there, and projects it. */
static drt_status retrieve(drt_context *context, drt_reader *reader, const part *p, int g, const float *x) {
    const drt_model *model = reader->model;
    const drt_config *c = &model->config;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    size_t d = (size_t)c->d_model;
    retrieval *r = &p->lane->groups[g];
    drt_retrieved found = {0};
    if (b->rms_norm(b, x, model->query_norm[g], c->rms_eps, 1, c->d_model, l->normed) ||
        b->download(b, reader->query, l->normed, d * sizeof *reader->query) || b->synchronize(b))
        return drt_layers_failed(context, b);
    drt_status status = reader->retrieve(reader->user, context, p->item->lane, p->step, g, reader->query, &found);
    if (status != DRT_OK)
        return status;
    if (found.n < 0 || found.n > c->top_k)
        return drt_fail(context, DRT_FAILED, "%d chunks were retrieved where the model reads %d", found.n, c->top_k);
    r->n = found.n;
    if (r->n == 0)
        return DRT_OK;
    memcpy(r->weights, found.weights, (size_t)r->n * sizeof *r->weights);
    for (int i = 0; i < r->n; i++)
        drt_memory_unpack(found.type, c->chunk_size, c->d_model, found.records[i],
                          reader->unpacked + (size_t)i * chunk_floats(c));
    if (b->upload(b, reader->y, reader->unpacked, (size_t)r->n * chunk_floats(c) * sizeof *reader->y) ||
        drt_layers_project_chunks(model, reader->y, r->n, r->k, r->v))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

/* For group g, of every part with a landmark. x: rows of slots, or where one_each the parts' landmarks. */
static drt_status retrieve_all(drt_context *context, drt_reader *reader, int g, const float *x, bool one_each) {
    size_t d = (size_t)reader->model->config.d_model;
    drt_status status = DRT_OK;
    for (int i = 0; i < reader->n_parts && status == DRT_OK; i++) {
        const part *p = &reader->parts[i];
        if (p->landmark >= 0)
            status = retrieve(context, reader, p, g, x + (size_t)(one_each ? i : p->landmark) * d);
    }
    return status;
}

/* Landmarks as they are before a group's layers: those slots do not read what they retrieve. */
static int keep_landmarks(drt_reader *reader) {
    drt_layers *l = &reader->layers;
    size_t d = (size_t)reader->model->config.d_model;
    for (int i = 0; i < reader->n_parts; i++) {
        int row = reader->parts[i].landmark;
        if (row >= 0 &&
            l->backend->move(l->backend, reader->landmarks + (size_t)i * d, l->x + (size_t)row * d, d * sizeof *l->x))
            return -1;
    }
    return 0;
}

/* ----------------------------------------------------------------------------- layers ---- */

/* What each part reads in group g; returns whether any reads something. */
static bool fill_blocks(drt_reader *reader, int g) {
    bool any = false;
    for (int i = 0; i < reader->n_parts; i++) {
        const part *p = &reader->parts[i];
        const retrieval *r = &p->lane->groups[g];
        reader->blocks[i] = (drt_gca_block){p->first, p->n, r->n, r->k, r->v, r->weights};
        any = any || r->n > 0;
    }
    return any;
}

/* read (rows,d) = gca_out(cross-attention(gca_q(gca_norm(x)))), in the paper's variant; else added to x. */
static int cross_attention(drt_reader *reader, int g, const drt_layer_weights *w) {
    const drt_config *c = &reader->model->config;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    int n = reader->n_rows, head_size = c->d_model / c->n_heads;
    drt_cross_attention p = {.q = l->q,
                             .n = n,
                             .n_heads = c->n_heads,
                             .head_size = head_size,
                             .chunk_size = c->chunk_size,
                             .blocks = reader->blocks,
                             .n_blocks = reader->n_parts,
                             .out = reader->read};
    if (reader->trace) {
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

static int run_upper_layer(drt_reader *reader, int g, const drt_layer_weights *w, int index) {
    drt_layers *l = &reader->layers;
    const float *input = l->x;
    if (drt_layers_window_attention(l, w, reader->spans, reader->n_parts, index, reader->n_rows))
        return -1;
    if (fill_blocks(reader, g)) {
        if (cross_attention(reader, g, w))
            return -1;
        if (!reader->model->config.gca_in_residual)
            input = reader->mixed;
    }
    return drt_layers_mlp(l, w, input, reader->n_rows);
}

/* The round's slots: x = embeddings -> hidden in l->normed. */
static drt_status run_layers(drt_context *context, drt_reader *reader) {
    const drt_model *model = reader->model;
    const drt_config *c = &model->config;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    int index = 0, n = reader->n_rows;
    for (int i = 0; i < c->lower_layers; i++)
        if (drt_layers_window_attention(l, &model->lower[i], reader->spans, reader->n_parts, index++, n) ||
            drt_layers_mlp(l, &model->lower[i], l->x, n))
            return drt_layers_failed(context, b);
    for (int g = 0; g < c->n_groups; g++) {
        drt_status status = DRT_OK;
        if (c->landmark_reads_own_retrieval)
            status = retrieve_all(context, reader, g, l->x, false);
        else if (keep_landmarks(reader))
            status = drt_layers_failed(context, b);
        for (int i = 0; status == DRT_OK && i < c->group_layers[g]; i++)
            if (run_upper_layer(reader, g, &model->upper[g][i], index++))
                status = drt_layers_failed(context, b);
        if (status == DRT_OK && !c->landmark_reads_own_retrieval)
            status = retrieve_all(context, reader, g, reader->landmarks, true); /* read from the next slot on */
        if (status != DRT_OK)
            return status;
    }
    if (b->rms_norm(b, l->x, model->final_norm, c->rms_eps, n, c->d_model, l->normed))
        return drt_layers_failed(context, b);
    return DRT_OK;
}

/* -------------------------------------------------------------------------------- run ---- */

/* Slots from `position` on that read the same retrieval, at most n. */
static int part_length(const drt_config *c, int64_t position, int n) {
    int shift = c->landmark_reads_own_retrieval ? c->chunk_size - 1 : 0;
    int into = (int)((position + c->chunk_size - shift) % c->chunk_size);
    return n < c->chunk_size - into ? n : c->chunk_size - into;
}

/* The next part of an item that has slots left. */
static void add_part(drt_reader *reader, const drt_reader_item *item, int done) {
    const drt_config *c = &reader->model->config;
    lane_state *lane = &reader->lanes[item->lane];
    int n = part_length(c, lane->position, item->n - done), S = c->chunk_size;
    int first = reader->n_rows, landmark = S - 1 - (int)(lane->position % S);
    memcpy(reader->tokens + first, item->tokens + done, (size_t)n * sizeof *reader->tokens);
    reader->spans[reader->n_parts] = (drt_span){&lane->window, first, n};
    reader->parts[reader->n_parts++] =
        (part){item, lane, first, n, done, landmark < n ? first + landmark : -1, (int)(lane->position / S)};
    reader->n_rows += n;
    reader->trace = reader->trace || item->attention;
}

/* Room in the windows, segments, embeddings, attention to add to. */
static int begin_round(drt_reader *reader) {
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    size_t attention = (size_t)reader->n_rows * attention_width(&reader->model->config);
    for (int i = 0; i < reader->n_parts; i++) {
        const part *p = &reader->parts[i];
        drt_window *window = &p->lane->window;
        if (drt_window_reserve(window, p->n))
            return -1;
        for (int j = 0; j < p->n; j++)
            window->segment[window->used + j] = p->lane->segment;
    }
    if (b->embed(b, &reader->model->embed, reader->tokens, reader->n_rows, l->x))
        return -1;
    return reader->trace ? b->clear(b, reader->attention, attention * sizeof *reader->attention) : 0;
}

/* Hands the round's results out and moves the lanes on. */
static int end_round(drt_reader *reader) {
    const drt_config *c = &reader->model->config;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    size_t d = (size_t)c->d_model, width = attention_width(c);
    for (int i = 0; i < reader->n_parts; i++) {
        const part *p = &reader->parts[i];
        size_t first = (size_t)p->first, n = (size_t)p->n, done = (size_t)p->done;
        if (b->download(b, p->item->hidden + done * d, l->normed + first * d, n * d * sizeof *l->normed) ||
            (p->item->attention && b->download(b, p->item->attention + done * width, reader->attention + first * width,
                                               n * width * sizeof *reader->attention)))
            return -1;
    }
    if (b->synchronize(b))
        return -1;
    for (int i = 0; i < reader->n_parts; i++) {
        lane_state *lane = reader->parts[i].lane;
        lane->window.used += reader->parts[i].n;
        lane->position += reader->parts[i].n;
    }
    return 0;
}

static drt_status check_items(drt_context *context, const drt_reader *reader, const drt_reader_item *items,
                              int n_items) {
    for (int i = 0; i < n_items; i++) {
        if (items[i].lane < 0 || items[i].lane >= reader->n_lanes)
            return drt_fail(context, DRT_FAILED, "the reader has %d lanes, none with number %d", reader->n_lanes,
                            items[i].lane);
        if (items[i].n < 1 || items[i].n > reader->max_slots)
            return drt_fail(context, DRT_FAILED, "the reader takes 1 to %d slots at once, not %d", reader->max_slots,
                            items[i].n);
        for (int j = 0; j < i; j++)
            if (items[j].lane == items[i].lane)
                return drt_fail(context, DRT_FAILED, "lane %d is there twice in one run of the reader", items[i].lane);
    }
    return DRT_OK;
}

drt_status drt_reader_run(drt_context *context, drt_reader *reader, const drt_reader_item *items, int n_items) {
    drt_status status = check_items(context, reader, items, n_items);
    for (int i = 0; status == DRT_OK && i < n_items; i++)
        reader->done[i] = 0;
    while (status == DRT_OK) {
        reader->n_parts = reader->n_rows = 0;
        reader->trace = false;
        for (int i = 0; i < n_items; i++)
            if (reader->done[i] < items[i].n) {
                add_part(reader, &items[i], reader->done[i]);
                reader->done[i] += reader->parts[reader->n_parts - 1].n;
            }
        if (reader->n_parts == 0)
            break;
        if (begin_round(reader))
            status = drt_layers_failed(context, reader->layers.backend);
        if (status == DRT_OK)
            status = run_layers(context, reader);
        if (status == DRT_OK && end_round(reader))
            status = drt_layers_failed(context, reader->layers.backend);
    }
    return status;
}

drt_status drt_reader_logits(drt_context *context, drt_reader *reader, const float *hidden, int n, float *logits) {
    const drt_model *model = reader->model;
    drt_layers *l = &reader->layers;
    drt_backend *b = l->backend;
    size_t d = (size_t)model->config.d_model, vocab = (size_t)model->config.vocab_size;
    int most = model->config.chunk_size;
    for (int done = 0; done < n; done += most) {
        int n_rows = n - done < most ? n - done : most;
        if (b->upload(b, l->normed, hidden + (size_t)done * d, (size_t)n_rows * d * sizeof *hidden) ||
            b->linear(b, l->normed, &model->embed, n_rows, false, reader->logits) ||
            b->download(b, logits + (size_t)done * vocab, reader->logits, (size_t)n_rows * vocab * sizeof *logits) ||
            b->synchronize(b))
            return drt_layers_failed(context, b);
    }
    return DRT_OK;
}
