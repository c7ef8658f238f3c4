/* expand.c: macros with their arguments, in the place of their names. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <string.h>

#include "engine/corpus/tex/tables.h"

#define BETWEEN 4096 /* bytes of an argument between two signs */

/* Puts arguments in their places: "#1", and "##" for "#". */
static bool substitute(const drt_string *body, const drt_buffer *arguments, int n, drt_buffer *out) {
    bool ok = drt_buffer_reserve(out, body->length + 1);
    for (size_t at = 0; ok && at < body->length;) {
        const char *from = body->data + at, *mark = memchr(from, '#', body->length - at);
        size_t plain = mark ? (size_t)(mark - from) : body->length - at;
        ok = drt_buffer_append(out, from, plain);
        at += plain;
        if (!mark)
            break;
        char digit = at + 1 < body->length ? body->data[at + 1] : 0;
        if (digit >= '1' && digit <= '0' + n)
            ok = ok && drt_buffer_append(out, arguments[digit - '1'].data ? arguments[digit - '1'].data : "",
                                         arguments[digit - '1'].length);
        else if (digit == '#')
            ok = ok && drt_buffer_append_byte(out, '#');
        at += digit ? 2 : 1;
    }
    return ok;
}

/* ------------------------------------------------------------------ parameters between delimiters ---- */

/* White space in the source as one space, or as the end of a paragraph; it was begun. */
static void take_space(tex *t, int c, drt_buffer *out) {
    int lines = c == '\n';
    for (; (c = tex_peek(t)) >= 0 && isspace(c); tex_get(t))
        lines += c == '\n';
    t->failed |= !drt_buffer_append_text(out, lines > 1 ? "\n\n" : " ");
}

static bool ends_in(tex *t, const drt_buffer *text, const char *delimiter, size_t n, bool escaped) {
    if (text->length < n || memcmp(text->data + text->length - n, delimiter, n) != 0)
        return false;
    bool word = isalpha((unsigned char)delimiter[n - 1]) && memchr(delimiter, '\\', n);
    int next = tex_peek(t);
    if (word)
        return !(next >= 0 && isalpha(next));
    return !escaped || (n > 1 && delimiter[n - 2] == '\\');
}

/* Reads up to the delimiter outside groups. It may not stand in another paragraph, unless it is a command. false: it isn't
 * found; then what was read is in `out` all the same. */
static bool read_delimited(tex *t, const char *delimiter, size_t n, drt_buffer *out) {
    int depth = 0;
    for (int c; !t->failed && (c = tex_peek(t)) >= 0 && !(c == '}' && depth == 0);) {
        if (n == 1 && *delimiter == '{' && c == '{')
            return true;
        bool escaped = c == '\\';
        tex_get(t);
        if (c == '%') {
            tex_skip_comment(t);
            continue;
        }
        if (isspace(c))
            take_space(t, c, out);
        else
            t->failed |= !drt_buffer_append_byte(out, (char)c);
        if (escaped && tex_peek(t) >= 0)
            t->failed |= !drt_buffer_append_byte(out, (char)tex_get(t));
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (depth == 0 && ends_in(t, out, delimiter, n, escaped)) {
            out->length -= n;
            if (memchr(delimiter, '\\', n))
                tex_skip_space_of_word(t);
            return true;
        }
        if (depth == 0 && isspace(c) && out->length > 0 && out->data[out->length - 1] == '\n' &&
            !memchr(delimiter, '\\', n))
            return false;
    }
    return false;
}

/* "{a}" -> "a", when that is all. */
static void strip_braces(drt_buffer *argument) {
    int depth = 0;
    size_t n = argument->length;
    if (n < 2 || argument->data[0] != '{' || argument->data[n - 1] != '}')
        return;
    for (size_t i = 0; i < n - 1; i++) {
        char c = argument->data[i];
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        i += c == '\\';
        if (depth == 0)
            return;
    }
    memmove(argument->data, argument->data + 1, n - 2);
    argument->length = n - 2;
}

/* What stands before the first parameter. */
static bool take_literal(tex *t, const char *literal, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (literal[i] == ' ')
            tex_skip_space(t);
        else if (!tex_take(t, literal[i]))
            return false;
    }
    return true;
}

/* The arguments of a macro with delimiters; their number, -1: the source doesn't fit. Nothing of it is lost then. */
static int read_pattern(tex *t, const drt_string *pattern, drt_buffer arguments[DRT_TEX_PARAMETERS]) {
    const char *at = pattern->data, *end = at + pattern->length, *mark = memchr(at, '#', pattern->length);
    if (!take_literal(t, at, mark ? (size_t)(mark - at) : pattern->length))
        return -1;
    int n = 0;
    while (mark && n < DRT_TEX_PARAMETERS) {
        if (mark + 1 == end) /* "#{": up to a brace, which stays */
            break;
        at = mark + 2;
        mark = at < end ? memchr(at, '#', (size_t)(end - at)) : NULL;
        size_t length = mark ? (size_t)(mark - at) : (size_t)(end - at);
        bool brace = mark && mark + 1 == end && length == 0;
        drt_buffer *argument = &arguments[n++];
        bool found = brace    ? read_delimited(t, "{", 1, argument)
                     : length ? read_delimited(t, at, length, argument)
                              : tex_read_argument(t, argument);
        tex_spend(t, argument->length);
        if (!found && length > 0) {
            drt_buffer back = *argument;
            *argument = (drt_buffer){0};
            if (back.length == 0)
                drt_buffer_free(&back);
            else
                tex_push(t, back.data, back.length, back.data, false);
            for (int i = 0; i < n; i++)
                drt_buffer_free(&arguments[i]);
            return -1;
        }
        if (length > 0)
            strip_braces(argument);
    }
    return n;
}

/* ------------------------------------------------------------------ parameters that are described ---- */

/* Between two signs, as "<...>"; false: there is none. */
static bool read_between(tex *t, char open, char close, drt_buffer *out) {
    tex_frame *f = tex_source(t);
    if (open == '[' && close == ']')
        return tex_read_option(t, out);
    if (!f || f->data[f->at] != open)
        return false;
    size_t left = f->length - f->at - 1, near = left < BETWEEN ? left : BETWEEN;
    const char *from = f->data + f->at + 1, *end = memchr(from, close, near);
    if (!end)
        return false;
    t->failed |= !drt_buffer_append(out, from, (size_t)(end - from));
    f->at = (size_t)(end - f->data) + 1;
    return true;
}

/* The end of the group at `at`, behind its brace; `at`: there is none. */
static size_t pass_group(const drt_string *text, size_t at) {
    int depth = 0;
    for (size_t i = at; i < text->length; i++) {
        depth += text->data[i] == '{' ? 1 : text->data[i] == '}' ? -1 : 0;
        if (depth == 0)
            return text->data[i] == '}' ? i + 1 : at;
    }
    return at;
}

/* One argument by its letter, whose delimiters begin at pattern->data[*at]. */
static void read_described(tex *t, char letter, const drt_string *pattern, size_t *at, drt_buffer *argument) {
    char open = '[', close = ']';
    bool given, signs = strchr("dDrR", letter), mark = letter == 't';
    if ((signs && pattern->length - *at >= 2) || (mark && pattern->length > *at)) {
        open = pattern->data[(*at)++];
        close = signs ? pattern->data[(*at)++] : 0;
    }
    if (letter == 's' || mark) {
        given = tex_take(t, mark ? open : '*');
        t->failed |= given && !drt_buffer_append_byte(argument, '*');
    } else if (letter == 'g' || letter == 'G') {
        given = tex_peek(t) == '{' && tex_read_argument(t, argument);
    } else if (letter == 'm' || letter == 'v') {
        given = true;
        tex_read_argument(t, argument);
    } else {
        given = read_between(t, open, close, argument);
    }
    bool standard = strchr("ODRG", letter);
    size_t end = standard ? pass_group(pattern, *at) : *at;
    if (!given && standard && end > *at + 1)
        t->failed |= !drt_buffer_append(argument, pattern->data + *at + 1, end - *at - 2);
    else if (!given)
        t->failed |= !drt_buffer_append_text(argument, TEX_NO_VALUE);
    *at = end;
}

static int read_description(tex *t, const drt_string *pattern, drt_buffer arguments[DRT_TEX_PARAMETERS]) {
    int n = 0;
    for (size_t at = 0; at < pattern->length && n < DRT_TEX_PARAMETERS;) {
        char letter = pattern->data[at++];
        if (letter && strchr("msotdrODRgGv", letter))
            read_described(t, letter, pattern, &at, &arguments[n++]);
        else if (letter == '>')
            at = pass_group(pattern, at);
    }
    return n;
}

/* ------------------------------------------------------------------ expansion ---- */

static void expand_alias(tex *t, const drt_tex_macro *macro) {
    char name[TEX_NAME];
    size_t length = macro->body.length < TEX_NAME ? macro->body.length : TEX_NAME - 1;
    memcpy(name, macro->body.data, length);
    name[length] = 0;
    tex_spend(t, length);
    tex_run_command(t, name, length, false);
}

/* Those of a macro made by \newcommand, or by \def without delimiters. */
static int read_plain(tex *t, const drt_tex_macro *macro, drt_buffer arguments[DRT_TEX_PARAMETERS]) {
    for (int i = 0; i < macro->parameters; i++)
        if (!(i == 0 && macro->standard.data))
            tex_read_argument(t, &arguments[i]);
        else if (!tex_read_option(t, &arguments[0]))
            t->failed |= !drt_buffer_append(&arguments[0], macro->standard.data, macro->standard.length);
    return macro->parameters;
}

void tex_expand(tex *t, const drt_tex_macro *macro) {
    drt_buffer arguments[DRT_TEX_PARAMETERS] = {{0}}, body = {0};
    bool letter_at = macro->letter_at;
    if (macro->kind == DRT_TEX_ALIAS) {
        expand_alias(t, macro);
        return;
    }
    int n = macro->kind == DRT_TEX_DELIMITED   ? read_pattern(t, &macro->pattern, arguments)
            : macro->kind == DRT_TEX_DESCRIBED ? read_description(t, &macro->pattern, arguments)
                                               : read_plain(t, macro, arguments);
    if (n >= 0 && !substitute(&macro->body, arguments, n, &body))
        t->failed = true;
    for (int i = 0; i < n; i++)
        drt_buffer_free(&arguments[i]);
    tex_spend(t, body.length);
    if (body.length > 0 && !t->ended) {
        if (tex_push(t, body.data, body.length, body.data, false))
            t->frames[t->n_frames - 1].letter_at = letter_at;
    } else
        drt_buffer_free(&body);
}

bool tex_expand_standard(tex *t, const char *name, size_t length) {
    const tex_standard *found = tex_find_standard(name, length);
    if (!found)
        return false;
    drt_tex_macro macro = {.kind = DRT_TEX_DESCRIBED,
                           .pattern = {(char *)found->pattern, strlen(found->pattern)},
                           .body = {(char *)found->body, strlen(found->body)}};
    tex_expand(t, &macro);
    return true;
}
