/* network.h: the forward pass, as two streams over a model.
 *
 * The reference (drt_reference.py) runs whole sequences; an engine sees slots arrive in pieces. Both
 * streams here give what the reference gives for all slots so far, however they were cut: window
 * keys and values carry over between calls. A slot attends within its segment only.
 *
 *   encoder stream   lower layers + chunk encoder: tokens of documents -> landmarks and y_c. Ingest.
 *   reader stream    the whole network over questions and answers, attending to retrieved chunks.
 *
 * Shapes: n slots, S = chunk_size, d = d_model, G groups, K = top_k. All floats are fp32 host memory
 * unless said otherwise. May use: base, model.h, memory.h, kernels.
 */
#ifndef DRT_NETWORK_NETWORK_H
#define DRT_NETWORK_NETWORK_H

#include "engine/network/memory.h"
#include "engine/network/model.h"
#include "engine/network/plan.h"

/* ----------------------------------------------------------------------------- encoder ---- */

typedef struct drt_encoder drt_encoder;

/* max_slots: most slots of one call (a multiple of S). Everything is allocated here. */
drt_status drt_encoder_new(drt_context *context, drt_model *model, int max_slots, drt_encoder **encoder);
void drt_encoder_free(drt_encoder *encoder);
drt_room drt_encoder_room(const drt_model *model, int max_slots);

/* tokens, segment (n_slots), n_slots a multiple of S, landmarks in every S-th slot. Writes for each
 * of the n_slots/S chunks its landmark (d) = y at slot S-1, and y (S,d) after encoder_out_norm, slot
 * S-1 included (memory.h zeroes it when quantising). Segments are numbered as the caller likes;
 * equal numbers on both sides of a call continue the same document. */
drt_status drt_encoder_run(drt_context *context, drt_encoder *encoder, const int32_t *tokens, const int32_t *segment,
                           int n_slots, float *landmarks, float *y);

/* ---------------------------------------------------------------------- record encoder ---- */

/* The encoder stream with results as the library stores them, in the fastest way that the model's device has. */
typedef struct drt_record_encoder drt_record_encoder;

drt_status drt_record_encoder_new(drt_context *context, drt_model *model, drt_memory_type type,
                                  drt_record_encoder **encoder);
void drt_record_encoder_free(drt_record_encoder *encoder);
/* Chunks of a call, where memory allows, and what an encoder for n of them takes with the batches of an ingest. The model
 * needs its device, but no weights. */
int drt_record_encoder_most(const drt_model *model, drt_memory_type type);
drt_room drt_record_encoder_room(const drt_model *model, drt_memory_type type, int n_chunks);
/* Most chunks of one call; calls with fewer are slower a chunk. */
int drt_record_encoder_chunks(const drt_record_encoder *encoder);

#define DRT_RECORD_BATCHES 4 /* of an ingest: one is encoded, one written, two wait */

/* Results of one call, in host memory that the device writes fast. Several can be in use at once: one is filled while
 * another is written to disk. */
typedef struct {
    uint16_t *landmarks; /* (max chunks,d) fp16 */
    uint8_t *records;    /* max chunks, as memory.h has them */
} drt_record_batch;

drt_status drt_record_batch_new(drt_context *context, const drt_record_encoder *encoder, drt_record_batch **batch);
/* Before its encoder is freed; NULL does nothing. */
void drt_record_batch_free(const drt_record_encoder *encoder, drt_record_batch *batch);

/* As drt_encoder_run, for n_chunks chunks; segments are numbered from 0, and one that ended does not return. */
drt_status drt_record_encoder_run(drt_context *context, drt_record_encoder *encoder, const int32_t *tokens,
                                  const int32_t *segment, int n_chunks, drt_record_batch *batch);

/* ------------------------------------------------------------------------------ reader ---- */

/* What one group retrieved at one landmark of a lane. */
typedef struct {
    int n;                      /* chunks retrieved, 0..K */
    const float *weights;       /* (n) softmaxed scores */
    drt_memory_type type;       /* of the records */
    const void *const *records; /* (n) chunk memory as the library stores it (memory.h); the null slot reads as zero */
} drt_retrieved;

/* Called by the reader at each landmark slot, once a group and in group order: query (d) =
 * query_norm[g](x at the landmark), group 1's after group 0's layers have run. Lanes that stand at a landmark in one
 * run are asked for one after the other, group by group. Fills *out; the pointers must stay valid until the next call
 * for the same lane and group. step counts the lane's landmarks from 0. */
typedef drt_status (*drt_retrieve_fn)(void *user, drt_context *context, int lane, int step, int group,
                                      const float *query, drt_retrieved *out);

/* A reader runs several lanes side by side: independent sequences of slots, each with its own position, window,
 * segment and retrievals. Weights are read once for all lanes of a run. */
typedef struct drt_reader drt_reader;

/* max_slots: most slots of a lane in one run. Everything is allocated here. */
drt_status drt_reader_new(drt_context *context, drt_model *model, int n_lanes, int max_slots, drt_retrieve_fn retrieve,
                          void *user, drt_reader **reader);
void drt_reader_free(drt_reader *reader);
/* How many lanes, at most `most`, fit beside `besides` bytes of the device -> *n; DRT_FATAL with a sentence: none. */
drt_status drt_reader_fit(drt_context *context, const drt_model *model, int most, size_t besides, int *n);
/* What a reader takes. The model needs its device, but no weights. */
drt_room drt_reader_room(const drt_model *model, int n_lanes);
/* Forgets all slots of a lane: the next one is slot 0 of a new segment. */
void drt_reader_reset(drt_reader *reader, int lane);
/* A lane's next slot, at a chunk border, starts another segment: the window no longer shows the slots before it, while
 * steps and the last retrieval go on, as in the reference's sequences of several documents. */
void drt_reader_next_segment(drt_reader *reader, int lane);

/* The next n slots of a lane: tokens with the landmark in every S-th slot, counted from the lane's last reset; any
 * n >= 1 up to max_slots. */
typedef struct {
    int lane;
    const int32_t *tokens; /* (n) */
    int n;
    float *hidden; /* (n,d), written: after final_norm */
    /* (n,G,K,S), or NULL: GCA attention of each slot on each slot of each retrieved chunk (within-chunk softmax, not
     * multiplied with the weights), mean over heads and the group's layers; zero where nothing was retrieved. */
    float *attention;
} drt_reader_item;

/* Adds slots to lanes, at most one item a lane; lanes may stand at different positions. Pieces equal the whole, and a
 * lane among others equals it alone (fp32: within 1e-4 relative, since products of other sizes sum in another order).
 * After a failure the lanes of the run must be reset. */
drt_status drt_reader_run(drt_context *context, drt_reader *reader, const drt_reader_item *items, int n_items);

/* hidden (n,d) -> logits (n,vocab). */
drt_status drt_reader_logits(drt_context *context, drt_reader *reader, const float *hidden, int n, float *logits);

#endif
