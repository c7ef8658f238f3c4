/* encode.c: encode_run: token ids in, landmarks and records in host memory out. */
#include "kernels/timing/run.h"

#define CHUNKS_OF_A_DOCUMENT 100

typedef struct {
    drt_encode_state *state;
    int n;
    int32_t *tokens, *segment;
    uint16_t *landmarks[2];
    void *records[2];
    unsigned call; /* results go to one of two buffers in turns, as an ingest does it */
} encoder;

static drt_encode_layer layer_of(timing *t, const drt_timing_shape *s) {
    size_t d = (size_t)s->d_model;
    return (drt_encode_layer){timing_floats(t, d),
                              timing_floats(t, d),
                              timing_matrix(t, 3 * s->d_model, s->d_model),
                              timing_matrix(t, s->d_model, s->d_model),
                              timing_matrix(t, s->d_ff, s->d_model),
                              timing_matrix(t, s->d_ff, s->d_model),
                              timing_matrix(t, s->d_model, s->d_ff)};
}

static int call_encode(timing *t, void *arguments) {
    encoder *e = arguments;
    unsigned turn = e->call++ & 1;
    return t->b->encode_run(t->b, e->state, e->tokens, e->segment, e->n, e->landmarks[turn], e->records[turn]);
}

static void prepare(timing *t, encoder *e) {
    const drt_timing_shape *s = &t->params->shape;
    size_t n = (size_t)e->n, chunks = n / (size_t)s->chunk_size;
    e->tokens = timing_host(t, n * sizeof *e->tokens);
    e->segment = timing_host(t, n * sizeof *e->segment);
    for (size_t i = 0; !t->error[0] && i < n; i++) {
        e->tokens[i] = timing_draw(t, s->vocab_size);
        e->segment[i] = (int32_t)(i / ((size_t)s->chunk_size * CHUNKS_OF_A_DOCUMENT));
    }
    for (int i = 0; i < 2; i++) {
        e->landmarks[i] = timing_pinned(t, chunks * (size_t)s->d_model * sizeof(uint16_t));
        e->records[i] = timing_pinned(t, n * ((size_t)s->d_model + sizeof(float)));
    }
}

/* 2mnk FLOP of each product, 4 of each pair of slots and feature in attention; parameters as bf16. */
static timing_work work_of(const drt_timing_shape *s, int n) {
    double d = s->d_model, layers = s->lower_layers + s->encoder_layers, slots = n;
    double parameters = layers * (4 * d * d + 3 * d * s->d_ff);
    double attention = 4 * d * (s->lower_layers * s->window + s->encoder_layers * s->chunk_size);
    double out = slots * (d + sizeof(float)) + slots / s->chunk_size * d * 2;
    return (timing_work){"encode_run", .bytes = 2 * parameters + out, .link_bytes = out,
                         .flops = slots * (2 * parameters + attention)};
}

/* 0, -1, or 1 where the backend does not take this shape. */
static int open_state(timing *t, encoder *e) {
    const drt_timing_shape *s = &t->params->shape;
    int n_layers = s->lower_layers + s->encoder_layers;
    drt_encode_layer *layers = timing_host(t, (size_t)n_layers * sizeof *layers);
    for (int i = 0; layers && i < n_layers; i++)
        layers[i] = layer_of(t, s);
    drt_encode_weights w = {.d = s->d_model,
                            .n_heads = s->n_heads,
                            .d_ff = s->d_ff,
                            .chunk_size = s->chunk_size,
                            .window = s->window,
                            .unit_rms = true,
                            .eps = 1e-5f,
                            .rope_theta = 10000,
                            .embed = timing_matrix(t, s->vocab_size, s->d_model),
                            .lower = layers,
                            .encoder = layers + s->lower_layers,
                            .n_lower = s->lower_layers,
                            .n_encoder = s->encoder_layers,
                            .encoder_in_norm = timing_floats(t, (size_t)s->d_model),
                            .encoder_out_norm = timing_floats(t, (size_t)s->d_model)};
    if (t->error[0])
        return -1;
    int status = t->b->encode_open(t->b, &w, e->n, &e->state);
    timing_did(t, status < 0 ? status : 0);
    return status;
}

void timing_encode(timing *t, int slots) {
    encoder e = {.n = slots};
    if (!t->b->encode_open || timing_over(t))
        return;
    prepare(t, &e);
    if (t->error[0] || open_state(t, &e) != 1)
        timing_report(t, work_of(&t->params->shape, slots), call_encode, &e, "%d slots", slots);
    if (e.state)
        t->b->encode_close(t->b, e.state);
    timing_release(t);
}
