/* worker_answer.c: the thread that has the model: asks and searches. */
#include <stdlib.h>
#include <string.h>

#include "ui/worker_parts.h"

/* Library, model and session, kept between questions. false: NEWS_FAILED was posted. */
static bool prepare(engine_thread *thread) {
    if (thread->session)
        return true;
    if (!thread_open_model(thread) || !thread_open_library(thread, DRT_LIBRARY_READ))
        return false;
    if (drt_session_open(thread->context, thread->library, thread->model, &thread->session) < DRT_WARN) {
        news_post_error(thread);
        return false;
    }
    news *message = news_new(thread, NEWS_MODEL);
    if (message) {
        const char *device = drt_device_name(thread->device);
        model_string_set(&message->text, device, strlen(device));
        message->n_groups = drt_model_config(thread->model)->n_groups;
        message->top_k = drt_model_config(thread->model)->top_k;
    }
    news_post(thread, message);
    return true;
}

static void token(void *user, const char *text, size_t length) {
    news_post_text(user, NEWS_TOKEN, text, length);
}

static bool copy_hit(const drt_hit *hit, size_t chunk_size, drt_hit *copy) {
    *copy = *hit;
    copy->document = copy->title = copy->date = copy->text = (drt_string){0};
    copy->authors = NULL; /* they come with the whole answer */
    copy->n_authors = 0;
    copy->slots = hit->slots ? malloc(chunk_size * sizeof *copy->slots) : NULL;
    if (copy->slots)
        memcpy(copy->slots, hit->slots, chunk_size * sizeof *copy->slots);
    return model_string_set(&copy->document, hit->document.data, hit->document.length) &&
           model_string_set(&copy->title, hit->title.data, hit->title.length) &&
           model_string_set(&copy->text, hit->text.data, hit->text.length);
}

/* An answer that holds a copy of the event and nothing else; NULL: out of memory. */
static drt_answer *answer_of_event(const drt_config *config, const drt_event *event) {
    drt_answer *answer = calloc(1, sizeof *answer);
    if (!answer)
        return NULL;
    answer->n_groups = config->n_groups;
    answer->top_k = config->top_k;
    answer->chunk_size = config->chunk_size;
    drt_event *copy = answer->events = calloc(1, sizeof *copy);
    bool ok = copy != NULL;
    if (ok) {
        answer->n_events = 1;
        *copy = *event;
        copy->n_hits = 0;
        copy->hits = calloc(event->n_hits + 1, sizeof *copy->hits);
        ok = copy->hits != NULL;
    }
    for (size_t i = 0; ok && i < event->n_hits; i++, copy->n_hits++)
        ok = copy_hit(&event->hits[i], (size_t)config->chunk_size, &copy->hits[i]);
    if (ok)
        return answer;
    drt_answer_free(answer);
    return NULL;
}

static void retrieved(void *user, const drt_event *event) {
    engine_thread *thread = user;
    news *message = news_new(thread, NEWS_EVENT);
    if (message && !(message->answer = answer_of_event(drt_model_config(thread->model), event))) {
        news_free(message); /* it comes with the answer */
        return;
    }
    news_post(thread, message);
}

static void ask(engine_thread *thread) {
    const request *wanted = &thread->current;
    drt_ask_params params = drt_ask_params_default();
    params.retriever = wanted->retriever;
    params.max_tokens = wanted->max_tokens > 0 ? wanted->max_tokens : params.max_tokens;
    params.document_glob = wanted->path.data;
    params.token = token;
    params.event = retrieved;
    params.user = thread;
    news *message = news_new(thread, NEWS_ANSWER);
    if (!message)
        return;
    drt_status status = drt_session_ask(thread->context, thread->session, wanted->text.data, wanted->text.length,
                                        &params, &message->answer);
    if (status < DRT_WARN) {
        news_free(message);
        news_post_error(thread);
        return;
    }
    if (status == DRT_WARN)
        model_string_set(&message->reason, drt_error(thread->context), strlen(drt_error(thread->context)));
    news_post(thread, message);
}

static void search(engine_thread *thread) {
    const request *wanted = &thread->current;
    drt_search_params params = drt_search_params_default();
    params.retriever = wanted->retriever;
    params.top = wanted->top > 0 ? wanted->top : params.top;
    news *message = news_new(thread, NEWS_FOUND);
    if (!message)
        return;
    if (drt_session_search(thread->context, thread->session, wanted->text.data, wanted->text.length, &params,
                           &message->found) < DRT_WARN) {
        news_free(message);
        news_post_error(thread);
        return;
    }
    news_post(thread, message);
}

void answer_work(engine_thread *thread) {
    if (!prepare(thread))
        return;
    if (thread->current.kind == WORK_ASK)
        ask(thread);
    else if (thread->current.kind == WORK_SEARCH)
        search(thread);
}
