/* answer.h: freeing what answers and search results are made of. May use: drt.h. */
#ifndef DRT_SESSION_ANSWER_H
#define DRT_SESSION_ANSWER_H

#include "engine/drt.h"

void drt_events_free(drt_event *events, size_t n);

#endif
