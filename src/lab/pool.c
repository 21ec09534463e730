#include "lab/pool.h"

#include "base/machine.h"
#include "base/status.h"

#include <pthread.h>
#include <stdatomic.h>

struct pool {
    void (*fn)(void *ctx, uint32_t thread, size_t i);
    void *ctx;
    size_t count;
    atomic_size_t next;
};

struct pool_worker {
    struct pool *pool;
    uint32_t number;
    pthread_t thread;
};

static void *work(void *arg)
{
    struct pool_worker *worker = arg;
    struct pool *pool = worker->pool;

    for (;;) {
        size_t i = atomic_fetch_add(&pool->next, 1);

        if (i >= pool->count)
            return NULL;
        pool->fn(pool->ctx, worker->number, i);
    }
}

void pool_run(uint32_t threads, size_t count, void (*fn)(void *ctx, uint32_t thread, size_t i), void *ctx)
{
    struct pool pool = {.fn = fn, .ctx = ctx, .count = count};
    struct pool_worker workers[CORES_MAX];

    SCENT_BUG_IF(threads == 0 || threads > CORES_MAX);
    for (uint32_t i = 1; i < threads; i++) {
        workers[i] = (struct pool_worker){.pool = &pool, .number = i};
        SCENT_BUG_IF(pthread_create(&workers[i].thread, NULL, work, &workers[i]));
    }
    workers[0] = (struct pool_worker){.pool = &pool};
    work(&workers[0]);
    for (uint32_t i = 1; i < threads; i++)
        pthread_join(workers[i].thread, NULL);
}
