/* Fuzz target: any bytes read as reStructuredText, a notebook, subtitles, mail and a mailbox end in normalised text. */
#include <string.h>

#include "engine/corpus/formats/mailbox.h"
#include "tests/fuzz/extract.h"

static bool take_piece(void *user, const char *name, size_t name_length, const char *data, size_t length) {
    (void)user;
    FUZZ_CHECK(name_length > 0 && name[0] && (length == 0 || data));
    return true;
}

static void split_mail(const uint8_t *data, size_t size) {
    drt_context *context = drt_context_new(NULL);
    drt_format_input input = {(const char *)data, size, "a", 1};
    bool whole;
    FUZZ_CHECK(drt_format_mail_split(context, &input, take_piece, NULL, &whole) == DRT_OK);
    drt_context_free(context);
}

/* Memory handed out in blocks of so many bytes. */
typedef struct {
    drt_stream base;
    const char *data;
    size_t at, size, block;
} slow_stream;

static ssize_t read_slowly(drt_stream *base, const char **data) {
    slow_stream *s = (slow_stream *)base;
    size_t n = s->size - s->at < s->block ? s->size - s->at : s->block;
    *data = s->data + s->at;
    s->at += n;
    return (ssize_t)n;
}

/* All messages, each behind a byte that ends the one before. */
static drt_buffer read_mailbox(const uint8_t *data, size_t size, size_t block) {
    slow_stream slow = {.base = {.read = read_slowly}, .data = (const char *)data, .size = size, .block = block};
    drt_mailbox *mailbox = drt_mailbox_open(&slow.base);
    drt_buffer all = {0};
    const char *piece;
    ssize_t n;
    FUZZ_CHECK(mailbox);
    for (drt_stream *message; (message = drt_mailbox_next(mailbox)) != NULL;) {
        FUZZ_CHECK(drt_buffer_append_byte(&all, '|'));
        while ((n = drt_stream_read(message, &piece)) > 0)
            FUZZ_CHECK(drt_buffer_append(&all, piece, (size_t)n));
        FUZZ_CHECK(n == 0);
    }
    drt_mailbox_close(mailbox);
    return all;
}

/* Where blocks end makes no difference. */
static void split_mailbox(const uint8_t *data, size_t size) {
    drt_buffer whole = read_mailbox(data, size, size ? size : 1), pieces = read_mailbox(data, size, 1 + size % 7);
    FUZZ_CHECK(whole.length == pieces.length && whole.length <= 2 * size + 1);
    FUZZ_CHECK(whole.length == 0 || memcmp(whole.data, pieces.data, whole.length) == 0);
    drt_buffer_free(&whole);
    drt_buffer_free(&pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    extract_and_check(drt_format_rst_extract, "a.rst", data, size);
    extract_and_check(drt_format_notebook_extract, "a.ipynb", data, size);
    extract_and_check(drt_format_subtitles_extract, "a.srt", data, size);
    extract_and_check(drt_format_subtitles_extract, "a.ass", data, size);
    extract_and_check(drt_format_mail_extract, "a.eml", data, size);
    split_mail(data, size);
    split_mailbox(data, size);
    return 0;
}
