/* extract.h: what holds for everything that is extracted, for the corpus targets. */
#ifndef DRT_TESTS_FUZZ_EXTRACT_H
#define DRT_TESTS_FUZZ_EXTRACT_H

#include <string.h>

#include "engine/base/utf8.h"
#include "engine/corpus/formats/formats.h"
#include "tests/fuzz/fuzz.h"

/* Normalised text: UTF-8 without control characters but single or double line feeds between visible characters, and
 * without runs of spaces. */
static inline void check_text(const char *text, size_t length) {
    FUZZ_CHECK(drt_utf8_valid_prefix(text, length) == length);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i], next = i + 1 < length ? (unsigned char)text[i + 1] : '\n';
        FUZZ_CHECK((c >= ' ' && c != 0x7F) || c == '\n');
        FUZZ_CHECK(!(c == ' ' && (next == ' ' || next == '\n' || i == 0 || text[i - 1] == '\n')));
        FUZZ_CHECK(!(c == '\n' && (i == 0 || i + 1 == length)));
        FUZZ_CHECK(i + 2 >= length || memcmp(text + i, "\n\n\n", 3) != 0);
    }
}

static inline void check_line(const drt_string *line) {
    FUZZ_CHECK(!line->data || (line->length > 0 && !memchr(line->data, '\n', line->length)));
    if (line->data)
        check_text(line->data, line->length);
}

static inline void check_extract(const drt_extract *extract) {
    FUZZ_CHECK((extract->status == DRT_DOCUMENT_OK) == (extract->reason.data == NULL));
    FUZZ_CHECK(extract->status != DRT_DOCUMENT_SKIPPED || extract->text.length == 0);
    if (extract->text.length)
        check_text(extract->text.data, extract->text.length);
    check_line(&extract->title);
    check_line(&extract->date);
    for (size_t i = 0; i < extract->n_authors; i++)
        check_line(&extract->authors[i]);
}

static inline void extract_and_check(drt_status (*function)(drt_context *, const drt_format_input *, drt_extract *),
                                     const char *name, const uint8_t *data, size_t size) {
    drt_context *context = drt_context_new(NULL);
    drt_format_input input = {(const char *)data, size, name, strlen(name)};
    drt_extract extract = {0};
    FUZZ_CHECK(function(context, &input, &extract) == DRT_OK);
    check_extract(&extract);
    drt_extract_clear(&extract);
    drt_context_free(context);
}

#endif
