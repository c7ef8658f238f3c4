/* signs.c: formulas as a line of letters and signs; accents, quotes and dashes. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <string.h>

#include "engine/base/utf8.h"

/* ---------------------------------------------------------------- formulas ---- */

static size_t characters(const drt_buffer *text) {
    size_t n = 0;
    for (size_t i = 0; i < text->length; i++)
        n += ((unsigned char)text->data[i] & 0xC0) != 0x80;
    return n;
}

static void put_trimmed(tex *t, const drt_buffer *text) {
    size_t from = 0, to = text->length;
    while (from < to && isspace((unsigned char)text->data[from]))
        from++;
    while (to > from && isspace((unsigned char)text->data[to - 1]))
        to--;
    tex_put(t, text->data ? text->data + from : "", to - from);
}

/* x^2, x_i, x^(n+1); degrees and primes are signs of their own. */
void tex_put_script(tex *t, char mark) {
    drt_buffer source_text = {0};
    if (tex_read_argument(t, &source_text)) {
        drt_buffer text = tex_render(t, &source_text);
        bool single = characters(&text) < 2;
        if (t->author || text.length == 0)
            ;
        else if (drt_string_equal(&(drt_string){text.data, text.length}, "\xE2\x88\x98", 3))
            tex_put_text(t, "\xC2\xB0");
        else {
            bool prime = drt_string_equal(&(drt_string){text.data, text.length}, "\xE2\x80\xB2", 3);
            tex_put(t, &mark, prime ? 0 : 1);
            tex_put_text(t, single ? "" : "(");
            put_trimmed(t, &text);
            tex_put_text(t, single ? "" : ")");
        }
        drt_buffer_free(&text);
    }
    drt_buffer_free(&source_text);
}

/* An argument in parentheses. */
void tex_put_enclosed(tex *t, const char *before, const char *after) {
    drt_buffer source_text = {0};
    if (tex_read_argument(t, &source_text)) {
        drt_buffer text = tex_render(t, &source_text);
        tex_put_text(t, before);
        put_trimmed(t, &text);
        tex_put_text(t, after);
        drt_buffer_free(&text);
    }
    drt_buffer_free(&source_text);
}

/* A word among letters, as "log". */
void tex_put_word(tex *t, const char *word, size_t length) {
    if (isalnum((unsigned char)t->last) || (unsigned char)t->last >= 0x80)
        tex_put_text(t, " ");
    tex_put(t, word, length);
    int next = tex_peek(t);
    if (next == '\\' || (next >= 0 && (isalnum(next) || next >= 0x80)))
        tex_put_text(t, " ");
}

void tex_begin_math(tex *t, int kind) {
    if (kind == 2)
        tex_end_line(t);
    t->math = kind;
    t->matrices = 0;
}

void tex_end_math(tex *t) {
    if (t->math == 2)
        tex_end_line(t);
    t->math = 0;
}

/* An argument that is text within a formula. */
void tex_run_as_text(tex *t) {
    int math = t->math;
    t->math = 0;
    tex_run_argument(t);
    t->math = math;
}

/* ---------------------------------------------------------------- signs ---- */

void tex_put_accent(tex *t, const char *accent) {
    drt_buffer source_text = {0};
    if (tex_read_argument(t, &source_text)) {
        drt_buffer text = tex_render(t, &source_text);
        size_t first = text.length ? drt_utf8_ceil(text.data, text.length, 1) : 0;
        if (first == 2 && memcmp(text.data, "\xC4\xB1", 2) == 0)
            tex_put_text(t, "i");
        else if (first == 2 && memcmp(text.data, "\xC8\xB7", 2) == 0)
            tex_put_text(t, "j");
        else
            tex_put(t, text.data, first);
        if (first > 0 && !isspace((unsigned char)text.data[0]))
            tex_put_text(t, accent);
        if (text.length > first)
            tex_put(t, text.data + first, text.length - first);
        drt_buffer_free(&text);
    }
    drt_buffer_free(&source_text);
}

void tex_put_crossed(tex *t) {
    drt_buffer text = tex_render_argument(t);
    size_t from = 0;
    while (from < text.length && text.data[from] == ' ')
        from++;
    size_t sign = from < text.length ? drt_utf8_ceil(text.data, text.length, from + 1) : from;
    tex_put(t, text.data ? text.data : "", sign);
    if (sign > from)
        tex_put_text(t, "\xCC\xB8");
    tex_put(t, text.data ? text.data + sign : "", text.length - sign);
    drt_buffer_free(&text);
}

/* What babel makes of a quote before a letter in German: "a, "s, "`. */
static void put_german(tex *t) {
    static const struct {
        char letter;
        const char *text;
    } shorthands[] = {{'a', "ä"}, {'o', "ö"}, {'u', "ü"}, {'A', "Ä"},  {'O', "Ö"}, {'U', "Ü"},
                      {'s', "ß"}, {'z', "ß"}, {'`', "„"}, {'\'', "“"}, {'<', "«"}, {'>', "»"},
                      {'-', ""},  {'=', "-"}, {'~', "-"}, {'|', ""},   {'"', ""}};
    int next = tex_peek(t);
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++) {
        if (shorthands[i].letter == next) {
            tex_get(t);
            tex_put_text(t, shorthands[i].text);
            return;
        }
    }
    tex_put_text(t, "\"");
}

/* Quotes and dashes as they are typed. */
void tex_put_sign(tex *t, int c) {
    if (t->math) {
        char byte = (char)c;
        if (c == '\'')
            tex_put_text(t, "\xE2\x80\xB2");
        else
            tex_put(t, &byte, 1);
    } else if (c == '-') {
        int n = 1;
        while (n < 3 && tex_take(t, '-'))
            n++;
        tex_put_text(t, n == 3 ? "\xE2\x80\x94" : n == 2 ? "\xE2\x80\x93" : "-");
    } else if (c == '`') {
        bool twice = tex_take(t, '`');
        t->quoted |= !twice;
        tex_put_text(t, twice ? "\xE2\x80\x9C" : "\xE2\x80\x98");
    } else if (c == '\'') {
        bool twice = tex_take(t, '\'');
        int next = tex_peek(t);
        bool closes = !twice && t->quoted && !(next >= 0 && (isalnum(next) || next >= 0x80));
        t->quoted &= !closes;
        tex_put_text(t, twice ? "\xE2\x80\x9D" : closes ? "\xE2\x80\x99" : "'");
    } else if (c == '"' && t->german) {
        put_german(t);
    } else if ((c == '!' || c == '?') && tex_take(t, '`')) {
        tex_put_text(t, c == '!' ? "\xC2\xA1" : "\xC2\xBF");
    } else {
        char byte = (char)c;
        tex_put(t, &byte, 1);
    }
}
