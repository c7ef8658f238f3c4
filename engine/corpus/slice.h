/* slice.h: a piece of a text that is read by lines.
 * May use: libc. */
#ifndef DRT_CORPUS_SLICE_H
#define DRT_CORPUS_SLICE_H

#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

typedef struct {
    const char *data;
    size_t length;
} drt_slice;

static inline drt_slice drt_slice_skip(drt_slice s, size_t n) {
    return (drt_slice){s.data + n, s.length - n};
}

/* Without white space at its ends. */
static inline drt_slice drt_slice_trim(drt_slice s) {
    while (s.length > 0 && isspace((unsigned char)s.data[0]))
        s = drt_slice_skip(s, 1);
    while (s.length > 0 && isspace((unsigned char)s.data[s.length - 1]))
        s.length--;
    return s;
}

static inline bool drt_slice_is(drt_slice s, const char *word) { /* any case */
    return strlen(word) == s.length && strncasecmp(s.data, word, s.length) == 0;
}

static inline bool drt_slice_begins(drt_slice s, const char *word) {
    return s.length >= strlen(word) && memcmp(s.data, word, strlen(word)) == 0;
}

/* Takes a line, without its end, off the front. */
static inline drt_slice drt_slice_line(drt_slice *rest) {
    size_t n = 0;
    while (n < rest->length && rest->data[n] != '\n' && rest->data[n] != '\r')
        n++;
    drt_slice line = {rest->data, n};
    size_t end = n < rest->length ? 1 : 0;
    if (end && rest->data[n] == '\r' && n + 1 < rest->length && rest->data[n + 1] == '\n')
        end = 2;
    *rest = drt_slice_skip(*rest, n + end);
    return line;
}

#endif
