/* Fuzz target: any bytes as a stored trace, and as what is in one, are refused or come out the same once more. */
#include <string.h>

#include "engine/library/compress.h"
#include "engine/library/stored_trace.h"
#include "tests/fuzz/fuzz.h"

/* With what stands beside a trace. */
static drt_answer *new_answer(void) {
    drt_answer *answer = calloc(1, sizeof *answer);
    FUZZ_CHECK(answer && drt_string_set(&answer->answer, "The lamp was lit in 1874.", 25));
    return answer;
}

static void read_trace(drt_context *context, const void *frame, size_t length) {
    drt_answer *answer = new_answer(), *again = new_answer();
    drt_buffer written = {0}, rewritten = {0};
    if (drt_stored_trace_read(context, frame, length, answer) == DRT_OK) {
        FUZZ_CHECK(drt_stored_trace_write(context, answer, &written) == DRT_OK);
        FUZZ_CHECK(drt_stored_trace_read(context, written.data, written.length, again) == DRT_OK);
        FUZZ_CHECK(drt_stored_trace_write(context, again, &rewritten) == DRT_OK);
        FUZZ_CHECK(written.length == rewritten.length && memcmp(written.data, rewritten.data, written.length) == 0);
    }
    drt_answer_free(answer);
    drt_answer_free(again);
    drt_buffer_free(&written);
    drt_buffer_free(&rewritten);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    drt_context *context = drt_context_new(NULL);
    drt_buffer frame = {0};
    read_trace(context, data, size);
    FUZZ_CHECK(drt_compress(context, data, size, &frame) == DRT_OK);
    read_trace(context, frame.data, frame.length);
    drt_buffer_free(&frame);
    drt_context_free(context);
    return 0;
}
