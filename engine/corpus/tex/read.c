/* read.c: output of the interpreter of TeX, its frames, and the arguments of commands. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NESTING 60        /* arguments inside each other */
#define EXPANSION_COST 64 /* bytes that an expansion counts as, besides its own */
#define OPTION 4096       /* bytes of an optional argument */

/* ---------------------------------------------------------------- output ---- */

void tex_put(tex *t, const char *data, size_t length) {
    if (length == 0 || (!t->body && !t->capture))
        return;
    t->last = data[length - 1];
    if (t->capture)
        t->failed |= !drt_buffer_append(t->capture, data, length);
    else
        drt_flow_add(&t->flow, data, length);
}

void tex_put_text(tex *t, const char *text) {
    tex_put(t, text, strlen(text));
}

void tex_end_line(tex *t) {
    if (t->capture)
        tex_put_text(t, "\n");
    else if (t->body)
        drt_flow_line(&t->flow);
    t->last = '\n';
}

void tex_end_paragraph(tex *t) {
    if (t->capture)
        tex_put_text(t, " ");
    else if (t->body)
        drt_flow_paragraph(&t->flow);
    t->last = '\n';
}

/* ---------------------------------------------------------------- input ---- */

void tex_pop(tex *t) {
    free(t->frames[--t->n_frames].owned);
}

/* Takes over `owned`. */
bool tex_push(tex *t, const char *data, size_t length, char *owned, bool barrier) {
    while (t->n_frames > 0 && !t->frames[t->n_frames - 1].barrier &&
           t->frames[t->n_frames - 1].at == t->frames[t->n_frames - 1].length)
        tex_pop(t);
    if (t->n_frames == TEX_FRAMES) {
        t->runaway = true;
        free(owned);
        return false;
    }
    t->frames[t->n_frames++] = (tex_frame){.data = data, .length = length, .owned = owned, .barrier = barrier};
    return true;
}

/* The frame that the next byte comes from; NULL: the argument at hand has ended. */
tex_frame *tex_source(tex *t) {
    for (;;) {
        tex_frame *f = &t->frames[t->n_frames - 1];
        if (f->at < f->length)
            return f;
        if (f->barrier)
            return NULL;
        tex_pop(t);
    }
}

int tex_peek(tex *t) {
    const tex_frame *f = tex_source(t);
    return f ? (unsigned char)f->data[f->at] : -1;
}

int tex_get(tex *t) {
    tex_frame *f = tex_source(t);
    return f ? (unsigned char)f->data[f->at++] : -1;
}

bool tex_has_letter_at(const tex *t) {
    return t->at_letter || (t->n_frames > 0 && t->frames[t->n_frames - 1].letter_at);
}

bool tex_take(tex *t, char c) {
    if (tex_peek(t) != (unsigned char)c)
        return false;
    tex_get(t);
    return true;
}

/* Behind "%": to the end of the line and over the spaces that begin the next. */
void tex_skip_comment(tex *t) {
    tex_frame *f = tex_source(t);
    if (!f)
        return;
    const char *end = memchr(f->data + f->at, '\n', f->length - f->at);
    f->at = end ? (size_t)(end - f->data) + 1 : f->length;
    while (f->at < f->length && (f->data[f->at] == ' ' || f->data[f->at] == '\t'))
        f->at++;
}

/* White space before an argument, and comments. */
void tex_skip_space(tex *t) {
    for (int c; (c = tex_peek(t)) >= 0 && (isspace(c) || c == '%');) {
        tex_get(t);
        if (c == '%')
            tex_skip_comment(t);
    }
}

/* White space behind a control word belongs to it, but not a blank line. */
void tex_skip_space_of_word(tex *t) {
    tex_frame *f = tex_source(t);
    if (!f)
        return;
    size_t at = f->at, lines = 0;
    while (at < f->length && isspace((unsigned char)f->data[at]))
        lines += f->data[at++] == '\n';
    if (lines < 2)
        f->at = at;
}

/* The name behind a backslash that was read; its length. Names that are too long are cut: nobody defines them. */
size_t tex_read_name(tex *t, char name[TEX_NAME]) {
    tex_frame *f = tex_source(t);
    name[0] = 0;
    if (!f || f->at == 0)
        return 0;
    size_t n = drt_tex_control(f->data + f->at - 1, f->length - f->at + 1, tex_has_letter_at(t)) - 1;
    size_t kept = n < TEX_NAME ? n : TEX_NAME - 1;
    memcpy(name, f->data + f->at, kept);
    name[kept] = 0;
    f->at += n;
    if (isalpha((unsigned char)name[0]) || name[0] == '@')
        tex_skip_space_of_word(t);
    return kept;
}

void tex_spend(tex *t, size_t bytes) {
    t->budget -= (int64_t)bytes + EXPANSION_COST;
    if (t->budget < 0)
        t->runaway = t->ended = true;
}

/* The rest of a group whose brace was read. */
void tex_read_group(tex *t, drt_buffer *out) {
    size_t start = out->length;
    int depth = 0, c = 0;
    t->unclosed = false;
    while (!t->failed && (c = tex_get(t)) >= 0 && (c != '}' || depth > 0)) {
        if (c == '%') {
            tex_skip_comment(t);
            continue;
        }
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        t->failed |= !drt_buffer_append_byte(out, (char)c);
        if (c == '\\' && tex_peek(t) >= 0)
            t->failed |= !drt_buffer_append_byte(out, (char)tex_get(t));
    }
    t->unclosed = c < 0;
    t->unbalanced |= c < 0;
    tex_spend(t, out->length - start);
}

/* A group, a command or one character. false: there is nothing. */
bool tex_read_argument(tex *t, drt_buffer *out) {
    char name[TEX_NAME];
    tex_skip_space(t);
    int c = tex_get(t);
    if (c < 0)
        return false;
    if (c == '{') {
        tex_read_group(t, out);
        return true;
    }
    if (c == '}') {
        t->frames[t->n_frames - 1].at--;
        return false;
    }
    t->failed |= !drt_buffer_append_byte(out, (char)c);
    if (c == '\\') {
        size_t n = tex_read_name(t, name);
        t->failed |= !drt_buffer_append(out, name, n);
    }
    while (c >= 0x80 && (tex_peek(t) & 0xC0) == 0x80 && tex_peek(t) >= 0)
        t->failed |= !drt_buffer_append_byte(out, (char)tex_get(t));
    return true;
}

/* "[...]" without what it stands in; it has to end in the same frame and paragraph. */
bool tex_read_option(tex *t, drt_buffer *out) {
    tex_frame *f = tex_source(t);
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
        tex_spend(t, at - start);
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
    if (tex_read_argument(t, &dropped) && t->unclosed)
        tex_push(t, dropped.data, dropped.length, dropped.data, false);
    else
        drt_buffer_free(&dropped);
}

void tex_drop_option(tex *t) {
    drt_buffer dropped = {0};
    tex_read_option(t, &dropped);
    drt_buffer_free(&dropped);
}

/* "12pt plus 1fil", "-.5\baselineskip", "=3". */
void tex_drop_dimension(tex *t) {
    tex_take(t, '=');
    tex_skip_space_of_word(t);
    tex_frame *f = tex_source(t);
    if (!f)
        return;
    size_t at = f->at, n = f->length;
    while (at < n && strchr("+-.,0123456789", f->data[at]) && f->data[at])
        at++;
    if (at < n && f->data[at] == '\\') {
        at += drt_tex_control(f->data + at, n - at, tex_has_letter_at(t));
        while (at < n && isdigit((unsigned char)f->data[at])) /* \magstep1 */
            at++;
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

/* Sets a text of its own; nothing in it reaches beyond its end. */
void tex_run_text(tex *t, const drt_buffer *text) {
    if (t->nesting == NESTING) {
        t->runaway = true;
        return;
    }
    if (text->length == 0 || !tex_push(t, text->data, text->length, NULL, true))
        return;
    int level = t->n_frames - 1;
    t->nesting++;
    tex_run(t);
    t->nesting--;
    while (t->n_frames > level)
        tex_pop(t);
}

/* Sets it into a buffer; the caller frees that. */
drt_buffer tex_render(tex *t, const drt_buffer *text) {
    drt_buffer rendered = {0}, *outside = t->capture;
    char last = t->last;
    t->capture = &rendered;
    t->last = 0;
    tex_run_text(t, text);
    t->capture = outside;
    t->last = last;
    return rendered;
}

void tex_run_argument(tex *t) {
    drt_buffer argument = {0};
    if (tex_read_argument(t, &argument))
        tex_run_text(t, &argument);
    drt_buffer_free(&argument);
}

drt_buffer tex_render_argument(tex *t) {
    drt_buffer argument = {0}, text = {0};
    if (tex_read_argument(t, &argument))
        text = tex_render(t, &argument);
    drt_buffer_free(&argument);
    return text;
}

static void drop_parentheses(tex *t) {
    tex_frame *f = tex_source(t);
    size_t left = f ? f->length - f->at : 0;
    const char *end = f && f->data[f->at] == '(' ? memchr(f->data + f->at, ')', left < 80 ? left : 80) : NULL;
    if (end)
        f->at = (size_t)(end - f->data) + 1;
}

void tex_drop_arguments(tex *t, const char *arguments) {
    for (; *arguments; arguments++)
        (*arguments == 'o' ? tex_drop_option : *arguments == 'p' ? drop_parentheses : drop_argument)(t);
}

void tex_drop_overlay(tex *t) {
    tex_frame *f = t->slides ? tex_source(t) : NULL;
    if (!f || f->data[f->at] != '<')
        return;
    size_t at = f->at + 1;
    while (at < f->length && f->data[at] && strchr("0123456789-+,.|:@ abdehlmnorstuv", f->data[at]))
        at++;
    if (at < f->length && f->data[at] == '>')
        f->at = at + 1;
}

bool tex_find_value(tex *t, const drt_buffer *list, const char *name, drt_buffer *value) {
    size_t n = strlen(name);
    for (size_t at = 0; at + n < list->length; at++) {
        bool apart = at == 0 || (!isalnum((unsigned char)list->data[at - 1]) && list->data[at - 1] != '-');
        if (!apart || memcmp(list->data + at, name, n) != 0)
            continue;
        size_t from = at + n;
        while (from < list->length && (isspace((unsigned char)list->data[from]) || list->data[from] == '='))
            from++;
        int depth = 0;
        size_t end = from;
        for (; end < list->length && (depth > 0 || (list->data[end] != ',' && list->data[end] != '}')); end++)
            depth += list->data[end] == '{' ? 1 : list->data[end] == '}' ? -1 : 0;
        t->failed |= !drt_buffer_append(value, list->data + from, end - from);
        return end > from;
    }
    return false;
}
