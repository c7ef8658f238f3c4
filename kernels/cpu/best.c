/* best.c: a heap of the best scores. See best.h. */
#include "kernels/cpu/best.h"

/* Does chunk i stand behind chunk j in the ranking? */
static bool worse(const drt_best *best, int i, int j) {
    return best->scores[i] < best->scores[j] ||
           (best->scores[i] == best->scores[j] && best->chunks[i] > best->chunks[j]);
}

static void swap(drt_best *best, int i, int j) {
    float score = best->scores[i];
    int64_t chunk = best->chunks[i];
    best->scores[i] = best->scores[j];
    best->chunks[i] = best->chunks[j];
    best->scores[j] = score;
    best->chunks[j] = chunk;
}

static void sift_up(drt_best *best, int i) {
    for (; i > 0 && worse(best, i, (i - 1) / 2); i = (i - 1) / 2)
        swap(best, i, (i - 1) / 2);
}

static void sift_down(drt_best *best, int n) {
    for (int i = 0;;) {
        int least = i, left = 2 * i + 1, right = left + 1;
        if (left < n && worse(best, left, least))
            least = left;
        if (right < n && worse(best, right, least))
            least = right;
        if (least == i)
            return;
        swap(best, i, least);
        i = least;
    }
}

void drt_best_offer(drt_best *best, int64_t chunk, float score) {
    bool full = best->n == best->capacity;
    if (score != score || best->capacity == 0 || (full && score < best->scores[0]) ||
        (full && score == best->scores[0] && chunk > best->chunks[0]))
        return;
    int at = full ? 0 : best->n++;
    best->chunks[at] = chunk;
    best->scores[at] = score;
    if (full)
        sift_down(best, best->n);
    else
        sift_up(best, at);
}

/* The worst goes last, again and again. */
void drt_best_sort(drt_best *best) {
    for (int last = best->n - 1; last > 0; last--) {
        swap(best, 0, last);
        sift_down(best, last);
    }
}
