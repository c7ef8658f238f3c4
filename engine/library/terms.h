/* terms.h: words of texts, as the full-text index sees them.
 *
 * The index's tokenizer cuts at white space and punctuation, so scripts written without spaces would
 * become one endless word a sentence. Their characters are therefore indexed one by one (spread), and
 * asked for as pairs of neighbours (bm25.c). May use: catalog.h, SQLite's FTS5. */
#ifndef DRT_LIBRARY_TERMS_H
#define DRT_LIBRARY_TERMS_H

#include "engine/library/catalog.h"

/* Is c of a script that is written without spaces between words? */
bool drt_terms_unspaced(uint32_t c);
/* Replaces out's contents by text with a space before and behind every such character. Bytes that are no
 * UTF-8 become spaces. false: out of memory. */
bool drt_terms_spread(drt_buffer *out, const char *text, size_t length);

/* FTS5's own tokenizer, as in schema.c; stem: with porter's stems. */
typedef struct drt_terms {
    fts5_tokenizer functions;
    Fts5Tokenizer *instance;
} drt_terms;

drt_status drt_terms_open(drt_context *context, const drt_catalog *catalog, bool stem, drt_terms *terms);
void drt_terms_close(drt_terms *terms);

/* One term of a text: folded to lower case without accents, perhaps stemmed, and its bytes [start, end) in the
 * text that was given. Returns false to stop. */
typedef bool (*drt_term_fn)(void *user, const char *term, size_t length, int start, int end);
/* Visits the terms of a text (already spread) in order. */
drt_status drt_terms_visit(drt_context *context, const drt_terms *terms, const char *text, size_t length,
                           drt_term_fn visit, void *user);

/* Lists of terms. The index takes one in place of the text that it was made from, so that cutting and stemming can be
 * done by other threads than the catalog's. */

/* Appends the list of the terms of a text (already spread). `terms` stems, and belongs to the calling thread. */
drt_status drt_terms_list(drt_context *context, const drt_terms *terms, const char *text, size_t length,
                          drt_buffer *list);
/* Makes the full-text index of this connection take lists; before its first use. */
drt_status drt_terms_accept_lists(drt_context *context, const drt_catalog *catalog);
/* Adds passages of chunks first .. first+n-1, in a write transaction: lists that end at ends[i] in `lists`. */
drt_status drt_terms_add(drt_context *context, const drt_catalog *catalog, int64_t first, const drt_buffer *lists,
                         const uint32_t *ends, size_t n);

/* Adds or removes the passages of a document's chunks, in a write transaction. The text must be in the
 * catalog. */
drt_status drt_terms_index(drt_context *context, const drt_catalog *catalog, int64_t document, bool add);

#endif
