/* progress.h: one line on stderr that is redrawn while work goes on: only on a terminal, at most ten times a
 * second, never wider than the window. May use: drt.h. */
#ifndef DRT_APP_PROGRESS_H
#define DRT_APP_PROGRESS_H

#include <stdint.h>

#include "engine/drt.h"

/* {0} is a line that was not drawn yet. */
typedef struct {
    int64_t drawn_at; /* monotonic, ms */
    int columns;      /* of what stands there */
} progress;

/* The stages of an ingest: each one's own rate and the share of the time that it works, the busiest marked "*"; returns
 * the length. */
int progress_stages(char *out, size_t size, const drt_stage_facts stages[DRT_STAGES], double seconds);

void progress_ingest(progress *line, const drt_progress *state);
/* Wipes the line, so that other text can be written in its place. */
void progress_clear(progress *line);

#endif
