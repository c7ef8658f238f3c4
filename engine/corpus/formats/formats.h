/* formats.h: the table of formats, and what a format's file sees of the walk. To add a format: one file with
 * an extract function, one row in formats.c.
 * May use: base. */
#ifndef DRT_CORPUS_FORMATS_H
#define DRT_CORPUS_FORMATS_H

#include "engine/corpus/corpus.h"

/* What a member looks like from outside. */
typedef struct {
    const char *name; /* last part of its path, without a compression suffix; bytes as they are */
    size_t name_length;
    const char *head; /* its first bytes, at most DRT_FORMAT_HEAD */
    size_t head_length;
    bool whole; /* head is all of it */
} drt_format_probe;

#define DRT_FORMAT_HEAD 40000 /* bytes; an ISO image says what it is behind the 32,768th */

/* The raw bytes of a member, whole. */
typedef struct {
    const char *data;
    size_t length;
    const char *name;
    size_t name_length;
} drt_format_input;

/* Takes what is inside a document as a member of its own; false: no more, please. */
typedef bool (*drt_split_receiver)(void *user, const char *name, size_t name_length, const char *data, size_t length);

typedef struct {
    const char *name;        /* as in drt_document.format */
    const char *extensions;  /* lower case, " .a .b " (a space on both sides of each) */
    const char *description; /* for people */
    enum { DRT_FORMAT_BINARY, DRT_FORMAT_TEXT, DRT_FORMAT_ZIP } basis; /* what it is made of */
    /* Do the first bytes say so? NULL: only the name does. */
    bool (*detect)(const drt_format_probe *probe);
    /* Fills extract from the raw bytes. DRT_OK whatever becomes of this member; DRT_FAILED: cancelled;
     * DRT_FATAL: out of memory. NULL: known, but not read. */
    drt_status (*extract)(drt_context *context, const drt_format_input *input, drt_extract *extract);
    const char *refusal; /* the reason for skipping it when extract is NULL */
    /* Hands out what is inside it: files attached to a message. NULL: nothing is. *whole: nothing that was in it seems to be
     * missing. Statuses as above. */
    drt_status (*split)(drt_context *context, const drt_format_input *input, drt_split_receiver receive, void *user,
                        bool *whole);
} drt_format;

/* The row that the first bytes tell for sure; NULL: none. Content goes before name: a PDF called .txt is a PDF. */
const drt_format *drt_format_by_content(const drt_format_probe *probe);
/* The row that the name tells; a text called .db is a text, and noise called .txt is none. Never NULL: without
 * a telling name plain text, or a row that refuses binary data. */
const drt_format *drt_format_by_name(const drt_format_probe *probe);
/* The row of this name; NULL: none. */
const drt_format *drt_format_named(const char *name);
/* Does the name end in one of the extensions (any case)? */
bool drt_name_has_extension(const char *name, size_t length, const char *extensions);

/* Lowers the status of what was extracted to PARTIAL or SKIPPED (never raises it) and adds a reason; several
 * are joined by "; ". false: out of memory. */
bool drt_extract_note(drt_extract *extract, drt_document_status status, const char *format, ...) DRT_PRINTF(3, 4);
/* Notes replacements and guesses of a decoded text. false: out of memory. */
bool drt_extract_note_charset(drt_extract *extract, int64_t replacements, const char *guessed_charset);
/* Moves an owned string to the authors. false: out of memory. */
bool drt_extract_add_author(drt_extract *extract, drt_string *author);
/* What formats gave as title, authors and date, as people are to see it: dates as ISO 8601 has them where it is clear what is
 * meant, no author twice, nothing of any length. false: out of memory. */
bool drt_extract_settle(drt_extract *extract);
/* Notes that the text stands on this page from byte `start` on; what was noted for `start` or behind it is not true any
 * more. false: out of memory. */
bool drt_extract_add_page(drt_extract *extract, size_t start, int64_t page);

/* The detect and extract functions, a file each. */
drt_status drt_format_bibtex_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_docbook_detect(const drt_format_probe *probe);
drt_status drt_format_docbook_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_docx_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_epub_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_fb2_detect(const drt_format_probe *probe);
drt_status drt_format_fb2_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_fodt_detect(const drt_format_probe *probe);
drt_status drt_format_fodt_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_html_detect(const drt_format_probe *probe);
drt_status drt_format_html_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_jats_detect(const drt_format_probe *probe);
drt_status drt_format_jats_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_mail_detect(const drt_format_probe *probe);
drt_status drt_format_mail_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_mail_split(drt_context *context, const drt_format_input *input, drt_split_receiver receive,
                                 void *user, bool *whole);
drt_status drt_format_markdown_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_notebook_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_odt_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_rst_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_rtf_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_subtitles_detect(const drt_format_probe *probe);
drt_status drt_format_subtitles_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_tei_detect(const drt_format_probe *probe);
drt_status drt_format_tei_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_pdf_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_tex_detect(const drt_format_probe *probe);
bool drt_format_tex_detect_written(const drt_format_probe *probe);
drt_status drt_format_tex_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
drt_status drt_format_text_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);
bool drt_format_xml_detect(const drt_format_probe *probe);
drt_status drt_format_xml_extract(drt_context *context, const drt_format_input *input, drt_extract *extract);

#endif
