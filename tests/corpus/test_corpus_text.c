/* From bytes to normalised text: encodings, characters, white space, lines and paragraphs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/utf8.h"
#include "engine/corpus/charset.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/reflow.h"
#include "engine/corpus/normalise.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static void encodings_are_told(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length; /* 0: strlen */
        const char *declared, *charset, *text;
        int replacements;
        bool guessed;
    } cases[] = {
        {"plain", 0, "", "UTF-8", "plain", 0, false},
        {"caf\xC3\xA9", 0, "", "UTF-8", "caf\xC3\xA9", 0, false},
        {"\xEF\xBB\xBFmark", 0, "", "UTF-8", "mark", 0, false},
        {"\xFF\xFEo\0k\0", 6, "", "UTF-16LE", "ok", 0, false},
        {"\xFE\xFF\0o\0k", 6, "", "UTF-16BE", "ok", 0, false},
        {"\xFF\xFE\0\0o\0\0\0", 8, "", "UTF-32LE", "o", 0, false},
        {"\0\0\xFE\xFF\0\0\0o", 8, "", "UTF-32BE", "o", 0, false},
        {"\xFF\xFEo\0k", 5, "", "UTF-16LE", "o\xEF\xBF\xBD", 1, false},          /* cut in a unit */
        {"\xFF\xFEo\0\0\xD8k\0", 8, "", "UTF-16LE", "o\xEF\xBF\xBDk", 1, false}, /* half a surrogate pair */
        {"\xFF\xFE\0\0o\0\0\0\0\0\x11\0k\0\0\0", 16, "", "UTF-32LE", "o\xEF\xBF\xBDk", 1, false},
        {"n\0o\0 \0m\0a\0r\0k\0", 14, "", "UTF-16LE", "no mark", 0, false},
        {"\0n\0o\0 \0m\0a\0r\0k\0.", 16, "", "UTF-16BE", "no mark.", 0, false},
        {"n\0\0\0o\0\0\0 \0\0\0m\0\0\0", 16, "", "UTF-32LE", "no m", 0, false},
        {"M\xFCller", 0, "iso-8859-1", "WINDOWS-1252", "M\xC3\xBCller", 0, false},
        {"M+APw-ller", 0, "utf-7", "UTF-7", "M\xC3\xBCller", 0, false},
        /* of DOS, and of old Macs */
        {"M\x81ller ging gr\x94\xE1"
         "er \x81"
         "ber die sch\x94ne Stra\xE1"
         "e, f\x81r M\x94glichkeiten. \x9A"
         "ber T\x81ren, B\x84ume, W\x84nde, H\x81gel, L\x94wen, V\x94gel, K\x84se.",
         0, "", "CP850",
         "M\xC3\xBCller ging gr\xC3\xB6\xC3\x9F"
         "er \xC3\xBC"
         "ber die sch\xC3\xB6ne Stra\xC3\x9F"
         "e, f\xC3\xBCr M\xC3\xB6glichkeiten. \xC3\x9C"
         "ber T\xC3\xBCren, B\xC3\xA4ume, W\xC3\xA4nde, H\xC3\xBCgel, L\xC3\xB6wen, V\xC3\xB6gel, K\xC3\xA4se.",
         0, false},
        {"L'\x8Et\x8E, le caf\x8E est tr\x8Fs bon \x88 l'\x8Egl"
         "ise, o\x9D \x8Dt\x8Eg\x8Fre p\x90le; les \x8E"
         "col\x8Fres ont \x8Et\x8E.",
         0, "", "MACINTOSH",
         "L'\xC3\xA9t\xC3\xA9, le caf\xC3\xA9 est tr\xC3\xA8s bon \xC3\xA0 l'\xC3\xA9gl"
         "ise, o\xC3\xB9 \xC3\xA7t\xC3\xA9g\xC3\xA8re p\xC3\xAAle; les \xC3\xA9"
         "col\xC3\xA8res ont \xC3\xA9t\xC3\xA9.",
         0, true},
        {"\x93quoted\x94", 0, "ISO-8859-1", "WINDOWS-1252", "\xE2\x80\x9Cquoted\xE2\x80\x9D", 0, false},
        {"\xC3\xA9t\xC3\xA9", 0, "iso-8859-1", "UTF-8", "\xC3\xA9t\xC3\xA9", 0, false}, /* the declaration lies */
        {"\xC4\xC5\xCE\xD8", 0, "koi8-r", "KOI8-R", "\xD0\xB4\xD0\xB5\xD0\xBD\xD1\x8C", 0, false},
        {"von Dag-Erling Sm\xF8rgrav", 0, "", "WINDOWS-1252", "von Dag-Erling Sm\xC3\xB8rgrav", 0, false},
        {"M\xFCller", 0, "no-such-charset", "WINDOWS-1252", "M\xC3\xBCller", 0, false},
        {"Gr\xC3\xB6\xC3\x9F"
         "e \xFF und Stra\xC3\x9F"
         "e",
         0, "", "UTF-8",
         "Gr\xC3\xB6\xC3\x9F"
         "e \xEF\xBF\xBD und Stra\xC3\x9F"
         "e",
         1, false}, /* one bad byte changes nothing */
        {"\x1B$B$3$s\x1B(B", 0, "", "ISO-2022-JP", "\xE3\x81\x93\xE3\x82\x93", 0, false},
        {"a ~{ lookalike ~} b", 0, "", "UTF-8", "a ~{ lookalike ~} b", 0, false},
        {"\x90\x85\x8E\xD4\x8F\xAC\x89\xAE", 0, "", "CP932", "\xE6\xB0\xB4\xE8\xBB\x8A\xE5\xB0\x8F\xE5\xB1\x8B", 0,
         true},
    };
    drt_context *context = drt_context_new(NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_buffer out = {0};
        drt_charset_facts facts;
        size_t length = cases[i].length ? cases[i].length : strlen(cases[i].bytes);
        assert_int_equal(drt_charset_decode(context, cases[i].bytes, length, cases[i].declared,
                                            strlen(cases[i].declared), &out, &facts),
                         DRT_OK);
        assert_string_equal(out.data, cases[i].text);
        assert_string_equal(facts.name, cases[i].charset);
        assert_int_equal(facts.replacements, cases[i].replacements);
        assert_int_equal(facts.guessed, cases[i].guessed);
        drt_buffer_free(&out);
    }
    drt_context_free(context);
}

/* A text over several blocks of the converter: characters across their borders stay whole. */
static void long_texts_are_decoded_whole(void **state) {
    (void)state;
    static const char *const charsets[] = {"utf-8", "shift_jis", "gb18030"};
    static const char *const letters[] = {"\xE3\x81\x82", "\x82\xA0", "\xA4\xA2"}; /* hiragana A */
    drt_context *context = drt_context_new(NULL);
    for (size_t i = 0; i < COUNT(charsets); i++) {
        drt_buffer bytes = {0}, out = {0};
        drt_charset_facts facts;
        assert_true(drt_buffer_append_text(&bytes, "x"));
        for (int k = 0; k < 900000; k++)
            assert_true(drt_buffer_append_text(&bytes, letters[i]));
        assert_int_equal(
            drt_charset_decode(context, bytes.data, bytes.length, charsets[i], strlen(charsets[i]), &out, &facts),
            DRT_OK);
        assert_int_equal(facts.replacements, 0);
        assert_int_equal(out.length, 1 + 3 * 900000);
        assert_int_equal(drt_utf8_valid_prefix(out.data, out.length), out.length);
        drt_buffer_free(&bytes);
        drt_buffer_free(&out);
    }
    drt_context_free(context);
}

static void noise_is_no_text(void **state) {
    (void)state;
    char noise[4096];
    uint32_t seed = 1;
    for (size_t i = 0; i < sizeof noise; i++) {
        seed = seed * 1664525 + 1013904223;
        noise[i] = (char)(seed >> 24);
    }
    assert_false(drt_charset_is_text(noise, sizeof noise));
    memset(noise, 0, sizeof noise);
    assert_false(drt_charset_is_text(noise, sizeof noise));
    memset(noise, 'x', sizeof noise);
    noise[100] = 0;
    assert_true(drt_charset_is_text(noise, sizeof noise));
    assert_true(drt_charset_is_text("", 0));
    assert_true(drt_charset_is_text("n\0o\0 \0m\0a\0r\0k\0", 14));
}

static void file_names_are_decoded(void **state) {
    (void)state;
    static const struct {
        const char *name, *charset, *decoded;
    } cases[] = {
        {"\x9A"
         "bersicht Stra\xE1"
         "e.txt",
         "CP437",
         "\xC3\x9C"
         "bersicht Stra\xC3\x9F"
         "e.txt"},
        {"M\xFCller.txt", "WINDOWS-1252", "M\xC3\xBCller.txt"},
        {"\x83\x5C\x81[\x83X.txt", "CP932", "\xE3\x82\xBD\xE3\x83\xBC\xE3\x82\xB9.txt"}, /* 0x5C inside a letter */
        {"\xFF\xFE\x01", NULL, "\\xFF\\xFE\x01"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_buffer out = {0};
        const char *charset = drt_charset_of_names(cases[i].name, strlen(cases[i].name));
        if (cases[i].charset)
            assert_string_equal(charset, cases[i].charset);
        assert_true(drt_charset_decode_name(cases[i].charset, cases[i].name, strlen(cases[i].name), &out));
        assert_string_equal(out.data, cases[i].decoded);
        drt_buffer_free(&out);
    }
}

static void characters_are_normalised(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"  two   words \t\n", "two words"},
        {"e\xCC\x81"
         "cole",
         "\xC3\xA9"
         "cole"}, /* NFC */
        {"a\xC2\xA0"
         "b\xE3\x80\x80"
         "c\xE2\x80\xA8"
         "d",
         "a b c d"}, /* NBSP, ideographic space, line separator */
        {"so\xC2\xAD"
         "ft ze\xE2\x80\x8Bro no\xE2\x81\xA0"
         "break\xEF\xBB\xBF",
         "soft zero nobreak"},
        {"bell\a esc\x1B[31m del\x7F"
         "c1\xC2\x9B",
         "bell esc delc1"},
        {"a \x1B[1;31mred\x1B[m \x1B]0;title\a\x1B]8;;http://x\x1B\\link\x1B]8;;\x1B\\ \x1B(B\x1Bx \x1B]left open",
         "a red link x left open"},
        {"N\bNA\bA\xC3\xA9\b\xC3\xA9 _\bu_\bn \b\b.", "NA\xC3\xA9 u."}, /* overstruck */
        {"-\b visible", "visible"},                                     /* nothing is left to put a space behind */
        {"\xE2\x80\xAEtxt.exe\xE2\x80\xAC", "txt.exe"},                 /* direction overrides */
        {"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xA7",
         "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x94\xA7"}, /* a joiner kept */
        {"a\xE2\x80\x8D"
         "b",
         "ab"},                                       /* and one without use */
        {"\xEF\xBF\xBEx\xEF\xB7\x90", "x"},           /* noncharacters */
        {"\xE1\x84\x80\xE1\x85\xA1", "\xEA\xB0\x80"}, /* Hangul composes */
        {"", ""},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_buffer out = {0};
        drt_text text;
        drt_text_start(&text, &out);
        drt_text_add(&text, cases[i].in, strlen(cases[i].in));
        assert_true(drt_text_finish(&text));
        assert_string_equal(out.data ? out.data : "", cases[i].out);
        drt_buffer_free(&out);
    }
}

/* Composition works over texts longer than the pieces they are composed in, with spaces and without. */
static void long_lines_are_composed_in_pieces(void **state) {
    (void)state;
    static const char *const units[] = {"e\xCC\x81 ",
                                        "\xE3\x81\x8B\xE3\x82\x99"}; /* e with acute; KA with voice mark */
    static const size_t composed[] = {3, 3};
    for (size_t u = 0; u < COUNT(units); u++) {
        drt_buffer in = {0}, out = {0};
        for (int i = 0; i < 100000; i++)
            assert_true(drt_buffer_append_text(&in, units[u]));
        drt_text text;
        drt_text_start(&text, &out);
        drt_text_add(&text, in.data, in.length);
        assert_true(drt_text_finish(&text));
        /* Without spaces a piece may end inside a pair: at most one pair in 64 KiB stays apart. */
        assert_in_range(out.length, composed[u] * 100000 - 1, composed[u] * 100000 + 3 * 10);
        assert_int_equal(drt_utf8_valid_prefix(out.data, out.length), out.length);
        drt_buffer_free(&in);
        drt_buffer_free(&out);
    }
}

static void lines_become_paragraphs(void **state) {
    (void)state;
    static const struct {
        const char *in, *out;
    } cases[] = {
        {"One.\n\nTwo.\n\n\n\nThree.", "One.\n\nTwo.\n\nThree."},
        {"a\rb\r\rc", "a\nb\n\nc"}, /* lone CR */
        {"a\r\n\r\nb", "a\n\nb"},
        {"page one\fpage two", "page one\n\npage two"}, /* form feed */
        /* Hard-wrapped prose is joined. */
        {"The ferryman rowed to the other side of the\nriver, where the miller had been waiting for\nhim since dawn "
         "with "
         "two sacks of flour and a\nletter.",
         "The ferryman rowed to the other side of the river, where the miller had been waiting for him since dawn with "
         "two sacks of flour and a letter."},
        {"It was a well-\nknown", "It was a well-\nknown"}, /* too narrow to be prose */
        {"Everybody in the valley knew that the well-\nknown ferryman of the upper river had two\nboats.",
         "Everybody in the valley knew that the well-known ferryman of the upper river had two boats."},
        /* Verse is not. */
        {"The sea is wide,\nthe boat is small,\nand no one calls\nme home at all.",
         "The sea is wide,\nthe boat is small,\nand no one calls\nme home at all."},
        /* Nor are lists. */
        {"- red\n- green\n- blue", "- red\n- green\n- blue"},
        {"1. first\n2. second", "1. first\n2. second"},
        /* An indented line begins a paragraph. */
        {"  The first paragraph of the chapter begins here and\nthen goes on for a while, as they do.\n  The second "
         "one "
         "also begins with an indented line\nand ends.",
         "The first paragraph of the chapter begins here and then goes on for a while, as they do.\n\nThe second one "
         "also "
         "begins with an indented line and ends."},
        /* Wrapped lines of ideographs join without a space. */
        {"\xE6\x9D\x91\xE5\x8F\xA3\xE6\x9C\x89\xE4\xB8\x80\xE5\xBA\xA7\xE8\x80\x81\xE7\xA3\xA8\xE5\x9D\x8A\xE7\xA3\xA8"
         "\xE5"
         "\x9D\x8A\xE4\xB8\xBB\xE6\xAF\x8F\xE5\xA4\xA9\xE6\xB8\x85\xE6\x99\xA8\xE9\x83\xBD\xE9\x83\xBD\xE9\x83\xBD\n"
         "\xE8\xB5\xB0\xE5\x88\xB0\xE6"
         "\xB2\xB3\xE8\xBE\xB9",
         "\xE6\x9D\x91\xE5\x8F\xA3\xE6\x9C\x89\xE4\xB8\x80\xE5\xBA\xA7\xE8\x80\x81\xE7\xA3\xA8\xE5\x9D\x8A\xE7\xA3\xA8"
         "\xE5"
         "\x9D\x8A\xE4\xB8\xBB\xE6\xAF\x8F\xE5\xA4\xA9\xE6\xB8\x85\xE6\x99\xA8\xE9\x83\xBD\xE9\x83\xBD\xE9\x83\xBD\xE8"
         "\xB5\xB0\xE5\x88\xB0\xE6\xB2"
         "\xB3\xE8\xBE\xB9"},
    };
    drt_context *context = drt_context_new(NULL);
    for (size_t i = 0; i < COUNT(cases); i++) {
        drt_buffer out = {0};
        drt_text text;
        drt_text_start(&text, &out);
        assert_int_equal(drt_reflow(context, &text, cases[i].in, strlen(cases[i].in)), DRT_OK);
        assert_true(drt_text_finish(&text));
        assert_string_equal(out.data, cases[i].out);
        drt_buffer_free(&out);
    }
    drt_context_free(context);
}

/* A file with a paragraph a line: lines longer than anyone wraps are paragraphs. */
static void long_lines_are_paragraphs(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    drt_buffer in = {0}, out = {0};
    for (int line = 0; line < 3; line++) {
        for (int i = 0; i < 40; i++)
            assert_true(drt_buffer_append_text(&in, "word "));
        assert_true(drt_buffer_append_text(&in, "end.\n"));
    }
    drt_text text;
    drt_text_start(&text, &out);
    assert_int_equal(drt_reflow(context, &text, in.data, in.length), DRT_OK);
    assert_true(drt_text_finish(&text));
    assert_non_null(strstr(out.data, "end.\n\nword"));
    assert_int_equal(out.length, 3 * 204 + 2 * 2);
    drt_buffer_free(&in);
    drt_buffer_free(&out);
    drt_context_free(context);
}

#define HUGE ((size_t)16 << 20)

/* Most resident memory of a process so far, bytes. */
static size_t peak_memory(void) {
    struct rusage usage;
    assert_int_equal(getrusage(RUSAGE_SELF, &usage), 0);
    return (size_t)usage.ru_maxrss << 10;
}

/* In a process of its own: how much more memory is needed to read the line than it has bytes itself, in percent? Ends it. */
static void measure_line(const char *word) {
    size_t length = strlen(word);
    drt_context *context = drt_context_new(NULL);
    drt_extract extract = {0};
    char *line = malloc(HUGE);
    for (size_t i = 0; line && i < HUGE; i++)
        line[i] = word[i % length];
    size_t before = peak_memory();
    drt_format_input input = {line, HUGE / length * length, "line.txt", 8};
    if (!context || !line || drt_format_text_extract(context, &input, &extract) != DRT_OK ||
        extract.text.length < input.length / 2)
        _exit(255);
    size_t percent = (peak_memory() - before) * 100 / HUGE;
    _exit(percent < 254 ? (int)percent : 254);
}

/* A line as long as a document may be is read without piling up copies: one, that of the text, is needed. */
static void huge_lines_are_not_copied(void **state) {
    (void)state;
    static const char *const words[] = {"word ", "nospace", "e\xCC\x81t\xC3\xA9 "};
#ifdef __SANITIZE_ADDRESS__
    skip(); /* it keeps what is freed */
#endif
    for (size_t i = 0; i < COUNT(words); i++) {
        int status;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            measure_line(words[i]);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        assert_in_range(WEXITSTATUS(status), 80, 130);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings_are_told),        cmocka_unit_test(long_texts_are_decoded_whole),
        cmocka_unit_test(noise_is_no_text),          cmocka_unit_test(file_names_are_decoded),
        cmocka_unit_test(characters_are_normalised), cmocka_unit_test(long_lines_are_composed_in_pieces),
        cmocka_unit_test(lines_become_paragraphs),   cmocka_unit_test(long_lines_are_paragraphs),
        cmocka_unit_test(huge_lines_are_not_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
