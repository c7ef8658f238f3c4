/* cluster.c: see cluster.h. */
#include "ui/cluster.h"

#include <string.h>

#include <utf8proc.h>

#include "engine/drt.h"

#define REPLACEMENT 0xFFFDu

typedef enum { KIND_SPACING, KIND_MARK, KIND_HIDDEN, KIND_REPLACED } kind;

static bool turns_direction(uint32_t code) {
    return (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

static bool is_variation_selector(uint32_t code) {
    return (code >= 0xFE00 && code <= 0xFE0F) || (code >= 0xE0100 && code <= 0xE01EF);
}

static bool is_skin_tone(uint32_t code) {
    return code >= 0x1F3FB && code <= 0x1F3FF;
}

/* Vowels and final consonants of conjoining Hangul: they go into the cell of the leading consonant. */
static bool is_joining_jamo(uint32_t code) {
    return (code >= 0x1160 && code <= 0x11FF) || (code >= 0xD7B0 && code <= 0xD7FF);
}

static kind kind_of(uint32_t code) {
    if (is_variation_selector(code))
        return KIND_HIDDEN;
    if (is_joining_jamo(code))
        return KIND_MARK;
    if (turns_direction(code))
        return KIND_REPLACED;
    switch (utf8proc_category((utf8proc_int32_t)code)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
        return KIND_MARK;
    case UTF8PROC_CATEGORY_CF:
        return KIND_HIDDEN;
    case UTF8PROC_CATEGORY_CC:
        return code == '\t' ? KIND_SPACING : KIND_REPLACED;
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return KIND_REPLACED;
    default:
        return KIND_SPACING;
    }
}

static uint8_t width_of(uint32_t code) {
    return utf8proc_charwidth((utf8proc_int32_t)code) == 2 ? 2 : 1;
}

static void add_glyph(cluster *out, uint32_t code, uint8_t width) {
    if (out->n_glyphs == CLUSTER_GLYPHS)
        return;
    glyph *to = &out->glyphs[out->n_glyphs++];
    *to = (glyph){.length = 0}; /* no stray bytes: cells are compared whole */
    to->length = (uint8_t)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)to->bytes);
    to->width = width;
    out->columns += width;
}

static void add_mark(cluster *out, uint32_t code) {
    if (out->n_glyphs == 0)
        add_glyph(out, ' ', 1); /* a mark on nothing gets a base */
    glyph *base = &out->glyphs[out->n_glyphs - 1];
    if (base->length + 4u <= GLYPH_BYTES)
        base->length +=
            (uint8_t)utf8proc_encode_char((utf8proc_int32_t)code, (utf8proc_uint8_t *)base->bytes + base->length);
}

static void add_utf8(cluster *out, uint32_t code) {
    switch (kind_of(code)) {
    case KIND_HIDDEN:
        return;
    case KIND_REPLACED:
        add_glyph(out, REPLACEMENT, 1);
        return;
    case KIND_MARK:
        add_mark(out, code);
        return;
    case KIND_SPACING:
        if (is_skin_tone(code) && out->n_glyphs > 0)
            return;
        if (code == '\t' || code == 0xA0)
            code = ' ';
        add_glyph(out, code, width_of(code));
    }
}

/* Letters and signs that Unicode does not decompose into ASCII, and what reads like them. */
static const struct {
    uint32_t code;
    const char *twin;
} twins[] = {
    {0xA0, " "},    {0xAB, "\""},   {0xAD, ""},     {0xB7, "."},     {0xBB, "\""},    {0xC6, "AE"},   {0xD7, "x"},
    {0xD8, "O"},    {0xDF, "ss"},   {0xE6, "ae"},   {0xF8, "o"},     {0x110, "D"},    {0x111, "d"},   {0x131, "i"},
    {0x141, "L"},   {0x142, "l"},   {0x152, "OE"},  {0x153, "oe"},   {0x2010, "-"},   {0x2011, "-"},  {0x2012, "-"},
    {0x2013, "-"},  {0x2014, "-"},  {0x2015, "-"},  {0x2018, "'"},   {0x2019, "'"},   {0x201A, "'"},  {0x201B, "'"},
    {0x201C, "\""}, {0x201D, "\""}, {0x201E, "\""}, {0x2022, "*"},   {0x2026, "..."}, {0x2032, "'"},  {0x2033, "\""},
    {0x2039, "'"},  {0x203A, "'"},  {0x2044, "/"},  {0x20AC, "EUR"}, {0x2190, "<-"},  {0x2192, "->"}, {0x2212, "-"},
};

static const char *twin_of(uint32_t code) {
    for (size_t i = 0; i < sizeof twins / sizeof *twins; i++)
        if (twins[i].code == code)
            return twins[i].twin;
    return NULL;
}

static void add_ascii(cluster *out, uint32_t code) {
    const char *twin = twin_of(code);
    if (code == '\t')
        code = ' ';
    if (code >= 0x20 && code < 0x7F) {
        add_glyph(out, code, 1);
        return;
    }
    if (twin) {
        while (*twin)
            add_glyph(out, (uint32_t)*twin++, 1);
        return;
    }
    kind what = kind_of(code);
    if (what == KIND_HIDDEN || (out->n_glyphs > 0 && (what == KIND_MARK || is_skin_tone(code))))
        return;
    utf8proc_int32_t parts[32];
    utf8proc_ssize_t n =
        utf8proc_decompose_char((utf8proc_int32_t)code, parts, 32, UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT, NULL);
    bool shown = false;
    for (utf8proc_ssize_t i = 0; i < n && n <= 32; i++)
        if (parts[i] >= 0x20 && parts[i] < 0x7F) {
            add_glyph(out, (uint32_t)parts[i], 1);
            shown = true;
        }
    if (!shown)
        add_glyph(out, '?', 1);
}

static bool is_printable_ascii(unsigned char byte) {
    return byte >= 0x20 && byte < 0x7F;
}

void cluster_read(const char *text, size_t length, size_t start, bool ascii, cluster *out) {
    out->start = start;
    out->columns = out->n_glyphs = 0;
    /* Nearly all text takes this way. */
    if (is_printable_ascii((unsigned char)text[start]) &&
        (start + 1 == length || (unsigned char)text[start + 1] < 0x80)) {
        out->end = start + 1;
        add_glyph(out, (unsigned char)text[start], 1);
        return;
    }
    uint32_t code = 0, next = 0;
    size_t size = drt_utf8_decode(text + start, length - start, &code);
    if (size == 0 || code == 0) {
        out->end = start + 1;
        add_glyph(out, ascii ? '?' : REPLACEMENT, 1);
        return;
    }
    utf8proc_int32_t state = 0;
    size_t at = start;
    for (;;) {
        if (ascii)
            add_ascii(out, code);
        else
            add_utf8(out, code);
        at += size;
        size = at < length ? drt_utf8_decode(text + at, length - at, &next) : 0;
        if (size == 0 || next == 0 ||
            utf8proc_grapheme_break_stateful((utf8proc_int32_t)code, (utf8proc_int32_t)next, &state))
            break;
        code = next;
    }
    out->end = at;
}

size_t cluster_after(const char *text, size_t length, size_t at) {
    cluster next;
    if (at >= length)
        return at;
    cluster_read(text, length, at, false, &next);
    return next.end;
}

size_t cluster_before(const char *text, size_t length, size_t at) {
    if (at == 0)
        return 0;
    /* A border that needs no context: the character after a line feed. */
    size_t from = at - 1;
    while (from > 0 && text[from - 1] != '\n')
        from--;
    size_t before = from;
    while (from < at) {
        before = from;
        from = cluster_after(text, length, from);
    }
    return before;
}

int cluster_columns(const char *text, size_t length, bool ascii) {
    int columns = 0;
    cluster next;
    for (size_t at = 0; at < length; at = next.end) {
        cluster_read(text, length, at, ascii, &next);
        columns += next.columns;
    }
    return columns;
}
