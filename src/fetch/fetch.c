/* The fetch thread.
 *
 *   fetch_submit -> inbox (locked) -> waiting -> a transfer in the multi handle -> done
 *
 * One turn of the loop: take the inbox, start what may start, let libcurl do what is due, hand out what is finished,
 * then sleep in epoll until a socket, the clock or a submission calls. libcurl is told of each ready socket
 * (curl_multi_socket_action), so a turn costs what is ready, not what is in flight. */
#include "fetch/fetch.h"

#include "fetch/transfer.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <time.h>

enum {
    SOCKETS_PER_TRANSFER = 4, /* IPv4 and IPv6 at once, and the resolver's pair */
    DESCRIPTOR_RESERVE = 128, /* for the files of the rest of the program */
    STARVED_PAUSE_US = 100 * 1000
};

struct exchange_list {
    struct fetch_exchange *first, *last;
};

struct fetch {
    pthread_t thread;
    pthread_mutex_t lock; /* of the next two lines */
    struct exchange_list inbox;
    bool asleep, stopping;

    /* The thread's own from here on. */
    CURLM *multi;
    struct poller poller;
    struct transfer_common common;
    struct exchange_list waiting;
    struct transfer *running, *idle;
    size_t nrunning;
    size_t max_running; /* what descriptors and options allow */
    size_t room;        /* <= max_running: what seems possible at this moment */
    int64_t timer_due;  /* libcurl wants to be called; INT64_MAX: no */
    int64_t pause_until;
};

static int64_t now_us(void)
{
    return clock_mono(&clock_system); /* epoll sleeps in real time, whatever clock the records use */
}

static void list_append(struct exchange_list *list, struct fetch_exchange *exchange)
{
    exchange->next = NULL;
    if (list->last)
        list->last->next = exchange;
    else
        list->first = exchange;
    list->last = exchange;
}

static void list_prepend(struct exchange_list *list, struct fetch_exchange *exchange)
{
    exchange->next = list->first;
    list->first = exchange;
    if (!list->last)
        list->last = exchange;
}

static struct fetch_exchange *list_take(struct exchange_list *list)
{
    struct fetch_exchange *exchange = list->first;

    if (!exchange)
        return NULL;
    list->first = exchange->next;
    if (!list->first)
        list->last = NULL;
    exchange->next = NULL;
    return exchange;
}

static void list_append_all(struct exchange_list *list, struct exchange_list *more)
{
    if (!more->first)
        return;
    if (list->last)
        list->last->next = more->first;
    else
        list->first = more->first;
    list->last = more->last;
    *more = (struct exchange_list){0};
}

void fetch_submit(struct fetch *fetch, struct fetch_exchange *exchange)
{
    bool wake;

    pthread_mutex_lock(&fetch->lock);
    list_append(&fetch->inbox, exchange);
    wake = fetch->asleep;
    fetch->asleep = false;
    pthread_mutex_unlock(&fetch->lock);
    if (wake)
        poller_wake(&fetch->poller);
}

/* Whether the thread shall end. */
static bool take_inbox(struct fetch *fetch)
{
    bool stopping;

    pthread_mutex_lock(&fetch->lock);
    list_append_all(&fetch->waiting, &fetch->inbox);
    stopping = fetch->stopping;
    pthread_mutex_unlock(&fetch->lock);
    return stopping;
}

/* False when there is work already. */
static bool go_to_sleep(struct fetch *fetch)
{
    bool asleep;

    pthread_mutex_lock(&fetch->lock);
    asleep = fetch->asleep = !fetch->inbox.first && !fetch->stopping;
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

static void hand_out(struct fetch *fetch, struct fetch_exchange *exchange)
{
    const struct fetch_options *options = &fetch->common.options;

    if (exchange->started_wall == 0)
        exchange->started_wall = clock_wall(options->clock);
    options->done(options->done_ctx, exchange);
}

static void link_running(struct fetch *fetch, struct transfer *transfer)
{
    transfer->prev = NULL;
    transfer->next = fetch->running;
    if (fetch->running)
        fetch->running->prev = transfer;
    fetch->running = transfer;
    fetch->nrunning++;
}

/* Out of libcurl, into the pool. */
static void retire(struct fetch *fetch, struct transfer *transfer)
{
    curl_multi_remove_handle(fetch->multi, transfer->easy);
    if (transfer->prev)
        transfer->prev->next = transfer->next;
    else
        fetch->running = transfer->next;
    if (transfer->next)
        transfer->next->prev = transfer->prev;
    fetch->nrunning--;
    transfer->next = fetch->idle;
    fetch->idle = transfer;
}

static struct transfer *take_idle(struct fetch *fetch)
{
    struct transfer *transfer = fetch->idle;

    if (!transfer)
        return transfer_new(&fetch->common);
    fetch->idle = transfer->next;
    return transfer;
}

static bool start_one(struct fetch *fetch, struct fetch_exchange *exchange)
{
    const struct clock *clock = fetch->common.options.clock;
    struct transfer *transfer = take_idle(fetch);

    if (!transfer)
        return false;
    exchange->started_wall = clock_wall(clock);
    exchange->took_us = -clock_mono(clock); /* the end is added when it comes */
    link_running(fetch, transfer);
    if (transfer_prepare(transfer, exchange) && curl_multi_add_handle(fetch->multi, transfer->easy) == CURLM_OK)
        return true;
    retire(fetch, transfer);
    exchange->took_us = 0;
    return false;
}

static void start_waiting(struct fetch *fetch)
{
    struct fetch_exchange *exchange;

    if (fetch->pause_until && now_us() < fetch->pause_until)
        return;
    fetch->pause_until = 0;
    while (fetch->nrunning < fetch->room && (exchange = list_take(&fetch->waiting))) {
        if (start_one(fetch, exchange))
            continue;
        transfer_fail(exchange, FETCH_E_INTERNAL, "out of memory");
        hand_out(fetch, exchange);
    }
}

/* Fewer connections while descriptors are short: libcurl then closes idle ones before it opens another. */
static void set_room(struct fetch *fetch, size_t room)
{
    long limit;

    fetch->room = room < 1 ? 1 : room > fetch->max_running ? fetch->max_running : room;
    limit = fetch->room == fetch->max_running ? 0 : (long)fetch->room;
    curl_multi_setopt(fetch->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limit);
}

/* No descriptor was left: the exchange waits for the end of another, or for better times, but not for ever. */
static bool wait_again(struct fetch *fetch, struct transfer *transfer)
{
    struct fetch_exchange *exchange = transfer->exchange;
    const struct fetch_options *options = &fetch->common.options;

    if (!exchange->starved_since)
        exchange->starved_since = now_us();
    if (now_us() - exchange->starved_since > options->total_timeout_us)
        return false;
    retire(fetch, transfer);
    transfer->exchange = NULL;
    set_room(fetch, fetch->nrunning);
    fetch->pause_until = now_us() + STARVED_PAUSE_US;
    list_prepend(&fetch->waiting, exchange);
    return true;
}

static void finish_one(struct fetch *fetch, struct transfer *transfer, CURLcode code)
{
    struct fetch_exchange *exchange;

    if (code != CURLE_OK && transfer->starved && !transfer->exchange->request.len && wait_again(fetch, transfer))
        return;
    exchange = transfer_finish(transfer, code);
    exchange->took_us += clock_mono(fetch->common.options.clock);
    retire(fetch, transfer);
    if (fetch->room < fetch->max_running)
        set_room(fetch, fetch->room + 1);
    hand_out(fetch, exchange);
}

static void hand_out_finished(struct fetch *fetch)
{
    CURLMsg *message;
    int left;

    while ((message = curl_multi_info_read(fetch->multi, &left))) {
        CURLcode code = message->data.result; /* the message dies with the handle's removal */
        char *transfer = NULL;

        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        finish_one(fetch, (struct transfer *)(void *)transfer, code);
    }
}

static int64_t sleep_us(const struct fetch *fetch)
{
    int64_t due = fetch->timer_due, now = now_us();

    /* What finished a moment ago has made room: whoever waits starts in the next turn, or after the pause. */
    if (fetch->waiting.first && fetch->nrunning < fetch->room && fetch->pause_until < due)
        due = fetch->pause_until;
    return due == INT64_MAX ? -1 : due > now ? due - now : 0;
}

static void run_timer(struct fetch *fetch)
{
    int running;

    if (fetch->timer_due > now_us())
        return;
    fetch->timer_due = INT64_MAX; /* libcurl sets it anew if it wants */
    curl_multi_socket_action(fetch->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

static void run_sockets(struct fetch *fetch)
{
    struct poller_event events[POLLER_BATCH];
    size_t count;
    int running;

    count = poller_wait(&fetch->poller, go_to_sleep(fetch) ? sleep_us(fetch) : 0, events);
    wake_up(fetch);
    for (size_t i = 0; i < count; i++) {
        int mask = (events[i].in ? CURL_CSELECT_IN : 0) | (events[i].out ? CURL_CSELECT_OUT : 0) |
                   (events[i].error ? CURL_CSELECT_ERR : 0);

        curl_multi_socket_action(fetch->multi, events[i].fd, mask, &running);
    }
}

static void abort_all(struct fetch *fetch)
{
    struct fetch_exchange *exchange;

    while (fetch->running) {
        struct transfer *transfer = fetch->running;

        exchange = transfer_finish(transfer, CURLE_OK);
        exchange->took_us += clock_mono(fetch->common.options.clock);
        retire(fetch, transfer);
        transfer_fail(exchange, FETCH_E_CLOSED, "stopped");
        hand_out(fetch, exchange);
    }
    do {
        while ((exchange = list_take(&fetch->waiting))) {
            transfer_fail(exchange, FETCH_E_CLOSED, "stopped");
            hand_out(fetch, exchange);
        }
        take_inbox(fetch);
    } while (fetch->waiting.first);
}

static void *run(void *ctx)
{
    struct fetch *fetch = ctx;

    while (!take_inbox(fetch)) {
        start_waiting(fetch);
        run_timer(fetch);
        hand_out_finished(fetch);
        run_sockets(fetch);
        hand_out_finished(fetch);
    }
    abort_all(fetch);
    return NULL;
}

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    struct fetch *fetch = ctx;

    (void)easy;
    (void)socket_ctx;
    poller_want(
        &fetch->poller, fd,
        what == CURL_POLL_REMOVE ? 0 : (what & CURL_POLL_IN ? POLLER_IN : 0) | (what & CURL_POLL_OUT ? POLLER_OUT : 0));
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    struct fetch *fetch = ctx;

    (void)multi;
    fetch->timer_due = timeout_ms < 0 ? INT64_MAX : now_us() + (int64_t)timeout_ms * 1000;
    return 0;
}

/* Every transfer and every idle connection is a descriptor: the soft limit is only a habit. */
static rlim_t raise_descriptor_limit(void)
{
    struct rlimit limit;

    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return 1024;
    limit.rlim_cur = limit.rlim_max;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
        getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur < 1 << 20 ? limit.rlim_cur : 1 << 20;
}

static void set_descriptor_budget(struct fetch *fetch)
{
    size_t limit = raise_descriptor_limit();
    size_t usable = limit > DESCRIPTOR_RESERVE * 2 ? limit - DESCRIPTOR_RESERVE : limit / 2;
    size_t most = usable / SOCKETS_PER_TRANSFER ? usable / SOCKETS_PER_TRANSFER : 1;

    fetch->common.max_sockets = usable;
    fetch->max_running = fetch->common.options.max_transfers;
    if (fetch->max_running > most)
        fetch->max_running = most;
    fetch->room = fetch->max_running;
}

static scent_status open_multi(struct fetch *fetch, struct errmsg *err)
{
    const struct fetch_options *options = &fetch->common.options;
    CURLM *multi = curl_multi_init();

    if (!multi)
        return errmsg_fail(err, SCENT_E_NOMEM, "libcurl does not start");
    fetch->multi = multi;
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, fetch);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, fetch);
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)(options->http2 ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING));
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)fetch->max_running);
    curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, (long)options->max_connections_per_host);
    return SCENT_OK;
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
    while (fetch->idle) {
        struct transfer *transfer = fetch->idle;

        fetch->idle = transfer->next;
        transfer_free(transfer);
    }
    if (fetch->multi)
        curl_multi_cleanup(fetch->multi); /* closes connections, so the poller goes after it */
    transfer_common_release(&fetch->common);
    poller_release(&fetch->poller);
    pthread_mutex_destroy(&fetch->lock);
    free(fetch);
    curl_global_cleanup();
}

scent_status fetch_start(const struct fetch_options *options, struct fetch **out, struct errmsg *err)
{
    struct fetch *fetch = calloc(1, sizeof *fetch);
    scent_status status;

    SCENT_BUG_IF(!fetch || !options->done);
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK) {
        free(fetch);
        return errmsg_fail(err, SCENT_E_NOMEM, "libcurl does not start");
    }
    pthread_mutex_init(&fetch->lock, NULL);
    fetch->timer_due = INT64_MAX;
    status = poller_init(&fetch->poller, err);
    if (status == SCENT_OK)
        status = transfer_common_init(&fetch->common, options, &fetch->poller, err);
    if (status == SCENT_OK) {
        set_descriptor_budget(fetch);
        status = open_multi(fetch, err);
    }
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
    poller_wake(&fetch->poller);
    pthread_join(fetch->thread, NULL);
    release(fetch);
}

int64_t fetch_cpu_ns(const struct fetch *fetch)
{
    struct timespec used = {0};
    clockid_t clock;

    if (pthread_getcpuclockid(fetch->thread, &clock) == 0)
        clock_gettime(clock, &used);
    return (int64_t)used.tv_sec * 1000000000 + used.tv_nsec;
}
