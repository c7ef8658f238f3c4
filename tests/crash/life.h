/* life.h: a library's life in six steps with a model of a few thousand weights, and all that a reader finds in it
 * after each: what tests of failing files and of lost power compare with. */
#ifndef DRT_TESTS_CRASH_LIFE_H
#define DRT_TESTS_CRASH_LIFE_H

#include "engine/base/buffer.h"

typedef enum {
    LIFE_MAKE,    /* a new library from a folder of texts, with one of Word's and a PDF */
    LIFE_CHANGE,  /* the folder again, one text changed and one new */
    LIFE_SYNC,    /* the folder again, one document changed, and one vanished and with it from the library */
    LIFE_REMOVE,  /* a document is taken out */
    LIFE_COMPACT, /* and its memory given back */
    LIFE_ASK,     /* an answer is stored */
    LIFE_STEPS
} life_step;

typedef struct {
    char folder[64], disk[80], library[96]; /* disk: watched by file_calls.h, with the library in it alone */
    drt_context *context;
    char warnings[4096];
    char losses[1024]; /* of the last step: a line with the reason of each member that is not wholly in */
    drt_device *device;
    drt_model *model;
    drt_buffer word, new_word, pdf; /* files */
    /* After so many steps: every document's path, text, landmarks and memory, and every session. */
    drt_buffer states[LIFE_STEPS + 1];
    drt_buffer half_synced; /* in the midst of LIFE_SYNC: what changed is in, what vanished is not out */
} life;

/* Fails the test when it can't be set up. states are empty. */
void life_open(life *l);
void life_close(life *l);

/* Opens the library, takes the step, closes it. */
drt_status life_take(life *l, life_step step);
/* Opens the library to write, which puts right what an interruption left behind, and closes it. */
drt_status life_mend(life *l);
/* Takes all steps, keeps the states and a copy of the library after each. */
void life_take_all(life *l);
/* Makes the disk what it was after so many steps; 0: empty. */
void life_go_back(life *l, int n_steps);

/* Is there a catalog? */
bool life_has_library(const life *l);
/* What is in the library, which must verify. */
void life_read(life *l, drt_library_mode mode, drt_buffer *state);
/* The number of the state that the library is in: first or the one after it; fails the test when in neither. In the midst
 * of LIFE_SYNC is before it. where: says what was done. Without a catalog: 0. */
int life_expect(life *l, drt_library_mode mode, int first, const char *where);

/* A test for each step, whose state points to the step, and both functions around all of them; returns cmocka's result. */
int life_run_steps(void (*test)(void **state), int (*set_up)(void **state), int (*tear_down)(void **state));

/* Empties the folder. */
void life_empty(const char *folder);

#endif
