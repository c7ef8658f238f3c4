/* ask.c: how long answers take over a library of any size. Landmarks are random, so every question reads chunks from
 * all over the library; records are taken from a small stock, in an order that scatters them. A word of a question
 * stands in about one chunk of fifty, as words that say something do in books. */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include "engine/base/file.h"
#include "engine/bench/bench.h"
#include "engine/library/store.h"
#include "engine/network/memory.h"

#define CHUNKS_OF_A_DOCUMENT 1000
#define DOCUMENTS_OF_A_COMMIT 50
#define CHUNKS_OF_A_WRITE 250
#define WORDS_OF_A_CHUNK 12
#define VOCABULARY 600               /* different words */
#define STOCK 61                     /* different records */
#define CATALOG_BYTES_OF_A_CHUNK 400 /* text, range, index; about twice what stays, for journals */

static const char *const questions[] = {
    "Who built the old bridge over the river?",      "When was the letter of the captain found?",
    "How many houses were there in the village?",    "What did the teacher carry to the market?",
    "Where is the clock that was opened in winter?",
};

#define N_QUESTIONS (sizeof questions / sizeof *questions)

/* What a library is filled with. */
typedef struct {
    drt_context *context;
    drt_library *library;
    const drt_config *config;
    size_t record_size;
    uint8_t *stock;      /* STOCK records */
    uint8_t *records;    /* CHUNKS_OF_A_WRITE records */
    float *values;       /* a chunk's y, or landmarks of one write */
    uint16_t *landmarks; /* (CHUNKS_OF_A_WRITE,d) */
    uint64_t random;
    int64_t written;
} filling;

/* -1 .. 1, all of n. */
static void fill_random(filling *f, size_t n) {
    for (size_t i = 0; i < n; i++) {
        f->random = f->random * 6364136223846793005u + 1442695040888963407u;
        f->values[i] = (float)(f->random >> 40) / 8388608.0f - 1;
    }
}

static drt_status prepare(filling *f) {
    size_t S = (size_t)f->config->chunk_size, d = (size_t)f->config->d_model;
    size_t floats = (S > CHUNKS_OF_A_WRITE ? S : CHUNKS_OF_A_WRITE) * d;
    f->record_size = drt_memory_record_size(DRT_MEMORY_INT8, f->config->chunk_size, f->config->d_model);
    f->stock = malloc(STOCK * f->record_size);
    f->records = malloc(CHUNKS_OF_A_WRITE * f->record_size);
    f->values = malloc(floats * sizeof *f->values);
    f->landmarks = malloc(CHUNKS_OF_A_WRITE * d * sizeof *f->landmarks);
    if (!f->stock || !f->records || !f->values || !f->landmarks)
        return drt_fail_memory(f->context, "the benchmark's library");
    for (size_t i = 0; i < STOCK; i++) {
        fill_random(f, S * d);
        drt_memory_pack(DRT_MEMORY_INT8, f->config->chunk_size, f->config->d_model, f->values,
                        f->stock + i * f->record_size);
    }
    return DRT_OK;
}

static drt_status append(filling *f, size_t n) {
    size_t d = (size_t)f->config->d_model;
    fill_random(f, n * d);
    drt_half_from_float(f->values, f->landmarks, n * d);
    for (size_t i = 0; i < n; i++)
        memcpy(f->records + i * f->record_size,
               f->stock + (size_t)((f->written + (int64_t)i) * 37 % STOCK) * f->record_size, f->record_size);
    f->written += (int64_t)n;
    return drt_store_append(f->context, f->library, n, f->landmarks, f->records);
}

/* The text and its division; each chunk's range is an equal part of the text. */
static drt_status begin_document(filling *f, int64_t number, size_t n_chunks) {
    drt_buffer text = {0}, path = {0};
    drt_range *ranges = calloc(n_chunks, sizeof *ranges);
    int64_t document;
    bool ok = ranges && drt_bench_text(&text, (int64_t)n_chunks * WORDS_OF_A_CHUNK, VOCABULARY, (uint64_t)number + 1) &&
              drt_buffer_printf(&path, "bench/%lld.txt", (long long)number);
    drt_status status = ok ? DRT_OK : drt_fail_memory(f->context, "the benchmark's text");
    if (ok) {
        for (size_t i = 0; i < n_chunks; i++)
            ranges[i] = (drt_range){(int64_t)(text.length * i / n_chunks), (int64_t)(text.length * (i + 1) / n_chunks)};
        drt_document_facts facts = {
            .archive = "bench", .archive_length = 5, .path = path.data, .path_length = path.length};
        facts.format = "text";
        memcpy(facts.sha256, &number, sizeof number);
        facts.sha256[DRT_HASH_SIZE - 1] = 1; /* never all zero */
        status = drt_store_begin(f->context, f->library, &facts, text.data, text.length, ranges, n_chunks, &document);
    }
    free(ranges);
    drt_buffer_free(&text);
    drt_buffer_free(&path);
    return status;
}

static drt_status add_document(filling *f, int64_t number, size_t n_chunks) {
    drt_status status = begin_document(f, number, n_chunks);
    for (size_t done = 0, n; done < n_chunks && status == DRT_OK; done += n) {
        n = n_chunks - done < CHUNKS_OF_A_WRITE ? n_chunks - done : CHUNKS_OF_A_WRITE;
        status = append(f, n);
    }
    return status == DRT_OK ? drt_store_end(f->context, f->library) : status;
}

static drt_status fill_library(drt_context *context, drt_library *library, const drt_config *config, int64_t chunks) {
    filling f = {.context = context, .library = library, .config = config};
    drt_status status = prepare(&f);
    for (int64_t number = 0; f.written < chunks && status == DRT_OK; number++) {
        int64_t left = chunks - f.written;
        status = drt_cancelled(context)
                     ? drt_bench_cancelled(context)
                     : add_document(&f, number, (size_t)(left < CHUNKS_OF_A_DOCUMENT ? left : CHUNKS_OF_A_DOCUMENT));
        if (status == DRT_OK && (number % DOCUMENTS_OF_A_COMMIT == DOCUMENTS_OF_A_COMMIT - 1 || f.written == chunks))
            status = drt_store_commit(context, library);
    }
    free(f.stock);
    free(f.records);
    free(f.values);
    free(f.landmarks);
    return status;
}

/* ------------------------------------------------------------------------------- asking ---- */

/* Times of all answers, seconds and milliseconds. */
typedef struct {
    drt_context *context;
    drt_session *session;
    drt_ask_params params;
    double *first_token_ms, *total_ms; /* (n_answers) */
    double *token_ms;                  /* (n_tokens) what each token after an answer's first one took */
    size_t n_answers, n_tokens;
    double last_token; /* when it came; 0: this answer has none yet */
} asking;

static void on_token(void *user, const char *text, size_t length) {
    asking *a = user;
    double now = drt_bench_clock();
    (void)text;
    (void)length;
    if (a->last_token > 0)
        a->token_ms[a->n_tokens++] = 1000 * (now - a->last_token);
    a->last_token = now;
}

/* The answer's times are added to those so far. */
static drt_status ask(asking *a, const char *question) {
    drt_answer *answer = NULL;
    a->last_token = 0;
    drt_status status = drt_session_ask(a->context, a->session, question, strlen(question), &a->params, &answer);
    if (status < DRT_WARN)
        return status;
    bool cut_off = answer->finish == DRT_FINISH_CANCELLED;
    a->first_token_ms[a->n_answers] = answer->first_token_ms;
    a->total_ms[a->n_answers++] = answer->total_ms;
    drt_answer_free(answer);
    return cut_off ? drt_bench_cancelled(a->context) : DRT_OK;
}

static void sum_up(asking *a, drt_bench_ask_report *report) {
    report->first_token_ms = drt_bench_median(a->first_token_ms, a->n_answers); /* sorts them */
    report->p95_ms = a->first_token_ms[(size_t)ceil(0.95 * (double)a->n_answers) - 1];
    report->slowest_ms = a->first_token_ms[a->n_answers - 1];
    report->total_ms = drt_bench_median(a->total_ms, a->n_answers);
    report->tokens = (double)(a->n_tokens + a->n_answers) / (double)a->n_answers;
    if (a->n_tokens)
        report->token_ms = drt_bench_median(a->token_ms, a->n_tokens);
}

static drt_status ask_all(asking *a, int n) {
    drt_status status = ask(a, questions[0]);
    a->n_answers = a->n_tokens = 0; /* it is not counted */
    for (int i = 0; i < n && status == DRT_OK; i++)
        status = ask(a, questions[(size_t)(i + 1) % N_QUESTIONS]);
    return status;
}

static drt_status measure_answers(drt_context *context, drt_session *session, const drt_bench_ask_params *params,
                                  drt_bench_ask_report *report) {
    asking a = {.context = context, .session = session, .params = drt_ask_params_default()};
    size_t n = (size_t)params->questions, n_tokens = n * (size_t)params->max_tokens;
    a.params.max_tokens = params->max_tokens;
    a.params.store = false;
    a.params.token = on_token;
    a.params.user = &a;
    a.first_token_ms = malloc(n * sizeof *a.first_token_ms);
    a.total_ms = malloc(n * sizeof *a.total_ms);
    a.token_ms = malloc(n_tokens * sizeof *a.token_ms);
    bool ok = a.first_token_ms && a.total_ms && a.token_ms;
    drt_status status = ok ? ask_all(&a, params->questions) : drt_fail_memory(context, "the benchmark's times");
    if (status == DRT_OK)
        sum_up(&a, report);
    free(a.first_token_ms);
    free(a.total_ms);
    free(a.token_ms);
    return status;
}

/* What the allocator keeps from filling the library is not the questions' memory. */
static void release_free_memory(void) {
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}

static drt_status measure(drt_context *context, drt_model *model, const drt_bench_ask_params *params, const char *path,
                          drt_bench_ask_report *report) {
    drt_library *library = NULL;
    drt_session *session = NULL;
    drt_library_facts facts;
    drt_library_params open = {.mode = DRT_LIBRARY_CREATE, .model = model, .memory_type = DRT_MEMORY_INT8};
    drt_status status = drt_library_open(context, path, &open, &library);
    if (status == DRT_OK)
        status = fill_library(context, library, drt_model_config(model), params->chunks);
    if (status == DRT_OK) {
        /* Asked as a reader, as `drt ask` does it. */
        drt_library_close(library);
        library = NULL;
        release_free_memory();
        open.mode = DRT_LIBRARY_READ;
        status = drt_library_open(context, path, &open, &library);
    }
    if (status == DRT_OK)
        status = drt_library_inspect(context, library, &facts);
    if (status == DRT_OK)
        status = drt_session_open(context, library, model, &session);
    if (status == DRT_OK) {
        report->library_bytes = facts.disk_bytes;
        status = measure_answers(context, session, params, report);
    }
    if (status == DRT_OK && params->batch > 0)
        status = drt_bench_batch(context, session, params->batch, params->max_tokens, &report->batch_rate);
    if (status == DRT_OK) {
        drt_bench_memory(&report->peak_bytes, &report->anonymous_bytes);
        report->device_bytes = drt_bench_device_memory(model);
    }
    drt_session_close(session);
    drt_library_close(library);
    return status;
}

/* About, and rather more. */
static int64_t bytes_on_disk(const drt_model *model, int64_t chunks) {
    const drt_config *c = &model->config;
    int64_t record = (int64_t)drt_memory_record_size(DRT_MEMORY_INT8, c->chunk_size, c->d_model);
    return chunks * (record + 2 * c->d_model + CATALOG_BYTES_OF_A_CHUNK);
}

drt_status drt_bench_ask(drt_context *context, drt_model *model, const drt_bench_ask_params *params,
                         drt_bench_ask_report *report) {
    drt_string scratch = {0}, library = {0};
    *report = (drt_bench_ask_report){0};
    if (params->chunks < 1 || params->questions < 1 || params->max_tokens < 1 || params->batch < 0)
        return drt_fail(context, DRT_FAILED, "the benchmark needs at least one chunk, one question and one token");
    drt_status status = drt_bench_check_space(context, params->directory, bytes_on_disk(model, params->chunks));
    if (status == DRT_OK)
        status = drt_bench_scratch_new(context, params->directory, &scratch);
    if (status == DRT_OK)
        status = drt_path_join(&library, scratch.data, "library")
                     ? measure(context, model, params, library.data, report)
                     : drt_fail_memory(context, "the benchmark's library");
    drt_bench_scratch_remove(&scratch);
    drt_string_free(&library);
    return status;
}
