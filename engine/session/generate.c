/* generate.c: answers a question: the question is read, retrieved for and read again, then tokens
 * follow one by one, with a new retrieval at the landmark after every S-1 of them. See generate.h.
 * May use: trace.h, chunker.h. */
#include "engine/session/generate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/session/trace.h"

drt_ask_params drt_ask_params_default(void) {
    return (drt_ask_params){
        .retriever = DRT_RETRIEVER_LEARNED, .max_tokens = 256, .temperature = 0, .top_p = 1, .store = true};
}

drt_status drt_ask_params_check(drt_context *context, const drt_ask_params *params) {
    if (params->max_tokens < 1)
        return drt_fail(context, DRT_FAILED, "an answer needs at least one token, not %d", params->max_tokens);
    if (!(params->temperature >= 0 && params->temperature < INFINITY))
        return drt_fail(context, DRT_FAILED, "the temperature must be 0 (greedy) or more");
    if (!(params->top_p > 0 && params->top_p <= 1))
        return drt_fail(context, DRT_FAILED, "top-p must be more than 0 and at most 1");
    return DRT_OK;
}

static double milliseconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) * 1e3 + (double)(now.tv_nsec - start->tv_nsec) / 1e6;
}

static const drt_config *config_of(const drt_generation *g) {
    return &g->session->model->config;
}

static drt_status fail_memory(drt_context *context) {
    return drt_fail_memory(context, "an answer");
}

static int decode_tokens(const void *decoder, const int32_t *ids, size_t count, char **text, size_t *length,
                         char *error, size_t error_size) {
    return drt_tokenizer_decode(decoder, ids, count, text, length, error, error_size);
}

/* --------------------------------------------------------------------------- slots -------- */

/* The question, and the question again. They run in two parts, parted where the first retrieval begins to be read: so
 * does the reader divide them, and a part of one question goes together with the other part of another. */
static void lay_question(drt_generation *g) {
    const drt_config *c = config_of(g);
    int32_t *slots = g->lane->slots;
    drt_question_chunk(g->question.tokens, g->question.n_tokens, c->chunk_size, slots);
    size_t again = drt_reading_prefix(g->question.tokens, g->question.n_tokens, c->chunk_size, slots + c->chunk_size);
    g->first_next = 0;
    g->n_next = c->landmark_reads_own_retrieval ? c->chunk_size - 1 : c->chunk_size;
    g->n_left = c->chunk_size + (int)again - g->n_next;
}

/* A token; in the last slot before a landmark the landmark follows and predicts in its stead. */
static void lay_token(drt_generation *g, int32_t token) {
    int chunk_size = config_of(g)->chunk_size;
    g->first_next = g->n_next = 0;
    g->lane->slots[g->n_next++] = token;
    if (g->slots % chunk_size == chunk_size - 2)
        g->lane->slots[g->n_next++] = DRT_TOKEN_LANDMARK;
}

bool drt_generation_predicts(const drt_generation *g) {
    return g->n_left == 0;
}

drt_reader_item drt_generation_item(const drt_generation *g) {
    const drt_lane *lane = g->lane;
    return (drt_reader_item){lane->number, lane->slots + g->first_next, g->n_next, lane->hidden,
                             drt_generation_predicts(g) ? lane->attention : NULL};
}

void drt_generation_go_on(drt_generation *g) {
    g->slots += g->n_next;
    g->first_next += g->n_next;
    g->n_next = g->n_left;
    g->n_left = 0;
}

static drt_status start(drt_context *context, drt_generation *g, const char *question, size_t length) {
    drt_retrieval *r = &g->lane->retrieval;
    drt_status status = drt_question_read(context, g->session, question, length, &g->question);
    if (status != DRT_OK)
        return status;
    g->answer = calloc(1, sizeof *g->answer);
    if (!g->answer)
        return fail_memory(context);
    g->answer->question_cut = drt_question_is_cut(g->session, &g->question);
    status = drt_retrieval_start(context, r, g->params->retriever, g->params->document_glob, g->params->seed,
                                 config_of(g)->top_k, false, &g->question.clean);
    if (status == DRT_OK && !drt_buffer_append_byte(&r->text, '\n'))
        status = fail_memory(context);
    if (status == DRT_OK) {
        drt_lane_begin(g->session, g->lane);
        lay_question(g);
    }
    return status;
}

drt_status drt_generation_start(drt_context *context, drt_session *session, drt_lane *lane,
                                const drt_ask_params *params, const char *question, size_t length, drt_generation *g) {
    *g = (drt_generation){.session = session, .lane = lane, .params = params};
    clock_gettime(CLOCK_MONOTONIC, &g->start);
    g->stream = (drt_text_stream){.decode = decode_tokens, .decoder = session->model->tokenizer};
    drt_random_seed(&g->random, params->seed, DRT_RANDOM_SAMPLING);
    return start(context, g, question, length);
}

/* --------------------------------------------------------------------------- record ------- */

/* Numbers of one slot's attention: G x K x S. */
static size_t attention_size(const drt_config *c) {
    return (size_t)c->n_groups * (size_t)c->top_k * (size_t)c->chunk_size;
}

static bool reserve_token(drt_generation *g) {
    drt_answer *a = g->answer;
    if (a->n_tokens < g->capacity)
        return true;
    size_t capacity = g->capacity ? 2 * g->capacity : 64;
    int32_t *tokens = realloc(a->tokens, capacity * sizeof *tokens);
    if (tokens)
        a->tokens = tokens;
    int64_t *ends = realloc(a->token_ends, capacity * sizeof *ends);
    if (ends)
        a->token_ends = ends;
    int32_t *steps = realloc(a->token_steps, capacity * sizeof *steps);
    if (steps)
        a->token_steps = steps;
    uint8_t *attention = realloc(a->attention, capacity * attention_size(config_of(g)));
    if (attention)
        a->attention = attention;
    if (!tokens || !ends || !steps || !attention)
        return false;
    g->capacity = capacity;
    return true;
}

const float *drt_generation_hidden(const drt_generation *g) {
    return g->lane->hidden + (size_t)(g->n_next - 1) * (size_t)config_of(g)->d_model;
}

static const float *newest_attention(const drt_generation *g) {
    return g->lane->attention + (size_t)(g->n_next - 1) * attention_size(config_of(g));
}

/* The newest slot has predicted a token (or the end): it counts in its step's null masses. */
static void record_prediction(drt_generation *g) {
    const drt_config *c = config_of(g);
    int step = drt_step_read_at(c, g->slots - 1);
    if (step != g->step)
        g->predicted_by = 0;
    g->step = step;
    drt_null_mass_add(c, g->lane->retrieval.events + (size_t)step * (size_t)c->n_groups, newest_attention(g),
                      g->predicted_by++);
}

/* What has become settled text with the newest token; last: no more will come. */
static drt_status settle_text(drt_context *context, drt_generation *g, bool last) {
    drt_answer *a = g->answer;
    size_t before = g->text.length;
    if (a->n_tokens == 0)
        return DRT_OK;
    drt_status status = drt_text_stream_add(context, &g->stream, a->tokens, a->n_tokens, last, &g->text);
    if (status != DRT_OK)
        return status;
    a->token_ends[a->n_tokens - 1] = (int64_t)g->text.length;
    size_t added = g->text.length - before;
    if (added && !drt_buffer_append(&g->lane->retrieval.text, g->text.data + before, added))
        return fail_memory(context);
    return DRT_OK;
}

static drt_status append_token(drt_context *context, drt_generation *g, int32_t token) {
    if (!reserve_token(g))
        return fail_memory(context);
    drt_answer *a = g->answer;
    size_t n = attention_size(config_of(g));
    drt_attention_quantise(newest_attention(g), n, a->attention + a->n_tokens * n);
    a->token_steps[a->n_tokens] = g->step;
    a->tokens[a->n_tokens++] = token;
    return settle_text(context, g, false);
}

static int32_t choose_token(drt_generation *g, const float *logits) {
    int n = config_of(g)->vocab_size;
    return g->params->temperature > 0 ? drt_sample_top_p(logits, n, g->params->temperature, g->params->top_p,
                                                         &g->random, g->session->candidates)
                                      : drt_sample_greedy(logits, n);
}

static drt_status end(drt_context *context, drt_generation *g, drt_finish finish) {
    g->answer->finish = finish;
    g->n_next = 0;
    return settle_text(context, g, true);
}

drt_status drt_generation_cancel(drt_context *context, drt_generation *g) {
    return end(context, g, DRT_FINISH_CANCELLED);
}

drt_status drt_generation_advance(drt_context *context, drt_generation *g, const float *logits) {
    drt_answer *a = g->answer;
    int32_t token = choose_token(g, logits);
    g->slots += g->n_next;
    if (a->n_tokens == 0)
        a->first_token_ms = milliseconds_since(&g->start);
    record_prediction(g);
    if (token == DRT_TOKEN_END)
        return end(context, g, DRT_FINISH_END);
    drt_status status = append_token(context, g, token);
    if (status == DRT_OK && a->n_tokens == (size_t)g->params->max_tokens)
        return end(context, g, DRT_FINISH_LENGTH);
    lay_token(g, token);
    return status;
}

/* --------------------------------------------------------------------------- tell --------- */

/* Text up to byte `to` of the answer. */
static void tell_text(drt_generation *g, size_t to) {
    g->params->token(g->params->user, to > g->told_bytes ? g->text.data + g->told_bytes : "", to - g->told_bytes);
    g->told_bytes = to;
}

/* Retrievals up to those of a step. */
static drt_status tell_events(drt_context *context, drt_generation *g, int step) {
    drt_retrieval *r = &g->lane->retrieval;
    if (g->told_events == r->n_events)
        return DRT_OK;
    drt_status status = drt_retrieval_describe(context, r, true);
    for (; status == DRT_OK && g->told_events < r->n_events && r->events[g->told_events].step <= step; g->told_events++)
        g->params->event(g->params->user, &r->events[g->told_events]);
    return status;
}

drt_status drt_generation_tell(drt_context *context, drt_generation *g) {
    const drt_answer *a = g->answer;
    drt_status status = DRT_OK;
    for (; status == DRT_OK && g->told < a->n_tokens; g->told++) {
        if (g->params->token)
            tell_text(g, (size_t)a->token_ends[g->told]);
        if (g->params->event)
            status = tell_events(context, g, a->token_steps[g->told]);
    }
    if (status == DRT_OK && g->params->token && g->told_bytes < g->text.length)
        tell_text(g, g->text.length);
    return status;
}

/* --------------------------------------------------------------------------- answer ------- */

/* The retrieval's record becomes the answer's, which holds no more memory than it needs: it may have to wait. */
static void take_trace(drt_generation *g) {
    drt_answer *a = g->answer;
    drt_retrieval *r = &g->lane->retrieval;
    uint8_t *attention = a->n_tokens > 0 ? realloc(a->attention, a->n_tokens * attention_size(config_of(g))) : NULL;
    if (attention)
        a->attention = attention;
    a->events = r->events;
    a->n_events = r->n_events;
    a->bm25 = r->bm25;
    a->n_steps = r->n_steps;
    r->events = NULL;
    r->bm25 = NULL;
    r->n_events = r->n_described = r->n_steps = 0;
}

static drt_status name_answer(drt_context *context, drt_generation *g) {
    drt_answer *a = g->answer;
    const drt_model *model = g->session->model;
    const drt_config *c = config_of(g);
    a->n_groups = c->n_groups;
    a->top_k = c->top_k;
    a->chunk_size = c->chunk_size;
    strcpy(a->retriever, drt_retriever_name(g->params->retriever));
    const char *device = drt_device_name(model->device);
    if (drt_string_set(&a->device, device, strlen(device)) &&
        drt_string_set(&a->model, model->name, strlen(model->name)))
        return DRT_OK;
    return fail_memory(context);
}

drt_status drt_generation_finish(drt_context *context, drt_generation *g, drt_answer **answer) {
    drt_answer *a = g->answer;
    drt_retrieval *r = &g->lane->retrieval;
    *answer = NULL;
    drt_status status = DRT_OK;
    if (!drt_string_take(&a->answer, &g->text))
        status = fail_memory(context);
    if (status == DRT_OK)
        status = drt_retrieval_describe(context, r, true);
    if (status == DRT_OK)
        status = drt_retrieval_count(context, r);
    if (status == DRT_OK)
        status = drt_retrieval_contrast(context, r);
    if (status == DRT_OK)
        status = name_answer(context, g);
    if (status != DRT_OK)
        return status;
    take_trace(g);
    a->question = g->question.trimmed;
    g->question.trimmed = (drt_string){0};
    a->total_ms = milliseconds_since(&g->start);
    *answer = a;
    g->answer = NULL;
    return DRT_OK;
}

void drt_generation_clear(drt_generation *g) {
    drt_answer_free(g->answer);
    drt_question_clear(&g->question);
    drt_buffer_free(&g->text);
    if (g->lane)
        drt_retrieval_clear(&g->lane->retrieval);
    *g = (drt_generation){0};
}
