/* question.c: checks a question and tidies its white space. See question.h. */
#include "engine/session/question.h"

#include <utf8proc.h>

#include "engine/base/utf8.h"

/* Characters that separate words. */
static bool is_space(uint32_t c) {
    switch (utf8proc_category((utf8proc_int32_t)c)) {
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return true;
    default:
        return c == 0xFEFF; /* a byte order mark in the middle of text */
    }
}

/* Zero-width joiners, direction marks and the like mean something between letters only. */
static bool is_invisible(uint32_t c) {
    return utf8proc_category((utf8proc_int32_t)c) == UTF8PROC_CATEGORY_CF;
}

drt_status drt_question_clean(drt_context *context, const char *text, size_t length, drt_string *trimmed,
                              drt_string *clean) {
    *trimmed = *clean = (drt_string){0};
    size_t valid = drt_utf8_valid_prefix(text, length);
    if (valid < length)
        return drt_fail(context, DRT_FAILED, "the question is not valid UTF-8 (byte %zu)", valid + 1);
    drt_buffer buffer = {0};
    size_t start = 0, end = 0;
    bool visible = false, space = false, ok = true;
    for (size_t at = 0, n; at < length && ok; at += n) {
        uint32_t c = 0;
        n = drt_utf8_decode(text + at, length - at, &c);
        if (is_space(c)) {
            space = buffer.length > 0;
            continue;
        }
        if (buffer.length == 0)
            start = at;
        end = at + n;
        visible = visible || !is_invisible(c);
        ok = (!space || drt_buffer_append_byte(&buffer, ' ')) && drt_buffer_append(&buffer, text + at, n);
        space = false;
    }
    drt_status status = DRT_OK;
    if (ok && !visible)
        status = drt_fail(context, DRT_FAILED, "the question is empty");
    else if (!ok || !drt_string_set(trimmed, text + start, end - start) || !drt_string_take(clean, &buffer))
        status = drt_fail_memory(context, "a question");
    if (status != DRT_OK)
        drt_string_free(trimmed);
    drt_buffer_free(&buffer);
    return status;
}
