/* pool - the same function for many numbers, on several threads. */
#ifndef SCENT_LAB_POOL_H
#define SCENT_LAB_POOL_H

#include <stddef.h>
#include <stdint.h>

/* Calls fn(ctx, thread, i) for every i below `count`, each once, smaller ones begun first; `thread` (0, 1, …) tells the
 * callers apart that run at once. Returns when all are done. 1 to CORES_MAX threads (base/cores.h). */
void pool_run(uint32_t threads, size_t count, void (*fn)(void *ctx, uint32_t thread, size_t i), void *ctx);

#endif
