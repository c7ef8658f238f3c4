/* scratch.h: a folder of its own for a test, a model, and libraries made in the folder. */
#ifndef DRT_TESTS_BASE_SCRATCH_H
#define DRT_TESTS_BASE_SCRATCH_H

#include "engine/base/buffer.h"

typedef struct {
    char folder[64];
    char path[256];
} scratch;

void scratch_open(scratch *s);
/* Removes the folder and what is in it. */
void scratch_close(scratch *s);
/* A path in the folder; valid until the next call. */
const char *scratch_path(scratch *s, const char *name);
void scratch_write(scratch *s, const char *name, const char *text);
/* Fails the test if something is in the folder. */
void scratch_check_empty(const scratch *s);

/* Fails the test with the context's sentence unless status is DRT_OK. */
void scratch_check(drt_context *context, drt_status status);

/* The CPU with so many threads (0: one for each core), and the model in the directory (NULL: the bundled one). */
void scratch_model(drt_context *context, const char *directory, int threads, drt_device **device, drt_model **model);

/* Ingests paths into the library; fails the test when that does (DRT_WARN is fine). */
void scratch_ingest(drt_context *context, drt_model *model, const char *library, drt_memory_type memory_type,
                    const char *const *paths, size_t n_paths, drt_ingest_report *report);
/* Opens it for reading. */
drt_library *scratch_library(drt_context *context, drt_model *model, const char *path);

#endif
