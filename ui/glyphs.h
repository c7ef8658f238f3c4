/* glyphs.h: every sign that the program itself draws, with its ASCII twin. */
#ifndef DRT_UI_GLYPHS_H
#define DRT_UI_GLYPHS_H

#include <stdbool.h>

typedef enum {
    GLYPH_HORIZONTAL,
    GLYPH_VERTICAL,
    GLYPH_TOP_LEFT,
    GLYPH_TOP_RIGHT,
    GLYPH_BOTTOM_LEFT,
    GLYPH_BOTTOM_RIGHT,
    GLYPH_TEE_LEFT,  /* a line that leaves the left edge to the right */
    GLYPH_TEE_RIGHT, /* a line that arrives at the right edge */
    GLYPH_TEE_TOP,
    GLYPH_TEE_BOTTOM,
    GLYPH_CROSS,
    GLYPH_LEVEL_0, /* heights of a bar, 0/8 .. 8/8; consecutive */
    GLYPH_LEVEL_1,
    GLYPH_LEVEL_2,
    GLYPH_LEVEL_3,
    GLYPH_LEVEL_4,
    GLYPH_LEVEL_5,
    GLYPH_LEVEL_6,
    GLYPH_LEVEL_7,
    GLYPH_LEVEL_8,
    GLYPH_PART_1, /* lengths of a horizontal bar, 1/8 .. 8/8; consecutive */
    GLYPH_PART_2,
    GLYPH_PART_3,
    GLYPH_PART_4,
    GLYPH_PART_5,
    GLYPH_PART_6,
    GLYPH_PART_7,
    GLYPH_PART_8,
    GLYPH_EMPTY, /* the rest of a bar */
    GLYPH_MORE,  /* text goes on: cut here */
    GLYPH_OPEN,  /* a tree node with its children shown */
    GLYPH_CLOSED,
    GLYPH_SELECTED, /* marks the current line, and what must not rest on colour alone */
    GLYPH_BULLET,
    GLYPH_OK,
    GLYPH_PARTIAL,
    GLYPH_SKIPPED,
    GLYPH_DOT,   /* between two facts of a line */
    GLYPH_RIGHT, /* arrows */
    GLYPH_LEFT,
    GLYPH_UP,
    GLYPH_DOWN,
    GLYPH_CURSOR_ABOVE, /* points at the cell below it */
    GLYPH_THUMB,        /* of a scroll bar */
    GLYPH_BORDER,       /* something begins in the cell above */
    GLYPH_NOTHING,      /* a cell of a strip without weight: told from the lowest level */
    GLYPH_COUNT
} glyph_id;

/* The sign as UTF-8 or ASCII; one column each. */
const char *glyph_text(glyph_id id, bool ascii);

#endif
