/* raw.h: how the walk makes a drt_raw (corpus.h). May use: base, formats, stream. */
#ifndef DRT_CORPUS_RAW_H
#define DRT_CORPUS_RAW_H

#include "engine/corpus/archives/stream.h"
#include "engine/corpus/formats/formats.h"

/* Takes the blob over, and leaves an empty one. damage: why the bytes end early, copied; NULL: they are whole.
 * NULL: out of memory, the blob stays as it is. */
drt_raw *drt_raw_new(const drt_format *format, const drt_format_probe *probe, drt_blob *blob, const char *damage);

#endif
