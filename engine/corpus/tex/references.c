/* references.c: citations, and the list of references that they mean. Citations show what the list's entries have in
 * brackets: numbers, the author's own labels, or authors and year where the list has them apart (natbib). See run.h. */
#include "engine/corpus/tex/run.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_BYTES 2000 /* bytes of the label and the key of a reference */

/* ------------------------------------------------------------------ the list ---- */

static int compare_references(const void *a, const void *b) {
    const tex_reference *left = a, *right = b;
    return drt_string_compare(&left->key, right->key.data, right->key.length);
}

static const tex_reference *find_reference(const tex *t, const char *key, size_t length) {
    size_t from = 0, to = t->n_references;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = drt_string_compare(&t->references[middle].key, key, length);
        if (order == 0)
            return &t->references[middle];
        *(order < 0 ? &from : &to) = order < 0 ? middle + 1 : middle;
    }
    return NULL;
}

/* The end of what `open` begins, which stands at data; NULL: there is none near. */
static const char *closing(const char *data, size_t length, char open, char close) {
    int braces = 0, depth = 0;
    for (size_t i = 0; i < length; i++) {
        char c = data[i];
        depth += c == open && braces == 0 ? 1 : c == close && braces == (open == '{') ? -1 : 0;
        braces += c == '{' ? 1 : c == '}' ? -1 : 0;
        if (depth == 0 && (open != '{' || braces == 0))
            return data + i;
        i += c == '\\';
    }
    return NULL;
}

/* "Renn et al.(1999a)Renn, Bo, and Zed": authors and year, when the label is of that form. */
static bool split_label(const drt_buffer *label, drt_string *authors, drt_string *year) {
    const char *data = label->data ? label->data : "", *open = memchr(data, '(', label->length);
    const char *close = open ? memchr(open, ')', label->length - (size_t)(open - data)) : NULL;
    size_t n = close ? (size_t)(close - open) - 1 : 0, digits = 0;
    for (size_t i = 0; i < n; i++)
        digits += isdigit((unsigned char)open[i + 1]) != 0;
    bool dated = digits >= 4 || (n > 0 && n < 12 && digits == 0); /* "in press" */
    if (!close || !dated || open == data)
        return true;
    return drt_text_single_line(data, (size_t)(open - data), authors) && drt_text_single_line(open + 1, n, year);
}

/* Fills in what stands in brackets. `number`: of those without a label so far. */
static bool set_label(tex *t, tex_reference *found, const char *label, size_t length, size_t *number) {
    drt_buffer source = {0}, text = {0};
    bool ok = true;
    if (label) {
        if (length > 1 && label[0] == '{' && closing(label, length, '{', '}') == label + length - 1) {
            label++;
            length -= 2;
        }
        ok = drt_buffer_append(&source, label, length);
        text = tex_render(t, &source);
        ok = ok && split_label(&text, &found->authors, &found->year);
    }
    if (ok && text.length > 0 && !found->authors.data)
        ok = drt_text_single_line(text.data, text.length, &found->label);
    if (ok && !found->label.data) {
        text.length = 0;
        ok = drt_buffer_printf(&text, "%zu", ++*number) && drt_string_take(&found->label, &text);
    }
    drt_buffer_free(&source);
    drt_buffer_free(&text);
    return ok;
}

static void free_reference(tex_reference *reference) {
    drt_string_free(&reference->key);
    drt_string_free(&reference->label);
    drt_string_free(&reference->authors);
    drt_string_free(&reference->year);
}

/* What stands behind "\bibitem". */
static void take_reference(tex *t, const char *data, size_t length, size_t *number) {
    tex_reference found = {0};
    size_t at = 0;
    while (at < length && isspace((unsigned char)data[at]))
        at++;
    const char *label = NULL, *label_end = NULL;
    if (at < length && data[at] == '[') {
        label = data + at + 1;
        label_end = closing(data + at, length - at, '[', ']');
        at = label_end ? (size_t)(label_end - data) + 1 : length;
    }
    while (at < length && (isspace((unsigned char)data[at]) || data[at] == '%'))
        at++;
    const char *close = at < length && data[at] == '{' ? memchr(data + at, '}', length - at) : NULL;
    if (!close)
        return;
    const char *key = data + at + 1;
    bool ok = set_label(t, &found, label, label ? (size_t)(label_end - label) : 0, number) &&
              drt_string_set(&found.key, key, (size_t)(close - key)) &&
              drt_array_grow((void **)&t->references, t->n_references, sizeof found);
    if (ok)
        t->references[t->n_references++] = found;
    else
        free_reference(&found);
    t->failed |= !ok;
}

/* Are citations numbers, whatever the list has? */
static bool says_numbers(const char *data, size_t length) {
    static const char *const signs[] = {"numbers",  "super]{natbib}", "super,",
                                        "{revtex4", "{elsarticle}",   "{IEEEtran}"};
    static const char *const others[] = {"authoryear", "author-year"};
    bool numbers = false, years = false;
    size_t head = length < 40000 ? length : 40000;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        numbers |= drt_tex_contains(data, head, signs[i]);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        years |= drt_tex_contains(data, head, others[i]);
    return numbers && !years;
}

void tex_find_bibliography(tex *t, const char *data, size_t length) {
    size_t number = 0, dated = 0;
    for (size_t at = 0; at < length && !t->failed;) {
        const char *next = memchr(data + at, '\\', length - at);
        if (!next)
            break;
        at = (size_t)(next - data) + 1;
        if (length - at < 9 || memcmp(data + at, "bibitem", 7) != 0 || isalpha((unsigned char)data[at + 7]))
            continue;
        at += 7;
        take_reference(t, data + at, length - at < REFERENCE_BYTES ? length - at : REFERENCE_BYTES, &number);
    }
    for (size_t i = 0; i < t->n_references; i++)
        dated += t->references[i].authors.data != NULL;
    t->by_year = 2 * dated > t->n_references && !says_numbers(data, length);
    if (t->n_references > 0)
        qsort(t->references, t->n_references, sizeof *t->references, compare_references);
}

void tex_free_bibliography(tex *t) {
    for (size_t i = 0; i < t->n_references; i++)
        free_reference(&t->references[i]);
    free(t->references);
}

void tex_put_bibliography_item(tex *t) {
    drt_buffer key = {0};
    tex_end_line(t);
    tex_drop_option(t);
    tex_read_argument(t, &key);
    const tex_reference *found = find_reference(t, key.data ? key.data : "", key.length);
    if (!t->by_year || (found && !found->authors.data)) {
        tex_put_text(t, "[");
        tex_put(t, found ? found->label.data : key.data, found ? found->label.length : key.length);
        tex_put_text(t, "] ");
    }
    drt_buffer_free(&key);
}

/* ------------------------------------------------------------------ citations ---- */

typedef enum { IN_BRACKETS, IN_THE_TEXT, BARE, ONLY_AUTHORS, ONLY_YEAR } cite_manner;

static cite_manner manner_of(const tex *t, const char *command) {
    static const struct {
        const char *part;
        cite_manner manner;
    } manners[] = {{"author", ONLY_AUTHORS},
                   {"year", ONLY_YEAR},
                   {"citet", IN_THE_TEXT},
                   {"Citet", IN_THE_TEXT},
                   {"textcite", IN_THE_TEXT},
                   {"Textcite", IN_THE_TEXT},
                   {"citeN", IN_THE_TEXT},
                   {"alt", BARE},
                   {"alp", BARE},
                   {"citenum", BARE},
                   {"onlinecite", BARE}};
    for (size_t i = 0; i < sizeof manners / sizeof *manners; i++)
        if (strstr(command, manners[i].part))
            return manners[i].manner;
    return t->by_year && strcmp(command, "cite") == 0 ? IN_THE_TEXT : IN_BRACKETS;
}

static void put_string(tex *t, const drt_string *string) {
    tex_put(t, string->data, string->length);
}

/* One key, without the brackets around all. */
static void put_key(tex *t, const char *key, size_t length, cite_manner manner, const drt_buffer *page) {
    while (length > 0 && isspace((unsigned char)*key)) {
        key++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)key[length - 1]))
        length--;
    const tex_reference *found = find_reference(t, key, length);
    bool apart = found && found->authors.data && found->year.data;
    if (apart && manner == ONLY_AUTHORS) {
        put_string(t, &found->authors);
    } else if (apart && manner == ONLY_YEAR) {
        put_string(t, &found->year);
    } else if (apart && manner == IN_THE_TEXT) {
        put_string(t, &found->authors);
        tex_put_text(t, t->by_year ? " (" : " [");
        put_string(t, t->by_year ? &found->year : &found->label);
        if (page) {
            tex_put_text(t, ", ");
            tex_run_text(t, page);
        }
        tex_put_text(t, t->by_year ? ")" : "]");
    } else if (apart && t->by_year) {
        put_string(t, &found->authors);
        tex_put_text(t, manner == BARE ? " " : ", ");
        put_string(t, &found->year);
    } else {
        bool lone = manner == IN_THE_TEXT && t->by_year;
        tex_put_text(t, lone ? "[" : "");
        tex_put(t, found ? found->label.data : key, found ? found->label.length : length);
        tex_put_text(t, lone ? "]" : "");
    }
}

/* Do brackets stand around all keys? */
static bool brackets_all(const tex *t, const drt_buffer *keys, cite_manner manner) {
    const char *comma = keys->length ? memchr(keys->data, ',', keys->length) : NULL;
    size_t n = comma ? (size_t)(comma - keys->data) : keys->length;
    const tex_reference *first = find_reference(t, keys->data ? keys->data : "", n);
    bool apart = first && first->authors.data;
    return manner == IN_BRACKETS || (manner != BARE && !apart && !(manner == IN_THE_TEXT && t->by_year));
}

void tex_put_citation(tex *t, const char *command) {
    drt_buffer options[2] = {{0}, {0}}, keys = {0};
    bool first = tex_read_option(t, &options[0]), second = first && tex_read_option(t, &options[1]);
    tex_read_argument(t, &keys);
    cite_manner manner = manner_of(t, command);
    const drt_buffer *page = first && options[second].length > 0 ? &options[second] : NULL;
    bool all = brackets_all(t, &keys, manner);
    bool inside = page && !all && manner == IN_THE_TEXT; /* "Renn (1801, p. 3)" */
    const char *open = t->by_year ? "(" : "[", *close = t->by_year ? ")" : "]";
    tex_put_text(t, all ? open : "");
    if (second && options[0].length > 0) {
        tex_run_text(t, &options[0]);
        tex_put_text(t, " ");
    }
    for (size_t at = 0; at < keys.length;) {
        const char *key = keys.data + at, *comma = memchr(key, ',', keys.length - at);
        size_t n = comma ? (size_t)(comma - key) : keys.length - at;
        tex_put_text(t, at == 0 ? "" : t->by_year && manner != IN_THE_TEXT ? "; " : ", ");
        put_key(t, key, n, manner, inside && !comma ? page : NULL);
        at += n + 1;
    }
    if (page && !inside) {
        tex_put_text(t, ", ");
        tex_run_text(t, page);
    }
    tex_put_text(t, all ? close : "");
    drt_buffer_free(&options[0]);
    drt_buffer_free(&options[1]);
    drt_buffer_free(&keys);
}
