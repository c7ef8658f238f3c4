/* tex_references.c: citations, and the list of references that they mean. See tex_run.h. */
#include "engine/corpus/tex_run.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFERENCE_BYTES 400 /* bytes of the label and the key of a reference */

static int compare_references(const void *a, const void *b) {
    const tex_reference *left = a, *right = b;
    return drt_string_compare(&left->key, right->key.data, right->key.length);
}

/* The number that a key has in the list of references, 0: none. */
static int number_of(const tex *t, const char *key, size_t length) {
    size_t from = 0, to = t->n_references;
    while (from < to) {
        size_t middle = from + (to - from) / 2;
        int order = drt_string_compare(&t->references[middle].key, key, length);
        if (order == 0)
            return t->references[middle].number;
        *(order < 0 ? &from : &to) = order < 0 ? middle + 1 : middle;
    }
    return 0;
}

/* Numbers the \bibitems of the whole source. */
void tex_find_bibliography(tex *t, const char *data, size_t length) {
    for (size_t at = 0; at < length && !t->failed;) {
        const char *next = memchr(data + at, '\\', length - at);
        if (!next)
            break;
        at = (size_t)(next - data) + 1;
        if (length - at < 9 || memcmp(data + at, "bibitem", 7) != 0)
            continue;
        at += 7;
        size_t near = length - at < REFERENCE_BYTES ? length - at : REFERENCE_BYTES;
        const char *end = data + at + near, *label = data[at] == '[' ? memchr(data + at, ']', near) : data + at;
        const char *open = label ? memchr(label, '{', (size_t)(end - label)) : NULL;
        const char *close = open ? memchr(open, '}', (size_t)(end - open)) : NULL;
        if (!close)
            continue;
        tex_reference found = {.number = (int)t->n_references + 1};
        if (t->n_references == INT32_MAX || !drt_array_grow((void **)&t->references, t->n_references, sizeof found) ||
            !drt_string_set(&found.key, open + 1, (size_t)(close - open) - 1)) {
            t->failed = true;
            break;
        }
        t->references[t->n_references++] = found;
    }
    if (t->n_references > 0)
        qsort(t->references, t->n_references, sizeof *t->references, compare_references);
}

static void put_key(tex *t, const char *key, size_t length) {
    char number[16];
    while (length > 0 && isspace((unsigned char)*key)) {
        key++;
        length--;
    }
    while (length > 0 && isspace((unsigned char)key[length - 1]))
        length--;
    int n = number_of(t, key, length);
    snprintf(number, sizeof number, "%d", n);
    tex_put(t, n ? number : key, n ? strlen(number) : length);
}

/* \cite[see][p. 3]{a,b} -> [see 1, 2, p. 3] */
void tex_put_citation(tex *t) {
    drt_buffer options[2] = {{0}, {0}}, keys = {0};
    bool first = tex_read_option(t, &options[0]), second = first && tex_read_option(t, &options[1]);
    tex_read_argument(t, &keys);
    tex_put_text(t, "[");
    if (second && options[0].length > 0) {
        tex_run_text(t, &options[0]);
        tex_put_text(t, " ");
    }
    for (size_t at = 0; at < keys.length;) {
        const char *key = keys.data + at, *comma = memchr(key, ',', keys.length - at);
        size_t n = comma ? (size_t)(comma - key) : keys.length - at;
        tex_put_text(t, at ? ", " : "");
        put_key(t, key, n);
        at += n + 1;
    }
    if (first && options[second].length > 0) {
        tex_put_text(t, ", ");
        tex_run_text(t, &options[second]);
    }
    tex_put_text(t, "]");
    drt_buffer_free(&options[0]);
    drt_buffer_free(&options[1]);
    drt_buffer_free(&keys);
}

void tex_put_bibliography_item(tex *t) {
    drt_buffer key = {0};
    tex_end_line(t);
    tex_drop_option(t);
    tex_read_argument(t, &key);
    tex_put_text(t, "[");
    put_key(t, key.data ? key.data : "", key.length);
    tex_put_text(t, "] ");
    drt_buffer_free(&key);
}

void tex_put_reference(tex *t) {
    drt_buffer key = {0};
    tex_read_argument(t, &key);
    tex_put(t, key.data ? key.data : "", key.length);
    drt_buffer_free(&key);
}
