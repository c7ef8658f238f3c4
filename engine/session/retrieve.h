/* retrieve.h: which chunks each group reads at each landmark of one question's slots, and the record of it.
 *
 * A proposer (learned, bm25, both, random) ranks chunks; the weights of those read are always the softmax of their
 * learned scores. Several questions share one drt_landmarks, each with a drt_retrieval of its own.
 * May use: base, landmarks.h. */
#ifndef DRT_SESSION_RETRIEVE_H
#define DRT_SESSION_RETRIEVE_H

#include "engine/session/landmarks.h"

typedef struct {
    drt_landmarks *landmarks;
    const void **records[DRT_MAX_GROUPS]; /* (K): what a group reads, */
    float *weights[DRT_MAX_GROUPS];       /* (K) and how much of each */

    /* Of one question, until it is cleared: */
    drt_retriever retriever;
    int listed;         /* most hits of an event; a group reads the first K */
    bool group_0_only;  /* the other groups read nothing */
    drt_choice allowed; /* live chunks of the documents asked for */
    drt_random random;
    drt_buffer text; /* what BM25 looks for: the question, then also the answer so far */
    drt_event *events;
    size_t n_events, n_described;
    float *queries;    /* (n_events,d) */
    size_t *text_ends; /* (n_steps) length of text at that step */
    int64_t **bm25;    /* (n_steps) rankings of `listed` chunks, -1 past the end; NULL: not made yet */
    size_t n_steps;
} drt_retrieval;

/* landmarks must outlive it. */
drt_status drt_retrieval_open(drt_context *context, drt_landmarks *landmarks, drt_retrieval *r);
void drt_retrieval_close(drt_retrieval *r);

/* Begins a question over the library's last committed state. glob NULL: all documents. DRT_FAILED: nothing there. */
drt_status drt_retrieval_start(drt_context *context, drt_retrieval *r, drt_retriever retriever, const char *glob,
                               uint64_t seed, int listed, bool group_0_only, const drt_string *question);
/* Forgets the question. */
void drt_retrieval_clear(drt_retrieval *r);

/* What a drt_retrieve_fn does, for this question. Appends an event: hits without their texts. */
drt_status drt_retrieval_step(drt_context *context, drt_retrieval *r, int step, int group, const float *query,
                              drt_retrieved *out);

/* Each hit's document and text, of events that have none yet; with_slots: also what its slots stand for. */
drt_status drt_retrieval_describe(drt_context *context, drt_retrieval *r, bool with_slots);
/* What an answer need not wait for: all events' histograms. */
drt_status drt_retrieval_count(drt_context *context, drt_retrieval *r);
/* BM25's ranking of the steps that had none. */
drt_status drt_retrieval_contrast(drt_context *context, drt_retrieval *r);

#endif
