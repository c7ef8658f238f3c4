/* model_files.c: the files of a model directory. See model_files.h. */
#include "engine/network/model_files.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/network/config.h"

#define MAX_CONFIG_BYTES ((size_t)1 << 20)

/* ------------------------------------------------------------------ tensors ---- */

static const drt_tensor *find_scale(const drt_safetensors *weights, const drt_parameter *parameter) {
    char name[sizeof parameter->name + sizeof ".scale"];
    snprintf(name, sizeof name, "%s.scale", parameter->name);
    return drt_safetensors_find(weights, name);
}

const drt_tensor *drt_model_files_tensor(const drt_model_files *files, const drt_parameter *parameter,
                                         const drt_tensor **scale) {
    const drt_tensor *tensor = drt_safetensors_find(&files->weights, parameter->name);
    *scale = tensor && tensor->type == DRT_TENSOR_I8 ? find_scale(&files->weights, parameter) : NULL;
    return tensor;
}

void drt_tensor_floats(const drt_tensor *tensor, size_t first, size_t n, float *out) {
    if (tensor->type == DRT_TENSOR_F32) {
        memcpy(out, tensor->data + first * sizeof *out, n * sizeof *out);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const uint8_t *bytes = tensor->data + 2 * (first + i);
        uint32_t bits = (uint32_t)bytes[0] << 16 | (uint32_t)bytes[1] << 24;
        memcpy(&out[i], &bits, sizeof bits);
    }
}

static size_t element_count(const drt_tensor *tensor) {
    return tensor->bytes / drt_tensor_type_size(tensor->type);
}

static bool all_finite(const drt_tensor *tensor, bool allow_negative) {
    float block[256];
    size_t total = element_count(tensor);
    for (size_t at = 0; at < total; at += 256) {
        size_t n = total - at < 256 ? total - at : 256;
        drt_tensor_floats(tensor, at, n, block);
        for (size_t i = 0; i < n; i++)
            if (!isfinite(block[i]) || (!allow_negative && block[i] < 0))
                return false;
    }
    return true;
}

static bool has_shape(const drt_tensor *tensor, int rows, int cols) {
    return tensor->axes == (cols ? 2 : 1) && tensor->shape[0] == rows && (!cols || tensor->shape[1] == cols);
}

static void print_shape(const drt_tensor *tensor, char *text, size_t size) {
    size_t at = (size_t)snprintf(text, size, "[");
    for (int i = 0; i < tensor->axes && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%lld", i ? ", " : "", (long long)tensor->shape[i]);
    if (at < size)
        snprintf(text + at, size - at, "]");
}

static drt_status check_scale(drt_context *context, const char *path, const drt_parameter *p, const drt_tensor *scale) {
    if (!scale)
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" is I8 but \"%s.scale\" is missing", path, p->name,
                        p->name);
    if (scale->type != DRT_TENSOR_F32 || !has_shape(scale, p->rows, 0))
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" must be F32 of [%d], a scale for each row", path,
                        scale->name, p->rows);
    if (!all_finite(scale, false))
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" holds a scale that is negative or not finite", path,
                        scale->name);
    return DRT_OK;
}

static drt_status check_tensor(drt_context *context, const drt_model_files *files, const drt_parameter *p,
                               size_t *tensors_used) {
    const char *path = files->weights_path.data;
    const drt_tensor *scale, *tensor = drt_model_files_tensor(files, p, &scale);
    if (!tensor)
        return drt_fail(context, DRT_FAILED, "%s has no tensor \"%s\", which config.json asks for", path, p->name);
    if (!has_shape(tensor, p->rows, p->cols)) {
        char found[256], expected[64];
        print_shape(tensor, found, sizeof found);
        snprintf(expected, sizeof expected, p->cols ? "[%d, %d]" : "[%d]", p->rows, p->cols);
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" has shape %s where config.json asks for %s", path,
                        p->name, found, expected);
    }
    *tensors_used += 1;
    if (tensor->type == DRT_TENSOR_I8 && p->cols) {
        *tensors_used += 1;
        return check_scale(context, path, p, scale);
    }
    if (tensor->type != DRT_TENSOR_F32 && tensor->type != DRT_TENSOR_BF16)
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" is %s; it must be %s", path, p->name,
                        drt_tensor_type_name(tensor->type), p->cols ? "F32, BF16 or I8" : "F32 or BF16");
    if (!all_finite(tensor, true))
        return drt_fail(context, DRT_FAILED, "%s: tensor \"%s\" holds a value that is not finite", path, p->name);
    return DRT_OK;
}

/* Whether the file's tensor `name` is that of a parameter, or an I8 parameter's scales. */
static bool is_wanted(const drt_model_files *files, const char *name) {
    for (size_t i = 0; i < files->model->n_parameters; i++) {
        const drt_tensor *scale, *tensor = drt_model_files_tensor(files, &files->model->parameters[i], &scale);
        if (strcmp(tensor->name, name) == 0 || (scale && strcmp(scale->name, name) == 0))
            return true;
    }
    return false;
}

static drt_status check_tensors(drt_context *context, const drt_model_files *files) {
    size_t used = 0;
    for (size_t i = 0; i < files->model->n_parameters; i++) {
        drt_status status = check_tensor(context, files, &files->model->parameters[i], &used);
        if (status != DRT_OK)
            return status;
    }
    if (used == files->weights.count)
        return DRT_OK;
    for (size_t i = 0; i < files->weights.count; i++)
        if (!is_wanted(files, files->weights.tensors[i].name))
            return drt_fail(context, DRT_FAILED,
                            "%s has a tensor \"%s\" that a model of this config.json does not have",
                            files->weights_path.data, files->weights.tensors[i].name);
    return DRT_OK;
}

/* -------------------------------------------------------------------- files ---- */

static drt_status join(drt_context *context, const char *directory, const char *name, drt_string *path) {
    return drt_path_join(path, directory, name) ? DRT_OK : drt_fail_memory(context, "a path");
}

static drt_status read_config(drt_context *context, const char *directory, drt_model_files *files) {
    drt_string path = {0}, name = {0};
    drt_config config;
    drt_status status = join(context, directory, DRT_CONFIG_FILE, &path);
    if (status == DRT_OK)
        status = drt_file_read(context, path.data, MAX_CONFIG_BYTES, &files->config_text);
    if (status == DRT_OK)
        status = drt_config_parse(context, path.data, files->config_text.data, files->config_text.length, &config,
                                  &name, &files->tokenizer_file);
    if (status == DRT_OK)
        status = drt_model_new_empty(context, &config, &files->model);
    if (status == DRT_OK)
        files->model->name = name.data;
    else
        drt_string_free(&name);
    drt_string_free(&path);
    return status;
}

static drt_status map_weights(drt_context *context, const char *directory, drt_model_files *files) {
    drt_status status = join(context, directory, DRT_WEIGHTS_FILE, &files->weights_path);
    if (status == DRT_OK)
        status = drt_safetensors_open(context, files->weights_path.data, &files->weights);
    return status == DRT_OK ? check_tensors(context, files) : status;
}

static drt_status map_tokenizer(drt_context *context, const char *directory, drt_model_files *files) {
    if (!files->tokenizer_file.data)
        return DRT_OK;
    drt_status status = join(context, directory, files->tokenizer_file.data, &files->tokenizer_path);
    return status == DRT_OK ? drt_mapping_open(context, files->tokenizer_path.data, &files->tokenizer) : status;
}

static void fingerprint(const drt_model_files *files, uint8_t digest[DRT_FINGERPRINT_SIZE]) {
    drt_hash hash;
    drt_hash_start(&hash);
    drt_hash_add(&hash, files->config_text.data, files->config_text.length);
    drt_hash_add(&hash, files->weights.mapping.data, files->weights.mapping.size);
    drt_hash_add(&hash, files->tokenizer.data, files->tokenizer.size);
    drt_hash_finish(&hash, digest);
}

drt_status drt_model_files_open(drt_context *context, const char *directory, drt_model_files *files) {
    drt_string absolute = {0};
    *files = (drt_model_files){0};
    drt_status status = drt_path_absolute(context, directory, &absolute);
    if (status == DRT_OK)
        status = read_config(context, absolute.data, files);
    if (status == DRT_OK)
        status = map_weights(context, absolute.data, files);
    if (status == DRT_OK)
        status = map_tokenizer(context, absolute.data, files);
    if (status != DRT_OK) {
        drt_string_free(&absolute);
        drt_model_files_close(files);
        return status;
    }
    files->model->directory = absolute.data;
    fingerprint(files, files->model->fingerprint);
    return DRT_OK;
}

void drt_model_files_close(drt_model_files *files) {
    drt_model_free(files->model);
    drt_buffer_free(&files->config_text);
    drt_string_free(&files->weights_path);
    drt_safetensors_close(&files->weights);
    drt_string_free(&files->tokenizer_file);
    drt_string_free(&files->tokenizer_path);
    drt_mapping_close(&files->tokenizer);
    *files = (drt_model_files){0};
}

size_t drt_model_files_room(const drt_model_files *files, drt_backend *b) {
    size_t sum = 0;
    for (size_t i = 0; i < files->model->n_parameters; i++) {
        const drt_parameter *p = &files->model->parameters[i];
        const drt_tensor *scale, *tensor = drt_model_files_tensor(files, p, &scale);
        sum += p->matrix ? b->matrix_room(b, drt_weight_type_of(tensor->type), p->rows, p->cols)
                         : (size_t)p->rows * sizeof(float);
    }
    return sum;
}
