/* ranking.c: best lists, interleaving, weights, histograms, bit sets. See ranking.h. */
#include "engine/session/ranking.h"

#include <math.h>
#include <stdlib.h>

static bool ranks_before(drt_ranked a, drt_ranked b) {
    return a.score > b.score || (a.score == b.score && a.chunk < b.chunk);
}

static void swap_items(drt_ranked *a, drt_ranked *b) {
    drt_ranked kept = *a;
    *a = *b;
    *b = kept;
}

static void sift_up(drt_ranked *items, int at) {
    while (at > 0 && ranks_before(items[(at - 1) / 2], items[at])) {
        swap_items(&items[(at - 1) / 2], &items[at]);
        at = (at - 1) / 2;
    }
}

static void sift_down(drt_ranked *items, int n) {
    for (int at = 0, child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n && ranks_before(items[child], items[child + 1]))
            child++;
        if (!ranks_before(items[at], items[child]))
            return;
        swap_items(&items[at], &items[child]);
    }
}

void drt_best_add(drt_best *best, int64_t chunk, float score) {
    drt_ranked item = {chunk, score};
    if (best->n < best->capacity) {
        best->items[best->n] = item;
        sift_up(best->items, best->n++);
    } else if (best->n > 0 && ranks_before(item, best->items[0])) {
        best->items[0] = item;
        sift_down(best->items, best->n);
    }
}

static int compare_ranked(const void *a, const void *b) {
    const drt_ranked *x = a, *y = b;
    return ranks_before(*x, *y) ? -1 : ranks_before(*y, *x);
}

void drt_best_sort(drt_best *best) {
    if (best->n > 1)
        qsort(best->items, (size_t)best->n, sizeof *best->items, compare_ranked);
}

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

int drt_rank_bin(float score, float low, float high, int bins) {
    if (!(high > low))
        return 0;
    int bin = (int)((double)(score - low) / (double)(high - low) * bins);
    return bin < 0 ? 0 : bin < bins ? bin : bins - 1;
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
