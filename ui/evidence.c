/* evidence.c: see evidence.h. */
#include "ui/evidence.h"

static const drt_hit *hit_of(const drt_answer *trace, const evidence *one) {
    return &trace_event(trace, one->place.step, one->place.group)->hits[one->place.hit];
}

/* Puts a hit in its place by weight; of a chunk that is there already the heavier one stays. */
static size_t insert(const drt_answer *trace, evidence *list, size_t n, evidence one) {
    int64_t chunk = hit_of(trace, &one)->chunk;
    size_t at = 0;
    while (at < n && list[at].weight >= one.weight)
        if (hit_of(trace, &list[at++])->chunk == chunk)
            return n;
    size_t end = at;
    while (end < n && hit_of(trace, &list[end])->chunk != chunk)
        end++;
    if (end == n && n < EVIDENCE_MAX)
        n++;
    for (size_t i = end < n ? end : n - 1; i > at; i--)
        list[i] = list[i - 1];
    if (at < n)
        list[at] = one;
    return n;
}

/* Attention of a token on the text of a hit: all slots but the null slot. */
static int attention_on(const drt_answer *trace, size_t token, const trace_place *place) {
    const uint8_t *slots = trace_attention(trace, token, place->group, place->hit);
    int sum = 0;
    for (int i = 0; slots && i + 1 < trace->chunk_size; i++)
        sum += slots[i];
    return sum;
}

/* The end of the word that byte `at` stands in or behind. */
static int64_t word_end(const drt_string *text, int64_t at) {
    while (at < (int64_t)text->length && text->data[at] != ' ' && text->data[at] != '\n')
        at++;
    return at;
}

static void locate(const drt_answer *trace, evidence *one) {
    int most = 0;
    one->at = EVIDENCE_NOWHERE;
    for (size_t i = 0; i < trace->n_tokens; i++) {
        int here = trace->token_steps[i] == one->place.step ? attention_on(trace, i, &one->place) : 0;
        if (here > most) {
            most = here;
            one->place.token = i;
            one->at = word_end(&trace->answer, trace->token_ends[i]);
        }
    }
}

size_t evidence_of(const drt_answer *trace, evidence out[EVIDENCE_MAX]) {
    size_t n = 0;
    for (size_t e = 0; e < trace->n_events; e++) {
        const drt_event *event = &trace->events[e];
        for (size_t h = 0; h < event->n_hits; h++)
            if (event->hits[h].weight >= EVIDENCE_WEIGHT)
                n = insert(trace, out, n,
                           (evidence){.place = {.step = event->step, .group = event->group, .hit = h},
                                      .weight = event->hits[h].weight});
    }
    for (size_t i = 0; i < n; i++)
        locate(trace, &out[i]);
    return n;
}
