/* cells.h: the buffer that views draw into and screen.c shows; tests read it. Everything is clipped, a wide
 * character is never cut in half, and text is made harmless (cluster.h).
 * May use: cluster.h, glyphs.h, theme.h. */
#ifndef DRT_UI_CELLS_H
#define DRT_UI_CELLS_H

#include <stdio.h>

#include "ui/cluster.h"
#include "ui/glyphs.h"
#include "ui/theme.h"

/* Rows and columns from 0. Any value may be negative or too large: what lies outside is not drawn. */
typedef struct {
    int row, column, rows, columns;
} rect;

/* The part of `area` left after taking `n` rows or columns from one side; and the part taken. */
rect rect_top(rect area, int n);
rect rect_bottom(rect area, int n);
rect rect_left(rect area, int n);
rect rect_right(rect area, int n);
rect rect_below(rect area, int n);  /* without the first n rows */
rect rect_above(rect area, int n);  /* without the last n rows */
rect rect_after(rect area, int n);  /* without the first n columns */
rect rect_before(rect area, int n); /* without the last n columns */
rect rect_inset(rect area, int rows, int columns);
bool rect_holds(rect area, int row, int column);

/* width 0: the right half of the wide character before it. */
typedef struct {
    glyph shown;
    attribute look;
} cell;

typedef struct {
    int rows, columns;
    bool ascii;                    /* nothing beyond ASCII comes in */
    int cursor_row, cursor_column; /* row -1: hidden */
    cell *data;                    /* (rows, columns) */
} cells;

/* {0} is an empty buffer. Sets the size and clears. false: out of memory, the buffer is empty. */
bool cells_resize(cells *out, int rows, int columns);
void cells_clear(cells *out); /* spaces of ROLE_TEXT, cursor hidden */
void cells_free(cells *out);
const cell *cells_at(const cells *in, int row, int column);
rect cells_area(const cells *in);

/* In all of these row and column count from the top left of `area`, and nothing is drawn outside it. */

/* Draws text on one row; the columns that it takes, drawn or not. A line feed is shown like any control. */
int cells_put(cells *out, rect area, int row, int column, attribute look, const char *text, size_t length);
/* Of a NUL-terminated literal. */
int cells_text(cells *out, rect area, int row, int column, attribute look, const char *text);
__attribute__((format(printf, 6, 7))) int cells_printf(cells *out, rect area, int row, int column, attribute look,
                                                       const char *format, ...);
int cells_glyph(cells *out, rect area, int row, int column, attribute look, glyph_id id);
/* Draws a read cluster's glyphs. */
void cells_cluster(cells *out, rect area, int row, int column, attribute look, const cluster *shown);

typedef enum { CUT_END, CUT_START /* keeps the end: of paths */ } cut_side;
/* Text in at most `columns` columns; what does not fit is replaced by GLYPH_MORE. The columns used. */
int cells_put_cut(cells *out, rect area, int row, int column, int columns, cut_side side, attribute look,
                  const char *text, size_t length);

void cells_fill(cells *out, rect area, attribute look); /* with spaces */
/* Gives what stands in the area another look. */
void cells_look(cells *out, rect area, attribute look);
/* Adds flags (ATTRIBUTE_REVERSE...) to what stands in the area. */
void cells_flag(cells *out, rect area, attribute flags);
/* Puts the terminal's cursor there; outside the area: no cursor. */
void cells_cursor(cells *out, rect area, int row, int column);

/* Writes the buffer as text: each row between bars, then the same shape with one letter for each attribute
 * ('.' is plain text) and a legend of the letters. The format of golden screens. */
void cells_dump(const cells *in, FILE *file);

#endif
