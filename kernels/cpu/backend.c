/* backend.c: the CPU backend's table: memory, threads, and the operations of this folder. */
#include "kernels/backend.h"

typedef int drt_cpu_backend_is_built_next;
