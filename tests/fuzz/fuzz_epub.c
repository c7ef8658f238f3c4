/* Fuzz target: any bytes read as a book end in normalised text or a reason. */
#include "tests/fuzz/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    extract_and_check(drt_format_epub_extract, "a.epub", data, size);
    return 0;
}
