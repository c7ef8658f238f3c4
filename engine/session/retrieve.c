/* retrieve.c: proposers, exact scores, chunk memory for the reader. See retrieve.h. */
#include "engine/session/retrieve.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/session/answer.h"
#include "engine/session/slots.h"

#define SCORE_BLOCK 4096 /* chunks scored at a time: whole words of a bit set */

static drt_backend *backend_of(const drt_retrieval *r) {
    return r->model->device->backend;
}

static drt_status fail_backend(drt_context *context, const drt_retrieval *r) {
    return drt_fail(context, DRT_FATAL, "retrieval: %s", backend_of(r)->error);
}

static drt_status fail_memory(drt_context *context) {
    return drt_fail_memory(context, "retrieval");
}

/* -------------------------------------------------------------------------- life ---------- */

drt_status drt_retrieval_open(drt_context *context, drt_library *library, drt_model *model, drt_retrieval *r) {
    const drt_config *c = &model->config;
    size_t chunk = (size_t)c->chunk_size * (size_t)c->d_model, k = (size_t)c->top_k;
    *r = (drt_retrieval){.library = library, .model = model};
    bool ok = (r->scores = malloc(SCORE_BLOCK * sizeof *r->scores)) != NULL;
    for (int g = 0; g < c->n_groups && ok; g++)
        ok = (r->y[g] = malloc(k * chunk * sizeof **r->y)) && (r->weights[g] = malloc(k * sizeof **r->weights));
    if (!ok) {
        drt_retrieval_close(r);
        return fail_memory(context);
    }
    void *buffer = NULL;
    if (backend_of(r)->buffer_alloc(backend_of(r), SCORE_BLOCK * sizeof(float), &buffer) != 0) {
        drt_status status = fail_backend(context, r);
        drt_retrieval_close(r);
        return status;
    }
    r->device_scores = buffer;
    return DRT_OK;
}

/* Forgets the last question. */
static void clear_question(drt_retrieval *r) {
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

static void release_landmarks(drt_retrieval *r) {
    if (r->landmarks)
        backend_of(r)->unshare(backend_of(r), r->landmarks);
    r->landmarks = NULL;
}

void drt_retrieval_close(drt_retrieval *r) {
    if (!r->model)
        return;
    clear_question(r);
    release_landmarks(r);
    if (r->device_scores)
        backend_of(r)->buffer_free(backend_of(r), r->device_scores);
    for (int g = 0; g < DRT_MAX_GROUPS; g++) {
        free(r->y[g]);
        free(r->weights[g]);
    }
    free(r->scores);
    *r = (drt_retrieval){0};
}

/* -------------------------------------------------------------------------- start --------- */

/* Brings the view up to date, and the backend's landmarks with it. */
static drt_status refresh(drt_context *context, drt_retrieval *r) {
    const drt_config *c = &r->model->config;
    drt_store_view before = r->view;
    drt_status status = drt_store_refresh(context, r->library, &r->view);
    if (status != DRT_OK)
        return status;
    if (r->view.chunk_size != c->chunk_size || r->view.d_model != c->d_model)
        return drt_fail(context, DRT_FATAL, "the library was built with a model of another shape");
    if (r->view.n_chunks == 0)
        return drt_fail(context, DRT_FAILED, "the library is empty: add documents with drt ingest");
    if (r->landmarks && before.landmarks == r->view.landmarks && before.n_chunks == r->view.n_chunks)
        return DRT_OK;
    release_landmarks(r);
    size_t bytes = (size_t)r->view.n_chunks * (size_t)r->view.d_model * sizeof *r->view.landmarks;
    const void *shared = NULL;
    if (backend_of(r)->share(backend_of(r), r->view.landmarks, bytes, &shared) != 0)
        return fail_backend(context, r);
    r->landmarks = shared;
    return DRT_OK;
}

/* allowed: live chunks, of the documents that match. */
static drt_status choose_allowed(drt_context *context, drt_retrieval *r, const char *glob) {
    int64_t n = r->view.n_chunks;
    size_t words = drt_bit_words(n);
    r->allowed = calloc(words, sizeof *r->allowed);
    if (!r->allowed)
        return fail_memory(context);
    if (glob) {
        drt_status status = drt_store_glob_mask(context, r->library, glob, r->allowed, n);
        if (status != DRT_OK)
            return status;
    } else {
        memset(r->allowed, 0xFF, words * sizeof *r->allowed);
        if (n % 64)
            r->allowed[words - 1] = (UINT64_C(1) << (n % 64)) - 1;
    }
    for (size_t i = 0; i < words; i++)
        r->allowed[i] &= ~r->view.dead[i];
    r->n_allowed = drt_bits_count(r->allowed, n);
    if (r->n_allowed > 0)
        return DRT_OK;
    if (glob)
        return drt_fail(context, DRT_FAILED, "no document in the library matches %s: drt ls shows their names", glob);
    return drt_fail(context, DRT_FAILED, "the library is empty: add documents with drt ingest");
}

drt_status drt_retrieval_start(drt_context *context, drt_retrieval *r, drt_retriever retriever, const char *glob,
                               uint64_t seed, int listed, bool group_0_only, const drt_string *question) {
    clear_question(r);
    r->retriever = retriever;
    r->listed = listed;
    r->group_0_only = group_0_only;
    drt_random_seed(&r->random, seed, DRT_RANDOM_RETRIEVAL);
    if (!drt_buffer_append(&r->text, question->data, question->length))
        return fail_memory(context);
    drt_status status = refresh(context, r);
    if (status == DRT_OK)
        status = choose_allowed(context, r, glob);
    /* Room for what can be found, and for what the reader counts on. */
    if (r->n_allowed < r->listed)
        r->listed = r->n_allowed > r->model->config.top_k ? (int)r->n_allowed : r->model->config.top_k;
    return status;
}

/* -------------------------------------------------------------------------- scores -------- */

/* Scores chunks first .. first+n-1, n <= SCORE_BLOCK -> device_scores and scores. */
static drt_status score_block(drt_context *context, drt_retrieval *r, const float *query, int64_t first, int64_t n) {
    drt_backend *b = backend_of(r);
    int d = r->view.d_model;
    if (b->retrieval_scores(b, r->landmarks + first * d, n, d, query, r->device_scores) != 0 ||
        b->download(b, r->scores, r->device_scores, (size_t)n * sizeof *r->scores) != 0)
        return fail_backend(context, r);
    return DRT_OK;
}

static int64_t block_size(const drt_retrieval *r, int64_t first) {
    int64_t left = r->view.n_chunks - first;
    return left < SCORE_BLOCK ? left : SCORE_BLOCK;
}

static void widen_range(const drt_retrieval *r, int64_t first, int64_t n, float *low, float *high) {
    for (int64_t i = 0; i < n; i++) {
        if (!drt_bit_get(r->allowed, first + i))
            continue;
        *low = fminf(*low, r->scores[i]);
        *high = fmaxf(*high, r->scores[i]);
    }
}

/* One pass over all landmarks: the `listed` best -> ids (listed), *n, and the range of scores. */
static drt_status scan(drt_context *context, drt_retrieval *r, const float *query, int64_t *ids, int *n_ids,
                       drt_event *event) {
    drt_backend *b = backend_of(r);
    drt_best best = {calloc((size_t)r->listed, sizeof *best.items), 0, r->listed};
    int64_t *block_ids = calloc((size_t)r->listed, sizeof *block_ids);
    float *block_scores = calloc((size_t)r->listed, sizeof *block_scores);
    drt_status status = best.items && block_ids && block_scores ? DRT_OK : fail_memory(context);
    event->histogram_low = INFINITY;
    event->histogram_high = -INFINITY;
    for (int64_t first = 0; first < r->view.n_chunks && status == DRT_OK; first += SCORE_BLOCK) {
        int64_t n = block_size(r, first);
        int count = 0;
        status = score_block(context, r, query, first, n);
        if (status != DRT_OK)
            break;
        widen_range(r, first, n, &event->histogram_low, &event->histogram_high);
        if (b->top_k(b, r->device_scores, n, r->allowed + first / 64, NULL, r->listed, block_ids, block_scores,
                     &count) != 0)
            status = fail_backend(context, r);
        for (int i = 0; i < count; i++)
            drt_best_add(&best, first + block_ids[i], block_scores[i]);
    }
    drt_best_sort(&best);
    *n_ids = best.n;
    for (int i = 0; i < best.n; i++)
        ids[i] = best.items[i].chunk;
    free(best.items);
    free(block_ids);
    free(block_scores);
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
    drt_status status = drt_store_bm25(context, r->library, r->text.data, r->text_ends[step], r->allowed,
                                       r->view.n_chunks, r->listed, ranking, &count);
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
    size_t size = drt_bit_words(r->view.n_chunks) * sizeof *r->allowed;
    uint64_t *left = malloc(size);
    if (!left)
        return fail_memory(context);
    memcpy(left, r->allowed, size);
    *n = drt_bits_draw(left, r->view.n_chunks, r->listed, &r->random, ids);
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
    size_t d = (size_t)r->view.d_model, n = r->n_events + 1;
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
    for (int i = 0; i < n && status == DRT_OK; i++) {
        status = score_block(context, r, query, ids[i], 1);
        scores[i] = r->scores[0];
    }
    if (status == DRT_OK) {
        drt_rank_weights(scores, n, weights);
        event->n_hits = (size_t)n;
        for (int i = 0; i < n; i++)
            event->hits[i] = (drt_hit){.chunk = ids[i], .rank = i + 1, .score = scores[i], .weight = weights[i]};
    }
    free(scores);
    return status;
}

/* Unpacks the memory of the first K hits for the group. Their weights are the event's, unless it lists more than
 * are read. */
static drt_status load_memory(drt_context *context, drt_retrieval *r, const drt_event *event, drt_retrieved *out) {
    const drt_config *c = &r->model->config;
    int g = event->group, n = (int)event->n_hits < c->top_k ? (int)event->n_hits : c->top_k;
    float *scores = malloc((size_t)(n + 1) * sizeof *scores);
    if (!scores)
        return fail_memory(context);
    for (int i = 0; i < n; i++) {
        int64_t chunk = event->hits[i].chunk;
        scores[i] = event->hits[i].score;
        drt_memory_unpack(r->view.memory_type, c->chunk_size, c->d_model, drt_store_record(r->library, chunk),
                          r->y[g] + (size_t)i * (size_t)c->chunk_size * (size_t)c->d_model);
    }
    drt_rank_weights(scores, n, r->weights[g]);
    free(scores);
    *out = (drt_retrieved){.n = n, .weights = r->weights[g], .y = r->y[g]};
    return DRT_OK;
}

drt_status drt_retrieval_step(void *user, drt_context *context, int step, int group, const float *query,
                              drt_retrieved *out) {
    drt_retrieval *r = user;
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
    status = ids ? scan(context, r, query, learned, &n_learned, event) : fail_memory(context);
    if (status == DRT_OK)
        status = propose(context, r, (size_t)step, learned, n_learned, ids, &n);
    if (status == DRT_OK)
        status = fill_hits(context, r, query, ids, n, event);
    if (status == DRT_OK)
        status = load_memory(context, r, event, out);
    free(ids);
    return status;
}

/* -------------------------------------------------------------------------- after --------- */

/* One more pass over the landmarks. */
drt_status drt_retrieval_count(drt_context *context, drt_retrieval *r) {
    for (int64_t first = 0; first < r->view.n_chunks; first += SCORE_BLOCK) {
        int64_t n = block_size(r, first);
        for (size_t e = 0; e < r->n_events; e++) {
            drt_event *event = &r->events[e];
            drt_status status = score_block(context, r, r->queries + e * (size_t)r->view.d_model, first, n);
            if (status != DRT_OK)
                return status;
            for (int64_t i = 0; i < n; i++)
                if (drt_bit_get(r->allowed, first + i))
                    event->histogram[drt_rank_bin(r->scores[i], event->histogram_low, event->histogram_high,
                                                  DRT_HISTOGRAM_BINS)]++;
        }
    }
    return DRT_OK;
}

/* Chunks before a hit that are looked at to tell where its tokens start; each try takes twice as many. */
#define MOST_CHUNKS_BEFORE 2
/* The longest text that is encoded as a whole where they do not tell (scripts that are encoded byte by byte). */
#define MOST_WHOLE_TEXT ((size_t)1 << 20)

/* Ranges of the `n` chunks that end with the hit -> ranges (n), its own last; *found: fewer at the document's start.
 * *opens: the first of them is the document's first. */
static drt_status ranges_before(drt_context *context, drt_retrieval *r, const drt_hit *hit, size_t n, drt_range *ranges,
                                size_t *found, bool *opens) {
    for (*found = 0, *opens = false; !*opens;) {
        int64_t id = hit->chunk - (int64_t)*found;
        drt_chunk chunk = {.document = -1};
        drt_status status = id < 0 ? DRT_OK : drt_library_chunk(context, r->library, id, &chunk);
        if (status != DRT_OK)
            return status;
        if (chunk.document != hit->document_id)
            *opens = true;
        else if (*found == n)
            break;
        else
            ranges[n - ++*found] = (drt_range){chunk.start, chunk.end};
    }
    return DRT_OK;
}

/* By what stands around the hit: few paragraphs are encoded, and mostly there is one way only. */
static drt_status locate_nearby(drt_context *context, drt_retrieval *r, const drt_string *text, const drt_hit *hit,
                                drt_range *slots, drt_slots_result *result) {
    drt_range ranges[MOST_CHUNKS_BEFORE];
    drt_status status = DRT_OK;
    bool opens_document = false;
    *result = DRT_SLOTS_SEVERAL;
    for (size_t n = 1; status == DRT_OK && *result == DRT_SLOTS_SEVERAL && !opens_document && n <= MOST_CHUNKS_BEFORE;
         n *= 2) {
        size_t found;
        status = ranges_before(context, r, hit, n, ranges, &found, &opens_document);
        if (status == DRT_OK)
            status = drt_slots_locate(context, r->model->tokenizer, r->model->config.chunk_size, text->data,
                                      text->length, ranges + n - found, found, opens_document, slots, result);
    }
    return status;
}

/* By all tokens of the document, which are encoded once for all hits in it. */
static drt_status locate_by_count(drt_context *context, drt_retrieval *r, const drt_string *text, const drt_hit *hit,
                                  drt_buffer *tokens, drt_range *slots, drt_slots_result *result) {
    char selector[32];
    int length = snprintf(selector, sizeof selector, "doc:%lld", (long long)hit->document_id);
    drt_document document = {0};
    drt_range chunk = {hit->start, hit->end};
    drt_status status = drt_library_document(context, r->library, selector, (size_t)length, &document);
    int64_t index = hit->chunk - document.first_chunk;
    drt_document_clear(&document);
    if (status == DRT_OK && tokens->length == 0)
        status = drt_slots_encode(context, r->model->tokenizer, text->data, text->length, tokens);
    if (status == DRT_OK)
        *result = drt_slots_at(tokens, r->model->config.chunk_size, (size_t)index, &chunk, slots) ? DRT_SLOTS_FOUND
                                                                                                  : DRT_SLOTS_NONE;
    return status;
}

/* Sets the hit's slots, where they can be told. tokens: of the whole text, empty until they are needed. */
static drt_status locate_slots(drt_context *context, drt_retrieval *r, const drt_string *text, drt_buffer *tokens,
                               drt_hit *hit) {
    drt_range *slots = malloc((size_t)r->model->config.chunk_size * sizeof *slots);
    drt_slots_result result = DRT_SLOTS_SEVERAL;
    drt_status status = slots ? DRT_OK : fail_memory(context);
    if (status == DRT_OK && tokens->length == 0)
        status = locate_nearby(context, r, text, hit, slots, &result);
    if (status == DRT_OK && result == DRT_SLOTS_SEVERAL && text->length <= MOST_WHOLE_TEXT)
        status = locate_by_count(context, r, text, hit, tokens, slots, &result);
    if (status == DRT_OK && result == DRT_SLOTS_FOUND)
        hit->slots = slots;
    else
        free(slots);
    return status;
}

/* Path, title and text of the hits in one document, which is read once. */
static drt_status describe_document(drt_context *context, drt_retrieval *r, int64_t document, bool with_slots) {
    drt_string path = {0}, title = {0}, text = {0};
    drt_buffer tokens = {0};
    drt_status status = drt_store_document_name(context, r->library, document, &path, &title);
    if (status == DRT_OK)
        status = drt_library_text(context, r->library, document, &text);
    for (size_t e = r->n_described; e < r->n_events && status == DRT_OK; e++) {
        for (size_t i = 0; i < r->events[e].n_hits && status == DRT_OK; i++) {
            drt_hit *hit = &r->events[e].hits[i];
            if (hit->document_id != document)
                continue;
            if (hit->start > hit->end || hit->end > (int64_t)text.length)
                status = drt_fail(context, DRT_FAILED, "chunk %lld lies outside its document: run drt verify",
                                  (long long)hit->chunk);
            else if (!drt_string_copy(&hit->document, &path) || !drt_string_copy(&hit->title, &title) ||
                     !drt_string_set(&hit->text, text.data + hit->start, (size_t)(hit->end - hit->start)))
                status = fail_memory(context);
            if (status == DRT_OK && with_slots)
                status = locate_slots(context, r, &text, &tokens, hit);
        }
    }
    drt_string_free(&path);
    drt_string_free(&title);
    drt_string_free(&text);
    drt_buffer_free(&tokens);
    return status;
}

static drt_status locate_hit(drt_context *context, drt_retrieval *r, drt_hit *hit) {
    drt_chunk chunk;
    drt_status status = drt_library_chunk(context, r->library, hit->chunk, &chunk);
    if (status == DRT_OK) {
        hit->document_id = chunk.document;
        hit->start = chunk.start;
        hit->end = chunk.end;
    }
    return status;
}

drt_status drt_retrieval_describe(drt_context *context, drt_retrieval *r, bool with_slots) {
    drt_status status = DRT_OK;
    for (size_t e = r->n_described; e < r->n_events; e++)
        for (size_t i = 0; i < r->events[e].n_hits && status == DRT_OK; i++)
            status = locate_hit(context, r, &r->events[e].hits[i]);
    for (size_t e = r->n_described; e < r->n_events; e++)
        for (size_t i = 0; i < r->events[e].n_hits && status == DRT_OK; i++)
            if (!r->events[e].hits[i].document.data)
                status = describe_document(context, r, r->events[e].hits[i].document_id, with_slots);
    r->n_described = r->n_events;
    return status;
}

drt_status drt_retrieval_contrast(drt_context *context, drt_retrieval *r) {
    drt_status status = DRT_OK;
    for (size_t step = 0; step < r->n_steps && status == DRT_OK; step++)
        status = rank_bm25(context, r, step);
    return status;
}
