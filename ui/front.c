/* front.c: focus, overlays, commands that mean the same everywhere, and actions. See front.h. */
#include "ui/front.h"

#include <string.h>

#include "ui/news.h"

static void take_action(void *user, const ui_action *action) {
    front_act(user, action);
}

static ui_actions inside(front *state) {
    return (ui_actions){take_action, state};
}

static front_view *active_view(front *state) {
    return state->n_overlays > 0 ? &state->overlays[state->n_overlays - 1] : &state->panes[state->focus];
}

static bool open_view(front *state, front_view *view, const view_ops *ops, int64_t number) {
    void *self = ops->create(number);
    if (!self)
        return false;
    *view = (front_view){.ops = ops, .self = self};
    if (ops->update)
        ops->update(self, &state->model, CHANGED_ALL);
    return true;
}

bool front_init(front *state, const char *path, const ui_actions *outside) {
    *state = (front){.outside = *outside, .focus = PANE_DOCUMENTS};
    state->model.passage.chunk = state->model.document.chunk = -1;
    state->model.asking =
        (model_asking){.retriever = DRT_RETRIEVER_LEARNED, .max_tokens = drt_ask_params_default().max_tokens};
    bool ok = model_string_set(&state->model.path, path, strlen(path));
    for (int i = 0; i < PANE_COUNT && ok; i++)
        ok = open_view(state, &state->panes[i], view_of_pane((pane_id)i), 0);
    if (!ok)
        front_free(state);
    return ok;
}

static void close_overlay(front *state) {
    front_view *top = &state->overlays[--state->n_overlays];
    top->ops->free(top->self);
}

void front_free(front *state) {
    while (state->n_overlays > 0)
        close_overlay(state);
    for (int i = 0; i < PANE_COUNT; i++)
        if (state->panes[i].self)
            state->panes[i].ops->free(state->panes[i].self);
    model_free(&state->model);
    *state = (front){0};
}

void front_changed(front *state, unsigned changed) {
    for (int i = 0; i < PANE_COUNT && changed; i++)
        if (state->panes[i].ops->update)
            state->panes[i].ops->update(state->panes[i].self, &state->model, changed);
    for (size_t i = 0; i < state->n_overlays && changed; i++)
        if (state->overlays[i].ops->update)
            state->overlays[i].ops->update(state->overlays[i].self, &state->model, changed);
}

/* --------------------------------------------------------------------------------- actions ---- */

static void open_overlay(front *state, overlay_id id, int64_t number) {
    const view_ops *ops = view_of_overlay(id);
    for (size_t i = 0; i < state->n_overlays; i++)
        if (state->overlays[i].id == id)
            return; /* it is open */
    if (!ops || state->n_overlays == FRONT_OVERLAYS)
        return;
    if (open_view(state, &state->overlays[state->n_overlays], ops, number))
        state->overlays[state->n_overlays++].id = id;
}

static void set_place(front *state, trace_place place) {
    const drt_hit *before = model_hit(&state->model);
    model_set_place(&state->model, place);
    const drt_hit *hit = model_hit(&state->model);
    front_changed(state, CHANGED_PLACE);
    if (hit && (hit != before || state->model.passage.chunk != hit->chunk))
        emit(&state->outside, ACTION_OPEN_CHUNK, hit->chunk);
}

void front_act(front *state, const ui_action *action) {
    switch (action->kind) {
    case ACTION_COMMAND:
        front_command(state, (ui_command)action->number);
        return;
    case ACTION_FOCUS:
        state->focus = (pane_id)action->number;
        return;
    case ACTION_OVERLAY:
        open_overlay(state, action->overlay, action->number);
        return;
    case ACTION_CLOSE:
        if (state->n_overlays > 0)
            close_overlay(state);
        return;
    case ACTION_PLACE:
        set_place(state, action->place);
        return;
    case ACTION_TURN:
        if ((size_t)action->number < state->model.n_turns) {
            state->model.turn = (size_t)action->number;
            front_changed(state, CHANGED_TURNS);
            set_place(state, (trace_place){0});
        }
        return;
    case ACTION_MARK:
        model_mark(&state->model, action->number, true);
        return;
    case ACTION_UNMARK:
        if (action->number == 0)
            model_clear_marks(&state->model);
        else
            model_mark(&state->model, action->number, false);
        return;
    case ACTION_RETRIEVER:
        state->model.asking.retriever = (drt_retriever)action->number;
        return;
    case ACTION_MAX_TOKENS:
        state->model.asking.max_tokens = (int)action->number;
        return;
    case ACTION_DOCUMENT_FILTER:
        model_string_set(&state->model.asking.documents, action->length > 0 ? action->text : NULL, action->length);
        return;
    case ACTION_NOTICE:
        model_notice(&state->model, (notice_kind)action->number, action->text, action->length);
        return;
    default:
        state->outside.take(state->outside.user, action);
    }
}

/* -------------------------------------------------------------------------------- commands ---- */

static void cancel(front *state) {
    if (state->n_overlays > 0)
        close_overlay(state);
}

static void toggle_overlay(front *state, overlay_id id, int64_t number) {
    if (state->n_overlays > 0 && state->overlays[state->n_overlays - 1].id == id)
        close_overlay(state);
    else
        open_overlay(state, id, number);
}

static void focus_by(front *state, int step) {
    state->focus = (pane_id)(((int)state->focus + step + PANE_COUNT) % PANE_COUNT);
}

/* Commands about the panes; they wait while something lies over these. */
static bool pane_command(front *state, ui_command command) {
    if (state->n_overlays > 0)
        return false;
    switch (command) {
    case COMMAND_NEXT_PANE:
        focus_by(state, 1);
        return true;
    case COMMAND_PREVIOUS_PANE:
        focus_by(state, -1);
        return true;
    case COMMAND_GO_DOCUMENTS:
        state->focus = PANE_DOCUMENTS;
        return true;
    case COMMAND_GO_CONVERSATION:
        state->focus = PANE_CONVERSATION;
        return true;
    case COMMAND_ASK:
        state->focus = PANE_CONVERSATION;
        front_command(state, command); /* to its question line */
        return true;
    case COMMAND_GO_RETRIEVAL:
        state->focus = PANE_RETRIEVAL;
        return true;
    case COMMAND_GO_PASSAGE:
        state->focus = PANE_PASSAGE;
        return true;
    case COMMAND_ZOOM:
        state->zoomed = !state->zoomed;
        return true;
    case COMMAND_SESSIONS:
        open_overlay(state, OVERLAY_SESSIONS, 0);
        return true;
    case COMMAND_INGEST: /* one at a time: the one that runs is shown */
        open_overlay(state, state->model.ingest.running ? OVERLAY_INGEST_REPORT : OVERLAY_INGEST, 0);
        return true;
    case COMMAND_INGEST_REPORT:
        open_overlay(state, OVERLAY_INGEST_REPORT, 0);
        return true;
    case COMMAND_EXPORT_TEXT:
        open_overlay(state, OVERLAY_EXPORT_TEXT, 0);
        return true;
    case COMMAND_EXPORT_JSON:
        open_overlay(state, OVERLAY_EXPORT_JSON, 0);
        return true;
    case COMMAND_COMPARE:
        open_overlay(state, OVERLAY_COMPARE, 0);
        return true;
    default:
        return false;
    }
}

void front_command(front *state, ui_command command) {
    front_view *view = active_view(state);
    ui_actions actions = inside(state);
    if (view->ops->command && view->ops->command(view->self, &state->model, command, &actions))
        return;
    if (pane_command(state, command))
        return;
    switch (command) {
    case COMMAND_CANCEL:
        cancel(state);
        return;
    case COMMAND_QUIT:
        if (state->n_overlays > 0)
            close_overlay(state);
        else
            emit(&state->outside, ACTION_QUIT, 0);
        return;
    case COMMAND_HELP:
        toggle_overlay(state, OVERLAY_HELP, view->ops->scope); /* its keys first */
        return;
    case COMMAND_PALETTE:
        toggle_overlay(state, OVERLAY_PALETTE, 0);
        return;
    case COMMAND_STOP:
    case COMMAND_REDRAW:
    case COMMAND_SUSPEND:
    case COMMAND_THEME:
    case COMMAND_MOUSE:
    case COMMAND_COPY: /* the terminal's or the engine's business */
        emit(&state->outside, ACTION_COMMAND, command);
        return;
    default:
        return;
    }
}

/* ----------------------------------------------------------------------------------- input ---- */

static bool is_typing(const front_view *view) {
    return view->ops->typing && view->ops->typing(view->self);
}

static void hear_key(front *state, ui_key key) {
    front_view *view = active_view(state);
    ui_actions actions = inside(state);
    bool typing = is_typing(view);
    state->model.notice = NOTICE_NONE;
    ui_command command = key_command(view->ops->scope, view->ops->moving, typing, key);
    if (command != COMMAND_NONE)
        front_command(state, command);
    else if (typing && key_is_text(key) && view->ops->key)
        view->ops->key(view->self, &state->model, key, &actions);
}

static void hear_mouse(front *state, const ui_event *event) {
    ui_actions actions = inside(state);
    front_view *view = active_view(state);
    for (int i = 0; i < PANE_COUNT && state->n_overlays == 0; i++)
        if (rect_holds(state->panes[i].area, event->row, event->column)) {
            if (event->mouse == MOUSE_PRESS)
                state->focus = (pane_id)i;
            view = &state->panes[i];
        }
    if (view->ops->mouse)
        view->ops->mouse(view->self, &state->model, event, view->area, &actions);
}

void front_input(front *state, const ui_event *event) {
    front_view *view = active_view(state);
    ui_actions actions = inside(state);
    switch (event->kind) {
    case EVENT_KEY:
        hear_key(state, event->key);
        return;
    case EVENT_PASTE:
        if (is_typing(view) && view->ops->paste)
            view->ops->paste(view->self, &state->model, event->paste, event->paste_length, &actions);
        return;
    case EVENT_MOUSE:
        hear_mouse(state, event);
        return;
    case EVENT_NONE:
        return;
    }
}
