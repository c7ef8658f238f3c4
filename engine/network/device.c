/* device.c: names -> backends. See drt.h, "device". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/network/model.h"

#define MOST_THREADS 1024

drt_device_params drt_device_params_default(void) {
    return (drt_device_params){"auto", 0};
}

/* "cuda" or "cuda:N". */
static bool is_cuda(const char *name) {
    if (strncmp(name, "cuda", 4) != 0)
        return false;
    if (name[4] == 0)
        return true;
    size_t digits = strspn(name + 5, "0123456789");
    return name[4] == ':' && digits > 0 && digits <= 3 && name[5 + digits] == 0;
}

static drt_status check(drt_context *context, const drt_device_params *params) {
    if (params->threads < 0 || params->threads > MOST_THREADS)
        return drt_fail(context, DRT_FAILED, "%d is no number of threads: give 1 to %d, or 0 for one a core",
                        params->threads, MOST_THREADS);
    if (is_cuda(params->name))
        return drt_fail(context, DRT_FAILED, "this build has no CUDA backend: use --device cpu or auto");
    if (strcmp(params->name, "auto") != 0 && strcmp(params->name, "cpu") != 0)
        return drt_fail(context, DRT_FAILED, "\"%s\" is no device: use auto, cpu, cuda or cuda:N", params->name);
    return DRT_OK;
}

drt_status drt_device_open(drt_context *context, const drt_device_params *params, drt_device **out) {
    char error[256];
    *out = NULL;
    drt_status status = check(context, params);
    if (status != DRT_OK)
        return status;
    drt_device *device = calloc(1, sizeof *device);
    if (!device)
        return drt_fail_memory(context, "the device");
    if (drt_backend_open_cpu(params->threads, &device->backend, error, sizeof error) != 0) {
        free(device);
        return drt_fail(context, DRT_FAILED, "the CPU backend: %s", error);
    }
    snprintf(device->name, sizeof device->name, "cpu");
    snprintf(device->description, sizeof device->description, "%s", device->backend->description);
    *out = device;
    return DRT_OK;
}

void drt_device_close(drt_device *device) {
    if (!device)
        return;
    device->backend->close(device->backend);
    free(device);
}

const char *drt_device_name(const drt_device *device) {
    return device->name;
}

const char *drt_device_description(const drt_device *device) {
    return device->description;
}

drt_status drt_backends_describe(drt_context *context, drt_string *text) {
    drt_buffer lines = {0};
    drt_device *device;
    drt_device_params params = {"cpu", 0};
    *text = (drt_string){0};
    drt_status status = drt_device_open(context, &params, &device);
    if (status != DRT_OK)
        return status;
    bool ok = drt_buffer_printf(&lines, "cpu: %s\ncuda: not in this build\n", device->description) &&
              drt_string_take(text, &lines);
    drt_device_close(device);
    drt_buffer_free(&lines);
    return ok ? DRT_OK : drt_fail_memory(context, "the list of backends");
}
