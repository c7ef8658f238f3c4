/* list.c: see list.h. */
#include "ui/list.h"

#include "ui/draw.h"

void list_set_count(list *lines, size_t count) {
    lines->count = count;
    list_select(lines, lines->selected);
}

void list_select(list *lines, size_t index) {
    lines->selected = index < lines->count ? index : lines->count > 0 ? lines->count - 1 : 0;
}

static void move_up(list *lines, size_t n) {
    lines->selected = lines->selected > n ? lines->selected - n : 0;
}

static void move_down(list *lines, size_t n) {
    size_t left = lines->count > 0 ? lines->count - 1 - lines->selected : 0;
    lines->selected += n < left ? n : left;
}

bool list_command(list *lines, ui_command command) {
    size_t page = lines->rows > 2 ? (size_t)lines->rows - 1 : 1;
    switch (command) {
    case COMMAND_UP:
        move_up(lines, 1);
        return true;
    case COMMAND_DOWN:
        move_down(lines, 1);
        return true;
    case COMMAND_PAGE_UP:
        move_up(lines, page);
        return true;
    case COMMAND_PAGE_DOWN:
        move_down(lines, page);
        return true;
    case COMMAND_FIRST:
        lines->selected = 0;
        return true;
    case COMMAND_LAST:
        list_select(lines, lines->count);
        return true;
    default:
        return false;
    }
}

bool list_mouse(list *lines, const ui_event *event, rect area) {
    if (!rect_holds(area, event->row, event->column))
        return false;
    switch (event->mouse) {
    case MOUSE_WHEEL_UP:
        move_up(lines, 3);
        return true;
    case MOUSE_WHEEL_DOWN:
        move_down(lines, 3);
        return true;
    case MOUSE_PRESS: {
        size_t index = lines->first + (size_t)(event->row - area.row);
        if (event->button == 0 && index < lines->count)
            lines->selected = index;
        return true;
    }
    default:
        return false;
    }
}

static void scroll_to_selected(list *lines) {
    size_t rows = (size_t)lines->rows;
    if (lines->selected < lines->first)
        lines->first = lines->selected;
    if (lines->selected >= lines->first + rows)
        lines->first = lines->selected - rows + 1;
    if (lines->first + rows > lines->count) /* no empty rows while lines are hidden above */
        lines->first = lines->count > rows ? lines->count - rows : 0;
}

void list_draw(list *lines, cells *out, rect area, bool focused, list_draw_line draw, void *user) {
    lines->rows = area.rows;
    if (area.rows <= 0 || area.columns <= 0)
        return;
    scroll_to_selected(lines);
    if (draw_scrollbar(out, area, (long)lines->first, area.rows, (long)lines->count))
        area = rect_before(area, 1);
    for (int row = 0; row < area.rows && lines->first + (size_t)row < lines->count; row++) {
        size_t index = lines->first + (size_t)row;
        attribute look = index != lines->selected ? ROLE_TEXT : focused ? ROLE_SELECTION : ROLE_SELECTION_AWAY;
        rect line = rect_top(rect_below(area, row), 1);
        cells_fill(out, line, look);
        draw(user, index, out, line, look);
    }
}
