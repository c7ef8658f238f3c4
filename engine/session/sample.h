/* sample.h: which token comes next: greedy, or temperature and top-p with a seed.
 * May use: libc. */
#ifndef DRT_SESSION_SAMPLE_H
#define DRT_SESSION_SAMPLE_H

#include <stdint.h>

/* SplitMix64: 64 bits of state, one 64-bit number a step. Integer arithmetic only, so a seed gives
 * the same numbers on every machine. */
typedef struct {
    uint64_t state;
} drt_random;

/* Each use has numbers of its own: what is retrieved at random does not shift what is sampled. */
typedef enum {
    DRT_RANDOM_SAMPLING = 1,
    DRT_RANDOM_RETRIEVAL = 2,
    DRT_RANDOM_FACTS = 3,  /* of an evaluation: names and wordings, */
    DRT_RANDOM_PLACES = 4, /* where they are planted, */
    DRT_RANDOM_HAY = 5     /* and the order of paragraphs */
} drt_random_use;

void drt_random_seed(drt_random *random, uint64_t seed, drt_random_use use);
uint64_t drt_random_next(drt_random *random);
/* Uniform in [0, bound), without bias. bound > 0. */
uint64_t drt_random_below(drt_random *random, uint64_t bound);
/* Uniform in [0, 1): the 53 upper bits. */
double drt_random_unit(drt_random *random);

/* The id of the largest logit; ties go to the lower id. n > 0. */
int32_t drt_sample_greedy(const float *logits, int n);

typedef struct {
    double share; /* unnormalised probability */
    int32_t id;
} drt_candidate;

/* Draws from softmax(logits / temperature), cut to the smallest set of likeliest tokens whose
 * probabilities reach top_p. temperature > 0; 0 < top_p <= 1. candidates: room for n. */
int32_t drt_sample_top_p(const float *logits, int n, float temperature, float top_p, drt_random *random,
                         drt_candidate *candidates);

#endif
