#include "store/storelock.h"

#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

static scent_status say_locked(const char *dir, int fd, struct errmsg *err)
{
    char text[32] = "";
    ssize_t got = pread(fd, text, sizeof text - 1, 0);
    uint64_t pid;

    if (got > 0 && str_parse_u64(str_trim((struct str){text, (size_t)got}), &pid))
        return errmsg_fail(err, SCENT_E_LOCKED,
                           "another crawl is using %s (process %llu): "
                           "wait for it, stop it, or choose another directory",
                           dir, (unsigned long long)pid);
    return errmsg_fail(err, SCENT_E_LOCKED,
                       "another crawl is using %s: wait for it, stop it, or choose another directory", dir);
}

/* A missing process id only makes another's message poorer, so that failures are none. */
static void write_owner(int fd)
{
    char text[32];
    int len = snprintf(text, sizeof text, "%ld\n", (long)getpid());

    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)len, 0) != len)
        return;
}

scent_status storelock_take(const char *dir, int *fd, struct errmsg *err)
{
    char path[PATH_MAX];
    scent_status status;
    int got, rc;

    if ((size_t)snprintf(path, sizeof path, "%s/lock", dir) >= sizeof path)
        return errmsg_fail(err, SCENT_E_LIMIT, "the name of the directory is too long: %s", dir);
    /* A link could lead to a file of somebody else's, and the process id would overwrite it. */
    got = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0666);
    if (got < 0)
        return errmsg_fail(err, scent_status_of_errno(errno), "cannot write to %s: %s", path,
                           errno == ELOOP ? "it is a symbolic link" : strerror(errno));
    do
        rc = flock(got, LOCK_EX | LOCK_NB);
    while (rc != 0 && errno == EINTR);
    if (rc == 0) {
        write_owner(got);
        *fd = got;
        return SCENT_OK;
    }
    status = errno == EWOULDBLOCK
                 ? say_locked(dir, got, err)
                 : errmsg_fail(err, scent_status_of_errno(errno), "cannot lock %s: %s", path, strerror(errno));
    close(got);
    return status;
}

void storelock_drop(int fd)
{
    if (fd >= 0)
        close(fd);
}
