/* theme.c: the table of looks. See theme.h.
 *
 * The default theme leaves the terminal's background alone and must be readable on a dark and on a light one:
 * neither white nor black as foreground on it. 256-colour numbers are of the xterm cube (16 + 36r + 6g + b). */
#include "ui/theme.h"

#include <stdio.h>
#include <string.h>

/* Foregrounds in 256, 16 and 8 colours; -1 the terminal's own. */
typedef struct {
    int16_t full, sixteen, eight;
    uint8_t emphasis;      /* with colours */
    uint8_t emphasis_none; /* without */
} look;

static const look looks[THEME_COUNT - 1][ROLE_HEAT_0] =
    {
        [THEME_DEFAULT] =
            {
                [ROLE_TEXT] = {-1, -1, -1, 0, 0},
                [ROLE_DIM] = {244, 8, -1, 0, THEME_DIM},
                [ROLE_STRONG] = {-1, -1, -1, THEME_BOLD, THEME_BOLD},
                [ROLE_BORDER] = {243, 8, -1, 0, THEME_DIM},
                [ROLE_BORDER_FOCUS] = {32, 6, 6, 0, THEME_BOLD},
                [ROLE_TITLE] = {244, 8, -1, 0, 0},
                [ROLE_TITLE_FOCUS] = {32, 6, 6, THEME_BOLD, THEME_BOLD},
                [ROLE_BAR] = {244, 8, -1, 0, 0},
                [ROLE_BAR_KEY] = {32, 6, 6, THEME_BOLD, THEME_BOLD},
                [ROLE_SELECTION] = {-1, -1, -1, THEME_REVERSE, THEME_REVERSE},
                [ROLE_SELECTION_AWAY] = {-1, -1, -1, THEME_BOLD, THEME_BOLD},
                [ROLE_ACCENT] = {32, 6, 6, THEME_BOLD, THEME_BOLD},
                [ROLE_MATCH] = {166, 3, 3, THEME_BOLD | THEME_UNDERLINE, THEME_BOLD | THEME_UNDERLINE},
                [ROLE_OK] = {34, 2, 2, 0, 0},
                [ROLE_WARNING] = {172, 3, 3, 0, THEME_BOLD},
                [ROLE_ERROR] = {160, 1, 1, THEME_BOLD, THEME_BOLD},
                [ROLE_INPUT] = {-1, -1, -1, 0, 0},
                [ROLE_CHUNK] = {-1, -1, -1, 0, 0},
                [ROLE_GROUP_1] = {32, 6, 6, THEME_BOLD, THEME_BOLD},
                [ROLE_GROUP_2] = {133, 5, 5, THEME_BOLD, THEME_BOLD},
                [ROLE_GROUP_3] = {34, 2, 2, THEME_BOLD, THEME_BOLD},
                [ROLE_GROUP_4] = {172, 3, 3, THEME_BOLD, THEME_BOLD},
            },
        [THEME_LIGHT] =
            {
                [ROLE_TEXT] = {-1, -1, -1, 0, 0},
                [ROLE_DIM] = {242, 8, -1, 0, THEME_DIM},
                [ROLE_STRONG] = {-1, -1, -1, THEME_BOLD, THEME_BOLD},
                [ROLE_BORDER] = {247, 8, -1, 0, THEME_DIM},
                [ROLE_BORDER_FOCUS] = {25, 4, 4, 0, THEME_BOLD},
                [ROLE_TITLE] = {242, 8, -1, 0, 0},
                [ROLE_TITLE_FOCUS] = {25, 4, 4, THEME_BOLD, THEME_BOLD},
                [ROLE_BAR] = {242, 8, -1, 0, 0},
                [ROLE_BAR_KEY] = {25, 4, 4, THEME_BOLD, THEME_BOLD},
                [ROLE_SELECTION] = {-1, -1, -1, THEME_REVERSE, THEME_REVERSE},
                [ROLE_SELECTION_AWAY] = {-1, -1, -1, THEME_BOLD, THEME_BOLD},
                [ROLE_ACCENT] = {25, 4, 4, THEME_BOLD, THEME_BOLD},
                [ROLE_MATCH] = {130, 5, 5, THEME_BOLD | THEME_UNDERLINE, THEME_BOLD | THEME_UNDERLINE},
                [ROLE_OK] = {28, 2, 2, 0, 0},
                [ROLE_WARNING] = {130, 5, 5, 0, THEME_BOLD},
                [ROLE_ERROR] = {124, 1, 1, THEME_BOLD, THEME_BOLD},
                [ROLE_INPUT] = {-1, -1, -1, 0, 0},
                [ROLE_CHUNK] = {-1, -1, -1, 0, 0},
                [ROLE_GROUP_1] = {25, 4, 4, THEME_BOLD, THEME_BOLD},
                [ROLE_GROUP_2] = {90, 5, 5, THEME_BOLD, THEME_BOLD},
                [ROLE_GROUP_3] = {28, 2, 2, THEME_BOLD, THEME_BOLD},
                [ROLE_GROUP_4] = {130, 1, 1, THEME_BOLD, THEME_BOLD},
            },
};

/* Strips and bars: the height of the glyph says it too. */
static const int16_t heat[THEME_COUNT - 1][THEME_LEVELS] = {
    [THEME_DEFAULT] = {243, 67, 68, 74, 107, 143, 178, 208, 196},
    [THEME_LIGHT] = {247, 67, 61, 62, 97, 132, 130, 166, 160},
};
static const int16_t heat_sixteen[THEME_LEVELS] = {8, 4, 4, 6, 6, 2, 3, 3, 1};
static const int16_t heat_eight[THEME_LEVELS] = {-1, 4, 4, 6, 6, 2, 3, 3, 1};

/* Behind text: a background with a foreground chosen for it. */
static const int16_t shade[THEME_COUNT - 1][THEME_LEVELS][2] = {
    [THEME_DEFAULT] =
        {{-1, -1}, {250, 235}, {252, 237}, {254, 58}, {231, 94}, {231, 130}, {16, 172}, {16, 208}, {16, 220}},
    [THEME_LIGHT] = {{-1, -1}, {16, 255}, {16, 230}, {16, 229}, {16, 228}, {16, 222}, {16, 215}, {16, 208}, {231, 166}},
};
static const int16_t shade_eight[THEME_LEVELS][2] = {{-1, -1}, {-1, -1}, {-1, -1}, {6, -1}, {6, -1},
                                                     {7, 4},   {7, 4},   {0, 3},   {0, 3}};
static const uint8_t shade_emphasis[THEME_LEVELS] = {
    0, 0, THEME_UNDERLINE, 0, THEME_UNDERLINE, 0, THEME_UNDERLINE, 0, THEME_UNDERLINE};
static const uint8_t shade_emphasis_none[THEME_LEVELS] = {0,
                                                          0,
                                                          THEME_UNDERLINE,
                                                          THEME_UNDERLINE,
                                                          THEME_BOLD | THEME_UNDERLINE,
                                                          THEME_BOLD | THEME_UNDERLINE,
                                                          THEME_REVERSE,
                                                          THEME_REVERSE | THEME_BOLD,
                                                          THEME_REVERSE | THEME_BOLD | THEME_UNDERLINE};
static const uint8_t heat_emphasis_none[THEME_LEVELS] = {THEME_DIM, 0, 0, 0, 0, 0, THEME_BOLD, THEME_BOLD, THEME_BOLD};

static theme_style style_of_heat(theme_id theme, theme_colours colours, int level) {
    switch (colours) {
    case COLOURS_256:
        return (theme_style){heat[theme][level], -1, 0};
    case COLOURS_16:
        return (theme_style){heat_sixteen[level], -1, 0};
    case COLOURS_8:
        return (theme_style){heat_eight[level], -1, level >= 7 ? THEME_BOLD : 0};
    case COLOURS_NONE:
        break;
    }
    return (theme_style){-1, -1, heat_emphasis_none[level]};
}

static theme_style style_of_shade(theme_id theme, theme_colours colours, int level) {
    switch (colours) {
    case COLOURS_256:
        return (theme_style){shade[theme][level][0], shade[theme][level][1], level >= 5 ? THEME_UNDERLINE : 0};
    case COLOURS_16:
    case COLOURS_8:
        return (theme_style){shade_eight[level][0], shade_eight[level][1], shade_emphasis[level]};
    case COLOURS_NONE:
        break;
    }
    return (theme_style){-1, -1, shade_emphasis_none[level]};
}

static theme_style style_of_role(theme_id theme, theme_colours colours, int role) {
    const look *found = &looks[theme][role];
    switch (colours) {
    case COLOURS_256:
        return (theme_style){found->full, -1, found->emphasis};
    case COLOURS_16:
        return (theme_style){found->sixteen, -1, found->emphasis};
    case COLOURS_8:
        return (theme_style){found->eight, -1, found->emphasis};
    case COLOURS_NONE:
        break;
    }
    return (theme_style){-1, -1, found->emphasis_none};
}

theme_style theme_lookup(theme_id theme, theme_colours colours, attribute what) {
    int role = what & ATTRIBUTE_ROLE;
    if (theme == THEME_MONOCHROME) {
        theme = THEME_DEFAULT;
        colours = COLOURS_NONE;
    }
    theme_style style = role >= ROLE_SHADE_0  ? style_of_shade(theme, colours, role - ROLE_SHADE_0)
                        : role >= ROLE_HEAT_0 ? style_of_heat(theme, colours, role - ROLE_HEAT_0)
                                              : style_of_role(theme, colours, role);
    if (what & ATTRIBUTE_REVERSE)
        style.emphasis ^= THEME_REVERSE;
    if (what & ATTRIBUTE_BOLD)
        style.emphasis |= THEME_BOLD;
    if (what & ATTRIBUTE_UNDERLINE)
        style.emphasis |= THEME_UNDERLINE;
    return style;
}

int theme_level(float share) {
    if (!(share > 0)) /* NaN too */
        return 0;
    return share >= 1 ? 8 : 1 + (int)(share * 8);
}

static const char *const role_names[ROLE_HEAT_0] = {
    "text",  "dim",       "strong",         "border",  "border focus", "title",   "title focus", "bar",
    "key",   "selection", "selection away", "accent",  "match",        "ok",      "warning",     "error",
    "input", "chunk",     "group 1",        "group 2", "group 3",      "group 4",
};

void theme_role_name(attribute role, char out[24]) {
    int number = role & ATTRIBUTE_ROLE;
    if (number >= ROLE_SHADE_0)
        snprintf(out, 24, "shade %d", number - ROLE_SHADE_0);
    else if (number >= ROLE_HEAT_0)
        snprintf(out, 24, "heat %d", number - ROLE_HEAT_0);
    else
        snprintf(out, 24, "%s", role_names[number]);
}

static const char *const names[THEME_COUNT] = {"default", "light", "monochrome"};

const char *theme_name(theme_id theme) {
    return names[theme];
}

bool theme_parse(const char *name, theme_id *theme) {
    for (int i = 0; i < THEME_COUNT; i++)
        if (strcmp(names[i], name) == 0) {
            *theme = (theme_id)i;
            return true;
        }
    return false;
}
