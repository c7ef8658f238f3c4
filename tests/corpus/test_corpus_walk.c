/* Folders, files, archives and archives inside archives: path, status, format, reason and text of every member. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "tests/corpus/rows.h"

#define COUNT(a) (sizeof(a) / sizeof *(a))

static const archive_part two_texts[] = {{"a.txt", "The first text.\n", -1, NULL},
                                         {"sub/b.txt", "The second text.\n", -1, NULL}};

static int set_up(void **state) {
    (void)state;
    scratch_make();
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    scratch_remove();
    return 0;
}

static void write_text(const char *name, const char *text) {
    scratch_write(name, text, strlen(text));
}

static void folders_are_read_in_byte_order(void **state) {
    (void)state;
    write_text("notes/b.txt", "Bee.");
    write_text("notes/B.txt", "Capital bee.");
    write_text("notes/a/z.txt", "Zed in a.");
    write_text("notes/a.txt", "Ay.");
    write_text("notes/empty.txt", "");
    write_text("notes/.DS_Store", "Bud1");
    write_text("notes/\xFC.txt", "A name that is no UTF-8.");
    assert_rows("notes/", "notes/.DS_Store | skipped |  | a file of the system's own, not a document | \n"
                          "notes/B.txt | ok | text |  | Capital bee.\n"
                          "notes/a/z.txt | ok | text |  | Zed in a.\n"
                          "notes/a.txt | ok | text |  | Ay.\n"
                          "notes/b.txt | ok | text |  | Bee.\n"
                          "notes/empty.txt | skipped | text | it is empty | \n"
                          "notes/\\xFC.txt | ok | text |  | A name that is no UTF-8.\n");
}

static void single_files_and_compressed_ones_are_documents(void **state) {
    (void)state;
    write_text("plain.txt", "Alone.");
    assert_rows("plain.txt", "plain.txt | ok | text |  | Alone.\n");
    static const archive_part raw[] = {{"data", "Pressed.", -1, NULL}};
    static const char *const filters[][2] = {{"gzip", "p.txt.gz"},   {"bzip2", "p.txt.bz2"}, {"xz", "p.txt.xz"},
                                             {"zstd", "p.txt.zst"},  {"lz4", "p.txt.lz4"},   {"lzip", "p.txt.lz"},
                                             {"lzma", "p.txt.lzma"}, {"compress", "p.txt.Z"}};
    for (size_t i = 0; i < COUNT(filters); i++) {
        char expected[100];
        archive_write(filters[i][1], "raw", filters[i][0], raw, 1);
        snprintf(expected, sizeof expected, "%s | ok | text |  | Pressed.\n", filters[i][1]);
        assert_rows(filters[i][1], expected);
    }
}

static void archives_of_each_kind_give_the_same_members(void **state) {
    (void)state;
    static const struct {
        const char *name, *format, *filter;
    } kinds[] = {
        {"k.zip", "zip", NULL},          {"k.7z", "7zip", NULL},           {"k.tar", "ustar", NULL},
        {"k.tar.gz", "pax", "gzip"},     {"k.tar.xz", "gnutar", "xz"},     {"k.tar.zst", "pax", "zstd"},
        {"k.tar.bz2", "ustar", "bzip2"}, {"k.tar.Z", "v7tar", "compress"}, {"k.cpio", "newc", NULL},
        {"k.odc", "odc", NULL},          {"k.cpio.lz4", "newc", "lz4"},    {"k.iso", "iso9660", NULL},
        {"k.xar", "xar", NULL},          {"no-suffix", "zip", NULL},       {"called.txt", "7zip", NULL},
    };
    for (size_t i = 0; i < COUNT(kinds); i++) {
        char expected[200];
        archive_write(kinds[i].name, kinds[i].format, kinds[i].filter, two_texts, COUNT(two_texts));
        snprintf(expected, sizeof expected,
                 "%s/a.txt | ok | text |  | The first text.\n%s/sub/b.txt | ok | text |  | The second text.\n",
                 kinds[i].name, kinds[i].name);
        assert_rows(kinds[i].name, expected);
    }
    archive_write("k.ar", "arbsd", NULL, two_texts, 1);
    assert_rows("k.ar", "k.ar/a.txt | ok | text |  | The first text.\n");
}

static void archives_in_archives(void **state) {
    (void)state;
    drt_buffer zip = archive_make("zip", NULL, "zip:compression=store", two_texts, 2);
    drt_buffer seven = archive_make("7zip", NULL, NULL, two_texts, 1);
    archive_part middle[] = {{"in.zip", zip.data, (long)zip.length, NULL},
                             {"in.7z", seven.data, (long)seven.length, NULL}};
    drt_buffer tar = archive_make("ustar", "xz", NULL, middle, 2);
    archive_part outer[] = {{"m.tar.xz", tar.data, (long)tar.length, NULL}, {"z.txt", "Last.", -1, NULL}};
    archive_write("o.zip", "zip", NULL, outer, 2);
    assert_rows("o.zip", "o.zip/m.tar.xz/in.zip/a.txt | ok | text |  | The first text.\n"
                         "o.zip/m.tar.xz/in.zip/sub/b.txt | ok | text |  | The second text.\n"
                         "o.zip/m.tar.xz/in.7z/a.txt | ok | text |  | The first text.\n"
                         "o.zip/z.txt | ok | text |  | Last.\n");
    drt_buffer_free(&zip);
    drt_buffer_free(&seven);
    drt_buffer_free(&tar);
}

static void missing_paths_fail_and_name_themselves(void **state) {
    (void)state;
    drt_context *context = drt_context_new(NULL);
    drt_corpus_params params = drt_corpus_params_default();
    assert_int_equal(drt_corpus_walk(context, scratch_path("nowhere.txt"), &params), DRT_FAILED);
    assert_non_null(strstr(drt_error(context), "nowhere.txt"));
    drt_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(folders_are_read_in_byte_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(single_files_and_compressed_ones_are_documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(archives_of_each_kind_give_the_same_members, set_up, tear_down),
        cmocka_unit_test_setup_teardown(archives_in_archives, set_up, tear_down),
        cmocka_unit_test_setup_teardown(missing_paths_fail_and_name_themselves, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
