/* pdf.h: what the files of the PDF format share: the pages that pdftotext tells, line by line with their places, and
 * how they become text. format_pdf.c runs pdftotext and says what became of a file, pdf_pages.c reads its output,
 * pdf_order.c finds the order in which lines are read, pdf_text.c makes paragraphs of them.
 * May use: base, formats.h, markup, normalise, utf8proc. */
#ifndef DRT_CORPUS_PDF_H
#define DRT_CORPUS_PDF_H

#include "engine/corpus/formats.h"

/* In points from the page's upper left corner. */
typedef struct {
    float left, top, right, bottom;
} drt_pdf_box;

/* A run of words on one height with common gaps: a whole line of a column, or a cell of a table. */
typedef struct {
    drt_pdf_box box;
    float height;      /* of most of its letters */
    float first_word;  /* width */
    size_t at, length; /* its text in drt_pdf.text: UTF-8 in the order of reading */
    uint32_t words;
    uint32_t reference;                    /* a raised number in it, which may refer to a footnote; 0: none */
    size_t reference_at, reference_length; /* its place in the line's text */
    bool sideways;                         /* turned by a quarter; then `upwards`: read from the bottom to the top */
    bool upwards;
    bool right_to_left;
} drt_pdf_line;

typedef struct {
    float width, height;
    size_t first_line, n_lines;
    bool unreadable; /* its letters are no letters; its lines were dropped */
} drt_pdf_page;

typedef struct {
    drt_pdf_page *pages;
    size_t n_pages, pages_capacity;
    drt_pdf_line *lines;
    size_t n_lines, lines_capacity;
    drt_buffer text;
    int64_t lost; /* characters that are no letters, dropped from readable pages */
} drt_pdf;

void drt_pdf_clear(drt_pdf *pdf);

/* Takes the output of `pdftotext -bbox-layout` up to the end of a page: its lines go to pdf, and what stands before
 * the first page (title, authors, date) to extract. false: out of memory. */
bool drt_pdf_add_page(drt_pdf *pdf, const char *data, size_t length, drt_extract *extract);

/* What the reading order makes of a page's lines. */
typedef enum {
    DRT_PDF_FLOW, /* below the line before it, in its column */
    DRT_PDF_TOP,  /* the first line of a column, or of what stands across columns */
    DRT_PDF_CELL, /* in the same row of a table as the line before it */
    DRT_PDF_ROW   /* begins a row of a table */
} drt_pdf_place;

typedef struct {
    size_t line; /* its number in drt_pdf.lines */
    drt_pdf_place place;
} drt_pdf_step;

/* The order of some lines of one page (pointers into pdf->lines; sorted anew) -> steps (n): columns one after the other,
 * rows of tables together. Time: nearly linear in n. */
void drt_pdf_order(const drt_pdf *pdf, const drt_pdf_line **lines, size_t n, drt_pdf_step *steps);

/* Pages -> normalised text and page marks in extract. DRT_FATAL: out of memory; DRT_FAILED: cancelled. */
drt_status drt_pdf_text(drt_context *context, const drt_pdf *pdf, drt_extract *extract);

#endif
