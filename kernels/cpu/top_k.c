/* top_k.c: exact selection of the best scores: a heap of k whose root is the worst kept. */
#include "kernels/cpu/cpu.h"

typedef struct {
    float *values;
    int64_t *indices;
    int n;
} heap;

/* Does a stand behind b in the ranking? Ties: the lower index is better. */
static bool worse(float value_a, int64_t index_a, float value_b, int64_t index_b) {
    return value_a < value_b || (value_a == value_b && index_a > index_b);
}

static void swap(heap *h, int i, int j) {
    float value = h->values[i];
    int64_t index = h->indices[i];
    h->values[i] = h->values[j];
    h->indices[i] = h->indices[j];
    h->values[j] = value;
    h->indices[j] = index;
}

static bool worse_at(const heap *h, int i, int j) {
    return worse(h->values[i], h->indices[i], h->values[j], h->indices[j]);
}

static void sift_up(heap *h, int i) {
    for (; i > 0 && worse_at(h, i, (i - 1) / 2); i = (i - 1) / 2)
        swap(h, i, (i - 1) / 2);
}

static void sift_down(heap *h, int n) {
    for (int i = 0;;) {
        int least = i, left = 2 * i + 1, right = left + 1;
        if (left < n && worse_at(h, left, least))
            least = left;
        if (right < n && worse_at(h, right, least))
            least = right;
        if (least == i)
            return;
        swap(h, i, least);
        i = least;
    }
}

int drt_cpu_top_k(drt_backend *b, const float *scores, int64_t n, const uint64_t *allowed, const uint64_t *dead, int k,
                  int64_t *indices, float *values, int *count) {
    (void)b;
    heap h = {values, indices, 0};
    for (int64_t i = 0; k > 0 && i < n; i++) {
        float score = scores[i];
        if (h.n == k && !(score > values[0])) /* later and no better: also drops NaN */
            continue;
        if ((allowed && !(allowed[i / 64] >> (i % 64) & 1)) || (dead && (dead[i / 64] >> (i % 64) & 1)) ||
            score != score)
            continue;
        if (h.n < k) {
            values[h.n] = score;
            indices[h.n] = i;
            sift_up(&h, h.n++);
        } else {
            values[0] = score;
            indices[0] = i;
            sift_down(&h, h.n);
        }
    }
    /* The worst goes last, again and again. */
    for (int last = h.n - 1; last > 0; last--) {
        swap(&h, 0, last);
        sift_down(&h, last);
    }
    *count = h.n;
    return 0;
}
