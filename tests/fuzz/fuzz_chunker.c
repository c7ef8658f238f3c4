/* Fuzz target: the tokenizer and the chunker. The first byte is a chunk size, the rest a text. */
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/session/chunker.h"
#include "tests/fuzz/fuzz.h"

static const drt_tokenizer *tokenizer(void) {
    static drt_tokenizer *loaded;
    char error[512];
    if (!loaded)
        FUZZ_CHECK(drt_tokenizer_load(DRT_SOURCE_DIR "/samples/model/tokenizer.model", &loaded, error, sizeof error) ==
                   0);
    return loaded;
}

static void check_pieces(const char *text, size_t length) {
    drt_piece *pieces;
    size_t count, at = 0;
    char error[512];
    FUZZ_CHECK(drt_tokenizer_encode(tokenizer(), text, length, &pieces, &count, error, sizeof error) == 0);
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(pieces[i].id >= DRT_TOKEN_CONTROLS && pieces[i].id < drt_tokenizer_size(tokenizer()));
        FUZZ_CHECK(at <= pieces[i].start && pieces[i].start <= pieces[i].end && pieces[i].end <= length);
        at = pieces[i].start;
    }
    free(pieces);
}

static void check_chunks(drt_context *context, int chunk_size, const char *text, size_t length) {
    drt_chunks chunks;
    drt_status status = drt_chunks_build(context, tokenizer(), chunk_size, text, length, &chunks);
    FUZZ_CHECK((status == DRT_OK) == (drt_utf8_valid_prefix(text, length) == length));
    int64_t start = 0, end = 0;
    for (size_t c = 0; c < chunks.n_chunks; c++) {
        drt_range range = chunks.ranges[c];
        FUZZ_CHECK(chunks.tokens[(c + 1) * (size_t)chunk_size - 1] == DRT_TOKEN_LANDMARK);
        FUZZ_CHECK(range.start >= start && range.end >= end && range.start <= range.end);
        FUZZ_CHECK(range.end <= (int64_t)length);
        FUZZ_CHECK(drt_utf8_floor(text, length, (size_t)range.start) == (size_t)range.start);
        FUZZ_CHECK(drt_utf8_floor(text, length, (size_t)range.end) == (size_t)range.end);
        start = range.start;
        end = range.end;
    }
    drt_chunks_clear(&chunks);
}

static void check_question(drt_context *context, int chunk_size, const char *text, size_t length) {
    int32_t *tokens, chunk[256], prefix[42];
    size_t count;
    FUZZ_CHECK(drt_question_encode(context, tokenizer(), text, length, &tokens, &count) == DRT_OK);
    FUZZ_CHECK(drt_question_chunk(tokens, count, chunk_size, chunk) <= count);
    FUZZ_CHECK(chunk[chunk_size - 1] == DRT_TOKEN_LANDMARK);
    FUZZ_CHECK(drt_reading_prefix(tokens, count, chunk_size, prefix) <= 42);
    free(tokens);
}

/* The text's bytes, in pairs, as ids. */
static void check_decoding(const char *text, size_t length) {
    int32_t ids[512];
    size_t count = 0, decoded_length;
    char *decoded, error[512];
    while (count < 512 && 2 * count + 1 < length) {
        ids[count] = (int32_t)((uint8_t)text[2 * count] | (uint32_t)(uint8_t)text[2 * count + 1] << 8);
        ids[count] %= drt_tokenizer_size(tokenizer());
        count++;
    }
    FUZZ_CHECK(drt_tokenizer_decode(tokenizer(), ids, count, &decoded, &decoded_length, error, sizeof error) == 0);
    FUZZ_CHECK(drt_utf8_valid_prefix(decoded, decoded_length) == decoded_length);
    free(decoded);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0)
        return 0;
    drt_context *context = drt_context_new(NULL);
    int chunk_size = data[0] < 2 ? 2 : data[0];
    const char *text = (const char *)data + 1;
    check_pieces(text, size - 1);
    check_chunks(context, chunk_size, text, size - 1);
    check_question(context, chunk_size, text, size - 1);
    check_decoding(text, size - 1);
    drt_context_free(context);
    return 0;
}
