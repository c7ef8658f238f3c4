/* view_passage.c: the selected chunk in its document. May use: view.h, textview.h, draw.h. */
#include <stdlib.h>

#include "ui/draw.h"
#include "ui/textview.h"
#include "ui/view.h"

typedef struct {
    textview text;
} passage;

static void *create(int64_t number) {
    (void)number;
    return calloc(1, sizeof(passage));
}

static void free_view(void *self) {
    textview_free(&((passage *)self)->text);
    free(self);
}

static void update(void *self, const ui_model *model, unsigned changed) {
    passage *view = self;
    if (!(changed & CHANGED_PASSAGE))
        return;
    textview_set(&view->text, model->passage.text.data, model->passage.text.length);
    if (model->passage.chunk < 0)
        return;
    textview_mark(&view->text, (size_t)model->passage.start, (size_t)model->passage.end, ROLE_CHUNK | ATTRIBUTE_BOLD);
    textview_show(&view->text, (size_t)model->passage.start);
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    passage *view = self;
    rect inner = draw_pane(out, area, "passage", focused);
    if (model->passage.error.data)
        cells_put_cut(out, inner, 0, 1, inner.columns - 2, CUT_END, ROLE_ERROR, model->passage.error.data,
                      model->passage.error.length);
    else if (!model->passage.loaded)
        cells_text(out, inner, 0, 1, ROLE_DIM, "No passage is selected.");
    else
        textview_draw(&view->text, out, inner);
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    (void)model;
    (void)actions;
    return textview_command(&((passage *)self)->text, what);
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    (void)model;
    (void)actions;
    return textview_mouse(&((passage *)self)->text, event, area);
}

const view_ops view_passage = {
    .title = "passage",
    .scope = SCOPE_PASSAGE,
    .moving = true,
    .create = create,
    .free = free_view,
    .update = update,
    .draw = draw,
    .command = command,
    .mouse = mouse,
};
