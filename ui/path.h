/* path.h: paths as people type them. */
#ifndef DRT_UI_PATH_H
#define DRT_UI_PATH_H

/* The path with a leading "~" replaced by $HOME, where that is set; the caller frees it. NULL: out of memory. */
char *path_expand(const char *typed);

#endif
