/* drt.h: the public interface of libdrt, the engine of `drt`.
 *
 * The engine reads corpora into a library (chunk memory on disk), retrieves from it with a
 * Differentiable Retrieval-based Transformer and generates answers together with the full trace
 * of what was retrieved. It never prints, never exits and keeps no global state.
 *
 * Conventions
 *   - Every fallible call takes a drt_context first and returns a drt_status; the sentence that
 *     says what went wrong is drt_error(context) until the context's next call.
 *   - A context belongs to one thread at a time. Devices and models may be shared by contexts as
 *     long as one call at a time uses them.
 *   - _open/_new/_load give an object that the paired _close/_free releases; both accept NULL.
 *   - Strings carry their length; a NUL byte never ends one. Owned strings are also
 *     NUL-terminated, so that those known to hold no NUL can be handed to C functions.
 *   - Everything that this interface calls text is UTF-8; byte offsets are half open: [start, end).
 */
#ifndef DRT_H
#define DRT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DRT_VERSION "0.1.0"

/* ------------------------------------------------------------------ status and context ---- */

/* How bad it is stands in the value, as in libarchive; what it is stands in drt_error(). */
typedef enum {
    DRT_OK = 0,
    DRT_WARN = -20,   /* done, but something was lost; the text says what */
    DRT_FAILED = -25, /* this item failed; the object and the next item are fine */
    DRT_FATAL = -30   /* the object is unusable: close it */
} drt_status;

typedef struct {
    char *data; /* NULL: absent (not the same as empty) */
    size_t length;
} drt_string;

typedef struct drt_context drt_context;

typedef struct {
    /* Polled between units of work of at most some tens of milliseconds; true stops the current
     * call as soon as the state is consistent. NULL: never. */
    bool (*cancelled)(void *user);
    /* Receives each warning, one sentence without a line end. May hold any bytes of file names:
     * neutralise before printing. NULL: dropped. */
    void (*warn)(void *user, const char *text, size_t length);
    void *user;
} drt_context_params;

drt_context_params drt_context_params_default(void);
/* NULL when out of memory. */
drt_context *drt_context_new(const drt_context_params *params);
void drt_context_free(drt_context *context);
/* The sentence of the last call that did not return DRT_OK; "" before. Never NULL. */
const char *drt_error(const drt_context *context);

void drt_string_free(drt_string *string);

/* Decodes one character at data: its length 1..4 and code point, or 0 when the bytes there are no
 * valid UTF-8 (overlong, surrogate, beyond U+10FFFF, cut off). length must be > 0. */
size_t drt_utf8_decode(const char *data, size_t length, uint32_t *code_point);
/* Moves an offset back (down) or on (up) to the nearest character border. */
size_t drt_utf8_floor(const char *data, size_t length, size_t offset);
size_t drt_utf8_ceil(const char *data, size_t length, size_t offset);

/* ------------------------------------------------------------------------------ device ---- */

typedef struct drt_device drt_device;

typedef struct {
    const char *name;   /* "auto", "cpu", "cuda" or "cuda:N" */
    int threads;        /* CPU threads; 0: one for each usable core */
    int64_t gpu_memory; /* most bytes of a GPU's memory to use, besides what its driver takes; 0: what is free */
} drt_device_params;

drt_device_params drt_device_params_default(void); /* "auto", 0, 0 */
drt_status drt_device_open(drt_context *context, const drt_device_params *params, drt_device **device);
void drt_device_close(drt_device *device);
/* "cpu" or "cuda:0", as in JSON output. */
const char *drt_device_name(const drt_device *device);
/* A line for people: kind of processor, instruction set, threads, GEMM library. */
const char *drt_device_description(const drt_device *device);
/* The backends of this build, a line each, for `drt --version` and `drt info`. `text` is owned. */
drt_status drt_backends_describe(drt_context *context, drt_string *text);

/* ------------------------------------------------------------------------------- model ---- */

#define DRT_FINGERPRINT_SIZE 32 /* bytes of a model fingerprint (SHA-256) */
#define DRT_MAX_GROUPS 16

/* The Config of shared/reference/drt_reference.py, checked. Names as there. */
typedef struct {
    int vocab_size, d_model, n_heads, d_ff;
    int lower_layers, encoder_layers;
    int n_groups; /* retrieval groups */
    int group_layers[DRT_MAX_GROUPS];
    int chunk_size; /* S: text tokens of a chunk + its landmark */
    int window;     /* slots, self included */
    int top_k;
    float rms_eps, rope_theta;
    bool landmark_reads_own_retrieval, gca_in_residual, qk_norm;
} drt_config;

typedef struct drt_model drt_model;

/* Loads a model directory (config.json, model.safetensors, tokenizer.model) onto a device, which
 * must outlive it. Every length, offset, dtype and shape is checked before use. */
drt_status drt_model_load(drt_context *context, drt_device *device, const char *directory, drt_model **model);
void drt_model_free(drt_model *model);
const drt_config *drt_model_config(const drt_model *model);
const char *drt_model_name(const drt_model *model);      /* from config.json */
const char *drt_model_directory(const drt_model *model); /* absolute */
/* SHA-256 over config.json, model.safetensors and tokenizer.model, in this order. */
const uint8_t *drt_model_fingerprint(const drt_model *model);
drt_device *drt_model_device(const drt_model *model);

typedef struct {
    int64_t parameters;   /* scales not counted */
    int64_t weight_bytes; /* of model.safetensors */
    char dtype[32];       /* "I8", "BF16", "F32", or "I8 + F32" where matrices and vectors differ */
} drt_model_facts;

/* What `drt model info` shows, read without loading weights; `config` and `facts` may be NULL.
 * `name` (owned) may be NULL. */
drt_status drt_model_inspect(drt_context *context, const char *directory, drt_config *config, drt_model_facts *facts,
                             drt_string *name, uint8_t fingerprint[DRT_FINGERPRINT_SIZE]);

typedef struct {
    int64_t matrices;         /* tensors turned into int8 rows */
    double mean_error;        /* mean over those of |W - int8(W)| / |W| (Frobenius) */
    double max_error;         /* the largest, */
    char max_error_name[128]; /* and whose it is */
    int64_t bytes_before, bytes_after;
} drt_quantize_report;

/* Writes `directory` as an int8 model into the new folder `out`: matrices as I8 with one F32 scale
 * a row, vectors as F32. The folder appears whole or not at all. */
drt_status drt_model_quantize(drt_context *context, const char *directory, const char *out,
                              drt_quantize_report *report);

/* ----------------------------------------------------------------------------- library ---- */

typedef struct drt_library drt_library;

typedef enum {
    DRT_LIBRARY_READ,   /* last committed state; sessions can be stored if the folder allows */
    DRT_LIBRARY_UPDATE, /* takes the lock; the library must exist (rm, verify --compact) */
    DRT_LIBRARY_CREATE  /* takes the lock; made when missing or an empty folder (ingest) */
} drt_library_mode;

typedef enum { DRT_MEMORY_INT8 = 1, DRT_MEMORY_BF16 = 2, DRT_MEMORY_F32 = 3 /* tests only */ } drt_memory_type;

typedef struct {
    drt_library_mode mode;
    const drt_model *model;      /* its fingerprint is checked; NULL: not checked (READ, UPDATE only) */
    drt_memory_type memory_type; /* of a new library */
} drt_library_params;

drt_library_params drt_library_params_default(void); /* READ, NULL, INT8 */
drt_status drt_library_open(drt_context *context, const char *path, const drt_library_params *params,
                            drt_library **library);
void drt_library_close(drt_library *library);

typedef struct {
    int64_t documents, partial, skipped; /* documents: with text in the library, partial ones included */
    int64_t chunks, dead_chunks;         /* chunks: dead ones included */
    int64_t text_bytes;                  /* normalised text */
    int64_t disk_bytes;
    int64_t sessions;
    int chunk_size, d_model;
    drt_memory_type memory_type;
    uint8_t fingerprint[DRT_FINGERPRINT_SIZE];
    drt_string model_name, model_directory; /* of the model that built it; valid until close */
} drt_library_facts;

drt_status drt_library_inspect(drt_context *context, drt_library *library, drt_library_facts *facts);

typedef enum { DRT_DOCUMENT_OK, DRT_DOCUMENT_PARTIAL, DRT_DOCUMENT_SKIPPED } drt_document_status;

/* One catalog row. Strings are owned; drt_document_clear frees them. */
typedef struct {
    int64_t id;       /* the N of doc:N, from 1 */
    drt_string path;  /* "archive.zip/inner/path.txt": valid UTF-8, may hold control characters */
    drt_string title; /* data NULL: none */
    drt_string *authors;
    size_t n_authors;
    drt_string date;   /* as the document gives it; data NULL: none */
    drt_string format; /* "text", "markdown", "html", "epub", ... */
    drt_document_status status;
    drt_string reason;    /* a sentence for partial and skipped; data NULL: none */
    int64_t replacements; /* characters that could not be decoded */
    int64_t bytes;        /* of the normalised text */
    int64_t chunks, first_chunk;
    drt_string *aliases; /* further paths of the same content */
    size_t n_aliases;
} drt_document;

void drt_document_clear(drt_document *document);

/* Visits documents by id. glob (fnmatch, '*' crosses '/') is matched against path and aliases;
 * NULL: all. include_skipped: also those without text. The visitor returns false to stop. */
drt_status drt_library_documents(drt_context *context, drt_library *library, const char *glob, bool include_skipped,
                                 bool (*visit)(void *user, const drt_document *document), void *user);
/* selector: "doc:N", or a path or alias in full. DRT_FAILED when there is none or several. */
drt_status drt_library_document(drt_context *context, drt_library *library, const char *selector, size_t length,
                                drt_document *document);
/* The whole normalised text. */
drt_status drt_library_text(drt_context *context, drt_library *library, int64_t document, drt_string *text);

typedef struct {
    int64_t id, document;
    int64_t start, end; /* bytes of the document's normalised text */
    bool dead;          /* removed: never retrieved, kept only in old traces */
} drt_chunk;

/* From this byte of a document's normalised text on, it stands on this page. */
typedef struct {
    int64_t start, page; /* pages from 1, as viewers count them */
} drt_page;

/* The page that byte `at` of a document's text stands on; 0: the document has no pages. */
drt_status drt_library_page(drt_context *context, drt_library *library, int64_t document, int64_t at, int64_t *page);

/* DRT_FAILED when the library has no such chunk. */
drt_status drt_library_chunk(drt_context *context, drt_library *library, int64_t chunk, drt_chunk *out);

/* Removes one path of a document, and the document with its last path; NULL: all its paths. UPDATE mode. */
drt_status drt_library_remove(drt_context *context, drt_library *library, const drt_document *document,
                              const char *path, size_t length);

typedef struct {
    int64_t chunks_checked, documents_checked;
    int64_t problems; /* each was passed to context's warn */
    int64_t bytes_freed;
} drt_verify_report;

/* Checks catalog, texts, slabs and their agreement; compact (UPDATE mode) then rewrites the slabs
 * without dead chunks' memory. Chunk ids stay. DRT_FAILED when there are problems. */
drt_status drt_library_verify(drt_context *context, drt_library *library, bool compact, drt_verify_report *report);

/* ------------------------------------------------------------------------- memory plan ---- */

/* What takes memory, in the order of drt_memory_plan.items. */
typedef enum {
    DRT_PLAN_WEIGHTS,
    DRT_PLAN_WORKING_SPACE, /* of running operations; 0 where the device has no memory of its own */
    DRT_PLAN_ENCODER,       /* while text is ingested */
    DRT_PLAN_READER,        /* these while questions are asked */
    DRT_PLAN_LANDMARKS,
    DRT_PLAN_RECORDS, /* the library's chunk memory: mapped, so the system may drop and read it again */
    DRT_PLAN_ITEMS
} drt_plan_part;

typedef struct {
    int64_t device_bytes; /* of the GPU's memory; 0 on the CPU */
    int64_t host_bytes;
} drt_plan_item;

/* What a model and a library would take on a device, and the sizes that follow from the memory there is. */
typedef struct {
    bool own_memory;                                      /* the device has memory of its own: a GPU */
    int64_t device_available, device_total, device_limit; /* bytes; limit 0: none was set */
    int64_t host_available, host_total;                   /* 0: not known */
    drt_plan_item items[DRT_PLAN_ITEMS];
    int64_t ingest_device_bytes, ask_device_bytes; /* sums of what is there at once */
    bool ingest_fits, ask_fits;                    /* false: the sums are the least that is needed */
    int batch_chunks;                              /* of one call of the encoder */
    int lanes;                                     /* questions answered side by side */
    int64_t chunks, resident_chunks;               /* of the library, and whose landmarks stay on the device */
} drt_memory_plan;

/* library NULL: an empty one. Nothing is loaded or allocated. directory: of the model. */
drt_status drt_memory_plan_make(drt_context *context, drt_device *device, const char *directory, drt_library *library,
                                drt_memory_plan *plan);

/* ------------------------------------------------------------------------------ ingest ---- */

/* The stages of an ingest. They overlap, with bounded queues between them: the slowest sets the pace of all. */
typedef enum {
    DRT_STAGE_READ,     /* files and archives -> bytes of members, hashed */
    DRT_STAGE_TOKENISE, /* bytes -> text -> tokens; compression and the words for the index */
    DRT_STAGE_ENCODE,   /* tokens -> chunk memory, on the device */
    DRT_STAGE_WRITE,    /* chunk memory -> disk */
    DRT_STAGE_INDEX,    /* catalog and full-text index, and what makes them durable */
    DRT_STAGES
} drt_stage;

/* What a stage has done so far. */
typedef struct {
    int64_t amount; /* READ: bytes of members, unpacked; all others: tokens */
    double busy;    /* seconds at work, of all its threads together; no waiting for other stages */
    int threads;
} drt_stage_facts;

/* "read", "tokenise", "encode", "write", "index". */
const char *drt_stage_name(drt_stage stage);
/* Amount a second while it works: what it could do if the others were faster. 0: nothing was measured. */
double drt_stage_rate(const drt_stage_facts *stage);
/* Share of the run's seconds that it worked, 0..1. */
double drt_stage_share(const drt_stage_facts *stage, double seconds);
/* Of what was measured: the stage that worked the largest share of the time, which the others wait for. */
drt_stage drt_stage_bottleneck(const drt_stage_facts stages[DRT_STAGES]);

typedef struct {
    int64_t members_done, members_failed; /* ok, partial and known ones; skipped ones */
    int64_t bytes_done, bytes_total;      /* of the source files; total 0 while unknown */
    int64_t chunks, tokens;               /* built in this run */
    double seconds;
    const char *current; /* path being read; valid during the call */
    size_t current_length;
    drt_stage_facts stages[DRT_STAGES];
} drt_progress;

/* What became of one member. Document fields as in the catalog; valid during the call. */
typedef struct {
    const drt_document *document;
    bool known; /* its content was there already (same path: unchanged, other path: alias) */
} drt_member;

typedef struct {
    const char *const *paths; /* archives, folders, files */
    size_t n_paths;
    void (*progress)(void *user, const drt_progress *progress); /* often; NULL: none */
    void (*member)(void *user, const drt_member *member);       /* once a member, in order; NULL: none */
    void *user;
    int threads; /* that tokenise; 0: as many as the device leaves room for */
    /* Globs as of drt_library_documents, compared with a member's path and with the last part of it; strings end with
     * NUL. Members that no `include` names (n_include 0: all are) or that some `exclude` names, and all that is in or
     * below an excluded archive or folder, are passed over: no rows, no calls of `member`. */
    const char *const *include, *const *exclude;
    size_t n_include, n_exclude;
    /* In the end, unless the run failed or was cancelled, remove the paths that came from one of `paths` before, are not
     * passed over, and were not met now; documents with their last path. What is in or below something that could not be
     * read wholly stays, and so does all of a source in which nothing was met. */
    bool sync;
    void (*removed)(void *user, const char *path, size_t length, int64_t document); /* each, once it is; NULL: none */
} drt_ingest_params;

typedef struct {
    int64_t ok, partial, skipped, known;
    int64_t removed;     /* paths, by `sync`; */
    int64_t unsure;      /* those that stay, not met, because what holds them was not read wholly, or is empty */
    int64_t passed_over; /* for the globs; an excluded folder or archive counts as one */
    int64_t chunks, tokens, text_bytes;
    double seconds;
    bool cancelled; /* stopped early; what was committed stays */
    drt_stage_facts stages[DRT_STAGES];
} drt_ingest_report;

/* Reads everything below the paths into the library (CREATE mode, opened with this model). Works in several threads;
 * the callbacks of params and context are called in the calling one alone. What is stored does not depend on the
 * number of threads.
 * DRT_OK: all is in. DRT_WARN: some members are partial or skipped. DRT_FATAL: the library could
 * not be written any more (full disk); what was committed stays. */
drt_status drt_ingest(drt_context *context, drt_library *library, drt_model *model, const drt_ingest_params *params,
                      drt_ingest_report *report);

/* What an ingest would do with a member. */
typedef enum {
    DRT_WOULD_ADD,    /* a new document */
    DRT_WOULD_CHANGE, /* other content than its path has in the library */
    DRT_WOULD_KNOW,   /* is in already */
    DRT_WOULD_ALIAS,  /* another path of content that is in, or is read before it */
    DRT_WOULD_SKIP,   /* can't be read, or is no document */
    DRT_WOULD_REMOVE, /* with `sync` */
    DRT_WOULDS
} drt_would;

typedef struct {
    drt_string path, format, reason; /* valid during the call; data NULL: none */
    drt_would would;
} drt_preview;

typedef struct {
    int64_t members[DRT_WOULDS];
    int64_t unsure, passed_over; /* as above */
    bool cancelled;
} drt_preview_report;

/* Reads everything below params' paths and tells what drt_ingest would do with each member; what is new is extracted for
 * that, by one thread. Writes nothing.
 * library: opened in any mode; NULL: there is none yet. Of params, the callbacks and threads are not used.
 * DRT_WARN: some members would be skipped. DRT_FATAL: the library can't be read, or out of memory. */
drt_status drt_ingest_preview(drt_context *context, drt_library *library, const drt_ingest_params *params,
                              void (*member)(void *user, const drt_preview *preview), drt_preview_report *report);

/* The programs that formats need and whether they are there, a line each, for `drt info`. `text` is owned. */
drt_status drt_helpers_describe(drt_context *context, drt_string *text);

/* One row of the table of formats, for `drt info --formats`. Returns false past the end. */
bool drt_format_describe(size_t index, const char **name, const char **extensions, const char **description);

/* ---------------------------------------------------------------- questions and search ---- */

typedef enum { DRT_RETRIEVER_LEARNED, DRT_RETRIEVER_BM25, DRT_RETRIEVER_BOTH, DRT_RETRIEVER_RANDOM } drt_retriever;

#define DRT_HISTOGRAM_BINS 64

typedef struct {
    int64_t start, end; /* bytes of a document's normalised text */
} drt_range;

/* One retrieved chunk. Strings and slots are owned by the answer or search result it is part of. */
typedef struct {
    int64_t chunk;
    int rank;            /* from 1, the proposer's order */
    float score, weight; /* q.e/sqrt(d); softmax over this event's hits */
    int64_t document_id;
    drt_string document; /* its path */
    drt_string title;    /* data NULL: none */
    drt_string *authors; /* (n_authors) as the document gives them, */
    size_t n_authors;
    drt_string date;    /* and this; data NULL: none */
    int64_t start, end; /* bytes in the document's normalised text */
    int64_t page;       /* that its text begins on; 0: the document has no pages */
    drt_string text;    /* exactly those bytes */
    /* (chunk_size) what each slot of the chunk stands for, so that attention can be laid over the passage: whole
     * characters within start..end, several slots may share them; start == end: <doc>, <par>, pads, the landmark.
     * NULL: not known (searches; a text that this model's tokens don't fit). */
    drt_range *slots;
} drt_hit;

/* What one group retrieved at one landmark. Step s: the landmark before the s-th reading chunk. */
typedef struct {
    int step, group; /* from 0 */
    float null_mass; /* attention that fell on the null slot; 1 without hits */
    double ms;       /* that finding the hits took; 0 in stored answers */
    drt_hit *hits;
    size_t n_hits;
    float histogram_low, histogram_high; /* range of all scores, live chunks only */
    uint32_t histogram[DRT_HISTOGRAM_BINS];
} drt_event;

typedef enum { DRT_FINISH_END, DRT_FINISH_LENGTH, DRT_FINISH_CANCELLED } drt_finish;

/* An answer with its whole trace: what a stored session replays. */
typedef struct {
    drt_string question, answer;
    int32_t *tokens; /* (n_tokens) generated ids without </s> */
    size_t n_tokens;
    int64_t *token_ends;  /* (n_tokens) bytes of `answer` after each token */
    int32_t *token_steps; /* (n_tokens) step whose chunks were read when each was written */
    drt_finish finish;
    drt_event *events; /* step-major: step 0 group 0, step 0 group 1, step 1 group 0, ... */
    size_t n_events;
    /* (n_tokens, n_groups, top_k, chunk_size) share of GCA attention on each slot of each hit when
     * the token was predicted: mean over heads and the group's layers, 255 = all of it. NULL: none. */
    uint8_t *attention;
    int n_groups, top_k, chunk_size;
    int64_t **bm25; /* (n_steps) BM25's ranking of each step: top_k chunk ids, -1 past the end */
    size_t n_steps;
    double first_token_ms, total_ms;
    char retriever[16];
    drt_string device, model;
    int64_t session;   /* id under which the library stored it; 0: not stored */
    bool question_cut; /* more than the 62 tokens that count were given */
} drt_answer;

void drt_answer_free(drt_answer *answer);

typedef struct {
    drt_retriever retriever;
    const char *document_glob; /* NULL: all documents */
    int max_tokens;
    float temperature; /* 0: greedy */
    float top_p;       /* of temperature sampling */
    uint64_t seed;
    bool store; /* keep the session in the library */
    /* The answer as it grows: `text` is what the new token adds (may be empty: part of a
     * character). NULL: none. */
    void (*token)(void *user, const char *text, size_t length);
    /* Each group's retrieval, in order, once the step's first token is out: as it will be in the answer, but for the
     * null mass, which that token alone has set so far, and the histogram, which is all zero. Valid during the
     * call. NULL: none. */
    void (*event)(void *user, const drt_event *event);
    void *user;
} drt_ask_params;

drt_ask_params drt_ask_params_default(void); /* LEARNED, NULL, 256, 0, 1, 0, true, NULL, NULL, NULL */

/* Asks and searches over one library with one model. Keeps buffers between questions. */
typedef struct drt_session drt_session;

drt_status drt_session_open(drt_context *context, drt_library *library, drt_model *model, drt_session **session);
void drt_session_close(drt_session *session);

/* DRT_WARN: answered, with a warning (question cut, session not stored). DRT_FAILED: this question
 * failed (empty, not UTF-8, nothing in the library to ask). A cancelled answer is DRT_OK with
 * finish DRT_FINISH_CANCELLED. */
drt_status drt_session_ask(drt_context *context, drt_session *session, const char *question, size_t length,
                           const drt_ask_params *params, drt_answer **answer);

/* Many questions, several of them answered at a time: what a question gets is what drt_session_ask gives it, in the
 * order of the questions, as soon as it and all before it are there. */

typedef struct {
    const char *text; /* copied */
    size_t length;
    const char *problem; /* a sentence: it can't be asked and fails with this. NULL: ask it */
} drt_batch_question;

typedef enum { DRT_BATCH_QUESTION, DRT_BATCH_NOT_YET, DRT_BATCH_END } drt_batch_next;

typedef struct {
    const char *question; /* as it was given; valid during the call */
    size_t length;
    drt_status status;  /* as drt_session_ask's; drt_error() is its sentence during the call. DRT_FATAL: so ends all */
    drt_answer *answer; /* the receiver's to free; NULL: failed */
} drt_batch_result;

typedef struct {
    drt_ask_params ask; /* of every question; its callbacks hear of the question whose turn it is */
    int lanes;          /* most questions answered at a time; 0: what suits the device */
    /* The next question. `wait`: nothing is under way, so it may take its time and must not give DRT_BATCH_NOT_YET;
     * else it should not wait. */
    drt_batch_next (*next)(void *user, bool wait, drt_batch_question *question);
    /* It is this question's turn: what tokens and events ask's callbacks hear of until `done` are its own. An answer
     * that was there before its turn comes without them. NULL: none. */
    void (*begin)(void *user, const char *question, size_t length);
    /* Once for every question that `next` gave, unless an earlier call returned false, which ends all. */
    bool (*done)(void *user, const drt_batch_result *result);
    void *user; /* of these three */
} drt_batch_params;

drt_batch_params drt_batch_params_default(void); /* drt_ask_params_default(), 0, no callbacks */

/* DRT_OK: every question taken was given to `done`, with whatever status, cancelled ones as far as they were. DRT_FATAL:
 * so were they, but the session is unusable. DRT_FAILED: nothing was asked (params). */
drt_status drt_session_ask_batch(drt_context *context, drt_session *session, const drt_batch_params *params);

typedef struct {
    drt_string query;
    drt_retriever retriever;
    drt_event *groups; /* one a retrieval group; bm25 and random: group 0 alone */
    size_t n_groups;
} drt_search_result;

void drt_search_result_free(drt_search_result *result);

typedef struct {
    drt_retriever retriever;
    const char *document_glob; /* NULL: all documents */
    int top;
    uint64_t seed; /* of the random retriever */
} drt_search_params;

drt_search_params drt_search_params_default(void); /* LEARNED, NULL, 8, 0 */

drt_status drt_session_search(drt_context *context, drt_session *session, const char *query, size_t length,
                              const drt_search_params *params, drt_search_result **result);

const char *drt_retriever_name(drt_retriever retriever);
bool drt_retriever_parse(const char *name, drt_retriever *retriever);

/* --------------------------------------------------------------------- stored sessions ---- */

typedef struct {
    int64_t id;
    int64_t time; /* seconds since 1970 */
    drt_string question, answer;
    size_t n_events;
} drt_session_summary;

/* Newest first. The visitor returns false to stop. */
drt_status drt_library_sessions(drt_context *context, drt_library *library,
                                bool (*visit)(void *user, const drt_session_summary *summary), void *user);
/* A stored answer, with its trace; no model is needed. DRT_FAILED when there is none. */
drt_status drt_library_session_load(drt_context *context, drt_library *library, int64_t session, drt_answer **answer);
drt_status drt_library_session_delete(drt_context *context, drt_library *library, int64_t session);

/* ------------------------------------------------------------------------------- bench ---- */

/* One operation of the device at the model's shapes, against what its bytes and its arithmetic would take at the ceilings.
 * Strings are valid during the call that hands it over. */
typedef struct {
    const char *operation, *shape;
    const char *error;        /* NULL, or why it could not be measured; then the rest is 0 */
    double seconds;           /* of a call, median */
    double bytes, link_bytes; /* of the device's memory; between it and the host's memory */
    double flop;
    double bound;      /* seconds */
    const char *limit; /* which ceiling that is: "copy", "link" or "product" */
} drt_bench_operation;

typedef struct {
    int slots;      /* of a full batch, a multiple of the chunk's; 0: 2048, on a GPU 65536 */
    int64_t chunks; /* of a library that is searched; 0: 16384, 262144 and 1048576 */
    void (*operation)(void *user, const drt_bench_operation *operation); /* each, in turn */
    void *user;
} drt_bench_ops_params;

typedef struct {
    double copy_rate; /* bytes/s, read and written ones both counted */
    double link_rate; /* bytes/s from pinned host memory to the device's */
    double gemm_rate; /* FLOP/s of a large matrix product */
} drt_bench_ops_report;

/* The report's ceilings are there before the first operation is handed over. */
drt_status drt_bench_ops(drt_context *context, drt_model *model, const drt_bench_ops_params *params,
                         drt_bench_ops_report *report);

typedef struct {
    const char *const *paths; /* what to ingest; n_paths 0: text made up for the purpose */
    size_t n_paths;
    int64_t tokens;        /* of the text that is made up, about */
    const char *directory; /* an existing folder for a temporary library */
} drt_bench_ingest_params;

typedef struct {
    int64_t tokens, chunks; /* ingested; landmarks and pads not counted as tokens */
    double seconds;         /* of the whole ingest: reading, tokens, network, writing, commit */
    double flop_per_token;  /* of the model: products and attention of every slot, pads and landmarks included */
    double gemm_rate;       /* FLOP/s of the products alone at the model's shapes, measured before and after */
    double share;           /* flop_per_token * tokens / seconds / gemm_rate */
    double encoder_rate;    /* tokens/s of the encoder alone: token ids in, chunk memory in host memory out */
    drt_stage_facts stages[DRT_STAGES];
    int64_t peak_bytes; /* largest resident memory of the process so far; 0: not known here */
    int64_t anonymous_bytes;
    int64_t device_bytes; /* of a GPU's memory in use after the ingest, by whomever; 0: no GPU */
} drt_bench_ingest_report;

/* Ingests into a temporary library and removes it. */
drt_status drt_bench_ingest(drt_context *context, drt_model *model, const drt_bench_ingest_params *params,
                            drt_bench_ingest_report *report);

typedef struct {
    int64_t chunks;        /* of the library, filled with random landmarks and memory */
    int questions;         /* asked after one that is not counted */
    int max_tokens;        /* of an answer */
    int batch;             /* questions asked all at once after that; 0: none */
    const char *directory; /* an existing folder for a temporary library */
} drt_bench_ask_params;

typedef struct {
    double first_token_ms, p95_ms, slowest_ms; /* from the question to its first token: median, 95th of 100, worst */
    double token_ms;                           /* each further token, median; 0: there were none */
    double total_ms;                           /* a whole answer with its trace, median, */
    double tokens;                             /* and how many tokens it has, mean */
    double batch_rate;                         /* questions/s when many are asked at once; 0: batch was 0 */
    int64_t library_bytes;                     /* on disk */
    int64_t peak_bytes;                        /* as above */
    int64_t anonymous_bytes;                   /* resident memory that no file backs (RssAnon), after the questions */
    int64_t device_bytes;                      /* of a GPU's memory in use then, by whomever; 0: no GPU */
} drt_bench_ask_report;

/* Asks a library of random memory and removes it. */
drt_status drt_bench_ask(drt_context *context, drt_model *model, const drt_bench_ask_params *params,
                         drt_bench_ask_report *report);

/* -------------------------------------------------------------------------- evaluation ---- */

/* What is hidden in a text and asked for: facts of one sentence, facts whose first sentence leads to a second one far away
 * from it, pass keys. */
typedef enum { DRT_EVAL_ONE_HOP, DRT_EVAL_TWO_HOP, DRT_EVAL_PASS_KEY, DRT_EVAL_KINDS } drt_eval_kind;

const char *drt_eval_kind_name(drt_eval_kind kind); /* "one-hop", "two-hop", "pass key" */

/* The text, kept in memory with the tokens of each paragraph, and the model that is asked. */
typedef struct drt_eval drt_eval;

/* Reads the paths (n_paths 0: text is made up) until `tokens` of text are there or nothing more is. The model must outlive
 * the evaluation. DRT_FAILED: no such path, no text in it, or cancelled. */
drt_status drt_eval_open(drt_context *context, drt_model *model, const char *const *paths, size_t n_paths,
                         int64_t tokens, drt_eval **eval);
void drt_eval_close(drt_eval *eval);
int64_t drt_eval_tokens(const drt_eval *eval); /* of the text that was read */

/* One sentence of what was hidden. */
typedef struct {
    drt_string text;
    double depth;                    /* 0 .. 1 of the library's text */
    int64_t first_chunk, last_chunk; /* that hold it */
    int rank[DRT_MAX_GROUPS]; /* the best of these among what the group retrieved at first, from 1; 0: not there */
} drt_eval_sentence;

/* One question. All is borrowed, valid during the call. */
typedef struct {
    drt_eval_kind kind;
    const char *pattern; /* "birthplace", "two-hop box", ... */
    drt_string question, expected;
    drt_eval_sentence sentences[2];
    size_t n_sentences; /* 1, or 2 of two hops */
    const drt_answer *answer;
    bool right; /* the answer is the expected one, but for case, punctuation and articles */
} drt_eval_result;

typedef struct {
    bool pass_keys; /* pass keys one at a time; else facts */
    int64_t tokens; /* of a library, what is hidden included; text that is shorter is passed over again, its
                              paragraphs shuffled */
    int needles;    /* facts or pass keys to ask for, 1 .. DRT_EVAL_NEEDLES */
    int together;   /* facts hidden in one library, at most; fewer where they would stand closer than a sentence in
                              two chunks. As many libraries are made as it takes. */
    int lanes;      /* facts asked at a time; 1: one by one; 0: what suits the device */
    uint64_t seed;
    const char *directory; /* an existing folder for temporary libraries */
    drt_memory_type memory_type;
    void (*progress)(void *user, const drt_progress *progress); /* of each ingest; NULL: none */
    void (*result)(void *user, const drt_eval_result *result);  /* each question; NULL: none */
    void *user;
} drt_eval_params;

#define DRT_EVAL_NEEDLES 2000

drt_eval_params drt_eval_params_default(void); /* facts, 16384, 200, 60, 1, 1, "/tmp", INT8, NULL, NULL, NULL */

/* Answers of one kind. */
typedef struct {
    int asked, right;
    double low, high; /* 95 % interval of the share of right ones (Wilson); 0 and 1 when none were asked */
    /* Questions for which each group's first top_k chunks held some of the first sentence, of the second one, of any. */
    int found_first[DRT_MAX_GROUPS], found_second[DRT_MAX_GROUPS], found_any[DRT_MAX_GROUPS];
} drt_eval_score;

typedef struct {
    drt_eval_score scores[DRT_EVAL_KINDS];
    int libraries;                      /* made one after the other */
    int together;                       /* most facts in one of them */
    int64_t passes;                     /* over the text, begun ones included */
    int64_t tokens, chunks;             /* of the last library, before pass keys */
    int64_t library_bytes;              /* of that on disk */
    double ingest_seconds, ingest_rate; /* of all libraries; tokens a second */
    double ask_seconds;                 /* of all questions */
    double retrieval_ms; /* median: finding the chunks of all groups for a question's first reading chunk */
    double first_token_ms, slowest_ms, answer_ms; /* median and worst to the first token; median of whole answers */
    int64_t peak_bytes, anonymous_bytes;          /* as of the benchmarks */
    int64_t device_bytes;                         /* of a GPU's memory in use after questions, by whomever; 0: no GPU */
    double seconds;
} drt_eval_report;

/* Do the values make sense, and is there room for a library in the directory? DRT_FAILED: no. An evaluation begins with
 * this; it can be asked before text is read. */
drt_status drt_eval_check(drt_context *context, const drt_model *model, const drt_eval_params *params);
/* Makes temporary libraries, asks, and removes them. DRT_FAILED: as of drt_eval_check, or cancelled. */
drt_status drt_eval_run(drt_context *context, drt_eval *eval, const drt_eval_params *params, drt_eval_report *report);

#ifdef __cplusplus
}
#endif
#endif
