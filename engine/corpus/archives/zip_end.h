/* zip_end.h: what stands at the end of a zip: its central directory, which says more than its beginning does.
 * May use: base, charset, stream. */
#ifndef DRT_CORPUS_ARCHIVES_ZIP_END_H
#define DRT_CORPUS_ARCHIVES_ZIP_END_H

#include "engine/corpus/archives/stream.h"

typedef struct {
    bool found;          /* there is a central directory */
    bool whole;          /* and it begins where its length says */
    bool of_several;     /* it is that of an archive in several files, of which this is the last */
    const char *charset; /* of the names that are no UTF-8; NULL: none are, or it can't be told */
    bool failed;         /* out of memory: the rest says nothing */
} drt_zip_end;

/* Looks for it in a stream that can be sought; leaves the stream anywhere. */
drt_zip_end drt_zip_end_find(drt_stream *stream);

#endif
