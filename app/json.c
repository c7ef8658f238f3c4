/* json.c: a streaming JSON writer. See json.h. */
#include "app/json.h"

#include <math.h>
#include <string.h>

#include "engine/drt.h"

/* Characters that are legal in a JSON string but that terminals or line-based readers act on. */
static bool is_unsafe(uint32_t code) {
    return code < 0x20 || (code >= 0x7f && code < 0xa0) || code == 0x2028 || code == 0x2029 ||
           (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

static void write_string(FILE *out, const char *data, size_t length) {
    size_t clean = 0; /* start of what passes as it is */
    fputc('"', out);
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = drt_utf8_decode(data + at, length - at, &code);
        if (size > 0 && !is_unsafe(code) && code != '"' && code != '\\') {
            at += size;
            continue;
        }
        fwrite(data + clean, 1, at - clean, out);
        if (size == 0)
            fputs("\xef\xbf\xbd", out);
        else if (code == '"' || code == '\\')
            fprintf(out, "\\%c", (int)code);
        else if (code == '\n' || code == '\t')
            fputs(code == '\n' ? "\\n" : "\\t", out);
        else
            fprintf(out, "\\u%04x", (unsigned)code);
        at += size > 0 ? size : 1;
        clean = at;
    }
    fwrite(data + clean, 1, length - clean, out);
    fputc('"', out);
}

/* The comma and the key in front of a value. */
static void before_value(json_writer *json, const char *key) {
    if (json->comma)
        fputs(", ", json->out);
    if (key)
        fprintf(json->out, "\"%s\": ", key);
    json->comma = true;
}

static void nest(json_writer *json, const char *key, char opener, char closer) {
    before_value(json, key);
    fputc(opener, json->out);
    json->closers[json->depth++] = closer;
    json->comma = false;
}

void json_open(json_writer *json, FILE *out) {
    *json = (json_writer){.out = out};
    nest(json, NULL, '{', '}');
}

void json_object(json_writer *json, const char *key) {
    nest(json, key, '{', '}');
}

void json_array(json_writer *json, const char *key) {
    nest(json, key, '[', ']');
}

void json_close(json_writer *json) {
    fputc(json->closers[--json->depth], json->out);
    json->comma = true;
    if (json->depth == 0)
        fputc('\n', json->out);
}

void json_string(json_writer *json, const char *key, const char *data, size_t length) {
    before_value(json, key);
    if (data)
        write_string(json->out, data, length);
    else
        fputs("null", json->out);
}

void json_text(json_writer *json, const char *key, const char *text) {
    json_string(json, key, text, text ? strlen(text) : 0);
}

void json_integer(json_writer *json, const char *key, int64_t number) {
    before_value(json, key);
    fprintf(json->out, "%lld", (long long)number);
}

void json_real(json_writer *json, const char *key, double number) {
    before_value(json, key);
    /* The command never sets LC_NUMERIC, so the point is a point. */
    if (isfinite(number))
        fprintf(json->out, "%.9g", number);
    else
        fputs("null", json->out);
}

void json_bool(json_writer *json, const char *key, bool value) {
    before_value(json, key);
    fputs(value ? "true" : "false", json->out);
}
