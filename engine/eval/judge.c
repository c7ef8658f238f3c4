/* judge.c: see judge.h. */
#include "engine/eval/judge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"

#define Z_95 1.959963984540054 /* of the normal distribution, two-sided */

static bool is_space(uint32_t c) {
    utf8proc_category_t category = utf8proc_category((utf8proc_int32_t)c);
    return category == UTF8PROC_CATEGORY_ZS || category == UTF8PROC_CATEGORY_ZL || category == UTF8PROC_CATEGORY_ZP ||
           (c >= '\t' && c <= '\r');
}

static bool is_dropped(uint32_t c) {
    bool ascii = (c >= '!' && c <= '/') || (c >= ':' && c <= '@') || (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
    return ascii || c == 0x2018 || c == 0x2019 || c == 0x201C || c == 0x201D || c == 0x2013 || c == 0x2014;
}

static bool is_article(const char *word, size_t length) {
    return (length == 1 && memcmp(word, "a", 1) == 0) || (length == 2 && memcmp(word, "an", 2) == 0) ||
           (length == 3 && memcmp(word, "the", 3) == 0);
}

/* Takes the word [start, end of out) back when it is an article. */
static void end_word(drt_buffer *out, size_t start) {
    if (out->length > start && is_article(out->data + start, out->length - start))
        out->length = start;
}

/* Words of text in NFKC -> out. */
static bool append_words(drt_buffer *out, const char *text, size_t length) {
    size_t first = out->length, word = first; /* where the current word starts */
    bool ok = true;
    for (size_t at = 0, n; ok && at < length; at += n) {
        uint32_t c = 0;
        char bytes[4];
        n = drt_utf8_decode(text + at, length - at, &c);
        if (is_space(c)) {
            end_word(out, word);
            if (out->length > first && out->data[out->length - 1] != ' ')
                ok = drt_buffer_append_byte(out, ' ');
            word = out->length;
        } else if (!is_dropped(c)) {
            ok = drt_buffer_append(out, bytes, drt_utf8_encode((uint32_t)utf8proc_tolower((utf8proc_int32_t)c), bytes));
        }
    }
    end_word(out, word);
    if (ok && out->length > first && out->data[out->length - 1] == ' ')
        out->length--;
    return ok;
}

bool drt_judge_normalise(drt_buffer *out, const char *text, size_t length) {
    utf8proc_uint8_t *nfkc = NULL;
    utf8proc_ssize_t size = utf8proc_map((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, &nfkc,
                                         UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
    bool ok = size >= 0 && append_words(out, (const char *)nfkc, (size_t)size);
    free(nfkc);
    return ok;
}

drt_status drt_judge(drt_context *context, const drt_string *answer, const drt_string *expected, bool *right) {
    drt_buffer a = {0}, b = {0};
    bool ok = drt_judge_normalise(&a, answer->data, answer->length) &&
              drt_judge_normalise(&b, expected->data, expected->length);
    *right = ok && a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
    drt_buffer_free(&a);
    drt_buffer_free(&b);
    return ok ? DRT_OK : drt_fail_memory(context, "an answer");
}

void drt_wilson(int right, int asked, double *low, double *high) {
    double n = asked, p = right / n, z2 = Z_95 * Z_95;
    double middle = (p + z2 / (2 * n)) / (1 + z2 / n);
    double half = Z_95 / (1 + z2 / n) * sqrt(p * (1 - p) / n + z2 / (4 * n * n));
    *low = right == 0 ? 0 : middle - half;
    *high = right == asked ? 1 : middle + half;
}
