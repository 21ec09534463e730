/* machine - how many threads can run at once, how many files and sockets can be open. */
#ifndef SCENT_BASE_MACHINE_H
#define SCENT_BASE_MACHINE_H

#include "base/status.h"

#include <stddef.h>
#include <stdint.h>

enum { CORES_MAX = 256 };

/* The processors that are switched on: 1 to CORES_MAX. */
uint32_t cores_count(void);
/* Calls fn(ctx, thread, i) for every i below `count`, each once, smaller ones begun first; `thread` (0, 1, …) tells the
 * callers apart that run at once. Returns when all are done. 1 to CORES_MAX threads. */
void cores_run(uint32_t threads, size_t count, void (*fn)(void *ctx, uint32_t thread, size_t i), void *ctx);

/* How many more can be opened, a million at most; what was inherited counts. The soft limit is raised to the hard one
 * first: it is only a habit. */
size_t descriptors_left(void);

/* SCENT_E_INVALID: there are fewer than `need` left; the message tells how to get more. */
SCENT_NODISCARD scent_status descriptors_need(size_t need, struct errmsg *err);

#endif
