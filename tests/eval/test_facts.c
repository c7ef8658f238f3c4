/* The facts that are hidden: their sentences are those of the facts kept in tests/facts, answers follow from them, and
 * nothing is there twice. */
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <cjson/cJSON.h>

#include "engine/base/file.h"
#include "engine/eval/facts.h"

#define N 2000

typedef struct {
    drt_context *context;
    drt_fact facts[N];
} facts_case;

static void make_facts(facts_case *t, uint64_t seed) {
    drt_fact_maker maker;
    drt_fact_maker_open(&maker, seed);
    for (size_t i = 0; i < N; i++)
        assert_int_equal(drt_fact_make(t->context, &maker, &t->facts[i]), DRT_OK);
    drt_fact_maker_close(&maker);
}

static void clear_facts(facts_case *t) {
    for (size_t i = 0; i < N; i++)
        drt_fact_clear(&t->facts[i]);
}

static int setup(void **state) {
    facts_case *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->context = drt_context_new(NULL);
    make_facts(t, 1);
    *state = t;
    return 0;
}

static int teardown(void **state) {
    facts_case *t = *state;
    clear_facts(t);
    drt_context_free(t->context);
    free(t);
    return 0;
}

static bool is_two_hop(const drt_fact *fact) {
    return strncmp(fact->kind, "two-hop", 7) == 0;
}

/* Words that patterns are made of; all others are names. */
static const char pattern_words[] = " the of is was made by for one special s are in to from at born native told story "
                                    "birthplace worked as many years trade "
                                    "earned living built it who moved settled came year left lost given box belongs "
                                    "contains lies married spouse lives home "
                                    "what where when which did do does give town place job profession ";

/* "Diego Lojen's badge number is 12." -> "_'s _ is _.": names, things and numbers left out. */
static void shape_of(const char *text, char out[256]) {
    size_t n = 0;
    for (const char *at = text; *at && n < 250;) {
        size_t length = 0;
        char word[64] = " ";
        while (isalnum((unsigned char)at[length]) && length < 60) {
            word[1 + length] = (char)tolower((unsigned char)at[length]);
            length++;
        }
        if (length == 0) {
            out[n++] = *at++;
            continue;
        }
        strcat(word, " ");
        if (strstr(pattern_words, word)) {
            memcpy(out + n, word + 1, length);
            n += length;
        } else if (n >= 2 && out[n - 1] == ' ' && out[n - 2] == '_') {
            n--; /* names of two words are one */
        } else {
            out[n++] = '_';
        }
        at += length;
    }
    out[n] = '\0';
}

static bool has_shape(const facts_case *t, const char *kind, size_t sentence, const char *shape) {
    for (size_t i = 0; i < N; i++) {
        char found[256];
        const drt_fact *fact = &t->facts[i];
        if (strcmp(fact->kind, kind) != 0)
            continue;
        shape_of(sentence == DRT_FACT_SENTENCES ? fact->question.data : fact->sentences[sentence].data, found);
        if (strcmp(found, shape) == 0)
            return true;
    }
    return false;
}

static void check_kept_fact(const facts_case *t, const cJSON *fact) {
    char shape[256];
    const char *kind = cJSON_GetObjectItem(fact, "kind")->valuestring;
    const cJSON *sentences = cJSON_GetObjectItem(fact, "sentences");
    if (strcmp(kind, "passkey") == 0)
        return;
    for (int s = 0; s < cJSON_GetArraySize(sentences); s++) {
        shape_of(cJSON_GetArrayItem(sentences, s)->valuestring, shape);
        if (!has_shape(t, kind, (size_t)s, shape))
            fail_msg("no fact of kind %s has sentence %d like: %s", kind, s + 1, shape);
    }
    shape_of(cJSON_GetObjectItem(fact, "question")->valuestring, shape);
    if (!has_shape(t, kind, DRT_FACT_SENTENCES, shape))
        fail_msg("no fact of kind %s is asked for like: %s", kind, shape);
}

static void sentences_are_those_of_the_kept_facts(void **state) {
    facts_case *t = *state;
    drt_buffer text = {0};
    size_t n = 0;
    assert_int_equal(drt_file_read(t->context, DRT_TEST_DATA "/facts/facts.jsonl", 1 << 20, &text), DRT_OK);
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"), n++) {
        cJSON *fact = cJSON_Parse(line);
        assert_non_null(fact);
        check_kept_fact(t, fact);
        cJSON_Delete(fact);
    }
    assert_int_equal(n, 60);
    drt_buffer_free(&text);
}

static void every_kind_is_as_likely(void **state) {
    static const char *const kinds[] = {"number", "birthplace", "job",         "maker",
                                        "year",   "place",      "two-hop box", "two-hop spouse"};
    facts_case *t = *state;
    size_t all = 0;
    for (size_t k = 0; k < 8; k++) {
        size_t n = 0;
        for (size_t i = 0; i < N; i++)
            n += strcmp(t->facts[i].kind, kinds[k]) == 0;
        assert_in_range(n, N / 8 - 60, N / 8 + 60); /* four standard deviations */
        all += n;
    }
    assert_int_equal(all, N);
}

static void answers_stand_in_the_last_sentence(void **state) {
    facts_case *t = *state;
    for (size_t i = 0; i < N; i++) {
        const drt_fact *fact = &t->facts[i];
        assert_int_equal(fact->n_sentences, is_two_hop(fact) ? 2 : 1);
        assert_non_null(strstr(fact->sentences[fact->n_sentences - 1].data, fact->answer.data));
        assert_null(strstr(fact->question.data, fact->answer.data));
        for (size_t s = 0; s < fact->n_sentences; s++)
            assert_null(strpbrk(fact->sentences[s].data, "{}"));
        assert_null(strpbrk(fact->question.data, "{}"));
    }
}

/* "x 12." -> the digits; empty: none. */
static size_t digits_in(const char *text, const char **digits) {
    *digits = strpbrk(text, "0123456789");
    return *digits ? strspn(*digits, "0123456789") : 0;
}

static void two_hops_meet_in_a_box_or_a_person(void **state) {
    facts_case *t = *state;
    for (size_t i = 0; i < N; i++) {
        const drt_fact *fact = &t->facts[i];
        const char *first = NULL, *second = NULL;
        if (strcmp(fact->kind, "two-hop box") == 0) {
            size_t n = digits_in(fact->sentences[0].data, &first);
            assert_in_range(n, 3, 5);
            assert_int_equal(digits_in(fact->sentences[1].data, &second), n);
            assert_memory_equal(first, second, n);
        } else if (strcmp(fact->kind, "two-hop spouse") == 0) {
            const char *who = fact->sentences[1].data;
            char other[64] = "";
            if (strncmp(who, "The home of ", 12) == 0)
                who += 12;
            const char *space = strchr(who, ' ');
            assert_non_null(space);
            memcpy(other, who, (size_t)(strchr(space + 1, ' ') - who));
            assert_non_null(strstr(fact->sentences[0].data, other));
            assert_null(strstr(fact->question.data, other));
        }
    }
}

static int compare(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Questions name what is asked for, so unlike ones have one answer each; so have all boxes. */
static void nothing_is_there_twice(void **state) {
    facts_case *t = *state;
    char *names[2 * N], boxes[N][8];
    size_t n = 0, n_boxes = 0;
    for (size_t i = 0; i < N; i++) {
        const char *digits;
        names[n++] = t->facts[i].sentences[0].data;
        if (strcmp(t->facts[i].kind, "two-hop box") == 0) {
            size_t length = digits_in(t->facts[i].sentences[0].data, &digits);
            memcpy(boxes[n_boxes], digits, length);
            boxes[n_boxes][length] = '\0';
            names[n++] = boxes[n_boxes++];
        }
    }
    qsort(names, n, sizeof *names, compare);
    for (size_t i = 1; i < n; i++)
        assert_true(strcmp(names[i - 1], names[i]) != 0);
    n = 0;
    for (size_t i = 0; i < N; i++)
        if (strcmp(t->facts[i].kind, "maker") == 0) /* "Who made the drum of Elston?" and "Who built ..." */
            names[n++] = strstr(t->facts[i].question.data, " the ");
    qsort(names, n, sizeof *names, compare);
    for (size_t i = 1; i < n; i++)
        assert_true(strcmp(names[i - 1], names[i]) != 0);
}

static void the_seed_decides(void **state) {
    facts_case *t = *state, *other = calloc(1, sizeof *other);
    assert_non_null(other);
    other->context = t->context;
    make_facts(other, 1);
    for (size_t i = 0; i < N; i++)
        assert_string_equal(t->facts[i].sentences[0].data, other->facts[i].sentences[0].data);
    clear_facts(other);
    make_facts(other, 2);
    size_t same = 0;
    for (size_t i = 0; i < N; i++)
        same += strcmp(t->facts[i].sentences[0].data, other->facts[i].sentences[0].data) == 0;
    assert_true(same < N / 100);
    clear_facts(other);
    free(other);
}

static void pass_keys_have_a_number(void **state) {
    facts_case *t = *state;
    drt_fact_maker maker;
    drt_fact_maker_open(&maker, 3);
    for (size_t i = 0; i < 100; i++) {
        drt_fact fact;
        assert_int_equal(drt_fact_make_pass_key(t->context, &maker, &fact), DRT_OK);
        assert_string_equal(fact.kind, "passkey");
        assert_int_equal(fact.n_sentences, 1);
        assert_in_range(fact.answer.length, 4, 7);
        assert_int_equal(strspn(fact.answer.data, "0123456789"), fact.answer.length);
        assert_int_equal(strncmp(fact.sentences[0].data, "The pass key is ", 16), 0);
        assert_memory_equal(fact.sentences[0].data + 16, fact.answer.data, fact.answer.length);
        drt_fact_clear(&fact);
    }
    drt_fact_maker_close(&maker);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sentences_are_those_of_the_kept_facts),
        cmocka_unit_test(every_kind_is_as_likely),
        cmocka_unit_test(answers_stand_in_the_last_sentence),
        cmocka_unit_test(two_hops_meet_in_a_box_or_a_person),
        cmocka_unit_test(nothing_is_there_twice),
        cmocka_unit_test(the_seed_decides),
        cmocka_unit_test(pass_keys_have_a_number),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
