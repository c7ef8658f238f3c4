/* folder.c: a new folder of files that appears whole or not at all. See folder.h. */
#include "engine/base/folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"

#define MAX_TRIES 100 /* leftovers of killed runs in the way */

static void forget(drt_new_folder *folder) {
    drt_string_free(&folder->path);
    drt_string_free(&folder->partial);
}

/* Makes "<path>.partial-N"; mkdir, not mkdtemp: the folder keeps its mode. */
static drt_status make_partial(drt_context *context, drt_new_folder *folder) {
    int error = EEXIST;
    for (int i = 0; i < MAX_TRIES && error == EEXIST; i++) {
        drt_buffer name = {0};
        drt_string_free(&folder->partial);
        bool ok = drt_buffer_printf(&name, "%s.partial-%ld-%d", folder->path.data, (long)getpid(), i) &&
                  drt_string_take(&folder->partial, &name);
        drt_buffer_free(&name);
        if (!ok)
            return drt_fail_memory(context, "a path");
        if (mkdir(folder->partial.data, 0777) == 0)
            return DRT_OK;
        error = errno;
    }
    return drt_fail(context, DRT_FAILED, "cannot create the folder %s: %s", folder->partial.data, strerror(error));
}

drt_status drt_new_folder_begin(drt_context *context, const char *path, drt_new_folder *folder) {
    struct stat facts;
    size_t length = strlen(path);
    *folder = (drt_new_folder){0};
    while (length > 1 && path[length - 1] == '/')
        length--;
    if (!drt_string_set(&folder->path, path, length))
        return drt_fail_memory(context, "a path");
    drt_status status;
    if (lstat(folder->path.data, &facts) == 0)
        status = drt_fail(context, DRT_FAILED, "%s exists already; name a new folder", folder->path.data);
    else if (errno != ENOENT)
        status = drt_fail(context, DRT_FAILED, "cannot create %s: %s", folder->path.data, strerror(errno));
    else
        status = make_partial(context, folder);
    if (status != DRT_OK)
        forget(folder);
    return status;
}

static bool sync_folder(const char *path) {
    int file = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool ok = fsync(file) == 0;
    int kept = errno;
    close(file);
    errno = kept;
    return ok;
}

static bool sync_parent(const char *path) {
    drt_string parent;
    const char *slash = strrchr(path, '/');
    size_t length = !slash ? 1 : slash == path ? 1 : (size_t)(slash - path);
    if (!drt_string_set(&parent, slash ? path : ".", length))
        return false;
    bool ok = sync_folder(parent.data);
    drt_string_free(&parent);
    return ok;
}

drt_status drt_new_folder_commit(drt_context *context, drt_new_folder *folder) {
    drt_status status = DRT_OK;
    /* rename() replaces at most an empty folder. */
    if (!sync_folder(folder->partial.data) || rename(folder->partial.data, folder->path.data) != 0) {
        status = drt_fail(context, DRT_FAILED, "cannot finish %s: %s", folder->path.data, strerror(errno));
        drt_new_folder_discard(folder);
        return status;
    }
    if (!sync_parent(folder->path.data))
        status = drt_fail(context, DRT_WARN, "%s is written, but its folder could not be synced: %s", folder->path.data,
                          strerror(errno));
    forget(folder);
    return status;
}

void drt_new_folder_discard(drt_new_folder *folder) {
    DIR *entries = folder->partial.data ? opendir(folder->partial.data) : NULL;
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        unlinkat(dirfd(entries), entry->d_name, 0); /* not "." and "..": they are folders */
    if (entries)
        closedir(entries);
    if (folder->partial.data)
        rmdir(folder->partial.data);
    forget(folder);
}
