/* letters.c: what the characters of a PDF are. See pdf.h.
 *
 * Fonts without names for their glyphs give the numbers that these have in the font. Numbers of the encodings that TeX
 * uses, and of the characters that Adobe gave places in the private use area, are known; pages whose letters are other
 * numbers cannot be read, and are told by what their characters are. */
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"
#include "engine/corpus/pdf/pdf.h"

#define LEAST_JUDGED 40 /* letters by which a page is judged, */
#define LEAST_ODD 4     /* and odd ones, */
#define LEAST_WORDS 60  /* and words */

/* ------------------------------------------------------------------------- the census ---- */

bool drt_pdf_is_odd(uint32_t c) {
    return c < 0x20 || (c >= 0x7F && c < 0xA0) || (c >= 0xE000 && c < 0xF900) || c == 0xFFFD || c >= 0xF0000;
}

void drt_pdf_count(drt_pdf_census *all, uint32_t c) {
    if (drt_pdf_is_odd(c)) {
        all->odd++;
        return;
    }
    all->visible++;
    all->letters += c >= 0x80 || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    all->accented += c >= 0xC0 && c <= 0xFF;
    all->digits += c >= '0' && c <= '9';
    all->punctuation += c > 0x20 && c < 0x7F && !strchr(".-_=*", (int)c) && !((c | 0x20) >= 'a' && (c | 0x20) <= 'z') &&
                        !(c >= '0' && c <= '9');
    all->upper += c >= 'A' && c <= 'Z';
    all->first_three += c >= 'A' && c <= 'C';
    all->shifted += c >= 'a' - 29 && c <= 'z' - 29;
    all->vowels += c < 0x80 && strchr("DHLRX", (int)c) && c; /* aeiou - 29 */
}

void drt_pdf_census_add(drt_pdf_census *to, const drt_pdf_census *from) {
    to->odd += from->odd;
    to->visible += from->visible;
    to->letters += from->letters;
    to->accented += from->accented;
    to->digits += from->digits;
    to->punctuation += from->punctuation;
    to->upper += from->upper;
    to->first_three += from->first_three;
    to->shifted += from->shifted;
    to->vowels += from->vowels;
    to->words += from->words;
    to->common += from->common;
    to->unspeakable += from->unspeakable;
}

void drt_pdf_count_word(drt_pdf_census *all, const char *data, size_t length) {
    static const char common[] =
        " the of and to in is for that with on as by at from it he was der die das und den zu ist von mit "
        "le la les des et en un une du est que pour el los y del con por da do di che il per een het "
        "van och att det som na nie sie az je se za ne po od su jak ve bir bu ja on ya wa kwa ang ng sa eta ";
    char word[8] = " ";
    size_t n = 0;
    bool vowel = false;
    while (length > 0 && strchr(".,;:!?()\"'", data[length - 1]))
        length--;
    for (; n < length; n++) {
        char c = (char)(data[n] | 0x20);
        if (c < 'a' || c > 'z')
            return;
        vowel = vowel || strchr("aeiouy", c);
        if (n < 4)
            word[n + 1] = c;
    }
    all->words += n > 0;
    all->unspeakable += n > 3 && !vowel;
    if (n > 0 && n <= 4) {
        word[n + 1] = ' ';
        all->common += strstr(common, word) != NULL;
    }
}

/* The numbers of glyphs in fonts made of TrueType ones are mostly those of ASCII less 29. Text of them has vowels
 * enough once it is put right, and none of the letters A, B and C, which every other text in capitals has. */
static bool is_shifted(const drt_pdf_census *all) {
    return all->upper >= LEAST_JUDGED && all->first_three * 50 < all->upper && all->shifted * 10 > all->visible * 7 &&
           all->vowels * 4 > all->shifted;
}

/* Letters that stand for others: a text of many words, of which none is a common one and many cannot be spoken. Tables
 * of abbreviations have numbers. */
static bool is_cipher(const drt_pdf_census *all) {
    return all->words >= LEAST_WORDS && all->common * 50 < all->words && all->unspeakable * 60 > all->words &&
           all->digits * 20 < all->letters;
}

bool drt_pdf_is_unreadable(const drt_pdf_census *all) {
    if ((all->odd >= LEAST_ODD && all->odd * 8 > all->visible + all->odd) || is_shifted(all) || is_cipher(all))
        return true;
    /* Cyrillic or Greek in an encoding of one byte; no language of Latin letters has accents on most of them. */
    if (all->accented >= LEAST_JUDGED && all->accented * 5 > all->letters * 3)
        return true;
    return all->visible >= LEAST_JUDGED && (all->letters + all->digits) * 5 < all->visible * 2 &&
           all->punctuation * 2 > all->visible;
}

/* ------------------------------------------------------------------------------ words ---- */

/* Adobe's places for small capitals, digits of old style and parts of tall brackets: "" for the latter, NULL: none. */
static const char *name_of_adobe(uint32_t c, char letter[5]) {
    uint32_t plain = c - 0xF700;
    if (c >= 0xF8E5 && c <= 0xF8FE)
        return c == 0xF8E8 ? "\u00AE" : c == 0xF8E9 ? "\u00A9" : c == 0xF8EA ? "\u2122" : "";
    if (c == 0xF6BE)
        return "j"; /* without its dot */
    if (c < 0xF721 || c > 0xF7FE)
        return NULL;
    if (plain >= 0xE0)
        plain -= 0x20; /* small capitals with accents */
    else if (plain >= 'a' && plain <= 'z')
        plain -= 'a' - 'A';
    else if (plain != '$' && plain != '&' && plain != '!' && plain != '?' && (plain < '0' || plain > '9'))
        return NULL;
    letter[utf8proc_encode_char((utf8proc_int32_t)plain, (utf8proc_uint8_t *)letter)] = 0;
    return letter;
}

static bool is_letter(uint32_t c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0xC0 && c < 0x250);
}

/* The ligatures of TeX's encodings OT1 and T1, which only words have: elsewhere these numbers are those of signs in
 * formulas. `before`, `after`: the characters around it, 0: none. */
static const char *name_of_tex(uint32_t c, uint32_t before, uint32_t after, size_t letters) {
    static const char *const ligatures[] = {"ff", "fi", "fl", "ffi", "ffl"};
    bool in_word = is_letter(before) || is_letter(after);
    if (in_word && letters >= 2 && c >= 0x0B && c <= 0x0F)
        return ligatures[c - 0x0B];
    if (in_word && c >= 0x1B && c <= 0x1F)
        return ligatures[c - 0x1B];
    if ((c == 0x15 || c == 0x16) && before && after)
        return c == 0x15 ? "\u2013" : "\u2014";
    if (letters >= 2 && c == 0x10 && !before)
        return "\u201C";
    return letters >= 2 && c == 0x11 && !after ? "\u201D" : NULL;
}

/* Bullets of the fonts that TeX and word processors take them from. */
static bool is_bullet(uint32_t c) {
    return c == 0x88 || c == 0xF06E || c == 0xF076 || c == 0xF0A7 || c == 0xF0A8 || c == 0xF0B7 || c == 0xF0D8;
}

static size_t count_letters(const char *data, size_t length) {
    size_t letters = 0, n;
    for (size_t at = 0; at < length; at += n ? n : 1) {
        uint32_t c = 0;
        n = drt_utf8_decode(data + at, length - at, &c);
        letters += n && is_letter(c);
    }
    return letters;
}

static uint32_t character_at(const char *data, size_t length, size_t at, size_t *n) {
    uint32_t c = 0xFFFD;
    *n = at < length ? drt_utf8_decode(data + at, length - at, &c) : 0;
    if (*n == 0 && at < length) /* a byte of no character */
        *n = 1;
    return at < length ? c : 0;
}

bool drt_pdf_mend_word(const char *data, size_t length, drt_buffer *out) {
    size_t letters = count_letters(data, length), n = 0, next;
    uint32_t before = 0, c = character_at(data, length, 0, &n), after;
    bool ok = true;
    for (size_t at = 0; ok && at < length; at += n, n = next, before = c, c = after) {
        char letter[5];
        after = character_at(data, length, at + n, &next);
        const char *name = c == '\t' || c == '\r' || c == '\n' ? " " : NULL;
        if (!name && drt_pdf_is_odd(c) && n == length && is_bullet(c))
            name = "\u2022";
        if (!name && drt_pdf_is_odd(c))
            name = name_of_adobe(c, letter);
        if (!name && c < 0x20)
            name = name_of_tex(c, before, after, letters);
        ok = name ? drt_buffer_append_text(out, name) : drt_buffer_append(out, data + at, n);
    }
    return ok;
}
