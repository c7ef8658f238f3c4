/* ingest_sync.h: which places of a library an ingest met, so that the others of the same sources can be removed.
 * May use: base, library, ingest_filter.h, ingest_known.h, ingest_member.h. */
#ifndef DRT_SESSION_INGEST_SYNC_H
#define DRT_SESSION_INGEST_SYNC_H

#include "engine/session/ingest_known.h"
#include "engine/session/ingest_member.h"

/* {0} is empty. */
typedef struct {
    drt_known_set met;     /* places of members */
    drt_known_set unread;  /* of these, what was skipped: what is below may still be there */
    drt_known_set sources; /* arguments that were read to the end, by archive alone */
    uint64_t source;       /* the argument at hand, */
    bool source_met;       /* if there was anything in it */
} drt_ingest_seen;

/* Before an argument is read, and when it was. false: out of memory, as below. */
void drt_seen_start(drt_ingest_seen *seen);
bool drt_seen_end(drt_ingest_seen *seen);
bool drt_seen_add(drt_ingest_seen *seen, const drt_ingest_member *member);
/* Would this path of a library be removed? As below. */
bool drt_seen_vanished(const drt_ingest_seen *seen, const drt_ingest_params *params, const drt_string *archive,
                       const drt_string *path);
void drt_seen_free(drt_ingest_seen *seen);

/* Removes what has vanished: paths of those sources that were not met, are not below anything that was skipped, and are
 * not passed over. A source in which nothing at all was met keeps everything: it may be a file system that is not
 * mounted. All in one transaction, after which it is told. *removed: how many paths. */
drt_status drt_ingest_remove_vanished(drt_context *context, drt_library *library, const drt_ingest_params *params,
                                      const drt_ingest_seen *seen, int64_t *removed);

#endif
