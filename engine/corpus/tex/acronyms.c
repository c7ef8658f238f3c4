/* acronyms.c: abbreviations that a document defines, with their long form at their first use. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <string.h>

/* Keeps a form under "which key"; no command has a space in its name. */
static void keep(tex *t, const char *which, const drt_buffer *key, drt_buffer *form) {
    drt_tex_macro macro = {0};
    drt_buffer name = {0};
    bool ok = drt_buffer_printf(&name, "%s ", which) &&
              drt_buffer_append(&name, key->data ? key->data : "", key->length) &&
              drt_string_take(&macro.name, &name) && drt_string_take(&macro.body, form);
    t->failed |= !ok || !drt_tex_define(&t->macros, &macro);
    drt_tex_macro_clear(&macro);
    drt_buffer_free(&name);
}

static const drt_tex_macro *find(tex *t, const char *which, const drt_buffer *key) {
    drt_buffer name = {0};
    const drt_tex_macro *found = NULL;
    if (drt_buffer_printf(&name, "%s ", which) && drt_buffer_append(&name, key->data ? key->data : "", key->length))
        found = drt_tex_find(&t->macros, name.data, name.length);
    else
        t->failed = true;
    drt_buffer_free(&name);
    return found;
}

/* \newacronym{key}{short}{long}; the package acronym: \acrodef{key}[short]{long}. */
void tex_new_acronym(tex *t, bool short_is_option) {
    drt_buffer key = {0}, abbreviation = {0}, meaning = {0};
    tex_read_argument(t, &key);
    bool has = short_is_option ? tex_read_option(t, &abbreviation) : tex_read_argument(t, &abbreviation);
    tex_read_argument(t, &meaning);
    if (!has)
        t->failed |= !drt_buffer_append(&abbreviation, key.data ? key.data : "", key.length);
    if (key.length > 0) {
        keep(t, "short", &key, &abbreviation);
        keep(t, "long", &key, &meaning);
    }
    drt_buffer_free(&key);
    drt_buffer_free(&abbreviation);
    drt_buffer_free(&meaning);
}

/* \newglossaryentry{key}{name={..}}, \DeclareAcronym{key}{short=.., long=..} */
void tex_new_described_acronym(tex *t) {
    drt_buffer key = {0}, list = {0}, form = {0}, meaning = {0};
    tex_read_argument(t, &key);
    tex_read_argument(t, &list);
    if (key.length > 0 && (tex_find_value(t, &list, "short", &form) || tex_find_value(t, &list, "name", &form)))
        keep(t, "short", &key, &form);
    if (key.length > 0 && tex_find_value(t, &list, "long", &meaning))
        keep(t, "long", &key, &meaning);
    drt_buffer_free(&key);
    drt_buffer_free(&list);
    drt_buffer_free(&form);
    drt_buffer_free(&meaning);
}

static void put_form(tex *t, const drt_tex_macro *form, bool capital, bool plural) {
    if (!form) /* no memory */
        return;
    drt_buffer source = {0}; /* a copy: what it runs may define it anew */
    t->failed |= !drt_buffer_append(&source, form->body.data, form->body.length);
    drt_buffer text = tex_render(t, &source);
    if (capital && text.length > 0)
        text.data[0] = (char)toupper((unsigned char)text.data[0]);
    tex_put(t, text.data ? text.data : "", text.length);
    tex_put_text(t, plural ? "s" : "");
    drt_buffer_free(&source);
    drt_buffer_free(&text);
}

/* \gls{key} and its like: "long form (LF)" at its first use, then "LF". */
void tex_put_acronym(tex *t, const char *command) {
    drt_buffer key = {0}, used = {0};
    tex_read_argument(t, &key);
    bool plural = strstr(command, "pl") || (command[strlen(command) - 1] == 'p' && strncmp(command, "ac", 2) == 0);
    bool capital = isupper((unsigned char)command[0]);
    bool only_short = strstr(command, "short") || strncmp(command, "acs", 3) == 0;
    bool only_long = strstr(command, "long") || strncmp(command, "acl", 3) == 0;
    bool both = strstr(command, "full") || strncmp(command, "acf", 3) == 0;
    const drt_tex_macro *abbreviation = find(t, "short", &key);
    bool known = find(t, "long", &key) != NULL, first = known && !find(t, "used", &key);
    if (!abbreviation) {
        tex_put(t, key.data ? key.data : "", key.length);
    } else if (known && only_long) {
        put_form(t, find(t, "long", &key), capital, plural);
    } else if (known && !only_short && (first || both)) {
        put_form(t, find(t, "long", &key), capital, plural);
        tex_put_text(t, " (");
        put_form(t, find(t, "short", &key), false, plural);
        tex_put_text(t, ")");
        keep(t, "used", &key, &used);
    } else {
        put_form(t, abbreviation, capital, plural);
    }
    drt_buffer_free(&key);
    drt_buffer_free(&used);
}
