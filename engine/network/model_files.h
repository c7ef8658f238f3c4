/* model_files.h: the files of a model directory, opened and checked against each other; nothing is
 * loaded yet. May use: base, config.h, parameters.h, safetensors.h. */
#ifndef DRT_NETWORK_MODEL_FILES_H
#define DRT_NETWORK_MODEL_FILES_H

#include "engine/base/file.h"
#include "engine/network/parameters.h"
#include "engine/network/safetensors.h"

#define DRT_CONFIG_FILE "config.json"
#define DRT_WEIGHTS_FILE "model.safetensors"

typedef struct {
    drt_model *model; /* empty: config, name, directory, fingerprint, list of parameters */
    drt_buffer config_text;
    drt_string weights_path;
    drt_safetensors weights;   /* holds each parameter, in a shape and dtype that fits, and no other tensor */
    drt_string tokenizer_file; /* name in the directory; data NULL: the model has none */
    drt_string tokenizer_path;
    drt_mapping tokenizer;
} drt_model_files;

drt_status drt_model_files_open(drt_context *context, const char *directory, drt_model_files *files);
void drt_model_files_close(drt_model_files *files);

/* The tensor of a parameter and, when that is I8, its scales (rows), else NULL. */
const drt_tensor *drt_model_files_tensor(const drt_model_files *files, const drt_parameter *parameter,
                                         const drt_tensor **scale);

static inline drt_weight_type drt_weight_type_of(drt_tensor_type type) {
    return type == DRT_TENSOR_I8 ? DRT_WEIGHT_I8 : type == DRT_TENSOR_BF16 ? DRT_WEIGHT_BF16 : DRT_WEIGHT_F32;
}

/* Bytes that the weights take on a backend. */
size_t drt_model_files_room(const drt_model_files *files, drt_backend *backend);

/* Values of an F32 or BF16 tensor, wherever they lie. */
void drt_tensor_floats(const drt_tensor *tensor, size_t first, size_t n, float *out);

#endif
