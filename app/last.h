/* last.h: which library the front end opened last. May use: libc. */
#ifndef DRT_APP_LAST_H
#define DRT_APP_LAST_H

/* Remembered in $XDG_STATE_HOME/drt/last, else $HOME/.local/state/drt/last; where neither names an existing folder by
 * its absolute path, nothing is remembered and nothing made. */

/* The path, the caller's; NULL: none is known. */
char *last_library(void);
void last_library_set(const char *path);

#endif
