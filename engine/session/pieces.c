/* pieces.c: parts of a text and their pieces. See pieces.h. */
#include "engine/session/pieces.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"

#define PART_BYTES ((size_t)64 << 10) /* most that is encoded at once */

static bool is_space(char c) {
    return c == ' ' || (c >= '\t' && c <= '\r');
}

size_t drt_paragraph_end(const char *text, size_t length, size_t start, size_t *next) {
    size_t at = start;
    while (at < length) {
        const char *found = memchr(text + at, '\n', length - at);
        if (!found)
            break;
        size_t end = (size_t)(found - text);
        bool blank_line = false;
        for (at = end + 1; at < length && is_space(text[at]); at++)
            blank_line |= text[at] == '\n';
        if (blank_line) {
            *next = at;
            return end;
        }
    }
    *next = length;
    return length;
}

size_t drt_part_length(const char *text, size_t length) {
    if (length <= PART_BYTES)
        return length;
    for (size_t at = PART_BYTES; at > 0; at--)
        if (is_space(text[at]))
            return at;
    size_t border = drt_utf8_floor(text, length, PART_BYTES);
    return border ? border : PART_BYTES; /* 0: these bytes are no UTF-8 */
}

/* Line breaks inside a paragraph are spaces to the network. */
static bool copy_with_spaces(drt_buffer *copy, const char *text, size_t length) {
    copy->length = 0;
    if (!drt_buffer_append(copy, text, length))
        return false;
    for (size_t i = 0; i < length; i++)
        if (is_space(copy->data[i]))
            copy->data[i] = ' ';
    return true;
}

drt_status drt_part_encode(drt_context *context, const drt_tokenizer *tokenizer, drt_buffer *scratch, const char *text,
                           size_t start, size_t end, drt_piece_fn each, void *user) {
    char error[512];
    drt_piece *pieces;
    size_t count;
    if (!copy_with_spaces(scratch, text + start, end - start))
        return drt_fail_memory(context, "a part of a text");
    if (drt_tokenizer_encode(tokenizer, scratch->data, scratch->length, &pieces, &count, error, sizeof error) != 0)
        return drt_fail(context, DRT_FAILED, "%s", error);
    bool ok = true;
    for (size_t i = 0; ok && i < count; i++)
        ok = each(user, pieces[i].id, start + pieces[i].start, start + pieces[i].end);
    free(pieces);
    return ok ? DRT_OK : drt_fail_memory(context, "tokens");
}
