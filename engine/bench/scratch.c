/* scratch.c: a temporary folder. */
#define _XOPEN_SOURCE 700 /* nftw */

#include <errno.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "engine/base/file.h"
#include "engine/bench/bench.h"

drt_status drt_bench_scratch_new(drt_context *context, const char *directory, drt_string *path) {
    if (!drt_path_join(path, directory, "drt-bench-XXXXXX"))
        return drt_fail_memory(context, "a temporary folder");
    if (mkdtemp(path->data))
        return DRT_OK;
    drt_status status = drt_fail(context, DRT_FATAL, "cannot make a folder in %s: %s", directory, strerror(errno));
    drt_string_free(path);
    return status;
}

drt_status drt_bench_check_space(drt_context *context, const char *directory, int64_t bytes) {
    struct statvfs facts;
    if (statvfs(directory, &facts) != 0)
        return drt_fail(context, DRT_FAILED, "%s: %s", directory, strerror(errno));
    double free_bytes = (double)facts.f_bavail * (double)facts.f_frsize;
    if (free_bytes >= (double)bytes)
        return DRT_OK;
    return drt_fail(context, DRT_FAILED,
                    "a library of this size takes about %.1f GB and %s has %.1f GB free: make a smaller one, or choose "
                    "another folder",
                    (double)bytes / 1e9, directory, free_bytes / 1e9);
}

drt_status drt_bench_make_folder(drt_context *context, const char *path) {
    return mkdir(path, 0700) == 0 ? DRT_OK : drt_fail(context, DRT_FATAL, "cannot make %s: %s", path, strerror(errno));
}

static int remove_entry(const char *path, const struct stat *facts, int type, struct FTW *place) {
    (void)facts;
    (void)type;
    (void)place;
    remove(path); /* what cannot be removed stays; the rest goes */
    return 0;
}

void drt_bench_scratch_remove(drt_string *path) {
    if (path->data)
        nftw(path->data, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
    drt_string_free(path);
}
