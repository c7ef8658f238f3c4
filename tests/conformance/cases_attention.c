/* cases_attention.c: attention to the window, inside chunks and to retrieved chunks. */
#include "conformance.h"

/* How segments lie in window attention. */
enum { ONE_SEGMENT, DOCUMENTS, ALTERNATING };

static int32_t *segments(run *r, int kind, int m) {
    int32_t *segment = kind == ONE_SEGMENT ? NULL : host_room(r, (size_t)m * sizeof *segment);
    int32_t number = 7;
    for (int i = 0; segment && i < m; i++) {
        if (draw_below(r, 40) == 0)
            number++;
        segment[i] = kind == DOCUMENTS ? number : (int32_t)draw_below(r, 3);
    }
    return segment;
}

/* at: n, m, window, n_heads, head_size, kind of segments, 1: out is q */
static void window_attention(run *r) {
    drt_backend *b = r->backend;
    size_t d = (size_t)r->at[3] * (size_t)r->at[4], n = (size_t)r->at[0] * d, m = (size_t)r->at[1] * d;
    drt_window_attention p = {
        .n = r->at[0], .m = r->at[1], .window = r->at[2], .n_heads = r->at[3], .head_size = r->at[4]};
    p.segment = segments(r, r->at[5], p.m);
    float *q = input(r, n, 1);
    p.q = q;
    p.k = input(r, m, 1);
    p.v = input(r, m, 1);
    p.out = r->at[6] ? q : output(r, n);
    if (going(r) && did(r, b->window_attention(b, &p)))
        emit(r, p.out, n);
}

/* at: n_chunks, S, n_heads, head_size, 1: out is q */
static void chunk_attention(run *r) {
    drt_backend *b = r->backend;
    size_t n = (size_t)r->at[0] * (size_t)r->at[1] * (size_t)r->at[2] * (size_t)r->at[3];
    drt_chunk_attention p = {.n_chunks = r->at[0], .chunk_size = r->at[1], .n_heads = r->at[2], .head_size = r->at[3]};
    float *q = input(r, n, 1);
    p.q = q;
    p.k = input(r, n, 1);
    p.v = input(r, n, 1);
    p.out = r->at[4] ? q : output(r, n);
    if (going(r) && did(r, b->chunk_attention(b, &p)))
        emit(r, p.out, n);
}

/* Retrieved chunks: random, the null slots zero. */
static float *chunks(run *r, int n_chunks, int chunk_size, size_t d) {
    drt_backend *b = r->backend;
    float *x = input(r, (size_t)n_chunks * (size_t)chunk_size * d, 1);
    for (int c = 0; x && c < n_chunks; c++)
        if (!did(r, b->clear(b, x + ((size_t)(c + 1) * (size_t)chunk_size - 1) * d, d * sizeof *x)))
            return NULL;
    return x;
}

/* at: n, n_blocks, slots of a block, K, S, n_heads, head_size, 1: attention wanted, slots between blocks.
 * The second block of several retrieves nothing, the third one chunk fewer. */
static void cross_attention(run *r) {
    drt_backend *b = r->backend;
    int n = r->at[0], n_blocks = r->at[1], K = r->at[3], S = r->at[4];
    size_t d = (size_t)r->at[5] * (size_t)r->at[6];
    drt_cross_attention p = {.n = n, .n_heads = r->at[5], .head_size = r->at[6], .chunk_size = S, .n_blocks = n_blocks};
    drt_gca_block *blocks = host_room(r, (size_t)(n_blocks + 1) * sizeof *blocks);
    for (int i = 0; blocks && i < n_blocks; i++) {
        drt_gca_block *block = &blocks[i];
        int n_chunks = i == 1 ? 0 : i == 2 ? K - 1 : K;
        float *weights = host_room(r, (size_t)(n_chunks + 1) * sizeof *weights);
        *block = (drt_gca_block){i * (r->at[2] + r->at[8]), r->at[2], n_chunks, NULL, NULL, weights};
        if (block->first + block->n > n)
            block->n = n - block->first;
        for (int c = 0; weights && c < n_chunks; c++)
            weights[c] = (float)draw_below(r, 1000) / 4000;
        block->k = chunks(r, n_chunks, S, d);
        block->v = chunks(r, n_chunks, S, d);
    }
    p.blocks = blocks;
    p.q = input(r, (size_t)n * d, 1);
    p.out = output(r, (size_t)n * d);
    p.attention_stride = (size_t)K * (size_t)S + 5;
    p.attention_factor = 0.25f;
    if (r->at[7])
        p.attention = input(r, (size_t)n * p.attention_stride, 0.01f);
    if (!going(r) || !did(r, b->cross_attention(b, &p)))
        return;
    emit(r, p.out, (size_t)n * d);
    if (p.attention)
        emit(r, p.attention, (size_t)n * p.attention_stride);
}

#define BF16 "bf16", 1e-2

const conformance_case attention_cases[] = {
    {"window_attention", "64 slots, window 64", BF16, window_attention, {64, 64, 64, 2, 64, ONE_SEGMENT, 0}, true},
    {"window_attention", "65 slots, window 64", BF16, window_attention, {65, 65, 64, 2, 64, ONE_SEGMENT, 0}, true},
    {"window_attention", "200 slots, window 63", BF16, window_attention, {200, 200, 63, 2, 64, ONE_SEGMENT, 0}, true},
    {"window_attention", "131 slots, window 1", BF16, window_attention, {131, 131, 1, 2, 64, ONE_SEGMENT, 0}, true},
    {"window_attention",
     "1 slot of 700, window 512",
     BF16,
     window_attention,
     {1, 700, 512, 6, 64, ONE_SEGMENT, 0},
     true},
    {"window_attention", "3 slots of 5, window 512", BF16, window_attention, {3, 5, 512, 6, 64, DOCUMENTS, 1}, true},
    {"window_attention",
     "77 of 600, window 512, documents",
     BF16,
     window_attention,
     {77, 600, 512, 6, 64, DOCUMENTS, 0},
     true},
    {"window_attention",
     "300, window 100, mixed segments",
     BF16,
     window_attention,
     {300, 300, 100, 3, 20, ALTERNATING, 0},
     true},
    {"window_attention", "90 slots, heads of 7", BF16, window_attention, {90, 90, 33, 3, 7, DOCUMENTS, 0}, true},
    {"window_attention",
     "90 slots, heads of 128, onto q",
     BF16,
     window_attention,
     {90, 120, 80, 1, 128, DOCUMENTS, 1},
     true},
    {"window_attention", "70 slots, heads of 200", BF16, window_attention, {70, 70, 50, 1, 200, ONE_SEGMENT, 0}, true},
    {"window_attention",
     "2048 of 2559, window 512, onto q",
     BF16,
     window_attention,
     {2048, 2559, 512, 6, 64, DOCUMENTS, 1},
     false},
    {"window_attention", "no slots", "bf16", 0, window_attention, {0, 511, 512, 6, 64, ONE_SEGMENT, 0}, true},
    {"chunk_attention", "33 chunks of 64, onto q", BF16, chunk_attention, {33, 64, 6, 64, 1}, true},
    {"chunk_attention", "7 chunks of 16, heads of 20", BF16, chunk_attention, {7, 16, 3, 20, 0}, true},
    {"chunk_attention", "3 chunks of 100, onto q", BF16, chunk_attention, {3, 100, 2, 64, 1}, true},
    {"chunk_attention", "1 chunk of 1", BF16, chunk_attention, {1, 1, 1, 8, 0}, true},
    {"chunk_attention", "256 chunks of 64", BF16, chunk_attention, {256, 64, 6, 64, 0}, false},
    {"cross_attention", "64 slots, 8 chunks", BF16, cross_attention, {64, 1, 64, 8, 64, 6, 64, 0, 0}, true},
    {"cross_attention", "1 slot, 8 chunks, attention", BF16, cross_attention, {1, 1, 1, 8, 64, 6, 64, 1, 0}, true},
    {"cross_attention",
     "200 slots, 4 blocks, attention",
     BF16,
     cross_attention,
     {200, 4, 40, 8, 64, 6, 64, 1, 10},
     true},
    {"cross_attention", "150 slots in one block", BF16, cross_attention, {150, 1, 150, 5, 64, 6, 64, 1, 0}, true},
    {"cross_attention",
     "50 slots, chunks of 16, heads of 20",
     BF16,
     cross_attention,
     {50, 3, 15, 3, 16, 3, 20, 1, 2},
     true},
    {"cross_attention", "50 slots, chunks of 100", BF16, cross_attention, {50, 1, 50, 3, 100, 2, 64, 1, 0}, true},
    {"cross_attention", "no blocks", "bf16", 0, cross_attention, {30, 0, 0, 8, 64, 6, 64, 1, 0}, true},
    {"cross_attention", "nothing retrieved", "bf16", 0, cross_attention, {30, 1, 30, 0, 64, 6, 64, 1, 0}, true},
    {"cross_attention", "no slots", "bf16", 0, cross_attention, {0, 0, 0, 8, 64, 6, 64, 0, 0}, true},
};
const size_t n_attention_cases = sizeof attention_cases / sizeof *attention_cases;
