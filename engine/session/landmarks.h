/* landmarks.h: a library's landmarks on the model's device, and exact scores over all of them. What the questions of
 * a session share: whatever belongs to one question is passed in. May use: base, ranking.h, network.h, store.h,
 * kernels.
 *
 * Chunks are told apart by bit sets over the first n_chunks of the library, as they were when a question began: a later
 * refresh only adds chunks behind them. Every landmark is scored, in blocks, so that memory does not grow with the
 * library. */
#ifndef DRT_SESSION_LANDMARKS_H
#define DRT_SESSION_LANDMARKS_H

#include "engine/library/store.h"
#include "engine/network/network.h"
#include "engine/session/ranking.h"

typedef struct {
    drt_library *library;
    drt_model *model;
    drt_store_view view;
    const uint16_t *shared; /* view.landmarks as the backend reads them; NULL: none yet */
    float *device_scores;   /* (block), backend memory */
    float *scores;          /* (block) */
} drt_landmarks;

drt_status drt_landmarks_open(drt_context *context, drt_library *library, drt_model *model, drt_landmarks *landmarks);
void drt_landmarks_close(drt_landmarks *landmarks);

/* Takes the library's last committed state. DRT_FAILED: it is empty. */
drt_status drt_landmarks_refresh(drt_context *context, drt_landmarks *landmarks);

/* Scores all chunks of the set: the `top` best, best first -> ids (top), *n, and the range of scores -> *low, *high. */
drt_status drt_landmarks_best(drt_context *context, drt_landmarks *landmarks, const float *query,
                              const uint64_t *allowed, int64_t n_chunks, int top, int64_t *ids, int *n, float *low,
                              float *high);
/* Scores of the chunks ids (n) -> scores (n). */
drt_status drt_landmarks_scores(drt_context *context, drt_landmarks *landmarks, const float *query, const int64_t *ids,
                                int n, float *scores);
/* Adds the scores of all chunks of the set to the histograms of events, whose ranges are known; queries (n_events,d).
 * One pass over the landmarks for all of them. */
drt_status drt_landmarks_count(drt_context *context, drt_landmarks *landmarks, const float *queries,
                               const uint64_t *allowed, int64_t n_chunks, drt_event *events, size_t n_events);

#endif
