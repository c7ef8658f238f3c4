/* zip_end.c: what stands at the end of a zip. See zip_end.h. */
#include "engine/corpus/archives/zip_end.h"

#include <string.h>

#include "engine/base/utf8.h"
#include "engine/corpus/charset.h"

#define END_BYTES 22                   /* of the record behind the directory */
#define TAIL_LIMIT (END_BYTES + 65535) /* with the longest comment */
#define DIRECTORY_LIMIT (16 << 20)     /* bytes of a central directory looked at for names */
#define NAMES_LIMIT (64 << 10)         /* bytes of names that their charset is told by */

static uint32_t little(const char *at, int bytes) {
    uint32_t value = 0;
    while (bytes-- > 0)
        value = value << 8 | (unsigned char)at[bytes];
    return value;
}

/* Reads `length` bytes at an offset. false: they are not there, or (*failed) there is no memory. */
static bool read_at(drt_stream *stream, int64_t offset, int64_t length, drt_buffer *out, bool *failed) {
    if (!stream->seek(stream, offset))
        return false;
    while ((int64_t)out->length < length) {
        const char *data;
        ssize_t n = stream->read(stream, &data);
        if (n <= 0)
            return false;
        int64_t left = length - (int64_t)out->length;
        *failed = !drt_buffer_append(out, data, n < left ? (size_t)n : (size_t)left);
        if (*failed)
            return false;
    }
    return true;
}

/* Collects the names in a central directory that are neither marked as UTF-8 nor valid as such. */
static bool collect_names(const drt_buffer *directory, drt_buffer *names) {
    bool ok = true;
    for (size_t at = 0; ok && at + 46 <= directory->length && names->length < NAMES_LIMIT;) {
        const char *header = directory->data + at;
        size_t length = little(header + 28, 2);
        if (memcmp(header, "PK\1\2", 4) != 0 || directory->length - at - 46 < length)
            break;
        bool marked = little(header + 8, 2) & 0x800;
        if (!marked && drt_utf8_valid_prefix(header + 46, length) < length)
            ok = drt_buffer_append(names, header + 46, length) && drt_buffer_append_byte(names, '\n');
        at += 46 + length + little(header + 30, 2) + little(header + 32, 2);
    }
    return ok;
}

static void look_at_directory(drt_stream *stream, int64_t start, int64_t length, drt_zip_end *found) {
    drt_buffer directory = {0}, names = {0};
    if (read_at(stream, start, length, &directory, &found->failed)) {
        found->whole = length >= 4 && memcmp(directory.data, "PK\1\2", 4) == 0;
        found->failed = !collect_names(&directory, &names);
        if (!found->failed && names.length > 0)
            found->charset = drt_charset_of_names(names.data, names.length);
    }
    drt_buffer_free(&directory);
    drt_buffer_free(&names);
}

drt_zip_end drt_zip_end_find(drt_stream *stream) {
    drt_zip_end found = {0};
    drt_buffer tail = {0};
    int64_t size = stream->size, length = size < TAIL_LIMIT ? size : TAIL_LIMIT;
    if (read_at(stream, size - length, length, &tail, &found.failed)) {
        for (size_t at = tail.length; at-- > 0 && !found.found;) {
            const char *record = tail.data + at;
            if (tail.length - at < END_BYTES || memcmp(record, "PK\5\6", 4) != 0)
                continue;
            int64_t bytes = little(record + 12, 4), end = size - length + (int64_t)at;
            found.found = true;
            found.of_several = little(record + 4, 2) > 0 && little(record + 4, 2) < 0xFFFF;
            if (bytes <= end && bytes <= DIRECTORY_LIMIT)
                look_at_directory(stream, end - bytes, bytes, &found);
        }
    }
    drt_buffer_free(&tail);
    return found;
}
