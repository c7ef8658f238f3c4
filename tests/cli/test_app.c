/* test_app.c: the parts of the command that need no library: harmless text, JSON, lines of input, options. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "app/input.h"
#include "app/json.h"
#include "app/options.h"
#include "app/terminal.h"
#include "engine/drt.h"

/* ------------------------------------------------------------------------------- text ---- */

#define assert_neutral(kind, in, expected)                                                                             \
    do {                                                                                                               \
        size_t length_;                                                                                                \
        char *out_ = terminal_neutralise((in), sizeof(in) - 1, (kind), &length_);                                      \
        assert_string_equal(out_, (expected));                                                                         \
        assert_int_equal(length_, strlen(expected));                                                                   \
        free(out_);                                                                                                    \
    } while (0)

static void test_neutral_keeps_text(void **state) {
    (void)state;
    assert_neutral(TEXT_LINE, "", "");
    assert_neutral(TEXT_LINE, "Zoë 漢字 \xf0\x9f\x98\x80 \\ \"q\"", "Zoë 漢字 \xf0\x9f\x98\x80 \\ \"q\"");
    assert_neutral(TEXT_BODY, "a\n\tb", "a\n\tb");
}

static void test_neutral_escapes_controls(void **state) {
    (void)state;
    assert_neutral(TEXT_LINE, "a\n\t\rb", "a\\n\\t\\rb");
    assert_neutral(TEXT_BODY, "\x1b[2J\x07\x08\x0e\x7f\r", "\\x1B[2J\\x07\\x08\\x0E\\x7F\\r");
    assert_neutral(TEXT_LINE, "a\0b", "a\\x00b");
    assert_neutral(TEXT_BODY,
                   "\xc2\x9b"
                   "31m",
                   "\\u009B31m");
    assert_neutral(TEXT_BODY, "\xe2\x80\xae\xe2\x81\xa6x", "\\u202E\\u2066x");
}

static void test_neutral_escapes_bad_utf8(void **state) {
    (void)state;
    assert_neutral(TEXT_LINE, "\xff\xe9.", "\\xFF\\xE9.");
    assert_neutral(TEXT_LINE, "\xed\xa0\x80", "\\xED\\xA0\\x80"); /* a surrogate */
    assert_neutral(TEXT_LINE, "\xc0\xaf", "\\xC0\\xAF");          /* an overlong slash */
    assert_neutral(TEXT_LINE, "ab\xe2\x80", "ab\\xE2\\x80");      /* cut off */
}

static void test_escapes_are_undone(void **state) {
    (void)state;
    static const char *const harmful[] = {"a\n\tb\rc", "\x1b[31m\x7f", "\xc2\x9b[31m", "\xe2\x80\xae.txt"};
    for (size_t i = 0; i < sizeof harmful / sizeof *harmful; i++) {
        size_t length;
        char *written = terminal_neutralise(harmful[i], strlen(harmful[i]), TEXT_LINE, &length);
        assert_true(terminal_undo_escapes(written));
        assert_string_equal(written, harmful[i]);
        free(written);
    }
    char plain[] = "back\\slash \\x1 \\x00 \\uD \\u0041 \\";
    assert_false(terminal_undo_escapes(plain));
    assert_string_equal(plain, "back\\slash \\x1 \\x00 \\uD \\u0041 \\");
}

/* A pipe keeps the letters of a text as they are, direction controls included; nothing else passes. */
static void test_write_to_pipe(void **state) {
    (void)state;
    char *out = NULL;
    size_t length;
    FILE *file = tmpfile();
    assert_non_null(file);
    terminal_write(file, "\xe2\x80\xae\x1b", 4, TEXT_BODY);
    rewind(file);
    out = calloc(1, 32);
    length = fread(out, 1, 31, file);
    assert_string_equal(out, "\xe2\x80\xae\\x1B");
    assert_int_equal(length, 7);
    free(out);
    fclose(file);
}

/* ------------------------------------------------------------------------------- JSON ---- */

static void test_json(void **state) {
    (void)state;
    static const char bytes[] = "a\"\\\n\0\x1b\x7f\xff\xc2\x9b\xe2\x80\xa8\xe2\x80\xaeZoë";
    char *out = NULL;
    size_t length;
    FILE *memory = open_memstream(&out, &length);
    json_writer json;
    json_open(&json, memory);
    json_string(&json, "text", bytes, sizeof bytes - 1);
    json_string(&json, "none", NULL, 0);
    json_array(&json, "list");
    json_integer(&json, NULL, INT64_MIN);
    json_object(&json, NULL);
    json_close(&json);
    json_real(&json, NULL, (double)0.1f);
    json_real(&json, NULL, 0.0 / 0.0);
    json_close(&json);
    json_bool(&json, "yes", true);
    json_close(&json);
    fclose(memory);
    assert_string_equal(out,
                        "{\"text\": \"a\\\"\\\\\\n\\u0000\\u001b\\u007f\xef\xbf\xbd\\u009b\\u2028\\u202eZoë\", "
                        "\"none\": null, \"list\": [-9223372036854775808, {}, 0.100000001, null], \"yes\": true}\n");
    free(out);
}

/* Whatever the bytes, an independent parser takes them. */
static void test_json_any_bytes(void **state) {
    (void)state;
    unsigned seed = 1;
    for (int round = 0; round < 2000; round++) {
        char bytes[24], *out = NULL;
        size_t length;
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1103515245u + 12345u;
            bytes[i] = (char)(seed >> 16);
        }
        FILE *memory = open_memstream(&out, &length);
        json_writer json;
        json_open(&json, memory);
        json_string(&json, "x", bytes, sizeof bytes);
        json_close(&json);
        fclose(memory);
        assert_int_equal(drt_utf8_floor(out, length, length), length);
        for (size_t at = 0, size; at < length; at += size) {
            uint32_t code;
            size = drt_utf8_decode(out + at, length - at, &code);
            assert_true(size > 0);
            assert_true(at + 1 == length || code >= 0x20);
        }
        cJSON *parsed = cJSON_Parse(out);
        assert_non_null(parsed);
        cJSON_Delete(parsed);
        free(out);
    }
}

/* ------------------------------------------------------------------------------ input ---- */

static int pipe_with(const char *data, size_t length) {
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], data, length), length);
    close(ends[1]);
    return ends[0];
}

#define assert_next(in, expected)                                                                                      \
    do {                                                                                                               \
        input_line line_;                                                                                              \
        assert_int_equal(input_next(&(in), true, &line_), INPUT_LINE);                                                 \
        assert_int_equal(line_.length, sizeof(expected) - 1);                                                          \
        assert_memory_equal(line_.text, expected, sizeof(expected) - 1);                                               \
    } while (0)

static void test_input_lines(void **state) {
    (void)state;
    static const char data[] = "\xef\xbb\xbfone\r\n\n \t\r\n  two\xc2\xa0\xe3\x80\x80\nnul\0in\n\xff\xfe\nlast";
    input in;
    input_line line;
    input_open(&in, pipe_with(data, sizeof data - 1));
    assert_next(in, "one");
    assert_next(in, "two");
    assert_next(in, "nul\0in");
    assert_next(in, "\xff\xfe");
    assert_next(in, "last");
    assert_int_equal(input_next(&in, true, &line), INPUT_END);
    assert_int_equal(in.error, 0);
    close(in.fd);
    input_close(&in);
}

/* Who does not wait gets whole lines only, in whatever pieces they come. */
static void test_input_without_waiting(void **state) {
    (void)state;
    int ends[2];
    input in;
    input_line line;
    assert_int_equal(pipe(ends), 0);
    input_open(&in, ends[0]);
    assert_int_equal(input_next(&in, false, &line), INPUT_NOT_YET);
    assert_int_equal(write(ends[1], "one\n\n  \ntw", 10), 10);
    assert_int_equal(input_next(&in, false, &line), INPUT_LINE);
    assert_memory_equal(line.text, "one", 3);
    assert_int_equal(input_next(&in, false, &line), INPUT_NOT_YET);
    assert_int_equal(input_next(&in, false, &line), INPUT_NOT_YET);
    assert_int_equal(write(ends[1], "o\nthree", 7), 7);
    assert_next(in, "two");
    assert_int_equal(input_next(&in, false, &line), INPUT_NOT_YET);
    close(ends[1]);
    assert_int_equal(input_next(&in, false, &line), INPUT_LINE);
    assert_memory_equal(line.text, "three", 5);
    assert_int_equal(input_next(&in, false, &line), INPUT_END);
    close(ends[0]);
    input_close(&in);
}

static void test_input_empty(void **state) {
    (void)state;
    static const char *const empty[] = {"", "\n", "\xef\xbb\xbf", "\r\n\r\n  "};
    for (size_t i = 0; i < 4; i++) {
        input in;
        input_line line;
        input_open(&in, pipe_with(empty[i], strlen(empty[i])));
        assert_int_equal(input_next(&in, true, &line), INPUT_END);
        close(in.fd);
        input_close(&in);
    }
}

/* A line beyond the limit is cut and said to be; its rest is no line of its own. */
static void test_input_too_long(void **state) {
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    for (size_t i = 0; i < 3 * INPUT_MAX_LINE / 2; i++)
        fputs("\xc3\xab", file);
    fputs("\nnext\n", file);
    fflush(file);
    rewind(file);
    input in;
    input_line line;
    input_open(&in, fileno(file));
    assert_int_equal(input_next(&in, true, &line), INPUT_LINE);
    assert_true(line.too_long);
    assert_true(line.length <= INPUT_MAX_LINE && line.length > INPUT_MAX_LINE - 4);
    assert_true((unsigned char)line.text[line.length - 1] == 0xab);
    assert_true(in.capacity <= 4 * INPUT_MAX_LINE);
    assert_next(in, "next");
    assert_int_equal(input_next(&in, true, &line), INPUT_END);
    input_close(&in);
    fclose(file);
}

static void test_input_error(void **state) {
    (void)state;
    input in;
    input_line line;
    input_open(&in, -1);
    assert_int_equal(input_next(&in, true, &line), INPUT_END);
    assert_int_not_equal(in.error, 0);
    input_close(&in);
}

/* ---------------------------------------------------------------------------- options ---- */

typedef struct {
    bool flag;
    const char *word;
    int64_t number;
    double real;
    option_list list;
} values;

static const values defaults = {.number = 7};
static values seen;
static int n_seen;
static const char *operands_seen[8];

static int record(const void *given, char **operands) {
    seen = *(const values *)given;
    for (n_seen = 0; operands[n_seen]; n_seen++)
        operands_seen[n_seen] = operands[n_seen];
    return 0;
}

static const drt_option table[] = {
    OPT_FLAG("flag", flag, "a flag"),
    OPT_STRING("word", word, "WORD", "a word"),
    OPT_INTEGER("number", number, "N", 1, 10, "a number"),
    OPT_REAL("real", real, "R", 0, 1, "a real number"),
    OPT_LIST("list", list, "WORD", "a word; may be repeated"),
    OPT_END,
};

static const drt_command probe = {.name = "probe",
                                  .operands = "A [B]...",
                                  .summary = "a command for tests",
                                  .options = table,
                                  .defaults = &defaults,
                                  .values_size = sizeof defaults,
                                  .min_operands = 1,
                                  .max_operands = 3,
                                  .run = record};

#define parse(...)                                                                                                     \
    command_run(&probe, (int)(sizeof(char *[]){"probe", __VA_ARGS__} / sizeof(char *)),                                \
                (char *[]){"probe", __VA_ARGS__, NULL})

static void test_options(void **state) {
    (void)state;
    assert_int_equal(parse("--flag", "a", "--number=3", "b", "--real", "0.5", "--wo", "x"), 0);
    assert_true(seen.flag && seen.number == 3 && seen.real > 0.49 && seen.real < 0.51);
    assert_string_equal(seen.word, "x");
    assert_int_equal(n_seen, 2);
    assert_string_equal(operands_seen[0], "a");
    assert_string_equal(operands_seen[1], "b");
    assert_int_equal(parse("a"), 0);
    assert_true(!seen.flag && seen.number == 7 && !seen.word && seen.list.n == 0);
    assert_int_equal(parse("--list", "x", "a", "--list=y"), 0);
    assert_int_equal(seen.list.n, 2);
    assert_string_equal(seen.list.items[0], "x");
    assert_string_equal(seen.list.items[1], "y");
}

static void test_options_lists_are_bounded(void **state) {
    (void)state;
    char *arguments[OPTION_LIST_MOST + 4] = {"probe", "a"};
    for (int more = 0; more < 2; more++) {
        int n = 2;
        for (int i = 0; i < OPTION_LIST_MOST + more; i++)
            arguments[n++] = "--list=x";
        arguments[n] = NULL;
        assert_int_equal(command_run(&probe, n, arguments), more ? 2 : 0);
    }
}

static void test_options_dashes(void **state) {
    (void)state;
    setenv("POSIXLY_CORRECT", "1", 1);
    assert_int_equal(parse("a", "--flag", "--", "--number", "-"), 0);
    unsetenv("POSIXLY_CORRECT");
    assert_true(seen.flag);
    assert_int_equal(n_seen, 3);
    assert_string_equal(operands_seen[1], "--number");
    assert_string_equal(operands_seen[2], "-");
}

static void test_options_errors(void **state) {
    (void)state;
    assert_int_equal(parse("a", "--nope"), 2);
    assert_int_equal(parse("a", "-x"), 2);
    assert_int_equal(parse("a", "--flag=1"), 2);
    assert_int_equal(parse("a", "--word"), 2);
    assert_int_equal(parse("--flag"), 2);
    assert_int_equal(parse("a", "b", "c", "d"), 2);
    static const char *const bad[] = {"", "0", "11", "3x", "0x3", "99999999999999999999", "1e0", "nan"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_int_equal(parse("a", "--number", (char *)bad[i]), 2);
    static const char *const bad_real[] = {"", "nan", "inf", "-0.1", "1.1", "1,0", "x"};
    for (size_t i = 0; i < sizeof bad_real / sizeof *bad_real; i++)
        assert_int_equal(parse("a", "--real", (char *)bad_real[i]), 2);
}

int main(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neutral_keeps_text),
        cmocka_unit_test(test_neutral_escapes_controls),
        cmocka_unit_test(test_neutral_escapes_bad_utf8),
        cmocka_unit_test(test_escapes_are_undone),
        cmocka_unit_test(test_write_to_pipe),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_any_bytes),
        cmocka_unit_test(test_input_lines),
        cmocka_unit_test(test_input_without_waiting),
        cmocka_unit_test(test_input_empty),
        cmocka_unit_test(test_input_too_long),
        cmocka_unit_test(test_input_error),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_options_lists_are_bounded),
        cmocka_unit_test(test_options_dashes),
        cmocka_unit_test(test_options_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
