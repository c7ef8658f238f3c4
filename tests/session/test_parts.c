/* The parts of a session that need neither model nor library: sampling, rankings, incremental text,
 * questions, null masses, fingerprints of what an ingest knows. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/utf8.h"
#include "engine/session/ingest_known.h"
#include "engine/session/question.h"
#include "engine/session/ranking.h"
#include "engine/session/text_stream.h"
#include "engine/session/trace.h"

/* ------------------------------------------------------------------------ sampling -------- */

static void random_numbers_are_the_same_everywhere(void **state) {
    (void)state;
    /* SplitMix64 from state 0: its published first numbers. */
    drt_random random = {0};
    assert_true(drt_random_next(&random) == 0xE220A8397B1DCDAFu);
    assert_true(drt_random_next(&random) == 0x6E789E6AA1B965F4u);
    assert_true(drt_random_next(&random) == 0x06C45D188009454Fu);
    drt_random a, b;
    drt_random_seed(&a, 7, DRT_RANDOM_SAMPLING);
    drt_random_seed(&b, 7, DRT_RANDOM_RETRIEVAL);
    assert_true(drt_random_next(&a) != drt_random_next(&b));
}

static void random_numbers_stay_below_their_bound(void **state) {
    (void)state;
    drt_random random = {3};
    int counts[5] = {0};
    for (int i = 0; i < 5000; i++) {
        counts[drt_random_below(&random, 5)]++;
        double unit = drt_random_unit(&random);
        assert_true(unit >= 0 && unit < 1);
    }
    for (int i = 0; i < 5; i++)
        assert_in_range(counts[i], 850, 1150);
    assert_int_equal(drt_random_below(&random, 1), 0);
}

static void greedy_takes_the_first_maximum(void **state) {
    (void)state;
    assert_int_equal(drt_sample_greedy((float[]){1, 5, 2, 5}, 4), 1);
    assert_int_equal(drt_sample_greedy((float[]){-3}, 1), 0);
    assert_int_equal(drt_sample_greedy((float[]){-2, -2}, 2), 0);
}

static void sample(const float *logits, int n, float temperature, float top_p, int draws, int *counts) {
    drt_random random;
    drt_candidate candidates[8];
    drt_random_seed(&random, 11, DRT_RANDOM_SAMPLING);
    memset(counts, 0, (size_t)n * sizeof *counts);
    for (int i = 0; i < draws; i++)
        counts[drt_sample_top_p(logits, n, temperature, top_p, &random, candidates)]++;
}

static void sampling_follows_the_distribution(void **state) {
    (void)state;
    /* Probabilities 0.1, 0.2, 0.3, 0.4. */
    float logits[4] = {logf(1), logf(2), logf(3), logf(4)};
    int counts[4];
    sample(logits, 4, 1, 1, 20000, counts);
    for (int i = 0; i < 4; i++)
        assert_in_range(counts[i], 2000 * (i + 1) - 250, 2000 * (i + 1) + 250);
    /* Half the temperature squares the shares: 1, 4, 9, 16 of 30. */
    sample(logits, 4, 0.5f, 1, 30000, counts);
    assert_in_range(counts[3], 15600, 16400);
    assert_in_range(counts[0], 850, 1150);
}

static void top_p_keeps_the_smallest_sufficient_set(void **state) {
    (void)state;
    float logits[4] = {logf(1), logf(2), logf(3), logf(4)};
    int counts[4];
    sample(logits, 4, 1, 0.7f - 1e-3f, 7000, counts); /* 0.4 + 0.3 suffice */
    assert_int_equal(counts[0] + counts[1], 0);
    assert_in_range(counts[3], 3800, 4200);
    sample(logits, 4, 1, 0.75f, 1000, counts); /* one more is needed */
    assert_int_equal(counts[0], 0);
    assert_true(counts[1] > 0);
    sample(logits, 4, 1, 1e-6f, 100, counts);
    assert_int_equal(counts[3], 100);
    sample(logits, 4, 1e-20f, 1, 100, counts); /* next to greedy */
    assert_int_equal(counts[3], 100);
    sample((float[]){2, 2, 2}, 3, 1, 0.3f, 100, counts); /* of equal ones the lower ids */
    assert_int_equal(counts[0], 100);
}

/* ------------------------------------------------------------------------ rankings -------- */

static void interleaving_drops_duplicates(void **state) {
    (void)state;
    int64_t out[8];
    const int64_t a[] = {10, 20, 30, 40}, b[] = {20, 50, 10, 60};
    static const int64_t expected[] = {10, 20, 50, 30, 40, 60};
    assert_int_equal(drt_rank_interleave(a, 4, b, 4, 8, out), 6);
    assert_memory_equal(out, expected, sizeof expected);
    assert_int_equal(drt_rank_interleave(a, 4, b, 4, 3, out), 3);
    assert_memory_equal(out, expected, 3 * sizeof *out);
    assert_int_equal(drt_rank_interleave(a, 0, b, 4, 8, out), 4);
    assert_memory_equal(out, b, sizeof b);
    assert_int_equal(drt_rank_interleave(a, 4, b, 0, 8, out), 4);
    assert_memory_equal(out, a, sizeof a);
    assert_int_equal(drt_rank_interleave(a, 0, b, 0, 8, out), 0);
}

static void weights_are_a_softmax(void **state) {
    (void)state;
    float scores[] = {1, 3, 2}, weights[3];
    drt_rank_weights(scores, 3, weights);
    double sum = exp(1) + exp(2) + exp(3);
    for (int i = 0; i < 3; i++)
        assert_true(fabs(weights[i] - exp(scores[i]) / sum) < 1e-6);
    float large[] = {1000, 1000};
    drt_rank_weights(large, 2, weights);
    assert_true(weights[0] == 0.5f && weights[1] == 0.5f);
    drt_rank_weights(NULL, 0, NULL);
}

static void random_bits_are_distinct_and_even(void **state) {
    (void)state;
    const uint64_t bits[] = {0x8000000000000011u, 0, 0x6};
    const int64_t set[] = {0, 4, 63, 129, 130};
    int first[5] = {0};
    drt_random random = {1};
    assert_int_equal(drt_bits_count(bits, 131), 5);
    for (int round = 0; round < 2000; round++) {
        uint64_t left[3];
        int64_t out[8];
        memcpy(left, bits, sizeof bits);
        assert_int_equal(drt_bits_draw(left, 131, 3, &random, out), 3);
        for (int i = 0; i < 3; i++) {
            assert_true(drt_bit_get(bits, out[i]));
            assert_false(drt_bit_get(left, out[i]));
            for (int j = 0; j < i; j++)
                assert_true(out[i] != out[j]);
        }
        for (int i = 0; i < 5; i++)
            first[i] += out[0] == set[i];
        assert_int_equal(drt_bits_count(left, 131), 2);
    }
    for (int i = 0; i < 5; i++)
        assert_in_range(first[i], 330, 470);
    uint64_t all[3];
    int64_t out[8];
    memcpy(all, bits, sizeof bits);
    assert_int_equal(drt_bits_draw(all, 131, 8, &random, out), 5);
}

/* ------------------------------------------------------------------------ text ------------ */

/* A decoder like sentencepiece's: ids 0-255 are bytes, 256 " a", 257 "b", 258 nothing, 259 a line
 * break; the first piece of a line loses its space; bytes that form no character become U+FFFD each. */
static void decode_bytes(drt_buffer *text, const char *bytes, size_t n) {
    for (size_t at = 0; at < n;) {
        uint32_t c;
        size_t length = drt_utf8_decode(bytes + at, n - at, &c);
        if (length)
            drt_buffer_append(text, bytes + at, length);
        else
            drt_buffer_append_text(text, "\xEF\xBF\xBD");
        at += length ? length : 1;
    }
}

static int fake_decode(const void *decoder, const int32_t *ids, size_t count, char **text, size_t *length, char *error,
                       size_t error_size) {
    (void)decoder, (void)error, (void)error_size;
    drt_buffer out = {0}, bytes = {0};
    bool line_start = true;
    for (size_t i = 0; i <= count; i++) {
        if (i < count && ids[i] < 256) {
            drt_buffer_append_byte(&bytes, (char)ids[i]);
            line_start = false;
            continue;
        }
        decode_bytes(&out, bytes.data, bytes.length);
        bytes.length = 0;
        if (i == count)
            break;
        if (ids[i] == 256) {
            drt_buffer_append_text(&out, line_start ? "a" : " a");
            line_start = false;
        } else if (ids[i] == 257) {
            drt_buffer_append_text(&out, "b");
            line_start = false;
        } else if (ids[i] == 259) {
            drt_buffer_append_text(&out, "\n");
            line_start = true;
        }
    }
    drt_buffer_free(&bytes);
    drt_string string;
    drt_string_take(&string, &out);
    *text = string.data;
    *length = string.length;
    return 0;
}

static void check_stream(drt_context *context, const int32_t *ids, size_t n) {
    drt_text_stream stream = {.decode = fake_decode};
    drt_buffer out = {0};
    for (size_t i = 1; i <= n; i++) {
        assert_int_equal(drt_text_stream_add(context, &stream, ids, i, false, &out), DRT_OK);
        assert_true(i - stream.base <= 120); /* the window moves on */
    }
    assert_int_equal(drt_text_stream_add(context, &stream, ids, n, true, &out), DRT_OK);
    char *whole;
    size_t length;
    fake_decode(NULL, ids, n, &whole, &length, NULL, 0);
    assert_int_equal(out.length, length);
    assert_memory_equal(out.data ? out.data : "", whole, length);
    free(whole);
    drt_buffer_free(&out);
}

static void text_comes_in_whole_characters(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    const int32_t ids[] = {256, 0xE2, 0x82, 0xAC, 257};
    static const size_t lengths[] = {1, 1, 1, 4, 5};
    drt_text_stream stream = {.decode = fake_decode};
    drt_buffer out = {0};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(drt_text_stream_add(context, &stream, ids, i + 1, false, &out), DRT_OK);
        assert_int_equal(out.length, lengths[i]);
    }
    assert_string_equal(out.data, "a\xE2\x82\xAC"
                                  "b");
    drt_buffer_free(&out);
    check_stream(context, (const int32_t[]){0xE2, 0x82}, 2);              /* ends within a character */
    check_stream(context, (const int32_t[]){0xE2, 257, 0x80, 256}, 4);    /* broken off */
    check_stream(context, (const int32_t[]){256, 259, 256, 258, 256}, 5); /* lines */
    drt_context_free(context);
}

static void text_pieces_make_the_whole(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    static const int32_t alphabet[] = {256, 256, 257, 257, 258, 259, 0xE2, 0x82, 0xAC, 0xF0, 0x9F, 0x98, 0x80, 'x'};
    drt_random random = {9};
    for (int round = 0; round < 50; round++) {
        int32_t ids[300];
        for (int i = 0; i < 300; i++)
            ids[i] = alphabet[drt_random_below(&random, sizeof alphabet / sizeof *alphabet)];
        check_stream(context, ids, 300);
    }
    drt_context_free(context);
}

static void questions_are_tidied_or_refused(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    static const struct {
        const char *text;
        size_t length;
        const char *trimmed; /* NULL: refused */
        size_t trimmed_length;
        const char *clean;
    } cases[] = {
        {"Who?", 4, "Who?", 4, "Who?"},
        {"\xEF\xBB\xBFWho?\r\n", 9, "Who?", 4, "Who?"},
        {" \xC2\xA0Who\t is\n it? ", 16, "Who\t is\n it?", 12, "Who is it?"},
        {"a\0b", 3, "a\0b", 3, "a b"},
        {"\x1B[31mred", 8, "[31mred", 7, "[31mred"},
        {"\xC2\x9B x", 4, "x", 1, "x"}, /* C1 */
        {"", 0, NULL, 0, NULL},
        {" \t\r\n", 4, NULL, 0, NULL},
        {"\0\0\x07", 3, NULL, 0, NULL},
        {"\xE2\x80\x8B\xE2\x80\xAE", 6, NULL, 0, NULL}, /* invisible */
        {"\xEF\xBB\xBF", 3, NULL, 0, NULL},
        {"Caf\xE9", 4, NULL, 0, NULL},
        {"\xED\xA0\x80", 3, NULL, 0, NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        drt_string trimmed, clean;
        drt_status status = drt_question_clean(context, cases[i].text, cases[i].length, &trimmed, &clean);
        assert_int_equal(status, cases[i].trimmed ? DRT_OK : DRT_FAILED);
        if (cases[i].trimmed) {
            assert_true(drt_string_equal(&trimmed, cases[i].trimmed, cases[i].trimmed_length));
            assert_true(drt_string_equal(&clean, cases[i].clean, strlen(cases[i].clean)));
        } else {
            assert_null(trimmed.data);
            assert_null(clean.data);
            assert_true(drt_error(context)[0] != 0);
        }
        drt_string_free(&trimmed);
        drt_string_free(&clean);
    }
    drt_context_free(context);
}

/* ------------------------------------------------------------------------ trace ----------- */

static void slots_read_the_landmark_before(void **state) {
    (void)state;
    drt_config config = {.chunk_size = 64, .landmark_reads_own_retrieval = true};
    assert_int_equal(drt_step_read_at(&config, 62), -1);
    assert_int_equal(drt_step_read_at(&config, 63), 0);
    assert_int_equal(drt_step_read_at(&config, 126), 0);
    assert_int_equal(drt_step_read_at(&config, 127), 1);
    config.landmark_reads_own_retrieval = false;
    assert_int_equal(drt_step_read_at(&config, 63), -1);
    assert_int_equal(drt_step_read_at(&config, 127), 0);
    assert_int_equal(drt_step_read_at(&config, 128), 1);
}

static void null_mass_is_the_mean_over_predicting_slots(void **state) {
    (void)state;
    drt_config config = {.n_groups = 2, .top_k = 2, .chunk_size = 3};
    drt_hit hits[] = {{.weight = 0.75f}, {.weight = 0.25f}};
    drt_event events[] = {{.group = 0, .null_mass = 1, .hits = hits, .n_hits = 2}, {.group = 1, .null_mass = 1}};
    /* (G,K,S), three slots one after another; the null slot is the last of a chunk. */
    const float attention[3][12] = {
        {.5f, .3f, .2f, .1f, .1f, .8f},
        {0, 0, 1, 0, 0, 1},
        {1, 0, 0, 1, 0, 0},
    };
    const double shares[] = {.75 * .2 + .25 * .8, 1, 0};
    double sum = 0;
    for (int i = 0; i < 3; i++) {
        drt_null_mass_add(&config, events, attention[i], i);
        sum += shares[i];
        assert_true(fabs(events[0].null_mass - sum / (i + 1)) < 1e-6);
        assert_true(events[1].null_mass == 1); /* no hits */
    }
}

static void attention_is_rounded_to_bytes(void **state) {
    (void)state;
    uint8_t out[6];
    drt_attention_quantise((const float[]){0, 1, 0.5f, 1.0001f, -0.1f, 0.001f}, 6, out);
    assert_memory_equal(out, ((const uint8_t[]){0, 255, 128, 255, 0, 0}), 6);
}

static void retrievers_have_names(void **state) {
    (void)state;
    for (int i = DRT_RETRIEVER_LEARNED; i <= DRT_RETRIEVER_RANDOM; i++) {
        drt_retriever parsed;
        assert_true(drt_retriever_parse(drt_retriever_name((drt_retriever)i), &parsed));
        assert_int_equal(parsed, i);
    }
    drt_retriever parsed;
    assert_false(drt_retriever_parse("", &parsed));
    assert_false(drt_retriever_parse("BM25", &parsed));
}

/* ------------------------------------------------------------------------ known ----------- */

static void a_set_of_fingerprints_has_what_was_added_and_no_more(void **state) {
    (void)state;
    drt_known_set set = {0};
    drt_random random = {11}, again = {11};
    assert_false(drt_known_has(&set, 0));
    for (int i = 0; i < 5000; i++) /* grows several times */
        assert_true(drt_known_add(&set, drt_random_next(&random)));
    for (int i = 0; i < 5000; i++)
        assert_true(drt_known_has(&set, drt_random_next(&again)));
    for (int i = 0; i < 5000; i++)
        assert_false(drt_known_has(&set, drt_random_next(&random)));
    size_t n = set.n;
    for (uint64_t i = 0; i < 3; i++) { /* neighbours, one of which marks free slots inside; twice counts once */
        assert_true(drt_known_add(&set, i << 32));
        assert_true(drt_known_add(&set, i << 32));
        assert_true(drt_known_has(&set, i << 32));
    }
    assert_int_equal(set.n, n + 3);
    drt_known_free(&set);
    assert_false(drt_known_has(&set, 1));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_numbers_are_the_same_everywhere),
        cmocka_unit_test(random_numbers_stay_below_their_bound),
        cmocka_unit_test(greedy_takes_the_first_maximum),
        cmocka_unit_test(sampling_follows_the_distribution),
        cmocka_unit_test(top_p_keeps_the_smallest_sufficient_set),
        cmocka_unit_test(interleaving_drops_duplicates),
        cmocka_unit_test(weights_are_a_softmax),
        cmocka_unit_test(random_bits_are_distinct_and_even),
        cmocka_unit_test(text_comes_in_whole_characters),
        cmocka_unit_test(text_pieces_make_the_whole),
        cmocka_unit_test(questions_are_tidied_or_refused),
        cmocka_unit_test(slots_read_the_landmark_before),
        cmocka_unit_test(null_mass_is_the_mean_over_predicting_slots),
        cmocka_unit_test(attention_is_rounded_to_bytes),
        cmocka_unit_test(retrievers_have_names),
        cmocka_unit_test(a_set_of_fingerprints_has_what_was_added_and_no_more),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
