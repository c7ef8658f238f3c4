/* reader.h: inside of the reader stream (network.h): a run's rounds, and the two ways to compute one.
 *
 * A run is divided into rounds. In each, lanes that have slots left go on by those that read one retrieval: such a part
 * ends where a new retrieval begins to be read (every S slots: at the landmark, or the slot after it in the paper's
 * variant). The parts of a round lie behind each other as its rows, so that products are done for all lanes at once.
 * May use: network.h, layers.h, kernels/backend.h. */
#ifndef DRT_NETWORK_READER_H
#define DRT_NETWORK_READER_H

#include "engine/network/layers.h"
#include "engine/network/network.h"

/* A lane's slots of one round: rows first .. first+n-1. */
typedef struct {
    const drt_reader_item *item;
    int first, n;
    int done;                /* slots of the item in earlier rounds */
    int64_t position, start; /* of its first slot in the lane, and where its segment began */
    int landmark;            /* its row, or -1 */
} drt_reader_part;

typedef struct {
    const drt_reader_part *parts;
    int n_parts, n_rows;
    const int32_t *tokens; /* (n_rows) */
    bool trace;            /* attention is wanted */
} drt_reader_round;

typedef struct drt_composed_reader drt_composed_reader;
typedef struct drt_fused_reader drt_fused_reader;

struct drt_reader {
    drt_model *model;
    int n_lanes, max_slots, max_rows; /* max_rows: of a round */
    drt_retrieve_fn retrieve;
    void *user;
    drt_composed_reader *composed; /* one of these two is there */
    drt_fused_reader *fused;
    struct {
        int64_t position, start; /* slots since the reset, and at the start of the segment */
    } * lanes;
    drt_reader_part *parts; /* (n_lanes) of the running round */
    int32_t *tokens;        /* (max_rows) */
    int *done;              /* (n_lanes) slots of the items */
    float *rows, *logits;   /* (S,d), (S,vocab) backend memory: of the output head */
};

/* Floats of a slot's attention: G x K x S. */
size_t drt_reader_attention_width(const drt_config *config);
/* Asks for what group g retrieves at a part's landmark. */
drt_status drt_reader_ask(drt_context *context, const drt_reader *reader, const drt_reader_part *part, int group,
                          const float *query, drt_retrieved *found);

/* Composed of the backend's operations in fp32: any model, any backend. */
drt_status drt_composed_reader_new(drt_context *context, drt_model *model, int n_lanes, int max_rows,
                                   drt_composed_reader **composed);
drt_room drt_composed_reader_room(const drt_model *model, int n_lanes, int max_rows);
void drt_composed_reader_free(drt_composed_reader *composed);
void drt_composed_reader_reset(drt_composed_reader *composed, int lane);
/* Writes the parts' hidden and attention to their items. */
drt_status drt_composed_reader_run(drt_context *context, const drt_reader *reader, const drt_reader_round *round);

/* The backend's reader stream as one set of operations; *fused is NULL where it has none, or not for this model. */
drt_status drt_fused_reader_new(drt_context *context, drt_model *model, int n_lanes, int max_rows,
                                drt_fused_reader **fused);
/* Bytes of the device; 0: the backend does not take this model. */
size_t drt_fused_reader_room(const drt_model *model, int n_lanes, int max_rows);
void drt_fused_reader_free(drt_fused_reader *fused);
void drt_fused_reader_reset(drt_fused_reader *fused, int lane);
drt_status drt_fused_reader_run(drt_context *context, const drt_reader *reader, const drt_reader_round *round);

#endif
