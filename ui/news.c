/* news.c: see news.h. */
#include "ui/news.h"

#include <stdlib.h>
#include <string.h>

/* Moves an owned string. */
static void take_string(drt_string *to, drt_string *from) {
    drt_string_free(to);
    *to = *from;
    *from = (drt_string){0};
}

void model_notice(ui_model *model, notice_kind kind, const char *text, size_t length) {
    model->notice = model_string_set(&model->notice_text, text, length) ? kind : NOTICE_NONE;
}

/* --------------------------------------------------------------------------------- answers ---- */

static model_turn *add_turn(ui_model *model) {
    model_turn *turns = realloc(model->turns, (model->n_turns + 1) * sizeof *turns);
    if (!turns)
        return NULL;
    model->turns = turns;
    model->turn = model->n_turns++;
    model->turns[model->turn] = (model_turn){0};
    model->place = (trace_place){0};
    return &model->turns[model->turn];
}

bool model_begin_turn(ui_model *model, const char *question, size_t length) {
    model_turn *turn = add_turn(model);
    model->answering = turn ? model->device.data ? ANSWER_RETRIEVING : ANSWER_LOADING : model->answering;
    return turn && model_string_set(&turn->question, question, length);
}

/* The turn that an answer is being written for: the last one. */
static model_turn *open_turn(ui_model *model) {
    return model->answering != ANSWER_IDLE && model->n_turns > 0 ? &model->turns[model->n_turns - 1] : NULL;
}

static unsigned take_token(ui_model *model, const news *message) {
    model_turn *turn = open_turn(model);
    if (!turn)
        return 0;
    model->answering = ANSWER_WRITING;
    model_string_append(&turn->text, message->text.data, message->text.length);
    return CHANGED_TURNS;
}

/* Room for one more event and, when it begins a step, for that step's ranking. */
static bool grow_live(drt_answer *live, const drt_event *event) {
    drt_event *events = realloc(live->events, (live->n_events + 1) * sizeof *events);
    if (events)
        live->events = events;
    int64_t **rankings = realloc(live->bm25, (live->n_steps + 1) * sizeof *rankings);
    if (rankings)
        live->bm25 = rankings;
    if (!events || !rankings || (size_t)event->step > live->n_steps)
        return false;
    if ((size_t)event->step < live->n_steps)
        return true;
    int64_t *row = malloc((size_t)live->top_k * sizeof *row);
    for (int i = 0; row && i < live->top_k; i++)
        row[i] = -1;
    if (row)
        live->bm25[live->n_steps++] = row;
    return row != NULL;
}

static unsigned take_event(ui_model *model, news *message) {
    model_turn *turn = open_turn(model);
    drt_answer *given = message->answer;
    if (!turn)
        return 0;
    if (!turn->live) {
        turn->live = calloc(1, sizeof *turn->live);
        if (!turn->live)
            return 0;
        turn->live->n_groups = given->n_groups;
        turn->live->top_k = given->top_k;
        turn->live->chunk_size = given->chunk_size;
    }
    if (!grow_live(turn->live, &given->events[0]))
        return 0; /* out of memory: it comes with the answer */
    turn->live->events[turn->live->n_events++] = given->events[0];
    given->n_events = 0;
    return CHANGED_TURNS;
}

static bool set_trace(model_turn *turn, drt_answer **trace) {
    drt_answer_free(turn->live);
    turn->live = NULL;
    drt_answer_free(turn->trace);
    turn->trace = *trace;
    *trace = NULL;
    return model_string_set(&turn->text, turn->trace->answer.data, turn->trace->answer.length);
}

static unsigned take_answer(ui_model *model, news *message) {
    model_turn *turn = open_turn(model);
    model->answering = ANSWER_IDLE;
    if (!turn)
        return CHANGED_TURNS;
    set_trace(turn, &message->answer);
    take_string(&turn->error, &message->reason);
    model_set_place(model, model->place);
    return CHANGED_TURNS | CHANGED_PLACE;
}

static unsigned take_compared(ui_model *model, news *message) {
    drt_answer_free(model->compared);
    model->compared = message->answer;
    message->answer = NULL;
    return CHANGED_COMPARED;
}

static unsigned take_session(ui_model *model, news *message) {
    if (model->answering != ANSWER_IDLE) { /* the turn being answered stays the last one */
        static const char wait[] = "An answer is being written: open it afterwards, or stop with Ctrl-C.";
        model_notice(model, NOTICE_WARNING, wait, sizeof wait - 1);
        return 0;
    }
    model_turn *turn = add_turn(model);
    if (!turn)
        return 0;
    model_string_set(&turn->question, message->answer->question.data, message->answer->question.length);
    set_trace(turn, &message->answer);
    model_set_place(model, model->place);
    return CHANGED_TURNS | CHANGED_PLACE;
}

/* --------------------------------------------------------------------------------- library ---- */

static unsigned take_library(ui_model *model, news *message) {
    model->open = true;
    model->facts = message->facts;
    take_string(&model->model_name, &message->text);
    drt_string_free(&model->library_error);
    model->library_error = (drt_string){0};
    return CHANGED_LIBRARY;
}

static unsigned take_documents(ui_model *model, news *message) {
    model_set_documents(model, message->documents, message->n);
    message->documents = NULL;
    message->n = 0;
    return CHANGED_DOCUMENTS;
}

static unsigned take_sessions(ui_model *model, news *message) {
    model_clear_sessions(model);
    model->sessions = message->sessions;
    model->n_sessions = message->n;
    message->sessions = NULL;
    message->n = 0;
    return CHANGED_SESSIONS;
}

static unsigned take_text(ui_model *model, news *message) {
    bool whole = message->work == WORK_TEXT;
    model_passage *passage = whole ? &model->document : &model->passage;
    model_clear_passage(passage);
    passage->loaded = true;
    passage->document = message->document;
    passage->chunk = message->chunk;
    passage->start = message->start;
    passage->end = message->end;
    take_string(&passage->path, &message->path);
    take_string(&passage->text, &message->text);
    passage->borders = message->borders;
    passage->n_borders = message->n_borders;
    passage->first_chunk = message->first_chunk;
    message->borders = NULL;
    return whole ? CHANGED_DOCUMENT : CHANGED_PASSAGE;
}

static unsigned take_completion(ui_model *model, news *message) {
    model_clear_completion(model);
    take_string(&model->completion.typed, &message->path);
    take_string(&model->completion.common, &message->text);
    model->completion.names = message->names;
    model->completion.n_names = message->n;
    message->names = NULL;
    message->n = 0;
    return CHANGED_COMPLETION;
}

static unsigned take_model(ui_model *model, news *message) {
    take_string(&model->device, &message->text);
    model->n_groups = message->n_groups;
    model->top_k = message->top_k;
    if (model->answering == ANSWER_LOADING)
        model->answering = ANSWER_RETRIEVING;
    return CHANGED_LIBRARY | CHANGED_TURNS;
}

/* ---------------------------------------------------------------------------------- ingest ---- */

void model_begin_ingest(ui_model *model, const char *path) {
    model_clear_ingest(model);
    model->ingest.running = true;
    model_string_set(&model->ingest.source, path, strlen(path));
}

/* A rate over the last seconds: each message moves it by its share of them. */
static double smooth(double rate, double done, double seconds, bool first) {
    if (seconds <= 0)
        return rate;
    double share = first ? 1 : seconds < 3 ? seconds / 3 : 1;
    return rate + share * (done / seconds - rate);
}

static unsigned take_progress(ui_model *model, news *message) {
    model_ingest *ingest = &model->ingest;
    const drt_progress *now = &message->progress;
    double passed = now->seconds - ingest->seconds;
    bool first = ingest->tokens == 0;
    ingest->tokens_per_second =
        smooth(ingest->tokens_per_second, (double)(now->tokens - ingest->tokens), passed, first);
    ingest->bytes_per_second =
        smooth(ingest->bytes_per_second, (double)(now->bytes_done - ingest->bytes_done), passed, first);
    memcpy(ingest->stages, now->stages, sizeof ingest->stages);
    ingest->members_done = now->members_done;
    ingest->members_failed = now->members_failed;
    ingest->bytes_done = now->bytes_done;
    ingest->bytes_total = now->bytes_total;
    ingest->chunks = now->chunks;
    ingest->tokens = now->tokens;
    ingest->seconds = now->seconds;
    take_string(&ingest->current, &message->text);
    return CHANGED_INGEST;
}

static unsigned take_member(ui_model *model, news *message) {
    model_ingest *ingest = &model->ingest;
    model_failure *failures = realloc(ingest->failures, (ingest->n_failures + 1) * sizeof *failures);
    if (!failures)
        return 0; /* it is in the list of documents too */
    ingest->failures = failures;
    failures[ingest->n_failures++] = (model_failure){message->path, message->reason, message->status};
    message->path = message->reason = (drt_string){0};
    return CHANGED_INGEST;
}

static unsigned take_ingested(ui_model *model, const news *message) {
    model->ingest.running = false;
    model->ingest.finished = true;
    model->ingest.report = message->report;
    return CHANGED_INGEST;
}

/* --------------------------------------------------------------------------------- failures ---- */

static unsigned take_failure(ui_model *model, news *message) {
    model_turn *turn = open_turn(model);
    switch (message->work) {
    case WORK_LIBRARY:
        model->open = false;
        take_string(&model->library_error, &message->text);
        return CHANGED_LIBRARY;
    case WORK_TEXT:
        model_clear_passage(&model->document);
        take_string(&model->document.error, &message->text);
        return CHANGED_DOCUMENT;
    case WORK_CHUNK:
        model_clear_passage(&model->passage);
        take_string(&model->passage.error, &message->text);
        return CHANGED_PASSAGE;
    case WORK_ASK:
        model->answering = ANSWER_IDLE;
        if (turn)
            take_string(&turn->error, &message->text);
        return CHANGED_TURNS;
    case WORK_INGEST:
        model->ingest.running = false;
        model->ingest.finished = true;
        take_string(&model->ingest.error, &message->text);
        return CHANGED_INGEST;
    default:
        if (message->work == WORK_REMOVE)
            model->removing--;
        model_notice(model, NOTICE_ERROR, message->text.data, message->text.length);
        return 0;
    }
}

static void take_done(ui_model *model, const news *message) {
    static const char removed[] = "Removed from the library.";
    if (message->work == WORK_REMOVE && --model->removing == 0)
        model_notice(model, NOTICE_INFO, removed, strlen(removed));
}

unsigned model_take_news(ui_model *model, news *message) {
    unsigned changed = 0;
    switch (message->kind) {
    case NEWS_LIBRARY:
        changed = take_library(model, message);
        break;
    case NEWS_DOCUMENTS:
        changed = take_documents(model, message);
        break;
    case NEWS_SESSIONS:
        changed = take_sessions(model, message);
        break;
    case NEWS_TEXT:
        changed = take_text(model, message);
        break;
    case NEWS_COMPLETION:
        changed = take_completion(model, message);
        break;
    case NEWS_SESSION:
        changed = message->work == WORK_SESSION_COMPARE ? take_compared(model, message) : take_session(model, message);
        break;
    case NEWS_MODEL:
        changed = take_model(model, message);
        break;
    case NEWS_TOKEN:
        changed = take_token(model, message);
        break;
    case NEWS_EVENT:
        changed = take_event(model, message);
        break;
    case NEWS_ANSWER:
        changed = take_answer(model, message);
        break;
    case NEWS_PROGRESS:
        changed = take_progress(model, message);
        break;
    case NEWS_MEMBER:
        changed = take_member(model, message);
        break;
    case NEWS_INGESTED:
        changed = take_ingested(model, message);
        break;
    case NEWS_WARNING:
        model_notice(model, NOTICE_WARNING, message->text.data, message->text.length);
        break;
    case NEWS_FAILED:
        changed = take_failure(model, message);
        break;
    case NEWS_DONE:
        take_done(model, message);
        break;
    case NEWS_FOUND:
        break;
    }
    news_free(message);
    return changed;
}
