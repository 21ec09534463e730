/* The fetch thread, and how others talk to it: submissions pile up in an inbox that it empties at each turn. */
#include "fetch/fetch.h"

#include "fetch/loop.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

struct fetch {
    pthread_t thread;
    pthread_mutex_t lock; /* of the next three lines */
    struct exchanges inbox;
    struct dnsname_request *requests; /* the newest first */
    bool asleep, stopping;

    struct loop loop; /* the thread's own */
};

/* Something was put in: the lock is held, and given back. */
static void unlock_and_wake(struct fetch *fetch)
{
    bool wake = fetch->asleep;

    fetch->asleep = false;
    pthread_mutex_unlock(&fetch->lock);
    if (wake)
        poller_wake(&fetch->loop.poller);
}

void fetch_submit(struct fetch *fetch, struct fetch_exchange *exchange)
{
    pthread_mutex_lock(&fetch->lock);
    exchanges_append(&fetch->inbox, exchange);
    unlock_and_wake(fetch);
}

void fetch_resolve(struct fetch *fetch, struct str host, void *owner)
{
    struct dnsname_request *request;

    host.len = host.len <= DNSCACHE_NAME_MAX + 1 ? host.len : 0; /* longer is no name */
    request = malloc(sizeof *request + host.len + 1);
    SCENT_BUG_IF(!request);
    *request = (struct dnsname_request){.owner = owner, .len = host.len};
    if (host.len)
        memcpy(request->host, host.p, host.len);
    pthread_mutex_lock(&fetch->lock);
    request->next = fetch->requests;
    fetch->requests = request;
    unlock_and_wake(fetch);
}

/* Whether the thread shall end. */
static bool take_inbox(struct fetch *fetch)
{
    struct dnsname_request *requests;
    bool stopping;

    pthread_mutex_lock(&fetch->lock);
    exchanges_append_all(&fetch->loop.waiting, &fetch->inbox);
    requests = fetch->requests;
    fetch->requests = NULL;
    stopping = fetch->stopping;
    pthread_mutex_unlock(&fetch->lock);
    loop_resolve(&fetch->loop, requests);
    return stopping;
}

/* False when there is work already. */
static bool go_to_sleep(struct fetch *fetch)
{
    bool asleep;

    pthread_mutex_lock(&fetch->lock);
    asleep = fetch->asleep = !fetch->inbox.first && !fetch->requests && !fetch->stopping;
    pthread_mutex_unlock(&fetch->lock);
    return asleep;
}

/* From here on a submission need not call: the inbox is looked at before the next sleep. */
static void wake_up(struct fetch *fetch)
{
    pthread_mutex_lock(&fetch->lock);
    fetch->asleep = false;
    pthread_mutex_unlock(&fetch->lock);
}

static void *run(void *ctx)
{
    struct fetch *fetch = ctx;

    while (!take_inbox(fetch)) {
        loop_work(&fetch->loop);
        loop_sleep(&fetch->loop, go_to_sleep(fetch));
        wake_up(fetch);
        loop_react(&fetch->loop);
    }
    do {
        loop_abort(&fetch->loop);
        take_inbox(fetch); /* `done` may have led to a last submission */
    } while (!loop_is_empty(&fetch->loop));
    return NULL;
}

/* Signals are for the main thread. */
static scent_status start_thread(struct fetch *fetch, struct errmsg *err)
{
    sigset_t all, before;
    int failed;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    failed = pthread_create(&fetch->thread, NULL, run, fetch);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (failed)
        return errmsg_fail(err, SCENT_E_NOMEM, "cannot start a thread: %s", strerror(failed));
    pthread_setname_np(fetch->thread, "fetch");
    return SCENT_OK;
}

static void release(struct fetch *fetch)
{
    loop_release(&fetch->loop);
    pthread_mutex_destroy(&fetch->lock);
    free(fetch);
}

scent_status fetch_start(const struct fetch_options *options, struct fetch **out, struct errmsg *err)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);
    scent_status status;

    SCENT_BUG_IF(!fetch || !options->done);
    pthread_mutex_init(&fetch->lock, NULL);
    status = loop_init(&fetch->loop, options, err);
    if (status == SCENT_OK)
        status = start_thread(fetch, err);
    if (status != SCENT_OK) {
        release(fetch);
        return status;
    }
    *out = fetch;
    return SCENT_OK;
}

void fetch_stop(struct fetch *fetch)
{
    pthread_mutex_lock(&fetch->lock);
    fetch->stopping = true;
    fetch->asleep = false;
    pthread_mutex_unlock(&fetch->lock);
    poller_wake(&fetch->loop.poller);
    pthread_join(fetch->thread, NULL);
    release(fetch);
}

uint64_t fetch_held_peak(const struct fetch *fetch)
{
    return atomic_load_explicit(&fetch->loop.holding.peak, memory_order_relaxed);
}

int64_t fetch_cpu_ns(const struct fetch *fetch)
{
    struct timespec used = {0};
    clockid_t clock;

    if (pthread_getcpuclockid(fetch->thread, &clock) == 0)
        clock_gettime(clock, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}

const char *fetch_library(void)
{
    return curl_version();
}
