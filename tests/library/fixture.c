/* fixture.c: see fixture.h. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "fixture.h"

#include <ftw.h>
#include <unistd.h>

#include "engine/network/memory.h"

static void keep_warning(void *user, const char *text, size_t length) {
    fixture *with = user;
    size_t there = strlen(with->warnings);
    snprintf(with->warnings + there, sizeof with->warnings - there, "%.*s\n", (int)length, text);
    with->n_warnings++;
}

static bool is_cancelled(void *user) {
    return ((fixture *)user)->cancel;
}

int fixture_setup(void **state) {
    fixture *with = calloc(1, sizeof *with);
    assert_non_null(with);
    /* In memory where there is such a place: libraries sync a lot. */
    snprintf(with->folder, sizeof with->folder, "%s/drt-library-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(with->folder));
    snprintf(with->library, sizeof with->library, "%s/lib.drt", with->folder);
    drt_context_params params = {.warn = keep_warning, .cancelled = is_cancelled, .user = with};
    with->context = drt_context_new(&params);
    assert_non_null(with->context);
    *state = with;
    return 0;
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *at) {
    (void)facts;
    (void)kind;
    (void)at;
    return remove(path);
}

int fixture_teardown(void **state) {
    fixture *with = *state;
    nftw(with->folder, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    drt_context_free(with->context);
    free(with);
    return 0;
}

const char *fixture_path(const fixture *with, const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", with->folder, name);
    return path;
}

const char *library_path(const fixture *with, const char *name) {
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", with->library, name);
    return path;
}

drt_store_identity test_identity(int number) {
    static uint8_t fingerprints[4][DRT_FINGERPRINT_SIZE];
    static const char *const names[] = {"model-0", "model-1", "model-2", "model-3"};
    memset(fingerprints[number], 0x10 * number + number, DRT_FINGERPRINT_SIZE);
    return (drt_store_identity){fingerprints[number], names[number], "/models/one",
                                CHUNK_SIZE,           D_MODEL,       DRT_MEMORY_INT8};
}

drt_library *open_library(fixture *with, drt_library_mode mode) {
    drt_store_identity identity = test_identity(1);
    drt_library *library;
    if (drt_store_open(with->context, with->library, mode, &identity, &library) != DRT_OK)
        fail_msg("cannot open: %s", drt_error(with->context));
    return library;
}

void expect_no_library(fixture *with, drt_library_mode mode, const char *expected) {
    drt_store_identity identity = test_identity(1);
    drt_library *library;
    assert_int_equal(drt_store_open(with->context, with->library, mode, &identity, &library), DRT_FATAL);
    assert_null(library);
    if (!strstr(drt_error(with->context), expected))
        fail_msg("\"%s\" lacks \"%s\"", drt_error(with->context), expected);
}

size_t cut_text(const char *text, size_t length, drt_range *ranges, size_t capacity) {
    size_t n = 0, start = 0;
    while (start < length && n < capacity) {
        size_t end = length - start > CHUNK_BYTES ? start + CHUNK_BYTES : length;
        while (end < length && end > start + 1 && text[end - 1] != ' ')
            end--;
        if (end == start + 1 && end < length) /* no space: cut at a character */
            for (end = start + CHUNK_BYTES; ((unsigned char)text[end] & 0xC0) == 0x80;)
                end--;
        size_t last = end;
        while (last > start && text[last - 1] == ' ')
            last--;
        ranges[n++] = (drt_range){(int64_t)start, (int64_t)last};
        start = end;
    }
    return n;
}

size_t record_size(void) {
    return drt_memory_record_size(DRT_MEMORY_INT8, CHUNK_SIZE, D_MODEL);
}

void make_chunk(const char *text, size_t length, uint16_t landmark[D_MODEL], uint8_t *record) {
    uint32_t seed = 2166136261u;
    float y[CHUNK_SIZE * D_MODEL], e[D_MODEL];
    for (size_t i = 0; i < length; i++)
        seed = (seed ^ (unsigned char)text[i]) * 16777619u;
    for (size_t i = 0; i < CHUNK_SIZE * D_MODEL; i++) {
        seed = seed * 1664525u + 1013904223u;
        y[i] = (float)(seed >> 16) / 65536.0f - 0.5f;
    }
    memcpy(e, y, sizeof e);
    drt_half_from_float(e, landmark, D_MODEL);
    drt_memory_pack(DRT_MEMORY_INT8, CHUNK_SIZE, D_MODEL, y, record);
}

drt_document_facts test_facts(const char *path, const char *text) {
    drt_document_facts facts = {.archive = "/source/archive.zip",
                                .archive_length = strlen("/source/archive.zip"),
                                .path = path,
                                .path_length = strlen(path),
                                .format = "text",
                                .status = DRT_DOCUMENT_OK};
    drt_hash hash;
    drt_hash_start(&hash);
    drt_hash_add(&hash, text, strlen(text));
    drt_hash_finish(&hash, facts.sha256);
    return facts;
}

drt_status write_document(drt_context *context, drt_library *library, const drt_document_facts *facts, const char *text,
                          int64_t *document) {
    size_t length = strlen(text), capacity = length / 2 + 1;
    drt_range *ranges = malloc(capacity * sizeof *ranges);
    uint8_t *record = malloc(record_size());
    assert_non_null(ranges);
    assert_non_null(record);
    size_t n = cut_text(text, length, ranges, capacity);
    drt_status status = drt_store_begin(context, library, facts, text, length, ranges, n, document);
    for (size_t i = 0; i < n && status == DRT_OK; i++) {
        uint16_t landmark[D_MODEL];
        make_chunk(text + ranges[i].start, (size_t)(ranges[i].end - ranges[i].start), landmark, record);
        status = drt_store_append(context, library, 1, landmark, record);
    }
    free(record);
    free(ranges);
    return status == DRT_OK ? drt_store_end(context, library) : status;
}

int64_t add_document(fixture *with, drt_library *library, const char *path, const char *text) {
    drt_document_facts facts = test_facts(path, text);
    int64_t document;
    if (write_document(with->context, library, &facts, text, &document) != DRT_OK)
        fail_msg("cannot add %s: %s", path, drt_error(with->context));
    return document;
}

void commit(fixture *with, drt_library *library) {
    if (drt_store_commit(with->context, library) != DRT_OK)
        fail_msg("cannot commit: %s", drt_error(with->context));
}

static void check_chunk(drt_context *context, drt_library *library, const drt_store_view *view, int64_t id,
                        const drt_document *document, const drt_string *text) {
    drt_chunk chunk;
    drt_string slice;
    uint16_t landmark[D_MODEL];
    uint8_t record[1024];
    assert_true(record_size() <= sizeof record);
    assert_int_equal(drt_library_chunk(context, library, id, &chunk), DRT_OK);
    assert_int_equal(chunk.id, id);
    assert_int_equal(chunk.document, document->id);
    assert_false(chunk.dead);
    assert_true(0 <= chunk.start && chunk.start <= chunk.end && chunk.end <= (int64_t)text->length);
    assert_int_equal(drt_store_chunk_text(context, library, &chunk, &slice), DRT_OK);
    assert_int_equal(slice.length, chunk.end - chunk.start);
    assert_memory_equal(slice.data, text->data + chunk.start, slice.length);
    make_chunk(slice.data, slice.length, landmark, record);
    assert_memory_equal(view->landmarks + id * D_MODEL, landmark, sizeof landmark);
    assert_memory_equal(drt_store_record(library, id), record, record_size());
    assert_false(view->dead[id / 64] >> id % 64 & 1);
    drt_string_free(&slice);
}

void check_document(drt_context *context, drt_library *library, const drt_document *document) {
    drt_store_view view;
    drt_string text;
    assert_int_equal(drt_store_refresh(context, library, &view), DRT_OK);
    assert_int_equal(drt_library_text(context, library, document->id, &text), DRT_OK);
    assert_int_equal(text.length, document->bytes);
    drt_range *ranges = malloc((text.length / 2 + 1) * sizeof *ranges);
    assert_non_null(ranges);
    assert_int_equal(cut_text(text.data, text.length, ranges, text.length / 2 + 1), document->chunks);
    free(ranges);
    assert_true(document->first_chunk + document->chunks <= view.n_chunks);
    for (int64_t i = 0; i < document->chunks; i++)
        check_chunk(context, library, &view, document->first_chunk + i, document, &text);
    drt_string_free(&text);
}

typedef struct {
    drt_context *context;
    drt_library *library;
    int64_t documents;
} checker;

static bool visit_document(void *user, const drt_document *document) {
    checker *check = user;
    check_document(check->context, check->library, document);
    check->documents++;
    return true;
}

int64_t check_library(drt_context *context, drt_library *library) {
    checker check = {context, library, 0};
    assert_int_equal(drt_library_documents(context, library, NULL, false, visit_document, &check), DRT_OK);
    return check.documents;
}

void expect_text(fixture *with, drt_library *library, const char *selector, const char *text) {
    drt_document document;
    drt_string found;
    if (drt_library_document(with->context, library, selector, strlen(selector), &document) != DRT_OK)
        fail_msg("%s", drt_error(with->context));
    check_document(with->context, library, &document);
    assert_int_equal(drt_library_text(with->context, library, document.id, &found), DRT_OK);
    assert_string_equal(found.data, text);
    drt_string_free(&found);
    drt_document_clear(&document);
}

void expect_no_document(fixture *with, drt_library *library, const char *selector) {
    drt_document document;
    assert_int_equal(drt_library_document(with->context, library, selector, strlen(selector), &document), DRT_FAILED);
    assert_null(document.path.data);
}
