/* format_markdown.c: Markdown: marks are taken off, text stays. Title, authors and date from YAML front matter, else the
 * title from the first heading. See formats.h.
 *
 * A block's lines are collected, its inline marks resolved in one pass, and the result is handed on. Characters that
 * turn out to be marks only later (the brackets of a link) are overwritten with GONE, which no text keeps. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/markdown.h"
#include "engine/corpus/markup.h"
#include "engine/corpus/normalise.h"

#define GONE '\x01'
#define HARD_BREAK '\v'
#define BRACKETS 32     /* open at a time; further ones are text */
#define MARK_REACH 1024 /* bytes that are looked through for the other end of a mark, so that time stays linear */

typedef struct {
    drt_context *context;
    drt_text text;
    drt_extract *extract;
    drt_buffer block; /* source of the paragraph, heading or item at hand */
    drt_buffer inlined;
    char fence; /* '`' or '~' inside fenced code, else 0 */
    size_t fence_length;
    bool comment; /* inside <!-- --> that began on a line before */
    bool failed;
} document;

typedef struct {
    const char *data;
    size_t length;
} slice;

static slice trim(slice s) {
    while (s.length > 0 && isspace((unsigned char)s.data[0])) {
        s.data++;
        s.length--;
    }
    while (s.length > 0 && isspace((unsigned char)s.data[s.length - 1]))
        s.length--;
    return s;
}

static slice skip(slice s, size_t n) {
    return (slice){s.data + n, s.length - n};
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

static void take_bracket(inline_state *s) {
    drt_buffer *out = &s->d->inlined;
    if (at(s, 0) == '[') {
        if (at(s, 1) == '^') { /* a footnote's mark */
            size_t end = 2;
            while (end < 64 && at(s, end) && at(s, end) != ']' && at(s, end) != ' ')
                end++;
            if (at(s, end) == ']') {
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

/* "*" and "_" that open or close emphasis vanish; those between spaces, and "_" inside words, stay. */
static void take_emphasis(inline_state *s) {
    slice rest = skip(s->source, s->at);
    char mark = rest.data[0], left = before(s);
    size_t n = run_of(rest, mark);
    char right = n < rest.length ? rest.data[n] : ' ';
    bool spaced = isspace((unsigned char)left) && isspace((unsigned char)right);
    bool word = mark == '_' && (isalnum((unsigned char)left) || (unsigned char)left >= 0x80) &&
                (isalnum((unsigned char)right) || (unsigned char)right >= 0x80);
    if (spaced || word || (mark == '~' && n < 2))
        put(s, rest.data, n);
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
        } else if (c == '<') {
            take_angle(&s);
        } else if (c == '*' || c == '_' || c == '~') {
            take_emphasis(&s);
        } else if (c == '&') {
            take_entity(&s);
        } else {
            size_t n = 1;
            while (s.at + n < source.length && !strchr("\\`[]<*_~&", source.data[s.at + n]))
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
        drt_text_add(&d->text, line, n);
        if (end)
            drt_text_line(&d->text);
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
    drt_text_paragraph(&d->text);
}

static void add_heading(document *d, slice heading) {
    end_paragraph(d);
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

static void add_table_row(document *d, slice row) {
    flush(d);
    drt_text_line(&d->text);
    for (size_t i = 0; i < row.length; i++)
        if (!drt_buffer_append_byte(&d->block,
                                    row.data[i] == '|' && (i == 0 || row.data[i - 1] != '\\') ? ' ' : row.data[i]))
            d->failed = true;
    flush(d);
    drt_text_line(&d->text);
}

/* Inside fenced code lines stay as they are. true: the line was code, or a fence. */
static bool take_fence(document *d, slice line) {
    slice s = trim(line);
    char mark = s.length ? s.data[0] : 0;
    size_t n = mark == '`' || mark == '~' ? run_of(s, mark) : 0;
    if (d->fence) {
        if (mark == d->fence && n >= d->fence_length && n == s.length) {
            d->fence = 0;
            drt_text_paragraph(&d->text);
        } else {
            drt_text_add(&d->text, line.data, line.length);
            drt_text_line(&d->text);
        }
        return true;
    }
    if (n < 3 || (mark == '`' && memchr(s.data + n, '`', s.length - n)))
        return false;
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

static void take_line(document *d, slice line) {
    if (take_fence(d, line) || take_comment(d, line))
        return;
    slice s = trim(line);
    while (s.length > 0 && s.data[0] == '>') {
        s = trim(skip(s, 1));
        line = s;
    }
    size_t hashes = run_of(s, '#'), marker = bullet(s), defined = definition(s);
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
    } else if (d->block.length > 0 && (is_rule(s, "=") || is_rule(s, "-"))) {
        drt_buffer heading = d->block; /* the lines so far were a heading, underlined */
        d->block = (drt_buffer){0};
        add_heading(d, (slice){heading.data, heading.length});
        drt_buffer_free(&heading);
    } else if (is_rule(s, "-*_")) {
        end_paragraph(d);
    } else if (is_table_rule(s)) {
        flush(d);
        drt_text_line(&d->text);
    } else if (s.data[0] == '|') {
        add_table_row(d, s);
    } else if (defined) {
        end_paragraph(d);
        if (defined < s.length)
            collect(d, skip(s, defined));
    } else if (marker || is_numbered(s)) {
        flush(d);
        drt_text_line(&d->text);
        collect(d, skip(s, marker));
    } else {
        collect(d, line);
    }
}

/* ---------------------------------------------------------- front matter ---- */

static slice next_line(slice *rest) {
    size_t n = 0;
    while (n < rest->length && rest->data[n] != '\n' && rest->data[n] != '\r')
        n++;
    slice line = {rest->data, n};
    size_t end = n < rest->length ? 1 : 0;
    if (end && rest->data[n] == '\r' && n + 1 < rest->length && rest->data[n + 1] == '\n')
        end = 2;
    *rest = skip(*rest, n + end);
    return line;
}

static bool equals(slice s, const char *word) {
    return strlen(word) == s.length && memcmp(s.data, word, s.length) == 0;
}

static bool begins(slice s, const char *word) {
    return s.length >= strlen(word) && memcmp(s.data, word, strlen(word)) == 0;
}

static bool take_value(slice value, drt_string *out) {
    value = trim(value);
    if (value.length >= 2 && (value.data[0] == '"' || value.data[0] == '\'') &&
        value.data[value.length - 1] == value.data[0])
        value = (slice){value.data + 1, value.length - 2};
    drt_string_free(out);
    return drt_text_single_line(value.data, value.length, out);
}

/* "Ada", "- Ada", "- name: Ada", "{name: Ada, ...}": one author. */
static bool take_author(document *d, slice value) {
    value = trim(value);
    if (value.length > 0 && (value.data[0] == '-' || value.data[0] == '{'))
        value = trim(skip(value, 1));
    if (begins(value, "name:"))
        value = trim(skip(value, 5));
    drt_string author = {0};
    bool ok = take_value(value, &author) && (!author.data || drt_extract_add_author(d->extract, &author));
    drt_string_free(&author);
    return ok;
}

/* "Ada", or "[Ada, Bo]". */
static bool take_authors(document *d, slice value) {
    value = trim(value);
    if (value.length < 2 || value.data[0] != '[' || value.data[value.length - 1] != ']')
        return value.length == 0 || take_author(d, value);
    bool ok = true;
    for (slice rest = {value.data + 1, value.length - 2}; ok && rest.length > 0;) {
        const char *comma = memchr(rest.data, ',', rest.length);
        size_t n = comma ? (size_t)(comma - rest.data) : rest.length;
        ok = take_author(d, (slice){rest.data, n});
        rest = skip(rest, comma ? n + 1 : n);
    }
    return ok;
}

/* Is this an item of the list that "author:" began? Other keys of such an item (an address) are none. */
static bool is_author_item(slice entry) {
    slice s = trim(entry);
    return s.length > 1 && s.data[0] == '-' && (!memchr(s.data, ':', s.length) || begins(trim(skip(s, 1)), "name:"));
}

static bool take_entry(document *d, slice entry, bool *authors) {
    const char *colon = entry.length ? memchr(entry.data, ':', entry.length) : NULL;
    if (*authors && is_author_item(entry))
        return take_author(d, entry);
    if (!colon || isspace((unsigned char)entry.data[0]))
        return true;
    slice key = {entry.data, (size_t)(colon - entry.data)}, value = skip(entry, key.length + 1);
    *authors = equals(key, "author") || equals(key, "authors");
    if (equals(key, "title"))
        return take_value(value, &d->extract->title);
    if (equals(key, "date"))
        return take_value(value, &d->extract->date);
    return !*authors || take_authors(d, value);
}

/* "key: value" lines between "---" lines at the very beginning. Without the second one nothing is taken. */
static bool take_front_matter(document *d, slice *rest) {
    slice ahead = *rest, line = next_line(&ahead);
    if (!equals(trim(line), "---"))
        return true;
    slice body = ahead;
    do {
        if (ahead.length == 0)
            return true;
        line = trim(next_line(&ahead));
    } while (!equals(line, "---") && !equals(line, "..."));
    *rest = ahead;
    bool ok = true, authors = false;
    while (ok && body.data < line.data)
        ok = take_entry(d, next_line(&body), &authors);
    return ok;
}

static drt_status read_document(document *d, slice rest) {
    if (!take_front_matter(d, &rest))
        d->failed = true;
    for (size_t n = 0; rest.length > 0 && !d->failed; n++) {
        take_line(d, next_line(&rest));
        if (n % 1024 == 0 && drt_cancelled(d->context))
            return DRT_FAILED;
    }
    end_paragraph(d);
    return DRT_OK;
}

drt_status drt_markdown_read(drt_context *context, const char *data, size_t length, drt_extract *extract) {
    document d = {.context = context, .extract = extract};
    drt_text_start(&d.text, &extract->text);
    drt_status status = read_document(&d, (slice){data, length});
    drt_buffer_free(&d.block);
    drt_buffer_free(&d.inlined);
    bool ok = drt_text_finish(&d.text) && !d.failed;
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
