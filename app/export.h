/* export.h: an answer with all that was retrieved for it, as a text to keep. May use: drt.h, evidence.h. */
#ifndef DRT_APP_EXPORT_H
#define DRT_APP_EXPORT_H

#include <stdio.h>

#include "engine/drt.h"

/* Question, answer, how it came about; then every retrieval with its passages. Errors stand in the stream. */
void export_text(const drt_answer *answer, const char *library, FILE *out);
/* The object of `drt sessions --json`: that of `drt ask --json` with the rest of the trace. */
void export_json(const drt_answer *answer, const char *library, FILE *out);

#endif
