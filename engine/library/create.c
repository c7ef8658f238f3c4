/* create.c: making a library. The catalog appears last, by a rename: a folder is a library exactly
 * when catalog.sqlite is in it, so a creation that was killed is recognised and done again.
 * See library.h. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/library/library.h"
#include "engine/library/schema.h"

/* What a creation makes, in this order; catalog.sqlite.new becomes catalog.sqlite. */
static const char *const made_names[] = {
    DRT_LANDMARKS_NAME,
    DRT_MEMORY_NAME,
    DRT_CATALOG_NEW_NAME,
    DRT_CATALOG_NEW_NAME "-journal",
};
#define N_MADE (sizeof made_names / sizeof *made_names)

typedef enum {
    FOLDER_ABSENT,
    FOLDER_EMPTY,
    FOLDER_HALF_MADE,    /* an interrupted creation; no chunk was ever in it */
    FOLDER_LIBRARY,      /* catalog.sqlite is there */
    FOLDER_LOST_CATALOG, /* slabs with chunks, no catalog */
    FOLDER_FOREIGN,      /* other files */
    FOLDER_NONE,         /* no folder, but something else */
    FOLDER_UNREADABLE
} folder_kind;

static bool is_made_name(const char *name) {
    for (size_t i = 0; i < N_MADE; i++)
        if (strcmp(name, made_names[i]) == 0)
            return true;
    return false;
}

/* A slab with more than its header holds somebody's chunks. */
static bool holds_chunks(int folder, const char *name) {
    struct stat facts;
    bool slab = strcmp(name, DRT_LANDMARKS_NAME) == 0 || strcmp(name, DRT_MEMORY_NAME) == 0;
    return slab && fstatat(folder, name, &facts, AT_SYMLINK_NOFOLLOW) == 0 && facts.st_size > DRT_SLAB_HEADER_SIZE;
}

static folder_kind classify_entries(DIR *folder) {
    folder_kind kind = FOLDER_EMPTY;
    const struct dirent *entry;
    while ((entry = readdir(folder))) {
        const char *name = entry->d_name;
        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
            continue;
        if (strcmp(name, DRT_CATALOG_NAME) == 0)
            return FOLDER_LIBRARY;
        if (holds_chunks(dirfd(folder), name))
            kind = FOLDER_LOST_CATALOG;
        else if (!is_made_name(name) && strcmp(name, DRT_LOCK_NAME) != 0)
            kind = FOLDER_FOREIGN;
        else if (kind == FOLDER_EMPTY)
            kind = FOLDER_HALF_MADE;
    }
    return kind;
}

static folder_kind classify(const char *path) {
    DIR *folder = opendir(path);
    if (!folder)
        return errno == ENOENT ? FOLDER_ABSENT : errno == ENOTDIR ? FOLDER_NONE : FOLDER_UNREADABLE;
    folder_kind kind = classify_entries(folder);
    closedir(folder);
    return kind;
}

drt_status drt_library_missing(drt_context *context, const char *path) {
    switch (classify(path)) {
    case FOLDER_ABSENT:
        return drt_fail(context, DRT_FATAL, "there is no library at %s: 'drt ingest' makes one", path);
    case FOLDER_EMPTY:
        return drt_fail(context, DRT_FATAL, "%s is an empty folder, not a library: 'drt ingest' makes one", path);
    case FOLDER_HALF_MADE:
        return drt_fail(
            context, DRT_FATAL,
            "%s is a library whose making was interrupted before anything was in it: run 'drt ingest' again", path);
    case FOLDER_LOST_CATALOG:
        return drt_fail(context, DRT_FATAL,
                        "%s lacks its %s though its other files are there: put it back from a backup, or delete the "
                        "folder and ingest again",
                        path, DRT_CATALOG_NAME);
    case FOLDER_NONE:
        return drt_fail(context, DRT_FATAL, "%s is not a folder, so it is no library", path);
    case FOLDER_UNREADABLE:
        return drt_fail(context, DRT_FATAL, "cannot open %s: %s", path, strerror(errno));
    default:
        return drt_fail(context, DRT_FATAL, "%s is a folder with other files in it, not a library", path);
    }
}

static void remove_made(const char *path) {
    for (size_t i = 0; i < N_MADE; i++) {
        drt_string file;
        if (drt_path_join(&file, path, made_names[i]))
            unlink(file.data);
        drt_string_free(&file);
    }
}

static drt_status make_catalog(drt_context *context, const char *path, const drt_store_identity *identity) {
    drt_catalog catalog;
    drt_status status = drt_catalog_open(context, path, DRT_CATALOG_CREATE, &catalog);
    if (status != DRT_OK)
        return status;
    status = drt_schema_create(context, &catalog, identity);
    drt_catalog_close(&catalog);
    return status;
}

static drt_status make_slab(drt_context *context, const char *path, drt_slab_kind kind,
                            const drt_store_identity *identity) {
    drt_string file;
    drt_status status =
        drt_library_file(context, path, kind == DRT_SLAB_LANDMARKS ? DRT_LANDMARKS_NAME : DRT_MEMORY_NAME, &file);
    if (status == DRT_OK)
        status = drt_slab_create(context, file.data, kind, identity, 0);
    drt_string_free(&file);
    return status;
}

/* The folder that `path` is in. */
static drt_status sync_parent(drt_context *context, const char *path) {
    drt_string parent;
    if (!drt_path_join(&parent, path, ".."))
        return drt_fail_memory(context, path);
    drt_status status = drt_folder_sync(context, parent.data);
    drt_string_free(&parent);
    return status;
}

static drt_status make_files(drt_context *context, const char *path, const drt_store_identity *identity) {
    drt_string made = {0}, final = {0};
    remove_made(path);
    drt_status status = make_slab(context, path, DRT_SLAB_LANDMARKS, identity);
    if (status == DRT_OK)
        status = make_slab(context, path, DRT_SLAB_MEMORY, identity);
    if (status == DRT_OK)
        status = drt_library_file(context, path, DRT_CATALOG_NEW_NAME, &made);
    if (status == DRT_OK)
        status = drt_library_file(context, path, DRT_CATALOG_NAME, &final);
    if (status == DRT_OK)
        status = make_catalog(context, made.data, identity);
    /* The slabs' names last before the catalog's. */
    if (status == DRT_OK)
        status = drt_folder_sync(context, path);
    if (status == DRT_OK && rename(made.data, final.data) != 0)
        status = drt_fail(context, DRT_FATAL, "cannot create %s: %s", final.data, strerror(errno));
    if (status == DRT_OK)
        status = drt_folder_sync(context, path);
    if (status == DRT_OK)
        status = sync_parent(context, path);
    drt_string_free(&made);
    drt_string_free(&final);
    return status;
}

/* Removes a folder that this creation made, unless another process has begun to use it. */
static void remove_folder(const char *path, int lock) {
    drt_string file = {0};
    if (lock >= 0 && drt_path_join(&file, path, DRT_LOCK_NAME))
        unlink(file.data);
    drt_string_free(&file);
    rmdir(path);
}

drt_status drt_library_create(drt_context *context, const char *path, const drt_store_identity *identity, int *lock) {
    *lock = -1;
    bool made_folder = mkdir(path, 0777) == 0;
    if (!made_folder && errno != EEXIST)
        return drt_fail(context, DRT_FATAL, "cannot create the library %s: %s", path, strerror(errno));
    folder_kind kind = classify(path);
    if (kind != FOLDER_EMPTY && kind != FOLDER_HALF_MADE && kind != FOLDER_LIBRARY)
        return drt_library_missing(context, path);
    drt_status status = drt_lock_take(context, path, lock);
    /* Another process may have finished it before the lock was ours. */
    if (status == DRT_OK && classify(path) != FOLDER_LIBRARY) {
        status = make_files(context, path, identity);
        if (status != DRT_OK && classify(path) != FOLDER_LIBRARY)
            remove_made(path);
    }
    if (status == DRT_OK)
        return DRT_OK;
    if (made_folder)
        remove_folder(path, *lock);
    drt_lock_release(*lock);
    *lock = -1;
    return status;
}
