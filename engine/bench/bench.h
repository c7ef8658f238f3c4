/* bench.h: what the benchmarks share. The benchmarks themselves are public: drt.h.
 * May use: base, network, library, session. */
#ifndef DRT_BENCH_BENCH_H
#define DRT_BENCH_BENCH_H

#include "engine/base/buffer.h"
#include "engine/network/model.h"

/* DRT_FAILED, and the sentence that says so (process.c). */
drt_status drt_bench_cancelled(drt_context *context);

/* flops.c: FLOP of one slot in an ingest (lower layers and chunk encoder; a product of m x n x k counts
 * 2mnk), with the window full. */
double drt_bench_slot_flops(const drt_config *config);
/* flops.c: FLOP/s of the device's matrix products with one lower layer's weights and n_slots slots, median of about
 * `seconds`. */
drt_status drt_bench_gemm_rate(drt_context *context, drt_model *model, int n_slots, double seconds, double *rate);

/* batch.c: asks n different questions at once, of at most max_tokens tokens: questions a second. */
drt_status drt_bench_batch(drt_context *context, drt_session *session, int n, int max_tokens, double *rate);

/* encoder.c: tokens of text that the encoder alone makes to records in host memory a second, in full batches, median of
 * about `seconds`. */
drt_status drt_bench_encoder_rate(drt_context *context, drt_model *model, double seconds, double *rate);

/* process.c: bytes of resident memory: the most so far, and what no file backs now. 0: not known here. */
void drt_bench_memory(int64_t *peak, int64_t *anonymous);
bool drt_bench_is_gpu(const drt_model *model); /* process.c: is the model's device one? */
/* process.c: bytes of the device's own memory that are in use, by whomever; 0: not known, or it has none of its own. */
int64_t drt_bench_device_memory(const drt_model *model);
double drt_bench_clock(void); /* seconds, monotonic */
/* The middle one of n >= 1; sorts values. */
double drt_bench_median(double *values, size_t n);

/* scratch.c: a new folder in `directory`, removed with all that is in it. */
drt_status drt_bench_scratch_new(drt_context *context, const char *directory, drt_string *path);
/* DRT_FAILED: `directory` has less than that free, or is none. */
drt_status drt_bench_check_space(drt_context *context, const char *directory, int64_t bytes);
drt_status drt_bench_make_folder(drt_context *context, const char *path);
void drt_bench_scratch_remove(drt_string *path); /* frees it too; {0} is fine */

#define DRT_BENCH_COMMON_WORDS 64

/* text.c: appends n_words words in sentences and paragraphs, different with every seed. vocabulary: how many different
 * words, all about as often; up to DRT_BENCH_COMMON_WORDS they are common English ones, further ones are made up. */
bool drt_bench_text(drt_buffer *text, int64_t n_words, int vocabulary, uint64_t seed);

#endif
