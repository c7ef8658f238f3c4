/* draw.c: see draw.h. */
#include "ui/draw.h"

#include <string.h>

#include "ui/wrap.h"

static void edge(cells *out, rect area, int row, glyph_id left, glyph_id right, attribute look) {
    cells_glyph(out, area, row, 0, look, left);
    for (int column = 1; column < area.columns - 1; column++)
        cells_glyph(out, area, row, column, look, GLYPH_HORIZONTAL);
    cells_glyph(out, area, row, area.columns - 1, look, right);
}

static void title_line(cells *out, rect area, int row, const char *title, attribute look) {
    if (!title || area.columns < 7)
        return;
    cells_text(out, area, row, 1, look, " ");
    int used = cells_put_cut(out, area, row, 2, area.columns - 4, CUT_END, look, title, strlen(title));
    cells_text(out, area, row, 2 + used, look, " ");
}

rect draw_pane(cells *out, rect area, const char *title, bool focused) {
    attribute look = focused ? ROLE_BORDER_FOCUS : ROLE_BORDER;
    if (area.rows < 2 || area.columns < 2)
        return (rect){area.row, area.column, 0, 0};
    edge(out, area, 0, GLYPH_TOP_LEFT, GLYPH_TOP_RIGHT, look);
    for (int row = 1; row < area.rows - 1; row++) {
        cells_glyph(out, area, row, 0, look, GLYPH_VERTICAL);
        cells_glyph(out, area, row, area.columns - 1, look, GLYPH_VERTICAL);
    }
    edge(out, area, area.rows - 1, GLYPH_BOTTOM_LEFT, GLYPH_BOTTOM_RIGHT, look);
    title_line(out, area, 0, title, focused ? ROLE_TITLE_FOCUS : ROLE_TITLE);
    return rect_inset(area, 1, 1);
}

void draw_divider(cells *out, rect area, int row, const char *title, bool focused) {
    edge(out, area, row, GLYPH_TEE_LEFT, GLYPH_TEE_RIGHT, focused ? ROLE_BORDER_FOCUS : ROLE_BORDER);
    title_line(out, area, row, title, focused ? ROLE_TITLE_FOCUS : ROLE_TITLE);
}

static float within_0_1(float share) {
    return share > 0 ? share < 1 ? share : 1 : 0; /* NaN: 0 */
}

void draw_bar(cells *out, rect area, int row, int column, int columns, float share, attribute look) {
    int eighths = (int)(within_0_1(share) * (float)columns * 8 + 0.5f);
    bool selected = look == ROLE_SELECTION || look == ROLE_SELECTION_AWAY; /* no hole in a selected line */
    for (int i = 0; i < columns; i++, eighths -= 8) {
        if (eighths >= 8)
            cells_glyph(out, area, row, column + i, look, GLYPH_PART_8);
        else if (eighths > 0)
            cells_glyph(out, area, row, column + i, look, (glyph_id)(GLYPH_PART_1 + eighths - 1));
        else
            cells_glyph(out, area, row, column + i, selected ? look : ROLE_DIM, GLYPH_EMPTY);
    }
}

void draw_level(cells *out, rect area, int row, int column, float share, attribute look) {
    cells_glyph(out, area, row, column, look, (glyph_id)(GLYPH_LEVEL_0 + theme_level(share)));
}

bool draw_scrollbar(cells *out, rect area, long first, long shown, long total) {
    if (total <= shown || area.rows < 2 || shown <= 0)
        return false;
    long size = (long)area.rows * shown / total;
    if (size < 1)
        size = 1;
    long at = (long)((double)first / (double)(total - shown) * (double)(area.rows - size) + 0.5);
    for (long row = at; row < at + size; row++)
        cells_glyph(out, area, (int)row, area.columns - 1, ROLE_BORDER, GLYPH_THUMB);
    return true;
}

rect draw_box(cells *out, rect area, int rows, int columns, const char *title) {
    if (rows > area.rows)
        rows = area.rows;
    if (columns > area.columns)
        columns = area.columns;
    rect box = {area.row + (area.rows - rows) / 2, area.column + (area.columns - columns) / 2, rows, columns};
    cells_fill(out, box, ROLE_TEXT);
    return draw_pane(out, box, title, true);
}

void draw_wrapped(cells *out, rect area, attribute look, const char *text, size_t length) {
    wrap lines = {0};
    wrap_text(&lines, text, length, area.columns, out->ascii, WRAP_WORDS);
    for (size_t i = 0; i < lines.n && (int)i < area.rows; i++) {
        const wrap_line *line = &lines.lines[i];
        bool cut = (int)i == area.rows - 1 && i + 1 < lines.n;
        cells_put_cut(out, area, (int)i, 0, area.columns, CUT_END, look, text + line->start,
                      (cut ? length : line->end) - line->start);
    }
    wrap_free(&lines);
}

void format_bytes(int64_t bytes, char out[16]) {
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    double value = (double)bytes;
    size_t unit = 0;
    while (value >= 999.5 && unit + 1 < sizeof units / sizeof *units) {
        value /= 1000;
        unit++;
    }
    snprintf(out, 16, unit > 0 && value < 9.95 ? "%.1f %s" : "%.0f %s", value, units[unit]);
}

void format_count(int64_t count, char out[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)count);
    size_t at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && digits[i - 1] != '-' && (length - i) % 3 == 0)
            out[at++] = ',';
        out[at++] = digits[i];
    }
    out[at] = '\0';
}

void format_seconds(double seconds, char out[32]) {
    long long whole = seconds > 0 ? (long long)(seconds + 0.5) : 0;
    if (whole < 60)
        snprintf(out, 32, "%lld s", whole);
    else if (whole < 3600)
        snprintf(out, 32, "%lld min %lld s", whole / 60, whole % 60);
    else
        snprintf(out, 32, "%lld h %lld min", whole / 3600, whole / 60 % 60);
}
