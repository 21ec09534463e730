/* The fetch thread, and how others talk to it: submissions pile up in an inbox that it empties at each turn. Behind it
 * the values that go in and come out: exchanges and addresses. */
#include "fetch/fetch.h"

#include "fetch/loop.h"

#include <arpa/inet.h>
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

    host.len = host.len <= DNSCACHE_NAME_MAX + 1 ? host.len : 0; /* longer is not a name */
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

static void *run_thread(void *ctx)
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
    failed = pthread_create(&fetch->thread, NULL, run_thread, fetch);
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

/* ---- exchanges ---- */

static const char *const outcome_words[] = {
    [FETCH_RESPONSE] = "response",
    [FETCH_UNWANTED] = "unwanted",
    [FETCH_E_DNS] = "dns",
    [FETCH_E_CONNECT] = "no connection",
    [FETCH_E_TLS] = "TLS error",
    [FETCH_E_TIMEOUT] = "timeout",
    [FETCH_E_PROTOCOL] = "protocol error",
    [FETCH_E_CLOSED] = "connection closed",
    [FETCH_E_FORBIDDEN] = "forbidden",
    [FETCH_E_ABSENT] = "not in the archive",
    [FETCH_E_INTERNAL] = "internal error",
};

const char *fetch_outcome_text(enum fetch_outcome outcome)
{
    return outcome_words[outcome];
}

static const char *const failure_words[] = {
    [FETCH_NAME_OK] = "",
    [FETCH_NAME_UNKNOWN] = "no such name",
    [FETCH_NAME_EMPTY] = "the name has no address",
    [FETCH_NAME_FAILED] = "the name servers failed",
    [FETCH_NAME_SILENT] = "the name servers did not answer",
    [FETCH_NAME_STOPPED] = "stopped",
};

const char *fetch_name_failure_text(enum fetch_name_failure failure)
{
    return failure_words[failure];
}

struct fetch_exchange *fetch_exchange_new(void *owner, const char *url)
{
    struct fetch_exchange *exchange = calloc(1, sizeof *exchange);

    SCENT_BUG_IF(!exchange);
    exchange->owner = owner;
    exchange->url = url;
    buf_init(&exchange->request, 0);
    buf_init(&exchange->head, 0);
    buf_init(&exchange->body, 0);
    return exchange;
}

void fetch_exchange_free(struct fetch_exchange *exchange)
{
    if (!exchange)
        return;
    buf_release(&exchange->request);
    buf_release(&exchange->head);
    buf_release(&exchange->body);
    free(exchange);
}

/* ---- addresses ---- */

bool fetch_ip_parse(struct str text, struct fetch_ip *out)
{
    char z[INET6_ADDRSTRLEN];

    *out = (struct fetch_ip){0};
    if (text.len > 2 && text.p[0] == '[' && text.p[text.len - 1] == ']')
        text = str_sub(text, 1, text.len - 1);
    if (text.len == 0 || text.len >= sizeof z)
        return false;
    memcpy(z, text.p, text.len);
    z[text.len] = 0;
    if (inet_pton(AF_INET, z, out->bytes) == 1)
        out->len = 4;
    else if (inet_pton(AF_INET6, z, out->bytes) == 1)
        out->len = 16;
    return out->len > 0;
}

struct fetch_ip fetch_ip_of(const struct sockaddr *address)
{
    struct fetch_ip ip = {0};
    struct sockaddr_in6 in6;
    struct sockaddr_in in;

    if (address->sa_family == AF_INET) {
        memcpy(&in, address, sizeof in);
        memcpy(ip.bytes, &in.sin_addr, ip.len = 4);
    } else if (address->sa_family == AF_INET6) {
        memcpy(&in6, address, sizeof in6);
        memcpy(ip.bytes, &in6.sin6_addr, ip.len = 16);
    }
    return ip;
}

void fetch_ip_print(const struct fetch_ip *ip, char out[FETCH_IP_TEXT])
{
    out[0] = 0;
    inet_ntop(ip->len == 4 ? AF_INET : AF_INET6, ip->bytes, out, FETCH_IP_TEXT);
}

bool fetch_ip_eq(const struct fetch_ip *a, const struct fetch_ip *b)
{
    return a->len == b->len && memcmp(a->bytes, b->bytes, a->len) == 0;
}
