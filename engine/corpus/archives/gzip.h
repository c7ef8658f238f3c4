/* gzip.h: gzip, unpacked by zlib: libarchive's own filter checks neither sums nor lengths, and drops what it has unpacked
 * just before a break.
 * May use: base, stream, zlib. */
#ifndef DRT_CORPUS_ARCHIVES_GZIP_H
#define DRT_CORPUS_ARCHIVES_GZIP_H

#include "engine/corpus/archives/stream.h"

typedef struct drt_gzip drt_gzip;

/* Unpacks `source`, which must outlive it. NULL: out of memory. */
drt_gzip *drt_gzip_open(drt_stream *source);
/* The next bytes, of one member after the other, valid until the next call: their number, 0 at the end, -1 when there is
 * more that can't be had (drt_gzip_error). */
ssize_t drt_gzip_read(drt_gzip *gzip, const char **data);
/* Why: a sentence without a name. */
const char *drt_gzip_error(const drt_gzip *gzip);
void drt_gzip_close(drt_gzip *gzip); /* NULL does nothing */

#endif
