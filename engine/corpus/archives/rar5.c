/* rar5.c: which members of a RAR 5 archive have a password. See rar5.h. */
#include "engine/corpus/archives/rar5.h"

#include <string.h>

#define MARK_BYTES 8
#define MOST_BLOCKS 20000
#define MOST_MEMBERS 10000

enum { BLOCK_FILE = 2, BLOCK_ENCRYPTION = 4, BLOCK_END = 5 };
enum { HAS_EXTRA = 1, HAS_DATA = 2 };
enum { EXTRA_ENCRYPTION = 1 };

/* Numbers of 7 bits a byte, the low ones first; `at` stops at the end. */
typedef struct {
    const unsigned char *data;
    size_t at, end;
    bool failed;
} reader;

static uint64_t number(reader *r) {
    uint64_t value = 0;
    for (int shift = 0; shift < 63 && r->at < r->end; shift += 7) {
        unsigned char byte = r->data[r->at++];
        value |= (uint64_t)(byte & 0x7F) << shift;
        if (byte < 0x80)
            return value;
    }
    r->failed = true;
    return 0;
}

/* Records of a header, each with its size and kind before it. */
static bool has_encryption(reader extra) {
    while (extra.at < extra.end && !extra.failed) {
        uint64_t size = number(&extra);
        size_t start = extra.at;
        if (number(&extra) == EXTRA_ENCRYPTION && !extra.failed)
            return true;
        if (size > extra.end - start)
            return false;
        extra.at = start + (size_t)size;
    }
    return false;
}

typedef struct {
    uint64_t kind, whole; /* bytes of header and data */
    bool encrypted;
} block;

/* Reads a header of which the first bytes are here. */
static bool parse(const char *data, size_t length, block *out) {
    reader r = {.data = (const unsigned char *)data, .at = 4, .end = length}; /* behind its checksum */
    uint64_t size = number(&r), flags;
    size_t start = r.at;
    out->kind = number(&r);
    flags = number(&r);
    uint64_t extra = flags & HAS_EXTRA ? number(&r) : 0;
    uint64_t bytes = flags & HAS_DATA ? number(&r) : 0;
    if (r.failed || size > length - start || extra > size || bytes > INT64_MAX / 2)
        return false;
    size_t end = start + (size_t)size;
    out->encrypted = has_encryption((reader){r.data, end - (size_t)extra, end, false});
    out->whole = end + bytes;
    return true;
}

bool drt_rar5_find_locked(drt_stream *stream, drt_buffer *locked) {
    int64_t at = MARK_BYTES;
    for (int i = 0; i < MOST_BLOCKS && locked->length < MOST_MEMBERS; i++) {
        const char *data;
        block found;
        if (at >= stream->size || !stream->seek(stream, at))
            break;
        ssize_t n = stream->read(stream, &data);
        if (n < 5 || !parse(data, (size_t)n, &found) || found.kind == BLOCK_ENCRYPTION || found.kind == BLOCK_END)
            break;
        if (found.kind == BLOCK_FILE && !drt_buffer_append_byte(locked, (char)found.encrypted))
            return false;
        at += (int64_t)found.whole;
    }
    stream->error[0] = 0; /* what is wrong with it libarchive says */
    return true;
}
