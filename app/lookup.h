/* lookup.h: is there a library, and which model directory is used. May use: libc. */
#ifndef DRT_APP_LOOKUP_H
#define DRT_APP_LOOKUP_H

#include <stdbool.h>
#include <stddef.h>

/* Does a library stand at this path? */
bool lookup_library(const char *path);

/* --model (`given`), else $DRT_MODEL, else `recorded` (in the library), else the installed default, else
 * samples/model beside the build. A directory that was named is taken as it is; of the others the first with a config.json. The
 * result is the caller's; NULL: none was found, and what was tried was said on stderr. */
char *lookup_model(const char *given, const char *recorded, size_t recorded_length);
/* The same, with the sentence in `why` instead of on stderr. */
char *lookup_find_model(const char *given, const char *recorded, size_t recorded_length, char *why, size_t why_size);

#endif
