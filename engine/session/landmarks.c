/* landmarks.c: exact scores over all landmarks. See landmarks.h. */
#include "engine/session/landmarks.h"

#include <math.h>
#include <stdlib.h>

#define SCORE_BLOCK 4096 /* chunks scored at a time: whole words of a bit set */

static drt_backend *backend_of(const drt_landmarks *l) {
    return l->model->device->backend;
}

static drt_status fail_backend(drt_context *context, const drt_landmarks *l) {
    return drt_fail(context, DRT_FATAL, "retrieval: %s", backend_of(l)->error);
}

static drt_status fail_memory(drt_context *context) {
    return drt_fail_memory(context, "retrieval");
}

/* -------------------------------------------------------------------------- life ---------- */

drt_status drt_landmarks_open(drt_context *context, drt_library *library, drt_model *model, drt_landmarks *l) {
    void *buffer = NULL;
    *l = (drt_landmarks){.library = library, .model = model};
    l->scores = malloc(SCORE_BLOCK * sizeof *l->scores);
    if (!l->scores)
        return fail_memory(context);
    if (backend_of(l)->buffer_alloc(backend_of(l), SCORE_BLOCK * sizeof(float), &buffer) != 0)
        return fail_backend(context, l);
    l->device_scores = buffer;
    return DRT_OK;
}

static void unshare(drt_landmarks *l) {
    if (l->shared)
        backend_of(l)->unshare(backend_of(l), l->shared);
    l->shared = NULL;
}

void drt_landmarks_close(drt_landmarks *l) {
    if (!l->model)
        return;
    unshare(l);
    if (l->device_scores)
        backend_of(l)->buffer_free(backend_of(l), l->device_scores);
    free(l->scores);
    *l = (drt_landmarks){0};
}

drt_status drt_landmarks_refresh(drt_context *context, drt_landmarks *l) {
    const drt_config *c = &l->model->config;
    drt_store_view before = l->view;
    drt_status status = drt_store_refresh(context, l->library, &l->view);
    if (status != DRT_OK)
        return status;
    if (l->view.chunk_size != c->chunk_size || l->view.d_model != c->d_model)
        return drt_fail(context, DRT_FATAL, "the library was built with a model of another shape");
    if (l->view.n_chunks == 0)
        return drt_fail(context, DRT_FAILED, "the library is empty: add documents with drt ingest");
    if (l->shared && before.landmarks == l->view.landmarks && before.n_chunks == l->view.n_chunks)
        return DRT_OK;
    unshare(l);
    size_t bytes = (size_t)l->view.n_chunks * (size_t)l->view.d_model * sizeof *l->view.landmarks;
    const void *shared = NULL;
    if (backend_of(l)->share(backend_of(l), l->view.landmarks, bytes, &shared) != 0)
        return fail_backend(context, l);
    l->shared = shared;
    return DRT_OK;
}

/* -------------------------------------------------------------------------- scores -------- */

/* Scores chunks first .. first+n-1, n <= SCORE_BLOCK -> device_scores and scores. */
static drt_status score_block(drt_context *context, drt_landmarks *l, const float *query, int64_t first, int64_t n) {
    drt_backend *b = backend_of(l);
    int d = l->view.d_model;
    if (b->retrieval_scores(b, l->shared + first * d, n, d, query, l->device_scores) != 0 ||
        b->download(b, l->scores, l->device_scores, (size_t)n * sizeof *l->scores) != 0)
        return fail_backend(context, l);
    return DRT_OK;
}

static int64_t block_size(int64_t n_chunks, int64_t first) {
    return n_chunks - first < SCORE_BLOCK ? n_chunks - first : SCORE_BLOCK;
}

static void widen_range(const float *scores, const uint64_t *allowed, int64_t first, int64_t n, float *low,
                        float *high) {
    for (int64_t i = 0; i < n; i++) {
        if (!drt_bit_get(allowed, first + i))
            continue;
        *low = fminf(*low, scores[i]);
        *high = fmaxf(*high, scores[i]);
    }
}

drt_status drt_landmarks_best(drt_context *context, drt_landmarks *l, const float *query, const uint64_t *allowed,
                              int64_t n_chunks, int top, int64_t *ids, int *n_ids, float *low, float *high) {
    drt_backend *b = backend_of(l);
    drt_best best = {calloc((size_t)top, sizeof *best.items), 0, top};
    int64_t *block_ids = calloc((size_t)top, sizeof *block_ids);
    float *block_scores = calloc((size_t)top, sizeof *block_scores);
    drt_status status = best.items && block_ids && block_scores ? DRT_OK : fail_memory(context);
    *low = INFINITY;
    *high = -INFINITY;
    for (int64_t first = 0; first < n_chunks && status == DRT_OK; first += SCORE_BLOCK) {
        int64_t n = block_size(n_chunks, first);
        int count = 0;
        status = score_block(context, l, query, first, n);
        if (status != DRT_OK)
            break;
        widen_range(l->scores, allowed, first, n, low, high);
        if (b->top_k(b, l->device_scores, n, allowed + first / 64, NULL, top, block_ids, block_scores, &count) != 0)
            status = fail_backend(context, l);
        for (int i = 0; i < count; i++)
            drt_best_add(&best, first + block_ids[i], block_scores[i]);
    }
    if (*low > *high) /* no chunk at all */
        *low = *high = 0;
    drt_best_sort(&best);
    *n_ids = best.n;
    for (int i = 0; i < best.n; i++)
        ids[i] = best.items[i].chunk;
    free(best.items);
    free(block_ids);
    free(block_scores);
    return status;
}

drt_status drt_landmarks_scores(drt_context *context, drt_landmarks *l, const float *query, const int64_t *ids, int n,
                                float *scores) {
    drt_status status = DRT_OK;
    for (int i = 0; i < n && status == DRT_OK; i++) {
        status = score_block(context, l, query, ids[i], 1);
        scores[i] = l->scores[0];
    }
    return status;
}

drt_status drt_landmarks_count(drt_context *context, drt_landmarks *l, const float *queries, const uint64_t *allowed,
                               int64_t n_chunks, drt_event *events, size_t n_events) {
    for (int64_t first = 0; first < n_chunks; first += SCORE_BLOCK) {
        int64_t n = block_size(n_chunks, first);
        for (size_t e = 0; e < n_events; e++) {
            drt_event *event = &events[e];
            drt_status status = score_block(context, l, queries + e * (size_t)l->view.d_model, first, n);
            if (status != DRT_OK)
                return status;
            for (int64_t i = 0; i < n; i++)
                if (drt_bit_get(allowed, first + i))
                    event->histogram[drt_rank_bin(l->scores[i], event->histogram_low, event->histogram_high,
                                                  DRT_HISTOGRAM_BINS)]++;
        }
    }
    return DRT_OK;
}
