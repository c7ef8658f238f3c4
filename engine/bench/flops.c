/* flops.c: what an ingest computes, and how fast the device multiplies matrices of these shapes. */
#include "engine/bench/bench.h"
#include "engine/network/layers.h"

#define MAX_ROUNDS 64

static double layer_products(const drt_config *c) {
    double d = c->d_model, f = c->d_ff;
    return 2 * (4 * d * d + 3 * d * f);
}

double drt_bench_slot_flops(const drt_config *c) {
    double d = c->d_model;
    return (c->lower_layers + c->encoder_layers) * layer_products(c) + c->lower_layers * 4 * d * c->window +
           c->encoder_layers * 4 * d * c->chunk_size;
}

/* The products of one layer. */
static int multiply(drt_layers *l, const drt_layer_weights *w, int n) {
    drt_backend *b = l->backend;
    return b->linear(b, l->normed, &w->qkv, n, false, l->qkv) || b->linear(b, l->q, &w->out, n, true, l->x) ||
           b->linear(b, l->normed, &w->mlp.gate, n, false, l->gate) ||
           b->linear(b, l->normed, &w->mlp.up, n, false, l->up) || b->linear(b, l->gate, &w->mlp.down, n, true, l->x) ||
           b->synchronize(b);
}

static int clear_inputs(drt_layers *l, int n) {
    drt_backend *b = l->backend;
    size_t slots = (size_t)n * sizeof(float), d = (size_t)l->model->config.d_model;
    return b->clear(b, l->normed, slots * d) || b->clear(b, l->q, slots * d) || b->clear(b, l->x, slots * d);
}

drt_status drt_bench_gemm_rate(drt_context *context, drt_model *model, int n_slots, double seconds, double *rate) {
    const drt_layer_weights *w = model->config.lower_layers ? &model->lower[0] : &model->encoder[0];
    drt_layers layers;
    double rates[MAX_ROUNDS];
    size_t rounds = 0;
    drt_status status = drt_layers_open(context, model, n_slots, &layers);
    if (status != DRT_OK)
        return status;
    /* The first round touches the buffers' pages and is not counted. */
    bool failed = clear_inputs(&layers, n_slots) || multiply(&layers, w, n_slots);
    for (double start = drt_bench_clock(); !failed && rounds < MAX_ROUNDS;) {
        double before = drt_bench_clock();
        failed = multiply(&layers, w, n_slots);
        double after = drt_bench_clock();
        rates[rounds++] = layer_products(&model->config) * n_slots / (after - before);
        if (after - start > seconds || drt_cancelled(context))
            break;
    }
    if (failed)
        status = drt_layers_failed(context, layers.backend);
    else
        *rate = drt_bench_median(rates, rounds);
    drt_layers_close(&layers);
    return status;
}
