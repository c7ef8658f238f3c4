/* space.c: is there room for a library of this size? */
#include <errno.h>
#include <string.h>
#include <sys/statvfs.h>

#include "engine/eval/eval.h"
#include "engine/network/memory.h"

/* A token's text, about, in a file and, with the index of its words and the chunk's range, in the catalog. Catalogs grow
 * by journals before they shrink, so this is more than what stays. */
#define TEXT_BYTES_A_TOKEN 5
#define CATALOG_BYTES_A_TOKEN 10

int64_t drt_eval_disk_bytes(const drt_config *config, drt_memory_type type, int64_t tokens) {
    int64_t chunks = tokens / (config->chunk_size - 1) + 1;
    int64_t record = (int64_t)drt_memory_record_size(type, config->chunk_size, config->d_model);
    int64_t landmark = (int64_t)sizeof(uint16_t) * config->d_model;
    return chunks * (record + landmark) + tokens * (TEXT_BYTES_A_TOKEN + CATALOG_BYTES_A_TOKEN);
}

drt_status drt_eval_check_space(drt_context *context, const char *directory, int64_t bytes) {
    struct statvfs facts;
    if (statvfs(directory, &facts) != 0)
        return drt_fail(context, DRT_FAILED, "%s: %s", directory, strerror(errno));
    double free_bytes = (double)facts.f_bavail * (double)facts.f_frsize;
    if (free_bytes >= (double)bytes)
        return DRT_OK;
    return drt_fail(
        context, DRT_FAILED,
        "a library of this size takes about %.1f GB and %s has %.1f GB free: ask for fewer tokens or choose "
        "another folder",
        (double)bytes / 1e9, directory, free_bytes / 1e9);
}
