/* evidence.h: the passages that an answer rests on, numbered as `drt ask` lists them, and where in the answer each was
 * looked at most. May use: model.h. */
#ifndef DRT_UI_EVIDENCE_H
#define DRT_UI_EVIDENCE_H

#include "ui/model.h"

#define EVIDENCE_MAX 5             /* passages */
#define EVIDENCE_WEIGHT 0.05f      /* of the lightest one */
#define EVIDENCE_NOWHERE INT64_MAX /* no attention was recorded */

typedef struct {
    trace_place place; /* the event where it weighs most; token: the one that looked at it most */
    float weight;
    int64_t at; /* byte of the answer behind the word that looked at it most; EVIDENCE_NOWHERE */
} evidence;

/* The union over all events, largest weight first. Returns how many. */
size_t evidence_of(const drt_answer *trace, evidence out[EVIDENCE_MAX]);

#endif
