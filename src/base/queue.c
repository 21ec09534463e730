/* A ring of pointers under a mutex with two conditions. */
#include "base/queue.h"

#include "base/status.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct queue {
    pthread_mutex_t lock;
    pthread_cond_t not_empty, not_full;
    void **items;
    size_t cap, head, len;
    size_t poppers, pushers; /* asleep: a signal costs a system call, so none is sent to nobody */
    bool closed;
};

struct queue *queue_new(size_t cap)
{
    struct queue *queue = calloc(1, sizeof *queue);
    pthread_condattr_t attr;

    SCENT_BUG_IF(!queue || cap == 0);
    queue->items = calloc(cap, sizeof *queue->items);
    SCENT_BUG_IF(!queue->items);
    queue->cap = cap;
    pthread_mutex_init(&queue->lock, NULL);
    pthread_condattr_init(&attr);
    pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
    pthread_cond_init(&queue->not_empty, &attr);
    pthread_cond_init(&queue->not_full, &attr);
    pthread_condattr_destroy(&attr);
    return queue;
}

void queue_free(struct queue *queue)
{
    if (!queue)
        return;
    SCENT_BUG_IF(queue->len != 0);
    pthread_cond_destroy(&queue->not_full);
    pthread_cond_destroy(&queue->not_empty);
    pthread_mutex_destroy(&queue->lock);
    free(queue->items);
    free(queue);
}

bool queue_push(struct queue *queue, void *item)
{
    bool pushed = false;

    pthread_mutex_lock(&queue->lock);
    while (queue->len == queue->cap && !queue->closed) {
        queue->pushers++;
        pthread_cond_wait(&queue->not_full, &queue->lock);
        queue->pushers--;
    }
    if (!queue->closed) {
        queue->items[(queue->head + queue->len++) % queue->cap] = item;
        pushed = true;
        if (queue->poppers)
            pthread_cond_signal(&queue->not_empty);
    }
    pthread_mutex_unlock(&queue->lock);
    return pushed;
}

static void *take(struct queue *queue)
{
    void *item;

    if (queue->len == 0)
        return NULL;
    item = queue->items[queue->head];
    queue->head = (queue->head + 1) % queue->cap;
    queue->len--;
    if (queue->pushers)
        pthread_cond_signal(&queue->not_full);
    return item;
}

void *queue_pop(struct queue *queue)
{
    void *item;

    pthread_mutex_lock(&queue->lock);
    while (queue->len == 0 && !queue->closed) {
        queue->poppers++;
        pthread_cond_wait(&queue->not_empty, &queue->lock);
        queue->poppers--;
    }
    item = take(queue);
    pthread_mutex_unlock(&queue->lock);
    return item;
}

static struct timespec deadline_in(int64_t usec)
{
    struct timespec ts;

    clock_gettime(CLOCK_MONOTONIC, &ts);
    ts.tv_sec += usec / 1000000;
    ts.tv_nsec += usec % 1000000 * 1000;
    if (ts.tv_nsec >= 1000000000) {
        ts.tv_sec++;
        ts.tv_nsec -= 1000000000;
    }
    return ts;
}

void *queue_pop_for(struct queue *queue, int64_t usec)
{
    struct timespec until = {0};
    void *item;
    int rc = 0;

    pthread_mutex_lock(&queue->lock);
    if (queue->len == 0 && !queue->closed && usec > 0)
        until = deadline_in(usec);
    while (queue->len == 0 && !queue->closed && usec > 0 && rc != ETIMEDOUT) {
        queue->poppers++;
        rc = pthread_cond_timedwait(&queue->not_empty, &queue->lock, &until);
        queue->poppers--;
    }
    item = take(queue);
    pthread_mutex_unlock(&queue->lock);
    return item;
}

void queue_close(struct queue *queue)
{
    pthread_mutex_lock(&queue->lock);
    queue->closed = true;
    pthread_cond_broadcast(&queue->not_empty);
    pthread_cond_broadcast(&queue->not_full);
    pthread_mutex_unlock(&queue->lock);
}

bool queue_is_done(struct queue *queue)
{
    bool done;

    pthread_mutex_lock(&queue->lock);
    done = queue->closed && queue->len == 0;
    pthread_mutex_unlock(&queue->lock);
    return done;
}
