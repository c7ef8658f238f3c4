/* eval.h: what the parts of an evaluation share. The evaluation itself is public: drt.h.
 * May use: base, network, library, session, bench, hay.h, plant.h. */
#ifndef DRT_EVAL_EVAL_H
#define DRT_EVAL_EVAL_H

#include "engine/eval/hay.h"
#include "engine/eval/plant.h"
#include "engine/network/model.h"

struct drt_eval {
    drt_model *model;
    drt_hay hay;
};

/* One run. */
typedef struct {
    drt_context *context;
    drt_eval *eval;
    const drt_eval_params *params;
    drt_eval_report *report;
    double *first_token_ms, *retrieval_ms, *answer_ms; /* (asked) of the questions so far */
    size_t n_asked, capacity;
} drt_eval_state;

/* needle.c, passkey.c: the two tasks. */
drt_status drt_eval_needle(drt_eval_state *run, drt_hay_cursor *cursor);
drt_status drt_eval_pass_keys(drt_eval_state *run, drt_hay_cursor *cursor);

/* library.c: a new library at `path`. */
drt_status drt_eval_open_library(drt_eval_state *run, const char *path, drt_library **library);
/* Ingests a path, of which everything must get in. tell: with its progress. */
drt_status drt_eval_ingest(drt_eval_state *run, drt_library *library, const char *path, bool tell,
                           drt_ingest_report *report);
/* Writes text from the cursor to a folder in `scratch` with the needles in it, ingests and removes it, and finds the
 * needles' chunks. */
drt_status drt_eval_fill(drt_eval_state *run, drt_hay_cursor *cursor, const char *scratch, drt_library *library,
                         drt_needle *needles, size_t n);
drt_status drt_eval_cancelled(drt_context *context); /* DRT_FAILED with its sentence */

/* ask.c: asks for n facts, judges the answers, adds them to the report and tells them. */
drt_status drt_eval_ask(drt_eval_state *run, drt_session *session, const drt_needle *needles, size_t n);
/* Notes what memory is in use, while the session is open. */
void drt_eval_note_memory(drt_eval_state *run);
/* Sets the report's medians and intervals. */
void drt_eval_sum_up(drt_eval_state *run);

/* space.c: bytes that a library of so many tokens takes on disk, its source text included. */
int64_t drt_eval_disk_bytes(const drt_config *config, drt_memory_type type, int64_t tokens);

#endif
