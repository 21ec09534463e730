/* What the operating system says of this machine and of our limits on it. */
#include "base/machine.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <unistd.h>

uint32_t cores_count(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);

    if (n < 1)
        return 1;
    return n < CORES_MAX ? (uint32_t)n : CORES_MAX;
}

struct work {
    void (*fn)(void *ctx, uint32_t thread, size_t i);
    void *ctx;
    size_t count;
    atomic_size_t next;
};

struct worker {
    struct work *work;
    uint32_t number;
    pthread_t thread;
};

static void *run_worker(void *arg)
{
    struct worker *worker = arg;
    struct work *work = worker->work;

    for (;;) {
        size_t i = atomic_fetch_add(&work->next, 1);

        if (i >= work->count)
            return NULL;
        work->fn(work->ctx, worker->number, i);
    }
}

void cores_run(uint32_t threads, size_t count, void (*fn)(void *ctx, uint32_t thread, size_t i), void *ctx)
{
    struct work work = {.fn = fn, .ctx = ctx, .count = count};
    struct worker workers[CORES_MAX];

    SCENT_BUG_IF(threads == 0 || threads > CORES_MAX);
    for (uint32_t i = 1; i < threads; i++) {
        workers[i] = (struct worker){.work = &work, .number = i};
        SCENT_BUG_IF(pthread_create(&workers[i].thread, NULL, run_worker, &workers[i]));
    }
    workers[0] = (struct worker){.work = &work};
    run_worker(&workers[0]);
    for (uint32_t i = 1; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
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
