/* plan.h: sizes that fit into a device's memory, before anything is allocated: the batch of an ingest, the lanes of a
 * session, the landmarks that stay on the device. Mostly arithmetic; plan.c also puts the plan together that
 * `drt info --memory` shows. May use: base, model_files.h, kernels. */
#ifndef DRT_NETWORK_PLAN_H
#define DRT_NETWORK_PLAN_H

#include "engine/drt.h"

/* Bytes that a part of the engine takes. */
typedef struct {
    size_t device, host;
} drt_room;

/* Room of a part of size n. */
typedef drt_room drt_room_fn(const void *user, int n);

/* Kept free on a device with memory of its own, for what operations need while they run. */
#define DRT_PLAN_WORKING ((size_t)16 << 20)

/* Questions answered side by side, where memory allows. */
#define DRT_PLAN_CPU_LANES 8
#define DRT_PLAN_GPU_LANES 64

/* The largest of most, most/2, most/4, .. 1 whose room, `besides` and working space fit into `available` device bytes;
 * 0: not even 1 does. */
int drt_plan_count(size_t available, size_t besides, int most, drt_room_fn *room, const void *user);

/* The fewest bytes that scans of n landmarks of d numbers can do with. */
size_t drt_plan_least_landmarks(int64_t n, int d);
/* Device bytes that n landmarks of d numbers may take of `available` ones: what working space leaves; 0: too little for
 * any scan. */
size_t drt_plan_landmarks(size_t available, int64_t n, int d);

/* The same for a device as it is now -> *n, which is `most` where memory is the host's. DRT_FATAL with a sentence where
 * not even 1 fits; `doing` begins it. */
drt_status drt_plan_fit(drt_context *context, const drt_device *device, int most, size_t besides, drt_room_fn *room,
                        const void *user, const char *doing, int *n);
/* The sentence for `doing`, which needs `least` device bytes, working space included. DRT_FATAL. */
drt_status drt_plan_refuse(drt_context *context, const drt_device *device, const char *doing, size_t least);

/* What a plan is made of. */
typedef struct {
    bool own_memory;         /* false: everything is host memory, which is not rationed */
    size_t available, total; /* device bytes, */
    size_t limit;            /* and how many of them are allowed; 0: all */
    size_t host_available, host_total;
    size_t weights;             /* on the device */
    int most_batch, most_lanes; /* what one would like */
    drt_room_fn *encoder, *reader;
    const void *user;
    int64_t chunks; /* of the library */
    int d;
    size_t record; /* bytes of a chunk's record */
} drt_plan_facts;

void drt_plan_make(const drt_plan_facts *facts, drt_memory_plan *plan);

#endif
