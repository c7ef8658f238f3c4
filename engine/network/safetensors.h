/* safetensors.h: reads a file of named tensors, mapped into memory and checked before use.
 *
 * The file: u64 length n of the header (little-endian); n bytes of JSON, {"name": {"dtype": "F32",
 * "shape": [rows, cols], "data_offsets": [begin, end]}, ..., "__metadata__": {string: string}}; then the
 * data, begin and end counted from its first byte.
 *
 * Opening checks all of it: header length, JSON, every dtype, shape x dtype == end - begin (without
 * overflow), unique names, tensors that fill the data exactly: no overlap, no gap, nothing behind.
 * May use: base, json.h. */
#ifndef DRT_NETWORK_SAFETENSORS_H
#define DRT_NETWORK_SAFETENSORS_H

#include "engine/base/file.h"

#define DRT_TENSOR_MAX_AXES 8

/* Models hold F32, BF16 and I8; the others occur in test data. */
typedef enum { DRT_TENSOR_F32, DRT_TENSOR_BF16, DRT_TENSOR_I8, DRT_TENSOR_I64, DRT_TENSOR_BOOL } drt_tensor_type;

typedef struct {
    char *name;
    drt_tensor_type type;
    int axes; /* 0: a scalar */
    int64_t shape[DRT_TENSOR_MAX_AXES];
    const uint8_t *data; /* row-major, little-endian; aligned only as far as the file is */
    size_t bytes;
} drt_tensor;

typedef struct {
    drt_mapping mapping;
    drt_tensor *tensors; /* sorted by name (strcmp) */
    size_t count;
} drt_safetensors;

/* The mapping stays until close; the file must not be cut short meanwhile. */
drt_status drt_safetensors_open(drt_context *context, const char *path, drt_safetensors *file);
/* The same over bytes that outlive `file`; `what` names them in errors. */
drt_status drt_safetensors_parse(drt_context *context, const char *what, const void *data, size_t size,
                                 drt_safetensors *file);
void drt_safetensors_close(drt_safetensors *file);

const drt_tensor *drt_safetensors_find(const drt_safetensors *file, const char *name); /* NULL: none */
const char *drt_tensor_type_name(drt_tensor_type type);                                /* "F32" ... */
size_t drt_tensor_type_size(drt_tensor_type type);                                     /* bytes of an element */

#endif
