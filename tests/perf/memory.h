/* memory - what this process takes, as the system counts it. */
#ifndef SCENT_TESTS_PERF_MEMORY_H
#define SCENT_TESTS_PERF_MEMORY_H

#include "base/status.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A line of /proc/self/status, in bytes. */
static inline double memory_now(const char *what)
{
    FILE *file = fopen("/proc/self/status", "r");
    char line[256];
    double bytes = 0;

    SCENT_BUG_IF(!file);
    while (fgets(line, sizeof line, file))
        if (strncmp(line, what, strlen(what)) == 0)
            bytes = atof(line + strlen(what) + 1) * 1024;
    fclose(file);
    return bytes;
}

#endif
