/* model.h: everything that the screen shows, as plain data: what the library holds, the conversation, the trace that
 * is looked at, the ingest under way. The application loop fills it from the worker's messages; views only read it.
 * Golden screens build it from literals or a stored session. May use: drt.h. */
#ifndef DRT_UI_MODEL_H
#define DRT_UI_MODEL_H

#include "engine/drt.h"

/* What changed since a view's last update; bits. */
enum {
    CHANGED_LIBRARY = 1 << 0, /* path, facts */
    CHANGED_DOCUMENTS = 1 << 1,
    CHANGED_SESSIONS = 1 << 2,
    CHANGED_TURNS = 1 << 3, /* a question, more of an answer, another turn looked at */
    CHANGED_PLACE = 1 << 4, /* step, group, hit, token */
    CHANGED_PASSAGE = 1 << 5,
    CHANGED_INGEST = 1 << 6,
    CHANGED_COMPARED = 1 << 7,
    CHANGED_DOCUMENT = 1 << 8, /* the one opened as text */
    CHANGED_COMPLETION = 1 << 9,
    CHANGED_ALL = ~0
};

/* One question with its answer. While the answer streams, `trace` is NULL and `text` grows. */
typedef struct {
    drt_string question;
    drt_string text;   /* the answer as far as it is there */
    drt_answer *trace; /* the whole answer; NULL: not finished, or failed */
    /* While there is no trace: the retrievals so far, no tokens, no histograms, no BM25 (all -1). NULL: none. */
    drt_answer *live;
    drt_string error; /* data NULL: none; a failed question's sentence, or a warning */
    int64_t time;     /* seconds since 1970; 0: of this run */
} model_turn;

/* How the next question will be asked. */
typedef struct {
    drt_retriever retriever;
    int max_tokens;
    drt_string documents; /* pattern of their paths; data NULL: all */
} model_asking;

/* The place in the trace of the current turn that all panes look at. */
typedef struct {
    int step, group;
    size_t hit;   /* index into the event's hits */
    size_t token; /* of the answer; < n_tokens, 0 without any */
} trace_place;

typedef struct {
    drt_string path, reason;
    drt_document_status status;
} model_failure;

typedef struct {
    bool running, finished;
    drt_string source; /* what was given, for the title */
    int64_t members_done, members_failed, bytes_done, bytes_total, chunks, tokens;
    double seconds;
    double tokens_per_second, bytes_per_second; /* over the last seconds */
    drt_stage_facts stages[DRT_STAGES];
    drt_string current;
    model_failure *failures; /* members that are partial or skipped, in order */
    size_t n_failures;
    drt_ingest_report report; /* when finished */
    drt_string error;         /* data NULL: none */
} model_ingest;

/* A document's text: the one that holds the selected hit, with the chunk in it, or one opened to be read. */
typedef struct {
    bool loaded;
    int64_t document, chunk; /* chunk -1: a document opened as text */
    drt_string path;
    drt_string text;    /* the whole normalised text */
    int64_t start, end; /* of the chunk, bytes */
    int64_t *borders; /* (n_borders) byte at which each chunk of the document begins; of a document opened to be read */
    size_t n_borders;
    int64_t first_chunk; /* id of the first of them */
    drt_string error;    /* data NULL: none */
} model_passage;

/* How a path that is being typed can go on. */
typedef struct {
    drt_string typed;  /* what was typed; data NULL: nothing was asked yet */
    drt_string common; /* what all names allow to add */
    drt_string *names; /* (n_names) of files and folders, these with a '/'; sorted */
    size_t n_names;
} model_completion;

typedef enum { NOTICE_NONE, NOTICE_INFO, NOTICE_WARNING, NOTICE_ERROR } notice_kind;

typedef enum {
    ANSWER_IDLE,
    ANSWER_LOADING,    /* the model is read */
    ANSWER_RETRIEVING, /* the question is read, no token yet */
    ANSWER_WRITING
} answer_state;

typedef struct {
    drt_string path;         /* of the library, as given */
    bool open;               /* facts and documents are those of an open library */
    drt_library_facts facts; /* its strings are NULL; see model_name */
    drt_string model_name;
    drt_string device;        /* "cpu", "cuda:0"; data NULL: no model is loaded yet */
    drt_string library_error; /* why it is not open; data NULL: no reason */
    int n_groups, top_k;      /* of the model; 0: not known yet */

    drt_document *documents; /* by id, skipped ones included */
    size_t n_documents;
    size_t *by_chunk; /* (n_by_chunk) indices of those with chunks, by their first chunk */
    size_t n_by_chunk;
    int64_t *marked; /* (n_marked) ids of documents chosen to be removed, ascending */
    size_t n_marked;
    int64_t removing;              /* documents whose removal has been asked for */
    drt_session_summary *sessions; /* newest first */
    size_t n_sessions;

    model_turn *turns;    /* oldest first */
    size_t n_turns, turn; /* turn: the one looked at; < n_turns */
    answer_state answering;
    model_asking asking;
    trace_place place;
    drt_answer *compared; /* another trace beside the current one; NULL: none */

    model_passage passage;  /* with the chunk of the current place */
    model_passage document; /* opened to be read */
    model_ingest ingest;
    model_completion completion;

    notice_kind notice;
    drt_string notice_text;
} ui_model;

/* The trace that is looked at, or what there is of it while it is made; NULL: none. */
const drt_answer *model_trace(const ui_model *model);
/* The event of the current place; NULL: none. */
const drt_event *model_event(const ui_model *model);
/* The hit of the current place; NULL: none. */
const drt_hit *model_hit(const ui_model *model);
/* The event of a step and group; NULL: none. */
const drt_event *trace_event(const drt_answer *trace, int step, int group);
/* Attention of an answer token on each of the chunk_size slots of a hit, 0..255; NULL: not recorded. */
const uint8_t *trace_attention(const drt_answer *trace, size_t token, int group, size_t hit);
/* The document that a chunk lies in (removed ones are not there); NULL: none. */
const drt_document *model_document_of_chunk(const ui_model *model, int64_t chunk);
const drt_document *model_document(const ui_model *model, int64_t id);

/* Moves the place to one that exists: as near to the wanted one as there is. */
void model_set_place(ui_model *model, trace_place wanted);

/* Marks a document or takes its mark off; nothing happens when it is not there, or out of memory. */
void model_mark(ui_model *model, int64_t id, bool marked);
bool model_is_marked(const ui_model *model, int64_t id);
void model_clear_marks(ui_model *model);

void model_free(ui_model *model);
/* Takes over rows sorted by id; marks stay on those that are there again. false: out of memory, the rows are freed and there are no documents. */
bool model_set_documents(ui_model *model, drt_document *rows, size_t n);
void model_clear_documents(ui_model *model);
void model_clear_sessions(ui_model *model);
void model_clear_passage(model_passage *passage);
void model_clear_completion(ui_model *model);
void model_clear_ingest(ui_model *model);
void model_turn_clear(model_turn *turn);

/* Copies; data NULL gives NULL. On failure (out of memory) the string is left absent. */
bool model_string_set(drt_string *string, const char *data, size_t length);
bool model_string_append(drt_string *string, const char *data, size_t length);

#endif
