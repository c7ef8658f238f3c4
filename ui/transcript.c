/* transcript.c: see transcript.h. */
#include "ui/transcript.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/draw.h"

#define MARK_BYTES 4 /* of " [n]" */

/* --------------------------------------------------------------------------------- writing ---- */

static void put(transcript *out, attribute look, const char *text, size_t length) {
    size_t start = out->text.length;
    if (length == 0 || out->failed)
        return;
    if (start + length + 1 > out->capacity) {
        size_t capacity = (start + length) * 2 + 256;
        char *grown = realloc(out->text.data, capacity);
        if (!grown) {
            out->failed = true;
            return;
        }
        out->text.data = grown;
        out->capacity = capacity;
    }
    memcpy(out->text.data + start, text, length);
    out->text.length += length;
    out->text.data[out->text.length] = '\0';
    if (look == ROLE_TEXT)
        return;
    if (out->n_spans == out->spans_capacity) {
        size_t capacity = out->spans_capacity * 2 + 32;
        transcript_span *spans = realloc(out->spans, capacity * sizeof *spans);
        if (!spans) {
            out->failed = true;
            return;
        }
        out->spans = spans;
        out->spans_capacity = capacity;
    }
    out->spans[out->n_spans++] = (transcript_span){start, out->text.length, look};
}

__attribute__((format(printf, 3, 4))) static void put_format(transcript *out, attribute look, const char *format, ...) {
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    put(out, look, text, strlen(text));
}

/* ------------------------------------------------------------------------------- one turn ---- */

/* The answer with its marks; they are numbered by weight, so several may stand at one place. */
static void put_answer(transcript *out, const drt_string *text, const evidence *marks, size_t n_marks,
                       size_t mark_at[EVIDENCE_MAX]) {
    int64_t at = 0, length = (int64_t)text->length;
    while (true) {
        int64_t next = EVIDENCE_NOWHERE;
        for (size_t i = 0; i < n_marks; i++)
            if (mark_at[i] == SIZE_MAX && marks[i].at < next)
                next = marks[i].at;
        if (next > length)
            break;
        put(out, ROLE_TEXT, text->data + at, (size_t)(next - at));
        at = next;
        for (size_t i = 0; i < n_marks; i++)
            if (marks[i].at == next) {
                put(out, ROLE_TEXT, " ", 1);
                mark_at[i] = out->text.length;
                put_format(out, ROLE_ACCENT, "[%zu]", i + 1);
            }
    }
    put(out, ROLE_TEXT, text->data + at, (size_t)(length - at));
    put(out, ROLE_TEXT, "\n\n", 2);
}

static void put_ending(transcript *out, const drt_answer *trace) {
    static const char *const endings[] = {"complete", "cut at the token limit", "stopped"};
    put_format(out, trace->finish == DRT_FINISH_END ? ROLE_DIM : ROLE_WARNING, "%s", endings[trace->finish]);
    put_format(out, ROLE_DIM, ", %zu token%s, first after %.0f ms, all after %.2f s, %s on %s\n", trace->n_tokens,
               trace->n_tokens == 1 ? "" : "s", trace->first_token_ms, trace->total_ms / 1e3, trace->retriever,
               trace->device.data ? trace->device.data : "?");
}

static void put_evidence(transcript *out, const drt_answer *trace, const evidence *marks, size_t n_marks,
                         size_t list_at[EVIDENCE_MAX]) {
    for (size_t i = 0; i < n_marks; i++) {
        const drt_hit *hit = &trace_event(trace, marks[i].place.step, marks[i].place.group)->hits[marks[i].place.hit];
        list_at[i] = out->text.length;
        put_format(out, ROLE_ACCENT, "[%zu]", i + 1);
        put_format(out, ROLE_TEXT, " %.2f ", (double)marks[i].weight);
        put(out, ROLE_TEXT, hit->document.data, hit->document.length);
        if (hit->page > 0)
            put_format(out, ROLE_TEXT, ", p. %lld", (long long)hit->page);
        put_format(out, ROLE_DIM, ", group %d\n", marks[i].place.group + 1);
    }
}

static void put_turn(transcript *out, const ui_model *model, size_t index) {
    const model_turn *turn = &model->turns[index];
    bool shown = index == model->turn;
    evidence marks[EVIDENCE_MAX];
    size_t n_marks = turn->trace ? evidence_of(turn->trace, marks) : 0;
    size_t mark_at[EVIDENCE_MAX], list_at[EVIDENCE_MAX];
    for (size_t i = 0; i < EVIDENCE_MAX; i++)
        mark_at[i] = list_at[i] = SIZE_MAX;
    size_t question = out->text.length;
    put(out, shown ? ROLE_STRONG : ROLE_DIM, turn->question.data, turn->question.length);
    put(out, ROLE_TEXT, "\n\n", 2);
    size_t answer = out->text.length;
    if (turn->text.length > 0)
        put_answer(out, &turn->text, marks, n_marks, mark_at);
    if (turn->error.data) {
        put(out, turn->trace ? ROLE_WARNING : ROLE_ERROR, turn->error.data, turn->error.length);
        put(out, ROLE_TEXT, "\n", 1);
    }
    if (turn->trace) {
        if (turn->text.length == 0 && turn->trace->finish == DRT_FINISH_END)
            put_format(out, ROLE_DIM, "The model gave an empty answer.\n");
        put_ending(out, turn->trace);
        put_evidence(out, turn->trace, marks, n_marks, list_at);
    }
    put(out, ROLE_TEXT, "\n", 1);
    if (!shown)
        return;
    out->question = question;
    out->answer = answer;
    out->n_marks = n_marks;
    memcpy(out->marks, marks, n_marks * sizeof *marks);
    memcpy(out->mark_at, mark_at, sizeof mark_at);
    memcpy(out->list_at, list_at, sizeof list_at);
}

void transcript_make(transcript *out, const ui_model *model) {
    out->text.length = out->n_spans = out->n_marks = 0;
    out->failed = false;
    for (size_t i = 0; i < model->n_turns; i++)
        put_turn(out, model, i);
}

void transcript_free(transcript *out) {
    free(out->text.data);
    free(out->spans);
    *out = (transcript){0};
}

/* --------------------------------------------------------------------------------- places ---- */

/* A byte of the answer -> of the transcript; behind: marks that stand right there come before it. */
static size_t place_of(const transcript *in, int64_t at, bool behind) {
    size_t place = in->answer + (size_t)at;
    for (size_t i = 0; i < in->n_marks; i++)
        if (in->mark_at[i] != SIZE_MAX && (behind ? in->marks[i].at <= at : in->marks[i].at < at))
            place += MARK_BYTES;
    return place;
}

bool transcript_token(const transcript *in, const drt_answer *trace, size_t token, size_t *start, size_t *end) {
    if (!trace || token >= trace->n_tokens || in->failed)
        return false;
    int64_t from = token > 0 ? trace->token_ends[token - 1] : 0, to = trace->token_ends[token];
    while (from < to && (trace->answer.data[from] == ' ' || trace->answer.data[from] == '\n'))
        from++;
    *start = place_of(in, from, true);
    *end = place_of(in, to, false);
    return from < to;
}

int transcript_mark_at(const transcript *in, size_t at) {
    for (size_t i = 0; i < in->n_marks; i++) {
        const char *line = in->list_at[i] == SIZE_MAX ? NULL : in->text.data + in->list_at[i];
        const char *end = line ? strchr(line, '\n') : NULL;
        if (in->mark_at[i] != SIZE_MAX && at >= in->mark_at[i] && at < in->mark_at[i] + MARK_BYTES - 1)
            return (int)i;
        if (end && at >= in->list_at[i] && at < (size_t)(end - in->text.data))
            return (int)i;
    }
    return -1;
}
