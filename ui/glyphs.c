/* glyphs.c: see glyphs.h. */
#include "ui/glyphs.h"

static const char *const table[GLYPH_COUNT][2] = {
    [GLYPH_HORIZONTAL] = {"─", "-"},   [GLYPH_VERTICAL] = {"│", "|"},    [GLYPH_TOP_LEFT] = {"┌", "+"},
    [GLYPH_TOP_RIGHT] = {"┐", "+"},    [GLYPH_BOTTOM_LEFT] = {"└", "+"}, [GLYPH_BOTTOM_RIGHT] = {"┘", "+"},
    [GLYPH_TEE_LEFT] = {"├", "+"},     [GLYPH_TEE_RIGHT] = {"┤", "+"},   [GLYPH_TEE_TOP] = {"┬", "+"},
    [GLYPH_TEE_BOTTOM] = {"┴", "+"},   [GLYPH_CROSS] = {"┼", "+"},       [GLYPH_LEVEL_0] = {" ", " "},
    [GLYPH_LEVEL_1] = {"▁", "."},      [GLYPH_LEVEL_2] = {"▂", ":"},     [GLYPH_LEVEL_3] = {"▃", "-"},
    [GLYPH_LEVEL_4] = {"▄", "="},      [GLYPH_LEVEL_5] = {"▅", "+"},     [GLYPH_LEVEL_6] = {"▆", "*"},
    [GLYPH_LEVEL_7] = {"▇", "#"},      [GLYPH_LEVEL_8] = {"█", "@"},     [GLYPH_PART_1] = {"▏", "."},
    [GLYPH_PART_2] = {"▎", ":"},       [GLYPH_PART_3] = {"▍", ":"},      [GLYPH_PART_4] = {"▌", "-"},
    [GLYPH_PART_5] = {"▋", "-"},       [GLYPH_PART_6] = {"▊", "="},      [GLYPH_PART_7] = {"▉", "="},
    [GLYPH_PART_8] = {"█", "#"},       [GLYPH_EMPTY] = {"·", "."},       [GLYPH_MORE] = {"…", "~"},
    [GLYPH_OPEN] = {"▾", "-"},         [GLYPH_CLOSED] = {"▸", "+"},      [GLYPH_SELECTED] = {"▶", ">"},
    [GLYPH_BULLET] = {"•", "*"},       [GLYPH_OK] = {"✓", "o"},          [GLYPH_PARTIAL] = {"◐", "~"},
    [GLYPH_SKIPPED] = {"✗", "x"},      [GLYPH_DOT] = {"·", "-"},         [GLYPH_RIGHT] = {"→", ">"},
    [GLYPH_LEFT] = {"←", "<"},         [GLYPH_UP] = {"↑", "^"},          [GLYPH_DOWN] = {"↓", "v"},
    [GLYPH_CURSOR_ABOVE] = {"▼", "v"}, [GLYPH_THUMB] = {"█", "#"},       [GLYPH_BORDER] = {"╵", "'"},
    [GLYPH_NOTHING] = {"·", "_"},
};

const char *glyph_text(glyph_id id, bool ascii) {
    return table[id][ascii];
}
