/* workspace.c: see workspace.h. */
#include "app/workspace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/commands.h"
#include "app/lookup.h"
#include "app/signals.h"
#include "app/terminal.h"

bool workspace_parse_device(const char *text, void *value) {
    size_t digits = strncmp(text, "cuda:", 5) == 0 ? strspn(text + 5, "0123456789") : 0;
    bool known = strcmp(text, "auto") == 0 || strcmp(text, "cpu") == 0 || strcmp(text, "cuda") == 0 ||
                 (digits > 0 && digits < 4 && text[5 + digits] == '\0');
    if (known)
        *(const char **)value = text;
    return known;
}

bool workspace_parse_size(const char *text, void *value) {
    static const char units[] = "KMGT";
    size_t digits = strspn(text, "0123456789");
    const char *unit = text[digits] ? strchr(units, text[digits]) : NULL;
    if (digits == 0 || digits > 9 || !unit || text[digits + 1])
        return false;
    int64_t bytes = strtoll(text, NULL, 10);
    for (const char *u = units; u <= unit; u++) {
        if (bytes > INT64_MAX / 1024)
            return false;
        bytes *= 1024;
    }
    *(int64_t *)value = bytes;
    return bytes > 0;
}

bool workspace_parse_retriever(const char *text, void *value) {
    return drt_retriever_parse(text, value);
}

bool workspace_parse_memory(const char *text, void *value) {
    drt_memory_type *type = value;
    if (strcmp(text, "int8") == 0)
        *type = DRT_MEMORY_INT8;
    else if (strcmp(text, "bf16") == 0)
        *type = DRT_MEMORY_BF16;
    else
        return false;
    return true;
}

static void warn(void *user, const char *text, size_t length) {
    workspace *work = user;
    progress_clear(&work->progress);
    fputs("drt: warning: ", stderr);
    terminal_write(stderr, text, length, TEXT_LINE);
    fputc('\n', stderr);
}

void workspace_complain(workspace *work) {
    progress_clear(&work->progress);
    complain("%s", drt_error(work->context));
}

int workspace_exit_status(workspace *work, drt_status status) {
    if (status < DRT_WARN) /* warnings were heard by warn() */
        workspace_complain(work);
    return status >= DRT_WARN ? EXIT_ALL : status == DRT_FAILED ? EXIT_SOME : EXIT_USAGE;
}

static bool check(workspace *work, drt_status status) {
    return workspace_exit_status(work, status) == EXIT_ALL;
}

bool workspace_open(workspace *work) {
    drt_context_params params = drt_context_params_default();
    params.cancelled = signals_cancelled;
    params.warn = warn;
    params.user = work;
    *work = (workspace){.context = drt_context_new(&params)};
    if (!work->context)
        complain("out of memory");
    return work->context;
}

void workspace_close(workspace *work) {
    drt_session_close(work->session);
    drt_library_close(work->library);
    drt_model_free(work->model);
    drt_device_close(work->device);
    drt_context_free(work->context);
}

bool workspace_open_library(workspace *work, const char *path, drt_library_mode mode) {
    drt_library_params params = drt_library_params_default();
    params.mode = mode;
    return check(work, drt_library_open(work->context, path, &params, &work->library));
}

bool workspace_open_device(workspace *work, const compute_options *options, char **directory) {
    drt_library_facts facts = {0};
    *directory = NULL;
    if (work->library && !check(work, drt_library_inspect(work->context, work->library, &facts)))
        return false;
    *directory = lookup_model(options->model, facts.model_directory.data, facts.model_directory.length);
    if (!*directory)
        return false;
    drt_device_params params = drt_device_params_default();
    params.name = options->device;
    params.threads = (int)options->threads;
    params.gpu_memory = options->gpu_memory;
    return check(work, drt_device_open(work->context, &params, &work->device));
}

bool workspace_open_model(workspace *work, const compute_options *options) {
    char *directory;
    bool opened = workspace_open_device(work, options, &directory) &&
                  check(work, drt_model_load(work->context, work->device, directory, &work->model));
    free(directory);
    return opened;
}

/* The library again, now with the model that it must have been built with. */
static bool reopen(workspace *work, const char *path, drt_library_mode mode, drt_memory_type memory) {
    drt_library_params params = {.mode = mode, .model = work->model, .memory_type = memory};
    drt_library_close(work->library);
    work->library = NULL;
    return check(work, drt_library_open(work->context, path, &params, &work->library));
}

bool workspace_open_ingest(workspace *work, const compute_options *options, const char *path, drt_memory_type memory) {
    if (lookup_library(path) && !workspace_open_library(work, path, DRT_LIBRARY_READ))
        return false;
    return workspace_open_model(work, options) && reopen(work, path, DRT_LIBRARY_CREATE, memory);
}

bool workspace_open_session(workspace *work, const compute_options *options, const char *path) {
    drt_library_facts facts;
    if (!workspace_open_library(work, path, DRT_LIBRARY_READ) ||
        !check(work, drt_library_inspect(work->context, work->library, &facts)))
        return false;
    if (facts.chunks == facts.dead_chunks) {
        complain("%s: the library is empty; put something in with: drt ingest %s PATH...", path, path);
        return false;
    }
    return workspace_open_model(work, options) && reopen(work, path, DRT_LIBRARY_READ, DRT_MEMORY_INT8) &&
           check(work, drt_session_open(work->context, work->library, work->model, &work->session));
}

drt_status workspace_find_document(workspace *work, char *selector, drt_document *document) {
    drt_status status = drt_library_document(work->context, work->library, selector, strlen(selector), document);
    if (status == DRT_FAILED && terminal_undo_escapes(selector))
        status = drt_library_document(work->context, work->library, selector, strlen(selector), document);
    return status;
}
