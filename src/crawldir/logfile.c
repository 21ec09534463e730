#include "crawldir/logfile.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static void reopen(struct logfile *log)
{
    struct stat info;

    /* A pipe that nobody reads must not hold us up. */
    log->fd = openat(log->dir, LOGFILE_NAME, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
    if (log->fd < 0)
        return;
    if (fstat(log->fd, &info) == 0 && S_ISREG(info.st_mode)) {
        log->bytes = (uint64_t)info.st_size;
        return;
    }
    close(log->fd);
    log->fd = -1;
}

void logfile_open(struct logfile *log, const char *dir)
{
    *log = (struct logfile){.dir = open(dir, O_PATH | O_DIRECTORY | O_CLOEXEC), .fd = -1, .limit = LOGFILE_BYTES};
    if (log->dir >= 0)
        reopen(log);
}

void logfile_close(struct logfile *log)
{
    if (log->fd >= 0)
        close(log->fd);
    if (log->dir >= 0)
        close(log->dir);
    log->fd = log->dir = -1;
}

/* A part that cannot be renamed is written on. */
static void rotate(struct logfile *log)
{
    char from[32], to[32];

    for (int part = LOGFILE_PARTS; part > 0; part--) {
        snprintf(to, sizeof to, LOGFILE_NAME ".%d", part);
        snprintf(from, sizeof from, part > 1 ? LOGFILE_NAME ".%d" : LOGFILE_NAME, part - 1);
        (void)!renameat(log->dir, from, log->dir, to);
    }
    close(log->fd);
    reopen(log);
}

bool logfile_append(struct logfile *log, struct str lines)
{
    ssize_t written;

    if (log->dir >= 0 && log->fd < 0)
        reopen(log);
    if (log->fd >= 0 && log->bytes && log->bytes + lines.len > log->limit)
        rotate(log);
    written = log->fd >= 0 ? write(log->fd, lines.p, lines.len) : -1;
    log->bytes += written > 0 ? (uint64_t)written : 0;
    return written == (ssize_t)lines.len;
}
