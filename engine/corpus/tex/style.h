/* style.h: what a style or class of a project's own defines for its documents.
 * May use: base, tex, tables. */
#ifndef DRT_CORPUS_TEX_STYLE_H
#define DRT_CORPUS_TEX_STYLE_H

#include "engine/base/buffer.h"

/* Appends the definitions in a style's text (UTF-8) that a document may use as they are, a line each: \newcommand, \def,
 * \newenvironment, \newtheorem and their like. Those that reach into LaTeX itself ("@"), stand inside others, or set what is
 * known by name (the abstract, theorems) are left out. false: out of memory. */
bool drt_tex_take_definitions(const char *data, size_t length, drt_buffer *out);

#endif
