/* library_use.h: a library in a scratch folder, of which some file is fuzzed, and all that is done with one: opening,
 * listing, reading, searching, verifying, removing and compacting. */
#ifndef DRT_TESTS_FUZZ_LIBRARY_USE_H
#define DRT_TESTS_FUZZ_LIBRARY_USE_H

#include <unistd.h>

#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/library_seed.h"

#define N_CHUNKS 9 /* of the seed */

static char folder[64];

static inline const char *path_of(const char *name) {
    static char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static inline void remove_files(void) {
    static const char *const names[] = {"catalog.sqlite", "catalog.sqlite-journal", "landmarks.bin",
                                        "memory.bin",     "memory.bin.new",         "lock"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlink(path_of(names[i]));
}

static inline void remove_folder(void) {
    remove_files();
    rmdir(folder);
}

/* In memory where there is such a place: every case syncs. */
static inline void make_folder(void) {
    snprintf(folder, sizeof folder, "%s/drt-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    FUZZ_CHECK(mkdtemp(folder));
    atexit(remove_folder);
}

typedef struct {
    drt_context *context;
    drt_library *library;
    int visited;
} reader;

static inline bool read_document(void *user, const drt_document *document) {
    reader *r = user;
    drt_string text;
    FUZZ_CHECK(document->path.data && document->format.data);
    if (drt_library_text(r->context, r->library, document->id, &text) == DRT_OK)
        FUZZ_CHECK((int64_t)text.length == document->bytes);
    drt_string_free(&text);
    return ++r->visited < 100;
}

static inline bool read_session(void *user, const drt_session_summary *summary) {
    reader *r = user;
    drt_answer *answer;
    if (drt_library_session_load(r->context, r->library, summary->id, &answer) == DRT_OK)
        FUZZ_CHECK(answer->session == summary->id);
    drt_answer_free(answer);
    return ++r->visited < 100;
}

static inline void read_chunks(drt_context *context, drt_library *library, const drt_store_view *view) {
    for (int64_t i = 0; i <= view->n_chunks; i++) {
        drt_chunk chunk;
        drt_string text;
        if (drt_library_chunk(context, library, i, &chunk) != DRT_OK)
            continue;
        if (drt_store_chunk_text(context, library, &chunk, &text) == DRT_OK)
            FUZZ_CHECK((int64_t)text.length == chunk.end - chunk.start);
        drt_string_free(&text);
    }
}

static inline void read_all(drt_context *context, drt_library *library) {
    reader r = {context, library, 0};
    drt_library_facts facts;
    drt_store_view view;
    drt_verify_report report;
    uint64_t mask[1] = {0};
    int64_t chunks[4];
    int count;
    drt_library_inspect(context, library, &facts);
    drt_library_documents(context, library, "*t*", true, read_document, &r);
    r.visited = 0;
    drt_library_sessions(context, library, read_session, &r);
    if (drt_store_refresh(context, library, &view) == DRT_OK) {
        FUZZ_CHECK(view.n_chunks >= 0 && view.n_chunks <= N_CHUNKS);
        read_chunks(context, library, &view);
        drt_store_glob_mask(context, library, "*", mask, view.n_chunks);
        FUZZ_CHECK(mask[0] >> view.n_chunks == 0);
        if (drt_store_bm25(context, library, "text of \xE6\x9D\xB1", 11, NULL, view.n_chunks, 4, chunks, &count) ==
            DRT_OK)
            for (int i = 0; i < count; i++)
                FUZZ_CHECK(chunks[i] >= 0 && chunks[i] < view.n_chunks);
    }
    drt_library_verify(context, library, false, &report);
}

static inline void change(drt_context *context, drt_library *library) {
    drt_document document;
    drt_verify_report report;
    if (drt_library_document(context, library, "doc:1", 5, &document) == DRT_OK)
        drt_library_remove(context, library, &document, NULL, 0);
    drt_document_clear(&document);
    drt_library_verify(context, library, true, &report);
}

static inline void write_file(const char *name, const void *data, size_t size) {
    FILE *file = fopen(path_of(name), "wb");
    FUZZ_CHECK(file && fwrite(data, 1, size, file) == size && fclose(file) == 0);
}

static inline void use_library(drt_context *context) {
    drt_store_identity identity = seed_identity();
    drt_library *library;
    if (drt_store_open(context, folder, DRT_LIBRARY_READ, &identity, &library) == DRT_OK)
        read_all(context, library);
    else
        FUZZ_CHECK(strstr(drt_error(context), folder) || strstr(drt_error(context), "out of memory"));
    drt_library_close(library);
    if (drt_store_open(context, folder, DRT_LIBRARY_UPDATE, &identity, &library) == DRT_OK)
        change(context, library);
    drt_library_close(library);
}

#endif
