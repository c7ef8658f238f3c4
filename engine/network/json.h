/* json.h: JSON text of model files -> a cJSON tree, with the cases refused that cJSON lets pass.
 * May use: base, cJSON. */
#ifndef DRT_NETWORK_JSON_H
#define DRT_NETWORK_JSON_H

#include <cjson/cJSON.h>

#include "engine/base/context.h"

/* Parses an object and nothing behind it but white space. Refused: invalid UTF-8, NUL bytes (also as
 * \u0000: cJSON's strings would end there), nesting deeper than cJSON's limit. `what` names the text in
 * errors. The caller frees *root with cJSON_Delete. */
drt_status drt_json_parse(drt_context *context, const char *what, const char *text, size_t length, cJSON **root);

/* A whole number from smallest to largest; both must lie below 2^53, up to where doubles
 * are exact. */
bool drt_json_integer(const cJSON *item, int64_t smallest, int64_t largest, int64_t *value);

#endif
