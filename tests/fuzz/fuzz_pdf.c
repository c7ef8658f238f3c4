/* Fuzz target: any bytes in the place of pdftotext's output end in normalised text with pages in order. */
#define _GNU_SOURCE /* memmem */
#include "engine/corpus/pdf/pdf.h"
#include "tests/fuzz/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char end[] = "</page>";
    drt_context *context = drt_context_new(NULL);
    drt_extract extract = {0};
    drt_pdf pdf = {0};
    const char *at = (const char *)data, *behind = at + size, *found;
    while (size > 0 && (found = memmem(at, (size_t)(behind - at), end, sizeof end - 1)) != NULL) {
        FUZZ_CHECK(drt_pdf_add_page(&pdf, at, (size_t)(found - at) + sizeof end - 1, &extract));
        at = found + sizeof end - 1;
    }
    FUZZ_CHECK(drt_pdf_text(context, &pdf, &extract) == DRT_OK);
    check_extract(&extract);
    for (size_t i = 0; i < extract.n_pages; i++) {
        FUZZ_CHECK(extract.pages[i].start >= 0 && extract.pages[i].start <= (int64_t)extract.text.length);
        FUZZ_CHECK(i == 0 || extract.pages[i].start > extract.pages[i - 1].start);
        FUZZ_CHECK(extract.pages[i].page >= 1 && extract.pages[i].page <= (int64_t)pdf.n_pages);
    }
    drt_pdf_clear(&pdf);
    drt_extract_clear(&extract);
    drt_context_free(context);
    return 0;
}
