/* pool.c: worker threads that take tasks of one job after another.
 *
 * A job is open from its start until the calling thread finds no task left; a worker that wakes too
 * late just misses it, so a short job never waits for a sleeping thread. Workers look for the next job for
 * some microseconds before they sleep: the operations of a forward pass follow each other closely. */
#define _GNU_SOURCE /* sched_getaffinity */

#include "kernels/cpu/pool.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

#define SPINS 300

typedef struct {
    drt_pool *pool;
    pthread_t thread;
    int worker;
} pool_worker;

struct drt_pool {
    int n_workers; /* without the calling thread */
    pool_worker *workers;
    pthread_mutex_t mutex;
    pthread_cond_t started, finished;
    bool open, stop;   /* under the mutex */
    atomic_uint job;   /* counts jobs; changed under the mutex */
    atomic_int active; /* workers inside the job; changed under the mutex */
    atomic_int next;   /* task to be taken */
    atomic_int n_tasks;
    void (*run)(void *argument, int task, int worker);
    void *argument;
};

static void pause_briefly(void) {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

int drt_pool_cores(void) {
#ifdef __linux__
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return CPU_COUNT(&set) > 0 ? CPU_COUNT(&set) : 1;
#endif
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (int)n : 1;
}

static bool tasks_left(drt_pool *pool) {
    return atomic_load_explicit(&pool->next, memory_order_relaxed) <
           atomic_load_explicit(&pool->n_tasks, memory_order_relaxed);
}

static void take_tasks(drt_pool *pool, int worker) {
    for (;;) {
        int task = atomic_fetch_add_explicit(&pool->next, 1, memory_order_relaxed);
        if (task >= atomic_load_explicit(&pool->n_tasks, memory_order_relaxed))
            return;
        pool->run(pool->argument, task, worker);
    }
}

static void *work(void *argument) {
    pool_worker *self = argument;
    drt_pool *pool = self->pool;
    unsigned seen = 0;
    for (;;) {
        for (int i = 0;
             i < SPINS && !(atomic_load_explicit(&pool->job, memory_order_relaxed) != seen && tasks_left(pool)); i++)
            pause_briefly();
        pthread_mutex_lock(&pool->mutex);
        while (!pool->stop && atomic_load(&pool->job) == seen)
            pthread_cond_wait(&pool->started, &pool->mutex);
        bool stop = pool->stop, open = pool->open;
        seen = atomic_load(&pool->job);
        if (!stop && open)
            atomic_fetch_add(&pool->active, 1);
        pthread_mutex_unlock(&pool->mutex);
        if (stop)
            return NULL;
        if (!open)
            continue;
        take_tasks(pool, self->worker);
        pthread_mutex_lock(&pool->mutex);
        if (atomic_fetch_sub(&pool->active, 1) == 1)
            pthread_cond_signal(&pool->finished);
        pthread_mutex_unlock(&pool->mutex);
    }
}

drt_pool *drt_pool_new(int threads) {
    drt_pool *pool = calloc(1, sizeof *pool);
    if (!pool)
        return NULL;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->started, NULL);
    pthread_cond_init(&pool->finished, NULL);
    pool->workers = calloc((size_t)threads, sizeof *pool->workers);
    if (!pool->workers) {
        drt_pool_free(pool);
        return NULL;
    }
    for (int i = 0; i + 1 < threads; i++) {
        pool_worker *worker = &pool->workers[i];
        worker->pool = pool;
        worker->worker = i + 1;
        if (pthread_create(&worker->thread, NULL, work, worker) != 0) {
            drt_pool_free(pool);
            return NULL;
        }
        pool->n_workers++;
    }
    return pool;
}

void drt_pool_free(drt_pool *pool) {
    if (!pool)
        return;
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->started);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 0; i < pool->n_workers; i++)
        pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->started);
    pthread_cond_destroy(&pool->finished);
    pthread_mutex_destroy(&pool->mutex);
    free(pool->workers);
    free(pool);
}

void drt_pool_run(drt_pool *pool, int n_tasks, void (*run)(void *argument, int task, int worker), void *argument) {
    if (pool->n_workers == 0 || n_tasks <= 1) {
        for (int task = 0; task < n_tasks; task++)
            run(argument, task, 0);
        return;
    }
    pthread_mutex_lock(&pool->mutex);
    pool->run = run;
    pool->argument = argument;
    atomic_store(&pool->next, 0);
    atomic_store(&pool->n_tasks, n_tasks);
    pool->open = true;
    atomic_fetch_add(&pool->job, 1);
    pthread_mutex_unlock(&pool->mutex);
    /* As many as there are tasks for: on many cores the others would only stand in each other's way. */
    for (int i = 0; i < pool->n_workers && i + 1 < n_tasks; i++)
        pthread_cond_signal(&pool->started);
    take_tasks(pool, 0);
    for (int i = 0; i < SPINS && atomic_load(&pool->active) > 0; i++)
        pause_briefly();
    pthread_mutex_lock(&pool->mutex);
    pool->open = false;
    while (atomic_load(&pool->active) > 0)
        pthread_cond_wait(&pool->finished, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}
