/* trace.h: which retrieval a slot reads, and the attention of the slots that predict tokens.
 * May use: drt.h. */
#ifndef DRT_SESSION_TRACE_H
#define DRT_SESSION_TRACE_H

#include "engine/drt.h"

/* The step whose chunks slot `slot` of a segment reads; -1: none yet. */
int drt_step_read_at(const drt_config *config, int slot);

/* Adds a predicting slot to its step's null masses: the mean over these slots of sum over hits of
 * weight x attention on the null slot. events (G): the step's; attention (G,K,S): the slot's;
 * before: predicting slots of this step so far. Events without hits keep 1. */
void drt_null_mass_add(const drt_config *config, drt_event *events, const float *attention, int before);

/* Shares in 0..1 -> 0..255, rounded. */
void drt_attention_quantise(const float *attention, size_t n, uint8_t *out);

#endif
