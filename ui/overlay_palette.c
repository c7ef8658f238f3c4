/* overlay_palette.c: finds a command by its name. The commands are those of the key table that a pane or the program
 * as a whole can do. May use: view.h, list.h, edit.h, fold.h, draw.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "ui/draw.h"
#include "ui/edit.h"
#include "ui/list.h"
#include "ui/view.h"

#define BOX_ROWS 20
#define BOX_COLUMNS 76
#define NAME_COLUMNS 20
#define KEY_COLUMNS 10

typedef struct {
    const key_row *row;
    int score; /* how well the name fits; larger is better */
} candidate;

typedef struct {
    edit typed;
    candidate *found;
    size_t n_found;
    list lines;
    rect list_area; /* of the last draw */
} palette;

/* ------------------------------------------------------------------------------- candidates ---- */

/* The pane whose command it is; -1: everywhere; -2: no command that can be called by name. */
static int pane_of(const key_row *row) {
    switch (row->scope) {
    case SCOPE_GLOBAL:
        return row->command == COMMAND_PALETTE || row->command == COMMAND_CANCEL ? -2 : -1;
    case SCOPE_DOCUMENTS:
        return PANE_DOCUMENTS;
    case SCOPE_CONVERSATION:
        return PANE_CONVERSATION;
    case SCOPE_RETRIEVAL:
        return PANE_RETRIEVAL;
    case SCOPE_PASSAGE:
        return PANE_PASSAGE;
    default:
        return -2;
    }
}

/* The typed letters in order, not side by side: runs and starts of words count. -1: they are not in there. */
static int fuzzy_score(const char *name, const char *typed, size_t length) {
    int score = 0, run = 0;
    size_t at = 0;
    for (const char *c = name; *c && at < length; c++) {
        if (tolower((unsigned char)*c) == tolower((unsigned char)typed[at])) {
            bool starts = c == name || c[-1] == ' ';
            run++;
            score += run + (starts ? 8 : 0);
            at++;
        } else {
            run = 0;
        }
    }
    return at == length ? score * 16 - (int)strlen(name) : -1;
}

/* The help line is searched too, by whole words only. */
static int score_of(const key_row *row, const char *typed, size_t length) {
    char word[64];
    int score = fuzzy_score(row->name, typed, length);
    if (score >= 0 || length < 3 || length >= sizeof word)
        return score;
    memcpy(word, typed, length);
    word[length] = '\0';
    return strstr(row->help, word) ? 0 : -1;
}

/* Insertion keeps the order of the table where scores are equal. */
static void add(palette *view, candidate added) {
    size_t at = view->n_found++;
    for (; at > 0 && view->found[at - 1].score < added.score; at--)
        view->found[at] = view->found[at - 1];
    view->found[at] = added;
}

static void refill(palette *view) {
    size_t n;
    const key_row *table = key_table(&n);
    view->n_found = 0;
    for (size_t i = 0; i < n; i++) {
        int score = pane_of(&table[i]) == -2 ? -1 : score_of(&table[i], view->typed.text, view->typed.length);
        if (score >= 0 || (view->typed.length == 0 && pane_of(&table[i]) != -2))
            add(view, (candidate){&table[i], view->typed.length > 0 ? score : 0});
    }
    list_set_count(&view->lines, view->n_found);
    list_select(&view->lines, 0);
}

static void *create(int64_t number) {
    size_t n;
    (void)number;
    key_table(&n);
    palette *view = calloc(1, sizeof *view);
    candidate *found = calloc(n, sizeof *found);
    if (!view || !found) {
        free(view);
        free(found);
        return NULL;
    }
    view->found = found;
    view->typed.one_line = true;
    refill(view);
    return view;
}

static void free_view(void *self) {
    palette *view = self;
    edit_free(&view->typed);
    free(view->found);
    free(view);
}

/* ------------------------------------------------------------------------------------- draw ---- */

/* The letters that were typed stand out. */
static void draw_name(const palette *view, const char *name, cells *out, rect row, attribute look) {
    bool all = fuzzy_score(name, view->typed.text, view->typed.length) >= 0;
    size_t at = 0;
    for (int i = 0; name[i]; i++) {
        bool hit = all && at < view->typed.length &&
                   tolower((unsigned char)name[i]) == tolower((unsigned char)view->typed.text[at]);
        at += hit;
        cells_put(out, row, 0, 1 + i, hit ? (attribute)(look | ATTRIBUTE_UNDERLINE | ATTRIBUTE_BOLD) : look, &name[i],
                  1);
    }
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const palette *view = user;
    const key_row *found = view->found[index].row;
    attribute beside = look == ROLE_TEXT ? ROLE_DIM : look;
    char label[32] = "";
    draw_name(view, found->name, out, rect_left(row, NAME_COLUMNS), look);
    if (found->keys[0] != UI_KEY_NONE)
        key_label(found->keys[0], label);
    cells_text(out, row, 0, NAME_COLUMNS, look == ROLE_TEXT ? ROLE_BAR_KEY : look, label);
    rect help = rect_after(row, NAME_COLUMNS + KEY_COLUMNS);
    int column = 0;
    if (pane_of(found) >= 0)
        column = cells_printf(out, help, 0, 0, beside, "%s: ", view_of_pane((pane_id)pane_of(found))->title);
    cells_put_cut(out, help, 0, column, help.columns - column - 1, CUT_END, beside, found->help, strlen(found->help));
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    palette *view = self;
    (void)model;
    rect inner = draw_box(out, area, BOX_ROWS, BOX_COLUMNS, "commands");
    int column = 1 + cells_glyph(out, inner, 0, 1, ROLE_ACCENT, GLYPH_SELECTED) + 1;
    edit_draw(&view->typed, out, rect_after(rect_top(inner, 1), column), focused, ROLE_INPUT);
    view->list_area = rect_below(inner, 1);
    if (view->n_found == 0)
        cells_text(out, view->list_area, 0, 1, ROLE_DIM, "No command has such a name.");
    list_draw(&view->lines, out, view->list_area, focused, draw_line, view);
}

/* --------------------------------------------------------------------------------- commands ---- */

static bool typing(const void *self) {
    (void)self;
    return true;
}

static void key(void *self, const ui_model *model, ui_key typed, const ui_actions *actions) {
    (void)model;
    (void)actions;
    edit_key(&((palette *)self)->typed, typed);
    refill(self);
}

static void paste(void *self, const ui_model *model, const char *text, size_t length, const ui_actions *actions) {
    (void)model;
    (void)actions;
    edit_insert(&((palette *)self)->typed, text, length);
    refill(self);
}

/* A pane's command goes to that pane. */
static void run_selected(const palette *view, const ui_actions *actions) {
    if (view->n_found == 0)
        return;
    const key_row *chosen = view->found[view->lines.selected].row;
    int pane = pane_of(chosen);
    emit(actions, ACTION_CLOSE, 0); /* view is gone */
    if (pane >= 0)
        emit(actions, ACTION_FOCUS, pane);
    emit(actions, ACTION_COMMAND, chosen->command);
}

static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    palette *view = self;
    (void)model;
    switch (what) {
    case COMMAND_EDIT_SUBMIT:
        run_selected(view, actions);
        return true;
    case COMMAND_EDIT_OLDER:
        return list_command(&view->lines, COMMAND_UP);
    case COMMAND_EDIT_NEWER:
        return list_command(&view->lines, COMMAND_DOWN);
    case COMMAND_NEXT_PANE: /* the panes wait */
    case COMMAND_PREVIOUS_PANE:
        return true;
    default:
        if (!edit_command(&view->typed, what))
            return false;
        refill(view);
        return true;
    }
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    palette *view = self;
    (void)model;
    (void)area;
    (void)actions;
    return list_mouse(&view->lines, event, view->list_area);
}

const view_ops overlay_palette = {
    .title = "commands",
    .scope = SCOPE_GLOBAL,
    .create = create,
    .free = free_view,
    .draw = draw,
    .typing = typing,
    .command = command,
    .key = key,
    .paste = paste,
    .mouse = mouse,
};
