/* worker.c: threads, queues, cancelling. What the requests do: worker_catalog.c, worker_answer.c, worker_write.c. */
#include "ui/worker.h"

#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ui/worker_parts.h"

/* ---------------------------------------------------------------------------------- news ---- */

void news_free(news *message) {
    if (!message)
        return;
    drt_string_free(&message->text);
    drt_string_free(&message->path);
    drt_string_free(&message->reason);
    for (size_t i = 0; i < message->n && message->documents; i++)
        drt_document_clear(&message->documents[i]);
    for (size_t i = 0; i < message->n && message->sessions; i++) {
        drt_string_free(&message->sessions[i].question);
        drt_string_free(&message->sessions[i].answer);
    }
    for (size_t i = 0; i < message->n && message->names; i++)
        drt_string_free(&message->names[i]);
    free(message->documents);
    free(message->sessions);
    free(message->names);
    free(message->borders);
    drt_answer_free(message->answer);
    drt_search_result_free(message->found);
    free(message);
}

news *news_new(const engine_thread *thread, news_kind kind) {
    news *message = calloc(1, sizeof *message);
    if (!message)
        return NULL;
    message->kind = kind;
    message->work = thread->current.kind;
    message->request = thread->current.id;
    message->number = thread->current.number;
    message->chunk = -1;
    return message;
}

void news_post(engine_thread *thread, news *message) {
    worker *engine = thread->engine;
    if (!message)
        return; /* out of memory: this message is lost, the next ones tell how things stand */
    pthread_mutex_lock(&engine->lock);
    *engine->news_end = message;
    engine->news_end = &message->next;
    pthread_mutex_unlock(&engine->lock);
    (void)!write(engine->wake[1], "", 1); /* a full pipe wakes too */
}

void news_post_text(engine_thread *thread, news_kind kind, const char *text, size_t length) {
    news *message = news_new(thread, kind);
    if (message)
        model_string_set(&message->text, text, length);
    news_post(thread, message);
}

void news_post_error(engine_thread *thread) {
    const char *sentence = drt_error(thread->context);
    news_post_text(thread, NEWS_FAILED, sentence, strlen(sentence));
}

news *worker_news(worker *engine) {
    char bytes[64];
    pthread_mutex_lock(&engine->lock);
    news *message = engine->news;
    if (message) {
        engine->news = message->next;
        if (!engine->news)
            engine->news_end = &engine->news;
        message->next = NULL;
    } else {
        while (read(engine->wake[0], bytes, sizeof bytes) > 0)
            continue;
    }
    pthread_mutex_unlock(&engine->lock);
    return message;
}

int worker_fd(const worker *engine) {
    return engine->wake[0];
}

/* ------------------------------------------------------------------------------- requests ---- */

static thread_role role_of(work_kind kind) {
    return kind <= WORK_WRITE ? THREAD_CATALOG : kind <= WORK_SEARCH ? THREAD_ANSWER : THREAD_WRITER;
}

static void request_free(request *wanted) {
    drt_string_free(&wanted->path);
    drt_string_free(&wanted->text);
    free(wanted);
}

uint64_t worker_request(worker *engine, const work *wanted) {
    engine_thread *thread = &engine->threads[role_of(wanted->kind)];
    request *queued = calloc(1, sizeof *queued);
    if (!queued)
        return 0;
    queued->kind = wanted->kind;
    queued->number = wanted->number;
    queued->retriever = wanted->retriever;
    queued->max_tokens = wanted->max_tokens;
    queued->top = wanted->top;
    if ((wanted->path && !model_string_set(&queued->path, wanted->path, strlen(wanted->path))) ||
        (wanted->text && !model_string_set(&queued->text, wanted->text, wanted->length))) {
        request_free(queued);
        return 0;
    }
    pthread_mutex_lock(&engine->lock);
    uint64_t id = queued->id = ++engine->last_request;
    *thread->queue_end = queued;
    thread->queue_end = &queued->next;
    pthread_cond_signal(&thread->wanted);
    pthread_mutex_unlock(&engine->lock);
    return id;
}

/* Empties the queue; what was in it. */
static request *take_queue(engine_thread *thread) {
    request *queued = thread->queue;
    thread->queue = NULL;
    thread->queue_end = &thread->queue;
    return queued;
}

/* Frees requests that never began; told: each is over, which those who wait for it hear. */
static void drop(engine_thread *thread, request *queued, bool told) {
    static const char stopped[] = "Stopped before it began.";
    while (queued) {
        request *next = queued->next;
        news *message = told ? calloc(1, sizeof *message) : NULL;
        if (message) {
            message->kind = NEWS_FAILED;
            message->work = queued->kind;
            message->request = queued->id;
            message->number = queued->number;
            message->chunk = -1;
            model_string_set(&message->text, stopped, sizeof stopped - 1);
        }
        news_post(thread, message);
        request_free(queued);
        queued = next;
    }
}

void worker_cancel(worker *engine, work_kind kind) {
    engine_thread *thread = &engine->threads[role_of(kind)];
    pthread_mutex_lock(&engine->lock);
    request *queued = take_queue(thread);
    /* Ids grow, so a request that comes later is not touched however late this is seen. */
    atomic_store(&thread->cancelled_up_to, engine->last_request);
    pthread_mutex_unlock(&engine->lock);
    drop(thread, queued, true);
}

static bool is_cancelled(void *user) {
    engine_thread *thread = user;
    return atomic_load(&thread->engine->closing) || atomic_load(&thread->cancelled_up_to) >= thread->current.id;
}

static void warn(void *user, const char *text, size_t length) {
    news_post_text(user, NEWS_WARNING, text, length);
}

/* -------------------------------------------------------------------------------- threads ---- */

static void (*const work_of_role[THREAD_COUNT])(engine_thread *thread) = {catalog_work, answer_work, write_work};

/* The next request, waiting for one; NULL: the end. */
static request *take_request(engine_thread *thread) {
    worker *engine = thread->engine;
    pthread_mutex_lock(&engine->lock);
    while (!thread->queue && !atomic_load(&engine->closing))
        pthread_cond_wait(&thread->wanted, &engine->lock);
    request *taken = atomic_load(&engine->closing) ? NULL : thread->queue;
    if (taken) {
        thread->queue = taken->next;
        if (!thread->queue)
            thread->queue_end = &thread->queue;
    }
    pthread_mutex_unlock(&engine->lock);
    return taken;
}

static void *run_thread(void *argument) {
    engine_thread *thread = argument;
    for (request *taken; (taken = take_request(thread));) {
        thread->current = *taken;
        work_of_role[thread->role](thread);
        request_free(taken);
    }
    thread_close(thread);
    return NULL;
}

/* Signals are the screen's business; only faults of the thread itself stay. */
static int start_thread(engine_thread *thread) {
    sigset_t all, before;
    sigfillset(&all);
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
        sigdelset(&all, faults[i]);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(&thread->id, NULL, run_thread, thread);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

static bool init_thread(worker *engine, thread_role which) {
    engine_thread *thread = &engine->threads[which];
    drt_context_params params = {.cancelled = is_cancelled, .warn = warn, .user = thread};
    thread->engine = engine;
    thread->role = which;
    thread->queue_end = &thread->queue;
    atomic_init(&thread->cancelled_up_to, 0);
    thread->context = drt_context_new(&params);
    if (!thread->context || pthread_cond_init(&thread->wanted, NULL) != 0)
        return false;
    thread->started = start_thread(thread) == 0;
    if (!thread->started)
        pthread_cond_destroy(&thread->wanted);
    return thread->started;
}

static bool copy_params(worker *engine, const worker_params *params) {
    engine->params = *params;
    engine->library = strdup(params->library);
    engine->device = strdup(params->device);
    engine->params.library = engine->library;
    engine->params.device = engine->device;
    return engine->library && engine->device;
}

static bool open_pipe(worker *engine) {
    if (pipe(engine->wake) != 0) {
        engine->wake[0] = engine->wake[1] = -1;
        return false;
    }
    for (int i = 0; i < 2; i++) {
        fcntl(engine->wake[i], F_SETFD, FD_CLOEXEC);
        fcntl(engine->wake[i], F_SETFL, O_NONBLOCK);
    }
    return true;
}

worker *worker_new(const worker_params *params) {
    worker *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->news_end = &engine->news;
    atomic_init(&engine->closing, false);
    if (pthread_mutex_init(&engine->lock, NULL) != 0) {
        free(engine);
        return NULL;
    }
    bool ok = open_pipe(engine) && copy_params(engine, params);
    for (int i = 0; i < THREAD_COUNT && ok; i++)
        ok = init_thread(engine, (thread_role)i);
    if (ok)
        return engine;
    worker_free(engine);
    return NULL;
}

void worker_free(worker *engine) {
    if (!engine)
        return;
    pthread_mutex_lock(&engine->lock);
    atomic_store(&engine->closing, true);
    for (int i = 0; i < THREAD_COUNT; i++)
        if (engine->threads[i].started)
            pthread_cond_signal(&engine->threads[i].wanted);
    pthread_mutex_unlock(&engine->lock);
    for (int i = 0; i < THREAD_COUNT; i++) {
        engine_thread *thread = &engine->threads[i];
        if (thread->started) {
            pthread_join(thread->id, NULL);
            pthread_cond_destroy(&thread->wanted);
        }
        drop(thread, take_queue(thread), false);
        drt_context_free(thread->context);
    }
    for (news *message; (message = worker_news(engine));)
        news_free(message);
    for (int i = 0; i < 2; i++)
        if (engine->wake[i] >= 0)
            close(engine->wake[i]);
    pthread_mutex_destroy(&engine->lock);
    free(engine->library);
    free(engine->device);
    free(engine);
}

/* ----------------------------------------------------------------- what the threads share ---- */

void thread_close(engine_thread *thread) {
    drt_session_close(thread->session);
    drt_library_close(thread->library);
    drt_model_free(thread->model);
    drt_device_close(thread->device);
    thread->session = NULL;
    thread->library = NULL;
    thread->model = NULL;
    thread->device = NULL;
}

bool thread_open_library(engine_thread *thread, drt_library_mode mode) {
    drt_library_params params = drt_library_params_default();
    params.mode = mode;
    params.model = thread->model;
    drt_library_close(thread->library);
    thread->library = NULL;
    if (drt_library_open(thread->context, thread->engine->params.library, &params, &thread->library) >= DRT_WARN)
        return true;
    news_post_error(thread);
    return false;
}

/* Where the model is: that of the library, if there is one. */
static char *find_model(engine_thread *thread, char *why, size_t size) {
    const worker_params *params = &thread->engine->params;
    drt_library_params reading = drt_library_params_default();
    drt_library_facts facts = {0};
    drt_library *library = NULL;
    bool known = drt_library_open(thread->context, params->library, &reading, &library) >= DRT_WARN &&
                 drt_library_inspect(thread->context, library, &facts) >= DRT_WARN;
    char *directory = params->find_model(params->user, known ? facts.model_directory.data : NULL,
                                         known ? facts.model_directory.length : 0, why, size);
    drt_library_close(library);
    return directory;
}

bool thread_open_model(engine_thread *thread) {
    if (thread->model)
        return true;
    char why[1024] = "";
    char *directory = find_model(thread, why, sizeof why);
    if (!directory) {
        news_post_text(thread, NEWS_FAILED, why, strlen(why));
        return false;
    }
    drt_device_params params = drt_device_params_default();
    params.name = thread->engine->params.device;
    params.threads = thread->engine->params.threads;
    params.gpu_memory = thread->engine->params.gpu_memory;
    bool opened = (thread->device || drt_device_open(thread->context, &params, &thread->device) >= DRT_WARN) &&
                  drt_model_load(thread->context, thread->device, directory, &thread->model) >= DRT_WARN;
    free(directory);
    if (!opened)
        news_post_error(thread);
    return opened;
}
