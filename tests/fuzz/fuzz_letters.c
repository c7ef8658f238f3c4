/* Fuzz target: any bytes read as reStructuredText, a notebook, subtitles, mail and a mailbox end in normalised text. */
#include "tests/fuzz/extract.h"

static bool take_piece(void *user, const char *name, size_t name_length, const char *data, size_t length) {
    (void)user;
    FUZZ_CHECK(name_length > 0 && name[0] && (length == 0 || data));
    return true;
}

static void split(drt_status (*function)(drt_context *, const drt_format_input *, drt_split_receiver, void *),
                  const uint8_t *data, size_t size) {
    drt_context *context = drt_context_new(NULL);
    drt_format_input input = {(const char *)data, size, "a", 1};
    FUZZ_CHECK(function(context, &input, take_piece, NULL) == DRT_OK);
    drt_context_free(context);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    extract_and_check(drt_format_rst_extract, "a.rst", data, size);
    extract_and_check(drt_format_notebook_extract, "a.ipynb", data, size);
    extract_and_check(drt_format_subtitles_extract, "a.srt", data, size);
    extract_and_check(drt_format_subtitles_extract, "a.ass", data, size);
    extract_and_check(drt_format_mail_extract, "a.eml", data, size);
    split(drt_format_mail_split, data, size);
    split(drt_format_mbox_split, data, size);
    return 0;
}
