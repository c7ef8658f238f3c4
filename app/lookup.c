/* lookup.c: see lookup.h. */
#include "app/lookup.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/terminal.h"

#ifndef DRT_DATADIR
#error "DRT_DATADIR is the installed data folder, set by CMake"
#endif

static const char installed[] = DRT_DATADIR "/drt/model";

/* Where else the default model lies, seen from the program's folder: installed, and from a build folder. */
static const char *const beside[] = {"../share/drt/model", "../samples/model", "../../samples/model",
                                     "../../../samples/model"};

static char *join(const char *directory, size_t length, const char *name) {
    size_t size = length + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s/%s", (int)length, directory, name);
    return path;
}

static bool holds(const char *directory, const char *name) {
    char *path = join(directory, strlen(directory), name);
    bool found = path && access(path, F_OK) == 0;
    free(path);
    return found;
}

bool lookup_library(const char *path) {
    return holds(path, "catalog.sqlite");
}

/* Takes the path over: gives it back when a model is there. */
static char *candidate(char *path) {
    if (path && holds(path, "config.json"))
        return path;
    free(path);
    return NULL;
}

static char *beside_program(void) {
    char program[4096];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);
    char *found = NULL;
    if (length <= 0)
        return NULL;
    program[length] = '\0';
    char *slash = strrchr(program, '/');
    for (size_t i = 0; slash && i < sizeof beside / sizeof *beside && !found; i++) {
        char *path = join(program, (size_t)(slash - program), beside[i]);
        char *tidy = path ? realpath(path, NULL) : NULL;
        free(path);
        found = candidate(tidy);
    }
    return found;
}

char *lookup_find_model(const char *given, const char *recorded, size_t recorded_length, char *why, size_t why_size) {
    const char *environment = getenv("DRT_MODEL");
    if (given)
        return strdup(given);
    if (environment && *environment)
        return strdup(environment);
    char *found = recorded ? candidate(strndup(recorded, recorded_length)) : NULL;
    if (!found)
        found = candidate(strdup(installed));
    if (!found)
        found = beside_program();
    if (!found && recorded)
        snprintf(
            why, why_size,
            "no model found: $DRT_MODEL is not set, and there is no config.json in %.*s (this library's), in %s or "
            "in samples/model beside the program; give --model DIR",
            (int)recorded_length, recorded, installed);
    else if (!found)
        snprintf(why, why_size,
                 "no model found: $DRT_MODEL is not set, and there is no config.json in %s or in samples/model beside "
                 "the program; give --model DIR",
                 installed);
    return found;
}

char *lookup_model(const char *given, const char *recorded, size_t recorded_length) {
    char why[2 * PATH_MAX];
    char *found = lookup_find_model(given, recorded, recorded_length, why, sizeof why);
    if (!found)
        complain("%s", why);
    return found;
}
