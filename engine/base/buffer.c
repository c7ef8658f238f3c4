/* buffer.c: growable buffers and owned strings. See buffer.h. */
#include "engine/base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool drt_buffer_reserve(drt_buffer *buffer, size_t extra) {
    if (extra > SIZE_MAX / 2 - buffer->length - 1)
        return false;
    size_t needed = buffer->length + extra + 1; /* the closing NUL */
    if (needed <= buffer->capacity)
        return true;
    size_t capacity = buffer->capacity ? buffer->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    char *data = realloc(buffer->data, capacity);
    if (!data)
        return false;
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool drt_buffer_append(drt_buffer *buffer, const void *data, size_t length) {
    if (!drt_buffer_reserve(buffer, length))
        return false;
    if (length)
        memcpy(buffer->data + buffer->length, data, length);
    buffer->length += length;
    buffer->data[buffer->length] = 0;
    return true;
}

bool drt_buffer_append_text(drt_buffer *buffer, const char *text) {
    return drt_buffer_append(buffer, text, strlen(text));
}

bool drt_buffer_append_byte(drt_buffer *buffer, char byte) {
    return drt_buffer_append(buffer, &byte, 1);
}

bool drt_buffer_printf(drt_buffer *buffer, const char *format, ...) {
    va_list arguments, again;
    va_start(arguments, format);
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    bool ok = length >= 0 && drt_buffer_reserve(buffer, (size_t)length);
    if (ok) {
        vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
    return ok;
}

void drt_buffer_free(drt_buffer *buffer) {
    free(buffer->data);
    *buffer = (drt_buffer){0};
}

bool drt_string_set(drt_string *string, const char *data, size_t length) {
    *string = (drt_string){0};
    if (!data)
        return true;
    char *copy = malloc(length + 1);
    if (!copy)
        return false;
    if (length)
        memcpy(copy, data, length);
    copy[length] = 0;
    *string = (drt_string){copy, length};
    return true;
}

bool drt_string_copy(drt_string *to, const drt_string *from) {
    return drt_string_set(to, from->data, from->length);
}

bool drt_string_take(drt_string *string, drt_buffer *buffer) {
    if (!drt_buffer_reserve(buffer, 0))
        return false;
    buffer->data[buffer->length] = 0;
    *string = (drt_string){buffer->data, buffer->length};
    *buffer = (drt_buffer){0};
    return true;
}

bool drt_string_equal(const drt_string *a, const char *data, size_t length) {
    return a->data && a->length == length && memcmp(a->data, data, length) == 0;
}

void drt_string_free(drt_string *string) {
    if (!string)
        return;
    free(string->data);
    *string = (drt_string){0};
}

int drt_string_compare(const drt_string *a, const char *data, size_t length) {
    size_t shared = a->length < length ? a->length : length;
    int order = shared ? memcmp(a->data, data, shared) : 0;
    return order ? order : (a->length > length) - (a->length < length);
}

bool drt_array_grow(void **array, size_t n, size_t size) {
    if (n & (n - 1))
        return true;
    void *grown = n > SIZE_MAX / 2 / size ? NULL : realloc(*array, (n ? 2 * n : 1) * size);
    if (grown)
        *array = grown;
    return grown != NULL;
}
