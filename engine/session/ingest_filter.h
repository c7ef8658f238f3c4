/* ingest_filter.h: which members an ingest wants, by their display paths. May use: base, library/glob.h. */
#ifndef DRT_SESSION_INGEST_FILTER_H
#define DRT_SESSION_INGEST_FILTER_H

#include "engine/drt.h"

/* Globs are compared with the path ("books.zip/part one/a.txt") and with its last part. Out is what lies in or below
 * anything that `exclude` names, and of the rest what no glob of `include` names, if there are any. holds_others: the
 * path is a folder's or an archive's; then says whether to look into it, which is for `exclude` alone to forbid. */
bool drt_ingest_wants(const drt_ingest_params *params, const char *path, size_t length, bool holds_others);

#endif
