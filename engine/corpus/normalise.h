/* normalise.h: builds normalised text (see corpus.h) from UTF-8 as formats give it: NFC, one space for
 * each run of white space, control and invisible characters out, paragraphs joined by blank lines.
 * May use: base, utf8proc. */
#ifndef DRT_CORPUS_NORMALISE_H
#define DRT_CORPUS_NORMALISE_H

#include "engine/base/buffer.h"

/* A text being built. The first failed allocation sticks: later calls do nothing and
 * drt_text_finish() says so. */
typedef struct {
    drt_buffer *out;
    drt_buffer line;   /* the current line, collapsed but not yet composed */
    size_t start;      /* where the current paragraph begins in out */
    bool space;        /* white space since the last visible character of the line */
    uint32_t previous; /* the last visible character of the line, 0: none */
    bool raised;       /* what comes next is set above the line */
    bool begun;        /* the beginning of the line, a long one, is in out already */
    bool failed;
} drt_text;

/* Text goes to the end of `out`, which must outlive the builder. */
void drt_text_start(drt_text *text, drt_buffer *out);
/* Running text, valid UTF-8. Line feeds in it are white space. */
void drt_text_add(drt_text *text, const char *data, size_t length);
/* What comes next is set above the line: a number behind a number is an exponent, "10^6". */
void drt_text_raise(drt_text *text);
/* Ends the line; what follows stays on a line of its own within the paragraph. */
void drt_text_line(drt_text *text);
/* Ends the paragraph. */
void drt_text_paragraph(drt_text *text);
/* Nothing visible since the paragraph began? */
bool drt_text_is_empty(const drt_text *text);
/* Where the next visible character will stand in the text, as long as what was added is in NFC. */
size_t drt_text_position(const drt_text *text);
/* Ends the text and frees what the builder holds. false: out of memory. */
bool drt_text_finish(drt_text *text);

/* The same for a title or a name: one line, owned; data NULL when nothing visible is left. false: out of
 * memory. */
bool drt_text_single_line(const char *data, size_t length, drt_string *line);

#endif
