/* ingest_tokenise.c: the second stage of an ingest: bytes of a member -> text -> tokens in chunks, and the text as the
 * catalog stores it. See ingest_run.h.
 *
 * Done in rounds, whose tasks all threads share: the extraction; windows of ranges that are encoded; then compression and
 * words. So a book is a thread's affair, while a text of hundreds of megabytes is everybody's, and no more than a window
 * of it is held token by token. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/session/ingest_run.h"

#define WINDOW_RANGES 32

struct drt_tokenising {
    enum { EXTRACTING, ENCODING, PREPARING } phase;
    drt_chunker chunker;
    size_t at; /* bytes of the text that are in chunks, or in the window */
    size_t starts[WINDOW_RANGES + 1];
    drt_buffer tokens[WINDOW_RANGES];
    size_t n_ranges;
    atomic_bool failed; /* a task: no later round */
    pthread_mutex_t mutex;
    drt_string reason; /* why it can't become a document */
};

void drt_tokenising_free(drt_tokenising *making) {
    if (!making)
        return;
    for (size_t i = 0; i < WINDOW_RANGES; i++)
        drt_buffer_free(&making->tokens[i]);
    pthread_mutex_destroy(&making->mutex);
    drt_string_free(&making->reason);
    free(making);
}

/* ----------------------------------------------------------------------------- failures ---- */

/* DRT_FAILED is the member's alone, unless the run was stopped: then nothing counts any more. */
static void note_failure(drt_tokeniser *t, drt_ingest_member *m, drt_status status) {
    drt_tokenising *making = m->making;
    atomic_store(&making->failed, true);
    if (status == DRT_FAILED) {
        const char *reason = drt_error(t->context);
        pthread_mutex_lock(&making->mutex);
        if (!making->reason.data && !drt_string_set(&making->reason, reason, strlen(reason)))
            status = drt_fail_memory(t->context, "an ingest");
        pthread_mutex_unlock(&making->mutex);
    }
    if (status != DRT_FAILED)
        drt_run_fail(t->run, t->context, status);
}

static size_t finish(drt_tokeniser *t, drt_ingest_member *m) {
    drt_tokenising *making = m->making;
    m->making = NULL;
    drt_buffer_free(&m->extract.text);
    if (making->reason.data && !drt_ingest_member_skip(m, making->reason.data))
        drt_run_fail(t->run, t->context, drt_fail_memory(t->context, "an ingest"));
    drt_tokenising_free(making);
    return 0;
}

static size_t skip(drt_tokeniser *t, drt_ingest_member *m, const char *reason) {
    if (!drt_ingest_member_skip(m, reason))
        drt_run_fail(t->run, t->context, drt_fail_memory(t->context, "an ingest"));
    return finish(t, m);
}

/* ------------------------------------------------------------------------------- rounds ---- */

/* Returns how many tasks the first round has. */
static size_t extract(drt_tokeniser *t, drt_ingest_member *m) {
    drt_tokenising *making = calloc(1, sizeof *making);
    if (!making || pthread_mutex_init(&making->mutex, NULL) != 0) {
        free(making);
        drt_run_fail(t->run, t->context, drt_fail_memory(t->context, "an ingest"));
        return 0;
    }
    m->making = making;
    drt_status status = drt_raw_extract(t->context, m->raw, &m->extract);
    drt_raw_free(m->raw);
    m->raw = NULL;
    if (status != DRT_OK) {
        note_failure(t, m, status);
        return finish(t, m);
    }
    if (m->extract.status == DRT_DOCUMENT_SKIPPED) {
        m->fate = DRT_MEMBER_SKIPPED;
        return finish(t, m);
    }
    const drt_buffer *text = &m->extract.text;
    size_t valid = drt_utf8_valid_prefix(text->data, text->length);
    if (valid < text->length) {
        drt_fail(t->context, DRT_FAILED, "the text is not valid UTF-8 at byte %zu", valid);
        return skip(t, m, drt_error(t->context));
    }
    drt_chunker_start(&making->chunker, t->run->model->config.chunk_size, text->data, text->length, &m->chunks);
    making->phase = ENCODING;
    return 1;
}

/* Cuts the next window; returns how many ranges it has. */
static size_t next_window(drt_tokenising *making) {
    const drt_chunker *c = &making->chunker;
    making->n_ranges = 0;
    making->starts[0] = making->at;
    while (making->n_ranges < WINDOW_RANGES && making->at < c->length) {
        making->at = drt_range_end(c->text, c->length, making->at);
        making->starts[++making->n_ranges] = making->at;
    }
    return making->n_ranges;
}

static size_t prepare(drt_tokeniser *t, drt_ingest_member *m) {
    if (m->chunks.n_tokens <= 1) /* <doc> alone */
        return skip(t, m, "has no text");
    const drt_chunker *c = &m->making->chunker;
    drt_status status = drt_prepared_start(t->context, c->text, c->length, m->chunks.n_chunks, true, &m->prepared);
    if (status != DRT_OK) {
        note_failure(t, m, status);
        return finish(t, m);
    }
    m->making->phase = PREPARING;
    return drt_prepared_tasks(m->prepared);
}

/* The window's tokens become chunks. */
static void add_window(drt_tokeniser *t, drt_ingest_member *m) {
    drt_tokenising *making = m->making;
    drt_status status = DRT_OK;
    for (size_t i = 0; i < making->n_ranges && status == DRT_OK; i++)
        status = drt_chunker_add(t->context, &making->chunker, making->starts[i], &making->tokens[i]);
    if (status != DRT_OK)
        note_failure(t, m, status);
}

static size_t next_round(drt_tokeniser *t, drt_ingest_member *m) {
    if (m->raw) {
        if (extract(t, m) == 0)
            return 0;
        return next_window(m->making);
    }
    drt_tokenising *making = m->making;
    if (!atomic_load(&making->failed) && making->phase == ENCODING)
        add_window(t, m);
    if (atomic_load(&making->failed) || making->phase == PREPARING)
        return finish(t, m);
    size_t n_ranges = next_window(making);
    return n_ranges > 0 ? n_ranges : prepare(t, m);
}

static void run_task(drt_tokeniser *t, drt_ingest_member *m, size_t task) {
    drt_tokenising *making = m->making;
    const drt_chunker *c = &making->chunker;
    drt_status status;
    if (atomic_load(&making->failed))
        return;
    if (making->phase == ENCODING)
        status = drt_range_encode(t->context, t->run->model->tokenizer, c->text, making->starts[task],
                                  making->starts[task + 1], &making->tokens[task]);
    else
        status = drt_prepared_run(t->context, m->prepared, t->terms, c->text, m->chunks.ranges, task);
    if (status != DRT_OK)
        note_failure(t, m, status);
}

/* ------------------------------------------------------------------------------ threads ---- */

/* Rounds of one task need nobody else. */
static size_t advance(void *user, void *item, size_t *bytes) {
    drt_tokeniser *t = user;
    drt_ingest_member *m = item;
    int64_t start = drt_run_now();
    size_t n_tasks;
    while ((n_tasks = next_round(t, m)) == 1)
        run_task(t, m, 0);
    *bytes = drt_ingest_member_bytes(m);
    drt_meter_add(&t->run->meters[DRT_STAGE_TOKENISE], start, n_tasks == 0 ? m->chunks.n_tokens : 0);
    return n_tasks;
}

static void task(void *user, void *item, size_t n) {
    drt_tokeniser *t = user;
    int64_t start = drt_run_now();
    run_task(t, item, n);
    drt_meter_add(&t->run->meters[DRT_STAGE_TOKENISE], start, 0);
}

void *drt_run_tokenise(void *user) {
    static const drt_queue_work_fn work = {advance, task};
    drt_tokeniser *t = user;
    drt_queue_work(t->run->members, &work, t);
    return NULL;
}

void drt_tokenise_member(drt_tokeniser *t, drt_ingest_member *m) {
    size_t bytes;
    for (size_t n_tasks; (n_tasks = advance(t, m, &bytes)) > 0;)
        for (size_t i = 0; i < n_tasks; i++)
            task(t, m, i);
}
