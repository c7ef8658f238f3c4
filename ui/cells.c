/* cells.c: see cells.h. */
#include "ui/cells.h"

#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

static int at_least_0(int n) {
    return n > 0 ? n : 0;
}

static int smaller(int a, int b) {
    return a < b ? a : b;
}

static int larger(int a, int b) {
    return a > b ? a : b;
}

rect rect_top(rect area, int n) {
    n = smaller(at_least_0(n), at_least_0(area.rows));
    return (rect){area.row, area.column, n, area.columns};
}

rect rect_below(rect area, int n) {
    n = smaller(at_least_0(n), at_least_0(area.rows));
    return (rect){area.row + n, area.column, area.rows - n, area.columns};
}

rect rect_bottom(rect area, int n) {
    return rect_below(area, area.rows - at_least_0(n));
}

rect rect_above(rect area, int n) {
    return rect_top(area, area.rows - at_least_0(n));
}

rect rect_left(rect area, int n) {
    n = smaller(at_least_0(n), at_least_0(area.columns));
    return (rect){area.row, area.column, area.rows, n};
}

rect rect_after(rect area, int n) {
    n = smaller(at_least_0(n), at_least_0(area.columns));
    return (rect){area.row, area.column + n, area.rows, area.columns - n};
}

rect rect_right(rect area, int n) {
    return rect_after(area, area.columns - at_least_0(n));
}

rect rect_before(rect area, int n) {
    return rect_left(area, area.columns - at_least_0(n));
}

rect rect_inset(rect area, int rows, int columns) {
    return rect_after(rect_before(rect_below(rect_above(area, rows), rows), columns), columns);
}

bool rect_holds(rect area, int row, int column) {
    return row >= area.row && row < area.row + area.rows && column >= area.column &&
           column < area.column + area.columns;
}

/* ------------------------------------------------------------------------------ buffer ---- */

static const glyph space = {.bytes = " ", .length = 1, .width = 1};

bool cells_resize(cells *out, int rows, int columns) {
    size_t count = (size_t)at_least_0(rows) * (size_t)at_least_0(columns);
    cell *data = realloc(out->data, (count > 0 ? count : 1) * sizeof *data);
    if (!data) {
        cells_free(out);
        return false;
    }
    out->data = data;
    out->rows = at_least_0(rows);
    out->columns = at_least_0(columns);
    cells_clear(out);
    return true;
}

void cells_clear(cells *out) {
    cells_fill(out, cells_area(out), ROLE_TEXT);
    out->cursor_row = out->cursor_column = -1;
}

void cells_free(cells *out) {
    free(out->data);
    out->data = NULL;
    out->rows = out->columns = 0;
}

const cell *cells_at(const cells *in, int row, int column) {
    return &in->data[(size_t)row * (size_t)in->columns + (size_t)column];
}

rect cells_area(const cells *in) {
    return (rect){0, 0, in->rows, in->columns};
}

static rect visible(const cells *out, rect area) {
    int top = larger(area.row, 0), left = larger(area.column, 0);
    int bottom = smaller(area.row + at_least_0(area.rows), out->rows);
    int right = smaller(area.column + at_least_0(area.columns), out->columns);
    return (rect){top, left, at_least_0(bottom - top), at_least_0(right - left)};
}

static cell *cell_of(cells *out, int row, int column) {
    return &out->data[(size_t)row * (size_t)out->columns + (size_t)column];
}

/* The half of a wide character that stays when the other is overwritten turns into a space. */
static void split_wide(cells *out, int row, int column) {
    cell *here = cell_of(out, row, column);
    if (here->shown.width == 0 && column > 0)
        cell_of(out, row, column - 1)->shown = space;
    else if (here->shown.width == 2 && column + 1 < out->columns)
        cell_of(out, row, column + 1)->shown = space;
}

/* row and column of the buffer; `shown_area` is what may be drawn on. */
static void set(cells *out, rect shown_area, int row, int column, attribute look, const glyph *what) {
    if (!rect_holds(shown_area, row, column))
        return;
    if (what->width == 2 && !rect_holds(shown_area, row, column + 1))
        what = &space;
    split_wide(out, row, column);
    if (what->width == 2) {
        split_wide(out, row, column + 1);
        *cell_of(out, row, column + 1) = (cell){{.width = 0}, look};
    }
    *cell_of(out, row, column) = (cell){*what, look};
}

static void set_glyph(cells *out, rect shown_area, int row, int column, attribute look, const glyph *what) {
    if (what->width == 2 && column == shown_area.column - 1)
        set(out, shown_area, row, column + 1, look, &space); /* only its right half lies inside */
    else
        set(out, shown_area, row, column, look, what);
}

void cells_cluster(cells *out, rect area, int row, int column, attribute look, const cluster *shown) {
    rect inside = visible(out, area);
    column += area.column;
    for (int i = 0; i < shown->n_glyphs; i++) {
        set_glyph(out, inside, area.row + row, column, look, &shown->glyphs[i]);
        column += shown->glyphs[i].width;
    }
}

int cells_put(cells *out, rect area, int row, int column, attribute look, const char *text, size_t length) {
    int start = column;
    cluster next;
    for (size_t at = 0; at < length; at = next.end) {
        cluster_read(text, length, at, out->ascii, &next);
        cells_cluster(out, area, row, column, look, &next);
        if (column > INT_MAX / 2)
            break;
        column += next.columns;
    }
    return column - start;
}

int cells_text(cells *out, rect area, int row, int column, attribute look, const char *text) {
    return cells_put(out, area, row, column, look, text, strlen(text));
}

int cells_printf(cells *out, rect area, int row, int column, attribute look, const char *format, ...) {
    char line[512]; /* facts and hints; longer text goes through cells_put */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    return cells_text(out, area, row, column, look, line);
}

int cells_glyph(cells *out, rect area, int row, int column, attribute look, glyph_id id) {
    return cells_text(out, area, row, column, look, glyph_text(id, out->ascii));
}

/* ------------------------------------------------------------------------------- cuts ---- */

/* End of the longest prefix of at most `columns` columns; *used gets its columns. */
static size_t prefix_that_fits(const char *text, size_t length, int columns, bool ascii, int *used) {
    cluster next;
    size_t at = 0;
    for (*used = 0; at < length; at = next.end) {
        cluster_read(text, length, at, ascii, &next);
        if (*used + next.columns > columns)
            break;
        *used += next.columns;
    }
    return at;
}

/* Start of the longest suffix of at most `columns` columns, given the columns of the whole. */
static size_t suffix_that_fits(const char *text, size_t length, int whole, int columns, bool ascii) {
    cluster next;
    size_t at = 0;
    for (; at < length && whole > columns; at = next.end) {
        cluster_read(text, length, at, ascii, &next);
        whole -= next.columns;
    }
    return at;
}

int cells_put_cut(cells *out, rect area, int row, int column, int columns, cut_side side, attribute look,
                  const char *text, size_t length) {
    if (columns <= 0)
        return 0;
    int used;
    if (prefix_that_fits(text, length, columns, out->ascii, &used) == length)
        return cells_put(out, area, row, column, look, text, length);
    if (side == CUT_END) {
        size_t end = prefix_that_fits(text, length, columns - 1, out->ascii, &used);
        cells_put(out, area, row, column, look, text, end);
        return used + cells_glyph(out, area, row, column + used, look, GLYPH_MORE);
    }
    size_t start = suffix_that_fits(text, length, cluster_columns(text, length, out->ascii), columns - 1, out->ascii);
    used = cells_glyph(out, area, row, column, look, GLYPH_MORE);
    return used + cells_put(out, area, row, column + used, look, text + start, length - start);
}

/* ------------------------------------------------------------------------------- areas ---- */

void cells_fill(cells *out, rect area, attribute look) {
    rect inside = visible(out, area);
    for (int row = inside.row; row < inside.row + inside.rows; row++) {
        if (inside.columns > 0) { /* only the edges can cut a wide character */
            split_wide(out, row, inside.column);
            split_wide(out, row, inside.column + inside.columns - 1);
        }
        for (int column = inside.column; column < inside.column + inside.columns; column++)
            *cell_of(out, row, column) = (cell){space, look};
    }
}

void cells_look(cells *out, rect area, attribute look) {
    rect inside = visible(out, area);
    for (int row = inside.row; row < inside.row + inside.rows; row++)
        for (int column = inside.column; column < inside.column + inside.columns; column++)
            cell_of(out, row, column)->look = look;
}

void cells_flag(cells *out, rect area, attribute flags) {
    rect inside = visible(out, area);
    for (int row = inside.row; row < inside.row + inside.rows; row++)
        for (int column = inside.column; column < inside.column + inside.columns; column++)
            cell_of(out, row, column)->look |= flags;
}

void cells_cursor(cells *out, rect area, int row, int column) {
    rect inside = visible(out, area);
    bool shown = rect_holds(inside, area.row + row, area.column + column);
    out->cursor_row = shown ? area.row + row : -1;
    out->cursor_column = shown ? area.column + column : -1;
}

/* ------------------------------------------------------------------------------- dump ---- */

#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

/* The letters in use: looks[i] is shown as LETTERS[i]. */
typedef struct {
    attribute looks[sizeof LETTERS - 1];
    size_t n;
} legend;

static char letter_of(legend *known, attribute look) {
    if (look == ROLE_TEXT)
        return '.';
    size_t i = 0;
    while (i < known->n && known->looks[i] != look)
        i++;
    if (i == sizeof LETTERS - 1)
        return '?';
    if (i == known->n)
        known->looks[known->n++] = look;
    return LETTERS[i];
}

static void dump_legend(const legend *known, FILE *file) {
    for (size_t i = 0; i < known->n; i++) {
        char name[24];
        attribute look = known->looks[i];
        theme_role_name(look, name);
        fprintf(file, "%c %s%s%s%s\n", LETTERS[i], name, look & ATTRIBUTE_REVERSE ? " +reverse" : "",
                look & ATTRIBUTE_BOLD ? " +bold" : "", look & ATTRIBUTE_UNDERLINE ? " +underline" : "");
    }
}

void cells_dump(const cells *in, FILE *file) {
    legend known = {.n = 0};
    fprintf(file, "%dx%d %s", in->columns, in->rows, in->ascii ? "ascii" : "utf-8");
    if (in->cursor_row >= 0)
        fprintf(file, " cursor %d,%d", in->cursor_row + 1, in->cursor_column + 1);
    fputc('\n', file);
    for (int row = 0; row < in->rows; row++) {
        fputc('|', file);
        for (int column = 0; column < in->columns; column++)
            fwrite(cells_at(in, row, column)->shown.bytes, 1, cells_at(in, row, column)->shown.length, file);
        fputs("|\n", file);
    }
    for (int row = 0; row < in->rows; row++) {
        fputc('|', file);
        for (int column = 0; column < in->columns; column++)
            fputc(letter_of(&known, cells_at(in, row, column)->look), file);
        fputs("|\n", file);
    }
    dump_legend(&known, file);
}
