/* A list of connections, sorted by the time at which they are resumed, and the thread that does it. */
#include "serve/suspended.h"

#include "base/clock.h"
#include "base/status.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct waiting {
    struct waiting *next;
    struct MHD_Connection *connection;
    int64_t until; /* clock_system's mono */
};

struct suspended {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t timer;
    struct waiting *first; /* the next to be resumed */
    bool closed;
};

static void resume_first(struct suspended *suspended)
{
    struct waiting *waiting = suspended->first;

    suspended->first = waiting->next;
    MHD_resume_connection(waiting->connection);
    free(waiting);
}

static void wait_until(struct suspended *suspended, int64_t usec)
{
    struct timespec at = {usec / 1000000, usec % 1000000 * 1000};

    pthread_cond_timedwait(&suspended->changed, &suspended->lock, &at);
}

static void *run_timer(void *ctx)
{
    struct suspended *suspended = ctx;

    pthread_mutex_lock(&suspended->lock);
    while (!suspended->closed) {
        if (!suspended->first)
            pthread_cond_wait(&suspended->changed, &suspended->lock);
        else if (suspended->first->until > clock_mono(&clock_system))
            wait_until(suspended, suspended->first->until);
        else
            resume_first(suspended);
    }
    while (suspended->first)
        resume_first(suspended);
    pthread_mutex_unlock(&suspended->lock);
    return NULL;
}

struct suspended *suspended_new(void)
{
    struct suspended *suspended = calloc(1, sizeof *suspended);
    pthread_condattr_t attr;

    SCENT_BUG_IF(!suspended || pthread_mutex_init(&suspended->lock, NULL) != 0);
    SCENT_BUG_IF(pthread_condattr_init(&attr) != 0 || pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) != 0 ||
                 pthread_cond_init(&suspended->changed, &attr) != 0);
    pthread_condattr_destroy(&attr);
    SCENT_BUG_IF(pthread_create(&suspended->timer, NULL, run_timer, suspended) != 0);
    return suspended;
}

/* Sorted by time; the list is as long as the server has connections at most. */
static void insert(struct suspended *suspended, struct waiting *waiting)
{
    struct waiting **at = &suspended->first;

    while (*at && (*at)->until <= waiting->until)
        at = &(*at)->next;
    waiting->next = *at;
    *at = waiting;
}

bool suspended_add(struct suspended *suspended, struct MHD_Connection *connection, uint32_t ms)
{
    struct waiting *waiting;
    bool open;

    pthread_mutex_lock(&suspended->lock);
    open = !suspended->closed;
    if (open) {
        waiting = malloc(sizeof *waiting);
        SCENT_BUG_IF(!waiting);
        *waiting = (struct waiting){NULL, connection, clock_mono(&clock_system) + (int64_t)ms * 1000};
        MHD_suspend_connection(connection);
        insert(suspended, waiting);
        pthread_cond_signal(&suspended->changed);
    }
    pthread_mutex_unlock(&suspended->lock);
    return open;
}

void suspended_close(struct suspended *suspended)
{
    pthread_mutex_lock(&suspended->lock);
    suspended->closed = true;
    pthread_cond_signal(&suspended->changed);
    pthread_mutex_unlock(&suspended->lock);
    pthread_join(suspended->timer, NULL);
}

void suspended_free(struct suspended *suspended)
{
    pthread_cond_destroy(&suspended->changed);
    pthread_mutex_destroy(&suspended->lock);
    free(suspended);
}
