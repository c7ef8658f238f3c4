/* view_retrieval.c: what retrieval chose for the answer: the strip over the library above, below it the table of
 * events, the scores, or the hops; in a large pane two of them. May use: view.h, retrieval_parts.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/retrieval_parts.h"
#include "ui/view.h"

typedef enum { PART_EVENTS, PART_SCORES, PART_HOPS } retrieval_part;

typedef struct {
    retrieval_part part; /* the main one */
    heat strip;
    list events, hops;
    rect strip_cells, main; /* as drawn last, for the mouse */
} retrieval;

static const char *const names[] = {
    [PART_EVENTS] = "events",
    [PART_SCORES] = "scores and BM25",
    [PART_HOPS] = "hops",
};
static const char *const titles[] = {
    [PART_EVENTS] = "retrieval: events",
    [PART_SCORES] = "retrieval: scores and BM25",
    [PART_HOPS] = "retrieval: hops",
};

static void *create(int64_t number) {
    (void)number;
    return calloc(1, sizeof(retrieval));
}

static void update(void *self, const ui_model *model, unsigned changed) {
    retrieval *view = self;
    if (!(changed & (CHANGED_TURNS | CHANGED_PLACE)))
        return;
    const drt_answer *trace = model_trace(model);
    const drt_hit *hit = model_hit(model);
    list_set_count(&view->events, events_lines(trace));
    list_select(&view->events, events_line_of(trace, model->place));
    list_set_count(&view->hops, hops_lines(hops_of(model)));
    list_select(&view->hops, hops_line_of(hops_of(model), model->place));
    if (hit)
        view->strip.cursor = hit->chunk;
}

/* ------------------------------------------------------------------------------------ layout ---- */

#define LABELLED_COLUMNS 56 /* from here on strip rows say "group" and their null mass */
#define TALL_ROWS 20        /* of the part below the strip: two parts above each other */
#define WIDE 150            /* two parts side by side */
#define SECOND_ROWS 11
#define SECOND_COLUMNS 104

typedef struct {
    rect header, cursor, weights, bm25, names; /* no rows: not shown */
    rect main, second, third;                  /* with their headings */
    bool divided; /* the second part lies below the main one, and a divider is its heading */
} places;

static rect take_rows(rect *from, int n) {
    rect taken = rect_top(*from, n);
    *from = rect_below(*from, n);
    return taken;
}

/* The strip gives way when the pane is low: first BM25's row, then all but the current group, then the rest. */
static void place_strip(places *out, rect *inner, int groups) {
    int rows = inner->rows;
    if (rows < 7)
        return;
    int shown = groups > rows - 7 ? rows - 7 : groups;
    out->cursor = take_rows(inner, 1);
    out->weights = take_rows(inner, shown > 1 ? shown : 1);
    if (rows >= 16)
        out->bm25 = take_rows(inner, 1);
    out->names = take_rows(inner, 1);
}

static void place_parts(places *out, rect inner) {
    out->main = inner;
    if (inner.columns >= WIDE && inner.rows >= SECOND_ROWS + 1) {
        rect right = rect_after(inner, inner.columns - SECOND_COLUMNS);
        out->main = rect_before(inner, SECOND_COLUMNS + 2);
        out->second = inner.rows >= TALL_ROWS ? take_rows(&right, inner.rows / 2 - 1) : right;
        if (inner.rows >= TALL_ROWS)
            out->third = rect_below(right, 1);
    } else if (inner.rows >= TALL_ROWS) {
        int second = SECOND_ROWS + 1 + (inner.rows - TALL_ROWS) / 3;
        out->main = rect_above(inner, second);
        out->second = rect_bottom(inner, second);
        out->divided = true;
    }
}

static places places_of(rect inner, int groups) {
    places out = {.header = take_rows(&inner, 1)};
    place_strip(&out, &inner, groups);
    place_parts(&out, inner);
    return out;
}

/* ------------------------------------------------------------------------------------ drawing ---- */

/* How much of the library the strip shows, and how many chunks a cell stands for. */
static void format_scale(const heat *strip, char out[128]) {
    char chunks[32], per_cell[32];
    int64_t from, to;
    double each = strip->total_cells > 0 ? (double)strip->chunks / (double)strip->total_cells : 1;
    heat_window(strip, &from, &to);
    format_count(strip->chunks, chunks);
    format_count((int64_t)(each + 0.5), per_cell);
    if (each > 1 && each < 10)
        snprintf(per_cell, sizeof per_cell, "%.1f", each);
    if (to - from < strip->chunks)
        snprintf(out, 128, "%.2g %% of %s chunks, %s a cell", 100.0 * (double)(to - from) / (double)strip->chunks,
                 chunks, per_cell);
    else
        snprintf(out, 128, "all %s chunks, %s a cell", chunks, per_cell);
}

static int draw_step(const ui_model *model, cells *out, rect row) {
    const drt_answer *trace = model_trace(model);
    const char *dot = glyph_text(GLYPH_DOT, out->ascii);
    int group = model->place.group, at = 0;
    at += cells_printf(out, row, 0, at, ROLE_STRONG, "step %d", model->place.step);
    if (trace->n_steps > 1)
        at += cells_printf(out, row, 0, at, ROLE_DIM, " of 0-%zu", trace->n_steps - 1);
    at += cells_printf(out, row, 0, at, ROLE_DIM, " %s ", dot);
    at += cells_printf(out, row, 0, at, theme_group(group), "group %d", group + 1);
    at += cells_printf(out, row, 0, at, ROLE_DIM, " of %d", trace->n_groups);
    if (!trace_is_whole(model))
        at += cells_printf(out, row, 0, at, ROLE_WARNING, " %s being answered", dot);
    else if (strcmp(trace->retriever, "learned") != 0)
        at += cells_printf(out, row, 0, at, ROLE_WARNING, " %s proposed by %s", dot, trace->retriever);
    return at;
}

static void draw_header(const heat *strip, const ui_model *model, cells *out, rect row) {
    const drt_event *event = model_event(model);
    char scale[128], agreement[64] = "";
    int at = draw_step(model, out, row);
    format_scale(strip, scale);
    int right = row.columns - (int)strlen(scale);
    if (event && event->n_hits > 0 && trace_is_whole(model))
        snprintf(agreement, sizeof agreement, " BM25 chose %zu of %zu too",
                 trace_bm25_shared(model_trace(model), event), event->n_hits);
    if (*agreement && at + 4 + (int)strlen(agreement) <= right) {
        cells_glyph(out, row, 0, at + 1, ROLE_DIM, GLYPH_DOT);
        at += 2 + cells_text(out, row, 0, at + 2, ROLE_DIM, agreement);
    }
    if (right > at + 1)
        cells_text(out, row, 0, right, ROLE_DIM, scale);
}

/* The rows of the groups around the current one, each with its null mass. */
static void draw_groups(const retrieval *view, const ui_model *model, cells *out, rect area, int before, int after) {
    int groups = model_trace(model)->n_groups, first = 0;
    if (model->place.group >= area.rows)
        first = model->place.group - area.rows + 1;
    for (int i = 0; i < area.rows && first + i < groups; i++) {
        int group = first + i;
        bool here = group == model->place.group;
        rect row = rect_top(rect_below(area, i), 1);
        const drt_event *event = trace_event(model_trace(model), model->place.step, group);
        if (here)
            cells_glyph(out, row, 0, 0, ROLE_ACCENT, GLYPH_SELECTED);
        cells_printf(out, row, 0, 1, theme_group(group), before > 3 ? "group %d" : "%d", group + 1);
        heat_draw_weights(&view->strip, model, event, out, rect_before(rect_after(row, before), after));
        if (after > 0 && event)
            cells_printf(out, row, 0, row.columns - after, here ? ROLE_TEXT : ROLE_DIM, " null %.2f",
                         (double)event->null_mass);
    }
}

static void draw_strip(retrieval *view, const ui_model *model, cells *out, const places *at) {
    bool labelled = at->cursor.columns >= LABELLED_COLUMNS;
    int before = labelled ? 9 : 3, after = labelled ? 10 : 0;
    rect cursor = rect_before(rect_after(at->cursor, before), after);
    heat_arrange(&view->strip, heat_chunks(model), cursor.columns);
    view->strip_cells = rect_before(rect_after(at->weights, before), after);
    draw_header(&view->strip, model, out, at->header);
    if (at->weights.rows == 0)
        return;
    heat_draw_cursor(&view->strip, model, model_event(model), out, cursor);
    draw_groups(view, model, out, at->weights, before, after);
    if (at->bm25.rows > 0) {
        cells_text(out, at->bm25, 0, 1, ROLE_DIM, labelled ? "BM25" : "B");
        heat_draw_bm25(&view->strip, model_trace(model), model->place.step, out,
                       rect_before(rect_after(at->bm25, before), after));
    }
    heat_draw_names(&view->strip, model, out, rect_before(rect_after(at->names, before), after));
}

static void draw_part(retrieval *view, retrieval_part part, const ui_model *model, cells *out, rect area,
                      bool focused) {
    switch (part) {
    case PART_EVENTS:
        events_draw(&view->events, model, out, area, focused);
        return;
    case PART_SCORES:
        scores_draw(model, out, area);
        return;
    case PART_HOPS:
        hops_draw(&view->hops, model, out, area, focused);
        return;
    }
}

/* What stands beside the main part, in this order. */
static const retrieval_part others[][2] = {
    [PART_EVENTS] = {PART_SCORES, PART_HOPS},
    [PART_SCORES] = {PART_EVENTS, PART_HOPS},
    [PART_HOPS] = {PART_SCORES, PART_EVENTS},
};

static void draw_others(retrieval *view, const ui_model *model, cells *out, rect area, const places *at, bool focused) {
    const retrieval_part *shown = others[view->part];
    if (at->divided)
        draw_divider(out, area, at->second.row - area.row, names[shown[0]], focused);
    else
        cells_text(out, at->second, 0, 0, ROLE_STRONG, names[shown[0]]);
    draw_part(view, shown[0], model, out, rect_below(at->second, 1), false);
    if (at->third.rows > 0) {
        cells_text(out, at->third, 0, 0, ROLE_STRONG, names[shown[1]]);
        draw_part(view, shown[1], model, out, rect_below(at->third, 1), false);
    }
}

static void draw_absence(const ui_model *model, cells *out, rect inner) {
    const model_turn *turn = model->turn < model->n_turns ? &model->turns[model->turn] : NULL;
    static const char none[] = "No answer yet: what it rests on will stand here.";
    static const char how[] = "a asks a question; s lists past ones, which replay without the model.";
    static const char failed[] = "This question has no answer, so nothing was retrieved for it.";
    static const char waiting[] = "The answer is on its way; what it rests on is shown when it is there.";
    const char *text = !turn ? none : turn->error.data ? failed : waiting;
    cells_put_cut(out, inner, 0, 1, inner.columns - 2, CUT_END, ROLE_DIM, text, strlen(text));
    if (!turn)
        cells_put_cut(out, inner, 1, 1, inner.columns - 2, CUT_END, ROLE_DIM, how, strlen(how));
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    retrieval *view = self;
    const drt_answer *trace = model_trace(model);
    rect inner = draw_pane(out, area, trace ? titles[view->part] : "retrieval", focused);
    view->strip_cells = view->main = (rect){0};
    if (!trace || trace->n_events == 0) {
        draw_absence(model, out, inner);
        return;
    }
    places at = places_of(inner, trace->n_groups);
    view->main = at.main;
    draw_strip(view, model, out, &at);
    draw_part(view, view->part, model, out, at.main, focused);
    if (at.second.rows > 0)
        draw_others(view, model, out, area, &at, focused);
}

/* -------------------------------------------------------------------------------------- keys ---- */

static void show_part(retrieval *view, retrieval_part part) {
    view->part = view->part == part ? PART_EVENTS : part;
}

/* The cursor stands on a cell: if it holds a hit of this event, that one is looked at. */
static void look_at_cursor(retrieval *view, const ui_model *model, const ui_actions *actions) {
    int64_t from, to;
    heat_cursor_range(&view->strip, &from, &to);
    size_t hit = event_heaviest(model_event(model), from, to);
    if (hit == HIT_NONE)
        return;
    trace_place place = model->place;
    place.hit = hit;
    emit_place(actions, place);
}

static void open_cursor(const retrieval *view, const ui_model *model, const ui_actions *actions) {
    const drt_hit *hit = model_hit(model);
    if (!hit || hit->chunk != view->strip.cursor)
        emit(actions, ACTION_OPEN_CHUNK, view->strip.cursor);
    emit(actions, ACTION_FOCUS, PANE_PASSAGE);
}

/* To another event, at its first hit, with the table scrolled to it. */
static void step_to(retrieval *view, const ui_model *model, int steps, int groups, const ui_actions *actions) {
    int n_groups = model_trace(model)->n_groups;
    trace_place place = model->place;
    place.step += steps;
    if (n_groups > 0)
        place.group = (place.group + groups) % n_groups;
    if (!trace_event(model_trace(model), place.step, place.group)) {
        emit_notice(actions, NOTICE_INFO, steps > 0 ? "This is the last step." : "This is the first step.");
        return;
    }
    place.hit = 0;
    emit_place(actions, place);
    view->events.first = view->events.selected;
}

static bool list_moved(retrieval *view, const ui_model *model, const ui_actions *actions) {
    trace_place place = model->place;
    if (view->part == PART_HOPS)
        hops_place_of(hops_of(model), view->hops.selected, &place);
    else
        events_place_of(model_trace(model), view->events.selected, &place);
    emit_place(actions, place);
    return true;
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    retrieval *view = self;
    if (!model_trace(model) || model_trace(model)->n_events == 0)
        return false;
    switch (what) {
    case COMMAND_NEXT_GROUP:
        step_to(view, model, 0, 1, actions);
        return true;
    case COMMAND_NEXT_STEP:
        step_to(view, model, 1, 0, actions);
        return true;
    case COMMAND_PREVIOUS_STEP:
        step_to(view, model, -1, 0, actions);
        return true;
    case COMMAND_ZOOM_IN:
    case COMMAND_ZOOM_OUT:
        heat_zoom(&view->strip, what == COMMAND_ZOOM_IN);
        return true;
    case COMMAND_LEFT:
    case COMMAND_RIGHT:
        heat_move(&view->strip, what == COMMAND_RIGHT ? 1 : -1);
        look_at_cursor(view, model, actions);
        return true;
    case COMMAND_HOPS:
        show_part(view, PART_HOPS);
        return true;
    case COMMAND_SCORES:
        show_part(view, PART_SCORES);
        return true;
    case COMMAND_OPEN:
        open_cursor(view, model, actions);
        return true;
    default:
        return list_command(view->part == PART_HOPS ? &view->hops : &view->events, what) &&
               list_moved(view, model, actions);
    }
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    retrieval *view = self;
    bool hop = view->part == PART_HOPS;
    (void)area;
    if (!model_trace(model))
        return false;
    if (rect_holds(view->strip_cells, event->row, event->column)) {
        int64_t chunk = heat_chunk_at(&view->strip, event->column - view->strip_cells.column);
        if (event->mouse == MOUSE_WHEEL_UP || event->mouse == MOUSE_WHEEL_DOWN)
            heat_zoom(&view->strip, event->mouse == MOUSE_WHEEL_UP);
        else if (event->mouse == MOUSE_PRESS && chunk >= 0) {
            view->strip.cursor = chunk;
            look_at_cursor(view, model, actions);
        }
        return true;
    }
    if (view->part == PART_SCORES)
        return false;
    return list_mouse(hop ? &view->hops : &view->events, event,
                      hop ? hops_body(view->main) : events_body(view->main)) &&
           list_moved(view, model, actions);
}

const view_ops view_retrieval = {
    .title = "retrieval",
    .scope = SCOPE_RETRIEVAL,
    .moving = true,
    .create = create,
    .free = free,
    .update = update,
    .draw = draw,
    .command = command,
    .mouse = mouse,
};
