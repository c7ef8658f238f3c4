/* file_calls.c: the functions themselves, each a check in front of the system's call. See file_calls.h. */
#include "tests/base/file_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define MAX_FILES 1024

static const char *const kind_names[] = {"opening", "write", "truncation", "sync", "renaming", "removal", "making"};

/* What an open file is; name NULL: not watched. */
typedef struct {
    char *name;
    int number;
    bool folder;
} open_file;

static struct {
    pthread_mutex_t mutex;
    char folder[256];
    size_t folder_length; /* 0: none */
    open_file files[MAX_FILES];
    /* failures */
    long countdown;
    int error;
    bool lasting, failing;
    char failed[300];
    /* recording */
    bool recording;
    int mark, n_numbers;
    file_record record;
    size_t capacity;
    struct {
        char *name;
        int number;
    } names[MAX_FILES]; /* whose file it is now */
    size_t n_names;
} t = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void require(bool ok, const char *what) {
    if (!ok) {
        perror(what);
        abort();
    }
}

static char *copy(const char *text) {
    char *copied = text ? strdup(text) : NULL;
    require(!text || copied, "file_calls");
    return copied;
}

/* The path below the watched folder, "folder/.." resolved; NULL: elsewhere. The result is the caller's. */
static char *watched(const char *path) {
    size_t length = strlen(path), n = t.folder_length;
    if (n == 0 || length < n || memcmp(path, t.folder, n) != 0 || (path[n] != '/' && path[n] != 0))
        return NULL;
    char *name = copy(path[n] ? path + n + 1 : "");
    char *up = strstr(name, "/..");
    if (up && up[3] == 0) {
        *up = 0;
        char *slash = strrchr(name, '/');
        *(slash ? slash : name) = 0;
    }
    return name;
}

void file_calls_watch(const char *folder) {
    t.folder_length = folder ? strlen(folder) : 0;
    require(t.folder_length < sizeof t.folder, "file_calls");
    memcpy(t.folder, folder ? folder : "", t.folder_length + 1);
}

int file_calls_open_files(void) {
    int n = 0;
    for (int i = 0; i < MAX_FILES; i++)
        n += t.files[i].name != NULL;
    return n;
}

/* ------------------------------------------------------------------------------- failures ---- */

void file_calls_fail(long number, int error, bool lasting) {
    t.countdown = number;
    t.error = error;
    t.lasting = lasting;
    t.failing = false;
}

bool file_calls_end_failures(const char **what) {
    bool failed = t.failing;
    file_calls_fail(0, 0, false);
    *what = t.failed;
    return failed;
}

/* Sets errno when the call has to fail. *first: it is the one that was asked for. */
static bool fails(file_call_kind kind, const char *name, bool *first) {
    *first = t.countdown > 0 && --t.countdown == 0;
    bool fail = *first || (t.failing && t.lasting && kind != FILE_CALL_UNLINK);
    if (*first) {
        t.failing = true;
        snprintf(t.failed, sizeof t.failed, "%s of %s", kind_names[kind], name);
    }
    if (fail)
        errno = t.error;
    return fail;
}

/* ------------------------------------------------------------------------------ recording ---- */

void file_calls_record(void) {
    t.recording = true;
    t.mark = 0;
}

void file_calls_mark(int mark) {
    t.mark = mark;
}

static void forget_name(size_t i) {
    free(t.names[i].name);
    t.names[i] = t.names[--t.n_names];
}

file_record file_calls_end_record(void) {
    file_record record = t.record;
    t.recording = false;
    while (t.n_names > 0)
        forget_name(t.n_names - 1);
    t.record = (file_record){0};
    t.capacity = 0;
    t.n_numbers = 0;
    return record;
}

void file_record_free(file_record *record) {
    for (size_t i = 0; i < record->count; i++) {
        free(record->calls[i].name);
        free(record->calls[i].to);
        free(record->calls[i].data);
    }
    free(record->calls);
    *record = (file_record){0};
}

/* The strings and data are copied. */
static void put_down(file_call call) {
    if (!t.recording)
        return;
    if (t.record.count == t.capacity) {
        t.capacity = t.capacity ? 2 * t.capacity : 256;
        t.record.calls = realloc(t.record.calls, t.capacity * sizeof *t.record.calls);
        require(t.record.calls, "file_calls");
    }
    const uint8_t *data = call.data;
    call.mark = t.mark;
    call.name = copy(call.name);
    call.to = copy(call.to);
    call.data = data ? malloc(call.length + 1) : NULL;
    if (data) {
        require(call.data, "file_calls");
        memcpy(call.data, data, call.length);
    }
    t.record.calls[t.record.count++] = call;
}

static int *number_of(const char *name) {
    for (size_t i = 0; i < t.n_names; i++)
        if (strcmp(t.names[i].name, name) == 0)
            return &t.names[i].number;
    return NULL;
}

static void drop_name(const char *name) {
    for (size_t i = t.n_names; i-- > 0;)
        if (strcmp(t.names[i].name, name) == 0)
            forget_name(i);
}

static void take_name(const char *name, int number) {
    drop_name(name);
    require(t.n_names < MAX_FILES, "file_calls");
    t.names[t.n_names].name = copy(name);
    t.names[t.n_names++].number = number;
}

/* A file was opened: which one is it, and is it new? */
static int record_open(char *name, bool truncated) {
    if (!t.recording)
        return -1;
    const int *known = number_of(name);
    if (known) {
        if (truncated)
            put_down((file_call){.kind = FILE_CALL_TRUNCATE, .file = *known});
        return *known;
    }
    take_name(name, t.n_numbers);
    put_down((file_call){.kind = FILE_CALL_OPEN, .file = t.n_numbers, .name = name});
    return t.n_numbers++;
}

/* ------------------------------------------------------------------------------ the calls ---- */

static const open_file *file_of(int file) {
    return file >= 0 && file < MAX_FILES && t.files[file].name ? &t.files[file] : NULL;
}

static int open_watched(const char *path, int flags, mode_t mode, char *name) {
    bool first, writes = (flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT);
    if (writes && fails(FILE_CALL_OPEN, name, &first)) {
        free(name);
        return -1;
    }
    int file = (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    if (file < 0) {
        free(name);
        return file;
    }
    require(file < MAX_FILES, "file_calls");
    struct stat facts;
    bool folder = fstat(file, &facts) == 0 && S_ISDIR(facts.st_mode);
    t.files[file] = (open_file){name, folder ? -1 : record_open(name, flags & O_TRUNC), folder};
    return file;
}

int open(const char *path, int flags, ...) {
    mode_t mode = 0;
    if (flags & O_CREAT) {
        va_list more;
        va_start(more, flags);
        mode = va_arg(more, mode_t);
        va_end(more);
    }
    pthread_mutex_lock(&t.mutex);
    char *name = watched(path);
    int file = name ? open_watched(path, flags, mode, name) : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
    pthread_mutex_unlock(&t.mutex);
    return file;
}

int close(int file) {
    pthread_mutex_lock(&t.mutex);
    if (file_of(file)) {
        free(t.files[file].name);
        t.files[file] = (open_file){0};
    }
    pthread_mutex_unlock(&t.mutex);
    return (int)syscall(SYS_close, file);
}

/* at < 0: where the file stands, which of watched files is their end. */
static ssize_t write_watched(const open_file *watched_file, int file, const void *data, size_t n, off_t at) {
    bool first;
    if (fails(FILE_CALL_WRITE, watched_file->name, &first)) {
        if (!first || !t.lasting || n < 2)
            return -1;
        n /= 2;
    }
    struct stat facts;
    if (at < 0) {
        require(fstat(file, &facts) == 0, "file_calls");
        at = facts.st_size;
    }
    ssize_t written = syscall(SYS_pwrite64, file, data, n, at);
    if (written > 0)
        put_down((file_call){.kind = FILE_CALL_WRITE,
                             .file = watched_file->number,
                             .at = at,
                             .length = (size_t)written,
                             .data = (uint8_t *)(uintptr_t)data});
    return written;
}

ssize_t pwrite(int file, const void *data, size_t n, off_t at) {
    pthread_mutex_lock(&t.mutex);
    const open_file *f = file_of(file);
    ssize_t written = f ? write_watched(f, file, data, n, at) : syscall(SYS_pwrite64, file, data, n, at);
    pthread_mutex_unlock(&t.mutex);
    return written;
}

ssize_t write(int file, const void *data, size_t n) {
    pthread_mutex_lock(&t.mutex);
    const open_file *f = file_of(file);
    ssize_t written = f ? write_watched(f, file, data, n, -1) : 0;
    pthread_mutex_unlock(&t.mutex);
    return f ? written : syscall(SYS_write, file, data, n); /* may wait: a pipe */
}

int ftruncate(int file, off_t size) {
    bool first;
    pthread_mutex_lock(&t.mutex);
    const open_file *f = file_of(file);
    int result = f && fails(FILE_CALL_TRUNCATE, f->name, &first) ? -1 : (int)syscall(SYS_ftruncate, file, size);
    if (f && result == 0)
        put_down((file_call){.kind = FILE_CALL_TRUNCATE, .file = f->number, .at = size});
    pthread_mutex_unlock(&t.mutex);
    return result;
}

/* Watched files are not synced: no power is lost here, and it takes time. */
static int sync_file(int file, long call) {
    bool first;
    pthread_mutex_lock(&t.mutex);
    const open_file *f = file_of(file);
    int result = !f ? (int)syscall(call, file) : fails(FILE_CALL_SYNC, f->name, &first) ? -1 : 0;
    if (f && result == 0)
        put_down((file_call){.kind = FILE_CALL_SYNC, .file = f->number, .name = f->folder ? f->name : NULL});
    pthread_mutex_unlock(&t.mutex);
    return result;
}

int fsync(int file) {
    return sync_file(file, SYS_fsync);
}

int fdatasync(int file) {
    return sync_file(file, SYS_fdatasync);
}

int mkdir(const char *path, mode_t mode) {
    bool first;
    pthread_mutex_lock(&t.mutex);
    char *name = watched(path);
    int result = name && fails(FILE_CALL_MKDIR, name, &first) ? -1 : (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
    if (name && result == 0)
        put_down((file_call){.kind = FILE_CALL_MKDIR, .file = -1, .name = name});
    free(name);
    pthread_mutex_unlock(&t.mutex);
    return result;
}

int unlink(const char *path) {
    bool first;
    pthread_mutex_lock(&t.mutex);
    char *name = watched(path);
    int result = name && fails(FILE_CALL_UNLINK, name, &first) ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
    if (name && result == 0) {
        put_down((file_call){.kind = FILE_CALL_UNLINK, .file = -1, .name = name});
        drop_name(name);
    }
    free(name);
    pthread_mutex_unlock(&t.mutex);
    return result;
}

int rename(const char *from, const char *to) {
    bool first;
    pthread_mutex_lock(&t.mutex);
    char *name = watched(from), *new_name = watched(to);
    int result = name && fails(FILE_CALL_RENAME, name, &first)
                     ? -1
                     : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
    if (name && new_name && result == 0 && t.recording) {
        const int *number = number_of(name);
        put_down((file_call){.kind = FILE_CALL_RENAME, .file = number ? *number : -1, .name = name, .to = new_name});
        if (number)
            take_name(new_name, *number);
        drop_name(name);
    }
    free(name);
    free(new_name);
    pthread_mutex_unlock(&t.mutex);
    return result;
}
