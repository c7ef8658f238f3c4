/* format_tex.c: TeX and LaTeX: the main loop of the interpreter (run.h) and what the table of formats calls.
 * See formats.h. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/corpus/charset.h"
#include "engine/corpus/tex/run.h"

#define EXPANSION (4u << 20) /* bytes of macros and arguments that a document may have, and */
#define EXPANSION_RATIO 16   /* so many times its size */

/* "<<name>>=" on a line of its own begins code of Sweave or knitr, up to a line that begins with "@". */
static void run_chunk(tex *t) {
    tex_frame *f = tex_source(t);
    const char *from = f->data + f->at, *stop = f->data + f->length;
    const char *end = memchr(from, '\n', (size_t)(stop - from));
    if (!end || end - from < 5 || memcmp(from, "<<", 2) != 0 || memcmp(end - 3, ">>=", 3) != 0)
        return;
    tex_end_paragraph(t);
    for (const char *line = end + 1; line < stop; line = end + 1) {
        end = memchr(line, '\n', (size_t)(stop - line));
        end = end ? end : stop - 1;
        f->at = (size_t)(end - f->data) + 1;
        if (*line == '@')
            break;
        tex_put(t, line, (size_t)(end - line) + (*end != '\n'));
        tex_end_line(t);
    }
    tex_end_paragraph(t);
}

/* White space: with a blank line it ends a paragraph. */
static void run_space(tex *t) {
    tex_frame *f = tex_source(t);
    int lines = 0;
    for (; f->at < f->length && isspace((unsigned char)f->data[f->at]); f->at++)
        lines += f->data[f->at] == '\n';
    if (lines > 1 && t->math == 1) /* no formula goes on into another paragraph */
        tex_end_math(t);
    if (lines > 1 && !t->math)
        tex_end_paragraph(t);
    else
        tex_put_text(t, " ");
    if (lines > 0 && f->at < f->length && f->data[f->at] == '<')
        run_chunk(t);
}

/* What a comment leaves: a blank line behind it ends the paragraph. */
static void run_comment(tex *t) {
    tex_skip_comment(t);
    if (tex_peek(t) == '\n' && !t->math)
        tex_end_paragraph(t);
}

static void run_dollar(tex *t) {
    bool twice = t->math != 1 && tex_take(t, '$');
    if (t->math)
        tex_end_math(t);
    else
        tex_begin_math(t, twice ? 2 : 1);
}

/* Characters that mean nothing but themselves. */
static void run_plain(tex *t) {
    tex_frame *f = tex_source(t);
    size_t from = f->at;
    while (f->at < f->length && !strchr("%\\{}$~&#-`'\"^_!?", f->data[f->at]) &&
           !isspace((unsigned char)f->data[f->at]))
        f->at++;
    f->at += f->at == from; /* NUL */
    tex_put(t, f->data + from, f->at - from);
}

static void run_token(tex *t) {
    char name[TEX_NAME];
    int c = tex_peek(t);
    if (isspace(c)) {
        run_space(t);
        return;
    }
    if (!strchr("%\\{}$~&#-`'\"^_!?", c) || c == 0) {
        run_plain(t);
        return;
    }
    tex_get(t);
    if (c == '%') {
        run_comment(t);
    } else if (c == '\\') {
        size_t n = tex_read_name(t, name);
        if (n > 0)
            tex_run_command(t, name, n, true);
    } else if (c == '$') {
        run_dollar(t);
    } else if (c == '~') {
        tex_put_text(t, " ");
    } else if (c == '&') {
        tex_put_cell(t);
    } else if ((c == '^' || c == '_') && t->math) {
        tex_put_script(t, (char)c);
    } else if (c != '{' && c != '}' && c != '#') {
        tex_put_sign(t, c);
    }
}

void tex_run(tex *t) {
    while (!t->ended && !t->failed && tex_peek(t) >= 0) {
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
    if (!t)
        return;
    while (t->n_frames > 0)
        tex_pop(t);
    drt_buffer_free(&t->title);
    drt_buffer_free(&t->front);
    tex_free_bibliography(t);
    tex_free_counters(t);
    drt_tex_macros_free(&t->macros);
    drt_tex_macros_free(&t->labels);
    free(t);
}

/* Without LaTeX? Parts of a document don't say so. */
static bool is_plain(const char *data, size_t length) {
    return drt_tex_contains(data, length, "\\bye") || drt_tex_contains(data, length, "\\magnification") ||
           drt_tex_contains(data, length, "\\nopagenumbers");
}

/* Reads the source into the extract. known_labels: what an earlier reading found, or NULL. whole: it is a text from its
 * beginning on. NULL: out of memory. */
static tex *read_source(drt_context *context, const drt_buffer *source, const drt_tex_macros *known_labels, bool whole,
                        drt_extract *extract) {
    const char *data = source->data ? source->data : "";
    tex *t = calloc(1, sizeof *t);
    if (!t)
        return NULL;
    t->context = context;
    t->extract = extract;
    t->known_labels = known_labels;
    t->budget = EXPANSION + EXPANSION_RATIO * (int64_t)source->length;
    t->body = whole;
    t->plain = t->body && is_plain(data, source->length);
    drt_flow_start(&t->flow, &extract->text);
    tex_start_counters(t, drt_tex_contains(data, source->length, "\\chapter{"));
    tex_find_bibliography(t, data, source->length);
    tex_push(t, data, source->length, NULL, true);
    tex_run(t);
    if (!t->cancelled)
        tex_set_title(t);
    t->failed |= !drt_flow_finish(&t->flow, false);
    return t;
}

/* A source of any length would take many times its length in macros, notes and labels. */
static bool cut_source(drt_buffer *source, drt_extract *extract) {
    if (source->length <= DRT_TEX_SOURCE_BYTES)
        return true;
    source->length = drt_utf8_valid_prefix(source->data, DRT_TEX_SOURCE_BYTES);
    return drt_extract_note(extract, DRT_DOCUMENT_PARTIAL,
                            "with what it includes it is longer than %u MiB; the rest was not read",
                            DRT_TEX_SOURCE_BYTES >> 20);
}

/* How a source is read: whole, or from \begin{document} on; again when that never comes, since it stands in a comment or in
 * an example. Twice when it refers to its own numbers, as TeX does. */
static drt_status read_twice(drt_context *context, const drt_buffer *source, const drt_charset_facts *facts,
                             drt_extract *extract) {
    const char *data = source->data ? source->data : "";
    bool refers = drt_tex_contains(data, source->length, "label") && drt_tex_contains(data, source->length, "ref");
    bool whole = !drt_tex_contains(data, source->length, "\\begin{document}");
    tex *first = NULL, *t = NULL;
    drt_extract draft = {0};
    bool ok = true, cancelled = false;
    if (refers || !whole) {
        first = read_source(context, source, NULL, whole, &draft);
        ok = first && !first->failed;
        cancelled = first && first->cancelled;
        whole |= ok && !first->body;
    }
    if (ok && !cancelled)
        t = read_source(context, source, first && first->body ? &first->labels : NULL, whole, extract);
    ok = ok && (cancelled || (t && !t->failed && note_losses(t, facts)));
    cancelled |= t && t->cancelled;
    drt_extract_clear(&draft);
    clear(first);
    clear(t);
    return cancelled ? DRT_FAILED : ok ? DRT_OK : drt_fail_memory(context, "a document");
}

drt_status drt_format_tex_extract(drt_context *context, const drt_format_input *input, drt_extract *extract) {
    drt_buffer decoded = {0};
    drt_charset_facts facts;
    const char *label = NULL;
    size_t label_length = drt_tex_encoding(input->data, input->length, &label);
    drt_status status = drt_charset_decode(context, input->data, input->length, label, label_length, &decoded, &facts);
    drt_tex_end_lines(&decoded);
    if (status == DRT_OK && !cut_source(&decoded, extract))
        status = drt_fail_memory(context, "a document");
    if (status == DRT_OK)
        status = read_twice(context, &decoded, &facts, extract);
    drt_buffer_free(&decoded);
    return status;
}

/* The first byte that is neither white space nor of a comment. */
static size_t find_start(const drt_format_probe *probe) {
    size_t at = 0;
    for (; at < probe->head_length; at++) {
        char c = probe->head[at];
        const char *end = c == '%' ? memchr(probe->head + at, '\n', probe->head_length - at) : NULL;
        if (end)
            at = (size_t)(end - probe->head);
        else if (!isspace((unsigned char)c))
            break;
    }
    return at;
}

/* No extension, or numbers for one, as papers have in the archives of preprints ("hep-th9901001", "2103.01234"). */
static bool is_nameless(const drt_format_probe *probe) {
    size_t dot = probe->name_length;
    while (dot > 0 && probe->name[dot - 1] != '.')
        dot--;
    for (size_t i = dot; i < probe->name_length && dot > 0; i++)
        if (!isdigit((unsigned char)probe->name[i]) && probe->name[i] != 'v')
            return false;
    return true;
}

/* A file that begins with its class, whatever its name; texts about TeX don't. One without a telling name may begin with
 * another command that only sources begin with. */
bool drt_format_tex_detect(const drt_format_probe *probe) {
    static const char *const starts[] = {"documentclass", "documentstyle", "RequirePackage", "NeedsTeXFormat"};
    static const char *const others[] = {"input",
                                         "magnification",
                                         "def",
                                         "font",
                                         "hsize",
                                         "vsize",
                                         "newcommand",
                                         "nopagenumbers",
                                         "overfullrule",
                                         "baselineskip",
                                         "catcode",
                                         "parskip",
                                         "parindent",
                                         "tolerance",
                                         "raggedbottom",
                                         "batchmode",
                                         "nonstopmode",
                                         "scrollmode",
                                         "UseRawInputEncoding",
                                         "PassOptionsToPackage",
                                         "ifx",
                                         "let",
                                         "begin"};
    size_t at = find_start(probe), n = probe->head_length - at;
    if (n < 2 || probe->head[at] != '\\')
        return false;
    n = drt_tex_control(probe->head + at, n, false) - 1;
    drt_string word = {(char *)probe->head + at + 1, n};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (drt_string_equal(&word, starts[i], strlen(starts[i])))
            return true;
    for (size_t i = 0; i < sizeof others / sizeof *others && is_nameless(probe); i++)
        if (drt_string_equal(&word, others[i], strlen(others[i])))
            return true;
    return false;
}

/* What TeX and its helpers write beside a document: lists of its parts, and logs. */
bool drt_format_tex_detect_written(const drt_format_probe *probe) {
    bool list = drt_name_has_extension(probe->name, probe->name_length,
                                       " .toc .out .loa .nav .snm .vrb .idx .ind .glo .gls .thm .brf ");
    bool log = drt_name_has_extension(probe->name, probe->name_length, " .log .blg .ilg ");
    size_t at = find_start(probe), head = probe->head_length < 60 ? probe->head_length : 60;
    return (list && at < probe->head_length && probe->head[at] == '\\') ||
           (log && head > 8 && memcmp(probe->head, "This is ", 8) == 0 &&
            (drt_tex_contains(probe->head, head, "TeX") || drt_tex_contains(probe->head, head, "makeindex")));
}
