/* view_documents.c: the documents of the library as a list. May use: view.h, list.h, draw.h. */
#include <stdlib.h>

#include "ui/draw.h"
#include "ui/list.h"
#include "ui/view.h"

typedef struct {
    list lines;
    const ui_model *model; /* during draw */
} documents;

static void *create(int64_t number) {
    (void)number;
    return calloc(1, sizeof(documents));
}

static void update(void *self, const ui_model *model, unsigned changed) {
    documents *view = self;
    if (changed & CHANGED_DOCUMENTS)
        list_set_count(&view->lines, model->n_documents);
}

static glyph_id sign_of(drt_document_status status) {
    return status == DRT_DOCUMENT_OK ? GLYPH_OK : status == DRT_DOCUMENT_PARTIAL ? GLYPH_PARTIAL : GLYPH_SKIPPED;
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const documents *view = user;
    const drt_document *document = &view->model->documents[index];
    cells_glyph(out, row, 0, 0, look, sign_of(document->status));
    cells_put_cut(out, row, 0, 2, row.columns - 2, CUT_START, look, document->path.data, document->path.length);
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    documents *view = self;
    rect inner = draw_pane(out, area, "documents", focused);
    view->model = model;
    if (model->n_documents == 0 && model->open)
        cells_text(out, inner, 0, 1, ROLE_DIM, "nothing in here yet");
    list_draw(&view->lines, out, inner, focused, draw_line, view);
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    (void)model;
    (void)actions;
    return list_command(&((documents *)self)->lines, what);
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    (void)model;
    (void)actions;
    return list_mouse(&((documents *)self)->lines, event, rect_inset(area, 1, 1));
}

const view_ops view_documents = {
    .title = "documents",
    .scope = SCOPE_DOCUMENTS,
    .moving = true,
    .create = create,
    .free = free,
    .update = update,
    .draw = draw,
    .command = command,
    .mouse = mouse,
};
