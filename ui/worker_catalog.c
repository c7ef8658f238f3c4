/* worker_catalog.c: the thread that reads the library: lists, texts, stored sessions; and writes exports. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ui/worker_parts.h"

/* -------------------------------------------------------------------------------- library ---- */

static void open_library(engine_thread *thread) {
    if (!thread_open_library(thread, DRT_LIBRARY_READ))
        return;
    news *message = news_new(thread, NEWS_LIBRARY);
    if (message && drt_library_inspect(thread->context, thread->library, &message->facts) < DRT_WARN) {
        news_free(message);
        news_post_error(thread);
        return;
    }
    if (message) {
        model_string_set(&message->text, message->facts.model_name.data, message->facts.model_name.length);
        message->facts.model_name = message->facts.model_directory = (drt_string){0};
    }
    news_post(thread, message);
}

/* -------------------------------------------------------------------------------- documents ---- */

typedef struct {
    drt_document *rows;
    size_t n, capacity;
    bool failed;
} document_list;

/* A copy of what the screen shows: authors and aliases stay behind. */
static bool copy_document(drt_document *to, const drt_document *from) {
    *to = *from;
    to->path = to->title = to->date = to->format = to->reason = (drt_string){0};
    to->authors = to->aliases = NULL;
    to->n_authors = to->n_aliases = 0;
    return model_string_set(&to->path, from->path.data, from->path.length) &&
           model_string_set(&to->title, from->title.data, from->title.length) &&
           model_string_set(&to->date, from->date.data, from->date.length) &&
           model_string_set(&to->format, from->format.data, from->format.length) &&
           model_string_set(&to->reason, from->reason.data, from->reason.length);
}

static bool add_document(void *user, const drt_document *document) {
    document_list *list = user;
    if (list->n == list->capacity) {
        size_t capacity = list->capacity * 2 + 64;
        drt_document *rows = realloc(list->rows, capacity * sizeof *rows);
        if (!rows) {
            list->failed = true;
            return false;
        }
        list->rows = rows;
        list->capacity = capacity;
    }
    if (!copy_document(&list->rows[list->n], document)) {
        drt_document_clear(&list->rows[list->n]);
        list->failed = true;
        return false;
    }
    list->n++;
    return true;
}

static void free_documents(document_list *list) {
    for (size_t i = 0; i < list->n; i++)
        drt_document_clear(&list->rows[i]);
    free(list->rows);
}

static void list_documents(engine_thread *thread) {
    document_list list = {0};
    drt_status status = drt_library_documents(thread->context, thread->library, NULL, true, add_document, &list);
    news *message = status >= DRT_WARN && !list.failed ? news_new(thread, NEWS_DOCUMENTS) : NULL;
    if (message) {
        message->documents = list.rows;
        message->n = list.n;
        news_post(thread, message);
        return;
    }
    free_documents(&list);
    if (status < DRT_WARN)
        news_post_error(thread);
    else
        news_post_text(thread, NEWS_FAILED, "out of memory", 13);
}

/* --------------------------------------------------------------------------------- sessions ---- */

typedef struct {
    drt_session_summary *rows;
    size_t n, capacity;
} session_list;

static bool add_session(void *user, const drt_session_summary *summary) {
    session_list *list = user;
    if (list->n == list->capacity) {
        size_t capacity = list->capacity * 2 + 64;
        drt_session_summary *rows = realloc(list->rows, capacity * sizeof *rows);
        if (!rows)
            return false; /* the newest ones are shown */
        list->rows = rows;
        list->capacity = capacity;
    }
    drt_session_summary *row = &list->rows[list->n++];
    *row = (drt_session_summary){.id = summary->id, .time = summary->time, .n_events = summary->n_events};
    return model_string_set(&row->question, summary->question.data, summary->question.length) &&
           model_string_set(&row->answer, summary->answer.data, summary->answer.length);
}

static void list_sessions(engine_thread *thread) {
    session_list list = {0};
    drt_status status = drt_library_sessions(thread->context, thread->library, add_session, &list);
    news *message = news_new(thread, NEWS_SESSIONS);
    if (message) {
        message->sessions = list.rows;
        message->n = list.n;
    }
    if (status >= DRT_WARN) {
        news_post(thread, message);
        return;
    }
    news_free(message);
    news_post_error(thread);
}

static void load_session(engine_thread *thread) {
    news *message = news_new(thread, NEWS_SESSION);
    if (message && drt_library_session_load(thread->context, thread->library, thread->current.number,
                                            &message->answer) < DRT_WARN) {
        news_free(message);
        news_post_error(thread);
        return;
    }
    news_post(thread, message);
}

static void delete_session(engine_thread *thread) {
    if (drt_library_session_delete(thread->context, thread->library, thread->current.number) >= DRT_WARN)
        news_post(thread, news_new(thread, NEWS_DONE));
    else
        news_post_error(thread);
}

/* ------------------------------------------------------------------------------------ texts ---- */

/* Where the document's chunks begin. */
static bool read_borders(engine_thread *thread, news *message, const drt_document *document) {
    size_t n = (size_t)document->chunks;
    message->borders = malloc((n + 1) * sizeof *message->borders);
    message->first_chunk = document->first_chunk;
    for (size_t i = 0; i < n && message->borders; i++) {
        drt_chunk chunk;
        if (drt_library_chunk(thread->context, thread->library, document->first_chunk + (int64_t)i, &chunk) < DRT_WARN)
            return false;
        message->borders[message->n_borders++] = chunk.start;
    }
    return message->borders;
}

static bool read_text(engine_thread *thread, news *message) {
    char selector[32];
    int length = snprintf(selector, sizeof selector, "doc:%lld", (long long)message->document);
    drt_document document = {0};
    if (drt_library_document(thread->context, thread->library, selector, (size_t)length, &document) < DRT_WARN)
        return false;
    bool copied = model_string_set(&message->path, document.path.data, document.path.length) &&
                  (message->work == WORK_CHUNK || read_borders(thread, message, &document));
    drt_document_clear(&document);
    return copied && drt_library_text(thread->context, thread->library, message->document, &message->text) >= DRT_WARN;
}

static bool find_chunk(engine_thread *thread, news *message) {
    drt_chunk chunk;
    if (drt_library_chunk(thread->context, thread->library, thread->current.number, &chunk) < DRT_WARN)
        return false;
    message->chunk = chunk.id;
    message->document = chunk.document;
    message->start = chunk.start;
    message->end = chunk.end;
    return true;
}

static void load_text(engine_thread *thread) {
    news *message = news_new(thread, NEWS_TEXT);
    if (!message)
        return;
    message->document = thread->current.number;
    if ((thread->current.kind == WORK_CHUNK && !find_chunk(thread, message)) || !read_text(thread, message)) {
        news_free(message);
        news_post_error(thread);
        return;
    }
    news_post(thread, message);
}

/* ----------------------------------------------------------------------------------- export ---- */

static void complain_of_file(engine_thread *thread, const char *path) {
    char sentence[1024];
    snprintf(sentence, sizeof sentence, "Cannot write %s: %s. Export to another file.", path, strerror(errno));
    news_post_text(thread, NEWS_FAILED, sentence, strlen(sentence));
}

static bool write_whole(const char *path, const drt_string *text) {
    FILE *file = fopen(path, "wx");
    if (!file)
        return false;
    bool whole = fwrite(text->data, 1, text->length, file) == text->length;
    if (fclose(file) == 0 && whole)
        return true;
    int reason = errno;
    remove(path);
    errno = reason;
    return false;
}

/* The old file stays until the new one is whole. */
static bool replace_file(const char *path, const drt_string *text) {
    size_t size = strlen(path) + 8;
    char *beside = malloc(size);
    if (!beside)
        return false;
    snprintf(beside, size, "%s.part", path);
    bool whole = write_whole(beside, text);
    if (whole && rename(beside, path) != 0) {
        int reason = errno;
        remove(beside);
        errno = reason;
        whole = false;
    }
    int reason = errno;
    free(beside);
    errno = reason;
    return whole;
}

/* A file that is there already is replaced only where that was asked for. */
static void write_file(engine_thread *thread) {
    const request *wanted = &thread->current;
    const char *path = wanted->path.data;
    if (!(wanted->number ? replace_file(path, &wanted->text) : write_whole(path, &wanted->text))) {
        complain_of_file(thread, path);
        return;
    }
    news *message = news_new(thread, NEWS_DONE);
    if (message)
        model_string_set(&message->path, path, strlen(path));
    news_post(thread, message);
}

void catalog_work(engine_thread *thread) {
    work_kind kind = thread->current.kind;
    if (kind == WORK_LIBRARY) {
        open_library(thread);
        return;
    }
    if (kind == WORK_WRITE) {
        write_file(thread);
        return;
    }
    if (kind == WORK_COMPLETE) {
        complete_path(thread);
        return;
    }
    if (!thread->library && !thread_open_library(thread, DRT_LIBRARY_READ))
        return;
    switch (kind) {
    case WORK_DOCUMENTS:
        list_documents(thread);
        break;
    case WORK_SESSIONS:
        list_sessions(thread);
        break;
    case WORK_SESSION_LOAD:
    case WORK_SESSION_COMPARE:
        load_session(thread);
        break;
    case WORK_SESSION_DELETE:
        delete_session(thread);
        break;
    default:
        load_text(thread);
    }
}
