/* attention.h: which tokens of a passage an answer's token looked at. May use: model.h. */
#ifndef DRT_UI_ATTENTION_H
#define DRT_UI_ATTENTION_H

#include "ui/model.h"

#define ATTENTION_TOP 12 /* slots looked at most that are told */

typedef enum {
    ATTENTION_KNOWN,
    ATTENTION_NO_TOKENS,    /* no answer yet, or an empty one */
    ATTENTION_NOT_RECORDED, /* a session stored without */
    ATTENTION_NO_RANGES,    /* which bytes the slots stand for is not known */
    ATTENTION_OTHER_STEP,   /* the token was written with another step's passages */
    ATTENTION_NOWHERE       /* all of it fell on nothing, here and in the group's other hits */
} attention_state;

/* Of the current place's token on its hit. Shares are of the group's whole attention, 0..1. */
typedef struct {
    int n_slots;            /* that have a range; 0 unless KNOWN */
    const drt_range *slots; /* (n_slots) of the hit */
    const uint8_t *shares;  /* (n_slots) 0..255 */
    float here;             /* on the words of this hit */
    float largest;          /* on one range of text, in any hit of the event: the strongest shade */
    int top[ATTENTION_TOP]; /* first slots of the ranges looked at most, in order; -1 past the end */
} attention;

attention_state attention_of(const ui_model *model, attention *out);
/* Of the range that the slot stands for: slots that share one are summed. */
float attention_share(const attention *in, int slot);
/* The same, 1 for the strongest one in the event. */
float attention_shade(const attention *in, int slot);

#endif
