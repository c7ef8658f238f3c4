/* generate.h: one answer in the making: which slots its lane runs next, and what becomes of what they give. Who runs
 * the slots of several answers together is batch.c. May use: session.h, text_stream.h. */
#ifndef DRT_SESSION_GENERATE_H
#define DRT_SESSION_GENERATE_H

#include <time.h>

#include "engine/session/session.h"
#include "engine/session/text_stream.h"

typedef struct {
    drt_session *session;
    drt_lane *lane;
    const drt_ask_params *params;
    drt_answer *answer; /* NULL: none in the making */
    drt_question question;
    drt_random random;
    drt_text_stream stream;
    drt_buffer text;    /* the answer so far, as far as it is settled */
    size_t capacity;    /* tokens for which the answer's arrays have room */
    int n_next;         /* slots at the start of the lane's `slots` that run next; 0: the answer has ended */
    int slots;          /* run so far */
    int step;           /* step that the newest slot reads, */
    int predicted_by;   /* and how many slots of that step have predicted a token */
    size_t told;        /* tokens, */
    size_t told_bytes;  /* bytes of text */
    size_t told_events; /* and events that the caller has been told of */
    struct timespec start;
} drt_generation;

/* Begins an answer in a lane that is free. params must outlive it. DRT_FAILED: this cannot be asked. After any
 * failure drt_generation_clear is all that may follow. */
drt_status drt_generation_start(drt_context *context, drt_session *session, drt_lane *lane,
                                const drt_ask_params *params, const char *question, size_t length, drt_generation *g);

/* What the n_next slots have given is in the lane's hidden and attention. hidden (d) of the newest slot: */
const float *drt_generation_hidden(const drt_generation *g);
/* its logits (vocab) choose a token, which is recorded; the slots that follow are laid out, unless the answer has
 * ended with it. */
drt_status drt_generation_advance(drt_context *context, drt_generation *g, const float *logits);

/* Tells params' callbacks of tokens and events that they have not heard of. */
drt_status drt_generation_tell(drt_context *context, drt_generation *g);

/* Ends the answer where it stands. */
drt_status drt_generation_cancel(drt_context *context, drt_generation *g);
/* Completes an answer that has ended with its trace. *answer is owned. */
drt_status drt_generation_finish(drt_context *context, drt_generation *g, drt_answer **answer);
void drt_generation_clear(drt_generation *g);

/* DRT_FAILED: no answer can be generated so. */
drt_status drt_ask_params_check(drt_context *context, const drt_ask_params *params);

#endif
