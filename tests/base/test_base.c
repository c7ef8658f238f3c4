/* Units of engine/base: buffers, UTF-8, hashes, files, error sentences. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/utf8.h"

static void utf8_decodes_only_valid_sequences(void **state) {
    (void)state;
    static const struct {
        const char *bytes;
        size_t length, decoded;
        uint32_t code_point;
    } cases[] = {
        {"A", 1, 1, 'A'},
        {"\0", 1, 1, 0},
        {"\xC3\xA9", 2, 2, 0xE9},
        {"\xE2\x82\xAC", 3, 3, 0x20AC},
        {"\xF0\x9F\x98\x80", 4, 4, 0x1F600},
        {"\xC0\x80", 2, 0, 0}, /* overlong */
        {"\xE0\x80\x80", 3, 0, 0},
        {"\xED\xA0\x80", 3, 0, 0},     /* surrogate */
        {"\xF4\x90\x80\x80", 4, 0, 0}, /* beyond U+10FFFF */
        {"\xE2\x82", 2, 0, 0},
        {"\x80", 1, 0, 0},
        {"\xFF", 1, 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint32_t code_point = 0;
        assert_int_equal(drt_utf8_decode(cases[i].bytes, cases[i].length, &code_point), cases[i].decoded);
        if (cases[i].decoded)
            assert_int_equal(code_point, cases[i].code_point);
    }
}

static void utf8_round_trips_every_scalar_value(void **state) {
    (void)state;
    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        if (c >= 0xD800 && c < 0xE000)
            continue;
        char bytes[4];
        uint32_t back = 0;
        size_t n = drt_utf8_encode(c, bytes);
        assert_int_equal(drt_utf8_decode(bytes, n, &back), n);
        assert_int_equal(back, c);
    }
}

static void utf8_borders_and_escapes(void **state) {
    (void)state;
    const char *text = "a\xC3\xA9z";
    assert_int_equal(drt_utf8_floor(text, 4, 2), 1);
    assert_int_equal(drt_utf8_ceil(text, 4, 2), 3);
    assert_int_equal(drt_utf8_floor(text, 4, 9), 4);
    drt_buffer buffer = {0};
    assert_true(drt_utf8_append_escaped(&buffer, "ok\xFF\xC3\xA9\xC3", 6));
    assert_string_equal(buffer.data, "ok\\xFF\xC3\xA9\\xC3");
    drt_buffer_free(&buffer);
}

static void buffers_grow_and_keep_nul_bytes(void **state) {
    (void)state;
    drt_buffer buffer = {0};
    for (int i = 0; i < 1000; i++)
        assert_true(drt_buffer_append_byte(&buffer, (char)i));
    assert_int_equal(buffer.length, 1000);
    assert_true(drt_buffer_printf(&buffer, "%s-%d", "tail", 7));
    assert_memory_equal(buffer.data + 1000, "tail-7", 7);
    assert_false(drt_buffer_reserve(&buffer, SIZE_MAX - 3));
    drt_string string;
    assert_true(drt_string_take(&string, &buffer));
    assert_int_equal(string.length, 1006);
    assert_null(buffer.data);
    drt_string_free(&string);
    assert_true(drt_string_take(&string, &buffer));
    assert_string_equal(string.data, "");
    drt_string_free(&string);
}

static void sha256_matches_fips_180_4(void **state) {
    (void)state;
    drt_hash hash;
    uint8_t digest[DRT_HASH_SIZE];
    char hex[2 * DRT_HASH_SIZE + 1];
    drt_hash_start(&hash);
    drt_hash_add(&hash, "a", 1);
    drt_hash_add(&hash, "bc", 2);
    drt_hash_finish(&hash, digest);
    drt_hash_hex(digest, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

static void files_are_read_whole_and_never_overwritten(void **state) {
    (void)state;
    char folder[] = "/tmp/drt-base-XXXXXX";
    assert_non_null(mkdtemp(folder));
    drt_context *context = drt_context_new(NULL);
    drt_string path;
    assert_true(drt_path_join(&path, folder, "file"));
    assert_int_equal(drt_file_create(context, path.data, "one\0two", 7), DRT_OK);
    assert_int_equal(drt_file_create(context, path.data, "x", 1), DRT_FAILED);
    assert_non_null(strstr(drt_error(context), path.data));

    drt_buffer buffer = {0};
    assert_int_equal(drt_file_read(context, path.data, 7, &buffer), DRT_OK);
    assert_int_equal(buffer.length, 7);
    assert_memory_equal(buffer.data, "one\0two", 7);
    assert_int_equal(drt_file_read(context, path.data, 6, &buffer), DRT_FAILED);
    drt_buffer_free(&buffer);

    drt_mapping mapping;
    assert_int_equal(drt_mapping_open(context, path.data, &mapping), DRT_OK);
    assert_int_equal(mapping.size, 7);
    drt_mapping_close(&mapping);
    assert_int_equal(drt_mapping_open(context, folder, &mapping), DRT_FAILED);
    unlink(path.data);
    rmdir(folder);
    drt_string_free(&path);
    drt_context_free(context);
}

static void errors_may_quote_the_error_before(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    assert_string_equal(drt_error(context), "");
    assert_int_equal(drt_fail(context, DRT_FAILED, "inner %d", 1), DRT_FAILED);
    assert_int_equal(drt_fail(context, DRT_FATAL, "outer: %s", drt_error(context)), DRT_FATAL);
    assert_string_equal(drt_error(context), "outer: inner 1");
    drt_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(utf8_decodes_only_valid_sequences),
        cmocka_unit_test(utf8_round_trips_every_scalar_value),
        cmocka_unit_test(utf8_borders_and_escapes),
        cmocka_unit_test(buffers_grow_and_keep_nul_bytes),
        cmocka_unit_test(sha256_matches_fips_180_4),
        cmocka_unit_test(files_are_read_whole_and_never_overwritten),
        cmocka_unit_test(errors_may_quote_the_error_before),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
