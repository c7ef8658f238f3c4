/* batch.c: how many questions a session answers a second when they come all at once. */
#include <stdio.h>
#include <string.h>

#include "engine/bench/bench.h"

#define QUESTION_SIZE 64

typedef struct {
    int asked, n;
    int answered;
    bool cut_off;
    char text[QUESTION_SIZE];
} questions;

/* Each differs from all others, so each retrieves for itself. */
static drt_batch_next next(void *user, bool wait, drt_batch_question *question) {
    questions *q = user;
    (void)wait;
    if (q->asked == q->n)
        return DRT_BATCH_END;
    snprintf(q->text, sizeof q->text, "Who built the bridge of the year %d?", 1000 + q->asked++);
    *question = (drt_batch_question){.text = q->text, .length = strlen(q->text)};
    return DRT_BATCH_QUESTION;
}

static bool done(void *user, const drt_batch_result *result) {
    questions *q = user;
    q->answered += result->answer != NULL;
    q->cut_off = q->cut_off || (result->answer && result->answer->finish == DRT_FINISH_CANCELLED);
    drt_answer_free(result->answer);
    return true;
}

drt_status drt_bench_batch(drt_context *context, drt_session *session, int n, int max_tokens, double *rate) {
    questions q = {.n = n};
    drt_batch_params params = drt_batch_params_default();
    params.ask.max_tokens = max_tokens;
    params.ask.store = false;
    params.next = next;
    params.done = done;
    params.user = &q;
    double start = drt_bench_clock();
    drt_status status = drt_session_ask_batch(context, session, &params);
    if (status != DRT_OK)
        return status;
    if (q.cut_off)
        return drt_bench_cancelled(context);
    if (q.answered < n)
        return drt_fail(context, DRT_FAILED, "%d of %d questions had no answer", n - q.answered, n);
    *rate = n / (drt_bench_clock() - start);
    return DRT_OK;
}
