/* ask.c: asks for what is hidden and keeps the score. */
#include <stdlib.h>
#include <string.h>

#include "engine/bench/bench.h"
#include "engine/eval/eval.h"
#include "engine/eval/judge.h"

#define MOST_TOKENS 24 /* of an answer; names and numbers take fewer */

static drt_eval_kind kind_of(const drt_fact *fact) {
    return fact->n_sentences > 1                ? DRT_EVAL_TWO_HOP
           : strcmp(fact->kind, "passkey") == 0 ? DRT_EVAL_PASS_KEY
                                                : DRT_EVAL_ONE_HOP;
}

/* The best rank of the place's chunks among the hits; 0: none is there. */
static int rank_of(const drt_event *event, const drt_place *place) {
    for (size_t i = 0; i < event->n_hits; i++) /* in the order of their ranks */
        if (event->hits[i].chunk >= place->first_chunk && event->hits[i].chunk <= place->last_chunk)
            return event->hits[i].rank;
    return 0;
}

/* What the groups found at the question's landmark. */
static void rank_sentences(const drt_needle *needle, const drt_answer *answer, drt_eval_result *result) {
    for (size_t s = 0; s < needle->fact.n_sentences; s++) {
        const drt_place *place = &needle->places[s];
        drt_eval_sentence *sentence = &result->sentences[s];
        *sentence = (drt_eval_sentence){.text = needle->fact.sentences[s],
                                        .depth = place->depth,
                                        .first_chunk = place->first_chunk,
                                        .last_chunk = place->last_chunk};
        for (size_t e = 0; e < answer->n_events; e++)
            if (answer->events[e].step == 0)
                sentence->rank[answer->events[e].group] = rank_of(&answer->events[e], place);
    }
}

static void count(drt_eval_score *score, const drt_eval_result *result) {
    score->asked++;
    score->right += result->right;
    for (int g = 0; g < DRT_MAX_GROUPS; g++) {
        bool first = result->sentences[0].rank[g] > 0;
        bool second = result->n_sentences > 1 && result->sentences[1].rank[g] > 0;
        score->found_first[g] += first;
        score->found_second[g] += second;
        score->found_any[g] += first || second;
    }
}

static bool reserve(drt_eval_state *run) {
    if (run->n_asked < run->capacity)
        return true;
    size_t capacity = run->capacity ? 2 * run->capacity : 64;
    double *first = realloc(run->first_token_ms, capacity * sizeof *first);
    if (first)
        run->first_token_ms = first;
    double *answer = realloc(run->answer_ms, capacity * sizeof *answer);
    if (answer)
        run->answer_ms = answer;
    double *retrieval = realloc(run->retrieval_ms, capacity * sizeof *retrieval);
    if (retrieval)
        run->retrieval_ms = retrieval;
    if (first && answer && retrieval)
        run->capacity = capacity;
    return first && answer && retrieval;
}

/* Of all groups at the question's landmark. */
static double retrieval_ms(const drt_answer *answer) {
    double ms = 0;
    for (size_t e = 0; e < answer->n_events; e++)
        if (answer->events[e].step == 0)
            ms += answer->events[e].ms;
    return ms;
}

static drt_status record(drt_eval_state *run, const drt_needle *needle, const drt_answer *answer) {
    drt_eval_result result = {.kind = kind_of(&needle->fact),
                              .pattern = needle->fact.kind,
                              .question = needle->fact.question,
                              .expected = needle->fact.answer,
                              .n_sentences = needle->fact.n_sentences,
                              .answer = answer};
    drt_status status = drt_judge(run->context, &answer->answer, &needle->fact.answer, &result.right);
    if (status != DRT_OK)
        return status;
    if (!reserve(run))
        return drt_fail_memory(run->context, "an evaluation");
    rank_sentences(needle, answer, &result);
    count(&run->report->scores[result.kind], &result);
    run->first_token_ms[run->n_asked] = answer->first_token_ms;
    run->retrieval_ms[run->n_asked] = retrieval_ms(answer);
    run->answer_ms[run->n_asked++] = answer->total_ms;
    if (run->params->result)
        run->params->result(run->params->user, &result);
    return DRT_OK;
}

/* Questions under way. */
typedef struct {
    drt_eval_state *run;
    const drt_needle *needles;
    size_t n, given, answered;
    drt_status status;
} asking;

static drt_batch_next next_question(void *user, bool wait, drt_batch_question *question) {
    asking *a = user;
    (void)wait; /* there is nothing to wait for */
    if (a->given == a->n)
        return DRT_BATCH_END;
    const drt_string *text = &a->needles[a->given++].fact.question;
    *question = (drt_batch_question){.text = text->data, .length = text->length};
    return DRT_BATCH_QUESTION;
}

static bool take_answer(void *user, const drt_batch_result *result) {
    asking *a = user;
    if (result->status < DRT_WARN)
        a->status = result->status;
    else if (result->answer->finish == DRT_FINISH_CANCELLED)
        a->status = drt_eval_cancelled(a->run->context);
    else
        a->status = record(a->run, &a->needles[a->answered++], result->answer);
    drt_answer_free(result->answer);
    return a->status == DRT_OK;
}

drt_status drt_eval_ask(drt_eval_state *run, drt_session *session, const drt_needle *needles, size_t n) {
    asking a = {.run = run, .needles = needles, .n = n, .status = DRT_OK};
    drt_batch_params params = drt_batch_params_default();
    double start = drt_bench_clock();
    params.ask.max_tokens = MOST_TOKENS;
    params.ask.store = false;
    params.lanes = run->params->lanes;
    params.next = next_question;
    params.done = take_answer;
    params.user = &a;
    drt_status status = drt_session_ask_batch(run->context, session, &params);
    run->report->ask_seconds += drt_bench_clock() - start;
    if (a.status != DRT_OK)
        return a.status; /* its sentence stands */
    return status == DRT_OK && a.answered < n ? drt_eval_cancelled(run->context) : status;
}

void drt_eval_note_memory(drt_eval_state *run) {
    int64_t device = drt_bench_device_memory(run->eval->model);
    drt_bench_memory(&run->report->peak_bytes, &run->report->anonymous_bytes);
    if (device > run->report->device_bytes)
        run->report->device_bytes = device;
}

void drt_eval_sum_up(drt_eval_state *run) {
    drt_eval_report *report = run->report;
    for (int k = 0; k < DRT_EVAL_KINDS; k++) {
        drt_eval_score *score = &report->scores[k];
        score->high = 1;
        if (score->asked > 0)
            drt_wilson(score->right, score->asked, &score->low, &score->high);
    }
    if (run->n_asked == 0)
        return;
    report->first_token_ms = drt_bench_median(run->first_token_ms, run->n_asked);
    report->slowest_ms = run->first_token_ms[run->n_asked - 1]; /* sorted now */
    report->retrieval_ms = drt_bench_median(run->retrieval_ms, run->n_asked);
    report->answer_ms = drt_bench_median(run->answer_ms, run->n_asked);
}
