/* ops.c: the operations of a model's device, timed by kernels/timing at the model's shapes. */
#include <string.h>

#include "engine/bench/bench.h"
#include "kernels/timing/timing.h"

typedef struct {
    drt_context *context;
    const drt_bench_ops_params *params;
    const drt_timing_ceilings *ceilings;
    drt_bench_ops_report *report;
    bool cancelled;
} measurement;

static bool hand_over(void *user, const drt_timing_row *row) {
    static const char *const limits[] = {
        [DRT_TIMING_COPY] = "copy", [DRT_TIMING_LINK] = "link", [DRT_TIMING_PRODUCT] = "product"};
    measurement *m = user;
    *m->report = (drt_bench_ops_report){m->ceilings->copy, m->ceilings->link, m->ceilings->product};
    drt_bench_operation operation = {.operation = row->operation,
                                     .shape = row->shape,
                                     .error = row->error,
                                     .seconds = row->seconds,
                                     .bytes = row->bytes,
                                     .link_bytes = row->link_bytes,
                                     .flop = row->flops,
                                     .bound = row->bound,
                                     .limit = limits[row->limit]};
    m->params->operation(m->params->user, &operation);
    m->cancelled = drt_cancelled(m->context);
    return !m->cancelled;
}

static drt_timing_params timing_params(const drt_model *model, const drt_bench_ops_params *params) {
    const drt_config *c = &model->config;
    drt_timing_params timing = drt_timing_params_default(drt_bench_is_gpu(model));
    timing.shape =
        (drt_timing_shape){c->vocab_size, c->d_model, c->n_heads, c->d_ff,     c->lower_layers, c->encoder_layers,
                           c->chunk_size, c->window,  c->top_k,   c->n_groups, c->group_layers};
    if (params->slots)
        timing.slots = params->slots;
    if (params->chunks) {
        memset(timing.chunks, 0, sizeof timing.chunks);
        timing.chunks[0] = params->chunks;
    }
    return timing;
}

drt_status drt_bench_ops(drt_context *context, drt_model *model, const drt_bench_ops_params *params,
                         drt_bench_ops_report *report) {
    drt_timing_params timing = timing_params(model, params);
    drt_timing_ceilings ceilings;
    measurement m = {.context = context, .params = params, .ceilings = &ceilings, .report = report};
    drt_backend *b = model->device->backend;
    char error[512];
    *report = (drt_bench_ops_report){0};
    if (timing.slots < 1 || timing.slots % timing.shape.chunk_size || params->chunks < 0)
        return drt_fail(context, DRT_FAILED, "the benchmark needs a batch of whole chunks of %d slots, not %d slots",
                        timing.shape.chunk_size, timing.slots);
    if (drt_timing_run(b, &timing, &ceilings, hand_over, &m, error, sizeof error) != 0)
        return drt_fail(context, DRT_FATAL, "%s: %s", model->device->name, error);
    return m.cancelled ? drt_bench_cancelled(context) : DRT_OK;
}
