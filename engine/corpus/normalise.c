/* normalise.c: builds normalised text. See normalise.h. */
#include "engine/corpus/normalise.h"

#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "engine/base/utf8.h"

/* utf8proc needs some ten bytes for each of its input: long lines are composed in pieces. */
#define PIECE (1u << 16)

enum kind { VISIBLE, SPACE, INVISIBLE, JOINER };

/* What a character outside ASCII is to a normalised text. */
static enum kind kind_of(uint32_t c) {
    switch (c) {
    case 0x85: /* next line */
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
        return SPACE;
    case 0x200C:
    case 0x200D:
        return JOINER;
    case 0xAD:   /* soft hyphen */
    case 0x34F:  /* combining grapheme joiner */
    case 0x61C:  /* Arabic letter mark */
    case 0x180E: /* Mongolian vowel separator */
    case 0xFEFF: /* byte order mark */
        return INVISIBLE;
    }
    if (c >= 0x2000 && c <= 0x200A)
        return SPACE;
    if ((c >= 0x80 && c < 0xA0) || (c >= 0x200B && c <= 0x200F) || (c >= 0x202A && c <= 0x202E) ||
        (c >= 0x2060 && c <= 0x206F) || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE007F) ||
        (c >= 0xFDD0 && c <= 0xFDEF) || (c & 0xFFFE) == 0xFFFE)
        return INVISIBLE;
    return VISIBLE;
}

void drt_text_start(drt_text *text, drt_buffer *out) {
    *text = (drt_text){.out = out, .start = out->length};
}

static void append(drt_text *text, drt_buffer *buffer, const char *data, size_t length) {
    if (!text->failed && !drt_buffer_append(buffer, data, length))
        text->failed = true;
}

void drt_text_raise(drt_text *text) {
    text->raised = true;
}

static bool is_exponent(const drt_text *text, const char *data, size_t length) {
    bool minus = length >= 3 && memcmp(data, "\xE2\x88\x92", 3) == 0;
    return text->raised && !text->space && text->previous >= '0' && text->previous <= '9' &&
           (minus || *data == '-' || (*data >= '0' && *data <= '9'));
}

/* Appends visible bytes to the line, after the space that was due. */
static void append_visible(drt_text *text, const char *data, size_t length, uint32_t last) {
    if (is_exponent(text, data, length))
        append(text, &text->line, "^", 1);
    text->raised = false;
    if (text->space && text->previous)
        append(text, &text->line, " ", 1);
    text->space = false;
    append(text, &text->line, data, length);
    text->previous = last;
}

/* Joiners shape Arabic, Indic and emoji sequences; beside ASCII or white space they do nothing. */
static bool joiner_matters(const drt_text *text, const char *next, size_t length) {
    return text->previous >= 0x80 && !text->space && length > 0 && (unsigned char)next[0] >= 0x80;
}

/* Can composition change anything? Nothing below U+0300 composes or is composed. */
static bool may_compose(const char *data, size_t length) {
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)data[i] >= 0xCC)
            return true;
    return false;
}

/* The end of the next piece: before an ASCII character, which composes with nothing before it. */
static size_t piece_end(const char *data, size_t length, size_t at) {
    if (length - at <= PIECE)
        return length;
    for (size_t end = at + PIECE; end > at + PIECE / 2; end--)
        if ((unsigned char)data[end] < 0x80)
            return end;
    return drt_utf8_floor(data, length, at + PIECE);
}

static void append_piece(drt_text *text, const char *data, size_t length) {
    if (!may_compose(data, length)) {
        append(text, text->out, data, length);
        return;
    }
    utf8proc_uint8_t *composed = NULL;
    utf8proc_ssize_t n = utf8proc_map((const utf8proc_uint8_t *)data, (utf8proc_ssize_t)length, &composed,
                                      UTF8PROC_STABLE | UTF8PROC_COMPOSE);
    if (n < 0)
        text->failed = true;
    else
        append(text, text->out, (const char *)composed, (size_t)n);
    free(composed);
}

static void append_composed(drt_text *text, const char *data, size_t length) {
    for (size_t at = 0, end; at < length && !text->failed; at = end) {
        end = piece_end(data, length, at);
        append_piece(text, data + at, end - at);
    }
}

/* What parts the line from the one before. */
static void begin_line(drt_text *text) {
    if (text->begun)
        return;
    if (text->out->length > text->start)
        append(text, text->out, "\n", 1);
    else if (text->start > 0)
        append(text, text->out, "\n\n", 2);
    text->begun = true;
}

/* Of a long line no more than a few pieces are held. */
static void pass_on(drt_text *text) {
    while (text->line.length > 2 * PIECE && !text->failed) {
        size_t end = piece_end(text->line.data, text->line.length, 0);
        begin_line(text);
        append_piece(text, text->line.data, end);
        text->line.length -= end;
        memmove(text->line.data, text->line.data + end, text->line.length);
    }
}

static size_t printable_ascii(const char *data, size_t length) {
    size_t n = 0;
    while (n < length && n < PIECE && data[n] > ' ' && data[n] < 0x7F)
        n++;
    return n;
}

#define SEQUENCE 256 /* bytes of a sequence for terminals */

/* Length of what ESC begins: a sequence for terminals, or ESC alone. */
static size_t escape_length(const char *data, size_t length) {
    size_t n = 2;
    if (length < 2 || !strchr("[]PX^_()", data[1]) || data[1] == 0)
        return 1;
    if (data[1] == '(' || data[1] == ')')
        return length < 3 ? 2 : 3;
    length = length < SEQUENCE ? length : SEQUENCE;
    if (data[1] == '[') {
        while (n < length && data[n] >= 0x20 && data[n] < 0x40)
            n++;
        return n < length && data[n] >= 0x40 && data[n] < 0x7F ? n + 1 : n;
    }
    while (n < length && data[n] != '\a' && data[n] != 0x1B)
        n++;
    bool ended = n < length && (data[n] == '\a' || (n + 1 < length && data[n + 1] == '\\'));
    return ended ? n + (data[n] == '\a' ? 1 : 2) : 2;
}

/* What old printers did with a backspace: "_", BS, "a" and "a", BS, "a" are an "a". */
static void step_back(drt_text *text) {
    drt_buffer *line = &text->line;
    if (text->space || line->length == 0) {
        text->space = false;
        return;
    }
    line->length = drt_utf8_floor(line->data, line->length, line->length - 1);
    text->previous = 0;
    if (line->length > 0) {
        size_t last = drt_utf8_floor(line->data, line->length, line->length - 1);
        drt_utf8_decode(line->data + last, line->length - last, &text->previous);
    }
    if (text->previous == ' ') {
        line->length--;
        text->space = true;
    }
}

void drt_text_add(drt_text *text, const char *data, size_t length) {
    for (size_t at = 0; at < length && !text->failed;) {
        pass_on(text);
        size_t run = printable_ascii(data + at, length - at);
        if (run) {
            append_visible(text, data + at, run, (unsigned char)data[at + run - 1]);
            at += run;
            continue;
        }
        unsigned char byte = (unsigned char)data[at];
        if (byte < 0x80) {
            if (byte == ' ' || (byte >= '\t' && byte <= '\r'))
                text->space = true;
            else if (byte == '\b')
                step_back(text);
            at += byte == 0x1B ? escape_length(data + at, length - at) : 1;
            continue;
        }
        uint32_t c = 0xFFFE;
        size_t n = drt_utf8_decode(data + at, length - at, &c);
        if (!n)
            n = 1;
        enum kind kind = kind_of(c);
        if (kind == SPACE)
            text->space = true;
        else if (kind == VISIBLE || (kind == JOINER && joiner_matters(text, data + at + n, length - at - n)))
            append_visible(text, data + at, n, c);
        at += n;
    }
}

void drt_text_line(drt_text *text) {
    if (text->line.length > 0) {
        begin_line(text);
        append_composed(text, text->line.data, text->line.length);
    }
    text->line.length = 0;
    text->begun = false;
    text->space = text->raised = false;
    text->previous = 0;
}

void drt_text_paragraph(drt_text *text) {
    drt_text_line(text);
    text->start = text->out->length;
}

bool drt_text_is_empty(const drt_text *text) {
    return text->line.length == 0 && text->out->length == text->start;
}

size_t drt_text_position(const drt_text *text) {
    if (text->begun)
        return text->out->length + text->line.length + (text->space && text->previous);
    if (text->line.length > 0 || text->out->length > text->start) {
        bool begins = text->line.length == 0, breaks = text->out->length > text->start;
        return text->out->length + breaks + text->line.length + (!begins && text->space && text->previous);
    }
    return text->out->length + (text->start > 0 ? 2 : 0);
}

bool drt_text_finish(drt_text *text) {
    drt_text_paragraph(text);
    drt_buffer_free(&text->line);
    return !text->failed;
}

bool drt_text_single_line(const char *data, size_t length, drt_string *line) {
    drt_buffer out = {0};
    drt_text text;
    *line = (drt_string){0};
    drt_text_start(&text, &out);
    drt_text_add(&text, data, length);
    bool ok = drt_text_finish(&text) && (out.length == 0 || drt_string_take(line, &out));
    drt_buffer_free(&out);
    return ok;
}
