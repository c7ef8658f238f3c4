/* Fuzz target: any bytes read as Rich Text Format end in normalised text. */
#include "tests/fuzz/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    extract_and_check(drt_format_rtf_extract, "a.rtf", data, size);
    return 0;
}
