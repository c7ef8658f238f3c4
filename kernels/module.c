/* module.c: finds, loads and opens the CUDA backend's module; see module.h. */
#include "kernels/module.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define MODULE_FILE "libdrt_cuda.so"

/* The folder of the running program -> path, and the module's name behind it. False: too long or unknown. */
static bool beside_program(char *path, size_t size) {
    ssize_t n = readlink("/proc/self/exe", path, size - 1);
    if (n <= 0 || (size_t)n >= size - 1)
        return false;
    path[n] = 0;
    char *slash = strrchr(path, '/');
    if (!slash || (size_t)(slash + 1 - path) + sizeof MODULE_FILE > size)
        return false;
    memcpy(slash + 1, MODULE_FILE, sizeof MODULE_FILE);
    return access(path, R_OK) == 0;
}

static bool installed(char *path, size_t size) {
    int n = snprintf(path, size, "%s/%s", DRT_MODULE_DIRECTORY, MODULE_FILE);
    return n > 0 && (size_t)n < size && access(path, R_OK) == 0;
}

static bool find_module(char *path, size_t size, char *error, size_t error_size) {
    const char *given = getenv("DRT_CUDA_MODULE");
    if (given && *given) {
        int n = snprintf(path, size, "%s", given);
        if (n > 0 && (size_t)n < size && access(path, R_OK) == 0)
            return true;
        snprintf(error, error_size, "cannot read the CUDA module %s that DRT_CUDA_MODULE names", given);
        return false;
    }
    if (beside_program(path, size) || installed(path, size))
        return true;
    snprintf(error, error_size, "this installation has no CUDA module (%s): build drt where nvcc 12 or newer is found",
             MODULE_FILE);
    return false;
}

int drt_backend_open_cuda(int device, drt_backend **backend, char *error, size_t error_size) {
    char path[PATH_MAX];
    if (!find_module(path, sizeof path, error, error_size))
        return -1;
    /* NODELETE: CUDA's runtime registers exit handlers, so its code must outlive the last backend. */
    void *module = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (!module) {
        snprintf(error, error_size, "cannot load the CUDA module: %s", dlerror());
        return -1;
    }
    drt_module_open_fn *open_module;
    *(void **)&open_module = dlsym(module, DRT_CUDA_MODULE_ENTRY);
    int status = -1;
    if (!open_module) {
        snprintf(error, error_size, "%s is not a CUDA module of drt", path);
    } else {
        char reason[512] = "";
        status = open_module(DRT_MODULE_VERSION, device, backend, reason, sizeof reason);
        if (status != 0)
            snprintf(error, error_size, "cannot use CUDA (%s): %s", path, reason);
    }
    dlclose(module);
    return status;
}
