/* cases_encode.c: the encoder stream as one operation, in pieces, against the same composed of the other operations in
 * fp32 and in one go. */
#include <string.h>

#include "conformance.h"

enum { S = 64, MOST_LAYERS = 8 };

typedef struct {
    int n, n_heads, d_ff, n_lower, n_encoder, window;
    int chunks_of_a_document; /* about */
} stream_shape;

/* A random model and input. */
typedef struct {
    drt_encode_weights w;
    drt_encode_layer layers[MOST_LAYERS];
    int n;
    int32_t *tokens, *segment;
} stream;

static const float *gain(run *r, int n) {
    float *host = host_room(r, (size_t)n * sizeof *host);
    for (int i = 0; host && i < n; i++)
        host[i] = 1 + 0.2f * draw_normal(r);
    return host ? copied(r, host, (size_t)n * sizeof *host) : NULL;
}

static void draw_layer(run *r, const drt_encode_weights *w, drt_encode_layer *l) {
    *l = (drt_encode_layer){gain(r, w->d),
                            gain(r, w->d),
                            matrix(r, DRT_WEIGHT_BF16, 3 * w->d, w->d),
                            matrix(r, DRT_WEIGHT_BF16, w->d, w->d),
                            matrix(r, DRT_WEIGHT_BF16, w->d_ff, w->d),
                            matrix(r, DRT_WEIGHT_BF16, w->d_ff, w->d),
                            matrix(r, DRT_WEIGHT_BF16, w->d, w->d_ff)};
}

static void draw_stream(run *r, stream_shape shape, stream *s) {
    *s = (stream){.n = shape.n};
    s->w = (drt_encode_weights){.d = shape.n_heads * 64,
                                .n_heads = shape.n_heads,
                                .d_ff = shape.d_ff,
                                .chunk_size = S,
                                .window = shape.window,
                                .unit_rms = true,
                                .eps = 1e-5f,
                                .rope_theta = 10000,
                                .n_lower = shape.n_lower,
                                .n_encoder = shape.n_encoder};
    for (int i = 0; i < shape.n_lower + shape.n_encoder; i++)
        draw_layer(r, &s->w, &s->layers[i]);
    s->w.lower = s->layers;
    s->w.encoder = s->layers + shape.n_lower;
    s->w.embed = matrix(r, DRT_WEIGHT_BF16, 500, s->w.d);
    s->w.encoder_in_norm = gain(r, s->w.d);
    s->w.encoder_out_norm = gain(r, s->w.d);
    s->tokens = host_room(r, (size_t)s->n * sizeof *s->tokens);
    s->segment = host_room(r, (size_t)s->n * sizeof *s->segment);
    for (int i = 0, number = 3; going(r) && i < s->n; i++) {
        number += i % S == 0 && draw_below(r, shape.chunks_of_a_document) == 0;
        s->segment[i] = number;
        s->tokens[i] = draw_below(r, 500);
    }
}

/* x (n,d) += down(silu(gate) * up) of its norm. */
static bool mlp(run *r, const drt_encode_weights *w, const drt_encode_layer *l, int n, float *x, float *normed,
                float *gate, float *up) {
    drt_backend *b = r->backend;
    return did(r, b->rms_norm(b, x, l->mlp_norm, w->eps, n, w->d, normed)) &&
           did(r, b->linear(b, normed, l->gate, n, false, gate)) && did(r, b->linear(b, normed, l->up, n, false, up)) &&
           did(r, b->swiglu(b, gate, up, (size_t)n * (size_t)w->d_ff, gate)) &&
           did(r, b->linear(b, gate, l->down, n, true, x));
}

/* Results: landmarks, then chunk memory with its null slots at zero. */
static void compose(run *r, const stream *s) {
    drt_backend *b = r->backend;
    const drt_encode_weights *w = &s->w;
    int n = s->n;
    size_t d = (size_t)w->d, floats = (size_t)n * d;
    float *x = backend_room(r, floats * 4), *normed = backend_room(r, floats * 4),
          *qkv = backend_room(r, 3 * floats * 4);
    float *q = backend_room(r, floats * 4), *k = backend_room(r, floats * 4), *v = backend_room(r, floats * 4);
    float *gate = backend_room(r, (size_t)n * (size_t)w->d_ff * 4),
          *up = backend_room(r, (size_t)n * (size_t)w->d_ff * 4);
    float *rope = backend_room(r, (size_t)S * 64 * 4);
    if (!going(r) || !did(r, b->rope_table(b, S, 64, w->rope_theta, rope)) ||
        !did(r, b->embed(b, w->embed, s->tokens, n, x)))
        return;
    for (int i = 0; i < w->n_lower + w->n_encoder; i++) {
        const drt_encode_layer *l = &s->layers[i];
        bool lower = i < w->n_lower;
        if (i == w->n_lower && !did(r, b->rms_norm(b, x, w->encoder_in_norm, w->eps, n, w->d, x)))
            return;
        drt_split_qkv split = {qkv, n, w->n_heads, 64, true, w->eps, lower ? NULL : rope, S, q, k, v};
        drt_window_attention window = {q, k, v, s->segment, n, n, w->window, w->n_heads, 64, q};
        drt_chunk_attention chunk = {q, k, v, n / S, S, w->n_heads, 64, q};
        if (!did(r, b->rms_norm(b, x, l->attn_norm, w->eps, n, w->d, normed)) ||
            !did(r, b->linear(b, normed, l->qkv, n, false, qkv)) || !did(r, b->split_qkv(b, &split)) ||
            !did(r, lower ? b->window_attention(b, &window) : b->chunk_attention(b, &chunk)) ||
            !did(r, b->linear(b, q, l->out, n, true, x)) || !mlp(r, w, l, n, x, normed, gate, up))
            return;
    }
    if (!did(r, b->rms_norm(b, x, w->encoder_out_norm, w->eps, n, w->d, x)))
        return;
    for (int c = 0; c < n / S; c++) {
        float *landmark = x + ((size_t)c * S + S - 1) * d;
        emit(r, landmark, d);
        if (!did(r, b->clear(b, landmark, d * sizeof *landmark)))
            return;
    }
    emit(r, x, floats);
}

static float half_value(uint16_t half) {
    uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 0x1F, fraction = half & 0x3FF;
    if (exponent == 0)
        return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void emit_record(run *r, const unsigned char *record, size_t d) {
    for (size_t slot = 0; slot < S; slot++) {
        float scale;
        memcpy(&scale, record + S * d + slot * sizeof scale, sizeof scale);
        for (size_t i = 0; i < d; i++)
            emit_number(r, (float)((const int8_t *)record)[slot * d + i] * scale);
    }
}

/* In calls of at most `piece` slots. */
static void encode_in_pieces(run *r, const stream *s, drt_encode_state *state, int piece) {
    drt_backend *b = r->backend;
    size_t d = (size_t)s->w.d, chunks = (size_t)s->n / S, record = S * (d + sizeof(float));
    void *landmarks, *records;
    if (!did(r, b->host_alloc(b, chunks * d * 2, &landmarks)))
        return;
    if (did(r, b->host_alloc(b, chunks * record, &records))) {
        memset(landmarks, 0xFF, chunks * d * 2);
        memset(records, 0xFF, chunks * record);
        for (int at = 0; at < s->n && going(r); at += piece)
            did(r, b->encode_run(b, state, s->tokens + at, s->segment + at, s->n - at < piece ? s->n - at : piece,
                                 (uint16_t *)landmarks + (size_t)(at / S) * d,
                                 (unsigned char *)records + (size_t)(at / S) * record));
        did(r, b->synchronize(b));
        for (size_t i = 0; i < chunks * d; i++)
            emit_number(r, half_value(((const uint16_t *)landmarks)[i]));
        for (size_t c = 0; c < chunks; c++)
            emit_record(r, (const unsigned char *)records + c * record, d);
        b->host_free(b, records);
    }
    b->host_free(b, landmarks);
}

/* at: n, n_heads, d_ff, lower layers, encoder layers, window, slots of a call, chunks of a document (about) */
static void encode(run *r) {
    drt_backend *b = r->backend;
    stream s;
    draw_stream(r, (stream_shape){r->at[0], r->at[1], r->at[2], r->at[3], r->at[4], r->at[5], r->at[7]}, &s);
    drt_encode_state *state = NULL;
    drt_memory_info before, after;
    did(r, b->memory_info(b, &before));
    int status = going(r) && b->encode_open ? b->encode_open(b, &s.w, r->at[6], &state) : 1;
    if (!did(r, status < 0 ? status : 0) || !did(r, b->memory_info(b, &after)))
        return;
    emit_number(r, status == 1 || after.used - before.used == b->encode_room(b, &s.w, r->at[6]));
    if (status == 1) {
        compose(r, &s);
        return;
    }
    encode_in_pieces(r, &s, state, r->at[6]);
    b->encode_close(b, state);
}

#define INT8 "bf16", 3e-2

const conformance_case encode_cases[] = {
    {"encode", "128 slots, 1 encoder layer", INT8, encode, {128, 6, 1024, 0, 1, 512, 128, 1000}, true},
    {"encode", "64 slots, 1 + 1 layers", INT8, encode, {64, 6, 1024, 1, 1, 512, 64, 1000}, true},
    {"encode", "1216 slots, 1 + 1 layers", INT8, encode, {1216, 6, 1024, 1, 1, 512, 1216, 1000}, true},
    {"encode", "1216 slots, documents", INT8, encode, {1216, 6, 1024, 2, 1, 512, 1216, 4}, true},
    {"encode", "1216 slots in calls of 320", INT8, encode, {1216, 6, 1024, 2, 1, 512, 320, 8}, true},
    {"encode", "960 slots in calls of 64, window 100", INT8, encode, {960, 6, 1024, 2, 1, 100, 64, 6}, true},
    {"encode", "640 slots, 5 heads, d_ff 704", INT8, encode, {640, 5, 704, 1, 1, 65, 640, 5}, true},
    {"encode", "640 slots, 8 heads, d_ff 1408", INT8, encode, {640, 8, 1408, 1, 1, 512, 640, 5}, false},
    {"encode",
     "8192 slots, 6 + 2 layers",
     "bf16",
     6e-2,
     /* errors of random layers add up */ encode,
     {8192, 6, 1024, 6, 2, 512, 4096, 30},
     false},
};
const size_t n_encode_cases = sizeof encode_cases / sizeof *encode_cases;
