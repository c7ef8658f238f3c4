/* layout.c: see layout.h. */
#include "ui/layout.h"

#define WIDE 160   /* all panes side by side */
#define MEDIUM 100 /* answer and evidence side by side */

static int clamp(int n, int low, int high) {
    return n < low ? low : n > high ? high : n;
}

static void put_evidence(layout *out, rect area) {
    int upper = area.rows * 11 / 20;
    out->panes[PANE_RETRIEVAL] = rect_top(area, upper);
    out->panes[PANE_PASSAGE] = rect_below(area, upper);
}

static void put_reading(layout *out, rect area, int documents) {
    out->panes[PANE_DOCUMENTS] = rect_left(area, documents);
    out->panes[PANE_CONVERSATION] = rect_after(area, documents);
}

layout layout_of(int rows, int columns, pane_id focus, bool zoomed) {
    layout out = {.too_small = rows < LAYOUT_MIN_ROWS || columns < LAYOUT_MIN_COLUMNS};
    if (out.too_small)
        return out;
    rect screen = {0, 0, rows, columns};
    rect body = rect_above(rect_below(screen, 1), 1);
    bool evidence = focus == PANE_RETRIEVAL || focus == PANE_PASSAGE;
    out.title = rect_top(screen, 1);
    out.status = rect_bottom(screen, 1);
    if (zoomed) {
        out.panes[focus] = body;
    } else if (columns >= WIDE) {
        int documents = clamp(columns / 5, 34, 48);
        int conversation = (columns - documents) * 9 / 20;
        put_reading(&out, rect_left(body, documents + conversation), documents);
        put_evidence(&out, rect_after(body, documents + conversation));
    } else if (!evidence) {
        put_reading(&out, body, clamp(columns * 7 / 20, 18, 42));
    } else if (columns >= MEDIUM) {
        out.panes[PANE_CONVERSATION] = rect_left(body, columns * 2 / 5);
        put_evidence(&out, rect_after(body, columns * 2 / 5));
    } else {
        put_evidence(&out, body);
    }
    return out;
}
