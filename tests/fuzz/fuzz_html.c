/* Fuzz target: any bytes read as a page, a chapter, Markdown and plain text end in normalised text. */
#include "tests/fuzz/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    extract_and_check(drt_format_html_extract, "a.html", data, size);
    extract_and_check(drt_format_html_extract, "a.xhtml", data, size);
    extract_and_check(drt_format_markdown_extract, "a.md", data, size);
    extract_and_check(drt_format_text_extract, "a.txt", data, size);
    return 0;
}
