/* Fuzz target: any bytes read as TeX end in normalised text. */
#include "tests/fuzz/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    extract_and_check(drt_format_tex_extract, "a.tex", data, size);
    return 0;
}
