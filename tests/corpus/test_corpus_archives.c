/* Archives as they come: damaged in one place, glued together, with names of other countries. Nothing is lost silently,
 * and one broken member never costs the others. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <zlib.h>

#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const archive_part two_texts[] = {{"a.txt", "The first text.\n", -1, NULL},
                                         {"b.txt", "The second text.\n", -1, NULL}};

static void append(drt_buffer *to, const drt_buffer *from) {
    assert_true(drt_buffer_append(to, from->data, from->length));
}

/* ------------------------------------------------------------------ gzip ---- */

static drt_buffer gzip_of(const char *text) {
    archive_part part = {"data", text, -1, NULL};
    return archive_make("raw", "gzip", NULL, &part, 1);
}

static void sums_of_gzip_are_checked(void **state) {
    (void)state;
    static const struct {
        size_t from_end;
        const char *reason;
    } damages[] = {{8, "it is damaged: its checksum is wrong"}, {4, "it is damaged: its length is wrong"}};
    for (size_t i = 0; i < COUNT(damages); i++) {
        char expected[200];
        drt_buffer gzip = gzip_of("Nine sacks."), second = gzip_of(" Ten sacks.");
        append(&gzip, &second);
        gzip.data[gzip.length - damages[i].from_end] ^= 1;
        scratch_write_buffer("s.txt.gz", &gzip);
        snprintf(expected, sizeof expected, "s.txt.gz | partial | text | %s | Nine sacks. Ten sacks.\n",
                 damages[i].reason);
        assert_rows("s.txt.gz", expected);
        drt_buffer_free(&gzip);
        drt_buffer_free(&second);
    }
    /* The sum stands behind the end of what is inside. */
    drt_buffer tar = archive_make("ustar", "gzip", NULL, two_texts, 2);
    tar.data[tar.length - 8] ^= 1;
    scratch_write_buffer("s.tar.gz", &tar);
    assert_rows("s.tar.gz", "s.tar.gz/a.txt | ok | text |  | The first text.\n"
                            "s.tar.gz/b.txt | ok | text |  | The second text.\n"
                            "s.tar.gz | skipped | tar | it is damaged: its checksum is wrong; what could be read of it "
                            "was read | \n");
    drt_buffer_free(&tar);
}

static void what_stands_before_a_break_of_gzip_is_kept(void **state) {
    (void)state;
    drt_buffer gzip = gzip_of("Nine sacks of barley, and ten of rye.");
    gzip.length -= 8;
    scratch_write_buffer("c.txt.gz", &gzip);
    assert_rows("c.txt.gz", "c.txt.gz | partial | text | it is cut short | Nine sacks of barley, and ten of rye.\n");
    drt_buffer_free(&gzip);
    static char noise[20000]; /* does not get smaller */
    uint32_t seed = 5;
    for (size_t i = 0; i < sizeof noise; i++)
        noise[i] = (char)('a' + ((seed = seed * 1664525 + 1013904223) >> 24) % 26);
    archive_part parts[] = {two_texts[0], {"n.txt", noise, sizeof noise, NULL}, two_texts[1]};
    drt_buffer tar = archive_make("ustar", "gzip", NULL, parts, COUNT(parts));
    tar.length /= 2;
    scratch_write_buffer("c.tar.gz", &tar);
    drt_buffer rows = walk_rows(scratch_path("c.tar.gz"), NULL);
    assert_non_null(strstr(rows.data, "c.tar.gz/a.txt | ok | text |  | The first text.\n"
                                      "c.tar.gz/n.txt | partial | text | it is cut short | "));
    assert_non_null(
        strstr(rows.data, "c.tar.gz | skipped | tar | it is cut short; what could be read of it was read | "));
    drt_buffer_free(&rows);
    tar.length = 60; /* not even a whole header */
    scratch_write_buffer("c.tar.gz", &tar);
    assert_rows("c.tar.gz", "c.tar.gz | skipped | tar | it is cut short | \n");
    drt_buffer_free(&tar);
}

static void what_stands_behind_gzip_is_told_unless_it_is_nothing(void **state) {
    (void)state;
    drt_buffer gzip = gzip_of("Nine sacks.");
    for (int i = 0; i < 70000; i++)
        assert_true(drt_buffer_append_byte(&gzip, 0));
    scratch_write_buffer("z.txt.gz", &gzip);
    assert_rows("z.txt.gz", "z.txt.gz | ok | text |  | Nine sacks.\n");
    assert_true(drt_buffer_append_text(&gzip, "junk"));
    scratch_write_buffer("j.txt.gz", &gzip);
    assert_rows("j.txt.gz", "j.txt.gz | partial | text | behind its end stands something that is no gzip | "
                            "Nine sacks.\n");
    drt_buffer_free(&gzip);
}

/* ------------------------------------------------------------------- tar ---- */

static void a_tar_behind_another_is_read(void **state) {
    (void)state;
    drt_buffer tar = archive_make("ustar", NULL, NULL, two_texts, 1);
    drt_buffer second = archive_make("ustar", NULL, NULL, two_texts + 1, 1);
    append(&tar, &second);
    scratch_write_buffer("t.tar", &tar);
    assert_rows("t.tar", "t.tar/a.txt | ok | text |  | The first text.\n"
                         "t.tar/b.txt | ok | text |  | The second text.\n");
    drt_buffer_free(&tar);
    drt_buffer_free(&second);
}

static void a_broken_header_of_a_tar_is_told_and_passed_over(void **state) {
    (void)state;
    static char long_text[20000];
    memset(long_text, 'x', sizeof long_text);
    archive_part parts[] = {two_texts[0], {"broken.txt", long_text, sizeof long_text, NULL}, two_texts[1]};
    drt_buffer tar = archive_make("ustar", NULL, NULL, parts, COUNT(parts));
    assert_memory_equal(tar.data + 1024, "broken.txt", 10);
    tar.data[1024] = 'B'; /* its checksum doesn't know */
    scratch_write_buffer("t.tar", &tar);
    assert_rows("t.tar", "t.tar/a.txt | ok | text |  | The first text.\n"
                         "t.tar/b.txt | ok | text |  | The second text.\n"
                         "t.tar | skipped | tar | it is damaged (Damaged tar archive); members may be missing; what "
                         "could be read of it was read | \n");
    drt_buffer_free(&tar);
}

/* ------------------------------------------------------------------- zip ---- */

/* The central directory points to nowhere: the members are found by their own headers. */
static void a_zip_with_a_wrong_directory_is_read(void **state) {
    (void)state;
    drt_buffer zip = archive_make("zip", NULL, NULL, two_texts, 2);
    char *end = zip.data + zip.length - 22;
    assert_memory_equal(end, "PK\5\6", 4);
    for (char *at = zip.data; at < end; at++)
        if (memcmp(at, "PK\1\2", 4) == 0)
            at[42] += 3;
    scratch_write_buffer("z.zip", &zip);
    assert_rows("z.zip", "z.zip/a.txt | ok | text |  | The first text.\n"
                         "z.zip/b.txt | ok | text |  | The second text.\n"
                         "z.zip | skipped | zip | it is damaged (Damaged Zip archive); members may be missing; what "
                         "could be read of it was read | \n");
    drt_buffer_free(&zip);
}

/* Nobody's bytes go missing because another has the same name. */
static void members_of_one_name_are_told_apart(void **state) {
    (void)state;
    static const archive_part parts[] = {
        {"a.txt", "One.", -1, NULL},   {"a.txt", "Two.", -1, NULL},   {"a (3).txt", "Called so.", -1, NULL},
        {"a.txt", "Three.", -1, NULL}, {"d/.b", "One b.", -1, NULL},  {"d/.b", "Two b.", -1, NULL},
        {"d.e/c", "One c.", -1, NULL}, {"d.e/c", "Two c.", -1, NULL},
    };
    archive_write("n.zip", "zip", NULL, parts, COUNT(parts));
    assert_rows("n.zip", "n.zip/a.txt | ok | text |  | One.\n"
                         "n.zip/a (2).txt | ok | text |  | Two.\n"
                         "n.zip/a (3).txt | ok | text |  | Called so.\n"
                         "n.zip/a (4).txt | ok | text |  | Three.\n"
                         "n.zip/d/.b | ok | text |  | One b.\n"
                         "n.zip/d/.b (2) | ok | text |  | Two b.\n"
                         "n.zip/d.e/c | ok | text |  | One c.\n"
                         "n.zip/d.e/c (2) | ok | text |  | Two c.\n");
    /* Each file anew. */
    archive_write("m/n.zip", "zip", NULL, parts, 1);
    archive_write("m/o.zip", "zip", NULL, parts, 1);
    assert_rows("m", "m/n.zip/a.txt | ok | text |  | One.\nm/o.zip/a.txt | ok | text |  | One.\n");
}

static void a_zip_behind_a_program_is_read(void **state) {
    (void)state;
    static const char *const names[] = {"s.exe", "s.zip"};
    drt_buffer zip = archive_make("zip", NULL, NULL, two_texts, 2), program = {0};
    assert_true(drt_buffer_append_text(&program, "MZ"));
    for (int i = 0; i < 50000; i++)
        assert_true(drt_buffer_append_byte(&program, (char)(i * i)));
    size_t prefix = program.length;
    append(&program, &zip);
    for (size_t i = 0; i < COUNT(names); i++) {
        char expected[200];
        scratch_write_buffer(names[i], &program);
        snprintf(expected, sizeof expected,
                 "%s/a.txt | ok | text |  | The first text.\n%s/b.txt | ok | text |  | The second text.\n", names[i],
                 names[i]);
        assert_rows(names[i], expected);
    }
    program.length = prefix;
    scratch_write_buffer("s.exe", &program);
    assert_rows("s.exe", "s.exe | skipped | program | it is a program | \n");
    drt_buffer_free(&program);
    drt_buffer_free(&zip);
}

static void pieces_of_archives_are_called_so(void **state) {
    (void)state;
    drt_buffer zip = archive_make("zip", NULL, NULL, two_texts, 2);
    char *end = zip.data + zip.length - 22;
    assert_memory_equal(end, "PK\5\6", 4);
    end[4] = end[6] = 2;
    drt_buffer last = {0};
    assert_true(drt_buffer_append(&last, "PK\3\4", 4) && drt_buffer_append(&last, end, 22));
    scratch_write_buffer("p.zip", &last);
    assert_rows("p.zip", "p.zip | skipped | zip | it is the last piece of an archive that was cut up; join the pieces "
                         "first | \n");
    static const char *const names[] = {"p.z01", "p.zip.002", "p.r00", "p.part12.rar"};
    static const char noise[100] = {0};
    for (size_t i = 0; i < COUNT(names); i++) {
        char expected[200];
        scratch_write(names[i], noise, sizeof noise);
        snprintf(expected, sizeof expected, "%s | skipped | ", names[i]);
        drt_buffer rows = walk_rows(scratch_path(names[i]), NULL);
        assert_int_equal(strncmp(rows.data, expected, strlen(expected)), 0);
        assert_non_null(strstr(rows.data, "it is a piece of an archive that was cut up"));
        drt_buffer_free(&rows);
    }
    scratch_write("report.001", "A text.", 7);
    assert_rows("report.001", "report.001 | ok | text |  | A text.\n");
    drt_buffer_free(&zip);
    drt_buffer_free(&last);
}

/* ------------------------------------------------------------------- LHA ---- */

static uint32_t crc16_of(const char *data, size_t length) {
    uint32_t crc = 0;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xA001 : 0);
    }
    return crc;
}

static void put(drt_buffer *to, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        assert_true(drt_buffer_append_byte(to, (char)(value >> 8 * i)));
}

/* A member as it is, with the oldest kind of header. */
static void put_lha(drt_buffer *lha, const char *name, const char *text) {
    size_t start = lha->length, length = strlen(text);
    unsigned sum = 0;
    put(lha, 0, 2);
    assert_true(drt_buffer_append_text(lha, "-lh0-"));
    put(lha, length, 4);
    put(lha, length, 4);
    put(lha, 0x21000000, 4);
    put(lha, 0x20, 2);
    put(lha, strlen(name), 1);
    assert_true(drt_buffer_append_text(lha, name));
    put(lha, crc16_of(text, length), 2);
    for (size_t i = start + 2; i < lha->length; i++)
        sum += (unsigned char)lha->data[i];
    lha->data[start] = (char)(lha->length - start - 2);
    lha->data[start + 1] = (char)sum;
    assert_true(drt_buffer_append_text(lha, text));
}

static void names_in_lha_are_japanese_or_western(void **state) {
    (void)state;
    drt_buffer lha = {0};
    put_lha(&lha, "\x83\x5C\x81[\x83X.txt", "A source."); /* with 0x5C, which elsewhere separates folders */
    put_lha(&lha, "D\\b.txt", "In a folder.");
    put(&lha, 0, 1);
    scratch_write_buffer("j.lzh", &lha);
    assert_rows("j.lzh", "j.lzh/\xE3\x82\xBD\xE3\x83\xBC\xE3\x82\xB9.txt | ok | text |  | A source.\n"
                         "j.lzh/D/b.txt | ok | text |  | In a folder.\n");
    lha.length = 0;
    put_lha(&lha, "a.txt", "Before.");
    put_lha(&lha, "caf\xE9.txt", "Western.");
    put(&lha, 0, 1);
    scratch_write_buffer("w.lzh", &lha);
    assert_rows("w.lzh", "w.lzh/a.txt | ok | text |  | Before.\n"
                         "w.lzh/caf\xC3\xA9.txt | ok | text |  | Western.\n");
    drt_buffer_free(&lha);
}

/* ----------------------------------------------------------------- RAR 5 ---- */

/* A block: checksum, size, and what is given; all numbers here are below 128. */
static void put_rar5_block(drt_buffer *rar, const char *header, size_t length) {
    drt_buffer sized = {0};
    put(&sized, length, 1);
    assert_true(drt_buffer_append(&sized, header, length));
    put(rar, crc32(0, (const Bytef *)sized.data, (uInt)sized.length), 4);
    append(rar, &sized);
    drt_buffer_free(&sized);
}

/* A member as it is, with the record of a password or without. */
static void put_rar5(drt_buffer *rar, const char *name, const char *text, bool locked) {
    drt_buffer header = {0};
    size_t length = strlen(text);
    put(&header, 2, 1);
    put(&header, locked ? 3 : 2, 1);
    if (locked)
        put(&header, 37, 1);
    put(&header, length, 1);
    put(&header, 4, 1); /* with a checksum */
    put(&header, length, 1);
    put(&header, 0x24, 1);
    put(&header, crc32(0, (const Bytef *)text, (uInt)length), 4);
    put(&header, 0, 1);
    put(&header, 1, 1);
    put(&header, strlen(name), 1);
    assert_true(drt_buffer_append_text(&header, name));
    if (locked) {
        put(&header, 36 | 1ULL << 8 | 15ULL << 32, 5); /* its size, kind, version, flags, rounds */
        for (int i = 0; i < 32; i++)                   /* salt and start */
            put(&header, (uint64_t)i, 1);
    }
    put_rar5_block(rar, header.data, header.length);
    assert_true(drt_buffer_append_text(rar, text));
    drt_buffer_free(&header);
}

static void members_of_rar5_with_a_password_are_told(void **state) {
    (void)state;
    drt_buffer rar = {0};
    assert_true(drt_buffer_append(&rar, "Rar!\x1A\7\1\0", 8));
    put_rar5_block(&rar, "\1\0\0", 3);
    put_rar5(&rar, "a.txt", "Readable.", false);
    put_rar5(&rar, "b.txt", "Hwufhw, ilnh d whaw.", true);
    put_rar5(&rar, "c.txt", "Readable, too.", false);
    put_rar5_block(&rar, "\5\0\0", 3);
    scratch_write_buffer("r.rar", &rar);
    assert_rows("r.rar", "r.rar/a.txt | ok | text |  | Readable.\n"
                         "r.rar/b.txt | skipped |  | it is encrypted; a password would be needed | \n"
                         "r.rar/c.txt | ok | text |  | Readable, too.\n");
    drt_buffer_free(&rar);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sums_of_gzip_are_checked, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(what_stands_before_a_break_of_gzip_is_kept, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(what_stands_behind_gzip_is_told_unless_it_is_nothing, scratch_set_up,
                                        scratch_tear_down),
        cmocka_unit_test_setup_teardown(a_tar_behind_another_is_read, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(a_broken_header_of_a_tar_is_told_and_passed_over, scratch_set_up,
                                        scratch_tear_down),
        cmocka_unit_test_setup_teardown(a_zip_with_a_wrong_directory_is_read, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(members_of_one_name_are_told_apart, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(a_zip_behind_a_program_is_read, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(pieces_of_archives_are_called_so, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(members_of_rar5_with_a_password_are_told, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(names_in_lha_are_japanese_or_western, scratch_set_up, scratch_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
