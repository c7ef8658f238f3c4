/* path.c: see path.h. */
#include "ui/path.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *path_expand(const char *typed) {
    const char *home = getenv("HOME");
    bool short_form = typed[0] == '~' && (typed[1] == '/' || typed[1] == '\0');
    if (!short_form || !home || !*home)
        return strdup(typed);
    size_t size = strlen(home) + strlen(typed);
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s", home, typed + 1);
    return path;
}
