/* The reader over a backend that has the reader stream as one set of operations: what it is told, lane by lane, and what
 * comes back. A fake computes nothing, so that this needs no GPU; what the operations compute is compared by
 * tests/conformance. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/network/memory.h"
#include "engine/network/network.h"
#include "tests/network/fake_reader.h"

#define TINY DRT_TEST_DATA "/golden/tiny"

enum { MOST_SLOTS = 128 };

/* A retriever that notes how it was asked. */
typedef struct {
    drt_memory_type type;
    int n; /* chunks that it finds */
    drt_status status;
    const void *const *records;
    const float *weights;
    int asked, lane, step, group; /* times; the last time */
    float query;
} notes;

static struct {
    drt_context *context;
    fake_device fake;
    drt_model *model;
    const drt_config *c;
    drt_reader *reader;
    drt_read_state *state; /* what the reader opened */
    notes notes;
    int32_t tokens[MOST_SLOTS];
    float *hidden, *attention;
} t;

/* Lets the test see the state. */
static int open_and_tell(drt_backend *b, const drt_read_weights *w, int n_lanes, int max_slots,
                         drt_read_state **state) {
    int status = fake_read_open(b, w, n_lanes, max_slots, state);
    t.state = *state;
    return status;
}

static drt_status retrieve(void *user, drt_context *context, int lane, int step, int group, const float *query,
                           drt_retrieved *out) {
    notes *n = user;
    n->asked++;
    n->lane = lane;
    n->step = step;
    n->group = group;
    n->query = query[0];
    *out = (drt_retrieved){n->n, n->weights, n->type, n->records};
    return n->status == DRT_OK ? DRT_OK : drt_fail(context, n->status, "nothing is found today");
}

static size_t attention_width(void) {
    return (size_t)(t.c->n_groups * t.c->top_k * t.c->chunk_size);
}

static void open_reader(int n_lanes) {
    if (drt_reader_new(t.context, t.model, n_lanes, MOST_SLOTS, retrieve, &t.notes, &t.reader) != DRT_OK)
        fail_msg("%s", drt_error(t.context));
}

static int set_up(void **state) {
    (void)state;
    memset(&t, 0, sizeof t);
    t.context = drt_context_new(NULL);
    fake_device_open(&t.fake);
    fake_reader_install(&t.fake);
    t.fake.backend.read_open = open_and_tell;
    if (drt_model_load(t.context, &t.fake.device, TINY, &t.model) != DRT_OK)
        fail_msg("%s", drt_error(t.context));
    t.c = drt_model_config(t.model);
    assert_true(MOST_SLOTS > t.c->chunk_size);
    for (int i = 0; i < MOST_SLOTS; i++)
        t.tokens[i] = 10 + i;
    t.hidden = calloc(MOST_SLOTS * (size_t)t.c->d_model, sizeof *t.hidden);
    t.attention = calloc(MOST_SLOTS * attention_width(), sizeof *t.attention);
    assert_non_null(t.hidden);
    assert_non_null(t.attention);
    return 0;
}

/* Nothing is left on the device. */
static int tear_down(void **state) {
    (void)state;
    drt_reader_free(t.reader);
    drt_model_free(t.model);
    assert_int_equal(t.fake.alive, 0);
    drt_context_free(t.context);
    free(t.hidden);
    free(t.attention);
    return 0;
}

static void run(int lane, int first, int n, drt_status expected) {
    drt_reader_item item = {lane, t.tokens + first, n, t.hidden, t.attention};
    assert_int_equal(drt_reader_run(t.context, t.reader, &item, 1), expected);
}

static void expect_part(const drt_read_part *part, int lane, int first, int n, int64_t position, int64_t start,
                        bool landmark) {
    assert_int_equal(part->lane, lane);
    assert_int_equal(part->first, first);
    assert_int_equal(part->n, n);
    assert_int_equal(part->position, position);
    assert_int_equal(part->start, start);
    assert_int_equal(part->landmark, landmark);
}

/* ------------------------------------------------------------------------------ tests ---- */

static void parts_end_before_landmarks(void **state) {
    (void)state;
    int S = t.c->chunk_size;
    size_t d = (size_t)t.c->d_model;
    float *other = calloc(2 * d, sizeof *other);
    assert_non_null(other);
    open_reader(2);
    drt_reader_item items[2] = {{1, t.tokens + 3, 2, other, NULL}, {0, t.tokens, S + 3, t.hidden, t.attention}};
    assert_int_equal(drt_reader_run(t.context, t.reader, items, 2), DRT_OK);
    assert_int_equal(t.state->n_calls, 2);
    const fake_call *calls = t.state->calls;
    assert_int_equal(calls[0].n_parts, 2);
    expect_part(&calls[0].parts[0], 1, 0, 2, 0, 0, false);
    expect_part(&calls[0].parts[1], 0, 2, S - 1, 0, 0, false);
    assert_int_equal(calls[1].n_parts, 1);
    expect_part(&calls[1].parts[0], 0, 0, 4, S - 1, 0, true);
    assert_true(calls[0].trace && calls[1].trace && calls[0].ended && calls[1].ended);
    assert_int_equal(calls[1].groups, t.c->n_groups);
    for (int i = 0; i < S + 3; i++) {
        assert_true(t.hidden[(size_t)i * d + d - 1] == (float)t.tokens[i]);
        assert_true(t.attention[(size_t)i * attention_width()] == (float)(i < S - 1 ? i + 2 : i - (S - 1)));
    }
    assert_true(other[0] == (float)t.tokens[3] && other[2 * d - 1] == (float)t.tokens[4]);
    free(other);
}

static void each_group_is_asked_for(void **state) {
    (void)state;
    int S = t.c->chunk_size;
    open_reader(3);
    run(2, 0, S, DRT_OK);
    assert_int_equal(t.notes.asked, t.c->n_groups);
    assert_int_equal(t.notes.lane, 2);
    assert_int_equal(t.notes.step, 0);
    assert_int_equal(t.notes.group, t.c->n_groups - 1);
    assert_true(t.notes.query == (float)(100 * (t.c->n_groups - 1)));
    run(2, 0, S, DRT_OK);
    assert_int_equal(t.notes.asked, 2 * t.c->n_groups);
    assert_int_equal(t.notes.step, 1);
    for (int g = 0; g < t.c->n_groups; g++)
        assert_int_equal(t.state->chunks[2][g].given, 2);
    assert_int_equal(t.state->chunks[0][0].given, 0);
}

/* Records arrive as they are; fp32 ones as bf16. */
static void records_keep_their_type(void **state) {
    (void)state;
    static const drt_memory_type types[] = {DRT_MEMORY_INT8, DRT_MEMORY_BF16, DRT_MEMORY_F32};
    static const drt_weight_type given[] = {DRT_WEIGHT_I8, DRT_WEIGHT_BF16, DRT_WEIGHT_BF16};
    size_t floats = (size_t)(t.c->chunk_size * t.c->d_model);
    float *y = malloc(floats * sizeof *y), weight = 1;
    uint8_t *record = malloc(floats * sizeof(float));
    assert_true(y && record);
    for (size_t i = 0; i < floats; i++)
        y[i] = (float)(i % 7) - 2.5f;
    open_reader(1);
    t.notes.n = 1;
    t.notes.weights = &weight;
    t.notes.records = (const void *const[]){record};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        const fake_chunks *chunks = &t.state->chunks[0][t.c->n_groups - 1];
        drt_memory_pack(types[i], t.c->chunk_size, t.c->d_model, y, record);
        t.notes.type = types[i];
        run(0, 0, t.c->chunk_size, DRT_OK);
        assert_int_equal(chunks->n, 1);
        assert_int_equal(chunks->type, given[i]);
        assert_true(chunks->first_weight == 1);
        if (types[i] == DRT_MEMORY_F32)
            drt_memory_pack(DRT_MEMORY_BF16, t.c->chunk_size, t.c->d_model, y, record);
        assert_memory_equal(chunks->first_bytes, record, sizeof chunks->first_bytes);
    }
    free(y);
    free(record);
}

static void segments_and_resets(void **state) {
    (void)state;
    int S = t.c->chunk_size;
    open_reader(2);
    run(1, 0, S, DRT_OK);
    drt_reader_next_segment(t.reader, 1);
    run(1, 0, 2, DRT_OK);
    expect_part(&t.state->calls[2].parts[0], 1, 0, 2, S, S, false);
    int given = t.state->chunks[1][0].given;
    drt_reader_reset(t.reader, 1);
    assert_int_equal(t.state->chunks[1][0].given, given + 1);
    assert_int_equal(t.state->chunks[1][t.c->n_groups - 1].n, 0);
    run(1, 0, 2, DRT_OK);
    expect_part(&t.state->calls[3].parts[0], 1, 0, 2, 0, 0, false);
}

/* More slots than one call takes go into several, each slot once. */
static void many_lanes_take_turns(void **state) {
    (void)state;
    enum { LANES = 200 };
    int n = t.c->chunk_size - 1;
    size_t d = (size_t)t.c->d_model;
    drt_reader_item items[LANES];
    float *hidden = calloc(LANES * (size_t)n * d, sizeof *hidden);
    assert_non_null(hidden);
    open_reader(LANES);
    for (int i = 0; i < LANES; i++)
        items[i] = (drt_reader_item){i, t.tokens, n, hidden + (size_t)(i * n) * d, NULL};
    assert_int_equal(drt_reader_run(t.context, t.reader, items, LANES), DRT_OK);
    assert_true(t.state->n_calls > 1);
    for (int i = 0; i < t.state->n_calls; i++) {
        assert_true(t.state->calls[i].n_rows <= t.state->max_slots);
        assert_false(t.state->calls[i].trace);
    }
    for (size_t i = 0; i < (size_t)(LANES * n); i++)
        assert_true(hidden[i * d] == (float)t.tokens[i % (size_t)n]);
    free(hidden);
}

static void failures_come_back(void **state) {
    (void)state;
    int S = t.c->chunk_size;
    open_reader(1);
    t.notes.status = DRT_FAILED;
    run(0, 0, S, DRT_FAILED);
    assert_string_equal(drt_error(t.context), "nothing is found today");
    assert_false(t.state->calls[1].ended);
    t.notes.status = DRT_OK;
    t.notes.n = t.c->top_k + 1;
    drt_reader_reset(t.reader, 0);
    run(0, 0, S, DRT_FAILED);
    assert_non_null(strstr(drt_error(t.context), "were retrieved where the model reads"));
    t.notes.n = 0;
    drt_reader_reset(t.reader, 0);
    run(0, 0, S, DRT_OK);
    t.state->n_calls = FAKE_CALLS; /* the device fails */
    run(0, 0, 1, DRT_FATAL);
    assert_non_null(strstr(drt_error(t.context), "the fake reader has room"));
}

/* Every allocation of the device fails in turn, with the reader stream, without, and where it does not take the model:
 * nothing is left. */
static void a_full_device(void **state) {
    (void)state;
    int (*const opens[])(drt_backend *, const drt_read_weights *, int, int,
                         drt_read_state **) = {fake_read_open, fake_read_refuse, NULL};
    int before = t.fake.alive;
    for (size_t i = 0; i < sizeof opens / sizeof *opens; i++) {
        t.fake.backend.read_open = opens[i];
        int n = 0;
        for (drt_status status = DRT_FATAL; status != DRT_OK; n++) {
            drt_reader *reader;
            t.fake.allocations_left = n;
            status = drt_reader_new(t.context, t.model, 3, MOST_SLOTS, retrieve, &t.notes, &reader);
            t.fake.allocations_left = -1;
            assert_true((status == DRT_OK) == (reader != NULL));
            if (status != DRT_OK)
                assert_non_null(strstr(drt_error(t.context), "the fake device is full"));
            drt_reader_free(reader);
            assert_int_equal(t.fake.alive, before);
        }
        assert_in_range(n, 5, 200);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(parts_end_before_landmarks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(each_group_is_asked_for, set_up, tear_down),
        cmocka_unit_test_setup_teardown(records_keep_their_type, set_up, tear_down),
        cmocka_unit_test_setup_teardown(segments_and_resets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_lanes_take_turns, set_up, tear_down),
        cmocka_unit_test_setup_teardown(failures_come_back, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_full_device, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
