/* queue.h: a bounded queue between the stages of a pipeline, each in threads of its own.
 *
 * Items leave in the order in which they came, also where several threads work on them in between: an item may be put
 * in unready; drt_queue_work() then makes it ready, round by round, the tasks of a round shared by all threads that
 * work on the queue. The oldest item is worked on first. Bounds are those of waiting items: of their number, and of the
 * bytes that whoever puts them in says they take. One item larger than the bound passes alone.
 * May use: libc, POSIX threads. */
#ifndef DRT_BASE_QUEUE_H
#define DRT_BASE_QUEUE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct drt_queue drt_queue;

/* NULL: out of memory. */
drt_queue *drt_queue_new(size_t max_items, size_t max_bytes);
/* Of an empty queue that nobody uses any more; NULL does nothing. */
void drt_queue_free(drt_queue *queue);

typedef enum {
    DRT_QUEUE_ITEM,    /* done */
    DRT_QUEUE_WAITING, /* not in time */
    DRT_QUEUE_ENDED    /* nothing is left to take, or the queue was closed */
} drt_queue_answer;

/* Waits for room, at most so many milliseconds (< 0: as long as it takes). Unless it is in, the item stays the
 * caller's. */
drt_queue_answer drt_queue_put(drt_queue *queue, void *item, size_t bytes, bool ready, int milliseconds);
/* No more items will come: those inside are still handed out. */
void drt_queue_end(drt_queue *queue);
/* Ends all waiting: from now on nothing is put in, worked on or taken. */
void drt_queue_close(drt_queue *queue);

/* Waits for the oldest item to be ready, and takes it out. */
drt_queue_answer drt_queue_take(drt_queue *queue, int milliseconds, void **item);
/* Any item of a closed queue, ready or not, once no thread works on it any more; NULL: it is empty. */
void *drt_queue_remove(drt_queue *queue);

/* What makes an item ready. */
typedef struct {
    /* Begins the next round: the number of its tasks, 0 when the item is ready. *bytes: what the item takes from now
     * on. Called when no task of the item is under way. */
    size_t (*advance)(void *user, void *item, size_t *bytes);
    /* Task 0 .. n-1 of the round. */
    void (*task)(void *user, void *item, size_t task);
} drt_queue_work_fn;

/* Works on unready items until the queue has ended or was closed. `user` is this thread's. */
void drt_queue_work(drt_queue *queue, const drt_queue_work_fn *work, void *user);

#endif
