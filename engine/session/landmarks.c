/* landmarks.c: exact scores over all landmarks. See landmarks.h. */
#include "engine/session/landmarks.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(DRT_HISTOGRAM_BINS == DRT_SCORE_BINS, "events have the histograms that backends make");

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

void drt_landmarks_open(drt_library *library, drt_model *model, drt_landmarks *l) {
    *l = (drt_landmarks){.library = library, .model = model};
}

static void close_set(drt_landmarks *l) {
    if (l->set)
        backend_of(l)->landmarks_close(backend_of(l), l->set);
    l->set = NULL;
    l->in_set = 0;
}

void drt_landmarks_close(drt_landmarks *l) {
    close_set(l);
    *l = (drt_landmarks){0};
}

/* All landmarks into a set that may take `budget` bytes of the device. */
static bool open_set(drt_landmarks *l, size_t budget) {
    drt_backend *b = backend_of(l);
    if (b->landmarks_open(b, l->view.d_model, budget, &l->set) != 0) {
        l->set = NULL;
        return false;
    }
    if (b->landmarks_set(b, l->set, l->view.landmarks, l->view.n_chunks, 0) == 0)
        return true;
    close_set(l);
    return false;
}

/* A new set, in what memory there is; where that fails all the same, since others took it, in the least. */
static drt_status plan_set(drt_context *context, drt_landmarks *l) {
    drt_backend *b = backend_of(l);
    int64_t n = l->view.n_chunks;
    int d = l->view.d_model;
    size_t budget = 0, least = drt_plan_least_landmarks(n, d);
    drt_memory_info info;
    close_set(l);
    if (b->own_memory) {
        if (b->memory_info(b, &info) != 0)
            return fail_backend(context, l);
        budget = drt_plan_landmarks(info.available, n, d);
        if (budget == 0)
            return drt_plan_refuse(context, l->model->device, "searching the library", least + DRT_PLAN_WORKING);
    }
    return open_set(l, budget) || open_set(l, least) ? DRT_OK : fail_backend(context, l);
}

drt_status drt_landmarks_room(drt_context *context, const drt_landmarks *l, size_t *least) {
    drt_library_facts facts;
    *least = 0;
    if (l->set || !backend_of(l)->own_memory)
        return DRT_OK;
    drt_status status = drt_library_inspect(context, l->library, &facts);
    if (status == DRT_OK)
        *least = drt_plan_least_landmarks(facts.chunks, facts.d_model);
    return status;
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
    if (l->in_set == l->view.n_chunks && before.landmarks == l->view.landmarks)
        return DRT_OK;
    /* Landmarks never change, so a set that holds some is told of the others. */
    int64_t kept = l->in_set < l->view.n_chunks ? l->in_set : l->view.n_chunks;
    l->in_set = 0;
    if (!l->set || backend_of(l)->landmarks_set(backend_of(l), l->set, l->view.landmarks, l->view.n_chunks, kept) != 0)
        status = plan_set(context, l);
    if (status != DRT_OK)
        return status;
    l->in_set = l->view.n_chunks;
    return DRT_OK;
}

/* ------------------------------------------------------------------------- choices -------- */

static drt_status reserve(drt_context *context, drt_landmarks *l, drt_choice *choice, size_t words) {
    drt_backend *b = backend_of(l);
    void *buffer = NULL;
    if (words <= choice->room)
        return DRT_OK;
    b->buffer_free(b, choice->sent);
    choice->sent = NULL;
    choice->room = 0;
    if (b->buffer_alloc(b, words * sizeof *choice->sent, &buffer) != 0)
        return fail_backend(context, l);
    choice->sent = buffer;
    choice->room = words;
    return DRT_OK;
}

drt_status drt_choice_send(drt_context *context, drt_landmarks *l, drt_choice *choice) {
    drt_backend *b = backend_of(l);
    size_t words = drt_bit_words(choice->n_chunks);
    drt_status status = reserve(context, l, choice, words);
    if (status == DRT_OK && b->upload(b, choice->sent, choice->bits, words * sizeof *choice->bits) != 0)
        status = fail_backend(context, l);
    return status;
}

void drt_choice_clear(drt_landmarks *l, drt_choice *choice) {
    free(choice->bits);
    if (choice->sent)
        backend_of(l)->buffer_free(backend_of(l), choice->sent);
    *choice = (drt_choice){0};
}

/* -------------------------------------------------------------------------- scores -------- */

drt_status drt_landmarks_best(drt_context *context, drt_landmarks *l, const float *query, const drt_choice *choice,
                              int top, int64_t *ids, float *scores, int *n, float *low, float *high) {
    drt_landmark_scan scan = {query, choice->n_chunks, choice->sent, top, ids, scores, 0, 0, 0};
    if (backend_of(l)->landmarks_scan(backend_of(l), l->set, &scan, 1) != 0)
        return fail_backend(context, l);
    bool none = scan.low > scan.high;
    *low = none ? 0 : scan.low;
    *high = none ? 0 : scan.high;
    *n = scan.count;
    return DRT_OK;
}

drt_status drt_landmarks_scores(drt_context *context, drt_landmarks *l, const float *query, const int64_t *ids, int n,
                                float *scores) {
    int status = backend_of(l)->landmarks_scores(backend_of(l), l->set, query, ids, n, scores);
    return status == 0 ? DRT_OK : fail_backend(context, l);
}

drt_status drt_landmarks_count(drt_context *context, drt_landmarks *l, const float *queries, const drt_choice *choice,
                               drt_event *events, size_t n_events) {
    drt_landmark_histogram *histograms = calloc(n_events ? n_events : 1, sizeof *histograms);
    if (!histograms)
        return fail_memory(context);
    for (size_t e = 0; e < n_events; e++)
        histograms[e] = (drt_landmark_histogram){.query = queries + e * (size_t)l->view.d_model,
                                                 .n = choice->n_chunks,
                                                 .allowed = choice->sent,
                                                 .low = events[e].histogram_low,
                                                 .high = events[e].histogram_high};
    drt_status status = DRT_OK;
    if (backend_of(l)->landmarks_histogram(backend_of(l), l->set, histograms, (int)n_events) != 0)
        status = fail_backend(context, l);
    for (size_t e = 0; e < n_events && status == DRT_OK; e++)
        memcpy(events[e].histogram, histograms[e].counts, sizeof events[e].histogram);
    free(histograms);
    return status;
}
