/* read.c: the reader stream: a token in every lane, and a question read in one. From begin to end, as an answer calls it:
 * with the waits for queries and results, and with retrieved chunks copied from the host where a landmark comes. */
#include "kernels/timing/run.h"

typedef struct {
    drt_read_state *state;
    int n_lanes, n;   /* slots of a lane in a call */
    int64_t position; /* of all lanes */
    const float *weights;
    const void **records;
    int32_t *tokens;
    drt_read_part *parts;
} reader;

/* Parts end before a landmark; its slots read what it finds. */
static int part_length(const reader *r, int chunk_size, int left) {
    int into = (int)((r->position + 1) % chunk_size);
    return left < chunk_size - into ? left : chunk_size - into;
}

static int retrieve(timing *t, reader *r, int group) {
    const drt_timing_shape *s = &t->params->shape;
    for (int i = 0; i < r->n_lanes; i++)
        if (t->b->read_chunks(t->b, r->state, i, group, s->top_k, r->weights, DRT_WEIGHT_I8, r->records) != 0)
            return -1;
    return 0;
}

static int read_parts(timing *t, reader *r, int n) {
    const drt_timing_shape *s = &t->params->shape;
    const float *queries, *hidden, *attention;
    for (int i = 0; i < r->n_lanes; i++)
        r->parts[i] = (drt_read_part){i, i * n, n, r->position, 0, (r->position + 1) % s->chunk_size == 0};
    if (t->b->read_begin(t->b, r->state, r->tokens, r->parts, r->n_lanes, true, &queries) != 0)
        return -1;
    for (int group = 0; group < s->n_groups; group++)
        if ((queries && retrieve(t, r, group) != 0) || t->b->read_group(t->b, r->state, group, &queries) != 0)
            return -1;
    r->position += n;
    return t->b->read_end(t->b, r->state, &hidden, &attention);
}

static int call_read(timing *t, void *arguments) {
    reader *r = arguments;
    int status = 0;
    for (int done = 0, n; done < r->n && status == 0; done += n) {
        n = part_length(r, t->params->shape.chunk_size, r->n - done);
        status = read_parts(t, r, n);
    }
    return status;
}

/* A question starts anew each time. */
static int call_question(timing *t, void *arguments) {
    reader *r = arguments;
    r->position = 0;
    return call_read(t, arguments);
}

static int n_layers(const drt_timing_shape *s) {
    int n = s->lower_layers;
    for (int g = 0; g < s->n_groups; g++)
        n += s->group_layers[g];
    return n;
}

/* Parameters as bf16, read once; of each lane the window's keys and values and in the groups' layers those of its chunks.
 * `past`: slots before the call. */
static timing_work work_of(const drt_timing_shape *s, const reader *r, int past) {
    double d = s->d_model, upper = n_layers(s) - s->lower_layers, chunks = s->top_k * s->chunk_size;
    double slots = (double)r->n_lanes * r->n, seen = past < s->window ? past : s->window;
    double parameters = n_layers(s) * (4 * d * d + 3 * d * s->d_ff) + upper * 2 * d * d;
    double keys = n_layers(s) * seen + upper * chunks;
    return (timing_work){"read", .bytes = 2 * parameters + 4 * r->n_lanes * d * keys,
                         .flops = slots * (2 * parameters + 4 * d * keys)};
}

static drt_read_layer layer_of(timing *t, const drt_timing_shape *s) {
    int d = s->d_model;
    return (drt_read_layer){.attn_norm = timing_floats(t, (size_t)d),
                            .gca_norm = timing_floats(t, (size_t)d),
                            .mlp_norm = timing_floats(t, (size_t)d),
                            .qkv = timing_matrix(t, 3 * d, d),
                            .out = timing_matrix(t, d, d),
                            .gca_q = timing_matrix(t, d, d),
                            .gca_out = timing_matrix(t, d, d),
                            .gate = timing_matrix(t, s->d_ff, d),
                            .up = timing_matrix(t, s->d_ff, d),
                            .down = timing_matrix(t, d, s->d_ff)};
}

static void prepare(timing *t, reader *r) {
    const drt_timing_shape *s = &t->params->shape;
    size_t lanes = (size_t)r->n_lanes, slots = lanes * (size_t)s->chunk_size, k = (size_t)s->top_k;
    size_t record = (size_t)s->chunk_size * ((size_t)s->d_model + sizeof(float));
    float *weights = timing_host(t, k * sizeof *weights);
    unsigned char *records = timing_host(t, k * record);
    r->tokens = timing_host(t, slots * sizeof *r->tokens);
    r->parts = timing_host(t, lanes * sizeof *r->parts);
    r->records = timing_host(t, k * sizeof *r->records);
    r->weights = weights;
    for (size_t i = 0; !t->error[0] && i < slots; i++)
        r->tokens[i] = timing_draw(t, s->vocab_size);
    for (size_t i = 0; !t->error[0] && i < k * record; i++)
        records[i] = (unsigned char)(i % record < record - sizeof(float) * (size_t)s->chunk_size
                                         ? timing_draw(t, 255)
                                         : 0); /* scales of 0: the time is the same */
    for (size_t i = 0; !t->error[0] && i < k; i++) {
        weights[i] = 1 / (float)k;
        r->records[i] = records + i * record;
    }
}

/* 0, -1, or 1 where the backend does not take this shape. */
static int open_state(timing *t, reader *r) {
    const drt_timing_shape *s = &t->params->shape;
    drt_read_layer *layers = timing_host(t, (size_t)n_layers(s) * sizeof *layers);
    const float **query_norm = timing_host(t, (size_t)s->n_groups * sizeof *query_norm);
    for (int i = 0; layers && i < n_layers(s); i++)
        layers[i] = layer_of(t, s);
    for (int g = 0; query_norm && g < s->n_groups; g++)
        query_norm[g] = timing_floats(t, (size_t)s->d_model);
    drt_read_weights w = {.d = s->d_model,
                          .n_heads = s->n_heads,
                          .d_ff = s->d_ff,
                          .chunk_size = s->chunk_size,
                          .window = s->window,
                          .top_k = s->top_k,
                          .unit_rms = true,
                          .eps = 1e-5f,
                          .embed = timing_matrix(t, s->vocab_size, s->d_model),
                          .chunk_k = timing_matrix(t, s->d_model, s->d_model),
                          .chunk_v = timing_matrix(t, s->d_model, s->d_model),
                          .lower = layers,
                          .upper = layers + s->lower_layers,
                          .n_lower = s->lower_layers,
                          .n_groups = s->n_groups,
                          .group_layers = s->group_layers,
                          .query_norm = query_norm,
                          .final_norm = timing_floats(t, (size_t)s->d_model)};
    if (t->error[0])
        return -1;
    int status = t->b->read_open(t->b, &w, r->n_lanes, r->n_lanes * s->chunk_size, &r->state);
    timing_did(t, status < 0 ? status : 0);
    return status;
}

/* Fills the window, so that a token sees as much as it can. */
static int fill_window(timing *t, reader *r) {
    int n = r->n;
    r->n = t->params->shape.window;
    int status = call_read(t, r);
    r->n = n;
    return status;
}

static void time_tokens(timing *t, int n_lanes) {
    reader r = {.n_lanes = n_lanes, .n = 1};
    prepare(t, &r);
    if (t->error[0] || open_state(t, &r) != 1) {
        if (!t->error[0])
            timing_did(t, fill_window(t, &r));
        timing_report(t, work_of(&t->params->shape, &r, t->params->shape.window), call_read, &r, "a token in %d lane%s",
                      n_lanes, n_lanes == 1 ? "" : "s");
    }
    if (r.state)
        t->b->read_close(t->b, r.state);
    timing_release(t);
}

/* The question chunk, then as much of a reading chunk as a question of average length takes. */
static void time_question(timing *t, int n_lanes) {
    const drt_timing_shape *s = &t->params->shape;
    reader r = {.n_lanes = n_lanes, .n = s->chunk_size + s->chunk_size / 4};
    prepare(t, &r);
    if (t->error[0] || open_state(t, &r) != 1)
        timing_report(t, work_of(s, &r, 0), call_question, &r, "%d slots in %d lane%s", r.n, n_lanes,
                      n_lanes == 1 ? "" : "s");
    if (r.state)
        t->b->read_close(t->b, r.state);
    timing_release(t);
}

void timing_read(timing *t) {
    static const int lanes[] = {1, 8, 64};
    for (size_t i = 0; i < sizeof lanes / sizeof *lanes && t->b->read_open && !timing_over(t); i++)
        time_tokens(t, lanes[i]);
    for (int n_lanes = 1; n_lanes <= 16 && t->b->read_open && !timing_over(t); n_lanes *= 16)
        time_question(t, n_lanes);
}
