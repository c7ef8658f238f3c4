/* html_notes.h: footnotes of a page or a chapter, which stand elsewhere in it than where they are referred to.
 * May use: base, markup, xml.h. */
#ifndef DRT_CORPUS_FORMATS_HTML_NOTES_H
#define DRT_CORPUS_FORMATS_HTML_NOTES_H

#include "engine/corpus/formats/markup.h"

typedef struct {
    const char *id;
    size_t id_length;
    size_t start, end; /* of its inside, in the page's source */
    bool used;         /* it was put somewhere */
} drt_html_note;

typedef struct {
    drt_html_note *notes; /* sorted by id */
    size_t n;
} drt_html_notes;

/* What an element is by its epub:type, role and class, as flags. */
enum {
    DRT_HTML_MARK = 1,      /* the number of a printed page, what leads back from a note, a heading's link to itself */
    DRT_HTML_REFERENCE = 2, /* the mark of a note in the text */
    DRT_HTML_NOTE = 4,
    DRT_HTML_NOTES = 8 /* a list of them */
};
unsigned drt_html_meaning(const drt_markup_token *token);
/* Finds the notes of a page that say so (epub:type, role) and have an id. false: out of memory. */
bool drt_html_find_notes(drt_html_notes *notes, const drt_markup *page);
/* The note that a mark refers to ("#n1"), or whose element begins with this tag, behind which `at` is. NULL: none. */
drt_html_note *drt_html_referred_note(const drt_html_notes *notes, const drt_markup_token *reference);
drt_html_note *drt_html_note_at(const drt_html_notes *notes, const drt_markup_token *start, size_t at);

#endif
