/* bibliography.h: lists of references that are data: BibTeX's .bib and what biblatex makes of it. They become a list in
 * TeX as people read one: "[key] Authors. Title. Journal 12(3), 4-5. Publisher, 2001."
 * May use: base, charset, formats. */
#ifndef DRT_CORPUS_TEX_BIBLIOGRAPHY_H
#define DRT_CORPUS_TEX_BIBLIOGRAPHY_H

#include "engine/base/buffer.h"

/* Is an entry wanted? NULL: all are. */
typedef struct {
    bool (*wanted)(void *user, const char *key, size_t length);
    void *user;
} drt_bibliography_filter;

/* Appends the entries of a list (UTF-8) as \bibitems; what isn't one is passed over. false: out of memory. */
bool drt_bibtex_write(const char *data, size_t length, const drt_bibliography_filter *filter, drt_buffer *out);
/* The same for a .bbl of biblatex's ("\entry{key}...\endentry"). */
bool drt_biblatex_write(const char *data, size_t length, const drt_bibliography_filter *filter, drt_buffer *out);

#endif
