/* queue.c: a bounded queue between threads. See queue.h. */
#include "engine/base/queue.h"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>

typedef struct {
    void *item;
    size_t bytes;
    bool ready;
    size_t n_tasks, given, left; /* of the round: given out, and not done yet */
    bool advancing;              /* a thread is between two rounds */
} entry;

struct drt_queue {
    pthread_mutex_t mutex;
    pthread_cond_t room, work, ready; /* for those who put, work, take */
    entry *entries;                   /* a ring */
    size_t max_items, max_bytes;
    size_t first, n, bytes;
    bool ended, closed;
};

drt_queue *drt_queue_new(size_t max_items, size_t max_bytes) {
    drt_queue *queue = calloc(1, sizeof *queue);
    entry *entries = calloc(max_items, sizeof *entries);
    pthread_condattr_t monotonic;
    if (!queue || !entries || pthread_condattr_init(&monotonic) != 0) {
        free(queue);
        free(entries);
        return NULL;
    }
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    queue->entries = entries;
    queue->max_items = max_items;
    queue->max_bytes = max_bytes;
    pthread_mutex_init(&queue->mutex, NULL);
    pthread_cond_init(&queue->room, &monotonic);
    pthread_cond_init(&queue->work, NULL);
    pthread_cond_init(&queue->ready, &monotonic);
    pthread_condattr_destroy(&monotonic);
    return queue;
}

void drt_queue_free(drt_queue *queue) {
    if (!queue)
        return;
    pthread_cond_destroy(&queue->room);
    pthread_cond_destroy(&queue->work);
    pthread_cond_destroy(&queue->ready);
    pthread_mutex_destroy(&queue->mutex);
    free(queue->entries);
    free(queue);
}

static entry *entry_at(drt_queue *queue, size_t i) {
    return &queue->entries[(queue->first + i) % queue->max_items];
}

/* -------------------------------------------------------------------------- in and out ---- */

static bool has_room(const drt_queue *queue, size_t bytes) {
    bool fits = queue->bytes <= queue->max_bytes && bytes <= queue->max_bytes - queue->bytes;
    return queue->n < queue->max_items && (fits || queue->n == 0);
}

/* When a wait of so many milliseconds is over. */
static struct timespec after(int milliseconds) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    time.tv_sec += milliseconds / 1000;
    time.tv_nsec += milliseconds % 1000 * 1000000L;
    if (time.tv_nsec >= 1000000000L) {
        time.tv_sec++;
        time.tv_nsec -= 1000000000L;
    }
    return time;
}

/* One step of a wait; false: its time is over. */
static bool wait_for(drt_queue *queue, pthread_cond_t *condition, int milliseconds, const struct timespec *until) {
    return (milliseconds < 0 ? pthread_cond_wait(condition, &queue->mutex)
                             : pthread_cond_timedwait(condition, &queue->mutex, until)) == 0;
}

drt_queue_answer drt_queue_put(drt_queue *queue, void *item, size_t bytes, bool ready, int milliseconds) {
    struct timespec until = after(milliseconds < 0 ? 0 : milliseconds);
    drt_queue_answer answer = DRT_QUEUE_ITEM;
    bool waits = true;
    pthread_mutex_lock(&queue->mutex);
    while (!queue->closed && !has_room(queue, bytes) && waits)
        waits = wait_for(queue, &queue->room, milliseconds, &until);
    if (queue->closed) {
        answer = DRT_QUEUE_ENDED;
    } else if (!has_room(queue, bytes)) {
        answer = DRT_QUEUE_WAITING;
    } else {
        *entry_at(queue, queue->n++) = (entry){.item = item, .bytes = bytes, .ready = ready};
        queue->bytes += bytes;
        pthread_cond_signal(ready ? &queue->ready : &queue->work);
    }
    pthread_mutex_unlock(&queue->mutex);
    return answer;
}

static void wake_all(drt_queue *queue) {
    pthread_cond_broadcast(&queue->room);
    pthread_cond_broadcast(&queue->work);
    pthread_cond_broadcast(&queue->ready);
}

void drt_queue_end(drt_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    queue->ended = true;
    wake_all(queue);
    pthread_mutex_unlock(&queue->mutex);
}

void drt_queue_close(drt_queue *queue) {
    pthread_mutex_lock(&queue->mutex);
    queue->closed = true;
    wake_all(queue);
    pthread_mutex_unlock(&queue->mutex);
}

static void *remove_first(drt_queue *queue) {
    entry *oldest = entry_at(queue, 0);
    queue->first = (queue->first + 1) % queue->max_items;
    queue->n--;
    queue->bytes -= oldest->bytes;
    return oldest->item;
}

drt_queue_answer drt_queue_take(drt_queue *queue, int milliseconds, void **item) {
    struct timespec until = after(milliseconds < 0 ? 0 : milliseconds);
    drt_queue_answer answer = DRT_QUEUE_ITEM;
    bool waits = true;
    pthread_mutex_lock(&queue->mutex);
    while (!queue->closed && (queue->n > 0 ? !entry_at(queue, 0)->ready : !queue->ended) && waits)
        waits = wait_for(queue, &queue->ready, milliseconds, &until);
    if (queue->closed || (queue->n == 0 && queue->ended)) {
        answer = DRT_QUEUE_ENDED;
    } else if (queue->n == 0 || !entry_at(queue, 0)->ready) {
        answer = DRT_QUEUE_WAITING;
    } else {
        *item = remove_first(queue);
        pthread_cond_signal(&queue->room);
        if (queue->ended && queue->n == 0)
            pthread_cond_broadcast(&queue->work); /* those who wait for more of it */
    }
    pthread_mutex_unlock(&queue->mutex);
    return answer;
}

void *drt_queue_remove(drt_queue *queue) {
    return queue->n > 0 ? remove_first(queue) : NULL;
}

/* -------------------------------------------------------------------------------- work ---- */

/* Has the entry something for one more thread? */
static bool wants_work(const entry *e) {
    return !e->ready && !e->advancing && (e->given < e->n_tasks || e->left == 0);
}

/* The oldest entry that has. */
static entry *find_work(drt_queue *queue) {
    for (size_t i = 0; i < queue->n; i++)
        if (wants_work(entry_at(queue, i)))
            return entry_at(queue, i);
    return NULL;
}

/* Begins the entry's next round. Called, and returns, with the mutex held. An entry stays where it is in the ring
 * while it is not ready. */
static void advance(drt_queue *queue, entry *e, const drt_queue_work_fn *work, void *user) {
    size_t bytes = e->bytes;
    e->advancing = true;
    pthread_mutex_unlock(&queue->mutex);
    size_t n_tasks = work->advance(user, e->item, &bytes);
    pthread_mutex_lock(&queue->mutex);
    e->advancing = false;
    e->n_tasks = e->left = n_tasks;
    e->given = 0;
    e->ready = n_tasks == 0;
    queue->bytes += bytes - e->bytes;
    e->bytes = bytes;
    pthread_cond_signal(&queue->room);
    if (e->ready && e == entry_at(queue, 0))
        pthread_cond_signal(&queue->ready);
    else if (!e->ready)
        pthread_cond_broadcast(&queue->work);
}

static void run_task(drt_queue *queue, entry *e, const drt_queue_work_fn *work, void *user) {
    size_t task = e->given++;
    pthread_mutex_unlock(&queue->mutex);
    work->task(user, e->item, task);
    pthread_mutex_lock(&queue->mutex);
    e->left--;
}

void drt_queue_work(drt_queue *queue, const drt_queue_work_fn *work, void *user) {
    pthread_mutex_lock(&queue->mutex);
    while (!queue->closed) {
        entry *e = find_work(queue);
        if (e && e->given < e->n_tasks)
            run_task(queue, e, work, user);
        else if (e)
            advance(queue, e, work, user);
        else if (queue->ended && queue->n == 0)
            break;
        else
            pthread_cond_wait(&queue->work, &queue->mutex);
    }
    pthread_mutex_unlock(&queue->mutex);
}
