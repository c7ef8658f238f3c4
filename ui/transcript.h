/* transcript.h: the turns of a conversation as one text to read: question, answer with evidence marks, how it ended,
 * what it rests on. Knows which bytes stand for what. May use: evidence.h, theme.h. */
#ifndef DRT_UI_TRANSCRIPT_H
#define DRT_UI_TRANSCRIPT_H

#include "ui/evidence.h"
#include "ui/theme.h"

typedef struct {
    size_t start, end;
    attribute look;
} transcript_span;

typedef struct {
    drt_string text;
    size_t capacity;
    transcript_span *spans; /* in order, without overlaps; the rest is plain */
    size_t n_spans, spans_capacity;
    bool failed; /* out of memory: it is not whole */

    /* Of the turn looked at: */
    size_t question; /* byte where it begins */
    size_t answer;   /* and its answer */
    evidence marks[EVIDENCE_MAX];
    size_t n_marks;
    size_t mark_at[EVIDENCE_MAX]; /* byte of its [n] in the answer; SIZE_MAX: only in the list */
    size_t list_at[EVIDENCE_MAX]; /* byte of its line below the answer */
} transcript;

/* {0} is an empty one. Makes it anew of all turns. */
void transcript_make(transcript *out, const ui_model *model);
void transcript_free(transcript *out);
/* The bytes of an answer token of the turn looked at, white space before it left out. false: there is none. */
bool transcript_token(const transcript *in, const drt_answer *trace, size_t token, size_t *start, size_t *end);
/* The mark or list line at a byte; -1: none. */
int transcript_mark_at(const transcript *in, size_t at);

#endif
