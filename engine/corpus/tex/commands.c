/* commands.c: what the commands of TeX and LaTeX do to the text. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/corpus/tex/tables.h"

#define ARGUMENTS 500 /* bytes of groups that are taken for arguments of an unknown command */

/* Text as it is typed, between braces or two signs of one kind. */
static void put_raw(tex *t, bool braces_only) {
    tex_frame *f = tex_source(t);
    if (!f)
        return;
    char open = f->data[f->at], close = open == '{' ? '}' : open;
    if (isalnum((unsigned char)open) || (braces_only && open != '{' && !ispunct((unsigned char)open)))
        return;
    size_t at = ++f->at;
    for (int depth = 0; at < f->length && (f->data[at] != close || depth > 0) && f->data[at] != '\n'; at++)
        depth += open != '{' ? 0 : f->data[at] == '{' ? 1 : f->data[at] == '}' ? -1 : 0;
    tex_put(t, f->data + f->at, at - f->at);
    f->at = at < f->length && f->data[at] != '\n' ? at + 1 : at;
}

/* Macros that every TeX has: nothing is lost with them. */
static bool is_common(const drt_buffer *name) {
    static const char *const names[] = {"glyphtounicode", "epsf",       "harvmac",  "psfig",    "amstex", "amssym",
                                        "amssym.def",     "amssym.tex", "pstricks", "xy",       "xypic",  "tcilatex",
                                        "mssymb",         "phyzzx",     "jytex",    "lanlmac",  "eplain", "miniltx",
                                        "graphicx",       "color",      "pictex",   "epsfig",   "rotate", "tikz",
                                        "fixltx2e",       "plain",      "latexsym", "supertab", "hyphen", "ushyph"};
    size_t n = name->length;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        size_t length = strlen(names[i]);
        bool suffix = n == length + 4 &&
                      (memcmp(name->data + length, ".tex", 4) == 0 || memcmp(name->data + length, ".sty", 4) == 0);
        if ((n == length || suffix) && memcmp(name->data, names[i], length) == 0)
            return true;
    }
    return false;
}

/* A file that isn't part of the source. */
static void miss(tex *t) {
    drt_buffer name = {0};
    tex_skip_space(t);
    tex_frame *f = tex_source(t);
    if (f && f->data[f->at] != '{') { /* \input name */
        size_t at = f->at;
        while (at < f->length && !isspace((unsigned char)f->data[at]) && f->data[at] != '\\' && f->data[at] != '}')
            at++;
        t->failed |= !drt_buffer_append(&name, f->data + f->at, at - f->at);
        f->at = at;
    } else {
        tex_read_argument(t, &name);
    }
    size_t used = strlen(t->missing);
    if (name.length > 0 && !is_common(&name) && t->n_missing++ < 4 && used + name.length + 3 < TEX_MISSING &&
        !memchr(name.data, 0, name.length))
        snprintf(t->missing + used, TEX_MISSING - used, "%s%.*s", used ? ", " : "", (int)name.length, name.data);
    drt_buffer_free(&name);
}

static void put_note(tex *t) {
    drt_buffer note = {0};
    tex_drop_overlay(t);
    if (t->plain)
        tex_drop_arguments(t, "m"); /* the mark */
    tex_read_argument(t, &note);
    if (t->body && !t->capture && note.length > 0) {
        int tables = t->tables, math = t->math;
        t->tables = t->math = 0;
        drt_flow_note_start(&t->flow);
        tex_run_text(t, &note);
        drt_flow_note_end(&t->flow);
        t->tables = tables;
        t->math = math;
    }
    drt_buffer_free(&note);
}

/* \section{...}, \caption{...} */
static void put_block(tex *t) {
    tex_end_paragraph(t);
    tex_run_argument(t);
    tex_end_paragraph(t);
}

/* \abstract{...}: before the document begins it is kept for then. */
static void put_front(tex *t) {
    drt_buffer text = {0};
    tex_skip_space(t);
    if (t->body || tex_peek(t) != '{') {
        put_block(t);
        return;
    }
    tex_read_argument(t, &text);
    t->failed |= !drt_buffer_append_text(&t->front, "\n\n") ||
                 !drt_buffer_append(&t->front, text.data ? text.data : "", text.length) ||
                 !drt_buffer_append_text(&t->front, "\n\n");
    drt_buffer_free(&text);
}

/* \hspace{1em} is a space, unless it takes some away. */
static void put_space(tex *t) {
    drt_buffer size = {0};
    tex_take(t, '*');
    tex_read_argument(t, &size);
    if (size.length > 0 && size.data[0] != '-' && size.data[0] != '0')
        tex_put_text(t, " ");
    drt_buffer_free(&size);
}

/* \xspace: the space behind a macro's name, unless a sign follows that has none before it. */
static void put_space_of_word(tex *t) {
    int next = tex_peek(t);
    const tex_frame *f = next == '\\' ? tex_source(t) : NULL;
    bool command = f && f->at + 1 < f->length && isalpha((unsigned char)f->data[f->at + 1]);
    bool note = f && f->length - f->at > 9 && memcmp(f->data + f->at, "\\footnote", 9) == 0;
    if (next >= 0x80 || isalnum(next) || (next > 0 && strchr("$([`\"", next)) || (command && !note))
        tex_put_text(t, " ");
}

/* \section*[short]{...} */
static void put_section(tex *t, const char *name) {
    bool star = tex_take(t, '*');
    tex_drop_overlay(t);
    tex_drop_option(t);
    if (!star)
        tex_number_section(t, name);
    put_block(t);
}

/* \caption*[short]{...}, \captionof{figure}[short]{...} */
static void put_caption(tex *t, bool typed) {
    drt_buffer type = {0};
    bool star = tex_take(t, '*');
    if (typed)
        tex_read_argument(t, &type);
    tex_drop_option(t);
    if (!star)
        tex_number_caption(t, type.data ? type.data : "", type.length);
    drt_buffer_free(&type);
    put_block(t);
}

static void put_item(tex *t) {
    drt_buffer label = {0};
    tex_end_line(t);
    tex_drop_overlay(t);
    if (tex_read_option(t, &label)) {
        tex_run_text(t, &label);
        tex_put_text(t, " ");
    } else {
        tex_number_item(t);
    }
    drt_buffer_free(&label);
}

static void end_row(tex *t) {
    tex_take(t, '*');
    tex_drop_option(t);
    if (!t->matrices)
        tex_number_row(t);
    if (t->math == 1 || (t->math && t->matrices))
        tex_put_text(t, "; ");
    else if (t->math || !t->tables || t->capture)
        tex_end_line(t);
    else if (t->body)
        drt_flow_row(&t->flow);
}

void tex_put_cell(tex *t) {
    if (t->math || !t->tables || t->capture || !t->body)
        tex_put_text(t, " ");
    else
        drt_flow_cell(&t->flow);
}

static void put_operator(tex *t) {
    drt_buffer text = tex_render_argument(t);
    tex_put_word(t, text.data ? text.data : "", text.length);
    drt_buffer_free(&text);
}

static void put_root(tex *t) {
    tex_drop_option(t);
    tex_put_enclosed(t, "\xE2\x88\x9A(", ")");
}

static void put_option(tex *t) {
    drt_buffer text = {0};
    if (tex_read_option(t, &text)) {
        tex_end_paragraph(t);
        tex_run_text(t, &text);
        tex_end_paragraph(t);
    }
    drt_buffer_free(&text);
}

/* The target of a link, which may have any signs; its text follows. */
static void drop_target(tex *t) {
    tex_skip_space(t);
    tex_frame *f = tex_source(t);
    int depth = 0;
    if (!f || f->data[f->at] != '{')
        return;
    for (size_t at = f->at; at < f->length && f->data[at] != '\n'; at++) {
        depth += f->data[at] == '{' ? 1 : f->data[at] == '}' ? -1 : 0;
        if (depth == 0) {
            f->at = at + 1;
            return;
        }
    }
    tex_drop_arguments(t, "m");
}

/* \font\name=cmr10 scaled 2000 */
static void drop_font(tex *t) {
    char name[TEX_NAME];
    tex_read_defined(t, name);
    tex_take(t, '=');
    tex_skip_space_of_word(t);
    for (int c; (c = tex_peek(t)) >= 0 && (isalnum(c) || c == '-' || c == '_' || c == '.');)
        tex_get(t);
    tex_frame *f = tex_source(t);
    size_t left = f ? f->length - f->at : 0;
    size_t word = left > 8 && memcmp(f->data + f->at, " scaled ", 8) == 0 ? 8
                  : left > 4 && memcmp(f->data + f->at, " at ", 4) == 0   ? 4
                                                                          : 0;
    if (word == 0)
        return;
    f->at += word;
    tex_drop_dimension(t);
}

/* \catcode`\@=11 makes "@" a letter. */
static void set_category(tex *t) {
    int sign = 0;
    tex_skip_space(t);
    if (tex_take(t, '`')) {
        tex_take(t, '\\');
        sign = tex_get(t);
    } else {
        while (tex_peek(t) >= 0 && isdigit(tex_peek(t)))
            tex_get(t);
    }
    const tex_frame *f = tex_source(t);
    size_t left = f ? f->length - f->at : 0;
    if (sign == '@')
        t->at_letter = left >= 3 && memcmp(f->data + f->at, "=11", 3) == 0;
    tex_drop_dimension(t);
}

/* \char65, \char"41, \char`\A */
static void put_character(tex *t) {
    int base = tex_take(t, '"') ? 16 : tex_take(t, '\'') ? 8 : 10, c = 0, digit;
    if (tex_take(t, '`')) {
        tex_take(t, '\\');
        c = tex_get(t);
    } else {
        while ((digit = tex_peek(t)) >= 0 && (base == 16 ? isxdigit(digit) : isdigit(digit)) && c < 128) {
            c = c * base + (isdigit(digit) ? digit - '0' : toupper(digit) - 'A' + 10);
            tex_get(t);
        }
    }
    char byte = (char)c;
    if (c >= ' ' && c < 0x7F)
        tex_put(t, &byte, 1);
}

static void run_unless(tex *t) {
    char name[TEX_NAME];
    size_t n = tex_take(t, '\\') ? tex_read_name(t, name) : 0;
    if (n > 0)
        tex_run_condition(t, name, n, true);
}

/* What \newtheorem made: counter and title. */
static void put_theorem(tex *t) {
    drt_buffer counter = {0};
    tex_read_argument(t, &counter);
    drt_buffer title = tex_render_argument(t);
    tex_put_statement(t, counter.data ? counter.data : "", counter.length, title.data ? title.data : "", title.length);
    drt_buffer_free(&counter);
    drt_buffer_free(&title);
}

/* \usepackage[german]{babel} */
static void take_options(tex *t) {
    drt_buffer option = {0};
    if (tex_read_option(t, &option)) {
        for (size_t i = 0; i + 6 <= option.length; i++)
            t->german |= memcmp(option.data + i, "german", 6) == 0;
    }
    option.length = 0;
    tex_read_argument(t, &option);
    t->german |= option.length == 6 && memcmp(option.data, "german", 6) == 0;
    t->slides |= option.length == 6 && memcmp(option.data, "beamer", 6) == 0;
    tex_set_class(t, option.data ? option.data : "", option.length);
    tex_drop_option(t);
    drt_buffer_free(&option);
}

/* Code in another syntax, until that is switched off. */
static void skip_code(tex *t) {
    static const char end[] = "\\ExplSyntaxOff";
    tex_frame *f = tex_source(t);
    for (size_t at = f ? f->at : 0; f && at < f->length; at++)
        if (f->length - at >= sizeof end - 1 && memcmp(f->data + at, end, sizeof end - 1) == 0) {
            f->at = at;
            return;
        }
    if (f)
        tex_spend(t, f->length - f->at);
}

static void run_action(tex *t, const tex_command *c) {
    for (const char *argument = c->arguments; *argument; argument++)
        if (*argument == '*')
            tex_take(t, '*');
        else
            tex_drop_arguments(t, (const char[]){*argument, 0});
    switch (c->action) {
    case TEX_AUTHOR:
        tex_take_authors(t);
        break;
    case TEX_AUTHORS_AND:
        tex_put_text(t, t->author ? ";" : " ");
        break;
    case TEX_BEGIN:
    case TEX_END:
        tex_run_environment(t, c->action == TEX_BEGIN);
        break;
    case TEX_CODE:
        skip_code(t);
        break;
    case TEX_BIBLIOGRAPHY_ITEM:
        tex_put_bibliography_item(t);
        break;
    case TEX_BINOMIAL:
        tex_put_enclosed(t, "(", "");
        tex_put_enclosed(t, " choose ", ")");
        break;
    case TEX_BLOCK:
        put_block(t);
        break;
    case TEX_BLOCK_OF_OPTION:
        put_option(t);
        break;
    case TEX_ACRONYM:
        tex_put_acronym(t, c->name);
        break;
    case TEX_ACRONYM_KEYS_NEW:
        tex_new_described_acronym(t);
        break;
    case TEX_ACRONYM_NEW:
    case TEX_ACRONYM_SHORT_NEW:
        tex_new_acronym(t, c->action == TEX_ACRONYM_SHORT_NEW);
        break;
    case TEX_APPENDIX:
        tex_appendix(t);
        break;
    case TEX_CAPTION:
        put_caption(t, false);
        break;
    case TEX_CAPTION_OF:
        put_caption(t, true);
        break;
    case TEX_COUNTER:
        tex_set_counter(t, c->name);
        break;
    case TEX_COUNTER_NEW:
        tex_number_within(t, true);
        break;
    case TEX_COUNTER_WITHIN:
        tex_number_within(t, false);
        break;
    case TEX_LABEL:
        tex_put_label(t);
        break;
    case TEX_SECTION:
        put_section(t, c->name);
        break;
    case TEX_TAG:
        tex_tag(t);
        break;
    case TEX_UNNUMBERED:
        tex_unnumber(t);
        break;
    case TEX_CATCODE:
        set_category(t);
        break;
    case TEX_CHARACTER:
        put_character(t);
        break;
    case TEX_CITE:
        tex_put_citation(t, c->name);
        break;
    case TEX_CLOSE_MATH:
        tex_end_math(t);
        break;
    case TEX_DATE:
        tex_take_line(t, &t->extract->date);
        break;
    case TEX_DEFINE:
        tex_define(t);
        break;
    case TEX_DELIMITER:
        tex_skip_space(t);
        tex_take(t, '.');
        break;
    case TEX_DIMENSION:
        tex_drop_dimension(t);
        break;
    case TEX_DROP:
        break;
    case TEX_ELSE:
        tex_skip_branch(t, false);
        break;
    case TEX_END_DOCUMENT:
        t->ended = true;
        break;
    case TEX_FRONT:
        put_front(t);
        break;
    case TEX_FONT:
        drop_font(t);
        break;
    case TEX_FRACTION:
        tex_put_enclosed(t, "(", ")");
        tex_put_enclosed(t, "/(", ")");
        break;
    case TEX_IF_NEW:
        tex_new_condition(t);
        break;
    case TEX_IF_OFF:
        tex_set_condition(t, TEX_SWITCH_OFF);
        break;
    case TEX_IF_ON:
        tex_set_condition(t, TEX_SWITCH_ON);
        break;
    case TEX_IF_TO:
        tex_set_condition(t, TEX_SWITCH_TO);
        break;
    case TEX_INLINE_MATH:
        tex_begin_math(t, 1);
        break;
    case TEX_INPUT:
        miss(t);
        break;
    case TEX_ITEM:
        put_item(t);
        break;
    case TEX_LET_BE:
        tex_let(t);
        break;
    case TEX_LETTER_AT:
    case TEX_OTHER_AT:
        t->at_letter = c->action == TEX_LETTER_AT;
        break;
    case TEX_LINE:
        end_row(t);
        break;
    case TEX_LINK:
        drop_target(t);
        break;
    case TEX_NEW_COMMAND:
        tex_new_command(t);
        break;
    case TEX_NEW_DOCUMENT_COMMAND:
        tex_new_document_command(t);
        break;
    case TEX_NEW_ENVIRONMENT:
        tex_new_environment(t);
        break;
    case TEX_NEW_OPERATOR:
        tex_new_operator(t);
        break;
    case TEX_NEW_THEOREM:
        tex_new_theorem(t);
        break;
    case TEX_NOT:
        tex_put_crossed(t);
        break;
    case TEX_NOTE:
        put_note(t);
        break;
    case TEX_OPEN_MATH:
        tex_begin_math(t, 2);
        break;
    case TEX_OPERATOR:
        put_operator(t);
        break;
    case TEX_PARAGRAPH:
        tex_end_paragraph(t);
        break;
    case TEX_PART:
        tex_number_part(t);
        break;
    case TEX_REFERENCE:
        tex_put_reference(t, c->name);
        break;
    case TEX_REFERENCE_IN_PARENTHESES:
        tex_put_text(t, "(");
        tex_put_reference(t, c->name);
        tex_put_text(t, ")");
        break;
    case TEX_ROOT:
        put_root(t);
        break;
    case TEX_SET_NOTHING:
    case TEX_SET_VERBATIM:
        tex_set_environment(t, c->action == TEX_SET_VERBATIM);
        break;
    case TEX_SPACE_OF_WORD:
        put_space_of_word(t);
        break;
    case TEX_SPACE:
        put_space(t);
        break;
    case TEX_NEW_LINE:
        tex_end_line(t);
        break;
    case TEX_STATEMENT:
        put_theorem(t);
        break;
    case TEX_TEXT_IN_MATH:
        tex_run_as_text(t);
        break;
    case TEX_TITLE:
        tex_take_title(t);
        break;
    case TEX_UNIT:
        tex_put_unit(t);
        break;
    case TEX_UNLESS:
        run_unless(t);
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

/* Do groups follow each other here, "{a}{b}"? Then how long they are together, else 0. They may not be long: the text behind
 * a command like \small stands in braces, too. */
static size_t find_arguments(const tex_frame *f) {
    size_t end = 0;
    int depth = 0, n = 0;
    for (size_t at = f->at; at < f->length && at - f->at < ARGUMENTS; at++) {
        char c = f->data[at];
        if (c == '%' || (depth == 0 && c != '{'))
            break;
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        at += c == '\\';
        if (depth == 0) {
            n++;
            end = at + 1;
        }
    }
    return n > 1 ? end - f->at : 0;
}

/* Sets groups that follow each other, with spaces between them. */
static void run_arguments(tex *t, size_t length) {
    const tex_frame *f = tex_source(t);
    drt_buffer text = {0};
    int depth = 0;
    for (size_t i = 0; i < length; i++) {
        char c = f->data[f->at + i];
        depth += c == '{' ? 1 : c == '}' ? -1 : 0;
        t->failed |= !drt_buffer_append_byte(&text, c);
        if (c == '\\' && i + 1 < length)
            t->failed |= !drt_buffer_append_byte(&text, f->data[f->at + ++i]);
        if (depth == 0 && i + 1 < length)
            t->failed |= !drt_buffer_append_byte(&text, ' ');
    }
    t->frames[t->n_frames - 1].at += length;
    tex_spend(t, text.length);
    if (text.length > 0)
        tex_push(t, text.data, text.length, text.data, false);
    else
        drt_buffer_free(&text);
}

/* A command that nothing is known of: its name and an option go, its arguments stay; so does not what is assigned. Names that
 * end in "ref" are those of references. */
static void run_unknown(tex *t, const char *name, size_t length) {
    tex_drop_overlay(t);
    int next = tex_peek(t);
    const tex_frame *f = next == '{' ? tex_source(t) : NULL;
    size_t arguments = f && !t->math ? find_arguments(f) : 0;
    if (f && length > 3 && strcmp(name + length - 3, "ref") == 0 && tex_names_labels(t))
        tex_put_reference(t, "Cref");
    else if (arguments > 0)
        run_arguments(t, arguments);
    else if (next == '[' && !t->math)
        tex_drop_arguments(t, "oo");
    else if (next == '=' && !t->math)
        tex_drop_dimension(t);
}

void tex_run_command(tex *t, const char *name, size_t length, bool defined) {
    bool math_only;
    const char *text;
    const drt_tex_macro *macro = defined ? drt_tex_find(&t->macros, name, length) : NULL;
    const tex_command *c = macro ? NULL : tex_find_command(name, length);
    if (macro)
        tex_expand(t, macro);
    else if (c)
        run_action(t, c);
    else if (t->tabbing && length == 1 && strchr("=>", name[0]))
        tex_put_text(t, " ");
    else if ((text = drt_tex_accent(name, length, &math_only)) != NULL && (t->math || !math_only))
        tex_put_accent(t, text);
    else if ((text = drt_tex_symbol(name, length)) != NULL)
        tex_put_text(t, text);
    else if (t->math && drt_tex_is_function(name, length))
        tex_put_word(t, name, length);
    else if (tex_is_condition(name, length))
        tex_run_condition(t, name, length, false);
    else if (!tex_expand_standard(t, name, length) && !tex_run_braced_condition(t, name, length) &&
             !tex_switch_condition(t, name, length))
        run_unknown(t, name, length);
}
