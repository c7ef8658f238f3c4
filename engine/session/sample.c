/* sample.c: greedy and top-p choice of the next token, and the random numbers for it. See sample.h. */
#include "engine/session/sample.h"

#include <math.h>
#include <stdlib.h>

void drt_random_seed(drt_random *random, uint64_t seed, drt_random_use use) {
    random->state = use;
    random->state = drt_random_next(random) ^ seed;
}

uint64_t drt_random_next(drt_random *random) {
    uint64_t z = random->state += 0x9E3779B97F4A7C15u;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
    z = (z ^ z >> 27) * 0x94D049BB133111EBu;
    return z ^ z >> 31;
}

uint64_t drt_random_below(drt_random *random, uint64_t bound) {
    /* Numbers below 2^64 mod bound would make the lower remainders likelier: draw again. */
    uint64_t smallest = (0 - bound) % bound;
    uint64_t number;
    do
        number = drt_random_next(random);
    while (number < smallest);
    return number % bound;
}

double drt_random_unit(drt_random *random) {
    return (double)(drt_random_next(random) >> 11) * 0x1p-53;
}

int32_t drt_sample_greedy(const float *logits, int n) {
    int32_t best = 0;
    for (int32_t i = 1; i < n; i++)
        if (logits[i] > logits[best])
            best = i;
    return best;
}

/* Likeliest first; ties to the lower id. */
static int compare_candidates(const void *a, const void *b) {
    const drt_candidate *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Keeps the nucleus: sorted, the first candidates whose shares reach top_p of total. Returns how
 * many and their sum. But for the likeliest, whose share is 1, a token below (1 - top_p) / (n - 1) of
 * the total is not in it: all tokens from there on together are less than what top_p leaves out. So
 * few need sorting. */
static int keep_nucleus(drt_candidate *candidates, int n, float top_p, double *total) {
    double least = n > 1 ? fmin(1, *total * (1 - (double)top_p) / (n - 1)) : 0;
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (candidates[i].share >= least)
            candidates[kept++] = candidates[i];
    qsort(candidates, (size_t)kept, sizeof *candidates, compare_candidates);
    double sum = 0, wanted = *total * (double)top_p;
    for (int i = 0; i < kept; i++) {
        sum += candidates[i].share;
        if (sum >= wanted) {
            kept = i + 1;
            break;
        }
    }
    *total = sum;
    return kept;
}

int32_t drt_sample_top_p(const float *logits, int n, float temperature, float top_p, drt_random *random,
                         drt_candidate *candidates) {
    double largest = logits[drt_sample_greedy(logits, n)], total = 0;
    for (int32_t i = 0; i < n; i++) {
        candidates[i] = (drt_candidate){exp((logits[i] - largest) / temperature), i};
        total += candidates[i].share;
    }
    if (top_p < 1)
        n = keep_nucleus(candidates, n, top_p, &total);
    double left = drt_random_unit(random) * total;
    for (int i = 0; i < n - 1; i++) {
        left -= candidates[i].share;
        if (left < 0)
            return candidates[i].id;
    }
    return candidates[n - 1].id;
}
