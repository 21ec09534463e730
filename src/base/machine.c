/* What the operating system says of this machine and of our limits on it. */
#include "base/machine.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

uint32_t cores_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    if (n < 1)
        return 1;
    return n < CORES_MAX ? (uint32_t)n : CORES_MAX;
}

enum { LIMIT_MAX = 1 << 20, UNKNOWN_LIMIT = 1024 };

static size_t raise_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return UNKNOWN_LIMIT;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < LIMIT_MAX ? (size_t)limit.rlim_cur : LIMIT_MAX;
}

size_t descriptors_left(void)
{
    size_t limit = raise_limit();
    int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC); /* the lowest free number: as many are taken */

    if (lowest < 0)
        return 0;
    close(lowest);
    return limit > (size_t)lowest ? limit - (size_t)lowest : 0;
}

scent_status descriptors_need(size_t need, struct errmsg *err)
{
    size_t left = descriptors_left();

    if (left >= need)
        return SCENT_OK;
    return errmsg_fail(err, SCENT_E_INVALID,
                       "only %zu more files can be opened, and %zu are needed at least; raise the limit, for example "
                       "with 'ulimit -n 1024'",
                       left, need);
}
