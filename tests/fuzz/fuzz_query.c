/* Fuzz target: any bytes as a question for BM25, as a glob, and as a glob with a name behind a NUL. */
#include "engine/base/utf8.h"
#include "engine/library/glob.h"
#include "engine/library/terms.h"
#include "tests/fuzz/library_use.h"

static drt_context *context;
static drt_library *library;
static drt_store_view view;

static void close_all(void) {
    drt_library_close(library);
    drt_context_free(context);
}

static void open_library(void) {
    drt_store_identity identity = seed_identity();
    context = drt_context_new(NULL);
    make_folder();
    atexit(close_all);
    FUZZ_CHECK(drt_store_open(context, folder, DRT_LIBRARY_CREATE, &identity, &library) == DRT_OK);
    seed_fill(context, library, false);
    FUZZ_CHECK(drt_store_refresh(context, library, &view) == DRT_OK && view.n_chunks == N_CHUNKS);
}

static bool count_document(void *user, const drt_document *document) {
    FUZZ_CHECK(document->path.data);
    return ++*(int *)user < 100;
}

static void match(const char *pattern, size_t length) {
    const char *behind = memchr(pattern, 0, length);
    size_t n = behind ? (size_t)(behind - pattern) : length;
    uint64_t mask[1] = {0};
    int documents = 0;
    drt_glob_matches(pattern, n, behind ? behind + 1 : "", behind ? length - n - 1 : 0);
    FUZZ_CHECK(drt_glob_matches("*", 1, pattern, length));
    FUZZ_CHECK(drt_store_glob_mask(context, library, pattern, mask, view.n_chunks) == DRT_OK);
    FUZZ_CHECK(mask[0] >> view.n_chunks == 0);
    FUZZ_CHECK(drt_library_documents(context, library, pattern, true, count_document, &documents) == DRT_OK);
}

static void ask(const char *text, size_t length) {
    int64_t chunks[4];
    int count = 0;
    drt_buffer spread = {0};
    FUZZ_CHECK(drt_store_bm25(context, library, text, length, NULL, view.n_chunks, 4, chunks, &count) == DRT_OK);
    FUZZ_CHECK(count >= 0 && count <= 4);
    for (int i = 0; i < count; i++)
        FUZZ_CHECK(chunks[i] >= 0 && chunks[i] < view.n_chunks);
    FUZZ_CHECK(drt_terms_spread(&spread, text, length));
    FUZZ_CHECK(drt_utf8_valid_prefix(spread.data ? spread.data : "", spread.length) == spread.length);
    drt_buffer_free(&spread);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (!folder[0])
        open_library();
    char *text = malloc(size + 1); /* patterns end with a NUL */
    FUZZ_CHECK(text);
    memcpy(text, data, size);
    text[size] = 0;
    ask(text, size);
    match(text, size);
    free(text);
    return 0;
}
