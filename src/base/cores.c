#include "base/cores.h"

#include <unistd.h>

uint32_t cores_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    if (n < 1)
        return 1;
    return n < CORES_MAX ? (uint32_t)n : CORES_MAX;
}
