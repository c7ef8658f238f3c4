/* session.h: what a session keeps between questions. May use: retrieve.h, network.h, sample.h. */
#ifndef DRT_SESSION_SESSION_H
#define DRT_SESSION_SESSION_H

#include "engine/session/retrieve.h"
#include "engine/session/sample.h"

struct drt_session {
    drt_library *library;
    drt_model *model;
    drt_reader *reader;
    drt_landmarks landmarks;
    drt_retrieval retrieval;
    int32_t *slots;            /* (2S) tokens of one run of the reader */
    float *hidden;             /* (2S,d) */
    float *attention;          /* (2S,G,K,S) */
    float *logits;             /* (vocab) */
    drt_candidate *candidates; /* (vocab) */
    bool storing_failed;       /* said once */
};

/* A question as it is echoed, as it is read, and its tokens. */
typedef struct {
    drt_string trimmed, clean;
    int32_t *tokens;
    size_t n_tokens;
} drt_question;

/* DRT_FAILED: not UTF-8, or empty. When cancelled there are no tokens. */
drt_status drt_question_read(drt_context *context, const drt_session *session, const char *text, size_t length,
                             drt_question *question);
void drt_question_clear(drt_question *question);

/* Has it more than the S-2 tokens that a question chunk holds? */
bool drt_question_is_cut(const drt_session *session, const drt_question *question);
/* Warns of that; DRT_WARN. */
drt_status drt_question_warn_cut(drt_context *context, const drt_session *session);

#endif
