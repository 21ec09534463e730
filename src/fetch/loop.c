/* Starts, finishes and hands out transfers; asks for names; sleeps until something is due. */
#include "fetch/loop.h"

#include "base/machine.h"
#include "fetch/route.h"

#include <stdlib.h>

enum {
    SOCKETS_PER_TRANSFER = 2, /* its own, and an idle connection that is kept */
    DESCRIPTOR_RESERVE = 128, /* for the files of the rest of the program */
    STARVED_PAUSE_US = 100 * 1000
};

static int64_t now_us(void)
{
    return clock_mono(&clock_system); /* epoll sleeps in real time, whatever clock the records use */
}

static void hand_out(struct loop *loop, struct fetch_exchange *exchange)
{
    const struct fetch_options *options = &loop->common.options;

    if (exchange->started_wall == 0)
        exchange->started_wall = clock_wall(options->clock);
    options->done(options->done_ctx, exchange);
}

static void link_running(struct loop *loop, struct transfer *transfer)
{
    transfer->prev = NULL;
    transfer->next = loop->running;
    if (loop->running)
        loop->running->prev = transfer;
    loop->running = transfer;
    loop->nrunning++;
}

/* Out of libcurl, into the pool. */
static void retire(struct loop *loop, struct transfer *transfer)
{
    curl_multi_remove_handle(loop->multi, transfer->easy);
    if (transfer->prev)
        transfer->prev->next = transfer->next;
    else
        loop->running = transfer->next;
    if (transfer->next)
        transfer->next->prev = transfer->prev;
    loop->nrunning--;
    transfer->next = loop->idle;
    loop->idle = transfer;
}

static struct transfer *take_idle(struct loop *loop)
{
    struct transfer *transfer = loop->idle;

    if (!transfer)
        return transfer_new(&loop->common);
    loop->idle = transfer->next;
    return transfer;
}

static bool start_one(struct loop *loop, struct fetch_exchange *exchange, const struct route *route)
{
    const struct clock *clock = loop->common.options.clock;
    struct transfer *transfer = take_idle(loop);

    if (!transfer)
        return false;
    exchange->started_wall = clock_wall(clock);
    exchange->took_us = -clock_mono(clock); /* the end is added when it comes */
    link_running(loop, transfer);
    if (transfer_prepare(transfer, exchange, route) && curl_multi_add_handle(loop->multi, transfer->easy) == CURLM_OK)
        return true;
    retire(loop, transfer);
    exchange->took_us = 0;
    return false;
}

static void start_or_fail(struct loop *loop, struct fetch_exchange *exchange)
{
    struct route route;
    enum route_result result = route_find(&loop->common.options, loop->dns, exchange, &route);

    if (result == ROUTE_ASKED || (result == ROUTE_OPEN && start_one(loop, exchange, &route)))
        return;
    if (result == ROUTE_OPEN)
        transfer_fail(exchange, FETCH_E_INTERNAL, "out of memory");
    hand_out(loop, exchange);
}

static bool may_start(const struct loop *loop)
{
    return loop->nrunning < loop->room &&
           (loop->nrunning == 0 || (!loop->holding.paused && loop->holding.bytes < loop->common.options.max_held));
}

static void start_waiting(struct loop *loop)
{
    struct fetch_exchange *exchange;

    if (loop->pause_until && now_us() < loop->pause_until)
        return;
    loop->pause_until = 0;
    while (may_start(loop) && (exchange = exchanges_take(&loop->waiting)))
        start_or_fail(loop, exchange);
}

/* Fewer connections while descriptors are short: libcurl then closes idle ones before it opens another. */
static void set_room(struct loop *loop, size_t room)
{
    long limit;

    loop->room = room < 1 ? 1 : room > loop->max_running ? loop->max_running : room;
    limit = loop->room == loop->max_running ? 0 : (long)loop->room;
    curl_multi_setopt(loop->multi, CURLMOPT_MAX_TOTAL_CONNECTIONS, limit);
}

/* No descriptor was left: the exchange waits for the end of another, or for better times, but not for ever. */
static bool wait_again(struct loop *loop, struct transfer *transfer)
{
    struct fetch_exchange *exchange = transfer->exchange;
    const struct fetch_options *options = &loop->common.options;

    if (!exchange->starved_since)
        exchange->starved_since = now_us();
    if (now_us() - exchange->starved_since > options->total_timeout_us)
        return false;
    retire(loop, transfer);
    transfer->exchange = NULL;
    set_room(loop, loop->nrunning);
    loop->pause_until = now_us() + STARVED_PAUSE_US;
    exchanges_prepend(&loop->waiting, exchange);
    return true;
}

/* It could not connect: the next address of the host gets its chance, as long as there is time. */
static bool try_another(struct loop *loop, struct fetch_exchange *exchange)
{
    const struct fetch_options *options = &loop->common.options;

    if (now_us() - exchange->first_tried >= options->total_timeout_us ||
        !route_has_another(options, loop->dns, exchange))
        return false;
    exchanges_prepend(&loop->waiting, exchange);
    return true;
}

static void finish_one(struct loop *loop, struct transfer *transfer, CURLcode code)
{
    bool unreachable = transfer_was_unreachable(transfer, code);
    struct fetch_exchange *exchange;

    if (code != CURLE_OK && transfer->starved && !transfer->exchange->request.len && wait_again(loop, transfer))
        return;
    exchange = transfer_finish(transfer, code);
    exchange->took_us += clock_mono(loop->common.options.clock);
    retire(loop, transfer);
    if (loop->room < loop->max_running)
        set_room(loop, loop->room + 1);
    if (unreachable && try_another(loop, exchange))
        return;
    if (exchange->unreachable && exchange->outcome == FETCH_RESPONSE)
        route_worked(loop->dns, exchange);
    hand_out(loop, exchange);
}

static void hand_out_finished(struct loop *loop)
{
    CURLMsg *message;
    int left;

    if (loop->flood.flooded)
        finish_one(loop, loop->flood.flooded, CURLE_RECV_ERROR);
    while ((message = curl_multi_info_read(loop->multi, &left))) {
        CURLcode code = message->data.result; /* the message dies with the handle's removal */
        char *transfer = NULL;

        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &transfer);
        finish_one(loop, (struct transfer *)(void *)transfer, code);
    }
}

/* ---- names ---- */

static void report(struct loop *loop, struct dnsname_request *request, const struct dnsname *name,
                   enum fetch_name_failure failure)
{
    const struct fetch_options *options = &loop->common.options;
    struct fetch_name answer = {.failure = failure, .expires_wall = INT64_MAX};

    if (name)
        dns_describe(loop->dns, name, &answer);
    else if (failure == FETCH_NAME_OK)
        answer.naddresses = fetch_ip_parse((struct str){request->host, request->len}, &answer.addresses[0]);
    answer.name = (struct str){request->host, request->len}; /* as it was asked for */
    options->resolved(options->names_ctx, request->owner, &answer);
    free(request);
}

static void resolve_one(struct loop *loop, struct dnsname_request *request)
{
    struct str host = {request->host, request->len};
    struct dnsname *name;
    struct fetch_ip ip;

    if (fetch_ip_parse(host, &ip) || !route_is_direct(&loop->common.options, host)) {
        report(loop, request, NULL, FETCH_NAME_OK);
    } else if (dns_find(loop->dns, host, &name)) {
        report(loop, request, name, FETCH_NAME_FAILED);
    } else {
        request->next = name->requests;
        name->requests = request;
    }
}

void loop_resolve(struct loop *loop, struct dnsname_request *requests)
{
    struct dnsname_request *in_order = NULL, *next;

    for (; requests; requests = next) {
        next = requests->next;
        requests->next = in_order;
        in_order = requests;
    }
    for (; in_order; in_order = next) {
        next = in_order->next;
        resolve_one(loop, in_order);
    }
}

static void report_all(struct loop *loop, struct dnsname *name, bool answered)
{
    struct dnsname_request *next;

    for (; name->requests; name->requests = next) {
        next = name->requests->next;
        report(loop, name->requests, answered ? name : NULL, FETCH_NAME_STOPPED);
    }
}

static void take_answers(struct loop *loop)
{
    struct dnsname *name;

    while ((name = dns_next_answered(loop->dns))) {
        exchanges_append_all(&name->waiting, &loop->waiting); /* who has waited for a name goes first */
        loop->waiting = name->waiting;
        name->waiting = (struct exchanges){0};
        report_all(loop, name, true);
    }
}

/* ---- a turn ---- */

/* Memory was given back since the last one paused, or nobody goes on. */
static bool may_resume(const struct loop *loop)
{
    const struct holding *holding = &loop->holding;

    return holding->paused && (holding->bytes < holding->paused_at || !holding->favoured);
}

static int64_t sleep_us(const struct loop *loop)
{
    int64_t due = loop->timer_due, now = now_us(), names_due = dns_timer_due(loop->dns);

    if (may_resume(loop))
        return 0;
    due = names_due < due ? names_due : due;

    /* What finished a moment ago has made room: whoever waits starts in the next turn, or after the pause. */
    if (loop->waiting.first && may_start(loop) && loop->pause_until < due)
        due = loop->pause_until;
    return due == INT64_MAX ? -1 : due > now ? due - now : 0;
}

static void run_timer(struct loop *loop)
{
    int running;

    if (loop->timer_due > now_us())
        return;
    loop->timer_due = INT64_MAX; /* libcurl sets it anew if it wants */
    curl_multi_socket_action(loop->multi, CURL_SOCKET_TIMEOUT, 0, &running);
}

static void resume_paused(struct loop *loop)
{
    for (struct transfer *transfer = loop->running; transfer && may_resume(loop); transfer = transfer->next)
        if (transfer->paused)
            transfer_resume(transfer);
}

void loop_work(struct loop *loop)
{
    dns_run_timer(loop->dns, now_us());
    take_answers(loop);
    resume_paused(loop);
    start_waiting(loop);
    run_timer(loop);
    hand_out_finished(loop);
}

void loop_sleep(struct loop *loop, bool may_sleep)
{
    loop->nevents = poller_wait(&loop->poller, may_sleep ? sleep_us(loop) : 0, loop->events);
}

void loop_react(struct loop *loop)
{
    int running;

    for (size_t i = 0; i < loop->nevents; i++) {
        const struct poller_event *event = &loop->events[i];
        int mask = (event->in ? CURL_CSELECT_IN : 0) | (event->out ? CURL_CSELECT_OUT : 0) |
                   (event->error ? CURL_CSELECT_ERR : 0);

        if (dns_owns(loop->dns, event->fd)) {
            dns_ready(loop->dns, event);
            continue;
        }
        curl_multi_socket_action(loop->multi, event->fd, mask, &running);
    }
    hand_out_finished(loop);
}

static void abort_waiting(struct loop *loop, struct exchanges *list)
{
    struct fetch_exchange *exchange;

    while ((exchange = exchanges_take(list))) {
        transfer_fail(exchange, FETCH_E_CLOSED, "stopped");
        hand_out(loop, exchange);
    }
}

void loop_abort(struct loop *loop)
{
    struct fetch_exchange *exchange;
    struct dnsname *name;

    while (loop->running) {
        struct transfer *transfer = loop->running;

        exchange = transfer_finish(transfer, CURLE_OK);
        exchange->took_us += clock_mono(loop->common.options.clock);
        retire(loop, transfer);
        transfer_fail(exchange, FETCH_E_CLOSED, "stopped");
        hand_out(loop, exchange);
    }
    while ((name = dns_next_unanswered(loop->dns))) {
        abort_waiting(loop, &name->waiting);
        report_all(loop, name, false);
    }
    abort_waiting(loop, &loop->waiting);
}

bool loop_is_empty(const struct loop *loop)
{
    return !loop->running && !loop->waiting.first && dns_is_idle(loop->dns);
}

/* ---- beginning and end ---- */

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *ctx, void *socket_ctx)
{
    struct loop *loop = ctx;

    (void)easy;
    (void)socket_ctx;
    poller_want(
        &loop->poller, fd,
        what == CURL_POLL_REMOVE ? 0 : (what & CURL_POLL_IN ? POLLER_IN : 0) | (what & CURL_POLL_OUT ? POLLER_OUT : 0));
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *ctx)
{
    struct loop *loop = ctx;

    (void)multi;
    loop->timer_due = timeout_ms < 0 ? INT64_MAX : now_us() + (int64_t)timeout_ms * 1000;
    return 0;
}

/* Every transfer and every idle connection is a descriptor. */
static void set_descriptor_budget(struct loop *loop)
{
    size_t left = descriptors_left();
    size_t usable = left > DESCRIPTOR_RESERVE * 2 ? left - DESCRIPTOR_RESERVE : left / 2;
    size_t most = usable / SOCKETS_PER_TRANSFER ? usable / SOCKETS_PER_TRANSFER : 1;

    loop->common.max_sockets = usable;
    loop->max_running = loop->common.options.max_transfers;
    if (loop->max_running > most)
        loop->max_running = most;
    loop->room = loop->max_running;
}

static scent_status open_multi(struct loop *loop, struct errmsg *err)
{
    const struct fetch_options *options = &loop->common.options;
    CURLM *multi = curl_multi_init();

    if (!multi)
        return errmsg_fail(err, SCENT_E_NOMEM, "libcurl does not start");
    loop->multi = multi;
    curl_multi_setopt(multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi, CURLMOPT_SOCKETDATA, loop);
    curl_multi_setopt(multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi, CURLMOPT_TIMERDATA, loop);
    curl_multi_setopt(multi, CURLMOPT_PIPELINING, (long)(options->http2 ? CURLPIPE_MULTIPLEX : CURLPIPE_NOTHING));
    curl_multi_setopt(multi, CURLMOPT_MAXCONNECTS, (long)loop->max_running);
    return SCENT_OK;
}

scent_status loop_init(struct loop *loop, const struct fetch_options *options, struct errmsg *err)
{
    *loop = (struct loop){.timer_due = INT64_MAX, .poller = {.epoll = -1, .wake = -1}};
    /* Even if it fails: the clean-up counts. */
    if (curl_global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
        return errmsg_fail(err, SCENT_E_NOMEM, "libcurl does not start");
    SCENT_TRY(poller_init(&loop->poller, err));
    SCENT_TRY(transfer_common_init(&loop->common, options, err));
    SCENT_TRY(flood_init(&loop->flood, err));
    loop->common.poller = &loop->poller;
    loop->common.holding = &loop->holding;
    loop->common.flood = &loop->flood;
    loop->common.http1_servers = &loop->http1_servers;
    SCENT_TRY(dns_new(&loop->common.options, &loop->poller, &loop->dns, err));
    set_descriptor_budget(loop);
    return open_multi(loop, err);
}

void loop_release(struct loop *loop)
{
    while (loop->idle) {
        struct transfer *transfer = loop->idle;

        loop->idle = transfer->next;
        transfer_free(transfer);
    }
    if (loop->multi)
        curl_multi_cleanup(loop->multi); /* closes connections, so the poller goes after it */
    dns_free(loop->dns);
    transfer_common_release(&loop->common);
    flood_release(&loop->flood);
    poller_release(&loop->poller);
    curl_global_cleanup();
}
