/* Units of engine/session/chunker: the reference's chunks, properties of the byte ranges, questions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "engine/network/safetensors.h"
#include "engine/session/slots.h"

#define MODEL DRT_SOURCE_DIR "/samples/model/tokenizer.model"
#define GOLDEN DRT_TEST_DATA "/golden/trained/"

static drt_tokenizer *tokenizer;
static drt_context *context;

static int load(void **state) {
    (void)state;
    char error[512];
    context = drt_context_new(NULL);
    return drt_tokenizer_load(MODEL, &tokenizer, error, sizeof error);
}

static int unload(void **state) {
    (void)state;
    drt_tokenizer_free(tokenizer);
    drt_context_free(context);
    return 0;
}

static drt_buffer read_text(const char *path) {
    drt_buffer buffer = {0};
    assert_int_equal(drt_file_read(context, path, 1 << 24, &buffer), DRT_OK);
    return buffer;
}

static int64_t golden_id(const drt_tensor *tensor, size_t at) {
    int64_t id;
    memcpy(&id, tensor->data + at * sizeof id, sizeof id);
    return id;
}

/* ------------------------------------------------------------------------ properties ---- */

static bool is_white(const char *text, int64_t start, int64_t end) {
    for (; start < end; start++)
        if (text[start] != ' ' && text[start] != '\n')
            return false;
    return true;
}

/* What holds for the chunks of every normalised text. */
static void check_chunks(const drt_chunks *chunks, int S, const char *text, size_t length) {
    int64_t covered = 0, last_start = 0, tokens = 0;
    for (size_t c = 0; c < chunks->n_chunks; c++) {
        const int32_t *chunk = chunks->tokens + c * (size_t)S;
        assert_int_equal(chunk[S - 1], DRT_TOKEN_LANDMARK);
        for (int i = 0; i < S - 1; i++) {
            assert_true(chunk[i] == DRT_TOKEN_PAD || chunk[i] == DRT_TOKEN_DOCUMENT ||
                        chunk[i] == DRT_TOKEN_PARAGRAPH || chunk[i] >= DRT_TOKEN_CONTROLS);
            assert_true((chunk[i] == DRT_TOKEN_DOCUMENT) == (c == 0 && i == 0));
            if (chunk[i] == DRT_TOKEN_PAD) /* pads at the very end only */
                assert_true(c + 1 == chunks->n_chunks && (i == S - 2 || chunk[i + 1] == DRT_TOKEN_PAD));
            tokens += chunk[i] != DRT_TOKEN_PAD;
        }
        drt_range range = chunks->ranges[c];
        assert_in_range(range.end, range.start, (int64_t)length);
        assert_true(range.start >= last_start && range.end >= covered);
        assert_int_equal(drt_utf8_floor(text, length, (size_t)range.start), range.start);
        assert_int_equal(drt_utf8_floor(text, length, (size_t)range.end), range.end);
        if (range.start > covered)
            assert_true(is_white(text, covered, range.start));
        last_start = range.start;
        covered = range.end;
    }
    assert_true(is_white(text, covered, (int64_t)length));
    assert_int_equal(tokens, chunks->n_tokens);
}

static drt_chunks build(int S, const char *text, size_t length) {
    drt_chunks chunks;
    assert_int_equal(drt_chunks_build(context, tokenizer, S, text, length, &chunks), DRT_OK);
    check_chunks(&chunks, S, text, length);
    return chunks;
}

/* The same tokens, however they are cut into chunks. */
static void assert_same_tokens(const drt_chunks *a, int size_a, const drt_chunks *b, int size_b) {
    assert_int_equal(a->n_tokens, b->n_tokens);
    for (size_t i = 0; i < (size_t)a->n_tokens; i++) {
        size_t na = (size_t)size_a - 1, nb = (size_t)size_b - 1;
        assert_int_equal(a->tokens[i / na * (na + 1) + i % na], b->tokens[i / nb * (nb + 1) + i % nb]);
    }
}

/* Chunk c's slots, found from its range and those of as few chunks before it as it takes. */
static void locate(const drt_chunks *chunks, size_t c, int S, const char *text, size_t length, drt_range *slots) {
    drt_slots_result result = DRT_SLOTS_SEVERAL;
    for (size_t n = 1; result == DRT_SLOTS_SEVERAL; n *= 2) {
        size_t known = n < c + 1 ? n : c + 1;
        assert_true(n < 4 * (c + 1)); /* from the document's start there is one way only */
        assert_int_equal(drt_slots_locate(context, tokenizer, S, text, length, chunks->ranges + c + 1 - known, known,
                                          known == c + 1, slots, &result),
                         DRT_OK);
    }
    assert_int_equal(result, DRT_SLOTS_FOUND);
}

/* Slots have the ranges that their tokens have in chunks of one token each. */
static void check_slots(int S, const char *text, size_t length) {
    drt_chunks chunks = build(S, text, length), singles = build(2, text, length);
    size_t per_chunk = (size_t)S - 1, every = chunks.n_chunks / 40 + 1;
    drt_range *slots = malloc((size_t)S * sizeof *slots);
    for (size_t c = 0; c < chunks.n_chunks; c += c + every < chunks.n_chunks ? every : 1) {
        locate(&chunks, c, S, text, length, slots);
        for (size_t i = 0; i < (size_t)S; i++) {
            size_t token = c * per_chunk + i;
            bool has_text =
                i < per_chunk && token < singles.n_chunks && singles.ranges[token].start < singles.ranges[token].end;
            if (has_text)
                assert_memory_equal(&slots[i], &singles.ranges[token], sizeof *slots);
            else
                assert_int_equal(slots[i].start, slots[i].end);
            assert_in_range(slots[i].start, chunks.ranges[c].start, slots[i].end);
            assert_in_range(slots[i].end, slots[i].start, chunks.ranges[c].end);
        }
    }
    drt_buffer tokens = {0};
    drt_range *counted = malloc((size_t)S * sizeof *counted);
    assert_int_equal(drt_slots_encode(context, tokenizer, text, length, &tokens), DRT_OK);
    for (size_t c = 0; c < chunks.n_chunks; c += every) { /* counting gives the same */
        locate(&chunks, c, S, text, length, slots);
        assert_true(drt_slots_at(&tokens, S, c, &chunks.ranges[c], counted));
        assert_memory_equal(counted, slots, (size_t)S * sizeof *slots);
    }
    assert_false(drt_slots_at(&tokens, S, chunks.n_chunks, &(drt_range){0, 1}, counted));
    drt_buffer_free(&tokens);
    free(counted);
    free(slots);
    drt_chunks_clear(&chunks);
    drt_chunks_clear(&singles);
}

static void check_text(const char *text, size_t length) {
    static const int sizes[] = {2, 3, 7, 65, 256};
    drt_chunks usual = build(64, text, length);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        drt_chunks other = build(sizes[i], text, length);
        assert_same_tokens(&usual, 64, &other, sizes[i]);
        drt_chunks_clear(&other);
    }
    drt_chunks_clear(&usual);
    check_slots(64, text, length);
    check_slots(7, text, length);
}

/* ----------------------------------------------------------------------------- cases ---- */

static void documents_have_the_reference_chunks(void **state) {
    (void)state;
    static const char *const names[] = {"1_lighthouse", "2_library", "3_bridge"};
    drt_safetensors golden;
    assert_int_equal(drt_safetensors_open(context, GOLDEN "golden.safetensors", &golden), DRT_OK);
    const drt_tensor *tokens = drt_safetensors_find(&golden, "tokens");
    size_t at = 0;
    for (size_t d = 0; d < 3; d++) {
        char path[512];
        snprintf(path, sizeof path, GOLDEN "documents/%s.txt", names[d]);
        drt_buffer text = read_text(path);
        drt_chunks chunks = build(64, text.data, text.length);
        for (size_t i = 0; i < chunks.n_chunks * 64; i++)
            assert_int_equal(chunks.tokens[i], golden_id(tokens, at++));
        check_text(text.data, text.length);
        drt_chunks_clear(&chunks);
        drt_buffer_free(&text);
    }
    assert_int_equal(at, tokens->shape[0] * 64);
    drt_safetensors_close(&golden);
}

static void questions_have_the_reference_chunks(void **state) {
    (void)state;
    drt_safetensors golden;
    assert_int_equal(drt_safetensors_open(context, GOLDEN "golden.safetensors", &golden), DRT_OK);
    const drt_tensor *expected = drt_safetensors_find(&golden, "question_tokens");
    const drt_tensor *given = drt_safetensors_find(&golden, "long_tokens");
    drt_buffer text = read_text(GOLDEN "questions.txt");
    size_t q = 0;
    for (char *line = strtok(text.data, "\n"); line; line = strtok(NULL, "\n"), q++) {
        int32_t *tokens, chunk[64];
        size_t count;
        assert_int_equal(drt_question_encode(context, tokenizer, line, strlen(line), &tokens, &count), DRT_OK);
        assert_int_equal(drt_question_chunk(tokens, count, 64, chunk), count);
        for (size_t i = 0; i < 64; i++)
            assert_int_equal(chunk[i], golden_id(expected, q * 64 + i));
        free(tokens);
    }
    assert_int_equal(q, expected->shape[0]);
    drt_buffer_free(&text);

    text = read_text(GOLDEN "long_answer.txt"); /* its reading chunk starts with the prefix */
    int32_t *tokens, prefix[42];
    size_t count;
    assert_int_equal(drt_question_encode(context, tokenizer, text.data, strcspn(text.data, "\n"), &tokens, &count),
                     DRT_OK);
    size_t n = drt_reading_prefix(tokens, count, 64, prefix);
    assert_int_equal(n, count + 2);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(prefix[i], golden_id(given, 64 + i));
    free(tokens);
    drt_buffer_free(&text);
    drt_safetensors_close(&golden);
}

static void empty_text_has_no_chunks(void **state) {
    (void)state;
    static const char *const texts[] = {"", " ", "\n", "\n\n\n", " \n \n\n "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        drt_chunks chunks = build(64, texts[i], strlen(texts[i]));
        assert_int_equal(chunks.n_chunks, 0);
        assert_int_equal(chunks.n_tokens, 0);
        assert_null(chunks.tokens);
        drt_chunks_clear(&chunks);
    }
}

static void paragraphs_end_with_a_break(void **state) {
    (void)state;
    static const char *const texts[] = {"one two\n\nthree", "one two\n \n\nthree\n", "\n\none\ntwo\n\n\n\nthree\n\n"};
    drt_chunks first = build(64, texts[0], strlen(texts[0]));
    int breaks = 0;
    for (int i = 0; i < 64; i++)
        breaks += first.tokens[i] == DRT_TOKEN_PARAGRAPH;
    assert_int_equal(breaks, 2);
    assert_int_equal(first.tokens[first.n_tokens - 1], DRT_TOKEN_PARAGRAPH);
    for (size_t i = 1; i < sizeof texts / sizeof *texts; i++) {
        drt_chunks other = build(64, texts[i], strlen(texts[i]));
        assert_same_tokens(&first, 64, &other, 64);
        drt_chunks_clear(&other);
    }
    drt_chunks_clear(&first);
}

static void ranges_hold_in_every_script(void **state) {
    (void)state;
    static const char *const texts[] = {
        "\xE6\x97\xA5\xE6\x9C\xAC\xE8\xAA\x9E\xE3\x81\xAE\xE6\x96\x87\xE7\xAB\xA0\xE3\x80\x82", /* CJK */
        "\xF0\x9F\x91\xA9\xE2\x80\x8D\xF0\x9F\x9A\x80 and emoji \xF0\x9F\x8F\xB3\xEF\xB8\x8F",
        "e\xCC\x81\xCC\xA3\xCC\xA8 a\xCC\x8A\n\nz\xCC\x81",                           /* combining marks */
        "\xEF\xAC\x81ne \xC2\xBD \xE3\x8C\x94 \xE3\x88\xB1 \xE2\x84\xA2\xE2\x80\xA6", /* NFKC makes several of one */
        "\xD8\xA7\xD9\x84\xD8\xB9\xD8\xB1\xD8\xA8\xD9\x8A\xD8\xA9 \xD7\xA2\xD7\x91\xD7\xA8\xD7\x99\xD7\xAA",
        "\xF0\x9D\x94\x98\xF0\x9D\x94\xAB\xF0\x9D\x94\xA6 \xE2\x96\x81 \xE2\x96\x81x <lmk> </s>",
        "\xEF\xB7\xBA", /* one character, eighteen of NFKC */
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        check_text(texts[i], strlen(texts[i]));
        drt_buffer many = {0};
        for (int n = 0; n < 40; n++)
            assert_true(drt_buffer_printf(&many, "%s%s", texts[i], n % 3 ? "" : n % 2 ? "\n\n" : " "));
        check_text(many.data, many.length);
        drt_buffer_free(&many);
    }
}

/* Random valid text: words of every length of character, single and double line breaks. */
static void ranges_hold_in_random_text(void **state) {
    (void)state;
    static const uint32_t bases[] = {'a', 'a', ' ', ' ', 0xC0, 0x300, 0x4E00, 0x1F600, 0x2150, 0xFB00, 0xAC00, '0'};
    uint32_t seed = 1;
    for (int round = 0; round < 60; round++) {
        drt_buffer text = {0};
        for (int n = 0; n < 600; n++) {
            seed = seed * 1664525u + 1013904223u;
            uint32_t base = bases[(seed >> 8) % 12];
            uint32_t c = base == ' ' ? ' ' : base + (seed >> 16) % 10;
            char bytes[4];
            size_t size = drt_utf8_encode(c, bytes);
            assert_true(drt_buffer_append(&text, bytes, size));
            if ((seed >> 20) % 40 == 0)
                assert_true(drt_buffer_append(&text, "\n\n", 1 + (seed >> 26) % 2));
        }
        check_text(text.data, text.length);
        drt_buffer_free(&text);
    }
}

static void a_word_of_500_kilobytes_is_cut(void **state) {
    (void)state;
    size_t length = 500000;
    char *text = malloc(length);
    for (size_t i = 0; i < length; i++)
        text[i] = (char)('a' + i * i % 26);
    drt_chunks chunks = build(64, text, length);
    assert_int_equal(chunks.ranges[chunks.n_chunks - 1].end, length);
    drt_chunks_clear(&chunks);

    for (size_t i = 0; i + 3 <= length; i += 3) /* three-byte characters: 64 KiB falls inside one */
        memcpy(text + i, "\xE6\x97\xA5", 3);
    chunks = build(64, text, length - length % 3);
    drt_chunks_clear(&chunks);
    free(text);
}

static void long_paragraphs_are_cut_at_spaces(void **state) {
    (void)state;
    drt_buffer text = {0};
    while (text.length < 200000)
        assert_true(drt_buffer_printf(&text, "%sthe harbour wall %zu", text.length ? " " : "", text.length % 97));
    drt_chunks chunks = build(64, text.data, text.length);
    /* Cut at spaces, the tokens are those of the whole. */
    drt_piece *pieces;
    size_t count;
    char error[512];
    assert_int_equal(drt_tokenizer_encode(tokenizer, text.data, text.length, &pieces, &count, error, sizeof error), 0);
    assert_int_equal(chunks.n_tokens, count + 2);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(chunks.tokens[(i + 1) / 63 * 64 + (i + 1) % 63], pieces[i].id);
    free(pieces);
    drt_chunks_clear(&chunks);
    drt_buffer_free(&text);
}

static void other_texts_have_no_such_chunk(void **state) {
    (void)state;
    const char *text = "The harbour wall was built of granite.\n\nThe light was lit in May.";
    drt_range slots[64], wrong[] = {{0, 7}, {3, 38}, {40, 300}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        drt_slots_result result;
        assert_int_equal(
            drt_slots_locate(context, tokenizer, 64, text, strlen(text), &wrong[i], 1, i == 0, slots, &result), DRT_OK);
        assert_int_equal(result, DRT_SLOTS_NONE);
    }
}

static void invalid_text_fails(void **state) {
    (void)state;
    drt_chunks chunks;
    assert_int_equal(drt_chunks_build(context, tokenizer, 64, "ok \xFF", 4, &chunks), DRT_FAILED);
    assert_non_null(strstr(drt_error(context), "byte 3"));
    assert_null(chunks.tokens);
}

static bool third_time(void *user) {
    return ++*(int *)user == 3;
}

static void building_can_be_cancelled(void **state) {
    (void)state;
    int asked = 0;
    drt_context_params params = {.cancelled = third_time, .user = &asked};
    drt_context *stopped = drt_context_new(&params);
    drt_chunks chunks;
    assert_int_equal(drt_chunks_build(stopped, tokenizer, 64, "a\n\nb\n\nc\n\nd", 10, &chunks), DRT_FAILED);
    assert_null(chunks.tokens);
    assert_int_equal(asked, 3);
    drt_context_free(stopped);
}

static void long_questions_keep_their_end(void **state) {
    (void)state;
    int32_t question[100], chunk[64], prefix[42];
    for (int i = 0; i < 100; i++)
        question[i] = 1000 + i;
    assert_int_equal(drt_question_chunk(question, 100, 64, chunk), 62);
    assert_int_equal(chunk[0], DRT_TOKEN_QUESTION);
    assert_int_equal(chunk[1], 1038);
    assert_int_equal(chunk[62], 1099);
    assert_int_equal(chunk[63], DRT_TOKEN_LANDMARK);
    assert_int_equal(drt_reading_prefix(question, 100, 64, prefix), 42);
    assert_int_equal(prefix[1], 1060);
    assert_int_equal(prefix[40], 1099);
    assert_int_equal(prefix[41], DRT_TOKEN_ANSWER);
}

static void empty_questions_and_small_chunks_fit(void **state) {
    (void)state;
    int32_t *tokens, chunk[64], prefix[42];
    const int32_t question[] = {100, 101, 102};
    size_t count;
    assert_int_equal(drt_question_encode(context, tokenizer, " \n", 2, &tokens, &count), DRT_OK);
    assert_int_equal(count, 0);
    assert_null(tokens);
    assert_int_equal(drt_question_chunk(NULL, 0, 64, chunk), 0);
    assert_int_equal(chunk[61], DRT_TOKEN_PAD);
    assert_int_equal(chunk[62], DRT_TOKEN_QUESTION);
    assert_int_equal(chunk[63], DRT_TOKEN_LANDMARK);
    assert_int_equal(drt_reading_prefix(NULL, 0, 64, prefix), 2);

    assert_int_equal(drt_question_chunk(question, 3, 2, chunk), 0);
    assert_int_equal(chunk[0], DRT_TOKEN_QUESTION);
    assert_int_equal(chunk[1], DRT_TOKEN_LANDMARK);
    assert_int_equal(drt_question_chunk(question, 3, 4, chunk), 2);
    assert_int_equal(chunk[1], 101);
    assert_int_equal(drt_reading_prefix(question, 3, 24, prefix), 2);
    assert_int_equal(drt_reading_prefix(question, 3, 26, prefix), 4);
    assert_int_equal(prefix[1], 101);
}

static void question_white_space_does_not_matter(void **state) {
    (void)state;
    int32_t *a, *b;
    size_t n, m;
    assert_int_equal(drt_question_encode(context, tokenizer, "Who built it?", 13, &a, &n), DRT_OK);
    assert_int_equal(drt_question_encode(context, tokenizer, "\tWho\nbuilt \r\n it? \n", 19, &b, &m), DRT_OK);
    assert_int_equal(n, m);
    assert_memory_equal(a, b, n * sizeof *a);
    free(a);
    free(b);
    char *bytes = malloc(200000); /* no UTF-8 and no space in it */
    memset(bytes, 0x80, 200000);
    assert_int_equal(drt_question_encode(context, tokenizer, bytes, 200000, &a, &n), DRT_OK);
    assert_true(n >= 200000);
    free(bytes);
    free(a);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(documents_have_the_reference_chunks),
        cmocka_unit_test(questions_have_the_reference_chunks),
        cmocka_unit_test(empty_text_has_no_chunks),
        cmocka_unit_test(paragraphs_end_with_a_break),
        cmocka_unit_test(ranges_hold_in_every_script),
        cmocka_unit_test(ranges_hold_in_random_text),
        cmocka_unit_test(a_word_of_500_kilobytes_is_cut),
        cmocka_unit_test(long_paragraphs_are_cut_at_spaces),
        cmocka_unit_test(other_texts_have_no_such_chunk),
        cmocka_unit_test(invalid_text_fails),
        cmocka_unit_test(building_can_be_cancelled),
        cmocka_unit_test(long_questions_keep_their_end),
        cmocka_unit_test(empty_questions_and_small_chunks_fit),
        cmocka_unit_test(question_white_space_does_not_matter),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
