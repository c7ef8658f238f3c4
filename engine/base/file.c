/* file.c: whole files, mappings and paths. See file.h. */
#include "engine/base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static drt_status fail_errno(drt_context *context, const char *verb, const char *path) {
    return drt_fail(context, DRT_FAILED, "cannot %s %s: %s", verb, path, strerror(errno));
}

/* Opens a regular file for reading; *size receives its length. */
static drt_status open_regular(drt_context *context, const char *path, int *file, size_t *size) {
    struct stat facts;
    *file = open(path, O_RDONLY | O_CLOEXEC);
    if (*file < 0)
        return fail_errno(context, "open", path);
    if (fstat(*file, &facts) == 0 && S_ISREG(facts.st_mode)) {
        *size = (size_t)facts.st_size;
        return DRT_OK;
    }
    close(*file);
    return drt_fail(context, DRT_FAILED, "%s is not a regular file", path);
}

drt_status drt_mapping_open(drt_context *context, const char *path, drt_mapping *mapping) {
    *mapping = (drt_mapping){0};
    int file;
    size_t size;
    drt_status status = open_regular(context, path, &file, &size);
    if (status != DRT_OK)
        return status;
    if (size > 0) {
        void *data = mmap(NULL, size, PROT_READ, MAP_PRIVATE, file, 0);
        if (data == MAP_FAILED)
            status = fail_errno(context, "map", path);
        else
            *mapping = (drt_mapping){data, size};
    }
    close(file);
    return status;
}

void drt_mapping_close(drt_mapping *mapping) {
    if (mapping->data)
        munmap((void *)(uintptr_t)mapping->data, mapping->size);
    *mapping = (drt_mapping){0};
}

drt_status drt_file_read(drt_context *context, const char *path, size_t limit, drt_buffer *buffer) {
    int file;
    size_t size;
    drt_status status = open_regular(context, path, &file, &size);
    if (status != DRT_OK)
        return status;
    char block[65536];
    size_t total = 0;
    for (;;) {
        ssize_t n = read(file, block, sizeof block);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            status = fail_errno(context, "read", path);
        else if ((size_t)n > limit - total)
            status = drt_fail(context, DRT_FAILED, "%s is larger than the %zu bytes allowed", path, limit);
        else if (n > 0 && !drt_buffer_append(buffer, block, (size_t)n))
            status = drt_fail_memory(context, path);
        if (n <= 0 || status != DRT_OK)
            break;
        total += (size_t)n;
    }
    close(file);
    return status;
}

bool drt_file_write_all(int file, const char *data, size_t length) {
    while (length > 0) {
        ssize_t n = write(file, data, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        data += n;
        length -= (size_t)n;
    }
    return true;
}

drt_status drt_file_create(drt_context *context, const char *path, const void *data, size_t length) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0)
        return fail_errno(context, "create", path);
    bool ok = drt_file_write_all(file, data, length) && fsync(file) == 0;
    int kept = errno;
    if (close(file) != 0 && ok) {
        ok = false;
        kept = errno;
    }
    if (ok)
        return DRT_OK;
    unlink(path);
    errno = kept;
    return fail_errno(context, "write", path);
}

drt_status drt_path_absolute(drt_context *context, const char *path, drt_string *absolute) {
    *absolute = (drt_string){0};
    if (path[0] == '/')
        return drt_string_set(absolute, path, strlen(path)) ? DRT_OK : drt_fail_memory(context, "a path");
    char *here = getcwd(NULL, 0);
    if (!here)
        return fail_errno(context, "find the folder of", path);
    bool ok = drt_path_join(absolute, here, path);
    free(here);
    return ok ? DRT_OK : drt_fail_memory(context, "a path");
}

bool drt_path_join(drt_string *path, const char *directory, const char *name) {
    drt_buffer buffer = {0};
    size_t length = strlen(directory);
    const char *slash = length && directory[length - 1] == '/' ? "" : "/";
    *path = (drt_string){0};
    bool ok = drt_buffer_printf(&buffer, "%s%s%s", directory, slash, name) && drt_string_take(path, &buffer);
    drt_buffer_free(&buffer);
    return ok;
}
