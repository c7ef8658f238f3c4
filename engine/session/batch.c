/* batch.c: answers questions, several at a time: one in each lane of the reader, all lanes in one run. A lane whose
 * answer has ended takes the next question at once; answers are given out in the order of the questions.
 * May use: generate.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/session/generate.h"

/* How many questions may begin in one run: one has some 90 slots to read, in two runs, and between runs it is asked
 * whether to stop. */
#define CPU_BEGINNING 2
#define GPU_BEGINNING 64

#define MOST_HELD ((size_t)64 << 20)     /* bytes of what waits to be given out, before no more is taken */
#define MOST_GROWING ((size_t)256 << 20) /* bytes that the attention of all answers in the making may grow to */

/* A question from when it is taken until it is given out. */
typedef struct asked {
    struct asked *next;
    drt_string text;           /* as it was given */
    drt_generation generation; /* its lane is NULL when that is over */
    drt_answer *answer;
    drt_status status;
    drt_string error; /* the sentence of a failure */
    bool announced;   /* its turn */
    size_t bytes;     /* held by this */
} asked;

typedef struct {
    drt_session *session;
    const drt_batch_params *params;
    int n_lanes, most_beginning;
    asked **lanes; /* (n_lanes) whose question each lane answers; NULL: free */
    int n_busy;
    drt_reader_item *items; /* (n_lanes) */
    asked **rows;           /* (n_lanes) whose newest slots the session's hidden and logits are */
    asked *first, *last;    /* what was taken and not given out */
    size_t held;            /* bytes of all that */
    bool ended;             /* no more questions are wanted, */
    bool stopped;           /* nor answers */
} batch;

/* --------------------------------------------------------------------------- lanes -------- */

static bool is_over(const asked *a) {
    return !a->generation.lane;
}

static void release_lane(batch *b, asked *a) {
    if (is_over(a))
        return;
    b->lanes[a->generation.lane->number] = NULL;
    b->n_busy--;
    drt_generation_clear(&a->generation);
}

/* This question has failed with the context's sentence. */
static void fail(drt_context *context, batch *b, asked *a, drt_status status) {
    a->status = status;
    /* Without memory for the sentence one is said that needs none. */
    drt_string_set(&a->error, drt_error(context), strlen(drt_error(context)));
    release_lane(b, a);
}

/* DRT_FAILED concerns this question alone. */
static drt_status settle(drt_context *context, batch *b, asked *a, drt_status status) {
    if (status != DRT_FAILED)
        return status;
    fail(context, b, a, status);
    return DRT_OK;
}

static size_t answer_bytes(const drt_answer *a) {
    size_t slots = (size_t)a->chunk_size, k = (size_t)a->top_k, groups = (size_t)a->n_groups;
    size_t bytes = sizeof *a + a->question.length + a->answer.length + a->n_steps * k * sizeof **a->bm25 +
                   a->n_tokens * (groups * k * slots + sizeof *a->tokens + sizeof *a->token_ends);
    for (size_t e = 0; e < a->n_events; e++) {
        bytes += sizeof *a->events;
        for (size_t i = 0; i < a->events[e].n_hits; i++)
            bytes += sizeof *a->events->hits + a->events[e].hits[i].text.length + slots * sizeof(drt_range);
    }
    return bytes;
}

/* The answer has ended. */
static drt_status finish(drt_context *context, batch *b, asked *a) {
    drt_status status = drt_generation_finish(context, &a->generation, &a->answer);
    if (status != DRT_OK)
        return status;
    release_lane(b, a);
    size_t bytes = answer_bytes(a->answer);
    a->bytes += bytes;
    b->held += bytes;
    return DRT_OK;
}

/* --------------------------------------------------------------------------- give out ----- */

/* What could be better with an answer becomes a warning. */
static drt_status keep(drt_context *context, drt_session *session, const drt_ask_params *params, drt_answer *answer) {
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

static void free_asked(asked *a) {
    drt_generation_clear(&a->generation);
    drt_answer_free(a->answer);
    drt_string_free(&a->text);
    drt_string_free(&a->error);
    free(a);
}

static void hand_over(drt_context *context, batch *b, asked *a) {
    if (a->answer)
        a->status = keep(context, b->session, &b->params->ask, a->answer);
    else
        drt_fail(context, a->status, "%s", a->error.data ? a->error.data : "out of memory");
    drt_batch_result result = {a->text.data, a->text.length, a->status, a->answer};
    a->answer = NULL; /* the receiver's */
    if (!b->params->done(b->params->user, &result))
        b->ended = b->stopped = true;
}

/* It is the first question's turn: what follows is about it. */
static drt_status announce(drt_context *context, batch *b) {
    asked *a = b->first;
    if (!a->announced && b->params->begin)
        b->params->begin(b->params->user, a->text.data, a->text.length);
    a->announced = true;
    return is_over(a) ? DRT_OK : settle(context, b, a, drt_generation_tell(context, &a->generation));
}

/* Answers that have ended and have none before them that has not. */
static drt_status give_out(drt_context *context, batch *b) {
    while (!b->stopped && b->first) {
        asked *a = b->first;
        drt_status status = announce(context, b);
        if (status != DRT_OK || !is_over(a))
            return status;
        b->first = a->next;
        b->held -= a->bytes;
        hand_over(context, b, a);
        free_asked(a);
    }
    return DRT_OK;
}

/* --------------------------------------------------------------------------- take --------- */

static asked *append(batch *b, const drt_batch_question *question) {
    asked *a = calloc(1, sizeof *a);
    if (!a || !drt_string_set(&a->text, question->text, question->length)) {
        free(a);
        return NULL;
    }
    a->bytes = sizeof *a + question->length;
    b->held += a->bytes;
    if (b->first)
        b->last->next = a;
    else
        b->first = a;
    b->last = a;
    return a;
}

static drt_lane *free_lane(batch *b) {
    int i = 0;
    while (b->lanes[i])
        i++;
    return &b->session->lanes[i];
}

/* Begins with a question, or has it fail. */
static drt_status begin(drt_context *context, batch *b, const drt_batch_question *question) {
    drt_lane *lane = free_lane(b);
    asked *a = append(b, question);
    if (!a)
        return drt_fail_memory(context, "a question");
    drt_status status = DRT_OK;
    if (question->problem) {
        status = drt_fail(context, DRT_FAILED, "%s", question->problem);
    } else {
        b->lanes[lane->number] = a;
        b->n_busy++;
        status = drt_generation_start(context, b->session, lane, &b->params->ask, a->text.data, a->text.length,
                                      &a->generation);
    }
    return settle(context, b, a, status);
}

/* Questions for free lanes; waits for one when there is nothing else to do. */
static drt_status take(drt_context *context, batch *b) {
    drt_status status = DRT_OK;
    int before = b->n_busy;
    while (status == DRT_OK && !b->ended && b->n_busy < b->n_lanes && b->n_busy < before + b->most_beginning &&
           (b->held < MOST_HELD || !b->first)) {
        drt_batch_question question = {0};
        bool wait = !b->first;
        drt_batch_next next = b->params->next(b->params->user, wait, &question);
        b->ended = next == DRT_BATCH_END || (wait && next == DRT_BATCH_NOT_YET);
        if (next != DRT_BATCH_QUESTION)
            break;
        status = begin(context, b, &question);
        if (status == DRT_OK)
            status = give_out(context, b);
    }
    return status;
}

/* --------------------------------------------------------------------------- run ---------- */

/* The token that a lane's slots have led to. */
static drt_status advance(drt_context *context, batch *b, asked *a, const float *logits) {
    drt_generation *g = &a->generation;
    drt_status status = drt_lane_check(context, g->lane);
    if (status == DRT_OK)
        status = drt_generation_advance(context, g, logits);
    if (status == DRT_OK && a == b->first)
        status = drt_generation_tell(context, g);
    if (status == DRT_OK && g->n_next == 0)
        status = finish(context, b, a);
    return settle(context, b, a, status);
}

/* The next slots of all lanes, and the tokens that they lead to. */
static drt_status run_lanes(drt_context *context, batch *b) {
    drt_session *s = b->session;
    size_t d = (size_t)s->model->config.d_model, vocab = (size_t)s->model->config.vocab_size;
    int n_items = 0, n_rows = 0;
    for (int i = 0; i < b->n_lanes; i++)
        if (b->lanes[i])
            b->items[n_items++] = drt_generation_item(&b->lanes[i]->generation);
    if (drt_reader_run(context, s->reader, b->items, n_items) != DRT_OK)
        return DRT_FATAL;
    for (int i = 0; i < n_items; i++) {
        drt_generation *g = &b->lanes[b->items[i].lane]->generation;
        if (drt_generation_predicts(g)) {
            b->rows[n_rows] = b->lanes[b->items[i].lane];
            memcpy(s->hidden + (size_t)n_rows++ * d, drt_generation_hidden(g), d * sizeof *s->hidden);
        } else {
            drt_generation_go_on(g);
        }
    }
    if (n_rows == 0)
        return DRT_OK;
    drt_status status = drt_reader_logits(context, s->reader, s->hidden, n_rows, s->logits);
    for (int i = 0; i < n_rows && status == DRT_OK; i++)
        status = advance(context, b, b->rows[i], s->logits + (size_t)i * vocab);
    return status;
}

/* Ends what is in the making where it stands. */
static drt_status cancel(drt_context *context, batch *b) {
    drt_status status = DRT_OK;
    b->ended = true;
    while (status == DRT_OK && !b->stopped && b->first) {
        asked *a = b->first; /* give_out has left none that is over */
        status = drt_generation_cancel(context, &a->generation);
        if (status == DRT_OK)
            status = drt_generation_tell(context, &a->generation);
        if (status == DRT_OK)
            status = finish(context, b, a);
        status = settle(context, b, a, status);
        if (status == DRT_OK)
            status = give_out(context, b);
    }
    return status;
}

static drt_status run(drt_context *context, batch *b) {
    drt_status status = DRT_OK;
    while (status == DRT_OK && !b->stopped) {
        status = take(context, b);
        if (status != DRT_OK || b->n_busy == 0)
            break;
        if (drt_cancelled(context))
            return cancel(context, b);
        status = run_lanes(context, b);
        if (status == DRT_OK)
            status = give_out(context, b);
    }
    return status;
}

/* The end of everything: what was not answered fails with the same sentence, what was is given out. */
static drt_status give_up(drt_context *context, batch *b, drt_status status) {
    drt_string sentence = {0};
    drt_string_set(&sentence, drt_error(context), strlen(drt_error(context)));
    const char *text = sentence.data ? sentence.data : "out of memory";
    for (asked *a = b->first; a; a = a->next) {
        drt_fail(context, status, "%s", text);
        if (!is_over(a))
            fail(context, b, a, status);
    }
    give_out(context, b);
    drt_fail(context, status, "%s", text);
    drt_string_free(&sentence);
    return status;
}

/* --------------------------------------------------------------------------- entry -------- */

/* How many at a time. */
static void plan(batch *b) {
    const drt_config *c = &b->session->model->config;
    bool cpu = strcmp(drt_device_name(b->session->model->device), "cpu") == 0;
    size_t attention = (size_t)c->n_groups * (size_t)c->top_k * (size_t)c->chunk_size;
    size_t most = MOST_GROWING / attention / (size_t)b->params->ask.max_tokens;
    b->n_lanes = b->params->lanes > 0 ? b->params->lanes : cpu ? DRT_PLAN_CPU_LANES : DRT_PLAN_GPU_LANES;
    if ((size_t)b->n_lanes > most)
        b->n_lanes = most > 0 ? (int)most : 1;
    b->most_beginning = cpu ? CPU_BEGINNING : GPU_BEGINNING;
}

drt_batch_params drt_batch_params_default(void) {
    return (drt_batch_params){.ask = drt_ask_params_default()};
}

drt_status drt_session_ask_batch(drt_context *context, drt_session *session, const drt_batch_params *params) {
    batch b = {.session = session, .params = params};
    drt_status status = drt_ask_params_check(context, &params->ask);
    if (status != DRT_OK)
        return status;
    plan(&b);
    status = drt_session_reserve(context, session, b.n_lanes);
    if (status == DRT_OK && b.n_lanes > session->n_lanes) /* memory allows no more */
        b.n_lanes = session->n_lanes;
    b.lanes = calloc((size_t)b.n_lanes, sizeof *b.lanes);
    b.items = calloc((size_t)b.n_lanes, sizeof *b.items);
    b.rows = calloc((size_t)b.n_lanes, sizeof *b.rows);
    if (status == DRT_OK && (!b.lanes || !b.items || !b.rows))
        status = drt_fail_memory(context, "a batch");
    if (status == DRT_OK) {
        status = run(context, &b);
        if (status != DRT_OK)
            status = give_up(context, &b, status);
    }
    while (b.first) {
        asked *a = b.first;
        b.first = a->next;
        free_asked(a);
    }
    free(b.lanes);
    free(b.items);
    free(b.rows);
    return status;
}

/* A batch of one. */
typedef struct {
    drt_batch_question question;
    bool taken;
    drt_status status;
    drt_answer *answer;
} single;

static drt_batch_next next_single(void *user, bool wait, drt_batch_question *question) {
    single *one = user;
    (void)wait;
    if (one->taken)
        return DRT_BATCH_END;
    one->taken = true;
    *question = one->question;
    return DRT_BATCH_QUESTION;
}

static bool take_single(void *user, const drt_batch_result *result) {
    single *one = user;
    one->status = result->status;
    one->answer = result->answer;
    return true;
}

drt_status drt_session_ask(drt_context *context, drt_session *session, const char *question, size_t length,
                           const drt_ask_params *params, drt_answer **answer) {
    single one = {.question = {.text = question, .length = length}};
    drt_batch_params batch_of_one = {
        .ask = *params, .lanes = 1, .next = next_single, .done = take_single, .user = &one};
    drt_status status = drt_session_ask_batch(context, session, &batch_of_one);
    *answer = one.answer;
    return status == DRT_OK ? one.status : status;
}
