/* file.h: whole files, mappings, synced writes and atomic folders. Errors name the path.
 * May use: POSIX. */
#ifndef DRT_BASE_FILE_H
#define DRT_BASE_FILE_H

#include "engine/base/buffer.h"

/* A read-only mapping. size 0 maps nothing (data NULL). */
typedef struct {
    const uint8_t *data;
    size_t size;
} drt_mapping;

drt_status drt_mapping_open(drt_context *context, const char *path, drt_mapping *mapping);
void drt_mapping_close(drt_mapping *mapping);

/* Appends the whole file to buffer; more than `limit` bytes fail. */
drt_status drt_file_read(drt_context *context, const char *path, size_t limit, drt_buffer *buffer);
/* Writes all of it to an open file, over interruptions and in as many pieces as it takes. false: errno says why. */
bool drt_file_write_all(int file, const char *data, size_t length);
/* Writes and syncs a new file; an existing one fails. */
drt_status drt_file_create(drt_context *context, const char *path, const void *data, size_t length);
/* Absolute form of a path, symbolic links kept; owned. */
drt_status drt_path_absolute(drt_context *context, const char *path, drt_string *absolute);
/* "dir/name", owned. */
bool drt_path_join(drt_string *path, const char *directory, const char *name);

#endif
