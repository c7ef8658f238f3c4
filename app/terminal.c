/* terminal.c: harmless text, error lines, checked output. See terminal.h. */
#include "app/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "engine/drt.h"

bool terminal_is(FILE *stream) {
    return isatty(fileno(stream)) == 1;
}

bool terminal_has_colour(FILE *stream) {
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");
    return !(no_color && *no_color) && term && *term && strcmp(term, "dumb") != 0 && terminal_is(stream);
}

int terminal_width(FILE *stream) {
    struct winsize size;
    return ioctl(fileno(stream), TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

int terminal_columns(const char *text, size_t length) {
    int columns = 0;
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = drt_utf8_decode(text + at, length - at, &code);
        columns += code >= 0x1100 ? 2 : 1;
        at += size > 0 ? size : 1;
    }
    return columns;
}

#define ESCAPED_SIZE 12 /* "\\uFFFFFFFF" */

static bool turns_direction(uint32_t code) {
    return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

/* The escape that stands for a dangerous character, or false when it may pass. */
static bool escape(uint32_t code, text_kind kind, bool to_terminal, char out[ESCAPED_SIZE]) {
    if (kind == TEXT_BODY && (code == '\n' || code == '\t'))
        return false;
    if (code == '\n' || code == '\t' || code == '\r')
        snprintf(out, ESCAPED_SIZE, "\\%c", code == '\n' ? 'n' : code == '\t' ? 't' : 'r');
    else if (code < 0x20 || code == 0x7f)
        snprintf(out, ESCAPED_SIZE, "\\x%02X", (unsigned)code);
    else if ((code >= 0x80 && code < 0xa0) || (to_terminal && turns_direction(code)))
        snprintf(out, ESCAPED_SIZE, "\\u%04X", (unsigned)code);
    else
        return false;
    return true;
}

static void write_harmless(FILE *stream, const char *text, size_t length, text_kind kind, bool to_terminal) {
    char escaped[ESCAPED_SIZE];
    size_t clean = 0; /* start of what may pass as it is */
    for (size_t at = 0; at < length;) {
        uint32_t code = 0;
        size_t size = drt_utf8_decode(text + at, length - at, &code);
        if (size > 0 && !escape(code, kind, to_terminal, escaped)) {
            at += size;
            continue;
        }
        if (size == 0)
            snprintf(escaped, sizeof escaped, "\\x%02X", (unsigned char)text[at]);
        fwrite(text + clean, 1, at - clean, stream);
        fputs(escaped, stream);
        at += size > 0 ? size : 1;
        clean = at;
    }
    fwrite(text + clean, 1, length - clean, stream);
}

void terminal_write(FILE *stream, const char *text, size_t length, text_kind kind) {
    write_harmless(stream, text, length, kind, terminal_is(stream));
}

char *terminal_neutralise(const char *text, size_t length, text_kind kind, size_t *out_length) {
    char *out = NULL;
    FILE *memory = open_memstream(&out, out_length);
    if (!memory)
        return NULL;
    write_harmless(memory, text, length, kind, true);
    if (fclose(memory) == 0)
        return out;
    free(out);
    return NULL;
}

/* The digits of a number in hexadecimal, as they are written; false: other characters. */
static bool parse_digits(const char *text, int n, unsigned *number) {
    *number = 0;
    for (int i = 0; i < n; i++) {
        const char *digits = "0123456789ABCDEF", *digit = text[i] ? strchr(digits, text[i]) : NULL;
        if (!digit)
            return false;
        *number = *number * 16 + (unsigned)(digit - digits);
    }
    return true;
}

/* Writes the character that an escape stands for; returns the escape's length, 0 when it is none. */
static size_t undo_escape(const char *text, char **to) {
    unsigned code;
    const char *letter = text[1] ? strchr("n\nt\tr\r", text[1]) : NULL;
    if (letter && (unsigned char)text[1] >= ' ') {
        *(*to)++ = letter[1];
        return 2;
    }
    if (text[1] == 'x' && parse_digits(text + 2, 2, &code) && code > 0) {
        *(*to)++ = (char)code;
        return 4;
    }
    if (text[1] == 'u' && parse_digits(text + 2, 4, &code) && code >= 0x80) {
        if (code >= 0x800)
            *(*to)++ = (char)(0xE0 | code >> 12);
        *(*to)++ = (char)(code >= 0x800 ? 0x80 | (code >> 6 & 0x3F) : 0xC0 | code >> 6);
        *(*to)++ = (char)(0x80 | (code & 0x3F));
        return 6;
    }
    return 0;
}

bool terminal_undo_escapes(char *text) {
    bool any = false;
    char *to = text;
    while (*text) {
        size_t length = *text == '\\' ? undo_escape(text, &to) : 0;
        any |= length > 0;
        if (length == 0)
            *to++ = *text++;
        text += length;
    }
    *to = 0;
    return any;
}

void complain(const char *format, ...) {
    char *sentence = NULL;
    size_t length = 0;
    FILE *memory = open_memstream(&sentence, &length);
    if (!memory)
        return;
    va_list arguments;
    va_start(arguments, format);
    vfprintf(memory, format, arguments);
    va_end(arguments);
    if (fclose(memory) == 0) {
        fputs("drt: ", stderr);
        terminal_write(stderr, sentence, length, TEXT_LINE);
        fputc('\n', stderr);
    }
    free(sentence);
}

void terminal_fill_standard_streams(void) {
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) == -1 && errno == EBADF)
            /* The lowest free number is fd itself; the wrong direction makes its use fail. */
            (void)!open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

bool output_flush(void) {
    static bool said;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    if (!said)
        complain("cannot write to standard output: %s", strerror(errno));
    said = true;
    return false;
}
