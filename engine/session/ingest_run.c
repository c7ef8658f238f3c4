/* ingest_run.c: what the threads of one ingest share. See ingest_run.h. */
#include "engine/session/ingest_run.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

static void close_queues(drt_ingest_run *run) {
    drt_queue_close(run->members);
    drt_queue_close(run->batches);
    drt_queue_close(run->stored);
    drt_queue_close(run->free_records);
}

void drt_run_fail(drt_ingest_run *run, drt_context *context, drt_status status) {
    const char *sentence = context ? drt_error(context) : "out of memory for an ingest";
    pthread_mutex_lock(&run->mutex);
    if (run->status == DRT_OK) {
        run->status = status;
        drt_buffer_append_text(&run->error, sentence); /* reserved */
    }
    pthread_cond_broadcast(&run->settled);
    pthread_mutex_unlock(&run->mutex);
    atomic_store(&run->stop, true);
    close_queues(run);
}

bool drt_run_failed(drt_ingest_run *run) {
    pthread_mutex_lock(&run->mutex);
    bool failed = run->status != DRT_OK;
    pthread_mutex_unlock(&run->mutex);
    return failed;
}

bool drt_run_may_have_content(drt_ingest_run *run, const uint8_t sha256[DRT_HASH_SIZE]) {
    pthread_mutex_lock(&run->mutex);
    bool may = drt_known_has(&run->contents, drt_content_fingerprint(sha256));
    pthread_mutex_unlock(&run->mutex);
    return may;
}

static bool is_stopped(void *user) {
    return atomic_load_explicit(&((drt_ingest_run *)user)->stop, memory_order_relaxed);
}

drt_context *drt_run_context(drt_ingest_run *run) {
    drt_context_params params = drt_context_params_default();
    params.cancelled = is_stopped;
    params.user = run;
    return drt_context_new(&params);
}

int64_t drt_run_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void drt_meter_add(drt_meter *meter, int64_t since, int64_t amount) {
    atomic_fetch_add_explicit(&meter->busy, drt_run_now() - since, memory_order_relaxed);
    atomic_fetch_add_explicit(&meter->amount, amount, memory_order_relaxed);
}

void drt_run_drop(drt_ingest_run *run, drt_ingest_member *m) {
    pthread_mutex_lock(&run->mutex);
    if (m->under_way)
        drt_members_remove(&run->under_way, m);
    pthread_mutex_unlock(&run->mutex);
    drt_ingest_member_free(m);
}

void drt_run_drop_batch(drt_ingest_run *run, drt_ingest_batch *batch) {
    for (size_t i = 0; i < batch->n_parts; i++)
        if (batch->parts[i].last)
            drt_run_drop(run, batch->parts[i].member);
    free(batch->parts);
    free(batch);
}

const char *drt_stage_name(drt_stage stage) {
    static const char *const names[DRT_STAGES] = {"read", "tokenise", "encode", "write", "index"};
    return stage >= 0 && stage < DRT_STAGES ? names[stage] : "";
}

double drt_stage_rate(const drt_stage_facts *stage) {
    return stage->busy > 0 ? (double)stage->amount / stage->busy * stage->threads : 0;
}

double drt_stage_share(const drt_stage_facts *stage, double seconds) {
    return stage->threads > 0 && seconds > 0 ? stage->busy / stage->threads / seconds : 0;
}

drt_stage drt_stage_bottleneck(const drt_stage_facts stages[DRT_STAGES]) {
    int busiest = 0;
    for (int i = 1; i < DRT_STAGES; i++)
        if (drt_stage_share(&stages[i], 1) > drt_stage_share(&stages[busiest], 1))
            busiest = i;
    return (drt_stage)busiest;
}
