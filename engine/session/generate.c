/* generate.c: answers a question: the question is read, retrieved for and read again, then tokens
 * follow one by one, with a new retrieval at the landmark after every S-1 of them.
 * May use: session.h, text_stream.h, trace.h, chunker.h, store.h. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/session/answer.h"
#include "engine/session/session.h"
#include "engine/session/text_stream.h"
#include "engine/session/trace.h"

drt_ask_params drt_ask_params_default(void) {
    return (drt_ask_params){
        .retriever = DRT_RETRIEVER_LEARNED, .max_tokens = 256, .temperature = 0, .top_p = 1, .store = true};
}

/* One answer in the making. */
typedef struct {
    drt_session *session;
    const drt_ask_params *params;
    drt_answer *answer;
    drt_random random;
    drt_text_stream stream;
    drt_buffer text;  /* the answer so far, as far as it is settled */
    size_t capacity;  /* tokens for which the answer's arrays have room */
    int slots;        /* run so far */
    int newest;       /* index of the newest slot in the session's hidden and attention */
    int step;         /* step that the newest slot reads, */
    int predicted_by; /* and how many slots of that step have predicted a token */
    size_t n_given;   /* events given out */
    struct timespec start;
} generation;

static double milliseconds_since(const struct timespec *start) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - start->tv_sec) * 1e3 + (double)(now.tv_nsec - start->tv_nsec) / 1e6;
}

static const drt_config *config_of(const generation *g) {
    return &g->session->model->config;
}

/* Numbers of one slot's attention: G x K x S. */
static size_t attention_size(const drt_config *c) {
    return (size_t)c->n_groups * (size_t)c->top_k * (size_t)c->chunk_size;
}

static int decode_tokens(const void *decoder, const int32_t *ids, size_t count, char **text, size_t *length,
                         char *error, size_t error_size) {
    return drt_tokenizer_decode(decoder, ids, count, text, length, error, error_size);
}

/* --------------------------------------------------------------------------- tokens ------- */

/* Runs the first n of the session's slots. */
static drt_status run_slots(drt_context *context, generation *g, int n) {
    drt_session *s = g->session;
    drt_reader_item item = {0, s->slots, n, s->hidden, s->attention};
    drt_status status = drt_reader_run(context, s->reader, &item, 1);
    g->slots += n;
    g->newest = n - 1;
    return status;
}

static drt_status run_question(drt_context *context, generation *g, const drt_question *question) {
    drt_session *s = g->session;
    int chunk_size = config_of(g)->chunk_size;
    drt_reader_reset(s->reader, 0);
    drt_question_chunk(question->tokens, question->n_tokens, chunk_size, s->slots);
    size_t again = drt_reading_prefix(question->tokens, question->n_tokens, chunk_size, s->slots + chunk_size);
    return run_slots(context, g, chunk_size + (int)again);
}

/* Runs a token; in the last slot before a landmark the landmark follows and predicts in its stead. */
static drt_status run_token(drt_context *context, generation *g, int32_t token) {
    int chunk_size = config_of(g)->chunk_size, n = 0;
    bool closes_chunk = g->slots % chunk_size == chunk_size - 2;
    g->session->slots[n++] = token;
    if (closes_chunk)
        g->session->slots[n++] = DRT_TOKEN_LANDMARK;
    return run_slots(context, g, n);
}

static drt_status choose_token(drt_context *context, generation *g, int32_t *token) {
    drt_session *s = g->session;
    const drt_config *c = config_of(g);
    drt_status status =
        drt_reader_logits(context, s->reader, s->hidden + (size_t)g->newest * (size_t)c->d_model, 1, s->logits);
    if (status != DRT_OK)
        return status;
    *token = g->params->temperature > 0 ? drt_sample_top_p(s->logits, c->vocab_size, g->params->temperature,
                                                           g->params->top_p, &g->random, s->candidates)
                                        : drt_sample_greedy(s->logits, c->vocab_size);
    return DRT_OK;
}

/* --------------------------------------------------------------------------- record ------- */

static bool reserve_token(generation *g) {
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

static const float *newest_attention(const generation *g) {
    return g->session->attention + (size_t)g->newest * attention_size(config_of(g));
}

/* The newest slot has predicted a token (or the end): it counts in its step's null masses. */
static void record_prediction(generation *g) {
    const drt_config *c = config_of(g);
    drt_retrieval *r = &g->session->retrieval;
    int step = drt_step_read_at(c, g->slots - 1);
    if (step != g->step)
        g->predicted_by = 0;
    g->step = step;
    drt_null_mass_add(c, r->events + (size_t)step * (size_t)c->n_groups, newest_attention(g), g->predicted_by++);
}

/* Gives out what has become settled text. */
static drt_status stream_text(drt_context *context, generation *g, bool last) {
    drt_answer *a = g->answer;
    size_t before = g->text.length;
    drt_status status = drt_text_stream_add(context, &g->stream, a->tokens, a->n_tokens, last, &g->text);
    if (status != DRT_OK)
        return status;
    a->token_ends[a->n_tokens - 1] = (int64_t)g->text.length;
    size_t added = g->text.length - before;
    if (added && !drt_buffer_append(&g->session->retrieval.text, g->text.data + before, added))
        return drt_fail_memory(context, "an answer");
    if (g->params->token && (added || !last))
        g->params->token(g->params->user, added ? g->text.data + before : "", added);
    return DRT_OK;
}

static drt_status append_token(drt_context *context, generation *g, int32_t token) {
    if (!reserve_token(g))
        return drt_fail_memory(context, "an answer");
    drt_answer *a = g->answer;
    size_t n = attention_size(config_of(g));
    drt_attention_quantise(newest_attention(g), n, a->attention + a->n_tokens * n);
    a->token_steps[a->n_tokens] = g->step;
    a->tokens[a->n_tokens++] = token;
    return stream_text(context, g, false);
}

/* The retrievals that nobody was told of yet. */
static drt_status give_events(drt_context *context, generation *g) {
    drt_retrieval *r = &g->session->retrieval;
    if (!g->params->event || g->n_given == r->n_events)
        return DRT_OK;
    drt_status status = drt_retrieval_describe(context, r, true);
    for (; status == DRT_OK && g->n_given < r->n_events; g->n_given++)
        g->params->event(g->params->user, &r->events[g->n_given]);
    return status;
}

/* --------------------------------------------------------------------------- answer ------- */

/* Tokens until the end, the limit or a cancellation. */
static drt_status generate(drt_context *context, generation *g, const drt_question *question) {
    drt_answer *a = g->answer;
    a->finish = DRT_FINISH_CANCELLED;
    if (drt_cancelled(context))
        return DRT_OK;
    drt_status status = run_question(context, g, question);
    while (status == DRT_OK && !drt_cancelled(context)) {
        int32_t token = 0;
        status = choose_token(context, g, &token);
        if (status != DRT_OK)
            break;
        if (a->n_tokens == 0)
            a->first_token_ms = milliseconds_since(&g->start);
        record_prediction(g);
        if (token == DRT_TOKEN_END) {
            a->finish = DRT_FINISH_END;
            break;
        }
        status = append_token(context, g, token);
        if (status == DRT_OK)
            status = give_events(context, g);
        if (a->n_tokens == (size_t)g->params->max_tokens) {
            a->finish = DRT_FINISH_LENGTH;
            break;
        }
        if (status == DRT_OK)
            status = run_token(context, g, token);
    }
    if (status == DRT_OK && a->n_tokens > 0)
        status = stream_text(context, g, true);
    return status;
}

/* The retrieval's record becomes the answer's. */
static void take_trace(generation *g) {
    drt_answer *a = g->answer;
    drt_retrieval *r = &g->session->retrieval;
    a->events = r->events;
    a->n_events = r->n_events;
    a->bm25 = r->bm25;
    a->n_steps = r->n_steps;
    r->events = NULL;
    r->bm25 = NULL;
    r->n_events = r->n_described = r->n_steps = 0;
}

static drt_status name_answer(drt_context *context, generation *g) {
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
    return drt_fail_memory(context, "an answer");
}

static drt_status answer_question(drt_context *context, generation *g, drt_question *question) {
    drt_session *s = g->session;
    drt_answer *a = g->answer;
    a->question_cut = drt_question_is_cut(s, question);
    drt_status status = drt_retrieval_start(context, &s->retrieval, g->params->retriever, g->params->document_glob,
                                            g->params->seed, config_of(g)->top_k, false, &question->clean);
    if (status == DRT_OK && !drt_buffer_append_byte(&s->retrieval.text, '\n'))
        status = drt_fail_memory(context, "an answer");
    if (status == DRT_OK)
        status = generate(context, g, question);
    if (status == DRT_OK && !drt_string_take(&a->answer, &g->text))
        status = drt_fail_memory(context, "an answer");
    if (status == DRT_OK)
        status = drt_retrieval_describe(context, &s->retrieval, true);
    if (status == DRT_OK)
        status = drt_retrieval_count(context, &s->retrieval);
    if (status == DRT_OK)
        status = drt_retrieval_contrast(context, &s->retrieval);
    if (status == DRT_OK)
        status = name_answer(context, g);
    if (status != DRT_OK)
        return status;
    take_trace(g);
    a->question = question->trimmed;
    question->trimmed = (drt_string){0};
    a->total_ms = milliseconds_since(&g->start);
    return DRT_OK;
}

/* The answer is there; what could be better with it becomes a warning. */
static drt_status warn_about(drt_context *context, drt_session *session, const drt_ask_params *params,
                             drt_answer *answer) {
    drt_status status = DRT_OK;
    if (params->store && answer->n_events > 0) { /* cancelled before anything happened: nothing to keep */
        status = drt_store_session(context, session->library, answer);
        if (status != DRT_OK && session->storing_failed)
            status = DRT_OK;
        if (status != DRT_OK) {
            session->storing_failed = true;
            drt_warn(context, "%s", drt_error(context));
            status = DRT_WARN;
        }
    }
    return answer->question_cut ? drt_question_warn_cut(context, session) : status;
}

static drt_status check_params(drt_context *context, const drt_ask_params *params) {
    if (params->max_tokens < 1)
        return drt_fail(context, DRT_FAILED, "an answer needs at least one token, not %d", params->max_tokens);
    if (!(params->temperature >= 0 && params->temperature < INFINITY))
        return drt_fail(context, DRT_FAILED, "the temperature must be 0 (greedy) or more");
    if (!(params->top_p > 0 && params->top_p <= 1))
        return drt_fail(context, DRT_FAILED, "top-p must be more than 0 and at most 1");
    return DRT_OK;
}

drt_status drt_session_ask(drt_context *context, drt_session *session, const char *question, size_t length,
                           const drt_ask_params *params, drt_answer **answer) {
    *answer = NULL;
    generation g = {.session = session, .params = params};
    clock_gettime(CLOCK_MONOTONIC, &g.start);
    drt_question read = {0};
    drt_status status = check_params(context, params);
    if (status == DRT_OK)
        status = drt_question_read(context, session, question, length, &read);
    if (status != DRT_OK)
        return status;
    g.stream = (drt_text_stream){.decode = decode_tokens, .decoder = session->model->tokenizer};
    drt_random_seed(&g.random, params->seed, DRT_RANDOM_SAMPLING);
    g.answer = calloc(1, sizeof *g.answer);
    status = g.answer ? answer_question(context, &g, &read) : drt_fail_memory(context, "an answer");
    drt_question_clear(&read);
    drt_buffer_free(&g.text);
    if (status != DRT_OK) {
        drt_answer_free(g.answer);
        return status;
    }
    *answer = g.answer;
    return warn_about(context, session, params, g.answer);
}
