/* entities.h: names of characters that HTML 4 lacks, and those that a document declares itself.
 * May use: base. */
#ifndef DRT_CORPUS_FORMATS_ENTITIES_H
#define DRT_CORPUS_FORMATS_ENTITIES_H

#include "engine/base/buffer.h"

/* The character that HTML 5 and the ISO sets before it mean by the name ("ccaron"); 0: none, or one of HTML 4. */
uint32_t drt_entity_named(const char *name, size_t length);

/* Puts what the internal part of the document type declares, <!ENTITY mill "Lower Mill">, where it is referred to. What is
 * put in is not looked into again, nothing outside the document is read, and a document grows by no more than 1 MiB:
 * references beyond that stay. false: out of memory. */
bool drt_entities_expand(drt_buffer *document);

#endif
