/* worker_parts.h: what the files of the worker share. Not for others. */
#ifndef DRT_UI_WORKER_PARTS_H
#define DRT_UI_WORKER_PARTS_H

#include <pthread.h>
#include <stdatomic.h>

#include "ui/model.h"
#include "ui/worker.h"

typedef enum { THREAD_CATALOG, THREAD_ANSWER, THREAD_WRITER, THREAD_COUNT } thread_role;

typedef struct request {
    work_kind kind;
    uint64_t id;
    int64_t number;
    drt_string path, text;
    drt_retriever retriever;
    int max_tokens, top;
    struct request *next;
} request;

typedef struct {
    worker *engine;
    thread_role role;
    pthread_t id;
    bool started;
    pthread_cond_t wanted; /* with engine->lock: the queue has something, or closing */
    request *queue, **queue_end;
    _Atomic uint64_t cancelled_up_to; /* requests up to this id are to stop */
    /* The thread's own. */
    request current;
    drt_context *context;
    drt_library *library;
    drt_device *device;
    drt_model *model;
    drt_session *session;
} engine_thread;

struct worker {
    worker_params params;
    char *library, *device;
    pthread_mutex_t lock;
    atomic_bool closing;
    engine_thread threads[THREAD_COUNT];
    uint64_t last_request;
    news *news, **news_end;
    int wake[2];
};

/* A message about the current request; NULL: out of memory. news_post takes it over (NULL does nothing). */
news *news_new(const engine_thread *thread, news_kind kind);
void news_post(engine_thread *thread, news *message);
void news_post_text(engine_thread *thread, news_kind kind, const char *text, size_t length);
/* NEWS_FAILED with the context's sentence. */
void news_post_error(engine_thread *thread);

/* Opens (again) the thread's library, or its model on its device unless it has it. false: NEWS_FAILED was posted. */
bool thread_open_library(engine_thread *thread, drt_library_mode mode);
bool thread_open_model(engine_thread *thread);
void thread_close(engine_thread *thread);

/* Lists what the typed path can be (worker_complete.c). */
void complete_path(engine_thread *thread);

/* Does thread->current. */
void catalog_work(engine_thread *thread);
void answer_work(engine_thread *thread);
void write_work(engine_thread *thread);

#endif
