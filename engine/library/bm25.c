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

/* Rows: chunk and score of a query, ascending by chunk. */
static drt_status start_query(drt_context *context, const drt_library *library, const drt_buffer *text,
                              int64_t n_chunks, sqlite3_stmt **query) {
    return drt_catalog_prepare(
        context, &library->catalog, query,
        "SELECT rowid, bm25(passages) FROM passages WHERE passages MATCH ?1 AND rowid < ?2 ORDER BY rowid",
        DRT_VALUES(drt_value_text(text->data, text->length), drt_value_integer(n_chunks)));
}

/* The next row; *chunk is -1 behind the last one. *seen counts. */
static drt_status next_row(drt_context *context, const drt_library *library, sqlite3_stmt *query, int64_t *seen,
                           int64_t *chunk) {
    bool row;
    drt_status status = drt_catalog_step(context, &library->catalog, query, &row);
    *chunk = status == DRT_OK && row ? sqlite3_column_int64(query, 0) : -1;
    if (status == DRT_OK && ++*seen % 4096 == 0 && drt_cancelled(context))
        status = drt_fail(context, DRT_FAILED, "the search was cancelled");
    return status;
}

/* What is being searched, and the best so far. */
typedef struct {
    const drt_library *library;
    const uint64_t *mask;
    int64_t n_chunks, seen;
    int top, count;
    ranked *best;
} search;

static bool is_asked(const search *s, int64_t chunk) {
    return chunk < s->n_chunks && (!s->mask || s->mask[chunk / 64] >> chunk % 64 & 1);
}

static drt_status run_query(drt_context *context, search *s, const drt_buffer *text) {
    sqlite3_stmt *query;
    int64_t chunk = 0;
    drt_status status = start_query(context, s->library, text, s->n_chunks, &query);
    while (status == DRT_OK && (status = next_row(context, s->library, query, &s->seen, &chunk)) == DRT_OK &&
           chunk >= 0)
        if (is_asked(s, chunk))
            rank_chunk(s->best, s->top, &s->count, sqlite3_column_double(query, 1), chunk);
    sqlite3_finalize(query);
    return status;
}

static bool is_ranked(const search *s, int64_t chunk) {
    for (int i = 0; i < s->count; i++)
        if (s->best[i].chunk == chunk)
            return true;
    return false;
}

/* Chunks that hold `first` and before one that begins with `second`. */
static drt_status run_border(drt_context *context, search *s, const drt_buffer *first, const drt_buffer *second) {
    sqlite3_stmt *ends = NULL, *begins = NULL;
    int64_t end = -1, begin = -1;
    drt_status status = start_query(context, s->library, first, s->n_chunks, &ends);
    if (status == DRT_OK)
        status = start_query(context, s->library, second, s->n_chunks, &begins);
    if (status == DRT_OK)
        status = next_row(context, s->library, ends, &s->seen, &end);
    if (status == DRT_OK)
        status = next_row(context, s->library, begins, &s->seen, &begin);
    while (status == DRT_OK && end >= 0 && begin >= 0) {
        if (begin == end + 1 && is_asked(s, end) && !is_ranked(s, end))
            rank_chunk(s->best, s->top, &s->count, sqlite3_column_double(ends, 1), end);
        status = begin > end + 1 ? next_row(context, s->library, ends, &s->seen, &end)
                                 : next_row(context, s->library, begins, &s->seen, &begin);
    }
    sqlite3_finalize(ends);
    sqlite3_finalize(begins);
    return status;
}

/* Looks for the query's pairs of unspaced characters where the border between two chunks cuts them. */
static drt_status run_borders(drt_context *context, search *s, const drt_buffer *query) {
    drt_buffer first = {0}, second = {0};
    drt_status status = DRT_OK;
    for (const char *at = query->data, *end; status == DRT_OK && (at = strchr(at, '"')) != NULL; at = end + 1) {
        end = strchr(at + 1, '"');
        const char *space = memchr(at, ' ', (size_t)(end - at));
        if (!space)
            continue;
        first.length = second.length = 0;
        if (!drt_buffer_printf(&first, "%.*s\"", (int)(space - at), at) ||
            !drt_buffer_printf(&second, "^\"%.*s\"", (int)(end - space - 1), space + 1))
            status = drt_fail_memory(context, "a search");
        if (status == DRT_OK)
            status = run_border(context, s, &first, &second);
    }
    drt_buffer_free(&first);
    drt_buffer_free(&second);
    return status;
}

drt_status drt_store_bm25(drt_context *context, drt_library *library, const char *text, size_t length,
                          const uint64_t *mask, int64_t n_chunks, int top, int64_t *chunks, int *count) {
    drt_buffer query = {0};
    search s = {.library = library, .mask = mask, .n_chunks = n_chunks, .top = top};
    *count = 0;
    if (top <= 0 || n_chunks <= 0)
        return DRT_OK;
    s.best = malloc((size_t)top * sizeof *s.best);
    if (!s.best)
        return drt_fail_memory(context, "a search");
    drt_status status = build_query(context, library, text, length, &query);
    if (status == DRT_OK && query.length)
        status = run_query(context, &s, &query);
    if (status == DRT_OK && query.length && s.count == 0)
        status = run_borders(context, &s, &query);
    *count = status == DRT_OK ? s.count : 0;
    for (int i = 0; i < *count; i++)
        chunks[i] = s.best[i].chunk;
    drt_buffer_free(&query);
    free(s.best);
    return status;
}
