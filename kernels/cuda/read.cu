/* read.cu: the reader stream as one set of operations: see backend.h (read_begin and the rest) and read.cuh. For other
 * shapes than the kernels take it says so and is composed of the rest of the table by whoever asked.
 *
 * A phase is what runs between two retrievals: embeddings and lower layers, or one group. Its kernels are recorded as a
 * graph the first time that sizes, rounded up, and kind of call come together; from then on a call is one launch a phase.
 * What a call gives goes straight to host memory. */
#include <new>
#include <string.h>
#include <vector>

#include "kernels/cuda/encode.cuh"
#include "kernels/cuda/read.cuh"

#define LOWER (-1) /* as a phase's number; else a group's */

namespace {

/* Norms folded in, gate and up interleaved. gca_*: of the groups' layers. */
struct layer {
    const __nv_bfloat16 *qkv, *out, *gca_q, *gca_out, *gate_up, *down;
};

/* What a phase's launches depend on. */
struct phase_kind {
    int phase, rows, tiles;
    bool landmarks; /* some part's first row retrieves */
    bool fresh;     /* the group has chunks to project, */
    bool reads;     /* or reads any */
    bool trace;

    bool operator==(const phase_kind &k) const {
        return phase == k.phase && rows == k.rows && tiles == k.tiles && landmarks == k.landmarks && fresh == k.fresh &&
               reads == k.reads && trace == k.trace;
    }
};

struct recorded_phase {
    phase_kind kind;
    cudaGraphExec_t graph;
};

} // namespace

struct drt_read_state {
    drt_read_weights w;
    drt_read_shape shape;
    int max_rows;
    bool counting; /* nothing is reserved, only counted: */
    size_t room;   /* bytes of buffers */
    std::vector<void *> buffers, pinned;
    std::vector<layer> layers; /* lower ones, then the groups' */
    std::vector<recorded_phase> phases;
    size_t window_layer; /* elements of a layer's keys, or values, in the window */
    __nv_bfloat16 *window_keys, *window_values, *chunk_keys, *chunk_values;
    float *x, *shares;
    __nv_bfloat16 *copy, *q, *attention, *hidden;
    unsigned char *raw, *raw_host; /* (n_lanes,top_k) records of fresh chunks */
    void *sheet_memory, *sheet_host_memory;
    drt_read_sheet sheet, sheet_host;
    size_t sheet_bytes;
    float *queries, *normed, *trace; /* results, host: (max_rows,d) twice, (max_rows,n_groups,top_k,S) */
    cudaEvent_t copied;
    /* Of the running call: */
    int n_parts, n_fresh;
    phase_kind kind;
};

/* ----------------------------------------------------------------------- open, close ---- */

static bool takes(const drt_read_weights *w) {
    return w->unit_rms && w->chunk_size == DRT_READ_CHUNK && w->d == w->n_heads * DRT_READ_HEAD &&
           w->d_ff % DRT_READ_HEAD == 0 && w->window > 0 && w->top_k > 0 && w->n_groups > 0;
}

static int n_layers(const drt_read_weights *w) {
    int n = w->n_lower;
    for (int g = 0; g < w->n_groups; g++)
        n += w->group_layers[g];
    return n;
}

static int most_layers_of_a_group(const drt_read_weights *w) {
    int most = 0;
    for (int g = 0; g < w->n_groups; g++)
        most = w->group_layers[g] > most ? w->group_layers[g] : most;
    return most;
}

/* Zeroed: rows that are only padding are read, too. */
template <typename T> static int reserve(drt_backend *b, drt_read_state *s, size_t n, T **buffer) {
    void *data;
    s->room += n * sizeof(T);
    if (s->counting)
        return 0;
    if (b->buffer_alloc(b, n * sizeof(T), &data) != 0)
        return -1;
    s->buffers.push_back(data);
    *buffer = (T *)data;
    return b->clear(b, data, n * sizeof(T));
}

template <typename T> static int reserve_host(drt_backend *b, drt_read_state *s, size_t n, T **buffer) {
    void *data;
    if (s->counting)
        return 0;
    if (b->host_alloc(b, n * sizeof(T), &data) != 0)
        return -1;
    s->pinned.push_back(data);
    *buffer = (T *)data;
    return 0;
}

static int fold(drt_backend *b, drt_read_state *s, const drt_matrix *m, const drt_matrix *other, const float *gain,
                const __nv_bfloat16 **out) {
    __nv_bfloat16 *folded;
    if (reserve(b, s, (size_t)m->rows * (size_t)m->cols * (other ? 2 : 1), &folded) != 0)
        return -1;
    *out = folded;
    return drt_encode_fold(b, m, other, gain, folded);
}

static int prepare_layer(drt_backend *b, drt_read_state *s, const drt_read_layer *from, bool upper) {
    layer to = {};
    if (fold(b, s, from->qkv, NULL, from->attn_norm, &to.qkv) != 0 ||
        fold(b, s, from->gate, from->up, from->mlp_norm, &to.gate_up) != 0 ||
        (upper && fold(b, s, from->gca_q, NULL, from->gca_norm, &to.gca_q) != 0))
        return -1;
    to.out = (const __nv_bfloat16 *)from->out->data;
    to.down = (const __nv_bfloat16 *)from->down->data;
    to.gca_out = upper ? (const __nv_bfloat16 *)from->gca_out->data : NULL;
    s->layers.push_back(to);
    return 0;
}

/* Where the sheet's arrays begin in an area of memory; returns its bytes. */
static size_t divide_sheet(const drt_read_state *s, void *memory, drt_read_sheet *sheet) {
    size_t rows = (size_t)s->max_rows, lanes = (size_t)s->shape.n_lanes, groups = (size_t)s->shape.n_groups, at = 0;
    char *base = (char *)memory;
    auto piece = [&](auto *&array, size_t n) {
        array = (decltype(+array))(base + at);
        at += drt_aligned(n * sizeof *array);
    };
    piece(sheet->tokens, rows);
    piece(sheet->rows, rows);
    piece(sheet->tiles, rows);
    piece(sheet->landmarks, rows);
    piece(sheet->fresh, lanes);
    piece(sheet->counts, lanes * groups);
    piece(sheet->weights, lanes * groups * (size_t)s->shape.top_k);
    return at;
}

static int prepare_sheet(drt_backend *b, drt_read_state *s) {
    char base = 0;
    s->sheet_bytes = divide_sheet(s, &base, &s->sheet);
    char *device = NULL, *host = NULL;
    if (reserve(b, s, s->sheet_bytes, &device) != 0 || reserve_host(b, s, s->sheet_bytes, &host) != 0)
        return -1;
    if (s->counting)
        return 0;
    memset(host, 0, s->sheet_bytes);
    s->sheet_memory = device;
    s->sheet_host_memory = host;
    divide_sheet(s, device, &s->sheet);
    divide_sheet(s, host, &s->sheet_host);
    return 0;
}

static int prepare_memory(drt_backend *b, drt_read_state *s) {
    const drt_read_shape *shape = &s->shape;
    size_t d = (size_t)shape->d, lanes = (size_t)shape->n_lanes, groups = (size_t)shape->n_groups;
    size_t rows = (size_t)s->max_rows + DRT_READ_SLOTS; /* a tile's queries are read whole */
    size_t chunk = DRT_READ_CHUNK * d, top_k = (size_t)shape->top_k, all = (size_t)n_layers(&s->w);
    size_t chunks = lanes * groups * top_k * chunk, raw = lanes * top_k * chunk * sizeof(__nv_bfloat16);
    size_t shares = (size_t)most_layers_of_a_group(&s->w) * (size_t)shape->n_heads * rows * top_k * DRT_READ_CHUNK;
    s->window_layer = lanes * (size_t)shape->ring * d;
    return reserve(b, s, all * s->window_layer, &s->window_keys) != 0 ||
                   reserve(b, s, all * s->window_layer, &s->window_values) != 0 ||
                   reserve(b, s, chunks, &s->chunk_keys) != 0 || reserve(b, s, chunks, &s->chunk_values) != 0 ||
                   reserve(b, s, rows * d, &s->x) != 0 || reserve(b, s, rows * d, &s->copy) != 0 ||
                   reserve(b, s, rows * d, &s->q) != 0 || reserve(b, s, rows * d, &s->attention) != 0 ||
                   reserve(b, s, rows * (size_t)shape->d_ff, &s->hidden) != 0 ||
                   reserve(b, s, shares, &s->shares) != 0 || reserve(b, s, raw, &s->raw) != 0 ||
                   reserve_host(b, s, raw, &s->raw_host) != 0 || reserve_host(b, s, rows * d, &s->queries) != 0 ||
                   reserve_host(b, s, rows * d, &s->normed) != 0 ||
                   reserve_host(b, s, rows * groups * top_k * DRT_READ_CHUNK, &s->trace) != 0 ||
                   prepare_sheet(b, s) != 0
               ? -1
               : 0;
}

static int prepare(drt_backend *b, drt_read_state *s) {
    const drt_read_weights *w = &s->w;
    for (int i = 0; i < n_layers(w); i++) {
        bool upper = i >= w->n_lower;
        if (prepare_layer(b, s, upper ? &w->upper[i - w->n_lower] : &w->lower[i], upper) != 0)
            return -1;
    }
    if (prepare_memory(b, s) != 0 ||
        drt_cuda_check(b, cudaEventCreateWithFlags(&s->copied, cudaEventDisableTiming), "making events") != 0)
        return -1;
    return b->synchronize(b);
}

void drt_cuda_read_close(drt_backend *b, drt_read_state *s) {
    if (!s)
        return;
    drt_cuda_enter(b);
    b->synchronize(b);
    for (const recorded_phase &phase : s->phases)
        cudaGraphExecDestroy(phase.graph);
    if (s->copied)
        cudaEventDestroy(s->copied);
    for (void *buffer : s->buffers)
        b->buffer_free(b, buffer);
    for (void *buffer : s->pinned)
        b->host_free(b, buffer);
    delete s;
}

/* Sizes are rounded up so that few graphs are recorded: to 8, 16, ... below 64 and to 64, 128, 256, ... above. */
static int round_up(int n, int least) {
    while (least < n)
        least *= 2;
    return least;
}

static void set_shape(drt_read_state *s, const drt_read_weights *w, int n_lanes, int max_slots) {
    s->w = *w;
    s->max_rows = round_up(max_slots, 8);
    s->shape.d = w->d;
    s->shape.n_heads = w->n_heads;
    s->shape.d_ff = w->d_ff;
    s->shape.window = w->window;
    s->shape.ring = ((w->window - 1 + DRT_READ_CHUNK - 1) / DRT_READ_CHUNK + 1) * DRT_READ_CHUNK;
    s->shape.n_groups = w->n_groups;
    s->shape.top_k = w->top_k;
    s->shape.n_lanes = n_lanes;
    s->shape.eps = w->eps;
}

size_t drt_cuda_read_room(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots) {
    if (!takes(w))
        return 0;
    drt_read_state s = {};
    size_t d = (size_t)w->d, layers = (size_t)n_layers(w), upper = layers - (size_t)w->n_lower;
    s.counting = true;
    set_shape(&s, w, n_lanes, max_slots);
    prepare_memory(b, &s);
    return s.room + (layers * (3 * d + 2 * (size_t)w->d_ff) + upper * d) * d * sizeof(__nv_bfloat16); /* folded */
}

int drt_cuda_read_open(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots, drt_read_state **state) {
    drt_cuda_enter(b);
    *state = NULL;
    if (!takes(w))
        return 1;
    try {
        drt_read_state *s = new drt_read_state();
        set_shape(s, w, n_lanes, max_slots);
        if (prepare(b, s) != 0) {
            drt_cuda_read_close(b, s);
            return -1;
        }
        *state = s;
        return 0;
    } catch (const std::bad_alloc &) {
        return drt_cuda_fail(b, "out of memory for the reader");
    }
}

/* ----------------------------------------------------------------------------- phases ---- */

static drt_read_product product(const drt_read_state *s, const __nv_bfloat16 *x, const __nv_bfloat16 *m, int rows,
                                int cols, __nv_bfloat16 *out) {
    drt_read_product p = {};
    p.shape = s->shape;
    p.x = x;
    p.m = m;
    p.rows = rows;
    p.cols = cols;
    p.place = s->sheet.rows;
    p.out = out;
    p.residual = s->x;
    return p;
}

/* x += window attention of its norm. */
static int queue_window(drt_backend *b, drt_read_state *s, const phase_kind *kind, int index) {
    const layer *l = &s->layers[(size_t)index];
    int d = s->shape.d;
    drt_read_product qkv = product(s, s->copy, l->qkv, 3 * d, d, s->q),
                     out = product(s, s->attention, l->out, d, d, s->copy);
    qkv.keys = s->window_keys + (size_t)index * s->window_layer;
    qkv.values = s->window_values + (size_t)index * s->window_layer;
    drt_read_attention attention = {s->shape, s->sheet.tiles, s->q, qkv.keys, qkv.values, s->attention};
    return drt_read_multiply(b, DRT_READ_WINDOW, &qkv, kind->rows) != 0 ||
                   drt_read_window(b, &attention, kind->tiles) != 0 ||
                   drt_read_multiply(b, DRT_READ_ADD, &out, kind->rows) != 0
               ? -1
               : 0;
}

/* x += cross-attention of its norm. number: of the layer in its group. */
static int queue_cross(drt_backend *b, drt_read_state *s, const phase_kind *kind, int index, int number) {
    const layer *l = &s->layers[(size_t)index];
    int d = s->shape.d;
    size_t layer_shares = (size_t)s->shape.n_heads * (size_t)s->max_rows * (size_t)s->shape.top_k * DRT_READ_CHUNK;
    drt_read_product q = product(s, s->copy, l->gca_q, d, d, s->q),
                     out = product(s, s->attention, l->gca_out, d, d, s->copy);
    drt_read_cross cross = {{s->shape, s->sheet.tiles, s->q, s->chunk_keys, s->chunk_values, s->attention},
                            kind->phase,
                            s->max_rows,
                            s->sheet.counts,
                            s->sheet.weights,
                            kind->trace ? s->shares + (size_t)number * layer_shares : NULL};
    return drt_read_multiply(b, DRT_READ_QUERY, &q, kind->rows) != 0 ||
                   drt_read_cross_attention(b, &cross, kind->tiles) != 0 ||
                   drt_read_multiply(b, DRT_READ_ADD, &out, kind->rows) != 0
               ? -1
               : 0;
}

/* x += mlp of its norm. */
static int queue_mlp(drt_backend *b, drt_read_state *s, const phase_kind *kind, int index) {
    const layer *l = &s->layers[(size_t)index];
    int d = s->shape.d, d_ff = s->shape.d_ff;
    drt_read_product gate_up = product(s, s->copy, l->gate_up, 2 * d_ff, d, s->hidden);
    drt_read_product down = product(s, s->hidden, l->down, d, d_ff, s->copy);
    return drt_read_multiply(b, DRT_READ_SWIGLU, &gate_up, kind->rows) != 0 ||
                   drt_read_multiply(b, DRT_READ_ADD, &down, kind->rows) != 0
               ? -1
               : 0;
}

/* Queries of the parts' landmarks for a group. */
static int queue_queries(drt_backend *b, drt_read_state *s, const phase_kind *kind, int group) {
    return drt_read_norm(b, &s->shape, s->x, s->sheet.landmarks, NULL, s->w.query_norm[group], s->queries, kind->tiles);
}

static int queue_lower(drt_backend *b, drt_read_state *s, const phase_kind *kind) {
    if (drt_read_embed(b, &s->shape, (const __nv_bfloat16 *)s->w.embed->data, s->sheet.tokens, s->sheet.rows, s->x,
                       s->copy, kind->rows) != 0)
        return -1;
    for (int i = 0; i < s->w.n_lower; i++)
        if (queue_window(b, s, kind, i) != 0 || queue_mlp(b, s, kind, i) != 0)
            return -1;
    return kind->landmarks ? queue_queries(b, s, kind, 0) : 0;
}

static int queue_projection(drt_backend *b, drt_read_state *s, const phase_kind *kind) {
    drt_read_projection p = {s->shape,
                             kind->phase,
                             s->sheet.fresh,
                             s->raw,
                             (const __nv_bfloat16 *)s->w.chunk_k->data,
                             (const __nv_bfloat16 *)s->w.chunk_v->data,
                             s->chunk_keys,
                             s->chunk_values};
    int lanes = s->shape.n_lanes;
    return drt_read_project(b, &p, kind->tiles < lanes ? kind->tiles : lanes);
}

static int queue_trace(drt_backend *b, drt_read_state *s, const phase_kind *kind) {
    int n = s->w.group_layers[kind->phase] * s->shape.n_heads;
    return drt_read_trace(b, &s->shape, kind->phase, s->sheet.rows, s->sheet.counts, s->shares, n, s->max_rows,
                          1 / (float)n, s->trace, kind->rows);
}

static int queue_group(drt_backend *b, drt_read_state *s, const phase_kind *kind) {
    int group = kind->phase, index = s->w.n_lower;
    for (int g = 0; g < group; g++)
        index += s->w.group_layers[g];
    if (kind->fresh && queue_projection(b, s, kind) != 0)
        return -1;
    for (int i = 0; i < s->w.group_layers[group]; i++, index++)
        if (queue_window(b, s, kind, index) != 0 || (kind->reads && queue_cross(b, s, kind, index, i) != 0) ||
            queue_mlp(b, s, kind, index) != 0)
            return -1;
    if (kind->trace && queue_trace(b, s, kind) != 0)
        return -1;
    if (group + 1 == s->w.n_groups)
        return drt_read_norm(b, &s->shape, s->x, NULL, s->sheet.rows, s->w.final_norm, s->normed, kind->rows);
    return kind->landmarks ? queue_queries(b, s, kind, group + 1) : 0;
}

static int record(drt_backend *b, drt_read_state *s, const phase_kind *kind, cudaGraphExec_t *graph) {
    drt_cuda *cuda = (drt_cuda *)b;
    if (drt_cuda_check(b, cudaStreamBeginCapture(cuda->stream, cudaStreamCaptureModeRelaxed), "recording work") != 0)
        return -1;
    int queued = kind->phase == LOWER ? queue_lower(b, s, kind) : queue_group(b, s, kind);
    cudaGraph_t recorded = NULL;
    cudaError_t status = cudaStreamEndCapture(cuda->stream, &recorded);
    if (queued == 0 && drt_cuda_check(b, status, "recording work") == 0)
        queued = drt_cuda_check(b, cudaGraphInstantiate(graph, recorded, 0), "preparing recorded work");
    else
        queued = -1;
    if (recorded)
        cudaGraphDestroy(recorded);
    return queued;
}

static int run_phase(drt_backend *b, drt_read_state *s, const phase_kind *kind) {
    drt_cuda *cuda = (drt_cuda *)b;
    for (const recorded_phase &phase : s->phases)
        if (phase.kind == *kind)
            return drt_cuda_check(b, cudaGraphLaunch(phase.graph, cuda->stream), "reading");
    try {
        s->phases.reserve(s->phases.size() + 1);
    } catch (const std::bad_alloc &) {
        return drt_cuda_fail(b, "out of memory for the reader");
    }
    recorded_phase phase = {*kind, NULL};
    if (record(b, s, kind, &phase.graph) != 0)
        return -1;
    s->phases.push_back(phase);
    return drt_cuda_check(b, cudaGraphLaunch(phase.graph, cuda->stream), "reading");
}

/* ------------------------------------------------------------------------------ calls ---- */

static int send_sheet(drt_backend *b, drt_read_state *s) {
    drt_cuda *cuda = (drt_cuda *)b;
    return drt_cuda_check(
        b, cudaMemcpyAsync(s->sheet_memory, s->sheet_host_memory, s->sheet_bytes, cudaMemcpyHostToDevice, cuda->stream),
        "copying slots");
}

/* Waits for the queries that a phase has written, if there are any. */
static int await_queries(drt_backend *b, drt_read_state *s, const float **queries) {
    drt_cuda *cuda = (drt_cuda *)b;
    *queries = NULL;
    if (!s->kind.landmarks)
        return 0;
    if (drt_cuda_check(b, cudaStreamSynchronize(cuda->stream), "reading") != 0)
        return -1;
    *queries = s->queries;
    return 0;
}

static int check_call(drt_backend *b, const drt_read_state *s, const int32_t *tokens, const drt_read_part *parts,
                      int n_parts) {
    int rows = 0, vocabulary = s->w.embed->rows;
    for (int i = 0; i < n_parts; i++) {
        const drt_read_part *p = &parts[i];
        if (p->lane < 0 || p->lane >= s->shape.n_lanes || p->first != rows || p->n < 1 || p->n > DRT_READ_CHUNK ||
            p->n > s->max_rows - rows)
            return drt_cuda_fail(b, "a part of %d slots of lane %d does not fit into a call", p->n, p->lane);
        rows += p->n;
    }
    for (int i = 0; i < rows; i++)
        if (tokens[i] < 0 || tokens[i] >= vocabulary)
            return drt_cuda_fail(b, "token %d is outside the vocabulary of %d", (int)tokens[i], vocabulary);
    return rows;
}

/* Rows and tiles of a part; returns the number of tiles so far. */
static int fill_part(drt_read_state *s, const drt_read_part *part, int n_tiles) {
    drt_read_sheet *sheet = &s->sheet_host;
    int64_t seen = part->position - part->start, window = s->shape.window;
    for (int i = 0; i < part->n; i++) {
        int ring = (int)((part->position + i) % s->shape.ring);
        sheet->rows[part->first + i] = {part->lane, ring};
        if (i % DRT_READ_SLOTS == 0) {
            int left = part->n - i;
            sheet->tiles[n_tiles++] = {part->first + i, left < DRT_READ_SLOTS ? left : DRT_READ_SLOTS, part->lane, ring,
                                       (int)(seen + i < window ? seen + i : window)};
        }
    }
    return n_tiles;
}

/* What the call's launches depend on, and padding up to there. */
static void fill_sheet(drt_read_state *s, const int32_t *tokens, const drt_read_part *parts, int n_parts, int rows,
                       bool trace) {
    drt_read_sheet *sheet = &s->sheet_host;
    int n_tiles = 0;
    s->kind = {};
    s->kind.trace = trace;
    memcpy(sheet->tokens, tokens, (size_t)rows * sizeof *tokens);
    for (int i = 0; i < n_parts; i++) {
        n_tiles = fill_part(s, &parts[i], n_tiles);
        sheet->landmarks[i] = parts[i].landmark ? parts[i].first : -1;
        s->kind.landmarks = s->kind.landmarks || parts[i].landmark;
    }
    s->kind.rows = round_up(rows, 8);
    s->kind.tiles = round_up(n_tiles, 1);
    for (int i = rows; i < s->kind.rows; i++)
        sheet->rows[i] = {-1, 0};
    for (int i = n_tiles; i < s->kind.tiles; i++)
        sheet->tiles[i] = {};
    for (int i = n_parts; i < s->kind.tiles; i++)
        sheet->landmarks[i] = -1;
}

int drt_cuda_read_begin(drt_backend *b, drt_read_state *s, const int32_t *tokens, const drt_read_part *parts,
                        int n_parts, bool trace, const float **queries) {
    drt_cuda_enter(b);
    int rows = check_call(b, s, tokens, parts, n_parts);
    if (rows < 0)
        return -1;
    s->n_parts = n_parts;
    s->n_fresh = 0;
    fill_sheet(s, tokens, parts, n_parts, rows, trace);
    phase_kind lower = s->kind;
    lower.phase = LOWER;
    lower.trace = false; /* is of no matter there */
    return send_sheet(b, s) != 0 || run_phase(b, s, &lower) != 0 ? -1 : await_queries(b, s, queries);
}

/* The lane's records to the device, while the other lanes still look for theirs. */
int drt_cuda_read_chunks(drt_backend *b, drt_read_state *s, int lane, int group, int n, const float *weights,
                         drt_weight_type type, const void *const *records) {
    size_t d = (size_t)s->shape.d, top_k = (size_t)s->shape.top_k, slots = DRT_READ_CHUNK * d;
    size_t list = (size_t)lane * (size_t)s->shape.n_groups + (size_t)group;
    s->sheet_host.counts[list] = n;
    if (n == 0)
        return 0;
    drt_cuda *cuda = drt_cuda_enter(b);
    if (n > s->shape.top_k || s->n_fresh == s->shape.n_lanes || (type != DRT_WEIGHT_I8 && type != DRT_WEIGHT_BF16))
        return drt_cuda_fail(b, "%d records of type %d cannot be taken in", n, (int)type);
    size_t record = type == DRT_WEIGHT_I8 ? slots + DRT_READ_CHUNK * sizeof(float) : slots * sizeof(__nv_bfloat16);
    size_t area = (size_t)lane * top_k * slots * sizeof(__nv_bfloat16);
    for (int i = 0; i < n; i++)
        memcpy(s->raw_host + area + (size_t)i * record, records[i], record);
    memcpy(s->sheet_host.weights + list * top_k, weights, (size_t)n * sizeof *weights);
    s->sheet_host.fresh[s->n_fresh++] = {lane, n, type == DRT_WEIGHT_I8};
    return drt_cuda_check(b,
                          cudaMemcpyAsync(s->raw + area, s->raw_host + area, (size_t)n * record, cudaMemcpyHostToDevice,
                                          cuda->copy_stream),
                          "copying chunk memory to the GPU");
}

/* Lets the group's work wait for the copies of its chunks. */
static int use_fresh(drt_backend *b, drt_read_state *s) {
    drt_cuda *cuda = (drt_cuda *)b;
    for (int i = s->n_fresh; i < s->shape.n_lanes; i++)
        s->sheet_host.fresh[i] = {-1, 0, 0};
    s->n_fresh = 0;
    return drt_cuda_check(b, cudaEventRecord(s->copied, cuda->copy_stream), "copying chunk memory to the GPU") != 0 ||
                   drt_cuda_check(b, cudaStreamWaitEvent(cuda->stream, s->copied, 0), "waiting for a copy") != 0
               ? -1
               : send_sheet(b, s);
}

int drt_cuda_read_group(drt_backend *b, drt_read_state *s, int group, const float **queries) {
    drt_cuda_enter(b);
    s->kind.phase = group;
    s->kind.fresh = s->n_fresh > 0;
    s->kind.reads = false;
    for (int i = 0; i < s->kind.tiles; i++) {
        const drt_read_tile *tile = &s->sheet_host.tiles[i];
        size_t list = (size_t)tile->lane * (size_t)s->shape.n_groups + (size_t)group;
        s->kind.reads = s->kind.reads || (tile->n > 0 && s->sheet_host.counts[list] > 0);
    }
    if (s->kind.landmarks && use_fresh(b, s) != 0)
        return -1;
    if (run_phase(b, s, &s->kind) != 0)
        return -1;
    *queries = NULL;
    return group + 1 < s->shape.n_groups ? await_queries(b, s, queries) : 0;
}

int drt_cuda_read_end(drt_backend *b, drt_read_state *s, const float **hidden, const float **attention) {
    drt_cuda *cuda = drt_cuda_enter(b);
    *hidden = s->normed;
    *attention = s->kind.trace ? s->trace : NULL;
    return drt_cuda_check(b, cudaStreamSynchronize(cuda->stream), "reading");
}
