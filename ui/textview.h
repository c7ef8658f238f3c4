/* textview.h: a text to read: wrapped, scrolled, with marks (shading, matches) over ranges of bytes, and search.
 * May use: wrap.h, cells.h, keys.h, draw.h. */
#ifndef DRT_UI_TEXTVIEW_H
#define DRT_UI_TEXTVIEW_H

#include "ui/cells.h"
#include "ui/events.h"
#include "ui/wrap.h"

typedef struct {
    size_t start, end; /* bytes */
    attribute look;
} text_mark;

typedef struct {
    const char *text; /* borrowed: must stay until the next textview_set */
    size_t length;
    text_mark *marks; /* owned; a later one covers an earlier one */
    size_t n_marks, marks_capacity;
    wrap lines;
    int columns; /* that the lines were made for; 0: not yet */
    bool ascii;
    size_t first;  /* line at the top */
    int rows;      /* of the last draw */
    size_t wanted; /* byte to bring into sight at the next draw; SIZE_MAX: none */
} textview;

/* {0} shows nothing. Drops marks and scrolls to the start. */
void textview_set(textview *view, const char *text, size_t length);
/* The text grew at its end (a streamed answer); scroll position and marks stay. */
void textview_grow(textview *view, const char *text, size_t length);
void textview_clear_marks(textview *view);
/* false: out of memory. */
bool textview_mark(textview *view, size_t start, size_t end, attribute look);
/* Brings a byte into sight at the next draw, a third from the top when it was not. */
void textview_show(textview *view, size_t at);
/* Scrolls: UP, DOWN, PAGE_UP, PAGE_DOWN, FIRST, LAST. false: not a command of texts. */
bool textview_command(textview *view, ui_command command);
bool textview_mouse(textview *view, const ui_event *event, rect area); /* the wheel */
void textview_draw(textview *view, cells *out, rect area);
/* The byte shown at a row and column of the area drawn last; false: none. */
bool textview_at(const textview *view, rect area, int row, int column, size_t *at);
/* The next place at or after `from` (before it when backwards, wrapping around) where the text holds `what`, ignoring
 * case in every script. false: nowhere. */
bool textview_find(const textview *view, const char *what, size_t length, size_t from, bool backwards, size_t *start,
                   size_t *end);
void textview_free(textview *view);

#endif
