/* retrieve.c: proposers, events, chunk memory for the reader. See retrieve.h. */
#include "engine/session/retrieve.h"

#include <stdlib.h>
#include <string.h>

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
    free(r->allowed);
    drt_buffer_free(&r->text);
    r->events = NULL;
    r->bm25 = NULL;
    r->queries = NULL;
    r->text_ends = NULL;
    r->allowed = NULL;
    r->n_events = r->n_described = r->n_steps = 0;
}

void drt_retrieval_close(drt_retrieval *r) {
    drt_retrieval_clear(r);
    for (int g = 0; g < DRT_MAX_GROUPS; g++) {
        free(r->records[g]);
        free(r->weights[g]);
    }
    *r = (drt_retrieval){0};
}

/* -------------------------------------------------------------------------- start --------- */

/* Removed chunks are not read, those of documents removed since the question began included. */
static void drop_dead(drt_retrieval *r) {
    for (size_t i = 0; i < drt_bit_words(r->n_chunks); i++)
        r->allowed[i] &= ~r->landmarks->view.dead[i];
}

/* allowed: live chunks, of the documents that match. */
static drt_status choose_allowed(drt_context *context, drt_retrieval *r, const char *glob, int64_t *n_allowed) {
    int64_t n = r->n_chunks = r->landmarks->view.n_chunks;
    size_t words = drt_bit_words(n);
    r->allowed = calloc(words, sizeof *r->allowed);
    if (!r->allowed)
        return fail_memory(context);
    if (glob) {
        drt_status status = drt_store_glob_mask(context, r->landmarks->library, glob, r->allowed, n);
        if (status != DRT_OK)
            return status;
    } else {
        memset(r->allowed, 0xFF, words * sizeof *r->allowed);
        if (n % 64)
            r->allowed[words - 1] = (UINT64_C(1) << (n % 64)) - 1;
    }
    drop_dead(r);
    *n_allowed = drt_bits_count(r->allowed, n);
    if (*n_allowed > 0)
        return DRT_OK;
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
    drt_status status = drt_store_bm25(context, r->landmarks->library, r->text.data, r->text_ends[step], r->allowed,
                                       r->n_chunks, r->listed, ranking, &count);
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
    size_t size = drt_bit_words(r->n_chunks) * sizeof *r->allowed;
    uint64_t *left = malloc(size);
    if (!left)
        return fail_memory(context);
    memcpy(left, r->allowed, size);
    *n = drt_bits_draw(left, r->n_chunks, r->listed, &r->random, ids);
    free(left);
    return DRT_OK;
}

/* learned: (n) the learned ranking -> ids (listed), what the proposer ranks instead or between. */
static drt_status propose(drt_context *context, drt_retrieval *r, size_t step, const int64_t *learned, int n,
                          int64_t *ids, int *n_ids) {
    drt_status status = DRT_OK;
    switch (r->retriever) {
    case DRT_RETRIEVER_LEARNED:
        memcpy(ids, learned, (size_t)n * sizeof *ids);
        *n_ids = n;
        return DRT_OK;
    case DRT_RETRIEVER_RANDOM:
        return draw_random(context, r, ids, n_ids);
    case DRT_RETRIEVER_BM25:
        n = 0;
        break;
    case DRT_RETRIEVER_BOTH:
        break;
    }
    status = rank_bm25(context, r, step);
    if (status == DRT_OK)
        *n_ids =
            drt_rank_interleave(learned, n, r->bm25[step], ranking_length(r->bm25[step], r->listed), r->listed, ids);
    return status;
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

/* Chunks in the proposer's order -> the event's hits with learned scores and weights. */
static drt_status fill_hits(drt_context *context, drt_retrieval *r, const float *query, const int64_t *ids, int n,
                            drt_event *event) {
    if (n == 0)
        return DRT_OK;
    float *scores = malloc(2 * (size_t)n * sizeof *scores), *weights = scores + n;
    event->hits = calloc((size_t)n, sizeof *event->hits);
    drt_status status = scores && event->hits ? DRT_OK : fail_memory(context);
    if (status == DRT_OK)
        status = drt_landmarks_scores(context, r->landmarks, query, ids, n, scores);
    if (status == DRT_OK) {
        drt_rank_weights(scores, n, weights);
        event->n_hits = (size_t)n;
        for (int i = 0; i < n; i++)
            event->hits[i] = (drt_hit){.chunk = ids[i], .rank = i + 1, .score = scores[i], .weight = weights[i]};
    }
    free(scores);
    return status;
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

drt_status drt_retrieval_step(void *user, drt_context *context, int lane, int step, int group, const float *query,
                              drt_retrieved *out) {
    drt_retrieval *r = user;
    (void)lane; /* one question at a time */
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
    int64_t *ids = calloc(2 * (size_t)r->listed, sizeof *ids), *learned = ids + r->listed;
    int n = 0, n_learned = 0;
    drop_dead(r);
    status = ids ? drt_landmarks_best(context, r->landmarks, query, r->allowed, r->n_chunks, r->listed, learned,
                                      &n_learned, &event->histogram_low, &event->histogram_high)
                 : fail_memory(context);
    if (status == DRT_OK)
        status = propose(context, r, (size_t)step, learned, n_learned, ids, &n);
    if (status == DRT_OK)
        status = fill_hits(context, r, query, ids, n, event);
    if (status == DRT_OK)
        status = find_memory(context, r, event, out);
    free(ids);
    return status;
}

/* -------------------------------------------------------------------------- after --------- */

drt_status drt_retrieval_count(drt_context *context, drt_retrieval *r) {
    return drt_landmarks_count(context, r->landmarks, r->queries, r->allowed, r->n_chunks, r->events, r->n_events);
}

drt_status drt_retrieval_contrast(drt_context *context, drt_retrieval *r) {
    drt_status status = DRT_OK;
    for (size_t step = 0; step < r->n_steps && status == DRT_OK; step++)
        status = rank_bm25(context, r, step);
    return status;
}
