/* stream.c: where bytes come from. See stream.h. */
#include "engine/corpus/archives/stream.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/base/file.h"

#define MEMORY_STEP (1u << 20) /* bytes handed out at once, so that cancelling is looked at in between */

void drt_stream_clear(drt_stream *stream) {
    drt_buffer_free(&stream->head);
    stream->head_at = 0;
}

bool drt_stream_fail(drt_stream *stream, const char *format, ...) {
    char sentence[sizeof stream->error]; /* the arguments may point into the old one */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    memcpy(stream->error, sentence, sizeof sentence);
    return false;
}

ssize_t drt_stream_read(drt_stream *stream, const char **data) {
    if (stream->head_at < stream->head.length) {
        *data = stream->head.data + stream->head_at;
        ssize_t n = (ssize_t)(stream->head.length - stream->head_at);
        stream->head_at = stream->head.length;
        return n;
    }
    return stream->read(stream, data);
}

bool drt_stream_peek(drt_stream *stream, size_t length) {
    while (stream->head.length < length) {
        const char *data;
        ssize_t n = stream->read(stream, &data);
        if (n < 0)
            return false;
        if (n == 0)
            break;
        if (!drt_buffer_append(&stream->head, data, (size_t)n))
            return drt_stream_fail(stream, "out of memory");
    }
    return true;
}

bool drt_stream_rewind(drt_stream *stream) {
    drt_stream_clear(stream);
    return stream->seek(stream, 0);
}

/* ---------------------------------------------------------------- memory ---- */

static ssize_t memory_read(drt_stream *base, const char **data) {
    drt_memory_stream *stream = (drt_memory_stream *)base;
    size_t left = (size_t)base->size - stream->at;
    size_t n = left < MEMORY_STEP ? left : MEMORY_STEP;
    *data = stream->data + stream->at;
    stream->at += n;
    return (ssize_t)n;
}

static bool memory_seek(drt_stream *base, int64_t offset) {
    if (offset < 0 || offset > base->size)
        return drt_stream_fail(base, "it points beyond its own end");
    ((drt_memory_stream *)base)->at = (size_t)offset;
    return true;
}

void drt_memory_stream_open(drt_memory_stream *stream, const char *data, size_t length) {
    *stream =
        (drt_memory_stream){.base = {.read = memory_read, .seek = memory_seek, .size = (int64_t)length}, .data = data};
}

/* ------------------------------------------------------------------ file ---- */

static ssize_t file_read(drt_stream *base, const char **data) {
    drt_file_stream *stream = (drt_file_stream *)base;
    int64_t left = base->size - stream->at;
    size_t want = left < (int64_t)sizeof stream->block ? (size_t)left : sizeof stream->block;
    ssize_t n = 0;
    if (want > 0) {
        do
            n = pread(stream->file, stream->block, want, stream->at);
        while (n < 0 && errno == EINTR);
        if (n < 0)
            drt_stream_fail(base, "it cannot be read: %s", strerror(errno));
        else if (n == 0)
            drt_stream_fail(base, "it became shorter while it was read");
        if (n <= 0)
            return -1;
    }
    *data = stream->block;
    stream->at += n;
    if (stream->progress)
        stream->progress(stream->user, n);
    return n;
}

static bool file_seek(drt_stream *base, int64_t offset) {
    if (offset < 0 || offset > base->size)
        return drt_stream_fail(base, "it points beyond its own end");
    ((drt_file_stream *)base)->at = offset;
    return true;
}

void drt_file_stream_open(drt_file_stream *stream, int file, int64_t size, void (*progress)(void *user, int64_t bytes),
                          void *user) {
    stream->base = (drt_stream){.read = file_read, .seek = file_seek, .size = size};
    stream->file = file;
    stream->at = 0;
    stream->progress = progress;
    stream->user = user;
}

/* ----------------------------------------------------------------- blobs ---- */

static int spool_open(void) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int n = snprintf(path, sizeof path, "%s/drt-spool-XXXXXX", folder && *folder ? folder : "/tmp");
    if (n < 0 || (size_t)n >= sizeof path)
        return -1;
    int file = mkstemp(path);
    if (file >= 0)
        unlink(path);
    return file;
}

/* Reads to the end; what does not fit in memory goes to *spool, opened when needed. */
static bool collect(drt_blob *blob, drt_stream *stream, int64_t limit, const char *(*check)(void *user), void *user,
                    int *spool) {
    const char *data;
    ssize_t n;
    while ((n = drt_stream_read(stream, &data)) > 0) {
        if ((int64_t)blob->length + n > limit)
            return drt_stream_fail(stream, "it is larger than the limit of %lld MiB", (long long)(limit >> 20));
        const char *refusal = check ? check(user) : NULL;
        if (refusal)
            return drt_stream_fail(stream, "%s", refusal);
        blob->length += (size_t)n;
        if (*spool < 0 && blob->length <= DRT_BLOB_MEMORY) {
            if (!drt_buffer_append(&blob->memory, data, (size_t)n))
                return drt_stream_fail(stream, "out of memory");
            continue;
        }
        if (*spool < 0 && (*spool = spool_open()) < 0)
            return drt_stream_fail(stream, "no temporary file can be made for it: %s", strerror(errno));
        if (!drt_file_write_all(*spool, blob->memory.data, blob->memory.length) ||
            !drt_file_write_all(*spool, data, (size_t)n))
            return drt_stream_fail(stream, "the temporary file for it cannot be written: %s", strerror(errno));
        drt_buffer_free(&blob->memory);
    }
    blob->cut = n < 0;
    return n == 0 || (stream->damaged && blob->length > 0);
}

bool drt_blob_read(drt_blob *blob, drt_stream *stream, int64_t limit, const char *(*check)(void *user), void *user) {
    *blob = (drt_blob){0};
    int spool = -1;
    bool ok = collect(blob, stream, limit, check, user, &spool);
    blob->data = blob->memory.data ? blob->memory.data : "";
    if (ok && spool >= 0) {
        void *mapping = mmap(NULL, blob->length, PROT_READ, MAP_PRIVATE, spool, 0);
        ok = mapping != MAP_FAILED;
        if (ok)
            blob->data = blob->mapping = mapping;
        else
            drt_stream_fail(stream, "out of memory");
    }
    if (spool >= 0)
        close(spool);
    if (!ok)
        drt_blob_free(blob);
    return ok;
}

void drt_blob_free(drt_blob *blob) {
    if (blob->mapping)
        munmap(blob->mapping, blob->length);
    drt_buffer_free(&blob->memory);
    *blob = (drt_blob){0};
}
