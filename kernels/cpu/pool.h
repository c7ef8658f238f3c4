/* pool.h: the CPU backend's worker threads. May use: POSIX threads. */
#ifndef DRT_KERNELS_CPU_POOL_H
#define DRT_KERNELS_CPU_POOL_H

typedef struct drt_pool drt_pool;

/* Cores that this process may use, at least 1. */
int drt_pool_cores(void);

/* `threads` >= 1 counts the calling thread. NULL: no memory or no threads. */
drt_pool *drt_pool_new(int threads);
void drt_pool_free(drt_pool *pool);

/* Calls run(argument, task, worker) for each task 0..n_tasks-1, in any order, at most one call at a time
 * for each worker 0..threads-1. Returns when all are done. */
void drt_pool_run(drt_pool *pool, int n_tasks, void (*run)(void *argument, int task, int worker), void *argument);

#endif
