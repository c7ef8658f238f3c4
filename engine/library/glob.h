/* glob.h: file name patterns: '*' any bytes ('/' too), '?' one character, [abc], [a-z], [!...], '\x' is x.
 * Like fnmatch without flags, but for UTF-8 whatever the locale, with lengths, and in time at most
 * pattern x name. May use: base. */
#ifndef DRT_LIBRARY_GLOB_H
#define DRT_LIBRARY_GLOB_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes that are no UTF-8 count as one character each. An unclosed '[' is itself. */
bool drt_glob_matches(const char *pattern, size_t pattern_length, const char *name, size_t name_length);

#endif
