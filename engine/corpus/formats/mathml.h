/* mathml.h: formulas in MathML as a line of text: fractions as (a)/(b), roots as √(a), scripts behind ^ and _.
 * May use: base, markup. */
#ifndef DRT_CORPUS_FORMATS_MATHML_H
#define DRT_CORPUS_FORMATS_MATHML_H

#include "engine/corpus/formats/markup.h"

/* Passes to the end of the <math> element of that start tag and appends its text. false: out of memory. */
bool drt_mathml_read(drt_markup *markup, const drt_markup_token *start, drt_buffer *out);

#endif
