/* Fuzz target: any file, walked under tight limits, gives members with valid paths, and reasons for what is lost. */
#include <fcntl.h>
#include <unistd.h>

#include "engine/corpus/corpus.h"
#include "tests/fuzz/extract.h"

static drt_status check_member(void *user, const drt_source *source, drt_extract *extract) {
    (void)user;
    FUZZ_CHECK(source->path_length > 0);
    FUZZ_CHECK(drt_utf8_valid_prefix(source->path, source->path_length) == source->path_length);
    check_extract(extract);
    return DRT_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char path[] = "/tmp/fuzz-walk-XXXXXX";
    int file = mkstemp(path);
    FUZZ_CHECK(file >= 0 && write(file, data, size) == (ssize_t)size);
    close(file);
    drt_context *context = drt_context_new(NULL);
    drt_corpus_params params = drt_corpus_params_default();
    params.limits = (drt_corpus_limits){.max_depth = 6,
                                        .max_members = 200,
                                        .max_member_bytes = 1 << 20,
                                        .max_nested_bytes = 1 << 20,
                                        .max_total_bytes = 8 << 20,
                                        .max_ratio = 20};
    params.member = check_member;
    FUZZ_CHECK(drt_corpus_walk(context, path, &params) == DRT_OK);
    drt_context_free(context);
    unlink(path);
    return 0;
}
