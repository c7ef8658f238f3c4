/* overlay_compare.c: the traces of two questions beside each other: A is the one looked at, B a stored session that is
 * chosen first. Shared chunks stand on one line, with both weights and their difference.
 * May use: view.h, retrieval_parts.h, session_list.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/retrieval_parts.h"
#include "ui/session_list.h"
#include "ui/view.h"

/* A chunk that one or both retrieved; HIT_NONE: not this one. */
typedef struct {
    int64_t chunk;
    size_t a, b;
} compared_chunk;

typedef struct {
    bool choosing;
    session_list sessions; /* to choose from */
    int step, group;
    heat strip;
    compared_chunk *chunks; /* (n_chunks) the heaviest first */
    size_t n_chunks, shared;
    list lines;
    bool begun;
    const ui_model *model; /* during draw */
} compare;

static void *create(int64_t number) {
    (void)number;
    return calloc(1, sizeof(compare));
}

static void free_view(void *self) {
    compare *view = self;
    session_list_free(&view->sessions);
    free(view->chunks);
    free(view);
}

/* ------------------------------------------------------------------------------------- chunks ---- */

static const drt_event *event_a(const compare *view, const ui_model *model) {
    return trace_event(model_trace(model), view->step, view->group);
}

static const drt_event *event_b(const compare *view, const ui_model *model) {
    return trace_event(model->compared, view->step, view->group);
}

static float weight_of(const drt_event *event, size_t hit) {
    return event && hit != HIT_NONE ? event->hits[hit].weight : 0;
}

static size_t hits_of(const drt_event *event) {
    return event ? event->n_hits : 0;
}

/* Insertion keeps the order: there are few. */
static void add_chunk(compare *view, const drt_event *a, const drt_event *b, compared_chunk added) {
    float weight_a = weight_of(a, added.a), weight_b = weight_of(b, added.b);
    float weight = weight_a > weight_b ? weight_a : weight_b;
    size_t at = view->n_chunks++;
    for (; at > 0; at--) {
        const compared_chunk *before = &view->chunks[at - 1];
        if (weight_of(a, before->a) >= weight || weight_of(b, before->b) >= weight)
            break;
        view->chunks[at] = *before;
    }
    view->chunks[at] = added;
}

static void match(compare *view, const ui_model *model) {
    const drt_event *a = event_a(view, model), *b = event_b(view, model);
    compared_chunk *chunks = realloc(view->chunks, (hits_of(a) + hits_of(b) + 1) * sizeof *chunks);
    view->n_chunks = view->shared = 0;
    if (chunks) {
        view->chunks = chunks;
        for (size_t i = 0; i < hits_of(a); i++) {
            size_t other = event_hit_of(b, a->hits[i].chunk);
            add_chunk(view, a, b, (compared_chunk){a->hits[i].chunk, i, other});
            view->shared += other != HIT_NONE;
        }
        for (size_t i = 0; i < hits_of(b); i++)
            if (event_hit_of(a, b->hits[i].chunk) == HIT_NONE)
                add_chunk(view, a, b, (compared_chunk){b->hits[i].chunk, HIT_NONE, i});
    }
    list_set_count(&view->lines, view->n_chunks);
    list_select(&view->lines, 0);
    if (view->n_chunks > 0)
        view->strip.cursor = view->chunks[0].chunk;
}

/* The stored questions but for the one looked at. */
static void list_sessions(compare *view, const ui_model *model) {
    view->sessions.left_out = model_trace(model) ? model_trace(model)->session : 0;
    session_list_fill(&view->sessions, model);
}

static void update(void *self, const ui_model *model, unsigned changed) {
    compare *view = self;
    if (!view->begun) {
        view->begun = true;
        view->choosing = !model->compared;
        view->step = model->place.step;
        view->group = model->place.group;
    }
    if (changed & (CHANGED_SESSIONS | CHANGED_TURNS))
        list_sessions(view, model);
    if (changed & (CHANGED_COMPARED | CHANGED_TURNS))
        match(view, model);
}

/* -------------------------------------------------------------------------- -------- drawing ---- */

#define LABEL_COLUMNS 3

static void draw_question(const char *label, const drt_answer *trace, cells *out, rect area) {
    cells_text(out, area, 0, 0, ROLE_ACCENT, label);
    rect text = rect_after(area, LABEL_COLUMNS);
    cells_put_cut(out, text, 0, 0, text.columns, CUT_END, ROLE_STRONG, trace->question.data, trace->question.length);
    if (area.rows > 1)
        cells_put_cut(out, text, 1, 0, text.columns, CUT_END, ROLE_TEXT, trace->answer.data, trace->answer.length);
}

static void draw_strips(compare *view, const ui_model *model, cells *out, rect area) {
    const drt_event *events[] = {event_a(view, model), event_b(view, model)};
    rect strips = rect_before(rect_after(area, LABEL_COLUMNS), 10);
    heat_arrange(&view->strip, heat_chunks(model), strips.columns);
    heat_draw_cursor(&view->strip, model, events[0], out, rect_top(strips, 1));
    for (int i = 0; i < 2; i++) {
        cells_text(out, area, 1 + i, 0, ROLE_ACCENT, i == 0 ? "A" : "B");
        heat_draw_weights(&view->strip, model, events[i], out, rect_top(rect_below(strips, 1 + i), 1));
        if (events[i])
            cells_printf(out, area, 1 + i, area.columns - 9, ROLE_TEXT, "null %.2f", (double)events[i]->null_mass);
        else
            cells_text(out, area, 1 + i, area.columns - 9, ROLE_DIM, " no step");
    }
    heat_draw_names(&view->strip, model, out, rect_top(rect_below(strips, 3), 1));
}

static void draw_summary(const compare *view, const ui_model *model, cells *out, rect row) {
    const drt_event *a = event_a(view, model), *b = event_b(view, model);
    double weight_a = 0, weight_b = 0;
    for (size_t i = 0; i < view->n_chunks; i++)
        if (view->chunks[i].a != HIT_NONE && view->chunks[i].b != HIT_NONE) {
            weight_a += (double)weight_of(a, view->chunks[i].a);
            weight_b += (double)weight_of(b, view->chunks[i].b);
        }
    int at = cells_printf(out, row, 0, 0, ROLE_STRONG, "step %d, group %d: ", view->step, view->group + 1);
    cells_printf(out, row, 0, at, ROLE_TEXT, "%zu shared of %zu and %zu; their weight in A %.2f, in B %.2f",
                 view->shared, hits_of(a), hits_of(b), weight_a, weight_b);
}

/* Where the columns of the table start. */
enum { AT_A = 11, AT_B = 26, AT_DIFFERENCE = 41, AT_DOCUMENT = 50 };

static void draw_side(const drt_event *event, size_t hit, cells *out, rect row, int at, attribute look) {
    if (hit == HIT_NONE)
        return;
    const drt_hit *shown = &event->hits[hit];
    cells_printf(out, row, 0, at, look, "%2d %4.2f", shown->rank, (double)shown->weight);
    draw_bar(out, row, 0, at + 8, 6, shown->weight, look == ROLE_TEXT ? theme_heat(shown->weight) : look);
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const compare *view = user;
    const compared_chunk *line = &view->chunks[index];
    const drt_event *a = event_a(view, view->model), *b = event_b(view, view->model);
    const drt_hit *hit = line->a != HIT_NONE ? &a->hits[line->a] : &b->hits[line->b];
    cells_printf(out, row, 0, 0, look, "%9lld", (long long)line->chunk);
    draw_side(a, line->a, out, row, AT_A, look);
    draw_side(b, line->b, out, row, AT_B, look);
    if (line->a != HIT_NONE && line->b != HIT_NONE)
        cells_printf(out, row, 0, AT_DIFFERENCE, look, " %+.2f",
                     (double)(weight_of(b, line->b) - weight_of(a, line->a)));
    else
        cells_text(out, row, 0, AT_DIFFERENCE, look == ROLE_TEXT ? ROLE_DIM : look,
                   line->a != HIT_NONE ? "A alone" : "B alone");
    cells_put_cut(out, row, 0, AT_DOCUMENT, row.columns - AT_DOCUMENT, CUT_START, look, hit->document.data,
                  hit->document.length);
}

/* The keys of the comparison, as far as they fit. */
static void draw_keys(cells *out, rect row) {
    static const ui_command commands[] = {COMMAND_NEXT_STEP, COMMAND_NEXT_GROUP, COMMAND_ZOOM_IN, COMMAND_ZOOM_OUT};
    int at = 0;
    for (size_t i = 0; i < sizeof commands / sizeof *commands; i++) {
        char label[32];
        key_label(key_of(SCOPE_RETRIEVAL, commands[i]), label);
        at += cells_text(out, row, 0, at, ROLE_BAR_KEY, label) + 1;
        at += cells_text(out, row, 0, at, ROLE_BAR, key_find(commands[i])->name) + 2;
    }
    at += cells_text(out, row, 0, at, ROLE_BAR_KEY, "C") + 1;
    cells_text(out, row, 0, at, ROLE_BAR, "another question");
}

static void draw_comparison(compare *view, const ui_model *model, cells *out, rect inner, bool focused) {
    static const char waiting[] = "The other trace is being read.";
    if (!model_trace(model) || !model->compared) {
        cells_text(out, inner, 0, 0, ROLE_DIM, model_trace(model) ? waiting : "There is no trace to compare.");
        return;
    }
    int rows = inner.rows >= 16 ? 2 : 1; /* a question, with its answer */
    draw_question("A", model_trace(model), out, rect_top(inner, rows));
    draw_question("B", model->compared, out, rect_top(rect_below(inner, rows), rows));
    rect below = rect_below(inner, 2 * rows + (rows > 1));
    if (inner.rows >= 12) {
        draw_strips(view, model, out, rect_top(below, 4));
        below = rect_below(below, 4);
    }
    draw_summary(view, model, out, rect_top(below, 1));
    cells_text(out, below, 1, 0, ROLE_DIM, "    chunk  A  weight       B  weight        B - A   document");
    view->model = model;
    list_draw(&view->lines, out, rect_above(rect_below(below, 2), 1), focused, draw_line, view);
    draw_keys(out, rect_bottom(inner, 1));
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    compare *view = self;
    rect inner = rect_inset(draw_box(out, area, area.rows, area.columns, "compare two traces"), 0, 1);
    if (!view->choosing) {
        draw_comparison(view, model, out, inner, focused);
        return;
    }
    cells_text(out, inner, 0, 0, ROLE_STRONG, "Compare with which question?");
    session_list_draw(&view->sessions, model, out, rect_below(inner, 1), focused);
}

/* --------------------------------------------------------------------------------------- keys ---- */

static bool typing(const void *self) {
    return ((const compare *)self)->sessions.filtering;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    (void)actions;
    session_list_key(&((compare *)self)->sessions, model, typed);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)actions;
    session_list_paste(&((compare *)self)->sessions, model, text, length);
}

static bool choosing_command(compare *view, const ui_model *model, ui_command what, const ui_actions *actions) {
    if (what != COMMAND_OPEN && what != COMMAND_EDIT_SUBMIT)
        return session_list_command(&view->sessions, model, what);
    const drt_session_summary *session = session_list_selected(&view->sessions, model);
    if (session) {
        view->choosing = view->sessions.filtering = false;
        emit(actions, ACTION_COMPARE, session->id);
    }
    return true;
}

static void step_to(compare *view, const ui_model *model, int steps, int groups) {
    const drt_answer *a = model_trace(model), *b = model->compared;
    size_t n_steps = a->n_steps > b->n_steps ? a->n_steps : b->n_steps;
    int n_groups = a->n_groups > b->n_groups ? a->n_groups : b->n_groups;
    if (view->step + steps >= 0 && (size_t)(view->step + steps) < n_steps)
        view->step += steps;
    if (n_groups > 0)
        view->group = (view->group + groups) % n_groups;
    match(view, model);
}

/* Enter: back to the panes, at this chunk. */
static void leave_to(const compare *view, const ui_actions *actions) {
    if (view->n_chunks == 0)
        return;
    compared_chunk line = view->chunks[view->lines.selected];
    if (line.a != HIT_NONE)
        emit_place(actions, (trace_place){.step = view->step, .group = view->group, .hit = line.a});
    else
        emit(actions, ACTION_OPEN_CHUNK, line.chunk);
    emit(actions, ACTION_FOCUS, PANE_PASSAGE);
    emit(actions, ACTION_CLOSE, 0);
}

static bool comparison_command(compare *view, const ui_model *model, ui_command what, const ui_actions *actions) {
    bool ready = model_trace(model) && model->compared;
    switch (what) {
    case COMMAND_COMPARE:
        view->choosing = true;
        return true;
    case COMMAND_NEXT_STEP:
    case COMMAND_PREVIOUS_STEP:
        if (ready)
            step_to(view, model, what == COMMAND_NEXT_STEP ? 1 : -1, 0);
        return true;
    case COMMAND_NEXT_GROUP:
        if (ready)
            step_to(view, model, 0, 1);
        return true;
    case COMMAND_ZOOM_IN:
    case COMMAND_ZOOM_OUT:
        heat_zoom(&view->strip, what == COMMAND_ZOOM_IN);
        return true;
    case COMMAND_LEFT:
    case COMMAND_RIGHT:
        heat_move(&view->strip, what == COMMAND_RIGHT ? 1 : -1);
        return true;
    case COMMAND_OPEN:
        leave_to(view, actions);
        return true;
    default:
        if (!list_command(&view->lines, what))
            return false;
        if (view->n_chunks > 0)
            view->strip.cursor = view->chunks[view->lines.selected].chunk;
        return true;
    }
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    compare *view = self;
    return view->choosing ? choosing_command(view, model, what, actions)
                          : comparison_command(view, model, what, actions);
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    compare *view = self;
    ui_command what = event->mouse == MOUSE_WHEEL_UP     ? COMMAND_UP
                      : event->mouse == MOUSE_WHEEL_DOWN ? COMMAND_DOWN
                                                         : COMMAND_NONE;
    (void)area;
    if (view->choosing)
        return session_list_mouse(&view->sessions, event);
    return what != COMMAND_NONE && comparison_command(view, model, what, actions);
}

const view_ops overlay_compare = {
    .title = "compare",
    .scope = SCOPE_RETRIEVAL,
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
