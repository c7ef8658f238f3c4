/* ingest_run.h: what the threads of one ingest share. Not for others.
 *
 *   reader    (1)  walks the paths, reads and hashes members                              ingest_read.c
 *      | members: bounded in bytes, corpus order
 *   tokenisers (n) extract, encode, compress, list words; large documents in ranges       ingest_tokenise.c
 *      | members
 *   caller    (1)  decides what is new, fills batches, runs the device, calls back        ingest.c
 *      | batches: a few sets of records go round
 *   writer    (1)  appends records to the slabs                                           ingest_write.c
 *      | stored members
 *   indexer   (1)  catalog, full-text index, commits                                      ingest_write.c
 *
 * What is decided in corpus order is decided by the caller, so that the library does not depend on threads or timing.
 * Whoever fails says so to the run (drt_run_fail): the first sentence counts, all queues are closed, all threads end.
 * May use: base, corpus, library, network, chunker.h. */
#ifndef DRT_SESSION_INGEST_RUN_H
#define DRT_SESSION_INGEST_RUN_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/queue.h"
#include "engine/network/network.h"
#include "engine/session/ingest_known.h"
#include "engine/session/ingest_member.h"
#include "engine/session/ingest_sync.h"

/* Chunks at .. at+n-1 of a batch are the member's next ones; n 0: it has none. */
typedef struct {
    drt_ingest_member *member;
    size_t at, n;
    bool last; /* the member is complete, and goes on with the batch */
} drt_batch_part;

typedef struct {
    drt_record_batch *records; /* NULL: members without chunks alone */
    drt_batch_part *parts;
    size_t n_parts, capacity;
} drt_ingest_batch;

typedef struct {
    atomic_int_fast64_t amount, busy; /* nanoseconds */
} drt_meter;

typedef struct drt_ingest_run {
    /* The caller's. */
    drt_context *context;
    drt_library *library;
    drt_model *model;
    const drt_ingest_params *params;

    drt_queue *members, *batches, *stored, *free_records;
    drt_store_sink sink;
    drt_meter meters[DRT_STAGES];
    int n_tokenisers;

    atomic_bool stop;              /* failed or cancelled: read and tokenise no more */
    pthread_mutex_t library_mutex; /* held around calls on `library` */

    pthread_mutex_t mutex;  /* for what follows */
    pthread_cond_t settled; /* a member was stored or told, or a thread ended */
    drt_status status;      /* of the first failure */
    drt_buffer error;
    drt_members_under_way under_way;
    drt_known_set contents, places; /* of the library before the run, and of the members so far */
    drt_member_list told;           /* committed, not yet told to the caller's callback */
    bool indexed;                   /* the indexer has ended */
    drt_buffer current;             /* path being read */
    int64_t passed_over;            /* the reader's until it has ended, */
    drt_ingest_seen seen;           /* and this */
    int64_t bytes_done, bytes_total;
    int64_t members_done, members_failed;
} drt_ingest_run;

/* Notes a failure with the context's sentence and ends the run. */
void drt_run_fail(drt_ingest_run *run, drt_context *context, drt_status status);
bool drt_run_failed(drt_ingest_run *run);
/* A context for a thread of the run, which polls `stop`. NULL: out of memory. */
drt_context *drt_run_context(drt_ingest_run *run);

/* May the library have, or get from the members so far, a document of this content? false: certainly not. */
bool drt_run_may_have_content(drt_ingest_run *run, const uint8_t sha256[DRT_HASH_SIZE]);

/* Frees a member that is going nowhere, or a batch with those that end in it. */
void drt_run_drop(drt_ingest_run *run, drt_ingest_member *member);
void drt_run_drop_batch(drt_ingest_run *run, drt_ingest_batch *batch);

int64_t drt_run_now(void); /* nanoseconds, monotonic */
void drt_meter_add(drt_meter *meter, int64_t since, int64_t amount);

/* The threads; argument: the run. */
void *drt_run_read(void *run);
void *drt_run_write(void *run);
void *drt_run_index(void *run);

/* One a tokenising thread, and one for the caller. */
typedef struct {
    drt_ingest_run *run;
    drt_context *context;
    drt_terms *terms;
} drt_tokeniser;

void *drt_run_tokenise(void *tokeniser);
/* Does at once what the threads would have done. Failures are the run's. */
void drt_tokenise_member(drt_tokeniser *tokeniser, drt_ingest_member *member);

#endif
