/* overlay_help.c: all keys, from the key table. May use: view.h, list.h, draw.h. */
#include <stdlib.h>
#include <string.h>

#include "ui/draw.h"
#include "ui/list.h"
#include "ui/view.h"

#define KEYS_COLUMNS 22
#define BOX_COLUMNS 80

/* A line of the help: a section's title or a row of the key table; neither: an empty line. */
typedef struct {
    const char *title;
    const key_row *row;
} help_line;

typedef struct {
    help_line *shown;
    list lines;
} help;

static size_t add_scope(help_line *out, size_t n, key_scope scope) {
    size_t rows;
    const key_row *table = key_table(&rows);
    bool any = false;
    for (size_t i = 0; i < rows; i++) {
        if (table[i].scope != scope || table[i].keys[0] == UI_KEY_NONE)
            continue;
        if (!any && n > 0)
            out[n++] = (help_line){NULL, NULL};
        if (!any)
            out[n++] = (help_line){key_scope_title(scope), NULL};
        any = true;
        out[n++] = (help_line){NULL, &table[i]};
    }
    return n;
}

/* number: the section of what help was asked for in; it comes first. */
static void *create(int64_t number) {
    size_t rows, n = 0;
    key_table(&rows);
    help *view = calloc(1, sizeof *view);
    help_line *shown = calloc(rows + 2 * SCOPE_COUNT, sizeof *shown);
    if (!view || !shown) {
        free(view);
        free(shown);
        return NULL;
    }
    n = add_scope(shown, n, (key_scope)number);
    for (int scope = 0; scope < SCOPE_COUNT; scope++)
        if (scope != number)
            n = add_scope(shown, n, (key_scope)scope);
    view->shown = shown;
    list_set_count(&view->lines, n);
    return view;
}

static void free_view(void *self) {
    free(((help *)self)->shown);
    free(self);
}

static void draw_keys(const key_row *row, cells *out, rect line) {
    int column = 2;
    for (int k = 0; k < KEYS_PER_COMMAND && row->keys[k]; k++) {
        char label[32];
        key_label(row->keys[k], label);
        column += cells_text(out, line, 0, column, ROLE_BAR_KEY, label) + 1;
    }
}

static void draw_line(void *user, size_t index, cells *out, rect row, attribute look) {
    const help_line *line = &((help *)user)->shown[index];
    (void)look; /* nothing is selected in a text */
    cells_fill(out, row, ROLE_TEXT);
    if (line->title)
        cells_text(out, row, 0, 0, ROLE_STRONG, line->title);
    if (!line->row)
        return;
    draw_keys(line->row, out, rect_left(row, KEYS_COLUMNS));
    cells_put_cut(out, row, 0, KEYS_COLUMNS, row.columns - KEYS_COLUMNS, CUT_END, ROLE_TEXT, line->row->help,
                  strlen(line->row->help));
}

static int draw_hint(cells *out, rect line, int column, key_scope scope, ui_command command, const char *does) {
    char label[32];
    key_label(key_of(scope, command), label);
    column += cells_text(out, line, 0, column, ROLE_BAR_KEY, label) + 1;
    return column + cells_text(out, line, 0, column, ROLE_DIM, does) + 3;
}

/* What one must know to read on, and to have the mouse back. */
static void draw_hints(cells *out, rect line) {
    int column = draw_hint(out, line, 0, SCOPE_MOVE, COMMAND_PAGE_DOWN, "more");
    column = draw_hint(out, line, column, SCOPE_GLOBAL, COMMAND_CANCEL, "back");
    column = draw_hint(out, line, column, SCOPE_GLOBAL, COMMAND_MOUSE, "switches the mouse off and on");
    draw_hint(out, line, column, SCOPE_GLOBAL, COMMAND_PALETTE, "commands");
}

static void draw(void *self, const ui_model *model, cells *out, rect area, bool focused) {
    help *view = self;
    (void)model;
    rect inner = draw_box(out, area, area.rows, BOX_COLUMNS, "keys");
    inner = rect_inset(inner, 0, 1);
    draw_hints(out, rect_top(inner, 1));
    list_draw(&view->lines, out, rect_below(inner, 2), focused, draw_line, view);
}

/* It scrolls by lines at once: the selection is not shown, so it stays at the edge that is moved to. */
static bool command(void *self, const ui_model *model, ui_command what, const ui_actions *actions) {
    list *lines = &((help *)self)->lines;
    size_t rows = lines->rows > 0 ? (size_t)lines->rows : 1;
    (void)model;
    (void)actions;
    if ((what == COMMAND_DOWN || what == COMMAND_PAGE_DOWN) && lines->selected < lines->first + rows - 1)
        list_select(lines, lines->first + rows - 1);
    if ((what == COMMAND_UP || what == COMMAND_PAGE_UP) && lines->selected > lines->first)
        list_select(lines, lines->first);
    return list_command(lines, what);
}

static bool mouse(void *self, const ui_model *model, const ui_event *event, rect area, const ui_actions *actions) {
    ui_command what = event->mouse == MOUSE_WHEEL_UP     ? COMMAND_PAGE_UP
                      : event->mouse == MOUSE_WHEEL_DOWN ? COMMAND_PAGE_DOWN
                                                         : COMMAND_NONE;
    (void)area;
    return what != COMMAND_NONE && command(self, model, what, actions);
}

const view_ops overlay_help = {
    .title = "keys",
    .scope = SCOPE_GLOBAL,
    .moving = true,
    .create = create,
    .free = free_view,
    .draw = draw,
    .command = command,
    .mouse = mouse,
};
