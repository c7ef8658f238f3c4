/* tex_conditions.c: \if... and its branches. See tex_run.h. */
#include "engine/corpus/tex_run.h"

#include <string.h>

/* ---------------------------------------------------------------- conditionals ---- */

bool tex_is_condition(const char *name, size_t length) {
    return length >= 2 && memcmp(name, "if", 2) == 0 && strcmp(name, "iff") != 0 && strcmp(name, "ifthenelse") != 0;
}

/* Passes over a branch: to its \else (true) or \fi. */
bool tex_skip_branch(tex *t, bool stop_at_else) {
    char name[TEX_NAME];
    int depth = 0, c = 0;
    while ((c = tex_get(t)) >= 0) {
        if (c == '%')
            tex_skip_comment(t);
        if (c != '\\')
            continue;
        size_t n = tex_read_name(t, name);
        if (strcmp(name, "fi") == 0 && depth-- == 0)
            return false;
        if (strcmp(name, "else") == 0 && depth == 0 && stop_at_else)
            return true;
        depth += tex_is_condition(name, n);
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
void tex_new_condition(tex *t) {
    char name[TEX_NAME];
    size_t n = tex_read_defined(t, name);
    if (n > 2 && tex_is_condition(name, n))
        set_condition(t, name + 2, n - 2, "0");
}

/* Those that can't be evaluated are false. */
void tex_run_condition(tex *t, const char *name, size_t length) {
    const drt_tex_macro *known = find_condition(t, name + 2, length - 2);
    bool holds = strcmp(name, "iftrue") == 0 || (known && known->body.data[0] == '1');
    if (!holds)
        tex_skip_branch(t, true);
}

/* \nametrue, \namefalse of a condition that \newif made. */
bool tex_switch_condition(tex *t, const char *name, size_t length) {
    size_t n = length > 4 && strcmp(name + length - 4, "true") == 0    ? 4
               : length > 5 && strcmp(name + length - 5, "false") == 0 ? 5
                                                                       : 0;
    if (n == 0 || !find_condition(t, name, length - n))
        return false;
    set_condition(t, name, length - n, n == 4 ? "1" : "0");
    return true;
}
