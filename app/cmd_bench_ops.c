/* cmd_bench_ops.c: drt bench ops: each operation of the device against what it could not do without. */
#include <string.h>

#include "app/commands.h"
#include "app/json.h"
#include "app/terminal.h"
#include "app/workspace.h"

typedef struct {
    compute_options compute;
    bool json;
    int64_t slots;
    int64_t chunks;
} values;

static const values defaults = {.compute = COMPUTE_OPTIONS_DEFAULT};

static const drt_option table[] = {
    OPT_INTEGER("slots", slots, "N", 1, 1 << 20, "slots of a full batch (else 2048; on a GPU 65536)"),
    OPT_INTEGER("chunks", chunks, "N", 1, 1e8, "chunks to search (else 16384, 262144 and 1048576)"),
    OPT_FLAG("json", json, "one JSON object an operation, see drt(1)"),
    OPT_COMPUTE(compute),
    OPT_END,
};

typedef struct {
    const drt_bench_ops_report *report;
    bool headed, json;
} printer;

static void print_json(const drt_bench_operation *operation, const drt_bench_ops_report *report) {
    json_writer json;
    json_open(&json, stdout);
    json_text(&json, "operation", operation->operation);
    json_text(&json, "shape", operation->shape);
    if (operation->error) {
        json_text(&json, "error", operation->error);
    } else {
        json_real(&json, "seconds", operation->seconds);
        json_real(&json, "bytes", operation->bytes);
        json_real(&json, "link_bytes", operation->link_bytes);
        json_real(&json, "flop", operation->flop);
        json_real(&json, "bound_seconds", operation->bound);
        json_text(&json, "limit", operation->limit);
        json_real(&json, "share_of_bound", operation->bound / operation->seconds);
    }
    json_real(&json, "copy_bytes_per_second", report->copy_rate);
    json_real(&json, "link_bytes_per_second", report->link_rate);
    json_real(&json, "gemm_flop_per_second", report->gemm_rate);
    json_close(&json);
}

static void print_heading(const drt_bench_ops_report *report) {
    printf("copy %.1f GB/s (read and written), link %.1f GB/s (from the host), product %.0f GFLOP/s\n\n",
           report->copy_rate / 1e9, report->link_rate / 1e9, report->gemm_rate / 1e9);
    printf("%-17s %-26s %10s %10s %-7s %7s %8s %9s\n", "operation", "shape", "ms", "bound ms", "by", "reached", "GB/s",
           "GFLOP/s");
}

static void print_line(const drt_bench_operation *o) {
    printf("%-17s %-26s ", o->operation, o->shape);
    if (o->error) {
        terminal_write(stdout, o->error, strlen(o->error), TEXT_LINE);
        printf("\n");
        return;
    }
    printf("%10.4f %10.4f %-7s %5.0f %% %8.1f %9.0f\n", o->seconds * 1e3, o->bound * 1e3, o->limit,
           100 * o->bound / o->seconds, (o->bytes + o->link_bytes) / o->seconds / 1e9, o->flop / o->seconds / 1e9);
}

static void print_operation(void *user, const drt_bench_operation *operation) {
    printer *p = user;
    if (p->json) {
        print_json(operation, p->report);
    } else {
        if (!p->headed)
            print_heading(p->report);
        p->headed = true;
        print_line(operation);
    }
    fflush(stdout); /* a row at a time */
}

static int run(const void *given, char **operands) {
    const values *options = given;
    workspace work;
    int status = EXIT_USAGE;
    drt_bench_ops_report report;
    printer p = {.report = &report, .json = options->json};
    drt_bench_ops_params params = {
        .slots = (int)options->slots, .chunks = options->chunks, .operation = print_operation, .user = &p};
    (void)operands;
    if (workspace_open(&work) && workspace_open_model(&work, &options->compute))
        status = workspace_exit_status(&work, drt_bench_ops(work.context, work.model, &params, &report));
    workspace_close(&work);
    return status == EXIT_ALL ? EXIT_ALL : EXIT_USAGE;
}

const drt_command command_bench_ops = {
    .name = "bench ops",
    .operands = "",
    .summary = "measure each operation against its bound",
    .description =
        "Times every operation of the device at the model's shapes. Its bound is the time that its bytes take at\n"
        "the speed of a large copy, or its arithmetic at that of a large matrix product, both measured before.",
    .options = table,
    .defaults = &defaults,
    .values_size = sizeof defaults,
    .min_operands = 0,
    .max_operands = 0,
    .run = run,
};
