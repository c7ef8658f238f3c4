/* inspect.c: what a model directory holds, without a device. See drt.h. */
#include <stdio.h>
#include <string.h>

#include "engine/network/config.h"
#include "engine/network/model_files.h"

/* The dtypes that occur, smallest first: "I8 + F32". */
static void describe_types(const drt_model_files *files, char *text, size_t size) {
    static const drt_tensor_type order[] = {DRT_TENSOR_I8, DRT_TENSOR_BF16, DRT_TENSOR_F32};
    bool found[DRT_TENSOR_BOOL + 1] = {false};
    for (size_t i = 0; i < files->model->n_parameters; i++) {
        const drt_tensor *scale;
        found[drt_model_files_tensor(files, &files->model->parameters[i], &scale)->type] = true;
    }
    size_t at = 0;
    text[0] = 0;
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (found[order[i]])
            at += (size_t)snprintf(text + at, size - at, "%s%s", at ? " + " : "", drt_tensor_type_name(order[i]));
}

drt_status drt_model_inspect(drt_context *context, const char *directory, drt_config *config, drt_model_facts *facts,
                             drt_string *name, uint8_t fingerprint[DRT_FINGERPRINT_SIZE]) {
    drt_model_files files;
    if (name)
        *name = (drt_string){0};
    drt_status status = drt_model_files_open(context, directory, &files);
    if (status != DRT_OK)
        return status;
    if (config)
        *config = files.model->config;
    if (facts) {
        facts->parameters = drt_config_parameters(&files.model->config);
        facts->weight_bytes = (int64_t)files.weights.mapping.size;
        describe_types(&files, facts->dtype, sizeof facts->dtype);
    }
    if (fingerprint)
        memcpy(fingerprint, files.model->fingerprint, DRT_FINGERPRINT_SIZE);
    if (name && !drt_string_set(name, files.model->name, strlen(files.model->name)))
        status = drt_fail_memory(context, "the model's name");
    drt_model_files_close(&files);
    return status;
}
