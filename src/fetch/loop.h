/* loop - what the fetch thread does: exchanges go in, transfers run, exchanges come out.
 *
 *   waiting -> (waiting for a name) -> a transfer in the multi handle -> options.done
 *
 * One turn: start what may start, let libcurl and the resolver do what is due, hand out what is finished; then sleep in
 * epoll until a socket, the clock or somebody calls. libcurl is told of each ready socket (curl_multi_socket_action),
 * so a turn costs what is ready, not what is in flight. Owner and thread: the fetch thread. */
#ifndef SCENT_FETCH_LOOP_H
#define SCENT_FETCH_LOOP_H

#include "fetch/dns.h"
#include "fetch/transfer.h"

struct loop {
    CURLM *multi;
    struct poller poller;
    struct transfer_common common;
    struct holding holding;
    struct flood flood;
    struct http1_servers http1_servers;
    struct dns *dns;
    struct exchanges waiting;
    struct transfer *running, *idle;
    size_t nrunning;
    size_t max_running; /* what descriptors and options allow */
    size_t room;        /* <= max_running: what seems possible at this moment */
    int64_t timer_due;  /* libcurl wants to be called; INT64_MAX: no */
    int64_t pause_until;
    struct poller_event events[POLLER_BATCH];
    size_t nevents;
};

SCENT_NODISCARD scent_status loop_init(struct loop *loop, const struct fetch_options *options, struct errmsg *err);
void loop_release(struct loop *loop); /* also what loop_init() left behind when it failed */

void loop_resolve(struct loop *loop, struct dnsname_request *requests); /* takes them */
void loop_work(struct loop *loop);
void loop_sleep(struct loop *loop, bool may_sleep); /* with `may_sleep` false it only looks */
void loop_react(struct loop *loop);                 /* to what ended the sleep */
/* Everything comes out as it is: stopped. */
void loop_abort(struct loop *loop);
bool loop_is_empty(const struct loop *loop);

#endif
