/* An ingest by many threads against one by a single thread of this test, which does one step after the other: the same
 * ids, the same bytes, the same lines, whatever the number of threads. With a model of a few thousand weights and made-up
 * corpora: documents of all sizes, copies, members without text; and again after files were changed, swapped, removed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/library/catalog.h"
#include "engine/session/ingest_member.h"
#include "engine/session/sample.h"
#include "engine/session/session.h"
#include "tests/base/scratch.h"
#include "tests/network/small_model.h"

#define FILES 90

static struct {
    scratch scratch;
    drt_context *context;
    drt_device *device;
    drt_model *model;
    char corpus[128];
} t;

static int set_up(void **state) {
    (void)state;
    small_model small;
    t.context = drt_context_new(NULL);
    scratch_open(&t.scratch);
    assert_int_equal(mkdir(scratch_path(&t.scratch, "model"), 0700), 0);
    small_model_make(t.context, DRT_TENSOR_F32, &small);
    small_model_write(&small, scratch_path(&t.scratch, "model"), 8);
    small_model_clear(&small);
    snprintf(t.corpus, sizeof t.corpus, "%s/corpus", t.scratch.folder);
    scratch_model(t.context, scratch_path(&t.scratch, "model"), 2, &t.device, &t.model);
    return 0;
}

static int tear_down(void **state) {
    (void)state;
    drt_model_free(t.model);
    drt_device_close(t.device);
    drt_context_free(t.context);
    scratch_close(&t.scratch);
    return 0;
}

/* ------------------------------------------------------------------------------- corpus ---- */

static const char *file_name(int i) {
    static char name[64];
    snprintf(name, sizeof name, "corpus/%03d.txt", i);
    return name;
}

static void write_words(const char *name, int n, uint64_t seed) {
    static const char *const words[] = {"harbour", "Keeper", "lamp",         "stone",  "river",   "winters",
                                        "the",     "a",      "of",           "wrote",  "carried", "\xC3\x89tat",
                                        "under",   "before", "\xE6\xB5\xB7", "letters"};
    drt_random random;
    drt_random_seed(&random, seed, DRT_RANDOM_SAMPLING);
    drt_buffer text = {0};
    for (int i = 0; i < n; i++)
        assert_true(
            drt_buffer_printf(&text, "%s%s", words[drt_random_below(&random, 16)], i % 97 == 96 ? ".\n\n" : " "));
    scratch_write(&t.scratch, name, text.data);
    drt_buffer_free(&text);
}

/* Sizes from nothing to several ranges and many batches; every tenth is a copy of an earlier one, in flight or not. */
static void write_file(drt_random *random, uint64_t seed, int i) {
    int kind = (int)drt_random_below(random, 10);
    if (i % 10 == 3)
        write_words(file_name(i), 20 + i / 2, seed + (uint64_t)(i % 20 == 3 ? i - 1 : i / 2));
    else if (i == 41)
        write_words(file_name(i), 48000, seed + (uint64_t)i);
    else if (kind == 0)
        scratch_write(&t.scratch, file_name(i), i % 2 ? "" : " \n\n \n");
    else if (kind == 1)
        scratch_write(&t.scratch, file_name(i), "%PDF-1.4 not a text\n");
    else
        write_words(file_name(i), kind == 2 ? 900 : 20 + i / 2, seed + (uint64_t)i);
}

static void write_corpus(uint64_t seed) {
    drt_random random;
    drt_random_seed(&random, seed, DRT_RANDOM_SAMPLING);
    mkdir(t.corpus, 0700);
    for (int i = 0; i < FILES; i++)
        write_file(&random, seed, i);
    scratch_write(&t.scratch, "corpus/005.md",
                  "---\ntitle: Of Lamps\nauthor: [Odo Brand, Ada Finch]\n---\nThey burned.\n");
}

static void rename_file(int from, const char *to) {
    char source[256], target[256];
    snprintf(source, sizeof source, "%s", scratch_path(&t.scratch, file_name(from)));
    snprintf(target, sizeof target, "%s", scratch_path(&t.scratch, to));
    assert_int_equal(rename(source, target), 0);
}

/* Documents lose their paths to others before and after those that have their content now. */
static void change_corpus(uint64_t seed) {
    rename_file(10, "swapped");
    rename_file(12, file_name(10));
    char swapped[256];
    snprintf(swapped, sizeof swapped, "%s", scratch_path(&t.scratch, "swapped"));
    assert_int_equal(rename(swapped, scratch_path(&t.scratch, file_name(12))), 0);
    rename_file(70, "corpus/zz-moved.txt");
    write_words(file_name(70), 30, seed + 700);
    write_words(file_name(71), 300, seed + 701);
    write_words(file_name(72), 300, seed + 701);
    unlink(scratch_path(&t.scratch, file_name(20)));
    write_words("corpus/new.txt", 77, seed + 1000);
}

/* ------------------------------------------------------------------------- one by one ---- */

typedef struct {
    drt_library *library, *shadow; /* the shadow only decides what is new, with memory of zeros */
    drt_ingest_member *members[2 * FILES];
    size_t n, n_chunks;
} oracle;

static drt_library *create(const char *path) {
    drt_library_params open = drt_library_params_default();
    open.mode = DRT_LIBRARY_CREATE;
    open.model = t.model;
    drt_library *library;
    scratch_check(t.context, drt_library_open(t.context, path, &open, &library));
    return library;
}

static size_t record_size(void) {
    return drt_memory_record_size(DRT_MEMORY_INT8, t.model->config.chunk_size, t.model->config.d_model);
}

static void store_chunks(drt_library *library, drt_ingest_member *m, const char *text, size_t length,
                         const uint16_t *landmarks, const uint8_t *records) {
    const char *authors[8];
    drt_document_facts facts = drt_ingest_member_facts(m, authors);
    scratch_check(t.context, drt_store_begin(t.context, library, &facts, text, length, m->chunks.ranges,
                                             m->chunks.n_chunks, &m->document));
    scratch_check(t.context, drt_store_append(t.context, library, m->chunks.n_chunks, landmarks, records));
    scratch_check(t.context, drt_store_end(t.context, library));
}

static void store_in_shadow(oracle *o, drt_ingest_member *m) {
    size_t n = m->chunks.n_chunks;
    uint16_t *landmarks = calloc(n * (size_t)t.model->config.d_model, sizeof *landmarks);
    uint8_t *records = calloc(n, record_size());
    assert_true(landmarks && records);
    store_chunks(o->shadow, m, m->extract.text.data, m->extract.text.length, landmarks, records);
    free(landmarks);
    free(records);
}

static void skip_in(drt_library *library, drt_ingest_member *m) {
    drt_document_facts facts = drt_ingest_member_facts(m, NULL);
    scratch_check(t.context, drt_store_add_skipped(t.context, library, &facts, &m->document));
}

static void find_in(drt_library *library, drt_ingest_member *m, drt_content *content) {
    drt_document_facts facts = drt_ingest_member_facts(m, NULL);
    scratch_check(t.context, drt_store_find(t.context, library, m->sha256, &facts, true, content, &m->document));
}

static drt_status oracle_raw(void *user, const drt_source *source, drt_raw **raw) {
    oracle *o = user;
    drt_ingest_member *m = o->members[o->n++] = drt_ingest_member_new(DRT_MEMBER_DOCUMENT, source);
    drt_content content;
    find_in(o->shadow, m, &content);
    if (content != DRT_CONTENT_NEW) {
        m->fate = DRT_MEMBER_KNOWN;
    } else {
        scratch_check(t.context, drt_raw_extract(t.context, *raw, &m->extract));
        if (m->extract.status != DRT_DOCUMENT_SKIPPED)
            scratch_check(t.context, drt_chunks_build(t.context, t.model->tokenizer, t.model->config.chunk_size,
                                                      m->extract.text.data, m->extract.text.length, &m->chunks));
        if (m->chunks.n_chunks > 0) {
            store_in_shadow(o, m);
            o->n_chunks += m->chunks.n_chunks;
        } else {
            m->fate = DRT_MEMBER_SKIPPED;
            skip_in(o->shadow, m);
        }
    }
    drt_raw_free(*raw);
    *raw = NULL;
    return DRT_OK;
}

static drt_status oracle_skipped(void *user, const drt_source *source, drt_extract *extract) {
    oracle *o = user;
    drt_ingest_member *m = o->members[o->n++] = drt_ingest_member_new(DRT_MEMBER_SKIPPED, source);
    m->extract = *extract;
    *extract = (drt_extract){0};
    skip_in(o->shadow, m);
    return DRT_OK;
}

/* All new chunks, one batch after the other. */
static void encode_all(const oracle *o, uint16_t *landmarks, uint8_t *records) {
    size_t slots = (size_t)t.model->config.chunk_size, d = (size_t)t.model->config.d_model, at = 0;
    int32_t *tokens = calloc(o->n_chunks * slots + 1, sizeof *tokens), *segments = calloc(o->n_chunks * slots + 1, 4);
    assert_true(tokens && segments);
    for (size_t i = 0; i < o->n; i++) {
        const drt_chunks *chunks = &o->members[i]->chunks;
        if (chunks->n_chunks == 0)
            continue;
        memcpy(tokens + at, chunks->tokens, chunks->n_chunks * slots * sizeof *tokens);
        for (size_t end = at + chunks->n_chunks * slots; at < end; at++)
            segments[at] = (int32_t)i;
    }
    drt_record_encoder *encoder;
    drt_record_batch *batch;
    scratch_check(t.context, drt_record_encoder_new(t.context, t.model, DRT_MEMORY_INT8, &encoder));
    scratch_check(t.context, drt_record_batch_new(t.context, encoder, &batch));
    size_t most = (size_t)drt_record_encoder_chunks(encoder);
    for (size_t first = 0; first < o->n_chunks; first += most) {
        size_t n = o->n_chunks - first < most ? o->n_chunks - first : most;
        scratch_check(t.context, drt_record_encoder_run(t.context, encoder, tokens + first * slots,
                                                        segments + first * slots, (int)n, batch));
        memcpy(landmarks + first * d, batch->landmarks, n * d * sizeof *landmarks);
        memcpy(records + first * record_size(), batch->records, n * record_size());
    }
    drt_record_batch_free(encoder, batch);
    drt_record_encoder_free(encoder);
    free(tokens);
    free(segments);
}

static void replay(oracle *o) {
    size_t d = (size_t)t.model->config.d_model, at = 0;
    uint16_t *landmarks = calloc(o->n_chunks * d + 1, sizeof *landmarks);
    uint8_t *records = calloc(o->n_chunks + 1, record_size());
    assert_true(landmarks && records);
    encode_all(o, landmarks, records);
    for (size_t i = 0; i < o->n; i++) {
        drt_ingest_member *m = o->members[i];
        drt_content content;
        if (m->fate == DRT_MEMBER_KNOWN)
            find_in(o->library, m, &content);
        else if (m->fate == DRT_MEMBER_SKIPPED)
            skip_in(o->library, m);
        else
            store_chunks(o->library, m, m->extract.text.data, m->extract.text.length, landmarks + at * d,
                         records + at * record_size());
        at += m->chunks.n_chunks;
    }
    scratch_check(t.context, drt_store_commit(t.context, o->library));
    free(landmarks);
    free(records);
}

static void append_line(drt_buffer *lines, bool known, const drt_document *row, const drt_string *path) {
    assert_true(drt_buffer_printf(lines, "%s%d doc:%lld %s: %s; %lld bytes, chunks %lld from %lld\n",
                                  known ? "known " : "", row->status, (long long)row->id, path->data,
                                  row->reason.data ? row->reason.data : "", (long long)row->bytes,
                                  (long long)row->chunks, (long long)row->first_chunk));
}

static void ingest_one_by_one(const char *path, const char *shadow, drt_buffer *lines) {
    oracle o = {create(path), create(shadow), {NULL}, 0, 0};
    drt_corpus_params walk = drt_corpus_params_default();
    walk.raw = oracle_raw;
    walk.member = oracle_skipped;
    walk.user = &o;
    scratch_check(t.context, drt_corpus_walk(t.context, t.corpus, &walk));
    scratch_check(t.context, drt_store_commit(t.context, o.shadow));
    replay(&o);
    for (size_t i = 0; i < o.n; i++) {
        drt_ingest_member *m = o.members[i];
        scratch_check(t.context, drt_store_document(t.context, o.library, m->document, &m->row));
        append_line(lines, m->fate == DRT_MEMBER_KNOWN, &m->row, &m->path);
        drt_ingest_member_free(m);
    }
    drt_library_close(o.library);
    drt_library_close(o.shadow);
}

/* ------------------------------------------------------------------------- comparison ---- */

static void on_member(void *user, const drt_member *member) {
    append_line(user, member->known, member->document, &member->document->path);
}

static void ingest_with(int threads, const char *path, drt_buffer *lines) {
    drt_library *library = create(path);
    drt_ingest_params params = {
        .paths = (const char *[]){t.corpus}, .n_paths = 1, .member = on_member, .user = lines, .threads = threads};
    drt_ingest_report report;
    drt_status status = drt_ingest(t.context, library, t.model, &params, &report);
    assert_true(status == DRT_OK || status == DRT_WARN);
    assert_true(report.stages[DRT_STAGE_TOKENISE].amount >= report.tokens); /* copies too, before they are known */
    assert_int_equal(report.stages[DRT_STAGE_ENCODE].amount, report.tokens);
    assert_int_equal(report.stages[DRT_STAGE_WRITE].amount, report.tokens);
    assert_int_equal(report.stages[DRT_STAGE_INDEX].amount, report.tokens);
    drt_verify_report verify;
    scratch_check(t.context, drt_library_verify(t.context, library, false, &verify));
    drt_library_close(library);
}

static void dump(const drt_catalog *catalog, const char *sql, drt_buffer *out) {
    sqlite3_stmt *query;
    bool row = true;
    scratch_check(t.context, drt_catalog_prepare(t.context, catalog, &query, sql, DRT_NO_VALUES));
    while (drt_catalog_step(t.context, catalog, query, &row) == DRT_OK && row) {
        for (int i = 0; i < sqlite3_column_count(query); i++) {
            const void *bytes = sqlite3_column_blob(query, i);
            assert_true(drt_buffer_append(out, bytes ? bytes : "", (size_t)sqlite3_column_bytes(query, i)) &&
                        drt_buffer_append_byte(out, '|'));
        }
        assert_true(drt_buffer_append_byte(out, '\n'));
    }
    sqlite3_finalize(query);
}

/* All that a library says, however its catalog's file is laid out. */
static void dump_library(const char *path, drt_buffer *out) {
    static const char *const queries[] = {
        "CREATE VIRTUAL TABLE temp.terms USING fts5vocab(main, passages, instance)",
        ("SELECT id, path, title, date, format, sha256, status, reason, replacements, bytes, first_chunk, chunks, dead"
         " FROM documents ORDER BY id"),
        "SELECT * FROM authors ORDER BY document, position",
        "SELECT archive, path, document FROM paths ORDER BY document, id",
        "SELECT document, start, zstd FROM texts ORDER BY document, start",
        "SELECT * FROM chunks ORDER BY id",
        "SELECT term, doc, offset FROM temp.terms ORDER BY term, doc, offset",
        "SELECT id, sz FROM passages_docsize ORDER BY id",
        "SELECT chunks FROM library"};
    static const char *const slabs[] = {"landmarks.bin", "memory.bin"};
    char file[256];
    drt_catalog catalog;
    snprintf(file, sizeof file, "%s/catalog.sqlite", path);
    scratch_check(t.context, drt_catalog_open(t.context, file, DRT_CATALOG_READ, &catalog));
    for (size_t i = 0; i < sizeof queries / sizeof *queries; i++)
        dump(&catalog, queries[i], out);
    drt_catalog_close(&catalog);
    for (size_t i = 0; i < 2; i++) {
        drt_buffer bytes = {0};
        snprintf(file, sizeof file, "%s/%s", path, slabs[i]);
        scratch_check(t.context, drt_file_read(t.context, file, SIZE_MAX, &bytes));
        assert_true(drt_buffer_append(out, bytes.data, bytes.length));
        drt_buffer_free(&bytes);
    }
}

static void assert_equal_buffers(const drt_buffer *a, const drt_buffer *b) {
    assert_int_equal(a->length, b->length);
    assert_memory_equal(a->data, b->data, a->length);
}

static void threads_do_not_change_the_library(void **state) {
    (void)state;
    static const int threads[] = {1, 2, 5, 8};
    for (uint64_t seed = 1; seed <= 2; seed++) {
        char one[128], shadow[128], many[4][128];
        snprintf(one, sizeof one, "%s/one-%d.drt", t.scratch.folder, (int)seed);
        snprintf(shadow, sizeof shadow, "%s/shadow-%d.drt", t.scratch.folder, (int)seed);
        for (int round = 0; round < 2; round++) {
            drt_buffer lines = {0}, contents = {0};
            if (round == 0)
                write_corpus(100000 * seed);
            else
                change_corpus(100000 * seed);
            ingest_one_by_one(one, shadow, &lines);
            dump_library(one, &contents);
            for (size_t i = 0; i < 4; i++) {
                drt_buffer other_lines = {0}, other_contents = {0};
                snprintf(many[i], sizeof many[i], "%s/many-%d-%d.drt", t.scratch.folder, (int)seed, threads[i]);
                ingest_with(threads[i], many[i], &other_lines);
                dump_library(many[i], &other_contents);
                assert_string_equal(lines.data, other_lines.data);
                assert_equal_buffers(&contents, &other_contents);
                drt_buffer_free(&other_lines);
                drt_buffer_free(&other_contents);
            }
            assert_true(contents.length > 1000000);
            drt_buffer_free(&lines);
            drt_buffer_free(&contents);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_do_not_change_the_library),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
