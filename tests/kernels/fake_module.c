/* fake_module.c: stands in for the CUDA module where there is no GPU. Its entry opens the CPU backend as device 0 and
 * fails as a real one would for the others, so that loading and falling back are tested. FAKE_NO_ENTRY: a module
 * without the entry. */
#include <stdio.h>

#include "kernels/module.h"

#ifdef FAKE_NO_ENTRY

int drt_something_else(void);

int drt_something_else(void) {
    return 0;
}

#else

drt_module_open_fn drt_cuda_module_open;

int drt_cuda_module_open(int version, int device, drt_backend **backend, char *error, size_t error_size) {
    if (version != FAKE_VERSION) {
        snprintf(error, error_size, "it belongs to another version of drt");
        return -1;
    }
    if (device > 0) {
        snprintf(error, error_size, "there is no GPU %d: 1 found, numbered from 0", device);
        return -1;
    }
    return drt_backend_open_cpu(1, backend, error, error_size);
}

#endif
