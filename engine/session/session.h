/* session.h: what a session keeps between questions. May use: retrieve.h, network.h, sample.h. */
#ifndef DRT_SESSION_SESSION_H
#define DRT_SESSION_SESSION_H

#include "engine/session/retrieve.h"
#include "engine/session/sample.h"

/* Where one question at a time is answered, beside those of other lanes. */
typedef struct {
    int number; /* of the reader's lane */
    drt_retrieval retrieval;
    /* What went wrong in this lane's retrieval: it concerns its question alone, so the reader is not told. */
    drt_status failed;
    drt_string sentence;
    int32_t *slots;   /* (2S) tokens that are to run, at most S of them at once, */
    float *hidden;    /* (S,d) what the reader gives for those */
    float *attention; /* (S,G,K,S) */
} drt_lane;

struct drt_session {
    drt_library *library;
    drt_model *model;
    drt_landmarks landmarks;
    drt_reader *reader; /* of n_lanes */
    drt_lane *lanes;
    int n_lanes;
    float *hidden;             /* (n_lanes,d) of each lane's newest slot */
    float *logits;             /* (n_lanes,vocab) */
    drt_candidate *candidates; /* (vocab) */
    bool storing_failed;       /* said once */
};

/* Makes room for n questions at a time, n >= 1, or for fewer where the device's memory allows no more; n_lanes says how
 * many. What is there already is kept when it suffices. After a failure the session has no lane and must be given some
 * before anything else. */
drt_status drt_session_reserve(drt_context *context, drt_session *session, int n_lanes);

/* Makes a lane ready for a question's slots. */
void drt_lane_begin(drt_session *session, drt_lane *lane);
/* The failure of its retrieval, if there was one. */
drt_status drt_lane_check(drt_context *context, const drt_lane *lane);

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
