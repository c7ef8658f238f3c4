/* Fuzz target: any bytes as the text of a Word file, as its notes, and any file called so end in normalised text. */
#include "tests/fuzz/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size >= 2 && data[0] == 'P' && data[1] == 'K') {
        extract_and_check(drt_format_docx_extract, "a.docx", data, size);
        return 0;
    }
    drt_buffer zip = zip_of(&(zip_part){"word/document.xml", data, size}, 1);
    extract_and_check(drt_format_docx_extract, "a.docx", (const uint8_t *)zip.data, zip.length);
    drt_buffer_free(&zip);
    return 0;
}
