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
    int first_next;     /* of the lane's `slots`, the first to run next; */
    int n_next, n_left; /* how many, and how many after these. n_next 0: the answer has ended */
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

/* The slots that run next. */
drt_reader_item drt_generation_item(const drt_generation *g);
/* Do they lead to a token? Else drt_generation_go_on follows their run, */
bool drt_generation_predicts(const drt_generation *g);
void drt_generation_go_on(drt_generation *g);
/* or, with the logits (vocab) of the newest slot's hidden (d), a token is chosen and recorded and the slots that follow
 * are laid out, unless the answer has ended with it. */
const float *drt_generation_hidden(const drt_generation *g);
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
