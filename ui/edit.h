/* edit.h: a line of text that is typed: editing by characters as people see them, words, history, paste.
 * May use: wrap.h, cells.h, keys.h. */
#ifndef DRT_UI_EDIT_H
#define DRT_UI_EDIT_H

#include "ui/cells.h"
#include "ui/keys.h"
#include "ui/wrap.h"

#define EDIT_MAX_BYTES ((size_t)1 << 20)
#define EDIT_HISTORY 200

typedef struct {
    char *text; /* valid UTF-8, NUL-terminated once there was any; may hold line feeds from a paste */
    size_t length, capacity;
    size_t cursor;              /* byte, at a cluster border */
    bool one_line;              /* line feeds of a paste become spaces: paths, filters */
    char **history;             /* oldest first; NUL-terminated copies */
    size_t n_history, recalled; /* recalled == n_history: the line itself */
    char *draft;                /* the line while an older one is shown */
    wrap lines;                 /* of the last draw */
    int columns;                /* of the last draw */
} edit;

/* {0} is an empty line. */
void edit_free(edit *line);
/* Types text at the cursor; what exceeds EDIT_MAX_BYTES, and invalid UTF-8, is not taken. false: out of memory or full. */
bool edit_insert(edit *line, const char *text, size_t length);
bool edit_key(edit *line, ui_key key); /* a key that is text */
/* COMMAND_EDIT_* but SUBMIT and COMPLETE. false: not for the line. */
bool edit_command(edit *line, ui_command command);
bool edit_set(edit *line, const char *text, size_t length);
void edit_clear(edit *line);
/* Remembers the line for OLDER and NEWER and clears it. */
void edit_accept(edit *line);

/* Rows that the text takes at this width, at least 1. */
int edit_rows(edit *line, int columns, bool ascii);
/* Draws the text, wrapped, the part around the cursor when it is higher than the area; with the terminal's cursor
 * when focused. */
void edit_draw(edit *line, cells *out, rect area, bool focused, attribute look);

#endif
