/* flow.h: running text with footnotes, lists and tables, as formats of word processors and publishers have them. Builds
 * normalised text (normalise.h): a footnote goes behind the paragraph that it is in, a row of a table is a line, its
 * cells are words, an item of a list is a line.
 * May use: base, normalise. */
#ifndef DRT_CORPUS_FORMATS_FLOW_H
#define DRT_CORPUS_FORMATS_FLOW_H

#include "engine/corpus/normalise.h"

/* One stream of text: the running one, or that of notes. */
typedef struct {
    drt_text text;
    int tables, lists; /* open here */
    bool cell_text;    /* the cell at hand has some */
    bool cell_edge;    /* a paragraph ended in it since */
} drt_flow_stream;

/* A note that is known by a name. */
typedef struct {
    drt_string key;
    size_t start, length; /* in store */
    bool used;
} drt_flow_note;

/* The first failed allocation sticks; drt_flow_finish() says so. */
typedef struct {
    drt_flow_stream main, aside;
    int notes;          /* open inside each other: they are one */
    drt_buffer waiting; /* notes for the end of the paragraph */
    drt_buffer store;   /* notes with a name */
    drt_flow_note *named;
    size_t n_named;
    bool defining, sorted, failed;
} drt_flow;

/* Text goes to the end of `out`, which must outlive the flow. */
void drt_flow_start(drt_flow *flow, drt_buffer *out);
/* Running text, valid UTF-8. */
void drt_flow_add(drt_flow *flow, const char *data, size_t length);
/* What comes next is set above the line, as drt_text_raise(). */
void drt_flow_raise(drt_flow *flow);
/* Ends a line; in lists and for what stands by itself within a paragraph. Notes that wait make it a paragraph's end. */
void drt_flow_line(drt_flow *flow);
/* The edge of a paragraph; inside a list it is that of a line, inside a cell it separates what is there. */
void drt_flow_paragraph(drt_flow *flow);

void drt_flow_list(drt_flow *flow);
void drt_flow_list_end(drt_flow *flow);
void drt_flow_table(drt_flow *flow);
void drt_flow_row(drt_flow *flow);  /* a row begins or ends */
void drt_flow_cell(drt_flow *flow); /* a cell begins or ends */
void drt_flow_table_end(drt_flow *flow);

/* What comes until drt_flow_note_end is a note here. A note inside a note belongs to the outer one. */
void drt_flow_note_start(drt_flow *flow);
void drt_flow_note_end(drt_flow *flow);
/* The same for a note that stands elsewhere: it is kept under a name until it is referred to. All are to be defined
 * before the first reference; of several by one name any is taken. */
void drt_flow_note_define(drt_flow *flow, const char *key, size_t length);
/* The note of that name belongs here, unless it was put elsewhere already. false: none has it. */
bool drt_flow_note_refer(drt_flow *flow, const char *key, size_t length);

/* Ends the text, adds the named notes that nothing referred to if asked, and frees what the flow holds. false: out of
 * memory. */
bool drt_flow_finish(drt_flow *flow, bool unused_notes);

#endif
