/* wrap.h: text broken into lines at a width, with the bytes that each line stands for, so that a place in the text
 * and a place on the screen can be told from each other. May use: cluster.h. */
#ifndef DRT_UI_WRAP_H
#define DRT_UI_WRAP_H

#include "ui/cluster.h"

typedef struct {
    size_t start, end; /* bytes shown on the line; the white space at a break belongs to no line */
} wrap_line;

typedef struct {
    wrap_line *lines;
    size_t n, capacity;
} wrap;

typedef enum {
    WRAP_WORDS,     /* at spaces; inside a word only when it is longer than the line */
    WRAP_CHARACTERS /* anywhere, spaces kept: lines being typed */
} wrap_mode;

/* Breaks the text, also at line feeds; an empty text gives one empty line. columns < 1 counts as 1. false: out of
 * memory, there are no lines. */
bool wrap_text(wrap *out, const char *text, size_t length, int columns, bool ascii, wrap_mode mode);
/* The line that shows byte `at`, or the last one before it. */
size_t wrap_line_of(const wrap *lines, size_t at);
/* Columns from the line's start to byte `at`. */
int wrap_column_of(const wrap *lines, size_t line, const char *text, bool ascii, size_t at);
/* The byte whose cluster covers the column; the line's end when it is shorter. */
size_t wrap_offset_of(const wrap *lines, size_t line, const char *text, bool ascii, int column);
void wrap_free(wrap *lines);

#endif
