/* Fuzz target: any bytes as OpenDocument (zipped and flat), JATS, TEI, FictionBook, DocBook and XML of no known kind end in normalised text. */
#include "tests/fuzz/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    extract_and_check(drt_format_fodt_extract, "a.fodt", data, size);
    extract_and_check(drt_format_jats_extract, "a.xml", data, size);
    extract_and_check(drt_format_tei_extract, "a.xml", data, size);
    extract_and_check(drt_format_fb2_extract, "a.fb2", data, size);
    extract_and_check(drt_format_docbook_extract, "a.dbk", data, size);
    extract_and_check(drt_format_xml_extract, "a.xml", data, size);
    drt_buffer zip = zip_of(&(zip_part){"content.xml", data, size}, 1);
    extract_and_check(drt_format_odt_extract, "a.odt", (const uint8_t *)zip.data, zip.length);
    drt_buffer_free(&zip);
    return 0;
}
