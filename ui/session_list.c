/* session_list.c: see session_list.h. */
#include "ui/session_list.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "ui/draw.h"
#include "ui/fold.h"

#define TIME_COLUMNS 18 /* "2026-01-31 12:00" and a space at either side */
#define ANSWER_FROM 90  /* columns of the list from which the answer stands beside the question */

void session_list_free(session_list *sessions) {
    edit_free(&sessions->filter);
    free(sessions->shown);
}

static bool matches(const drt_session_summary *session, const char *folded, size_t length) {
    return fold_contains(session->question.data, session->question.length, folded, length) ||
           fold_contains(session->answer.data, session->answer.length, folded, length);
}

void session_list_fill(session_list *sessions, const ui_model *model) {
    size_t length;
    char *folded =
        fold_text(sessions->filter.length > 0 ? sessions->filter.text : "", sessions->filter.length, &length);
    size_t *shown = realloc(sessions->shown, (model->n_sessions + 1) * sizeof *shown);
    sessions->n_shown = 0;
    if (shown)
        sessions->shown = shown;
    for (size_t i = 0; i < model->n_sessions && shown && folded; i++)
        if (model->sessions[i].id != sessions->left_out && matches(&model->sessions[i], folded, length))
            sessions->shown[sessions->n_shown++] = i;
    free(folded);
    list_set_count(&sessions->lines, sessions->n_shown);
}

const drt_session_summary *session_list_selected(const session_list *sessions, const ui_model *model) {
    return sessions->n_shown > 0 ? &model->sessions[sessions->shown[sessions->lines.selected]] : NULL;
}

/* ------------------------------------------------------------------------------------- draw ---- */

static void format_time(int64_t seconds, char out[32]) {
    time_t time = (time_t)seconds;
    struct tm parts;
    if (!localtime_r(&time, &parts) || strftime(out, 32, "%Y-%m-%d %H:%M", &parts) == 0)
        snprintf(out, 32, "%lld", (long long)seconds);
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const session_list *sessions = user;
    const drt_session_summary *session = &sessions->model->sessions[sessions->shown[index]];
    attribute beside = look == ROLE_TEXT ? ROLE_DIM : look;
    char time[32];
    format_time(session->time, time);
    cells_text(out, row, 0, 1, beside, time);
    rect text = rect_after(row, TIME_COLUMNS);
    int question = row.columns >= ANSWER_FROM ? text.columns / 2 : text.columns;
    cells_put_cut(out, text, 0, 0, question - 1, CUT_END, look, session->question.data, session->question.length);
    rect answer = rect_after(text, question);
    cells_put_cut(out, answer, 0, 0, answer.columns, CUT_END, beside, session->answer.data, session->answer.length);
}

static void draw_filter(session_list *sessions, cells *out, rect line, bool focused) {
    char filter[32];
    key_label(key_of(SCOPE_MOVE, COMMAND_FILTER), filter);
    if (!sessions->filtering && sessions->filter.length == 0) {
        cells_printf(out, line, 0, 1, ROLE_DIM, "%s searches questions and answers", filter);
        return;
    }
    int column = 1 + cells_text(out, line, 0, 1, ROLE_ACCENT, filter) + 1;
    edit_draw(&sessions->filter, out, rect_before(rect_after(line, column), 20), focused && sessions->filtering,
              ROLE_INPUT);
    cells_printf(out, line, 0, line.columns - 18, ROLE_DIM, "%10zu found", sessions->n_shown);
}

static void draw_nothing(const session_list *sessions, cells *out, rect area) {
    cells_text(out, area, 0, 1, ROLE_DIM,
               sessions->model->n_sessions == 0 ? "No question has been asked in this library yet."
               : sessions->filter.length > 0    ? "No question or answer holds this."
                                                : "No other question has been asked in this library.");
}

void session_list_draw(session_list *sessions, const ui_model *model, cells *out, rect area, bool focused) {
    sessions->model = model;
    sessions->area = rect_below(area, 1);
    draw_filter(sessions, out, rect_top(area, 1), focused);
    if (sessions->n_shown == 0)
        draw_nothing(sessions, out, sessions->area);
    list_draw(&sessions->lines, out, sessions->area, focused, draw_line, sessions);
}

/* --------------------------------------------------------------------------------- commands ---- */

void session_list_key(session_list *sessions, const ui_model *model, ui_key typed) {
    edit_key(&sessions->filter, typed);
    session_list_fill(sessions, model);
}

void session_list_paste(session_list *sessions, const ui_model *model, const char *text, size_t length) {
    edit_insert(&sessions->filter, text, length);
    session_list_fill(sessions, model);
}

/* While the filter is typed, up and down move in the list. */
static bool filter_command(session_list *sessions, const ui_model *model, ui_command what) {
    switch (what) {
    case COMMAND_CANCEL:
        sessions->filtering = false;
        return true;
    case COMMAND_EDIT_OLDER:
        return list_command(&sessions->lines, COMMAND_UP);
    case COMMAND_EDIT_NEWER:
        return list_command(&sessions->lines, COMMAND_DOWN);
    default:
        if (!edit_command(&sessions->filter, what))
            return false;
        session_list_fill(sessions, model);
        return true;
    }
}

bool session_list_command(session_list *sessions, const ui_model *model, ui_command what) {
    if (sessions->filtering)
        return filter_command(sessions, model, what);
    if (what == COMMAND_FILTER) {
        sessions->filter.one_line = true;
        sessions->filtering = true;
        return true;
    }
    if (what == COMMAND_CANCEL && sessions->filter.length > 0) {
        edit_clear(&sessions->filter);
        session_list_fill(sessions, model);
        return true;
    }
    return list_command(&sessions->lines, what);
}

bool session_list_mouse(session_list *sessions, const ui_event *event) {
    return list_mouse(&sessions->lines, event, sessions->area);
}
