/* backend.c: the CPU backend's table: memory, threads, choice of inner loops and of the GEMM. */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef DRT_SIMD_X86
#include <cpuid.h>
#endif

#include "kernels/cpu/cpu.h"

#define ALIGNMENT 64

int drt_cpu_fail(drt_backend *b, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(b->error, sizeof b->error, format, arguments);
    va_end(arguments);
    return -1;
}

static void *aligned(size_t bytes) {
    if (bytes > SIZE_MAX - ALIGNMENT)
        return NULL;
    size_t rounded = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    return aligned_alloc(ALIGNMENT, rounded ? rounded : ALIGNMENT);
}

float *drt_cpu_scratch(drt_backend *b, size_t floats) {
    drt_cpu *cpu = (drt_cpu *)b;
    if (floats > cpu->scratch_floats) {
        free(cpu->scratch);
        cpu->scratch_floats = 0;
        cpu->scratch = floats <= SIZE_MAX / sizeof(float) ? aligned(floats * sizeof(float)) : NULL;
        if (!cpu->scratch) {
            drt_cpu_fail(b, "out of memory for %zu MiB of working space", floats / (1 << 18) + 1);
            return NULL;
        }
        cpu->scratch_floats = floats;
    }
    return cpu->scratch;
}

static int buffer_alloc(drt_backend *b, size_t bytes, void **buffer) {
    *buffer = aligned(bytes);
    return *buffer ? 0 : drt_cpu_fail(b, "out of memory for a buffer of %zu MiB", bytes / (1 << 20) + 1);
}

static void buffer_free(drt_backend *b, void *buffer) {
    (void)b;
    free(buffer);
}

static int copy(drt_backend *b, void *to, const void *from, size_t bytes) {
    (void)b;
    if (bytes)
        memmove(to, from, bytes);
    return 0;
}

static int clear(drt_backend *b, void *buffer, size_t bytes) {
    (void)b;
    if (bytes)
        memset(buffer, 0, bytes);
    return 0;
}

static int synchronize(drt_backend *b) {
    (void)b;
    return 0;
}

void drt_host_memory(drt_memory_info *info) {
    *info = (drt_memory_info){0};
    unsigned long long value;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file)) {
        if (sscanf(line, "MemTotal: %llu kB", &value) == 1)
            info->total = (size_t)value << 10;
        else if (sscanf(line, "MemAvailable: %llu kB", &value) == 1)
            info->available = info->free = (size_t)value << 10;
    }
    if (file)
        fclose(file);
}

static int memory_info(drt_backend *b, drt_memory_info *info) {
    (void)b;
    drt_host_memory(info);
    return 0;
}

static void close_backend(drt_backend *b) {
    drt_cpu *cpu = (drt_cpu *)b;
    if (!cpu)
        return;
    drt_pool_free(cpu->pool);
    free(cpu->scratch);
    free(cpu);
}

/* ------------------------------------------------------------------------------- open ---- */

static void processor_name(char *name, size_t size) {
    snprintf(name, size, "processor");
#ifdef DRT_SIMD_X86
    unsigned part[12], highest = 0, unused;
    if (__get_cpuid(0x80000000, &highest, &unused, &unused, &unused) && highest >= 0x80000004) {
        for (unsigned i = 0; i < 3; i++)
            __get_cpuid(0x80000002 + i, &part[4 * i], &part[4 * i + 1], &part[4 * i + 2], &part[4 * i + 3]);
        char brand[sizeof part + 1] = {0};
        memcpy(brand, part, sizeof part);
        const char *start = brand + strspn(brand, " ");
        snprintf(name, size, "%s", start);
        for (size_t n = strlen(name); n > 0 && name[n - 1] == ' '; n--)
            name[n - 1] = 0;
    }
#endif
}

static void describe(drt_cpu *cpu, bool wanted_blas) {
    char processor[64], gemm[96];
    processor_name(processor, sizeof processor);
    if (cpu->blas)
        snprintf(gemm, sizeof gemm, "OpenBLAS (%s)", drt_cpu_gemm_core());
    else
        snprintf(gemm, sizeof gemm, "own matrix product%s",
                 wanted_blas ? " (OpenBLAS gives wrong results on this processor)" : "");
    snprintf(cpu->table.description, sizeof cpu->table.description, "%s, %s, %d thread%s, %s", processor,
             cpu->simd->name, cpu->table.threads, cpu->table.threads == 1 ? "" : "s", gemm);
}

int drt_cpu_open(int threads, const drt_simd *simd, bool blas, drt_backend **backend, char *error, size_t error_size) {
    if (threads <= 0)
        threads = drt_pool_cores();
    drt_cpu *cpu = calloc(1, sizeof *cpu);
    if (cpu)
        cpu->pool = drt_pool_new(threads);
    if (!cpu || !cpu->pool) {
        free(cpu);
        snprintf(error, error_size, "cannot start %d threads: out of memory or over the limit of this user", threads);
        return -1;
    }
    cpu->simd = simd;
    cpu->table = (drt_backend){
        .threads = threads,
        .close = close_backend,
        .buffer_alloc = buffer_alloc,
        .buffer_free = buffer_free,
        .upload = copy,
        .download = copy,
        .move = copy,
        .clear = clear,
        .synchronize = synchronize,
        .memory_info = memory_info,
        .host_alloc = buffer_alloc,
        .host_free = buffer_free,
        .matrix_load = drt_cpu_matrix_load,
        .matrix_free = drt_cpu_matrix_free,
        .matrix_room = drt_cpu_matrix_room,
        .embed = drt_cpu_embed,
        .rms_norm = drt_cpu_rms_norm,
        .unit_rms = drt_cpu_unit_rms,
        .linear = drt_cpu_linear,
        .add = drt_cpu_add,
        .swiglu = drt_cpu_swiglu,
        .rope_table = drt_cpu_rope_table,
        .split_qkv = drt_cpu_split_qkv,
        .window_attention = drt_cpu_window_attention,
        .chunk_attention = drt_cpu_chunk_attention,
        .cross_attention = drt_cpu_cross_attention,
        .landmarks_open = drt_cpu_landmarks_open,
        .landmarks_close = drt_cpu_landmarks_close,
        .landmarks_set = drt_cpu_landmarks_set,
        .landmarks_scan = drt_cpu_landmarks_scan,
        .landmarks_histogram = drt_cpu_landmarks_histogram,
        .landmarks_scores = drt_cpu_landmarks_scores,
    };
    blas = blas && drt_cpu_gemm_start();
    cpu->blas = blas && drt_cpu_gemm_is_right(cpu->pool, threads, drt_cpu_sgemm);
    describe(cpu, blas);
    *backend = &cpu->table;
    return 0;
}

int drt_backend_open_cpu(int threads, drt_backend **backend, char *error, size_t error_size) {
    const drt_simd *list[3];
    int n = drt_simd_available(list);
    return drt_cpu_open(threads, list[n - 1], true, backend, error, error_size);
}
