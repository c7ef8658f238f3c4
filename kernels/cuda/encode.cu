/* encode.cu: the encoder stream as one operation: see backend.h (encode_run) and encode.cuh. On other GPUs than those of
 * compute capability 9.0, and for other shapes than the kernels take, it says so and is composed of the rest of the
 * table by whoever asked. */
#include <new>
#include <string.h>
#include <vector>

#include "kernels/cuda/encode.cuh"

#define NO_SEGMENT (-1)

namespace {

struct layer {
    CUtensorMap qkv, out, gate_up, down;
};

} // namespace

struct drt_encode_state {
    drt_encode_weights w;
    int max_slots, before; /* before: rows of earlier slots that a window can reach, in whole tiles */
    std::vector<void *> buffers;
    std::vector<layer> lower, encoder;
    std::vector<__nv_bfloat16 *> history; /* (before,2d) of each lower layer: keys and values */
    std::vector<int32_t> segment;         /* (before) of the earlier slots */
    const __nv_bfloat16 *table;
    __nv_bfloat16 *x, *qkv, *attention, *hidden; /* (max_slots,d), (before+max_slots,3d), (.,d), (.,d_ff) */
    float *rope, *sums;                          /* sums: n_sums of (max_slots) */
    int n_sums;
    CUtensorMap x_map, qkv_map, attention_map, hidden_map;
    unsigned char *records[2]; /* of this call and the one before, which may still be on its way to the host */
    __half *landmarks[2];
    cudaEvent_t made[2], copied[2];
    int turn;
};

static bool takes(const drt_cuda *cuda, const drt_encode_weights *w) {
    return cuda->capability == 90 && w->unit_rms && w->chunk_size == DRT_ENCODE_CHUNK &&
           w->d == w->n_heads * DRT_ENCODE_HEAD && w->d <= DRT_ENCODE_WIDEST && w->d_ff % DRT_TILE_COLUMNS == 0 &&
           w->window > 0 && w->n_encoder > 0;
}

template <typename T> static int reserve(drt_backend *b, drt_encode_state *s, size_t n, T **buffer) {
    void *data;
    if (b->buffer_alloc(b, n * sizeof(T), &data) != 0)
        return -1;
    s->buffers.push_back(data);
    *buffer = (T *)data;
    return 0;
}

static int map_weights(drt_backend *b, CUtensorMap *map, const void *m, int rows, int cols) {
    return drt_tile_map(b, map, m, (size_t)rows, (size_t)cols, (size_t)cols, DRT_PRODUCT_COLUMNS);
}

/* Norms folded in, gate and up interleaved; the other two matrices are used as they lie. */
static int prepare_layer(drt_backend *b, drt_encode_state *s, const drt_encode_layer *from, layer *to) {
    int d = s->w.d, d_ff = s->w.d_ff;
    __nv_bfloat16 *qkv, *gate_up;
    return reserve(b, s, (size_t)3 * d * d, &qkv) != 0 || reserve(b, s, (size_t)2 * d_ff * d, &gate_up) != 0 ||
                   drt_encode_fold(b, from->qkv, NULL, from->attn_norm, qkv) != 0 ||
                   drt_encode_fold(b, from->gate, from->up, from->mlp_norm, gate_up) != 0 ||
                   map_weights(b, &to->qkv, qkv, 3 * d, d) != 0 ||
                   map_weights(b, &to->gate_up, gate_up, 2 * d_ff, d) != 0 ||
                   map_weights(b, &to->out, from->out->data, d, d) != 0 ||
                   map_weights(b, &to->down, from->down->data, d, d_ff) != 0
               ? -1
               : 0;
}

static int prepare_activations(drt_backend *b, drt_encode_state *s) {
    size_t n = (size_t)s->max_slots, rows = n + (size_t)s->before, d = (size_t)s->w.d, d_ff = (size_t)s->w.d_ff;
    size_t chunks = n / DRT_ENCODE_CHUNK;
    if (reserve(b, s, n * d, &s->x) != 0 || reserve(b, s, rows * 3 * d, &s->qkv) != 0 ||
        reserve(b, s, n * d, &s->attention) != 0 || reserve(b, s, n * d_ff, &s->hidden) != 0 ||
        reserve(b, s, n * (size_t)s->n_sums, &s->sums) != 0 ||
        reserve(b, s, (size_t)DRT_ENCODE_CHUNK * DRT_ENCODE_HEAD, &s->rope) != 0 ||
        b->rope_table(b, DRT_ENCODE_CHUNK, DRT_ENCODE_HEAD, s->w.rope_theta, s->rope) != 0)
        return -1;
    for (int i = 0; i < 2; i++)
        if (reserve(b, s, chunks * DRT_ENCODE_CHUNK * (d + sizeof(float)), &s->records[i]) != 0 ||
            reserve(b, s, chunks * d, &s->landmarks[i]) != 0 ||
            drt_cuda_check(b, cudaEventCreateWithFlags(&s->made[i], cudaEventDisableTiming), "making events") != 0 ||
            drt_cuda_check(b, cudaEventCreateWithFlags(&s->copied[i], cudaEventDisableTiming), "making events") != 0)
            return -1;
    return drt_tile_map(b, &s->x_map, s->x, n, d, d, DRT_PRODUCT_SLOTS) != 0 ||
                   drt_tile_map(b, &s->attention_map, s->attention, n, d, d, DRT_PRODUCT_SLOTS) != 0 ||
                   drt_tile_map(b, &s->hidden_map, s->hidden, n, d_ff, d_ff, DRT_PRODUCT_SLOTS) != 0 ||
                   drt_tile_map(b, &s->qkv_map, s->qkv, rows, 3 * d, 3 * d, DRT_ENCODE_CHUNK) != 0
               ? -1
               : 0;
}

static int prepare(drt_backend *b, drt_encode_state *s) {
    const drt_encode_weights *w = &s->w;
    size_t history = (size_t)s->before * 2 * (size_t)w->d;
    if (prepare_activations(b, s) != 0 || b->clear(b, s->qkv, (size_t)s->before * 3 * (size_t)w->d * 2) != 0)
        return -1;
    s->lower.resize((size_t)w->n_lower);
    s->encoder.resize((size_t)w->n_encoder);
    s->segment.assign((size_t)s->before, NO_SEGMENT);
    for (int i = 0; i < w->n_lower; i++) {
        __nv_bfloat16 *rows;
        if (prepare_layer(b, s, &w->lower[i], &s->lower[(size_t)i]) != 0 || reserve(b, s, history, &rows) != 0 ||
            b->clear(b, rows, history * sizeof *rows) != 0)
            return -1;
        s->history.push_back(rows);
    }
    for (int i = 0; i < w->n_encoder; i++)
        if (prepare_layer(b, s, &w->encoder[i], &s->encoder[(size_t)i]) != 0)
            return -1;
    return b->synchronize(b);
}

void drt_cuda_encode_close(drt_backend *b, drt_encode_state *s) {
    if (!s)
        return;
    drt_cuda_enter(b);
    b->synchronize(b);
    for (int i = 0; i < 2; i++) {
        if (s->made[i])
            cudaEventDestroy(s->made[i]);
        if (s->copied[i])
            cudaEventDestroy(s->copied[i]);
    }
    for (void *buffer : s->buffers)
        b->buffer_free(b, buffer);
    delete s;
}

static int slots_before(const drt_encode_weights *w) {
    return (w->window - 1 + DRT_ENCODE_CHUNK - 1) / DRT_ENCODE_CHUNK * DRT_ENCODE_CHUNK;
}

static int sums_of(const drt_encode_weights *w) {
    return 2 * (w->n_lower + w->n_encoder) + 2;
}

/* The sum of what prepare_layer, prepare_activations and prepare reserve. */
size_t drt_cuda_encode_room(drt_backend *b, const drt_encode_weights *w, int max_slots) {
    if (!takes((drt_cuda *)b, w))
        return 0;
    size_t n = (size_t)max_slots, d = (size_t)w->d, d_ff = (size_t)w->d_ff, before = (size_t)slots_before(w);
    size_t layers = (size_t)(w->n_lower + w->n_encoder) * (3 * d + 2 * d_ff) * d;
    size_t history = (size_t)w->n_lower * before * 2 * d;
    size_t slots = n * (2 * d + d_ff) + (n + before) * 3 * d;
    size_t results = n * (d + sizeof(float)) + n / DRT_ENCODE_CHUNK * d * sizeof(__half);
    return (layers + history + slots) * sizeof(__nv_bfloat16) + 2 * results + n * (size_t)sums_of(w) * sizeof(float) +
           (size_t)DRT_ENCODE_CHUNK * DRT_ENCODE_HEAD * sizeof(float);
}

int drt_cuda_encode_open(drt_backend *b, const drt_encode_weights *w, int max_slots, drt_encode_state **state) {
    drt_cuda *cuda = drt_cuda_enter(b);
    *state = NULL;
    if (!takes(cuda, w))
        return 1;
    if (max_slots <= 0 || max_slots % DRT_ENCODE_CHUNK)
        return drt_cuda_fail(b, "the encoder takes whole chunks of %d slots, not %d slots", DRT_ENCODE_CHUNK,
                             max_slots);
    try {
        drt_encode_state *s = new drt_encode_state();
        s->w = *w;
        s->max_slots = max_slots;
        s->before = slots_before(w);
        s->n_sums = sums_of(w);
        s->table = (const __nv_bfloat16 *)w->embed->data;
        if (prepare(b, s) != 0) {
            drt_cuda_encode_close(b, s);
            return -1;
        }
        *state = s;
        return 0;
    } catch (const std::bad_alloc &) {
        return drt_cuda_fail(b, "out of memory for the encoder");
    }
}

/* Tokens and segments, those of earlier slots first, to the device. */
static int stage_input(drt_backend *b, const drt_encode_state *s, const int32_t *tokens, const int32_t *segment, int n,
                       const int32_t **tokens_there, const int32_t **segment_there) {
    size_t count = (size_t)n, before = (size_t)s->before, bytes = (2 * count + before) * sizeof(int32_t);
    void *host, *device;
    if (drt_cuda_stage(b, bytes, &host, &device) != 0)
        return -1;
    int32_t *to = (int32_t *)host;
    memcpy(to, tokens, count * sizeof *to);
    memcpy(to + count, s->segment.data(), before * sizeof *to);
    memcpy(to + count + before, segment, count * sizeof *to);
    *tokens_there = (const int32_t *)device;
    *segment_there = *tokens_there + count;
    return drt_cuda_stage_send(b, bytes);
}

/* Keys and values of rows `first`.. of qkv <-> a layer's history. */
static int copy_history(drt_backend *b, drt_encode_state *s, int index, int first, bool out) {
    drt_cuda *cuda = (drt_cuda *)b;
    size_t d = (size_t)s->w.d, width = 2 * d * sizeof(__nv_bfloat16), pitch = 3 * d * sizeof(__nv_bfloat16);
    __nv_bfloat16 *rows = s->qkv + (size_t)first * 3 * d + d, *history = s->history[(size_t)index];
    cudaError_t status = out ? cudaMemcpy2DAsync(history, width, rows, pitch, width, (size_t)s->before,
                                                 cudaMemcpyDeviceToDevice, cuda->stream)
                             : cudaMemcpy2DAsync(rows, pitch, history, width, width, (size_t)s->before,
                                                 cudaMemcpyDeviceToDevice, cuda->stream);
    return drt_cuda_check(b, status, "keeping the window");
}

/* One layer; index: of a lower layer, or -1. sums: of x on entry; the next two are filled. */
static int run_layer(drt_backend *b, drt_encode_state *s, const layer *l, int index, const int32_t *segment, int n,
                     float *sums) {
    int d = s->w.d, window = index >= 0 ? s->w.window : 0;
    size_t step = (size_t)s->max_slots;
    drt_encode_product p = {};
    p.n = n;
    p.d = d;
    p.eps = s->w.eps;

    p.rows = 3 * d;
    p.cols = d;
    p.sums_in = sums;
    p.rope = window ? NULL : s->rope;
    p.out = s->qkv + (size_t)s->before * 3 * (size_t)d;
    if ((window && copy_history(b, s, index, 0, false) != 0) ||
        drt_encode_multiply(b, DRT_SPLIT_HEADS, &s->x_map, &l->qkv, &p) != 0 ||
        (window && copy_history(b, s, index, n, true) != 0))
        return -1;
    drt_encode_attention a = {n, s->before, window, s->w.n_heads, segment, s->attention};
    if (drt_encode_attend(b, &s->qkv_map, &a) != 0)
        return -1;

    p.rows = d;
    p.out = s->x;
    p.sums_out = sums + step;
    if (drt_encode_multiply(b, DRT_ADD, &s->attention_map, &l->out, &p) != 0)
        return -1;

    p.rows = 2 * s->w.d_ff;
    p.out = s->hidden;
    p.out_columns = s->w.d_ff;
    p.sums_in = sums + step;
    if (drt_encode_multiply(b, DRT_SWIGLU, &s->x_map, &l->gate_up, &p) != 0)
        return -1;

    p.rows = d;
    p.cols = s->w.d_ff;
    p.out = s->x;
    p.sums_out = sums + 2 * step;
    return drt_encode_multiply(b, DRT_ADD, &s->hidden_map, &l->down, &p);
}

/* x -> records and landmarks, on their way to the host while the next call computes. */
static int send_results(drt_backend *b, drt_encode_state *s, const float *sums, int n, uint16_t *landmarks,
                        void *records) {
    drt_cuda *cuda = (drt_cuda *)b;
    size_t d = (size_t)s->w.d, chunks = (size_t)n / DRT_ENCODE_CHUNK;
    int i = s->turn++ & 1;
    if (drt_cuda_check(b, cudaStreamWaitEvent(cuda->stream, s->copied[i], 0), "waiting for a copy") != 0 ||
        drt_encode_quantise(b, s->x, sums, s->w.encoder_out_norm, s->w.eps, n, s->w.d, s->records[i],
                            s->landmarks[i]) != 0 ||
        drt_cuda_check(b, cudaEventRecord(s->made[i], cuda->stream), "computing") != 0 ||
        drt_cuda_check(b, cudaStreamWaitEvent(cuda->copy_stream, s->made[i], 0), "computing") != 0)
        return -1;
    cudaError_t status = cudaMemcpyAsync(records, s->records[i], chunks * DRT_ENCODE_CHUNK * (d + sizeof(float)),
                                         cudaMemcpyDeviceToHost, cuda->copy_stream);
    if (status == cudaSuccess)
        status = cudaMemcpyAsync(landmarks, s->landmarks[i], chunks * d * sizeof *landmarks, cudaMemcpyDeviceToHost,
                                 cuda->copy_stream);
    if (status == cudaSuccess)
        status = cudaEventRecord(s->copied[i], cuda->copy_stream);
    return drt_cuda_check(b, status, "copying chunk memory from the GPU");
}

/* The last `before` segments of earlier slots and these. */
static void keep_segments(drt_encode_state *s, const int32_t *segment, int n) {
    size_t before = s->segment.size(), count = (size_t)n, left = count < before ? before - count : 0;
    memmove(s->segment.data(), s->segment.data() + (before - left), left * sizeof(int32_t));
    memcpy(s->segment.data() + left, segment + (count - (before - left)), (before - left) * sizeof(int32_t));
}

int drt_cuda_encode_run(drt_backend *b, drt_encode_state *s, const int32_t *tokens, const int32_t *segment, int n,
                        uint16_t *landmarks, void *records) {
    drt_cuda *cuda = drt_cuda_enter(b);
    size_t step = (size_t)s->max_slots;
    if (n < 0 || n > s->max_slots || n % DRT_ENCODE_CHUNK)
        return drt_cuda_fail(b, "the encoder takes whole chunks of %d slots, at most %d slots, not %d",
                             DRT_ENCODE_CHUNK, s->max_slots, n);
    for (int i = 0; i < n; i++)
        if (tokens[i] < 0 || tokens[i] >= s->w.embed->rows)
            return drt_cuda_fail(b, "token %d is outside the vocabulary of %d", (int)tokens[i], s->w.embed->rows);
    if (n == 0)
        return 0;
    const int32_t *tokens_there, *segment_there;
    float *sums = s->sums;
    if (stage_input(b, s, tokens, segment, n, &tokens_there, &segment_there) != 0 ||
        drt_cuda_check(b, cudaMemsetAsync(sums, 0, step * (size_t)s->n_sums * sizeof *sums, cuda->stream),
                       "clearing sums") != 0 ||
        drt_encode_embed(b, s->table, tokens_there, n, s->w.d, s->x, sums) != 0)
        return -1;
    for (int i = 0; i < s->w.n_lower; i++, sums += 2 * step)
        if (run_layer(b, s, &s->lower[(size_t)i], i, segment_there, n, sums) != 0)
            return -1;
    if (drt_encode_renorm(b, s->x, sums, s->w.encoder_in_norm, s->w.eps, n, s->w.d, sums + step) != 0)
        return -1;
    sums += step;
    for (int i = 0; i < s->w.n_encoder; i++, sums += 2 * step)
        if (run_layer(b, s, &s->encoder[(size_t)i], -1, segment_there, n, sums) != 0)
            return -1;
    if (send_results(b, s, sums, n, landmarks, records) != 0)
        return -1;
    keep_segments(s, segment, n);
    return 0;
}
