/* open.c: opening a library for a loaded model. See drt.h; the work is library.c's. */
#include "engine/library/store.h"

drt_library_params drt_library_params_default(void) {
    return (drt_library_params){.mode = DRT_LIBRARY_READ, .model = NULL, .memory_type = DRT_MEMORY_INT8};
}

drt_status drt_library_open(drt_context *context, const char *path, const drt_library_params *params,
                            drt_library **library) {
    *library = NULL;
    const drt_model *model = params->model;
    if (!model && params->mode == DRT_LIBRARY_CREATE)
        return drt_fail(context, DRT_FATAL, "a library can't be made without a model");
    if (!model)
        return drt_store_open(context, path, params->mode, NULL, library);
    const drt_config *config = drt_model_config(model);
    drt_store_identity identity = {
        .fingerprint = drt_model_fingerprint(model),
        .model_name = drt_model_name(model),
        .model_directory = drt_model_directory(model),
        .chunk_size = config->chunk_size,
        .d_model = config->d_model,
        .memory_type = params->memory_type,
    };
    return drt_store_open(context, path, params->mode, &identity, library);
}
