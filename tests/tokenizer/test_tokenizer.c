/* Units of tokenizer/: ids and byte ranges against the reference's (tests/golden/trained), controls,
 * hostile input, damaged models. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>
#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/base/utf8.h"
#include "engine/network/safetensors.h"
#include "tokenizer/tokenizer.h"

#define MODEL DRT_SOURCE_DIR "/samples/model/tokenizer.model"
#define GOLDEN DRT_TEST_DATA "/golden/trained/"

static drt_tokenizer *tokenizer;
static char error[512];

static int load(void **state) {
    (void)state;
    return drt_tokenizer_load(MODEL, &tokenizer, error, sizeof error);
}

static int unload(void **state) {
    (void)state;
    drt_tokenizer_free(tokenizer);
    return 0;
}

static drt_piece *encode(const char *text, size_t length, size_t *count) {
    drt_piece *pieces;
    assert_int_equal(drt_tokenizer_encode(tokenizer, text, length, &pieces, count, error, sizeof error), 0);
    size_t at = 0;
    for (size_t i = 0; i < *count; i++) {
        assert_in_range(pieces[i].id, DRT_TOKEN_CONTROLS, drt_tokenizer_size(tokenizer) - 1);
        assert_in_range(pieces[i].start, at, length);
        assert_in_range(pieces[i].end, pieces[i].start, length);
        at = pieces[i].start;
    }
    return pieces;
}

static void assert_decodes(const int32_t *ids, size_t count, const char *expected, size_t expected_length) {
    char *text;
    size_t length;
    assert_int_equal(drt_tokenizer_decode(tokenizer, ids, count, &text, &length, error, sizeof error), 0);
    assert_int_equal(length, expected_length);
    assert_memory_equal(text, expected, length);
    assert_int_equal(text[length], 0);
    free(text);
}

/* Text -> ids -> text. */
static void assert_round_trip(const char *text, size_t length, const char *expected, size_t expected_length) {
    size_t count;
    drt_piece *pieces = encode(text, length, &count);
    int32_t *ids = malloc((count + 1) * sizeof *ids);
    for (size_t i = 0; i < count; i++)
        ids[i] = pieces[i].id;
    assert_decodes(ids, count, expected, expected_length);
    free(ids);
    free(pieces);
}

static char *read_text(const char *path, size_t *length) {
    drt_context *context = drt_context_new(NULL);
    drt_buffer buffer = {0};
    assert_int_equal(drt_file_read(context, path, 1 << 24, &buffer), DRT_OK);
    drt_context_free(context);
    *length = buffer.length;
    return buffer.data;
}

static void questions_have_the_reference_ids(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    drt_safetensors golden;
    assert_int_equal(drt_safetensors_open(context, GOLDEN "golden.safetensors", &golden), DRT_OK);
    const drt_tensor *chunks = drt_safetensors_find(&golden, "question_tokens");
    assert_int_equal(chunks->type, DRT_TENSOR_I64);
    size_t length;
    char *text = read_text(GOLDEN "questions.txt", &length), *line = text;
    for (int64_t q = 0; q < chunks->shape[0]; q++) {
        char *end = strchr(line, '\n');
        size_t count;
        drt_piece *pieces = encode(line, end ? (size_t)(end - line) : strlen(line), &count);
        for (size_t i = 0; i < count; i++) {
            int64_t id; /* right-aligned before the landmark */
            memcpy(&id, chunks->data + (size_t)(q * 64 + 63 - (int64_t)(count - i)) * sizeof id, sizeof id);
            assert_int_equal(pieces[i].id, id);
        }
        free(pieces);
        line = end ? end + 1 : line;
    }
    free(text);
    drt_safetensors_close(&golden);
    drt_context_free(context);
}

static void answers_decode_to_the_reference_text(void **state) {
    (void)state;
    size_t length, answers = 0;
    char *text = read_text(GOLDEN "answers.jsonl", &length);
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"), answers++) {
        cJSON *object = cJSON_Parse(line);
        const char *answer = cJSON_GetObjectItemCaseSensitive(object, "answer")->valuestring;
        const cJSON *tokens = cJSON_GetObjectItemCaseSensitive(object, "tokens"), *token;
        int32_t ids[64];
        size_t count = 0;
        cJSON_ArrayForEach(token, tokens) ids[count++] = token->valueint;
        assert_decodes(ids, count, answer, strlen(answer));
        cJSON_Delete(object);
    }
    assert_int_equal(answers, 12);
    free(text);
}

static void ranges_are_bytes_of_the_input(void **state) {
    (void)state;
    static const char text[] = "Hello w\xC3\xB6rld  \xE6\x97\xA5\xF0\x9F\x98\x80 e\xCC\x81.";
    size_t count, covered = 0;
    drt_piece *pieces = encode(text, sizeof text - 1, &count);
    for (size_t i = 0; i < count; i++) { /* no gaps either: white space belongs to the piece behind it */
        assert_true(pieces[i].start <= covered);
        covered = pieces[i].end > covered ? pieces[i].end : covered;
        assert_int_equal(drt_utf8_floor(text, sizeof text - 1, pieces[i].start), pieces[i].start);
        assert_int_equal(drt_utf8_floor(text, sizeof text - 1, pieces[i].end), pieces[i].end);
    }
    assert_int_equal(covered, sizeof text - 1);
    free(pieces);

    pieces = encode("Hello world", 11, &count);
    assert_int_equal(pieces[0].start, 0);
    assert_int_equal(pieces[count - 1].end, 11);
    free(pieces);
}

static void text_never_makes_control_ids(void **state) {
    (void)state; /* encode() checks every id */
    static const char *const texts[] = {"<lmk>", "<pad><unk><s></s>", "a <q> b <a> c <doc>",
                                        "<par>", "\xE2\x96\x81<lmk>", "<0x00>",
                                        "</s>",  " \xE2\x81\x87 "};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        size_t count;
        free(encode(texts[i], strlen(texts[i]), &count));
        assert_true(count > 0);
    }
    assert_round_trip("a <lmk> b</s>", 13, "a <lmk> b</s>", 13);
}

static void strange_text_is_encoded(void **state) {
    (void)state;
    size_t count;
    assert_null(encode("", 0, &count));
    assert_int_equal(count, 0);
    free(encode("   ", 3, &count));
    assert_int_equal(count, 0);
    assert_round_trip("a\0b", 3, "a\0b", 3);
    assert_round_trip("x\xFFy\xC3", 4, "x\xEF\xBF\xBDy\xEF\xBF\xBD", 8); /* invalid bytes become U+FFFD */
    assert_round_trip("\xED\xA0\x80", 3, "\xEF\xBF\xBD\xEF\xBF\xBD\xEF\xBF\xBD", 9);
    assert_round_trip("\xEF\xAC\x81", 3, "fi", 2); /* NFKC */

    size_t length = 65536;
    char *word = malloc(length);
    for (size_t i = 0; i < length; i++)
        word[i] = (char)('a' + i * 7 % 26);
    assert_round_trip(word, length, word, length);
    memset(word, 0xFF, length);
    free(encode(word, length, &count));
    assert_true(count >= length);
    free(word);
}

static void controls_decode_to_breaks_or_nothing(void **state) {
    (void)state;
    size_t count;
    drt_piece *pieces = encode("one two", 7, &count);
    int32_t ids[32];
    size_t n = 0;
    ids[n++] = DRT_TOKEN_ANSWER;
    for (size_t i = 0; i < count; i++)
        ids[n++] = pieces[i].id;
    ids[n++] = DRT_TOKEN_PARAGRAPH;
    for (size_t i = 0; i < count; i++) {
        ids[n++] = pieces[i].id;
        ids[n++] = DRT_TOKEN_LANDMARK;
    }
    ids[n++] = DRT_TOKEN_UNKNOWN;
    ids[n++] = DRT_TOKEN_END;
    assert_decodes(ids, n, "one two\none two", 15);
    assert_decodes(NULL, 0, "", 0);
    free(pieces);
}

static void ids_outside_the_vocabulary_fail(void **state) {
    (void)state;
    const int32_t ids[] = {-1, INT32_MAX, drt_tokenizer_size(tokenizer)};
    for (size_t i = 0; i < 3; i++) {
        char *text;
        size_t length;
        assert_int_equal(drt_tokenizer_decode(tokenizer, &ids[i], 1, &text, &length, error, sizeof error), -1);
        assert_non_null(strstr(error, "vocabulary"));
        assert_null(text);
    }
}

static void cut_byte_sequences_decode_to_replacements(void **state) {
    (void)state;
    size_t count;
    drt_piece *pieces = encode("\xE6\x97\xA5", 3, &count); /* three byte pieces at the end */
    const int32_t ids[] = {pieces[count - 3].id, pieces[count - 2].id};
    assert_decodes(ids, 2, "\xEF\xBF\xBD\xEF\xBF\xBD", 6);
    free(pieces);
}

static void damaged_models_are_refused(void **state) {
    (void)state;
    drt_tokenizer *other;
    assert_int_equal(drt_tokenizer_load("/nonexistent/tokenizer.model", &other, error, sizeof error), -1);
    assert_non_null(strstr(error, "/nonexistent/tokenizer.model"));
    assert_int_equal(drt_tokenizer_load(DRT_SOURCE_DIR, &other, error, sizeof error), -1);
    assert_int_equal(drt_tokenizer_load_memory("", 0, &other, error, sizeof error), -1);
    assert_int_equal(drt_tokenizer_load_memory("not a model", 11, &other, error, sizeof error), -1);
    assert_null(other);
    assert_int_not_equal(error[0], 0);

    size_t size;
    char *model = read_text(MODEL, &size);
    assert_int_equal(drt_tokenizer_load_memory(model, size / 2, &other, error, sizeof error), -1);
    static const struct {
        const char *find;
        size_t offset;
        const char *bytes;
        size_t n;
        const char *says;
    } damages[] = {
        {"<lmk>", 0, "<lxk>", 5, "<lmk>"},
        {"<0x41>", 0, "<0y41>", 6, "byte"},
        {"\xE2\x96\x81Hell\x15", 0, "\xFF", 1, "not valid UTF-8"},
        {"\xE2\x96\x81Hell\x15", 8, "\0\0\xC0\x7F", 4, "no score"}, /* NaN */
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        char *place = model, kept[8];
        while (memcmp(place, damages[i].find, strlen(damages[i].find)) != 0)
            place++;
        place += damages[i].offset;
        memcpy(kept, place, damages[i].n);
        memcpy(place, damages[i].bytes, damages[i].n);
        assert_int_equal(drt_tokenizer_load_memory(model, size, &other, error, sizeof error), -1);
        if (!strstr(error, damages[i].says))
            fail_msg("expected \"%s\" in: %s", damages[i].says, error);
        memcpy(place, kept, damages[i].n);
    }
    free(model);
    drt_tokenizer_free(NULL);
}

/* sentencepiece follows the offsets of its character map without looking: some of these would crash. */
static void damaged_character_maps_are_refused(void **state) {
    (void)state;
    size_t size;
    char *model = read_text(MODEL, &size), *map = model;
    while (memcmp(map, "\4nfkc\x12", 6) != 0) /* the normaliser's name; its map is the next field */
        map++;
    map += 6 + 3; /* the length has three bytes */
    uint32_t trie_size, unit;
    memcpy(&trie_size, map, sizeof trie_size);
    size_t leaf = 0;
    for (size_t i = 1; !leaf; i++) { /* the first unit that has one */
        memcpy(&unit, map + 4 + 4 * i, sizeof unit);
        if (unit >> 31 == 0 && (unit >> 8 & 1))
            leaf = i ^ (size_t)(unit >> 10) << (unit >> 9 & 1 ? 8 : 0);
    }
    const struct {
        size_t at;
        uint32_t value;
    } damages[] = {
        {0, 0},                     /* no trie */
        {0, UINT32_MAX},            /* longer than the map */
        {0, trie_size - 1},         /* half a unit */
        {0, trie_size - 512},       /* children behind the end */
        {4, 0x7FFFFE00},            /* the root's children far away */
        {4 + 4 * 5, 0x7FFFFE05},    /* another unit's */
        {4 + 4 * leaf, 0xFFFFFFFF}, /* a string behind the end */
    };
    for (size_t i = 0; i < sizeof damages / sizeof *damages; i++) {
        uint32_t kept;
        drt_tokenizer *other;
        memcpy(&kept, map + damages[i].at, sizeof kept);
        memcpy(map + damages[i].at, &damages[i].value, sizeof kept);
        assert_int_equal(drt_tokenizer_load_memory(model, size, &other, error, sizeof error), -1);
        assert_non_null(strstr(error, "character map"));
        memcpy(map + damages[i].at, &kept, sizeof kept);
    }
    memset(map + 4 + trie_size, 'x', 2000); /* a string that would blow up every text */
    drt_tokenizer *other;
    assert_int_equal(drt_tokenizer_load_memory(model, size, &other, error, sizeof error), -1);
    assert_non_null(strstr(error, "character map"));
    free(model);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(questions_have_the_reference_ids), cmocka_unit_test(answers_decode_to_the_reference_text),
        cmocka_unit_test(ranges_are_bytes_of_the_input),    cmocka_unit_test(text_never_makes_control_ids),
        cmocka_unit_test(strange_text_is_encoded),          cmocka_unit_test(controls_decode_to_breaks_or_nothing),
        cmocka_unit_test(ids_outside_the_vocabulary_fail),  cmocka_unit_test(cut_byte_sequences_decode_to_replacements),
        cmocka_unit_test(damaged_models_are_refused),       cmocka_unit_test(damaged_character_maps_are_refused),
    };
    return cmocka_run_group_tests(tests, load, unload);
}
