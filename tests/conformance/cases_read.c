/* cases_read.c: the reader stream as one set of operations, lanes side by side and in pieces, against the same composed of
 * the other operations in fp32, a lane after the other and each in one go. */
#include <math.h>
#include <string.h>

#include "conformance.h"

enum { S = 64, HEAD = 64, TOP_K = 8, VOCABULARY = 500, GROUPS = 2, MOST_LAYERS = 12, MOST_LANES = 24 };

/* What is compared. */
enum { HIDDEN, QUERIES, ATTENTION };

typedef struct {
    int n_lanes, most_slots; /* of a lane; each has some of the last S fewer */
    int n_heads, d_ff, n_lower, group_layers[GROUPS], window;
    int piece; /* most slots of a lane in a call */
    drt_weight_type type;
} read_shape;

/* What a lane retrieves in a group at a landmark: random records. */
typedef struct {
    int n;
    float weights[TOP_K];
    const void *records[TOP_K];
} found_chunks;

typedef struct {
    int n;
    int32_t *tokens, *start;             /* (n); start: where the slot's segment began */
    found_chunks *found;                 /* (landmarks,GROUPS) */
    float *hidden, *queries, *attention; /* (n,d), (landmarks,GROUPS,d), (n,GROUPS,TOP_K*S) host */
} read_lane;

/* A random model and its lanes. */
typedef struct {
    drt_read_weights w;
    drt_read_layer layers[MOST_LAYERS];
    const float *query_norm[GROUPS];
    read_shape shape;
    read_lane lanes[MOST_LANES];
} reading;

/* ----------------------------------------------------------------------------- inputs ---- */

static const float *gain(run *r, int n) {
    float *host = host_room(r, (size_t)n * sizeof *host);
    for (int i = 0; host && i < n; i++)
        host[i] = 1 + 0.2f * draw_normal(r);
    return host ? copied(r, host, (size_t)n * sizeof *host) : NULL;
}

static void draw_layer(run *r, const drt_read_weights *w, bool upper, drt_read_layer *l) {
    *l = (drt_read_layer){.attn_norm = gain(r, w->d),
                          .mlp_norm = gain(r, w->d),
                          .qkv = matrix(r, DRT_WEIGHT_BF16, 3 * w->d, w->d),
                          .out = matrix(r, DRT_WEIGHT_BF16, w->d, w->d),
                          .gate = matrix(r, DRT_WEIGHT_BF16, w->d_ff, w->d),
                          .up = matrix(r, DRT_WEIGHT_BF16, w->d_ff, w->d),
                          .down = matrix(r, DRT_WEIGHT_BF16, w->d, w->d_ff)};
    if (!upper)
        return;
    l->gca_norm = gain(r, w->d);
    l->gca_q = matrix(r, DRT_WEIGHT_BF16, w->d, w->d);
    l->gca_out = matrix(r, DRT_WEIGHT_BF16, w->d, w->d);
}

/* Also the null slot holds something, which must not be read. */
static const void *draw_record(run *r, drt_weight_type type, size_t d) {
    bool int8 = type == DRT_WEIGHT_I8;
    unsigned char *record = host_room(r, S * (int8 ? d + sizeof(float) : d * sizeof(uint16_t)));
    for (size_t i = 0; record && i < S * d; i++) {
        float value = draw_normal(r);
        uint32_t bits;
        memcpy(&bits, &value, sizeof bits);
        uint16_t half = (uint16_t)(bits >> 16);
        if (int8)
            record[i] = (unsigned char)(draw_below(r, 255) - 127);
        else
            memcpy(record + i * sizeof half, &half, sizeof half);
    }
    for (size_t slot = 0; record && int8 && slot < S; slot++) {
        float scale = 0.01f * (float)(1 + draw_below(r, 4));
        memcpy(record + S * d + slot * sizeof scale, &scale, sizeof scale);
    }
    return record;
}

/* 0 to TOP_K chunks, more often than not TOP_K of them. */
static void draw_found(run *r, const reading *m, found_chunks *found) {
    float sum = 0;
    found->n = draw_below(r, 2) ? TOP_K : draw_below(r, TOP_K + 1);
    for (int i = 0; i < found->n; i++) {
        found->records[i] = draw_record(r, m->shape.type, (size_t)m->w.d);
        sum += found->weights[i] = 0.1f + (float)draw_below(r, 100);
    }
    for (int i = 0; i < found->n; i++)
        found->weights[i] /= sum;
}

static void draw_lane(run *r, const reading *m, read_lane *lane) {
    size_t d = (size_t)m->w.d;
    lane->n = m->shape.most_slots - draw_below(r, m->shape.most_slots < S ? m->shape.most_slots : S);
    size_t n = (size_t)lane->n, landmarks = n / S;
    lane->tokens = host_room(r, n * sizeof *lane->tokens);
    lane->start = host_room(r, n * sizeof *lane->start);
    lane->found = host_room(r, landmarks * GROUPS * sizeof *lane->found);
    lane->hidden = host_room(r, n * d * sizeof *lane->hidden);
    lane->queries = host_room(r, landmarks * GROUPS * d * sizeof *lane->queries);
    lane->attention = host_room(r, n * GROUPS * TOP_K * S * sizeof *lane->attention);
    for (int i = 0; going(r) && i < lane->n; i++) {
        bool segment = i == 0 || (i % S == 0 && draw_below(r, 4) == 0);
        lane->start[i] = segment ? i : lane->start[i - 1];
        lane->tokens[i] = draw_below(r, VOCABULARY);
    }
    for (size_t i = 0; going(r) && i < landmarks * GROUPS; i++)
        draw_found(r, m, &lane->found[i]);
}

static void draw_reading(run *r, read_shape shape, reading *m) {
    *m = (reading){.shape = shape};
    m->w = (drt_read_weights){.d = shape.n_heads * HEAD,
                              .n_heads = shape.n_heads,
                              .d_ff = shape.d_ff,
                              .chunk_size = S,
                              .window = shape.window,
                              .top_k = TOP_K,
                              .unit_rms = true,
                              .eps = 1e-5f,
                              .n_lower = shape.n_lower,
                              .n_groups = GROUPS};
    int n_upper = shape.group_layers[0] + shape.group_layers[1];
    for (int i = 0; i < shape.n_lower + n_upper; i++)
        draw_layer(r, &m->w, i >= shape.n_lower, &m->layers[i]);
    for (int g = 0; g < GROUPS; g++)
        m->query_norm[g] = gain(r, m->w.d);
    m->w.lower = m->layers;
    m->w.upper = m->layers + shape.n_lower;
    m->w.group_layers = m->shape.group_layers;
    m->w.query_norm = m->query_norm;
    m->w.final_norm = gain(r, m->w.d);
    m->w.embed = matrix(r, DRT_WEIGHT_BF16, VOCABULARY, m->w.d);
    m->w.chunk_k = matrix(r, DRT_WEIGHT_BF16, m->w.d, m->w.d);
    m->w.chunk_v = matrix(r, DRT_WEIGHT_BF16, m->w.d, m->w.d);
    for (int i = 0; going(r) && i < shape.n_lanes; i++)
        draw_lane(r, m, &m->lanes[i]);
}

/* --------------------------------------------------------------------------- composed ---- */

/* A lane's activations, all backend memory. */
typedef struct {
    float *x, *normed, *qkv, *q, *k, *v, *gate, *up, *attention; /* attention (n,GROUPS,TOP_K*S) */
    float *keys, *values;                                        /* (landmarks,TOP_K,S,d) of the running group */
} activations;

static void draw_activations(run *r, const reading *m, const read_lane *lane, activations *a) {
    size_t n = (size_t)lane->n, d = (size_t)m->w.d, chunks = n / S * TOP_K * S * d;
    float **rows[] = {&a->x, &a->normed, &a->q, &a->k, &a->v};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        *rows[i] = backend_room(r, n * d * sizeof(float));
    a->qkv = backend_room(r, 3 * n * d * sizeof(float));
    a->gate = backend_room(r, n * (size_t)m->w.d_ff * sizeof(float));
    a->up = backend_room(r, n * (size_t)m->w.d_ff * sizeof(float));
    a->attention = backend_room(r, n * GROUPS * TOP_K * S * sizeof(float));
    a->keys = backend_room(r, chunks * sizeof(float));
    a->values = backend_room(r, chunks * sizeof(float));
}

static float record_value(drt_weight_type type, const unsigned char *record, size_t d, size_t slot, size_t i) {
    size_t at = slot * d + i;
    float scale;
    if (type == DRT_WEIGHT_I8) {
        memcpy(&scale, record + S * d + slot * sizeof scale, sizeof scale);
        return (float)((const int8_t *)record)[at] * scale;
    }
    uint16_t half;
    memcpy(&half, record + at * sizeof half, sizeof half);
    uint32_t bits = (uint32_t)half << 16;
    memcpy(&scale, &bits, sizeof scale);
    return scale;
}

/* Keys and values of one landmark's chunks. */
static void project(run *r, const reading *m, const found_chunks *found, float *keys, float *values) {
    drt_backend *b = r->backend;
    size_t d = (size_t)m->w.d, chunk = S * d;
    int n = found->n * S;
    float *y = host_room(r, (size_t)found->n * chunk * sizeof *y);
    for (int c = 0; y && c < found->n; c++)
        for (size_t slot = 0; slot + 1 < S; slot++)
            for (size_t i = 0; i < d; i++)
                y[(size_t)c * chunk + slot * d + i] = record_value(m->shape.type, found->records[c], d, slot, i);
    const float *there = y ? copied(r, y, (size_t)found->n * chunk * sizeof *y) : NULL;
    if (there && did(r, b->linear(b, there, m->w.chunk_k, n, false, keys)) &&
        did(r, b->linear(b, there, m->w.chunk_v, n, false, values)))
        did(r, b->unit_rms(b, keys, m->w.eps, (int64_t)n * m->w.n_heads, HEAD));
}

static bool compose_window(run *r, const reading *m, const read_lane *lane, const drt_read_layer *l, activations *a) {
    drt_backend *b = r->backend;
    const drt_read_weights *w = &m->w;
    int n = lane->n;
    drt_split_qkv split = {a->qkv, n, w->n_heads, HEAD, true, w->eps, NULL, S, a->q, a->k, a->v};
    drt_window_attention window = {a->q, a->k, a->v, lane->start, n, n, w->window, w->n_heads, HEAD, a->q};
    return did(r, b->rms_norm(b, a->x, l->attn_norm, w->eps, n, w->d, a->normed)) &&
           did(r, b->linear(b, a->normed, l->qkv, n, false, a->qkv)) && did(r, b->split_qkv(b, &split)) &&
           did(r, b->window_attention(b, &window)) && did(r, b->linear(b, a->q, l->out, n, true, a->x));
}

static bool compose_mlp(run *r, const reading *m, const read_lane *lane, const drt_read_layer *l, activations *a) {
    drt_backend *b = r->backend;
    const drt_read_weights *w = &m->w;
    int n = lane->n;
    return did(r, b->rms_norm(b, a->x, l->mlp_norm, w->eps, n, w->d, a->normed)) &&
           did(r, b->linear(b, a->normed, l->gate, n, false, a->gate)) &&
           did(r, b->linear(b, a->normed, l->up, n, false, a->up)) &&
           did(r, b->swiglu(b, a->gate, a->up, (size_t)n * (size_t)w->d_ff, a->gate)) &&
           did(r, b->linear(b, a->gate, l->down, n, true, a->x));
}

/* Slots S-1+t*S and the next S-1 read what landmark t found. */
static int blocks_of(const reading *m, const read_lane *lane, int g, const activations *a, drt_gca_block *blocks) {
    int n_blocks = 0;
    for (int first = S - 1; first < lane->n; first += S) {
        size_t t = (size_t)(first / S), chunks = t * TOP_K * S * (size_t)m->w.d;
        const found_chunks *found = &lane->found[t * GROUPS + (size_t)g];
        blocks[n_blocks++] = (drt_gca_block){
            first,         lane->n - first < S ? lane->n - first : S, found->n, a->keys + chunks, a->values + chunks,
            found->weights};
    }
    return n_blocks;
}

static bool compose_cross(run *r, const reading *m, const read_lane *lane, int g, const drt_read_layer *l,
                          activations *a) {
    drt_backend *b = r->backend;
    const drt_read_weights *w = &m->w;
    int n = lane->n;
    drt_gca_block *blocks = host_room(r, ((size_t)n / S + 1) * sizeof *blocks);
    if (!blocks)
        return false;
    drt_cross_attention cross = {.q = a->q,
                                 .n = n,
                                 .n_heads = w->n_heads,
                                 .head_size = HEAD,
                                 .chunk_size = S,
                                 .blocks = blocks,
                                 .n_blocks = blocks_of(m, lane, g, a, blocks),
                                 .out = a->k, /* free between window attentions */
                                 .attention = a->attention + (size_t)g * TOP_K * S,
                                 .attention_stride = GROUPS * TOP_K * S,
                                 .attention_factor = 1 / (float)(w->n_heads * w->group_layers[g])};
    return did(r, b->rms_norm(b, a->x, l->gca_norm, w->eps, n, w->d, a->normed)) &&
           did(r, b->linear(b, a->normed, l->gca_q, n, false, a->q)) &&
           did(r, b->unit_rms(b, a->q, w->eps, (int64_t)n * w->n_heads, HEAD)) &&
           did(r, b->cross_attention(b, &cross)) && did(r, b->linear(b, a->k, l->gca_out, n, true, a->x));
}

/* Queries and keys of a group's landmarks, then its layers. */
static bool compose_group(run *r, const reading *m, read_lane *lane, int g, const drt_read_layer *layers,
                          activations *a) {
    drt_backend *b = r->backend;
    size_t d = (size_t)m->w.d;
    for (size_t t = 0; t < (size_t)lane->n / S; t++) {
        const float *x = a->x + (t * S + S - 1) * d;
        size_t chunks = t * TOP_K * S * d;
        if (!did(r, b->rms_norm(b, x, m->w.query_norm[g], m->w.eps, 1, m->w.d, a->normed)) ||
            !did(r, b->download(b, lane->queries + (t * GROUPS + (size_t)g) * d, a->normed, d * sizeof(float))))
            return false;
        project(r, m, &lane->found[t * GROUPS + (size_t)g], a->keys + chunks, a->values + chunks);
    }
    for (int i = 0; going(r) && i < m->w.group_layers[g]; i++)
        if (!compose_window(r, m, lane, &layers[i], a) || !compose_cross(r, m, lane, g, &layers[i], a) ||
            !compose_mlp(r, m, lane, &layers[i], a))
            return false;
    return going(r);
}

static void compose(run *r, const reading *m, read_lane *lane) {
    drt_backend *b = r->backend;
    activations a;
    size_t n = (size_t)lane->n, d = (size_t)m->w.d, attention = n * GROUPS * TOP_K * S * sizeof(float);
    const drt_read_layer *upper = m->w.upper;
    draw_activations(r, m, lane, &a);
    if (!going(r) || !did(r, b->embed(b, m->w.embed, lane->tokens, lane->n, a.x)) ||
        !did(r, b->clear(b, a.attention, attention)))
        return;
    for (int i = 0; i < m->w.n_lower; i++)
        if (!compose_window(r, m, lane, &m->w.lower[i], &a) || !compose_mlp(r, m, lane, &m->w.lower[i], &a))
            return;
    for (int g = 0; g < GROUPS; upper += m->w.group_layers[g++])
        if (!compose_group(r, m, lane, g, upper, &a))
            return;
    if (did(r, b->rms_norm(b, a.x, m->w.final_norm, m->w.eps, lane->n, m->w.d, a.normed)) &&
        did(r, b->download(b, lane->hidden, a.normed, n * d * sizeof(float))))
        did(r, b->download(b, lane->attention, a.attention, attention));
}

/* ------------------------------------------------------------------------------ fused ---- */

/* Slots of the next part of a lane that stands at `at`: up to a landmark or another segment; none where the lane is over,
 * or left out of this call. */
static int part_length(run *r, const reading *m, const read_lane *lane, int at) {
    int border = (at + 1) / S * S + S - 1, n = 1 + draw_below(r, m->shape.piece); /* the next landmark after `at` */
    n = n < border - at ? n : border - at;
    n = n < lane->n - at ? n : lane->n - at;
    for (int i = 1; i < n; i++)
        if (lane->start[at + i] != lane->start[at])
            n = i;
    return draw_below(r, 4) ? n : 0;
}

/* What a part's lane found for group g, handed on; its query kept. */
static void retrieve(run *r, const reading *m, drt_read_state *state, const drt_read_part *part, int g,
                     const float *query) {
    read_lane *lane = (read_lane *)&m->lanes[part->lane];
    size_t d = (size_t)m->w.d, at = (size_t)(part->position / S) * GROUPS + (size_t)g;
    const found_chunks *found = &lane->found[at];
    memcpy(lane->queries + at * d, query, d * sizeof *query);
    did(r, r->backend->read_chunks(r->backend, state, part->lane, g, found->n, found->weights, m->shape.type,
                                   found->records));
}

static void run_call(run *r, const reading *m, drt_read_state *state, const int32_t *tokens, const drt_read_part *parts,
                     int n_parts, bool trace) {
    drt_backend *b = r->backend;
    const float *queries, *hidden, *attention;
    size_t d = (size_t)m->w.d, width = GROUPS * TOP_K * S;
    if (!did(r, b->read_begin(b, state, tokens, parts, n_parts, trace, &queries)))
        return;
    for (int g = 0; g < GROUPS; g++) {
        for (int i = 0; queries && i < n_parts; i++)
            if (parts[i].landmark)
                retrieve(r, m, state, &parts[i], g, queries + (size_t)i * d);
        if (!going(r) || !did(r, b->read_group(b, state, g, &queries)))
            return;
    }
    if (!did(r, b->read_end(b, state, &hidden, &attention)))
        return;
    for (int i = 0; i < n_parts; i++) {
        const read_lane *lane = &m->lanes[parts[i].lane];
        size_t first = (size_t)parts[i].first, n = (size_t)parts[i].n, at = (size_t)parts[i].position;
        memcpy(lane->hidden + at * d, hidden + first * d, n * d * sizeof *hidden);
        if (trace)
            memcpy(lane->attention + at * width, attention + first * width, n * width * sizeof *attention);
    }
}

/* All lanes to their ends, in calls of some of them. */
static void read_in_pieces(run *r, const reading *m, drt_read_state *state, bool trace) {
    int at[MOST_LANES] = {0};
    int32_t tokens[MOST_LANES * S];
    for (int left = m->shape.n_lanes; left > 0 && going(r);) {
        drt_read_part parts[MOST_LANES];
        int n_parts = 0, rows = 0;
        for (int i = 0; i < m->shape.n_lanes; i++) {
            const read_lane *lane = &m->lanes[i];
            int n = part_length(r, m, lane, at[i]);
            if (n == 0)
                continue;
            memcpy(tokens + rows, lane->tokens + at[i], (size_t)n * sizeof *tokens);
            parts[n_parts++] = (drt_read_part){i, rows, n, at[i], lane->start[at[i]], at[i] % S == S - 1};
            rows += n;
            at[i] += n;
            left -= at[i] == lane->n;
        }
        if (n_parts > 0)
            run_call(r, m, state, tokens, parts, n_parts, trace);
    }
}

/* ------------------------------------------------------------------------------ cases ---- */

static void emit_all(run *r, const float *values, size_t n) {
    for (size_t i = 0; i < n; i++)
        emit_number(r, values[i]);
}

static void emit_lane(run *r, const reading *m, const read_lane *lane, int what) {
    size_t n = (size_t)lane->n, d = (size_t)m->w.d;
    if (what == HIDDEN)
        emit_all(r, lane->hidden, n * d);
    else if (what == QUERIES)
        emit_all(r, lane->queries, n / S * GROUPS * d);
    else
        emit_all(r, lane->attention, n * GROUPS * TOP_K * S);
}

/* at: lanes, most slots of a lane, n_heads, d_ff, lower layers, layers of group 0, of group 1, window, most slots of a
 * lane in a call, record type */
static void read_lanes(run *r, int what) {
    drt_backend *b = r->backend;
    const int *at = r->at;
    reading *m = host_room(r, sizeof *m);
    if (!m)
        return;
    read_shape shape = {at[0], at[1], at[2], at[3], at[4], {at[5], at[6]}, at[7], at[8], (drt_weight_type)at[9]};
    draw_reading(r, shape, m);
    drt_read_state *state = NULL;
    int status = going(r) && b->read_open ? b->read_open(b, &m->w, at[0], at[0] * S, &state) : 1;
    if (!did(r, status < 0 ? status : 0))
        return;
    if (status == 0) {
        read_in_pieces(r, m, state, what == ATTENTION);
        b->read_close(b, state);
    }
    for (int i = 0; going(r) && i < at[0]; i++) {
        if (status == 1)
            compose(r, m, &m->lanes[i]);
        emit_lane(r, m, &m->lanes[i], what);
    }
}

static void read_hidden(run *r) {
    read_lanes(r, HIDDEN);
}

static void read_queries(run *r) {
    read_lanes(r, QUERIES);
}

static void read_attention(run *r) {
    read_lanes(r, ATTENTION);
}

#define I8 DRT_WEIGHT_I8
#define B16 DRT_WEIGHT_BF16

const conformance_case read_cases[] = {
    {"read", "1 lane, 40 slots one by one", "bf16", 2e-2, read_hidden, {1, 40, 6, 1024, 1, 1, 1, 512, 1, I8}, true},
    {"read", "1 lane, 200 slots", "bf16", 2e-2, read_hidden, {1, 200, 6, 1024, 1, 1, 1, 512, 64, I8}, true},
    {"read",
     "1 lane, 200 slots, bf16 records",
     "bf16",
     2e-2,
     read_hidden,
     {1, 200, 6, 1024, 1, 1, 1, 512, 64, B16},
     false},
    {"read",
     "3 lanes, window 100, 5 heads, d_ff 704",
     "bf16",
     2e-2,
     read_hidden,
     {3, 300, 5, 704, 1, 1, 1, 100, 64, I8},
     true},
    {"read", "3 lanes, queries", "bf16", 2e-2, read_queries, {3, 260, 6, 1024, 1, 1, 1, 512, 64, I8}, false},
    {"read", "3 lanes, attention", "bf16", 2e-2, read_attention, {3, 260, 6, 1024, 1, 1, 1, 512, 64, I8}, true},
    {"read",
     "2 lanes, attention, bf16 records",
     "bf16",
     2e-2,
     read_attention,
     {2, 200, 6, 1024, 0, 2, 1, 512, 20, B16},
     true},
    {"read",
     "4 lanes, 900 slots, windows that turn",
     "bf16",
     3e-2,
     read_hidden,
     {4, 900, 6, 1024, 1, 1, 1, 512, 64, I8},
     false},
    {"read",
     "16 lanes, few slots a call, window 65",
     "bf16",
     3e-2,
     read_hidden,
     {16, 300, 6, 1024, 1, 1, 1, 65, 3, I8},
     false},
    {"read",
     "16 lanes, hundreds of slots a call",
     "bf16",
     3e-2,
     read_hidden,
     {16, 200, 6, 1024, 1, 1, 1, 512, 64, I8},
     false},
    {"read", "24 lanes, 1 slot a call", "bf16", 3e-2, read_hidden, {24, 150, 6, 1024, 1, 1, 1, 512, 1, B16}, false},
    {"read",
     "3 lanes, 8 heads, d_ff 1408, window 1",
     "bf16",
     3e-2,
     read_hidden,
     {3, 200, 8, 1408, 1, 1, 2, 1, 64, I8},
     false},
    {"read",
     "6 + 3 + 3 layers",
     "bf16",
     6e-2,
     /* errors of random layers add up */ read_hidden,
     {3, 300, 6, 1024, 6, 3, 3, 512, 64, I8},
     false},
    {"read",
     "6 + 3 + 3 layers, attention",
     "bf16",
     6e-2,
     read_attention,
     {3, 300, 6, 1024, 6, 3, 3, 512, 64, I8},
     false},
};
const size_t n_read_cases = sizeof read_cases / sizeof *read_cases;
