/* test_verify.c: verify finds each kind of disagreement; compacting gives space back and keeps ids, texts
 * and memory, also when it is interrupted, and also for a reader that was there before. */
#include "fixture.h"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <sqlite3.h>

#include "engine/base/file.h"

#define N_DOCUMENTS 6

static void make_text(int number, char text[512]) {
    int at = 0;
    for (int i = 0; i < 8 + number; i++)
        at += snprintf(text + at, 512 - (size_t)at, "Sentence %d of text %d, caf\xC3\xA9 \xE6\x9D\xB1\xE4\xBA\xAC. ", i,
                       number);
    text[at - 1] = 0;
}

static drt_library *make_library(fixture *with) {
    drt_library *library = open_library(with, DRT_LIBRARY_CREATE);
    for (int i = 0; i < N_DOCUMENTS; i++) {
        char path[32], text[512];
        snprintf(path, sizeof path, "a.zip/%d", i);
        make_text(i, text);
        add_document(with, library, path, text);
    }
    drt_document_facts skipped = test_facts("a.zip/skipped", "");
    int64_t id;
    assert_int_equal(drt_store_add_skipped(with->context, library, &skipped, &id), DRT_OK);
    commit(with, library);
    return library;
}

static void remove_document(fixture *with, drt_library *library, const char *selector) {
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, selector, strlen(selector), &document), DRT_OK);
    assert_int_equal(drt_library_remove(with->context, library, &document, NULL, 0), DRT_OK);
    drt_document_clear(&document);
}

static void expect_clean(fixture *with, drt_library *library, bool compact, drt_verify_report *report) {
    if (drt_library_verify(with->context, library, compact, report) != DRT_OK)
        fail_msg("%s %s", drt_error(with->context), with->warnings);
    assert_int_equal(report->problems, 0);
    assert_int_equal(with->n_warnings, 0);
}

static int64_t file_size(fixture *with, const char *name) {
    struct stat facts;
    return stat(library_path(with, name), &facts) == 0 ? (int64_t)facts.st_size : -1;
}

/* ------------------------------------------------------------------------------- verify ---- */

static void a_sound_library_has_no_problems(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    drt_verify_report report;
    expect_clean(with, library, false, &report);
    assert_int_equal(report.documents_checked, N_DOCUMENTS + 1);
    drt_library_facts facts;
    assert_int_equal(drt_library_inspect(with->context, library, &facts), DRT_OK);
    assert_int_equal(report.chunks_checked, facts.chunks);
    remove_document(with, library, "doc:2");
    drt_library_close(library);
    library = open_library(with, DRT_LIBRARY_READ);
    expect_clean(with, library, false, &report);
    assert_int_equal(drt_library_verify(with->context, library, true, &report), DRT_FAILED);
    assert_non_null(strstr(drt_error(with->context), "for reading only"));
    with->cancel = true;
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_FAILED);
    assert_non_null(strstr(drt_error(with->context), "cancelled"));
    drt_library_close(library);
}

static void run_sql(fixture *with, const char *sql) {
    sqlite3 *db;
    char *message = NULL;
    assert_int_equal(sqlite3_open(library_path(with, "catalog.sqlite"), &db), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
    sqlite3_close(db);
}

static void each_disagreement_is_found(void **state) {
    fixture *with = *state;
    drt_library_close(make_library(with));
    static const struct {
        const char *sql, *expected;
    } cases[] = {
        {"UPDATE texts SET zstd = x'00' WHERE document = 1", "doc:1: compressed data is damaged"},
        {"UPDATE texts SET zstd = (SELECT zstd FROM texts WHERE document = 2) WHERE document = 1",
         "doc:1: its text has"},
        {"UPDATE texts SET start = 7 WHERE document = 1", "doc:1: its text has a gap at byte 0"},
        {"DELETE FROM texts WHERE document = 1", "doc:1: its text has 0 bytes instead of"},
        {"UPDATE documents SET bytes = bytes + 1 WHERE id = 3", "doc:3: its text has"},
        {"UPDATE documents SET chunks = chunks - 1 WHERE id = 3", "documents add up to"},
        {"UPDATE documents SET chunks = 99999 WHERE id = 3", "doc:3 has impossible sizes"},
        {"UPDATE documents SET first_chunk = -1 WHERE id = 3", "doc:3 has impossible sizes"},
        {"UPDATE documents SET path = 'elsewhere' WHERE id = 3", "the paths of doc:3 do not agree"},
        {"DELETE FROM paths WHERE document = 3", "the paths of doc:3 do not agree"},
        {"UPDATE chunks SET end = 100000 WHERE id = 4", "chunk 4 lies outside the text of doc:1"},
        {"UPDATE chunks SET start = -1 WHERE id = 4", "chunk 4 lies outside"},
        {"UPDATE chunks SET start = 25, end = 26 WHERE id = 0", "chunk 0 does not start and end between characters"},
        {"UPDATE chunks SET start = start + 1, end = end + 1 WHERE id = 0", "index does not agree"},
        {"UPDATE chunks SET document = 2 WHERE id = 0", "doc:1 lacks its chunk 0"},
        {"DELETE FROM chunks WHERE id = 3", "doc:1 lacks its chunk 3"},
        {"INSERT INTO chunks VALUES (5000, 1, 0, 0)", "rows of chunks add up to"},
        {"INSERT INTO passages (rowid, text) VALUES (0, 'more')", "index does not agree"},
        {"INSERT INTO passages (passages) VALUES ('delete-all')", "index does not agree"},
        {"UPDATE documents SET status = 2 WHERE id = 3", "doc:3 has impossible sizes"},
        {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE INDEX paths_by_path ON paths (archive)'"
         " WHERE name = 'paths_by_path'",
         "catalog.sqlite is damaged"},
    };
    drt_buffer kept = {0};
    assert_int_equal(drt_file_read(with->context, library_path(with, "catalog.sqlite"), 1 << 20, &kept), DRT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_sql(with, cases[i].sql);
        drt_library *library = open_library(with, DRT_LIBRARY_UPDATE);
        drt_verify_report report;
        with->warnings[0] = 0;
        assert_int_equal(drt_library_verify(with->context, library, true, &report), DRT_FAILED);
        if (report.problems == 0 || !strstr(with->warnings, cases[i].expected) || !strstr(with->warnings, "lib.drt: "))
            fail_msg("%s: %d problems: %s", cases[i].sql, (int)report.problems, with->warnings);
        drt_library_close(library);
        FILE *file = fopen(library_path(with, "catalog.sqlite"), "wb");
        assert_int_equal(fwrite(kept.data, 1, kept.length, file), kept.length);
        fclose(file);
    }
    drt_buffer_free(&kept);
}

static void numbers_that_are_none_are_found(void **state) {
    fixture *with = *state;
    drt_library_close(make_library(with));
    const long record = (long)record_size();
    static const uint8_t nan[] = {0x00, 0x00, 0xC0, 0x7F}, half_infinity[] = {0x00, 0x7C};
    FILE *file = fopen(library_path(with, "memory.bin"), "r+b");
    fseek(file, 64 + 2 * record - 8, SEEK_SET); /* the scale of a slot of chunk 1 */
    fwrite(nan, 1, sizeof nan, file);
    fclose(file);
    file = fopen(library_path(with, "landmarks.bin"), "r+b");
    fseek(file, 64 + 3 * D_MODEL * 2 + 4, SEEK_SET);
    fwrite(half_infinity, 1, sizeof half_infinity, file);
    fclose(file);
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    drt_verify_report report;
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_FAILED);
    assert_int_equal(report.problems, 2);
    assert_non_null(strstr(with->warnings, "the memory of chunk 1 holds"));
    assert_non_null(strstr(with->warnings, "the landmark of chunk 3 holds"));
    assert_non_null(strstr(drt_error(with->context), "has 2 problems"));
    drt_library_close(library);
}

static void a_text_that_is_none_is_found(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    drt_document_facts facts = test_facts("a.zip/bytes", "x");
    int64_t id;
    assert_int_equal(drt_store_begin(with->context, library, &facts, "abc\xFFz", 5, NULL, 0, &id), DRT_OK);
    assert_int_equal(drt_store_end(with->context, library), DRT_OK);
    commit(with, library);
    drt_verify_report report;
    assert_int_equal(drt_library_verify(with->context, library, false, &report), DRT_FAILED);
    assert_int_equal(report.problems, 1);
    assert_non_null(strstr(with->warnings, "doc:8: its text is no UTF-8 at byte 3"));
    drt_library_close(library);
}

/* A document that goes while verify is at work: its callback for cancelling is called in between. */
static bool remove_one(void *user) {
    fixture *with = user;
    drt_context *context = drt_context_new(NULL);
    drt_library *library;
    drt_document document;
    assert_int_equal(drt_store_open(context, with->library, DRT_LIBRARY_UPDATE, NULL, &library), DRT_OK);
    if (drt_library_document(context, library, "doc:2", 5, &document) == DRT_OK)
        assert_int_equal(drt_library_remove(context, library, &document, NULL, 0), DRT_OK);
    drt_document_clear(&document);
    drt_library_close(library);
    drt_context_free(context);
    return false;
}

static void a_removal_meanwhile_is_no_problem_but_told(void **state) {
    fixture *with = *state;
    drt_library_close(make_library(with));
    drt_library *library = open_library(with, DRT_LIBRARY_READ);
    drt_context_params params = {.cancelled = remove_one, .user = with};
    drt_context *context = drt_context_new(&params);
    drt_verify_report report;
    assert_int_equal(drt_library_verify(context, library, false, &report), DRT_FAILED);
    assert_int_equal(report.problems, 0);
    assert_non_null(strstr(drt_error(context), "meanwhile: verify it again"));
    assert_int_equal(drt_library_verify(context, library, false, &report), DRT_OK);
    drt_library_close(library);
    drt_context_free(context);
}

/* ------------------------------------------------------------------------------ compact ---- */

static void compacting_gives_space_back_and_keeps_ids(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    drt_document fifth;
    drt_verify_report report;
    assert_int_equal(drt_library_document(with->context, library, "doc:5", 5, &fifth), DRT_OK);
    expect_clean(with, library, true, &report);
    assert_int_equal(report.bytes_freed, 0);
    int64_t memory = file_size(with, "memory.bin");

    /* The first, one in the middle, the last; then more in a second round. */
    static const char *const rounds[][4] = {{"doc:1", "doc:3", "doc:6"}, {"doc:2", "a.zip/late"}, {"a.zip/later"}};
    for (size_t r = 0; r < 3; r++) {
        for (size_t i = 0; rounds[r][i]; i++)
            remove_document(with, library, rounds[r][i]);
        expect_clean(with, library, true, &report);
        assert_true(report.bytes_freed > 0);
        assert_true(file_size(with, "memory.bin") < memory);
        assert_int_equal(file_size(with, "memory.bin.new"), -1);
        memory = file_size(with, "memory.bin");
        check_library(with->context, library);
        drt_library_close(library);

        library = open_library(with, DRT_LIBRARY_CREATE);
        check_library(with->context, library);
        add_document(with, library, r == 0 ? "a.zip/late" : "a.zip/later",
                     r == 0 ? "a late text of some words" : "later");
        commit(with, library);
        check_library(with->context, library);
        memory = file_size(with, "memory.bin");
        expect_clean(with, library, false, &report);
        drt_library_close(library);
        library = open_library(with, DRT_LIBRARY_UPDATE);
    }
    drt_document again;
    assert_int_equal(drt_library_document(with->context, library, "doc:5", 5, &again), DRT_OK);
    assert_int_equal(again.first_chunk, fifth.first_chunk);
    drt_document_clear(&again);
    drt_document_clear(&fifth);
    assert_int_equal(check_library(with->context, library), 3);

    /* A removed chunk is known, its text is gone. */
    drt_chunk chunk;
    drt_string text;
    assert_int_equal(drt_library_chunk(with->context, library, 0, &chunk), DRT_OK);
    assert_true(chunk.dead);
    assert_int_equal(drt_store_chunk_text(with->context, library, &chunk, &text), DRT_FAILED);
    assert_non_null(strstr(drt_error(with->context), "the text of doc:1 is not in the library any more"));
    drt_library_close(library);
}

static void a_library_can_be_emptied_and_filled_again(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    drt_verify_report report;
    for (int i = 1; i <= N_DOCUMENTS; i++) {
        char selector[16];
        snprintf(selector, sizeof selector, "doc:%d", i % 100);
        remove_document(with, library, selector);
    }
    expect_clean(with, library, true, &report);
    assert_int_equal(file_size(with, "memory.bin"), 64);
    expect_clean(with, library, true, &report);
    add_document(with, library, "a.zip/new", "The new text.");
    commit(with, library);
    expect_text(with, library, "doc:8", "The new text.");
    expect_clean(with, library, false, &report);
    drt_library_close(library);
}

static void a_reader_keeps_its_file_until_it_looks_again(void **state) {
    fixture *with = *state;
    drt_library *writer = make_library(with), *reader = open_library(with, DRT_LIBRARY_READ);
    drt_store_view view;
    drt_verify_report report;
    uint8_t kept[1024];
    assert_int_equal(drt_store_refresh(with->context, reader, &view), DRT_OK);
    int64_t last = view.n_chunks - 1;
    memcpy(kept, drt_store_record(reader, last), record_size());
    remove_document(with, writer, "doc:1");
    expect_clean(with, writer, true, &report);
    assert_memory_equal(drt_store_record(reader, last), kept, record_size());
    assert_memory_equal(drt_store_record(reader, 0), drt_store_record(reader, 0), record_size());
    assert_int_equal(drt_store_refresh(with->context, reader, &view), DRT_OK);
    assert_int_equal(view.n_chunks, last + 1);
    assert_true(view.dead[0] & 1);
    assert_memory_equal(drt_store_record(reader, last), kept, record_size());
    assert_int_equal(check_library(with->context, reader), N_DOCUMENTS - 1);
    drt_library_close(reader);
    drt_library_close(writer);
}

/* What is on the disk when compacting ends at each of its steps, made by hand. */
static void an_interrupted_compaction_is_a_sound_library(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    drt_verify_report report;
    drt_buffer old_memory = {0}, new_memory = {0}, old_catalog = {0}, new_catalog = {0};
    remove_document(with, library, "doc:2");
    drt_library_close(library);
    assert_int_equal(drt_file_read(with->context, library_path(with, "memory.bin"), 1 << 20, &old_memory), DRT_OK);
    assert_int_equal(drt_file_read(with->context, library_path(with, "catalog.sqlite"), 1 << 20, &old_catalog), DRT_OK);
    library = open_library(with, DRT_LIBRARY_UPDATE);
    expect_clean(with, library, true, &report);
    drt_library_close(library);
    assert_int_equal(drt_file_read(with->context, library_path(with, "memory.bin"), 1 << 20, &new_memory), DRT_OK);
    assert_int_equal(drt_file_read(with->context, library_path(with, "catalog.sqlite"), 1 << 20, &new_catalog), DRT_OK);
    static const struct { bool catalog_knows, renamed; } steps[] = {{false, false}, {true, false}, {true, true}};
    for (size_t i = 0; i < 3; i++) {
        for (int mode = DRT_LIBRARY_READ; mode <= DRT_LIBRARY_CREATE; mode++) {
            const drt_buffer *memory = steps[i].renamed ? &new_memory : &old_memory;
            FILE *file = fopen(library_path(with, "memory.bin"), "wb");
            assert_int_equal(fwrite(memory->data, 1, memory->length, file), memory->length);
            fclose(file);
            file = fopen(library_path(with, "catalog.sqlite"), "wb");
            assert_int_equal(fwrite(old_catalog.data, 1, old_catalog.length, file), old_catalog.length);
            fclose(file);
            /* The same places as in the finished catalog. */
            if (steps[i].catalog_knows) {
                char sql[1024];
                file = fopen(fixture_path(with, "done.sqlite"), "wb");
                assert_int_equal(fwrite(new_catalog.data, 1, new_catalog.length, file), new_catalog.length);
                fclose(file);
                snprintf(sql, sizeof sql, "ATTACH '%s' AS done; INSERT INTO extents SELECT * FROM done.extents",
                         fixture_path(with, "done.sqlite"));
                run_sql(with, sql);
            }
            if (!steps[i].renamed) {
                file = fopen(library_path(with, "memory.bin.new"), "wb");
                assert_int_equal(fwrite(new_memory.data, 1, new_memory.length / 2, file), new_memory.length / 2);
                fclose(file);
            }
            library = open_library(with, (drt_library_mode)mode);
            expect_clean(with, library, false, &report);
            assert_int_equal(check_library(with->context, library), N_DOCUMENTS - 1);
            if (mode != DRT_LIBRARY_READ) {
                assert_int_equal(file_size(with, "memory.bin.new"), -1);
                expect_clean(with, library, true, &report);
                assert_int_equal(file_size(with, "memory.bin"), new_memory.length);
                assert_int_equal(check_library(with->context, library), N_DOCUMENTS - 1);
            }
            drt_library_close(library);
        }
    }
    drt_buffer_free(&old_memory);
    drt_buffer_free(&new_memory);
    drt_buffer_free(&old_catalog);
    drt_buffer_free(&new_catalog);
}

static void wrong_places_of_memory_are_refused(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    drt_verify_report report;
    remove_document(with, library, "doc:2");
    remove_document(with, library, "doc:4");
    expect_clean(with, library, true, &report);
    drt_library_close(library);
    static const struct {
        const char *sql, *expected;
    } cases[] = {
        {"DELETE FROM extents", "does not say where chunk memory lies"},
        {"DELETE FROM extents WHERE first_chunk = 0", "does not say where"},
        {"UPDATE extents SET first_record = 1 WHERE first_chunk = 0", "does not say where"},
        {"UPDATE extents SET first_record = 999 WHERE first_chunk > 0", "does not say where"},
        {"UPDATE extents SET first_record = -1 WHERE first_chunk > 0", "does not say where"},
        {"UPDATE extents SET first_chunk = 9223372036854775807 WHERE first_chunk = (SELECT max(first_chunk) FROM "
         "extents)",
         "does not say where"},
        {"UPDATE extents SET first_record = first_record - 1 WHERE first_chunk > 0", "chunks in use have no memory"},
        {"UPDATE documents SET dead = 0 WHERE id = 2", "chunks in use have no memory"},
    };
    drt_buffer kept = {0};
    assert_int_equal(drt_file_read(with->context, library_path(with, "catalog.sqlite"), 1 << 20, &kept), DRT_OK);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        run_sql(with, cases[i].sql);
        expect_no_library(with, DRT_LIBRARY_READ, cases[i].expected);
        expect_no_library(with, DRT_LIBRARY_UPDATE, cases[i].expected);
        FILE *file = fopen(library_path(with, "catalog.sqlite"), "wb");
        assert_int_equal(fwrite(kept.data, 1, kept.length, file), kept.length);
        fclose(file);
    }
    drt_buffer_free(&kept);
}

static void compacting_keeps_the_files_mode(void **state) {
    fixture *with = *state;
    drt_library *library = make_library(with);
    drt_verify_report report;
    struct stat facts;
    assert_int_equal(chmod(library_path(with, "memory.bin"), 0640), 0);
    remove_document(with, library, "doc:2");
    expect_clean(with, library, true, &report);
    assert_int_equal(stat(library_path(with, "memory.bin"), &facts), 0);
    assert_int_equal(facts.st_mode & 07777, 0640);
    drt_library_close(library);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_sound_library_has_no_problems),
        TEST(each_disagreement_is_found),
        TEST(numbers_that_are_none_are_found),
        TEST(a_text_that_is_none_is_found),
        TEST(a_removal_meanwhile_is_no_problem_but_told),
        TEST(compacting_gives_space_back_and_keeps_ids),
        TEST(a_library_can_be_emptied_and_filled_again),
        TEST(a_reader_keeps_its_file_until_it_looks_again),
        TEST(an_interrupted_compaction_is_a_sound_library),
        TEST(wrong_places_of_memory_are_refused),
        TEST(compacting_keeps_the_files_mode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
