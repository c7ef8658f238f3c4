/* stream.h: where bytes come from: a file, memory, or a member of an open archive (archive.h). One interface,
 * so that archives open inside archives without unpacking to disk where their format allows it.
 * May use: base, POSIX. */
#ifndef DRT_CORPUS_ARCHIVES_STREAM_H
#define DRT_CORPUS_ARCHIVES_STREAM_H

#include <sys/types.h>

#include "engine/base/buffer.h"

typedef struct drt_stream drt_stream;
struct drt_stream {
    /* The next bytes, valid until the next call: their number, 0 at the end, -1 on error. */
    ssize_t (*read)(drt_stream *stream, const char **data);
    /* Goes to a byte; false on error. NULL: only forward. */
    bool (*seek)(drt_stream *stream, int64_t offset);
    int64_t size;    /* -1: not known */
    char error[256]; /* a sentence without a name, after -1 or false */
    bool damaged;    /* the error is of the data, which were good so far: what was read may be kept */
    drt_buffer head; /* bytes read ahead by drt_stream_peek */
    size_t head_at;
};

/* Closes what drt_stream keeps itself. */
void drt_stream_clear(drt_stream *stream);

ssize_t drt_stream_read(drt_stream *stream, const char **data);
/* Reads ahead until `length` bytes or the end are in stream->head. Before any reading; false on error. */
bool drt_stream_peek(drt_stream *stream, size_t length);
bool drt_stream_rewind(drt_stream *stream);

/* Sets the error sentence; returns false. */
bool drt_stream_fail(drt_stream *stream, const char *format, ...) DRT_PRINTF(2, 3);

/* Bytes in memory. */
typedef struct {
    drt_stream base;
    const char *data;
    size_t at;
} drt_memory_stream;

void drt_memory_stream_open(drt_memory_stream *stream, const char *data, size_t length);

/* An open file; `progress` hears of every read, with the bytes read in all. The file ends where it ended when
 * it was opened. */
typedef struct {
    drt_stream base;
    int file;
    int64_t at;
    void (*progress)(void *user, int64_t bytes);
    void *user;
    char block[1 << 16];
} drt_file_stream;

void drt_file_stream_open(drt_file_stream *stream, int file, int64_t size, void (*progress)(void *user, int64_t bytes),
                          void *user);

/* All bytes of a stream in one piece: in memory when few, else in an unlinked temporary file that is mapped. */
typedef struct {
    const char *data;
    size_t length;
    drt_buffer memory;
    void *mapping;
    bool cut; /* the stream failed with damage behind these bytes; its error says why */
} drt_blob;

#define DRT_BLOB_MEMORY (16u << 20) /* bytes; more go to a file in $TMPDIR, else /tmp */

/* Reads to the end. `check` (NULL: none) is asked after each block and may refuse more: a sentence. false: refused, more
 * than `limit` bytes, or an error that leaves nothing to keep (stream->error). */
bool drt_blob_read(drt_blob *blob, drt_stream *stream, int64_t limit, const char *(*check)(void *user), void *user);
void drt_blob_free(drt_blob *blob);

#endif
