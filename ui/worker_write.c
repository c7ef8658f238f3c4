/* worker_write.c: the thread that changes the library: ingests and removes. It holds the lock only meanwhile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "ui/path.h"
#include "ui/worker_parts.h"

#define PROGRESS_SECONDS 0.1 /* between two messages */

typedef struct {
    engine_thread *thread;
    double last; /* time of the last progress message */
} ingest;

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void show_progress(void *user, const drt_progress *state) {
    ingest *run = user;
    double time = now();
    if (time - run->last < PROGRESS_SECONDS)
        return;
    run->last = time;
    news *message = news_new(run->thread, NEWS_PROGRESS);
    if (message) {
        message->progress = *state;
        message->progress.current = NULL;
        model_string_set(&message->text, state->current, state->current ? state->current_length : 0);
    }
    news_post(run->thread, message);
}

static void note_member(void *user, const drt_member *member) {
    ingest *run = user;
    const drt_document *document = member->document;
    if (document->status == DRT_DOCUMENT_OK)
        return;
    news *message = news_new(run->thread, NEWS_MEMBER);
    if (message) {
        message->status = document->status;
        model_string_set(&message->path, document->path.data, document->path.length);
        model_string_set(&message->reason, document->reason.data, document->reason.length);
    }
    news_post(run->thread, message);
}

static void ingest_path(engine_thread *thread, const char *path) {
    ingest run = {.thread = thread};
    drt_ingest_params params = {
        .paths = &path, .n_paths = 1, .progress = show_progress, .member = note_member, .user = &run};
    if (!thread_open_model(thread) || !thread_open_library(thread, DRT_LIBRARY_CREATE))
        return;
    news *message = news_new(thread, NEWS_INGESTED);
    if (message && drt_ingest(thread->context, thread->library, thread->model, &params, &message->report) < DRT_WARN) {
        news_free(message);
        message = NULL;
        news_post_error(thread);
    }
    news_post(thread, message);
}

static void ingest_typed_path(engine_thread *thread) {
    char *path = path_expand(thread->current.path.data);
    if (path)
        ingest_path(thread, path);
    else
        news_post_text(thread, NEWS_FAILED, "out of memory", strlen("out of memory"));
    free(path);
}

static void remove_document(engine_thread *thread) {
    char selector[32];
    int length = snprintf(selector, sizeof selector, "doc:%lld", (long long)thread->current.number);
    drt_document document = {0};
    if (!thread_open_library(thread, DRT_LIBRARY_UPDATE))
        return;
    bool removed =
        drt_library_document(thread->context, thread->library, selector, (size_t)length, &document) >= DRT_WARN &&
        drt_library_remove(thread->context, thread->library, &document, document.path.data, document.path.length) >=
            DRT_WARN;
    drt_document_clear(&document);
    if (removed)
        news_post(thread, news_new(thread, NEWS_DONE));
    else
        news_post_error(thread);
}

void write_work(engine_thread *thread) {
    if (thread->current.kind == WORK_INGEST)
        ingest_typed_path(thread);
    else
        remove_document(thread);
    drt_library_close(thread->library); /* lets go of the lock */
    thread->library = NULL;
}
