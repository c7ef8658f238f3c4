/* Fuzz target: sources of TeX that include each other, parted by NULs, come together and end in normalised text. */
#include "engine/corpus/tex/project.h"
#include "tests/fuzz/extract.h"

static const char *const paths[] = {"p/main.tex", "p/a.tex",      "p/sub/b.tex", "p/main.bbl",
                                    "p/sub/c",    "p/second.tex", "p/r.bib",     "p/own.sty"};

#define N_PATHS (sizeof paths / sizeof *paths)

static void add(drt_tex_project *project, const char *path, const uint8_t *data, size_t size) {
    drt_blob blob = {0};
    bool memory = true;
    FUZZ_CHECK(drt_buffer_append(&blob.memory, data, size));
    blob.data = blob.memory.data ? blob.memory.data : "";
    blob.length = size;
    if (!drt_tex_project_add(project, path, strlen(path), &blob, &memory))
        drt_blob_free(&blob);
    FUZZ_CHECK(memory);
}

static void flatten(drt_context *context, drt_tex_project *project, size_t file) {
    drt_buffer out = {0};
    bool whole;
    FUZZ_CHECK(drt_tex_project_flatten(context, project, 0, file, false, &out, &whole) == DRT_OK);
    FUZZ_CHECK(!whole || out.length == 0);
    if (!whole)
        extract_and_check(drt_format_tex_extract, paths[0], (const uint8_t *)out.data, out.length);
    drt_buffer_free(&out);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    drt_context *context = drt_context_new(NULL);
    drt_tex_project project = {0};
    for (size_t i = 0, at = 0; i < N_PATHS && at <= size; i++) {
        const uint8_t *end = i + 1 < N_PATHS && at < size ? memchr(data + at, 0, size - at) : NULL;
        size_t n = end ? (size_t)(end - data) - at : size - at;
        add(&project, paths[i], data + at, n);
        at += n + 1;
    }
    drt_tex_project_has_main(&project, 0);
    for (size_t i = 0; i < project.n; i++)
        flatten(context, &project, i);
    drt_tex_project_cut(&project, 0);
    free(project.files);
    drt_context_free(context);
    return 0;
}
