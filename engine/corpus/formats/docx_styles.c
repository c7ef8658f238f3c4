/* docx_styles.c: what styles and numbering say of a paragraph. See docx_styles.h. */
#include "engine/corpus/formats/docx_styles.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/corpus/formats/xml.h"

#define BASED 16    /* styles that are based on each other */
#define MOST 4000   /* styles, kinds or lists that are kept */
#define COUNT 99999 /* what a list counts to */

static bool is(const drt_markup_token *token, const char *name) {
    return drt_markup_is(token, name);
}

/* The number in w:val, or what it is without one. */
static int number_of(const drt_markup_token *token, int without) {
    drt_markup_attribute value;
    int number = 0;
    if (!drt_markup_find(token, "val", &value) || value.value_length == 0)
        return without;
    for (size_t i = 0; i < value.value_length; i++) {
        char c = value.value[i];
        if (c < '0' || c > '9')
            return without;
        number = number > COUNT ? COUNT : number * 10 + (c - '0');
    }
    return number > COUNT ? COUNT : number;
}

static bool is_on(const drt_markup_token *token) {
    drt_markup_attribute value;
    return !drt_markup_find(token, "val", &value) ||
           !(drt_markup_value_is(&value, "0") || drt_markup_value_is(&value, "false") ||
             drt_markup_value_is(&value, "off"));
}

/* -------------------------------------------------------------- styles ---- */

static bool add_style(drt_docx_styles *s, const drt_markup_token *token) {
    if (!drt_array_grow((void **)&s->styles, s->n_styles, sizeof *s->styles))
        return false;
    drt_docx_style *style = &s->styles[s->n_styles];
    *style = (drt_docx_style){.number = -1, .level = -1};
    if (!drt_xml_attribute(token, "styleId", &style->id))
        return false;
    s->n_styles += style->id.data != NULL;
    return true;
}

static bool set_style(drt_docx_style *style, const drt_markup_token *token) {
    if (is(token, "name"))
        return style->name.data || drt_xml_attribute(token, "val", &style->name);
    if (is(token, "basedOn"))
        return style->based_on.data || drt_xml_attribute(token, "val", &style->based_on);
    if (is(token, "numId"))
        style->number = number_of(token, -1);
    else if (is(token, "ilvl"))
        style->level = number_of(token, -1);
    else if (is(token, "outlineLvl"))
        style->heading = number_of(token, 9) < 9;
    else if (is(token, "vanish"))
        style->hidden = is_on(token);
    return true;
}

static int compare_styles(const void *a, const void *b) {
    const drt_docx_style *left = a, *right = b;
    return drt_string_compare(&left->id, right->id.data, right->id.length);
}

bool drt_docx_styles_read(drt_docx_styles *s, const char *data, size_t length) {
    drt_markup markup = {.data = data, .length = length, .xml = true};
    drt_markup_token token;
    bool ok = true, inside = false;
    while (ok && drt_markup_next(&markup, &token)) {
        if (token.kind == DRT_MARKUP_START && is(&token, "style")) {
            size_t n = s->n_styles;
            ok = n == MOST || add_style(s, &token);
            inside = s->n_styles > n && !token.empty;
        } else if (token.kind == DRT_MARKUP_END && is(&token, "style")) {
            inside = false;
        } else if (token.kind == DRT_MARKUP_START && inside) {
            ok = set_style(&s->styles[s->n_styles - 1], &token);
        }
    }
    if (s->n_styles)
        qsort(s->styles, s->n_styles, sizeof *s->styles, compare_styles);
    return ok;
}

static const drt_docx_style *find_style(const drt_docx_styles *s, const char *id, size_t length) {
    drt_docx_style key = {.id = {(char *)id, length}};
    return s->n_styles && id ? bsearch(&key, s->styles, s->n_styles, sizeof key, compare_styles) : NULL;
}

static bool begins(const drt_string *name, const char *word) {
    size_t n = strlen(word);
    return name->length >= n && strncasecmp(name->data, word, n) == 0;
}

drt_docx_look drt_docx_style_look(const drt_docx_styles *s, const char *id, size_t length) {
    drt_docx_look look = {.number = -1, .level = -1};
    const drt_docx_style *style = find_style(s, id, length);
    for (int step = 0; style && step < BASED; step++) {
        look.known = true;
        look.heading |= style->heading || begins(&style->name, "heading");
        look.hidden |= style->hidden;
        look.title |= step == 0 && drt_string_equal(&style->name, "Title", 5);
        look.item |= begins(&style->name, "List ") && !begins(&style->name, "List Paragraph");
        if (look.number < 0)
            look.number = style->number;
        if (look.level < 0)
            look.level = style->level;
        style = find_style(s, style->based_on.data, style->based_on.length);
    }
    return look;
}

/* ----------------------------------------------------------- numbering ---- */

static bool add_kind(drt_docx_styles *s, const drt_markup_token *token) {
    if (!drt_array_grow((void **)&s->kinds, s->n_kinds, sizeof *s->kinds))
        return false;
    drt_docx_kind *kind = &s->kinds[s->n_kinds++];
    *kind = (drt_docx_kind){0};
    for (int i = 0; i < DRT_DOCX_LEVELS; i++)
        kind->levels[i].start = 1;
    return drt_xml_attribute(token, "abstractNumId", &kind->id);
}

static char format_of(const drt_markup_token *token) {
    static const struct {
        const char *name;
        char format;
    } formats[] = {{"bullet", 0},        {"none", 0},         {"lowerLetter", 'a'},
                   {"upperLetter", 'A'}, {"lowerRoman", 'i'}, {"upperRoman", 'I'}};
    drt_markup_attribute value;
    for (size_t i = 0; drt_markup_find(token, "val", &value) && i < sizeof formats / sizeof *formats; i++)
        if (drt_markup_value_is(&value, formats[i].name))
            return formats[i].format;
    return '1';
}

static bool set_level(drt_docx_level *level, const drt_markup_token *token) {
    if (is(token, "start"))
        level->start = number_of(token, 1);
    else if (is(token, "numFmt"))
        level->format = format_of(token);
    else if (is(token, "lvlText") && !level->text.data)
        return drt_xml_attribute_line(token, "val", &level->text);
    return true;
}

static size_t find_kind(const drt_docx_styles *s, const drt_markup_token *token) {
    drt_markup_attribute id;
    size_t i = 0;
    if (!drt_markup_find(token, "val", &id))
        return SIZE_MAX;
    while (i < s->n_kinds && !drt_string_equal(&s->kinds[i].id, id.value, id.value_length))
        i++;
    return i < s->n_kinds ? i : SIZE_MAX;
}

static bool add_list(drt_docx_styles *s, const drt_markup_token *token) {
    drt_markup_attribute id;
    int number = 0;
    if (!drt_array_grow((void **)&s->lists, s->n_lists, sizeof *s->lists))
        return false;
    drt_docx_list *list = &s->lists[s->n_lists];
    *list = (drt_docx_list){.kind = SIZE_MAX};
    for (int i = 0; i < DRT_DOCX_LEVELS; i++)
        list->start[i] = -1;
    bool given = drt_markup_find(token, "numId", &id);
    for (size_t i = 0; given && i < id.value_length && i < 6 && id.value[i] >= '0' && id.value[i] <= '9'; i++)
        number = number * 10 + (id.value[i] - '0');
    list->number = number;
    s->n_lists++;
    return true;
}

static int compare_lists(const void *a, const void *b) {
    int left = ((const drt_docx_list *)a)->number, right = ((const drt_docx_list *)b)->number;
    return (left > right) - (left < right);
}

/* The level that w:ilvl names; the last one where that is none. */
static int level_of(const drt_markup_token *token) {
    drt_markup_attribute level;
    bool known = drt_markup_find(token, "ilvl", &level) && level.value_length == 1;
    return known && *level.value >= '0' && *level.value < '0' + DRT_DOCX_LEVELS ? *level.value - '0'
                                                                                : DRT_DOCX_LEVELS - 1;
}

bool drt_docx_numbering_read(drt_docx_styles *s, const char *data, size_t length) {
    drt_markup markup = {.data = data, .length = length, .xml = true};
    drt_markup_token token;
    drt_docx_kind *kind = NULL;
    drt_docx_list *list = NULL;
    bool ok = true;
    int level = 0;
    while (ok && drt_markup_next(&markup, &token)) {
        if (token.kind != DRT_MARKUP_START)
            continue;
        if (is(&token, "abstractNum")) {
            kind = NULL;
            list = NULL;
            if (s->n_kinds < MOST && (ok = add_kind(s, &token)))
                kind = &s->kinds[s->n_kinds - 1];
        } else if (is(&token, "num")) {
            kind = NULL;
            list = NULL;
            if (s->n_lists < MOST && (ok = add_list(s, &token)))
                list = &s->lists[s->n_lists - 1];
        } else if (is(&token, "lvl") || is(&token, "lvlOverride")) {
            level = level_of(&token);
        } else if (list && is(&token, "abstractNumId")) {
            list->kind = find_kind(s, &token);
        } else if (list && is(&token, "startOverride")) {
            list->start[level] = number_of(&token, 1);
        } else if (kind) {
            ok = set_level(&kind->levels[level], &token);
        }
    }
    for (size_t i = 0; i < s->n_kinds; i++)
        for (int j = 0; j < DRT_DOCX_LEVELS; j++)
            s->kinds[i].levels[j].count = s->kinds[i].levels[j].start - 1;
    if (s->n_lists)
        qsort(s->lists, s->n_lists, sizeof *s->lists, compare_lists);
    return ok;
}

void drt_docx_styles_free(drt_docx_styles *s) {
    for (size_t i = 0; i < s->n_styles; i++) {
        drt_string_free(&s->styles[i].id);
        drt_string_free(&s->styles[i].name);
        drt_string_free(&s->styles[i].based_on);
    }
    for (size_t i = 0; i < s->n_kinds; i++) {
        drt_string_free(&s->kinds[i].id);
        for (int j = 0; j < DRT_DOCX_LEVELS; j++)
            drt_string_free(&s->kinds[i].levels[j].text);
    }
    free(s->styles);
    free(s->kinds);
    free(s->lists);
    *s = (drt_docx_styles){0};
}

/* --------------------------------------------------------------- marks ---- */

/* "iv" for 4. Beyond 3,999 there are no such numbers. */
static void write_roman(int n, bool large, char out[20]) {
    static const int values[] = {1000, 900, 500, 400, 100, 90, 50, 40, 10, 9, 5, 4, 1};
    static const char *const signs[] = {"m", "cm", "d", "cd", "c", "xc", "l", "xl", "x", "ix", "v", "iv", "i"};
    *out = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        for (; n >= values[i]; n -= values[i])
            strcat(out, signs[i]);
    for (char *c = out; large && *c; c++)
        *c = (char)(*c - 'a' + 'A');
}

static void write_number(char format, int n, char out[20]) {
    bool letter = format == 'a' || format == 'A', roman = format == 'i' || format == 'I';
    *out = 0;
    if (letter && n >= 1 && n <= 18 * 26) { /* z, aa, bb, ... */
        size_t times = (size_t)(n - 1) / 26 + 1;
        memset(out, format + (n - 1) % 26, times);
        out[times] = 0;
    } else if (roman && n >= 1 && n < 4000) {
        write_roman(n, format == 'I', out);
    } else if (format) {
        snprintf(out, 20, "%d", n);
    }
}

bool drt_docx_mark(drt_docx_styles *s, int number, int level, drt_buffer *mark) {
    drt_docx_list key = {.number = number};
    drt_docx_list *list = s->n_lists ? bsearch(&key, s->lists, s->n_lists, sizeof key, compare_lists) : NULL;
    if (!list || list->kind == SIZE_MAX)
        return true;
    drt_docx_level *levels = s->kinds[list->kind].levels;
    level = level < 0 ? 0 : level < DRT_DOCX_LEVELS ? level : DRT_DOCX_LEVELS - 1;
    if (list->start[level] >= 0) {
        levels[level].count = list->start[level] - 1;
        list->start[level] = -1;
    }
    levels[level].count += levels[level].count < COUNT;
    for (int i = level + 1; i < DRT_DOCX_LEVELS; i++)
        levels[i].count = levels[i].start - 1;
    const drt_string *text = &levels[level].text;
    bool ok = true;
    for (size_t i = 0; ok && levels[level].format && i < text->length && i < 64; i++) {
        int of = text->data[i] == '%' && i + 1 < text->length ? text->data[i + 1] - '1' : -1;
        char digits[20];
        if (of < 0 || of > level) {
            ok = drt_buffer_append_byte(mark, text->data[i]);
            continue;
        }
        bool counted = levels[of].count >= levels[of].start;
        write_number(levels[of].format, counted ? levels[of].count : levels[of].start, digits);
        ok = drt_buffer_append_text(mark, digits);
        i++;
    }
    return ok;
}
