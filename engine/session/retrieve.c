/* retrieve.c: proposers, events, chunk memory for the reader. See retrieve.h. */
#include "engine/session/retrieve.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/session/answer.h"

static const drt_config *config_of(const drt_retrieval *r) {
    return &r->landmarks->model->config;
}

static drt_status fail_memory(drt_context *context) {
    return drt_fail_memory(context, "retrieval");
}

/* -------------------------------------------------------------------------- life ---------- */

drt_status drt_retrieval_open(drt_context *context, drt_landmarks *landmarks, drt_retrieval *r) {
    const drt_config *c = &landmarks->model->config;
    size_t k = (size_t)c->top_k;
    *r = (drt_retrieval){.landmarks = landmarks};
    bool ok = true;
    for (int g = 0; g < c->n_groups && ok; g++)
        ok = (r->records[g] = malloc(k * sizeof **r->records)) && (r->weights[g] = malloc(k * sizeof **r->weights));
    if (ok)
        return DRT_OK;
    drt_retrieval_close(r);
    return fail_memory(context);
}

void drt_retrieval_clear(drt_retrieval *r) {
    drt_events_free(r->events, r->n_events);
    for (size_t i = 0; i < r->n_steps; i++)
        free(r->bm25[i]);
    free(r->bm25);
    free(r->queries);
    free(r->text_ends);
    free(r->allowed.bits);
    drt_buffer_free(&r->text);
    r->events = NULL;
    r->bm25 = NULL;
    r->queries = NULL;
    r->text_ends = NULL;
    r->allowed.bits = NULL;
    r->n_events = r->n_described = r->n_steps = 0;
}

void drt_retrieval_close(drt_retrieval *r) {
    drt_retrieval_clear(r);
    drt_choice_clear(r->landmarks, &r->allowed);
    for (int g = 0; g < DRT_MAX_GROUPS; g++) {
        free(r->records[g]);
        free(r->weights[g]);
    }
    *r = (drt_retrieval){0};
}

/* -------------------------------------------------------------------------- start --------- */

/* Removed chunks are not read, those of documents removed since the question began included. Returns whether there were
 * any. */
static bool drop_dead(drt_retrieval *r) {
    bool any = false;
    for (size_t i = 0; i < drt_bit_words(r->allowed.n_chunks); i++) {
        uint64_t dead = r->allowed.bits[i] & r->landmarks->view.dead[i];
        r->allowed.bits[i] ^= dead;
        any = any || dead;
    }
    return any;
}

/* Live chunks, of the documents that match. */
static drt_status choose_allowed(drt_context *context, drt_retrieval *r, const char *glob, int64_t *n_allowed) {
    int64_t n = r->allowed.n_chunks = r->landmarks->view.n_chunks;
    size_t words = drt_bit_words(n);
    uint64_t *bits = r->allowed.bits = calloc(words, sizeof *bits);
    if (!bits)
        return fail_memory(context);
    if (glob) {
        drt_status status = drt_store_glob_mask(context, r->landmarks->library, glob, bits, n);
        if (status != DRT_OK)
            return status;
    } else {
        memset(bits, 0xFF, words * sizeof *bits);
        if (n % 64)
            bits[words - 1] = (UINT64_C(1) << (n % 64)) - 1;
    }
    drop_dead(r);
    *n_allowed = drt_bits_count(bits, n);
    if (*n_allowed > 0)
        return drt_choice_send(context, r->landmarks, &r->allowed);
    if (glob)
        return drt_fail(context, DRT_FAILED, "no document in the library matches %s: drt ls shows their names", glob);
    return drt_fail(context, DRT_FAILED, "the library is empty: add documents with drt ingest");
}

drt_status drt_retrieval_start(drt_context *context, drt_retrieval *r, drt_retriever retriever, const char *glob,
                               uint64_t seed, int listed, bool group_0_only, const drt_string *question) {
    int64_t n_allowed = 0;
    drt_retrieval_clear(r);
    r->retriever = retriever;
    r->group_0_only = group_0_only;
    drt_random_seed(&r->random, seed, DRT_RANDOM_RETRIEVAL);
    if (!drt_buffer_append(&r->text, question->data, question->length))
        return fail_memory(context);
    drt_status status = drt_landmarks_refresh(context, r->landmarks);
    if (status == DRT_OK)
        status = choose_allowed(context, r, glob, &n_allowed);
    /* Room for what can be found, and for what the reader counts on. */
    r->listed = listed;
    if (n_allowed < listed)
        r->listed = n_allowed > config_of(r)->top_k ? (int)n_allowed : config_of(r)->top_k;
    return status;
}

/* -------------------------------------------------------------------------- proposers ----- */

static drt_status begin_step(drt_context *context, drt_retrieval *r) {
    size_t n = r->n_steps + 1;
    size_t *ends = realloc(r->text_ends, n * sizeof *ends);
    if (ends)
        r->text_ends = ends;
    int64_t **bm25 = ends ? realloc(r->bm25, n * sizeof *bm25) : NULL;
    if (!bm25)
        return fail_memory(context);
    r->bm25 = bm25;
    r->text_ends[r->n_steps] = r->text.length;
    r->bm25[r->n_steps++] = NULL;
    return DRT_OK;
}

/* BM25's ranking of a step, made once. */
static drt_status rank_bm25(drt_context *context, drt_retrieval *r, size_t step) {
    if (r->bm25[step])
        return DRT_OK;
    int64_t *ranking = malloc((size_t)r->listed * sizeof *ranking);
    if (!ranking)
        return fail_memory(context);
    r->bm25[step] = ranking;
    int count = 0;
    drt_status status = drt_store_bm25(context, r->landmarks->library, r->text.data, r->text_ends[step],
                                       r->allowed.bits, r->allowed.n_chunks, r->listed, ranking, &count);
    for (int i = status == DRT_OK ? count : 0; i < r->listed; i++)
        ranking[i] = -1;
    return status;
}

static int ranking_length(const int64_t *ranking, int capacity) {
    int n = 0;
    while (n < capacity && ranking[n] >= 0)
        n++;
    return n;
}

static drt_status draw_random(drt_context *context, drt_retrieval *r, int64_t *ids, int *n) {
    size_t size = drt_bit_words(r->allowed.n_chunks) * sizeof *r->allowed.bits;
    uint64_t *left = malloc(size);
    if (!left)
        return fail_memory(context);
    memcpy(left, r->allowed.bits, size);
    *n = drt_bits_draw(left, r->allowed.n_chunks, r->listed, &r->random, ids);
    free(left);
    return DRT_OK;
}

/* Chunks as a proposer ranks them, at most `listed`, with their learned scores. */
typedef struct {
    int64_t *chunks;
    float *scores;
    int n;
} ranking;

static bool ranking_open(const drt_retrieval *r, ranking *out) {
    out->n = 0;
    out->chunks = malloc((size_t)r->listed * sizeof *out->chunks);
    out->scores = malloc((size_t)r->listed * sizeof *out->scores);
    return out->chunks && out->scores;
}

static void ranking_close(ranking *out) {
    free(out->chunks);
    free(out->scores);
}

/* The learned ranking, or what the proposer ranks instead or between -> out. */
static drt_status propose(drt_context *context, drt_retrieval *r, size_t step, const float *query,
                          const ranking *learned, ranking *out) {
    drt_status status = DRT_OK;
    if (r->retriever == DRT_RETRIEVER_LEARNED) {
        memcpy(out->chunks, learned->chunks, (size_t)learned->n * sizeof *out->chunks);
        memcpy(out->scores, learned->scores, (size_t)learned->n * sizeof *out->scores);
        out->n = learned->n;
        return DRT_OK;
    }
    if (r->retriever == DRT_RETRIEVER_RANDOM) {
        status = draw_random(context, r, out->chunks, &out->n);
    } else {
        int n_learned = r->retriever == DRT_RETRIEVER_BOTH ? learned->n : 0;
        status = rank_bm25(context, r, step);
        if (status == DRT_OK)
            out->n = drt_rank_interleave(learned->chunks, n_learned, r->bm25[step],
                                         ranking_length(r->bm25[step], r->listed), r->listed, out->chunks);
    }
    return status == DRT_OK ? drt_landmarks_scores(context, r->landmarks, query, out->chunks, out->n, out->scores)
                            : status;
}

/* -------------------------------------------------------------------------- events -------- */

static drt_event *append_event(drt_context *context, drt_retrieval *r, const float *query) {
    size_t d = (size_t)config_of(r)->d_model, n = r->n_events + 1;
    drt_event *events = realloc(r->events, n * sizeof *events);
    if (events)
        r->events = events;
    float *queries = events ? realloc(r->queries, n * d * sizeof *queries) : NULL;
    if (!queries) {
        fail_memory(context);
        return NULL;
    }
    r->queries = queries;
    memcpy(r->queries + r->n_events * d, query, d * sizeof *queries);
    r->events[r->n_events] = (drt_event){0};
    return &r->events[r->n_events++];
}

/* What was proposed -> the event's hits with their weights. */
static drt_status fill_hits(drt_context *context, const ranking *from, drt_event *event) {
    size_t n = (size_t)from->n;
    if (n == 0)
        return DRT_OK;
    float *weights = malloc(n * sizeof *weights);
    event->hits = calloc(n, sizeof *event->hits);
    if (!weights || !event->hits) {
        free(weights);
        return fail_memory(context);
    }
    drt_rank_weights(from->scores, from->n, weights);
    event->n_hits = n;
    for (size_t i = 0; i < n; i++)
        event->hits[i] =
            (drt_hit){.chunk = from->chunks[i], .rank = (int)i + 1, .score = from->scores[i], .weight = weights[i]};
    free(weights);
    return DRT_OK;
}

/* The memory of the first K hits, for the group. Their weights are the event's, unless it lists more than
 * are read. */
static drt_status find_memory(drt_context *context, drt_retrieval *r, const drt_event *event, drt_retrieved *out) {
    const drt_config *c = config_of(r);
    int g = event->group, n = (int)event->n_hits < c->top_k ? (int)event->n_hits : c->top_k;
    float *scores = malloc((size_t)(n + 1) * sizeof *scores);
    if (!scores)
        return fail_memory(context);
    for (int i = 0; i < n; i++) {
        scores[i] = event->hits[i].score;
        r->records[g][i] = drt_store_record(r->landmarks->library, event->hits[i].chunk);
    }
    drt_rank_weights(scores, n, r->weights[g]);
    free(scores);
    *out = (drt_retrieved){
        .n = n, .weights = r->weights[g], .type = r->landmarks->view.memory_type, .records = r->records[g]};
    return DRT_OK;
}

static drt_status retrieve(drt_context *context, drt_retrieval *r, int step, int group, const float *query,
                           drt_retrieved *out) {
    *out = (drt_retrieved){0};
    if (group > 0 && r->group_0_only)
        return DRT_OK;
    drt_status status = group == 0 ? begin_step(context, r) : DRT_OK;
    if (status != DRT_OK)
        return status;
    drt_event *event = append_event(context, r, query);
    if (!event)
        return DRT_FATAL;
    event->step = step;
    event->group = group;
    event->null_mass = 1;
    ranking learned = {0}, proposed = {0};
    if (!ranking_open(r, &learned) || !ranking_open(r, &proposed))
        status = fail_memory(context);
    if (status == DRT_OK && drop_dead(r))
        status = drt_choice_send(context, r->landmarks, &r->allowed);
    if (status == DRT_OK)
        status = drt_landmarks_best(context, r->landmarks, query, &r->allowed, r->listed, learned.chunks,
                                    learned.scores, &learned.n, &event->histogram_low, &event->histogram_high);
    if (status == DRT_OK)
        status = propose(context, r, (size_t)step, query, &learned, &proposed);
    if (status == DRT_OK)
        status = fill_hits(context, &proposed, event);
    if (status == DRT_OK)
        status = find_memory(context, r, event, out);
    ranking_close(&learned);
    ranking_close(&proposed);
    return status;
}

drt_status drt_retrieval_step(drt_context *context, drt_retrieval *r, int step, int group, const float *query,
                              drt_retrieved *out) {
    size_t before = r->n_events;
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    drt_status status = retrieve(context, r, step, group, query, out);
    clock_gettime(CLOCK_MONOTONIC, &end);
    if (r->n_events > before)
        r->events[before].ms = (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) / 1e6;
    return status;
}

/* -------------------------------------------------------------------------- after --------- */

drt_status drt_retrieval_count(drt_context *context, drt_retrieval *r) {
    return drt_landmarks_count(context, r->landmarks, r->queries, &r->allowed, r->events, r->n_events);
}

drt_status drt_retrieval_contrast(drt_context *context, drt_retrieval *r) {
    drt_status status = DRT_OK;
    for (size_t step = 0; step < r->n_steps && status == DRT_OK; step++)
        status = rank_bm25(context, r, step);
    return status;
}
