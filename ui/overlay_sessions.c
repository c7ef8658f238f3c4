/* overlay_sessions.c: the questions asked before: searched while typing, opened without a model, deleted after asking.
 * May use: view.h, list.h, edit.h, fold.h, draw.h. */
#include <stdlib.h>
#include <time.h>

#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/fold.h"
#include "ui/list.h"
#include "ui/view.h"

#define TIME_COLUMNS 18 /* "2026-01-31 12:00" and a space at either side */
#define ANSWER_FROM 100 /* columns of the box from which the answer stands beside the question */

typedef struct {
    edit filter;
    bool filtering, deleting;
    size_t *shown; /* indices into model->sessions */
    size_t n_shown;
    list lines;
    rect list_area;        /* of the last draw */
    const ui_model *model; /* during draw */
} sessions;

static void *create(int64_t number) {
    (void)number;
    sessions *view = calloc(1, sizeof *view);
    if (view)
        view->filter.one_line = true;
    return view;
}

static void free_view(void *self) {
    sessions *view = self;
    edit_free(&view->filter);
    free(view->shown);
    free(view);
}

/* --------------------------------------------------------------------------------- the list ---- */

static bool matches(const drt_session_summary *session, const char *folded, size_t length) {
    return fold_contains(session->question.data, session->question.length, folded, length) ||
           fold_contains(session->answer.data, session->answer.length, folded, length);
}

static void refill(sessions *view, const ui_model *model) {
    size_t length;
    char *folded = fold_text(view->filter.length > 0 ? view->filter.text : "", view->filter.length, &length);
    size_t *shown = realloc(view->shown, (model->n_sessions + 1) * sizeof *shown);
    view->n_shown = 0;
    if (shown)
        view->shown = shown;
    for (size_t i = 0; i < model->n_sessions && shown && folded; i++)
        if (matches(&model->sessions[i], folded, length))
            view->shown[view->n_shown++] = i;
    free(folded);
    list_set_count(&view->lines, view->n_shown);
}

static void update(void *self, const ui_model *model, unsigned changed) {
    if (changed & CHANGED_SESSIONS)
        refill(self, model);
}

static const drt_session_summary *selected(const sessions *view, const ui_model *model) {
    return view->n_shown > 0 ? &model->sessions[view->shown[view->lines.selected]] : NULL;
}

/* ------------------------------------------------------------------------------------- draw ---- */

static void format_time(int64_t seconds, char out[32]) {
    time_t time = (time_t)seconds;
    struct tm parts;
    if (!localtime_r(&time, &parts) || strftime(out, 32, "%Y-%m-%d %H:%M", &parts) == 0)
        snprintf(out, 32, "%lld", (long long)seconds);
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const sessions *view = user;
    const drt_session_summary *session = &view->model->sessions[view->shown[index]];
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

static void draw_filter(sessions *view, cells *out, rect line, bool focused) {
    char filter[32];
    key_label(key_of(SCOPE_MOVE, COMMAND_FILTER), filter);
    if (!view->filtering && view->filter.length == 0) {
        cells_printf(out, line, 0, 1, ROLE_DIM, "%s searches questions and answers", filter);
        return;
    }
    int column = 1 + cells_text(out, line, 0, 1, ROLE_ACCENT, filter) + 1;
    edit_draw(&view->filter, out, rect_before(rect_after(line, column), 20), focused && view->filtering, ROLE_INPUT);
    cells_printf(out, line, 0, line.columns - 18, ROLE_DIM, "%10zu found", view->n_shown);
}

static void draw_nothing(const sessions *view, const ui_model *model, cells *out, rect area) {
    cells_text(out, area, 0, 1, ROLE_DIM,
               model->n_sessions == 0    ? "No question has been asked in this library yet."
               : view->filter.length > 0 ? "No question or answer holds this."
                                         : "");
}

static int draw_hint(cells *out, rect line, int column, key_scope scope, ui_command command, const char *does) {
    char label[32];
    key_label(key_of(scope, command), label);
    column += cells_text(out, line, 0, column, ROLE_BAR_KEY, label) + 1;
    return column + cells_text(out, line, 0, column, ROLE_TEXT, does) + 3;
}

static void draw_bottom(const sessions *view, cells *out, rect line) {
    if (view->deleting) {
        int column =
            1 + cells_text(out, line, 0, 1, ROLE_WARNING, "Delete this question with its answer and trace?") + 2;
        column = draw_hint(out, line, column, SCOPE_MOVE, COMMAND_OPEN, "deletes");
        draw_hint(out, line, column, SCOPE_GLOBAL, COMMAND_CANCEL, "keeps");
        return;
    }
    int column = draw_hint(out, line, 1, SCOPE_MOVE, COMMAND_OPEN, "shows it again");
    column = draw_hint(out, line, column, SCOPE_SESSIONS, COMMAND_DELETE, "deletes");
    draw_hint(out, line, column, SCOPE_GLOBAL, COMMAND_CANCEL, view->filter.length > 0 ? "clears" : "leaves");
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    sessions *view = self;
    int margin = area.columns >= ANSWER_FROM ? 8 : 0;
    rect inner = draw_box(out, area, area.rows, area.columns - margin, "past questions");
    draw_filter(view, out, rect_top(inner, 1), focused);
    view->list_area = rect_above(rect_below(inner, 1), 1);
    view->model = model;
    if (view->n_shown == 0)
        draw_nothing(view, model, out, view->list_area);
    list_draw(&view->lines, out, view->list_area, focused, draw_line, view);
    draw_bottom(view, out, rect_bottom(inner, 1));
}

/* --------------------------------------------------------------------------------- commands ---- */

static bool typing(const void *self) {
    return ((const sessions *)self)->filtering;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    (void)actions;
    edit_key(&((sessions *)self)->filter, typed);
    refill(self, model);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)actions;
    edit_insert(&((sessions *)self)->filter, text, length);
    refill(self, model);
}

/* Shows the stored answer; one that is a turn already is not read again. */
static void open_selected(const sessions *view, const ui_model *model, const ui_actions *actions) {
    const drt_session_summary *session = selected(view, model);
    if (!session)
        return;
    size_t turn = 0;
    while (turn < model->n_turns && !(model->turns[turn].trace && model->turns[turn].trace->session == session->id))
        turn++;
    if (turn < model->n_turns)
        emit(actions, ACTION_TURN, (int64_t)turn);
    else
        emit(actions, ACTION_LOAD_SESSION, session->id);
    emit(actions, ACTION_FOCUS, PANE_CONVERSATION);
    emit(actions, ACTION_CLOSE, 0); /* view is gone */
}

static void delete_selected(sessions *view, const ui_model *model, const ui_actions *actions) {
    const drt_session_summary *session = selected(view, model);
    view->deleting = false;
    if (session)
        emit(actions, ACTION_DELETE_SESSION, session->id);
}

/* While the filter is typed, up and down move in the list, and Enter opens. */
static bool filter_command(sessions *view, const ui_model *model, ui_command what, const ui_actions *actions) {
    switch (what) {
    case COMMAND_EDIT_SUBMIT:
        open_selected(view, model, actions);
        return true;
    case COMMAND_CANCEL:
        view->filtering = false;
        return true;
    case COMMAND_EDIT_OLDER:
        return list_command(&view->lines, COMMAND_UP);
    case COMMAND_EDIT_NEWER:
        return list_command(&view->lines, COMMAND_DOWN);
    default:
        if (!edit_command(&view->filter, what))
            return false;
        refill(view, model);
        return true;
    }
}

static bool list_commands(sessions *view, const ui_model *model, ui_command what, const ui_actions *actions) {
    switch (what) {
    case COMMAND_OPEN:
        open_selected(view, model, actions);
        return true;
    case COMMAND_DELETE:
        view->deleting = view->n_shown > 0;
        return true;
    case COMMAND_FILTER:
        view->filtering = true;
        return true;
    case COMMAND_CANCEL:
        if (view->filter.length == 0)
            return false;
        edit_clear(&view->filter);
        refill(view, model);
        return true;
    default:
        return list_command(&view->lines, what);
    }
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    sessions *view = self;
    if (view->deleting && what == COMMAND_OPEN) {
        delete_selected(view, model, actions);
        return true;
    }
    if (view->deleting) {
        view->deleting = false;
        return true;
    }
    return view->filtering ? filter_command(view, model, what, actions) : list_commands(view, model, what, actions);
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    sessions *view = self;
    (void)model;
    (void)area;
    (void)actions;
    return !view->deleting && list_mouse(&view->lines, event, view->list_area);
}

const view_ops overlay_sessions = {
    .title = "past questions",
    .scope = SCOPE_SESSIONS,
    .moving = true,
    .create = create,
    .free = free_view,
    .update = update,
    .draw = draw,
    .typing = typing,
    .command = command,
    .key = key,
    .paste = paste,
    .mouse = mouse,
};
