/* visit_path.c: the display path of what is being read. See visit.h. */
#include <stdio.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/corpus/visit.h"

size_t drt_visit_push(drt_visit *v, const char *name, size_t length) {
    size_t before = v->path.length;
    if (!drt_buffer_append_byte(&v->path, '/') || !drt_utf8_append_escaped(&v->path, name, length))
        drt_visit_out_of_memory(v);
    return before;
}

void drt_visit_pop(drt_visit *v, size_t before) {
    v->path.length = before;
    v->path.data[before] = 0;
}

/* How often the current path was met, this time included; 0: out of memory. */
static uint64_t count(drt_visit *v) {
    uint64_t *times =
        drt_fingerprints_value(&v->met, drt_fingerprint_add(DRT_FINGERPRINT_OF_NOTHING, v->path.data, v->path.length));
    if (!times)
        drt_visit_out_of_memory(v);
    return times ? ++*times : 0;
}

/* Puts " (number)" before the suffix. */
static void add_number(drt_visit *v, uint64_t number) {
    char text[32];
    int length = snprintf(text, sizeof text, " (%llu)", (unsigned long long)number);
    drt_buffer *path = &v->path;
    size_t end = path->length, at = end;
    while (at > 0 && path->data[at - 1] != '.' && path->data[at - 1] != '/')
        at--;
    at = at > 1 && path->data[at - 1] == '.' && path->data[at - 2] != '/' ? at - 1 : end;
    if (!drt_buffer_append(path, text, (size_t)length)) {
        drt_visit_out_of_memory(v);
        return;
    }
    memmove(path->data + at + length, path->data + at, end - at);
    memcpy(path->data + at, text, (size_t)length);
}

size_t drt_visit_push_member(drt_visit *v, const char *name, size_t length) {
    size_t before = drt_visit_push(v, name, length);
    while (!drt_visit_stopped(v)) {
        uint64_t number = count(v);
        if (number <= 1)
            break;
        add_number(v, number);
        if (drt_visit_stopped(v) || count(v) <= 1)
            break;
        drt_visit_pop(v, before); /* another is called just so: the next number */
        drt_visit_push(v, name, length);
    }
    return before;
}
