/* Folders, files, archives and archives inside archives: path, status, format, reason and text of every member. What
 * hostile ones do is in test_corpus_hostile.c. */
#include <dirent.h>
#include <errno.h>
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
    static const char ar[] =
        "!<arch>\n"
        "/               0           0     0     0       4         `\n\0\0\0\0"
        "//              0           0     0     0       28        `\na name of more letters.txt/\n"
        "/0              0           0     0     100644  4         `\ntext";
    scratch_write("long.ar", ar, sizeof ar - 1);
    assert_rows("long.ar", "long.ar/a name of more letters.txt | ok | text |  | text\n");
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

static void links_and_special_files_are_not_followed(void **state) {
    (void)state;
    write_text("d/a.txt", "Only once.");
    write_text("outside.txt", "Not here.");
    assert_int_equal(symlink("a.txt", scratch_path("d/again.txt")), 0);
    assert_int_equal(symlink("nowhere", scratch_path("d/dangling")), 0);
    assert_int_equal(symlink(".", scratch_path("d/loop")), 0);
    assert_int_equal(symlink("../outside.txt", scratch_path("d/out.txt")), 0);
    assert_int_equal(mkfifo(scratch_path("d/pipe.txt"), 0666), 0);
    assert_rows("d", "d/a.txt | ok | text |  | Only once.\n"
                     "d/again.txt | skipped |  | a link; links are not followed | \n"
                     "d/dangling | skipped |  | a link; links are not followed | \n"
                     "d/loop | skipped |  | a link; links are not followed | \n"
                     "d/out.txt | skipped |  | a link; links are not followed | \n"
                     "d/pipe.txt | skipped |  | neither a file nor a folder | \n");
    /* What was asked for by name is read, link or not. */
    assert_rows("d/again.txt", "again.txt | ok | text |  | Only once.\n");
}

/* Root may read everything: the test then gives its rights away for a while. */
static void what_may_not_be_read_is_told(void **state) {
    (void)state;
    bool root = geteuid() == 0;
    write_text("d/a.txt", "Readable.");
    write_text("d/b.txt", "Not readable.");
    write_text("d/c/in.txt", "Not reachable.");
    assert_int_equal(chmod(scratch_path("d/b.txt"), 0), 0);
    assert_int_equal(chmod(scratch_path("d/c"), 0), 0);
    assert_int_equal(chmod(scratch_path(""), 0755), 0);
    assert_true(!root || seteuid(65534) == 0);
    drt_buffer rows = walk_rows(scratch_path("d"), NULL);
    assert_true(!root || seteuid(0) == 0);
    assert_string_equal(rows.data, "d/a.txt | ok | text |  | Readable.\n"
                                   "d/b.txt | skipped |  | the file cannot be opened: Permission denied | \n"
                                   "d/c | skipped |  | the folder cannot be opened: Permission denied | \n");
    drt_buffer_free(&rows);
}

static void a_library_inside_the_folder_is_left_alone(void **state) {
    (void)state;
    write_text("d/a.txt", "A text.");
    write_text("d/books.drt/catalog.sqlite", "SQLite format 3");
    write_text("d/books.drt/landmarks.bin", "x");
    assert_rows("d", "d/a.txt | ok | text |  | A text.\nd/books.drt | skipped |  | a library of drt itself | \n");
}

static void litter_is_passed_over_calmly(void **state) {
    (void)state;
    static const archive_part parts[] = {{"a.txt", "A text.", -1, NULL},
                                         {"__MACOSX/._a.txt", "x", -1, NULL},
                                         {"b/Thumbs.db", "x", -1, NULL},
                                         {"b/._c.pdf", "x", -1, NULL}};
    archive_write("mac.zip", "zip", NULL, parts, COUNT(parts));
    assert_rows("mac.zip", "mac.zip/a.txt | ok | text |  | A text.\n"
                           "mac.zip/__MACOSX/._a.txt | skipped |  | a file of the system's own, not a document | \n"
                           "mac.zip/b/Thumbs.db | skipped |  | a file of the system's own, not a document | \n"
                           "mac.zip/b/._c.pdf | skipped |  | a file of the system's own, not a document | \n");
}

/* ------------------------------------------------------------- callbacks ---- */

typedef struct {
    int asked, members, polls, cancel_at;
    int64_t bytes, total;
    bool backwards, wants;
    drt_status answer;
    uint8_t sha256[DRT_HASH_SIZE];
    drt_raw *kept;
} watch;

static drt_status watch_raw(void *user, const drt_source *source, drt_raw **raw) {
    watch *w = user;
    w->asked++;
    memcpy(w->sha256, source->sha256, sizeof w->sha256);
    if (!w->wants) {
        drt_raw_free(w->kept);
        w->kept = *raw;
        *raw = NULL;
    }
    return DRT_OK;
}

static drt_status watch_member(void *user, const drt_source *source, drt_extract *extract) {
    (void)source;
    (void)extract;
    watch *w = user;
    w->members++;
    return w->answer;
}

static void watch_progress(void *user, const char *path, size_t length, int64_t bytes, int64_t total) {
    (void)path;
    (void)length;
    watch *w = user;
    w->backwards |= bytes < w->bytes;
    w->bytes = bytes;
    w->total = total;
}

static bool watch_cancelled(void *user) {
    watch *w = user;
    return w->cancel_at && ++w->polls >= w->cancel_at;
}

static drt_status walk_watched(watch *w, const char *name) {
    drt_context_params context_params = drt_context_params_default();
    context_params.cancelled = watch_cancelled;
    context_params.user = w;
    drt_context *context = drt_context_new(&context_params);
    drt_corpus_params params = drt_corpus_params_default();
    params.raw = watch_raw;
    params.member = watch_member;
    params.progress = watch_progress;
    params.user = w;
    drt_status status = drt_corpus_walk(context, scratch_path(name), &params);
    drt_context_free(context);
    return status;
}

static void kept_bytes_are_extracted_later(void **state) {
    (void)state;
    watch w = {0};
    char hex[2 * DRT_HASH_SIZE + 1];
    write_text("a.txt", "abc");
    assert_int_equal(walk_watched(&w, "a.txt"), DRT_OK);
    assert_int_equal(w.asked, 1);
    assert_int_equal(w.members, 0);
    drt_hash_hex(w.sha256, hex);
    assert_string_equal(hex, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    drt_extract extract = {0};
    drt_context *context = drt_context_new(NULL);
    assert_int_equal(drt_raw_extract(context, w.kept, &extract), DRT_OK);
    assert_string_equal(extract.text.data, "abc");
    drt_extract_clear(&extract);
    drt_context_free(context);
    drt_raw_free(w.kept);
}

static void progress_ends_at_the_total(void **state) {
    (void)state;
    watch w = {.wants = true};
    int64_t bytes = 0;
    write_text("d/a.txt", "A text.");
    archive_write("d/b.zip", "zip", NULL, two_texts, 2);
    archive_write("d/c.tar.gz", "ustar", "gzip", two_texts, 2);
    assert_int_equal(walk_watched(&w, "d"), DRT_OK);
    assert_int_equal(w.members, 5);
    assert_false(w.backwards);
    assert_true(w.total > 0);
    assert_int_equal(w.bytes, w.total);
    drt_context *context = drt_context_new(NULL);
    drt_corpus_params params = drt_corpus_params_default();
    assert_int_equal(drt_corpus_measure(context, scratch_path("d"), &params, &bytes), DRT_OK);
    assert_int_equal(bytes, w.total);
    drt_context_free(context);
}

/* Wants what ends in ".txt" and looks into all but what ends in "out". */
static bool wants_texts(void *user, const char *path, size_t length, bool holds_others) {
    (void)user;
    for (size_t i = 3; i <= length; i++)
        if ((i == length || path[i] == '/') && memcmp(path + i - 3, "out", 3) == 0)
            return false;
    return holds_others || (length > 4 && memcmp(path + length - 4, ".txt", 4) == 0);
}

static void only_what_is_wanted_is_told(void **state) {
    (void)state;
    static const archive_part parts[] = {{"a.txt", "In a zip.\n", -1, NULL}, {"a.md", "Not wanted.\n", -1, NULL}};
    write_text("d/a.txt", "A text.");
    write_text("d/b.md", "Not wanted.");
    write_text("d/empty.md", "");
    write_text("d/.DS_Store", "Bud1");
    write_text("d/out/c.txt", "Below what is not wanted.");
    write_text("d/broken.zip", "PK\003\004nothing");
    write_text("d/letter.eml", "Subject: x\n\nNot wanted.\n");
    archive_write("d/e.zip", "zip", NULL, parts, 2);
    archive_write("d/f.tar.gz", "ustar", "gzip", parts, 2);
    archive_write("d/g.out", "zip", NULL, parts, 2);
    assert_int_equal(symlink("a.txt", scratch_path("d/link")), 0);
    int64_t passed_over = 0;
    drt_corpus_params params = drt_corpus_params_default();
    params.wanted = wants_texts;
    params.passed_over = &passed_over;
    drt_buffer rows = walk_rows(scratch_path("d"), &params);
    assert_non_null(strstr(rows.data, "d/a.txt | ok | text |  | A text.\nd/broken.zip | skipped | zip | "));
    assert_non_null(strstr(rows.data, "d/e.zip/a.txt | ok | text |  | In a zip.\n"
                                      "d/f.tar.gz/a.txt | ok | text |  | In a zip.\n"));
    assert_null(strstr(rows.data, ".md"));
    assert_null(strstr(rows.data, "out"));
    assert_null(strstr(rows.data, "DS_Store"));
    assert_null(strstr(rows.data, "link"));
    /* b.md, empty.md, .DS_Store, out, letter.eml, two a.md, g.out, link */
    assert_int_equal(passed_over, 9);
    drt_buffer_free(&rows);
}

static bool note_unlisted(void *user, const drt_source *source) {
    drt_buffer *list = user;
    return drt_buffer_append(list, source->path, source->path_length) && drt_buffer_append_byte(list, '\n');
}

/* Places below which a later walk may find more: what is below them is not gone when it isn't met. */
static void what_may_hold_more_is_told(void **state) {
    (void)state;
    drt_buffer list = {0}, tar = archive_make("ustar", NULL, NULL, two_texts, 2);
    drt_buffer gzip = archive_make("ustar", "gzip", NULL, two_texts, 2);
    write_text("d/a.txt", "A text.");
    write_text("d/inbox", "No mailbox.");
    write_text("d/letter.eml", "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nOne.\n--b--\n");
    write_text("d/cut.eml", "Subject: x\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\nOne.\n--b\n\nTwo.\n");
    scratch_write("d/whole.tar", tar.data, tar.length);
    scratch_write("d/cut-between.tar", tar.data, 1024);
    scratch_write("d/cut.tgz", gzip.data, 40);
    assert_int_equal(mkdir(scratch_path("d/empty"), 0777), 0);
    assert_int_equal(symlink("a.txt", scratch_path("d/link")), 0);
    drt_corpus_params params = drt_corpus_params_default();
    params.wanted = wants_texts;
    params.unlisted = note_unlisted;
    drt_context *context = drt_context_new(NULL);
    params.user = &list;
    assert_int_equal(drt_corpus_walk(context, scratch_path("d"), &params), DRT_OK);
    assert_string_equal(list.data,
                        "d/cut-between.tar\nd/cut.eml\nd/cut.eml\nd/cut.tgz\nd/inbox\nd/letter.eml\nd/link\n");
    list.length = 0;
    params.wanted = NULL;
    assert_int_equal(drt_corpus_walk(context, scratch_path("d"), &params), DRT_OK);
    assert_string_equal(list.data, "d/cut-between.tar\nd/cut.eml\nd/cut.tgz\nd/link\n");
    drt_context_free(context);
    drt_buffer_free(&list);
    drt_buffer_free(&tar);
    drt_buffer_free(&gzip);
}

/* A disk that fails in the middle of a folder's list; readdir() is this where files are large. */
static long readable_entries = -1; /* -1: all */

struct dirent *__real_readdir64(DIR *folder);
struct dirent *__wrap_readdir64(DIR *folder);

struct dirent *__wrap_readdir64(DIR *folder) {
    if (readable_entries == 0) {
        errno = EIO;
        return NULL;
    }
    readable_entries -= readable_entries > 0;
    return __real_readdir64(folder);
}

static void a_folder_that_fails_halfway_is_told(void **state) {
    (void)state;
    write_text("d/a.txt", "A text.");
    write_text("d/b.txt", "A text.");
    readable_entries = 3; /* of each time that it is listed: for the sizes, and to read it */
    drt_buffer list = {0};
    drt_corpus_params params = drt_corpus_params_default();
    params.unlisted = note_unlisted;
    params.user = &list;
    drt_context *context = drt_context_new(NULL);
    assert_int_equal(drt_corpus_walk(context, scratch_path("d"), &params), DRT_OK);
    readable_entries = -1;
    drt_context_free(context);
    assert_string_equal(list.data, "d\n");
    drt_buffer_free(&list);
}

static bool wants_main(void *user, const char *path, size_t length, bool holds_others) {
    (void)user;
    return holds_others || (length >= 8 && memcmp(path + length - 8, "main.tex", 8) == 0);
}

/* A chapter that is not wanted by itself is still part of the paper that includes it. */
static void what_is_not_wanted_may_be_included(void **state) {
    (void)state;
    write_text("p/main.tex", "\\documentclass{article}\\begin{document}One. \\input{out}\\end{document}\n");
    write_text("p/out.tex", "Two.\n");
    drt_corpus_params params = drt_corpus_params_default();
    params.wanted = wants_main;
    drt_buffer rows = walk_rows(scratch_path("p"), &params);
    assert_string_equal(rows.data, "p/main.tex | ok | tex |  | One. Two.\n");
    drt_buffer_free(&rows);
}

static void the_receiver_can_end_the_walk(void **state) {
    (void)state;
    watch w = {.wants = true, .answer = DRT_FATAL};
    archive_write("b.zip", "zip", NULL, two_texts, 2);
    assert_int_equal(walk_watched(&w, "b.zip"), DRT_FATAL);
    assert_int_equal(w.members, 1);
}

/* Cancelled at any poll, the walk ends quietly and early. */
static void cancelling_ends_quietly(void **state) {
    (void)state;
    static const archive_part book[] = {{"a.html", "<p>one", -1, NULL}};
    drt_buffer epub = archive_make("zip", NULL, NULL, book, 1);
    archive_part parts[] = {{"a.txt", "A text.", -1, NULL},
                            {"b.html", "<p>page", -1, NULL},
                            {"c.md", "# head", -1, NULL},
                            {"d.epub", epub.data, (long)epub.length, NULL}};
    archive_write("b.tar.gz", "ustar", "gzip", parts, COUNT(parts));
    drt_buffer_free(&epub);
    watch all = {.wants = true};
    assert_int_equal(walk_watched(&all, "b.tar.gz"), DRT_OK);
    assert_int_equal(all.members, 4);
    int last = 0;
    for (int at = 1; last < 4; at++) {
        watch w = {.wants = true, .cancel_at = at};
        assert_int_equal(walk_watched(&w, "b.tar.gz"), DRT_OK);
        assert_in_range(w.members, last, 4);
        last = w.members;
        assert_in_range(at, 1, 1000);
    }
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
        cmocka_unit_test_setup_teardown(folders_are_read_in_byte_order, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(single_files_and_compressed_ones_are_documents, scratch_set_up,
                                        scratch_tear_down),
        cmocka_unit_test_setup_teardown(archives_of_each_kind_give_the_same_members, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(archives_in_archives, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(links_and_special_files_are_not_followed, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(what_may_not_be_read_is_told, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(a_library_inside_the_folder_is_left_alone, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(litter_is_passed_over_calmly, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(kept_bytes_are_extracted_later, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(progress_ends_at_the_total, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(only_what_is_wanted_is_told, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(what_may_hold_more_is_told, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(a_folder_that_fails_halfway_is_told, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(what_is_not_wanted_may_be_included, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(the_receiver_can_end_the_walk, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(cancelling_ends_quietly, scratch_set_up, scratch_tear_down),
        cmocka_unit_test_setup_teardown(missing_paths_fail_and_name_themselves, scratch_set_up, scratch_tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
