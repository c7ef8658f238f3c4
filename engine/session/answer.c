/* answer.c: what the answer and search structures of drt.h own, and the names of retrievers.
 * May use: base. */
#include <stdlib.h>
#include <string.h>

#include "engine/session/answer.h"

static void hit_clear(drt_hit *hit) {
    drt_string_free(&hit->document);
    drt_string_free(&hit->title);
    for (size_t i = 0; i < hit->n_authors; i++)
        drt_string_free(&hit->authors[i]);
    free(hit->authors);
    drt_string_free(&hit->date);
    drt_string_free(&hit->text);
    free(hit->slots);
}

static void event_clear(drt_event *event) {
    for (size_t i = 0; i < event->n_hits; i++)
        hit_clear(&event->hits[i]);
    free(event->hits);
}

void drt_events_free(drt_event *events, size_t n) {
    for (size_t i = 0; i < n; i++)
        event_clear(&events[i]);
    free(events);
}

void drt_answer_free(drt_answer *answer) {
    if (!answer)
        return;
    drt_string_free(&answer->question);
    drt_string_free(&answer->answer);
    free(answer->tokens);
    free(answer->token_ends);
    free(answer->token_steps);
    drt_events_free(answer->events, answer->n_events);
    free(answer->attention);
    for (size_t i = 0; answer->bm25 && i < answer->n_steps; i++)
        free(answer->bm25[i]);
    free(answer->bm25);
    drt_string_free(&answer->device);
    drt_string_free(&answer->model);
    free(answer);
}

void drt_search_result_free(drt_search_result *result) {
    if (!result)
        return;
    drt_string_free(&result->query);
    drt_events_free(result->groups, result->n_groups);
    free(result);
}

static const char *const retriever_names[] = {
    [DRT_RETRIEVER_LEARNED] = "learned",
    [DRT_RETRIEVER_BM25] = "bm25",
    [DRT_RETRIEVER_BOTH] = "both",
    [DRT_RETRIEVER_RANDOM] = "random",
};

const char *drt_retriever_name(drt_retriever retriever) {
    return retriever_names[retriever];
}

bool drt_retriever_parse(const char *name, drt_retriever *retriever) {
    for (size_t i = 0; i < sizeof retriever_names / sizeof *retriever_names; i++) {
        if (strcmp(name, retriever_names[i]) == 0) {
            *retriever = (drt_retriever)i;
            return true;
        }
    }
    return false;
}
