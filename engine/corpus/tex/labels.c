/* labels.c: numbers of sections, figures, tables, formulas, theorems and items, as the standard classes count them, and
 * the references that say them. A source is read twice when it has any: references may come before what they mean. A number
 * that can't be known is none; the reference then shows the label's own name. See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NESTED 8        /* counters that stand in each other */
#define LABEL_BYTES 400 /* of labels that an unknown command may refer to */

/* ------------------------------------------------------------------ counters ---- */

static tex_counter *find_counter(tex *t, const char *name, size_t length) {
    for (int i = 0; i < t->n_counters; i++)
        if (drt_string_equal(&t->counters[i].name, name, length))
            return &t->counters[i];
    return NULL;
}

/* Adds it if there is room; `within` may be "". */
static tex_counter *add_counter(tex *t, const char *name, size_t length, const char *within, size_t within_length) {
    tex_counter *found = find_counter(t, name, length);
    const tex_counter *outer = within_length ? find_counter(t, within, within_length) : NULL;
    if (!found && t->n_counters < TEX_COUNTERS && length > 0) {
        found = &t->counters[t->n_counters];
        *found = (tex_counter){.form = '1', .joint = '.'};
        bool ok = drt_string_set(&found->name, name, length);
        t->failed |= !ok;
        t->n_counters += ok;
    }
    if (found)
        found->within = outer && outer != found ? (int)(outer - t->counters) : -1;
    return found;
}

static bool is_inside(const tex *t, const tex_counter *counter, int outer) {
    for (int i = counter->within, steps = 0; i >= 0 && steps < NESTED; i = t->counters[i].within, steps++)
        if (i == outer)
            return true;
    return false;
}

static tex_counter *step(tex *t, const char *name, size_t length) {
    tex_counter *counter = find_counter(t, name, length);
    if (!counter)
        return NULL;
    counter->value += counter->value < INT32_MAX;
    for (int i = 0; i < t->n_counters; i++)
        if (is_inside(t, &t->counters[i], (int)(counter - t->counters)))
            t->counters[i].value = 0;
    return counter;
}

static void write_value(int value, char form, char *out, size_t size) {
    static const struct {
        int value;
        const char *text;
    } romans[] = {{100, "C"}, {90, "XC"}, {50, "L"}, {40, "XL"}, {10, "X"}, {9, "IX"}, {5, "V"}, {4, "IV"}, {1, "I"}};
    if ((form == 'A' || form == 'a') && value >= 1 && value <= 26) {
        snprintf(out, size, "%c", form + value - 1);
    } else if ((form == 'I' || form == 'i') && value >= 1 && value < 300) {
        size_t n = 0;
        for (size_t i = 0; i < sizeof romans / sizeof *romans; i++)
            for (; value >= romans[i].value && n + 3 < size; value -= romans[i].value)
                n += (size_t)snprintf(out + n, size - n, "%s", romans[i].text);
        for (size_t i = 0; form == 'i' && i < n; i++)
            out[i] = (char)tolower((unsigned char)out[i]);
    } else {
        snprintf(out, size, "%d", value);
    }
}

/* "2.3", with what the counter stands in. */
static void write_number(const tex *t, const tex_counter *counter, char *out, size_t size, int depth) {
    size_t n = 0;
    out[0] = 0;
    if (counter->within >= 0 && !counter->alone && depth < 5) {
        write_number(t, &t->counters[counter->within], out, size, depth + 1);
        n = strlen(out);
        if (n + 2 < size) {
            out[n++] = counter->joint;
            out[n] = 0;
        }
    }
    write_value(counter->value, counter->form, out + n, size - n);
}

static void set_anchor(tex *t, const char *kind, const char *number) {
    snprintf(t->anchor.kind, sizeof t->anchor.kind, "%s", kind);
    snprintf(t->anchor.number, sizeof t->anchor.number, "%s", number);
}

static void anchor_counter(tex *t, const char *kind, const tex_counter *counter) {
    char number[TEX_NUMBER] = "";
    if (counter)
        write_number(t, counter, number, sizeof number, 0);
    set_anchor(t, kind, number);
}

static void step_anchor(tex *t, const char *kind, const char *name) {
    anchor_counter(t, kind, step(t, name, strlen(name)));
}

void tex_start_counters(tex *t, bool chapters) {
    static const char *const levels[] = {"chapter", "section", "subsection", "subsubsection"};
    static const char *const others[] = {"part", "figure", "table", "equation", "algorithm", "listing"};
    const char *outer = "";
    for (size_t i = !chapters; i < sizeof levels / sizeof *levels; i++) {
        add_counter(t, levels[i], strlen(levels[i]), outer, strlen(outer));
        outer = levels[i];
    }
    outer = chapters ? "chapter" : "";
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        add_counter(t, others[i], strlen(others[i]), i >= 1 && i <= 3 ? outer : "",
                    i >= 1 && i <= 3 ? strlen(outer) : 0);
}

/* Classes that number sections as "II" and "II A". */
void tex_set_class(tex *t, const char *name, size_t length) {
    bool ieee = length >= 8 && memcmp(name, "IEEEtran", 8) == 0, aps = length >= 6 && memcmp(name, "revtex", 6) == 0;
    static const struct {
        const char *name;
        char form;
    } forms[] = {{"section", 'I'}, {"subsection", 'A'}, {"subsubsection", '1'}};
    for (size_t i = 0; (ieee || aps) && i < sizeof forms / sizeof *forms; i++) {
        tex_counter *counter = find_counter(t, forms[i].name, strlen(forms[i].name));
        if (counter) {
            counter->form = forms[i].form;
            counter->joint = ieee ? '-' : ' ';
        }
    }
}

void tex_free_counters(tex *t) {
    for (int i = 0; i < t->n_counters; i++)
        drt_string_free(&t->counters[i].name);
    t->n_counters = 0;
}

/* ------------------------------------------------------------------ commands about counters ---- */

void tex_appendix(tex *t) {
    tex_counter *top = find_counter(t, "chapter", 7);
    top = top ? top : find_counter(t, "section", 7);
    if (!top)
        return;
    top->value = 0;
    top->form = 'A';
    t->appendix = true;
}

/* \setcounter{name}{3}, \addtocounter{name}{-1}, \refstepcounter{name} */
void tex_set_counter(tex *t, const char *command) {
    drt_buffer name = {0}, text = {0};
    tex_read_argument(t, &name);
    if (strcmp(command, "refstepcounter") != 0)
        tex_read_argument(t, &text);
    tex_counter *counter = find_counter(t, name.data ? name.data : "", name.length);
    char digits[12] = "", *end = digits;
    if (text.length > 0 && text.length < sizeof digits)
        memcpy(digits, text.data, text.length);
    long value = strtol(digits, &end, 10);
    bool number = *digits && *end == 0 && value >= -1000 && value < 100000;
    if (strcmp(command, "refstepcounter") == 0)
        anchor_counter(t, "", step(t, name.data ? name.data : "", name.length));
    else if (counter && number && abs(counter->value) < 1000000)
        counter->value = (int)value + (strcmp(command, "addtocounter") == 0 ? counter->value : 0);
    drt_buffer_free(&name);
    drt_buffer_free(&text);
}

/* \numberwithin{equation}{section}, \newcounter{name}[outer] */
void tex_number_within(tex *t, bool option) {
    drt_buffer name = {0}, outer = {0};
    tex_read_argument(t, &name);
    if (option)
        tex_read_option(t, &outer);
    else
        tex_read_argument(t, &outer);
    if (name.length > 0 && (option || outer.length > 0))
        add_counter(t, name.data, name.length, outer.data ? outer.data : "", outer.length);
    drt_buffer_free(&name);
    drt_buffer_free(&outer);
}

/* Is "\\word{name}" in the text? */
static bool mentions(const drt_string *text, const char *word, const drt_string *name) {
    char sought[2 * TEX_NAME];
    int n =
        snprintf(sought, sizeof sought, "\\%s{%.*s}", word, (int)(name->length < 60 ? name->length : 60), name->data);
    return n > 0 && drt_tex_contains(text->data, text->length, sought);
}

void tex_describe_counter(tex *t, const drt_tex_macro *macro) {
    static const struct {
        const char *word;
        char form;
    } forms[] = {{"arabic", '1'}, {"Roman", 'I'}, {"roman", 'i'}, {"Alph", 'A'}, {"alph", 'a'}};
    char sought[TEX_NAME + 8];
    if (macro->name.length <= 3 || memcmp(macro->name.data, "the", 3) != 0)
        return;
    tex_counter *counter = find_counter(t, macro->name.data + 3, macro->name.length - 3);
    if (!counter)
        return;
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (mentions(&macro->body, forms[i].word, &counter->name))
            counter->form = forms[i].form;
    counter->alone = true;
    for (int i = 0; i < t->n_counters; i++) {
        const tex_counter *outer = &t->counters[i];
        snprintf(sought, sizeof sought, "\\the%.*s", (int)(outer->name.length < 60 ? outer->name.length : 60),
                 outer->name.data);
        if (outer == counter || (!drt_tex_contains(macro->body.data, macro->body.length, sought) &&
                                 !mentions(&macro->body, "arabic", &outer->name)))
            continue;
        counter->alone = false;
        counter->within = is_inside(t, outer, (int)(counter - t->counters)) ? -1 : i;
    }
}

/* ------------------------------------------------------------------ what is numbered ---- */

void tex_number_section(tex *t, const char *name) {
    char kind[TEX_NAME];
    bool top = strcmp(name, "chapter") == 0 || (strcmp(name, "section") == 0 && !find_counter(t, "chapter", 7));
    if (!find_counter(t, name, strlen(name)))
        return; /* paragraphs have no numbers: what is above them stays */
    snprintf(kind, sizeof kind, "%s", t->appendix && top ? "appendix" : strstr(name, "section") ? "section" : name);
    kind[0] = (char)toupper((unsigned char)kind[0]);
    step_anchor(t, kind, name);
}

static tex_scope *inner_scope(tex *t) {
    return t->n_scopes > 0 && t->n_scopes <= TEX_SCOPES ? &t->scopes[t->n_scopes - 1] : NULL;
}

static bool begins(const char *name, size_t length, const char *word) {
    return length >= strlen(word) && memcmp(name, word, strlen(word)) == 0;
}

/* What an environment's captions count; NULL: nothing. */
static const char *float_of(const char *name, size_t length) {
    static const struct {
        const char *begin, *counter;
    } floats[] = {{"figure", "figure"},       {"table", "table"},         {"sidewaysfigure", "figure"},
                  {"sidewaystable", "table"}, {"wrapfigure", "figure"},   {"wraptable", "table"},
                  {"SCfigure", "figure"},     {"longtable", "table"},     {"algorithm", "algorithm"},
                  {"teaserfigure", "figure"}, {"marginfigure", "figure"}, {"subfigure", "subfigure"},
                  {"subtable", "subtable"}};
    size_t plain = length > 0 && name[length - 1] == '*' ? length - 1 : length;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++)
        if (plain == strlen(floats[i].begin) && memcmp(name, floats[i].begin, plain) == 0)
            return floats[i].counter;
    return NULL;
}

/* The float around a part of one. */
static tex_scope *outer_float(tex *t) {
    for (int i = (t->n_scopes < TEX_SCOPES ? t->n_scopes : TEX_SCOPES) - 1; i >= 0; i--)
        if (t->scopes[i].floating && !begins(t->scopes[i].floating, strlen(t->scopes[i].floating), "sub"))
            return &t->scopes[i];
    return NULL;
}

static void name_kind(const char *counter, char kind[TEX_NAME]) {
    snprintf(kind, TEX_NAME, "%s", counter);
    kind[0] = (char)toupper((unsigned char)kind[0]);
}

/* "2a": the figure's own caption may come before or behind. */
void tex_number_part(tex *t) {
    tex_scope *outer = outer_float(t);
    char kind[TEX_NAME] = "", number[TEX_NUMBER] = "";
    tex_counter *counter = outer ? find_counter(t, outer->floating, strlen(outer->floating)) : NULL;
    if (counter) {
        tex_counter expected = *counter;
        expected.value += !outer->captioned;
        outer->parts++;
        write_number(t, &expected, number, sizeof number - 3, 0);
        write_value(outer->parts, 'a', number + strlen(number), sizeof number - strlen(number));
        name_kind(outer->floating, kind);
    }
    set_anchor(t, kind, number);
}

void tex_number_caption(tex *t, const char *type, size_t length) {
    const tex_scope *inner = NULL;
    char name[TEX_NAME], kind[TEX_NAME];
    for (int i = (t->n_scopes < TEX_SCOPES ? t->n_scopes : TEX_SCOPES) - 1; i >= 0 && !inner; i--)
        inner = t->scopes[i].floating ? &t->scopes[i] : NULL;
    if (length == 0 && !inner) {
        set_anchor(t, "", ""); /* of a kind that isn't known */
        return;
    }
    if (length == 0 && begins(inner->floating, strlen(inner->floating), "sub")) {
        tex_number_part(t);
        return;
    }
    if (length == 0)
        snprintf(name, sizeof name, "%s", inner->floating);
    else
        snprintf(name, sizeof name, "%.*s", (int)(length < 60 ? length : 60), type);
    tex_scope *outer = outer_float(t);
    if (outer)
        outer->captioned = true;
    name_kind(name, kind);
    step_anchor(t, kind, name);
}

static void number_formula(tex *t) {
    tex_counter *counter = find_counter(t, "equation", 8);
    if (t->subformulas && counter) {
        char number[TEX_NUMBER];
        write_number(t, counter, number, sizeof number - 3, 0);
        write_value(t->subformulas++, 'a', number + strlen(number), sizeof number - strlen(number));
        set_anchor(t, "Equation", number);
    } else {
        step_anchor(t, "Equation", "equation");
    }
}

void tex_number_row(tex *t) {
    tex_scope *inner = inner_scope(t);
    if (inner && inner->rows)
        number_formula(t);
}

/* \nonumber: the row at hand has none, so the next one gets it. */
void tex_unnumber(tex *t) {
    tex_counter *counter = find_counter(t, "equation", 8);
    tex_scope *inner = inner_scope(t);
    if (!inner || !inner->formula || !*t->anchor.number)
        return;
    if (t->subformulas > 1)
        t->subformulas--;
    else if (counter && counter->value > 0 && !t->subformulas)
        counter->value--;
    set_anchor(t, "Equation", "");
}

void tex_tag(tex *t) {
    drt_buffer text = tex_render_argument(t);
    char number[TEX_NUMBER];
    tex_unnumber(t);
    snprintf(number, sizeof number, "%.*s", (int)(text.length < 30 ? text.length : 0), text.data ? text.data : "");
    set_anchor(t, "Equation", number);
    tex_put_text(t, " (");
    tex_put(t, text.data ? text.data : "", text.length);
    tex_put_text(t, ")");
    drt_buffer_free(&text);
}

void tex_number_item(tex *t) {
    tex_scope *inner = inner_scope(t);
    char number[TEX_NUMBER] = "", own[16];
    int level = 0;
    if (!inner || !inner->items)
        return;
    inner->item++;
    for (int i = 0; i < t->n_scopes && i < TEX_SCOPES; i++) {
        if (!t->scopes[i].items)
            continue;
        write_value(t->scopes[i].item, level == 0 ? '1' : level == 1 ? 'a' : 'i', own, sizeof own);
        size_t n = strlen(number);
        snprintf(number + n, sizeof number - n, "%s%s", level == 2 ? "." : "", own);
        level++;
    }
    set_anchor(t, "Item", number);
}

/* The counter that \newtheorem gave; "": without a number. */
void tex_number_theorem(tex *t, const char *counter, size_t length, const char *title, size_t title_length) {
    char kind[TEX_NAME];
    snprintf(kind, sizeof kind, "%.*s", title_length < 60 ? (int)title_length : 0, title);
    anchor_counter(t, kind, length ? step(t, counter, length) : NULL);
}

void tex_add_theorem(tex *t, const drt_buffer *name, const drt_buffer *within) {
    add_counter(t, name->data ? name->data : "", name->length, within->data ? within->data : "", within->length);
}

/* ------------------------------------------------------------------ environments ---- */

void tex_open_scope(tex *t, const char *name, size_t length) {
    static const char *const formulas[] = {"equation", "multline", "dmath"};
    static const char *const rows[] = {"align", "gather", "eqnarray", "flalign", "alignat", "xalignat", "IEEEeqnarray"};
    tex_scope scope = {.anchor = t->anchor, .floating = float_of(name, length), .subformulas = t->subformulas};
    for (size_t i = 0; i < sizeof formulas / sizeof *formulas; i++)
        scope.formula |= length == strlen(formulas[i]) && memcmp(name, formulas[i], length) == 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        scope.rows |= length == strlen(rows[i]) && memcmp(name, rows[i], length) == 0;
    scope.formula |= scope.rows;
    scope.items =
        (length == 9 && memcmp(name, "enumerate", 9) == 0) || (length == 11 && memcmp(name, "compactenum", 11) == 0);
    if (t->n_scopes < TEX_SCOPES)
        t->scopes[t->n_scopes] = scope;
    t->n_scopes++;
    if (length == 12 && memcmp(name, "subequations", 12) == 0) {
        step_anchor(t, "Equation", "equation");
        t->subformulas = 1;
    }
    if (scope.formula)
        number_formula(t);
}

void tex_close_scope(tex *t) {
    if (t->n_scopes == 0)
        return;
    t->n_scopes--;
    if (t->n_scopes < TEX_SCOPES) {
        t->anchor = t->scopes[t->n_scopes].anchor;
        t->subformulas = t->scopes[t->n_scopes].subformulas;
    }
}

void tex_forget_number(tex *t) {
    set_anchor(t, "", "");
}

/* ------------------------------------------------------------------ labels and references ---- */

/* A key's anchor is kept as "number\nkind". */
void tex_set_label(tex *t, drt_buffer *key) {
    drt_buffer value = {0};
    drt_tex_macro macro = {0};
    if (key->length > 0 && *t->anchor.number) {
        bool ok = drt_buffer_printf(&value, "%s\n%s", t->anchor.number, t->anchor.kind) &&
                  drt_string_take(&macro.body, &value) && drt_string_take(&macro.name, key);
        t->failed |= !ok || !drt_tex_define(&t->labels, &macro);
    }
    drt_tex_macro_clear(&macro);
    drt_buffer_free(&value);
}

void tex_put_label(tex *t) {
    drt_buffer key = {0};
    tex_drop_option(t);
    tex_read_argument(t, &key);
    tex_set_label(t, &key);
    drt_buffer_free(&key);
}

static void trim(const char **key, size_t *length) {
    while (*length > 0 && isspace((unsigned char)**key)) {
        ++*key;
        --*length;
    }
    while (*length > 0 && isspace((unsigned char)(*key)[*length - 1]))
        --*length;
}

/* One key. `name`: the kind is said too, 'a' as it is or 'c' in small letters, unless it was `said` last. */
static void put_one(tex *t, const char *key, size_t length, char name, const char **said, size_t *said_length) {
    const drt_tex_macro *label = t->known_labels ? drt_tex_find(t->known_labels, key, length) : NULL;
    if (!label) {
        tex_put(t, key, length);
        return;
    }
    const char *split = memchr(label->body.data, '\n', label->body.length), *kind = split + 1;
    size_t number = (size_t)(split - label->body.data), kind_length = label->body.length - number - 1;
    bool again = *said && *said_length == kind_length && memcmp(*said, kind, kind_length) == 0;
    if (name && kind_length > 0 && !again) {
        char first = name == 'c' ? (char)tolower((unsigned char)kind[0]) : kind[0];
        tex_put(t, &first, 1);
        tex_put(t, kind + 1, kind_length - 1);
        tex_put_text(t, " ");
    }
    bool formula = name && kind_length == 8 && memcmp(kind, "Equation", 8) == 0;
    tex_put_text(t, formula ? "(" : "");
    tex_put(t, label->body.data, number);
    tex_put_text(t, formula ? ")" : "");
    *said = kind;
    *said_length = kind_length;
}

bool tex_names_labels(tex *t) {
    const tex_frame *f = tex_source(t);
    const char *from = f && f->data[f->at] == '{' ? f->data + f->at + 1 : NULL;
    size_t left = from ? f->length - f->at - 1 : 0;
    const char *end = from ? memchr(from, '}', left < LABEL_BYTES ? left : LABEL_BYTES) : NULL;
    const char *comma = end ? memchr(from, ',', (size_t)(end - from)) : NULL;
    return end && t->known_labels && drt_tex_find(t->known_labels, from, (size_t)((comma ? comma : end) - from));
}

void tex_put_reference(tex *t, const char *command) {
    drt_buffer keys = {0};
    const char *said = NULL;
    size_t said_length = 0;
    bool page = strstr(command, "page"); /* what is on which page isn't known */
    bool list = strstr(command, "cref") || strstr(command, "Cref");
    char name = strcmp(command, "cref") == 0                                       ? 'c'
                : list || strstr(command, "autoref") || strstr(command, "Autoref") ? 'a'
                                                                                   : 0;
    tex_read_argument(t, &keys);
    for (size_t at = 0; at < keys.length;) {
        const char *key = keys.data + at, *comma = list ? memchr(key, ',', keys.length - at) : NULL;
        size_t n = comma ? (size_t)(comma - key) : keys.length - at;
        at += n + 1;
        trim(&key, &n);
        if (page)
            tex_put(t, key, n);
        else
            put_one(t, key, n, name, &said, &said_length);
        if (at < keys.length)
            tex_put_text(t, ", ");
    }
    drt_buffer_free(&keys);
}
