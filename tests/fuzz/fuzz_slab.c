/* Fuzz target: any bytes as landmarks.bin or memory.bin (the first byte says which) beside a sound catalog end with a
 * status. */
#include "engine/base/buffer.h"
#include "engine/base/file.h"
#include "tests/fuzz/library_use.h"

static const char *const names[] = {"catalog.sqlite", "landmarks.bin", "memory.bin"};
static drt_buffer sound[3];

/* Reads the files of a sound library, once. */
static void make_sound(void) {
    drt_context *context = drt_context_new(NULL);
    drt_store_identity identity = seed_identity();
    drt_library *library;
    make_folder();
    FUZZ_CHECK(drt_store_open(context, folder, DRT_LIBRARY_CREATE, &identity, &library) == DRT_OK);
    seed_fill(context, library, false);
    drt_library_close(library);
    for (int i = 0; i < 3; i++)
        FUZZ_CHECK(drt_file_read(context, path_of(names[i]), SIZE_MAX, &sound[i]) == DRT_OK);
    drt_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!folder[0])
        make_sound();
    int fuzzed = size > 0 ? 1 + (data[0] & 1) : 1;
    drt_context *context = drt_context_new(NULL);
    remove_files();
    for (int i = 0; i < 3; i++) {
        if (i == fuzzed)
            write_file(names[i], size > 0 ? data + 1 : data, size > 0 ? size - 1 : 0);
        else
            write_file(names[i], sound[i].data, sound[i].length);
    }
    use_library(context);
    drt_context_free(context);
    return 0;
}
