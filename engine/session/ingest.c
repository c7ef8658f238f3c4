/* ingest.c: corpus -> library, as a pipeline. This is the calling thread's part: it decides in corpus order what is
 * new, fills batches whatever the documents' sizes, runs the device and calls back; the other stages run in threads of
 * their own (ingest_run.h shows them all).
 *
 * Batches are made from the order of members alone, so the library does not depend on how fast the threads are. What
 * became of a member is told once it is committed. May use: base, corpus, library, network, chunker.h. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/session/ingest_run.h"

#define WAIT_MS 20          /* longest wait between two looks at cancellation */
#define PROGRESS_MS 50      /* between two calls of the progress callback */
#define WAITING_MEMBERS 256 /* more don't wait for a full batch (four for each of its chunks where that is more) */

/* Queues. The device's own processor does the encoding, and slowly: then little has to be ready. */
#define HOST_BYTES ((size_t)8 << 20)
#define DEVICE_BYTES ((size_t)96 << 20)
#define QUEUE_MEMBERS 1024
#define QUEUE_BATCHES 256

typedef struct {
    drt_ingest_run run;
    drt_ingest_report *report; /* committed members only */
    drt_progress progress;
    int64_t start, last_progress;
    bool cancelled;
    bool out_of_memory; /* while the library's places were noted */

    drt_record_encoder *encoder;
    drt_record_batch *records[DRT_RECORD_BATCHES];
    size_t batch_chunks;        /* of one encoder call */
    int32_t *tokens, *segments; /* (batch_chunks*S) */

    drt_member_list pending; /* decided, not yet encoded to the end */
    size_t pending_chunks, pending_members;
    int32_t next_segment;
    int64_t next_chunk;

    pthread_t reader, writer, indexer;
    bool reading, writing, indexing; /* threads that were started */
    pthread_t *tokeniser_threads;
    drt_tokeniser *tokenisers; /* n_tokenisers + the caller's own */
    int tokenising;            /* threads that were started */
} ingest;

static drt_status fail_memory(const ingest *in) {
    return drt_fail_memory(in->run.context, "an ingest");
}

/* ------------------------------------------------------------------------- callbacks ------ */

static void count_member(drt_ingest_report *report, const drt_ingest_member *m) {
    if (m->fate == DRT_MEMBER_KNOWN) {
        report->known++;
        return;
    }
    report->chunks += (int64_t)m->chunks.n_chunks;
    report->tokens += m->chunks.n_tokens;
    report->text_bytes += m->fate == DRT_MEMBER_DOCUMENT ? m->row.bytes : 0;
    if (m->extract.status == DRT_DOCUMENT_OK)
        report->ok++;
    else if (m->extract.status == DRT_DOCUMENT_PARTIAL)
        report->partial++;
    else
        report->skipped++;
}

static void tell_members(ingest *in) {
    drt_ingest_run *run = &in->run;
    drt_member_list told;
    drt_member_list_start(&told);
    pthread_mutex_lock(&run->mutex);
    while (run->told.first)
        drt_member_list_append(&told, drt_member_list_take(&run->told));
    pthread_mutex_unlock(&run->mutex);
    while (told.first) {
        drt_ingest_member *m = drt_member_list_take(&told);
        count_member(in->report, m);
        if (run->params->member)
            run->params->member(run->params->user, &(drt_member){&m->row, m->fate == DRT_MEMBER_KNOWN});
        drt_ingest_member_free(m);
    }
}

static void read_meters(const ingest *in, drt_stage_facts stages[DRT_STAGES]) {
    for (int i = 0; i < DRT_STAGES; i++) {
        const drt_meter *meter = &in->run.meters[i];
        stages[i].amount = atomic_load_explicit(&meter->amount, memory_order_relaxed);
        stages[i].busy = (double)atomic_load_explicit(&meter->busy, memory_order_relaxed) / 1e9;
        stages[i].threads = i == DRT_STAGE_TOKENISE ? in->run.n_tokenisers : 1;
    }
}

static double seconds_since(int64_t start) {
    return (double)(drt_run_now() - start) / 1e9;
}

static void tell_progress(ingest *in) {
    drt_ingest_run *run = &in->run;
    drt_progress *p = &in->progress;
    drt_string current = {0};
    in->last_progress = drt_run_now();
    if (!run->params->progress)
        return;
    pthread_mutex_lock(&run->mutex);
    p->members_done = run->members_done;
    p->members_failed = run->members_failed;
    p->bytes_done = run->bytes_done;
    p->bytes_total = run->bytes_total;
    drt_string_set(&current, run->current.data, run->current.length);
    pthread_mutex_unlock(&run->mutex);
    p->seconds = seconds_since(in->start);
    read_meters(in, p->stages);
    p->current = current.data;
    p->current_length = current.length;
    run->params->progress(run->params->user, p);
    drt_string_free(&current);
}

/* To be called every few milliseconds: all callbacks happen here. */
static void look_around(ingest *in) {
    tell_members(in);
    if (drt_run_now() - in->last_progress >= PROGRESS_MS * INT64_C(1000000))
        tell_progress(in);
    if (!in->cancelled && drt_cancelled(in->run.context)) {
        in->cancelled = true;
        atomic_store(&in->run.stop, true);
        drt_queue_close(in->run.members);
    }
}

/* With run->mutex held: until a member was stored or told, or it is time to look around. */
static void wait_settled(drt_ingest_run *run) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_cond_timedwait(&run->settled, &run->mutex, &until);
}

/* No reason to go on reading and encoding. */
static bool is_over(ingest *in) {
    look_around(in);
    return in->cancelled || drt_run_failed(&in->run);
}

/* ------------------------------------------------------------------------- batches -------- */

static bool add_part(drt_ingest_batch *batch, const drt_batch_part *part) {
    if (batch->n_parts == batch->capacity) {
        size_t capacity = batch->capacity ? 2 * batch->capacity : 8;
        drt_batch_part *parts = realloc(batch->parts, capacity * sizeof *parts);
        if (!parts)
            return false;
        batch->parts = parts;
        batch->capacity = capacity;
    }
    batch->parts[batch->n_parts++] = *part;
    return true;
}

/* Hands a batch to the writer. */
static void send_batch(ingest *in, drt_ingest_batch *batch) {
    drt_queue_answer answer;
    do
        answer = drt_queue_put(in->run.batches, batch, 0, true, WAIT_MS);
    while (answer == DRT_QUEUE_WAITING && (look_around(in), true));
    if (answer != DRT_QUEUE_ITEM)
        drt_run_drop_batch(&in->run, batch);
}

/* Moves members at the head that have nothing to encode, or no more, from the pending ones to the batch. */
static bool complete_members(ingest *in, drt_ingest_batch *batch) {
    while (in->pending.first && in->pending.first->encoded == in->pending.first->chunks.n_chunks) {
        drt_ingest_member *m = in->pending.first;
        drt_batch_part *parts = batch->parts;
        size_t n = batch->n_parts;
        if (n > 0 && parts[n - 1].member == m)
            parts[n - 1].last = true;
        else if (!add_part(batch, &(drt_batch_part){.member = m, .last = true}))
            return false;
        drt_member_list_take(&in->pending);
        in->pending_members--;
        free(m->chunks.tokens);
        m->chunks.tokens = NULL;
    }
    return true;
}

/* The next chunks of the pending documents -> tokens and segments, and the batch's parts; returns how many chunks, 0 when
 * out of memory. */
static size_t fill_batch(ingest *in, drt_ingest_batch *batch) {
    size_t slots = (size_t)in->run.model->config.chunk_size, n = 0;
    for (drt_ingest_member *m = in->pending.first; m && n < in->batch_chunks; m = m->next) {
        size_t left = m->chunks.n_chunks - m->encoded, room = in->batch_chunks - n;
        size_t taken = left < room ? left : room;
        if (taken == 0)
            continue;
        if (!add_part(batch, &(drt_batch_part){.member = m, .at = n, .n = taken}))
            return 0;
        memcpy(in->tokens + n * slots, m->chunks.tokens + m->encoded * slots, taken * slots * sizeof *in->tokens);
        for (size_t i = n * slots; i < (n + taken) * slots; i++)
            in->segments[i] = m->segment;
        n += taken;
    }
    return n;
}

/* Marks the batch's chunks as encoded; those that are complete, and members without chunks between them, go with it. */
static bool settle_batch(ingest *in, drt_ingest_batch *batch, size_t n) {
    drt_ingest_batch settled = {.records = batch->records};
    bool ok = true;
    for (size_t i = 0; i < batch->n_parts && ok; i++) {
        ok = complete_members(in, &settled) && add_part(&settled, &batch->parts[i]);
        if (ok)
            batch->parts[i].member->encoded += batch->parts[i].n;
    }
    ok = ok && complete_members(in, &settled);
    free(batch->parts);
    *batch = settled;
    in->pending_chunks -= n;
    return ok;
}

/* Waits for a set of records that the writer is done with. NULL: the run is over. */
static drt_record_batch *take_records(ingest *in) {
    void *records = NULL;
    while (drt_queue_take(in->run.free_records, WAIT_MS, &records) == DRT_QUEUE_WAITING)
        look_around(in);
    return records;
}

static int64_t tokens_of(const ingest *in, const drt_ingest_batch *batch) {
    int64_t tokens = 0;
    for (size_t i = 0; i < batch->n_parts; i++) {
        const drt_batch_part *part = &batch->parts[i];
        bool ends = part->n > 0 && part->last;
        int64_t full = (int64_t)part->n * (in->run.model->config.chunk_size - 1);
        int64_t all = part->member->chunks.n_tokens, chunks = (int64_t)part->member->chunks.n_chunks;
        tokens += ends ? full - (chunks * (in->run.model->config.chunk_size - 1) - all) : full;
    }
    return tokens;
}

static drt_status encode_batch(ingest *in) {
    drt_ingest_run *run = &in->run;
    drt_ingest_batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return fail_memory(in);
    batch->records = take_records(in);
    size_t n = batch->records ? fill_batch(in, batch) : 0;
    drt_status status = DRT_OK;
    if (batch->records && n == 0)
        status = fail_memory(in);
    int64_t start = drt_run_now();
    if (n > 0)
        status = drt_record_encoder_run(run->context, in->encoder, in->tokens, in->segments, (int)n, batch->records);
    bool stopped = status == DRT_FAILED && drt_cancelled(run->context); /* between layers; nothing of it is written */
    if (n > 0 && status == DRT_OK && !settle_batch(in, batch, n))
        status = fail_memory(in);
    if (n == 0 || status != DRT_OK) {
        drt_run_drop_batch(run, batch);
        return stopped ? DRT_OK : status;
    }
    int64_t tokens = tokens_of(in, batch);
    drt_meter_add(&run->meters[DRT_STAGE_ENCODE], start, tokens);
    in->progress.chunks += (int64_t)n;
    in->progress.tokens += tokens;
    send_batch(in, batch);
    return DRT_OK;
}

/* Members at the head that need no encoding go on at once. */
static drt_status pass_members(ingest *in) {
    if (!in->pending.first || in->pending.first->encoded < in->pending.first->chunks.n_chunks)
        return DRT_OK;
    drt_ingest_batch *batch = calloc(1, sizeof *batch);
    if (!batch)
        return fail_memory(in);
    if (!complete_members(in, batch)) {
        drt_run_drop_batch(&in->run, batch);
        return fail_memory(in);
    }
    send_batch(in, batch);
    return DRT_OK;
}

/* Encodes until fewer than `least` chunks wait, or the run is over. */
static drt_status encode_until(ingest *in, size_t least) {
    drt_status status = pass_members(in);
    while (status == DRT_OK && in->pending_chunks >= least && !is_over(in))
        status = encode_batch(in);
    return status;
}

/* ------------------------------------------------------------------------- decisions ------ */

/* Waits until all members so far are staged in the library. */
static drt_status drain(ingest *in) {
    drt_ingest_run *run = &in->run;
    drt_status status = encode_until(in, 1);
    bool waits = true;
    while (status == DRT_OK && waits && !is_over(in)) {
        pthread_mutex_lock(&run->mutex);
        if (run->under_way.n > 0)
            wait_settled(run);
        waits = run->under_way.n > 0;
        pthread_mutex_unlock(&run->mutex);
    }
    return status;
}

/* What the library says of a member, with all that was staged so far. */
static drt_status ask_library(ingest *in, drt_ingest_member *m, drt_content *content) {
    drt_ingest_run *run = &in->run;
    drt_document_facts facts = drt_ingest_member_facts(m, NULL);
    int64_t document, owner = 0;
    pthread_mutex_lock(&run->mutex);
    bool known_place = drt_known_has(&run->places, m->place);
    pthread_mutex_unlock(&run->mutex);
    *content = DRT_CONTENT_NEW;
    m->replaces = m->replaces_whole = false;
    if (!known_place && !drt_run_may_have_content(run, m->sha256))
        return DRT_OK; /* the indexer has the library to itself while it commits */
    pthread_mutex_lock(&run->library_mutex);
    drt_status status = drt_store_find(run->context, run->library, m->sha256, &facts, false, content, &document);
    if (status == DRT_OK)
        status = drt_store_owner(run->context, run->library, &facts, &owner);
    m->replaces = owner != 0 && *content != DRT_CONTENT_SAME_PATH;
    if (status == DRT_OK && m->replaces && m->damage.data)
        status = drt_store_is_whole(run->context, run->library, owner, &m->replaces_whole);
    pthread_mutex_unlock(&run->library_mutex);
    return status;
}

/* Is the member's content known, as if all members before it were in the library? Those under way are in a table; only
 * where a document may lose its last path to one of them is there no way but to wait for them. */
static drt_status decide(ingest *in, drt_ingest_member *m, bool *known) {
    drt_ingest_run *run = &in->run;
    drt_content content = DRT_CONTENT_NEW;
    for (;;) {
        pthread_mutex_lock(&run->mutex);
        bool moved = drt_members_have_place(&run->under_way, m), replacing = run->under_way.replacing > 0;
        bool twin = drt_members_have_content(&run->under_way, m->sha256);
        pthread_mutex_unlock(&run->mutex);
        drt_status status = moved ? DRT_OK : ask_library(in, m, &content);
        *known = twin || content != DRT_CONTENT_NEW;
        if (status != DRT_OK || !(moved || (content != DRT_CONTENT_NEW && replacing)))
            return status;
        status = drain(in);
        if (status != DRT_OK || is_over(in))
            return status;
    }
}

static void forget_text(drt_ingest_member *m) {
    drt_raw_free(m->raw);
    m->raw = NULL;
    drt_extract_clear(&m->extract);
    drt_chunks_clear(&m->chunks);
    drt_prepared_free(m->prepared);
    m->prepared = NULL;
}

static drt_status enqueue(ingest *in, drt_ingest_member *m) {
    drt_ingest_run *run = &in->run;
    pthread_mutex_lock(&run->mutex);
    bool ok =
        drt_known_add(&run->places, m->place) && drt_known_add(&run->contents, drt_content_fingerprint(m->sha256));
    if (ok && (m->fate == DRT_MEMBER_DOCUMENT || m->fate == DRT_MEMBER_KNOWN))
        drt_members_add(&run->under_way, m);
    pthread_mutex_unlock(&run->mutex);
    if (!ok) {
        drt_ingest_member_free(m);
        return fail_memory(in);
    }
    if (m->chunks.n_chunks > 0) {
        m->segment = in->next_segment;
        in->next_segment = in->next_segment == INT32_MAX ? 0 : in->next_segment + 1;
        m->first_chunk = in->next_chunk;
        in->next_chunk += (int64_t)m->chunks.n_chunks;
    }
    in->pending_chunks += m->chunks.n_chunks;
    in->pending_members++;
    drt_member_list_append(&in->pending, m);
    return DRT_OK;
}

static drt_status accept_member(ingest *in, drt_ingest_member *m) {
    static const uint8_t unread[DRT_HASH_SIZE];
    drt_ingest_run *run = &in->run;
    bool known = false, read = memcmp(m->sha256, unread, DRT_HASH_SIZE) != 0;
    drt_status status = read ? decide(in, m, &known) : DRT_OK;
    if (known && !m->replaces_whole) {
        m->fate = DRT_MEMBER_KNOWN;
        forget_text(m);
    } else if (m->replaces_whole) {
        forget_text(m);
        if (!drt_ingest_member_skip_damaged(m))
            status = fail_memory(in);
    } else if (status == DRT_OK && m->raw) {
        drt_tokenise_member(&in->tokenisers[run->n_tokenisers], m); /* it was expected to be known */
    }
    if (status != DRT_OK || is_over(in)) {
        drt_ingest_member_free(m);
        return status;
    }
    status = enqueue(in, m);
    if (status != DRT_OK)
        return status;
    size_t most = 4 * in->batch_chunks > WAITING_MEMBERS ? 4 * in->batch_chunks : WAITING_MEMBERS;
    return encode_until(in, in->pending_members >= most ? 1 : in->batch_chunks);
}

static drt_status take_members(ingest *in) {
    drt_status status = DRT_OK;
    void *item;
    while (status == DRT_OK && !is_over(in)) {
        drt_queue_answer answer = drt_queue_take(in->run.members, WAIT_MS, &item);
        if (answer == DRT_QUEUE_ENDED)
            break;
        if (answer == DRT_QUEUE_ITEM)
            status = accept_member(in, item);
    }
    return status == DRT_OK ? encode_until(in, 1) : status;
}

/* ------------------------------------------------------------------------- threads -------- */

/* How many threads tokenise: all cores where a device of its own encodes; else one for sixteen that encode, which is
 * twice what they need. */
static int choose_tokenisers(const ingest *in) {
    const drt_device *device = in->run.model->device;
    bool host = strcmp(device->name, "cpu") == 0;
    int threads = host ? 1 + device->threads / 16 : device->threads;
    if (in->run.params->threads > 0)
        threads = in->run.params->threads;
    return threads > 0 ? threads : 1;
}

static drt_status open_queues(ingest *in) {
    drt_ingest_run *run = &in->run;
    bool host = strcmp(run->model->device->name, "cpu") == 0;
    size_t bytes = host ? HOST_BYTES : DEVICE_BYTES;
    run->members = drt_queue_new(QUEUE_MEMBERS, bytes);
    run->batches = drt_queue_new(QUEUE_BATCHES, 0);
    run->stored = drt_queue_new(QUEUE_MEMBERS, bytes);
    run->free_records = drt_queue_new(DRT_RECORD_BATCHES, 0);
    bool ok = run->members && run->batches && run->stored && run->free_records && drt_buffer_reserve(&run->error, 4096);
    for (int i = 0; i < DRT_RECORD_BATCHES && ok; i++) {
        drt_status status = drt_record_batch_new(run->context, in->encoder, &in->records[i]);
        if (status != DRT_OK)
            return status;
        drt_queue_put(run->free_records, in->records[i], 0, true, -1);
    }
    return ok ? DRT_OK : fail_memory(in);
}

static drt_status open_tokenisers(ingest *in) {
    drt_ingest_run *run = &in->run;
    run->n_tokenisers = choose_tokenisers(in);
    size_t n = (size_t)run->n_tokenisers;
    in->tokenisers = calloc(n + 1, sizeof *in->tokenisers);
    in->tokeniser_threads = calloc(n, sizeof *in->tokeniser_threads);
    if (!in->tokenisers || !in->tokeniser_threads)
        return fail_memory(in);
    drt_status status = DRT_OK;
    for (size_t i = 0; i <= n && status == DRT_OK; i++) {
        drt_tokeniser *t = &in->tokenisers[i];
        t->run = run;
        t->context = i < n ? drt_run_context(run) : run->context;
        status = t->context ? drt_store_terms_new(run->context, run->library, &t->terms) : fail_memory(in);
    }
    return status;
}

static bool note_place(void *user, const drt_string *archive, const drt_string *path,
                       const uint8_t sha256[DRT_HASH_SIZE], drt_document_status status) {
    ingest *in = user;
    (void)status;
    bool ok = drt_known_add(&in->run.places, drt_place_fingerprint(archive, path)) &&
              drt_known_add(&in->run.contents, drt_content_fingerprint(sha256));
    in->out_of_memory = !ok;
    return ok;
}

static drt_status note_places(ingest *in) {
    drt_status status = drt_store_places(in->run.context, in->run.library, note_place, in);
    return status == DRT_OK && in->out_of_memory ? fail_memory(in) : status;
}

static drt_status open_ingest(ingest *in) {
    drt_ingest_run *run = &in->run;
    const drt_config *c = &run->model->config;
    drt_library_facts facts;
    drt_status status = drt_library_inspect(run->context, run->library, &facts);
    if (status == DRT_OK)
        status = drt_record_encoder_new(run->context, run->model, facts.memory_type, &in->encoder);
    if (status != DRT_OK)
        return status;
    in->batch_chunks = (size_t)drt_record_encoder_chunks(in->encoder);
    size_t slots = in->batch_chunks * (size_t)c->chunk_size;
    in->tokens = malloc(slots * sizeof *in->tokens);
    in->segments = malloc(slots * sizeof *in->segments);
    if (!in->tokens || !in->segments)
        return fail_memory(in);
    run->sink = drt_store_sink_open(run->library);
    in->next_chunk = run->sink.first_chunk;
    status = note_places(in);
    if (status == DRT_OK)
        status = open_queues(in);
    return status == DRT_OK ? open_tokenisers(in) : status;
}

static bool start(pthread_t *thread, void *(*run)(void *), void *argument) {
    return pthread_create(thread, NULL, run, argument) == 0;
}

static drt_status start_threads(ingest *in) {
    drt_ingest_run *run = &in->run;
    in->writing = start(&in->writer, drt_run_write, run);
    in->indexing = in->writing && start(&in->indexer, drt_run_index, run);
    for (bool ok = in->indexing; ok && in->tokenising < run->n_tokenisers; in->tokenising += ok)
        ok = start(&in->tokeniser_threads[in->tokenising], drt_run_tokenise, &in->tokenisers[in->tokenising]);
    in->reading = in->tokenising == run->n_tokenisers && start(&in->reader, drt_run_read, run);
    if (in->reading)
        return DRT_OK;
    return drt_fail(run->context, DRT_FATAL, "cannot start %d threads: out of memory or over the limit of this user",
                    run->n_tokenisers + 3);
}

/* Lets the writer and the indexer finish what they have. */
static void await_index(ingest *in) {
    drt_ingest_run *run = &in->run;
    bool indexed = false;
    drt_queue_end(run->batches);
    while (!indexed) {
        look_around(in);
        pthread_mutex_lock(&run->mutex);
        if (!run->indexed)
            wait_settled(run);
        indexed = run->indexed;
        pthread_mutex_unlock(&run->mutex);
    }
}

static void join_threads(ingest *in) {
    if (in->reading)
        pthread_join(in->reader, NULL);
    for (int i = 0; i < in->tokenising; i++)
        pthread_join(in->tokeniser_threads[i], NULL);
    if (in->writing)
        pthread_join(in->writer, NULL);
    if (in->indexing)
        pthread_join(in->indexer, NULL);
}

static void close_ingest(ingest *in) {
    drt_ingest_run *run = &in->run;
    drt_queue *members[] = {run->members, run->stored};
    for (size_t i = 0; i < sizeof members / sizeof *members; i++)
        for (drt_ingest_member *m; members[i] && (m = drt_queue_remove(members[i])) != NULL;)
            drt_run_drop(run, m);
    for (drt_ingest_batch *batch; run->batches && (batch = drt_queue_remove(run->batches)) != NULL;)
        drt_run_drop_batch(run, batch);
    while (run->free_records && drt_queue_remove(run->free_records))
        ;
    drt_queue_free(run->members);
    drt_queue_free(run->batches);
    drt_queue_free(run->stored);
    drt_queue_free(run->free_records);
    drt_member_list_free(&in->pending);
    drt_member_list_free(&run->told);
    for (int i = 0; i < DRT_RECORD_BATCHES; i++)
        drt_record_batch_free(in->encoder, in->records[i]);
    for (int i = 0; in->tokenisers && i <= run->n_tokenisers; i++) {
        drt_store_terms_free(in->tokenisers[i].terms);
        if (in->tokenisers[i].context != run->context)
            drt_context_free(in->tokenisers[i].context);
    }
    free(in->tokenisers);
    free(in->tokeniser_threads);
    drt_record_encoder_free(in->encoder);
    free(in->tokens);
    free(in->segments);
    drt_known_free(&run->contents);
    drt_known_free(&run->places);
    drt_seen_free(&run->seen);
    drt_buffer_free(&run->error);
    drt_buffer_free(&run->current);
}

/* Runs all stages to the end. */
static drt_status run_stages(ingest *in) {
    drt_ingest_run *run = &in->run;
    drt_status status = start_threads(in);
    if (status == DRT_OK)
        status = take_members(in);
    if (status != DRT_OK)
        drt_run_fail(run, run->context, status);
    if (in->indexing)
        await_index(in);
    atomic_store(&run->stop, true); /* a reader that went on after a cancellation */
    drt_queue_close(run->members);
    join_threads(in);
    tell_members(in);
    tell_progress(in);
    read_meters(in, in->report->stages);
    in->report->passed_over = run->passed_over;
    if (run->status != DRT_OK)
        return drt_fail(run->context, run->status, "%s", run->error.data);
    if (!run->params->sync || in->cancelled)
        return DRT_OK;
    return drt_ingest_remove_vanished(run->context, run->library, run->params, &run->seen, &in->report->removed,
                                      &in->report->unsure);
}

drt_status drt_ingest(drt_context *context, drt_library *library, drt_model *model, const drt_ingest_params *params,
                      drt_ingest_report *report) {
    *report = (drt_ingest_report){0};
    ingest *in = calloc(1, sizeof *in);
    if (!in)
        return drt_fail_memory(context, "an ingest");
    in->run.context = context;
    in->run.library = library;
    in->run.model = model;
    in->run.params = params;
    in->report = report;
    in->start = drt_run_now();
    drt_member_list_start(&in->pending);
    drt_member_list_start(&in->run.told);
    pthread_mutex_init(&in->run.library_mutex, NULL);
    pthread_mutex_init(&in->run.mutex, NULL);
    pthread_cond_init(&in->run.settled, NULL);
    drt_status status = open_ingest(in);
    if (status == DRT_OK)
        status = run_stages(in);
    drt_store_rollback(library); /* what a failure or a cancellation left behind */
    close_ingest(in);
    pthread_cond_destroy(&in->run.settled);
    pthread_mutex_destroy(&in->run.mutex);
    pthread_mutex_destroy(&in->run.library_mutex);
    report->cancelled = in->cancelled;
    report->seconds = seconds_since(in->start);
    free(in);
    if (status != DRT_OK)
        return DRT_FATAL;
    if (report->partial || report->skipped)
        return drt_fail(context, DRT_WARN, "%lld members are in only in part, %lld were skipped",
                        (long long)report->partial, (long long)report->skipped);
    return DRT_OK;
}
