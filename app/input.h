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
/* The next line that is not blank. false: the end, a read error (in->error), or a signal asked to stop. */
bool input_next(input *in, input_line *line);

/* Takes a byte order mark and white space (Unicode's) off both ends. */
void input_trim(const char **text, size_t *length);

#endif
