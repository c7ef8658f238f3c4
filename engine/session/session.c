/* session.c: opens and closes sessions and reads their questions. See session.h.
 * May use: base, network, retrieve.h, chunker.h. */
#include "engine/session/session.h"

#include <stdlib.h>
#include <string.h>

#include "engine/session/question.h"

#define SMALLEST_CHUNK 4 /* <q>, <a>, a token and the landmark */

/* ---------------------------------------------------------------------------- lanes ------- */

static void close_lane(drt_lane *lane) {
    drt_retrieval_close(&lane->retrieval);
    drt_string_free(&lane->sentence);
    free(lane->slots);
    free(lane->hidden);
    free(lane->attention);
}

static drt_status open_lane(drt_context *context, drt_session *s, int number, drt_lane *lane) {
    const drt_config *c = &s->model->config;
    size_t slots = (size_t)c->chunk_size;
    size_t row = (size_t)c->n_groups * (size_t)c->top_k * (size_t)c->chunk_size; /* attention of one slot */
    lane->number = number;
    lane->slots = malloc(2 * slots * sizeof *lane->slots);
    lane->hidden = malloc(slots * (size_t)c->d_model * sizeof *lane->hidden);
    lane->attention = malloc(slots * row * sizeof *lane->attention);
    if (!lane->slots || !lane->hidden || !lane->attention)
        return drt_fail_memory(context, "a session");
    return drt_retrieval_open(context, &s->landmarks, &lane->retrieval);
}

/* A drt_retrieve_fn; user is the session. A failure of one question's retrieval is kept for it: the others go on. */
static drt_status retrieve(void *user, drt_context *context, int number, int step, int group, const float *query,
                           drt_retrieved *out) {
    drt_session *s = user;
    drt_lane *lane = &s->lanes[number];
    *out = (drt_retrieved){0};
    if (lane->failed != DRT_OK)
        return DRT_OK;
    drt_status status = drt_retrieval_step(context, &lane->retrieval, step, group, query, out);
    if (status != DRT_FAILED)
        return status;
    *out = (drt_retrieved){0};
    lane->failed = status;
    return drt_string_set(&lane->sentence, drt_error(context), strlen(drt_error(context)))
               ? DRT_OK
               : drt_fail_memory(context, "retrieval");
}

static void close_lanes(drt_session *s) {
    drt_reader_free(s->reader);
    for (int i = 0; i < s->n_lanes; i++)
        close_lane(&s->lanes[i]);
    free(s->lanes);
    free(s->hidden);
    free(s->logits);
    s->reader = NULL;
    s->lanes = NULL;
    s->hidden = s->logits = NULL;
    s->n_lanes = 0;
}

static drt_status open_lanes(drt_context *context, drt_session *s, int n_lanes) {
    const drt_config *c = &s->model->config;
    size_t n = (size_t)n_lanes;
    s->lanes = calloc(n, sizeof *s->lanes);
    s->hidden = calloc(n, (size_t)c->d_model * sizeof *s->hidden);
    s->logits = calloc(n, (size_t)c->vocab_size * sizeof *s->logits);
    drt_status status = s->lanes && s->hidden && s->logits ? DRT_OK : drt_fail_memory(context, "a session");
    while (status == DRT_OK && s->n_lanes < n_lanes) {
        int number = s->n_lanes++;
        status = open_lane(context, s, number, &s->lanes[number]);
    }
    if (status == DRT_OK)
        status = drt_reader_new(context, s->model, n_lanes, c->chunk_size, retrieve, s, &s->reader);
    if (status != DRT_OK)
        close_lanes(s);
    return status;
}

/* As many as fit by plan; where that fails all the same, since others took the memory, fewer. */
drt_status drt_session_reserve(drt_context *context, drt_session *s, int n_lanes) {
    size_t besides;
    if (n_lanes <= s->n_lanes)
        return DRT_OK;
    close_lanes(s);
    drt_status status = drt_landmarks_room(context, &s->landmarks, &besides);
    if (status == DRT_OK)
        status = drt_reader_fit(context, s->model, n_lanes, besides, &n_lanes);
    if (status == DRT_OK)
        status = open_lanes(context, s, n_lanes);
    while (status == DRT_FATAL && (n_lanes /= 2) > 0)
        status = open_lanes(context, s, n_lanes);
    return status;
}

void drt_lane_begin(drt_session *session, drt_lane *lane) {
    drt_reader_reset(session->reader, lane->number);
    drt_string_free(&lane->sentence);
    lane->sentence = (drt_string){0};
    lane->failed = DRT_OK;
}

drt_status drt_lane_check(drt_context *context, const drt_lane *lane) {
    return lane->failed == DRT_OK ? DRT_OK : drt_fail(context, lane->failed, "%s", lane->sentence.data);
}

/* ----------------------------------------------------------------------- open, close ------- */

drt_status drt_session_open(drt_context *context, drt_library *library, drt_model *model, drt_session **session) {
    const drt_config *c = &model->config;
    *session = NULL;
    drt_session *s = calloc(1, sizeof *s);
    if (!s)
        return drt_fail_memory(context, "a session");
    s->library = library;
    s->model = model;
    s->candidates = malloc((size_t)c->vocab_size * sizeof *s->candidates);
    drt_status status = s->candidates ? DRT_OK : drt_fail_memory(context, "a session");
    if (status == DRT_OK && c->chunk_size < SMALLEST_CHUNK)
        status = drt_fail(context, DRT_FATAL, "chunks of %d slots, as the model %s has, are too small for questions",
                          c->chunk_size, model->name);
    if (status == DRT_OK && !model->tokenizer)
        status = drt_fail(context, DRT_FATAL, "the model %s has no tokenizer", model->name);
    if (status == DRT_OK)
        drt_landmarks_open(library, model, &s->landmarks);
    if (status == DRT_OK)
        status = drt_session_reserve(context, s, 1);
    if (status == DRT_OK)
        *session = s;
    else
        drt_session_close(s);
    return status;
}

void drt_session_close(drt_session *session) {
    if (!session)
        return;
    close_lanes(session);
    drt_landmarks_close(&session->landmarks);
    free(session->candidates);
    free(session);
}

/* ------------------------------------------------------------------------- questions ------ */

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
