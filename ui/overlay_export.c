/* overlay_export.c: asks where the answer goes as text or JSON, and again before a file there is replaced.
 * May use: view.h, edit.h, path.h, draw.h. */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/path.h"
#include "ui/view.h"

#define BOX_ROWS 9
#define BOX_COLUMNS 70

typedef struct {
    bool json, begun;
    edit path;
    char *replaced; /* the file that is asked about; NULL: none */
} prompt;

static void *create_prompt(bool json) {
    prompt *view = calloc(1, sizeof *view);
    if (!view)
        return NULL;
    view->json = json;
    view->path.one_line = true;
    return view;
}

static void *create_text(int64_t number) {
    (void)number;
    return create_prompt(false);
}

static void *create_json(int64_t number) {
    (void)number;
    return create_prompt(true);
}

static void free_view(void *self) {
    prompt *view = self;
    edit_free(&view->path);
    free(view->replaced);
    free(view);
}

/* The answer that is looked at; NULL: none is whole yet. */
static const drt_answer *answer_of(const ui_model *model) {
    return model->turn < model->n_turns ? model->turns[model->turn].trace : NULL;
}

/* Suggests a name, once. */
static void update(void *self, const ui_model *model, unsigned changed) {
    prompt *view = self;
    char name[64];
    (void)changed;
    if (view->begun || !answer_of(model))
        return;
    view->begun = true;
    snprintf(name, sizeof name, "answer-%lld.%s", (long long)answer_of(model)->session, view->json ? "json" : "txt");
    edit_set(&view->path, name, strlen(name));
    edit_command(&view->path, COMMAND_EDIT_END);
}

/* ------------------------------------------------------------------------------------- draw ---- */

static int draw_hint(cells *out, rect line, int column, ui_key key, const char *does) {
    char label[32];
    key_label(key, label);
    column += cells_text(out, line, 0, column, ROLE_BAR_KEY, label) + 1;
    return column + cells_text(out, line, 0, column, ROLE_TEXT, does) + 3;
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    prompt *view = self;
    const char *title = view->json ? "export as JSON" : "export as text";
    rect inner = rect_inset(draw_box(out, area, BOX_ROWS, BOX_COLUMNS, title), 0, 1);
    if (!answer_of(model)) {
        cells_text(out, inner, 0, 0, ROLE_DIM, "There is no finished answer to export.");
        draw_hint(out, rect_bottom(inner, 1), 0, key_of(SCOPE_GLOBAL, COMMAND_CANCEL), "leaves");
        return;
    }
    const drt_answer *answer = answer_of(model);
    cells_put_cut(out, inner, 0, 0, inner.columns, CUT_END, ROLE_STRONG, answer->question.data,
                  answer->question.length);
    cells_text(out, inner, 1, 0, ROLE_DIM,
               view->json ? "The answer with its whole trace goes into the file:"
                          : "The answer with every passage retrieved goes into the file:");
    rect line = rect_top(rect_below(inner, 3), 1);
    cells_glyph(out, line, 0, 0, ROLE_ACCENT, GLYPH_SELECTED);
    edit_draw(&view->path, out, rect_after(line, 2), focused && !view->replaced, ROLE_INPUT);
    if (view->replaced)
        cells_text(out, inner, 4, 2, ROLE_WARNING, "There is such a file already.");
    int column = draw_hint(out, rect_bottom(inner, 1), 0, key_of(SCOPE_EDIT, COMMAND_EDIT_SUBMIT),
                           view->replaced ? "replaces it" : "writes");
    draw_hint(out, rect_bottom(inner, 1), column, key_of(SCOPE_GLOBAL, COMMAND_CANCEL),
              view->replaced ? "keeps it" : "leaves");
}

/* --------------------------------------------------------------------------------- commands ---- */

static bool typing(const void *self) {
    (void)self;
    return true;
}

/* The question is about what was typed then. */
static void forget_question(prompt *view) {
    free(view->replaced);
    view->replaced = NULL;
}

static void write_to(prompt *view, const char *path, bool replace, const ui_actions *actions) {
    ui_action action = {.kind = view->json ? ACTION_EXPORT_JSON : ACTION_EXPORT_TEXT,
                        .text = path,
                        .length = strlen(path),
                        .number = replace};
    actions->take(actions->user, &action);
}

static void submit(prompt *view, const ui_model *model, const ui_actions *actions) {
    struct stat info;
    if (!answer_of(model) || view->path.length == 0) {
        emit_notice(actions, NOTICE_INFO,
                    answer_of(model) ? "Type the name of a file." : "There is nothing to export.");
        return;
    }
    char *path = path_expand(view->path.text);
    if (!path)
        return;
    if (!view->replaced && stat(path, &info) == 0) {
        if (S_ISREG(info.st_mode))
            view->replaced = path;
        else {
            emit_notice(actions, NOTICE_ERROR, "%s is no file: type the name of one.", path);
            free(path);
        }
        return;
    }
    write_to(view, path, view->replaced != NULL, actions);
    free(path);
    emit(actions, ACTION_CLOSE, 0); /* view is gone */
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    prompt *view = self;
    if (what == COMMAND_EDIT_SUBMIT) {
        submit(view, model, actions);
        return true;
    }
    if (what == COMMAND_CANCEL && view->replaced) {
        forget_question(view);
        return true;
    }
    if (what == COMMAND_NEXT_PANE || what == COMMAND_PREVIOUS_PANE) /* the panes wait */
        return true;
    if (!edit_command(&view->path, what))
        return false;
    forget_question(view);
    return true;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    prompt *view = self;
    (void)model;
    (void)actions;
    forget_question(view);
    edit_key(&view->path, typed);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    prompt *view = self;
    (void)model;
    forget_question(view);
    if (!edit_insert(&view->path, text, length))
        emit_notice(actions, NOTICE_ERROR, "The pasted text is no path.");
}

const view_ops overlay_export_text = {
    .title = "export text",
    .scope = SCOPE_GLOBAL,
    .create = create_text,
    .free = free_view,
    .update = update,
    .draw = draw,
    .typing = typing,
    .command = command,
    .key = key,
    .paste = paste,
};

const view_ops overlay_export_json = {
    .title = "export JSON",
    .scope = SCOPE_GLOBAL,
    .create = create_json,
    .free = free_view,
    .update = update,
    .draw = draw,
    .typing = typing,
    .command = command,
    .key = key,
    .paste = paste,
};
