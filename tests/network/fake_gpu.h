/* fake_gpu.h: a GPU that computes on the CPU: a device with memory of its own, as much as the test says, whose n-th
 * allocation can fail. One at a time. */
#ifndef DRT_TESTS_FAKE_GPU_H
#define DRT_TESTS_FAKE_GPU_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "engine/network/model.h"
#include "kernels/landmarks.h"

typedef struct {
    drt_device device;
    drt_backend cpu; /* what the table held before */
    size_t total, used, peak;
    int alive;        /* buffers, of both sides */
    long fails_at;    /* counted down at each allocation; at 0 it fails; < 0: never */
    bool then_always; /* and so do all that follow */
    size_t budget;    /* of the landmarks, */
    void *landmarks;  /* and what they took */
} fake_gpu;

static fake_gpu *fake;

#define FAKE_HEADER 64 /* before each buffer: its size */

static inline int fake_gpu_refuses(drt_backend *b, size_t bytes) {
    bool now = fake->fails_at == 0;
    if (fake->fails_at > 0 || (now && !fake->then_always))
        fake->fails_at--;
    size_t limit = b->memory_limit ? b->memory_limit : fake->total;
    if (!now && bytes <= limit && fake->used <= limit - bytes)
        return 0;
    snprintf(b->error, sizeof b->error, "the fake GPU is full");
    return -1;
}

static inline int fake_gpu_alloc(drt_backend *b, size_t bytes, void **buffer) {
    *buffer = NULL;
    void *memory;
    if (fake_gpu_refuses(b, bytes) != 0 || fake->cpu.buffer_alloc(b, bytes + FAKE_HEADER, &memory) != 0)
        return -1;
    memcpy(memory, &bytes, sizeof bytes);
    *buffer = (char *)memory + FAKE_HEADER;
    fake->alive++;
    fake->used += bytes;
    fake->peak = fake->used > fake->peak ? fake->used : fake->peak;
    return 0;
}

static inline void fake_gpu_free(drt_backend *b, void *buffer) {
    size_t bytes;
    if (!buffer)
        return;
    void *memory = (char *)buffer - FAKE_HEADER;
    memcpy(&bytes, memory, sizeof bytes);
    fake->alive--;
    fake->used -= bytes;
    fake->cpu.buffer_free(b, memory);
}

static inline int fake_gpu_host_alloc(drt_backend *b, size_t bytes, void **host) {
    *host = NULL;
    if (fake_gpu_refuses(b, 0) != 0 || fake->cpu.host_alloc(b, bytes, host) != 0)
        return -1;
    fake->alive++;
    return 0;
}

static inline void fake_gpu_host_free(drt_backend *b, void *host) {
    fake->alive -= host != NULL;
    fake->cpu.host_free(b, host);
}

static inline int fake_gpu_memory_info(drt_backend *b, drt_memory_info *info) {
    size_t limit = b->memory_limit ? b->memory_limit : fake->total;
    size_t left = fake->used < limit ? limit - fake->used : 0;
    *info = (drt_memory_info){left, fake->total - fake->used, fake->total, fake->used, fake->peak};
    return 0;
}

static inline int fake_gpu_landmarks_open(drt_backend *b, int d, size_t budget, drt_landmark_set **set) {
    fake->budget = budget;
    return fake->cpu.landmarks_open(b, d, budget, set);
}

static inline void fake_gpu_landmarks_close(drt_backend *b, drt_landmark_set *set) {
    fake_gpu_free(b, fake->landmarks);
    fake->landmarks = NULL;
    fake->cpu.landmarks_close(b, set);
}

static inline int fake_gpu_landmarks_set(drt_backend *b, drt_landmark_set *set, const uint16_t *host, int64_t n,
                                         int64_t kept) {
    enum { D = 4 }; /* of the small model */
    int64_t resident = drt_landmarks_resident(fake->budget, n, D);
    fake_gpu_free(b, fake->landmarks);
    fake->landmarks = NULL;
    if (resident < 0 || fake_gpu_alloc(b, drt_landmarks_bytes(n, resident, D), &fake->landmarks) != 0)
        return -1;
    return fake->cpu.landmarks_set(b, set, host, n, kept);
}

static inline void fake_gpu_open(fake_gpu *f, size_t total) {
    char error[256];
    *f = (fake_gpu){.total = total, .fails_at = -1};
    fake = f;
    if (drt_backend_open_cpu(1, &f->device.backend, error, sizeof error) != 0)
        fail_msg("%s", error);
    drt_backend *b = f->device.backend;
    f->cpu = *b;
    b->own_memory = true;
    b->buffer_alloc = fake_gpu_alloc;
    b->buffer_free = fake_gpu_free;
    b->host_alloc = fake_gpu_host_alloc;
    b->host_free = fake_gpu_host_free;
    b->memory_info = fake_gpu_memory_info;
    b->landmarks_open = fake_gpu_landmarks_open;
    b->landmarks_close = fake_gpu_landmarks_close;
    b->landmarks_set = fake_gpu_landmarks_set;
    strcpy(f->device.name, "cuda:0");
    f->device.threads = 1;
}

/* Fails the test when something was kept, or more taken than there is. */
static inline void fake_gpu_close(fake_gpu *f) {
    assert_int_equal(f->alive, 0);
    assert_int_equal(f->used, 0);
    assert_true(f->peak <= f->total);
    f->device.backend->close(f->device.backend);
}

#endif
