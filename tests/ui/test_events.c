/* Units of events.c: bytes of terminals as keys, pastes and mouse reports. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "ui/events.h"

/* Feeds the bytes, whole or one by one, and writes what comes out: key labels, "paste(...)", "mouse(...)". */
static const char *read_all(const char *bytes, size_t length, bool one_by_one) {
    static char out[4096];
    size_t n = 0, piece = one_by_one ? 1 : length;
    event_decoder decoder = {0};
    out[0] = '\0';
    for (size_t at = 0; at <= length; at += piece) {
        bool late = at >= length;
        if (!late)
            assert_true(events_feed(&decoder, bytes + at, piece));
        for (ui_event event; (event = events_next(&decoder, late)).kind != EVENT_NONE;) {
            char label[32];
            key_label(event.key, label);
            if (event.kind == EVENT_KEY)
                n += (size_t)snprintf(out + n, sizeof out - n, "%s%s", n ? " " : "", label);
            else if (event.kind == EVENT_PASTE)
                n += (size_t)snprintf(out + n, sizeof out - n, "%spaste(%.*s)", n ? " " : "", (int)event.paste_length,
                                      event.paste);
            else
                n += (size_t)snprintf(out + n, sizeof out - n, "%smouse(%d %d %d,%d)", n ? " " : "", event.mouse,
                                      event.button, event.row, event.column);
            assert_true(n < sizeof out);
        }
        if (length == 0)
            break;
    }
    assert_false(events_waits(&decoder));
    events_free(&decoder);
    return out;
}

static void check(const char *bytes, size_t length, const char *wanted) {
    assert_string_equal(read_all(bytes, length, false), wanted);
    assert_string_equal(read_all(bytes, length, true), wanted);
}

#define CHECK(bytes, wanted) check(bytes, sizeof bytes - 1, wanted)

static void keys_of_all_kinds(void **state) {
    (void)state;
    CHECK("q", "q");
    CHECK("\xC3\xA9\xE6\xBC\xA2\xF0\x9F\x98\x80", "U+00E9 U+6F22 U+1F600");
    CHECK("\r\n\t\x7f", "Enter Enter Tab Backspace");
    CHECK("\x03\x0c\x17\x1a\x08", "Ctrl-C Ctrl-L Ctrl-W Ctrl-Z Ctrl-H");
    CHECK("\0", "Ctrl-Space");
    CHECK("\x1b[A\x1b[B\x1bOC\x1bOD", "Up Down Right Left");
    CHECK("\x1b[H\x1b[F\x1b[1~\x1b[4~\x1b[7~\x1b[8~", "Home End Home End Home End");
    CHECK("\x1b[5~\x1b[6~\x1b[2~\x1b[3~\x1b[Z", "PgUp PgDn Insert Delete Shift-Tab");
    CHECK("\x1bOP\x1b[12~\x1b[[E\x1b[24~", "F1 F2 F5 F12");
    CHECK("\x1b[1;5C\x1b[1;3D\x1b[1;2A\x1b[3;5~", "Ctrl-Right Alt-Left Shift-Up Ctrl-Delete");
    CHECK("\x1b"
          "b\x1b\x7f\x1b\xC3\xA9",
          "Alt-b Alt-Backspace Alt-U+00E9");
}

static void escape_alone_is_a_key(void **state) {
    (void)state;
    CHECK("\x1b", "Esc");
    CHECK("\x1b\x1b", "Esc Esc");
    CHECK("\x1b\x1b[A", "Esc Up");
    CHECK("q\x1b", "q Esc");
}

static void pastes_are_text_whatever_they_hold(void **state) {
    (void)state;
    CHECK("\x1b[200~one\r\ntwo\rq?/\x1b[31m\xFF\x01\x1b[201~x", "paste(one\ntwo\nq?/[31m) x");
    CHECK("\x1b[200~\x1b[201~", "paste()");
    CHECK("\x1b[200~\x1b[20\x1b[201~", "paste([20)");
    CHECK("\x1b[200~a\x1b[201~\x1b[200~b\x1b[201~", "paste(a) paste(b)");
}

static void mouse_reports(void **state) {
    (void)state;
    CHECK("\x1b[<0;5;3M\x1b[<0;5;3m", "mouse(0 0 2,4) mouse(1 0 2,4)");
    CHECK("\x1b[<64;1;1M\x1b[<65;1;1M\x1b[<2;9;9M", "mouse(3 0 0,0) mouse(4 1 0,0) mouse(0 2 8,8)");
    CHECK("\x1b[<0;0;1M\x1b[<0;1M\x1b[<66;1;1M\x1b[<35;290;10M", "");
}

/* What terminals send unasked, and what nobody knows: nothing of it is a key. */
static void answers_and_unknown_sequences_are_swallowed(void **state) {
    (void)state;
    static const char *const stray[] = {
        "\x1b[?62;1;6c",
        "\x1b]11;rgb:ffff/ffff/ffff\x1b\\",
        "\x1b]10;rgb:0000/0000/0000\x07",
        "\x1b[12;40R",
        "\x1b[I",
        "\x1b[O",
        "\x1b[57;2u",
        "\x1b[27;5;9~",
        "\x1bP>|XTerm(370)\x1b\\",
        "\x1b[?2026;2$y",
        "\x1b[33~",
        "\x1b[?1;2c",
        "\x1bO",
        "\x1b[",
        "\x80\xFF\xFE",
        "\xF0\x9F\x98",
        "\x1b[M \xFF\xFF",
        "\x1b[M#!!",
        "\x1b_Gi=1;OK\x1b\\",
        "\xC2\x9B",
    };
    for (size_t i = 0; i < sizeof stray / sizeof *stray; i++)
        check(stray[i], strlen(stray[i]), "");
    CHECK("\x1b]0;quit\x07q", "q");
    CHECK("\x1b[1\x01q", "1 Ctrl-A q"); /* no sequence at all: its bytes are what they are */
}

static void any_bytes_are_survived(void **state) {
    (void)state;
    static const char alphabet[] = "\x1b\x1b\x1b[[]OPM<;~0129?qR\\\x07\r\x80\xC3\xE6\xF0\xFF\x00 ABZ";
    uint32_t seed = 1;
    for (int round = 0; round < 3000; round++) {
        char bytes[40];
        event_decoder decoder = {0};
        for (size_t i = 0; i < sizeof bytes; i++) {
            seed = seed * 1664525u + 1013904223u;
            bytes[i] = alphabet[(seed >> 16) % (sizeof alphabet - 1)];
        }
        assert_true(events_feed(&decoder, bytes, sizeof bytes));
        int events = 0;
        while (events_next(&decoder, events % 3 == 0).kind != EVENT_NONE)
            assert_true(++events <= (int)sizeof bytes);
        while (events_next(&decoder, true).kind != EVENT_NONE)
            assert_true(++events <= 2 * (int)sizeof bytes);
        events_free(&decoder);
    }
}

static void a_paste_is_bounded(void **state) {
    (void)state;
    event_decoder decoder = {0};
    static char block[65536];
    memset(block, 'x', sizeof block);
    assert_true(events_feed(&decoder, "\x1b[200~", 6));
    for (size_t fed = 0; fed <= EVENT_PASTE_MAX + sizeof block; fed += sizeof block) {
        assert_true(events_feed(&decoder, block, sizeof block));
        assert_int_equal(events_next(&decoder, false).kind, EVENT_NONE);
    }
    assert_true(events_feed(&decoder, "\x1b[201~", 6));
    ui_event event = events_next(&decoder, false);
    assert_int_equal(event.kind, EVENT_PASTE);
    assert_int_equal(event.paste_length, EVENT_PASTE_MAX);
    events_free(&decoder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys_of_all_kinds),
        cmocka_unit_test(escape_alone_is_a_key),
        cmocka_unit_test(pastes_are_text_whatever_they_hold),
        cmocka_unit_test(mouse_reports),
        cmocka_unit_test(answers_and_unknown_sequences_are_swallowed),
        cmocka_unit_test(any_bytes_are_survived),
        cmocka_unit_test(a_paste_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
