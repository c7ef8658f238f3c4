/* overlay_ingest.c: asks for the path to ingest, with completion. May use: view.h, edit.h, draw.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/view.h"

#define BOX_ROWS 16
#define BOX_COLUMNS 76
#define NAME_COLUMNS_MAX 40

typedef struct {
    edit path;
    bool asked; /* for a completion that has not come yet */
    bool shown; /* the names are of the line as it stands */
} prompt;

static void *create(int64_t number) {
    (void)number;
    prompt *view = calloc(1, sizeof *view);
    if (view)
        view->path.one_line = true;
    return view;
}

static void free_view(void *self) {
    edit_free(&((prompt *)self)->path);
    free(self);
}

/* ------------------------------------------------------------------------------ completion ---- */

static const char *text_of(const prompt *view) {
    return view->path.length > 0 ? view->path.text : "";
}

static void ask_completion(prompt *view, const ui_actions *actions) {
    edit_command(&view->path, COMMAND_EDIT_END);
    view->asked = true;
    emit_text(actions, ACTION_COMPLETE, text_of(view), view->path.length);
}

/* An answer about what has been typed over meanwhile is none. */
static void update(void *self, const ui_model *model, unsigned changed) {
    prompt *view = self;
    const model_completion *completion = &model->completion;
    if (!(changed & CHANGED_COMPLETION) || !view->asked || !completion->typed.data ||
        completion->typed.length != view->path.length ||
        memcmp(completion->typed.data, text_of(view), view->path.length) != 0)
        return;
    view->asked = false;
    view->shown = true;
    if (completion->common.data)
        edit_insert(&view->path, completion->common.data, completion->common.length);
}

/* ------------------------------------------------------------------------------------ draw ---- */

static int widest(const model_completion *completion, bool ascii) {
    int columns = 1;
    for (size_t i = 0; i < completion->n_names; i++) {
        int name = cluster_columns(completion->names[i].data, completion->names[i].length, ascii);
        columns = name > columns ? name : columns;
    }
    return columns < NAME_COLUMNS_MAX ? columns : NAME_COLUMNS_MAX;
}

static void draw_names(const model_completion *completion, cells *out, rect area) {
    int width = widest(completion, out->ascii) + 2;
    int across = area.columns / width > 0 ? area.columns / width : 1;
    size_t places = area.rows > 0 ? (size_t)area.rows * (size_t)across : 0;
    size_t n = completion->n_names <= places ? completion->n_names : places > 0 ? places - 1 : 0;
    for (size_t i = 0; i < n; i++) {
        const drt_string *name = &completion->names[i];
        bool folder = name->length > 0 && name->data[name->length - 1] == '/';
        cells_put_cut(out, area, (int)(i / (size_t)across), (int)(i % (size_t)across) * width, width - 2, CUT_END,
                      folder ? ROLE_STRONG : ROLE_TEXT, name->data, name->length);
    }
    if (n < completion->n_names && places > 0)
        cells_printf(out, area, area.rows - 1, (across - 1) * width, ROLE_DIM, "%zu more", completion->n_names - n);
}

static void draw_hints(cells *out, rect line) {
    static const struct {
        ui_command command;
        key_scope scope;
        const char *does;
    } hints[] = {{COMMAND_EDIT_SUBMIT, SCOPE_EDIT, "begins"},
                 {COMMAND_EDIT_COMPLETE, SCOPE_PATH, "completes"},
                 {COMMAND_CANCEL, SCOPE_GLOBAL, "leaves"}};
    int column = 0;
    for (size_t i = 0; i < sizeof hints / sizeof *hints; i++) {
        char label[32];
        key_label(key_of(hints[i].scope, hints[i].command), label);
        column += cells_text(out, line, 0, column, ROLE_BAR_KEY, label) + 1;
        column += cells_text(out, line, 0, column, ROLE_TEXT, hints[i].does) + 4;
    }
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    prompt *view = self;
    rect inner = rect_inset(draw_box(out, area, BOX_ROWS, BOX_COLUMNS, "ingest"), 0, 1);
    cells_text(out, inner, 0, 0, ROLE_TEXT, "An archive, a folder or a file to read into the library:");
    rect line = rect_top(rect_below(inner, 2), 1);
    cells_glyph(out, line, 0, 0, ROLE_ACCENT, GLYPH_SELECTED);
    edit_draw(&view->path, out, rect_after(line, 2), focused, ROLE_INPUT);
    rect names = rect_after(rect_above(rect_below(inner, 4), 2), 2);
    if (view->shown && model->completion.n_names == 0)
        cells_text(out, names, 0, 0, ROLE_WARNING, "No name there begins so.");
    else if (view->shown && model->completion.n_names > 1)
        draw_names(&model->completion, out, names);
    draw_hints(out, rect_bottom(inner, 1));
}

/* -------------------------------------------------------------------------------- commands ---- */

static bool typing(const void *self) {
    (void)self;
    return true;
}

/* Spaces around the path come from pastes. */
static bool trim(edit *line) {
    const char *start = line->text;
    size_t length = line->length;
    while (length > 0 && *start == ' ') {
        start++;
        length--;
    }
    while (length > 0 && start[length - 1] == ' ')
        length--;
    char *copy = length > 0 ? malloc(length) : NULL;
    if (!copy)
        return false;
    memcpy(copy, start, length);
    bool set = edit_set(line, copy, length);
    free(copy);
    return set;
}

static void submit(prompt *view, const ui_actions *actions) {
    if (!trim(&view->path)) {
        emit_notice(actions, NOTICE_INFO, "Type the path of an archive, a folder or a file.");
        return;
    }
    emit_text(actions, ACTION_INGEST, view->path.text, view->path.length);
    emit(actions, ACTION_CLOSE, 0); /* view is gone */
    emit_overlay(actions, OVERLAY_INGEST_REPORT, 0);
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    prompt *view = self;
    (void)model;
    if (what == COMMAND_EDIT_SUBMIT) {
        submit(view, actions);
        return true;
    }
    if (what == COMMAND_EDIT_COMPLETE) {
        ask_completion(view, actions);
        return true;
    }
    if (!edit_command(&view->path, what))
        return false;
    view->asked = view->shown = false;
    return true;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    prompt *view = self;
    (void)model;
    (void)actions;
    view->asked = view->shown = false;
    edit_key(&view->path, typed);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    prompt *view = self;
    (void)model;
    view->asked = view->shown = false;
    if (!edit_insert(&view->path, text, length))
        emit_notice(actions, NOTICE_ERROR, "The pasted text is no path.");
}

const view_ops overlay_ingest = {
    .title = "ingest",
    .scope = SCOPE_PATH,
    .create = create,
    .free = free_view,
    .update = update,
    .draw = draw,
    .typing = typing,
    .command = command,
    .key = key,
    .paste = paste,
};
