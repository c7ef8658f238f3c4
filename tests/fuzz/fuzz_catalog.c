/* Fuzz target: any bytes as catalog.sqlite beside sound slabs end with a status, without a crash, a hang or memory that
 * follows from a damaged number. */
#include "engine/library/slab.h"
#include "tests/fuzz/library_use.h"

static void make_slab(drt_context *context, const char *name, drt_slab_kind kind, uint64_t generation) {
    static const uint8_t zeros[N_CHUNKS * 512];
    drt_store_identity identity = seed_identity();
    drt_slab slab;
    FUZZ_CHECK(drt_slab_create(context, path_of(name), kind, &identity, generation) == DRT_OK);
    FUZZ_CHECK(drt_slab_open(context, path_of(name), kind, &identity, true, &slab) == DRT_OK);
    FUZZ_CHECK(drt_slab_write(context, &slab, 0, N_CHUNKS, zeros) == DRT_OK);
    drt_slab_close(&slab);
}

static void make_files(drt_context *context, const uint8_t *data, size_t size, uint64_t generation) {
    remove_files();
    make_slab(context, "landmarks.bin", DRT_SLAB_LANDMARKS, 0);
    make_slab(context, "memory.bin", DRT_SLAB_MEMORY, generation);
    write_file("catalog.sqlite", data, size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!folder[0])
        make_folder();
    for (uint64_t generation = 0; generation < 2; generation++) { /* of the memory file, before or after a compaction */
        drt_context *context = drt_context_new(NULL);
        make_files(context, data, size, generation);
        use_library(context);
        drt_context_free(context);
    }
    return 0;
}
