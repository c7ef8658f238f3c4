/* words.c: words and what else goes over the end of a line. See pdf.h. */
#define _GNU_SOURCE /* memmem */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/corpus/formats/reflow.h"
#include "engine/corpus/pdf/pdf.h"

#define EN_DASH 0x2013
#define EM_DASH 0x2014

static bool is_word_end(char c) {
    return c && strchr(".,;:!?()[]\"'", c);
}

/* A word without the punctuation around it, in small letters: never 0. */
static uint64_t word_hash(const char *a, size_t n, const char *b, size_t m) {
    uint64_t hash = 14695981039346656037u;
    for (size_t i = 0; i < n + m; i++)
        hash = (hash ^ (uint64_t)tolower((unsigned char)(i < n ? a[i] : b[i - n]))) * 1099511628211u;
    return hash ? hash : 1;
}

static void trim_word(const char **data, size_t *length) {
    while (*length > 0 && is_word_end((*data)[*length - 1]))
        --*length;
    while (*length > 0 && is_word_end(**data)) {
        ++*data;
        --*length;
    }
}

static uint64_t *word_slot(const drt_pdf_words *w, uint64_t hash) {
    size_t at = (size_t)(hash ^ hash >> 32) & w->mask;
    while (w->hashes[at] && w->hashes[at] != hash)
        at = (at + 1) & w->mask;
    return &w->hashes[at];
}

static bool has_word(const drt_pdf_words *w, uint64_t hash) {
    return *word_slot(w, hash) != 0;
}

bool drt_pdf_collect_words(const drt_pdf *pdf, drt_pdf_words *w) {
    size_t n = 0, size = 1024;
    for (size_t i = 0; i < pdf->n_lines; i++)
        n += pdf->lines[i].words;
    while (size < 2 * n)
        size *= 2;
    w->hashes = calloc(size, sizeof *w->hashes);
    w->mask = size - 1;
    for (size_t i = 0; w->hashes && i < pdf->n_lines; i++) {
        const char *data = pdf->text.data + pdf->lines[i].at;
        size_t length = pdf->lines[i].length;
        for (size_t at = 0, left = n; at < length && left > 0; left--) {
            const char *space = memchr(data + at, ' ', length - at), *word = data + at;
            size_t end = space ? (size_t)(space - data) : length, m = end - at;
            trim_word(&word, &m);
            if (m > 0 && word[m - 1] != '-') {
                uint64_t hash = word_hash(word, m, NULL, 0);
                *word_slot(w, hash) = hash;
            }
            at = end + 1;
        }
    }
    return w->hashes != NULL;
}

/* Length of the hyphen that cuts a word at the end of a line: 0: there is none. */
size_t drt_pdf_hyphen(const char *data, size_t length) {
    if (length > 1 && data[length - 1] == '-' && data[length - 2] != '-' && data[length - 2] != ' ')
        return 1;
    if (length > 3 && (memcmp(data + length - 3, "\u2010", 3) == 0 || memcmp(data + length - 3, "\u2011", 3) == 0))
        return 3;
    return length > 2 && memcmp(data + length - 2, "\u00AD", 2) == 0 ? 2 : 0;
}

/* Words before hyphens that stay. */
static bool keeps_hyphen(const char *word, size_t length) {
    static const char *const words[] = {"self", "well", "quasi", "half", "cross"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (length == strlen(words[i]) && strncasecmp(word, words[i], length) == 0)
            return true;
    return false;
}

/* Not when the word has the hyphen elsewhere, or goes on with a capital. */
bool drt_pdf_joins_word(const drt_pdf_words *w, const char *head, size_t head_length, const char *tail,
                        size_t tail_length) {
    size_t start = head_length, hyphen = drt_pdf_hyphen(head, head_length);
    while (start > 0 && head[start - 1] != ' ')
        start--;
    const char *word = head + start, *space = memchr(tail, ' ', tail_length);
    size_t n = head_length - start, m = space ? (size_t)(space - tail) : tail_length;
    while (m > 0 && is_word_end(tail[m - 1]))
        m--;
    while (n > 0 && is_word_end(word[0])) {
        word++;
        n--;
    }
    if (hyphen == 2)
        return true;
    uint32_t first = 0;
    drt_utf8_decode(tail, tail_length, &first);
    if (n <= hyphen || !utf8proc_islower((utf8proc_int32_t)first) || isdigit((unsigned char)word[n - hyphen - 1]) ||
        memcmp(word + n - hyphen, "\u2011", hyphen) == 0) /* a hyphen that forbids the line's end behind it */
        return false;
    if (has_word(w, word_hash(word, n, tail, m))) /* with its hyphen */
        return false;
    return has_word(w, word_hash(word, n - hyphen, tail, m)) ||
           (!memchr(word, '-', n - hyphen) && !(m > 3 && keeps_hyphen(word, n - hyphen)));
}

static uint32_t last_character(const char *data, size_t length) {
    uint32_t c = 0;
    size_t at = drt_utf8_floor(data, length, length - 1);
    drt_utf8_decode(data + at, length - at, &c);
    return c;
}

/* Does the line end in an address that goes on with the next one? */
static bool ends_in_address(const char *data, size_t length) {
    size_t start = length;
    while (start > 0 && data[start - 1] != ' ')
        start--;
    const char *word = data + start;
    size_t n = length - start;
    return n > 4 && (memmem(word, n, "://", 3) || memmem(word, n, "www.", 4)) && strchr("/._?=&%#", word[n - 1]);
}

bool drt_pdf_needs_space(const char *head, size_t head_length, const char *tail, size_t tail_length) {
    uint32_t first = 0, last = last_character(head, head_length);
    drt_utf8_decode(tail, tail_length, &first);
    if (drt_is_wide(first) && drt_is_wide(last))
        return false;
    bool dash = last == EM_DASH || last == EN_DASH;
    return first != EM_DASH && !(dash && head_length > 3 && head[head_length - 4] != ' ') &&
           !ends_in_address(head, head_length);
}
