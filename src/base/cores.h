/* cores - how many threads can run at once on this machine. */
#ifndef SCENT_BASE_CORES_H
#define SCENT_BASE_CORES_H

#include <stdint.h>

enum { CORES_MAX = 256 };

/* The processors that are switched on: 1 to CORES_MAX. */
uint32_t cores_count(void);

#endif
