/* Bytes as an access log for fuzzers: a file in memory, with a path as importers want it. */
#ifndef SCENT_TESTS_LOGGED_H
#define SCENT_TESTS_LOGGED_H

#include "trace/trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* Returns the descriptor, to be closed after the last import. */
static inline int logged_open(struct str bytes)
{
    int fd = memfd_create("log", MFD_CLOEXEC);

    SCENT_BUG_IF(fd < 0 || write(fd, bytes.p, bytes.len) != (ssize_t)bytes.len);
    return fd;
}

static inline struct trace *logged_import(int fd, const struct trace_options *options)
{
    struct log log = {.level = LOG_ERROR};
    struct trace *trace;
    struct errmsg err;
    char path[64];

    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    SCENT_BUG_IF(trace_import((const char *[]){path}, 1, options, &log, &trace, &err) != SCENT_OK);
    return trace;
}

#endif
