/* format_markdown.c: Markdown: marks are taken off, text stays; footnotes go behind the paragraph that refers to them. Title,
 * authors and date from what stands before the text, else the title from the first heading. See formats.h.
 *
 * A block's lines are collected, its inline marks resolved in one pass, and the result is handed on. Characters that
 * turn out to be marks only later (the brackets of a link) are overwritten with GONE, which no text keeps. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/formats/flow.h"
#include "engine/corpus/formats/markdown.h"
#include "engine/corpus/formats/markup.h"
#include "engine/corpus/normalise.h"
#include "engine/corpus/slice.h"
#include "engine/corpus/tex/tex.h"

#define GONE '\x01'
#define HARD_BREAK '\v'
#define BRACKETS 32     /* open at a time; further ones are text */
#define FORMULAS 20000  /* that are made readable; the time for each is not nothing */
#define MARK_REACH 1024 /* bytes that are looked through for the other end of a mark, so that time stays linear */

typedef drt_slice slice;

typedef struct {
    drt_context *context;
    drt_flow flow;
    drt_extract *extract;
    drt_buffer block; /* source of the paragraph, heading or item at hand */
    drt_buffer inlined;
    char fence; /* '`' or '~' inside fenced code, else 0 */
    size_t fence_length;
    bool comment;                                     /* inside <!-- --> that began on a line before */
    bool collecting;                                  /* the footnotes; then the text is read */
    bool note;                                        /* inside one */
    bool blank;                                       /* the line before was */
    bool list;                                        /* inside one */
    bool table;                                       /* below the line under its head */
    enum { NO_REFERENCE, NO_TARGET, NO_TITLE } lacks; /* of a link, defined on the line before */
    size_t formulas;
    bool no_script_end, no_style_end; /* none is further on */
    bool failed;
} document;

static slice trim(slice s) {
    return drt_slice_trim(s);
}

static slice skip(slice s, size_t n) {
    return drt_slice_skip(s, n);
}

static size_t run_of(slice s, char c) {
    size_t n = 0;
    while (n < s.length && s.data[n] == c)
        n++;
    return n;
}

/* ---------------------------------------------------------------- inline ---- */

typedef struct {
    document *d;
    slice source;
    size_t at;
    size_t brackets[BRACKETS]; /* where in the output "[" stands */
    size_t n_brackets;
    int open[2];         /* runs of "*" and "_" that something closes */
    size_t clear[2];     /* before here nothing closes any */
    size_t no_note;      /* none that begins before here ends */
    bool no_parenthesis; /* none closes behind `at` */
    bool no_angle, no_comment_end;
} inline_state;

static void put(inline_state *s, const char *data, size_t length) {
    if (!drt_buffer_append(&s->d->inlined, data, length))
        s->d->failed = true;
}

static char at(const inline_state *s, size_t ahead) {
    return s->at + ahead < s->source.length ? s->source.data[s->at + ahead] : 0;
}

static char before(const inline_state *s) {
    return s->at ? s->source.data[s->at - 1] : ' ';
}

/* `code`: as it is, between runs of as many backticks. */
static void take_code(inline_state *s) {
    slice rest = skip(s->source, s->at);
    size_t ticks = run_of(rest, '`');
    for (size_t i = ticks; i < rest.length; i++) {
        size_t run = run_of(skip(rest, i), '`');
        if (run == ticks) {
            put(s, rest.data + ticks, i - ticks);
            s->at += i + run;
            return;
        }
        i += run;
        if (i > MARK_REACH)
            break;
    }
    put(s, rest.data, ticks);
    s->at += ticks;
}

/* "](target)" or "][label]" behind a link's text: passed. */
static bool pass_target(inline_state *s) {
    slice rest = skip(s->source, s->at + 1);
    if (rest.length == 0 || (rest.data[0] != '(' && rest.data[0] != '[') || (rest.data[0] == '(' && s->no_parenthesis))
        return false;
    size_t end = 1, depth = 1;
    char open = rest.data[0], close = open == '(' ? ')' : ']';
    for (; end < rest.length && end < MARK_REACH && depth > 0; end++)
        depth += rest.data[end] == open ? 1 : rest.data[end] == close ? (size_t)-1 : 0;
    if (depth > 0) {
        const char *first = open == '(' ? memchr(rest.data, close, rest.length) : NULL; /* an address may be long */
        s->no_parenthesis |= !first && open == '(';
        if (!first)
            return false;
        end = (size_t)(first - rest.data) + 1;
    }
    s->at += 1 + end;
    return true;
}

/* "[[page]]", "[[page|words]]" of a wiki; "![[file]]" is no text. */
static bool take_wiki_link(inline_state *s) {
    slice rest = skip(s->source, s->at);
    drt_buffer *out = &s->d->inlined;
    size_t end = 2, from = 2;
    while (end + 1 < rest.length && end < 256 && rest.data[end] != ']' && rest.data[end] != '[') {
        if (rest.data[end++] == '|')
            from = end;
    }
    if (end == 2 || end + 1 >= rest.length || memcmp(rest.data + end, "]]", 2) != 0)
        return false;
    bool file = out->length > 0 && out->data[out->length - 1] == '!';
    if (file)
        out->data[out->length - 1] = GONE;
    else
        put(s, rest.data + from, end - from);
    s->at += end + 2;
    return true;
}

/* "^[a note]" stands where it is referred to. */
static bool take_inline_note(inline_state *s) {
    slice rest = skip(s->source, s->at);
    size_t end = 2, depth = 1, reach = rest.length < MARK_REACH ? rest.length : MARK_REACH;
    if (s->at < s->no_note || !memchr(rest.data, ']', reach)) {
        s->no_note = s->no_note > s->at ? s->no_note : s->at + reach - 2;
        return false;
    }
    for (; end < reach && depth > 0; end++)
        depth += rest.data[end] == '[' ? 1 : rest.data[end] == ']' ? (size_t)-1 : 0;
    if (depth > 0 || s->d->collecting)
        return false;
    drt_flow_note_start(&s->d->flow);
    drt_flow_add(&s->d->flow, rest.data + 2, end - 3);
    drt_flow_note_end(&s->d->flow);
    s->at += end;
    return true;
}

static void take_bracket(inline_state *s) {
    drt_buffer *out = &s->d->inlined;
    if (at(s, 0) == '[' && at(s, 1) == '[' && take_wiki_link(s))
        return;
    if (at(s, 0) == '[') {
        if (at(s, 1) == '^') { /* a footnote's mark */
            size_t end = 2;
            while (end < 64 && at(s, end) && at(s, end) != ']' && at(s, end) != ' ')
                end++;
            if (at(s, end) == ']') {
                if (!s->d->collecting)
                    drt_flow_note_refer(&s->d->flow, s->source.data + s->at + 2, end - 2);
                s->at += end + 1;
                return;
            }
        }
        if (s->n_brackets < BRACKETS)
            s->brackets[s->n_brackets++] = out->length;
        put(s, "[", 1);
        s->at++;
        return;
    }
    size_t open = s->n_brackets ? s->brackets[--s->n_brackets] : out->length;
    if (open < out->length && pass_target(s)) {
        out->data[open] = GONE;
        if (open > 0 && out->data[open - 1] == '!')
            out->data[open - 1] = GONE;
        return;
    }
    put(s, "]", 1);
    s->at++;
}

/* The ">" that ends what begins with "<" here, NULL: nothing does. */
static const char *angle_end(inline_state *s, slice rest) {
    bool comment = rest.length >= 4 && memcmp(rest.data, "<!--", 4) == 0;
    bool *none = comment ? &s->no_comment_end : &s->no_angle;
    const char *end = *none ? NULL : memchr(rest.data + 1, '>', rest.length - 1);
    while (comment && end && (end - rest.data < 6 || memcmp(end - 2, "--", 2) != 0))
        end = memchr(end + 1, '>', rest.length - (size_t)(end + 1 - rest.data));
    *none |= !end;
    return end;
}

/* <https://...> is text, <tag> and <!-- --> are not. */
static void take_angle(inline_state *s) {
    slice rest = skip(s->source, s->at);
    char next = at(s, 1);
    const char *end = isalpha((unsigned char)next) || next == '/' || next == '!' ? angle_end(s, rest) : NULL;
    if (!end) {
        put(s, "<", 1);
        s->at++;
        return;
    }
    slice inside = {rest.data + 1, (size_t)(end - rest.data) - 1};
    bool address = next != '!' &&
                   (memchr(inside.data, '@', inside.length) || memchr(inside.data, ':', inside.length)) &&
                   !memchr(inside.data, ' ', inside.length) && !memchr(inside.data, '=', inside.length);
    if (address)
        put(s, inside.data, inside.length);
    else if (inside.length >= 2 && strncasecmp(inside.data, "br", 2) == 0)
        put(s, "\v", 1);
    s->at += inside.length + 2;
}

static bool is_letter(char c) {
    return isalnum((unsigned char)c) || (unsigned char)c >= 0x80;
}

/* Is there such a mark further on that closes what this one opens? Where none is isn't looked at twice. */
static bool is_closed(inline_state *s, size_t from, char mark) {
    slice source = s->source;
    size_t *clear = &s->clear[mark == '_'], end = from + MARK_REACH, i = from > *clear ? from : *clear;
    bool found = false;
    for (; i < source.length && i < end && !found; i++) {
        char left = source.data[i - 1], right = i + 1 < source.length ? source.data[i + 1] : ' ';
        found = source.data[i] == mark && !isspace((unsigned char)left) && left != '\\' &&
                !(mark == '_' && is_letter(right));
    }
    *clear = found ? i - 1 : i;
    return found;
}

/* "*" and "_" that open or close emphasis vanish; those that do neither stay, and "_" inside words, and what multiplies
 * numbers. */
static void take_emphasis(inline_state *s) {
    slice rest = skip(s->source, s->at);
    char mark = rest.data[0], left = before(s);
    size_t n = run_of(rest, mark);
    char right = n < rest.length ? rest.data[n] : ' ';
    int *open = &s->open[mark == '_'];
    bool inside = mark == '_' ? is_letter(left) && is_letter(right)
                              : isdigit((unsigned char)left) && isdigit((unsigned char)right);
    bool closes = *open > 0 && !isspace((unsigned char)left);
    bool opens = !closes && !isspace((unsigned char)right) && is_closed(s, s->at + n, mark);
    if (mark == '~' ? n < 2 || (isspace((unsigned char)left) && isspace((unsigned char)right))
                    : inside || !(closes || opens))
        put(s, rest.data, n);
    else if (mark != '~')
        *open += opens ? 1 : -1;
    s->at += n;
}

/* The length of "$...$" or "$$...$$" with its marks; 0: a dollar is a dollar. */
static size_t formula_length(slice rest) {
    size_t marks = run_of(rest, '$');
    if (marks > 2 || rest.length <= marks || (marks == 1 && isspace((unsigned char)rest.data[1])))
        return 0;
    for (size_t i = marks; i + marks <= rest.length && i < 4 * MARK_REACH; i++) {
        if (rest.data[i] == '\\')
            i++;
        else if (rest.data[i] == '$' && run_of(skip(rest, i), '$') >= marks) {
            bool digit = i + 1 < rest.length && isdigit((unsigned char)rest.data[i + 1]);
            return marks == 1 && (isspace((unsigned char)rest.data[i - 1]) || digit) ? 0 : i + marks;
        }
    }
    return 0;
}

/* A formula of TeX, made readable. */
static void take_formula(inline_state *s) {
    document *d = s->d;
    slice rest = skip(s->source, s->at);
    size_t n = formula_length(rest);
    drt_extract made = {0};
    if (n == 0 || ++d->formulas > FORMULAS) {
        n = n ? n : run_of(rest, '$');
        put(s, rest.data, n);
        s->at += n;
        return;
    }
    drt_format_input input = {rest.data, n, "", 0};
    d->failed |= drt_format_tex_extract(d->context, &input, &made) == DRT_FATAL;
    if (made.text.length > 0)
        put(s, made.text.data, made.text.length);
    else
        put(s, rest.data, n);
    drt_extract_clear(&made);
    s->at += n;
}

static void take_entity(inline_state *s) {
    slice rest = skip(s->source, s->at);
    const char *end = memchr(rest.data, ';', rest.length < 16 ? rest.length : 16);
    size_t length = end ? (size_t)(end - rest.data) + 1 : 1;
    if (!drt_markup_decode(&s->d->inlined, rest.data, length))
        s->d->failed = true;
    s->at += length;
}

static void resolve_inline(document *d, slice source) {
    inline_state s = {.d = d, .source = source};
    d->inlined.length = 0;
    while (s.at < source.length && !d->failed) {
        char c = at(&s, 0);
        if (c == '\\' && ispunct((unsigned char)at(&s, 1))) {
            put(&s, source.data + s.at + 1, 1);
            s.at += 2;
        } else if (c == '`') {
            take_code(&s);
        } else if (c == '[' || c == ']') {
            take_bracket(&s);
        } else if (c == '^' && at(&s, 1) == '[' && take_inline_note(&s)) {
            continue;
        } else if (c == '$') {
            take_formula(&s);
        } else if (c == '<') {
            take_angle(&s);
        } else if (c == '*' || c == '_' || c == '~') {
            take_emphasis(&s);
        } else if (c == '&') {
            take_entity(&s);
        } else {
            size_t n = 1;
            while (s.at + n < source.length && !strchr("\\`[]<*_~&$^", source.data[s.at + n]))
                n++;
            put(&s, source.data + s.at, n);
            s.at += n;
        }
    }
}

/* ---------------------------------------------------------------- blocks ---- */

/* Adds the collected source to the text, its hard breaks as lines. */
static void flush(document *d) {
    if (d->block.length == 0)
        return;
    resolve_inline(d, (slice){d->block.data, d->block.length});
    d->block.length = 0;
    for (size_t from = 0; from < d->inlined.length;) {
        const char *line = d->inlined.data + from, *end = memchr(line, HARD_BREAK, d->inlined.length - from);
        size_t n = end ? (size_t)(end - line) : d->inlined.length - from;
        drt_flow_add(&d->flow, line, n);
        if (end)
            drt_flow_line(&d->flow);
        from += n + 1;
    }
}

static void collect(document *d, slice line) {
    bool hard = (line.length >= 2 && memcmp(line.data + line.length - 2, "  ", 2) == 0) ||
                (line.length >= 1 && line.data[line.length - 1] == '\\');
    slice text = trim(line);
    if (hard && text.length > 0 && text.data[text.length - 1] == '\\')
        text.length--;
    if (!drt_buffer_append(&d->block, text.data, text.length) || !drt_buffer_append_byte(&d->block, hard ? '\v' : ' '))
        d->failed = true;
}

static void end_paragraph(document *d) {
    flush(d);
    drt_flow_paragraph(&d->flow);
}

/* "Head {#name .class}": what is in braces is no text. */
static slice without_attributes(slice heading) {
    heading = trim(heading);
    if (heading.length < 3 || heading.data[heading.length - 1] != '}')
        return heading;
    size_t open = heading.length - 1;
    while (open > 0 && heading.data[open] != '{')
        open--;
    bool attributes = heading.data[open] == '{' && open > 0 && strchr("#.-", heading.data[open + 1]);
    return attributes ? trim((slice){heading.data, open}) : heading;
}

static void add_heading(document *d, slice heading) {
    end_paragraph(d);
    heading = without_attributes(heading);
    collect(d, heading);
    size_t start = d->extract->text.length;
    end_paragraph(d);
    const char *text = d->extract->text.data;
    if (d->extract->title.data || d->extract->text.length <= start)
        return;
    if (!drt_text_single_line(text + start, d->extract->text.length - start, &d->extract->title))
        d->failed = true;
}

/* "---", "* * *", "___": at least three of one kind and nothing else. */
static bool is_rule(slice s, const char *marks) {
    size_t n = 0;
    if (s.length == 0 || !strchr(marks, s.data[0]))
        return false;
    for (size_t i = 0; i < s.length; i++) {
        if (s.data[i] == s.data[0])
            n++;
        else if (s.data[i] != ' ')
            return false;
    }
    return n >= 3;
}

/* "|---|:--:|" under a table's head. */
static bool is_table_rule(slice s) {
    if (s.length < 3 || !memchr(s.data, '-', s.length) || !memchr(s.data, '|', s.length))
        return false;
    for (size_t i = 0; i < s.length; i++)
        if (!strchr("|-: \t", s.data[i]))
            return false;
    return true;
}

/* "+---+---+", "+===+": between the rows of a table that is drawn. */
static bool is_grid(slice s) {
    bool line = s.length > 3 && s.data[0] == '+' && s.data[s.length - 1] == '+';
    for (size_t i = 0; line && i < s.length; i++)
        line = strchr("+-=:", s.data[i]) != NULL;
    return line;
}

/* Length of "- ", "* " or "+ ". */
static size_t bullet(slice s) {
    return s.length > 1 && strchr("-*+", s.data[0]) && (s.data[1] == ' ' || s.data[1] == '\t') ? 2 : 0;
}

static bool is_numbered(slice s) {
    size_t n = 0;
    while (n < s.length && n < 9 && isdigit((unsigned char)s.data[n]))
        n++;
    return n > 0 && n + 1 < s.length && (s.data[n] == '.' || s.data[n] == ')') && s.data[n + 1] == ' ';
}

/* "[label]: target": no text; "[^1]: ..." is a footnote, which is. Returns the bytes before its text, or the whole. */
static size_t definition(slice s) {
    const char *end = s.length > 3 && s.data[0] == '[' ? memchr(s.data, ']', s.length) : NULL;
    size_t n = end ? (size_t)(end - s.data) : 0;
    if (n == 0 || n + 1 >= s.length || s.data[n + 1] != ':')
        return 0;
    return s.data[1] == '^' ? n + 2 : s.length;
}

/* The marks between cells become spaces. */
static void open_cells(char *row, size_t length) {
    for (size_t i = 0; i < length; i++)
        if (row[i] == '|' && (i == 0 || row[i - 1] != '\\'))
            row[i] = ' ';
}

static void add_table_row(document *d, slice row) {
    flush(d);
    drt_flow_line(&d->flow);
    d->failed |= !drt_buffer_append(&d->block, row.data, row.length);
    open_cells(d->block.data, d->block.length);
    flush(d);
    drt_flow_line(&d->flow);
}

/* What was read as a paragraph so far is the head of a table. */
static void begin_table(document *d) {
    open_cells(d->block.data, d->block.length);
    flush(d);
    drt_flow_line(&d->flow);
    d->table = true;
}

/* Inside fenced code lines stay as they are. true: the line was code, or a fence. */
static bool take_fence(document *d, slice line) {
    slice s = trim(line);
    char mark = s.length ? s.data[0] : 0;
    size_t n = mark == '`' || mark == '~' ? run_of(s, mark) : 0;
    if (d->fence) {
        bool end = mark == d->fence && n >= d->fence_length && n == s.length;
        d->fence = end ? 0 : d->fence;
        if (d->collecting)
            return true;
        if (!end)
            drt_flow_add(&d->flow, line.data, line.length);
        (end ? drt_flow_paragraph : drt_flow_line)(&d->flow);
        return true;
    }
    if (n < 3 || (mark == '`' && memchr(s.data + n, '`', s.length - n)))
        return false;
    if (!d->collecting)
        end_paragraph(d);
    d->fence = mark;
    d->fence_length = n;
    return true;
}

/* Comments over several lines. true: the line is inside one. */
static bool take_comment(document *d, slice line) {
    slice s = trim(line);
    bool begins = !d->comment && s.length >= 4 && memcmp(s.data, "<!--", 4) == 0;
    if (!begins && !d->comment)
        return false;
    bool ends = false;
    for (size_t i = begins ? 4 : 0; i + 3 <= s.length && !ends; i++)
        ends = memcmp(s.data + i, "-->", 3) == 0;
    if (begins && ends) /* on one line: inline markup */
        return false;
    d->comment = !ends;
    return true;
}

static size_t indent_of(slice line) {
    size_t n = 0;
    for (size_t i = 0; i < line.length && (line.data[i] == ' ' || line.data[i] == '\t'); i++)
        n += line.data[i] == '\t' ? 4 : 1;
    return n;
}

/* A line of a footnote, which goes on over indented lines; kept while collecting, passed over later. */
static bool take_note(document *d, slice line) {
    slice s = trim(line);
    size_t text = definition(s);
    bool begins = text > 0 && text < s.length && s.data[1] == '^';
    if (d->note && !begins && s.length > 0 && d->blank && indent_of(line) < 2) {
        d->note = false;
        if (d->collecting) {
            flush(d);
            drt_flow_note_end(&d->flow);
        }
    }
    if (d->collecting && begins) {
        if (d->note) {
            flush(d);
            drt_flow_note_end(&d->flow);
        }
        drt_flow_note_define(&d->flow, s.data + 2, text - 4);
    }
    if (!d->collecting && begins)
        end_paragraph(d);
    d->note |= begins;
    if (d->collecting && d->note && s.length == 0)
        end_paragraph(d);
    else if (d->collecting && d->note)
        collect(d, begins ? skip(s, text) : line);
    return d->note;
}

/* Indented code, outside of lists, in which indented lines go on with an item. */
static bool take_code_line(document *d, slice line) {
    size_t n = 0;
    if (d->list || d->block.length > 0 || indent_of(line) < 4 || trim(line).length == 0)
        return false;
    for (size_t column = 0; column < 4; n++)
        column += line.data[n] == '\t' ? 4 : 1;
    drt_flow_add(&d->flow, line.data + n, line.length - n);
    drt_flow_line(&d->flow);
    return true;
}

/* The target or the title of a link that was defined on the line before. */
static bool take_rest_of_reference(document *d, slice s) {
    bool title = s.length > 1 && strchr("\"'(", s.data[0]) && strchr("\"')", s.data[s.length - 1]);
    bool taken = d->lacks == NO_TARGET ? s.length > 0 : d->lacks == NO_TITLE && title;
    d->lacks = taken && d->lacks == NO_TARGET ? NO_TITLE : NO_REFERENCE;
    return taken;
}

static void take_line(document *d, slice line) {
    if (take_fence(d, line) || take_comment(d, line))
        return;
    slice s = trim(line);
    while (s.length > 0 && s.data[0] == '>') {
        s = trim(skip(s, 1));
        line = s;
    }
    size_t hashes = run_of(s, '#'), marker = bullet(s), defined = definition(s);
    d->table &= s.length > 0;
    d->list &= !(d->blank && s.length > 0 && indent_of(line) < 2 && !marker && !is_numbered(s));
    if (take_rest_of_reference(d, s) || take_code_line(d, line))
        return;
    if (s.length == 0) {
        end_paragraph(d);
    } else if (hashes >= 1 && hashes <= 6 && (s.length == hashes || isspace((unsigned char)s.data[hashes]))) {
        slice heading = trim(skip(s, hashes));
        size_t end = heading.length;
        while (end > 0 && heading.data[end - 1] == '#')
            end--;
        if (end == 0 || isspace((unsigned char)heading.data[end - 1]))
            heading.length = end;
        add_heading(d, heading);
    } else if (d->block.length > 0 && s.length > 2 && (run_of(s, '=') == s.length || run_of(s, '-') == s.length)) {
        drt_buffer heading = d->block; /* the lines so far were a heading, underlined */
        d->block = (drt_buffer){0};
        add_heading(d, (slice){heading.data, heading.length});
        drt_buffer_free(&heading);
    } else if (is_rule(s, "-*_")) {
        end_paragraph(d);
    } else if (is_table_rule(s)) {
        begin_table(d);
    } else if (is_grid(s)) {
        flush(d);
        drt_flow_line(&d->flow);
    } else if (s.data[0] == '|' || (d->table && memchr(s.data, '|', s.length))) {
        add_table_row(d, s);
    } else if (defined) {
        end_paragraph(d);
        slice target = trim(skip(s, (size_t)((const char *)memchr(s.data, ']', s.length) - s.data) + 2));
        d->lacks = target.length == 0 ? NO_TARGET : NO_TITLE;
    } else if (marker || is_numbered(s)) {
        flush(d);
        drt_flow_line(&d->flow);
        d->list = true;
        collect(d, skip(s, marker));
    } else if (drt_slice_begins(s, ": ") && (d->block.length > 0 || d->list)) { /* what a term means */
        flush(d);
        drt_flow_line(&d->flow);
        collect(d, skip(s, 2));
    } else {
        collect(d, line);
    }
}

/* ------------------------------------------------------------- the whole ---- */

/* Where "</script" or "</style" is further on; NULL: nowhere. */
static const char *find_end(slice rest, const char *word, bool *none) {
    size_t n = strlen(word);
    for (size_t i = 0; !*none && i + n <= rest.length; i++) {
        const char *mark = memchr(rest.data + i, '<', rest.length - i);
        if (!mark)
            break;
        i = (size_t)(mark - rest.data);
        if (i + n <= rest.length && strncasecmp(mark, word, n) == 0)
            return mark;
    }
    *none = true;
    return NULL;
}

/* A script or a style of HTML, up to the line in which it ends; one without an end is text. */
static bool take_script(document *d, slice line, slice *rest) {
    slice s = trim(line);
    bool script = s.length > 7 && strncasecmp(s.data, "<script", 7) == 0 && strchr(" >", s.data[7]);
    bool style = s.length > 6 && strncasecmp(s.data, "<style", 6) == 0 && strchr(" >", s.data[6]);
    if (d->fence || !(script || style))
        return false;
    slice all = {line.data, (size_t)(rest->data + rest->length - line.data)};
    const char *end =
        script ? find_end(all, "</script", &d->no_script_end) : find_end(all, "</style", &d->no_style_end);
    while (end && rest->data <= end)
        drt_slice_line(rest);
    return end != NULL;
}

static drt_status read_lines(document *d, slice rest) {
    for (size_t n = 0; rest.length > 0 && !d->failed; n++) {
        slice line = drt_slice_line(&rest);
        bool blank = trim(line).length == 0, code = d->fence != 0;
        if (n % 1024 == 0 && drt_cancelled(d->context))
            return DRT_FAILED;
        if (take_script(d, line, &rest))
            continue;
        if (d->collecting) {
            if (!take_fence(d, line) && !take_note(d, line))
                d->note = false;
        } else if (code || !take_note(d, line)) {
            take_line(d, line);
        }
        d->blank = blank;
    }
    return DRT_OK;
}

/* The footnotes, then the text. */
static drt_status read_document(document *d, slice rest) {
    d->collecting = true;
    drt_status status = read_lines(d, rest);
    if (d->note) {
        flush(d);
        drt_flow_note_end(&d->flow);
    }
    d->collecting = d->note = d->blank = d->comment = false;
    d->fence = 0;
    d->block.length = 0;
    if (status == DRT_OK)
        status = read_lines(d, rest);
    end_paragraph(d);
    return status;
}

drt_status drt_markdown_read(drt_context *context, const char *data, size_t length, drt_extract *extract) {
    document d = {.context = context, .extract = extract};
    d.failed = !drt_markdown_front(&data, &length, extract);
    drt_flow_start(&d.flow, &extract->text);
    drt_status status = read_document(&d, (slice){data, length});
    drt_buffer_free(&d.block);
    drt_buffer_free(&d.inlined);
    bool ok = drt_flow_finish(&d.flow, true) && !d.failed;
    return status == DRT_OK && !ok ? drt_fail_memory(context, "a Markdown text") : status;
}

drt_status drt_format_markdown_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    drt_status status = drt_charset_decode(context, input->data, input->length, NULL, 0, &decoded, &facts);
    if (status == DRT_OK)
        status = drt_markdown_read(context, decoded.data ? decoded.data : "", decoded.length, extract);
    drt_buffer_free(&decoded);
    if (status == DRT_OK && !drt_extract_note_charset(extract, facts.replacements, facts.guessed ? facts.name : NULL))
        status = drt_fail_memory(context, "a Markdown text");
    return status;
}
