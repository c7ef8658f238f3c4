/* view_retrieval.c: what retrieval chose for the answer. May use: view.h, draw.h. */
#include <stdlib.h>

#include "ui/draw.h"
#include "ui/list.h"
#include "ui/view.h"

typedef struct {
    list hits;
    const ui_model *model; /* during draw */
} retrieval;

static void *create(int64_t number) {
    (void)number;
    return calloc(1, sizeof(retrieval));
}

static void update(void *self, const ui_model *model, unsigned changed) {
    retrieval *view = self;
    if (!(changed & (CHANGED_TURNS | CHANGED_PLACE)))
        return;
    const drt_event *event = model_event(model);
    list_set_count(&view->hits, event ? event->n_hits : 0);
    list_select(&view->hits, model->place.hit);
}

static void draw_hit(void *user, size_t index, cells *out, rect row, attribute look) {
    const retrieval *view = user;
    const drt_hit *hit = &model_event(view->model)->hits[index];
    cells_printf(out, row, 0, 0, look, "%2d", hit->rank);
    draw_bar(out, row, 0, 3, 8, hit->weight, look == ROLE_TEXT ? theme_heat(hit->weight) : look);
    cells_printf(out, row, 0, 12, look, "%4.2f %7.2f", (double)hit->weight, (double)hit->score);
    cells_put_cut(out, row, 0, 25, row.columns - 25, CUT_START, look, hit->document.data, hit->document.length);
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    retrieval *view = self;
    rect inner = draw_pane(out, area, "retrieval", focused);
    const drt_event *event = model_event(model);
    if (!event) {
        cells_text(out, inner, 0, 1, ROLE_DIM, "No answer yet: what it rests on will stand here.");
        return;
    }
    view->model = model;
    cells_printf(out, inner, 0, 0, theme_group(event->group), "step %d, group %d, null mass %.2f", event->step,
                 event->group + 1, (double)event->null_mass);
    list_draw(&view->hits, out, rect_below(inner, 1), focused, draw_hit, view);
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    retrieval *view = self;
    trace_place place = model->place;
    if (what == COMMAND_NEXT_GROUP && model_trace(model))
        place.group = (place.group + 1) % (model_trace(model)->n_groups > 0 ? model_trace(model)->n_groups : 1);
    else if (what == COMMAND_NEXT_STEP)
        place.step++;
    else if (what == COMMAND_PREVIOUS_STEP)
        place.step--;
    else if (list_command(&view->hits, what))
        place.hit = view->hits.selected;
    else
        return false;
    emit_place(actions, place);
    return true;
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
};
