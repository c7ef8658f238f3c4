/* Units of cluster.c, cells.c and draw.c: widths, clipping, harmless text, cuts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "golden.h"
#include "ui/draw.h"

/* The row's text; static, of the last call. */
static const char *row_of(const cells *shown, int row) {
    static char line[4096];
    size_t length = 0;
    for (int column = 0; column < shown->columns; column++) {
        const glyph *sign = &cells_at(shown, row, column)->shown;
        memcpy(line + length, sign->bytes, sign->length);
        length += sign->length;
    }
    line[length] = '\0';
    return line;
}

static cells buffer(int rows, int columns, bool ascii) {
    cells out = {.ascii = ascii};
    assert_true(cells_resize(&out, rows, columns));
    return out;
}

static void clusters_have_the_width_that_terminals_agree_on(void **state) {
    (void)state;
    static const struct {
        const char *text, *shown;
        int columns;
    } cases[] = {
        {"a", "a", 1},
        {"e\xCC\x81", "e\xCC\x81", 1},                                                       /* e + acute */
        {"\xE6\xBC\xA2", "\xE6\xBC\xA2", 2},                                                 /* CJK */
        {"\xEF\xBD\x8A", "\xEF\xBD\x8A", 2},                                                 /* full width */
        {"\xEF\xBE\x8A", "\xEF\xBE\x8A", 1},                                                 /* half width */
        {"\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", "\xE1\x84\x92\xE1\x85\xA1\xE1\x86\xAB", 2}, /* jamo */
        {"\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x91\xA7", "\xF0\x9F\x91\xA9\xF0\x9F\x91\xA7",
         4},                                                                         /* joined: side by side */
        {"\xF0\x9F\x91\x8D\xF0\x9F\x8F\xBD", "\xF0\x9F\x91\x8D", 2},                 /* skin tone */
        {"\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA", "\xF0\x9F\x87\xA9\xF0\x9F\x87\xAA", 2}, /* flag */
        {"\xF0\x9F\x8F\xB7\xEF\xB8\x8F", "\xF0\x9F\x8F\xB7", 1},                     /* variation selector */
        {"\xE2\x80\x8B", "", 0},                                                     /* zero width space */
        {"\xC2\xAD", "", 0},                                                         /* soft hyphen */
        {"\xEF\xBB\xBF", "", 0},                                                     /* byte order mark */
        {"\xC2\xA0", " ", 1},                                                        /* no-break space */
        {"\t", " ", 1},
        {"\xCC\x81", " \xCC\x81", 1}, /* a mark on nothing */
        {"\x1b", "\xEF\xBF\xBD", 1},
        {"\x7f", "\xEF\xBF\xBD", 1},
        {"\n", "\xEF\xBF\xBD", 1},
        {"\xC2\x9B", "\xEF\xBF\xBD", 1},     /* C1 */
        {"\xE2\x80\xAE", "\xEF\xBF\xBD", 1}, /* direction override */
        {"\xFF", "\xEF\xBF\xBD", 1},
        {"\xE6\xBC", "\xEF\xBF\xBD\xEF\xBF\xBD", 2}, /* cut off: a mark a byte */
        {"\xF3\xBF\xBF\xBD", "\xF3\xBF\xBF\xBD", 1}, /* private use */
        {"\xCD\xB8", "\xEF\xBF\xBD", 1},             /* unassigned */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        size_t length = strlen(cases[i].text);
        cells out = buffer(1, 8, false);
        char padded[64];
        assert_int_equal(cells_put(&out, cells_area(&out), 0, 0, ROLE_TEXT, cases[i].text, length), cases[i].columns);
        snprintf(padded, sizeof padded, "%s%*s", cases[i].shown, 8 - cases[i].columns, "");
        assert_string_equal(row_of(&out, 0), padded);
        cells_free(&out);
    }
}

static void a_nul_is_one_character_of_a_longer_text(void **state) {
    (void)state;
    assert_int_equal(cluster_columns("a\0b", 3, false), 3);
}

static void ascii_shows_twins_and_nothing_else(void **state) {
    (void)state;
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"caf\xC3\xA9", "cafe"},
        {"\xE2\x80\x9Cyes\xE2\x80\x9D", "\"yes\""},
        {"stra\xC3\x9F"
         "e",
         "strasse"},
        {"a\xE2\x80\x94"
         "b",
         "a-b"},
        {"\xE6\xBC\xA2\xE5\xAD\x97", "??"},
        {"\xE2\x80\xA6", "..."},
        {"e\xCC\x81x", "ex"},
        {"\xE2\x80\x8Bx", "x"},
        {"\x1b[31m", "?[31m"},
        {"\xEF\xAC\x81n", "fin"},
        {"\xC2\xBD", "12"},
        {"\xFF", "?"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        cells out = buffer(1, 9, true);
        char padded[64];
        int columns = cells_put(&out, cells_area(&out), 0, 0, ROLE_TEXT, cases[i].text, strlen(cases[i].text));
        assert_int_equal(columns, strlen(cases[i].shown));
        snprintf(padded, sizeof padded, "%-9s", cases[i].shown);
        assert_string_equal(row_of(&out, 0), padded);
        cells_free(&out);
    }
}

static void every_character_in_ascii_is_ascii(void **state) {
    (void)state;
    cluster read;
    for (uint32_t code = 1; code <= 0x10FFFF; code += code < 0x3000 ? 1 : 7) {
        char bytes[4];
        size_t length = code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
        if (code >= 0xD800 && code < 0xE000)
            continue;
        for (size_t i = length; i-- > 1;)
            bytes[i] = (char)(0x80 | (code >> 6 * (length - 1 - i) & 0x3F));
        bytes[0] = (char)(length == 1 ? code : (0xFF00u >> length & 0xFF) | code >> 6 * (length - 1));
        cluster_read(bytes, length, 0, true, &read);
        assert_int_equal(read.end, length);
        for (int g = 0; g < read.n_glyphs; g++) {
            assert_int_equal(read.glyphs[g].width, 1);
            assert_int_equal(read.glyphs[g].length, 1);
            assert_in_range(read.glyphs[g].bytes[0], 0x20, 0x7E);
        }
    }
}

static void wide_characters_are_never_cut_in_half(void **state) {
    (void)state;
    cells out = buffer(1, 6, false);
    rect all = cells_area(&out);
    cells_text(&out, all, 0, 1, ROLE_TEXT, "\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2"); /* the third does not fit */
    assert_string_equal(row_of(&out, 0), " \xE6\xBC\xA2\xE6\xBC\xA2 ");
    cells_text(&out, all, 0, 2, ROLE_TEXT, "x"); /* on the right half of the first */
    assert_string_equal(row_of(&out, 0), "  x\xE6\xBC\xA2 ");
    cells_text(&out, all, 0, 3, ROLE_TEXT, "y"); /* on the left half of the second */
    assert_string_equal(row_of(&out, 0), "  xy  ");
    cells_text(&out, all, 0, -1, ROLE_TEXT, "\xE6\xBC\xA2z"); /* only its right half is inside */
    assert_string_equal(row_of(&out, 0), " zxy  ");
    cells_text(&out, all, 0, 0, ROLE_TEXT, "\xE6\xBC\xA2\xE6\xBC\xA2\xE6\xBC\xA2");
    cells_fill(&out, (rect){0, 1, 1, 4}, ROLE_TEXT);
    assert_string_equal(row_of(&out, 0), "      ");
    cells_free(&out);
}

static void nothing_is_drawn_outside_an_area(void **state) {
    (void)state;
    cells out = buffer(3, 5, false);
    rect middle = {1, 1, 1, 3};
    cells_text(&out, middle, 0, -2, ROLE_TEXT, "abcdefgh");
    cells_text(&out, middle, 1, 0, ROLE_TEXT, "below");
    cells_text(&out, middle, -1, 0, ROLE_TEXT, "above");
    cells_text(&out, (rect){1, -3, 1, 2}, 0, 0, ROLE_TEXT, "left");
    cells_text(&out, (rect){1, 4, 1, -2}, 0, 0, ROLE_TEXT, "none");
    assert_string_equal(row_of(&out, 0), "     ");
    assert_string_equal(row_of(&out, 1), " cde ");
    assert_string_equal(row_of(&out, 2), "     ");
    cells_cursor(&out, middle, 0, 3);
    assert_int_equal(out.cursor_row, -1);
    cells_cursor(&out, middle, 0, 2);
    assert_int_equal(out.cursor_column, 3);
    cells_free(&out);
}

static void cuts_keep_the_side_that_matters(void **state) {
    (void)state;
    cells out = buffer(3, 10, false);
    rect all = cells_area(&out);
    const char *path = "books/\xE6\xBC\xA2\xE5\xAD\x97.txt";
    assert_int_equal(cells_put_cut(&out, all, 0, 0, 8, CUT_END, ROLE_TEXT, path, strlen(path)), 7);
    assert_string_equal(row_of(&out, 0), "books/\xE2\x80\xA6   "); /* half of a wide one would fit */
    assert_int_equal(cells_put_cut(&out, all, 1, 0, 8, CUT_START, ROLE_TEXT, path, strlen(path)), 7);
    assert_string_equal(row_of(&out, 1), "\xE2\x80\xA6\xE5\xAD\x97.txt   ");
    assert_int_equal(cells_put_cut(&out, all, 2, 0, 14, CUT_END, ROLE_TEXT, "short", 5), 5);
    assert_int_equal(cells_put_cut(&out, all, 2, 0, 0, CUT_END, ROLE_TEXT, "short", 5), 0);
    cells_free(&out);
}

static void drawing_survives_every_small_size(void **state) {
    (void)state;
    for (int rows = 0; rows < 6; rows++)
        for (int columns = 0; columns < 9; columns++) {
            cells out = buffer(rows, columns, false);
            rect area = cells_area(&out);
            rect inner = draw_pane(&out, area, "a title that is long", true);
            assert_true(inner.rows >= 0 && inner.columns >= 0);
            draw_divider(&out, area, 1, "title", false);
            draw_bar(&out, inner, 0, 0, columns, 0.5f, ROLE_TEXT);
            draw_scrollbar(&out, inner, 0, inner.rows, 1000);
            draw_box(&out, area, 3, 70, "box");
            cells_free(&out);
        }
}

static void bars_show_eighths(void **state) {
    (void)state;
    cells out = buffer(1, 4, false);
    draw_bar(&out, cells_area(&out), 0, 0, 4, 0.53125f, ROLE_TEXT); /* 2 1/8 */
    assert_string_equal(row_of(&out, 0), "\xE2\x96\x88\xE2\x96\x88\xE2\x96\x8F\xC2\xB7");
    draw_bar(&out, cells_area(&out), 0, 0, 4, (float)(0.0 / 0.0 * 1.0), ROLE_TEXT);
    assert_string_equal(row_of(&out, 0), "\xC2\xB7\xC2\xB7\xC2\xB7\xC2\xB7");
    cells_free(&out);
}

static void numbers_read_well(void **state) {
    (void)state;
    char text[32];
    static const struct {
        int64_t n;
        const char *bytes, *count;
    } cases[] = {{0, "0 B", "0"},
                 {999, "999 B", "999"},
                 {1000, "1.0 kB", "1,000"},
                 {12345, "12 kB", "12,345"},
                 {9949999, "9.9 MB", "9,949,999"},
                 {-1234, "-1234 B", "-1,234"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        format_bytes(cases[i].n, text);
        assert_string_equal(text, cases[i].bytes);
        format_count(cases[i].n, text);
        assert_string_equal(text, cases[i].count);
    }
    format_seconds(59.4, text);
    assert_string_equal(text, "59 s");
    format_seconds(200, text);
    assert_string_equal(text, "3 min 20 s");
    format_seconds(7500, text);
    assert_string_equal(text, "2 h 5 min");
}

static void dumps_hold_text_looks_and_cursor(void **state) {
    (void)state;
    cells out = buffer(2, 5, false);
    cells_text(&out, cells_area(&out), 0, 0, ROLE_ACCENT | ATTRIBUTE_REVERSE, "\xE6\xBC\xA2");
    cells_text(&out, cells_area(&out), 1, 2, theme_heat(0.5f), "x");
    cells_cursor(&out, cells_area(&out), 1, 3);
    golden_check("dump", &out);
    cells_free(&out);
}

static void themes_leave_the_background_and_avoid_black_and_white(void **state) {
    (void)state;
    for (int colours = COLOURS_NONE; colours <= COLOURS_256; colours++)
        for (int role = 0; role < ROLE_COUNT; role++) {
            theme_style style = theme_lookup(THEME_DEFAULT, (theme_colours)colours, (attribute)role);
            if (style.background >= 0)
                continue; /* text on a ground of its own */
            static const int forbidden[] = {0, 7, 15, 16, 231, 255};
            for (size_t i = 0; i < sizeof forbidden / sizeof *forbidden; i++)
                assert_int_not_equal(style.foreground, forbidden[i]);
            if (colours == COLOURS_NONE)
                assert_int_equal(style.foreground, -1);
        }
}

/* Strong shading is told from none and from weak shading by emphasis, in every theme and with any colours. */
static void shading_is_seen_without_colour(void **state) {
    (void)state;
    for (int theme = 0; theme < THEME_COUNT; theme++)
        for (int colours = 0; colours <= COLOURS_256; colours++) {
            int weak = theme_lookup((theme_id)theme, (theme_colours)colours, ROLE_SHADE_0 + 1).emphasis;
            int strong = theme_lookup((theme_id)theme, (theme_colours)colours, ROLE_SHADE_8).emphasis;
            assert_int_equal(theme_lookup((theme_id)theme, (theme_colours)colours, ROLE_SHADE_0).emphasis, 0);
            assert_int_not_equal(strong, 0);
            assert_int_not_equal(strong, weak);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(clusters_have_the_width_that_terminals_agree_on),
        cmocka_unit_test(a_nul_is_one_character_of_a_longer_text),
        cmocka_unit_test(ascii_shows_twins_and_nothing_else),
        cmocka_unit_test(every_character_in_ascii_is_ascii),
        cmocka_unit_test(wide_characters_are_never_cut_in_half),
        cmocka_unit_test(nothing_is_drawn_outside_an_area),
        cmocka_unit_test(cuts_keep_the_side_that_matters),
        cmocka_unit_test(drawing_survives_every_small_size),
        cmocka_unit_test(bars_show_eighths),
        cmocka_unit_test(numbers_read_well),
        cmocka_unit_test(dumps_hold_text_looks_and_cursor),
        cmocka_unit_test(themes_leave_the_background_and_avoid_black_and_white),
        cmocka_unit_test(shading_is_seen_without_colour),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
