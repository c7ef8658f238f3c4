/* The small random models of tests/golden: every intermediate that the reference stored. */
#include "tests/golden/golden.h"

#define IGNORE (-100)

typedef struct {
    golden_case g;
    const drt_config *c;
    size_t n, chunks, d, S;
    int32_t *tokens, *segment, *labels;
    float *landmarks, *y;
} small_case;

static void case_open(small_case *s, const char *name, const drt_simd *simd) {
    char model[512], golden[512];
    snprintf(model, sizeof model, "%s/golden/%s", DRT_TEST_DATA, name);
    snprintf(golden, sizeof golden, "%s/golden/%s/golden.safetensors", DRT_TEST_DATA, name);
    golden_open(&s->g, model, golden, 2, simd);
    s->c = drt_model_config(s->g.model);
    s->tokens = golden_integers(&s->g, "tokens", &s->n);
    s->segment = golden_integers(&s->g, "segment", NULL);
    s->labels = golden_integers(&s->g, "labels", NULL);
    s->d = (size_t)s->c->d_model;
    s->S = (size_t)s->c->chunk_size;
    s->chunks = s->n / s->S;
    s->landmarks = new_floats(s->chunks * s->d);
    s->y = new_floats(s->n * s->d);
    drt_encoder *encoder;
    assert_ok(s->g.context, drt_encoder_new(s->g.context, s->g.model, (int)s->n, &encoder));
    assert_ok(s->g.context,
              drt_encoder_run(s->g.context, encoder, s->tokens, s->segment, (int)s->n, s->landmarks, s->y));
    drt_encoder_free(encoder);
}

static void case_close(small_case *s) {
    free(s->tokens);
    free(s->segment);
    free(s->labels);
    free(s->landmarks);
    free(s->y);
    golden_close(&s->g);
}

static void check_lower_layers(small_case *s) {
    drt_layers layers;
    drt_window window;
    drt_backend *b = s->g.device->backend;
    char name[32];
    int n = (int)s->n;
    assert_ok(s->g.context, drt_layers_open(s->g.context, s->g.model, n, &layers));
    assert_ok(s->g.context,
              drt_window_open(s->g.context, b, s->c->lower_layers, s->c->d_model, s->c->window, n, &window));
    memcpy(window.segment, s->segment, s->n * sizeof *s->segment);
    drt_span all = {&window, 0, n};
    assert_int_equal(b->embed(b, &s->g.model->embed, s->tokens, n, layers.x), 0);
    for (int i = 0; i < s->c->lower_layers; i++) {
        const drt_layer_weights *w = &s->g.model->lower[i];
        assert_int_equal(drt_layers_window_attention(&layers, w, &all, 1, i, n), 0);
        assert_int_equal(drt_layers_mlp(&layers, w, layers.x, n), 0);
        snprintf(name, sizeof name, "lower.%d", i);
        assert_golden(&s->g, name, layers.x, s->n * s->d);
    }
    drt_window_close(&window);
    drt_layers_close(&layers);
}

static void check_chunk_memory(small_case *s) {
    size_t floats = s->n * s->d;
    float *y = new_floats(floats), *k = new_floats(floats), *v = new_floats(floats);
    memcpy(y, s->y, floats * sizeof *y);
    assert_golden(&s->g, "landmarks", s->landmarks, s->chunks * s->d);
    assert_int_equal(drt_layers_project_chunks(s->g.model, y, (int)s->chunks, k, v), 0);
    float *keys = by_heads(k, s->chunks, s->c), *values = by_heads(v, s->chunks, s->c);
    assert_golden(&s->g, "chunk_k", keys, floats);
    assert_golden(&s->g, "chunk_v", values, floats);
    free(keys);
    free(values);
    free(y);
    free(k);
    free(v);
}

/* Shares over the slots of a retrieved chunk sum to 1, and are 0 where nothing was retrieved. `reads` counts
 * this slot's retrieval; below 0: none. */
static void check_attention(const small_case *s, const memory_retriever *r, const float *attention, int reads) {
    for (int g = 0; g < s->c->n_groups; g++) {
        int count = reads < 0 ? 0 : r->counts[reads * s->c->n_groups + g];
        for (int k = 0; k < s->c->top_k; k++) {
            double sum = 0;
            for (size_t i = 0; i < s->S; i++)
                sum += (double)*attention++;
            if (fabs(sum - (k < count ? 1 : 0)) > 1e-5)
                fail_msg("attention on chunk %d of %d sums to %g", k, count, sum);
        }
    }
}

/* One run for every segment. */
static void run_segments(small_case *s, memory_retriever *r, float *hidden) {
    drt_reader *reader;
    size_t per_slot = (size_t)(s->c->n_groups * s->c->top_k) * s->S;
    float *attention = new_floats(s->n * per_slot);
    assert_ok(s->g.context, drt_reader_new(s->g.context, s->g.model, 1, (int)s->n, retrieve_from_memory, r, &reader));
    for (size_t first = 0, end; first < s->n; first = end) {
        for (end = first; end < s->n && s->segment[end] == s->segment[first]; end++)
            ;
        if (first > 0)
            drt_reader_next_segment(reader, 0);
        assert_ok(s->g.context, read_lane(s->g.context, reader, 0, s->tokens + first, end - first,
                                          hidden + first * s->d, attention + first * per_slot));
    }
    size_t shift = s->c->landmark_reads_own_retrieval ? s->S - 1 : s->S;
    for (size_t i = 0; i < s->n; i++)
        check_attention(s, r, attention + i * per_slot, i < shift ? -1 : (int)((i - shift) / s->S));
    drt_reader_free(reader);
    free(attention);
}

static void check_retrieval(small_case *s, const memory_retriever *r) {
    char name[32];
    int K = s->c->top_k, G = s->c->n_groups;
    for (int g = 0; g < G; g++) {
        snprintf(name, sizeof name, "group.%d.weights", g);
        float *weights = golden_floats(&s->g, name);
        snprintf(name, sizeof name, "group.%d.indices", g);
        int32_t *indices = golden_integers(&s->g, name, NULL);
        for (int t = 0; t < (int)s->chunks; t++) {
            int at = (t * G + g) * K;
            assert_retrieval(name, r->scores + at, r->weights + at, r->indices + at, r->counts[t * G + g],
                             indices + t * K, weights + t * K, K);
        }
        free(weights);
        free(indices);
    }
}

static void check_output(small_case *s, const float *hidden) {
    size_t vocab = (size_t)s->c->vocab_size, labels = 0;
    float *logits = new_floats(s->n * vocab);
    memory_retriever none = {0};
    drt_reader *reader;
    assert_ok(s->g.context, drt_reader_new(s->g.context, s->g.model, 1, 1, retrieve_from_memory, &none, &reader));
    assert_ok(s->g.context, drt_reader_logits(s->g.context, reader, hidden, (int)s->n, logits));
    drt_reader_free(reader);
    assert_golden(&s->g, "hidden", hidden, s->n * s->d);
    assert_golden(&s->g, "logits", logits, s->n * vocab);
    double loss = 0;
    for (size_t i = 0; i < s->n; i++) {
        if (s->labels[i] == IGNORE)
            continue;
        double sum = 0;
        for (size_t j = 0; j < vocab; j++)
            sum += exp((double)logits[i * vocab + j]);
        loss += log(sum) - (double)logits[i * vocab + (size_t)s->labels[i]];
        labels++;
    }
    float mean = (float)(loss / (double)labels);
    assert_golden(&s->g, "loss", &mean, 1);
    free(logits);
}

static void check_variant(const char *name, const drt_simd *simd) {
    small_case s;
    memory_retriever r;
    case_open(&s, name, simd);
    check_lower_layers(&s);
    check_chunk_memory(&s);
    float *hidden = new_floats(s.n * s.d);
    retriever_open(&r, s.c, s.landmarks, s.y, (int)s.chunks, (int)s.chunks);
    r.visible = golden_tensor(&s.g, "visible", DRT_TENSOR_BOOL)->data;
    run_segments(&s, &r, hidden);
    check_retrieval(&s, &r);
    check_output(&s, hidden);
    retriever_close(&r);
    free(hidden);
    case_close(&s);
}

/* With every variant of the inner loops that this processor can run. */
static void check_case(const char *name) {
    const drt_simd *list[3];
    int n = drt_simd_available(list);
    for (int i = 0; i < n; i++)
        check_variant(name, list[i]);
}

static void tiny_is_the_reference(void **state) {
    (void)state;
    check_case("tiny");
}

static void segments_are_the_reference(void **state) {
    (void)state;
    check_case("segments");
}

static void paper_variant_is_the_reference(void **state) {
    (void)state;
    check_case("paper");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_is_the_reference),
        cmocka_unit_test(segments_are_the_reference),
        cmocka_unit_test(paper_variant_is_the_reference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
