/* config.h: config.json of a model directory -> drt_config, every field checked.
 * May use: base, json.h. */
#ifndef DRT_NETWORK_CONFIG_H
#define DRT_NETWORK_CONFIG_H

#include "engine/base/context.h"

#define DRT_MAX_LAYERS 256                    /* of one kind, or of one group */
#define DRT_MAX_PARAMETERS ((int64_t)1 << 34) /* of a whole model */

/* Parses the text of a config.json; `path` names it in errors. Fields that are missing get the
 * reference's defaults, unknown ones are ignored, wrong ones are errors that name the field.
 * name: "name", or "unnamed". tokenizer: the file name in "tokenizer", data NULL when there is none.
 * Both are owned. */
drt_status drt_config_parse(drt_context *context, const char *path, const char *text, size_t length, drt_config *config,
                            drt_string *name, drt_string *tokenizer);

/* Weights of a model of this shape, biases there are none. */
int64_t drt_config_parameters(const drt_config *config);

#endif
