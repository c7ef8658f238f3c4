/* format_rst.c: reStructuredText. Marks, directives and targets are taken off, the text of admonitions, figures, code and
 * formulas stays; numbered footnotes go behind the paragraph that refers to them. Title from the first heading, authors and
 * date from the fields at the beginning. See formats.h. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/formats/flow.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/xml.h"

#define SUBSTITUTIONS 256 /* that are kept; others stand as their names */
#define REACH 1024        /* bytes that are looked through for the other end of a mark */

typedef struct {
    const char *data;
    size_t length;
} slice;

/* ".. |name| replace:: text" */
typedef struct {
    slice name, text;
} substitution;

typedef struct {
    drt_context *context;
    drt_extract *extract;
    drt_flow flow;
    substitution substitutions[SUBSTITUTIONS];
    size_t n_substitutions;
    slice *lines; /* without white space at their ends */
    size_t n, at;
    drt_buffer block; /* source of the paragraph or item at hand */
    drt_buffer inlined;
    size_t references; /* of footnotes without a number so far */
    bool body;         /* behind the fields at the beginning */
    bool headed;       /* they stand below a heading */
    bool in_item;      /* of a list */
    bool cancelled, failed;
    int depth; /* of directives inside each other */
} document;

/* ------------------------------------------------------------------- lines ---- */

static size_t indent_of(slice line) {
    size_t n = 0;
    while (n < line.length && line.data[n] == ' ')
        n++;
    return n;
}

static slice skip(slice s, size_t n) {
    return (slice){s.data + n, s.length - n};
}

static slice trim(slice s) {
    while (s.length > 0 && isspace((unsigned char)*s.data))
        s = skip(s, 1);
    while (s.length > 0 && isspace((unsigned char)s.data[s.length - 1]))
        s.length--;
    return s;
}

static bool begins(slice s, const char *word) {
    return s.length >= strlen(word) && memcmp(s.data, word, strlen(word)) == 0;
}

/* Is it one of these words (a space on both sides of each)? */
static bool is_any(slice s, const char *words) {
    for (const char *at = words; *at; at++) {
        size_t n = strcspn(++at, " ");
        if (n == 0)
            break;
        if (n == s.length && memcmp(at, s.data, n) == 0)
            return true;
        at += n - 1;
    }
    return false;
}

static slice line_at(const document *d, size_t at) {
    return at < d->n ? d->lines[at] : (slice){"", 0};
}

/* "=====", "~~~~": an adornment of a heading, or a transition. */
static bool is_adornment(slice s) {
    if (s.length < 2 || !ispunct((unsigned char)s.data[0]))
        return false;
    for (size_t i = 1; i < s.length; i++)
        if (s.data[i] != s.data[0])
            return false;
    return true;
}

/* "====  ====": the border of a table. */
static bool is_border(slice s) {
    bool space = false, equals = false;
    for (size_t i = 0; i < s.length; i++) {
        if (s.data[i] != '=' && s.data[i] != ' ')
            return false;
        space |= s.data[i] == ' ';
        equals |= s.data[i] == '=';
    }
    return space && equals && s.data[0] == '=';
}

/* "+-----+----+" */
static bool is_grid(slice s) {
    if (s.length < 3 || s.data[0] != '+')
        return false;
    for (size_t i = 0; i < s.length; i++)
        if (!strchr("+-= |", s.data[i]) || !s.data[i])
            return false;
    return true;
}

/* Length of what begins an item of a list. */
static size_t marker(slice s) {
    size_t n = 0;
    if (s.length > 1 && strchr("-*+", s.data[0]) && s.data[1] == ' ')
        return 2;
    if (begins(s, "\xE2\x80\xA2 "))
        return 4;
    if (n < s.length && s.data[n] == '(')
        n++;
    size_t from = n;
    while (n < s.length && n - from < 4 && isdigit((unsigned char)s.data[n]))
        n++;
    if (n == from && n < s.length && s.data[n] == '#')
        n++;
    return n > from && n + 1 < s.length && (s.data[n] == '.' || s.data[n] == ')') && s.data[n + 1] == ' ' ? n + 2 : 0;
}

/* ------------------------------------------------------------------- inline ---- */

static void put(document *d, const char *data, size_t length) {
    d->failed |= !drt_buffer_append(&d->inlined, data, length);
}

static size_t find(slice s, size_t at, const char *word) {
    size_t n = strlen(word), end = s.length < at + REACH ? s.length : at + REACH;
    for (; at + n <= end; at++)
        if (memcmp(s.data + at, word, n) == 0)
            return at;
    return SIZE_MAX;
}

/* `text <target>`: the text. */
static slice without_target(slice s) {
    if (s.length > 2 && s.data[s.length - 1] == '>') {
        size_t open = s.length;
        while (open > 0 && s.data[open - 1] != '<')
            open--;
        if (open > 1)
            return trim((slice){s.data, open - 1});
        if (open == 1)
            return (slice){s.data + 1, s.length - 2};
    }
    return s;
}

/* "[1]_", "[#]_", "[#name]_", "[*]_": the footnote goes behind the paragraph. true: it was one. */
static bool take_reference(document *d, slice label) {
    char number[32];
    if (label.length == 0 || !(isdigit((unsigned char)*label.data) || *label.data == '#' || *label.data == '*'))
        return false;
    if (label.length > 1 || isdigit((unsigned char)*label.data))
        return drt_flow_note_refer(&d->flow, label.data, label.length);
    int n = snprintf(number, sizeof number, "#%zu", d->references++);
    return drt_flow_note_refer(&d->flow, number, (size_t)n);
}

static void put_substitution(document *d, slice name) {
    for (size_t i = 0; i < d->n_substitutions; i++) {
        const substitution *s = &d->substitutions[i];
        if (s->name.length == name.length && memcmp(s->name.data, name.data, name.length) == 0)
            name = s->text;
    }
    for (size_t i = 0; i < name.length; i++)
        if (name.data[i] != '*' && name.data[i] != '`')
            put(d, name.data + i, 1);
}

/* Resolves inline marks; footnotes that are referred to wait in the flow. */
static void resolve(document *d, slice s) {
    d->inlined.length = 0;
    for (size_t at = 0; at < s.length && !d->failed;) {
        char c = s.data[at], next = at + 1 < s.length ? s.data[at + 1] : ' ';
        char before = at ? s.data[at - 1] : ' ';
        size_t end;
        bool opens = !isalnum((unsigned char)before) && (unsigned char)before < 0x80 && !isspace((unsigned char)next);
        if (c == '\\' && at + 1 < s.length) {
            put(d, &next, next == ' ' ? 0 : 1);
            at += 2;
        } else if (c == '`' && next == '`' && (end = find(s, at + 2, "``")) != SIZE_MAX) {
            put(d, s.data + at + 2, end - at - 2);
            at = end + 2;
        } else if (c == '`' && (end = find(s, at + 1, "`")) != SIZE_MAX) {
            slice text = without_target((slice){s.data + at + 1, end - at - 1});
            put(d, text.data, text.length);
            at = end + 1;
            while (at < s.length && s.data[at] == '_')
                at++;
        } else if (c == ':' && opens && isalpha((unsigned char)next) && (end = find(s, at + 1, ":`")) != SIZE_MAX &&
                   !memchr(s.data + at, ' ', end - at)) {
            at = end + 1;
        } else if (c == '*' && opens &&
                   (end = find(s, at + (next == '*' ? 2 : 1), next == '*' ? "**" : "*")) != SIZE_MAX) {
            size_t mark = next == '*' ? 2 : 1;
            put(d, s.data + at + mark, end - at - mark);
            at = end + mark;
        } else if (c == '|' && opens && (end = find(s, at + 1, "|")) != SIZE_MAX && end - at < 64) {
            put_substitution(d, (slice){s.data + at + 1, end - at - 1});
            at = end + 1;
            at += at < s.length && s.data[at] == '_';
        } else if (c == '[' && (end = find(s, at + 1, "]_")) != SIZE_MAX && end - at < 64 &&
                   !memchr(s.data + at, ' ', end - at)) {
            if (!take_reference(d, (slice){s.data + at + 1, end - at - 1}))
                put(d, s.data + at, end - at + 1);
            else
                while (d->inlined.length > 0 && d->inlined.data[d->inlined.length - 1] == ' ')
                    d->inlined.length--;
            at = end + 2;
        } else if (c == '_' && isalnum((unsigned char)before) && !isalnum((unsigned char)next) && next != '_') {
            at++; /* reference_ */
        } else {
            put(d, &c, 1);
            at++;
        }
    }
}

static void collect(document *d, slice text) {
    d->failed |= !drt_buffer_append(&d->block, text.data, text.length) || !drt_buffer_append_byte(&d->block, ' ');
}

static void flush(document *d) {
    if (d->block.length == 0)
        return;
    resolve(d, (slice){d->block.data, d->block.length});
    d->block.length = 0;
    drt_flow_add(&d->flow, d->inlined.data ? d->inlined.data : "", d->inlined.length);
}

static void end_paragraph(document *d) {
    flush(d);
    drt_flow_paragraph(&d->flow);
}

/* ------------------------------------------------------------------- blocks ---- */

/* The line behind the block that is indented deeper than `indent`, blank lines in it. */
static size_t block_end(const document *d, size_t at, size_t indent) {
    size_t end = at;
    for (; at < d->n; at++) {
        if (trim(d->lines[at]).length == 0)
            continue;
        if (indent_of(d->lines[at]) <= indent)
            break;
        end = at + 1;
    }
    return end;
}

/* Lines as they are: code, tables. */
static void add_lines(document *d, size_t end, bool marks) {
    end_paragraph(d);
    for (; d->at < end && !d->failed; d->at++) {
        slice line = trim(d->lines[d->at]);
        if (marks && (is_grid(line) || is_border(line) || is_adornment(line)))
            continue;
        d->inlined.length = 0;
        for (size_t i = 0; i < line.length; i++)
            put(d, marks && line.data[i] == '|' ? " " : line.data + i, 1);
        drt_flow_add(&d->flow, d->inlined.data ? d->inlined.data : "", d->inlined.length);
        drt_flow_line(&d->flow);
    }
    drt_flow_paragraph(&d->flow);
}

static void add_heading(document *d, slice text) {
    end_paragraph(d);
    collect(d, text);
    if (!d->extract->title.data) {
        drt_string title;
        resolve(d, text);
        d->failed |= !drt_text_single_line(d->inlined.data ? d->inlined.data : "", d->inlined.length, &title);
        drt_xml_take_title(d->extract, &title);
    }
    end_paragraph(d);
    d->headed = true;
}

/* "Ada Renn", "- Ada Renn": the lines of a field of authors. */
static bool take_authors(document *d, slice value, size_t end) {
    bool ok = true;
    for (size_t at = d->at; ok && at < end; at++) {
        drt_string line;
        value = at == d->at ? value : trim(d->lines[at]);
        value = value.length > 2 && strchr("-*+", *value.data) && value.data[1] == ' ' ? trim(skip(value, 2)) : value;
        ok = drt_text_single_line(value.data, value.length, &line) && drt_xml_take_authors(d->extract, &line);
    }
    return ok;
}

/* ":Author: Ada Renn", of lines to `end`. false: it is none of those that are known. */
static bool take_field(document *d, slice name, slice value, size_t end) {
    drt_string line = {0};
    bool author = is_any(name, " Author author Authors authors "),
         date = is_any(name, " Date date Published published ");
    bool title = is_any(name, " Title title ");
    if (author)
        d->failed |= !take_authors(d, value, end);
    else if (date || title)
        d->failed |= !drt_text_single_line(value.data, value.length, &line);
    if (date)
        drt_xml_take_date(d->extract, &line);
    else if (title)
        drt_xml_take_title(d->extract, &line);
    return author || date || title;
}

/* Fields before the text are its metadata; others are lines. */
static bool take_fields(document *d, slice line) {
    slice s = trim(line);
    size_t end = s.length > 2 && s.data[0] == ':' && s.data[1] != ':' && s.data[1] != ' ' ? find(s, 1, ":") : SIZE_MAX;
    if (end == SIZE_MAX || (end + 1 < s.length && s.data[end + 1] != ' '))
        return false;
    slice name = {s.data + 1, end - 1}, value = trim(skip(s, end + 1));
    flush(d);
    size_t last = block_end(d, d->at + 1, indent_of(line));
    if (!d->body && (take_field(d, name, value, last) || !d->headed)) {
        d->at = last;
        return true;
    }
    drt_flow_line(&d->flow);
    collect(d, name);
    collect(d, value);
    d->at++;
    return true;
}

static void read_blocks(document *d, size_t end);

/* ".. name:: argument": what is in it is text, code or nothing. */
static void take_directive(document *d, slice line, size_t end) {
    slice s = trim(skip(line, 2));
    size_t colons = find(s, 0, "::");
    slice name = {s.data, colons}, argument = trim(skip(s, colons + 2));
    bool nothing =
        is_any(name, " toctree contents raw include index meta highlight default-role currentmodule module image role "
                     "sectnum header footer tabularcolumns literalinclude automodule autoclass autofunction "
                     "automethod bibliography figure-md program target-notes class ");
    bool code = is_any(
        name, " code code-block sourcecode parsed-literal math prompt doctest testcode productionlist graphviz ");
    d->at++;
    while (d->at < end && trim(d->lines[d->at]).length > 0 && *trim(d->lines[d->at]).data == ':')
        d->at++; /* its options */
    if (nothing) {
        d->at = end;
    } else if (code) {
        if (is_any(name, " math ") && argument.length > 0) {
            collect(d, argument);
            end_paragraph(d);
        }
        add_lines(d, end, false);
    } else {
        bool text = !is_any(name, " figure container only epigraph ");
        if (text && argument.length > 0) {
            collect(d, argument);
            end_paragraph(d);
        }
        read_blocks(d, end);
        end_paragraph(d);
    }
}

/* "[1] text", "[#] text": a footnote, already read. "[Key] text": a citation, which is a line of text. */
static bool is_note(slice label) {
    return label.length > 0 && (isdigit((unsigned char)*label.data) || *label.data == '#' || *label.data == '*');
}

static void take_explicit(document *d, slice line) {
    size_t indent = indent_of(line), end = block_end(d, d->at + 1, indent);
    slice s = trim(skip(trim(line), 2));
    size_t close = s.length > 0 && s.data[0] == '[' ? find(s, 1, "]") : SIZE_MAX;
    end_paragraph(d);
    if (close != SIZE_MAX && is_note((slice){s.data + 1, close - 1})) {
        d->at = end;
    } else if (close != SIZE_MAX) {
        collect(d, s);
        d->at++;
        read_blocks(d, end);
        end_paragraph(d);
    } else if (begins(s, "_") || begins(s, "|") || find(s, 0, "::") == SIZE_MAX) {
        d->at = end; /* a target, a substitution, a comment */
    } else {
        take_directive(d, trim(line), end);
    }
}

/* A line of text, an item, or the text of a heading. */
static void take_text(document *d, slice line, size_t end) {
    slice s = trim(line), below = line_at(d, d->at + 1), last;
    size_t n = marker(s);
    bool first = d->block.length == 0;
    if (first && indent_of(line) == 0 && d->at + 1 < end && is_adornment(below) && indent_of(below) == 0 &&
        below.length + 2 >= s.length / 2) {
        add_heading(d, s);
        d->at += 2;
        return;
    }
    d->body = true;
    if (n > 0 && (first || trim(line_at(d, d->at - 1)).length == 0 || marker(trim(line_at(d, d->at - 1))) ||
                  d->at == 0 || d->in_item)) {
        flush(d);
        drt_flow_line(&d->flow);
        d->in_item = true;
        s = strchr("-*+\xE2", s.data[0]) ? skip(s, n) : s;
    }
    last = s;
    bool literal = last.length >= 2 && memcmp(last.data + last.length - 2, "::", 2) == 0;
    if (literal)
        s.length -= s.length == 2 || s.data[s.length - 3] == ' ' ? 2 : 1;
    collect(d, s);
    d->at++;
    if (!literal || trim(line_at(d, d->at)).length > 0)
        return;
    end_paragraph(d);
    add_lines(d, block_end(d, d->at, indent_of(line)), false);
}

static void read_blocks(document *d, size_t end) {
    if (d->depth++ == 64)
        d->at = end;
    while (d->at < end && !d->failed) {
        slice line = d->lines[d->at], s = trim(line);
        if (s.length == 0) {
            if (d->in_item && marker(trim(line_at(d, d->at + 1)))) { /* items may stand apart */
                flush(d);
                drt_flow_line(&d->flow);
            } else {
                end_paragraph(d);
                d->in_item = false;
            }
            d->at++;
        } else if (begins(s, ".. ") || (s.length == 2 && begins(s, ".."))) {
            take_explicit(d, line);
        } else if (begins(s, "__ ")) {
            d->at++;
        } else if (begins(s, ">>> ") && d->block.length == 0) {
            size_t stop = d->at;
            while (stop < end && trim(d->lines[stop]).length > 0)
                stop++;
            add_lines(d, stop, false);
        } else if (is_grid(s) || is_border(s)) {
            size_t stop = d->at;
            while (stop < end && (trim(d->lines[stop]).length > 0 ||
                                  (is_border(s) && stop + 1 < end && is_border(d->lines[stop + 1]))))
                stop++;
            add_lines(d, stop, true);
        } else if (is_adornment(s) && (s.length > 3 || (s.length == 3 && is_adornment(line_at(d, d->at + 2))))) {
            d->at++; /* above a heading, or between parts */
        } else if (begins(s, "| ")) {
            flush(d);
            drt_flow_line(&d->flow);
            collect(d, trim(skip(s, 2)));
            d->at++;
        } else if (!take_fields(d, line)) {
            take_text(d, line, end);
        }
        if (drt_cancelled(d->context))
            d->cancelled = d->failed = true;
    }
    d->depth--;
}

/* ------------------------------------------------------------------- the whole ---- */

static bool split_lines(document *d, slice rest) {
    while (rest.length > 0) {
        const char *end = memchr(rest.data, '\n', rest.length);
        slice line = {rest.data, end ? (size_t)(end - rest.data) : rest.length};
        rest = skip(rest, line.length + (end != NULL));
        while (line.length > 0 && isspace((unsigned char)line.data[line.length - 1]))
            line.length--;
        if (!drt_array_grow((void **)&d->lines, d->n, sizeof line))
            return false;
        d->lines[d->n++] = line;
    }
    return true;
}

static void read_substitutions(document *d) {
    for (size_t at = 0; at < d->n && d->n_substitutions < SUBSTITUTIONS; at++) {
        slice s = trim(d->lines[at]);
        size_t close = begins(s, ".. |") ? find(s, 4, "| replace::") : SIZE_MAX;
        if (close != SIZE_MAX)
            d->substitutions[d->n_substitutions++] =
                (substitution){{s.data + 4, close - 4}, trim(skip(s, close + strlen("| replace::")))};
    }
}

/* Keeps the footnotes: ".. [1] text" with what is indented below. */
static void read_notes(document *d) {
    size_t anonymous = 0;
    for (d->at = 0; d->at < d->n && !d->failed;) {
        slice s = trim(d->lines[d->at]);
        size_t close = begins(s, ".. [") ? find(s, 4, "]") : SIZE_MAX, end;
        slice label = {s.data + 4, close == SIZE_MAX ? 0 : close - 4};
        if (!is_note(label)) {
            d->at++;
            continue;
        }
        char number[32];
        int n = snprintf(number, sizeof number, "#%zu", anonymous);
        bool plain = label.length == 1 && !isdigit((unsigned char)*label.data);
        anonymous += plain;
        drt_flow_note_define(&d->flow, plain ? number : label.data, plain ? (size_t)n : label.length);
        end = block_end(d, d->at + 1, indent_of(d->lines[d->at]));
        collect(d, trim(skip(s, close + 1)));
        for (d->at++; d->at < end; d->at++)
            collect(d, trim(d->lines[d->at]));
        flush(d);
        drt_flow_note_end(&d->flow);
    }
    d->at = 0;
}

drt_status drt_format_rst_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    document d = {.context = context, .extract = extract};
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_flow_start(&d.flow, &extract->text);
    drt_status status = drt_charset_decode(context, input->data, input->length, NULL, 0, &decoded, &facts);
    if (status == DRT_OK && !split_lines(&d, (slice){decoded.data ? decoded.data : "", decoded.length}))
        d.failed = true;
    if (status == DRT_OK && !d.failed) {
        read_substitutions(&d);
        read_notes(&d);
        read_blocks(&d, d.n);
        end_paragraph(&d);
    }
    free(d.lines);
    drt_buffer_free(&decoded);
    drt_buffer_free(&d.block);
    drt_buffer_free(&d.inlined);
    bool ok = drt_flow_finish(&d.flow, true) && (!d.failed || d.cancelled) &&
              drt_extract_note_charset(extract, facts.replacements, facts.guessed ? facts.name : NULL);
    if (d.cancelled)
        return DRT_FAILED;
    return status == DRT_OK && !ok ? drt_fail_memory(context, "a text") : status;
}
