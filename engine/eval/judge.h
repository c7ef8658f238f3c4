/* judge.h: is an answer right, and how sure is a share of right ones. May use: base, utf8proc. */
#ifndef DRT_EVAL_JUDGE_H
#define DRT_EVAL_JUDGE_H

#include "engine/base/buffer.h"

/* Appends the text as answers are compared: NFKC, lower case, without ASCII punctuation, curly quotes and dashes, and
 * without the words a, an and the; single spaces: "The 84,000 crowns." -> "84000 crowns". false: out of memory. */
bool drt_judge_normalise(drt_buffer *out, const char *text, size_t length);

/* *right: both are the same once normalised. */
drt_status drt_judge(drt_context *context, const drt_string *answer, const drt_string *expected, bool *right);

/* Wilson's 95 % interval of a share: `right` of `asked` > 0. */
void drt_wilson(int right, int asked, double *low, double *high);

#endif
