/* tex_define.c: macros that a document defines, and their expansion. See tex_run.h. */
#include "engine/corpus/tex_run.h"

#include <ctype.h>
#include <string.h>

#include "engine/corpus/tex_tables.h"

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
    if (macro->name.data && !tex_find_command(macro->name.data, macro->name.length))
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
    if (tex_read_option(t, &text) && text.length == 1 && isdigit((unsigned char)text.data[0]))
        macro.parameters = text.data[0] - '0';
    text.length = 0;
    if (tex_read_option(t, &text))
        t->failed |= !set_string(&macro.standard, &text);
    text.length = 0;
    tex_read_argument(t, &text);
    t->failed |= !set_string(&macro.body, &text);
    drt_buffer_free(&text);
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

/* \def\name#1#2{body}; with other delimiters it is known as one that can't be understood. */
void tex_define(tex *t) {
    char name[TEX_NAME];
    drt_tex_macro macro = {0};
    drt_buffer body = {0};
    int c, n = 0;
    size_t length = tex_read_defined(t, name);
    while ((c = tex_peek(t)) >= 0 && c != '{') {
        tex_get(t);
        if (c == '#' && tex_peek(t) == '1' + n && n < DRT_TEX_PARAMETERS) {
            tex_get(t);
            n++;
        } else if (!isspace(c)) {
            n = INT8_MIN;
        }
    }
    tex_take(t, '{');
    tex_read_group(t, &body);
    macro.parameters = n < 0 ? -1 : n;
    t->failed |= !drt_string_set(&macro.name, name, length) || !set_string(&macro.body, &body);
    drt_buffer_free(&body);
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
void tex_new_operator(tex *t) {
    char name[TEX_NAME];
    drt_tex_macro macro = {0};
    drt_buffer text = {0}, body = {0};
    tex_take(t, '*');
    size_t length = tex_read_defined(t, name);
    tex_read_argument(t, &text);
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
    t->failed |= !set_string(&macro.body, &body);
    if (macro.name.data)
        define(t, &macro);
    drt_tex_macro_clear(&macro);
    drt_buffer_free(&body);
    drt_buffer_free(&name);
}

/* \newtheorem{name}[counter]{Title}[counter]: the environment begins with its title. */
void tex_new_theorem(tex *t) {
    drt_buffer name = {0}, title = {0}, body = {0};
    drt_tex_macro macro = {0};
    tex_take(t, '*');
    tex_read_argument(t, &name);
    tex_drop_option(t);
    tex_read_argument(t, &title);
    tex_drop_option(t);
    bool ok = tex_environment_key(&macro.name, "begin ", &name) && drt_buffer_append_text(&body, "\\theoremhead{") &&
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
void tex_expand(tex *t, const drt_tex_macro *macro) {
    drt_buffer arguments[DRT_TEX_PARAMETERS] = {{0}}, body = {0};
    int n = macro->parameters;
    if (macro->alias) {
        char name[TEX_NAME];
        size_t length = macro->body.length < TEX_NAME ? macro->body.length : TEX_NAME - 1;
        memcpy(name, macro->body.data, length);
        name[length] = 0;
        tex_spend(t, length);
        tex_run_command(t, name, length, false);
        return;
    }
    for (int i = 0; i < n; i++)
        if (!(i == 0 && macro->standard.data))
            tex_read_argument(t, &arguments[i]);
        else if (!tex_read_option(t, &arguments[0]))
            t->failed |= !drt_buffer_append(&arguments[0], macro->standard.data, macro->standard.length);
    if (n >= 0 && !substitute(&macro->body, arguments, n, &body))
        t->failed = true;
    for (int i = 0; i < n; i++)
        drt_buffer_free(&arguments[i]);
    tex_spend(t, body.length);
    if (body.length > 0 && !t->ended)
        tex_push(t, body.data, body.length, body.data, false);
    else
        drt_buffer_free(&body);
}
