/* module.h: backends that live in shared modules of their own, found and loaded at run time, so that one
 * program serves machines with and without a GPU. May use: libc, dlopen. */
#ifndef DRT_KERNELS_MODULE_H
#define DRT_KERNELS_MODULE_H

#include "kernels/backend.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Raise it whenever the table or a parameter struct of backend.h changes: a module of another version is refused. */
#define DRT_MODULE_VERSION 5

/* What a module exports, under the name DRT_CUDA_MODULE_ENTRY. Opens device number `device`. Returns 0, or -1 with a
 * sentence in error; the backend's close releases everything. */
typedef int drt_module_open_fn(int version, int device, drt_backend **backend, char *error, size_t error_size);
#define DRT_CUDA_MODULE_ENTRY "drt_cuda_module_open"

/* The CUDA backend on GPU `device`, counted from 0. Its module is the file that $DRT_CUDA_MODULE names, else
 * libdrt_cuda.so beside the running program or in the folder it was installed to. Returns 0, or -1 with a sentence
 * that says what is missing. A loaded module stays in the process. */
int drt_backend_open_cuda(int device, drt_backend **backend, char *error, size_t error_size);

#ifdef __cplusplus
}
#endif
#endif
