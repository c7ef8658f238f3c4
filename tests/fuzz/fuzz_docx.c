/* Fuzz target: any bytes as the text of a Word file, as its notes, and any file called so end in normalised text; as styles
 * and numbering they end in looks and marks. */
#include "engine/corpus/formats/docx_styles.h"
#include "tests/fuzz/zip.h"

static void read_styles(const uint8_t *data, size_t size) {
    drt_docx_styles styles = {0};
    drt_buffer mark = {0};
    FUZZ_CHECK(drt_docx_styles_read(&styles, (const char *)data, size));
    FUZZ_CHECK(drt_docx_numbering_read(&styles, (const char *)data, size));
    for (int i = 0; i < 20; i++)
        FUZZ_CHECK(drt_docx_mark(&styles, i % 3, i % 11 - 1, &mark));
    for (size_t i = 0; i < styles.n_styles; i++)
        drt_docx_style_look(&styles, styles.styles[i].id.data, styles.styles[i].id.length);
    FUZZ_CHECK(mark.length <= 20 * 64 * 20);
    drt_buffer_free(&mark);
    drt_docx_styles_free(&styles);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size >= 2 && data[0] == 'P' && data[1] == 'K') {
        extract_and_check(drt_format_docx_extract, "a.docx", data, size);
        return 0;
    }
    read_styles(data, size);
    drt_buffer zip = zip_of(&(zip_part){"word/document.xml", data, size}, 1);
    extract_and_check(drt_format_docx_extract, "a.docx", (const uint8_t *)zip.data, zip.length);
    drt_buffer_free(&zip);
    return 0;
}
