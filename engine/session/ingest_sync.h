/* ingest_sync.h: which places of a library an ingest met, so that the others of the same sources can be removed.
 * May use: base, library, ingest_filter.h, ingest_known.h, ingest_member.h. */
#ifndef DRT_SESSION_INGEST_SYNC_H
#define DRT_SESSION_INGEST_SYNC_H

#include "engine/session/ingest_known.h"
#include "engine/session/ingest_member.h"

/* {0} is empty. */
typedef struct {
    drt_known_set met;      /* places of members */
    drt_known_set unlisted; /* places that may hold more than was met */
    drt_known_set sources;  /* arguments that were read to the end, by archive alone, */
    drt_known_set empty;    /* and those of them in which nothing was met */
    uint64_t source;        /* the argument at hand, */
    bool source_known;      /* once a place of it was noted, */
    bool source_met;        /* or a member was met */
} drt_ingest_seen;

/* Before an argument is read, and when it was. false: out of memory, as below. */
void drt_seen_start(drt_ingest_seen *seen);
bool drt_seen_end(drt_ingest_seen *seen);
bool drt_seen_add(drt_ingest_seen *seen, const drt_ingest_member *member);
bool drt_seen_add_unlisted(drt_ingest_seen *seen, const drt_source *source);
void drt_seen_free(drt_ingest_seen *seen);

typedef enum {
    DRT_PLACE_STAYS,   /* it was met, is passed over, or comes from elsewhere */
    DRT_PLACE_UNSURE,  /* it was not met, but what holds it was not listed to the end: it stays */
    DRT_PLACE_VANISHED /* it goes */
} drt_place_fate;

/* What becomes of a path of a library. A source in which nothing at all was met keeps everything: it may be a file system
 * that is not mounted. */
drt_place_fate drt_seen_fate(const drt_ingest_seen *seen, const drt_ingest_params *params, const drt_string *archive,
                             const drt_string *path);

/* Removes what has vanished, all in one transaction, after which it is told. Counts the paths that were removed and those
 * that stay because nobody knows. */
drt_status drt_ingest_remove_vanished(drt_context *context, drt_library *library, const drt_ingest_params *params,
                                      const drt_ingest_seen *seen, int64_t *removed, int64_t *unsure);

#endif
