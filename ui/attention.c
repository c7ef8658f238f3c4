/* attention.c: see attention.h. */
#include "ui/attention.h"

static bool same_range(const drt_range *a, const drt_range *b) {
    return a->start == b->start && a->end == b->end;
}

/* The bytes of a character that stands for several tokens follow each other. */
static int sum_of_range(const drt_range *slots, const uint8_t *shares, int n, int slot) {
    int sum = 0;
    while (slot > 0 && same_range(&slots[slot - 1], &slots[slot]))
        slot--;
    for (int i = slot; i < n && same_range(&slots[i], &slots[slot]); i++)
        sum += shares[i];
    return sum;
}

float attention_share(const attention *in, int slot) {
    return (float)sum_of_range(in->slots, in->shares, in->n_slots, slot) / 255;
}

float attention_shade(const attention *in, int slot) {
    return in->largest > 0 ? attention_share(in, slot) / in->largest : 0;
}

static bool has_text(const drt_range *range) {
    return range->start < range->end;
}

static int largest_of_hit(const drt_range *slots, const uint8_t *shares, int n) {
    int largest = 0;
    for (int i = 0; i < n; i++) {
        int sum = has_text(&slots[i]) ? sum_of_range(slots, shares, n, i) : 0;
        largest = sum > largest ? sum : largest;
    }
    return largest;
}

/* Insertion keeps the order: there are few. */
static void note_top(attention *out, int slot) {
    float share = attention_share(out, slot);
    if (slot > 0 && same_range(&out->slots[slot - 1], &out->slots[slot]))
        return;
    for (int i = 0; i < ATTENTION_TOP; i++)
        if (out->top[i] < 0 || attention_share(out, out->top[i]) < share) {
            for (int j = ATTENTION_TOP - 1; j > i; j--)
                out->top[j] = out->top[j - 1];
            out->top[i] = slot;
            return;
        }
}

static void look_at_slots(attention *out) {
    int sum = 0;
    for (int i = 0; i < out->n_slots; i++)
        if (has_text(&out->slots[i]) && out->shares[i] > 0) {
            sum += out->shares[i];
            note_top(out, i);
        }
    out->here = (float)sum / 255;
}

attention_state attention_of(const ui_model *model, attention *out) {
    const drt_answer *trace = model_trace(model);
    const drt_event *event = model_event(model);
    const drt_hit *hit = model_hit(model);
    const trace_place *place = &model->place;
    int largest = 0;
    *out = (attention){.n_slots = 0};
    for (int i = 0; i < ATTENTION_TOP; i++)
        out->top[i] = -1;
    if (!trace || !hit || trace->n_tokens == 0)
        return ATTENTION_NO_TOKENS;
    if (!trace->attention)
        return ATTENTION_NOT_RECORDED;
    if (!hit->slots)
        return ATTENTION_NO_RANGES;
    if (trace->token_steps[place->token] != place->step)
        return ATTENTION_OTHER_STEP;
    for (size_t i = 0; i < event->n_hits; i++) {
        const uint8_t *shares = trace_attention(trace, place->token, place->group, i);
        int of_hit =
            shares && event->hits[i].slots ? largest_of_hit(event->hits[i].slots, shares, trace->chunk_size) : 0;
        largest = of_hit > largest ? of_hit : largest;
    }
    out->shares = trace_attention(trace, place->token, place->group, place->hit);
    if (!out->shares || largest == 0)
        return ATTENTION_NOWHERE;
    out->n_slots = trace->chunk_size;
    out->slots = hit->slots;
    out->largest = (float)largest / 255;
    look_at_slots(out);
    return ATTENTION_KNOWN;
}
