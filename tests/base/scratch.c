/* scratch.c: scratch folders, models and libraries of tests. See scratch.h. */
#include "tests/base/scratch.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/file.h"

void scratch_open(scratch *s) {
    strcpy(s->folder, "/tmp/drt-test-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
}

static void remove_tree(const char *path) {
    DIR *folder = opendir(path);
    if (!folder) {
        unlink(path);
        return;
    }
    for (const struct dirent *entry; (entry = readdir(folder));) {
        drt_string inner;
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0 ||
            !drt_path_join(&inner, path, entry->d_name))
            continue;
        remove_tree(inner.data);
        drt_string_free(&inner);
    }
    closedir(folder);
    rmdir(path);
}

void scratch_close(scratch *s) {
    remove_tree(s->folder);
}

const char *scratch_path(scratch *s, const char *name) {
    snprintf(s->path, sizeof s->path, "%s/%s", s->folder, name);
    return s->path;
}

void scratch_write(scratch *s, const char *name, const char *text) {
    FILE *file = fopen(scratch_path(s, name), "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

void scratch_check_empty(const scratch *s) {
    DIR *folder = opendir(s->folder);
    assert_non_null(folder);
    for (const struct dirent *entry; (entry = readdir(folder));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            fail_msg("%s was left in %s", entry->d_name, s->folder);
    closedir(folder);
}

void scratch_check(drt_context *context, drt_status status) {
    if (status != DRT_OK)
        fail_msg("status %d: %s", status, drt_error(context));
}

void scratch_model(drt_context *context, const char *directory, int threads, drt_device **device, drt_model **model) {
    drt_device_params params = {.name = "cpu", .threads = threads};
    scratch_check(context, drt_device_open(context, &params, device));
    scratch_check(context,
                  drt_model_load(context, *device, directory ? directory : DRT_SOURCE_DIR "/samples/model", model));
}

void scratch_ingest(drt_context *context, drt_model *model, const char *library, drt_memory_type memory_type,
                    const char *const *paths, size_t n_paths, drt_ingest_report *report) {
    drt_library_params open = drt_library_params_default();
    open.mode = DRT_LIBRARY_CREATE;
    open.model = model;
    open.memory_type = memory_type;
    drt_library *opened;
    scratch_check(context, drt_library_open(context, library, &open, &opened));
    drt_ingest_params params = {.paths = paths, .n_paths = n_paths};
    drt_status status = drt_ingest(context, opened, model, &params, report);
    if (status != DRT_OK && status != DRT_WARN)
        fail_msg("ingest: %s", drt_error(context));
    drt_library_close(opened);
}

drt_library *scratch_library(drt_context *context, drt_model *model, const char *path) {
    drt_library_params open = drt_library_params_default();
    open.model = model;
    drt_library *library;
    scratch_check(context, drt_library_open(context, path, &open, &library));
    return library;
}
