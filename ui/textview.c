/* textview.c: see textview.h. */
#include "ui/textview.h"

#include <stdlib.h>

#include "ui/draw.h"
#include "ui/fold.h"

void textview_set(textview *view, const char *text, size_t length) {
    view->text = text;
    view->length = length;
    view->n_marks = 0;
    view->columns = 0;
    view->first = 0;
    view->wanted = SIZE_MAX;
}

void textview_grow(textview *view, const char *text, size_t length) {
    view->text = text;
    view->length = length;
    view->columns = 0;
}

void textview_free(textview *view) {
    free(view->marks);
    wrap_free(&view->lines);
    *view = (textview){0};
}

void textview_clear_marks(textview *view) {
    view->n_marks = 0;
}

bool textview_mark(textview *view, size_t start, size_t end, attribute look) {
    if (view->n_marks == view->marks_capacity) {
        size_t capacity = view->marks_capacity * 2 + 16;
        text_mark *marks = realloc(view->marks, capacity * sizeof *marks);
        if (!marks)
            return false;
        view->marks = marks;
        view->marks_capacity = capacity;
    }
    view->marks[view->n_marks++] = (text_mark){start, end, look};
    return true;
}

void textview_show(textview *view, size_t at) {
    view->wanted = at;
}

/* ------------------------------------------------------------------------------ scroll ---- */

static size_t last_first(const textview *view) {
    size_t rows = view->rows > 0 ? (size_t)view->rows : 1;
    return view->lines.n > rows ? view->lines.n - rows : 0;
}

static void scroll_by(textview *view, long lines) {
    size_t limit = last_first(view);
    if (lines < 0)
        view->first = view->first > (size_t)-lines ? view->first - (size_t)-lines : 0;
    else
        view->first += (size_t)lines;
    if (view->first > limit)
        view->first = limit;
}

bool textview_command(textview *view, ui_command command) {
    long page = view->rows > 2 ? view->rows - 1 : 1;
    switch (command) {
    case COMMAND_UP:
        scroll_by(view, -1);
        return true;
    case COMMAND_DOWN:
        scroll_by(view, 1);
        return true;
    case COMMAND_PAGE_UP:
        scroll_by(view, -page);
        return true;
    case COMMAND_PAGE_DOWN:
        scroll_by(view, page);
        return true;
    case COMMAND_FIRST:
        view->first = 0;
        return true;
    case COMMAND_LAST:
        view->first = last_first(view);
        return true;
    default:
        return false;
    }
}

bool textview_mouse(textview *view, const ui_event *event, rect area) {
    if (!rect_holds(area, event->row, event->column))
        return false;
    if (event->mouse == MOUSE_WHEEL_UP || event->mouse == MOUSE_WHEEL_DOWN) {
        scroll_by(view, event->mouse == MOUSE_WHEEL_UP ? -3 : 3);
        return true;
    }
    return false;
}

/* -------------------------------------------------------------------------------- draw ---- */

/* Lines for this width; the byte at the top stays there. */
static bool layout(textview *view, int columns, bool ascii) {
    if (view->columns == columns && view->ascii == ascii && view->lines.n > 0)
        return true;
    size_t top = view->first < view->lines.n ? view->lines.lines[view->first].start : 0;
    if (!wrap_text(&view->lines, view->text, view->length, columns, ascii, WRAP_WORDS))
        return false;
    view->columns = columns;
    view->ascii = ascii;
    view->first = wrap_line_of(&view->lines, top);
    return true;
}

static void bring_into_sight(textview *view) {
    if (view->wanted == SIZE_MAX)
        return;
    size_t line = wrap_line_of(&view->lines, view->wanted);
    size_t rows = (size_t)view->rows;
    if (line < view->first || line >= view->first + rows)
        view->first = line > rows / 3 ? line - rows / 3 : 0;
    view->wanted = SIZE_MAX;
}

static attribute look_at(const textview *view, size_t at) {
    for (size_t i = view->n_marks; i-- > 0;)
        if (at >= view->marks[i].start && at < view->marks[i].end)
            return view->marks[i].look;
    return ROLE_TEXT;
}

static void draw_line(const textview *view, cells *out, rect area, int row, const wrap_line *line) {
    cluster read;
    int column = 0;
    for (size_t at = line->start; at < line->end; at = read.end) {
        cluster_read(view->text, line->end, at, out->ascii, &read);
        cells_cluster(out, area, row, column, look_at(view, at), &read);
        column += read.columns;
    }
}

void textview_draw(textview *view, cells *out, rect area) {
    view->rows = area.rows;
    if (area.rows <= 0 || area.columns <= 1 || !layout(view, area.columns - 1, out->ascii))
        return;
    bring_into_sight(view);
    if (view->first > last_first(view))
        view->first = last_first(view);
    for (int row = 0; row < area.rows && view->first + (size_t)row < view->lines.n; row++)
        draw_line(view, out, area, row, &view->lines.lines[view->first + (size_t)row]);
    draw_scrollbar(out, area, (long)view->first, area.rows, (long)view->lines.n);
}

bool textview_at(const textview *view, rect area, int row, int column, size_t *at) {
    size_t line = view->first + (size_t)(row - area.row);
    if (!rect_holds(area, row, column) || line >= view->lines.n)
        return false;
    *at = wrap_offset_of(&view->lines, line, view->text, view->ascii, column - area.column);
    return *at < view->lines.lines[line].end;
}

/* -------------------------------------------------------------------------------- find ---- */

static bool find_last_before(const textview *view, const char *folded, size_t length, size_t before, size_t *start,
                             size_t *end) {
    size_t s, e, from = 0;
    bool found = false;
    while (fold_find(view->text, view->length, from, folded, length, &s, &e) && s < before) {
        *start = s;
        *end = e;
        found = true;
        from = e > s ? e : e + 1;
    }
    return found;
}

bool textview_find(const textview *view, const char *what, size_t length, size_t from, bool backwards, size_t *start,
                   size_t *end) {
    size_t folded_length;
    char *folded = length > 0 ? fold_text(what, length, &folded_length) : NULL;
    if (!folded)
        return false;
    bool found = backwards ? find_last_before(view, folded, folded_length, from, start, end) ||
                                 find_last_before(view, folded, folded_length, SIZE_MAX, start, end)
                           : fold_find(view->text, view->length, from, folded, folded_length, start, end) ||
                                 fold_find(view->text, view->length, 0, folded, folded_length, start, end);
    free(folded);
    return found;
}
