/* trace.c: null masses and stored attention. See trace.h. */
#include "engine/session/trace.h"

#include <math.h>

int drt_step_read_at(const drt_config *config, int slot) {
    int first = config->landmark_reads_own_retrieval ? config->chunk_size - 1 : config->chunk_size;
    return slot < first ? -1 : (slot - first) / config->chunk_size;
}

/* Sum over hits of weight x share of the null slot, the last of a chunk. attention (K,S). */
static float null_share(const drt_event *event, const float *attention, int top_k, int chunk_size) {
    float sum = 0;
    for (int k = 0; k < top_k && (size_t)k < event->n_hits; k++)
        sum += event->hits[k].weight * attention[(k + 1) * chunk_size - 1];
    return sum;
}

void drt_null_mass_add(const drt_config *config, drt_event *events, const float *attention, int before) {
    int per_group = config->top_k * config->chunk_size;
    for (int g = 0; g < config->n_groups; g++) {
        drt_event *event = &events[g];
        if (event->n_hits == 0)
            continue;
        float share = null_share(event, attention + g * per_group, config->top_k, config->chunk_size);
        event->null_mass = before == 0 ? share : event->null_mass + (share - event->null_mass) / (float)(before + 1);
    }
}

void drt_attention_quantise(const float *attention, size_t n, uint8_t *out) {
    for (size_t i = 0; i < n; i++)
        out[i] = (uint8_t)lrintf(fminf(fmaxf(attention[i], 0), 1) * 255);
}
