/* mathml.c: formulas in MathML as a line of text. See mathml.h. */
#include "engine/corpus/formats/mathml.h"

#include <ctype.h>
#include <string.h>

#include "engine/base/utf8.h"

#define DEPTH 64 /* elements inside each other whose kind counts */

/* What stands before the n-th child of an element (the last again for further ones), and behind all. */
typedef struct {
    const char *name;
    const char *before[3];
    const char *end;
    bool script; /* children after the first are put in parentheses unless they are one letter */
} layout;

static const layout layouts[] = {
    {"mfrac", {"(", ")/(", ""}, ")", false},    {"msqrt", {"\xE2\x88\x9A(", "", ""}, ")", false},
    {"mroot", {"", " ^1/", ""}, "", true},      {"msup", {"", "^", ""}, "", true},
    {"msub", {"", "_", ""}, "", true},          {"msubsup", {"", "_", "^"}, "", true},
    {"mover", {"", "^", ""}, "", true},         {"munder", {"", "_", ""}, "", true},
    {"munderover", {"", "_", "^"}, "", true},   {"mtr", {"", " ", " "}, "; ", false},
    {"mfenced", {"(", ", ", ", "}, ")", false},
};

typedef struct {
    const layout *kind; /* NULL: children follow each other */
    int children;
    size_t script; /* where the script at hand begins, 0: none */
} open_element;

static const layout *layout_of(const drt_markup_token *token) {
    for (size_t i = 0; i < sizeof layouts / sizeof *layouts; i++)
        if (drt_markup_is(token, layouts[i].name))
            return &layouts[i];
    return NULL;
}

static size_t characters(const char *data, size_t length) {
    size_t n = 0;
    for (size_t i = 0; i < length; i++)
        n += ((unsigned char)data[i] & 0xC0) != 0x80;
    return n;
}

/* Puts what was written since `from` into parentheses unless it is one character. */
static bool enclose(drt_buffer *out, size_t from) {
    if (characters(out->data + from, out->length - from) < 2)
        return true;
    if (!drt_buffer_append_text(out, "()"))
        return false;
    memmove(out->data + from + 1, out->data + from, out->length - from - 2);
    out->data[from] = '(';
    return true;
}

static bool end_script(open_element *parent, drt_buffer *out) {
    size_t from = parent->script;
    parent->script = 0;
    return from == 0 || enclose(out, from);
}

static bool begin_child(open_element *parent, drt_buffer *out) {
    if (!parent->kind)
        return true;
    int n = parent->children++;
    bool ok = end_script(parent, out) && drt_buffer_append_text(out, parent->kind->before[n < 2 ? n : 2]);
    if (parent->kind->script && n > 0)
        parent->script = out->length;
    return ok;
}

static bool end_element(open_element *element, drt_buffer *out) {
    return !element->kind || (end_script(element, out) && drt_buffer_append_text(out, element->kind->end));
}

/* Signs that relate two things have spaces around them. */
static bool is_relation(const char *data, size_t length) {
    static const char *const signs[] = {"=",
                                        "<",
                                        ">",
                                        "+",
                                        "\xE2\x88\x92",
                                        "\xE2\x89\xA4",
                                        "\xE2\x89\xA5",
                                        "\xE2\x89\x88",
                                        "\xE2\x88\x88",
                                        "\xE2\x86\x92",
                                        "\xE2\x89\xA0"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strlen(signs[i]) == length && memcmp(signs[i], data, length) == 0)
            return true;
    return false;
}

static bool add_text(drt_buffer *out, const drt_markup_token *token) {
    drt_buffer decoded = {0};
    bool ok = token->literal ? drt_buffer_append(&decoded, token->data, token->length)
                             : drt_markup_decode(&decoded, token->data, token->length);
    const char *data = decoded.data;
    size_t length = decoded.length;
    while (length > 0 && isspace((unsigned char)*data)) {
        data++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)data[length - 1]))
        length--;
    const char *space = is_relation(data, length) ? " " : "";
    ok = ok && drt_buffer_append_text(out, space) && drt_buffer_append(out, length ? data : "", length) &&
         drt_buffer_append_text(out, space);
    drt_buffer_free(&decoded);
    return ok;
}

/* Passes over an element that repeats the formula in another language. */
static void skip(drt_markup *markup, const drt_markup_token *start) {
    drt_markup_token token;
    while (!start->empty && drt_markup_next(markup, &token))
        if (token.kind == DRT_MARKUP_END && token.name_length == start->name_length &&
            memcmp(token.name, start->name, start->name_length) == 0)
            return;
}

bool drt_mathml_read(drt_markup *markup, const drt_markup_token *start, drt_buffer *out) {
    open_element stack[DEPTH] = {{0}};
    size_t depth = 1; /* elements open, this one too; those beyond DEPTH are only counted */
    drt_markup_token token;
    bool ok = drt_buffer_reserve(out, 1);
    while (ok && !start->empty && depth > 0 && drt_markup_next(markup, &token)) {
        open_element *top = &stack[(depth < DEPTH ? depth : DEPTH) - 1];
        if (token.kind == DRT_MARKUP_TEXT) {
            ok = add_text(out, &token);
        } else if (token.kind == DRT_MARKUP_END) {
            if (depth <= DEPTH)
                ok = end_element(top, out);
            depth = drt_markup_is(&token, "math") ? 0 : depth - 1;
        } else if (drt_markup_is(&token, "annotation") || drt_markup_is(&token, "annotation-xml")) {
            skip(markup, &token);
        } else {
            if (depth <= DEPTH)
                ok = begin_child(top, out);
            if (!token.empty && depth++ < DEPTH)
                stack[depth - 1] = (open_element){.kind = layout_of(&token)};
        }
    }
    return ok;
}
