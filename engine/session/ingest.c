/* ingest.c: corpus -> library. Members are read, cut into chunks, encoded in full batches whatever the
 * documents' sizes, and committed every few seconds, so that a killed run loses little.
 *
 * Members wait in a queue, in corpus order. A document leaves it when its last chunk was written;
 * members without text leave it with their neighbours. What became of a member is told once it is
 * committed. May use: base, corpus, library, network, chunker.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/base/utf8.h"
#include "engine/corpus/corpus.h"
#include "engine/library/store.h"
#include "engine/network/network.h"

#define QUEUE_MEMBERS 256  /* more don't wait for a full batch */
#define COMMIT_SECONDS 2.0 /* a commit is due after so long, */
#define COMMIT_CHUNKS 4096 /* or so many chunks */

typedef enum {
    MEMBER_DOCUMENT, /* has chunks */
    MEMBER_SKIPPED,  /* becomes a catalog row without text */
    MEMBER_KNOWN,    /* its content is in the library */
    MEMBER_MISSING   /* a path that could not be read; nothing to store */
} member_kind;

typedef struct member {
    struct member *next;
    member_kind kind;
    drt_string archive, path, format;
    uint8_t sha256[DRT_HASH_SIZE];
    drt_extract extract;
    drt_chunks chunks;
    size_t written;   /* chunks */
    int32_t segment;  /* the encoder's number for the document */
    int64_t document; /* catalog id; 0: none yet */
} member;

typedef struct {
    member *first, **end;
} member_list;

typedef struct {
    drt_context *context;
    drt_library *library;
    drt_model *model;
    const drt_ingest_params *params;
    drt_ingest_report *report; /* committed members only */
    drt_progress progress;
    size_t record_size;

    drt_record_encoder *encoder;
    size_t batch_chunks;        /* of one encoder call */
    int32_t *tokens, *segments; /* (batch_chunks*S) */
    const uint16_t *landmarks;  /* (batch_chunks,d), the encoder's */
    const uint8_t *records;     /* batch_chunks x record_size, the encoder's */

    member_list queue, finished; /* finished: written, not yet committed */
    size_t queued_chunks;        /* not yet written */
    size_t queued_members;
    int32_t next_segment;
    int64_t uncommitted_chunks;
    double last_commit;   /* seconds since the start */
    int64_t bytes_before; /* of the arguments walked before this one */
    drt_status status;    /* of the callbacks: what fails there is not the argument's fault */
    struct timespec start;
} ingest;

/* ------------------------------------------------------------------------- members -------- */

static void list_append(member_list *list, member *m) {
    m->next = NULL;
    *list->end = m;
    list->end = &m->next;
}

static member *list_take(member_list *list) {
    member *m = list->first;
    list->first = m->next;
    if (!list->first)
        list->end = &list->first;
    return m;
}

static void member_free(member *m) {
    if (!m)
        return;
    drt_string_free(&m->archive);
    drt_string_free(&m->path);
    drt_string_free(&m->format);
    drt_extract_clear(&m->extract);
    drt_chunks_clear(&m->chunks);
    free(m);
}

static void list_free(member_list *list) {
    while (list->first)
        member_free(list_take(list));
}

static member *member_new(member_kind kind, const drt_source *source) {
    member *m = calloc(1, sizeof *m);
    if (!m)
        return NULL;
    m->kind = kind;
    memcpy(m->sha256, source->sha256, sizeof m->sha256);
    if (drt_string_set(&m->archive, source->archive, source->archive_length) &&
        drt_string_set(&m->path, source->path, source->path_length) &&
        drt_string_set(&m->format, source->format, strlen(source->format)))
        return m;
    member_free(m);
    return NULL;
}

/* Borrows the member's strings; authors is room for its n_authors. */
static drt_document_facts member_facts(const member *m, const char **authors) {
    for (size_t i = 0; i < m->extract.n_authors; i++)
        authors[i] = m->extract.authors[i].data;
    drt_document_facts facts = {
        .archive = m->archive.data,
        .archive_length = m->archive.length,
        .path = m->path.data,
        .path_length = m->path.length,
        .title = m->extract.title.data,
        .date = m->extract.date.data,
        .authors = authors,
        .n_authors = m->extract.n_authors,
        .format = m->format.data,
        .status = m->extract.status,
        .reason = m->extract.reason.data,
        .replacements = m->extract.replacements,
    };
    memcpy(facts.sha256, m->sha256, sizeof facts.sha256);
    return facts;
}

static drt_status fail_memory(const ingest *in) {
    return drt_fail_memory(in->context, "an ingest");
}

/* ------------------------------------------------------------------------- progress ------- */

static double seconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) + (double)(now.tv_nsec - start->tv_nsec) / 1e9;
}

static void tell_progress(ingest *in) {
    if (!in->params->progress)
        return;
    in->progress.seconds = seconds_since(&in->start);
    in->params->progress(in->params->user, &in->progress);
}

static void on_walk_progress(void *user, const char *path, size_t path_length, int64_t bytes, int64_t total) {
    ingest *in = user;
    (void)total; /* of this argument alone */
    in->progress.bytes_done = in->bytes_before + bytes;
    in->progress.current = path;
    in->progress.current_length = path_length;
    tell_progress(in);
    in->progress.current = NULL; /* borrowed */
    in->progress.current_length = 0;
}

/* Adds up the arguments; one that can't be read counts nothing here and is told when its turn comes. */
static void measure_arguments(ingest *in) {
    for (size_t i = 0; i < in->params->n_paths && !drt_cancelled(in->context); i++) {
        int64_t bytes = 0;
        if (drt_corpus_measure(in->context, in->params->paths[i], &bytes) == DRT_OK)
            in->progress.bytes_total += bytes;
    }
}

/* ------------------------------------------------------------------------- commit --------- */

/* The member as the catalog has it; a known one under the path that was met now. */
static drt_status load_document(const ingest *in, const member *m, drt_document *document) {
    *document = (drt_document){0};
    drt_status status = DRT_OK;
    if (m->document) {
        drt_buffer selector = {0};
        status = drt_buffer_printf(&selector, "doc:%lld", (long long)m->document)
                     ? drt_library_document(in->context, in->library, selector.data, selector.length, document)
                     : fail_memory(in);
        drt_buffer_free(&selector);
        if (status != DRT_OK || m->kind != MEMBER_KNOWN)
            return status;
        drt_string_free(&document->path);
    } else {
        document->status = DRT_DOCUMENT_SKIPPED;
        if (!drt_string_copy(&document->format, &m->format) || !drt_string_copy(&document->reason, &m->extract.reason))
            status = fail_memory(in);
    }
    return status == DRT_OK && !drt_string_copy(&document->path, &m->path) ? fail_memory(in) : status;
}

static void count_member(drt_ingest_report *report, const member *m, const drt_document *document) {
    if (m->kind == MEMBER_KNOWN) {
        report->known++;
        return;
    }
    report->chunks += (int64_t)m->chunks.n_chunks;
    report->tokens += m->chunks.n_tokens;
    report->text_bytes += m->kind == MEMBER_DOCUMENT ? document->bytes : 0;
    if (m->extract.status == DRT_DOCUMENT_OK)
        report->ok++;
    else if (m->extract.status == DRT_DOCUMENT_PARTIAL)
        report->partial++;
    else
        report->skipped++;
}

static drt_status report_member(ingest *in, const member *m) {
    drt_document document;
    drt_status status = load_document(in, m, &document);
    if (status == DRT_OK) {
        count_member(in->report, m, &document);
        if (in->params->member)
            in->params->member(in->params->user, &(drt_member){&document, m->kind == MEMBER_KNOWN});
    }
    drt_document_clear(&document);
    return status;
}

static drt_status commit(ingest *in) {
    drt_status status = drt_store_commit(in->context, in->library);
    in->uncommitted_chunks = 0;
    in->last_commit = seconds_since(&in->start);
    while (in->finished.first && status == DRT_OK) {
        member *m = list_take(&in->finished);
        status = report_member(in, m);
        member_free(m);
    }
    return status;
}

/* Is the head of the queue partly written? */
static bool has_open_document(const ingest *in) {
    return in->queue.first && in->queue.first->written > 0;
}

static bool commit_is_due(const ingest *in) {
    return in->finished.first &&
           (in->uncommitted_chunks >= COMMIT_CHUNKS || seconds_since(&in->start) - in->last_commit >= COMMIT_SECONDS);
}

/* ------------------------------------------------------------------------- writing -------- */

static drt_status store_skipped(ingest *in, member *m) {
    const char **authors = calloc(m->extract.n_authors + 1, sizeof *authors);
    if (!authors)
        return fail_memory(in);
    drt_document_facts facts = member_facts(m, authors);
    drt_status status = drt_store_add_skipped(in->context, in->library, &facts, &m->document);
    free(authors);
    return status;
}

/* Opens the document in the library; the text is not needed any more. */
static drt_status store_begin(ingest *in, member *m) {
    const char **authors = calloc(m->extract.n_authors + 1, sizeof *authors);
    if (!authors)
        return fail_memory(in);
    drt_document_facts facts = member_facts(m, authors);
    drt_status status = drt_store_begin(in->context, in->library, &facts, m->extract.text.data, m->extract.text.length,
                                        m->chunks.ranges, m->chunks.n_chunks, &m->document);
    free(authors);
    drt_buffer_free(&m->extract.text);
    return status;
}

/* Moves members without chunks left from the head of the queue to the finished ones. */
static drt_status settle_members(ingest *in) {
    drt_status status = DRT_OK;
    while (in->queue.first && in->queue.first->written == in->queue.first->chunks.n_chunks && status == DRT_OK) {
        member *m = in->queue.first;
        if (m->kind == MEMBER_SKIPPED)
            status = store_skipped(in, m);
        else if (m->kind == MEMBER_DOCUMENT)
            status = drt_store_end(in->context, in->library);
        if (status != DRT_OK)
            return status;
        if (m->extract.status == DRT_DOCUMENT_SKIPPED)
            in->progress.members_failed++;
        else
            in->progress.members_done++;
        list_append(&in->finished, list_take(&in->queue));
        in->queued_members--;
        if (commit_is_due(in))
            status = commit(in);
    }
    return status;
}

/* The next chunks of the queue's documents -> tokens and segments; returns how many. */
static size_t fill_batch(ingest *in) {
    size_t slots = (size_t)in->model->config.chunk_size, n = 0;
    for (const member *m = in->queue.first; m && n < in->batch_chunks; m = m->next) {
        size_t left = m->chunks.n_chunks - m->written, room = in->batch_chunks - n;
        size_t taken = left < room ? left : room;
        if (taken == 0)
            continue;
        memcpy(in->tokens + n * slots, m->chunks.tokens + m->written * slots, taken * slots * sizeof *in->tokens);
        for (size_t i = n * slots; i < (n + taken) * slots; i++)
            in->segments[i] = m->segment;
        n += taken;
    }
    return n;
}

/* Tokens in the first n chunks of a document: all but the last are full. */
static int64_t tokens_in(const ingest *in, const member *m, size_t n) {
    int64_t full = (int64_t)n * (in->model->config.chunk_size - 1);
    return full < m->chunks.n_tokens ? full : m->chunks.n_tokens;
}

/* Chunks first .. of the batch, as many as are its document's, belong to the head of the queue. */
static drt_status write_chunks(ingest *in, size_t first, size_t in_batch, size_t *written) {
    member *m = in->queue.first;
    size_t left = m->chunks.n_chunks - m->written, n = left < in_batch - first ? left : in_batch - first;
    size_t d = (size_t)in->model->config.d_model;
    drt_status status = DRT_OK;
    /* A document that stays open is given up when the run is cancelled; those before it are not. */
    if (m->written == 0 && n < left && in->finished.first)
        status = commit(in);
    if (m->written == 0 && status == DRT_OK)
        status = store_begin(in, m);
    if (status == DRT_OK)
        status = drt_store_append(in->context, in->library, n, in->landmarks + first * d,
                                  in->records + first * in->record_size);
    in->progress.chunks += (int64_t)n;
    in->progress.tokens += tokens_in(in, m, m->written + n) - tokens_in(in, m, m->written);
    m->written += n;
    in->queued_chunks -= n;
    in->uncommitted_chunks += (int64_t)n;
    *written = n;
    return status;
}

static drt_status encode_batch(ingest *in) {
    size_t n = fill_batch(in);
    drt_status status = drt_record_encoder_run(in->context, in->encoder, in->tokens, in->segments, (int)n,
                                               &in->landmarks, &in->records);
    if (status == DRT_FAILED && drt_cancelled(in->context))
        return DRT_OK; /* stopped between layers; nothing of the batch is written */
    if (status != DRT_OK)
        return status;
    for (size_t at = 0, written = 0; at < n && status == DRT_OK; at += written) {
        status = write_chunks(in, at, n, &written);
        if (status == DRT_OK)
            status = settle_members(in);
    }
    return status;
}

/* Encodes until fewer than `least` chunks wait, or the run is cancelled. */
static drt_status encode_until(ingest *in, size_t least) {
    drt_status status = settle_members(in);
    while (in->queued_chunks >= least && status == DRT_OK && !drt_cancelled(in->context)) {
        status = encode_batch(in);
        tell_progress(in);
    }
    return status;
}

/* ------------------------------------------------------------------------- reading -------- */

static drt_status enqueue(ingest *in, member *m) {
    m->segment = in->next_segment;
    in->next_segment = in->next_segment == INT32_MAX ? 0 : in->next_segment + 1;
    in->queued_chunks += m->chunks.n_chunks;
    list_append(&in->queue, m);
    bool full = ++in->queued_members >= QUEUE_MEMBERS;
    return encode_until(in, full ? 1 : in->batch_chunks);
}

static bool is_queued(const ingest *in, const uint8_t *sha256) {
    for (const member *m = in->queue.first; m; m = m->next)
        if (m->kind == MEMBER_DOCUMENT && memcmp(m->sha256, sha256, DRT_HASH_SIZE) == 0)
            return true;
    return false;
}

/* Content that the library has needs no reading: its new path is noted. */
static bool on_wanted(void *user, const drt_source *source) {
    ingest *in = user;
    if (in->status != DRT_OK)
        return true; /* on_member passes the failure on */
    member *m = member_new(MEMBER_KNOWN, source);
    drt_content content = DRT_CONTENT_NEW;
    if (!m)
        in->status = fail_memory(in);
    else if (is_queued(in, source->sha256))
        in->status = encode_until(in, 1); /* the library must know the first copy */
    if (in->status == DRT_OK) {
        drt_document_facts facts = member_facts(m, NULL);
        in->status = drt_store_find(in->context, in->library, source->sha256, &facts, true, &content, &m->document);
    }
    if (in->status != DRT_OK || content == DRT_CONTENT_NEW) {
        member_free(m);
        return true;
    }
    in->status = enqueue(in, m);
    return false;
}

/* A document that has no text, or can't be cut into chunks, is a skipped one. */
static drt_status skip_document(ingest *in, member *m, const char *reason) {
    m->kind = MEMBER_SKIPPED;
    m->extract.status = DRT_DOCUMENT_SKIPPED;
    drt_string_free(&m->extract.reason);
    return drt_string_set(&m->extract.reason, reason, strlen(reason)) ? DRT_OK : fail_memory(in);
}

static drt_status cut_document(ingest *in, member *m) {
    drt_status status = drt_chunks_build(in->context, in->model->tokenizer, in->model->config.chunk_size,
                                         m->extract.text.data, m->extract.text.length, &m->chunks);
    if (status == DRT_FAILED)
        return skip_document(in, m, drt_error(in->context));
    if (status == DRT_OK && m->chunks.n_chunks == 0)
        return skip_document(in, m, "has no text");
    return status;
}

static drt_status on_member(void *user, const drt_source *source, drt_extract *extract) {
    ingest *in = user;
    if (in->status != DRT_OK)
        return in->status;
    bool skipped = extract->status == DRT_DOCUMENT_SKIPPED;
    member *m = member_new(skipped ? MEMBER_SKIPPED : MEMBER_DOCUMENT, source);
    if (!m)
        return in->status = fail_memory(in);
    m->extract = *extract;
    *extract = (drt_extract){0};
    in->status = skipped ? DRT_OK : cut_document(in, m);
    if (in->status == DRT_OK && !drt_cancelled(in->context))
        in->status = enqueue(in, m);
    else
        member_free(m);
    return in->status;
}

/* An argument that could not be read is told like a skipped member; the library keeps no row of it. */
static drt_status note_unreadable(ingest *in, const char *path) {
    drt_source source = {.archive = path, .archive_length = strlen(path), .path = "", .format = ""};
    member *m = member_new(MEMBER_MISSING, &source);
    drt_buffer shown = {0};
    bool ok = m && drt_utf8_append_escaped(&shown, path, strlen(path));
    if (ok) {
        drt_string_free(&m->path);
        ok = drt_string_take(&m->path, &shown);
    }
    drt_buffer_free(&shown);
    drt_status status = ok ? skip_document(in, m, drt_error(in->context)) : fail_memory(in);
    if (status != DRT_OK) {
        member_free(m);
        return status;
    }
    m->kind = MEMBER_MISSING;
    return enqueue(in, m);
}

static drt_status walk_arguments(ingest *in) {
    drt_corpus_params walk = drt_corpus_params_default();
    walk.wanted = on_wanted;
    walk.member = on_member;
    walk.progress = on_walk_progress;
    walk.user = in;
    drt_status status = DRT_OK;
    measure_arguments(in);
    for (size_t i = 0; i < in->params->n_paths && status == DRT_OK && !drt_cancelled(in->context); i++) {
        in->bytes_before = in->progress.bytes_done;
        status = drt_corpus_walk(in->context, in->params->paths[i], &walk);
        if (in->status != DRT_OK)
            status = in->status;
        else if (status == DRT_FAILED)
            status = note_unreadable(in, in->params->paths[i]);
    }
    return status;
}

/* ------------------------------------------------------------------------- the run -------- */

static drt_status open_ingest(ingest *in) {
    const drt_config *c = &in->model->config;
    drt_library_facts facts;
    drt_status status = drt_library_inspect(in->context, in->library, &facts);
    if (status != DRT_OK)
        return status;
    in->record_size = drt_memory_record_size(facts.memory_type, c->chunk_size, c->d_model);
    status = drt_record_encoder_new(in->context, in->model, facts.memory_type, &in->encoder);
    if (status != DRT_OK)
        return status;
    in->batch_chunks = (size_t)drt_record_encoder_chunks(in->encoder);
    size_t slots = in->batch_chunks * (size_t)c->chunk_size;
    in->tokens = malloc(slots * sizeof *in->tokens);
    in->segments = malloc(slots * sizeof *in->segments);
    return in->tokens && in->segments ? DRT_OK : fail_memory(in);
}

static void close_ingest(ingest *in) {
    list_free(&in->queue);
    list_free(&in->finished);
    drt_record_encoder_free(in->encoder);
    free(in->tokens);
    free(in->segments);
}

drt_status drt_ingest(drt_context *context, drt_library *library, drt_model *model, const drt_ingest_params *params,
                      drt_ingest_report *report) {
    *report = (drt_ingest_report){0};
    ingest in = {.context = context, .library = library, .model = model, .params = params, .report = report};
    in.queue.end = &in.queue.first;
    in.finished.end = &in.finished.first;
    clock_gettime(CLOCK_MONOTONIC, &in.start);
    drt_status status = open_ingest(&in);
    if (status == DRT_OK)
        status = walk_arguments(&in);
    if (status == DRT_OK)
        status = encode_until(&in, 1);
    if (status == DRT_OK && !has_open_document(&in))
        status = commit(&in);
    drt_store_rollback(library); /* what a failure or a cancellation left behind */
    close_ingest(&in);
    report->cancelled = drt_cancelled(context);
    report->seconds = seconds_since(&in.start);
    if (status != DRT_OK)
        return DRT_FATAL;
    if (report->partial || report->skipped)
        return drt_fail(context, DRT_WARN, "%lld members are in only in part, %lld were skipped",
                        (long long)report->partial, (long long)report->skipped);
    return DRT_OK;
}
