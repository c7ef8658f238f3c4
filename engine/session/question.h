/* question.h: what may be asked. May use: base, utf8proc. */
#ifndef DRT_SESSION_QUESTION_H
#define DRT_SESSION_QUESTION_H

#include "engine/base/buffer.h"

/* *trimmed: the question without outer white space (a byte order mark counts as such), for people.
 * *clean: as the model reads it, control characters (NUL is one) and runs of white space one space
 * each; the tokenizer does NFKC. Both owned. DRT_FAILED: not UTF-8, or nothing visible in it. */
drt_status drt_question_clean(drt_context *context, const char *text, size_t length, drt_string *trimmed,
                              drt_string *clean);

#endif
