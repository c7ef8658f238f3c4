/* needle.c: facts of one and of two hops, hidden together in text that is then asked for them. */
#include "engine/base/file.h"
#include "engine/bench/bench.h"
#include "engine/eval/eval.h"

/* How many facts have room: two sentences each at most, one in two chunks. */
static size_t facts_together(const drt_eval_state *run) {
    int64_t room = run->params->tokens / (4 * (drt_model_config(run->eval->model)->chunk_size - 1));
    int64_t most = run->params->together < room ? run->params->together : room;
    return most > 0 ? (size_t)most : 1;
}

static drt_status ask_all(drt_eval_state *run, drt_library *library, const drt_needle *needles, size_t n) {
    drt_session *session = NULL;
    drt_status status = drt_session_open(run->context, library, run->eval->model, &session);
    if (status == DRT_OK)
        status = drt_eval_ask(run, session, needles, n);
    if (status == DRT_OK)
        drt_eval_note_memory(run);
    drt_session_close(session);
    return status;
}

/* One library with n facts in it. */
static drt_status run_library(drt_eval_state *run, drt_hay_cursor *cursor, size_t n) {
    drt_string scratch = {0}, path = {0};
    drt_library *library = NULL;
    drt_needle *needles = NULL;
    uint64_t seed = run->params->seed + ((uint64_t)run->report->libraries << 32);
    drt_status status = drt_needles_make(run->context, seed, n, &needles);
    if (status == DRT_OK)
        status = drt_bench_scratch_new(run->context, run->params->directory, &scratch);
    if (status == DRT_OK && !drt_path_join(&path, scratch.data, "library"))
        status = drt_fail_memory(run->context, "an evaluation");
    if (status == DRT_OK)
        status = drt_eval_open_library(run, path.data, &library);
    if (status == DRT_OK)
        status = drt_eval_fill(run, cursor, scratch.data, library, needles, n);
    if (status == DRT_OK)
        status = ask_all(run, library, needles, n);
    drt_library_close(library);
    drt_bench_scratch_remove(&scratch);
    drt_string_free(&path);
    drt_needles_free(needles, n);
    return status;
}

drt_status drt_eval_needle(drt_eval_state *run, drt_hay_cursor *cursor) {
    size_t wanted = (size_t)run->params->needles, together = facts_together(run);
    size_t libraries = (wanted + together - 1) / together;
    drt_status status = DRT_OK;
    run->report->together = (int)((wanted + libraries - 1) / libraries);
    for (size_t i = 0; i < libraries && status == DRT_OK; i++) /* shared out evenly */
        status = run_library(run, cursor, (wanted * (i + 1)) / libraries - (wanted * i) / libraries);
    return status;
}
