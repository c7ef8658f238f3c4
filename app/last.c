/* last.c: see last.h. */
#include "app/last.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_folder(const char *path) {
    struct stat facts;
    return path && path[0] == '/' && stat(path, &facts) == 0 && S_ISDIR(facts.st_mode);
}

/* Writes the folder's path without making it. false: there is no place for it. */
static bool state_folder(char path[PATH_MAX], bool make) {
    static const char *const below_home[] = {"/.local", "/state", "/drt"};
    static const char *const below_state[] = {"/drt"};
    const char *state = getenv("XDG_STATE_HOME"), *home = getenv("HOME");
    bool given = is_folder(state);
    const char *const *steps = given ? below_state : below_home;
    size_t n_steps = given ? 1 : 3;
    if ((!given && !is_folder(home)) || strlen(given ? state : home) > PATH_MAX - 64)
        return false;
    size_t length = (size_t)snprintf(path, PATH_MAX, "%s", given ? state : home);
    for (size_t i = 0; i < n_steps; i++) {
        length += (size_t)snprintf(path + length, PATH_MAX - length, "%s", steps[i]);
        if (make)
            (void)mkdir(path, 0700); /* when it cannot be made, the file cannot either */
    }
    return true;
}

char *last_library(void) {
    char path[PATH_MAX];
    if (!state_folder(path, false))
        return NULL;
    strcat(path, "/last");
    FILE *file = fopen(path, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t length = file ? getdelim(&line, &size, '\0', file) : -1;
    if (file)
        fclose(file);
    if (length > 0 && line[0] == '/')
        return line;
    free(line);
    return NULL;
}

void last_library_set(const char *library) {
    char path[PATH_MAX];
    char *whole = realpath(library, NULL);
    if (whole && state_folder(path, true)) {
        strcat(path, "/last");
        FILE *file = fopen(path, "w");
        if (file) {
            fwrite(whole, 1, strlen(whole), file);
            fclose(file); /* a lost note costs nothing */
        }
    }
    free(whole);
}
