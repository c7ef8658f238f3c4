/* Fuzz target: any bytes as questions on standard input, and as a text that is written to a terminal, line by line. */
#define _GNU_SOURCE /* memfd_create */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "app/input.h"
#include "app/terminal.h"
#include "engine/base/utf8.h"
#include "tests/fuzz/fuzz.h"
#include "ui/wrap.h"

static void read_questions(const uint8_t *data, size_t size) {
    input in;
    input_line line;
    int file = memfd_create("questions", MFD_CLOEXEC);
    FUZZ_CHECK(file >= 0 && write(file, data, size) == (ssize_t)size && lseek(file, 0, SEEK_SET) == 0);
    input_open(&in, file);
    while (input_next(&in, true, &line) == INPUT_LINE)
        FUZZ_CHECK(line.length > 0 && !memchr(line.text, '\n', line.length));
    FUZZ_CHECK(in.error == 0);
    input_close(&in);
    close(file);
}

/* No control byte but what is layout. */
static void write_text(const char *text, size_t size, text_kind kind) {
    size_t length = 0;
    char *out = terminal_neutralise(text, size, kind, &length);
    FUZZ_CHECK(out && drt_utf8_valid_prefix(out, length) == length);
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)out[i], next = i + 1 < length ? (unsigned char)out[i + 1] : 0;
        FUZZ_CHECK((c >= ' ' && c != 0x7F) || (kind == TEXT_BODY && (c == '\n' || c == '\t')));
        FUZZ_CHECK(c != 0xC2 || next >= 0xA0);
    }
    free(out);
}

/* Lines in order, none wider than there is room unless it is one character. */
static void wrap_lines(const char *text, size_t size, int columns, bool ascii, wrap_mode mode) {
    wrap lines = {0};
    FUZZ_CHECK(wrap_text(&lines, text, size, columns, ascii, mode) && lines.n > 0);
    for (size_t i = 0; i < lines.n; i++) {
        wrap_line *line = &lines.lines[i];
        FUZZ_CHECK(line->start <= line->end && line->end <= size);
        FUZZ_CHECK(i == 0 || lines.lines[i - 1].end <= line->start);
        FUZZ_CHECK(cluster_columns(text + line->start, line->end - line->start, ascii) <= columns ||
                   cluster_after(text, size, line->start) >= line->end);
    }
    wrap_free(&lines);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    FUZZ_CHECK(text);
    memcpy(text, data, size);
    read_questions(data, size);
    write_text(text, size, TEXT_LINE);
    write_text(text, size, TEXT_BODY);
    for (int columns = 1; columns < 100; columns = 3 * columns + 2)
        for (int ascii = 0; ascii < 2; ascii++) {
            wrap_lines(text, size, columns, ascii, WRAP_WORDS);
            wrap_lines(text, size, columns, ascii, WRAP_CHARACTERS);
        }
    free(text);
    return 0;
}
