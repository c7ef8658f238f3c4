/* test_files.c: what stands in the folder: making and opening libraries, foreign and damaged files, full
 * disks, read-only folders. Each failure is one sentence, and costs nothing that was committed. */
#define _GNU_SOURCE /* strcasestr */
#include "fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "engine/base/file.h"

static const char first_text[] = "The first text is committed and has to stay whatever happens to the others.";

static void write_file(const char *path, const void *data, size_t length) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, length, file), length);
    fclose(file);
}

static int64_t file_size(const char *path) {
    struct stat facts;
    return stat(path, &facts) == 0 ? (int64_t)facts.st_size : -1;
}

/* Changes one byte of a file of the library. */
static void set_byte(fixture *with, const char *name, long at, int value) {
    FILE *file = fopen(library_path(with, name), "r+b");
    assert_non_null(file);
    fseek(file, at, SEEK_SET);
    fputc(value, file);
    fclose(file);
}

static void run_sql(fixture *with, const char *sql) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(library_path(with, "catalog.sqlite"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

static void make_library(fixture *with) {
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    add_document(with, library, "a.zip/first", first_text);
    commit(with, library);
    drt_library_close(library);
}

static void expect_first(fixture *with) {
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    drt_verify_report report;
    if (drt_library_verify(with->context, library, false, &report) != DRT_OK)
        fail_msg("%s %s", drt_error(with->context), with->warnings);
    assert_int_equal(check_library(with->context, library), 1);
    expect_text(with, library, "a.zip/first", first_text);
    drt_library_close(library);
}

/* ------------------------------------------------------------------------------- making ---- */

static void a_missing_library_is_no_library(void **state) {
    fixture *with = *state;
    expect_no_library(with, DRT_LIBRARY_READ, "there is no library at");
    expect_no_library(with, DRT_LIBRARY_UPDATE, "there is no library at");
    assert_int_equal(file_size(with->library), -1);
    strcat(with->library, "/deeper");
    expect_no_library(with, DRT_LIBRARY_CREATE, "cannot create the library");
}

static void an_empty_folder_becomes_one(void **state) {
    fixture *with = *state;
    assert_int_equal(mkdir(with->library, 0700), 0);
    expect_no_library(with, DRT_LIBRARY_READ, "is an empty folder, not a library");
    expect_no_library(with, DRT_LIBRARY_UPDATE, "is an empty folder");
    drt_library_close(open_library(with, DRT_LIBRARY_CREATE));
    drt_library_close(open_library(with, DRT_LIBRARY_READ));
}

static void foreign_files_and_folders_are_left_alone(void **state) {
    fixture *with = *state;
    write_file(with->library, "x", 1);
    expect_no_library(with, DRT_LIBRARY_READ, "is not a folder");
    expect_no_library(with, DRT_LIBRARY_CREATE, "is not a folder");
    unlink(with->library);
    assert_int_equal(mkdir(with->library, 0700), 0);
    write_file(library_path(with, "thesis.txt"), "x", 1);
    expect_no_library(with, DRT_LIBRARY_READ, "is a folder with other files in it");
    expect_no_library(with, DRT_LIBRARY_CREATE, "is a folder with other files in it");
    assert_int_equal(file_size(library_path(with, "lock")), -1);
    assert_int_equal(file_size(library_path(with, "thesis.txt")), 1);
}

static void an_interrupted_creation_is_done_again(void **state) {
    fixture *with = *state;
    static const char *const leftovers[][4] = {
        {"lock"},
        {"landmarks.bin"},
        {"lock", "landmarks.bin", "memory.bin"},
        {"lock", "memory.bin", "catalog.sqlite.new", "catalog.sqlite.new-journal"}};
    for (size_t i = 0; i < sizeof leftovers / sizeof *leftovers; i++) {
        mkdir(with->library, 0700);
        for (size_t k = 0; k < 4 && leftovers[i][k]; k++)
            write_file(library_path(with, leftovers[i][k]), "half", 4);
        expect_no_library(with, DRT_LIBRARY_READ, "making was interrupted");
        expect_no_library(with, DRT_LIBRARY_UPDATE, "making was interrupted");
        make_library(with);
        expect_first(with);
        static const char *const made[] = {"lock", "landmarks.bin", "memory.bin", "catalog.sqlite"};
        for (size_t k = 0; k < 4; k++)
            assert_int_equal(unlink(library_path(with, made[k])), 0);
        assert_int_equal(rmdir(with->library), 0); /* nothing else was left in it */
    }
}

static void a_lost_catalog_is_not_an_interrupted_creation(void **state) {
    fixture *with = *state;
    make_library(with);
    int64_t size = file_size(library_path(with, "memory.bin"));
    unlink(library_path(with, "catalog.sqlite"));
    expect_no_library(with, DRT_LIBRARY_READ, "lacks its catalog.sqlite");
    expect_no_library(with, DRT_LIBRARY_CREATE, "lacks its catalog.sqlite");
    assert_int_equal(file_size(library_path(with, "memory.bin")), size);
}

/* ------------------------------------------------------------------------------ opening ---- */

static void another_model_is_refused_with_both_names(void **state) {
    fixture *with = *state;
    make_library(with);
    drt_store_identity other = test_identity(2);
    drt_library *library;
    static const drt_library_mode modes[] = {DRT_LIBRARY_READ, DRT_LIBRARY_UPDATE, DRT_LIBRARY_CREATE};
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(drt_store_open(with->context, with->library, modes[i], &other, &library), DRT_FATAL);
        const char *sentence = drt_error(with->context);
        assert_non_null(strstr(sentence, "model-1 (111111111111, /models/one)"));
        assert_non_null(strstr(sentence, "model-2 (222222222222, /models/one)"));
    }
    /* Without a model, anybody may look. */
    assert_int_equal(drt_store_open(with->context, with->library, DRT_LIBRARY_UPDATE, NULL, &library), DRT_OK);
    drt_library_close(library);
}

static void a_library_needs_a_model_to_be_made(void **state) {
    fixture *with = *state;
    drt_library_params params = drt_library_params_default();
    drt_library *library;
    params.mode = DRT_LIBRARY_CREATE;
    assert_int_equal(drt_library_open(with->context, with->library, &params, &library), DRT_FATAL);
    assert_non_null(strstr(drt_error(with->context), "without a model"));
    make_library(with);
    params.mode = DRT_LIBRARY_READ;
    assert_int_equal(drt_library_open(with->context, with->library, &params, &library), DRT_OK);
    drt_library_close(library);
}

static void bytes_behind_the_last_commit_are_dropped(void **state) {
    fixture *with = *state;
    make_library(with);
    int64_t landmarks = file_size(library_path(with, "landmarks.bin"));
    int64_t memory = file_size(library_path(with, "memory.bin"));
    assert_int_equal(truncate(library_path(with, "landmarks.bin"), landmarks + 100), 0);
    assert_int_equal(truncate(library_path(with, "memory.bin"), memory + 1000), 0);
    expect_first(with); /* reading leaves them */
    assert_int_equal(file_size(library_path(with, "memory.bin")), memory + 1000);
    drt_library_close(open_library(with, DRT_LIBRARY_UPDATE));
    assert_int_equal(file_size(library_path(with, "landmarks.bin")), landmarks);
    assert_int_equal(file_size(library_path(with, "memory.bin")), memory);
    expect_first(with);
}

static void damaged_slabs_are_refused(void **state) {
    fixture *with = *state;
    make_library(with);
    static const char *const names[] = {"landmarks.bin", "memory.bin"};
    static const struct {
        long at;
        int value;
        const char *expected;
    } cases[] = {
        {0, 'D', "does not start as a file of this kind"}, {8, 9, "has format 9, this drt reads format 1: update drt"},
        {12, 7, "sizes or number format differ"},          {16, 9, "sizes or number format differ"},
        {20, 17, "sizes or number format differ"},         {32, 0, "built by another model"},
    };
    for (size_t f = 0; f < 2; f++) {
        char kept[4096], path[512];
        snprintf(path, sizeof path, "%s", library_path(with, names[f]));
        int64_t size = file_size(path);
        FILE *file = fopen(path, "rb");
        assert_true(size <= (int64_t)sizeof kept && fread(kept, 1, (size_t)size, file) == (size_t)size);
        fclose(file);
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            set_byte(with, names[f], cases[i].at, cases[i].value);
            expect_no_library(with, DRT_LIBRARY_READ, cases[i].expected);
            assert_non_null(strstr(drt_error(with->context), names[f]));
            expect_no_library(with, DRT_LIBRARY_CREATE, cases[i].expected);
            write_file(path, kept, (size_t)size);
        }
        assert_int_equal(truncate(path, size - 1), 0);
        expect_no_library(with, DRT_LIBRARY_READ, "is cut short: it holds 1 of 2 chunks");
        expect_no_library(with, DRT_LIBRARY_CREATE, "is cut short");
        assert_int_equal(truncate(path, 63), 0);
        expect_no_library(with, DRT_LIBRARY_READ, "its header is missing");
        unlink(path);
        expect_no_library(with, DRT_LIBRARY_READ, "cannot open");
        mkdir(path, 0700);
        expect_no_library(with, DRT_LIBRARY_READ, names[f]);
        rmdir(path);
        write_file(path, kept, (size_t)size);
    }
    set_byte(with, "memory.bin", 24, 1); /* a generation that the catalog does not know */
    expect_no_library(with, DRT_LIBRARY_READ, "does not say where chunk memory lies");
    set_byte(with, "memory.bin", 24, 0);
    expect_first(with);
}

static void damaged_and_foreign_catalogs_are_refused(void **state) {
    fixture *with = *state;
    make_library(with);
    static const struct {
        const char *sql, *expected;
    } cases[] = {
        {"PRAGMA user_version = 3", "made by a newer drt; this one reads up to format 2: update drt"},
        {"PRAGMA user_version = 0", "is no catalog of a drt library"},
        {"PRAGMA application_id = 7", "is no catalog of a drt library"},
        {"CREATE VIEW stranger AS SELECT 1", "views or triggers"},
        {"UPDATE library SET fingerprint = x'00'", "fingerprint has a wrong length"},
        {"UPDATE library SET chunk_size = 1", "impossible"},
        {"UPDATE library SET d_model = 0", "impossible"},
        {"UPDATE library SET d_model = 1000000000000", "impossible"},
        {"UPDATE library SET memory_type = 9", "impossible"},
        {"UPDATE library SET chunks = -1", "negative"},
        {"UPDATE library SET chunks = 4611686018427387904", "is cut short"},
        {"UPDATE library SET memory_type = 2", "number format differ"},
        {"UPDATE documents SET dead = 1, first_chunk = 1", "chunks that never were"},
        {"UPDATE documents SET dead = 1, chunks = -1", "chunks that never were"},
        {"UPDATE documents SET dead = 1, chunks = 9223372036854775807", "chunks that never were"},
        {"DELETE FROM library", "does not say whose"},
        {"DROP TABLE library", "no such table"},
    };
    char path[512], kept[512];
    snprintf(path, sizeof path, "%s", library_path(with, "catalog.sqlite"));
    snprintf(kept, sizeof kept, "%s", fixture_path(with, "kept"));
    drt_buffer bytes = {0};
    assert_int_equal(drt_file_read(with->context, path, 1 << 20, &bytes), DRT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_sql(with, cases[i].sql);
        expect_no_library(with, DRT_LIBRARY_READ, cases[i].expected);
        assert_non_null(strstr(drt_error(with->context), with->library));
        expect_no_library(with, DRT_LIBRARY_UPDATE, cases[i].expected);
        write_file(path, bytes.data, bytes.length);
    }
    write_file(path, "not a database, but long enough to be looked at", 47);
    expect_no_library(with, DRT_LIBRARY_READ, "is damaged (file is not a database)");
    write_file(path, "", 0);
    expect_no_library(with, DRT_LIBRARY_READ, "is no catalog of a drt library");
    write_file(path, bytes.data, bytes.length);
    expect_first(with);
    drt_buffer_free(&bytes);
}

/* A name that SQLite would take for a URI, and one that is relative. */
static void odd_names_are_names(void **state) {
    fixture *with = *state;
    char here[512];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(with->folder), 0);
    strcpy(with->library, "file:a?mode=memory#%41");
    make_library(with);
    expect_first(with);
    assert_true(file_size("file:a?mode=memory#%41/catalog.sqlite") > 0);
    assert_int_equal(chdir(here), 0);
}

/* --------------------------------------------------------------- full disks, read-only ---- */

static void limit_files(rlim_t bytes) {
    struct rlimit limit = {bytes, RLIM_INFINITY};
    signal(SIGXFSZ, SIG_IGN); /* as the application does */
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void no_limit(void) {
    struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static void creation_on_a_full_disk_leaves_nothing(void **state) {
    fixture *with = *state;
    static const rlim_t limits[] = {0, 32, 64, 4096, 20000};
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        limit_files(limits[i]);
        drt_store_identity identity = test_identity(1);
        drt_library *library;
        drt_status status = drt_store_open(with->context, with->library, DRT_LIBRARY_CREATE, &identity, &library);
        no_limit();
        assert_int_equal(status, DRT_FATAL);
        assert_non_null(strstr(drt_error(with->context), "File too large"));
        assert_int_equal(file_size(with->library), -1);
    }
    make_library(with);
    expect_first(with);
}

/* Grows files under ever larger limits, so that each kind of write fails once. */
static void a_full_disk_costs_only_what_is_uncommitted(void **state) {
    fixture *with = *state;
    make_library(with);
    char text[6000];
    for (size_t i = 0; i < sizeof text; i++) /* hardly compressible */
        text[i] = i % 9 == 8 ? ' ' : (char)('a' + (i * i * 31 + i * 7 + (i >> 5)) % 26);
    text[sizeof text - 1] = 0;
    int failures = 0;
    bool done = false;
    for (rlim_t limit = 64; !done; limit += limit / 2) {
        drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
        drt_document_facts facts = test_facts("a.zip/second", text);
        int64_t id;
        limit_files(limit);
        drt_status status = write_document(with->context, library, &facts, text, &id);
        if (status == DRT_OK)
            status = drt_store_commit(with->context, library);
        if (status != DRT_OK) {
            failures++;
            assert_int_equal(status, DRT_FATAL);
            if (!strstr(drt_error(with->context), "File too large"))
                fail_msg("limit %d: %s", (int)limit, drt_error(with->context));
            assert_non_null(strstr(drt_error(with->context), with->library));
        }
        drt_store_rollback(library);
        drt_library_close(library);
        no_limit();
        done = status == DRT_OK;
        if (!done)
            expect_first(with);
    }
    assert_true(failures >= 5);
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    expect_text(with, library, "a.zip/second", text);
    assert_int_equal(check_library(with->context, library), 2);
    drt_library_close(library);
}

/* A file system of 400 KiB, where the tests may mount one. */
static void a_full_file_system_says_so(void **state) {
    fixture *with = *state;
    assert_int_equal(mkdir(with->library, 0700), 0);
    if (mount("tmpfs", with->library, "tmpfs", 0, "size=400k") != 0) {
        print_message("no file system can be mounted here: %s\n", strerror(errno));
        skip();
    }
    make_library(with);
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    drt_status status = DRT_OK;
    int documents = 1;
    for (; status == DRT_OK && documents < 1000; documents++) {
        char path[32], text[2000];
        snprintf(path, sizeof path, "a.zip/%d", documents);
        for (size_t i = 0; i < sizeof text; i++)
            text[i] = i % 8 == 7 ? ' ' : (char)('a' + (i * i * 31 + (size_t)documents * 7 + (i >> 4)) % 26);
        text[sizeof text - 1] = 0;
        drt_document_facts facts = test_facts(path, text);
        int64_t id;
        status = write_document(with->context, library, &facts, text, &id);
        if (status == DRT_OK)
            status = drt_store_commit(with->context, library);
    }
    assert_int_equal(status, DRT_FATAL);
    assert_non_null(strcasestr(drt_error(with->context), "no space left on"));
    drt_library_close(library);
    library = open_library(with, DRT_LIBRARY_UPDATE);
    assert_int_equal(check_library(with->context, library), documents - 1);
    drt_verify_report report;
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_OK);
    drt_library_close(library);
    assert_int_equal(umount(with->library), 0);
}

static void store_and_expect_warning(fixture *with, const char *expected) {
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    drt_answer answer = {0};
    assert_int_equal(drt_store_session(with->context, library, &answer), DRT_WARN);
    assert_int_equal(answer.session, 0);
    assert_non_null(strstr(drt_error(with->context), "the answer was not stored in the library: "));
    if (!strstr(drt_error(with->context), expected))
        fail_msg("\"%s\" lacks \"%s\"", drt_error(with->context), expected);
    /* And the library still answers. */
    assert_int_equal(check_library(with->context, library), 1);
    drt_library_close(library);
}

static void a_session_that_does_not_fit_is_a_warning(void **state) {
    fixture *with = *state;
    make_library(with);
    limit_files(64);
    store_and_expect_warning(with, "File too large");
    no_limit();
    expect_first(with);
}

static void set_modes(fixture *with, mode_t folder, mode_t file) {
    static const char *const names[] = {"catalog.sqlite", "landmarks.bin", "memory.bin", "lock"};
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(chmod(library_path(with, names[i]), file), 0);
    assert_int_equal(chmod(with->library, folder), 0);
    assert_int_equal(chmod(with->folder, 0755), 0);
}

static void use_read_only(fixture *with) {
    expect_first(with);
    store_and_expect_warning(with, access(library_path(with, "catalog.sqlite"), W_OK) == 0 ? "folder is read-only"
                                                                                           : "may not be written");
    expect_no_library(with, DRT_LIBRARY_UPDATE, "Permission denied");
    expect_no_library(with, DRT_LIBRARY_CREATE, "Permission denied");
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    assert_true(drt_library_session_delete(with->context, library, 1) < DRT_OK);
    drt_library_close(library);
}

/* In a child that is not root: root may write everywhere. */
static void a_read_only_library_is_read(void **state) {
    fixture *with = *state;
    make_library(with);
    static const mode_t modes[][2] = {{0555, 0444}, {0555, 0666}};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        set_modes(with, modes[i][0], modes[i][1]);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            if (geteuid() == 0 && setuid(65534) != 0)
                _exit(2);
            use_read_only(with);
            _exit(0);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_int_equal(status, 0);
    }
    set_modes(with, 0755, 0644);
    expect_first(with);
}

/* A transaction that was killed half written: who may write undoes it, who may not is told. */
static void leave_hot_journal(fixture *with) {
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        sqlite3 *db;
        if (sqlite3_open(library_path(with, "catalog.sqlite"), &db) == SQLITE_OK)
            sqlite3_exec(db,
                         "PRAGMA cache_size = 1; BEGIN; UPDATE documents SET path = 'half';"
                         "CREATE TABLE more AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 99)"
                         " SELECT x, randomblob(1000) FROM n",
                         NULL, NULL, NULL);
        kill(getpid(), SIGKILL);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_true(file_size(library_path(with, "catalog.sqlite-journal")) > 0);
}

static void a_transaction_that_was_killed_is_undone(void **state) {
    fixture *with = *state;
    make_library(with);
    leave_hot_journal(with);
    set_modes(with, 0555, 0444);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        expect_no_library(with, DRT_LIBRARY_READ, "catalog.sqlite was interrupted: run 'drt info' on it once");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    set_modes(with, 0755, 0644);
    expect_first(with);
    assert_int_equal(file_size(library_path(with, "catalog.sqlite-journal")), -1);
}

static void an_unreadable_folder_says_why(void **state) {
    fixture *with = *state;
    make_library(with);
    set_modes(with, 0700, 0600);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (geteuid() == 0 && setuid(65534) != 0)
            _exit(2);
        if (access(with->library, X_OK) == 0)
            _exit(0); /* our own folder: nothing to see */
        expect_no_library(with, DRT_LIBRARY_READ, "Permission denied");
        expect_no_library(with, DRT_LIBRARY_CREATE, "Permission denied");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_missing_library_is_no_library),
        TEST(an_empty_folder_becomes_one),
        TEST(foreign_files_and_folders_are_left_alone),
        TEST(an_interrupted_creation_is_done_again),
        TEST(a_lost_catalog_is_not_an_interrupted_creation),
        TEST(another_model_is_refused_with_both_names),
        TEST(a_library_needs_a_model_to_be_made),
        TEST(bytes_behind_the_last_commit_are_dropped),
        TEST(damaged_slabs_are_refused),
        TEST(damaged_and_foreign_catalogs_are_refused),
        TEST(odd_names_are_names),
        TEST(creation_on_a_full_disk_leaves_nothing),
        TEST(a_full_disk_costs_only_what_is_uncommitted),
        TEST(a_full_file_system_says_so),
        TEST(a_session_that_does_not_fit_is_a_warning),
        TEST(a_read_only_library_is_read),
        TEST(a_transaction_that_was_killed_is_undone),
        TEST(an_unreadable_folder_says_why),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
