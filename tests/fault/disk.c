/* A library to be preloaded: it stands between a program and the disk.
 *
 *   DISK_BELOW  only calls for files below this absolute path are seen (SQLite's shared memory, which no disk need
 *               keep, and the lock, which holds nothing, are not)
 *   DISK_AT     the number of the call, from 1, that does not go well
 *   DISK_DOES   what it does instead: the number of an error, or 0: the process is killed
 *   DISK_LOG    a file to which every call that went well is appended: "NAME NUMBER LENGTH PATH\n", then LENGTH bytes
 *
 * Numbers are offsets of write, sizes of truncate. The call that fails is logged as "failed", with its number, and its
 * name as the bytes. Calls are seen one at a time, so that the log has their order. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static bool ends(const char *text, const char *tail)
{
    size_t len = strlen(text), tail_len = strlen(tail);

    return len >= tail_len && strcmp(text + len - tail_len, tail) == 0;
}

static bool is_seen(const char *path)
{
    const char *below = getenv("DISK_BELOW");
    size_t len = below ? strlen(below) : 0;

    if (!below || strncmp(path, below, len) != 0 || (path[len] != '/' && path[len] != 0))
        return false;
    return !ends(path, "-shm") && !ends(path, "/lock") && !ends(path, " (deleted)");
}

static bool path_of_fd(int fd, char out[PATH_MAX])
{
    char link[64];
    ssize_t len;

    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    len = readlink(link, out, PATH_MAX - 1);
    out[len > 0 ? len : 0] = 0;
    return is_seen(out);
}

/* The folder need not be there under this very name: paths are told as the program spelled them, made absolute. */
static bool path_of_name(const char *name, char out[PATH_MAX])
{
    char here[PATH_MAX] = "";

    if (name[0] != '/' && !getcwd(here, sizeof here))
        return false;
    if (snprintf(out, PATH_MAX, "%s%s%s", here, name[0] == '/' ? "" : "/", name) >= PATH_MAX)
        return false;
    return is_seen(out);
}

static void note(const char *name, long long number, const void *data, size_t len, const char *path)
{
    const char *log = getenv("DISK_LOG");
    int error = errno;
    char head[PATH_MAX + 128];
    int head_len, fd;

    if (!log)
        return;
    fd = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
    head_len = snprintf(head, sizeof head, "%s %lld %zu %s\n", name, number, len, path);
    if (syscall(SYS_write, fd, head, head_len) != head_len || syscall(SYS_write, fd, data, len) != (long)len)
        abort();
    syscall(SYS_close, fd);
    errno = error;
}

/* True: this is the call that fails; errno is set. */
static bool fails(const char *name, const char *path)
{
    static int calls;
    const char *at = getenv("DISK_AT"), *does = getenv("DISK_DOES");

    if (!at || ++calls != atoi(at))
        return false;
    note("failed", calls, name, strlen(name), path);
    if (!does || atoi(does) == 0)
        kill(getpid(), SIGKILL);
    errno = atoi(does);
    return true;
}

#define REAL(type, name, params) ((type(*) params)dlsym(RTLD_NEXT, #name))

/* A call for a descriptor or a name: `seen` finds its path, `went` says of `rc` that it went well. */
#define WRAP(type, name, params, args, seen, went, number, data, len)  \
    type name params                                                   \
    {                                                                  \
        char path[PATH_MAX];                                           \
        type rc = -1;                                                  \
        if (!(seen))                                                   \
            return REAL(type, name, params) args;                      \
        pthread_mutex_lock(&mutex);                                    \
        if (!fails(#name, path))                                       \
            rc = REAL(type, name, params) args;                        \
        if (went)                                                      \
            note(#name, (long long)(number), data, (size_t)(len), path); \
        pthread_mutex_unlock(&mutex);                                  \
        return rc;                                                     \
    }

WRAP(int, fsync, (int fd), (fd), path_of_fd(fd, path), rc == 0, 0, "", 0)
WRAP(int, fdatasync, (int fd), (fd), path_of_fd(fd, path), rc == 0, 0, "", 0)
WRAP(int, ftruncate, (int fd, off_t size), (fd, size), path_of_fd(fd, path), rc == 0, size, "", 0)
WRAP(int, ftruncate64, (int fd, off64_t size), (fd, size), path_of_fd(fd, path), rc == 0, size, "", 0)
WRAP(ssize_t, pwrite, (int fd, const void *p, size_t n, off_t at), (fd, p, n, at), path_of_fd(fd, path), rc > 0, at, p,
     rc)
WRAP(ssize_t, pwrite64, (int fd, const void *p, size_t n, off64_t at), (fd, p, n, at), path_of_fd(fd, path), rc > 0, at,
     p, rc)
WRAP(ssize_t, write, (int fd, const void *p, size_t n), (fd, p, n), path_of_fd(fd, path), rc > 0,
     lseek(fd, 0, SEEK_CUR) - rc, p, rc)
WRAP(int, unlink, (const char *name), (name), path_of_name(name, path), rc == 0, 0, "", 0)
WRAP(int, mkdir, (const char *name, mode_t mode), (name, mode), path_of_name(name, path), rc == 0, 0, "", 0)
/* The data is the new name, absolute too where the old one is. */
WRAP(int, rename, (const char *from, const char *to), (from, to), path_of_name(from, path), rc == 0, 0, to, strlen(to))

static int open_seen(int (*real)(const char *, int, ...), const char *name, int flags, mode_t mode)
{
    char path[PATH_MAX];
    bool is_new = flags & O_CREAT && access(name, F_OK) != 0;
    int rc = -1;

    if (!(is_new || flags & O_TRUNC) || !path_of_name(name, path))
        return real(name, flags, mode);
    pthread_mutex_lock(&mutex);
    if (!fails("open", path))
        rc = real(name, flags, mode);
    if (rc >= 0)
        note(is_new ? "create" : "ftruncate", 0, "", 0, path);
    pthread_mutex_unlock(&mutex);
    return rc;
}

#define WRAP_OPEN(name)                                                                      \
    int name(const char *path, int flags, ...)                                               \
    {                                                                                        \
        mode_t mode = 0;                                                                     \
        if (flags & O_CREAT) {                                                               \
            va_list list;                                                                    \
            va_start(list, flags);                                                           \
            mode = (mode_t)va_arg(list, int);                                                \
            va_end(list);                                                                    \
        }                                                                                    \
        return open_seen(REAL(int, name, (const char *, int, ...)), path, flags, mode);      \
    }
WRAP_OPEN(open)
WRAP_OPEN(open64)

/* The log of a crawl is opened so. */
int openat(int dir, const char *name, int flags, ...)
{
    char folder[PATH_MAX], path[2 * PATH_MAX];
    mode_t mode = 0;

    if (flags & O_CREAT) {
        va_list list;
        va_start(list, flags);
        mode = (mode_t)va_arg(list, int);
        va_end(list);
    }
    if (dir == AT_FDCWD || !path_of_fd(dir, folder))
        return REAL(int, openat, (int, const char *, int, ...))(dir, name, flags, mode);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return open(path, flags, mode);
}
