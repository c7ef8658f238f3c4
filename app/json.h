/* json.h: writes JSON, one object a line, strict: valid UTF-8, no raw control characters, no NaN,
 * numbers the same in every locale. May use: libc. */
#ifndef DRT_APP_JSON_H
#define DRT_APP_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define JSON_MAX_DEPTH 16

/* Errors stand in the stream (ferror). */
typedef struct {
    FILE *out;
    int depth;
    char closers[JSON_MAX_DEPTH];
    bool comma; /* before the next value of the innermost object or array */
} json_writer;

/* Keys are plain ASCII literals; NULL inside an array and for the outermost object. */
void json_open(json_writer *json, FILE *out); /* the outermost object */
void json_object(json_writer *json, const char *key);
void json_array(json_writer *json, const char *key);
/* Closes the innermost one; after the outermost object the line ends. */
void json_close(json_writer *json);

/* data NULL: null. Bytes that are no UTF-8 become U+FFFD. Control characters, C1, line and
 * paragraph separators and direction controls are escaped: the text is the same, and safe to look at. */
void json_string(json_writer *json, const char *key, const char *data, size_t length);
void json_text(json_writer *json, const char *key, const char *text); /* NUL-terminated; NULL: null */
void json_integer(json_writer *json, const char *key, int64_t number);
/* Nine significant digits: a float comes back exactly. Not finite: null. */
void json_real(json_writer *json, const char *key, double number);
void json_bool(json_writer *json, const char *key, bool value);

#endif
