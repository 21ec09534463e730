#include "serve/parking.h"

#include "base/clock.h"
#include "base/status.h"

#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

struct car {
    struct car *next;
    struct MHD_Connection *connection;
    int64_t leaves; /* clock_system's mono */
};

struct parking {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t timer;
    struct car *first; /* the next to leave */
    bool closed;
};

static void resume_first(struct parking *parking)
{
    struct car *car = parking->first;

    parking->first = car->next;
    MHD_resume_connection(car->connection);
    free(car);
}

static void wait_until(struct parking *parking, int64_t usec)
{
    struct timespec at = {usec / 1000000, usec % 1000000 * 1000};

    pthread_cond_timedwait(&parking->changed, &parking->lock, &at);
}

static void *run_timer(void *ctx)
{
    struct parking *parking = ctx;

    pthread_mutex_lock(&parking->lock);
    while (!parking->closed) {
        if (!parking->first)
            pthread_cond_wait(&parking->changed, &parking->lock);
        else if (parking->first->leaves > clock_mono(&clock_system))
            wait_until(parking, parking->first->leaves);
        else
            resume_first(parking);
    }
    while (parking->first)
        resume_first(parking);
    pthread_mutex_unlock(&parking->lock);
    return NULL;
}

struct parking *parking_new(void)
{
    struct parking *parking = calloc(1, sizeof *parking);
    pthread_condattr_t attr;

    SCENT_BUG_IF(!parking || pthread_mutex_init(&parking->lock, NULL) != 0);
    SCENT_BUG_IF(pthread_condattr_init(&attr) != 0 || pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) != 0 ||
                 pthread_cond_init(&parking->changed, &attr) != 0);
    pthread_condattr_destroy(&attr);
    SCENT_BUG_IF(pthread_create(&parking->timer, NULL, run_timer, parking) != 0);
    return parking;
}

/* Sorted by time; the list is as long as the server has connections at most. */
static void insert(struct parking *parking, struct car *car)
{
    struct car **at = &parking->first;

    while (*at && (*at)->leaves <= car->leaves)
        at = &(*at)->next;
    car->next = *at;
    *at = car;
}

bool parking_park(struct parking *parking, struct MHD_Connection *connection, uint32_t ms)
{
    struct car *car;
    bool open;

    pthread_mutex_lock(&parking->lock);
    open = !parking->closed;
    if (open) {
        car = malloc(sizeof *car);
        SCENT_BUG_IF(!car);
        *car = (struct car){NULL, connection, clock_mono(&clock_system) + (int64_t)ms * 1000};
        MHD_suspend_connection(connection);
        insert(parking, car);
        pthread_cond_signal(&parking->changed);
    }
    pthread_mutex_unlock(&parking->lock);
    return open;
}

void parking_close(struct parking *parking)
{
    pthread_mutex_lock(&parking->lock);
    parking->closed = true;
    pthread_cond_signal(&parking->changed);
    pthread_mutex_unlock(&parking->lock);
    pthread_join(parking->timer, NULL);
}

void parking_free(struct parking *parking)
{
    pthread_cond_destroy(&parking->changed);
    pthread_mutex_destroy(&parking->lock);
    free(parking);
}
