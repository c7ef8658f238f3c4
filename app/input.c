/* input.c: see input.h. read() instead of stdio: it knows a signal from an end, and NUL bytes stay. */
#include "app/input.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/signals.h"
#include "engine/drt.h"

void input_open(input *in, int fd) {
    *in = (input){.fd = fd};
}

void input_close(input *in) {
    free(in->data);
}

static bool is_white(uint32_t code) {
    return code == ' ' || (code >= '\t' && code <= '\r') || code == 0x85 || code == 0xa0 || code == 0x1680 ||
           (code >= 0x2000 && code <= 0x200a) || code == 0x2028 || code == 0x2029 || code == 0x202f || code == 0x205f ||
           code == 0x3000 || code == 0xfeff;
}

void input_trim(const char **text, size_t *length) {
    uint32_t code;
    size_t size;
    while (*length > 0 && (size = drt_utf8_decode(*text, *length, &code)) > 0 && is_white(code)) {
        *text += size;
        *length -= size;
    }
    while (*length > 0) {
        size_t last = drt_utf8_floor(*text, *length, *length - 1);
        if (drt_utf8_decode(*text + last, *length - last, &code) != *length - last || !is_white(code))
            break;
        *length = last;
    }
}

/* Reads more behind what is there. false: the end, an error or a signal. */
static bool fill(input *in) {
    if (in->start > 0) {
        memmove(in->data, in->data + in->start, in->end - in->start);
        in->end -= in->start;
        in->start = 0;
    }
    if (in->end == in->capacity) {
        size_t capacity = in->capacity ? 2 * in->capacity : 1 << 16;
        char *data = realloc(in->data, capacity);
        if (!data) {
            in->error = ENOMEM;
            return false;
        }
        in->data = data;
        in->capacity = capacity;
    }
    ssize_t got;
    do
        got = signals_cancelled(NULL) ? 0 : read(in->fd, in->data + in->end, in->capacity - in->end);
    while (got < 0 && errno == EINTR);
    if (got < 0)
        in->error = errno;
    if (got <= 0)
        in->at_end = true;
    else
        in->end += (size_t)got;
    return got > 0;
}

/* Can something be read, or the end be seen, without waiting? */
static bool is_readable(int fd) {
    struct pollfd poll_fd = {.fd = fd, .events = POLLIN};
    return poll(&poll_fd, 1, 0) > 0;
}

/* The next line as it is, or what stands behind the last line end. */
static input_result next_raw(input *in, bool wait, input_line *line) {
    *line = (input_line){0};
    for (;;) {
        size_t length = in->end - in->start;
        char *end =
            length > in->searched ? memchr(in->data + in->start + in->searched, '\n', length - in->searched) : NULL;
        if (!end && length > INPUT_MAX_LINE) {
            /* Its head stays in place; the rest of the line is read over it. */
            in->too_long = true;
            in->end = in->start + INPUT_MAX_LINE;
            length = INPUT_MAX_LINE;
        }
        if (!end && !in->at_end) {
            in->searched = length;
            if (!wait && !is_readable(in->fd))
                return INPUT_NOT_YET;
            fill(in);
            if (!in->error)
                continue;
        }
        if (signals_cancelled(NULL) || in->error || (!end && length == 0))
            return INPUT_END;
        line->text = in->data + in->start;
        line->length = end ? (size_t)(end - line->text) : length;
        line->too_long = in->too_long;
        in->start += line->length + (end ? 1 : 0);
        in->searched = 0;
        in->too_long = false;
        return INPUT_LINE;
    }
}

input_result input_next(input *in, bool wait, input_line *line) {
    for (;;) {
        input_result result = next_raw(in, wait, line);
        if (result != INPUT_LINE)
            return result;
        if (line->length > INPUT_MAX_LINE) {
            line->too_long = true;
            line->length = INPUT_MAX_LINE;
        }
        if (line->too_long)
            line->length = drt_utf8_floor(line->text, line->length, line->length - 1);
        input_trim(&line->text, &line->length);
        if (line->length > 0)
            return INPUT_LINE;
    }
}
