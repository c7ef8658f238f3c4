/* encoder.c: the encoder alone, as an ingest uses it: token ids in, landmarks and records in host memory out. */
#include <stdlib.h>

#include "engine/bench/bench.h"
#include "engine/network/network.h"

#define CHUNKS_OF_A_DOCUMENT 100
#define MOST_ROUNDS 1000

typedef struct {
    drt_context *context;
    const drt_config *config;
    drt_record_encoder *encoder;
    drt_record_batch *batch;
    int32_t *tokens, *segment;
    int n_chunks;
    int32_t next_segment;
} encoding;

/* Chunks of documents: tokens of text, a landmark behind every 63. */
static void fill_tokens(encoding *e) {
    int S = e->config->chunk_size, text = e->config->vocab_size - DRT_TOKEN_CONTROLS;
    uint64_t state = 1;
    for (int i = 0; i < e->n_chunks * S; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        e->tokens[i] =
            i % S == S - 1 ? DRT_TOKEN_LANDMARK : DRT_TOKEN_CONTROLS + (int32_t)((state >> 33) % (uint64_t)text);
    }
}

/* Every call has documents of its own. */
static drt_status encode(encoding *e) {
    int S = e->config->chunk_size;
    for (int i = 0; i < e->n_chunks * S; i++)
        e->segment[i] = e->next_segment + i / (S * CHUNKS_OF_A_DOCUMENT);
    e->next_segment += e->n_chunks / CHUNKS_OF_A_DOCUMENT + 1;
    return drt_record_encoder_run(e->context, e->encoder, e->tokens, e->segment, e->n_chunks, e->batch);
}

static drt_status open_encoding(encoding *e, drt_model *model) {
    drt_status status = drt_record_encoder_new(e->context, model, DRT_MEMORY_INT8, &e->encoder);
    if (status == DRT_OK)
        status = drt_record_batch_new(e->context, e->encoder, &e->batch);
    if (status != DRT_OK)
        return status;
    e->n_chunks = drt_record_encoder_chunks(e->encoder);
    size_t slots = (size_t)e->n_chunks * (size_t)e->config->chunk_size;
    e->tokens = malloc(slots * sizeof *e->tokens);
    e->segment = malloc(slots * sizeof *e->segment);
    if (!e->tokens || !e->segment)
        return drt_fail_memory(e->context, "the encoder's tokens");
    fill_tokens(e);
    return encode(e); /* not counted: it touches the buffers' pages */
}

drt_status drt_bench_encoder_rate(drt_context *context, drt_model *model, double seconds, double *rate) {
    encoding e = {.context = context, .config = &model->config};
    double times[MOST_ROUNDS];
    size_t rounds = 0;
    drt_status status = open_encoding(&e, model);
    for (double start = drt_bench_clock(), now = start; status == DRT_OK && rounds < MOST_ROUNDS;) {
        double before = now;
        status = drt_cancelled(context) ? drt_bench_cancelled(context) : encode(&e);
        now = drt_bench_clock();
        times[rounds++] = now - before;
        if (now - start > seconds)
            break;
    }
    if (status == DRT_OK)
        *rate = e.n_chunks * (double)(e.config->chunk_size - 1) / drt_bench_median(times, rounds);
    drt_record_batch_free(e.encoder, e.batch);
    drt_record_encoder_free(e.encoder);
    free(e.tokens);
    free(e.segment);
    return status;
}
