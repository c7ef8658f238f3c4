/* input.h: questions from stdin, one a line, each given out as soon as its line is there.
 * May use: drt.h (UTF-8). */
#ifndef DRT_APP_INPUT_H
#define DRT_APP_INPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Longer lines are given out cut to this, with `too_long` set. */
#define INPUT_MAX_LINE ((size_t)4 << 20)

typedef struct {
    int fd;
    char *data; /* bytes read, not yet given out: [start, end) */
    size_t start, end, capacity;
    size_t searched; /* bytes from start on without a line end */
    bool too_long;   /* of the line that begins at start, more was read than is kept */
    bool at_end;
    int error; /* errno of a failed read */
} input;

typedef struct {
    const char *text; /* without byte order mark, carriage return and outer white space; valid until the next call */
    size_t length;
    bool too_long;
} input_line;

void input_open(input *in, int fd);
void input_close(input *in);
typedef enum {
    INPUT_LINE,
    INPUT_NOT_YET, /* only where one does not wait */
    INPUT_END      /* also a read error (in->error), and when a signal asked to stop */
} input_result;

/* The next line that is not blank. */
input_result input_next(input *in, bool wait, input_line *line);

/* Takes a byte order mark and white space (Unicode's) off both ends. */
void input_trim(const char **text, size_t *length);

#endif
