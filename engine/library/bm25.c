/* bm25.c: BM25 over the chunks' texts: from a text to a full-text query, and its best chunks.
 * See store.h. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/utf8.h"
#include "engine/library/library.h"
#include "engine/library/terms.h"

/* Terms of one query that count; a question and its whole answer have a few hundred. */
#define MAX_TERMS 1024

/* ------------------------------------------------------------------------------- query ---- */

/* Sorted by strcmp. The single letters are what apostrophes leave behind. */
static const char *const stop_words[] = {
    "a",          "about",     "above",    "after",      "again", "against", "all",   "am",      "an",      "and",
    "any",        "are",       "as",       "at",         "be",    "because", "been",  "before",  "being",   "below",
    "between",    "both",      "but",      "by",         "can",   "could",   "d",     "did",     "do",      "does",
    "doing",      "don",       "down",     "during",     "each",  "few",     "for",   "from",    "further", "had",
    "has",        "have",      "having",   "he",         "her",   "here",    "hers",  "herself", "him",     "himself",
    "his",        "how",       "i",        "if",         "in",    "into",    "is",    "it",      "its",     "itself",
    "just",       "ll",        "m",        "me",         "more",  "most",    "my",    "myself",  "no",      "nor",
    "not",        "now",       "of",       "off",        "on",    "once",    "only",  "or",      "other",   "our",
    "ours",       "ourselves", "out",      "over",       "own",   "re",      "s",     "same",    "she",     "should",
    "so",         "some",      "such",     "t",          "than",  "that",    "the",   "their",   "theirs",  "them",
    "themselves", "then",      "there",    "these",      "they",  "this",    "those", "through", "to",      "too",
    "under",      "until",     "up",       "ve",         "very",  "was",     "we",    "were",    "what",    "when",
    "where",      "which",     "while",    "who",        "whom",  "why",     "will",  "with",    "would",   "you",
    "your",       "yours",     "yourself", "yourselves",
};

static bool is_stop_word(const char *term, size_t length) {
    size_t low = 0, high = sizeof stop_words / sizeof *stop_words;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *word = stop_words[middle];
        int order = strncmp(term, word, length);
        if (order == 0 && word[length] == 0)
            return true;
        if (order > 0)
            low = middle + 1;
        else
            high = middle;
    }
    return false;
}

/* A quoted term, or a phrase of two characters, inside query_builder.query. */
typedef struct {
    size_t start, length;
} query_term;

typedef struct {
    bool keep_stop_words;
    drt_buffer query; /* "term" OR "term" ... */
    query_term terms[MAX_TERMS];
    size_t n_terms;
    bool failed; /* out of memory */
    /* The unspaced character before (see terms.h): a copy of its bytes and where it ended. */
    char before[8];
    size_t before_length;
    int before_end;
    bool before_used; /* as part of a pair */
} query_builder;

static bool is_known(const query_builder *builder, const char *quoted, size_t length) {
    for (size_t i = 0; i < builder->n_terms; i++)
        if (builder->terms[i].length == length &&
            memcmp(builder->query.data + builder->terms[i].start, quoted, length) == 0)
            return true;
    return false;
}

/* Adds "first" or "first second". Terms come from the tokenizer: they hold no quote. */
static void add_term(query_builder *builder, const char *first, size_t first_length, const char *second,
                     size_t second_length) {
    drt_buffer quoted = {0};
    bool ok = drt_buffer_append_byte(&quoted, '"') && drt_buffer_append(&quoted, first, first_length);
    if (second_length)
        ok = ok && drt_buffer_append_byte(&quoted, ' ') && drt_buffer_append(&quoted, second, second_length);
    ok = ok && drt_buffer_append_byte(&quoted, '"');
    if (ok && builder->n_terms < MAX_TERMS && !is_known(builder, quoted.data, quoted.length)) {
        ok = builder->n_terms == 0 || drt_buffer_append_text(&builder->query, " OR ");
        size_t start = builder->query.length;
        ok = ok && drt_buffer_append(&builder->query, quoted.data, quoted.length);
        if (ok)
            builder->terms[builder->n_terms++] = (query_term){start, quoted.length};
    }
    drt_buffer_free(&quoted);
    if (!ok)
        builder->failed = true;
}

/* A character without a neighbour stands for itself. */
static void end_run(query_builder *builder) {
    if (builder->before_length && !builder->before_used)
        add_term(builder, builder->before, builder->before_length, NULL, 0);
    builder->before_length = 0;
}

static void add_character(query_builder *builder, const char *term, size_t length, int start, int end) {
    /* Spreading puts exactly two spaces between neighbours. */
    bool neighbour = builder->before_length && start - builder->before_end == 2;
    if (neighbour)
        add_term(builder, builder->before, builder->before_length, term, length);
    else
        end_run(builder);
    memcpy(builder->before, term, length);
    builder->before_length = length;
    builder->before_end = end;
    builder->before_used = neighbour;
}

static bool add_word(void *user, const char *term, size_t length, int start, int end) {
    query_builder *builder = user;
    uint32_t c;
    if (length == 0)
        return true;
    if (length < sizeof builder->before && drt_utf8_decode(term, length, &c) == length && drt_terms_unspaced(c)) {
        add_character(builder, term, length, start, end);
    } else {
        end_run(builder);
        if (builder->keep_stop_words || !is_stop_word(term, length))
            add_term(builder, term, length, NULL, 0);
    }
    return !builder->failed && builder->n_terms < MAX_TERMS;
}

static drt_status collect_terms(drt_context *context, const drt_terms *terms, const drt_buffer *spread,
                                query_builder *builder) {
    drt_status status = drt_terms_visit(context, terms, spread->data, spread->length, add_word, builder);
    if (status == DRT_OK)
        end_run(builder);
    return status == DRT_OK && builder->failed ? drt_fail_memory(context, "a search") : status;
}

/* An FTS5 query; without any term, its length is 0. */
static drt_status build_query(drt_context *context, const drt_library *library, const char *text, size_t length,
                              drt_buffer *query) {
    drt_buffer spread = {0};
    query_builder *builder = calloc(1, sizeof *builder);
    drt_terms terms = {0};
    drt_status status = DRT_OK;
    if (!builder || !drt_terms_spread(&spread, text, length))
        status = drt_fail_memory(context, "a search");
    if (status == DRT_OK)
        status = drt_terms_open(context, &library->catalog, false, &terms);
    if (status == DRT_OK)
        status = collect_terms(context, &terms, &spread, builder);
    /* A text of stop words alone is looked for with them. */
    if (status == DRT_OK && builder->n_terms == 0) {
        builder->keep_stop_words = true;
        status = collect_terms(context, &terms, &spread, builder);
    }
    drt_terms_close(&terms);
    drt_buffer_free(&spread);
    if (status == DRT_OK)
        *query = builder->query;
    else if (builder)
        drt_buffer_free(&builder->query);
    free(builder);
    return status;
}

/* ------------------------------------------------------------------------------ ranking ---- */

typedef struct {
    double score; /* SQLite's bm25(): smaller is better */
    int64_t chunk;
} ranked;

/* Keeps the best `top` in order; equal scores by chunk id, which ascends. */
static void rank_chunk(ranked *best, int top, int *count, double score, int64_t chunk) {
    if (*count == top && !(score < best[top - 1].score))
        return;
    int at = *count < top ? (*count)++ : top - 1;
    for (; at > 0 && score < best[at - 1].score; at--)
        best[at] = best[at - 1];
    best[at] = (ranked){score, chunk};
}

static drt_status run_query(drt_context *context, const drt_library *library, const drt_buffer *text,
                            const uint64_t *mask, int64_t n_chunks, int top, ranked *best, int *count) {
    sqlite3_stmt *query;
    bool row = true;
    drt_status status = drt_catalog_prepare(
        context, &library->catalog, &query,
        "SELECT rowid, bm25(passages) FROM passages WHERE passages MATCH ?1 AND rowid < ?2 ORDER BY rowid",
        DRT_VALUES(drt_value_text(text->data, text->length), drt_value_integer(n_chunks)));
    for (int64_t seen = 1; status == DRT_OK; seen++) {
        status = drt_catalog_step(context, &library->catalog, query, &row);
        if (status != DRT_OK || !row)
            break;
        int64_t chunk = sqlite3_column_int64(query, 0);
        if (chunk >= 0 && chunk < n_chunks && (!mask || mask[chunk / 64] >> chunk % 64 & 1))
            rank_chunk(best, top, count, sqlite3_column_double(query, 1), chunk);
        if (seen % 4096 == 0 && drt_cancelled(context))
            status = drt_fail(context, DRT_FAILED, "the search was cancelled");
    }
    sqlite3_finalize(query);
    return status;
}

drt_status drt_store_bm25(drt_context *context, drt_library *library, const char *text, size_t length,
                          const uint64_t *mask, int64_t n_chunks, int top, int64_t *chunks, int *count) {
    drt_buffer query = {0};
    *count = 0;
    if (top <= 0 || n_chunks <= 0)
        return DRT_OK;
    ranked *best = malloc((size_t)top * sizeof *best);
    if (!best)
        return drt_fail_memory(context, "a search");
    drt_status status = build_query(context, library, text, length, &query);
    if (status == DRT_OK && query.length)
        status = run_query(context, library, &query, mask, n_chunks, top, best, count);
    for (int i = 0; i < *count; i++)
        chunks[i] = best[i].chunk;
    drt_buffer_free(&query);
    free(best);
    return status;
}
