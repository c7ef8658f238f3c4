/* fold.c: see fold.h. Each code point is folded and decomposed on its own, so that places in the folded and the given
 * text correspond, composed and decomposed letters are the same, and a bare letter finds the accented one. */
#include "ui/fold.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/drt.h"

#define FOLDED_MAX 8 /* code points that one folds into */

/* The folded code points of the character at text; *size its bytes. An invalid byte stands for itself, above Unicode. */
static int fold_at(const char *text, size_t length, size_t *size, uint32_t out[FOLDED_MAX]) {
    uint32_t code = 0;
    *size = drt_utf8_decode(text, length, &code);
    if (*size == 0) {
        *size = 1;
        out[0] = 0x110000u + (unsigned char)*text;
        return 1;
    }
    if (code < 0x80) {
        out[0] = code >= 'A' && code <= 'Z' ? code + 32 : code;
        return 1;
    }
    utf8proc_int32_t parts[FOLDED_MAX];
    utf8proc_ssize_t n = utf8proc_decompose_char((utf8proc_int32_t)code, parts, FOLDED_MAX,
                                                 UTF8PROC_CASEFOLD | UTF8PROC_DECOMPOSE, NULL);
    if (n < 1 || n > FOLDED_MAX) {
        out[0] = code;
        return 1;
    }
    for (utf8proc_ssize_t i = 0; i < n; i++)
        out[i] = (uint32_t)parts[i];
    return (int)n;
}

char *fold_text(const char *text, size_t length, size_t *out_length) {
    char *out = malloc(length * 4 * FOLDED_MAX + 1); /* at most so many bytes of each */
    size_t n = 0;
    if (!out)
        return NULL;
    for (size_t at = 0, size; at < length; at += size) {
        uint32_t codes[FOLDED_MAX];
        int count = fold_at(text + at, length - at, &size, codes);
        for (int i = 0; i < count; i++) {
            if (codes[i] >= 0x110000u)
                out[n++] = (char)(codes[i] - 0x110000u);
            else
                n += (size_t)utf8proc_encode_char((utf8proc_int32_t)codes[i], (utf8proc_uint8_t *)out + n);
        }
    }
    out[n] = '\0';
    *out_length = n;
    return out;
}

/* Does the folded text at `text` begin with `folded`? *used: bytes of the text that it takes. */
static bool begins(const char *text, size_t length, const char *folded, size_t folded_length, size_t *used) {
    size_t at = 0, f = 0;
    while (f < folded_length) {
        uint32_t codes[FOLDED_MAX];
        size_t size;
        if (at >= length)
            return false;
        int count = fold_at(text + at, length - at, &size, codes);
        for (int i = 0; i < count && f < folded_length; i++) {
            utf8proc_uint8_t bytes[4];
            size_t n = codes[i] < 0x110000u ? (size_t)utf8proc_encode_char((utf8proc_int32_t)codes[i], bytes) : 1;
            if (codes[i] >= 0x110000u)
                bytes[0] = (utf8proc_uint8_t)(codes[i] - 0x110000u);
            if (n > folded_length - f || memcmp(bytes, folded + f, n) != 0)
                return false;
            f += n;
        }
        at += size;
    }
    *used = at;
    return true;
}

bool fold_find(const char *text, size_t length, size_t from, const char *folded, size_t folded_length, size_t *start,
               size_t *end) {
    for (size_t at = from; at < length || (at == length && folded_length == 0);) {
        size_t used;
        if (begins(text + at, length - at, folded, folded_length, &used)) {
            *start = at;
            *end = at + used;
            return true;
        }
        uint32_t code;
        size_t size = drt_utf8_decode(text + at, length - at, &code);
        at += size > 0 ? size : 1;
    }
    return false;
}

bool fold_contains(const char *text, size_t length, const char *folded, size_t folded_length) {
    size_t start, end;
    return folded_length == 0 || fold_find(text, length, 0, folded, folded_length, &start, &end);
}
