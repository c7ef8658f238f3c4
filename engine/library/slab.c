/* slab.c: files of records. See slab.h. */
#include "engine/library/slab.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/network/memory.h"

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "slabs are mapped as they are: little-endian machines only"
#endif

#define VERSION 1

typedef struct {
    char magic[8];
    uint32_t version, dtype, chunk_size, d_model;
    uint64_t generation;
    uint8_t fingerprint[DRT_FINGERPRINT_SIZE];
} slab_header;
_Static_assert(sizeof(slab_header) == DRT_SLAB_HEADER_SIZE, "the header is the file's first 64 bytes");

static slab_header make_header(drt_slab_kind kind, const drt_store_identity *identity, uint64_t generation) {
    bool landmarks = kind == DRT_SLAB_LANDMARKS;
    slab_header header = {
        .version = VERSION,
        .dtype = landmarks ? 0 : (uint32_t)identity->memory_type,
        .chunk_size = (uint32_t)identity->chunk_size,
        .d_model = (uint32_t)identity->d_model,
        .generation = generation,
    };
    memcpy(header.magic, landmarks ? "drt lmk\n" : "drt mem\n", sizeof header.magic);
    memcpy(header.fingerprint, identity->fingerprint, DRT_FINGERPRINT_SIZE);
    return header;
}

static drt_status fail_errno(drt_context *context, const char *verb, const char *path) {
    return drt_fail(context, DRT_FATAL, "cannot %s %s: %s", verb, path, strerror(errno));
}

static drt_status fail_damaged(drt_context *context, const char *path, const char *what) {
    return drt_fail(context, DRT_FATAL,
                    "%s is damaged (%s): restore the library from a backup or ingest into a new one", path, what);
}

drt_status drt_slab_create(drt_context *context, const char *path, drt_slab_kind kind,
                           const drt_store_identity *identity, uint64_t generation) {
    slab_header header = make_header(kind, identity, generation);
    return drt_file_create(context, path, &header, sizeof header) == DRT_OK ? DRT_OK : DRT_FATAL;
}

static drt_status check_header(drt_context *context, const char *path, drt_slab_kind kind,
                               const drt_store_identity *identity, const slab_header *header) {
    slab_header expected = make_header(kind, identity, header->generation);
    if (memcmp(header->magic, expected.magic, sizeof header->magic) != 0)
        return fail_damaged(context, path, "it does not start as a file of this kind");
    if (header->version != VERSION)
        return drt_fail(context, DRT_FATAL, "%s has format %u, this drt reads format %d: update drt", path,
                        header->version, VERSION);
    if (memcmp(header->fingerprint, expected.fingerprint, DRT_FINGERPRINT_SIZE) != 0)
        return fail_damaged(context, path, "it was built by another model than the catalog names");
    if (memcmp(header, &expected, sizeof expected) != 0)
        return fail_damaged(context, path, "its sizes or number format differ from the catalog's");
    return DRT_OK;
}

drt_status drt_slab_open(drt_context *context, const char *path, drt_slab_kind kind, const drt_store_identity *identity,
                         bool writable, drt_slab *slab) {
    *slab = (drt_slab){.file = -1, .path = strdup(path)};
    if (!slab->path)
        return drt_fail_memory(context, path);
    slab_header header;
    struct stat facts;
    drt_status status = DRT_OK;
    slab->file = open(path, (writable ? O_RDWR : O_RDONLY) | O_CLOEXEC);
    if (slab->file < 0 || fstat(slab->file, &facts) != 0)
        status = fail_errno(context, "open", path);
    else if (!S_ISREG(facts.st_mode) || pread(slab->file, &header, sizeof header, 0) != (ssize_t)sizeof header)
        status = fail_damaged(context, path, "its header is missing");
    else
        status = check_header(context, path, kind, identity, &header);
    if (status != DRT_OK) {
        drt_slab_close(slab);
        return status;
    }
    slab->generation = header.generation;
    slab->device = facts.st_dev;
    slab->inode = facts.st_ino;
    slab->record_size = kind == DRT_SLAB_LANDMARKS
                            ? (size_t)identity->d_model * sizeof(uint16_t)
                            : drt_memory_record_size(identity->memory_type, identity->chunk_size, identity->d_model);
    return DRT_OK;
}

static void unmap(drt_slab *slab) {
    if (slab->map)
        munmap((void *)(uintptr_t)slab->map, slab->map_size);
    slab->map = NULL;
    slab->map_size = 0;
}

void drt_slab_close(drt_slab *slab) {
    unmap(slab);
    if (slab->file >= 0)
        close(slab->file);
    free(slab->path);
    *slab = (drt_slab){.file = -1};
}

bool drt_slab_is_current(const drt_slab *slab) {
    struct stat facts;
    return stat(slab->path, &facts) == 0 && facts.st_dev == slab->device && facts.st_ino == slab->inode;
}

int64_t drt_slab_size(const drt_slab *slab) {
    struct stat facts;
    return fstat(slab->file, &facts) == 0 ? (int64_t)facts.st_size : 0;
}

static int64_t records_in_file(const drt_slab *slab) {
    return (drt_slab_size(slab) - DRT_SLAB_HEADER_SIZE) / (int64_t)slab->record_size;
}

static drt_status check_records(drt_context *context, const drt_slab *slab, int64_t n) {
    int64_t there = records_in_file(slab);
    if (n <= there)
        return DRT_OK;
    return drt_fail(context, DRT_FATAL,
                    "%s is cut short: it holds %lld of %lld chunks; restore the library from a backup or ingest into a "
                    "new one",
                    slab->path, (long long)there, (long long)n);
}

drt_status drt_slab_map(drt_context *context, drt_slab *slab, int64_t n) {
    drt_status status = check_records(context, slab, n);
    if (status != DRT_OK)
        return status;
    size_t size = DRT_SLAB_HEADER_SIZE + (size_t)n * slab->record_size;
    if (size <= slab->map_size)
        return DRT_OK;
    void *map = mmap(NULL, size, PROT_READ, MAP_SHARED, slab->file, 0);
    if (map == MAP_FAILED)
        return fail_errno(context, "map", slab->path);
    unmap(slab);
    slab->map = map;
    slab->map_size = size;
    return DRT_OK;
}

const uint8_t *drt_slab_record(const drt_slab *slab, int64_t record) {
    return slab->map + DRT_SLAB_HEADER_SIZE + (size_t)record * slab->record_size;
}

drt_status drt_slab_write_to(drt_context *context, int file, const char *path, size_t record_size, int64_t record,
                             size_t n, const void *data) {
    const char *bytes = data;
    size_t left = n * record_size;
    off_t at = (off_t)(DRT_SLAB_HEADER_SIZE + (size_t)record * record_size);
    while (left > 0) {
        ssize_t written = pwrite(file, bytes, left, at);
        if (written < 0 && errno == EINTR)
            continue;
        if (written < 0)
            return fail_errno(context, "write", path);
        bytes += written;
        at += written;
        left -= (size_t)written;
    }
    return DRT_OK;
}

drt_status drt_slab_write(drt_context *context, const drt_slab *slab, int64_t record, size_t n, const void *data) {
    return drt_slab_write_to(context, slab->file, slab->path, slab->record_size, record, n, data);
}

drt_status drt_slab_sync(drt_context *context, const drt_slab *slab) {
    return fdatasync(slab->file) == 0 ? DRT_OK : fail_errno(context, "write", slab->path);
}

drt_status drt_slab_truncate(drt_context *context, const drt_slab *slab, int64_t n) {
    drt_status status = check_records(context, slab, n);
    off_t size = (off_t)(DRT_SLAB_HEADER_SIZE + (size_t)n * slab->record_size);
    if (status != DRT_OK || drt_slab_size(slab) == size)
        return status;
    return ftruncate(slab->file, size) == 0 ? DRT_OK : fail_errno(context, "write", slab->path);
}

drt_status drt_folder_sync(drt_context *context, const char *path) {
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (folder < 0)
        return fail_errno(context, "open", path);
    /* EINVAL: a file system whose folders need no sync. */
    bool ok = fsync(folder) == 0 || errno == EINVAL;
    drt_status status = ok ? DRT_OK : fail_errno(context, "sync", path);
    close(folder);
    return status;
}
