/* walk.c: walks folders and files given and hands every member on. See corpus.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "engine/corpus/archives/container.h"
#include "engine/corpus/visit.h"

#define FOLDER_DEPTH 200 /* folders inside folders: each holds a file descriptor */

/* ------------------------------------------------------- files, folders ---- */

static int compare_names(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorted names of a folder, without "." and ".."; *error: why there may be more. false: out of memory. */
static bool list_folder(DIR *folder, char ***names, size_t *n, int *error) {
    size_t capacity = 0;
    *names = NULL;
    *n = 0;
    *error = 0;
    for (struct dirent *entry; errno = 0, (entry = readdir(folder)) != NULL;) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        if (*n == capacity) {
            capacity = capacity ? 2 * capacity : 64;
            char **grown = realloc(*names, capacity * sizeof *grown);
            if (!grown)
                return false;
            *names = grown;
        }
        if (((*names)[*n] = strdup(entry->d_name)) == NULL)
            return false;
        ++*n;
    }
    *error = errno;
    if (*n > 0)
        qsort(*names, *n, sizeof **names, compare_names);
    return true;
}

static void skip_errno(drt_visit *v, const char *what) {
    char reason[160];
    snprintf(reason, sizeof reason, "the %s: %s", what, strerror(errno));
    if (!v->measuring)
        drt_visit_skip(v, "", -1, reason);
}

/* A file that can't be read is told of when it was wanted, or may hold what was. */
static void skip_unopened(drt_visit *v, const char *name, bool is_folder) {
    drt_format_probe probe = {.name = name, .name_length = strlen(name)};
    int error = errno;
    if (!drt_visit_wants(v, is_folder || drt_container_by_name(&probe)))
        return;
    errno = error;
    skip_errno(v, is_folder ? "folder cannot be opened" : "file cannot be opened");
}

static void skip_entry(drt_visit *v, const char *reason) {
    if (!v->measuring && drt_visit_wants(v, false))
        drt_visit_skip(v, "", -1, reason);
}

static bool is_library(int folder) {
    return faccessat(folder, "catalog.sqlite", F_OK, 0) == 0 && faccessat(folder, "landmarks.bin", F_OK, 0) == 0;
}

static void visit_folder(drt_visit *v, int folder, int depth);

static void visit_entry(drt_visit *v, int folder, const char *name, int depth) {
    struct stat facts;
    if (fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) != 0) {
        skip_errno(v, "file cannot be opened");
        return;
    }
    bool is_folder = S_ISDIR(facts.st_mode);
    char as_folder[NAME_MAX + 2];
    snprintf(as_folder, sizeof as_folder, "%s%s", name, is_folder ? "/" : "");
    if (!drt_visit_wants(v, true))
        ;
    else if (drt_visit_is_litter(as_folder, strlen(as_folder)))
        skip_entry(v, drt_visit_litter_reason);
    else if (S_ISLNK(facts.st_mode))
        skip_entry(v, "a link; links are not followed");
    else if (!is_folder && !S_ISREG(facts.st_mode))
        skip_entry(v, "neither a file nor a folder");
    else if (!is_folder && v->measuring)
        v->total += facts.st_size;
    else {
        /* It may have become something else by now: never wait for a pipe, never follow a link. */
        int file = openat(folder, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
        if (file < 0)
            skip_unopened(v, name, is_folder);
        else if (fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode))
            visit_folder(v, file, depth + 1);
        else if (S_ISREG(facts.st_mode))
            drt_visit_file(v, file, &facts, name);
        if (file >= 0)
            close(file);
    }
}

/* Reads a folder, which stays open. */
static void visit_folder(drt_visit *v, int folder, int depth) {
    if (depth > FOLDER_DEPTH) {
        if (!v->measuring)
            drt_visit_skip(v, "", -1, "folders are nested too deep here to read on");
        return;
    }
    if (is_library(folder)) {
        skip_entry(v, "a library of drt itself");
        return;
    }
    int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = copy < 0 ? NULL : fdopendir(copy);
    if (!stream) {
        skip_errno(v, "folder cannot be opened");
        if (copy >= 0)
            close(copy);
        return;
    }
    char **names;
    size_t n;
    int error;
    if (!list_folder(stream, &names, &n, &error))
        drt_visit_out_of_memory(v);
    closedir(stream);
    errno = error;
    if (error != 0)
        skip_errno(v, "folder cannot be read to its end");
    size_t tex = v->tex.n;
    for (size_t i = 0; i < n; i++) {
        if (!drt_visit_stopped(v)) {
            size_t before = drt_visit_push(v, names[i], strlen(names[i]));
            visit_entry(v, folder, names[i], depth);
            drt_visit_pop(v, before);
        }
        free(names[i]);
    }
    free(names);
    if (drt_tex_project_has_main(&v->tex, tex)) /* else they may be parts of what is beside this folder */
        drt_visit_tex(v, tex);
}

/* --------------------------------------------------------------- entry ---- */

/* The path without slashes at its end; "." and ".." resolved, so that it has a name. */
static drt_status clean_path(drt_context *context, const char *path, drt_string *clean) {
    size_t length = strlen(path);
    while (length > 1 && path[length - 1] == '/')
        length--;
    const char *base = path + length;
    while (base > path && base[-1] != '/')
        base--;
    size_t n = length - (size_t)(base - path);
    if (n == 0 || (n <= 2 && strncmp(base, "..", n) == 0)) {
        char *real = realpath(path, NULL);
        if (!real)
            return drt_fail(context, DRT_FAILED, "cannot open %s: %s", path, strerror(errno));
        *clean = (drt_string){real, strlen(real)};
        return DRT_OK;
    }
    drt_string given;
    if (!drt_string_set(&given, path, length))
        return drt_fail_memory(context, "a path");
    drt_status status = drt_path_absolute(context, given.data, clean);
    drt_string_free(&given);
    return status;
}

static void walk_all(drt_visit *v, int file, const struct stat *facts, const char *name) {
    if (!drt_visit_wants(v, true))
        ;
    else if (S_ISDIR(facts->st_mode))
        visit_folder(v, file, 0);
    else if (v->measuring)
        v->total += facts->st_size;
    else
        drt_visit_file(v, file, facts, name);
}

static drt_status start(drt_visit *v, const char *path, bool reads) {
    struct stat facts;
    drt_status status = clean_path(v->context, path, &v->archive);
    if (status != DRT_OK)
        return status;
    const char *slash = strrchr(v->archive.data, '/'), *name = slash ? slash + 1 : v->archive.data;
    if (!drt_utf8_append_escaped(&v->path, name, strlen(name)) || !drt_buffer_reserve(&v->path, 0))
        return drt_fail_memory(v->context, "a path");
    int file = open(v->archive.data, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (file < 0)
        return drt_fail(v->context, DRT_FAILED, "cannot open %s: %s", path, strerror(errno));
    if (fstat(file, &facts) != 0 || (!S_ISDIR(facts.st_mode) && !S_ISREG(facts.st_mode))) {
        close(file);
        return drt_fail(v->context, DRT_FAILED, "%s is neither a file nor a folder", path);
    }
    v->measuring = true;
    walk_all(v, file, &facts, name);
    v->measuring = false;
    if (reads && v->status == DRT_OK)
        walk_all(v, file, &facts, name);
    drt_visit_tex(v, 0);
    close(file);
    return v->status == DRT_WARN ? DRT_OK : v->status; /* cancelled: quietly */
}

static void end(drt_visit *v) {
    drt_string_free(&v->archive);
    drt_buffer_free(&v->path);
    drt_fingerprints_free(&v->met);
    drt_tex_project_cut(&v->tex, 0);
}

drt_corpus_params drt_corpus_params_default(void) {
    return (drt_corpus_params){.limits = {.max_depth = 32,
                                          .max_members = 1000000,
                                          .max_member_bytes = 256LL << 20,
                                          .max_nested_bytes = 512LL << 20,
                                          .max_total_bytes = 1LL << 40,
                                          .max_ratio = 200}};
}

drt_status drt_corpus_walk(drt_context *context, const char *path, const drt_corpus_params *params) {
    drt_visit v = {.context = context, .params = params};
    drt_status status = start(&v, path, true);
    end(&v);
    return status;
}

drt_status drt_corpus_measure(drt_context *context, const char *path, const drt_corpus_params *params, int64_t *bytes) {
    drt_visit v = {.context = context, .params = params};
    drt_status status = start(&v, path, false);
    *bytes = v.total;
    end(&v);
    return status;
}
