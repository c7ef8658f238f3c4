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

drt_status drt_landmarks_open(drt_context *context, drt_library *library, drt_model *model, drt_landmarks *l) {
    drt_backend *b = model->device->backend;
    size_t available, total;
    *l = (drt_landmarks){.library = library, .model = model};
    if (b->memory_info(b, &available, &total) != 0 ||
        b->landmarks_open(b, model->config.d_model, available, &l->set) != 0)
        return fail_backend(context, l);
    return DRT_OK;
}

void drt_landmarks_close(drt_landmarks *l) {
    if (l->set)
        backend_of(l)->landmarks_close(backend_of(l), l->set);
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
    if (l->in_set == l->view.n_chunks && before.landmarks == l->view.landmarks)
        return DRT_OK;
    int64_t kept = l->in_set < l->view.n_chunks ? l->in_set : l->view.n_chunks; /* landmarks never change */
    l->in_set = 0;
    if (backend_of(l)->landmarks_set(backend_of(l), l->set, l->view.landmarks, l->view.n_chunks, kept) != 0)
        return fail_backend(context, l);
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
