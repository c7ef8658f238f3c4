/* The trained model of samples/model on three short documents and twelve questions, against what the
 * reference gave: landmarks, memory, retrieval, logits, a long given answer, and every greedy answer. */
#include <cjson/cJSON.h>

#include "engine/base/file.h"
#include "tests/golden/golden.h"
#include "tokenizer/tokenizer.h"

#define MOST_TOKENS 60
#define IGNORE (-100)

typedef struct {
    golden_case g;
    const drt_config *c;
    size_t chunks, d, S, K, G;
    int32_t *tokens, *document, *questions;
    size_t n_questions;
    float *landmarks, *y;
} trained_case;

static int setup(void **state) {
    trained_case *t = calloc(1, sizeof *t);
    assert_non_null(t);
    golden_open(&t->g, DRT_SOURCE_DIR "/samples/model", DRT_TEST_DATA "/golden/trained/golden.safetensors", 2, NULL);
    t->c = drt_model_config(t->g.model);
    t->d = (size_t)t->c->d_model;
    t->S = (size_t)t->c->chunk_size;
    t->K = (size_t)t->c->top_k;
    t->G = (size_t)t->c->n_groups;
    size_t slots;
    t->tokens = golden_integers(&t->g, "tokens", &slots);
    t->document = golden_integers(&t->g, "document", &t->chunks);
    t->questions = golden_integers(&t->g, "question_tokens", &t->n_questions);
    t->n_questions /= t->S;
    t->landmarks = new_floats(t->chunks * t->d);
    t->y = new_floats(slots * t->d);
    int32_t *segment = calloc(slots, sizeof *segment);
    assert_non_null(segment);
    for (size_t i = 0; i < slots; i++)
        segment[i] = t->document[i / t->S];
    drt_encoder *encoder;
    assert_ok(t->g.context, drt_encoder_new(t->g.context, t->g.model, (int)slots, &encoder));
    assert_ok(t->g.context, drt_encoder_run(t->g.context, encoder, t->tokens, segment, (int)slots, t->landmarks, t->y));
    drt_encoder_free(encoder);
    free(segment);
    *state = t;
    return 0;
}

static int teardown(void **state) {
    trained_case *t = *state;
    free(t->tokens);
    free(t->document);
    free(t->questions);
    free(t->landmarks);
    free(t->y);
    golden_close(&t->g);
    free(t);
    return 0;
}

/* ------------------------------------------------------------------------ memory ---- */

static void landmarks_and_chunk_memory(void **state) {
    trained_case *t = *state;
    size_t chunk = t->S * t->d, documents = 0;
    float *first = new_floats(3 * chunk), *k = new_floats(3 * chunk), *v = new_floats(3 * chunk);
    assert_golden(&t->g, "landmarks", t->landmarks, t->chunks * t->d);
    assert_golden(&t->g, "y", t->y, chunk);
    for (size_t i = 0; i < t->chunks; i++)
        if (i == 0 || t->document[i] != t->document[i - 1]) {
            assert_true(documents < 3);
            memcpy(first + documents++ * chunk, t->y + i * chunk, chunk * sizeof *first);
        }
    assert_int_equal(drt_layers_project_chunks(t->g.model, first, 3, k, v), 0);
    float *keys = by_heads(k, 3, t->c), *values = by_heads(v, 3, t->c);
    assert_golden(&t->g, "first_k", keys, 3 * chunk);
    assert_golden(&t->g, "first_v", values, 3 * chunk);
    free(keys);
    free(values);
    free(first);
    free(k);
    free(v);
}

static void int8_record(void **state) {
    trained_case *t = *state;
    size_t bytes = drt_memory_record_size(DRT_MEMORY_INT8, t->c->chunk_size, t->c->d_model), chunk = t->S * t->d;
    int8_t *record = malloc(bytes);
    assert_non_null(record);
    assert_int_equal(bytes, chunk + 4 * t->S);
    drt_memory_pack(DRT_MEMORY_INT8, t->c->chunk_size, t->c->d_model, t->y, record);
    int32_t *expected = golden_integers(&t->g, "y_int8", NULL);
    float *expected_scales = golden_floats(&t->g, "y_scale"), *scales = new_floats(t->S);
    memcpy(scales, record + chunk, t->S * sizeof *scales);
    for (size_t i = 0; i < chunk; i++) {
        int value = i < chunk - t->d ? expected[i] : 0;
        if (abs(record[i] - value) > (i < chunk - t->d ? 1 : 0))
            fail_msg("value %zu is %d, not %d", i, record[i], value);
    }
    assert_close("y_scale", scales, expected_scales, t->S - 1, TOLERANCE);
    assert_true(scales[t->S - 1] == 0);
    free(record);
    free(expected);
    free(expected_scales);
    free(scales);
}

/* --------------------------------------------------------------------- questions ---- */

/* The reading chunk's first slots: <q>, the question's last 40 tokens, <a>. */
static int reading_prefix(const trained_case *t, const int32_t *question_chunk, int32_t *out) {
    size_t mark = 0;
    while (question_chunk[mark] != DRT_TOKEN_QUESTION)
        mark++;
    size_t first = mark + 1, end = t->S - 1;
    if (end - first > 40)
        first = end - 40;
    int n = 0;
    out[n++] = DRT_TOKEN_QUESTION;
    while (first < end)
        out[n++] = question_chunk[first++];
    out[n++] = DRT_TOKEN_ANSWER;
    return n;
}

static int32_t highest(const float *logits, size_t n) {
    size_t best = 0;
    for (size_t i = 1; i < n; i++)
        if (logits[i] > logits[best])
            best = i;
    return (int32_t)best;
}

/* Question q to its greedy answer, slot by slot -> tokens (MOST_TOKENS), their number. */
static int answer(trained_case *t, drt_reader *reader, size_t q, float *first_logits, int32_t *tokens) {
    size_t vocab = (size_t)t->c->vocab_size, S = t->S;
    int32_t *slots = calloc(2 * S, sizeof *slots);
    float *hidden = new_floats(2 * S * t->d), *logits = new_floats(vocab);
    assert_non_null(slots);
    memcpy(slots, t->questions + q * S, S * sizeof *slots);
    int n = (int)S + reading_prefix(t, slots, slots + S), count = 0;
    int64_t position = n;
    drt_reader_reset(reader, 0);
    assert_ok(t->g.context, read_lane(t->g.context, reader, 0, slots, (size_t)n, hidden, NULL));
    const float *last = hidden + (size_t)(n - 1) * t->d;
    for (;;) {
        assert_ok(t->g.context, drt_reader_logits(t->g.context, reader, last, 1, logits));
        if (count == 0)
            memcpy(first_logits, logits, vocab * sizeof *logits);
        int32_t token = highest(logits, vocab);
        if (token == DRT_TOKEN_END || count == MOST_TOKENS)
            break;
        tokens[count++] = token;
        int32_t next[2] = {token, DRT_TOKEN_LANDMARK};
        n = (position + 2) % (int64_t)S == 0 ? 2 : 1;
        assert_ok(t->g.context, read_lane(t->g.context, reader, 0, next, (size_t)n, hidden, NULL));
        last = hidden + (size_t)(n - 1) * t->d;
        position += n;
    }
    free(slots);
    free(hidden);
    free(logits);
    return count;
}

/* The stored answers, checked one by one. */
static void check_answers(trained_case *t, const cJSON *line, const int32_t *tokens, int count) {
    const cJSON *expected = cJSON_GetObjectItem(line, "tokens");
    const char *text = cJSON_GetStringValue(cJSON_GetObjectItem(line, "answer"));
    char *decoded, error[256];
    size_t length;
    assert_int_equal(
        drt_tokenizer_decode(t->g.model->tokenizer, tokens, (size_t)count, &decoded, &length, error, sizeof error), 0);
    bool same = cJSON_GetArraySize(expected) == count && strlen(text) == length && memcmp(text, decoded, length) == 0;
    for (int i = 0; same && i < count; i++)
        same = cJSON_GetArrayItem(expected, i)->valueint == tokens[i];
    if (!same)
        fail_msg("the answer is \"%.*s\", not \"%s\"", (int)length, decoded, text);
    free(decoded);
}

/* All twelve answers over the given memory. golden: retrieval and first logits are compared, too. */
static void answer_all(trained_case *t, drt_retrieve_fn retrieve, memory_retriever *r, bool golden) {
    drt_buffer file = {0};
    drt_reader *reader;
    size_t vocab = (size_t)t->c->vocab_size;
    int32_t answer_tokens[MOST_TOKENS];
    float *logits = new_floats(t->n_questions * vocab);
    float *weights = golden_floats(&t->g, "weights"), *scores = golden_floats(&t->g, "scores");
    int32_t *indices = golden_integers(&t->g, "indices", NULL);
    assert_ok(t->g.context, drt_file_read(t->g.context, DRT_TEST_DATA "/golden/trained/answers.jsonl", 1 << 20, &file));
    assert_ok(t->g.context, drt_reader_new(t->g.context, t->g.model, 1, (int)(2 * t->S), retrieve, r, &reader));
    const char *at = file.data;
    for (size_t q = 0; q < t->n_questions; q++) {
        cJSON *line = cJSON_ParseWithOpts(at, &at, 0);
        assert_non_null(line);
        int count = answer(t, reader, q, logits + q * vocab, answer_tokens);
        check_answers(t, line, answer_tokens, count);
        for (size_t g = 0; golden && g < t->G; g++) {
            size_t hit = g * t->K, expected = (q * t->G + g) * t->K;
            assert_close("scores", r->scores + hit, scores + expected, t->K, TOLERANCE);
            assert_retrieval("question", r->scores + hit, r->weights + hit, r->indices + hit, r->counts[g],
                             indices + expected, weights + expected, (int)t->K);
        }
        cJSON_Delete(line);
    }
    if (golden)
        assert_golden(&t->g, "first_logits", logits, t->n_questions * vocab);
    drt_reader_free(reader);
    drt_buffer_free(&file);
    free(logits);
    free(weights);
    free(scores);
    free(indices);
}

static void answers_with_fp32_memory(void **state) {
    trained_case *t = *state;
    memory_retriever r;
    retriever_open(&r, t->c, t->landmarks, t->y, (int)t->chunks, 2);
    answer_all(t, retrieve_from_memory, &r, true);
    retriever_close(&r);
}

/* As the library does it: int8 records, fp16 landmarks, the backend's scan. */
typedef struct {
    memory_retriever r; /* first: answer_all hands it on */
    trained_case *t;
    uint16_t *landmarks;
    drt_landmark_set *set;
    unsigned char *records;
    size_t record_bytes;
} stored_retriever;

static drt_status retrieve_from_records(void *user, drt_context *context, int lane, int step, int group,
                                        const float *query, drt_retrieved *out) {
    stored_retriever *s = user;
    trained_case *t = s->t;
    drt_backend *b = t->g.device->backend;
    float *values = s->r.scores;
    const void **records = s->r.records + (size_t)group * t->K;
    int64_t indices[16];
    drt_landmark_scan scan = {query, (int64_t)t->chunks, NULL, t->c->top_k, indices, values, 0, 0, 0};
    (void)context;
    (void)lane;
    (void)step;
    assert_int_equal(b->landmarks_scan(b, s->set, &scan, 1), 0);
    int count = scan.count;
    for (int i = 0; i < count; i++)
        records[i] = s->records + (size_t)indices[i] * s->record_bytes;
    softmax_scores(values, count, s->r.weights);
    *out = (drt_retrieved){count, s->r.weights, DRT_MEMORY_INT8, records};
    return DRT_OK;
}

static void answers_with_int8_memory(void **state) {
    trained_case *t = *state;
    stored_retriever s = {.t = t};
    s.record_bytes = drt_memory_record_size(DRT_MEMORY_INT8, t->c->chunk_size, t->c->d_model);
    s.records = malloc(t->chunks * s.record_bytes);
    s.landmarks = malloc(t->chunks * t->d * sizeof *s.landmarks);
    assert_non_null(s.records);
    assert_non_null(s.landmarks);
    for (size_t i = 0; i < t->chunks; i++)
        drt_memory_pack(DRT_MEMORY_INT8, t->c->chunk_size, t->c->d_model, t->y + i * t->S * t->d,
                        s.records + i * s.record_bytes);
    drt_half_from_float(t->landmarks, s.landmarks, t->chunks * t->d);
    drt_backend *b = t->g.device->backend;
    assert_int_equal(b->landmarks_open(b, t->c->d_model, 0, &s.set), 0);
    assert_int_equal(b->landmarks_set(b, s.set, s.landmarks, (int64_t)t->chunks, 0), 0);
    retriever_open(&s.r, t->c, NULL, NULL, (int)t->chunks, 1);
    answer_all(t, retrieve_from_records, &s.r, false);
    b->landmarks_close(b, s.set);
    retriever_close(&s.r);
    free(s.records);
    free(s.landmarks);
}

/* A given answer over two reading chunks: log-probability of every label, retrieval of every step. */
static void long_answer(void **state) {
    trained_case *t = *state;
    size_t slots, vocab = (size_t)t->c->vocab_size;
    int32_t *tokens = golden_integers(&t->g, "long_tokens", &slots),
            *labels = golden_integers(&t->g, "long_labels", NULL);
    int32_t *indices = golden_integers(&t->g, "long_indices", NULL);
    float *weights = golden_floats(&t->g, "long_weights");
    float *hidden = new_floats(slots * t->d), *logits = new_floats(slots * vocab), *logprob = new_floats(slots);
    memory_retriever r;
    drt_reader *reader;
    retriever_open(&r, t->c, t->landmarks, t->y, (int)t->chunks, (int)(slots / t->S));
    assert_ok(t->g.context, drt_reader_new(t->g.context, t->g.model, 1, (int)slots, retrieve_from_memory, &r, &reader));
    assert_ok(t->g.context, read_lane(t->g.context, reader, 0, tokens, slots, hidden, NULL));
    assert_ok(t->g.context, drt_reader_logits(t->g.context, reader, hidden, (int)slots, logits));
    for (size_t i = 0; i < slots; i++) {
        const float *row = logits + i * vocab;
        double sum = 0, most = (double)row[highest(row, vocab)];
        for (size_t j = 0; labels[i] != IGNORE && j < vocab; j++)
            sum += exp((double)row[j] - most);
        if (labels[i] != IGNORE)
            logprob[i] = (float)((double)row[labels[i]] - most - log(sum));
    }
    assert_golden(&t->g, "long_logprob", logprob, slots);
    for (size_t i = 0; i < slots / t->S * t->G; i++)
        assert_retrieval("long answer", r.scores + i * t->K, r.weights + i * t->K, r.indices + i * t->K, r.counts[i],
                         indices + i * t->K, weights + i * t->K, (int)t->K);
    drt_reader_free(reader);
    retriever_close(&r);
    free(tokens);
    free(labels);
    free(indices);
    free(weights);
    free(hidden);
    free(logits);
    free(logprob);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(landmarks_and_chunk_memory),
        cmocka_unit_test(int8_record),
        cmocka_unit_test(answers_with_fp32_memory),
        cmocka_unit_test(answers_with_int8_memory),
        cmocka_unit_test(long_answer),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
