/* landmarks.h: a library's landmarks on the model's device, and exact scores over all of them. What the questions of
 * a session share: whatever belongs to one question is passed in. May use: base, ranking.h, network.h, store.h,
 * kernels.
 *
 * Chunks are told apart by bit sets over the first n_chunks of the library, as they were when a question began: a later
 * refresh only adds chunks behind them. */
#ifndef DRT_SESSION_LANDMARKS_H
#define DRT_SESSION_LANDMARKS_H

#include "engine/library/store.h"
#include "engine/network/network.h"
#include "engine/session/ranking.h"

typedef struct {
    drt_library *library;
    drt_model *model;
    drt_store_view view;
    drt_landmark_set *set; /* of the model's backend; NULL: none yet */
    int64_t in_set;        /* landmarks that it holds */
} drt_landmarks;

/* Which of the first n_chunks chunks a question may read. */
typedef struct {
    uint64_t *bits; /* (n_chunks) host */
    int64_t n_chunks;
    uint64_t *sent; /* the same in backend memory, as of the last drt_choice_send; kept from question to question */
    size_t room;    /* words there */
} drt_choice;

/* Nothing is taken before the first refresh, so that the reader comes first. */
void drt_landmarks_open(drt_library *library, drt_model *model, drt_landmarks *landmarks);
void drt_landmarks_close(drt_landmarks *landmarks);

/* Takes the library's last committed state. DRT_FAILED: it is empty. */
drt_status drt_landmarks_refresh(drt_context *context, drt_landmarks *landmarks);

/* Bytes of the device that the next refresh needs at least; 0: what it needs is there. */
drt_status drt_landmarks_room(drt_context *context, const drt_landmarks *landmarks, size_t *least);

/* Brings the bits to the backend. */
drt_status drt_choice_send(drt_context *context, drt_landmarks *landmarks, drt_choice *choice);
/* Frees both sides. */
void drt_choice_clear(drt_landmarks *landmarks, drt_choice *choice);

/* Scores all chunks of the choice: the `top` best, best first -> ids and scores (top), *n, and the range of scores ->
 * *low, *high. */
drt_status drt_landmarks_best(drt_context *context, drt_landmarks *landmarks, const float *query,
                              const drt_choice *choice, int top, int64_t *ids, float *scores, int *n, float *low,
                              float *high);
/* Scores of the chunks ids (n) -> scores (n). */
drt_status drt_landmarks_scores(drt_context *context, drt_landmarks *landmarks, const float *query, const int64_t *ids,
                                int n, float *scores);
/* The histograms of events, whose ranges are known, over all chunks of the choice; queries (n_events,d). */
drt_status drt_landmarks_count(drt_context *context, drt_landmarks *landmarks, const float *queries,
                               const drt_choice *choice, drt_event *events, size_t n_events);

#endif
