/* stored_trace.h: an answer with its trace <-> the bytes in sessions.trace. The bytes hold everything but
 * the question, the answer and the id, which are columns. They are one zstd frame of, little-endian:
 *
 *   u32 version (2); u8 finish, u8 question_cut; f64 first_token_ms, f64 total_ms
 *   strings retriever, device, model        a string: u32 length (2^32-1: none), bytes
 *   u32 n_tokens; n x i32 token; n x i64 end in the answer; n x i32 step
 *   u32 n_groups, u32 top_k, u32 chunk_size
 *   u32 n_events; each: u32 step, u32 group, f32 null_mass, f32 low, f32 high, 64 x u32 histogram,
 *       u32 n_hits; each: i64 chunk, i32 rank, f32 score, f32 weight, i64 document, i64 start, i64 end,
 *                         strings document, title, text; u8 slots there; then chunk_size x
                         (u32 start, u32 end) from the hit's start
 *   u32 n_steps; n x top_k x i64 chunk      BM25's ranking
 *   u8 attention there; then n_tokens x n_groups x top_k x chunk_size bytes
 *
 * Hits carry their text, so a trace outlives its documents. May use: compress.h. */
#ifndef DRT_LIBRARY_STORED_TRACE_H
#define DRT_LIBRARY_STORED_TRACE_H

#include "engine/base/buffer.h"

/* Appends the frame. */
drt_status drt_stored_trace_write(drt_context *context, const drt_answer *answer, drt_buffer *frame);
/* Fills an answer that is all zero but for its question and answer. Every length is checked before it is
 * believed: DRT_FAILED when the bytes are no trace of this version. The caller frees the answer in any
 * case. */
drt_status drt_stored_trace_read(drt_context *context, const void *frame, size_t length, drt_answer *answer);

#endif
