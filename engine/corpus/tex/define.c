/* define.c: macros that a document defines. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <string.h>

#include "engine/corpus/tex/tables.h"

/* "{\name}", "\name": the name of what is defined; its length, 0: none. */
size_t tex_read_defined(tex *t, char name[TEX_NAME]) {
    tex_skip_space(t);
    bool braces = tex_take(t, '{');
    tex_skip_space(t);
    if (!tex_take(t, '\\'))
        return 0;
    size_t n = tex_read_name(t, name);
    tex_skip_space(t);
    if (braces)
        tex_take(t, '}');
    return n;
}

/* Commands that make up the document's structure stay what they are. */
static void define(tex *t, drt_tex_macro *macro) {
    macro->letter_at = tex_has_letter_at(t);
    if (macro->name.data && !tex_find_command(macro->name.data, macro->name.length))
        t->failed |= !drt_tex_define(&t->macros, macro);
    else
        drt_tex_macro_clear(macro);
}

/* [n][standard]{body} of a command or environment; name is taken over. */
static void read_definition(tex *t, drt_string *name) {
    drt_tex_macro macro = {.name = *name};
    drt_buffer text = {0};
    *name = (drt_string){0};
    if (tex_read_option(t, &text) && text.length == 1 && isdigit((unsigned char)text.data[0]))
        macro.parameters = text.data[0] - '0';
    text.length = 0;
    if (tex_read_option(t, &text))
        t->failed |= !drt_string_take(&macro.standard, &text);
    text.length = 0;
    tex_read_argument(t, &text);
    t->failed |= !drt_string_take(&macro.body, &text);
    drt_buffer_free(&text);
    tex_describe_counter(t, &macro);
    define(t, &macro);
}

void tex_new_command(tex *t) {
    char name[TEX_NAME];
    drt_string owned;
    tex_take(t, '*');
    size_t n = tex_read_defined(t, name);
    if (n == 0)
        return;
    t->failed |= !drt_string_set(&owned, name, n);
    read_definition(t, &owned);
}

/* Is the text of the parameters "#1#2", without anything between or behind them? */
static bool is_plain(const drt_buffer *pattern) {
    for (size_t i = 0; i < pattern->length; i++)
        if (pattern->data[i] != (i % 2 ? (char)('1' + i / 2) : '#'))
            return false;
    return pattern->length % 2 == 0 && pattern->length <= 2 * DRT_TEX_PARAMETERS;
}

/* The text of the parameters, up to the brace; white space as single spaces. */
static void read_pattern(tex *t, drt_buffer *pattern) {
    for (int c; (c = tex_peek(t)) >= 0 && c != '{' && c != '}' && !t->failed;) {
        tex_get(t);
        if (c == '%')
            tex_skip_comment(t);
        else if (!isspace(c))
            t->failed |= !drt_buffer_append_byte(pattern, (char)c);
        else if (pattern->length > 0 && pattern->data[pattern->length - 1] != ' ')
            t->failed |= !drt_buffer_append_byte(pattern, ' ');
    }
}

/* \def\name#1/#2.{body} */
void tex_define(tex *t) {
    char name[TEX_NAME];
    drt_tex_macro macro = {0};
    drt_buffer body = {0}, pattern = {0};
    size_t length = tex_read_defined(t, name);
    read_pattern(t, &pattern);
    if (tex_take(t, '{'))
        tex_read_group(t, &body);
    macro.parameters = (int)pattern.length / 2;
    macro.kind = is_plain(&pattern) ? DRT_TEX_PLAIN : DRT_TEX_DELIMITED;
    t->failed |= !drt_string_set(&macro.name, name, length) || !drt_string_take(&macro.body, &body) ||
                 (macro.kind == DRT_TEX_DELIMITED && !drt_string_take(&macro.pattern, &pattern));
    drt_buffer_free(&body);
    drt_buffer_free(&pattern);
    if (length > 0)
        define(t, &macro);
    else
        drt_tex_macro_clear(&macro);
}

/* \NewDocumentCommand{\name}{s O{standard} m}{body} */
void tex_new_document_command(tex *t) {
    char name[TEX_NAME];
    drt_tex_macro macro = {.kind = DRT_TEX_DESCRIBED};
    drt_buffer body = {0}, pattern = {0};
    size_t length = tex_read_defined(t, name);
    tex_read_argument(t, &pattern);
    tex_read_argument(t, &body);
    t->failed |= !drt_string_set(&macro.name, name, length) || !drt_string_take(&macro.body, &body) ||
                 !drt_string_take(&macro.pattern, &pattern);
    drt_buffer_free(&body);
    drt_buffer_free(&pattern);
    if (length > 0)
        define(t, &macro);
    else
        drt_tex_macro_clear(&macro);
}

/* \let\new=\old */
void tex_let(tex *t) {
    char name[TEX_NAME], old[TEX_NAME];
    drt_tex_macro macro = {0};
    size_t length = tex_read_defined(t, name);
    tex_take(t, '=');
    tex_skip_space(t);
    if (!tex_take(t, '\\')) {
        tex_get(t);
        return;
    }
    size_t n = tex_read_name(t, old);
    const drt_tex_macro *known = drt_tex_find(&t->macros, old, n);
    macro.kind = known ? known->kind : DRT_TEX_ALIAS;
    macro.parameters = known ? known->parameters : 0;
    t->failed |=
        !drt_string_set(&macro.name, name, length) ||
        (known ? !drt_string_copy(&macro.body, &known->body) || !drt_string_copy(&macro.standard, &known->standard) ||
                     !drt_string_copy(&macro.pattern, &known->pattern)
               : !drt_string_set(&macro.body, old, n));
    if (length > 0)
        define(t, &macro);
    else
        drt_tex_macro_clear(&macro);
}

/* \DeclareMathOperator{\name}{text} */
void tex_new_operator(tex *t) {
    char name[TEX_NAME];
    drt_tex_macro macro = {0};
    drt_buffer text = {0}, body = {0};
    tex_take(t, '*');
    size_t length = tex_read_defined(t, name);
    tex_read_argument(t, &text);
    bool ok = drt_buffer_append_text(&body, "\\operatorname{") &&
              drt_buffer_append(&body, text.data ? text.data : "", text.length) && drt_buffer_append_byte(&body, '}') &&
              drt_string_set(&macro.name, name, length) && drt_string_take(&macro.body, &body);
    drt_buffer_free(&text);
    drt_buffer_free(&body);
    t->failed |= !ok;
    if (ok && length > 0)
        define(t, &macro);
    else
        drt_tex_macro_clear(&macro);
}

/* "begin name": no command has a space in its name. */
bool tex_environment_key(drt_string *key, const char *which, const drt_buffer *name) {
    drt_buffer joined = {0};
    bool ok = drt_buffer_append_text(&joined, which) &&
              drt_buffer_append(&joined, name->data ? name->data : "", name->length) && drt_string_take(key, &joined);
    drt_buffer_free(&joined);
    return ok;
}

/* \newenvironment{name}[n][standard]{begin}{end} */
void tex_new_environment(tex *t) {
    drt_buffer name = {0};
    drt_string begin = {0}, end = {0};
    drt_tex_macro macro = {0};
    drt_buffer body = {0};
    tex_take(t, '*');
    tex_read_argument(t, &name);
    t->failed |= !tex_environment_key(&begin, "begin ", &name) || !tex_environment_key(&end, "end ", &name);
    read_definition(t, &begin);
    tex_read_argument(t, &body);
    macro.name = end;
    t->failed |= !drt_string_take(&macro.body, &body);
    if (macro.name.data)
        define(t, &macro);
    drt_tex_macro_clear(&macro);
    drt_buffer_free(&body);
    drt_buffer_free(&name);
}

/* \newtheorem{name}[counter]{Title}[outer]: the environment begins with its title. */
void tex_new_theorem(tex *t) {
    drt_buffer name = {0}, counter = {0}, title = {0}, outer = {0}, body = {0};
    drt_tex_macro macro = {0};
    bool star = tex_take(t, '*');
    tex_read_argument(t, &name);
    bool shared = tex_read_option(t, &counter);
    tex_read_argument(t, &title);
    tex_read_option(t, &outer);
    if (!star && !shared)
        tex_add_theorem(t, &name, &outer);
    const drt_buffer *counted = shared ? &counter : &name;
    bool ok = tex_environment_key(&macro.name, "begin ", &name) &&
              drt_buffer_printf(&body, "\\theoremhead{%.*s}{", star ? 0 : (int)counted->length,
                                counted->data ? counted->data : "") &&
              drt_buffer_append(&body, title.data ? title.data : "", title.length) &&
              drt_buffer_append_text(&body, "}") && drt_string_take(&macro.body, &body);
    t->failed |= !ok;
    if (ok)
        define(t, &macro);
    drt_tex_macro_clear(&macro);
    drt_buffer_free(&name);
    drt_buffer_free(&counter);
    drt_buffer_free(&title);
    drt_buffer_free(&outer);
    drt_buffer_free(&body);
}
