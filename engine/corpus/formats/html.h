/* html.h: the text of an HTML or XHTML page, for pages of their own and for chapters of books.
 * May use: base, formats.h, markup, normalise, reflow. */
#ifndef DRT_CORPUS_FORMATS_HTML_H
#define DRT_CORPUS_FORMATS_HTML_H

#include "engine/corpus/formats/formats.h"
#include "engine/corpus/normalise.h"

/* Adds the text of a page, valid UTF-8: blocks are paragraphs, <br>, list items and table rows lines, cells words;
 * scripts, styles, navigation, hidden elements and attributes are left out. Title, authors and date go to extract
 * unless it has them. xml: XHTML for sure. *cut: something without an end hides the rest. DRT_FATAL: out of memory;
 * DRT_FAILED: cancelled. */
drt_status drt_html_read(drt_context *context, const char *data, size_t length, bool xml, drt_text *text,
                         drt_extract *extract, bool *cut);

#endif
