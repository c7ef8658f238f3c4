/* conditions.c: \if... with its branches, and the conditions of packages whose branches stand in braces. What can't be
 * known is false, as it is for TeX unless somebody said otherwise. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/corpus/tex/tables.h"

#define SCAN_COST 2 /* bytes looked through in vain that count as one of an expansion */

/* ------------------------------------------------------------------ conditions with branches in braces ---- */

typedef enum {
    NOT_KNOWN, /* false */
    IS_DEFINED,
    IS_UNDEFINED,
    IS_SET,   /* by \newif, \newbool, \newtoggle */
    IS_EQUAL, /* two texts */
    IS_EMPTY,
    IS_NOT_EMPTY,
    HAS_VALUE, /* an argument that may be left out (xparse) */
    HAS_NO_VALUE,
    EXPRESSION /* of ifthen */
} test;

typedef struct {
    const char *name;
    test test;
    const char *branches; /* "TF", "T", "F" */
    int arguments;        /* before the branches */
} braced;

static const braced braced_conditions[] = {
    /* sorted by name */
    {"@ifclassloaded", NOT_KNOWN, "TF", 1},
    {"@ifpackageloaded", NOT_KNOWN, "TF", 1},
    {"@ifundefined", IS_UNDEFINED, "TF", 1},
    {"IfBooleanF", HAS_VALUE, "F", 1},
    {"IfBooleanT", HAS_VALUE, "T", 1},
    {"IfBooleanTF", HAS_VALUE, "TF", 1},
    {"IfFileExists", NOT_KNOWN, "TF", 1},
    {"IfNoValueF", HAS_NO_VALUE, "F", 1},
    {"IfNoValueT", HAS_NO_VALUE, "T", 1},
    {"IfNoValueTF", HAS_NO_VALUE, "TF", 1},
    {"IfValueF", HAS_VALUE, "F", 1},
    {"IfValueT", HAS_VALUE, "T", 1},
    {"IfValueTF", HAS_VALUE, "TF", 1},
    {"ifblank", IS_EMPTY, "TF", 1},
    {"ifbool", IS_SET, "TF", 1},
    {"ifcsdef", IS_DEFINED, "TF", 1},
    {"ifcsundef", IS_UNDEFINED, "TF", 1},
    {"ifdef", IS_DEFINED, "TF", 1},
    {"ifdefempty", IS_EMPTY, "TF", 1},
    {"ifdefstring", IS_EQUAL, "TF", 2},
    {"ifdefvoid", IS_EMPTY, "TF", 1},
    {"ifentrytype", NOT_KNOWN, "TF", 1},
    {"iffieldundef", NOT_KNOWN, "TF", 1},
    {"iflanguage", NOT_KNOWN, "TF", 1},
    {"ifnumcomp", NOT_KNOWN, "TF", 3},
    {"ifnumequal", IS_EQUAL, "TF", 2},
    {"ifnumgreater", NOT_KNOWN, "TF", 2},
    {"ifnumless", NOT_KNOWN, "TF", 2},
    {"ifnumodd", NOT_KNOWN, "TF", 1},
    {"ifpackageloaded", NOT_KNOWN, "TF", 1},
    {"ifstrempty", IS_EMPTY, "TF", 1},
    {"ifstrequal", IS_EQUAL, "TF", 2},
    {"ifthenelse", EXPRESSION, "TF", 1},
    {"ifthispageodd", NOT_KNOWN, "TF", 0},
    {"iftoggle", IS_SET, "TF", 1},
    {"ifundef", IS_UNDEFINED, "TF", 1},
    {"notblank", IS_NOT_EMPTY, "TF", 1},
    {"notbool", IS_SET, "FT", 1},
    {"nottoggle", IS_SET, "FT", 1},
};

static int compare_braced(const void *key, const void *item) {
    const char *name = ((const braced *)item)->name;
    return drt_string_compare(key, name, strlen(name));
}

static const braced *find_braced(const char *name, size_t length) {
    drt_string key = {(char *)name, length};
    return bsearch(&key, braced_conditions, sizeof braced_conditions / sizeof *braced_conditions,
                   sizeof *braced_conditions, compare_braced);
}

bool tex_is_condition(const char *name, size_t length) {
    return length >= 2 && memcmp(name, "if", 2) == 0 && strcmp(name, "iff") != 0 && !find_braced(name, length);
}

/* ------------------------------------------------------------------ what \newif and its like set ---- */

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

static bool is_set(tex *t, const char *name, size_t length) {
    const drt_tex_macro *known = find_condition(t, name, length);
    return known && known->body.data[0] == '1';
}

static void set_condition(tex *t, const char *name, size_t length, bool value) {
    drt_tex_macro macro = condition(name, length, value ? "1" : "0");
    if (macro.name.data)
        t->failed |= !drt_tex_define(&t->macros, &macro);
    else
        t->failed = true;
}

void tex_new_condition(tex *t) {
    char name[TEX_NAME];
    size_t n = tex_read_defined(t, name);
    if (n > 2 && tex_is_condition(name, n))
        set_condition(t, name + 2, n - 2, false);
}

void tex_set_condition(tex *t, tex_switch how) {
    drt_buffer name = {0}, value = {0};
    tex_read_argument(t, &name);
    if (how == TEX_SWITCH_TO)
        tex_read_argument(t, &value);
    bool on = how == TEX_SWITCH_ON || (value.length == 4 && memcmp(value.data, "true", 4) == 0);
    if (name.length > 0)
        set_condition(t, name.data, name.length, on);
    drt_buffer_free(&name);
    drt_buffer_free(&value);
}

bool tex_switch_condition(tex *t, const char *name, size_t length) {
    size_t n = length > 4 && strcmp(name + length - 4, "true") == 0    ? 4
               : length > 5 && strcmp(name + length - 5, "false") == 0 ? 5
                                                                       : 0;
    if (n == 0 || !find_condition(t, name, length - n))
        return false;
    set_condition(t, name, length - n, n == 4);
    return true;
}

/* ------------------------------------------------------------------ branches ---- */

/* Reads on at that place of an outer frame. */
static void go_to(tex *t, int frame, size_t at) {
    while (t->n_frames - 1 > frame)
        tex_pop(t);
    t->frames[frame].at = at;
    tex_skip_space_of_word(t);
}

void tex_skip_branch(tex *t, bool stop_at_else) {
    int depth = 0;
    size_t seen = 0;
    for (int frame = t->n_frames - 1; frame >= 0; frame--) {
        const tex_frame *f = &t->frames[frame];
        for (size_t at = f->at; at < f->length;) {
            char c = f->data[at];
            const char *end = c == '%' ? memchr(f->data + at, '\n', f->length - at) : NULL;
            size_t n = c == '\\' ? drt_tex_control(f->data + at, f->length - at, t->at_letter || f->letter_at) : 1;
            drt_string word = {(char *)f->data + at + 1, n - 1};
            at = c != '%' ? at + n : end ? (size_t)(end - f->data) + 1 : f->length;
            if (c != '\\' || n == 1)
                continue;
            bool is_else = drt_string_equal(&word, "else", 4) && depth == 0 && stop_at_else;
            if (is_else || (drt_string_equal(&word, "fi", 2) && depth-- == 0)) {
                go_to(t, frame, at);
                return;
            }
            char name[TEX_NAME] = "";
            memcpy(name, word.data, word.length < TEX_NAME ? word.length : TEX_NAME - 1);
            depth += tex_is_condition(name, strlen(name));
        }
        seen += f->length - f->at;
        if (f->barrier)
            break;
    }
    tex_spend(t, seen / SCAN_COST);
}

/* ------------------------------------------------------------------ tests ---- */

/* A control word, or a character; its length, 0: there is none. */
static size_t read_token(tex *t, char name[TEX_NAME], bool *word) {
    int c = tex_peek(t);
    *word = c == '\\';
    if (c < 0)
        return 0;
    tex_get(t);
    if (*word)
        return tex_read_name(t, name);
    name[0] = (char)c;
    name[1] = 0;
    return 1;
}

static bool is_defined(tex *t, const char *name, size_t length) {
    bool math;
    return drt_tex_find(&t->macros, name, length) || tex_find_command(name, length) || drt_tex_symbol(name, length) ||
           drt_tex_accent(name, length, &math);
}

/* \ifx: do two tokens mean the same? Of what isn't defined any two do. */
static bool mean_the_same(tex *t) {
    char left[TEX_NAME], right[TEX_NAME];
    bool left_word, right_word;
    tex_skip_space(t);
    size_t n = read_token(t, left, &left_word);
    tex_skip_space(t);
    size_t m = read_token(t, right, &right_word);
    if (left_word != right_word || !left_word || strcmp(left, right) == 0)
        return left_word == right_word && n == m && strcmp(left, right) == 0;
    const drt_tex_macro *a = drt_tex_find(&t->macros, left, n), *b = drt_tex_find(&t->macros, right, m);
    if (a && b)
        return a->kind == b->kind && drt_string_equal(&a->body, b->body.data, b->body.length);
    if (a || b) /* \empty and \@empty are macros without a text */
        return (a ? a : b)->body.length == 0 && strstr(a ? right : left, "empty");
    return !is_defined(t, left, n) && !is_defined(t, right, m);
}

/* A number as it is typed, or a macro that is one; false: it can't be told. */
static bool read_number(tex *t, long *number) {
    char name[TEX_NAME], digits[TEX_NAME];
    size_t n = 0;
    tex_skip_space(t);
    if (tex_take(t, '\\')) {
        size_t length = tex_read_name(t, name);
        const drt_tex_macro *macro = drt_tex_find(&t->macros, name, length);
        if (!macro || macro->kind != DRT_TEX_PLAIN || macro->parameters > 0 || macro->body.length >= sizeof digits)
            return false;
        n = macro->body.length;
        memcpy(digits, macro->body.data, n);
    } else {
        for (int c; (c = tex_peek(t)) >= 0 && (isdigit(c) || (c == '-' && n == 0)) && n < 9;)
            digits[n++] = (char)tex_get(t);
    }
    digits[n] = 0;
    char *end;
    *number = strtol(digits, &end, 10);
    tex_skip_space_of_word(t);
    return n > 0 && *end == 0;
}

/* \ifnum */
static bool compares(tex *t) {
    long left, right;
    if (!read_number(t, &left))
        return false;
    int relation = tex_peek(t);
    if (relation != '<' && relation != '=' && relation != '>')
        return false;
    tex_get(t);
    return read_number(t, &right) && (relation == '<' ? left < right : relation == '>' ? left > right : left == right);
}

/* \if: the first character of a macro, or one that is typed; 0: another token. */
static char read_character(tex *t) {
    char name[TEX_NAME];
    bool word;
    size_t n = read_token(t, name, &word);
    const drt_tex_macro *macro = word ? drt_tex_find(&t->macros, name, n) : NULL;
    if (word)
        return macro && macro->kind == DRT_TEX_PLAIN && macro->body.length == 1 ? macro->body.data[0] : 0;
    return n ? name[0] : 0;
}

static bool is_same_character(tex *t) {
    char left = read_character(t), right = read_character(t);
    return left && left == right;
}

void tex_run_condition(tex *t, const char *name, size_t length, bool unless) {
    bool holds = strcmp(name, "iftrue") == 0    ? true
                 : strcmp(name, "ifx") == 0     ? mean_the_same(t)
                 : strcmp(name, "ifnum") == 0   ? compares(t)
                 : strcmp(name, "if") == 0      ? is_same_character(t)
                 : strcmp(name, "ifmmode") == 0 ? t->math > 0
                                                : is_set(t, name + 2, length - 2);
    if (holds == unless)
        tex_skip_branch(t, true);
}

static drt_buffer read_text(tex *t) {
    drt_buffer text = {0};
    tex_read_argument(t, &text);
    return text;
}

/* Without its backslash, for \ifdef{\name}. */
static bool names_defined(tex *t, const drt_buffer *text) {
    size_t skip = text->length > 0 && text->data[0] == '\\';
    return text->length > skip && is_defined(t, text->data + skip, text->length - skip);
}

static bool same_text(tex *t, const drt_buffer *left, const drt_buffer *right) {
    drt_buffer a = tex_render(t, left), b = tex_render(t, right);
    bool same = a.length == b.length && (a.length == 0 || memcmp(a.data, b.data, a.length) == 0);
    drt_buffer_free(&a);
    drt_buffer_free(&b);
    return same;
}

static bool is_blank(tex *t, const drt_buffer *text) {
    drt_buffer set = tex_render(t, text);
    size_t at = 0;
    while (at < set.length && isspace((unsigned char)set.data[at]))
        at++;
    bool blank = at == set.length;
    drt_buffer_free(&set);
    return blank;
}

/* \equal{a}{b}, \boolean{x}, \NOT before them. */
static bool holds_expression(tex *t, const drt_buffer *text) {
    char name[TEX_NAME];
    bool negated = false, holds = false;
    if (text->length == 0 || !tex_push(t, text->data, text->length, NULL, true))
        return false;
    int level = t->n_frames - 1;
    tex_skip_space(t);
    for (bool more = true; more && tex_take(t, '\\');) {
        size_t n = tex_read_name(t, name);
        more = strcmp(name, "NOT") == 0 || strcmp(name, "not") == 0 || strcmp(name, "(") == 0;
        negated ^= more && name[0] != '(';
        if (strcmp(name, "equal") == 0) {
            drt_buffer left = read_text(t), right = read_text(t);
            holds = same_text(t, &left, &right);
            drt_buffer_free(&left);
            drt_buffer_free(&right);
        } else if (strcmp(name, "boolean") == 0) {
            drt_buffer which = read_text(t);
            holds = which.length > 0 && is_set(t, which.data, which.length);
            drt_buffer_free(&which);
        } else if (strcmp(name, "isundefined") == 0) {
            drt_buffer which = read_text(t);
            holds = !names_defined(t, &which);
            drt_buffer_free(&which);
        } else if (!more && n > 0) {
            break;
        }
    }
    while (t->n_frames > level)
        tex_pop(t);
    return holds != negated;
}

static bool passes(tex *t, test what, const drt_buffer *arguments) {
    const drt_buffer *first = &arguments[0];
    bool given = !(first->length == strlen(TEX_NO_VALUE) && memcmp(first->data, TEX_NO_VALUE, first->length) == 0);
    switch (what) {
    case IS_DEFINED:
        return names_defined(t, first);
    case IS_UNDEFINED:
        return !names_defined(t, first);
    case IS_SET:
        return first->length > 0 && is_set(t, first->data, first->length);
    case IS_EQUAL:
        return same_text(t, first, &arguments[1]);
    case IS_EMPTY:
        return is_blank(t, first);
    case IS_NOT_EMPTY:
        return !is_blank(t, first);
    case HAS_VALUE:
        return given;
    case HAS_NO_VALUE:
        return !given;
    case EXPRESSION:
        return holds_expression(t, first);
    default:
        return false;
    }
}

bool tex_run_braced_condition(tex *t, const char *name, size_t length) {
    const braced *found = find_braced(name, length);
    drt_buffer arguments[3] = {{0}};
    if (!found)
        return false;
    for (int i = 0; i < found->arguments; i++)
        tex_read_argument(t, &arguments[i]);
    bool holds = passes(t, found->test, arguments);
    for (int i = 0; i < found->arguments; i++)
        drt_buffer_free(&arguments[i]);
    drt_buffer chosen = {0};
    for (const char *branch = found->branches; *branch; branch++) {
        drt_buffer text = read_text(t);
        bool wanted = (*branch == 'T') == holds;
        drt_buffer_free(wanted ? &chosen : &text);
        if (wanted)
            chosen = text;
    }
    if (chosen.length == 0 || t->ended)
        drt_buffer_free(&chosen);
    else
        tex_push(t, chosen.data, chosen.length, chosen.data, false);
    return true;
}
