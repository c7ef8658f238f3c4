/* Fuzz target: any bytes read as TeX, as BibTeX's or biblatex's references, or as a style, end in normalised text or in
 * definitions. */
#include "engine/corpus/tex/bibliography.h"
#include "engine/corpus/tex/style.h"
#include "tests/fuzz/extract.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    drt_buffer out = {0};
    extract_and_check(drt_format_tex_extract, "a.tex", data, size);
    extract_and_check(drt_format_bibtex_extract, "a.bib", data, size);
    FUZZ_CHECK(drt_biblatex_write((const char *)data, size, NULL, &out));
    FUZZ_CHECK(drt_tex_take_definitions((const char *)data, size, &out));
    drt_buffer_free(&out);
    return 0;
}
