/* utf8.c: validity and repair of UTF-8 (RFC 3629). See utf8.h. */
#include "engine/base/utf8.h"

static bool is_continuation(unsigned char byte) {
    return (byte & 0xC0) == 0x80;
}

size_t drt_utf8_decode(const char *data, size_t length, uint32_t *code_point) {
    static const uint32_t smallest[5] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *bytes = (const unsigned char *)data;
    unsigned char first = bytes[0];
    if (first < 0x80) {
        *code_point = first;
        return 1;
    }
    size_t n = first >= 0xF0 && first <= 0xF4  ? 4
               : first >= 0xE0 && first < 0xF0 ? 3
               : first >= 0xC2 && first < 0xE0 ? 2
                                               : 0;
    if (n == 0 || n > length)
        return 0;
    uint32_t value = first & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if (!is_continuation(bytes[i]))
            return 0;
        value = value << 6 | (bytes[i] & 0x3Fu);
    }
    if (value < smallest[n] || value > 0x10FFFF || (value >= 0xD800 && value < 0xE000))
        return 0;
    *code_point = value;
    return n;
}

size_t drt_utf8_encode(uint32_t c, char out[4]) {
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

size_t drt_utf8_valid_prefix(const char *data, size_t length) {
    size_t at = 0;
    while (at < length) {
        uint32_t code_point;
        size_t n = drt_utf8_decode(data + at, length - at, &code_point);
        if (!n)
            break;
        at += n;
    }
    return at;
}

size_t drt_utf8_floor(const char *data, size_t length, size_t offset) {
    if (offset >= length)
        return length;
    while (offset > 0 && is_continuation((unsigned char)data[offset]))
        offset--;
    return offset;
}

size_t drt_utf8_ceil(const char *data, size_t length, size_t offset) {
    while (offset < length && is_continuation((unsigned char)data[offset]))
        offset++;
    return offset < length ? offset : length;
}

bool drt_utf8_append_escaped(drt_buffer *buffer, const char *data, size_t length) {
    for (size_t at = 0; at < length;) {
        size_t valid = drt_utf8_valid_prefix(data + at, length - at);
        if (!drt_buffer_append(buffer, data + at, valid))
            return false;
        at += valid;
        if (at < length && !drt_buffer_printf(buffer, "\\x%02X", (unsigned char)data[at++]))
            return false;
    }
    return true;
}
