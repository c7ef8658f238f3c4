/* plan.c: sizes that fit. See plan.h. */
#include "engine/network/plan.h"

#include "engine/network/model_files.h"
#include "engine/network/network.h"
#include "kernels/landmarks.h"

/* Does a sum of sizes fit? */
static bool fits(size_t available, size_t a, size_t b) {
    return a <= available && b <= available - a;
}

int drt_plan_count(size_t available, size_t besides, int most, drt_room_fn *room, const void *user) {
    for (int n = most; n > 0; n /= 2)
        if (fits(available, room(user, n).device, besides + DRT_PLAN_WORKING))
            return n;
    return 0;
}

size_t drt_plan_least_landmarks(int64_t n, int d) {
    size_t resident = drt_landmarks_bytes(n, n, d), streamed = drt_landmarks_bytes(n, 0, d);
    return resident < streamed ? resident : streamed;
}

size_t drt_plan_landmarks(size_t available, int64_t n, int d) {
    return fits(available, drt_plan_least_landmarks(n, d), DRT_PLAN_WORKING) ? available - DRT_PLAN_WORKING : 0;
}

/* --------------------------------------------------------------------------- refusals ---- */

static size_t mebibytes(size_t bytes) {
    return bytes / (1 << 20) + (bytes % (1 << 20) > 0);
}

drt_status drt_plan_refuse(drt_context *context, const drt_device *device, const char *doing, size_t least) {
    drt_backend *b = device->backend;
    drt_memory_info info;
    if (b->memory_info(b, &info) != 0)
        return drt_fail(context, DRT_FATAL, "%s: %s", device->name, b->error);
    if (b->memory_limit)
        return drt_fail(
            context, DRT_FATAL,
            "%s needs at least %zu MiB of the GPU's memory: %zu of the %zu MiB that --gpu-memory allows are "
            "free; allow more or use --device cpu",
            doing, mebibytes(least), info.available >> 20, b->memory_limit >> 20);
    return drt_fail(context, DRT_FATAL,
                    "%s needs at least %zu MiB of the GPU's memory: %zu of %zu MiB are free; end what uses it or use "
                    "--device cpu",
                    doing, mebibytes(least), info.available >> 20, info.total >> 20);
}

drt_status drt_plan_fit(drt_context *context, const drt_device *device, int most, size_t besides, drt_room_fn *room,
                        const void *user, const char *doing, int *n) {
    drt_backend *b = device->backend;
    drt_memory_info info;
    *n = most;
    if (!b->own_memory)
        return DRT_OK;
    if (b->memory_info(b, &info) != 0)
        return drt_fail(context, DRT_FATAL, "%s: %s", device->name, b->error);
    *n = drt_plan_count(info.available, besides, most, room, user);
    if (*n > 0)
        return DRT_OK;
    return drt_plan_refuse(context, device, doing, room(user, 1).device + besides + DRT_PLAN_WORKING);
}

/* -------------------------------------------------------------------------------- plan ---- */

static void set_item(drt_memory_plan *plan, drt_plan_part part, size_t device, size_t host) {
    /* Where all memory is the host's, both are. */
    plan->items[part].device_bytes = plan->own_memory ? (int64_t)device : 0;
    plan->items[part].host_bytes = (int64_t)(plan->own_memory ? host : device + host);
}

static void plan_encoder(const drt_plan_facts *f, drt_memory_plan *plan) {
    int n =
        f->own_memory ? drt_plan_count(f->available, f->weights, f->most_batch, f->encoder, f->user) : f->most_batch;
    plan->ingest_fits = n > 0;
    plan->batch_chunks = n > 0 ? n : 1;
    drt_room room = f->encoder(f->user, plan->batch_chunks);
    set_item(plan, DRT_PLAN_ENCODER, room.device, room.host);
}

/* Streaming landmarks comes before fewer lanes: it costs time where there are many chunks only. */
static void plan_reader(const drt_plan_facts *f, drt_memory_plan *plan) {
    size_t landmarks = drt_plan_least_landmarks(f->chunks, f->d);
    int n = f->own_memory ? drt_plan_count(f->available, f->weights + landmarks, f->most_lanes, f->reader, f->user)
                          : f->most_lanes;
    plan->ask_fits = n > 0;
    plan->lanes = n > 0 ? n : 1;
    drt_room room = f->reader(f->user, plan->lanes);
    set_item(plan, DRT_PLAN_READER, room.device, room.host);
    if (!f->own_memory) { /* read where they lie */
        plan->resident_chunks = f->chunks;
        set_item(plan, DRT_PLAN_LANDMARKS, 0, (size_t)f->chunks * (size_t)f->d * sizeof(uint16_t));
        return;
    }
    size_t budget =
        plan->ask_fits ? drt_plan_landmarks(f->available - f->weights - room.device, f->chunks, f->d) : landmarks;
    plan->resident_chunks = drt_landmarks_resident(budget, f->chunks, f->d);
    set_item(plan, DRT_PLAN_LANDMARKS, drt_landmarks_bytes(f->chunks, plan->resident_chunks, f->d),
             plan->resident_chunks < f->chunks ? drt_landmarks_windows_bytes(f->d) : 0);
}

static int64_t device_sum(const drt_memory_plan *plan, const drt_plan_part *parts, size_t n) {
    int64_t sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += plan->items[parts[i]].device_bytes;
    return sum;
}

void drt_plan_make(const drt_plan_facts *f, drt_memory_plan *plan) {
    static const drt_plan_part ingest[] = {DRT_PLAN_WEIGHTS, DRT_PLAN_WORKING_SPACE, DRT_PLAN_ENCODER};
    static const drt_plan_part ask[] = {DRT_PLAN_WEIGHTS, DRT_PLAN_WORKING_SPACE, DRT_PLAN_READER, DRT_PLAN_LANDMARKS};
    *plan = (drt_memory_plan){.own_memory = f->own_memory,
                              .device_available = (int64_t)f->available,
                              .device_total = (int64_t)f->total,
                              .device_limit = (int64_t)f->limit,
                              .host_available = (int64_t)f->host_available,
                              .host_total = (int64_t)f->host_total,
                              .chunks = f->chunks};
    set_item(plan, DRT_PLAN_WEIGHTS, f->weights, 0);
    if (f->own_memory)
        set_item(plan, DRT_PLAN_WORKING_SPACE, DRT_PLAN_WORKING, DRT_PLAN_WORKING);
    set_item(plan, DRT_PLAN_RECORDS, 0, (size_t)f->chunks * f->record);
    plan_encoder(f, plan);
    plan_reader(f, plan);
    plan->ingest_device_bytes = device_sum(plan, ingest, sizeof ingest / sizeof *ingest);
    plan->ask_device_bytes = device_sum(plan, ask, sizeof ask / sizeof *ask);
}

/* ------------------------------------------------------------------------------ device ---- */

typedef struct {
    const drt_model *model; /* with its device, without weights */
    drt_memory_type type;
} sizing;

static drt_room encoder_room(const void *user, int n) {
    const sizing *s = user;
    return drt_record_encoder_room(s->model, s->type, n);
}

static drt_room reader_room(const void *user, int n) {
    return drt_reader_room(((const sizing *)user)->model, n);
}

drt_status drt_memory_plan_make(drt_context *context, drt_device *device, const char *directory, drt_library *library,
                                drt_memory_plan *plan) {
    drt_model_files files;
    drt_library_facts facts = {.memory_type = DRT_MEMORY_INT8};
    drt_memory_info info, host;
    drt_backend *b = device->backend;
    if (b->memory_info(b, &info) != 0)
        return drt_fail(context, DRT_FATAL, "%s: %s", device->name, b->error);
    drt_status status = library ? drt_library_inspect(context, library, &facts) : DRT_OK;
    if (status == DRT_OK)
        status = drt_model_files_open(context, directory, &files);
    if (status != DRT_OK)
        return status;
    const drt_config *c = &files.model->config;
    files.model->device = device;
    drt_host_memory(&host);
    sizing s = {files.model, facts.memory_type};
    drt_plan_facts given = {.own_memory = b->own_memory,
                            .available = info.available,
                            .total = info.total,
                            .limit = b->memory_limit,
                            .host_available = host.available,
                            .host_total = host.total,
                            .weights = drt_model_files_room(&files, b),
                            .most_batch = drt_record_encoder_most(files.model, facts.memory_type),
                            .most_lanes = b->own_memory ? DRT_PLAN_GPU_LANES : DRT_PLAN_CPU_LANES,
                            .encoder = encoder_room,
                            .reader = reader_room,
                            .user = &s,
                            .chunks = facts.chunks,
                            .d = c->d_model,
                            .record = drt_memory_record_size(facts.memory_type, c->chunk_size, c->d_model)};
    drt_plan_make(&given, plan);
    drt_model_files_close(&files);
    return DRT_OK;
}
