/* overlay_remove.c: asks before a document, or all that are marked, leave the library. May use: view.h, draw.h. */
#include <stdlib.h>

#include "ui/draw.h"
#include "ui/view.h"

#define BOX_ROWS 10
#define BOX_COLUMNS 66
#define NAMES 4 /* of marked documents that are shown */

typedef struct {
    int64_t document; /* 0: all marked */
} question;

static void *create(int64_t number) {
    question *view = calloc(1, sizeof *view);
    if (view)
        view->document = number;
    return view;
}

static size_t count_of(const question *view, const ui_model *model) {
    return view->document != 0 ? model_document(model, view->document) != NULL : model->n_marked;
}

static const drt_document *document_at(const question *view, const ui_model *model, size_t i) {
    return model_document(model, view->document != 0 ? view->document : model->marked[i]);
}

static void draw_names(const question *view, const ui_model *model, cells *out, rect area) {
    size_t n = count_of(view, model), shown = n <= NAMES ? n : NAMES - 1;
    for (size_t i = 0; i < shown; i++) {
        const drt_document *document = document_at(view, model, i);
        if (document)
            cells_put_cut(out, area, (int)i, 0, area.columns, CUT_START, ROLE_STRONG, document->path.data,
                          document->path.length);
    }
    if (shown < n)
        cells_printf(out, area, (int)shown, 0, ROLE_DIM, "and %zu more", n - shown);
}

static void draw_sizes(const question *view, const ui_model *model, cells *out, rect line) {
    int64_t chunks = 0, bytes = 0;
    char chunks_text[32], bytes_text[16];
    for (size_t i = 0; i < count_of(view, model); i++) {
        const drt_document *document = document_at(view, model, i);
        chunks += document ? document->chunks : 0;
        bytes += document ? document->bytes : 0;
    }
    format_count(chunks, chunks_text);
    format_bytes(bytes, bytes_text);
    cells_printf(out, line, 0, 0, ROLE_TEXT, "%s chunk%s, %s of text. Old answers keep their passages.", chunks_text,
                 chunks == 1 ? "" : "s", bytes_text);
}

static void draw_keys(cells *out, rect line) {
    char remove[32], keep[32];
    key_label(key_of(SCOPE_MOVE, COMMAND_OPEN), remove);
    key_label(key_of(SCOPE_GLOBAL, COMMAND_CANCEL), keep);
    int column = cells_text(out, line, 0, 0, ROLE_BAR_KEY, remove);
    column += cells_text(out, line, 0, column, ROLE_TEXT, " removes    ");
    column += cells_text(out, line, 0, column, ROLE_BAR_KEY, keep);
    cells_text(out, line, 0, column, ROLE_TEXT, " keeps");
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    const question *view = self;
    size_t n = count_of(view, model);
    char title[64];
    (void)focused;
    if (n == 1)
        snprintf(title, sizeof title, "remove this document?");
    else
        snprintf(title, sizeof title, "remove %zu documents?", n);
    rect inner = rect_inset(draw_box(out, area, BOX_ROWS, BOX_COLUMNS, title), 0, 1);
    draw_names(view, model, out, rect_top(rect_below(inner, 1), NAMES));
    draw_sizes(view, model, out, rect_below(inner, inner.rows - 3));
    draw_keys(out, rect_bottom(inner, 1));
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    const question *view = self;
    if (what != COMMAND_OPEN)
        return false;
    for (size_t i = 0; i < count_of(view, model); i++) {
        const drt_document *document = document_at(view, model, i);
        if (document)
            emit(actions, ACTION_REMOVE, document->id);
    }
    emit(actions, ACTION_UNMARK, view->document); /* 0: all */
    emit(actions, ACTION_CLOSE, 0);
    return true;
}

const view_ops overlay_remove = {
    .title = "remove",
    .scope = SCOPE_GLOBAL,
    .moving = true,
    .create = create,
    .free = free,
    .draw = draw,
    .command = command,
};
