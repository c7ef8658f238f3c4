/* Fuzz target: a tokenizer model is refused, or encodes any text into pieces that make UTF-8 again. */
#include <string.h>

#include "engine/drt.h"
#include "tests/fuzz/fuzz.h"
#include "tokenizer/tokenizer.h"

static bool is_valid(const char *text, size_t length) {
    uint32_t code_point;
    for (size_t at = 0, n; at < length; at += n) {
        n = drt_utf8_decode(text + at, length - at, &code_point);
        if (n == 0)
            return false;
    }
    return true;
}

static void check_text(const drt_tokenizer *tokenizer, const char *text, size_t length) {
    char error[512], *decoded;
    drt_piece *pieces;
    size_t count, decoded_length;
    int32_t ids[1024];
    if (drt_tokenizer_encode(tokenizer, text, length, &pieces, &count, error, sizeof error) != 0)
        return;
    FUZZ_CHECK(count <= 1024);
    for (size_t i = 0; i < count; i++) {
        FUZZ_CHECK(pieces[i].start <= pieces[i].end && pieces[i].end <= length);
        FUZZ_CHECK(pieces[i].id >= DRT_TOKEN_CONTROLS);
        ids[i] = pieces[i].id;
    }
    FUZZ_CHECK(drt_tokenizer_decode(tokenizer, ids, count, &decoded, &decoded_length, error, sizeof error) == 0);
    FUZZ_CHECK(is_valid(decoded, decoded_length));
    free(decoded);
    free(pieces);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char text[] = "A! The A of \xC2\xBD \xE6\x97\xA5 <lmk> e\xCC\x81 ~";
    drt_tokenizer *tokenizer;
    char error[512] = "";
    if (drt_tokenizer_load_memory(data, size, &tokenizer, error, sizeof error) == 0) {
        check_text(tokenizer, text, sizeof text - 1);
        check_text(tokenizer, "", 0);
        FUZZ_CHECK(drt_tokenizer_size(tokenizer) > DRT_TOKEN_CONTROLS);
    } else {
        FUZZ_CHECK(error[0] && !tokenizer);
    }
    drt_tokenizer_free(tokenizer);
    return 0;
}
