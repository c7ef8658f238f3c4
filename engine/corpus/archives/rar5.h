/* rar5.h: which members of a RAR 5 archive have a password: libarchive 3.6 takes their bytes as they are.
 * May use: base, stream. */
#ifndef DRT_CORPUS_ARCHIVES_RAR5_H
#define DRT_CORPUS_ARCHIVES_RAR5_H

#include "engine/corpus/archives/stream.h"

/* Appends a byte for each member, in order: 1 when it has one. As far as headers can be followed, and for 10,000 members
 * at most. Leaves the stream, which can be sought, anywhere. false: out of memory. */
bool drt_rar5_find_locked(drt_stream *stream, drt_buffer *locked);

#endif
