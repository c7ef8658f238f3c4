/* library.c: a temporary library of hay, with or without needles in it. */
#include "engine/base/file.h"
#include "engine/bench/bench.h"
#include "engine/eval/eval.h"

#define HAY_FOLDER "hay"

drt_status drt_eval_cancelled(drt_context *context) {
    return drt_fail(context, DRT_FAILED, "the evaluation was cancelled");
}

drt_status drt_eval_open_library(drt_eval_state *run, const char *path, drt_library **library) {
    drt_library_params params = {
        .mode = DRT_LIBRARY_CREATE, .model = run->eval->model, .memory_type = run->params->memory_type};
    return drt_library_open(run->context, path, &params, library);
}

/* Everything must be in. */
drt_status drt_eval_ingest(drt_eval_state *run, drt_library *library, const char *path, bool tell,
                           drt_ingest_report *report) {
    drt_ingest_params params = {.paths = &path, .n_paths = 1, .user = run->params->user};
    params.progress = tell ? run->params->progress : NULL;
    drt_status status = drt_ingest(run->context, library, run->eval->model, &params, report);
    if (report->cancelled)
        return drt_eval_cancelled(run->context);
    if (status == DRT_WARN)
        return drt_fail(run->context, DRT_FATAL, "%s: what was written there could not be ingested whole", path);
    return status;
}

/* Writes a folder of text with the needles in it, ingests it and removes it. */
drt_status drt_eval_fill(drt_eval_state *run, drt_hay_cursor *cursor, const char *scratch, drt_library *library,
                         drt_needle *needles, size_t n) {
    drt_context *context = run->context;
    drt_ingest_report done = {0};
    drt_library_facts facts;
    drt_string folder = {0};
    if (!drt_path_join(&folder, scratch, HAY_FOLDER))
        return drt_fail_memory(context, "an evaluation");
    drt_status status = drt_bench_make_folder(context, folder.data);
    if (status == DRT_OK)
        status = drt_needles_write(context, run->eval->model->tokenizer, cursor, folder.data, run->params->tokens,
                                   needles, n);
    if (status == DRT_OK)
        status = drt_eval_ingest(run, library, folder.data, true, &done);
    if (status == DRT_OK)
        status = drt_needles_locate(context, library, HAY_FOLDER, needles, n);
    if (status == DRT_OK)
        status = drt_library_inspect(context, library, &facts);
    drt_bench_scratch_remove(&folder);
    if (status != DRT_OK)
        return status;
    run->report->libraries++;
    run->report->tokens = done.tokens;
    run->report->chunks = done.chunks;
    run->report->library_bytes = facts.disk_bytes;
    run->report->passes = cursor->pass + 1;
    run->report->ingest_rate += (double)done.tokens; /* a sum until the end */
    run->report->ingest_seconds += done.seconds;
    return DRT_OK;
}
