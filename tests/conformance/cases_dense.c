/* cases_dense.c: memory, embeddings, normalisation, products, activations. */
#include <string.h>

#include "conformance.h"

/* at: bytes, shift: overlapping moves in both directions, and clearing. */
static void memory(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0], shift = (size_t)r->at[1];
    float *x = input(r, n + shift, 1);
    if (!x || !did(r, b->move(b, x + shift, x, n * sizeof *x)))
        return;
    emit(r, x, n + shift);
    if (!did(r, b->move(b, x, x + shift, n * sizeof *x)) || !did(r, b->clear(b, x + n / 2, shift * sizeof *x)))
        return;
    emit(r, x, n + shift);
}

/* Buffers are counted and kept within the limit where memory is the device's own. */
static void limited_memory(run *r) {
    drt_backend *b = r->backend;
    size_t bytes = (size_t)1 << 20;
    drt_memory_info before, after;
    void *buffer;
    if (!did(r, b->memory_info(b, &before)) || !backend_room(r, bytes) || !did(r, b->memory_info(b, &after)))
        return;
    emit_number(r, after.available > 0 && after.available <= after.total && after.peak >= after.used);
    emit_number(r, after.used - before.used == (b->own_memory ? bytes : 0));
    b->memory_limit = after.used + bytes;
    bool given = b->buffer_alloc(b, 2 * bytes, &buffer) == 0;
    emit_number(r, b->own_memory ? !given && strstr(b->error, "1 of ") != NULL : given);
    if (given)
        b->buffer_free(b, buffer);
    b->memory_limit = 0;
}

/* More memory than any device has: a sentence, and everything goes on. */
static void too_much_memory(run *r) {
    drt_backend *b = r->backend;
    void *buffer;
    b->error[0] = 0;
    emit_number(r, b->buffer_alloc(b, (size_t)1 << 60, &buffer) != 0);
    emit_number(r, b->error[0] != 0);
    float *x = input(r, 100, 1);
    if (x && did(r, b->add(b, x, x, 100, x)))
        emit(r, x, 100);
}

/* at: n, vocabulary, d, weight type */
static void embed(run *r) {
    drt_backend *b = r->backend;
    int n = r->at[0], vocabulary = r->at[1], d = r->at[2];
    const drt_matrix *table = matrix(r, (drt_weight_type)r->at[3], vocabulary, d);
    int32_t *ids = host_room(r, (size_t)n * sizeof *ids);
    float *x = output(r, (size_t)n * (size_t)d);
    if (!table || !ids || !x)
        return;
    for (int i = 0; i < n; i++)
        ids[i] = draw_below(r, vocabulary);
    if (!did(r, b->embed(b, table, ids, n, x)))
        return;
    memset(ids, 0xFF, (size_t)n * sizeof *ids); /* read during the call only */
    emit(r, x, (size_t)n * (size_t)d);
    for (int bad = 0; bad < 2; bad++) {
        int32_t outside = bad ? vocabulary : -1;
        emit_number(r, b->embed(b, table, &outside, 1, x));
    }
}

/* at: n, d, 1: in place */
static void rms_norm(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0], d = (size_t)r->at[1];
    float *x = input(r, n * d, 3), *weight = input(r, d, 1), *out = r->at[2] ? x : output(r, n * d);
    if (x && weight && out && did(r, b->rms_norm(b, x, weight, 1e-5f, (int)n, (int)d, out)))
        emit(r, out, n * d);
}

/* at: n, head_size; a row of zeros among them */
static void unit_rms(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0], size = (size_t)r->at[1];
    float *x = input(r, n * size, 0.3f);
    if (x && did(r, b->clear(b, x + n / 2 * size, size * sizeof *x)) &&
        did(r, b->unit_rms(b, x, 1e-5f, (int64_t)n, (int)size)))
        emit(r, x, n * size);
}

/* at: n, rows, cols, weight type, accumulate */
static void linear(run *r) {
    drt_backend *b = r->backend;
    int n = r->at[0], rows = r->at[1], cols = r->at[2];
    bool accumulate = r->at[4] != 0;
    const drt_matrix *m = matrix(r, (drt_weight_type)r->at[3], rows, cols);
    float *x = input(r, (size_t)n * (size_t)cols, 1);
    float *out = accumulate ? input(r, (size_t)n * (size_t)rows, 1) : output(r, (size_t)n * (size_t)rows);
    if (m && x && out && did(r, b->linear(b, x, m, n, accumulate, out)))
        emit(r, out, (size_t)n * (size_t)rows);
}

/* at: n, 1: out is x, 2: out is y */
static void add(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0];
    float *x = input(r, n, 1), *y = input(r, n, 1), *out = r->at[1] == 1 ? x : r->at[1] == 2 ? y : output(r, n);
    if (x && y && out && did(r, b->add(b, x, y, n, out)))
        emit(r, out, n);
}

static void swiglu(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0];
    float *x = input(r, n, 4), *y = input(r, n, 1), *out = r->at[1] == 1 ? x : r->at[1] == 2 ? y : output(r, n);
    if (x && y && out && did(r, b->swiglu(b, x, y, n, out)))
        emit(r, out, n);
}

/* at: S, head_size */
static void rope_table(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0] * (size_t)r->at[1];
    float *table = output(r, n);
    if (table && did(r, b->rope_table(b, r->at[0], r->at[1], 10000, table)))
        emit(r, table, n);
}

/* at: n, n_heads, head_size, unit_rms, S (0: no rope) */
static void split_qkv(run *r) {
    drt_backend *b = r->backend;
    size_t d = (size_t)r->at[1] * (size_t)r->at[2], n = (size_t)r->at[0] * d;
    drt_split_qkv p = {.n = r->at[0],
                       .n_heads = r->at[1],
                       .head_size = r->at[2],
                       .unit_rms = r->at[3] != 0,
                       .eps = 1e-5f,
                       .chunk_size = r->at[4]};
    p.qkv = input(r, 3 * n, 1);
    p.q = output(r, n);
    p.k = output(r, n);
    p.v = output(r, n);
    if (!going(r))
        return;
    if (p.chunk_size) {
        float *table = output(r, (size_t)p.chunk_size * (size_t)p.head_size);
        if (!table || !did(r, b->rope_table(b, p.chunk_size, p.head_size, 10000, table)))
            return;
        p.rope = table;
    }
    if (!did(r, b->split_qkv(b, &p)))
        return;
    emit(r, p.q, n);
    emit(r, p.k, n);
    emit(r, p.v, n);
}

const conformance_case dense_cases[] = {
    {"memory", "overlapping moves, clear", "any", 0, memory, {5000, 700}, true},
    {"memory", "move by more than the range", "any", 0, memory, {100, 300}, true},
    {"memory", "counted and limited", "any", 0, limited_memory, {0}, true},
    {"memory", "larger than any device", "any", 0, too_much_memory, {0}, false},
    {"embed", "97 of 101 x 33", "bf16", 0, embed, {97, 101, 33, DRT_WEIGHT_BF16}, true},
    {"embed", "4096 of 16384 x 384", "bf16", 0, embed, {4096, 16384, 384, DRT_WEIGHT_BF16}, false},
    {"embed", "97 of 101 x 33, int8 file", "bf16", 3e-3, embed, {97, 101, 33, DRT_WEIGHT_I8}, true},
    {"rms_norm", "1 x 1", "fp32", 1e-6, rms_norm, {1, 1, 0}, true},
    {"rms_norm", "77 x 131", "fp32", 1e-6, rms_norm, {77, 131, 0}, true},
    {"rms_norm", "4096 x 384, in place", "fp32", 1e-6, rms_norm, {4096, 384, 1}, false},
    {"rms_norm", "no slots", "fp32", 0, rms_norm, {0, 384, 0}, true},
    {"unit_rms", "101 x 24", "fp32", 1e-6, unit_rms, {101, 24}, true},
    {"unit_rms", "24576 x 64", "fp32", 1e-6, unit_rms, {24576, 64}, false},
    {"linear", "1 x 37 -> 53", "bf16", 1e-5, linear, {1, 53, 37, DRT_WEIGHT_BF16, 0}, true},
    {"linear", "1 x 384 -> 16384", "bf16", 1e-5, linear, {1, 16384, 384, DRT_WEIGHT_BF16, 0}, true},
    {"linear", "3 x 384 -> 1152, added", "bf16", 1e-5, linear, {3, 1152, 384, DRT_WEIGHT_BF16, 1}, true},
    {"linear", "8 x 1024 -> 384", "bf16", 1e-5, linear, {8, 384, 1024, DRT_WEIGHT_BF16, 0}, true},
    {"linear", "9 x 37 -> 53", "bf16", 5e-3, linear, {9, 53, 37, DRT_WEIGHT_BF16, 0}, true},
    {"linear", "33 x 131 -> 77, added", "bf16", 5e-3, linear, {33, 77, 131, DRT_WEIGHT_BF16, 1}, true},
    {"linear", "2048 x 384 -> 1152", "bf16", 5e-3, linear, {2048, 1152, 384, DRT_WEIGHT_BF16, 0}, false},
    {"linear", "1000 x 1024 -> 384, added", "bf16", 5e-3, linear, {1000, 384, 1024, DRT_WEIGHT_BF16, 1}, false},
    {"linear", "64 x 384 -> 384, int8 file", "bf16", 5e-3, linear, {64, 384, 384, DRT_WEIGHT_I8, 0}, true},
    {"linear", "2 x 384 -> 384, int8 file", "bf16", 5e-3, linear, {2, 384, 384, DRT_WEIGHT_I8, 0}, true},
    {"linear", "64 x 384 -> 384, fp32 file", "bf16", 5e-3, linear, {64, 384, 384, DRT_WEIGHT_F32, 0}, true},
    {"linear", "no slots", "bf16", 0, linear, {0, 384, 384, DRT_WEIGHT_BF16, 0}, true},
    {"add", "1001", "fp32", 0, add, {1001, 0}, true},
    {"add", "100003, onto the first", "fp32", 0, add, {100003, 1}, false},
    {"add", "257, onto the second", "fp32", 0, add, {257, 2}, true},
    {"swiglu", "1001", "fp32", 1e-5, swiglu, {1001, 0}, true},
    {"swiglu", "100003, onto the gate", "fp32", 1e-5, swiglu, {100003, 1}, false},
    {"rope_table", "64 x 64", "fp32", 1e-5, rope_table, {64, 64}, true},
    {"rope_table", "17 x 6", "fp32", 1e-5, rope_table, {17, 6}, true},
    {"split_qkv", "77 x 3 heads of 20, as they are", "fp32", 0, split_qkv, {77, 3, 20, 0, 0}, true},
    {"split_qkv", "2048 x 6 heads of 64, unit rms", "fp32", 1e-5, split_qkv, {2048, 6, 64, 1, 0}, false},
    {"split_qkv", "130 x 6 heads of 64, unit rms, rope", "fp32", 1e-5, split_qkv, {130, 6, 64, 1, 64}, true},
    {"split_qkv", "33 x 2 heads of 6, rope over 16", "fp32", 1e-5, split_qkv, {33, 2, 6, 0, 16}, true},
};
const size_t n_dense_cases = sizeof dense_cases / sizeof *dense_cases;
