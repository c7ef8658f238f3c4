/* xml.h: XML documents as running text: a table says what each element does to the text, a hook takes those that need more.
 * Nothing is expanded or fetched, memory does not grow with nesting, and a document that is cut short is read as far as it
 * goes.
 * May use: base, flow, formats.h, markup. */
#ifndef DRT_CORPUS_FORMATS_XML_H
#define DRT_CORPUS_FORMATS_XML_H

#include "engine/corpus/formats/flow.h"
#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/markup.h"

/* What an element does; those that are not in the table do nothing. */
typedef enum {
    DRT_XML_BLOCK, /* a paragraph of its own */
    DRT_XML_LINE,  /* a line of its own */
    DRT_XML_BREAK, /* ends a line */
    DRT_XML_SPACE, /* separates words */
    DRT_XML_RAISE, /* is set above the line */
    DRT_XML_LINES, /* a paragraph whose line feeds end lines */
    DRT_XML_LIST,
    DRT_XML_TABLE,
    DRT_XML_ROW,
    DRT_XML_CELL,
    DRT_XML_NOTE, /* a footnote that stands where it is referred to */
    DRT_XML_MATH, /* MathML */
    DRT_XML_SKIP, /* no text for reading */
    DRT_XML_HOOK  /* the hook gets its start tag and, if it leaves that, its end tag */
} drt_xml_kind;

typedef struct {
    const char *name; /* without prefix; the case counts */
    drt_xml_kind kind;
} drt_xml_element;

typedef struct drt_xml drt_xml;
struct drt_xml {
    drt_context *context;
    drt_flow *flow;
    const drt_xml_element *elements; /* sorted by name */
    size_t n_elements;
    /* Gets the tags of elements of kind HOOK. May pass over what is inside them (drt_xml_skip, drt_xml_line, or tokens from
     * `markup`). */
    void (*hook)(drt_xml *xml, const drt_markup_token *token);
    void *user;
    bool quiet;  /* text is left out */
    int lines;   /* elements open whose line feeds count */
    bool failed; /* out of memory */
    drt_markup markup;
    drt_buffer decoded; /* of one text */
    size_t tokens;      /* read so far */
};

/* Reads a document, valid UTF-8, into the flow; `context`, `flow`, `elements`, `hook` and `user` are set, the rest is 0. *cut:
 * it has no proper end. DRT_FATAL: out of memory; DRT_FAILED: cancelled. */
drt_status drt_xml_read(drt_xml *xml, const char *data, size_t length, bool *cut);

/* Before drt_xml_read: keeps the elements that `is_note` chooses, and that have an id, as notes of that name in the flow. */
drt_status drt_xml_read_notes(drt_xml *xml, const char *data, size_t length,
                              bool (*is_note)(drt_xml *xml, const drt_markup_token *token));
/* For hooks, the tags of a note: text of its own, left out where its id refers to a collected one. */
void drt_xml_note(drt_xml *xml, const drt_markup_token *token, bool collecting);
/* For hooks, a tag whose attribute names a note ("n1" or "#n1"): the note goes behind this paragraph, and what is in the
 * element is passed over, for the number of a note is no text. */
void drt_xml_refer(drt_xml *xml, const drt_markup_token *token, const char *attribute);
/* All of a format's extraction: decodes the input, reads notes (is_note NULL: none) while *collecting is true, then the
 * text while it is false, finishes the flow, and notes what was lost. */
drt_status drt_xml_extract(drt_xml *xml, const drt_format_input *input, drt_extract *extract,
                           bool (*is_note)(drt_xml *xml, const drt_markup_token *token), bool *collecting);
/* The first start tag of a document, as far as the probe goes; false: none, it is no XML. */
bool drt_xml_root(const drt_format_probe *probe, drt_markup_token *root);

/* Passes to the end of the element of that start tag. */
void drt_xml_skip(drt_markup *markup, const drt_markup_token *start);
/* Passes to the end of the element of that start tag; all text in it becomes one line. false: out of memory. */
bool drt_xml_line(drt_markup *markup, const drt_markup_token *start, drt_string *line);
/* The next tag inside the element `start`, of which *depth counts the elements of its name (it begins as 1); text is passed
 * over. false: the element has ended. */
bool drt_xml_inside(drt_markup *markup, const drt_markup_token *start, int *depth, drt_markup_token *token);
/* An attribute's decoded value; NULL data when it isn't there. false: out of memory. */
bool drt_xml_attribute(const drt_markup_token *token, const char *name, drt_string *value);
bool drt_xml_attribute_line(const drt_markup_token *token, const char *name, drt_string *line); /* normalised */
/* The tag has this prefix ("svg"). */
bool drt_xml_has_prefix(const drt_markup_token *token, const char *prefix);

/* The line becomes the title or the date unless there is one; an author. It is taken or freed. false: out of memory. */
void drt_xml_take_title(drt_extract *extract, drt_string *line);
void drt_xml_take_date(drt_extract *extract, drt_string *line);
bool drt_xml_take_author(drt_extract *extract, drt_string *line);
bool drt_xml_take_authors(drt_extract *extract, drt_string *line); /* "Ada Renn; Bo Tarn" */

#endif
