/* docx_styles.h: what the styles and the numbering of a Word document say of a paragraph: whether it is a heading or an item
 * of a list, and the mark that Word would put before it ("2.", "(b)", "IV").
 * May use: base, markup, xml.h. */
#ifndef DRT_CORPUS_FORMATS_DOCX_STYLES_H
#define DRT_CORPUS_FORMATS_DOCX_STYLES_H

#include "engine/base/buffer.h"

#define DRT_DOCX_LEVELS 9

typedef struct {
    drt_string id, name, based_on;
    int number; /* numbering, 0: none, -1: not said here */
    int level;  /* of it, -1: not said here */
    bool heading, hidden;
} drt_docx_style;

typedef struct {
    drt_string text;  /* "%1.%2)" */
    char format;      /* '1', 'a', 'A', 'i', 'I'; 0: a bullet or nothing */
    int start, count; /* count: of the last paragraph, start - 1: none yet */
} drt_docx_level;

/* A kind of list; several lists of a kind count on. */
typedef struct {
    drt_string id;
    drt_docx_level levels[DRT_DOCX_LEVELS];
} drt_docx_kind;

typedef struct {
    int number;
    size_t kind;
    int start[DRT_DOCX_LEVELS]; /* where this list begins anew, -1: it counts on */
} drt_docx_list;

typedef struct {
    drt_docx_style *styles; /* sorted by id */
    size_t n_styles;
    drt_docx_kind *kinds;
    size_t n_kinds;
    drt_docx_list *lists; /* sorted by number */
    size_t n_lists;
} drt_docx_styles;

/* What a style comes to, with those that it is based on. */
typedef struct {
    bool known, heading, title, item, hidden;
    int number, level; /* as above */
} drt_docx_look;

/* Reads word/styles.xml and word/numbering.xml, valid UTF-8; each once. false: out of memory. */
bool drt_docx_styles_read(drt_docx_styles *styles, const char *data, size_t length);
bool drt_docx_numbering_read(drt_docx_styles *styles, const char *data, size_t length);
void drt_docx_styles_free(drt_docx_styles *styles);

drt_docx_look drt_docx_style_look(const drt_docx_styles *styles, const char *id, size_t length);
/* Counts a paragraph of this list on this level and appends its mark; nothing for bullets. false: out of memory. */
bool drt_docx_mark(drt_docx_styles *styles, int number, int level, drt_buffer *mark);

#endif
