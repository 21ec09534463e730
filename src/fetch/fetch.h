/* fetch - transfers: one thread, one libcurl multi handle, epoll; thousands in flight.
 *
 * What may be fetched, and when, was decided before a request comes here (frontier, robots). Redirects are
 * not followed: they are results. A failed transfer is a result too, never a status.
 * The body is kept as it came (content encoding kept, transfer encoding removed) up to a cap. */
#ifndef SCENT_FETCH_FETCH_H
#define SCENT_FETCH_FETCH_H

#include "base/buf.h"
#include "base/clock.h"
#include "base/status.h"
#include "base/str.h"
#include "fetch/guard.h"

enum fetch_outcome {
    FETCH_RESPONSE,     /* a response of any status */
    FETCH_UNWANTED,     /* the headers announced a content type that the scope refuses: no body was read */
    FETCH_E_DNS,
    FETCH_E_CONNECT,
    FETCH_E_TLS,
    FETCH_E_TIMEOUT,
    FETCH_E_PROTOCOL,   /* not HTTP, a head that makes no sense or is too large */
    FETCH_E_CLOSED,     /* the connection ended before a whole head arrived */
    FETCH_E_FORBIDDEN,  /* an address that this crawl may not visit */
    FETCH_E_ABSENT,     /* crawling an archive: it has nothing for this URL */
    FETCH_E_INTERNAL    /* libcurl refused to start: out of descriptors, memory */
};
const char *fetch_outcome_text(enum fetch_outcome outcome); /* "timeout", … stable words: they are stored */

/* Once a head is complete the exchange is a response, and whatever befell the body is a cut of it; CLOSED: the
 * connection ended early, or the framing broke. */
enum fetch_cut { FETCH_WHOLE, FETCH_CUT_SIZE, FETCH_CUT_TIME, FETCH_CUT_CLOSED };

/* One exchange: filled by a fetcher, then owned by whoever takes it; fetch_exchange_free() ends it. */
struct fetch_exchange {
    void *owner;          /* the requester's: comes back untouched */
    const char *url;      /* the requester's memory, valid until the exchange is back */

    enum fetch_outcome outcome;
    enum fetch_cut cut;   /* the body was cut; what came is here */
    int status;           /* HTTP status; 0: none */
    struct buf request;   /* the head as sent, in HTTP/1.1 form; empty when nothing was */
    struct buf head;      /* status line and header lines with CRLF, ends with the empty line; HTTP/1.1 form */
    struct buf body;
    bool chunked;
    char ip[48];          /* of the proxy where there is one */
    char protocol[12];    /* "http/1.1", "h2" */
    char error[128];      /* a detail for people; empty on success */
    int64_t started_wall; /* microseconds since 1970 */
    int64_t took_us;

    /* The fetcher's, while it holds the exchange. */
    struct fetch_exchange *next;
    int64_t starved_since; /* waits for a descriptor since then; 0: never did */
};
struct fetch_exchange *fetch_exchange_new(void *owner, const char *url); /* never NULL */
void fetch_exchange_free(struct fetch_exchange *exchange);

struct fetch_options {
    const char *user_agent;
    const char *accept_types;    /* value of the Accept header; NULL: a sensible one */
    uint64_t max_head, max_body; /* bytes; 0: 64 KiB, 2 MiB */
    int64_t connect_timeout_us, total_timeout_us; /* 0: 10 s, 60 s */
    uint64_t min_bytes_per_s;    /* slower than this for 20 s: cut; 0: 100 */
    uint32_t max_transfers;      /* in flight at once; further ones wait inside; 0: 1,024 */
    uint32_t max_connections_per_host; /* 0: no limit here (the frontier has its own) */
    const char *proxy;           /* "127.0.0.1:8080": an HTTP proxy for everything; NULL */
    const char *ca_file;         /* NULL: the system's */
    bool http2;                  /* over TLS by ALPN */
    enum fetch_reach reach;      /* connects to these addresses alone, a proxy included: else FETCH_E_FORBIDDEN */
    /* Asked when the head is complete; false: FETCH_UNWANTED, the body is not read. Only for 2xx with a content type
     * (`mime`: lower case, without parameters). In the fetch thread. NULL: all are wanted. */
    bool (*wants)(void *ctx, struct str mime);
    void *wants_ctx;
    /* Called in the fetch thread with each finished exchange, ownership included. Must not block for long. */
    void (*done)(void *ctx, struct fetch_exchange *exchange);
    void *done_ctx;
    const struct clock *clock;
};

struct fetch;
/* Starts the thread; raises the soft limit of descriptors to the hard one. SCENT_E_INVALID: a value that cannot be a
 * header's, a CA file that cannot be read. The strings of `options` are copied. */
SCENT_NODISCARD scent_status fetch_start(const struct fetch_options *options, struct fetch **out, struct errmsg *err);
/* Hands over an exchange to be filled; any thread; never blocks. */
void fetch_submit(struct fetch *fetch, struct fetch_exchange *exchange);
/* Aborts what is in flight (each still comes back through `done`, as FETCH_E_CLOSED), joins the thread, frees. Nobody
 * may submit any more. */
void fetch_stop(struct fetch *fetch);
/* CPU nanoseconds the fetch thread has used. */
int64_t fetch_cpu_ns(const struct fetch *fetch);

#endif
