/* ranking.c: interleaving, weights, bit sets. See ranking.h. */
#include "engine/session/ranking.h"

#include <math.h>

static int append_new(int64_t *out, int n, int capacity, int64_t chunk) {
    for (int i = 0; i < n; i++)
        if (out[i] == chunk)
            return n;
    if (n < capacity)
        out[n++] = chunk;
    return n;
}

int drt_rank_interleave(const int64_t *a, int n_a, const int64_t *b, int n_b, int capacity, int64_t *out) {
    int n = 0;
    for (int i = 0; i < n_a || i < n_b; i++) {
        if (i < n_a)
            n = append_new(out, n, capacity, a[i]);
        if (i < n_b)
            n = append_new(out, n, capacity, b[i]);
    }
    return n;
}

void drt_rank_weights(const float *scores, int n, float *weights) {
    float largest = -INFINITY, sum = 0;
    for (int i = 0; i < n; i++)
        largest = fmaxf(largest, scores[i]);
    for (int i = 0; i < n; i++)
        sum += weights[i] = expf(scores[i] - largest);
    for (int i = 0; i < n; i++)
        weights[i] /= sum;
}

static int count_ones(uint64_t word) {
    return __builtin_popcountll(word);
}

int64_t drt_bits_count(const uint64_t *bits, int64_t n) {
    int64_t count = 0;
    for (size_t i = 0; i < drt_bit_words(n); i++)
        count += count_ones(bits[i]);
    return count;
}

/* Position of the set bit with `before` set ones below it; there is one. */
static int64_t find_set_bit(const uint64_t *bits, uint64_t before) {
    size_t word = 0;
    for (; before >= (uint64_t)count_ones(bits[word]); word++)
        before -= (uint64_t)count_ones(bits[word]);
    uint64_t left = bits[word];
    while (before-- > 0)
        left &= left - 1;
    return (int64_t)word * 64 + __builtin_ctzll(left);
}

int drt_bits_draw(uint64_t *bits, int64_t n, int wanted, drt_random *random, int64_t *out) {
    int64_t left = drt_bits_count(bits, n);
    int drawn = 0;
    for (; drawn < wanted && left > 0; drawn++, left--) {
        int64_t chunk = find_set_bit(bits, drt_random_below(random, (uint64_t)left));
        bits[chunk / 64] &= ~(UINT64_C(1) << (chunk % 64));
        out[drawn] = chunk;
    }
    return drawn;
}
