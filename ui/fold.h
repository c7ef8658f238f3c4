/* fold.h: comparing text as people do: without regard to case, in every script. May use: drt.h, utf8proc. */
#ifndef DRT_UI_FOLD_H
#define DRT_UI_FOLD_H

#include <stdbool.h>
#include <stddef.h>

/* The folded form of a text: case-folded and decomposed; what is no UTF-8 stays as it is. NUL-terminated, the caller frees it;
 * NULL: out of memory. */
char *fold_text(const char *text, size_t length, size_t *out_length);
/* Does `text` hold `folded` (made by fold_text) without regard to case? The empty one is everywhere. */
bool fold_contains(const char *text, size_t length, const char *folded, size_t folded_length);
/* Where `folded` begins in the text from byte `from` on, and ends; false: nowhere. */
bool fold_find(const char *text, size_t length, size_t from, const char *folded, size_t folded_length, size_t *start,
               size_t *end);

#endif
