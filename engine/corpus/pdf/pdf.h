/* pdf.h: what the files of the PDF format share: the pages that pdftotext tells, line by line with their places, and
 * how they become text. format_pdf.c runs pdftotext and says what became of a file, pages.c reads its output,
 * letters.c judges its characters, margins.c finds what stands around the text, facts.c title, authors and
 * date, order.c the order in which lines are read, words.c what goes over their ends, text.c makes paragraphs
 * of them.
 * May use: base, formats.h, markup, normalise, utf8proc. */
#ifndef DRT_CORPUS_PDF_H
#define DRT_CORPUS_PDF_H

#include "engine/corpus/formats/formats.h"
#include "engine/corpus/formats/markup.h"

/* In points from the page's upper left corner. */
typedef struct {
    float left, top, right, bottom;
} drt_pdf_box;

/* A run of words on one height with common gaps: a whole line of a column, or a cell of a table. */
typedef struct {
    drt_pdf_box box;
    float height;      /* of most of its letters, */
    float other;       /* of others on the same height, in another font; 0: none */
    float base;        /* foot of its letters: of the higher of these */
    float letter;      /* mean width of its letters */
    float first_word;  /* width */
    size_t at, length; /* its text in drt_pdf.text: UTF-8 in the order of reading */
    uint32_t words;
    uint32_t reference;                    /* a raised number in it, which may refer to a footnote; 0: none */
    size_t reference_at, reference_length; /* its place in the line's text */
    bool sideways;                         /* turned by a quarter; then `upwards`: read from the bottom to the top */
    bool upwards;
    bool inverted; /* upside down */
    bool right_to_left;
    bool leader; /* it had dots that lead to a page's number */
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
    bool counts_lines; /* has a page of a draft, whose lines are numbered */
    int64_t lost;      /* characters that are no letters, dropped from readable pages */
} drt_pdf;

void drt_pdf_clear(drt_pdf *pdf);

/* Takes the output of `pdftotext -bbox-layout` up to the end of a page: its lines go to pdf, and what stands before
 * the first page (title, authors, date) to extract. false: out of memory. */
bool drt_pdf_add_page(drt_pdf *pdf, const char *data, size_t length, drt_extract *extract);

/* What the characters of a line or of a page are. */
typedef struct {
    size_t odd, visible, letters, accented, digits, punctuation; /* odd: control, private use, replacement */
    size_t upper, first_three, shifted, vowels;                  /* of letters that may be shifted */
    size_t words, common, unspeakable;                           /* words of Latin letters; see drt_pdf_count_word */
} drt_pdf_census;

bool drt_pdf_is_odd(uint32_t c); /* control, private use, replacement */
void drt_pdf_count(drt_pdf_census *all, uint32_t c);
void drt_pdf_census_add(drt_pdf_census *to, const drt_pdf_census *from);
/* Counts a word: those that are common in languages of Latin letters, and long ones without a vowel. */
void drt_pdf_count_word(drt_pdf_census *all, const char *data, size_t length);
/* Are these no letters, but numbers of glyphs? */
bool drt_pdf_is_unreadable(const drt_pdf_census *all);
/* Appends a word as pdftotext gives it, with the letters that its odd characters are known to stand for. false: out of
 * memory. */
bool drt_pdf_mend_word(const char *data, size_t length, drt_buffer *out);

/* A word on the page, for the search for what counts its lines. */
typedef struct {
    drt_pdf_box box;
    uint32_t value; /* of a number, */
    bool is_number; /* if it is one */
    bool of_line;   /* set by drt_pdf_find_line_numbers */
} drt_pdf_mark;

/* Finds the numbers that count the lines of a draft, in its margins or between its columns. known: an earlier page had
 * some. Returns how many: they are
 * the first then, in the order of drt_pdf_compare_marks. */
size_t drt_pdf_find_line_numbers(drt_pdf_mark *marks, size_t n, bool known, float page_height);
/* By value and place: for qsort and bsearch. */
int drt_pdf_compare_marks(const void *a, const void *b);

/* What stands before the first page: the element "title", its content, and a tag "meta". The first of each counts.
 * false: out of memory. */
bool drt_pdf_take_title(const drt_markup_token *content, drt_buffer *scratch, drt_extract *extract);
bool drt_pdf_take_meta(const drt_markup_token *token, drt_buffer *scratch, drt_extract *extract);
/* Without a title: the largest lines on the first page. dropped: heads; body: height of most letters. false: out of
 * memory. */
bool drt_pdf_find_title(const drt_pdf *pdf, float body, const uint8_t *dropped, drt_extract *extract);

/* Marks the lines that are running heads, feet and page numbers: dropped (n_lines), zero before. body: height of most
 * letters. */
void drt_pdf_find_heads(const drt_pdf *pdf, float body, uint8_t *dropped);

/* Hashes of all words but those that the ends of lines cut. */
typedef struct {
    uint64_t *hashes; /* a table with gaps, for free() */
    size_t mask;
} drt_pdf_words;

bool drt_pdf_collect_words(const drt_pdf *pdf, drt_pdf_words *words);
/* Length of the hyphen that cuts a word at the end of a line; 0: there is none. */
size_t drt_pdf_hyphen(const char *line, size_t length);
/* Was the hyphen at the end of the line `head` put there by the line's end, before the line `tail`? */
bool drt_pdf_joins_word(const drt_pdf_words *words, const char *head, size_t head_length, const char *tail,
                        size_t tail_length);
/* Is there a space between these lines of a paragraph? Neither line is empty. */
bool drt_pdf_needs_space(const char *head, size_t head_length, const char *tail, size_t tail_length);

/* What the reading order makes of a page's lines. */
typedef enum {
    DRT_PDF_FLOW, /* below the line before it, in its column */
    DRT_PDF_TOP,  /* the first line of a column, or of what stands across columns */
    DRT_PDF_CELL, /* in the same row of a table as the line before it */
    DRT_PDF_ROW,  /* begins a row of a table */
    DRT_PDF_LABEL /* a bullet, a number or a term before the line that follows */
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
