/* layout.h: where the panes lie at a size. May use: cells.h, view.h. */
#ifndef DRT_UI_LAYOUT_H
#define DRT_UI_LAYOUT_H

#include "ui/view.h"

#define LAYOUT_MIN_ROWS 12
#define LAYOUT_MIN_COLUMNS 40

typedef struct {
    bool too_small;         /* nothing fits; the other fields are empty */
    rect title, status;     /* first and last line */
    rect panes[PANE_COUNT]; /* rows 0: not shown now */
} layout;

/*  up to 99 columns: documents | conversation, or retrieval over passage when one of these has the focus
 *  up to 159: documents | conversation, or conversation | retrieval over passage
 *  more: documents | conversation | retrieval over passage
 * zoomed: the focused pane alone. */
layout layout_of(int rows, int columns, pane_id focus, bool zoomed);

#endif
