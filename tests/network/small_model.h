/* small_model.h: a model of a few thousand weights made on the fly, as the bytes of its files: to be
 * written as they are, or damaged first. */
#ifndef DRT_TESTS_SMALL_MODEL_H
#define DRT_TESTS_SMALL_MODEL_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/network/parameters.h"
#include "engine/network/safetensors.h"

typedef struct {
    drt_buffer config;
    drt_buffer header, data; /* of model.safetensors */
    drt_buffer tokenizer;
} small_model;

#define SMALL_CONFIG                                                                                                   \
    "{\"name\": \"small\", \"tokenizer\": \"tokenizer.model\", \"vocab_size\": 16384, \"d_model\": 4,\n"               \
    " \"n_heads\": 2, \"d_ff\": 6, \"lower_layers\": 1, \"group_layers\": [1, 1], \"encoder_layers\": 1,\n"            \
    " \"chunk_size\": 8, \"window\": 16, \"top_k\": 2, \"rms_eps\": 1e-05, \"rope_theta\": 10000.0,\n"                 \
    " \"landmark_reads_own_retrieval\": true, \"gca_in_residual\": true, \"qk_norm\": true}\n"

static inline void small_require(bool ok, const char *what) {
    if (!ok) {
        perror(what);
        abort();
    }
}

/* A weight: the same for the same place, in -1..1, a multiple of 1/128 so that BF16 holds it. */
static inline float small_weight(size_t parameter, size_t at) {
    return (float)((int)((parameter * 31 + at * 2654435761u) % 257) - 128) / 128;
}

static inline void small_entry(small_model *m, const char *name, const char *suffix, const char *dtype,
                               const drt_parameter *p, bool matrix, size_t bytes) {
    char shape[32];
    snprintf(shape, sizeof shape, matrix ? "%d, %d" : "%d", p->rows, p->cols);
    small_require(drt_buffer_printf(&m->header,
                                    "%s\"%s%s\": {\"dtype\": \"%s\", \"shape\": [%s], \"data_offsets\": [%zu, %zu]}",
                                    m->header.length ? ", " : "{", name, suffix, dtype, shape, m->data.length,
                                    m->data.length + bytes),
                  "header");
}

static inline void small_value(small_model *m, drt_tensor_type type, float value) {
    uint32_t bits;
    int8_t byte = (int8_t)(value * 127);
    memcpy(&bits, &value, sizeof bits);
    uint16_t half = (uint16_t)(bits >> 16);
    const void *data = type == DRT_TENSOR_F32    ? (const void *)&bits
                       : type == DRT_TENSOR_BF16 ? (const void *)&half
                                                 : &byte;
    small_require(drt_buffer_append(&m->data, data, drt_tensor_type_size(type)), "data");
}

static inline void small_parameter(small_model *m, size_t index, const drt_parameter *p, drt_tensor_type type) {
    drt_tensor_type own = !p->cols && type == DRT_TENSOR_I8 ? DRT_TENSOR_F32 : type;
    size_t n = (size_t)p->rows * (size_t)(p->cols ? p->cols : 1);
    small_entry(m, p->name, "", drt_tensor_type_name(own), p, p->cols, n * drt_tensor_type_size(own));
    for (size_t i = 0; i < n; i++)
        small_value(m, own, small_weight(index, i));
    if (own != DRT_TENSOR_I8)
        return;
    small_entry(m, p->name, ".scale", "F32", p, false, (size_t)p->rows * sizeof(float));
    for (int i = 0; i < p->rows; i++)
        small_value(m, DRT_TENSOR_F32, 0.5f);
}

/* Matrices in `type`; vectors too, F32 beside I8. */
static inline void small_model_make(drt_context *context, drt_tensor_type type, small_model *m) {
    static const drt_config shape = {.vocab_size = 16384,
                                     .d_model = 4,
                                     .n_heads = 2,
                                     .d_ff = 6,
                                     .lower_layers = 1,
                                     .encoder_layers = 1,
                                     .n_groups = 2,
                                     .group_layers = {1, 1}};
    drt_model *model;
    *m = (small_model){0};
    small_require(drt_model_new_empty(context, &shape, &model) == DRT_OK, "model");
    for (size_t i = 0; i < model->n_parameters; i++)
        small_parameter(m, i, &model->parameters[i], type);
    drt_model_free(model);
    small_require(drt_buffer_append_text(&m->header, "}") && drt_buffer_append_text(&m->config, SMALL_CONFIG), "model");
    small_require(drt_file_read(context, DRT_SOURCE_DIR "/samples/model/tokenizer.model", SIZE_MAX, &m->tokenizer) ==
                      DRT_OK,
                  "tokenizer");
}

static inline void small_model_clear(small_model *m) {
    drt_buffer_free(&m->config);
    drt_buffer_free(&m->header);
    drt_buffer_free(&m->data);
    drt_buffer_free(&m->tokenizer);
}

static inline void small_write(const char *directory, const char *name, const void *data, size_t length,
                               const char *mode) {
    char path[512];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    FILE *file = fopen(path, mode);
    small_require(file && fwrite(data, 1, length, file) == length && fclose(file) == 0, path);
}

/* The header is padded with spaces to `align` bytes. */
static inline void small_model_write(const small_model *m, const char *directory, size_t align) {
    size_t padding = (align - m->header.length % align) % align;
    uint64_t length = m->header.length + padding; /* tests run on little-endian machines */
    small_write(directory, "config.json", m->config.data, m->config.length, "wb");
    small_write(directory, "tokenizer.model", m->tokenizer.data, m->tokenizer.length, "wb");
    small_write(directory, "model.safetensors", &length, sizeof length, "wb");
    small_write(directory, "model.safetensors", m->header.data, m->header.length, "ab");
    small_write(directory, "model.safetensors", "               ", padding, "ab");
    small_write(directory, "model.safetensors", m->data.data, m->data.length, "ab");
}

static inline void small_model_remove(const char *directory) {
    static const char *const names[] = {"config.json", "model.safetensors", "tokenizer.model"};
    char path[512];
    for (size_t i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", directory, names[i]);
        unlink(path);
    }
    rmdir(directory);
}

#endif
