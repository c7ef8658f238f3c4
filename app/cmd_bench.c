/* cmd_bench.c: drt bench ingest and drt bench ask: speed and memory on this machine. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/commands.h"
#include "app/json.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    compute_options compute;
    bool json;
    int64_t tokens;
    int64_t chunks;
    int64_t questions;
    int64_t max_tokens;
    int64_t batch;
    const char *scratch;
} values;

static const values defaults = {.compute = COMPUTE_OPTIONS_DEFAULT, .max_tokens = 24, .batch = -1};

static const drt_option ingest_table[] = {
    OPT_INTEGER("tokens", tokens, "N", 1, 1e9, "tokens of text to make up without a PATH (100000; on a GPU 5000000)"),
    OPT_STRING("scratch", scratch, "DIR", "where temporary libraries go (else $TMPDIR, else /tmp)"),
    OPT_FLAG("json", json, "one JSON object, see drt(1)"),
    OPT_COMPUTE(compute),
    OPT_END,
};

static const drt_option ask_table[] = {
    OPT_INTEGER("chunks", chunks, "N", 1, 1e8, "one library of N chunks (else several, see above)"),
    OPT_INTEGER("questions", questions, "N", 1, 1000, "questions to each library (5; on a GPU 20)"),
    OPT_INTEGER("batch", batch, "N", 0, 100000, "questions asked at once after them (10; on a GPU 200)"),
    OPT_INTEGER("max-tokens", max_tokens, "N", 1, 10000, "tokens of an answer, at most (24)"),
    OPT_STRING("scratch", scratch, "DIR", "where temporary libraries go (else $TMPDIR, else /tmp)"),
    OPT_FLAG("json", json, "one JSON object a library, see drt(1)"),
    OPT_COMPUTE(compute),
    OPT_END,
};

static const char *scratch_folder(const values *options) {
    const char *folder = options->scratch ? options->scratch : getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

static double megabytes(int64_t bytes) {
    return (double)bytes / 1e6;
}

static bool is_gpu(const workspace *work) {
    return strncmp(drt_device_name(work->device), "cuda", 4) == 0;
}

/* ------------------------------------------------------------------------------ ingest ---- */

static void print_ingest_json(const drt_bench_ingest_report *report, const drt_device *device) {
    json_writer json;
    json_open(&json, stdout);
    json_integer(&json, "tokens", report->tokens);
    json_integer(&json, "chunks", report->chunks);
    json_real(&json, "seconds", report->seconds);
    json_real(&json, "tokens_per_second", (double)report->tokens / report->seconds);
    json_real(&json, "flop_per_token", report->flop_per_token);
    json_real(&json, "gemm_flop_per_second", report->gemm_rate);
    json_real(&json, "share_of_gemm", report->share);
    json_real(&json, "encoder_tokens_per_second", report->encoder_rate);
    json_object(&json, "stages");
    for (int i = 0; i < DRT_STAGES; i++) {
        const drt_stage_facts *stage = &report->stages[i];
        json_object(&json, drt_stage_name((drt_stage)i));
        json_integer(&json, "amount", stage->amount);
        json_real(&json, "busy_seconds", stage->busy);
        json_integer(&json, "threads", stage->threads);
        json_close(&json);
    }
    json_close(&json);
    json_integer(&json, "peak_bytes", report->peak_bytes);
    json_integer(&json, "anonymous_bytes", report->anonymous_bytes);
    json_integer(&json, "device_bytes", report->device_bytes);
    json_text(&json, "device", drt_device_description(device));
    json_close(&json);
}

/* What a stage does while it works, and how much of the time it works. */
static void print_stage(drt_stage which, const drt_stage_facts *stage, double seconds) {
    double rate = stage->busy > 0 ? (double)stage->amount / stage->busy * stage->threads : 0;
    printf("%-18s ", drt_stage_name(which));
    if (which == DRT_STAGE_READ)
        printf("%.1f MB/s", rate / 1e6);
    else
        printf("%.0f tokens/s", rate);
    printf(" in %d thread%s, at work %.0f %% of the time\n", stage->threads, stage->threads == 1 ? "" : "s",
           stage->threads > 0 ? 100 * stage->busy / stage->threads / seconds : 0);
}

static void print_ingest(const drt_bench_ingest_report *report, const drt_device *device) {
    const char *description = drt_device_description(device);
    printf("%-18s ", "device");
    terminal_write(stdout, description, strlen(description), TEXT_LINE);
    printf("\n%-18s %" PRId64 " in %" PRId64 " chunks\n", "tokens", report->tokens, report->chunks);
    printf("%-18s %.2f s, %.0f tokens/s\n", "time", report->seconds, (double)report->tokens / report->seconds);
    printf("%-18s %.1f MFLOP a token, %.1f GFLOP/s\n", "model", report->flop_per_token / 1e6,
           report->flop_per_token * (double)report->tokens / report->seconds / 1e9);
    printf("%-18s %.1f GFLOP/s, of which the ingest reaches %.0f %%\n", "matrix products", report->gemm_rate / 1e9,
           report->share * 100);
    for (int i = 0; i < DRT_STAGES; i++)
        print_stage((drt_stage)i, &report->stages[i], report->seconds);
    printf("%-18s %.0f tokens/s, token ids to chunk memory in host memory\n", "encoder alone", report->encoder_rate);
    printf("%-18s %.0f MB at most, %.0f MB anonymous", "memory", megabytes(report->peak_bytes),
           megabytes(report->anonymous_bytes));
    if (report->device_bytes)
        printf(", %.0f MB of the GPU's", megabytes(report->device_bytes));
    printf("\n");
}

static int run_ingest(const void *given, char **operands) {
    const values *options = given;
    workspace work;
    int status = EXIT_USAGE;
    drt_bench_ingest_params params = {.paths = (const char *const *)operands, .directory = scratch_folder(options)};
    drt_bench_ingest_report report;
    while (operands[params.n_paths])
        params.n_paths++;
    if (workspace_open(&work) && workspace_open_model(&work, &options->compute)) {
        params.tokens = options->tokens ? options->tokens : is_gpu(&work) ? 5000000 : 100000;
        status = workspace_exit_status(&work, drt_bench_ingest(work.context, work.model, &params, &report));
    }
    if (status == EXIT_ALL && options->json)
        print_ingest_json(&report, work.device);
    else if (status == EXIT_ALL)
        print_ingest(&report, work.device);
    workspace_close(&work);
    return status == EXIT_ALL ? EXIT_ALL : EXIT_USAGE; /* nothing was measured */
}

/* --------------------------------------------------------------------------------- ask ---- */

static void print_ask_json(const drt_bench_ask_params *params, const drt_bench_ask_report *report,
                           const drt_device *device) {
    json_writer json;
    json_open(&json, stdout);
    json_integer(&json, "chunks", params->chunks);
    json_integer(&json, "questions", params->questions);
    json_real(&json, "first_token_ms", report->first_token_ms);
    json_real(&json, "p95_ms", report->p95_ms);
    json_real(&json, "slowest_ms", report->slowest_ms);
    json_real(&json, "token_ms", report->token_ms);
    json_real(&json, "total_ms", report->total_ms);
    json_real(&json, "tokens", report->tokens);
    json_integer(&json, "batch", params->batch);
    json_real(&json, "batch_questions_per_second", report->batch_rate);
    json_integer(&json, "library_bytes", report->library_bytes);
    json_integer(&json, "peak_bytes", report->peak_bytes);
    json_integer(&json, "anonymous_bytes", report->anonymous_bytes);
    json_integer(&json, "device_bytes", report->device_bytes);
    json_text(&json, "device", drt_device_description(device));
    json_close(&json);
}

static void print_ask_heading(void) {
    printf("%9s %10s %12s %9s %9s %9s %9s %7s %9s %12s %8s %8s\n", "chunks", "library MB", "1st token ms", "p95",
           "slowest", "a token", "answer ms", "tokens", "batch /s", "anonymous MB", "peak MB", "GPU MB");
}

static void print_ask(const drt_bench_ask_params *params, const drt_bench_ask_report *report) {
    printf("%9" PRId64 " %10.0f %12.1f %9.1f %9.1f %9.2f %9.1f %7.1f %9.1f %12.0f %8.0f %8.0f\n", params->chunks,
           megabytes(report->library_bytes), report->first_token_ms, report->p95_ms, report->slowest_ms,
           report->token_ms, report->total_ms, report->tokens, report->batch_rate, megabytes(report->anonymous_bytes),
           megabytes(report->peak_bytes), megabytes(report->device_bytes));
}

static int measure_ask(workspace *work, const values *options, int64_t chunks) {
    int questions = options->questions ? (int)options->questions : is_gpu(work) ? 20 : 5;
    drt_bench_ask_params params = {.chunks = chunks,
                                   .questions = questions,
                                   .max_tokens = (int)options->max_tokens,
                                   .batch = options->batch >= 0 ? (int)options->batch
                                            : is_gpu(work)      ? 200
                                                                : 10,
                                   .directory = scratch_folder(options)};
    drt_bench_ask_report report;
    int status = workspace_exit_status(work, drt_bench_ask(work->context, work->model, &params, &report));
    if (status != EXIT_ALL)
        return status;
    if (options->json)
        print_ask_json(&params, &report, work->device);
    else
        print_ask(&params, &report);
    return output_flush() ? EXIT_ALL : EXIT_USAGE;
}

static int run_ask(const void *given, char **operands) {
    static const int64_t sizes[] = {1000, 10000, 100000}, gpu_sizes[] = {1024, 16384, 262144, 1048576};
    const values *options = given;
    workspace work;
    int status = EXIT_USAGE;
    (void)operands;
    if (workspace_open(&work) && workspace_open_model(&work, &options->compute)) {
        const int64_t *list = options->chunks ? &options->chunks : is_gpu(&work) ? gpu_sizes : sizes;
        size_t n = options->chunks ? 1 : is_gpu(&work) ? 4 : 3;
        status = EXIT_ALL;
        if (!options->json)
            print_ask_heading();
        for (size_t i = 0; i < n && status == EXIT_ALL; i++)
            status = measure_ask(&work, options, list[i]);
    }
    workspace_close(&work);
    return status == EXIT_ALL ? EXIT_ALL : EXIT_USAGE;
}

const drt_command command_bench_ingest = {
    .name = "bench ingest",
    .operands = "[PATH...]",
    .summary = "measure the speed of an ingest on this machine",
    .description =
        "Ingests the paths (else text that is made up) into a temporary library and compares with the speed\n"
        "of the bare matrix products.",
    .options = ingest_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 0,
    .max_operands = -1,
    .run = run_ingest,
};

const drt_command command_bench_ask = {
    .name = "bench ask",
    .operands = "",
    .summary = "measure how long answers take, by library size",
    .description =
        "Asks temporary libraries filled with random memory, of 1000, 10000 and 100000 chunks (2.6 GB on disk), on a\n"
        "GPU of 1024, 16384, 262144 and 1048576 chunks (27 GB on disk).",
    .options = ask_table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 0,
    .max_operands = 0,
    .run = run_ask,
};
