/* json.c: JSON text of model files. See json.h. */
#include "engine/network/json.h"

#include <math.h>
#include <string.h>

#include "engine/base/utf8.h"

static bool contains(const char *text, size_t length, const char *word) {
    size_t n = strlen(word);
    for (size_t at = 0; at + n <= length; at++) {
        const char *hit = memchr(text + at, word[0], length - n - at + 1);
        if (!hit)
            return false;
        if (memcmp(hit, word, n) == 0)
            return true;
        at = (size_t)(hit - text);
    }
    return false;
}

static size_t skip_space(const char *text, size_t length, size_t at) {
    while (at < length && (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r'))
        at++;
    return at;
}

drt_status drt_json_parse(drt_context *context, const char *what, const char *text, size_t length, cJSON **root) {
    *root = NULL;
    size_t start = skip_space(text, length, 0);
    if (start == length || text[start] != '{')
        return drt_fail(context, DRT_FAILED, "the JSON of %s is not an object", what);
    if (drt_utf8_valid_prefix(text, length) != length)
        return drt_fail(context, DRT_FAILED, "the JSON of %s is not valid UTF-8 at byte %zu", what,
                        drt_utf8_valid_prefix(text, length));
    if (memchr(text, 0, length) || contains(text, length, "\\u0000"))
        return drt_fail(context, DRT_FAILED, "the JSON of %s holds a NUL character", what);
    const char *end = NULL;
    cJSON *tree = cJSON_ParseWithLengthOpts(text, length, &end, 0);
    size_t stopped = end ? (size_t)(end - text) : 0;
    if (!tree)
        return drt_fail(context, DRT_FAILED, "the JSON of %s is not valid near byte %zu", what, stopped);
    if (skip_space(text, length, stopped) != length) {
        cJSON_Delete(tree);
        return drt_fail(context, DRT_FAILED, "the JSON of %s goes on behind its object at byte %zu", what, stopped);
    }
    *root = tree;
    return DRT_OK;
}

bool drt_json_integer(const cJSON *item, int64_t smallest, int64_t largest, int64_t *value) {
    if (!cJSON_IsNumber(item))
        return false;
    double number = item->valuedouble;
    if (!(number >= (double)smallest && number <= (double)largest) || floor(number) != number)
        return false;
    *value = (int64_t)number;
    return true;
}
