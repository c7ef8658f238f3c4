/* facts.h: facts in sentences, with a question each, and pass keys. The sentence patterns are those that the bundled model
 * was trained with. May use: base, session/sample.h. */
#ifndef DRT_EVAL_FACTS_H
#define DRT_EVAL_FACTS_H

#include "engine/base/buffer.h"
#include "engine/session/sample.h"

#define DRT_FACT_SENTENCES 2 /* at most */

typedef struct {
    const char *kind; /* "number", "two-hop box", ...; "passkey" */
    drt_string sentences[DRT_FACT_SENTENCES];
    size_t n_sentences; /* 2: the answer stands in the second, which only the first leads to */
    drt_string question, answer;
} drt_fact;

/* Makes facts for one library: names of people, numbers of boxes and a town's things do not repeat, so each question has
 * one answer. Made for DRT_EVAL_NEEDLES facts at most: towns have 900 things in all, and one fact in eight needs one. */
typedef struct {
    drt_random random;
    drt_string *used;
    size_t n_used;
} drt_fact_maker;

void drt_fact_maker_open(drt_fact_maker *maker, uint64_t seed);
void drt_fact_maker_close(drt_fact_maker *maker);

/* A fact of any kind but a pass key, every kind as likely as any other. DRT_FATAL: out of memory. */
drt_status drt_fact_make(drt_context *context, drt_fact_maker *maker, drt_fact *fact);
/* A pass key, which names nobody: one at a time in a library. */
drt_status drt_fact_make_pass_key(drt_context *context, drt_fact_maker *maker, drt_fact *fact);
void drt_fact_clear(drt_fact *fact);

#endif
