/* golden.h: comparing what a front draws with screens kept as files in golden/. With DRT_GOLDEN_WRITE=1 in the
 * environment the files are written instead: look at them before committing. */
#ifndef DRT_TESTS_UI_GOLDEN_H
#define DRT_TESTS_UI_GOLDEN_H

#include "ui/front.h"

/* Fails the test when the buffer's dump (cells_dump) is not golden/<name>.txt. */
void golden_check(const char *name, const cells *shown);
/* Draws the front at 80x24, 120x40 and 200x60, in UTF-8 and ASCII, and checks <name>-<size>[-ascii]. */
void golden_check_sizes(const char *name, front *state);

#endif
