/* model.c: a model directory -> weights on a device. See model.h. */
#include "engine/network/model.h"

#include <stdlib.h>
#include <string.h>

#include "engine/network/model_files.h"
#include "engine/network/plan.h"

static drt_status backend_failed(drt_context *context, const drt_model *model, const drt_parameter *p) {
    return drt_fail(context, DRT_FAILED, "cannot load the weights \"%s\" of model %s onto %s: %s", p->name, model->name,
                    model->device->name, model->device->backend->error);
}

/* The tensor's data at an address fit for its type: in the file, or in *copy (to be freed). NULL: out of memory. */
static const void *aligned_data(const drt_tensor *tensor, void **copy) {
    *copy = NULL;
    if ((uintptr_t)tensor->data % drt_tensor_type_size(tensor->type) == 0)
        return tensor->data;
    *copy = malloc(tensor->bytes);
    return *copy ? memcpy(*copy, tensor->data, tensor->bytes) : NULL;
}

static drt_status load_matrix(drt_context *context, drt_model *model, const drt_parameter *p, const drt_tensor *tensor,
                              const drt_tensor *scale) {
    drt_backend *b = model->device->backend;
    drt_status status = DRT_OK;
    void *data_copy = NULL, *scale_copy = NULL;
    const void *data = aligned_data(tensor, &data_copy);
    const float *scales = scale ? aligned_data(scale, &scale_copy) : NULL;
    if (!data || (scale && !scales))
        status = drt_fail_memory(context, p->name);
    else if (b->matrix_load(b, p->matrix, drt_weight_type_of(tensor->type), data, scales, p->rows, p->cols) != 0)
        status = backend_failed(context, model, p);
    free(data_copy);
    free(scale_copy);
    return status;
}

static drt_status load_vector(drt_context *context, drt_model *model, const drt_parameter *p,
                              const drt_tensor *tensor) {
    drt_backend *b = model->device->backend;
    size_t n = (size_t)p->rows;
    float *values = malloc(n * sizeof *values);
    void *buffer = NULL;
    if (!values)
        return drt_fail_memory(context, p->name);
    drt_tensor_floats(tensor, 0, n, values);
    drt_status status = DRT_OK;
    if (b->buffer_alloc(b, n * sizeof *values, &buffer) != 0) {
        status = backend_failed(context, model, p);
    } else {
        *p->vector = buffer;
        if (b->upload(b, buffer, values, n * sizeof *values) != 0 || b->synchronize(b) != 0)
            status = backend_failed(context, model, p);
    }
    free(values);
    return status;
}

/* Do the weights fit where memory is not the host's? */
static drt_status check_room(drt_context *context, const drt_model *model, const drt_model_files *files) {
    drt_backend *b = model->device->backend;
    drt_memory_info info;
    if (!b->own_memory || b->memory_info(b, &info) != 0)
        return DRT_OK;
    size_t room = drt_model_files_room(files, b);
    return room <= info.available ? DRT_OK : drt_plan_refuse(context, model->device, "loading the model", room);
}

static drt_status load_weights(drt_context *context, drt_model *model, const drt_model_files *files) {
    for (size_t i = 0; i < model->n_parameters; i++) {
        const drt_parameter *p = &model->parameters[i];
        const drt_tensor *scale, *tensor = drt_model_files_tensor(files, p, &scale);
        if (drt_cancelled(context))
            return drt_fail(context, DRT_FAILED, "loading model %s was cancelled", model->name);
        drt_status status =
            p->matrix ? load_matrix(context, model, p, tensor, scale) : load_vector(context, model, p, tensor);
        if (status != DRT_OK)
            return status;
    }
    return DRT_OK;
}

static drt_status load_tokenizer(drt_context *context, drt_model *model, const drt_model_files *files) {
    char error[512];
    const char *path = files->tokenizer_path.data;
    if (!path)
        return DRT_OK;
    if (drt_tokenizer_load_memory(files->tokenizer.data, files->tokenizer.size, &model->tokenizer, error,
                                  sizeof error) != 0)
        return drt_fail(context, DRT_FAILED, "%s: %s", path, error);
    if (drt_tokenizer_size(model->tokenizer) != model->config.vocab_size)
        return drt_fail(context, DRT_FAILED, "%s has %d pieces where the \"vocab_size\" of config.json is %d", path,
                        drt_tokenizer_size(model->tokenizer), model->config.vocab_size);
    return DRT_OK;
}

drt_status drt_model_load(drt_context *context, drt_device *device, const char *directory, drt_model **model) {
    drt_model_files files;
    *model = NULL;
    drt_status status = drt_model_files_open(context, directory, &files);
    if (status != DRT_OK)
        return status;
    files.model->device = device;
    status = load_tokenizer(context, files.model, &files);
    if (status == DRT_OK)
        status = check_room(context, files.model, &files);
    if (status == DRT_OK)
        status = load_weights(context, files.model, &files);
    if (status == DRT_OK) {
        *model = files.model;
        files.model = NULL;
    }
    drt_model_files_close(&files);
    return status;
}

void drt_model_free(drt_model *model) {
    if (!model)
        return;
    drt_backend *b = model->device ? model->device->backend : NULL;
    for (size_t i = 0; b && i < model->n_parameters; i++) {
        const drt_parameter *p = &model->parameters[i];
        if (p->matrix && p->matrix->data)
            b->matrix_free(b, p->matrix);
        if (p->vector && *p->vector)
            b->buffer_free(b, *p->vector);
    }
    for (int g = 0; g < DRT_MAX_GROUPS; g++)
        free(model->upper[g]);
    free(model->lower);
    free(model->encoder);
    free(model->parameters);
    drt_tokenizer_free(model->tokenizer);
    free(model->name);
    free(model->directory);
    free(model);
}

const drt_config *drt_model_config(const drt_model *model) {
    return &model->config;
}

const char *drt_model_name(const drt_model *model) {
    return model->name;
}

const char *drt_model_directory(const drt_model *model) {
    return model->directory;
}

const uint8_t *drt_model_fingerprint(const drt_model *model) {
    return model->fingerprint;
}

drt_device *drt_model_device(const drt_model *model) {
    return model->device;
}
