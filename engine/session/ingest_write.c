/* ingest_write.c: the last stages of an ingest: records -> slabs, members -> catalog. See ingest_run.h.
 *
 * A member gets to the catalog when all its chunks are in the slabs, so whatever is staged there can be committed at any
 * time; that happens every few seconds, so that a killed run loses little. */
#include <stdlib.h>
#include <string.h>

#include "engine/session/ingest_run.h"

#define COMMIT_SECONDS 2.0  /* a commit is due after so long, */
#define COMMIT_CHUNKS 32768 /* or so many chunks: a second's work at the speed of a GPU */
#define IDLE_MS 200         /* between two looks at the clock */

/* ------------------------------------------------------------------------- slabs ---------- */

/* Tokens in the first n chunks of a document: all but the last are full. */
static int64_t tokens_in(const drt_ingest_run *run, const drt_ingest_member *m, size_t n) {
    int64_t full = (int64_t)n * (run->model->config.chunk_size - 1);
    return full < m->chunks.n_tokens ? full : m->chunks.n_tokens;
}

static drt_status write_part(drt_ingest_run *run, drt_context *context, const drt_record_batch *records,
                             const drt_batch_part *part) {
    drt_ingest_member *m = part->member;
    if (part->n == 0)
        return DRT_OK;
    int64_t start = drt_run_now();
    drt_status status = drt_store_sink_write(context, &run->sink, m->first_chunk + (int64_t)m->written, part->n,
                                             records->landmarks + part->at * (size_t)run->model->config.d_model,
                                             records->records + part->at * run->sink.record_size);
    int64_t before = tokens_in(run, m, m->written);
    m->written += part->n;
    drt_meter_add(&run->meters[DRT_STAGE_WRITE], start, tokens_in(run, m, m->written) - before);
    return status;
}

/* Writes the batch's parts and passes members on that are complete with it. */
static drt_status write_batch(drt_ingest_run *run, drt_context *context, drt_ingest_batch *batch) {
    drt_status status = DRT_OK;
    for (size_t i = 0; i < batch->n_parts && status == DRT_OK; i++) {
        drt_batch_part *part = &batch->parts[i];
        status = write_part(run, context, batch->records, part);
        if (status != DRT_OK || !part->last)
            continue;
        if (drt_queue_put(run->stored, part->member, drt_ingest_member_bytes(part->member), true, -1) != DRT_QUEUE_ITEM)
            return DRT_WARN; /* the run has failed elsewhere */
        part->last = false;  /* not the batch's any more */
    }
    return status;
}

void *drt_run_write(void *user) {
    drt_ingest_run *run = user;
    drt_context *context = drt_context_new(NULL);
    drt_status status = context ? DRT_OK : DRT_FATAL;
    void *item;
    while (status == DRT_OK && drt_queue_take(run->batches, -1, &item) == DRT_QUEUE_ITEM) {
        drt_ingest_batch *batch = item;
        status = write_batch(run, context, batch);
        if (batch->records)
            drt_queue_put(run->free_records, batch->records, 0, true, -1);
        drt_run_drop_batch(run, batch);
    }
    if (status != DRT_OK && status != DRT_WARN)
        drt_run_fail(run, context, status);
    drt_queue_end(run->stored);
    drt_context_free(context);
    return NULL;
}

/* ------------------------------------------------------------------------- staging -------- */

/* The indexer's. */
typedef struct {
    drt_ingest_run *run;
    drt_context *context;
    drt_member_list staged; /* not committed yet */
    int64_t staged_chunks;
    int64_t last_commit;
} indexer;

static drt_status stage_known(indexer *x, drt_ingest_member *m, const drt_document_facts *facts) {
    drt_content content = DRT_CONTENT_NEW;
    drt_status status = drt_store_find(x->context, x->run->library, m->sha256, facts, true, &content, &m->document);
    if (status == DRT_OK && content == DRT_CONTENT_NEW)
        status = drt_fail(x->context, DRT_FATAL, "%s: the document with this content has gone", m->path.data);
    return status;
}

static drt_status stage_member(indexer *x, drt_ingest_member *m) {
    drt_ingest_run *run = x->run;
    const char **authors = calloc(m->extract.n_authors + 1, sizeof *authors);
    if (!authors)
        return drt_fail_memory(x->context, "an ingest");
    drt_document_facts facts = drt_ingest_member_facts(m, authors);
    drt_status status = DRT_OK;
    pthread_mutex_lock(&run->library_mutex);
    if (m->fate == DRT_MEMBER_KNOWN)
        status = stage_known(x, m, &facts);
    else if (m->fate == DRT_MEMBER_SKIPPED)
        status = drt_store_add_skipped(x->context, run->library, &facts, &m->document);
    else if (m->fate == DRT_MEMBER_DOCUMENT)
        status = drt_store_add(x->context, run->library, &facts, m->prepared, m->chunks.ranges, m->chunks.n_chunks,
                               &m->document);
    pthread_mutex_unlock(&run->library_mutex);
    free(authors);
    drt_prepared_free(m->prepared);
    m->prepared = NULL;
    free(m->chunks.ranges);
    m->chunks.ranges = NULL;
    return status;
}

/* From now on the library itself knows of the member. */
static void settle_member(indexer *x, drt_ingest_member *m) {
    drt_ingest_run *run = x->run;
    x->staged_chunks += (int64_t)m->chunks.n_chunks;
    drt_member_list_append(&x->staged, m);
    pthread_mutex_lock(&run->mutex);
    if (m->under_way)
        drt_members_remove(&run->under_way, m);
    if (m->extract.status == DRT_DOCUMENT_SKIPPED)
        run->members_failed++;
    else
        run->members_done++;
    pthread_cond_signal(&run->settled);
    pthread_mutex_unlock(&run->mutex);
}

/* ------------------------------------------------------------------------- commits -------- */

/* What is told of a member without a row in the catalog. */
static drt_status make_row(indexer *x, const drt_ingest_member *m, drt_document *row) {
    drt_document_clear(row);
    row->status = DRT_DOCUMENT_SKIPPED;
    bool ok = drt_string_copy(&row->format, &m->format) && drt_string_copy(&row->reason, &m->extract.reason) &&
              drt_string_copy(&row->path, &m->path);
    return ok ? DRT_OK : drt_fail_memory(x->context, "an ingest");
}

/* The member as the catalog has it; a known one under the path that was met now. */
static drt_status load_row(indexer *x, drt_ingest_member *m) {
    drt_document *row = &m->row;
    if (!m->document)
        return make_row(x, m, row);
    drt_status status = drt_store_document(x->context, x->run->library, m->document, row);
    bool skipped = m->fate == DRT_MEMBER_SKIPPED;
    if (status == DRT_FAILED && skipped)
        return make_row(x, m, row); /* another member of the same path came after it */
    if (status == DRT_OK && skipped && row->status != DRT_DOCUMENT_SKIPPED)
        return make_row(x, m, row); /* what is in of the path is an earlier content, which was not lost */
    if (status != DRT_OK || m->fate != DRT_MEMBER_KNOWN)
        return status;
    drt_string_free(&row->path);
    return drt_string_copy(&row->path, &m->path) ? DRT_OK : drt_fail_memory(x->context, "an ingest");
}

static drt_status commit(indexer *x) {
    drt_ingest_run *run = x->run;
    pthread_mutex_lock(&run->library_mutex);
    drt_status status = drt_store_commit(x->context, run->library);
    for (drt_ingest_member *m = x->staged.first; m && status == DRT_OK; m = m->next)
        status = load_row(x, m);
    pthread_mutex_unlock(&run->library_mutex);
    x->staged_chunks = 0;
    x->last_commit = drt_run_now();
    if (status != DRT_OK)
        return status;
    pthread_mutex_lock(&run->mutex);
    while (x->staged.first)
        drt_member_list_append(&run->told, drt_member_list_take(&x->staged));
    pthread_cond_signal(&run->settled);
    pthread_mutex_unlock(&run->mutex);
    return DRT_OK;
}

static bool commit_is_due(const indexer *x) {
    return x->staged.first &&
           (x->staged_chunks >= COMMIT_CHUNKS || (double)(drt_run_now() - x->last_commit) >= COMMIT_SECONDS * 1e9);
}

/* Stages and commits members until there are no more. */
static drt_status index_members(indexer *x) {
    drt_meter *meter = &x->run->meters[DRT_STAGE_INDEX];
    drt_status status = DRT_OK;
    drt_queue_answer answer;
    void *item = NULL;
    do {
        answer = drt_queue_take(x->run->stored, IDLE_MS, &item);
        int64_t start = drt_run_now();
        if (answer == DRT_QUEUE_ITEM) {
            drt_ingest_member *m = item;
            status = stage_member(x, m);
            settle_member(x, m);
            drt_meter_add(meter, start, m->chunks.n_tokens);
        }
        start = drt_run_now();
        if (status == DRT_OK && (answer == DRT_QUEUE_ENDED ? !drt_run_failed(x->run) : commit_is_due(x))) {
            status = commit(x);
            drt_meter_add(meter, start, 0);
        }
    } while (status == DRT_OK && answer != DRT_QUEUE_ENDED);
    return status;
}

void *drt_run_index(void *user) {
    drt_ingest_run *run = user;
    indexer x = {.run = run, .context = drt_context_new(NULL), .last_commit = drt_run_now()};
    drt_member_list_start(&x.staged);
    drt_status status = x.context ? index_members(&x) : DRT_FATAL;
    if (status != DRT_OK)
        drt_run_fail(run, x.context, status);
    drt_member_list_free(&x.staged);
    drt_context_free(x.context);
    pthread_mutex_lock(&run->mutex);
    run->indexed = true;
    pthread_cond_signal(&run->settled);
    pthread_mutex_unlock(&run->mutex);
    return NULL;
}
