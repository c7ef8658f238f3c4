/* markdown.h: the text of Markdown, for documents of their own and for cells of notebooks.
 * May use: base, formats.h. */
#ifndef DRT_CORPUS_FORMATS_MARKDOWN_H
#define DRT_CORPUS_FORMATS_MARKDOWN_H

#include "engine/corpus/formats/formats.h"

/* Takes title, authors and date from before the text and moves on behind them. false: out of memory. */
bool drt_markdown_front(const char **data, size_t *length, drt_extract *extract);
/* Adds paragraphs of Markdown, valid UTF-8, to the end of the text; title, authors and date of its front matter, and its first
 * heading as the title, unless there is one. DRT_FATAL: out of memory; DRT_FAILED: cancelled. */
drt_status drt_markdown_read(drt_context *context, const char *data, size_t length, drt_extract *extract);

#endif
