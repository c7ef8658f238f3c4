/* The three attentions against plain loops: odd sizes, window borders, segments, empty retrieval. */
#include "tests/kernels/kernels.h"

/* out (h) = softmax of `logits` (n; -INFINITY: not seen) over rows v (n, stride); shares (n) may be NULL. */
static void attend(const double *logits, int n, const float *v, int stride, int h, double *out, double *shares) {
    double most = -INFINITY, sum = 0;
    for (int j = 0; j < n; j++)
        most = fmax(most, logits[j]);
    for (int j = 0; j < n; j++)
        sum += exp(logits[j] - most);
    for (int i = 0; i < h; i++)
        out[i] = 0;
    for (int j = 0; j < n; j++) {
        double share = exp(logits[j] - most) / sum;
        if (shares)
            shares[j] = share;
        for (int i = 0; i < h; i++)
            out[i] += share * (double)v[j * stride + i];
    }
}

static double dot(const float *a, const float *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += (double)a[i] * (double)b[i];
    return sum;
}

/* ------------------------------------------------------------------------------ window ---- */

static void expected_window(const drt_window_attention *p, double *out) {
    int h = p->head_size, d = p->n_heads * h;
    double *logits = zero_doubles((size_t)p->m);
    for (int i = 0; i < p->n; i++)
        for (int head = 0; head < p->n_heads; head++) {
            int self = p->m - p->n + i;
            for (int j = 0; j < p->m; j++) {
                bool seen = j <= self && self - j < p->window && (!p->segment || p->segment[j] == p->segment[self]);
                double slope = pow(2, -8.0 * (head + 1) / p->n_heads);
                logits[j] =
                    seen ? dot(p->q + i * d + head * h, p->k + j * d + head * h, h) / sqrt(h) - slope * (self - j)
                         : -INFINITY;
            }
            attend(logits, p->m, p->v + head * h, d, h, out + i * d + head * h, NULL);
        }
    free(logits);
}

/* segments: 0 none, 1 runs of random length, 2 every slot's own choice of two. */
static void check_window(drt_backend *b, int n_heads, int h, int n, int past, int window, int segments) {
    int m = n + past, d = n_heads * h;
    float *q = random_floats((size_t)(n * d)), *k = random_floats((size_t)(m * d)), *v = random_floats((size_t)(m * d));
    int32_t *segment = malloc((size_t)m * sizeof *segment);
    double *expected = zero_doubles((size_t)(n * d));
    assert_non_null(segment);
    for (int j = 0, run = 7; j < m; j++) {
        run += random_below(20) == 0;
        segment[j] = segments == 2 ? random_below(2) : run;
    }
    for (int i = 0; i < n * d; i++)
        q[i] *= 3;
    drt_window_attention p = {q, k, v, segments ? segment : NULL, n, m, window, n_heads, h, q};
    expected_window(&p, expected);
    assert_int_equal(b->window_attention(b, &p), 0);
    assert_close("window_attention", q, expected, (size_t)(n * d));
    free(q);
    free(k);
    free(v);
    free(segment);
    free(expected);
}

static void check_windows(drt_backend *b) {
    for (int segments = 0; segments <= 2; segments++) {
        check_window(b, 2, 16, 1, 0, 40, segments);
        check_window(b, 3, 10, 2, 39, 40, segments);
        check_window(b, 1, 7, 75, 0, 1, segments);
        check_window(b, 2, 33, 70, 200, 64, segments);
        check_window(b, 1, 64, 130, 17, 1000, segments);
        check_window(b, 1 + random_below(3), 1 + random_below(40), 1 + random_below(150), random_below(150),
                     1 + random_below(200), segments);
    }
}

static void window_attention_is_the_plain_formula(void **state) {
    (void)state;
    for_each_backend(check_windows);
}

/* ------------------------------------------------------------------------------- chunk ---- */

static void check_chunk(drt_backend *b, int n_chunks, int S, int n_heads, int h) {
    int d = n_heads * h, n = n_chunks * S;
    float *q = random_floats((size_t)(n * d)), *k = random_floats((size_t)(n * d)), *v = random_floats((size_t)(n * d));
    double *expected = zero_doubles((size_t)(n * d)), *logits = zero_doubles((size_t)S);
    for (int i = 0; i < n; i++)
        for (int head = 0; head < n_heads; head++) {
            int first = i / S * S;
            for (int j = 0; j < S; j++)
                logits[j] = dot(q + i * d + head * h, k + (first + j) * d + head * h, h) / sqrt(h);
            attend(logits, S, v + first * d + head * h, d, h, expected + i * d + head * h, NULL);
        }
    drt_chunk_attention p = {q, k, v, n_chunks, S, n_heads, h, q};
    assert_int_equal(b->chunk_attention(b, &p), 0);
    assert_close("chunk_attention", q, expected, (size_t)(n * d));
    free(q);
    free(k);
    free(v);
    free(expected);
    free(logits);
}

static void check_chunks(drt_backend *b) {
    check_chunk(b, 3, 64, 2, 64);
    check_chunk(b, 1, 1, 1, 5);
    check_chunk(b, 2, 37, 3, 9);
    check_chunk(b, 1 + random_below(4), 1 + random_below(70), 1 + random_below(3), 1 + random_below(40));
    check_chunk(b, 0, 64, 2, 16);
}

static void chunk_attention_is_the_plain_formula(void **state) {
    (void)state;
    for_each_backend(check_chunks);
}

/* ------------------------------------------------------------------------------- cross ---- */

typedef struct {
    int S, n_heads, h, most;
    drt_gca_block blocks[3];
    float *k[3], *v[3], weights[3][5];
} cross_case;

static void expected_block(const cross_case *c, const drt_gca_block *block, const float *q, double *out,
                           double *attention) {
    int h = c->h, d = c->n_heads * h, S = c->S;
    double *logits = zero_doubles((size_t)S), *shares = zero_doubles((size_t)S), *part = zero_doubles((size_t)h);
    for (int i = block->first; i < block->first + block->n; i++)
        for (int head = 0; head < c->n_heads; head++)
            for (int e = 0; e < block->n_chunks; e++) {
                for (int s = 0; s < S; s++)
                    logits[s] = dot(q + i * d + head * h, block->k + (e * S + s) * d + head * h, h) / sqrt(h);
                attend(logits, S, block->v + e * S * d + head * h, d, h, part, shares);
                for (int j = 0; j < h; j++)
                    out[i * d + head * h + j] += (double)block->weights[e] * part[j];
                for (int s = 0; s < S; s++)
                    attention[(i * c->most + e) * S + s] += 0.25 * shares[s];
            }
    free(logits);
    free(shares);
    free(part);
}

/* Blocks of n[0], n[1], n[2] slots reading chunks[0..2] chunks, one slot before them that reads nothing. */
static void check_cross(drt_backend *b, int S, int n_heads, int h, const int n[3], const int chunks[3], bool trace) {
    cross_case c = {.S = S, .n_heads = n_heads, .h = h, .most = 5};
    int d = n_heads * h, total = 1;
    for (int i = 0; i < 3; i++) {
        size_t floats = (size_t)(chunks[i] * S * d);
        c.k[i] = random_floats(floats);
        c.v[i] = random_floats(floats);
        for (int e = 0; e < chunks[i]; e++) {
            c.weights[i][e] = random_float();
            memset(c.k[i] + ((e + 1) * S - 1) * d, 0, (size_t)d * sizeof(float));
            memset(c.v[i] + ((e + 1) * S - 1) * d, 0, (size_t)d * sizeof(float));
        }
        c.blocks[i] = (drt_gca_block){total, n[i], chunks[i], c.k[i], c.v[i], c.weights[i]};
        total += n[i];
    }
    size_t floats = (size_t)(total * d), shares = (size_t)(total * c.most * S);
    float *q = random_floats(floats), *out = random_floats(floats), *attention = random_floats(shares);
    double *expected = zero_doubles(floats), *expected_attention = zero_doubles(shares);
    for (size_t i = 0; i < shares; i++)
        expected_attention[i] = (double)attention[i]; /* it is added to what stands there */
    for (int i = 0; i < 3; i++)
        expected_block(&c, &c.blocks[i], q, expected, expected_attention);
    drt_cross_attention p = {q, total, n_heads, h, S, c.blocks, 3, out, NULL, (size_t)(c.most * S), 0.25f};
    p.attention = trace ? attention : NULL;
    assert_int_equal(b->cross_attention(b, &p), 0);
    assert_close("cross_attention", out, expected, floats);
    if (trace)
        assert_close("cross_attention's shares", attention, expected_attention, shares);
    for (int i = 0; i < 3; i++) {
        free(c.k[i]);
        free(c.v[i]);
    }
    free(q);
    free(out);
    free(attention);
    free(expected);
    free(expected_attention);
}

static void check_crosses(drt_backend *b) {
    static const int slots[3] = {64, 2, 9}, none[3] = {0, 0, 0}, chunks[3] = {5, 0, 1}, few[3] = {2, 3, 1};
    for (int trace = 0; trace <= 1; trace++) {
        check_cross(b, 64, 2, 64, slots, chunks, trace != 0);
        check_cross(b, 19, 3, 11, slots, few, trace != 0);
        check_cross(b, 5, 1, 6, few, chunks, trace != 0);
        check_cross(b, 8, 1, 16, slots, none, trace != 0);
    }
}

static void cross_attention_is_the_plain_formula(void **state) {
    (void)state;
    for_each_backend(check_crosses);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(window_attention_is_the_plain_formula),
        cmocka_unit_test(chunk_attention_is_the_plain_formula),
        cmocka_unit_test(cross_attention_is_the_plain_formula),
    };
    random_start();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
