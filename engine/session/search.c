/* search.c: retrieval alone: what each group finds for a query.
 * May use: session.h, chunker.h. */
#include <stdlib.h>

#include "engine/session/answer.h"
#include "engine/session/session.h"

drt_search_params drt_search_params_default(void) {
    return (drt_search_params){.retriever = DRT_RETRIEVER_LEARNED, .top = 8};
}

/* The reader wants K chunks; a shorter list has the first of them, with weights of its own. */
static drt_status cut_hits(drt_context *context, drt_event *event, size_t top) {
    if (event->n_hits <= top)
        return DRT_OK;
    float *scores = malloc(2 * top * sizeof *scores), *weights = scores + top;
    if (!scores)
        return drt_fail_memory(context, "a search");
    for (size_t i = 0; i < top; i++)
        scores[i] = event->hits[i].score;
    drt_rank_weights(scores, (int)top, weights);
    for (size_t i = 0; i < top; i++)
        event->hits[i].weight = weights[i];
    free(scores);
    event->n_hits = top; /* hits have no strings yet */
    return DRT_OK;
}

static drt_status search(drt_context *context, drt_session *s, const drt_question *query,
                         const drt_search_params *params) {
    const drt_config *c = &s->model->config;
    drt_status status = drt_session_reserve(context, s, 1);
    if (status != DRT_OK)
        return status;
    drt_lane *lane = &s->lanes[0];
    drt_retrieval *r = &lane->retrieval;
    bool group_0_only = params->retriever == DRT_RETRIEVER_BM25 || params->retriever == DRT_RETRIEVER_RANDOM;
    int listed = params->top > c->top_k ? params->top : c->top_k;
    status = drt_retrieval_start(context, r, params->retriever, params->document_glob, params->seed, listed,
                                 group_0_only, &query->clean);
    if (status != DRT_OK)
        return status;
    drt_reader_item item = {lane->number, lane->slots, c->chunk_size, lane->hidden, NULL};
    drt_lane_begin(s, lane);
    drt_question_chunk(query->tokens, query->n_tokens, c->chunk_size, lane->slots);
    status = drt_reader_run(context, s->reader, &item, 1);
    if (status == DRT_OK)
        status = drt_lane_check(context, lane);
    for (size_t e = 0; e < r->n_events && status == DRT_OK; e++)
        status = cut_hits(context, &r->events[e], (size_t)params->top);
    if (status == DRT_OK)
        status = drt_retrieval_describe(context, r, false);
    return status == DRT_OK ? drt_retrieval_count(context, r) : status;
}

drt_status drt_session_search(drt_context *context, drt_session *session, const char *query, size_t length,
                              const drt_search_params *params, drt_search_result **result) {
    *result = NULL;
    if (params->top < 1)
        return drt_fail(context, DRT_FAILED, "a search lists at least one passage, not %d", params->top);
    drt_question read;
    drt_status status = drt_question_read(context, session, query, length, &read);
    if (status != DRT_OK)
        return status;
    status = drt_cancelled(context) ? drt_fail(context, DRT_FAILED, "the search was cancelled")
                                    : search(context, session, &read, params);
    bool cut = drt_question_is_cut(session, &read);
    drt_search_result *found = status == DRT_OK ? calloc(1, sizeof *found) : NULL;
    if (status == DRT_OK && !found)
        status = drt_fail_memory(context, "a search");
    if (found) {
        drt_retrieval *r = &session->lanes[0].retrieval;
        *found = (drt_search_result){read.trimmed, params->retriever, r->events, r->n_events};
        read.trimmed = (drt_string){0};
        r->events = NULL;
        r->n_events = 0;
        *result = found;
    }
    drt_question_clear(&read);
    return status == DRT_OK && cut ? drt_question_warn_cut(context, session) : status;
}
