/* device.c: names -> backends. See drt.h, "device". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/buffer.h"
#include "engine/network/model.h"
#include "kernels/cpu/pool.h"
#include "kernels/module.h"

#define MOST_THREADS 1024
#define DEVICE_ERROR 1024 /* bytes of a backend's sentence, which may hold a path */

drt_device_params drt_device_params_default(void) {
    return (drt_device_params){.name = "auto"};
}

/* "cuda" or "cuda:N" -> N, 0 for "cuda"; -1 for any other name. */
static int cuda_number(const char *name) {
    if (strcmp(name, "cuda") == 0)
        return 0;
    size_t digits = strncmp(name, "cuda:", 5) == 0 ? strspn(name + 5, "0123456789") : 0;
    return digits > 0 && digits <= 3 && name[5 + digits] == 0 ? atoi(name + 5) : -1;
}

static drt_status check(drt_context *context, const drt_device_params *params) {
    if (params->threads < 0 || params->threads > MOST_THREADS)
        return drt_fail(context, DRT_FAILED, "%d is no number of threads: give 1 to %d, or 0 for one a core",
                        params->threads, MOST_THREADS);
    if (params->gpu_memory < 0)
        return drt_fail(context, DRT_FAILED, "%lld bytes are no size of a GPU's memory", (long long)params->gpu_memory);
    if (cuda_number(params->name) < 0 && strcmp(params->name, "auto") != 0 && strcmp(params->name, "cpu") != 0)
        return drt_fail(context, DRT_FAILED, "\"%s\" is no device: use auto, cpu, cuda or cuda:N", params->name);
    return DRT_OK;
}

/* Opens GPU number `number` into the device. */
static int open_cuda(drt_device *device, int number, char *error, size_t error_size) {
    snprintf(device->name, sizeof device->name, "cuda:%d", number);
    return drt_backend_open_cuda(number, &device->backend, error, error_size);
}

static int open_cpu(drt_device *device, int threads, char *error, size_t error_size) {
    snprintf(device->name, sizeof device->name, "cpu");
    return drt_backend_open_cpu(threads, &device->backend, error, error_size);
}

drt_status drt_device_open(drt_context *context, const drt_device_params *params, drt_device **out) {
    char error[DEVICE_ERROR] = "";
    *out = NULL;
    drt_status status = check(context, params);
    if (status != DRT_OK)
        return status;
    drt_device *device = calloc(1, sizeof *device);
    if (!device)
        return drt_fail_memory(context, "the device");
    int number = cuda_number(params->name);
    bool is_auto = strcmp(params->name, "auto") == 0, opened = false;
    if (is_auto || number >= 0)
        opened = open_cuda(device, is_auto ? 0 : number, error, sizeof error) == 0;
    if (!opened && number < 0)
        opened = open_cpu(device, params->threads, error, sizeof error) == 0;
    if (!opened) {
        free(device);
        return number >= 0 ? drt_fail(context, DRT_FAILED, "--device %s: %s", params->name, error)
                           : drt_fail(context, DRT_FAILED, "the CPU backend: %s", error);
    }
    if (strcmp(device->name, "cpu") != 0)
        device->backend->memory_limit = (size_t)params->gpu_memory;
    snprintf(device->description, sizeof device->description, "%s", device->backend->description);
    device->threads = params->threads > 0 ? params->threads : drt_pool_cores();
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

/* "cpu: ..." or, where it cannot be used, why. */
static bool describe(drt_buffer *lines, const char *name, int status, drt_device *device, const char *error) {
    bool ok = drt_buffer_printf(lines, "%s: %s\n", name, status == 0 ? device->backend->description : error);
    if (status == 0)
        device->backend->close(device->backend);
    return ok;
}

drt_status drt_backends_describe(drt_context *context, drt_string *text) {
    drt_buffer lines = {0};
    drt_device device = {0};
    char error[DEVICE_ERROR] = "";
    *text = (drt_string){0};
    int status = open_cpu(&device, 0, error, sizeof error);
    bool ok = describe(&lines, "cpu", status, &device, error);
    status = open_cuda(&device, 0, error, sizeof error);
    ok = describe(&lines, "cuda", status, &device, error) && ok && drt_string_take(text, &lines);
    drt_buffer_free(&lines);
    return ok ? DRT_OK : drt_fail_memory(context, "the list of backends");
}
