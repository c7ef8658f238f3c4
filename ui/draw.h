/* draw.h: the parts that every view is drawn from: panes with borders, bars, scroll bars, hints.
 * May use: cells.h, wrap.h. */
#ifndef DRT_UI_DRAW_H
#define DRT_UI_DRAW_H

#include "ui/cells.h"

/* A border with a title in its top line; returns the inside. */
rect draw_pane(cells *out, rect area, const char *title, bool focused);
/* A horizontal line through a pane from border to border, with a title or NULL. area: the pane, border included;
 * row counts from its top. */
void draw_divider(cells *out, rect area, int row, const char *title, bool focused);
/* A bar of `columns` columns filled to share (0..1) in eighths of a column. */
void draw_bar(cells *out, rect area, int row, int column, int columns, float share, attribute look);
/* The height glyph and heat of a share (0..1), one column. */
void draw_level(cells *out, rect area, int row, int column, float share, attribute look);
/* The thumb of a scroll bar in the area's last column when `total` lines do not fit; true when drawn. */
bool draw_scrollbar(cells *out, rect area, long first, long shown, long total);
/* Text wrapped at words into the area; the last row shows when there is more. */
void draw_wrapped(cells *out, rect area, attribute look, const char *text, size_t length);
/* A box of at most rows x columns centred in the area and cleared; returns its inside. */
rect draw_box(cells *out, rect area, int rows, int columns, const char *title);
/* "12.3 MB", "456 B". Decimal units. */
void format_bytes(int64_t bytes, char out[16]);
/* "1,234,567" */
void format_count(int64_t count, char out[32]);
/* "12 s", "3 min 20 s", "2 h 5 min" */
void format_seconds(double seconds, char out[32]);

#endif
