/* ingest_read.c: the first stage of an ingest: paths -> bytes of members. See ingest_run.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/session/ingest_filter.h"
#include "engine/session/ingest_run.h"

typedef struct {
    drt_ingest_run *run;
    drt_context *context;
    int64_t mark;         /* since when it reads */
    int64_t bytes_before; /* of the arguments walked before this one */
} reader;

/* Time that the queue or the library takes is no reading. */
static void stop_clock(reader *r, int64_t bytes) {
    drt_meter_add(&r->run->meters[DRT_STAGE_READ], r->mark, bytes);
}

static void start_clock(reader *r) {
    r->mark = drt_run_now();
}

static void on_progress(void *user, const char *path, size_t path_length, int64_t bytes, int64_t total) {
    reader *r = user;
    drt_ingest_run *run = r->run;
    (void)total; /* of this argument alone */
    pthread_mutex_lock(&run->mutex);
    run->bytes_done = r->bytes_before + bytes;
    if (run->current.length != path_length || memcmp(run->current.data, path, path_length) != 0) {
        run->current.length = 0;
        drt_buffer_append(&run->current, path, path_length); /* out of memory: nothing is shown */
    }
    pthread_mutex_unlock(&run->mutex);
}

/* Passes a member on. DRT_WARN ends the walk quietly: nobody waits for members any more. */
static drt_status pass_on(reader *r, drt_ingest_member *m, size_t bytes, bool ready) {
    if (drt_queue_put(r->run->members, m, bytes, ready, -1) == DRT_QUEUE_ITEM)
        return DRT_OK;
    drt_ingest_member_free(m);
    return DRT_WARN;
}

/* What fails here is not the argument's fault: it ends the run. */
static drt_status give_up(reader *r, drt_status status) {
    drt_run_fail(r->run, r->context, status);
    return DRT_WARN;
}

/* Is this content in the library as it is now? Then it need not be extracted unless that changes before its turn. */
static drt_status expect(reader *r, drt_ingest_member *m) {
    drt_document_facts facts = drt_ingest_member_facts(m, NULL);
    drt_content content = DRT_CONTENT_NEW;
    int64_t document;
    if (!drt_run_may_have_content(r->run, m->sha256))
        return DRT_OK;
    pthread_mutex_lock(&r->run->library_mutex);
    drt_status status = drt_store_find(r->context, r->run->library, m->sha256, &facts, false, &content, &document);
    pthread_mutex_unlock(&r->run->library_mutex);
    m->expected = content != DRT_CONTENT_NEW;
    return status;
}

static drt_status note_seen(reader *r, const drt_ingest_member *m) {
    bool noted = !r->run->params->sync || drt_seen_add(&r->run->seen, m);
    return noted ? DRT_OK : drt_fail_memory(r->context, "an ingest");
}

static drt_status on_raw(void *user, const drt_source *source, drt_raw **raw) {
    reader *r = user;
    stop_clock(r, source->raw_bytes);
    drt_ingest_member *m = drt_ingest_member_new(DRT_MEMBER_DOCUMENT, source);
    if (!m)
        return give_up(r, drt_fail_memory(r->context, "an ingest"));
    drt_status status = note_seen(r, m);
    if (status == DRT_OK)
        status = expect(r, m);
    if (status == DRT_OK) {
        m->raw = *raw;
        *raw = NULL;
        status = pass_on(r, m, (size_t)source->raw_bytes, m->expected);
    } else {
        drt_ingest_member_free(m);
        status = give_up(r, status);
    }
    start_clock(r);
    return status;
}

static drt_status on_skipped(void *user, const drt_source *source, drt_extract *extract) {
    reader *r = user;
    stop_clock(r, 0);
    drt_ingest_member *m = drt_ingest_member_new(DRT_MEMBER_SKIPPED, source);
    if (!m)
        return give_up(r, drt_fail_memory(r->context, "an ingest"));
    m->extract = *extract;
    *extract = (drt_extract){0};
    drt_status status = note_seen(r, m);
    if (status == DRT_OK) {
        status = pass_on(r, m, 0, true);
    } else {
        drt_ingest_member_free(m);
        status = give_up(r, status);
    }
    start_clock(r);
    return status;
}

/* An argument that could not be read is told like a skipped member; the library keeps no row of it. */
static drt_status note_unreadable(reader *r, const char *path) {
    drt_source source = {.archive = path, .archive_length = strlen(path), .path = "", .format = ""};
    drt_ingest_member *m = drt_ingest_member_new(DRT_MEMBER_MISSING, &source);
    drt_buffer shown = {0};
    bool ok = m && drt_utf8_append_escaped(&shown, path, strlen(path));
    if (ok) {
        drt_string_free(&m->path);
        ok = drt_string_take(&m->path, &shown);
    }
    drt_buffer_free(&shown);
    if (!ok || !drt_ingest_member_skip(m, drt_error(r->context))) {
        drt_ingest_member_free(m);
        return drt_fail_memory(r->context, "an ingest");
    }
    m->fate = DRT_MEMBER_MISSING;
    return pass_on(r, m, 0, true);
}

/* Adds up the arguments; one that can't be read counts nothing here and is told when its turn comes. */
static void measure_arguments(reader *r, const drt_corpus_params *walk) {
    const drt_ingest_params *params = r->run->params;
    for (size_t i = 0; i < params->n_paths && !drt_cancelled(r->context); i++) {
        int64_t bytes = 0;
        if (drt_corpus_measure(r->context, params->paths[i], walk, &bytes) != DRT_OK)
            continue;
        pthread_mutex_lock(&r->run->mutex);
        r->run->bytes_total += bytes;
        pthread_mutex_unlock(&r->run->mutex);
    }
}

static bool is_wanted(void *user, const char *path, size_t path_length, bool holds_others) {
    const reader *r = user;
    return drt_ingest_wants(r->run->params, path, path_length, holds_others);
}

static bool on_unlisted(void *user, const drt_source *source) {
    reader *r = user;
    return !r->run->params->sync || drt_seen_add_unlisted(&r->run->seen, source);
}

static drt_corpus_params walk_of(reader *r) {
    drt_corpus_params walk = drt_corpus_params_default();
    walk.raw = on_raw;
    walk.member = on_skipped;
    walk.wanted = is_wanted;
    walk.passed_over = &r->run->passed_over;
    walk.unlisted = on_unlisted;
    walk.progress = on_progress;
    walk.user = r;
    return walk;
}

static drt_status walk_arguments(reader *r, const drt_corpus_params *walk) {
    const drt_ingest_params *params = r->run->params;
    drt_status status = DRT_OK;
    for (size_t i = 0; i < params->n_paths && status == DRT_OK && !drt_cancelled(r->context); i++) {
        drt_seen_start(&r->run->seen);
        status = drt_corpus_walk(r->context, params->paths[i], walk);
        if (status == DRT_OK && !drt_seen_end(&r->run->seen))
            status = drt_fail_memory(r->context, "an ingest");
        if (status == DRT_FAILED)
            status = note_unreadable(r, params->paths[i]);
        pthread_mutex_lock(&r->run->mutex);
        r->bytes_before = r->run->bytes_done;
        pthread_mutex_unlock(&r->run->mutex);
    }
    return status;
}

void *drt_run_read(void *user) {
    reader r = {.run = user};
    r.context = drt_run_context(r.run);
    drt_status status = DRT_FATAL;
    start_clock(&r);
    if (r.context) {
        drt_corpus_params walk = walk_of(&r);
        measure_arguments(&r, &walk);
        status = walk_arguments(&r, &walk);
    }
    stop_clock(&r, 0);
    if (status != DRT_OK && status != DRT_WARN)
        drt_run_fail(r.run, r.context, status);
    drt_queue_end(r.run->members);
    drt_context_free(r.context);
    return NULL;
}
