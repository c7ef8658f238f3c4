/* space.c: what a library of some size takes. */
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
