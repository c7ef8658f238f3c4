/* reflow.c: lines of plain text -> paragraphs. See reflow.h.
 *
 * Lines between blank ones form a block. A break in it is a wrap when the next line's first word would not
 * have fitted behind the line, and is meant when it would have. A block with few meant breaks is prose. */
#include "engine/corpus/formats/reflow.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"

#define BLOCK_LINES 4096    /* a longer block is judged in parts */
#define UNWRAPPED_WIDTH 160 /* nobody wraps beyond this: then a line is a paragraph */
#define PROSE_WIDTH 36      /* nor below this */

typedef struct {
    const char *data; /* without leading and trailing white space */
    size_t length;
    int indent, width; /* columns; width without the indent */
    int word;          /* columns of the first word */
    bool list;         /* begins like a list item */
} line;

typedef struct {
    line lines[BLOCK_LINES];
    size_t n;
} block;

/* Length of the line end at data, 0: none; *paragraph: it ends the paragraph too. */
static size_t line_end(const char *data, size_t length, bool *paragraph) {
    *paragraph = data[0] == '\f';
    switch (data[0]) {
    case '\r':
        return length > 1 && data[1] == '\n' ? 2 : 1;
    case '\n':
    case '\v':
    case '\f':
        return 1;
    case '\xC2':
        return length > 1 && data[1] == '\x85' ? 2 : 0;
    case '\xE2':
        if (length > 2 && data[1] == '\x80' && (data[2] == '\xA8' || data[2] == '\xA9')) {
            *paragraph = data[2] == '\xA9';
            return 3;
        }
    }
    return 0;
}

/* Bytes before the next character that could begin a line end. */
static size_t plain_run(const char *data, size_t length) {
    size_t n = 0;
    while (n < length && (unsigned char)data[n] > '\r' && data[n] != '\xC2' && data[n] != '\xE2')
        n++;
    return n;
}

bool drt_is_wide(uint32_t c) {
    return (c >= 0x2E80 && c < 0xAC00) || (c >= 0xF900 && c < 0xFB00) || (c >= 0xFF00 && c < 0xFFE7) ||
           (c >= 0x20000 && c < 0x40000);
}

bool drt_begins_list_item(const char *data, size_t length) {
    static const char *const bullets[] = {"- ", "* ", "+ ", "\xE2\x80\xA2", "\xE2\x80\x93 ", "\xE2\x80\x94 "};
    for (size_t i = 0; i < sizeof bullets / sizeof *bullets; i++) {
        size_t n = strlen(bullets[i]);
        if (length > n && memcmp(data, bullets[i], n) == 0)
            return true;
    }
    size_t digits = 0;
    while (digits < length && digits < 4 && data[digits] >= '0' && data[digits] <= '9')
        digits++;
    if (digits == 0 && length > 2 && ((data[0] >= 'a' && data[0] <= 'z')))
        return data[1] == ')' && data[2] == ' ';
    return digits > 0 && digits + 1 < length && (data[digits] == '.' || data[digits] == ')') && data[digits + 1] == ' ';
}

/* Columns of data, and of its first word: in scripts without spaces a character is a word. Lines far too
 * long to have been wrapped are not measured to the end. */
static void measure(line *measured) {
    bool word = true;
    int width = 0;
    measured->word = 0;
    for (size_t at = 0; at < measured->length && width <= 4 * UNWRAPPED_WIDTH;) {
        uint32_t c = 0;
        size_t n = drt_utf8_decode(measured->data + at, measured->length - at, &c);
        int columns = c < 0x7F ? 1 : utf8proc_charwidth((utf8proc_int32_t)c);
        if (c == ' ' || c == '\t' || (drt_is_wide(c) && width > 0))
            word = false;
        width += columns > 0 ? columns : 0;
        if (word)
            measured->word = width;
        at += n ? n : 1;
    }
    measured->width = width;
}

static line make_line(const char *data, size_t length) {
    line made = {0};
    while (length > 0 && (data[0] == ' ' || data[0] == '\t')) {
        made.indent += data[0] == '\t' ? 8 - made.indent % 8 : 1;
        data++;
        length--;
    }
    while (length > 0 && (data[length - 1] == ' ' || data[length - 1] == '\t'))
        length--;
    made.data = data;
    made.length = length;
    made.list = drt_begins_list_item(data, length);
    measure(&made);
    return made;
}

bool drt_ends_sentence(const char *data, size_t length) {
    static const char *const ends[] = {".",
                                       "!",
                                       "?",
                                       ":",
                                       "\"",
                                       ")",
                                       "\xE2\x80\x9D",
                                       "\xE2\x80\x99",
                                       "\xC2\xBB",
                                       "\xE3\x80\x82",
                                       "\xE3\x80\x8D",
                                       "\xEF\xBC\x81",
                                       "\xEF\xBC\x9F"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        size_t n = strlen(ends[i]);
        if (length >= n && memcmp(data + length - n, ends[i], n) == 0)
            return true;
    }
    return false;
}

/* Would the next line's first word have fitted behind this line? */
static bool fits(const line *l, const line *next, int width) {
    return l->indent + l->width + 1 + next->word <= width;
}

/* Wrapped prose: hardly a break that is not forced by the width. */
static bool is_prose(const block *b, int width) {
    size_t meant = 0;
    for (size_t i = 0; i + 1 < b->n; i++)
        meant +=
            fits(&b->lines[i], &b->lines[i + 1], width) && !drt_ends_sentence(b->lines[i].data, b->lines[i].length);
    return width >= PROSE_WIDTH && meant * 5 <= b->n - 1;
}

static uint32_t last_character(const line *l) {
    uint32_t c = 0;
    size_t at = drt_utf8_floor(l->data, l->length, l->length - 1);
    drt_utf8_decode(l->data + at, l->length - at, &c);
    return c;
}

/* Joins a wrapped line to the next: no space between ideographs, nor behind a word's hyphen. */
static void join(drt_text *text, const line *l, const line *next) {
    uint32_t first = 0, last = last_character(l);
    drt_utf8_decode(next->data, next->length, &first);
    bool hyphen = l->length > 1 && l->data[l->length - 1] == '-' && l->data[l->length - 2] != '-' &&
                  l->data[l->length - 2] != ' ' && first >= 'a' && first <= 'z';
    bool soft = last == 0xAD;
    if (!hyphen && !soft && !(drt_is_wide(last) && drt_is_wide(first)))
        drt_text_add(text, " ", 1);
}

static void add_prose(drt_text *text, const block *b, int width) {
    int base = b->lines[b->n - 1].indent;
    for (size_t i = 0; i < b->n; i++)
        base = b->lines[i].indent < base ? b->lines[i].indent : base;
    for (size_t i = 0; i < b->n; i++) {
        const line *l = &b->lines[i], *next = i + 1 < b->n ? l + 1 : NULL;
        drt_text_add(text, l->data, l->length);
        if (!next)
            break;
        bool indented = next->indent >= base + 2 && (i + 2 == b->n || next[1].indent == base) && !next->list;
        bool ended = drt_ends_sentence(l->data, l->length) && fits(l, next, width) && l->width * 5 < width * 4;
        if (next->list)
            drt_text_line(text);
        else if (indented || ended)
            drt_text_paragraph(text);
        else
            join(text, l, next);
    }
}

static void add_lines(drt_text *text, const block *b, bool paragraphs) {
    for (size_t i = 0; i < b->n; i++) {
        drt_text_add(text, b->lines[i].data, b->lines[i].length);
        if (paragraphs)
            drt_text_paragraph(text);
        else
            drt_text_line(text);
    }
}

static void add_block(drt_text *text, block *b) {
    int width = 0;
    for (size_t i = 0; i < b->n; i++) {
        int columns = b->lines[i].indent + b->lines[i].width;
        width = columns > width ? columns : width;
    }
    if (b->n > 1 && width <= UNWRAPPED_WIDTH && is_prose(b, width))
        add_prose(text, b, width);
    else
        add_lines(text, b, width > UNWRAPPED_WIDTH);
    drt_text_paragraph(text);
    b->n = 0;
}

/* Takes one line into the block; a blank one, or a full block, ends it. */
static void take_line(drt_text *text, block *b, const char *data, size_t length, bool paragraph) {
    line l = make_line(data, length);
    if (l.length > 0)
        b->lines[b->n++] = l;
    if (b->n > 0 && (l.length == 0 || paragraph || b->n == BLOCK_LINES))
        add_block(text, b);
}

drt_status drt_reflow(drt_context *context, drt_text *text, const char *data, size_t length) {
    block *b = malloc(sizeof *b);
    if (!b)
        return drt_fail_memory(context, "a text's lines");
    b->n = 0;
    drt_status status = DRT_OK;
    size_t start = 0, at = 0, lines = 0;
    while (at < length && status == DRT_OK) {
        at += plain_run(data + at, length - at);
        bool paragraph = false;
        size_t n = at < length ? line_end(data + at, length - at, &paragraph) : 0;
        if (at < length && n == 0) {
            at++;
            continue;
        }
        take_line(text, b, data + start, at - start, paragraph);
        at += n;
        start = at;
        if (++lines % 1024 == 0 && drt_cancelled(context))
            status = DRT_FAILED;
    }
    if (status == DRT_OK && start < length)
        take_line(text, b, data + start, length - start, true);
    if (status == DRT_OK && b->n > 0)
        add_block(text, b);
    free(b);
    if (text->failed)
        return drt_fail_memory(context, "a normalised text");
    return status;
}
