/* screen.h: the terminal. The only file that talks to ncurses. Shows cell buffers, waits for input, and gives the
 * terminal back as it was on every way out: closing, Ctrl-Z, SIGTERM, SIGHUP, SIGQUIT and crashes.
 * May use: ncurses (wide), cells.h, events.h. There is one terminal, so there is one screen at a time. */
#ifndef DRT_UI_SCREEN_H
#define DRT_UI_SCREEN_H

#include "ui/cells.h"
#include "ui/events.h"

typedef struct screen screen;

typedef struct {
    theme_id theme;
    bool ascii; /* nothing but ASCII even where the locale has more */
    bool mouse; /* ask for clicks and the wheel (never for movements) */
} screen_params;

/* Can a full-screen program run here? false: `why` has a sentence (not NUL-cut, without a line end); nothing was
 * sent to the terminal and its settings are untouched. */
bool screen_usable(char *why, size_t size);
/* Takes the terminal over. NULL: as screen_usable. */
screen *screen_open(const screen_params *params, char *why, size_t size);
void screen_close(screen *shown); /* NULL does nothing */

int screen_rows(const screen *shown);
int screen_columns(const screen *shown);
bool screen_ascii(const screen *shown);
void screen_set_theme(screen *shown, theme_id theme);
void screen_set_mouse(screen *shown, bool on);
bool screen_mouse(const screen *shown);

/* Shows the buffer; only what differs is sent. */
void screen_present(screen *shown, const cells *what);
/* The next present sends everything. */
void screen_redraw(screen *shown);
/* Gives the terminal back, stops the program, and takes the terminal again when it goes on. */
void screen_suspend(screen *shown);
/* Puts text on the clipboard of terminals that allow it (OSC 52). */
void screen_copy(screen *shown, const char *text, size_t length);

#define SCREEN_INPUT 1   /* bytes were fed to the decoder */
#define SCREEN_OTHER 2   /* other_fd can be read */
#define SCREEN_CHANGED 4 /* size changed or the terminal was taken again: draw anew */
#define SCREEN_GONE 8    /* the terminal is closed: end */

/* Waits for input, other_fd or a signal, at most timeout_ms (-1: for ever). Bits of the above; 0: time is up. */
int screen_wait(screen *shown, event_decoder *decoder, int other_fd, int timeout_ms);

#endif
