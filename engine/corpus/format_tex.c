/* format_tex.c: TeX and LaTeX. An interpreter of the small part of the language that says what is text: comments out, the
 * document's own macros expanded, formulas as a line of letters and signs, footnotes behind their paragraph, rows of tables
 * as lines. What is not known is taken off and its arguments stay. Nothing is read but the source at hand (tex_project.c
 * puts the files of a project together). See formats.h.
 *
 * The source is a stack of frames: the document, arguments that are being set (a barrier: what is inside ends with them), and
 * expanded macros. Depth, number and size of expansions are bounded. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/charset.h"
#include "engine/corpus/flow.h"
#include "engine/corpus/formats.h"
#include "engine/corpus/tex.h"
#include "engine/corpus/tex_tables.h"
#include "engine/corpus/xml.h"

#define FRAMES 400           /* open at a time */
#define NESTING 60           /* arguments inside each other */
#define EXPANSION (4u << 20) /* bytes of macros and arguments that a document may have, and */
#define EXPANSION_RATIO 16   /* so many times its size; */
#define EXPANSION_COST 64    /* one counts as so many more */
#define OPTION 4096          /* bytes of an optional argument */
#define REFERENCE_BYTES 400  /* bytes of the label and the key of a reference */
#define NAME 64              /* bytes of a command's name that count */
#define MISSING 160          /* bytes of the names of missing files that are told */

typedef struct {
    const char *data;
    size_t length, at;
    char *owned; /* freed with the frame; NULL: belongs to somebody else */
    bool barrier;
} frame;

typedef struct {
    drt_string key;
    int number;
} reference;

typedef struct {
    drt_context *context;
    drt_extract *extract;
    drt_flow flow;
    frame frames[FRAMES];
    int n_frames, nesting;
    drt_tex_macros macros;
    drt_buffer *capture;   /* text goes there instead of the document; NULL: it doesn't */
    reference *references; /* of the list of references, sorted by key */
    size_t n_references;
    int64_t budget; /* bytes of expansions left */
    size_t tokens;
    int math;     /* 0: none, 1: inline, 2: displayed */
    int matrices; /* open in a formula */
    int tables;   /* open in the text */
    bool body;    /* the text has begun */
    bool ended;
    bool author;    /* the capture is of authors */
    bool at_letter; /* \makeatletter */
    bool german;    /* "a is a with two dots */
    bool quoted;    /* behind ` */
    char last;      /* byte put */
    char missing[MISSING];
    int n_missing;
    bool unclosed;   /* the last group read had no end */
    bool unbalanced; /* any group had none */
    bool runaway, cancelled, failed;
} tex;

/* ---------------------------------------------------------------- output ---- */

static void put(tex *t, const char *data, size_t length) {
    if (length == 0 || (!t->body && !t->capture))
        return;
    t->last = data[length - 1];
    if (t->capture)
        t->failed |= !drt_buffer_append(t->capture, data, length);
    else
        drt_flow_add(&t->flow, data, length);
}

static void put_text(tex *t, const char *text) {
    put(t, text, strlen(text));
}

static void end_line(tex *t) {
    if (t->capture)
        put_text(t, "\n");
    else if (t->body)
        drt_flow_line(&t->flow);
    t->last = '\n';
}

static void end_paragraph(tex *t) {
    if (t->capture)
        put_text(t, " ");
    else if (t->body)
        drt_flow_paragraph(&t->flow);
    t->last = '\n';
}

/* ---------------------------------------------------------------- input ---- */

static void pop(tex *t) {
    free(t->frames[--t->n_frames].owned);
}

/* Takes over `owned`. */
static bool push(tex *t, const char *data, size_t length, char *owned, bool barrier) {
    while (t->n_frames > 0 && !t->frames[t->n_frames - 1].barrier &&
           t->frames[t->n_frames - 1].at == t->frames[t->n_frames - 1].length)
        pop(t);
    if (t->n_frames == FRAMES) {
        t->runaway = true;
        free(owned);
        return false;
    }
    t->frames[t->n_frames++] = (frame){data, length, 0, owned, barrier};
    return true;
}

/* The frame that the next byte comes from; NULL: the argument at hand has ended. */
static frame *source(tex *t) {
    for (;;) {
        frame *f = &t->frames[t->n_frames - 1];
        if (f->at < f->length)
            return f;
        if (f->barrier)
            return NULL;
        pop(t);
    }
}

static int peek(tex *t) {
    const frame *f = source(t);
    return f ? (unsigned char)f->data[f->at] : -1;
}

static int get(tex *t) {
    frame *f = source(t);
    return f ? (unsigned char)f->data[f->at++] : -1;
}

static bool take(tex *t, char c) {
    if (peek(t) != (unsigned char)c)
        return false;
    get(t);
    return true;
}

/* Behind "%": to the end of the line and over the spaces that begin the next. */
static void skip_comment(tex *t) {
    frame *f = source(t);
    if (!f)
        return;
    const char *end = memchr(f->data + f->at, '\n', f->length - f->at);
    f->at = end ? (size_t)(end - f->data) + 1 : f->length;
    while (f->at < f->length && (f->data[f->at] == ' ' || f->data[f->at] == '\t'))
        f->at++;
}

/* White space before an argument, and comments. */
static void skip_space(tex *t) {
    for (int c; (c = peek(t)) >= 0 && (isspace(c) || c == '%');) {
        get(t);
        if (c == '%')
            skip_comment(t);
    }
}

/* White space behind a control word belongs to it, but not a blank line. */
static void skip_space_of_word(tex *t) {
    frame *f = source(t);
    if (!f)
        return;
    size_t at = f->at, lines = 0;
    while (at < f->length && isspace((unsigned char)f->data[at]))
        lines += f->data[at++] == '\n';
    if (lines < 2)
        f->at = at;
}

/* The name behind a backslash that was read; its length. Names that are too long are cut: nobody defines them. */
static size_t read_name(tex *t, char name[NAME]) {
    frame *f = source(t);
    name[0] = 0;
    if (!f || f->at == 0)
        return 0;
    size_t n = drt_tex_control(f->data + f->at - 1, f->length - f->at + 1, t->at_letter) - 1;
    size_t kept = n < NAME ? n : NAME - 1;
    memcpy(name, f->data + f->at, kept);
    name[kept] = 0;
    f->at += n;
    if (isalpha((unsigned char)name[0]) || name[0] == '@')
        skip_space_of_word(t);
    return kept;
}

static void spend(tex *t, size_t bytes) {
    t->budget -= (int64_t)bytes + EXPANSION_COST;
    if (t->budget < 0)
        t->runaway = t->ended = true;
}

/* The rest of a group whose brace was read. */
static void read_group(tex *t, drt_buffer *out) {
    size_t start = out->length;
    int depth = 0, c = 0;
    t->unclosed = false;
    while (!t->failed && (c = get(t)) >= 0 && (c != '}' || depth > 0)) {
        if (c == '%') {
            skip_comment(t);
            continue;
        }
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        t->failed |= !drt_buffer_append_byte(out, (char)c);
        if (c == '\\' && peek(t) >= 0)
            t->failed |= !drt_buffer_append_byte(out, (char)get(t));
    }
    t->unclosed = c < 0;
    t->unbalanced |= c < 0;
    spend(t, out->length - start);
}

/* A group, a command or one character. false: there is nothing. */
static bool read_argument(tex *t, drt_buffer *out) {
    char name[NAME];
    skip_space(t);
    int c = get(t);
    if (c < 0)
        return false;
    if (c == '{') {
        read_group(t, out);
        return true;
    }
    if (c == '}') {
        t->frames[t->n_frames - 1].at--;
        return false;
    }
    t->failed |= !drt_buffer_append_byte(out, (char)c);
    if (c == '\\') {
        size_t n = read_name(t, name);
        t->failed |= !drt_buffer_append(out, name, n);
    }
    while (c >= 0x80 && (peek(t) & 0xC0) == 0x80 && peek(t) >= 0)
        t->failed |= !drt_buffer_append_byte(out, (char)get(t));
    return true;
}

/* "[...]" without what it stands in; it has to end in the same frame and paragraph. */
static bool read_option(tex *t, drt_buffer *out) {
    frame *f = source(t);
    size_t at = f ? f->at : 0, start;
    int depth = 0;
    while (f && at < f->length && (f->data[at] == ' ' || f->data[at] == '\t'))
        at++;
    if (!f || at == f->length || f->data[at] != '[')
        return false;
    for (start = ++at; at < f->length && at - start < OPTION; at++) {
        char c = f->data[at];
        bool blank = c == '\n' && at + 1 < f->length && f->data[at + 1] == '\n';
        if (blank || depth < 0 || (c == ']' && depth == 0))
            break;
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        at += c == '\\';
    }
    if (at >= f->length || f->data[at] != ']' || depth != 0) {
        spend(t, at - start);
        return false;
    }
    t->failed |= !drt_buffer_append(out, f->data + start, at - start);
    f->at = at + 1;
    return true;
}

/* An argument that is no text. One without an end is, lest all that follows be lost. */
static void drop_argument(tex *t) {
    drt_buffer dropped = {0};
    t->unclosed = false;
    if (read_argument(t, &dropped) && t->unclosed)
        push(t, dropped.data, dropped.length, dropped.data, false);
    else
        drt_buffer_free(&dropped);
}

static void drop_option(tex *t) {
    drt_buffer dropped = {0};
    read_option(t, &dropped);
    drt_buffer_free(&dropped);
}

/* "12pt plus 1fil", "-.5\baselineskip", "=3". */
static void drop_dimension(tex *t) {
    take(t, '=');
    skip_space_of_word(t);
    frame *f = source(t);
    if (!f)
        return;
    size_t at = f->at, n = f->length;
    while (at < n && strchr("+-.,0123456789", f->data[at]) && f->data[at])
        at++;
    if (at < n && f->data[at] == '\\') {
        at += drt_tex_control(f->data + at, n - at, t->at_letter);
    } else {
        static const char *const words[] = {"true", "pt", "cm",   "mm",  "in",     "ex",      "em",   "bp",   "pc",
                                            "sp",   "mu", "fill", "fil", " plus ", " minus ", "plus", "minus"};
        for (bool found = true; found;) {
            found = false;
            for (size_t i = 0; i < sizeof words / sizeof *words && !found; i++) {
                size_t length = strlen(words[i]);
                found = n - at >= length && memcmp(f->data + at, words[i], length) == 0;
                at += found ? length : 0;
            }
            while (at < n && (f->data[at] == '.' || isdigit((unsigned char)f->data[at])) && found)
                at++;
        }
    }
    f->at = at;
}

static void run(tex *t);

/* Sets a text of its own; nothing in it reaches beyond its end. */
static void run_text(tex *t, const drt_buffer *text) {
    if (t->nesting == NESTING) {
        t->runaway = true;
        return;
    }
    if (text->length == 0 || !push(t, text->data, text->length, NULL, true))
        return;
    int level = t->n_frames - 1;
    t->nesting++;
    run(t);
    t->nesting--;
    while (t->n_frames > level)
        pop(t);
}

/* Sets it into a buffer; the caller frees that. */
static drt_buffer render(tex *t, const drt_buffer *text) {
    drt_buffer rendered = {0}, *outside = t->capture;
    char last = t->last;
    t->capture = &rendered;
    t->last = 0;
    run_text(t, text);
    t->capture = outside;
    t->last = last;
    return rendered;
}

static void run_argument(tex *t) {
    drt_buffer argument = {0};
    if (read_argument(t, &argument))
        run_text(t, &argument);
    drt_buffer_free(&argument);
}

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
    put(t, text->data ? text->data + from : "", to - from);
}

/* x^2, x_i, x^(n+1); degrees and primes are signs of their own. */
static void put_script(tex *t, char mark) {
    drt_buffer source_text = {0};
    if (read_argument(t, &source_text)) {
        drt_buffer text = render(t, &source_text);
        bool single = characters(&text) < 2;
        if (t->author || text.length == 0)
            ;
        else if (drt_string_equal(&(drt_string){text.data, text.length}, "\xE2\x88\x98", 3))
            put_text(t, "\xC2\xB0");
        else {
            bool prime = drt_string_equal(&(drt_string){text.data, text.length}, "\xE2\x80\xB2", 3);
            put(t, &mark, prime ? 0 : 1);
            put_text(t, single ? "" : "(");
            put_trimmed(t, &text);
            put_text(t, single ? "" : ")");
        }
        drt_buffer_free(&text);
    }
    drt_buffer_free(&source_text);
}

/* An argument in parentheses. */
static void put_enclosed(tex *t, const char *before, const char *after) {
    drt_buffer source_text = {0};
    if (read_argument(t, &source_text)) {
        drt_buffer text = render(t, &source_text);
        put_text(t, before);
        put_trimmed(t, &text);
        put_text(t, after);
        drt_buffer_free(&text);
    }
    drt_buffer_free(&source_text);
}

/* A word among letters, as "log". */
static void put_word(tex *t, const char *word, size_t length) {
    if (isalnum((unsigned char)t->last) || (unsigned char)t->last >= 0x80)
        put_text(t, " ");
    put(t, word, length);
    int next = peek(t);
    if (next == '\\' || (next >= 0 && (isalnum(next) || next >= 0x80)))
        put_text(t, " ");
}

static void begin_math(tex *t, int kind) {
    if (kind == 2)
        end_line(t);
    t->math = kind;
    t->matrices = 0;
}

static void end_math(tex *t) {
    if (t->math == 2)
        end_line(t);
    t->math = 0;
}

/* An argument that is text within a formula. */
static void run_as_text(tex *t) {
    int math = t->math;
    t->math = 0;
    run_argument(t);
    t->math = math;
}

/* ---------------------------------------------------------------- signs ---- */

static void put_accent(tex *t, const char *accent) {
    drt_buffer source_text = {0};
    if (read_argument(t, &source_text)) {
        drt_buffer text = render(t, &source_text);
        size_t first = text.length ? drt_utf8_ceil(text.data, text.length, 1) : 0;
        if (first == 2 && memcmp(text.data, "\xC4\xB1", 2) == 0)
            put_text(t, "i");
        else if (first == 2 && memcmp(text.data, "\xC8\xB7", 2) == 0)
            put_text(t, "j");
        else
            put(t, text.data, first);
        if (first > 0 && !isspace((unsigned char)text.data[0]))
            put_text(t, accent);
        if (text.length > first)
            put(t, text.data + first, text.length - first);
        drt_buffer_free(&text);
    }
    drt_buffer_free(&source_text);
}

/* What babel makes of a quote before a letter in German: "a, "s, "`. */
static void put_german(tex *t) {
    static const struct {
        char letter;
        const char *text;
    } shorthands[] = {{'a', "ä"}, {'o', "ö"}, {'u', "ü"}, {'A', "Ä"},  {'O', "Ö"}, {'U', "Ü"},
                      {'s', "ß"}, {'z', "ß"}, {'`', "„"}, {'\'', "“"}, {'<', "«"}, {'>', "»"},
                      {'-', ""},  {'=', "-"}, {'~', "-"}, {'|', ""},   {'"', ""}};
    int next = peek(t);
    for (size_t i = 0; i < sizeof shorthands / sizeof *shorthands; i++) {
        if (shorthands[i].letter == next) {
            get(t);
            put_text(t, shorthands[i].text);
            return;
        }
    }
    put_text(t, "\"");
}

/* Quotes and dashes as they are typed. */
static void put_sign(tex *t, int c) {
    if (t->math) {
        char byte = (char)c;
        if (c == '\'')
            put_text(t, "\xE2\x80\xB2");
        else
            put(t, &byte, 1);
    } else if (c == '-') {
        int n = 1;
        while (n < 3 && take(t, '-'))
            n++;
        put_text(t, n == 3 ? "\xE2\x80\x94" : n == 2 ? "\xE2\x80\x93" : "-");
    } else if (c == '`') {
        bool twice = take(t, '`');
        t->quoted |= !twice;
        put_text(t, twice ? "\xE2\x80\x9C" : "\xE2\x80\x98");
    } else if (c == '\'') {
        bool twice = take(t, '\'');
        int next = peek(t);
        bool closes = !twice && t->quoted && !(next >= 0 && (isalnum(next) || next >= 0x80));
        t->quoted &= !closes;
        put_text(t, twice ? "\xE2\x80\x9D" : closes ? "\xE2\x80\x99" : "'");
    } else if (c == '"' && t->german) {
        put_german(t);
    } else if ((c == '!' || c == '?') && take(t, '`')) {
        put_text(t, c == '!' ? "\xC2\xA1" : "\xC2\xBF");
    } else {
        char byte = (char)c;
        put(t, &byte, 1);
    }
}

/* ------------------------------------------------------------------ definitions ---- */

static void run_command(tex *t, const char *name, size_t length, bool defined);
static bool is_structure(const char *name, size_t length);

/* "{\name}", "\name": the name of what is defined; its length, 0: none. */
static size_t read_defined(tex *t, char name[NAME]) {
    skip_space(t);
    bool braces = take(t, '{');
    skip_space(t);
    if (!take(t, '\\'))
        return 0;
    size_t n = read_name(t, name);
    skip_space(t);
    if (braces)
        take(t, '}');
    return n;
}

/* Commands that make up the document's structure stay what they are. */
static void define(tex *t, drt_tex_macro *macro) {
    if (macro->name.data && !is_structure(macro->name.data, macro->name.length))
        t->failed |= !drt_tex_define(&t->macros, macro);
    else
        drt_tex_macro_clear(macro);
}

static bool set_string(drt_string *to, drt_buffer *from) {
    return drt_string_take(to, from);
}

/* [n][standard]{body} of a command or environment; name is taken over. */
static void read_definition(tex *t, drt_string *name) {
    drt_tex_macro macro = {.name = *name};
    drt_buffer text = {0};
    *name = (drt_string){0};
    if (read_option(t, &text) && text.length == 1 && isdigit((unsigned char)text.data[0]))
        macro.parameters = text.data[0] - '0';
    text.length = 0;
    if (read_option(t, &text))
        t->failed |= !set_string(&macro.standard, &text);
    text.length = 0;
    read_argument(t, &text);
    t->failed |= !set_string(&macro.body, &text);
    drt_buffer_free(&text);
    define(t, &macro);
}

static void new_command(tex *t) {
    char name[NAME];
    drt_string owned;
    take(t, '*');
    size_t n = read_defined(t, name);
    if (n == 0)
        return;
    t->failed |= !drt_string_set(&owned, name, n);
    read_definition(t, &owned);
}

/* \def\name#1#2{body}; with other delimiters it is known as one that can't be understood. */
static void plain_definition(tex *t) {
    char name[NAME];
    drt_tex_macro macro = {0};
    drt_buffer body = {0};
    int c, n = 0;
    size_t length = read_defined(t, name);
    while ((c = peek(t)) >= 0 && c != '{') {
        get(t);
        if (c == '#' && peek(t) == '1' + n && n < DRT_TEX_PARAMETERS) {
            get(t);
            n++;
        } else if (!isspace(c)) {
            n = INT8_MIN;
        }
    }
    take(t, '{');
    read_group(t, &body);
    macro.parameters = n < 0 ? -1 : n;
    t->failed |= !drt_string_set(&macro.name, name, length) || !set_string(&macro.body, &body);
    drt_buffer_free(&body);
    if (length > 0)
        define(t, &macro);
    else
        drt_tex_macro_clear(&macro);
}

/* \let\new=\old */
static void let(tex *t) {
    char name[NAME], old[NAME];
    drt_tex_macro macro = {0};
    size_t length = read_defined(t, name);
    take(t, '=');
    skip_space(t);
    if (!take(t, '\\')) {
        get(t);
        return;
    }
    size_t n = read_name(t, old);
    const drt_tex_macro *known = drt_tex_find(&t->macros, old, n);
    macro.alias = !known || known->alias;
    macro.parameters = known ? known->parameters : 0;
    t->failed |=
        !drt_string_set(&macro.name, name, length) ||
        (known ? !drt_string_copy(&macro.body, &known->body) || !drt_string_copy(&macro.standard, &known->standard)
               : !drt_string_set(&macro.body, old, n));
    if (length > 0)
        define(t, &macro);
    else
        drt_tex_macro_clear(&macro);
}

/* \DeclareMathOperator{\name}{text} */
static void new_operator(tex *t) {
    char name[NAME];
    drt_tex_macro macro = {0};
    drt_buffer text = {0}, body = {0};
    take(t, '*');
    size_t length = read_defined(t, name);
    read_argument(t, &text);
    bool ok = drt_buffer_append_text(&body, "\\operatorname{") &&
              drt_buffer_append(&body, text.data ? text.data : "", text.length) && drt_buffer_append_byte(&body, '}') &&
              drt_string_set(&macro.name, name, length) && set_string(&macro.body, &body);
    drt_buffer_free(&text);
    drt_buffer_free(&body);
    t->failed |= !ok;
    if (ok && length > 0)
        define(t, &macro);
    else
        drt_tex_macro_clear(&macro);
}

/* "begin name": no command has a space in its name. */
static bool environment_key(drt_string *key, const char *which, const drt_buffer *name) {
    drt_buffer joined = {0};
    bool ok = drt_buffer_append_text(&joined, which) &&
              drt_buffer_append(&joined, name->data ? name->data : "", name->length) && drt_string_take(key, &joined);
    drt_buffer_free(&joined);
    return ok;
}

/* \newenvironment{name}[n][standard]{begin}{end} */
static void new_environment(tex *t) {
    drt_buffer name = {0};
    drt_string begin = {0}, end = {0};
    drt_tex_macro macro = {0};
    drt_buffer body = {0};
    take(t, '*');
    read_argument(t, &name);
    t->failed |= !environment_key(&begin, "begin ", &name) || !environment_key(&end, "end ", &name);
    read_definition(t, &begin);
    read_argument(t, &body);
    macro.name = end;
    t->failed |= !set_string(&macro.body, &body);
    if (macro.name.data)
        define(t, &macro);
    drt_tex_macro_clear(&macro);
    drt_buffer_free(&body);
    drt_buffer_free(&name);
}

/* \newtheorem{name}[counter]{Title}[counter]: the environment begins with its title. */
static void new_theorem(tex *t) {
    drt_buffer name = {0}, title = {0}, body = {0};
    drt_tex_macro macro = {0};
    take(t, '*');
    read_argument(t, &name);
    drop_option(t);
    read_argument(t, &title);
    drop_option(t);
    bool ok = environment_key(&macro.name, "begin ", &name) && drt_buffer_append_text(&body, "\\theoremhead{") &&
              drt_buffer_append(&body, title.data ? title.data : "", title.length) &&
              drt_buffer_append_text(&body, "}") && set_string(&macro.body, &body);
    t->failed |= !ok;
    if (ok)
        define(t, &macro);
    drt_tex_macro_clear(&macro);
    drt_buffer_free(&name);
    drt_buffer_free(&title);
    drt_buffer_free(&body);
}

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

/* Puts a macro's body, with its arguments, in the place of its name. */
static void expand(tex *t, const drt_tex_macro *macro) {
    drt_buffer arguments[DRT_TEX_PARAMETERS] = {{0}}, body = {0};
    int n = macro->parameters;
    if (macro->alias) {
        char name[NAME];
        size_t length = macro->body.length < NAME ? macro->body.length : NAME - 1;
        memcpy(name, macro->body.data, length);
        name[length] = 0;
        spend(t, length);
        run_command(t, name, length, false);
        return;
    }
    for (int i = 0; i < n; i++)
        if (!(i == 0 && macro->standard.data))
            read_argument(t, &arguments[i]);
        else if (!read_option(t, &arguments[0]))
            t->failed |= !drt_buffer_append(&arguments[0], macro->standard.data, macro->standard.length);
    if (n >= 0 && !substitute(&macro->body, arguments, n, &body))
        t->failed = true;
    for (int i = 0; i < n; i++)
        drt_buffer_free(&arguments[i]);
    spend(t, body.length);
    if (body.length > 0 && !t->ended)
        push(t, body.data, body.length, body.data, false);
    else
        drt_buffer_free(&body);
}

/* ---------------------------------------------------------------- conditionals ---- */

static bool is_condition(const char *name, size_t length) {
    return length >= 2 && memcmp(name, "if", 2) == 0 && strcmp(name, "iff") != 0 && strcmp(name, "ifthenelse") != 0;
}

/* Passes over a branch: to its \else (true) or \fi. */
static bool skip_branch(tex *t, bool stop_at_else) {
    char name[NAME];
    int depth = 0, c = 0;
    while ((c = get(t)) >= 0) {
        if (c == '%')
            skip_comment(t);
        if (c != '\\')
            continue;
        size_t n = read_name(t, name);
        if (strcmp(name, "fi") == 0 && depth-- == 0)
            return false;
        if (strcmp(name, "else") == 0 && depth == 0 && stop_at_else)
            return true;
        depth += is_condition(name, n);
    }
    return false;
}

/* "if name" holds what \newif, \nametrue and \namefalse said. */
static drt_tex_macro condition(const char *name, size_t length, const char *value) {
    drt_tex_macro macro = {0};
    drt_buffer key = {0};
    bool ok = drt_buffer_append_text(&key, "if ") && drt_buffer_append(&key, name, length) &&
              drt_string_take(&macro.name, &key) && drt_string_set(&macro.body, value, 1);
    drt_buffer_free(&key);
    if (!ok)
        drt_tex_macro_clear(&macro);
    return macro;
}

static const drt_tex_macro *find_condition(tex *t, const char *name, size_t length) {
    drt_tex_macro key = condition(name, length, "0");
    const drt_tex_macro *found = key.name.data ? drt_tex_find(&t->macros, key.name.data, key.name.length) : NULL;
    drt_tex_macro_clear(&key);
    return found;
}

static void set_condition(tex *t, const char *name, size_t length, const char *value) {
    drt_tex_macro macro = condition(name, length, value);
    if (macro.name.data)
        t->failed |= !drt_tex_define(&t->macros, &macro);
    else
        t->failed = true;
}

/* \newif\ifname */
static void new_condition(tex *t) {
    char name[NAME];
    size_t n = read_defined(t, name);
    if (n > 2 && is_condition(name, n))
        set_condition(t, name + 2, n - 2, "0");
}

/* Those that can't be evaluated are false. */
static void run_condition(tex *t, const char *name, size_t length) {
    const drt_tex_macro *known = find_condition(t, name + 2, length - 2);
    bool holds = strcmp(name, "iftrue") == 0 || (known && known->body.data[0] == '1');
    if (!holds)
        skip_branch(t, true);
}

/* ---------------------------------------------------------------- environments ---- */

/* The place of "\end{name}" in the frame at hand, or its end. */
static size_t find_end(tex *t, const drt_buffer *name, size_t *behind) {
    const frame *f = source(t);
    drt_buffer end = {0};
    size_t at = f ? f->at : 0;
    if (!f || !drt_buffer_append_text(&end, "\\end{") || !drt_buffer_append(&end, name->data, name->length) ||
        !drt_buffer_append_byte(&end, '}')) {
        t->failed |= f != NULL;
        drt_buffer_free(&end);
        return *behind = at;
    }
    for (; f->length - at >= end.length; at++) {
        const char *next = memchr(f->data + at, '\\', f->length - at);
        at = next ? (size_t)(next - f->data) : f->length;
        if (f->length - at >= end.length && memcmp(f->data + at, end.data, end.length) == 0)
            break;
        if (!next)
            break;
    }
    bool found = f->length - at >= end.length;
    t->unbalanced |= !found && t->n_frames == 1;
    at = found ? at : f->length;
    *behind = found ? at + end.length : f->length;
    drt_buffer_free(&end);
    return at;
}

/* Lines as they are typed. */
static void run_verbatim(tex *t, const drt_buffer *name, bool wanted) {
    size_t behind, end = find_end(t, name, &behind);
    frame *f = source(t);
    if (!f)
        return;
    end_paragraph(t);
    while (wanted && f->at < end) {
        const char *line = f->data + f->at, *stop = memchr(line, '\n', end - f->at);
        size_t n = stop ? (size_t)(stop - line) : end - f->at;
        put(t, line, n);
        end_line(t);
        f->at += n + 1;
    }
    f->at = behind;
    end_paragraph(t);
}

static void drop_arguments(tex *t, const char *arguments) {
    for (; *arguments; arguments++)
        (*arguments == 'o' ? drop_option : drop_argument)(t);
}

/* "Theorem (Tarn)." */
static void put_statement(tex *t, const char *title, size_t length) {
    drt_buffer option = {0};
    end_paragraph(t);
    put(t, title, length);
    if (read_option(t, &option)) {
        put_text(t, " (");
        run_text(t, &option);
        put_text(t, ")");
    }
    put_text(t, ". ");
    drt_buffer_free(&option);
}

static void begin_environment(tex *t, const drt_buffer *name) {
    static const tex_environment unknown = {"", SET_AS_BLOCK, "o"};
    const tex_environment *e = tex_find_environment(name->data, name->length);
    e = e ? e : &unknown;
    if (e->kind == SET_AS_STATEMENT) {
        char title[NAME];
        snprintf(title, sizeof title, "%s", e->name);
        title[0] = (char)toupper((unsigned char)title[0]);
        put_statement(t, title, strlen(title));
        return;
    }
    drop_arguments(t, e->arguments);
    switch (e->kind) {
    case SET_AS_BLOCK:
        end_paragraph(t);
        break;
    case SET_AS_LIST:
        if (t->body && !t->capture)
            drt_flow_list(&t->flow);
        break;
    case SET_AS_TABLE:
        t->tables++;
        if (t->body && !t->capture)
            drt_flow_table(&t->flow);
        break;
    case SET_AS_FORMULA:
        begin_math(t, 2);
        break;
    case SET_INLINE:
        begin_math(t, 1);
        break;
    case SET_AS_MATRIX:
        t->matrices++;
        break;
    case SET_NOTHING:
    case SET_VERBATIM:
        run_verbatim(t, name, e->kind == SET_VERBATIM);
        break;
    default:
        break;
    }
}

static void end_environment(tex *t, const drt_buffer *name) {
    const tex_environment *e = tex_find_environment(name->data, name->length);
    switch (e ? e->kind : SET_AS_BLOCK) {
    case SET_AS_BLOCK:
    case SET_AS_STATEMENT:
        end_paragraph(t);
        break;
    case SET_AS_LIST:
        if (t->body && !t->capture)
            drt_flow_list_end(&t->flow);
        break;
    case SET_AS_TABLE:
        t->tables -= t->tables > 0;
        if (t->body && !t->capture)
            drt_flow_table_end(&t->flow);
        break;
    case SET_AS_FORMULA:
    case SET_INLINE:
        end_math(t);
        break;
    case SET_AS_MATRIX:
        t->matrices -= t->matrices > 0;
        break;
    default:
        break;
    }
}

/* \begin{name} and \end{name}: the document's own environments are macros. */
static void run_environment(tex *t, bool begin) {
    drt_buffer name = {0};
    drt_string key = {0};
    read_argument(t, &name);
    t->failed |= !environment_key(&key, begin ? "begin " : "end ", &name);
    const drt_tex_macro *own = key.data ? drt_tex_find(&t->macros, key.data, key.length) : NULL;
    bool document = drt_string_equal(&(drt_string){name.data, name.length}, "document", 8);
    if (document && begin)
        t->body = true;
    else if (document)
        t->ended = true;
    else if (own)
        expand(t, own);
    else
        (begin ? begin_environment : end_environment)(t, &name);
    if (!begin && !own && !document)
        skip_space_of_word(t);
    drt_string_free(&key);
    drt_buffer_free(&name);
}

/* ---------------------------------------------------------------- commands ---- */

static bool is_structure(const char *name, size_t length) {
    return tex_find_command(name, length) != NULL;
}

/* ------------------------------------------------------------ title, authors, date ---- */

static drt_buffer render_argument(tex *t) {
    drt_buffer argument = {0}, text = {0};
    if (read_argument(t, &argument))
        text = render(t, &argument);
    drt_buffer_free(&argument);
    return text;
}

static void take_line(tex *t, drt_string *to) {
    drt_buffer text = render_argument(t);
    if (!to->data && text.length > 0)
        t->failed |= !drt_text_single_line(text.data, text.length, to);
    drt_buffer_free(&text);
}

/* A name has letters, isn't long, and has no signs of an address. */
static bool take_author(tex *t, const char *name, size_t length) {
    drt_string line;
    if (!drt_text_single_line(name, length, &line))
        return false;
    bool fits = line.length > 2 && line.length < 80;
    for (size_t i = 0; i < line.length && fits; i++)
        fits = !strchr("0123456789@/:;", line.data[i]) && line.data[i];
    if (fits)
        return drt_xml_take_author(t->extract, &line);
    drt_string_free(&line);
    return true;
}

/* "Ada Renn, Bo Tarn and Zoe" -> each. */
static bool split_authors(tex *t, const char *line, size_t length) {
    bool ok = true;
    for (size_t from = 0, at = 0; ok && from < length; at++) {
        size_t skip = at == length || line[at] == ','                         ? 1
                      : length - at > 5 && memcmp(line + at, " and ", 5) == 0 ? 5
                                                                              : 0;
        if (skip == 0)
            continue;
        size_t start = from;
        if (at - start > 4 && memcmp(line + start, "and ", 4) == 0)
            start += 4;
        while (start < at && line[start] == ' ')
            start++;
        if (at - start > 4 && memcmp(line + start, "and ", 4) == 0)
            start += 4;
        ok = take_author(t, line + start, at - start);
        from = at + skip;
        at = from - 1;
    }
    return ok;
}

/* Between the marks of \and, the first line that has something is a name or several; addresses follow. */
static void take_authors(tex *t) {
    t->author = true;
    drt_buffer text = render_argument(t);
    t->author = false;
    for (size_t at = 0; at < text.length && !t->failed;) {
        const char *part = text.data + at, *end = memchr(part, ';', text.length - at);
        size_t n = end ? (size_t)(end - part) : text.length - at;
        at += n + 1;
        while (n > 0 && isspace((unsigned char)*part)) {
            part++;
            n--;
        }
        const char *stop = n ? memchr(part, '\n', n) : NULL;
        t->failed |= n > 0 && !split_authors(t, part, stop ? (size_t)(stop - part) : n);
    }
    drt_buffer_free(&text);
}

/* ------------------------------------------------------------------ references ---- */

static int compare_references(const void *a, const void *b) {
    const reference *left = a, *right = b;
    return drt_string_compare(&left->key, right->key.data, right->key.length);
}

/* The number that a key has in the list of references, 0: none. */
static int number_of(const tex *t, const char *key, size_t length) {
    size_t from = 0, to = t->n_references;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = drt_string_compare(&t->references[middle].key, key, length);
        if (order == 0)
            return t->references[middle].number;
        *(order < 0 ? &from : &to) = order < 0 ? middle + 1 : middle;
    }
    return 0;
}

/* Numbers the \bibitems of the whole source. */
static void find_references(tex *t, const char *data, size_t length) {
    for (size_t at = 0; at < length && !t->failed;) {
        const char *next = memchr(data + at, '\\', length - at);
        if (!next)
            break;
        at = (size_t)(next - data) + 1;
        if (length - at < 9 || memcmp(data + at, "bibitem", 7) != 0)
            continue;
        at += 7;
        size_t near = length - at < REFERENCE_BYTES ? length - at : REFERENCE_BYTES;
        const char *end = data + at + near, *label = data[at] == '[' ? memchr(data + at, ']', near) : data + at;
        const char *open = label ? memchr(label, '{', (size_t)(end - label)) : NULL;
        const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
        if (!close)
            continue;
        reference found = {.number = (int)t->n_references + 1};
        if (t->n_references == INT32_MAX || !drt_array_grow((void **)&t->references, t->n_references, sizeof found) ||
            !drt_string_set(&found.key, open + 1, (size_t)(close - open) - 1)) {
            t->failed = true;
            break;
        }
        t->references[t->n_references++] = found;
    }
    if (t->n_references > 0)
        qsort(t->references, t->n_references, sizeof *t->references, compare_references);
}

static void put_key(tex *t, const char *key, size_t length) {
    char number[16];
    while (length > 0 && isspace((unsigned char)*key)) {
        key++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)key[length - 1]))
        length--;
    int n = number_of(t, key, length);
    snprintf(number, sizeof number, "%d", n);
    put(t, n ? number : key, n ? strlen(number) : length);
}

/* \cite[see][p. 3]{a,b} -> [see 1, 2, p. 3] */
static void put_citation(tex *t) {
    drt_buffer options[2] = {{0}, {0}}, keys = {0};
    bool first = read_option(t, &options[0]), second = first && read_option(t, &options[1]);
    read_argument(t, &keys);
    put_text(t, "[");
    if (second && options[0].length > 0) {
        run_text(t, &options[0]);
        put_text(t, " ");
    }
    for (size_t at = 0; at < keys.length;) {
        const char *key = keys.data + at, *comma = memchr(key, ',', keys.length - at);
        size_t n = comma ? (size_t)(comma - key) : keys.length - at;
        put_text(t, at ? ", " : "");
        put_key(t, key, n);
        at += n + 1;
    }
    if (first && options[second].length > 0) {
        put_text(t, ", ");
        run_text(t, &options[second]);
    }
    put_text(t, "]");
    drt_buffer_free(&options[0]);
    drt_buffer_free(&options[1]);
    drt_buffer_free(&keys);
}

static void put_bibliography_item(tex *t) {
    drt_buffer key = {0};
    end_line(t);
    drop_option(t);
    read_argument(t, &key);
    put_text(t, "[");
    put_key(t, key.data ? key.data : "", key.length);
    put_text(t, "] ");
    drt_buffer_free(&key);
}

static void put_reference(tex *t) {
    drt_buffer key = {0};
    read_argument(t, &key);
    put(t, key.data ? key.data : "", key.length);
    drt_buffer_free(&key);
}

/* ------------------------------------------------------------------ other commands ---- */

/* Text as it is typed, between braces or two signs of one kind. */
static void put_raw(tex *t, bool braces_only) {
    frame *f = source(t);
    if (!f)
        return;
    char open = f->data[f->at], close = open == '{' ? '}' : open;
    if (isalnum((unsigned char)open) || (braces_only && open != '{' && !ispunct((unsigned char)open)))
        return;
    size_t at = ++f->at;
    for (int depth = 0; at < f->length && (f->data[at] != close || depth > 0) && f->data[at] != '\n'; at++)
        depth += open != '{' ? 0 : f->data[at] == '{' ? 1 : f->data[at] == '}' ? -1 : 0;
    put(t, f->data + f->at, at - f->at);
    f->at = at < f->length ? at + 1 : at;
}

/* A file that isn't part of the source. */
static void miss(tex *t) {
    drt_buffer name = {0};
    skip_space(t);
    frame *f = source(t);
    if (f && f->data[f->at] != '{') { /* \input name */
        size_t at = f->at;
        while (at < f->length && !isspace((unsigned char)f->data[at]) && f->data[at] != '\\' && f->data[at] != '}')
            at++;
        t->failed |= !drt_buffer_append(&name, f->data + f->at, at - f->at);
        f->at = at;
    } else {
        read_argument(t, &name);
    }
    size_t used = strlen(t->missing);
    if (name.length > 0 && t->n_missing++ < 4 && used + name.length + 3 < MISSING && !memchr(name.data, 0, name.length))
        snprintf(t->missing + used, MISSING - used, "%s%.*s", used ? ", " : "", (int)name.length, name.data);
    drt_buffer_free(&name);
}

static void put_note(tex *t) {
    drt_buffer note = {0};
    read_argument(t, &note);
    if (t->body && !t->capture && note.length > 0) {
        int tables = t->tables, math = t->math;
        t->tables = t->math = 0;
        drt_flow_note_start(&t->flow);
        run_text(t, &note);
        drt_flow_note_end(&t->flow);
        t->tables = tables;
        t->math = math;
    }
    drt_buffer_free(&note);
}

/* \section{...}, \caption{...} */
static void put_block(tex *t) {
    end_paragraph(t);
    run_argument(t);
    end_paragraph(t);
}

static void put_item(tex *t) {
    drt_buffer label = {0};
    end_line(t);
    if (read_option(t, &label)) {
        run_text(t, &label);
        put_text(t, " ");
    }
    drt_buffer_free(&label);
}

static void end_row(tex *t) {
    take(t, '*');
    drop_option(t);
    if (t->math && t->matrices)
        put_text(t, "; ");
    else if (t->math || !t->tables || t->capture)
        end_line(t);
    else if (t->body)
        drt_flow_row(&t->flow);
}

static void put_cell(tex *t) {
    if (t->math || !t->tables || t->capture || !t->body)
        put_text(t, " ");
    else
        drt_flow_cell(&t->flow);
}

static void put_operator(tex *t) {
    drt_buffer text = render_argument(t);
    put_word(t, text.data ? text.data : "", text.length);
    drt_buffer_free(&text);
}

static void put_root(tex *t) {
    drop_option(t);
    put_enclosed(t, "\xE2\x88\x9A(", ")");
}

/* \usepackage[german]{babel} */
static void take_options(tex *t) {
    drt_buffer option = {0};
    if (read_option(t, &option)) {
        for (size_t i = 0; i + 6 <= option.length; i++)
            t->german |= memcmp(option.data + i, "german", 6) == 0;
    }
    option.length = 0;
    read_argument(t, &option);
    t->german |= option.length == 6 && memcmp(option.data, "german", 6) == 0;
    drop_option(t);
    drt_buffer_free(&option);
}

static void run_action(tex *t, const tex_command *c) {
    for (const char *argument = c->arguments; *argument; argument++)
        if (*argument == '*')
            take(t, '*');
        else
            drop_arguments(t, *argument == 'o' ? "o" : "m");
    switch (c->action) {
    case TEX_AUTHOR:
        take_authors(t);
        break;
    case TEX_AUTHORS_AND:
        put_text(t, t->author ? ";" : " ");
        break;
    case TEX_BEGIN:
    case TEX_END:
        run_environment(t, c->action == TEX_BEGIN);
        break;
    case TEX_BIBLIOGRAPHY_ITEM:
        put_bibliography_item(t);
        break;
    case TEX_BINOMIAL:
        put_enclosed(t, "(", "");
        put_enclosed(t, " choose ", ")");
        break;
    case TEX_BLOCK:
        put_block(t);
        break;
    case TEX_CITE:
        put_citation(t);
        break;
    case TEX_CLOSE_MATH:
        end_math(t);
        break;
    case TEX_DATE:
        take_line(t, &t->extract->date);
        break;
    case TEX_DEFINE:
        plain_definition(t);
        break;
    case TEX_DELIMITER:
        skip_space(t);
        take(t, '.');
        break;
    case TEX_DIMENSION:
        drop_dimension(t);
        break;
    case TEX_DROP:
        break;
    case TEX_END_DOCUMENT:
        t->ended = true;
        break;
    case TEX_FRACTION:
        put_enclosed(t, "(", ")");
        put_enclosed(t, "/(", ")");
        break;
    case TEX_IF_NEW:
        new_condition(t);
        break;
    case TEX_INLINE_MATH:
        begin_math(t, 1);
        break;
    case TEX_INPUT:
        miss(t);
        break;
    case TEX_ITEM:
        put_item(t);
        break;
    case TEX_LET_BE:
        let(t);
        break;
    case TEX_LETTER_AT:
    case TEX_OTHER_AT:
        t->at_letter = c->action == TEX_LETTER_AT;
        break;
    case TEX_LINE:
        end_row(t);
        break;
    case TEX_NEW_COMMAND:
        new_command(t);
        break;
    case TEX_NEW_ENVIRONMENT:
        new_environment(t);
        break;
    case TEX_NEW_OPERATOR:
        new_operator(t);
        break;
    case TEX_NEW_THEOREM:
        new_theorem(t);
        break;
    case TEX_NOTE:
        put_note(t);
        break;
    case TEX_OPEN_MATH:
        begin_math(t, 2);
        break;
    case TEX_OPERATOR:
        put_operator(t);
        break;
    case TEX_PARAGRAPH:
        end_paragraph(t);
        break;
    case TEX_REFERENCE:
        put_reference(t);
        break;
    case TEX_REFERENCE_IN_PARENTHESES:
        put_text(t, "(");
        put_reference(t);
        put_text(t, ")");
        break;
    case TEX_ROOT:
        put_root(t);
        break;
    case TEX_STATEMENT: {
        drt_buffer title = render_argument(t);
        put_statement(t, title.data ? title.data : "", title.length);
        drt_buffer_free(&title);
        break;
    }
    case TEX_TEXT_IN_MATH:
        run_as_text(t);
        break;
    case TEX_TITLE:
        take_line(t, &t->extract->title);
        break;
    case TEX_URL:
    case TEX_VERBATIM:
        put_raw(t, c->action == TEX_URL);
        break;
    case TEX_USE:
        take_options(t);
        break;
    }
}

/* \nametrue, \namefalse of a condition that \newif made. */
static bool switch_condition(tex *t, const char *name, size_t length) {
    size_t n = length > 4 && strcmp(name + length - 4, "true") == 0    ? 4
               : length > 5 && strcmp(name + length - 5, "false") == 0 ? 5
                                                                       : 0;
    if (n == 0 || !find_condition(t, name, length - n))
        return false;
    set_condition(t, name, length - n, n == 4 ? "1" : "0");
    return true;
}

/* A command that nothing is known of: its name and an option go, its arguments stay; so does not what is assigned. */
static void run_unknown(tex *t) {
    int next = peek(t);
    if (next == '[' && !t->math)
        drop_option(t);
    else if (next == '=' && !t->math)
        drop_dimension(t);
}

static void run_command(tex *t, const char *name, size_t length, bool defined) {
    bool math_only;
    const char *text;
    const drt_tex_macro *macro = defined ? drt_tex_find(&t->macros, name, length) : NULL;
    const tex_command *c = macro ? NULL : tex_find_command(name, length);
    if (macro)
        expand(t, macro);
    else if (c)
        run_action(t, c);
    else if ((text = drt_tex_accent(name, length, &math_only)) != NULL && (t->math || !math_only))
        put_accent(t, text);
    else if ((text = drt_tex_symbol(name, length)) != NULL)
        put_text(t, text);
    else if (t->math && drt_tex_is_function(name, length))
        put_word(t, name, length);
    else if (strcmp(name, "else") == 0)
        skip_branch(t, false);
    else if (is_condition(name, length))
        run_condition(t, name, length);
    else if (!switch_condition(t, name, length))
        run_unknown(t);
}

/* ------------------------------------------------------------------ the source ---- */

/* White space: with a blank line it ends a paragraph. */
static void run_space(tex *t) {
    frame *f = source(t);
    int lines = 0;
    for (; f->at < f->length && isspace((unsigned char)f->data[f->at]); f->at++)
        lines += f->data[f->at] == '\n';
    if (lines > 1 && !t->math)
        end_paragraph(t);
    else
        put_text(t, " ");
}

/* What a comment leaves: a blank line behind it ends the paragraph. */
static void run_comment(tex *t) {
    skip_comment(t);
    if (peek(t) == '\n' && !t->math)
        end_paragraph(t);
}

static void run_dollar(tex *t) {
    bool twice = t->math != 1 && take(t, '$');
    if (t->math)
        end_math(t);
    else
        begin_math(t, twice ? 2 : 1);
}

/* Characters that mean nothing but themselves. */
static void run_plain(tex *t) {
    frame *f = source(t);
    size_t from = f->at;
    while (f->at < f->length && !strchr("%\\{}$~&#-`'\"^_!?", f->data[f->at]) &&
           !isspace((unsigned char)f->data[f->at]))
        f->at++;
    f->at += f->at == from; /* NUL */
    put(t, f->data + from, f->at - from);
}

static void run_token(tex *t) {
    char name[NAME];
    int c = peek(t);
    if (isspace(c)) {
        run_space(t);
        return;
    }
    if (!strchr("%\\{}$~&#-`'\"^_!?", c) || c == 0) {
        run_plain(t);
        return;
    }
    get(t);
    if (c == '%') {
        run_comment(t);
    } else if (c == '\\') {
        size_t n = read_name(t, name);
        if (n > 0)
            run_command(t, name, n, true);
    } else if (c == '$') {
        run_dollar(t);
    } else if (c == '~') {
        put_text(t, " ");
    } else if (c == '&') {
        put_cell(t);
    } else if ((c == '^' || c == '_') && t->math) {
        put_script(t, (char)c);
    } else if (c != '{' && c != '}' && c != '#') {
        put_sign(t, c);
    }
}

static void run(tex *t) {
    while (!t->ended && !t->failed && peek(t) >= 0) {
        run_token(t);
        if (++t->tokens % 4096 == 0 && drt_cancelled(t->context))
            t->cancelled = t->ended = true;
    }
}

static bool note_losses(tex *t, const drt_charset_facts *facts) {
    return (!t->runaway || drt_extract_note(t->extract, DRT_DOCUMENT_PARTIAL,
                                            "its macros or groups go on without end; the rest was not read")) &&
           (!t->unbalanced || drt_extract_note(t->extract, DRT_DOCUMENT_PARTIAL,
                                               "it has braces or environments that are never closed")) &&
           (t->n_missing == 0 ||
            drt_extract_note(t->extract, DRT_DOCUMENT_PARTIAL, "files that it includes are missing: %s%s", t->missing,
                             t->n_missing > 4 ? ", ..." : "")) &&
           drt_extract_note_charset(t->extract, facts->replacements, facts->guessed ? facts->name : NULL);
}

static void clear(tex *t) {
    while (t->n_frames > 0)
        pop(t);
    for (size_t i = 0; i < t->n_references; i++)
        drt_string_free(&t->references[i].key);
    free(t->references);
    drt_tex_macros_free(&t->macros);
    free(t);
}

drt_status drt_format_tex_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    const char *label = NULL;
    tex *t = calloc(1, sizeof *t);
    if (!t)
        return drt_fail_memory(context, "a document");
    size_t label_length = drt_tex_encoding(input->data, input->length, &label);
    drt_status status = drt_charset_decode(context, input->data, input->length, label, label_length, &decoded, &facts);
    const char *data = decoded.data ? decoded.data : "";
    t->context = context;
    t->extract = extract;
    t->budget = EXPANSION + EXPANSION_RATIO * (int64_t)decoded.length;
    t->body = !drt_tex_contains(data, decoded.length, "\\begin{document}");
    drt_flow_start(&t->flow, &extract->text);
    if (status == DRT_OK) {
        find_references(t, data, decoded.length);
        push(t, data, decoded.length, NULL, true);
        run(t);
    }
    bool ok = drt_flow_finish(&t->flow, false) && !t->failed && (status != DRT_OK || note_losses(t, &facts));
    if (status == DRT_OK && t->cancelled)
        status = DRT_FAILED;
    clear(t);
    drt_buffer_free(&decoded);
    return status == DRT_OK && !ok ? drt_fail_memory(context, "a document") : status;
}

/* A file that begins with its class, whatever its name; texts about TeX don't. */
bool drt_format_tex_detect(const drt_format_probe *probe) {
    static const char *const starts[] = {"\\documentclass", "\\documentstyle", "\\RequirePackage", "\\NeedsTeXFormat"};
    size_t at = 0;
    for (; at < probe->head_length; at++) {
        char c = probe->head[at];
        const char *end = c == '%' ? memchr(probe->head + at, '\n', probe->head_length - at) : NULL;
        if (end)
            at = (size_t)(end - probe->head);
        else if (!isspace((unsigned char)c))
            break;
    }
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (probe->head_length - at >= strlen(starts[i]) && memcmp(probe->head + at, starts[i], strlen(starts[i])) == 0)
            return true;
    return false;
}
