/* eval.c: one evaluation: text is hidden in, ingested, asked about, and removed. */
#include <stdlib.h>

#include "engine/bench/bench.h"
#include "engine/eval/eval.h"

#define LEAST_TOKENS 1000
#define MOST_TOKENS ((int64_t)1 << 32)

const char *drt_eval_kind_name(drt_eval_kind kind) {
    static const char *const names[DRT_EVAL_KINDS] = {"one-hop", "two-hop", "pass key"};
    return names[kind];
}

drt_eval_params drt_eval_params_default(void) {
    return (drt_eval_params){.tokens = 16384,
                             .needles = 200,
                             .together = 60,
                             .lanes = 1,
                             .seed = 1,
                             .directory = "/tmp",
                             .memory_type = DRT_MEMORY_INT8};
}

drt_status drt_eval_open(drt_context *context, drt_model *model, const char *const *paths, size_t n_paths,
                         int64_t tokens, drt_eval **eval) {
    *eval = NULL;
    if (!model->tokenizer)
        return drt_fail(context, DRT_FATAL, "the model %s has no tokenizer", model->name);
    drt_eval *e = calloc(1, sizeof *e);
    if (!e)
        return drt_fail_memory(context, "an evaluation");
    e->model = model;
    drt_status status = drt_hay_collect(context, model->tokenizer, paths, n_paths, tokens, &e->hay);
    if (status == DRT_OK)
        *eval = e;
    else
        free(e);
    return status;
}

void drt_eval_close(drt_eval *eval) {
    if (!eval)
        return;
    drt_hay_free(&eval->hay);
    free(eval);
}

int64_t drt_eval_tokens(const drt_eval *eval) {
    return eval->hay.tokens;
}

/* --------------------------------------------------------------------------- the run ----- */

drt_status drt_eval_check(drt_context *context, const drt_model *model, const drt_eval_params *params) {
    if (params->tokens < LEAST_TOKENS || params->tokens > MOST_TOKENS)
        return drt_fail(context, DRT_FAILED, "an evaluation takes %d to %lld tokens, not %lld", LEAST_TOKENS,
                        (long long)MOST_TOKENS, (long long)params->tokens);
    if (params->needles < 1 || params->needles > DRT_EVAL_NEEDLES || params->together < 1 || params->lanes < 0)
        return drt_fail(context, DRT_FAILED, "an evaluation asks 1 to %d questions", DRT_EVAL_NEEDLES);
    return drt_bench_check_space(context, params->directory,
                                 drt_eval_disk_bytes(drt_model_config(model), params->memory_type, params->tokens));
}

drt_status drt_eval_run(drt_context *context, drt_eval *eval, const drt_eval_params *params, drt_eval_report *report) {
    drt_eval_state run = {.context = context, .eval = eval, .params = params, .report = report};
    drt_hay_cursor cursor = {0};
    double start = drt_bench_clock();
    *report = (drt_eval_report){0};
    drt_status status = drt_eval_check(context, eval->model, params);
    if (status == DRT_OK)
        status = drt_hay_cursor_open(context, &eval->hay, params->seed, &cursor);
    if (status == DRT_OK)
        status = params->pass_keys ? drt_eval_pass_keys(&run, &cursor) : drt_eval_needle(&run, &cursor);
    if (status == DRT_OK && report->ingest_seconds > 0)
        report->ingest_rate /= report->ingest_seconds;
    drt_eval_sum_up(&run);
    report->seconds = drt_bench_clock() - start;
    drt_hay_cursor_close(&cursor);
    free(run.first_token_ms);
    free(run.retrieval_ms);
    free(run.answer_ms);
    return status;
}
