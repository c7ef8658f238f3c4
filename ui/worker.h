/* worker.h: the engine at work beside the screen. Requests go in, news comes out; the front end never waits.
 *
 *      application loop  --work-->  catalog thread   reads the library: lists, texts, stored sessions; writes exports
 *                        --work-->  answer thread    has the model: asks, searches
 *                        --work-->  writer thread    ingests (with a model of its own), removes
 *                        <--news--  one queue for all, with a descriptor to poll
 *
 * Each thread has its own context and library handle, so that a text opens while an answer is written and while an
 * ingest runs. Within a thread requests are done in order. May use: drt.h, threads. */
#ifndef DRT_UI_WORKER_H
#define DRT_UI_WORKER_H

#include "engine/drt.h"

typedef struct worker worker;

typedef struct {
    const char *library; /* path; it need not exist before the first ingest */
    const char *device;  /* as drt_device_params */
    int threads;
    int64_t gpu_memory;
    /* The model's directory (malloc'ed) for a library that records `recorded` (NULL: no library yet). NULL: none was
     * found, why has the sentence. Called from several threads. */
    char *(*find_model)(void *user, const char *recorded, size_t length, char *why, size_t size);
    void *user;
} worker_params;

typedef enum {
    /* catalog thread */
    WORK_LIBRARY,         /* opens the library, or opens it again -> NEWS_LIBRARY */
    WORK_DOCUMENTS,       /* -> NEWS_DOCUMENTS */
    WORK_SESSIONS,        /* -> NEWS_SESSIONS */
    WORK_TEXT,            /* number: document -> NEWS_TEXT with the chunks' borders */
    WORK_CHUNK,           /* number: chunk -> NEWS_TEXT of its document, with the range */
    WORK_SESSION_LOAD,    /* number: session -> NEWS_SESSION */
    WORK_SESSION_COMPARE, /* the same, to be compared with */
    WORK_SESSION_DELETE,  /* number: session -> NEWS_DONE */
    WORK_COMPLETE,        /* path: as far as it was typed -> NEWS_COMPLETION */
    WORK_WRITE,           /* text: bytes for the file `path`, number: 1 replaces one that is there -> NEWS_DONE */
    /* answer thread */
    WORK_PREPARE, /* loads the model -> NEWS_MODEL */
    WORK_ASK,     /* text: the question -> NEWS_MODEL (first time), NEWS_TOKEN and NEWS_EVENT..., NEWS_ANSWER;
                   path: pattern of the documents, NULL: all */
    WORK_SEARCH,  /* text: the query -> NEWS_FOUND */
    /* writer thread */
    WORK_INGEST, /* path, with ~ for the home folder -> NEWS_PROGRESS and NEWS_MEMBER..., NEWS_INGESTED */
    WORK_REMOVE, /* number: document -> NEWS_DONE */
    WORK_COUNT
} work_kind;

typedef struct {
    work_kind kind;
    int64_t number;
    const char *path;        /* copied */
    const char *text;        /* copied */
    size_t length;           /* of text */
    drt_retriever retriever; /* WORK_ASK, WORK_SEARCH */
    int max_tokens, top;     /* WORK_ASK, WORK_SEARCH; 0: the engine's default */
} work;

typedef enum {
    NEWS_LIBRARY,
    NEWS_DOCUMENTS,
    NEWS_SESSIONS,
    NEWS_TEXT,
    NEWS_COMPLETION,
    NEWS_SESSION,
    NEWS_MODEL,
    NEWS_TOKEN,
    NEWS_EVENT, /* a retrieval of the answer that is being written */
    NEWS_ANSWER,
    NEWS_FOUND,
    NEWS_PROGRESS,
    NEWS_MEMBER, /* one that is partial or skipped */
    NEWS_INGESTED,
    NEWS_DONE,
    NEWS_WARNING, /* text: a sentence; the request goes on */
    NEWS_FAILED   /* text: the sentence; the request is over */
} news_kind;

/* A message; each field belongs to the kinds named. What it holds is its own: take it by clearing the field. */
typedef struct news {
    news_kind kind;
    work_kind work;    /* the request that it is about */
    uint64_t request;  /* its id */
    int64_t number;    /* the request's */
    drt_string text;   /* TOKEN, WARNING, FAILED; TEXT: the document's; PROGRESS: the current path; LIBRARY: the model's
                         name; MODEL: the device's; COMPLETION: what can be added for certain */
    drt_string path;   /* TEXT, MEMBER; COMPLETION: as typed */
    drt_string reason; /* MEMBER; ANSWER: a warning about it */
    drt_document_status status;          /* MEMBER */
    drt_library_facts facts;             /* LIBRARY; its strings are absent */
    drt_document *documents;             /* DOCUMENTS, by id */
    drt_session_summary *sessions;       /* SESSIONS, newest first */
    drt_string *names;                   /* COMPLETION, sorted */
    size_t n;                            /* of documents, sessions or names */
    int64_t document, chunk, start, end; /* TEXT; chunk -1: none was asked for */
    int64_t *borders, first_chunk;       /* TEXT of a document: the byte at which each of its chunks begins */
    size_t n_borders;
    drt_answer *answer;       /* ANSWER, SESSION; EVENT: it alone, without tokens */
    drt_search_result *found; /* FOUND */
    drt_progress progress;    /* PROGRESS; its string is in text */
    drt_ingest_report report; /* INGESTED */
    int n_groups, top_k;      /* MODEL */
    struct news *next;
} news;

void news_free(news *message);

/* NULL: out of memory or no threads. */
worker *worker_new(const worker_params *params);
/* Stops what is under way and ends the threads. NULL does nothing. */
void worker_free(worker *engine);
/* Queues a request; its id, from 1. 0: out of memory. */
uint64_t worker_request(worker *engine, const work *wanted);
/* Stops what the thread that does `kind` is doing, and drops what it has been asked for. */
void worker_cancel(worker *engine, work_kind kind);
/* Becomes readable when there is news. */
int worker_fd(const worker *engine);
/* The oldest message, the caller's to free; NULL: none. */
news *worker_news(worker *engine);

#endif
