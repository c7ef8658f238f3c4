/* Plans of memory: the arithmetic, against tables of cases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/network/plan.h"
#include "kernels/landmarks.h"

#define MIB ((size_t)1 << 20)

/* 10 MiB and 3 for each. */
static drt_room room(const void *user, int n) {
    (void)user;
    return (drt_room){(10 + 3 * (size_t)n) * MIB, 7 * (size_t)n};
}

static void counts_are_halved_until_they_fit(void **state) {
    (void)state;
    static const struct {
        size_t available, besides;
        int most, expected;
    } cases[] = {
        {1000, 0, 32, 32}, {122, 0, 32, 32}, {121, 0, 32, 16}, {74, 0, 32, 16},   {73, 0, 32, 8},
        {29, 0, 32, 1},    {28, 0, 32, 0},   {0, 0, 32, 0},    {122, 1, 32, 16},  {29, 0, 1, 1},
        {34, 0, 3, 1},     {35, 0, 3, 3},    {5, 1000, 32, 0}, {29, 5000, 32, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_int_equal(drt_plan_count(cases[i].available * MIB, cases[i].besides * MIB, cases[i].most, room, NULL),
                         cases[i].expected);
    assert_int_equal(drt_plan_count(100 * MIB, SIZE_MAX - DRT_PLAN_WORKING, 1, room, NULL), 0);
}

static void landmarks_stay_as_far_as_the_budget_reaches(void **state) {
    (void)state;
    enum { D = 384, N = 100000 };
    size_t all = drt_landmarks_bytes(N, N, D), least = drt_landmarks_bytes(N, 0, D), tile = 512 * D * 2;
    assert_int_equal(all, 196 * 8 * 65 * 8 + (size_t)N * D * 2);
    assert_int_equal(least, 196 * 8 * 65 * 8 + 2 * (size_t)DRT_SCAN_WINDOW * D * 2);
    assert_int_equal(drt_landmarks_resident(all, N, D), N);
    assert_int_equal(drt_landmarks_resident(all - 1, N, D) % 512, 0);
    assert_true(drt_landmarks_resident(all - 1, N, D) < N);
    assert_int_equal(drt_landmarks_resident(least, N, D), 0);
    assert_int_equal(drt_landmarks_resident(least + 3 * tile - 1, N, D), 2 * 512);
    assert_int_equal(drt_landmarks_resident(least - 1, N, D), -1);
    /* Few landmarks take less than the windows. */
    assert_int_equal(drt_plan_least_landmarks(100, D), drt_landmarks_bytes(100, 100, D));
    assert_int_equal(drt_plan_least_landmarks(N, D), least);
    assert_int_equal(drt_plan_landmarks(least + DRT_PLAN_WORKING - 1, N, D), 0);
    assert_int_equal(drt_plan_landmarks(least + DRT_PLAN_WORKING, N, D), least);
    assert_int_equal(drt_plan_landmarks(10 * all, N, D), 10 * all - DRT_PLAN_WORKING);
    assert_int_equal(drt_landmarks_resident(drt_plan_landmarks(DRT_PLAN_WORKING + 1000, 0, D), 0, D), 0);
    /* What is resident takes no more than the budget. */
    for (size_t budget = least; budget < all; budget += all / 97)
        assert_true(drt_landmarks_bytes(N, drt_landmarks_resident(budget, N, D), D) <= budget);
}

static drt_plan_facts facts(size_t available, int64_t chunks) {
    return (drt_plan_facts){.own_memory = true,
                            .available = available,
                            .total = 1000 * MIB,
                            .weights = 20 * MIB,
                            .most_batch = 64,
                            .most_lanes = 8,
                            .encoder = room,
                            .reader = room,
                            .chunks = chunks,
                            .d = 384,
                            .record = 24832};
}

/* From much memory to little: first the landmarks stream, then the lanes become fewer, then it is refused. */
static void a_plan_gets_smaller_with_the_memory(void **state) {
    (void)state;
    enum { CHUNKS = 200000 };
    drt_memory_plan plan;
    int64_t resident = CHUNKS;
    int lanes = 8, batch = 64;
    bool ask = true, ingest = true, streamed = false;
    for (size_t mib = 400; mib > 0; mib--) {
        drt_plan_facts f = facts(mib * MIB, CHUNKS);
        drt_plan_make(&f, &plan);
        assert_true(plan.lanes <= lanes && plan.batch_chunks <= batch);
        assert_true((ask || !plan.ask_fits) && (ingest || !plan.ingest_fits));
        assert_int_equal(plan.ask_fits, plan.ask_device_bytes <= (int64_t)f.available);
        assert_int_equal(plan.ingest_fits, plan.ingest_device_bytes <= (int64_t)f.available);
        if (plan.ask_fits && plan.lanes == lanes)
            assert_true(plan.resident_chunks <= resident);
        if (plan.lanes < 8)
            assert_true(streamed || plan.resident_chunks < CHUNKS);
        streamed = streamed || plan.resident_chunks < CHUNKS;
        resident = plan.resident_chunks;
        lanes = plan.lanes;
        batch = plan.batch_chunks;
        ask = plan.ask_fits;
        ingest = plan.ingest_fits;
    }
    assert_true(streamed && !ask && !ingest && lanes == 1 && batch == 1);
}

static void items_add_up(void **state) {
    (void)state;
    drt_memory_plan plan;
    drt_plan_facts f = facts(1000 * MIB, 1000);
    drt_plan_make(&f, &plan);
    assert_true(plan.ask_fits && plan.ingest_fits);
    assert_int_equal(plan.resident_chunks, 1000);
    assert_int_equal(plan.items[DRT_PLAN_ENCODER].device_bytes, (10 + 3 * 64) * MIB);
    assert_int_equal(plan.items[DRT_PLAN_READER].device_bytes, (10 + 3 * 8) * MIB);
    assert_int_equal(plan.items[DRT_PLAN_READER].host_bytes, 7 * 8);
    assert_int_equal(plan.items[DRT_PLAN_RECORDS].host_bytes, 1000 * 24832);
    assert_int_equal(plan.ingest_device_bytes, (20 + 16 + 10 + 3 * 64) * MIB);
    assert_int_equal(plan.ask_device_bytes, (20 + 16 + 10 + 3 * 8) * MIB + drt_landmarks_bytes(1000, 1000, 384));
}

/* Where memory is the host's nothing is rationed, and nothing stands on the device's side. */
static void the_host_is_not_rationed(void **state) {
    (void)state;
    drt_memory_plan plan;
    drt_plan_facts f = facts(1, 5000);
    f.own_memory = false;
    drt_plan_make(&f, &plan);
    assert_true(plan.ask_fits && plan.ingest_fits);
    assert_int_equal(plan.lanes, 8);
    assert_int_equal(plan.batch_chunks, 64);
    for (int i = 0; i < DRT_PLAN_ITEMS; i++)
        assert_int_equal(plan.items[i].device_bytes, 0);
    assert_int_equal(plan.items[DRT_PLAN_ENCODER].host_bytes, (10 + 3 * 64) * MIB + 7 * 64);
    assert_int_equal(plan.items[DRT_PLAN_LANDMARKS].host_bytes, 5000 * 768);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counts_are_halved_until_they_fit),
        cmocka_unit_test(landmarks_stay_as_far_as_the_budget_reaches),
        cmocka_unit_test(a_plan_gets_smaller_with_the_memory),
        cmocka_unit_test(items_add_up),
        cmocka_unit_test(the_host_is_not_rationed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
