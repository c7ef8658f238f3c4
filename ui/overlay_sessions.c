/* overlay_sessions.c: the questions asked before: searched while typing, opened without a model, deleted after asking.
 * May use: view.h, session_list.h, draw.h. */
#include <stdlib.h>

#include "ui/draw.h"
#include "ui/session_list.h"
#include "ui/view.h"

#define MARGIN_FROM 100 /* columns of the screen from which the box leaves some at its sides */

typedef struct {
    session_list list;
    bool deleting;
} sessions;

static void *create(int64_t number) {
    (void)number;
    return calloc(1, sizeof(sessions));
}

static void free_view(void *self) {
    session_list_free(&((sessions *)self)->list);
    free(self);
}

static void update(void *self, const ui_model *model, unsigned changed) {
    if (changed & CHANGED_SESSIONS)
        session_list_fill(&((sessions *)self)->list, model);
}

/* ------------------------------------------------------------------------------------- draw ---- */

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
    draw_hint(out, line, column, SCOPE_GLOBAL, COMMAND_CANCEL, view->list.filter.length > 0 ? "clears" : "leaves");
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    sessions *view = self;
    int margin = area.columns >= MARGIN_FROM ? 8 : 0;
    rect inner = draw_box(out, area, area.rows, area.columns - margin, "past questions");
    session_list_draw(&view->list, model, out, rect_above(inner, 1), focused);
    draw_bottom(view, out, rect_bottom(inner, 1));
}

/* --------------------------------------------------------------------------------- commands ---- */

static bool typing(const void *self) {
    return ((const sessions *)self)->list.filtering;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    (void)actions;
    session_list_key(&((sessions *)self)->list, model, typed);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)actions;
    session_list_paste(&((sessions *)self)->list, model, text, length);
}

/* Shows the stored answer; one that is a turn already is not read again. */
static void open_selected(const sessions *view, const ui_model *model, const ui_actions *actions) {
    const drt_session_summary *session = session_list_selected(&view->list, model);
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

static void delete_selected(const sessions *view, const ui_model *model, const ui_actions *actions) {
    const drt_session_summary *session = session_list_selected(&view->list, model);
    if (session)
        emit(actions, ACTION_DELETE_SESSION, session->id);
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    sessions *view = self;
    if (view->deleting) {
        view->deleting = false;
        if (what == COMMAND_OPEN)
            delete_selected(view, model, actions);
        return true;
    }
    if (what == COMMAND_OPEN || what == COMMAND_EDIT_SUBMIT)
        open_selected(view, model, actions);
    else if (what == COMMAND_DELETE)
        view->deleting = view->list.n_shown > 0;
    else
        return session_list_command(&view->list, model, what);
    return true;
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    sessions *view = self;
    (void)model;
    (void)area;
    (void)actions;
    return !view->deleting && session_list_mouse(&view->list, event);
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
