/* ingest_filter.c: which members an ingest wants. See ingest_filter.h. */
#include "engine/session/ingest_filter.h"

#include <string.h>

#include "engine/library/glob.h"

static bool matches_any(const char *const *globs, size_t n_globs, const char *path, size_t length) {
    size_t base = length;
    while (base > 0 && path[base - 1] != '/')
        base--;
    for (size_t i = 0; i < n_globs; i++) {
        size_t glob = strlen(globs[i]);
        if (drt_glob_matches(globs[i], glob, path, length) ||
            drt_glob_matches(globs[i], glob, path + base, length - base))
            return true;
    }
    return false;
}

bool drt_ingest_wants(const drt_ingest_params *params, const char *path, size_t length, bool holds_others) {
    for (size_t end = 1; params->n_exclude > 0 && end <= length; end++)
        if ((end == length || path[end] == '/') && matches_any(params->exclude, params->n_exclude, path, end))
            return false;
    return holds_others || params->n_include == 0 || matches_any(params->include, params->n_include, path, length);
}
