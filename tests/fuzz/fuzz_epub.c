/* Fuzz target: any bytes read as a book, and as the files of one, parted by NULs, end in normalised text or a reason. */
#include "tests/fuzz/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[] = {"META-INF/container.xml", "b.opf", "META-INF/encryption.xml", "a.xhtml",
                                        "nav.xhtml"};
    if (size >= 2 && data[0] == 'P' && data[1] == 'K') {
        extract_and_check(drt_format_epub_extract, "a.epub", data, size);
        return 0;
    }
    drt_buffer zip = zip_of_pieces(names, sizeof names / sizeof *names, data, size);
    extract_and_check(drt_format_epub_extract, "a.epub", (const uint8_t *)zip.data, zip.length);
    drt_buffer_free(&zip);
    return 0;
}
