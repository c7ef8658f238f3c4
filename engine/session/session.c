/* session.c: opens and closes sessions and reads their questions. See session.h.
 * May use: base, network, retrieve.h, chunker.h. */
#include "engine/session/session.h"

#include <stdlib.h>

#include "engine/session/question.h"

#define SMALLEST_CHUNK 4 /* <q>, <a>, a token and the landmark */

drt_status drt_session_open(drt_context *context, drt_library *library, drt_model *model, drt_session **session) {
    const drt_config *c = &model->config;
    size_t slots = 2 * (size_t)c->chunk_size;
    size_t row = (size_t)c->n_groups * (size_t)c->top_k * (size_t)c->chunk_size; /* attention of one slot */
    *session = NULL;
    drt_session *s = calloc(1, sizeof *s);
    if (!s)
        return drt_fail_memory(context, "a session");
    s->library = library;
    s->model = model;
    s->slots = malloc(slots * sizeof *s->slots);
    s->hidden = malloc(slots * (size_t)c->d_model * sizeof *s->hidden);
    s->attention = malloc(slots * row * sizeof *s->attention);
    s->logits = malloc((size_t)c->vocab_size * sizeof *s->logits);
    s->candidates = malloc((size_t)c->vocab_size * sizeof *s->candidates);
    drt_status status = s->slots && s->hidden && s->attention && s->logits && s->candidates
                            ? DRT_OK
                            : drt_fail_memory(context, "a session");
    if (status == DRT_OK && c->chunk_size < SMALLEST_CHUNK)
        status = drt_fail(context, DRT_FATAL, "chunks of %d slots, as the model %s has, are too small for questions",
                          c->chunk_size, model->name);
    if (status == DRT_OK && !model->tokenizer)
        status = drt_fail(context, DRT_FATAL, "the model %s has no tokenizer", model->name);
    if (status == DRT_OK)
        status = drt_landmarks_open(context, library, model, &s->landmarks);
    if (status == DRT_OK)
        status = drt_retrieval_open(context, &s->landmarks, &s->retrieval);
    if (status == DRT_OK)
        status = drt_reader_new(context, model, 1, (int)slots, drt_retrieval_step, &s->retrieval, &s->reader);
    if (status == DRT_OK)
        *session = s;
    else
        drt_session_close(s);
    return status;
}

void drt_session_close(drt_session *session) {
    if (!session)
        return;
    drt_reader_free(session->reader);
    drt_retrieval_close(&session->retrieval);
    drt_landmarks_close(&session->landmarks);
    free(session->slots);
    free(session->hidden);
    free(session->attention);
    free(session->logits);
    free(session->candidates);
    free(session);
}

drt_status drt_question_read(drt_context *context, const drt_session *session, const char *text, size_t length,
                             drt_question *question) {
    *question = (drt_question){0};
    drt_status status = drt_question_clean(context, text, length, &question->trimmed, &question->clean);
    if (status != DRT_OK)
        return status;
    status = drt_question_encode(context, session->model->tokenizer, question->clean.data, question->clean.length,
                                 &question->tokens, &question->n_tokens);
    if (status == DRT_FAILED && drt_cancelled(context))
        return DRT_OK;
    if (status == DRT_OK && question->n_tokens == 0)
        status = drt_fail(context, DRT_FAILED, "the question is empty");
    if (status != DRT_OK)
        drt_question_clear(question);
    return status;
}

void drt_question_clear(drt_question *question) {
    drt_string_free(&question->trimmed);
    drt_string_free(&question->clean);
    free(question->tokens);
    *question = (drt_question){0};
}

bool drt_question_is_cut(const drt_session *session, const drt_question *question) {
    return question->n_tokens > (size_t)session->model->config.chunk_size - 2;
}

drt_status drt_question_warn_cut(drt_context *context, const drt_session *session) {
    drt_status status = drt_fail(context, DRT_WARN, "the question is too long: only its last %d tokens were read",
                                 session->model->config.chunk_size - 2);
    drt_warn(context, "%s", drt_error(context));
    return status;
}
