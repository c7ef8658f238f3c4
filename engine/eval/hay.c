/* hay.c: see hay.h. */
#include "engine/eval/hay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/bench/bench.h"
#include "engine/corpus/corpus.h"
#include "engine/session/pieces.h"

#define MADE_UP_WORDS 20000               /* at a time */
#define MADE_UP_TOKENS ((int64_t)1 << 20) /* more gives nothing new */

/* What fills a hay. */
typedef struct {
    drt_context *context;
    const drt_tokenizer *tokenizer;
    drt_hay *hay;
    int64_t wanted;
    drt_buffer scratch;
} collector;

/* ------------------------------------------------------------------------------ tokens ---- */

typedef struct {
    int64_t count;
    int64_t limit; /* of pieces that may be kept; -1: all */
    const char *text;
    size_t kept;        /* bytes up to the last word border at which count was within the limit, */
    int64_t kept_count; /* and the pieces up to there */
} counter;

static bool count_piece(void *user, int32_t id, size_t start, size_t end) {
    counter *c = user;
    (void)id, (void)end;
    /* White space belongs to the piece behind it: where one starts with a space, a word has ended. */
    if (c->limit >= 0 && c->count <= c->limit && c->text[start] == ' ') {
        c->kept = start;
        c->kept_count = c->count;
    }
    c->count++;
    return true;
}

static drt_status count_pieces(drt_context *context, const drt_tokenizer *tokenizer, drt_buffer *scratch,
                               const char *text, size_t length, counter *c) {
    c->text = text;
    return drt_part_encode(context, tokenizer, scratch, text, 0, length, count_piece, c);
}

drt_status drt_hay_count(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t length,
                         int64_t *pieces) {
    drt_buffer scratch = {0};
    counter c = {.limit = -1};
    drt_status status = count_pieces(context, tokenizer, &scratch, text, length, &c);
    drt_buffer_free(&scratch);
    *pieces = c.count;
    return status;
}

drt_status drt_hay_cut(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t length,
                       int64_t tokens, size_t *kept, int64_t *kept_tokens) {
    drt_buffer scratch = {0};
    counter c = {.limit = tokens > 0 ? tokens - 1 : 0};
    *kept = 0;
    *kept_tokens = 0;
    drt_status status = count_pieces(context, tokenizer, &scratch, text, length, &c);
    drt_buffer_free(&scratch);
    if (status != DRT_OK)
        return status;
    if (c.count <= c.limit) {
        c.kept = length;
        c.kept_count = c.count;
    }
    if (c.kept > 0) {
        *kept = c.kept;
        *kept_tokens = c.kept_count + 1;
    }
    return DRT_OK;
}

/* ------------------------------------------------------------------------------ collect --- */

static drt_status add_paragraph(collector *c, const char *text, size_t length) {
    drt_hay *hay = c->hay;
    counter pieces = {.limit = -1};
    drt_status status = count_pieces(c->context, c->tokenizer, &c->scratch, text, length, &pieces);
    if (status != DRT_OK || pieces.count == 0)
        return status;
    if (hay->n_paragraphs == hay->capacity) {
        size_t capacity = hay->capacity ? 2 * hay->capacity : 1024;
        drt_hay_paragraph *paragraphs = realloc(hay->paragraphs, capacity * sizeof *paragraphs);
        if (!paragraphs)
            return drt_fail_memory(c->context, "an evaluation's text");
        hay->paragraphs = paragraphs;
        hay->capacity = capacity;
    }
    drt_hay_paragraph p = {hay->text.length, length, pieces.count + 1};
    if (!drt_buffer_append(&hay->text, text, length))
        return drt_fail_memory(c->context, "an evaluation's text");
    for (size_t i = p.start; i < p.start + p.length; i++)
        if (hay->text.data[i] == '\n') /* verse: a paragraph is one line here */
            hay->text.data[i] = ' ';
    hay->paragraphs[hay->n_paragraphs++] = p;
    hay->tokens += p.tokens;
    return DRT_OK;
}

/* The parts of normalised text [start, end), without white space around them. */
static drt_status add_parts(collector *c, const char *text, size_t start, size_t end) {
    drt_status status = DRT_OK;
    while (status == DRT_OK && start < end) {
        size_t length = drt_part_length(text + start, end - start);
        status = add_paragraph(c, text + start, length);
        start += length;
        while (start < end && (text[start] == ' ' || text[start] == '\n'))
            start++;
    }
    return status;
}

static bool is_enough(const collector *c) {
    return c->hay->tokens >= c->wanted || drt_cancelled(c->context);
}

static drt_status add_text(collector *c, const char *text, size_t length) {
    drt_status status = DRT_OK;
    for (size_t start = 0, next; status == DRT_OK && start < length && !is_enough(c); start = next) {
        size_t end = drt_paragraph_end(text, length, start, &next);
        status = add_parts(c, text, start, end);
    }
    return status;
}

static drt_status on_member(void *user, const drt_source *source, drt_extract *extract) {
    collector *c = user;
    (void)source;
    if (extract->status == DRT_DOCUMENT_SKIPPED)
        return DRT_OK;
    drt_status status = add_text(c, extract->text.data, extract->text.length);
    return status == DRT_OK && is_enough(c) ? DRT_WARN : status; /* DRT_WARN ends the walk */
}

static drt_status collect_paths(collector *c, const char *const *paths, size_t n_paths) {
    drt_corpus_params walk = drt_corpus_params_default();
    walk.member = on_member;
    walk.user = c;
    drt_status status = DRT_OK;
    for (size_t i = 0; i < n_paths && status == DRT_OK && !is_enough(c); i++) {
        status = drt_corpus_walk(c->context, paths[i], &walk);
        if (status == DRT_WARN)
            status = DRT_OK;
    }
    return status;
}

static drt_status make_up(collector *c) {
    drt_status status = DRT_OK;
    c->wanted = c->wanted < MADE_UP_TOKENS ? c->wanted : MADE_UP_TOKENS;
    for (uint64_t seed = 1; status == DRT_OK && !is_enough(c); seed++) {
        drt_buffer text = {0};
        status = drt_bench_text(&text, MADE_UP_WORDS, DRT_BENCH_COMMON_WORDS, seed)
                     ? add_text(c, text.data, text.length)
                     : drt_fail_memory(c->context, "an evaluation's text");
        drt_buffer_free(&text);
    }
    return status;
}

/* A path that is not there is said before anything is read. */
static drt_status check_paths(drt_context *context, const char *const *paths, size_t n_paths) {
    struct stat facts;
    for (size_t i = 0; i < n_paths; i++)
        if (stat(paths[i], &facts) != 0)
            return drt_fail(context, DRT_FAILED, "%s: %s", paths[i], strerror(errno));
    return DRT_OK;
}

drt_status drt_hay_collect(drt_context *context, const drt_tokenizer *tokenizer, const char *const *paths,
                           size_t n_paths, int64_t tokens, drt_hay *hay) {
    collector c = {.context = context, .tokenizer = tokenizer, .hay = hay, .wanted = tokens};
    *hay = (drt_hay){0};
    drt_status status = check_paths(context, paths, n_paths);
    if (status == DRT_OK)
        status = n_paths ? collect_paths(&c, paths, n_paths) : make_up(&c);
    drt_buffer_free(&c.scratch);
    if (status == DRT_OK && drt_cancelled(context))
        status = drt_fail(context, DRT_FAILED, "the evaluation was cancelled");
    else if (status == DRT_OK && hay->n_paragraphs == 0)
        status = drt_fail(context, DRT_FAILED, "there is no text to hide facts in in what was given");
    if (status != DRT_OK)
        drt_hay_free(hay);
    return status;
}

void drt_hay_free(drt_hay *hay) {
    drt_buffer_free(&hay->text);
    free(hay->paragraphs);
    *hay = (drt_hay){0};
}

/* ------------------------------------------------------------------------------ passes ---- */

static void shuffle(drt_hay_cursor *cursor) {
    drt_random random;
    drt_random_seed(&random, cursor->seed + (uint64_t)cursor->pass * UINT64_C(0x9E3779B97F4A7C15), DRT_RANDOM_HAY);
    for (size_t i = cursor->hay->n_paragraphs - 1; i > 0; i--) {
        size_t other = (size_t)drt_random_below(&random, i + 1), kept = cursor->order[i];
        cursor->order[i] = cursor->order[other];
        cursor->order[other] = kept;
    }
}

drt_status drt_hay_cursor_open(drt_context *context, const drt_hay *hay, uint64_t seed, drt_hay_cursor *cursor) {
    *cursor = (drt_hay_cursor){.hay = hay, .seed = seed};
    cursor->order = malloc(hay->n_paragraphs * sizeof *cursor->order);
    if (!cursor->order)
        return drt_fail_memory(context, "an evaluation's text");
    for (size_t i = 0; i < hay->n_paragraphs; i++)
        cursor->order[i] = i;
    return DRT_OK;
}

void drt_hay_cursor_close(drt_hay_cursor *cursor) {
    free(cursor->order);
    *cursor = (drt_hay_cursor){0};
}

const drt_hay_paragraph *drt_hay_next(drt_hay_cursor *cursor) {
    if (cursor->at == cursor->hay->n_paragraphs) {
        cursor->pass++;
        cursor->at = 0;
        shuffle(cursor);
    }
    return &cursor->hay->paragraphs[cursor->order[cursor->at++]];
}
