/* backend.cu: the CUDA backend's table: device, stream, memory, errors. The module exports
 * drt_cuda_module_open and nothing else (kernels/module.h). */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <new>

#include "kernels/cuda/encode.cuh"
#include "kernels/cuda/read.cuh"
#include "kernels/module.h"

#define OLDEST_CAPABILITY 80
#define FIRST_STAGE_BYTES ((size_t)1 << 20)
#define STAGED_UPLOAD_BYTES ((size_t)64 << 10) /* larger uploads are worth waiting for */

int drt_cuda_fail(drt_backend *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(b->error, sizeof b->error, format, arguments);
    va_end(arguments);
    return -1;
}

int drt_cuda_check(drt_backend *b, cudaError_t status, const char *doing) {
    if (status == cudaSuccess)
        return 0;
    cudaGetLastError(); /* so that the next operation does not find this error */
    return drt_cuda_fail(b, "the GPU failed while %s: %s", doing, cudaGetErrorString(status));
}

int drt_cuda_check_blas(drt_backend *b, cublasStatus_t status, const char *doing) {
    return status == CUBLAS_STATUS_SUCCESS
               ? 0
               : drt_cuda_fail(b, "the GPU failed while %s: %s", doing, ((drt_cuda *)b)->blas.status_string(status));
}

int drt_cuda_launched(drt_backend *b, const char *operation) {
    return drt_cuda_check(b, cudaGetLastError(), operation);
}

drt_cuda *drt_cuda_enter(drt_backend *b) {
    drt_cuda *cuda = (drt_cuda *)b;
    cudaSetDevice(cuda->device); /* the device exists; an error of it shows in the call that follows */
    return cuda;
}

/* -------------------------------------------------------------------------------- memory ---- */

/* What cudaMalloc could give within the limit. */
static int memory_info(drt_backend *b, drt_memory_info *info) {
    drt_cuda *cuda = drt_cuda_enter(b);
    *info = (drt_memory_info){0, 0, 0, cuda->used, cuda->peak};
    if (drt_cuda_check(b, cudaMemGetInfo(&info->free, &info->total), "asking for its free memory") != 0)
        return -1;
    size_t left = b->memory_limit > cuda->used ? b->memory_limit - cuda->used : 0;
    info->available = b->memory_limit && left < info->free ? left : info->free;
    return 0;
}

static int too_little(drt_backend *b, size_t bytes, const char *purpose) {
    drt_memory_info info;
    if (memory_info(b, &info) != 0)
        return -1;
    return drt_cuda_fail(b, "the GPU has too little memory for %s of %zu MiB: %zu of %zu MiB are free", purpose,
                         bytes / (1 << 20) + 1, info.available >> 20, info.total >> 20);
}

int drt_cuda_alloc(drt_backend *b, size_t bytes, const char *purpose, void **buffer) {
    drt_cuda *cuda = drt_cuda_enter(b);
    *buffer = NULL;
    if (b->memory_limit && (bytes > b->memory_limit || cuda->used > b->memory_limit - bytes))
        return too_little(b, bytes, purpose);
    cudaError_t status = cudaMalloc(buffer, bytes ? bytes : 1);
    if (status != cudaSuccess) {
        *buffer = NULL;
        cudaGetLastError();
        return status == cudaErrorMemoryAllocation ? too_little(b, bytes, purpose)
                                                   : drt_cuda_check(b, status, "reserving memory");
    }
    try {
        cuda->sizes[*buffer] = bytes;
    } catch (const std::bad_alloc &) {
        cudaFree(*buffer);
        *buffer = NULL;
        return drt_cuda_fail(b, "out of memory for %s", purpose);
    }
    cuda->used += bytes;
    if (cuda->used > cuda->peak)
        cuda->peak = cuda->used;
    return 0;
}

void drt_cuda_free(drt_backend *b, void *buffer) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (!buffer)
        return;
    cudaFree(buffer); /* waits for work that still uses it */
    cuda->used -= cuda->sizes[buffer];
    cuda->sizes.erase(buffer);
}

static int buffer_alloc(drt_backend *b, size_t bytes, void **buffer) {
    return drt_cuda_alloc(b, bytes, "a buffer", buffer);
}

void *drt_cuda_scratch(drt_backend *b, size_t bytes) {
    drt_cuda *cuda = (drt_cuda *)b;
    if (bytes > cuda->scratch_bytes) {
        drt_cuda_free(b, cuda->scratch);
        cuda->scratch = NULL;
        cuda->scratch_bytes = 0;
        if (drt_cuda_alloc(b, bytes, "working space", &cuda->scratch) != 0)
            return NULL;
        cuda->scratch_bytes = bytes;
    }
    return cuda->scratch;
}

static void free_stage(drt_cuda *cuda) {
    cudaFreeHost(cuda->stage_host);
    drt_cuda_free(&cuda->table, cuda->stage_device);
    cuda->stage_host = cuda->stage_device = NULL;
    cuda->stage_bytes = 0;
}

static int grow_stage(drt_backend *b, size_t bytes) {
    drt_cuda *cuda = (drt_cuda *)b;
    free_stage(cuda);
    void *device;
    if (drt_cuda_alloc(b, bytes, "a staging area", &device) != 0)
        return -1;
    cuda->stage_device = (char *)device;
    void *host;
    cudaError_t status = cudaMallocHost(&host, bytes);
    if (status != cudaSuccess) {
        free_stage(cuda);
        return drt_cuda_check(b, status, "pinning host memory");
    }
    cuda->stage_host = (char *)host;
    cuda->stage_bytes = bytes;
    return 0;
}

/* Pieces are handed out one after the other; when the area is full, everything queued is waited for once. */
int drt_cuda_stage(drt_backend *b, size_t bytes, void **host, void **device) {
    drt_cuda *cuda = (drt_cuda *)b;
    if (cuda->stage_used + drt_aligned(bytes) > cuda->stage_bytes) {
        if (drt_cuda_check(b, cudaStreamSynchronize(cuda->stream), "finishing queued work") != 0)
            return -1;
        cuda->stage_used = 0;
        size_t wanted = 4 * drt_aligned(bytes) > FIRST_STAGE_BYTES ? 4 * drt_aligned(bytes) : FIRST_STAGE_BYTES;
        if (drt_aligned(bytes) > cuda->stage_bytes && grow_stage(b, wanted) != 0)
            return -1;
    }
    cuda->stage_open = cuda->stage_used;
    cuda->stage_used += drt_aligned(bytes);
    *host = cuda->stage_host + cuda->stage_open;
    if (device)
        *device = cuda->stage_device + cuda->stage_open;
    return 0;
}

int drt_cuda_stage_send(drt_backend *b, size_t bytes) {
    drt_cuda *cuda = (drt_cuda *)b;
    return drt_cuda_check(b,
                          cudaMemcpyAsync(cuda->stage_device + cuda->stage_open, cuda->stage_host + cuda->stage_open,
                                          bytes, cudaMemcpyHostToDevice, cuda->stream),
                          "copying arguments");
}

static int synchronize(drt_backend *b) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (drt_cuda_check(b, cudaStreamSynchronize(cuda->stream), "computing") != 0)
        return -1;
    return drt_cuda_check(b, cudaStreamSynchronize(cuda->copy_stream), "copying from the GPU");
}

static int upload(drt_backend *b, void *to, const void *from, size_t bytes) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (bytes == 0)
        return 0;
    if (bytes > STAGED_UPLOAD_BYTES) {
        if (drt_cuda_check(b, cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, cuda->stream),
                           "copying to the GPU") != 0)
            return -1;
        return synchronize(b);
    }
    void *host;
    if (drt_cuda_stage(b, bytes, &host, NULL) != 0)
        return -1;
    memcpy(host, from, bytes);
    return drt_cuda_check(b, cudaMemcpyAsync(to, host, bytes, cudaMemcpyHostToDevice, cuda->stream),
                          "copying to the GPU");
}

static int download(drt_backend *b, void *to, const void *from, size_t bytes) {
    drt_cuda *cuda = drt_cuda_enter(b);
    if (bytes == 0)
        return 0;
    if (drt_cuda_check(b, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToHost, cuda->stream),
                       "copying from the GPU") != 0)
        return -1;
    return drt_cuda_check(b, cudaStreamSynchronize(cuda->stream), "computing");
}

/* Overlapping ranges go through working space: a device copy gives no promise for them. */
static int move(drt_backend *b, void *to, const void *from, size_t bytes) {
    drt_cuda *cuda = drt_cuda_enter(b);
    uintptr_t target = (uintptr_t)to, source = (uintptr_t)from;
    if (bytes == 0 || target == source)
        return 0;
    if (target < source + bytes && source < target + bytes) {
        void *between = drt_cuda_scratch(b, bytes);
        if (!between || drt_cuda_check(b, cudaMemcpyAsync(between, from, bytes, cudaMemcpyDeviceToDevice, cuda->stream),
                                       "moving memory") != 0)
            return -1;
        from = between;
    }
    return drt_cuda_check(b, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, cuda->stream), "moving memory");
}

static int clear(drt_backend *b, void *buffer, size_t bytes) {
    drt_cuda *cuda = drt_cuda_enter(b);
    return bytes ? drt_cuda_check(b, cudaMemsetAsync(buffer, 0, bytes, cuda->stream), "clearing memory") : 0;
}

static int host_alloc(drt_backend *b, size_t bytes, void **host) {
    drt_cuda_enter(b);
    *host = NULL;
    if (cudaMallocHost(host, bytes ? bytes : 1) == cudaSuccess)
        return 0;
    cudaGetLastError();
    *host = NULL;
    return drt_cuda_fail(b, "out of host memory for a buffer of %zu MiB that the GPU can reach", bytes / (1 << 20) + 1);
}

static void host_free(drt_backend *b, void *host) {
    drt_cuda_enter(b);
    cudaFreeHost(host);
}

static void close_backend(drt_backend *b) {
    if (!b)
        return;
    drt_cuda *cuda = drt_cuda_enter(b);
    if (cuda->stream)
        cudaStreamSynchronize(cuda->stream);
    free_stage(cuda);
    drt_cuda_free(b, cuda->scratch);
    drt_blas_close(&cuda->blas);
    if (cuda->copy_stream)
        cudaStreamDestroy(cuda->copy_stream);
    if (cuda->stream)
        cudaStreamDestroy(cuda->stream);
    delete cuda;
}

/* ---------------------------------------------------------------------------------- open ---- */

static void fill_table(drt_backend *b) {
    b->threads = 1;
    b->close = close_backend;
    b->buffer_alloc = buffer_alloc;
    b->buffer_free = drt_cuda_free;
    b->upload = upload;
    b->download = download;
    b->move = move;
    b->clear = clear;
    b->synchronize = synchronize;
    b->own_memory = true;
    b->memory_info = memory_info;
    b->host_alloc = host_alloc;
    b->host_free = host_free;
    b->matrix_load = drt_cuda_matrix_load;
    b->matrix_free = drt_cuda_matrix_free;
    b->matrix_room = drt_cuda_matrix_room;
    b->embed = drt_cuda_embed;
    b->rms_norm = drt_cuda_rms_norm;
    b->unit_rms = drt_cuda_unit_rms;
    b->linear = drt_cuda_linear;
    b->add = drt_cuda_add;
    b->swiglu = drt_cuda_swiglu;
    b->rope_table = drt_cuda_rope_table;
    b->split_qkv = drt_cuda_split_qkv;
    b->window_attention = drt_cuda_window_attention;
    b->chunk_attention = drt_cuda_chunk_attention;
    b->cross_attention = drt_cuda_cross_attention;
    b->landmarks_open = drt_cuda_landmarks_open;
    b->landmarks_close = drt_cuda_landmarks_close;
    b->landmarks_set = drt_cuda_landmarks_set;
    b->landmarks_scan = drt_cuda_landmarks_scan;
    b->landmarks_histogram = drt_cuda_landmarks_histogram;
    b->landmarks_scores = drt_cuda_landmarks_scores;
    b->encode_open = drt_cuda_encode_open;
    b->encode_close = drt_cuda_encode_close;
    b->encode_room = drt_cuda_encode_room;
    b->encode_run = drt_cuda_encode_run;
    b->read_open = drt_cuda_read_open;
    b->read_close = drt_cuda_read_close;
    b->read_room = drt_cuda_read_room;
    b->read_begin = drt_cuda_read_begin;
    b->read_group = drt_cuda_read_group;
    b->read_chunks = drt_cuda_read_chunks;
    b->read_end = drt_cuda_read_end;
}

/* Asks for the device; nothing is reserved yet. */
static int find_device(drt_backend *b, int device, cudaDeviceProp *properties) {
    int n = 0;
    cudaError_t status = cudaGetDeviceCount(&n);
    if (status == cudaErrorNoDevice || (status == cudaSuccess && n == 0))
        return drt_cuda_fail(b, "there is no GPU that CUDA can use");
    if (status == cudaErrorInsufficientDriver)
        return drt_cuda_fail(b, "the GPU driver is missing or older than CUDA %d.%d needs", CUDART_VERSION / 1000,
                             CUDART_VERSION % 1000 / 10);
    if (drt_cuda_check(b, status, "looking for GPUs") != 0)
        return -1;
    if (device < 0 || device >= n)
        return drt_cuda_fail(b, "there is no GPU %d: %d found, numbered from 0", device, n);
    if (drt_cuda_check(b, cudaGetDeviceProperties(properties, device), "asking for its properties") != 0)
        return -1;
    if (properties->major * 10 + properties->minor < OLDEST_CAPABILITY)
        return drt_cuda_fail(b, "%s has compute capability %d.%d; 8.0 is the least that works", properties->name,
                             properties->major, properties->minor);
    return 0;
}

static int prepare(drt_cuda *cuda, int device) {
    drt_backend *b = &cuda->table;
    cudaDeviceProp properties;
    if (find_device(b, device, &properties) != 0)
        return -1;
    cuda->device = device;
    cuda->capability = properties.major * 10 + properties.minor;
    cuda->multiprocessors = properties.multiProcessorCount;
    if (drt_cuda_check(b, cudaSetDevice(device), "choosing it") != 0 ||
        drt_cuda_check(b, cudaStreamCreateWithFlags(&cuda->stream, cudaStreamNonBlocking), "starting work on it") !=
            0 ||
        drt_cuda_check(b, cudaStreamCreateWithFlags(&cuda->copy_stream, cudaStreamNonBlocking),
                       "starting work on it") != 0 ||
        drt_blas_open(&cuda->blas, cuda->stream, b->error, sizeof b->error) != 0)
        return -1;
    snprintf(b->description, sizeof b->description, "%.120s, %zu MiB, compute capability %d.%d, CUDA %d.%d, cuBLAS",
             properties.name, properties.totalGlobalMem >> 20, properties.major, properties.minor,
             CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10);
    return 0;
}

extern "C" __attribute__((visibility("default"))) int
drt_cuda_module_open(int version, int device, drt_backend **backend, char *error, size_t error_size) {
    if (version != DRT_MODULE_VERSION) {
        snprintf(error, error_size, "it belongs to another version of drt");
        return -1;
    }
    drt_cuda *cuda = new (std::nothrow) drt_cuda();
    if (!cuda) {
        snprintf(error, error_size, "out of memory");
        return -1;
    }
    fill_table(&cuda->table);
    if (prepare(cuda, device) != 0) {
        snprintf(error, error_size, "%s", cuda->table.error);
        close_backend(&cuda->table);
        return -1;
    }
    *backend = &cuda->table;
    return 0;
}
