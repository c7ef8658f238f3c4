/* Archives that are damaged, locked, misnamed or made to hurt: one bad member never loses the rest, every loss has its
 * reason, and limits hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static char *find_bytes(const drt_buffer *buffer, size_t from, const char *bytes, size_t length) {
    for (size_t at = from; at + length <= buffer->length; at++)
        if (memcmp(buffer->data + at, bytes, length) == 0)
            return buffer->data + at;
    return NULL;
}

/* Overwrites every occurrence. */
static void replace_bytes(drt_buffer *buffer, const char *old, const char *new) {
    size_t length = strlen(old), n = 0;
    for (char *at = buffer->data; (at = find_bytes(buffer, (size_t)(at - buffer->data), old, length)) != NULL; n++)
        memcpy(at, new, length);
    assert_true(n > 0);
}

static void assert_contains(const drt_buffer *rows, const char *text) {
    if (!strstr(rows->data, text))
        fail_msg("no \"%s\" in:\n%s", text, rows->data);
}

/* ---------------------------------------------------- zips without sizes ---- */

static uint32_t crc32_of(const char *data, size_t length) {
    uint32_t crc = 0xFFFFFFFF;
    for (size_t i = 0; i < length; i++) {
        crc ^= (unsigned char)data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320 : 0);
    }
    return ~crc;
}

static void put(drt_buffer *zip, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; i++)
        assert_true(drt_buffer_append_byte(zip, (char)(value >> 8 * i)));
}

/* What local and central headers have in common. */
static void put_header(drt_buffer *zip, uint32_t crc, uint32_t size, const char *name) {
    put(zip, 8, 2); /* sizes stand behind the data */
    put(zip, 0, 2); /* stored */
    put(zip, 0, 4);
    put(zip, crc, 4);
    put(zip, size, 4);
    put(zip, size, 4);
    put(zip, (uint32_t)strlen(name), 2);
    put(zip, 0, 2);
}

/* A zip as a program writes it that cannot go back: stored members whose sizes stand only behind their data. */
static drt_buffer streamed_zip(const archive_part *parts, size_t n_parts) {
    drt_buffer zip = {0}, directory = {0};
    for (size_t i = 0; i < n_parts; i++) {
        size_t length = parts[i].length < 0 ? strlen(parts[i].data) : (size_t)parts[i].length;
        uint32_t crc = crc32_of(parts[i].data, length), at = (uint32_t)zip.length;
        put(&zip, 0x04034B50, 4);
        put(&zip, 20, 2);
        put_header(&zip, 0, 0, parts[i].name);
        assert_true(drt_buffer_append_text(&zip, parts[i].name) && drt_buffer_append(&zip, parts[i].data, length));
        put(&zip, 0x08074B50, 4);
        put(&zip, crc, 4);
        put(&zip, (uint32_t)length, 4);
        put(&zip, (uint32_t)length, 4);
        put(&directory, 0x02014B50, 4);
        put(&directory, 20, 2);
        put(&directory, 20, 2);
        put_header(&directory, crc, (uint32_t)length, parts[i].name);
        put(&directory, 0, 2 + 2 + 2);
        put(&directory, 0, 4);
        put(&directory, at, 4);
        assert_true(drt_buffer_append_text(&directory, parts[i].name));
    }
    uint32_t at = (uint32_t)zip.length;
    assert_true(drt_buffer_append(&zip, directory.data, directory.length));
    put(&zip, 0x06054B50, 4);
    put(&zip, 0, 4);
    put(&zip, (uint32_t)n_parts, 2);
    put(&zip, (uint32_t)n_parts, 2);
    put(&zip, (uint32_t)directory.length, 4);
    put(&zip, at, 4);
    put(&zip, 0, 2);
    drt_buffer_free(&directory);
    return zip;
}

static void stored_zips_in_streamed_zips(void **state) {
    (void)state;
    static const archive_part inner[] = {{"tide.txt", "High water at six.", -1, NULL},
                                         {"bell.txt", "Rung twice.", -1, NULL}};
    drt_buffer parcel = streamed_zip(inner, 2);
    archive_part outer[] = {{"parcel.zip", parcel.data, (long)parcel.length, NULL},
                            {"after.txt", "After it.", -1, NULL}};
    drt_buffer zip = streamed_zip(outer, 2);
    scratch_write_buffer("s.zip", &zip);
    assert_rows("s.zip", "s.zip/parcel.zip/tide.txt | ok | text |  | High water at six.\n"
                         "s.zip/parcel.zip/bell.txt | ok | text |  | Rung twice.\n"
                         "s.zip/after.txt | ok | text |  | After it.\n");
    archive_part in_tar[] = {{"s.zip", zip.data, (long)zip.length, NULL}};
    archive_write("s.tar.gz", "ustar", "gzip", in_tar, 1);
    assert_rows("s.tar.gz", "s.tar.gz/s.zip/parcel.zip/tide.txt | ok | text |  | High water at six.\n"
                            "s.tar.gz/s.zip/parcel.zip/bell.txt | ok | text |  | Rung twice.\n"
                            "s.tar.gz/s.zip/after.txt | ok | text |  | After it.\n");
    drt_buffer_free(&parcel);
    drt_buffer_free(&zip);
}

/* -------------------------------------------------------------- names ---- */

static void names_are_only_names(void **state) {
    (void)state;
    static const archive_part parts[] = {
        {"/etc/abs.txt", "One.", -1, NULL}, {"../../up.txt", "Two.", -1, NULL}, {"./a//b/./c.txt", "Three.", -1, NULL}};
    archive_write("n.tar", "gnutar", NULL, parts, COUNT(parts));
    assert_rows("n.tar", "n.tar/etc/abs.txt | ok | text |  | One.\n"
                         "n.tar/../../up.txt | ok | text |  | Two.\n"
                         "n.tar/a/b/c.txt | ok | text |  | Three.\n");
}

/* The names of one zip are decoded together: cp437, cp932, and UTF-8 that says so. */
static void names_in_old_encodings(void **state) {
    (void)state;
    static const struct {
        const char *placeholder, *bytes, *shown;
    } cases[] = {
        {"@bersicht Stra@e.txt",
         "\x9A"
         "bersicht Stra\xE1"
         "e.txt",
         "\xC3\x9C"
         "bersicht Stra\xC3\x9F"
         "e.txt"},
        {"@@@@/@@@@@@.txt", "\x96\xDA\x98^/\x83\x5C\x81[\x83X.txt",
         "\xE7\x9B\xAE\xE9\x8C\xB2/\xE3\x82\xBD\xE3\x83\xBC\xE3\x82\xB9.txt"},
        {"M@@ller.txt", "M\xC3\xBCller.txt", "M\xC3\xBCller.txt"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        archive_part part = {cases[i].placeholder, "A text.", -1, NULL};
        drt_buffer zip = streamed_zip(&part, 1);
        char expected[200];
        replace_bytes(&zip, cases[i].placeholder, cases[i].bytes);
        scratch_write_buffer("n.zip", &zip);
        snprintf(expected, sizeof expected, "n.zip/%s | ok | text |  | A text.\n", cases[i].shown);
        assert_rows("n.zip", expected);
        drt_buffer_free(&zip);
    }
}

/* -------------------------------------------------------------- damage ---- */

static void a_text_of(drt_buffer *text, size_t length) {
    uint32_t seed = 7;
    while (text->length < length) {
        seed = seed * 1664525 + 1013904223;
        assert_true(drt_buffer_printf(text, "Mile %u cost %u grains. ", (unsigned)text->length, seed >> 12));
    }
}

static void cut_archives_keep_what_is_whole(void **state) {
    (void)state;
    static const char *const formats[][3] = {{"ustar", "gzip", "c.tar.gz"},
                                             {"ustar", "zstd", "c.tar.zst"},
                                             {"zip", NULL, "c.zip"},
                                             {"newc", NULL, "c.cpio"}};
    drt_buffer text = {0};
    a_text_of(&text, 800000);
    archive_part parts[] = {{"a.txt", "Whole.", -1, NULL}, {"b.txt", text.data, (long)text.length, NULL}};
    for (size_t i = 0; i < COUNT(formats); i++) {
        drt_buffer archive = archive_make(formats[i][0], formats[i][1], NULL, parts, 2);
        archive.length /= 2;
        scratch_write_buffer(formats[i][2], &archive);
        drt_buffer rows = walk_rows(scratch_path(formats[i][2]), NULL);
        assert_contains(&rows, "/a.txt | ok | text |  | Whole.\n");
        assert_contains(&rows, "/b.txt | partial | text | it is ");
        assert_contains(&rows, "cut short");
        assert_contains(&rows, "Mile 0 cost");
        drt_buffer_free(&rows);
        drt_buffer_free(&archive);
    }
    drt_buffer_free(&text);
}

static void a_wrong_checksum_is_told(void **state) {
    (void)state;
    static const archive_part parts[] = {{"a.txt", "Nine sacks.", -1, NULL}, {"b.txt", "After.", -1, NULL}};
    drt_buffer zip = streamed_zip(parts, 2);
    *find_bytes(&zip, 0, "Nine", 4) = 'L';
    scratch_write_buffer("w.zip", &zip);
    drt_buffer rows = walk_rows(scratch_path("w.zip"), NULL);
    assert_contains(&rows, "w.zip/a.txt | partial | text | it is damaged (ZIP bad CRC");
    assert_contains(&rows, "| Line sacks.\n");
    assert_contains(&rows, "w.zip/b.txt | ok | text |  | After.\n");
    drt_buffer_free(&rows);
    drt_buffer_free(&zip);
}

static void noise_by_any_name_has_a_reason(void **state) {
    (void)state;
    static const char *const names[] = {"n.zip",  "n.7z",   "n.tar", "n.tar.gz", "n.iso",
                                        "n.epub", "n.docx", "n.txt", "n"};
    static const char *const heads[] = {"",           "PK\3\4",       "7z\xBC\xAF\x27\x1C", "\x1F\x8B\x08",
                                        "BZh91AY&SY", "Rar!\x1A\x07", "\x28\xB5\x2F\xFD",   "!<arch>\n"};
    char noise[3000];
    uint32_t seed = 3;
    for (size_t n = 0; n < COUNT(names); n++) {
        for (size_t h = 0; h < COUNT(heads); h++) {
            for (size_t i = 0; i < sizeof noise; i++) {
                seed = seed * 1664525 + 1013904223;
                noise[i] = (char)(seed >> 24);
            }
            memcpy(noise, heads[h], strlen(heads[h]));
            scratch_write(names[n], noise, sizeof noise);
            drt_buffer rows = walk_rows(scratch_path(names[n]), NULL);
            assert_int_equal(strncmp(rows.data, names[n], strlen(names[n])), 0);
            assert_contains(&rows, " | skipped | ");
            assert_null(strstr(rows.data, "|  | \n")); /* no reason */
            assert_non_null(strchr(rows.data, '\n'));
            assert_null(strchr(strchr(rows.data, '\n') + 1, '\n')); /* one row */
            drt_buffer_free(&rows);
        }
    }
}

static void locked_members_are_told(void **state) {
    (void)state;
    static const archive_part parts[] = {{"open.txt", "Readable.", -1, NULL}, {"diary.txt", "Secret.", -1, NULL}};
    drt_buffer zip = streamed_zip(parts, 2);
    char *local = find_bytes(&zip, 0, "diary.txt", 9) - 30;
    char *central = find_bytes(&zip, (size_t)(local - zip.data) + 60, "diary.txt", 9) - 46;
    local[6] |= 1;
    central[8] |= 1;
    scratch_write_buffer("l.zip", &zip);
    assert_rows("l.zip", "l.zip/open.txt | ok | text |  | Readable.\n"
                         "l.zip/diary.txt | skipped |  | it is encrypted; a password would be needed | \n");
    drt_buffer_free(&zip);
}

static void empty_things_are_told(void **state) {
    (void)state;
    static const archive_part empty[] = {{"data", "", 0, NULL}};
    archive_write("e.zip", "zip", NULL, NULL, 0);
    archive_write("e.tar", "ustar", NULL, NULL, 0);
    archive_write("e.txt.gz", "raw", "gzip", empty, 1);
    scratch_write("blank.txt", " \n\t\n", 4);
    assert_rows("e.zip", "e.zip | skipped | zip | the archive is empty | \n");
    assert_rows("e.txt.gz", "e.txt.gz | skipped | text | it is empty | \n");
    assert_rows("blank.txt", "blank.txt | skipped | text | there is no text in it | \n");
}

/* --------------------------------------------------------------- bombs ---- */

static void bombs_do_not_lose_the_rest(void **state) {
    (void)state;
    size_t size = 96u << 20;
    char *much = malloc(size);
    assert_non_null(much);
    memset(much, 'a', size);
    archive_part parts[] = {
        {"a.txt", "Before.", -1, NULL}, {"b.txt", much, (long)size, NULL}, {"c.txt", "After.", -1, NULL}};
    archive_write("b.zip", "zip", NULL, parts, 3);
    archive_write("b.tar.gz", "ustar", "gzip", parts, 3);
    assert_rows("b.zip",
                "b.zip/a.txt | ok | text |  | Before.\n"
                "b.zip/b.txt | skipped | text | the archive expands to more than 200 times its size, which looks "
                "like a trap | \n"
                "b.zip/c.txt | ok | text |  | After.\n");
    assert_rows("b.tar.gz",
                "b.tar.gz/a.txt | ok | text |  | Before.\n"
                "b.tar.gz/b.txt | skipped | text | the archive expands to more than 200 times its size, which "
                "looks like a trap | \n"
                "b.tar.gz/c.txt | ok | text |  | After.\n");
    drt_corpus_params params = drt_corpus_params_default();
    params.limits.max_member_bytes = 32 << 20;
    drt_buffer rows = walk_rows(scratch_path("b.zip"), &params);
    assert_contains(&rows, "b.zip/b.txt | skipped | text | it is larger than the limit of 32 MiB | \n");
    assert_contains(&rows, "b.zip/c.txt | ok");
    drt_buffer_free(&rows);
    params = drt_corpus_params_default();
    params.limits.max_total_bytes = 80 << 20;
    rows = walk_rows(scratch_path("b.tar.gz"), &params);
    assert_contains(&rows, "b.tar.gz/a.txt | ok");
    assert_contains(&rows, "the file expands to more than");
    drt_buffer_free(&rows);
    free(much);
}

static void nesting_ends(void **state) {
    (void)state;
    drt_buffer inner = {0};
    for (int level = 5; level > 0; level--) {
        char name[16];
        snprintf(name, sizeof name, "%d.txt", level);
        archive_part parts[] = {{name, "A text.", -1, NULL}, {"in.zip", inner.data, (long)inner.length, NULL}};
        drt_buffer zip = archive_make("zip", NULL, NULL, parts, inner.data ? 2 : 1);
        drt_buffer_free(&inner);
        inner = zip;
    }
    scratch_write_buffer("d.zip", &inner);
    drt_corpus_params params = drt_corpus_params_default();
    params.limits.max_depth = 3;
    drt_buffer rows = walk_rows(scratch_path("d.zip"), &params);
    assert_string_equal(rows.data,
                        "d.zip/1.txt | ok | text |  | A text.\n"
                        "d.zip/in.zip/2.txt | ok | text |  | A text.\n"
                        "d.zip/in.zip/in.zip/3.txt | ok | text |  | A text.\n"
                        "d.zip/in.zip/in.zip/in.zip | skipped | zip | archives are nested too deep here to read "
                        "on | \n");
    drt_buffer_free(&rows);
    drt_buffer_free(&inner);
}

static void members_are_counted(void **state) {
    (void)state;
    static const archive_part parts[] = {
        {"a.txt", "A.", -1, NULL}, {"b.txt", "B.", -1, NULL}, {"c.txt", "C.", -1, NULL}};
    archive_write("m.zip", "zip", NULL, parts, 3);
    drt_corpus_params params = drt_corpus_params_default();
    params.limits.max_members = 2;
    drt_buffer rows = walk_rows(scratch_path("m.zip"), &params);
    assert_string_equal(rows.data, "m.zip/a.txt | ok | text |  | A.\n"
                                   "m.zip/b.txt | ok | text |  | B.\n"
                                   "m.zip | skipped | zip | it holds too many files; the rest was not read | \n");
    drt_buffer_free(&rows);
}

/* Writes a number as ISO 9660 does, in both byte orders. */
static void put_both(char *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (char)(value >> 8 * i);
        at[7 - i] = at[i];
    }
}

/* An ISO image with a file that lies where the image itself does. */
static void an_archive_that_contains_itself_ends(void **state) {
    (void)state;
    static const char filler[40000] = "x";
    static const archive_part parts[] = {{"A.TXT", "A text.", -1, NULL}, {"SELF.ISO", filler, sizeof filler, NULL}};
    drt_buffer iso = archive_make("iso9660", NULL, "iso9660:!joliet,iso9660:!rockridge", parts, 2);
    char *record = find_bytes(&iso, 0, "SELF.ISO", 8);
    assert_non_null(record);
    put_both(record - 33 + 2, 0);
    put_both(record - 33 + 10, (uint32_t)iso.length);
    scratch_write_buffer("s.iso", &iso);
    drt_buffer rows = walk_rows(scratch_path("s.iso"), NULL);
    assert_contains(&rows, "s.iso/A.TXT | ok | text |  | A text.\n");
    assert_contains(&rows, "s.iso/SELF.ISO | skipped | iso | the archive contains itself | \n");
    drt_buffer_free(&rows);
    drt_buffer_free(&iso);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(stored_zips_in_streamed_zips, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(names_are_only_names, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(names_in_old_encodings, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(cut_archives_keep_what_is_whole, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(a_wrong_checksum_is_told, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(noise_by_any_name_has_a_reason, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(locked_members_are_told, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(empty_things_are_told, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(bombs_do_not_lose_the_rest, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(nesting_ends, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(members_are_counted, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(an_archive_that_contains_itself_ends, scratch_set_up, scratch_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
