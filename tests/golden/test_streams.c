/* The streams give one result however their slots arrive: in pieces, in another document order, packed
 * differently, slot by slot, on another number of threads. Models of tests/golden, tolerance 1e-4. */
#include "tests/golden/golden.h"

static uint32_t random_state;

static int random_below(int n) {
    random_state = random_state * 1664525u + 1013904223u;
    return (int)((random_state >> 8) % (uint32_t)n);
}

typedef struct {
    golden_case g;
    const drt_config *c;
    size_t n, chunks, d, S;
    int32_t *tokens, *segment;
    float *landmarks, *y; /* all slots in one call */
} stream_case;

static void encode(stream_case *s, const int32_t *tokens, const int32_t *segment, size_t n, float *landmarks,
                   float *y) {
    drt_encoder *encoder;
    assert_ok(s->g.context, drt_encoder_new(s->g.context, s->g.model, (int)n, &encoder));
    assert_ok(s->g.context, drt_encoder_run(s->g.context, encoder, tokens, segment, (int)n, landmarks, y));
    drt_encoder_free(encoder);
}

static void case_open(stream_case *s, const char *name, int threads) {
    char model[512], golden[512];
    snprintf(model, sizeof model, "%s/golden/%s", DRT_TEST_DATA, name);
    snprintf(golden, sizeof golden, "%s/golden/%s/golden.safetensors", DRT_TEST_DATA, name);
    golden_open(&s->g, model, golden, threads, NULL);
    s->c = drt_model_config(s->g.model);
    s->d = (size_t)s->c->d_model;
    s->S = (size_t)s->c->chunk_size;
    s->tokens = golden_integers(&s->g, "tokens", &s->n);
    s->segment = golden_integers(&s->g, "segment", NULL);
    s->chunks = s->n / s->S;
    s->landmarks = new_floats(s->chunks * s->d);
    s->y = new_floats(s->n * s->d);
    encode(s, s->tokens, s->segment, s->n, s->landmarks, s->y);
}

static void case_close(stream_case *s) {
    free(s->tokens);
    free(s->segment);
    free(s->landmarks);
    free(s->y);
    golden_close(&s->g);
}

static void encoder_in_pieces(void **state) {
    (void)state;
    static const char *const names[] = {"tiny", "segments", "paper"};
    for (int round = 0; round < 12; round++) {
        stream_case s;
        case_open(&s, names[round % 3], 1 + round % 2);
        size_t most = 1 + (size_t)random_below(3);
        float *landmarks = new_floats(s.chunks * s.d), *y = new_floats(s.n * s.d);
        drt_encoder *encoder;
        assert_ok(s.g.context, drt_encoder_new(s.g.context, s.g.model, (int)(most * s.S), &encoder));
        for (size_t chunk = 0, count; chunk < s.chunks; chunk += count) {
            count = 1 + (size_t)random_below((int)most);
            if (count > s.chunks - chunk)
                count = s.chunks - chunk;
            assert_ok(s.g.context,
                      drt_encoder_run(s.g.context, encoder, s.tokens + chunk * s.S, s.segment + chunk * s.S,
                                      (int)(count * s.S), landmarks + chunk * s.d, y + chunk * s.S * s.d));
        }
        assert_close("landmarks in pieces", landmarks, s.landmarks, s.chunks * s.d, TOLERANCE);
        assert_close("memory in pieces", y, s.y, s.n * s.d, TOLERANCE);
        drt_encoder_free(encoder);
        free(landmarks);
        free(y);
        case_close(&s);
    }
}

/* The documents of `segments` in another order and under other numbers, each still the same. */
static void encoder_in_any_document_order(void **state) {
    (void)state;
    stream_case s;
    case_open(&s, "segments", 2);
    size_t starts[16], ends[16], documents = 0;
    for (size_t i = 0; i < s.n; i += s.S) {
        if (i == 0 || s.segment[i] != s.segment[i - 1])
            starts[documents++] = i;
        ends[documents - 1] = i + s.S;
    }
    assert_int_equal(documents, 5);
    int32_t *tokens = malloc(s.n * sizeof *tokens), *segment = malloc(s.n * sizeof *segment);
    float *landmarks = new_floats(s.chunks * s.d), *y = new_floats(s.n * s.d);
    float *expected_landmarks = new_floats(s.chunks * s.d), *expected_y = new_floats(s.n * s.d);
    assert_true(tokens && segment);
    size_t at = 0;
    for (size_t i = documents; i-- > 0;) {
        size_t n = ends[i] - starts[i];
        memcpy(tokens + at, s.tokens + starts[i], n * sizeof *tokens);
        for (size_t j = 0; j < n; j++)
            segment[at + j] = 100 - (int32_t)i;
        memcpy(expected_y + at * s.d, s.y + starts[i] * s.d, n * s.d * sizeof *y);
        memcpy(expected_landmarks + at / s.S * s.d, s.landmarks + starts[i] / s.S * s.d,
               n / s.S * s.d * sizeof *landmarks);
        at += n;
    }
    encode(&s, tokens, segment, s.n, landmarks, y);
    assert_close("landmarks", landmarks, expected_landmarks, s.chunks * s.d, TOLERANCE);
    assert_close("memory", y, expected_y, s.n * s.d, TOLERANCE);
    /* and each alone */
    for (size_t i = 0; i < documents; i++) {
        encode(&s, s.tokens + starts[i], s.segment + starts[i], ends[i] - starts[i], landmarks, y);
        assert_close("one document", y, s.y + starts[i] * s.d, (ends[i] - starts[i]) * s.d, TOLERANCE);
    }
    free(tokens);
    free(segment);
    free(landmarks);
    free(y);
    free(expected_landmarks);
    free(expected_y);
    case_close(&s);
}

static void encoder_refuses_parts_of_chunks(void **state) {
    (void)state;
    stream_case s;
    drt_encoder *encoder;
    case_open(&s, "tiny", 1);
    assert_ok(s.g.context, drt_encoder_new(s.g.context, s.g.model, (int)s.S, &encoder));
    assert_int_equal(drt_encoder_run(s.g.context, encoder, s.tokens, s.segment, (int)s.S - 1, s.landmarks, s.y),
                     DRT_FAILED);
    assert_int_equal(drt_encoder_run(s.g.context, encoder, s.tokens, s.segment, (int)(2 * s.S), s.landmarks, s.y),
                     DRT_FAILED);
    s.tokens[3] = s.c->vocab_size;
    assert_true(drt_encoder_run(s.g.context, encoder, s.tokens, s.segment, (int)s.S, s.landmarks, s.y) != DRT_OK);
    assert_non_null(strstr(drt_error(s.g.context), "outside the vocabulary"));
    drt_encoder_free(encoder);
    case_close(&s);
}

/* Hidden states (n,d) and attention (n,G,K,S) of a case with steps of at most `most` slots. */
static void read_slots(stream_case *s, int most, bool random_steps, float *hidden, float *attention) {
    memory_retriever r;
    drt_reader *reader;
    size_t per_slot = (size_t)(s->c->n_groups * s->c->top_k) * s->S;
    retriever_open(&r, s->c, s->landmarks, s->y, (int)s->chunks, (int)s->chunks);
    r.visible = golden_tensor(&s->g, "visible", DRT_TENSOR_BOOL)->data;
    assert_ok(s->g.context, drt_reader_new(s->g.context, s->g.model, 1, most, retrieve_from_memory, &r, &reader));
    for (int run = 0; run < 2; run++) { /* the second run after a reset, over what the first left behind */
        drt_reader_reset(reader, 0);
        for (size_t i = 0, n; i < s->n; i += n) {
            n = random_steps ? 1 + (size_t)random_below(most) : (size_t)most;
            if (n > s->n - i)
                n = s->n - i;
            assert_ok(s->g.context, read_lane(s->g.context, reader, 0, s->tokens + i, n, hidden + i * s->d,
                                              attention + i * per_slot));
        }
    }
    drt_reader_free(reader);
    retriever_close(&r);
}

static void reader_in_pieces(void **state) {
    (void)state;
    static const char *const names[] = {"tiny", "paper"};
    for (int i = 0; i < 2; i++) {
        stream_case s;
        case_open(&s, names[i], 2);
        size_t per_slot = (size_t)(s.c->n_groups * s.c->top_k) * s.S;
        float *whole = new_floats(s.n * s.d), *hidden = new_floats(s.n * s.d);
        float *whole_attention = new_floats(s.n * per_slot), *attention = new_floats(s.n * per_slot);
        read_slots(&s, (int)s.n, false, whole, whole_attention);
        read_slots(&s, 1, false, hidden, attention);
        assert_close("slot by slot", hidden, whole, s.n * s.d, TOLERANCE);
        assert_close("attention slot by slot", attention, whole_attention, s.n * per_slot, TOLERANCE);
        for (int round = 0; round < 4; round++) {
            read_slots(&s, 2 + random_below(100), true, hidden, attention);
            assert_close("in pieces", hidden, whole, s.n * s.d, TOLERANCE);
            assert_close("attention in pieces", attention, whole_attention, s.n * per_slot, TOLERANCE);
        }
        free(whole);
        free(hidden);
        free(whole_attention);
        free(attention);
        case_close(&s);
    }
}

/* ------------------------------------------------------------------------------ lanes ---- */

enum { LANES = 4 };

/* Lane i reads the case's slots from chunk i on; the last lane finds nothing to retrieve. */
typedef struct {
    memory_retriever retriever;
    const int32_t *tokens;
    size_t n, at;
    float *hidden, *attention; /* (n,d), (n,G,K,S) */
} lane_case;

static drt_status retrieve_for_lane(void *user, drt_context *context, int lane, int step, int group, const float *query,
                                    drt_retrieved *out) {
    lane_case *lanes = user;
    return retrieve_from_memory(&lanes[lane].retriever, context, 0, step, group, query, out);
}

static void lane_open(const stream_case *s, int i, lane_case *lane) {
    size_t first = (size_t)i * s->S;
    *lane = (lane_case){.tokens = s->tokens + first, .n = s->n - first};
    lane->hidden = new_floats(lane->n * s->d);
    lane->attention = new_floats(lane->n * (size_t)(s->c->n_groups * s->c->top_k) * s->S);
    retriever_open(&lane->retriever, s->c, s->landmarks, s->y, i == LANES - 1 ? 0 : (int)s->chunks, (int)s->chunks);
}

static void lane_close(lane_case *lane) {
    free(lane->hidden);
    free(lane->attention);
    retriever_close(&lane->retriever);
}

/* The lane's next slots, at most `most`; they end where another segment begins: at every third chunk. */
static drt_reader_item next_item(const stream_case *s, drt_reader *reader, int number, lane_case *lane, size_t most) {
    size_t segment = 3 * s->S, left = segment - lane->at % segment;
    size_t n = 1 + (size_t)random_below((int)most), at = lane->at;
    n = n > left ? left : n;
    n = n > lane->n - at ? lane->n - at : n;
    if (at > 0 && at % segment == 0)
        drt_reader_next_segment(reader, number);
    lane->at += n;
    return (drt_reader_item){number, lane->tokens + at, (int)n, lane->hidden + at * s->d,
                             lane->attention + at * (size_t)(s->c->n_groups * s->c->top_k) * s->S};
}

/* Runs lanes side by side, some of them at a time, until all are through. */
static void run_lanes(stream_case *s, lane_case *lanes, int n_lanes, bool in_turns) {
    drt_reader *reader;
    size_t most = 1 + (size_t)random_below(3 * (int)s->S);
    assert_ok(s->g.context,
              drt_reader_new(s->g.context, s->g.model, n_lanes, (int)most, retrieve_for_lane, lanes, &reader));
    for (int left = n_lanes; left > 0;) {
        drt_reader_item items[LANES];
        int n = 0;
        for (int i = n_lanes - 1; i >= 0; i--)
            if (lanes[i].at < lanes[i].n && (!in_turns || random_below(3) > 0)) {
                items[n++] = next_item(s, reader, i, &lanes[i], most);
                left -= lanes[i].at == lanes[i].n;
            }
        assert_ok(s->g.context, drt_reader_run(s->g.context, reader, items, n));
    }
    drt_reader_free(reader);
}

static void lanes_are_readers_of_their_own(void **state) {
    (void)state;
    static const char *const names[] = {"tiny", "segments", "paper"};
    for (int round = 0; round < 6; round++) {
        stream_case s;
        lane_case together[LANES];
        case_open(&s, names[round % 3], 1 + round % 2);
        size_t per_slot = (size_t)(s.c->n_groups * s.c->top_k) * s.S;
        for (int i = 0; i < LANES; i++)
            lane_open(&s, i, &together[i]);
        run_lanes(&s, together, LANES, round % 2);
        for (int i = 0; i < LANES; i++) {
            lane_case alone;
            lane_open(&s, i, &alone);
            run_lanes(&s, &alone, 1, false);
            assert_close("hidden of a lane", together[i].hidden, alone.hidden, alone.n * s.d, TOLERANCE);
            assert_close("attention of a lane", together[i].attention, alone.attention, alone.n * per_slot, TOLERANCE);
            lane_close(&alone);
            lane_close(&together[i]);
        }
        case_close(&s);
    }
}

/* After a reset a lane begins anew while the others go on. */
static void lanes_are_reset_alone(void **state) {
    (void)state;
    stream_case s;
    lane_case lanes[2];
    drt_reader *reader;
    case_open(&s, "tiny", 1);
    int n = (int)(2 * s.S);
    float *again = new_floats((size_t)n * s.d);
    for (int i = 0; i < 2; i++)
        lane_open(&s, i, &lanes[i]);
    assert_ok(s.g.context, drt_reader_new(s.g.context, s.g.model, 2, n, retrieve_for_lane, lanes, &reader));
    drt_reader_item items[2] = {{0, lanes[0].tokens, n, lanes[0].hidden, NULL},
                                {1, lanes[1].tokens, n / 2, lanes[1].hidden, NULL}};
    assert_ok(s.g.context, drt_reader_run(s.g.context, reader, items, 2));
    drt_reader_reset(reader, 0);
    items[0].hidden = again;
    items[1] = (drt_reader_item){1, lanes[1].tokens + n / 2, n / 2, lanes[1].hidden + (size_t)(n / 2) * s.d, NULL};
    assert_ok(s.g.context, drt_reader_run(s.g.context, reader, items, 2));
    assert_close("a lane that was reset", again, lanes[0].hidden, (size_t)n * s.d, TOLERANCE);
    drt_reader_reset(reader, 1);
    items[1] = (drt_reader_item){1, lanes[1].tokens, n, again, NULL};
    assert_ok(s.g.context, drt_reader_run(s.g.context, reader, items + 1, 1));
    assert_close("a lane that went on", lanes[1].hidden, again, (size_t)n * s.d, TOLERANCE);
    drt_reader_free(reader);
    for (int i = 0; i < 2; i++)
        lane_close(&lanes[i]);
    free(again);
    case_close(&s);
}

/* The retriever's failure comes back as it is. */
static drt_status refuse(void *user, drt_context *context, int lane, int step, int group, const float *query,
                         drt_retrieved *out) {
    (void)user;
    (void)query;
    (void)out;
    return drt_fail(context, DRT_FAILED, "no chunks for lane %d, step %d, group %d", lane, step, group);
}

static void reader_reports_failures(void **state) {
    (void)state;
    stream_case s;
    drt_reader *reader;
    case_open(&s, "tiny", 1);
    float *hidden = new_floats(s.n * s.d);
    assert_ok(s.g.context, drt_reader_new(s.g.context, s.g.model, 2, (int)s.S, refuse, NULL, &reader));
    assert_int_equal(read_lane(s.g.context, reader, 1, s.tokens, s.S, hidden, NULL), DRT_FAILED);
    assert_string_equal(drt_error(s.g.context), "no chunks for lane 1, step 0, group 0");
    assert_int_equal(read_lane(s.g.context, reader, 0, s.tokens, s.S + 1, hidden, NULL), DRT_FAILED);
    assert_int_equal(read_lane(s.g.context, reader, 0, s.tokens, 0, hidden, NULL), DRT_FAILED);
    assert_int_equal(read_lane(s.g.context, reader, 2, s.tokens, 1, hidden, NULL), DRT_FAILED);
    assert_int_equal(read_lane(s.g.context, reader, -1, s.tokens, 1, hidden, NULL), DRT_FAILED);
    drt_reader_item twice[2] = {{0, s.tokens, 1, hidden, NULL}, {0, s.tokens, 1, hidden, NULL}};
    assert_int_equal(drt_reader_run(s.g.context, reader, twice, 2), DRT_FAILED);
    assert_string_equal(drt_error(s.g.context), "lane 0 is there twice in one run of the reader");
    drt_reader_free(reader);
    free(hidden);
    case_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encoder_in_pieces),
        cmocka_unit_test(encoder_in_any_document_order),
        cmocka_unit_test(encoder_refuses_parts_of_chunks),
        cmocka_unit_test(reader_in_pieces),
        cmocka_unit_test(lanes_are_readers_of_their_own),
        cmocka_unit_test(lanes_are_reset_alone),
        cmocka_unit_test(reader_reports_failures),
    };
    const char *seed = getenv("DRT_TEST_SEED");
    random_state = seed ? (uint32_t)strtoul(seed, NULL, 10) : (uint32_t)(uintptr_t)&tests;
    printf("DRT_TEST_SEED=%u\n", (unsigned)random_state);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
