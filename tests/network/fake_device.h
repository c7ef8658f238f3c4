/* fake_device.h: a device that keeps weights as fp32 host memory and computes nothing, so that model
 * loading is tested without a backend. It counts what is alive and can fail at the n-th allocation. */
#ifndef DRT_TESTS_FAKE_DEVICE_H
#define DRT_TESTS_FAKE_DEVICE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/network/model.h"

typedef struct {
    drt_backend backend; /* first: the table's functions get its address */
    drt_device device;
    int alive;
    int allocations_left; /* < 0: without end */
} fake_device;

static inline void *fake_alloc(fake_device *fake, size_t bytes) {
    void *memory = fake->allocations_left == 0 ? NULL : malloc(bytes);
    if (!memory) {
        snprintf(fake->backend.error, sizeof fake->backend.error, "the fake device is full");
        return NULL;
    }
    fake->allocations_left--;
    fake->alive++;
    return memory;
}

static inline int fake_buffer_alloc(drt_backend *b, size_t bytes, void **buffer) {
    *buffer = fake_alloc((fake_device *)b, bytes);
    return *buffer ? 0 : -1;
}

static inline void fake_buffer_free(drt_backend *b, void *buffer) {
    ((fake_device *)b)->alive -= buffer != NULL;
    free(buffer);
}

static inline int fake_copy(drt_backend *b, void *to, const void *from, size_t bytes) {
    (void)b;
    memcpy(to, from, bytes);
    return 0;
}

static inline int fake_synchronize(drt_backend *b) {
    (void)b;
    return 0;
}

static inline float fake_weight(drt_weight_type type, const void *data, const float *scale, size_t row, size_t at) {
    if (type == DRT_WEIGHT_I8)
        return (float)((const int8_t *)data)[at] * scale[row];
    if (type == DRT_WEIGHT_F32)
        return ((const float *)data)[at];
    uint32_t bits = (uint32_t)((const uint16_t *)data)[at] << 16;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static inline int fake_matrix_load(drt_backend *b, drt_matrix *m, drt_weight_type type, const void *data,
                                   const float *scale, int rows, int cols) {
    size_t n = (size_t)rows * (size_t)cols;
    float *values = fake_alloc((fake_device *)b, n * sizeof *values);
    if (!values)
        return -1;
    for (size_t i = 0; i < n; i++)
        values[i] = fake_weight(type, data, scale, i / (size_t)cols, i);
    *m = (drt_matrix){values, rows, cols};
    return 0;
}

static inline void fake_matrix_free(drt_backend *b, drt_matrix *m) {
    fake_buffer_free(b, m->data);
    *m = (drt_matrix){0};
}

static inline void fake_device_open(fake_device *fake) {
    *fake = (fake_device){
        .backend = {.buffer_alloc = fake_buffer_alloc,
                    .buffer_free = fake_buffer_free,
                    .upload = fake_copy,
                    .download = fake_copy,
                    .synchronize = fake_synchronize,
                    .matrix_load = fake_matrix_load,
                    .matrix_free = fake_matrix_free},
        .allocations_left = -1,
    };
    fake->device.backend = &fake->backend;
    snprintf(fake->device.name, sizeof fake->device.name, "fake");
}

#endif
