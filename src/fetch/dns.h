/* dns - asks the name servers (c-ares), remembers the answers (dnscache), one question for all who wait.
 *
 * Driven by the fetch thread's own epoll: no thread of its own, no thread a question. /etc/hosts is honoured. The
 * questions about A and AAAA go out together; search domains, aliases and the environment have no say. localhost and
 * the names below it are loopback without a question (RFC 6761 section 6.3); what cannot be a host name, or is
 * .onion (RFC 7686), does not exist.
 * What a name server says is only ever an address to be shown to the guard.
 * Owner and thread: the fetch thread. */
#ifndef SCENT_FETCH_DNS_H
#define SCENT_FETCH_DNS_H

#include "fetch/dnscache.h"
#include "fetch/poller.h"

struct dns;
/* SCENT_E_INVALID: options->dns_server is not "address:port". Also takes what options->known knows. */
SCENT_NODISCARD scent_status dns_new(const struct fetch_options *options, struct poller *poller, struct dns **out,
                                     struct errmsg *err);
void dns_free(struct dns *dns); /* nobody may wait any more; NULL is fine */

/* What is known about `host`. False: the name servers have been asked, and dns_next_answered() will give *out. NULL in
 * *out: no memory. *out is good until the next call. */
bool dns_find(struct dns *dns, struct str host, struct dnsname **out);
/* The next name that has an answer now: who waits for it is to be taken out of it. NULL: none. */
struct dnsname *dns_next_answered(struct dns *dns);
/* The next name that somebody waits for, answered or not: for the end. */
struct dnsname *dns_next_unanswered(struct dns *dns);
bool dns_is_idle(const struct dns *dns); /* nobody waits */
void dns_describe(const struct dns *dns, const struct dnsname *name, struct fetch_name *out);

/* The loop's part: sockets by epoll, time-outs and answers by the clock (INT64_MAX: nothing is due). */
bool dns_owns(const struct dns *dns, int fd);
void dns_ready(struct dns *dns, const struct poller_event *event);
int64_t dns_timer_due(const struct dns *dns);
void dns_run_timer(struct dns *dns, int64_t now);

#endif
