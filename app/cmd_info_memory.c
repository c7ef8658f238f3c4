/* cmd_info_memory.c: drt info --memory: what a model and a library take on a device, and the sizes that follow. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "app/cmd_info_memory.h"
#include "app/commands.h"
#include "app/json.h"
#include "app/terminal.h"

static const char *const item_names[DRT_PLAN_ITEMS] = {
    [DRT_PLAN_WEIGHTS] = "weights", [DRT_PLAN_WORKING_SPACE] = "working space", [DRT_PLAN_ENCODER] = "encoder",
    [DRT_PLAN_READER] = "reader",   [DRT_PLAN_LANDMARKS] = "landmarks",         [DRT_PLAN_RECORDS] = "records",
};

/* ------------------------------------------------------------------------------- text ---- */

static double mebibytes(int64_t bytes) {
    return (double)bytes / (1 << 20);
}

static void describe(const drt_memory_plan *plan, drt_plan_part part) {
    switch (part) {
    case DRT_PLAN_ENCODER:
        printf("  %d chunks at a time", plan->batch_chunks);
        return;
    case DRT_PLAN_READER:
        printf("  %d question%s at a time", plan->lanes, plan->lanes == 1 ? "" : "s");
        return;
    case DRT_PLAN_LANDMARKS:
        if (!plan->own_memory)
            printf("  %" PRId64 " chunks, mapped", plan->chunks);
        else if (plan->resident_chunks == plan->chunks)
            printf("  resident: all of %" PRId64 " chunks", plan->chunks);
        else
            printf("  streamed: %" PRId64 " of %" PRId64 " chunks stay",
                   plan->resident_chunks < 0 ? 0 : plan->resident_chunks, plan->chunks);
        return;
    case DRT_PLAN_RECORDS:
        printf("  %" PRId64 " chunks, mapped", plan->chunks);
        return;
    case DRT_PLAN_WEIGHTS:
    case DRT_PLAN_WORKING_SPACE:
    case DRT_PLAN_ITEMS:
        return;
    }
}

static void print_memory(const char *label, int64_t available, int64_t total) {
    if (total > 0)
        printf("%-15s %.0f MiB, %.0f MiB free\n", label, mebibytes(total), mebibytes(available));
}

static void print_sum(const char *what, int64_t bytes, bool fits, int64_t available) {
    printf("%-15s %11.1f              %s", what, mebibytes(bytes), fits ? "" : "does not fit: ");
    printf(fits ? "of %.0f MiB\n" : "only %.0f MiB are free\n", mebibytes(available));
}

static void print_plan(const drt_device *device, const drt_memory_plan *plan) {
    printf("%-15s ", drt_device_name(device));
    terminal_write(stdout, drt_device_description(device), strlen(drt_device_description(device)), TEXT_LINE);
    putchar('\n');
    if (plan->own_memory)
        print_memory("GPU memory", plan->device_available, plan->device_total);
    if (plan->own_memory && plan->device_limit)
        printf("%-15s %.0f MiB\n", "limit", mebibytes(plan->device_limit));
    print_memory("host memory", plan->host_available, plan->host_total);
    printf("%-15s %11s %11s\n", "", "GPU MiB", "host MiB");
    for (drt_plan_part i = 0; i < DRT_PLAN_ITEMS; i++) {
        const drt_plan_item *item = &plan->items[i];
        printf("%-15s %11.1f %11.1f", item_names[i], mebibytes(item->device_bytes), mebibytes(item->host_bytes));
        describe(plan, i);
        putchar('\n');
    }
    if (!plan->own_memory)
        return;
    print_sum("to ingest", plan->ingest_device_bytes, plan->ingest_fits, plan->device_available);
    print_sum("to ask", plan->ask_device_bytes, plan->ask_fits, plan->device_available);
}

/* ------------------------------------------------------------------------------- JSON ---- */

static void write_use(json_writer *json, const char *key, bool fits, int64_t bytes, const char *of, int n) {
    json_object(json, key);
    json_bool(json, "fits", fits);
    json_integer(json, "device_bytes", bytes);
    json_integer(json, of, n);
    json_close(json);
}

static void write_plan(const drt_device *device, const drt_memory_plan *plan) {
    json_writer json;
    json_open(&json, stdout);
    json_text(&json, "device", drt_device_name(device));
    json_bool(&json, "own_memory", plan->own_memory);
    json_integer(&json, "device_available", plan->device_available);
    json_integer(&json, "device_total", plan->device_total);
    json_integer(&json, "device_limit", plan->device_limit);
    json_integer(&json, "host_available", plan->host_available);
    json_integer(&json, "host_total", plan->host_total);
    json_array(&json, "items");
    for (drt_plan_part i = 0; i < DRT_PLAN_ITEMS; i++) {
        json_object(&json, NULL);
        json_text(&json, "item", item_names[i]);
        json_integer(&json, "device_bytes", plan->items[i].device_bytes);
        json_integer(&json, "host_bytes", plan->items[i].host_bytes);
        json_close(&json);
    }
    json_close(&json);
    write_use(&json, "ingest", plan->ingest_fits, plan->ingest_device_bytes, "batch_chunks", plan->batch_chunks);
    write_use(&json, "ask", plan->ask_fits, plan->ask_device_bytes, "lanes", plan->lanes);
    json_integer(&json, "chunks", plan->chunks);
    json_integer(&json, "resident_chunks", plan->resident_chunks < 0 ? 0 : plan->resident_chunks);
    json_close(&json);
}

int info_memory(workspace *work, const compute_options *options, bool json) {
    drt_memory_plan plan;
    char *directory;
    int status = EXIT_USAGE;
    if (workspace_open_device(work, options, &directory))
        status = workspace_exit_status(
            work, drt_memory_plan_make(work->context, work->device, directory, work->library, &plan));
    free(directory);
    if (status != EXIT_ALL)
        return status;
    if (json)
        write_plan(work->device, &plan);
    else
        print_plan(work->device, &plan);
    return EXIT_ALL;
}
