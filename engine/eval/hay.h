/* hay.h: running text in paragraphs, with the tokens of each, and endless passes over it: the first in the order of the
 * text, each further one shuffled. May use: base, corpus, tokenizer, bench/text.c, session/{pieces,sample}.h. */
#ifndef DRT_EVAL_HAY_H
#define DRT_EVAL_HAY_H

#include "engine/base/buffer.h"
#include "engine/session/sample.h"
#include "tokenizer/tokenizer.h"

typedef struct {
    size_t start, length; /* in the hay's text: one line, words parted by single spaces */
    int64_t tokens;       /* its pieces and the <par> behind it */
} drt_hay_paragraph;

typedef struct {
    drt_buffer text;
    drt_hay_paragraph *paragraphs;
    size_t n_paragraphs, capacity;
    int64_t tokens; /* of all paragraphs */
} drt_hay;

/* Reads paths (n_paths 0: text is made up) until `tokens` are there or nothing more is. DRT_FAILED: a path can't be
 * read, there is no text, or the call was cancelled. */
drt_status drt_hay_collect(drt_context *context, const drt_tokenizer *tokenizer, const char *const *paths,
                           size_t n_paths, int64_t tokens, drt_hay *hay);
void drt_hay_free(drt_hay *hay);

/* Pieces of a text that is encoded at once (of at most 64 KiB, without line breaks). */
drt_status drt_hay_count(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t length,
                         int64_t *pieces);
/* The longest beginning of the paragraph that ends with a word and has at most `tokens`, its <par> counted; may be
 * empty. */
drt_status drt_hay_cut(drt_context *context, const drt_tokenizer *tokenizer, const char *text, size_t length,
                       int64_t tokens, size_t *kept, int64_t *kept_tokens);

/* Where a reader of the hay stands. */
typedef struct {
    const drt_hay *hay;
    uint64_t seed;
    int64_t pass;  /* from 0 */
    size_t *order; /* (n_paragraphs) of this pass */
    size_t at;     /* of order */
} drt_hay_cursor;

drt_status drt_hay_cursor_open(drt_context *context, const drt_hay *hay, uint64_t seed, drt_hay_cursor *cursor);
void drt_hay_cursor_close(drt_hay_cursor *cursor);
/* Never ends. */
const drt_hay_paragraph *drt_hay_next(drt_hay_cursor *cursor);

#endif
