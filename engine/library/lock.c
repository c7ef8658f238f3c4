/* lock.c: one writer at a time. The lock is the kernel's (flock), so it ends with its process however
 * that ends; the file holds the process id for the message alone. See library.h. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/library/library.h"

static drt_status fail_held(drt_context *context, const char *library, int file) {
    char text[32] = "";
    ssize_t n = pread(file, text, sizeof text - 1, 0);
    long process = n > 0 ? strtol(text, NULL, 10) : 0;
    if (process <= 0)
        return drt_fail(context, DRT_FATAL, "another drt is writing to %s: try again when it is done", library);
    return drt_fail(context, DRT_FATAL, "another drt (process %ld) is writing to %s: try again when it is done",
                    process, library);
}

/* A creation that failed removes its lock file: is this one still the folder's? */
static bool is_current(int file, const char *path) {
    struct stat mine, there;
    return fstat(file, &mine) == 0 && stat(path, &there) == 0 && mine.st_ino == there.st_ino &&
           mine.st_dev == there.st_dev;
}

/* For the message to others; on a full disk they are told without it. */
static void write_process(int file) {
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(file, 0) != 0 || pwrite(file, text, (size_t)length, 0) != length)
        return;
}

static drt_status take(drt_context *context, const char *library, const char *path, int *lock) {
    for (;;) {
        /* The folder itself: the catalog's journal comes and goes in it. */
        int file = access(library, W_OK) == 0 ? open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0666) : -1;
        if (file < 0)
            return drt_fail(context, DRT_FATAL, "cannot write to the library %s: %s", library, strerror(errno));
        if (flock(file, LOCK_EX | LOCK_NB) != 0) {
            drt_status status = errno == EWOULDBLOCK
                                    ? fail_held(context, library, file)
                                    : drt_fail(context, DRT_FATAL, "cannot lock %s: %s", path, strerror(errno));
            close(file);
            return status;
        }
        if (is_current(file, path)) {
            write_process(file);
            *lock = file;
            return DRT_OK;
        }
        close(file);
    }
}

drt_status drt_lock_take(drt_context *context, const char *library, int *lock) {
    drt_string path;
    *lock = -1;
    drt_status status = drt_library_file(context, library, DRT_LOCK_NAME, &path);
    if (status == DRT_OK)
        status = take(context, library, path.data, lock);
    drt_string_free(&path);
    return status;
}

void drt_lock_release(int lock) {
    if (lock >= 0)
        close(lock);
}
