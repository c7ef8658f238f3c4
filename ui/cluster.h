/* cluster.h: how text becomes glyphs on a terminal: grapheme clusters, their width, and what is shown for
 * characters that terminals must not get or disagree about. May use: drt.h (UTF-8), utf8proc.
 *
 * Terminals differ in the width of joined emoji, variation selectors and skin tones, and one wrong column
 * shifts the rest of the row. So a cluster is shown in a form that all of them agree on: joiners, variation
 * selectors, skin tones and other zero-width format characters are left out, each remaining spacing character
 * is a glyph of its own (a family of three emoji takes six columns), combining marks stay on their base.
 * Controls, direction overrides, unassigned characters and invalid bytes appear as one replacement mark. */
#ifndef DRT_UI_CLUSTER_H
#define DRT_UI_CLUSTER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GLYPH_BYTES 20   /* a base and up to four marks, the most that a terminal cell takes in ncurses */
#define CLUSTER_GLYPHS 8 /* further ones of a cluster are not shown */

/* What one terminal cell (width 1) or two (width 2) show. */
typedef struct {
    char bytes[GLYPH_BYTES];
    uint8_t length, width;
} glyph;

typedef struct {
    size_t start, end; /* bytes of the text that it stands for; never empty */
    int columns;       /* sum of the glyphs' widths; may be 0 */
    int n_glyphs;
    glyph glyphs[CLUSTER_GLYPHS];
} cluster;

/* Reads the cluster at text[start..length), start < length. ascii: every glyph is of ASCII, by a twin where
 * there is one (an accented letter's base, straight quotes), else '?'. Bytes that are no UTF-8 and NUL are
 * clusters of their own. */
void cluster_read(const char *text, size_t length, size_t start, bool ascii, cluster *out);

/* Border of the cluster before / after `at`; at the ends of the text, `at` itself. cluster_before walks from the
 * nearest line start, so it costs the line's length at most. */
size_t cluster_before(const char *text, size_t length, size_t at);
size_t cluster_after(const char *text, size_t length, size_t at);

/* Columns that the text takes. */
int cluster_columns(const char *text, size_t length, bool ascii);

#endif
