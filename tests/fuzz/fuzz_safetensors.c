/* Fuzz target: a tensor file is refused with a sentence, or all of its tensors can be read. */
#include <string.h>

#include "engine/network/safetensors.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    drt_context *context = drt_context_new(NULL);
    drt_safetensors file;
    drt_status status = drt_safetensors_parse(context, "input", data, size, &file);
    FUZZ_CHECK(status == DRT_OK || strstr(drt_error(context), "input"));
    size_t bytes = 0;
    volatile uint8_t sum = 0;
    for (size_t i = 0; i < file.count; i++) {
        const drt_tensor *tensor = &file.tensors[i];
        FUZZ_CHECK(drt_safetensors_find(&file, tensor->name) == tensor);
        for (size_t at = 0; at < tensor->bytes; at++)
            sum = (uint8_t)(sum + tensor->data[at]);
        bytes += tensor->bytes;
    }
    FUZZ_CHECK(bytes <= size);
    FUZZ_CHECK(status == DRT_OK || file.count == 0);
    drt_safetensors_close(&file);
    drt_context_free(context);
    return 0;
}
