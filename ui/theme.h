/* theme.h: what the parts of a screen look like. Views name roles; a theme gives each role colours and
 * emphasis for 256, 16, 8 or no colours. No role is told from others by colour alone.
 * May use: nothing. */
#ifndef DRT_UI_THEME_H
#define DRT_UI_THEME_H

#include <stdbool.h>
#include <stdint.h>

/* An attribute is a role, with flags added where needed. */
typedef uint16_t attribute;

enum {
    ROLE_TEXT,
    ROLE_DIM,    /* hints, rests, what is not the point */
    ROLE_STRONG, /* headings within a view */
    ROLE_BORDER,
    ROLE_BORDER_FOCUS, /* of the pane that hears the keys */
    ROLE_TITLE,
    ROLE_TITLE_FOCUS,
    ROLE_BAR,            /* first and last line of the screen */
    ROLE_BAR_KEY,        /* a key named there */
    ROLE_SELECTION,      /* the current line of the pane with the focus */
    ROLE_SELECTION_AWAY, /* of another pane */
    ROLE_ACCENT,         /* evidence marks, links */
    ROLE_MATCH,          /* what a filter or a search found in the text */
    ROLE_OK,
    ROLE_WARNING,
    ROLE_ERROR,
    ROLE_INPUT,   /* a line being edited */
    ROLE_CHUNK,   /* the selected chunk within its text */
    ROLE_GROUP_1, /* retrieval groups; further ones start over */
    ROLE_GROUP_2,
    ROLE_GROUP_3,
    ROLE_GROUP_4,
    ROLE_HEAT_0, /* nine strengths of a bar or strip cell; consecutive */
    ROLE_HEAT_8 = ROLE_HEAT_0 + 8,
    ROLE_SHADE_0, /* nine strengths behind text; consecutive; 0 is plain text */
    ROLE_SHADE_8 = ROLE_SHADE_0 + 8,
    ROLE_COUNT
};

#define ATTRIBUTE_ROLE 0x00FF
#define ATTRIBUTE_REVERSE 0x0100
#define ATTRIBUTE_BOLD 0x0200
#define ATTRIBUTE_UNDERLINE 0x0400

#define THEME_LEVELS 9
/* 0..1 -> 0..8; everything above 0 is at least 1. */
int theme_level(float share);
static inline attribute theme_heat(float share) {
    return (attribute)(ROLE_HEAT_0 + theme_level(share));
}
static inline attribute theme_shade(float share) {
    return (attribute)(ROLE_SHADE_0 + theme_level(share));
}
/* group from 0 */
static inline attribute theme_group(int group) {
    return (attribute)(ROLE_GROUP_1 + group % 4);
}

/* "heat 3", for golden screens. */
void theme_role_name(attribute role, char out[24]);

typedef enum { THEME_DEFAULT, THEME_LIGHT, THEME_MONOCHROME, THEME_COUNT } theme_id;
typedef enum { COLOURS_NONE, COLOURS_8, COLOURS_16, COLOURS_256 } theme_colours;

#define THEME_BOLD 1
#define THEME_DIM 2
#define THEME_UNDERLINE 4
#define THEME_REVERSE 8

typedef struct {
    int16_t foreground, background; /* -1: the terminal's own */
    uint8_t emphasis;               /* THEME_BOLD, ... */
} theme_style;

/* The style of an attribute, its flags included. */
theme_style theme_lookup(theme_id theme, theme_colours colours, attribute what);
const char *theme_name(theme_id theme);
/* false: there is no theme of this name. */
bool theme_parse(const char *name, theme_id *theme);

#endif
