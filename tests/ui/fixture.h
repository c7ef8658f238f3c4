/* fixture.h: a front with a small library and an answer, made from literals: what views are tested with. */
#ifndef DRT_TESTS_UI_FIXTURE_H
#define DRT_TESTS_UI_FIXTURE_H

#include "ui/front.h"

/* What went out of the front last, and how often. */
typedef struct {
    ui_action last;
    char text[256]; /* its text */
    size_t count;
} fixture_outside;

/* The front of an open, empty library "town.drt". Actions that leave it are noted in `outside`. */
void fixture_open(front *state, fixture_outside *outside);
/* Nine documents, some in an archive, one partial, one skipped, names in several scripts; 64 chunks. */
void fixture_documents(front *state);
/* A turn with a whole trace: 2 steps, 2 groups, 4 hits each of chunks of 8 slots, attention, BM25, histograms; and its
 * first hit's passage. */
void fixture_answer(front *state);
/* Such an answer alone; drt_answer_free it. */
drt_answer *fixture_trace(void);

void fixture_press(front *state, ui_key key);
void fixture_type(front *state, const char *text); /* ASCII */
/* Does the front, drawn at this size, show the text on one row? */
bool fixture_shows(front *state, int rows, int columns, const char *text);

#endif
