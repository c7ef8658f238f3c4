/* buffer.h: a growable byte buffer, and the owned strings of the public interface.
 * May use: libc. */
#ifndef DRT_BASE_BUFFER_H
#define DRT_BASE_BUFFER_H

#include "engine/base/context.h"

/* {0} is an empty buffer. After a failed call the contents are unchanged. data[length] is always
 * NUL once something was appended. */
typedef struct {
    char *data;
    size_t length, capacity;
} drt_buffer;

/* false: out of memory. */
bool drt_buffer_reserve(drt_buffer *buffer, size_t extra);
bool drt_buffer_append(drt_buffer *buffer, const void *data, size_t length);
bool drt_buffer_append_text(drt_buffer *buffer, const char *text);
bool drt_buffer_append_byte(drt_buffer *buffer, char byte);
bool drt_buffer_printf(drt_buffer *buffer, const char *format, ...) DRT_PRINTF(2, 3);
void drt_buffer_free(drt_buffer *buffer);

/* A copy; NULL data gives NULL data. false: out of memory. */
bool drt_string_set(drt_string *string, const char *data, size_t length);
bool drt_string_copy(drt_string *to, const drt_string *from);
/* Hands the buffer's bytes over and empties it; an empty buffer gives "" (not NULL). */
bool drt_string_take(drt_string *string, drt_buffer *buffer);
bool drt_string_equal(const drt_string *a, const char *data, size_t length);
/* As memcmp; of two that begin alike the shorter comes first. */
int drt_string_compare(const drt_string *a, const char *data, size_t length);

/* Makes room for one more item of `size` bytes in an array of n, which only ever grew by one. false: out of memory. */
bool drt_array_grow(void **array, size_t n, size_t size);

#endif
