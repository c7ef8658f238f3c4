/* terminal.h: what goes to the person: is it a terminal, how wide, with colour; text from documents, names and
 * the model made harmless; error lines; checked writing to stdout. May use: drt.h (UTF-8). */
#ifndef DRT_APP_TERMINAL_H
#define DRT_APP_TERMINAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

bool terminal_is(FILE *stream);
/* A terminal that is not "dumb", and NO_COLOR is unset or empty. */
bool terminal_has_colour(FILE *stream);
/* Columns of the terminal; 80 when it does not say. */
int terminal_width(FILE *stream);

/* Columns that a neutralised text takes at most: two for every character that may be wide. */
int terminal_columns(const char *text, size_t length);

typedef enum {
    TEXT_LINE, /* stays on its line: line feeds and tabs are escaped too (names, titles, sentences) */
    TEXT_BODY  /* line feeds and tabs are layout and stay (answers, passages) */
} text_kind;

/* Writes text so that no terminal can be driven by it: C0, DEL, C1 and bytes that are no UTF-8 appear as
 * \x1B, \u009B, \xFF; to a terminal also the controls that turn the writing direction (\u202E). */
void terminal_write(FILE *stream, const char *text, size_t length, text_kind kind);
/* The same into memory, always as for a terminal. NULL: out of memory. The caller frees it. */
char *terminal_neutralise(const char *text, size_t length, text_kind kind, size_t *out_length);

/* Undoes in place what is written for a harmful name: "\n" is a line feed again, "\x1B" a byte, "\u009B" a character.
 * false: nothing in it is written so. */
bool terminal_undo_escapes(char *text);

/* One line on stderr: "drt: " and the sentence, neutralised. */
__attribute__((format(printf, 1, 2))) void complain(const char *format, ...);

/* Opens /dev/null where stdin, stdout or stderr are closed, so that no file of the library gets their
 * numbers; writing there still fails. */
void terminal_fill_standard_streams(void);

/* Flushes stdout. false when anything written so far was lost: said once, the program should end. */
bool output_flush(void);

#endif
