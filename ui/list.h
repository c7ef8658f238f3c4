/* list.h: a list that is scrolled: which line is selected and which are shown. It holds no lines: the view draws
 * those that are visible, so a hundred thousand cost no more than twenty. May use: cells.h, keys.h, draw.h. */
#ifndef DRT_UI_LIST_H
#define DRT_UI_LIST_H

#include "ui/cells.h"
#include "ui/events.h"

typedef struct {
    size_t count;
    size_t selected; /* < count, 0 when empty */
    size_t first;    /* the line at the top */
    int rows;        /* of the last draw */
} list;

void list_set_count(list *lines, size_t count);
void list_select(list *lines, size_t index);
/* UP, DOWN, PAGE_UP, PAGE_DOWN, FIRST, LAST. false: not a command of lists. */
bool list_command(list *lines, ui_command command);
/* Wheel and click; row counts from the top of the area that was drawn last. true: taken. */
bool list_mouse(list *lines, const ui_event *event, rect area);

/* Draws line `index` into `row` (one row high); look is the line's ground, already filled in. */
typedef void (*list_draw_line)(void *user, size_t index, cells *out, rect row, attribute look);
/* Scrolls so that the selected line shows, draws what is visible, with a scroll bar in the last column when not all
 * is. Lines get that column too while there is no bar. */
void list_draw(list *lines, cells *out, rect area, bool focused, list_draw_line draw, void *user);

#endif
