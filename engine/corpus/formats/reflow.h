/* reflow.h: lines of plain text -> paragraphs. Hard-wrapped prose is joined again, verse, lists and tables
 * keep their lines, a file with a paragraph a line gets a paragraph a line.
 * May use: base, utf8proc, normalise. */
#ifndef DRT_CORPUS_FORMATS_REFLOW_H
#define DRT_CORPUS_FORMATS_REFLOW_H

#include "engine/corpus/normalise.h"

/* Adds decoded plain text (valid UTF-8, any line ends: LF, CR LF, lone CR, VT, NEL, U+2028; form feed and
 * U+2029 end paragraphs). Ends with a paragraph's end. DRT_FATAL: out of memory; DRT_FAILED: cancelled. */
drt_status drt_reflow(drt_context *context, drt_text *text, const char *data, size_t length);

/* What lines look like, for formats that know where theirs stand. */
bool drt_is_wide(uint32_t code_point); /* of a script without spaces between words */
bool drt_begins_list_item(const char *line, size_t length);
bool drt_ends_sentence(const char *line, size_t length);

#endif
