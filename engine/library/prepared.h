/* prepared.h: what the catalog keeps of a document's text, made by any thread without the catalog: zstd parts, and the
 * words of its chunks as the full-text index takes them. May use: store.h, text.h, terms.h, compress.h. */
#ifndef DRT_LIBRARY_PREPARED_H
#define DRT_LIBRARY_PREPARED_H

#include "engine/library/store.h"
#include "engine/library/terms.h"
#include "engine/library/text.h"

/* Words of up to DRT_WORDS_CHUNKS chunks. */
#define DRT_WORDS_CHUNKS 2048

typedef struct {
    drt_buffer terms; /* term lists (terms.h), one chunk's after another's */
    uint32_t *ends;   /* where each one ends in `terms` */
} drt_words;

struct drt_prepared {
    size_t length;        /* of the text */
    drt_text_part *parts; /* in order */
    size_t n_parts;
    drt_words *words; /* of chunks 0.., DRT_WORDS_CHUNKS each; NULL: the index is made from the stored text */
    size_t n_words, n_chunks;
};

/* The rest is in store.h. */
void drt_words_free(drt_words *words, size_t n);
bool drt_ranges_are_sound(const char *text, size_t length, const drt_range *ranges, size_t n);

#endif
