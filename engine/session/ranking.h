/* ranking.h: the arithmetic of retrieval: interleaving, weights, bit sets of chunks. Knows neither library nor network.
 * May use: libc, sample.h. */
#ifndef DRT_SESSION_RANKING_H
#define DRT_SESSION_RANKING_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/session/sample.h"

/* a[0], b[0], a[1], b[1], ... without what was there already, cut at capacity -> out; returns how many. */
int drt_rank_interleave(const int64_t *a, int n_a, const int64_t *b, int n_b, int capacity, int64_t *out);

/* softmax of n scores -> weights. n may be 0. */
void drt_rank_weights(const float *scores, int n, float *weights);

/* Bit sets of chunks: bit c % 64 of word c / 64. */
static inline bool drt_bit_get(const uint64_t *bits, int64_t i) {
    return bits[i / 64] >> (i % 64) & 1;
}
static inline size_t drt_bit_words(int64_t n) {
    return (size_t)(n + 63) / 64;
}
int64_t drt_bits_count(const uint64_t *bits, int64_t n);
/* Draws `wanted` distinct set bits of bits (n), each equally likely, in the order drawn -> out, and
 * clears them. Returns how many there were, at most `wanted`. */
int drt_bits_draw(uint64_t *bits, int64_t n, int wanted, drt_random *random, int64_t *out);

#endif
