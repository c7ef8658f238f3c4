/* ingest.c: how fast a corpus becomes a library, end to end, against the device's matrix products. */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "engine/bench/bench.h"

#define GEMM_SLOTS 2048      /* as many as an ingest's encoder call, */
#define GEMM_SLOTS_GPU 65536 /* on a GPU */
#define GEMM_SECONDS 1.0     /* before the ingest, and again after it */
#define ENCODER_SECONDS 1.0
#define WORDS_OF_A_FILE 20000

/* Files of made-up text in a new folder. */
static drt_status write_corpus(drt_context *context, const char *folder, int64_t tokens) {
    drt_status status = DRT_OK;
    for (int64_t left = tokens, file = 0; left > 0 && status == DRT_OK; left -= WORDS_OF_A_FILE, file++) {
        drt_buffer text = {0}, name = {0};
        drt_string path = {0};
        /* With points and paragraph ends there are a little more tokens than words. */
        int64_t n_words = (left < WORDS_OF_A_FILE ? left : WORDS_OF_A_FILE) * 9 / 10;
        bool ok = drt_bench_text(&text, n_words, DRT_BENCH_COMMON_WORDS, (uint64_t)file + 1) &&
                  drt_buffer_printf(&name, "text-%lld.txt", (long long)file) && drt_path_join(&path, folder, name.data);
        status = ok ? drt_file_create(context, path.data, text.data, text.length)
                    : drt_fail_memory(context, "the benchmark's text");
        drt_buffer_free(&text);
        drt_buffer_free(&name);
        drt_string_free(&path);
    }
    return status;
}

static drt_status run_ingest(drt_context *context, drt_model *model, const char *library_path, const char *const *paths,
                             size_t n_paths, drt_ingest_report *report, int64_t *device_bytes) {
    drt_library *library = NULL;
    drt_library_params params = drt_library_params_default();
    params.mode = DRT_LIBRARY_CREATE;
    params.model = model;
    drt_status status = drt_library_open(context, library_path, &params, &library);
    if (status != DRT_OK)
        return status;
    drt_ingest_params ingest = {.paths = paths, .n_paths = n_paths};
    status = drt_ingest(context, library, model, &ingest, report);
    *device_bytes = drt_bench_device_memory(model);
    drt_library_close(library);
    if (report->cancelled)
        return drt_bench_cancelled(context);
    if (status >= DRT_WARN && report->tokens == 0)
        return drt_fail(context, DRT_FAILED, "there is no text to ingest in what was given");
    return status >= DRT_WARN ? DRT_OK : status;
}

static drt_status measure(drt_context *context, drt_model *model, const drt_bench_ingest_params *params,
                          const char *scratch, drt_bench_ingest_report *report) {
    const drt_config *c = drt_model_config(model);
    drt_string library = {0}, corpus = {0};
    drt_ingest_report ingest = {0};
    int64_t device_bytes = 0;
    int gemm_slots = drt_bench_is_gpu(model) ? GEMM_SLOTS_GPU : GEMM_SLOTS;
    double before = 0, after = 0, encoder = 0;
    if (!drt_path_join(&library, scratch, "library") || !drt_path_join(&corpus, scratch, "corpus"))
        return drt_fail_memory(context, "the benchmark's folders");
    const char *made_up[] = {corpus.data};
    drt_status status = DRT_OK;
    if (params->n_paths == 0)
        status = drt_bench_make_folder(context, corpus.data);
    if (status == DRT_OK && params->n_paths == 0)
        status = write_corpus(context, corpus.data, params->tokens);
    if (status == DRT_OK)
        status = drt_bench_gemm_rate(context, model, gemm_slots, GEMM_SECONDS, &before);
    if (status == DRT_OK)
        status = run_ingest(context, model, library.data, params->n_paths ? params->paths : made_up,
                            params->n_paths ? params->n_paths : 1, &ingest, &device_bytes);
    if (status == DRT_OK)
        status = drt_bench_gemm_rate(context, model, gemm_slots, GEMM_SECONDS, &after);
    if (status == DRT_OK)
        status = drt_bench_encoder_rate(context, model, ENCODER_SECONDS, &encoder);
    drt_string_free(&library);
    drt_string_free(&corpus);
    if (status != DRT_OK)
        return status;
    double slots = (double)ingest.chunks * c->chunk_size;
    *report = (drt_bench_ingest_report){.tokens = ingest.tokens, .chunks = ingest.chunks, .seconds = ingest.seconds};
    report->flop_per_token = drt_bench_slot_flops(c) * slots / (double)ingest.tokens;
    report->gemm_rate = (before + after) / 2;
    report->share = report->flop_per_token * (double)ingest.tokens / ingest.seconds / report->gemm_rate;
    report->encoder_rate = encoder;
    memcpy(report->stages, ingest.stages, sizeof ingest.stages);
    report->device_bytes = device_bytes;
    drt_bench_memory(&report->peak_bytes, &report->anonymous_bytes);
    return DRT_OK;
}

static drt_status check_paths(drt_context *context, const drt_bench_ingest_params *params) {
    struct stat facts;
    for (size_t i = 0; i < params->n_paths; i++)
        if (stat(params->paths[i], &facts) != 0)
            return drt_fail(context, DRT_FAILED, "%s: %s", params->paths[i], strerror(errno));
    return DRT_OK;
}

drt_status drt_bench_ingest(drt_context *context, drt_model *model, const drt_bench_ingest_params *params,
                            drt_bench_ingest_report *report) {
    drt_string scratch = {0};
    *report = (drt_bench_ingest_report){0};
    drt_status status = check_paths(context, params);
    if (status == DRT_OK)
        status = drt_bench_scratch_new(context, params->directory, &scratch);
    if (status == DRT_OK)
        status = measure(context, model, params, scratch.data, report);
    drt_bench_scratch_remove(&scratch);
    return status;
}
