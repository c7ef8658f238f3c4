/* docx.h: a Word document while it is read: format_docx.c finds its parts, docx_text.c reads their text.
 * May use: base, docx_styles, flow, package, xml.h. */
#ifndef DRT_CORPUS_FORMATS_DOCX_H
#define DRT_CORPUS_FORMATS_DOCX_H

#include "engine/corpus/formats/docx_styles.h"
#include "engine/corpus/formats/package.h"
#include "engine/corpus/formats/xml.h"

#define DRT_DOCX_NESTING 32 /* fields, and text boxes, inside each other */
#define DRT_DOCX_CHUNKS 64  /* parts in other formats that are read */

typedef struct {
    bool item;    /* of a list */
    bool title;   /* in the style of a document's title */
    bool joined;  /* its end was deleted */
    bool entered; /* it has text */
    bool unseen;  /* in a hidden style */
    bool hidden;  /* the run at hand */
    bool raised;  /* the same, above the line */
} drt_docx_paragraph;

/* A part in another format: HTML, RTF, ... */
typedef struct {
    drt_string id;
    drt_package_file *file; /* NULL: it is missing */
} drt_docx_chunk;

typedef struct {
    drt_package zip;
    drt_extract *extract;
    drt_flow flow;
    drt_docx_paragraph now, outside[DRT_DOCX_NESTING]; /* those around a text box */
    size_t boxes;
    bool after_item;  /* the last paragraph was an item */
    size_t title_at;  /* where the title begins in the text */
    uint64_t codes;   /* of the fields open, the inner one lowest: 1 while its instruction is read */
    uint64_t scripts; /* of the super- and subscripts open, the inner one lowest: 1 in parentheses */
    drt_docx_styles styles;
    drt_buffer mark; /* of the paragraph at hand, until its text comes */
    drt_docx_chunk chunks[DRT_DOCX_CHUNKS];
    size_t n_chunks;
    char close[DRT_DOCX_NESTING][8]; /* what ends the parentheses open in a formula, UTF-8 */
    size_t parentheses;
    int matrices;
    bool cell; /* a cell of the row at hand was there */
    char key;  /* of the notes being read, 0: the text */
    int64_t replacements;
    const char *guessed;
    bool damaged;
    bool failed; /* out of memory */
} drt_docx;

/* Reads a part into the flow: the text, or notes, whose kind is in `key`. DRT_FATAL: out of memory; DRT_FAILED: cancelled. */
drt_status drt_docx_read_part(drt_docx *document, const drt_package_file *file);

#endif
