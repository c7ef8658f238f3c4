/* plant.h: needles: facts and where their sentences are hidden. May use: base, library, facts.h, hay.h. */
#ifndef DRT_EVAL_PLANT_H
#define DRT_EVAL_PLANT_H

#include "engine/eval/facts.h"
#include "engine/eval/hay.h"

/* One sentence of a fact. */
typedef struct {
    const drt_string *sentence;
    double depth;                    /* 0 .. 1 of the whole text */
    int64_t document;                /* number of the file that it was written to */
    int64_t first_chunk, last_chunk; /* those that hold it, once it is in a library */
} drt_place;

typedef struct {
    drt_fact fact;
    drt_place places[DRT_FACT_SENTENCES];
} drt_needle;

/* n facts of one library. Every depth is as likely as any other; the two sentences of a fact are three to seven tenths
 * of the text apart (counted on from its end to its beginning). Free each fact, then the array. */
drt_status drt_needles_make(drt_context *context, uint64_t seed, size_t n, drt_needle **needles);
void drt_needles_free(drt_needle *needles, size_t n);

/* Writes text from the cursor to files hay-0.txt, hay-1.txt, ... in the folder, `tokens` in all, with the needles'
 * sentences at word borders of it. */
drt_status drt_needles_write(drt_context *context, const drt_tokenizer *tokenizer, drt_hay_cursor *cursor,
                             const char *folder, int64_t tokens, drt_needle *needles, size_t n);
/* The sentence at a random word border of a paragraph of about 200 to 2,000 bytes -> *text, owned. */
drt_status drt_needle_wrap(drt_context *context, const drt_hay *hay, drt_random *random, const drt_string *sentence,
                           drt_string *text);

/* Which chunks hold the sentences, once the folder called `name` was ingested. */
drt_status drt_needles_locate(drt_context *context, drt_library *library, const char *name, drt_needle *needles,
                              size_t n);
/* The same for one sentence in the document at `path`. */
drt_status drt_place_locate(drt_context *context, drt_library *library, const char *path, drt_place *place);

#endif
