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

#include <stddef.h>
#include <sys/socket.h>

/* ---- addresses ---- */

/* Which addresses a crawl may connect to. Asked for each socket, so neither a name server nor a redirect
 * gets around it; asked for each DNS answer too, so that what is refused costs no socket. Pure, any thread. */

enum fetch_reach {
    FETCH_REACH_LOOPBACK, /* 127.0.0.0/8 and ::1 alone */
    FETCH_REACH_PUBLIC,   /* none of the special ranges of the IANA registries (RFC 6890), nor what is not assigned */
    FETCH_REACH_ANY
};

struct guard_verdict {
    const char *range;  /* why it is refused: "private", "loopback", …; NULL: it is allowed */
    const char *inside; /* the IPv6 form that held the refused IPv4 address: "NAT64", …; NULL: it came as it is */
};
struct guard_verdict guard_check(enum fetch_reach reach, const struct sockaddr *address);

/* "10.0.0.1 is private", "64:ff9b::a00:1 is private in NAT64". */
void guard_explain(const struct guard_verdict *verdict, const struct sockaddr *address, char *out, size_t room);

enum fetch_outcome {
    FETCH_RESPONSE,     /* a response of any status */
    FETCH_UNWANTED,     /* the headers announced a content type that the scope refuses: no body was read */
    FETCH_E_DNS,
    FETCH_E_CONNECT,
    FETCH_E_TLS,
    FETCH_E_TIMEOUT,
    FETCH_E_PROTOCOL,   /* not HTTP, a head that makes no sense or is too large */
    FETCH_E_CLOSED,     /* the connection ended before a whole head arrived. Nothing is sent twice: a repetition is
                           the requester's */
    FETCH_E_FORBIDDEN,  /* an address that this crawl may not visit */
    FETCH_E_ABSENT,     /* crawling an archive: it has nothing for this URL */
    FETCH_E_INTERNAL    /* libcurl refused to start: out of descriptors, memory */
};
const char *fetch_outcome_text(enum fetch_outcome outcome); /* "timeout", … stable words: they are stored */

/* Once a head is complete the exchange is a response, and whatever befell the body is a cut of it; CLOSED: the
 * connection ended early, or the framing broke. */
enum fetch_cut { FETCH_WHOLE, FETCH_CUT_SIZE, FETCH_CUT_TIME, FETCH_CUT_CLOSED };

/* One exchange: filled by a fetcher, then owned by whoever takes it; fetch_exchange_free() ends it. */
enum { FETCH_VALIDATOR_MAX = 512 };
struct fetch_exchange {
    void *owner;          /* the requester's: comes back untouched */
    const char *url;      /* the requester's memory, valid until the exchange is back */
    bool any_type;        /* `wants` is not asked (robots.txt) */
    uint64_t max_body;    /* of this exchange; 0: as the options say */
    /* Of what the requester has already: sent as If-None-Match and If-Modified-Since; NULL: none. What is no header
     * value, or longer than FETCH_VALIDATOR_MAX, is not sent. The requester's memory, as `url`. */
    const char *etag, *last_modified;

    enum fetch_outcome outcome;
    enum fetch_cut cut;   /* the body was cut; what came is here */
    int status;           /* HTTP status; 0: none */
    struct buf request;   /* the head as sent, in HTTP/1.1 form, without the values of Cookie, Authorization and
                             Proxy-Authorization; empty when nothing was sent */
    struct buf head;      /* status line and header lines with CRLF, ends with the empty line; HTTP/1.1 form */
    struct buf body;
    bool chunked;
    bool unread;          /* FETCH_E_CLOSED: a kept connection ended before the answer, which often happens where
                             the server wanted to close it anyway (RFC 9110 section 9.2.2): says nothing */
    char ip[48];          /* of the proxy where there is one */
    char protocol[12];    /* "http/1.1", "h2" */
    char error[128];      /* a detail for people; empty on success */
    int64_t started_wall; /* microseconds since 1970 */
    int64_t took_us;

    /* The fetcher's, while it holds the exchange. */
    struct fetch_exchange *next;
    int64_t starved_since; /* waits for a descriptor since then; 0: never did */
    int64_t first_tried;   /* when the first of its addresses was tried; 0: none was */
    uint8_t unreachable;   /* addresses that could not be reached */
};
struct fetch_exchange *fetch_exchange_new(void *owner, const char *url); /* never NULL */
void fetch_exchange_free(struct fetch_exchange *exchange);

/* An address as it is on the wire. */
struct fetch_ip {
    uint8_t len; /* 4 or 16 */
    uint8_t bytes[16];
};
enum { FETCH_IP_TEXT = 46, FETCH_ADDRESSES_MAX = 8 };
bool fetch_ip_parse(struct str text, struct fetch_ip *out); /* IPv6 with or without brackets */
struct sockaddr;
struct fetch_ip fetch_ip_of(const struct sockaddr *address); /* .len 0: it is of another family */
void fetch_ip_print(const struct fetch_ip *ip, char out[FETCH_IP_TEXT]); /* without brackets */
bool fetch_ip_eq(const struct fetch_ip *a, const struct fetch_ip *b);

enum fetch_name_failure {
    FETCH_NAME_OK,
    FETCH_NAME_UNKNOWN, /* there is no such name */
    FETCH_NAME_EMPTY,   /* it has no address */
    FETCH_NAME_FAILED,  /* the name servers could not tell */
    FETCH_NAME_SILENT,  /* the name servers did not answer */
    FETCH_NAME_STOPPED  /* fetch_stop() came before the answer; never to be kept */
};
const char *fetch_name_failure_text(enum fetch_name_failure failure); /* "no such name", … */

/* What the name servers said about a host. */
struct fetch_name {
    struct str name;          /* lower case, without a dot at its end */
    struct fetch_ip addresses[FETCH_ADDRESSES_MAX];
    size_t naddresses;
    enum fetch_name_failure failure;
    uint32_t failures;        /* in a row: the next waits longer */
    int64_t expires_wall;     /* microseconds since 1970; INT64_MAX: never */
};

/* Basic authentication (RFC 7617) for one host: "example.org", or "example.org:8080" for this port alone. */
struct fetch_login {
    const char *host, *user, *password;
};

/* Secrets (in proxy, cookies_file, logins) reach the servers that they are for and nothing else: no exchange, no error
 * text. */
struct fetch_options {
    const char *user_agent;
    uint64_t max_head, max_body; /* bytes; 0: 64 KiB, 2 MiB. A head has at most 1,000 lines */
    /* All bodies that are being received, together; beyond it nothing starts and all transfers but one pause, so it can
     * be exceeded by one body. 0: 256 MiB */
    uint64_t max_held;
    int64_t connect_timeout_us, total_timeout_us; /* 0: 10 s, 60 s. Fewer than 100 bytes a second for 20 s, or a third
                                                     of the total where that is longer: cut as well */
    uint32_t max_transfers;      /* in flight at once; further ones wait inside; 0: 1,024 */
    /* "127.0.0.1:8080", "http://…", "socks5://…", with user:password@ where the proxy wants it: the way to all hosts.
     * They go to the proxy as they are written, no name is looked up here, and `reach` holds for addresses in URLs
     * alone (FETCH_REACH_PUBLIC), not for the proxy's own. NULL: none. */
    const char *proxy;
    const char *onion_proxy;     /* "127.0.0.1:9050": Tor's SOCKS port, the way to .onion hosts, which are
                                    FETCH_E_FORBIDDEN without it; NULL */
    const char *cookies_file;    /* a browser's export in Netscape's format; NULL */
    const struct fetch_login *logins;
    size_t nlogins;
    const char *ca_file;         /* NULL: the system's */
    bool http2;                  /* over TLS by ALPN */
    enum fetch_reach reach;      /* connects to these addresses alone: else FETCH_E_FORBIDDEN */
    /* Asked when the head is complete; false: FETCH_UNWANTED, the body is not read. Only for 2xx with a content type
     * (`mime`: lower case, without parameters). In the fetch thread. NULL: all are wanted. */
    bool (*wants)(void *ctx, struct str mime);
    void *wants_ctx;
    const char *dns_server;      /* "127.0.0.1:5353": asked instead of the system's name servers; NULL */
    int64_t dns_timeout_us;      /* for the first of three tries, the next ones wait longer; 0: 2 s */
    /* Names that are known from before: called by fetch_start() in its thread until it says false. NULL. */
    bool (*known)(void *ctx, struct fetch_name *name);
    /* The answer to fetch_resolve(), in the fetch thread, so that it can be kept for `known`; `name` is gone
     * afterwards. NULL when nobody calls fetch_resolve(). */
    void (*resolved)(void *ctx, void *owner, const struct fetch_name *name);
    void *names_ctx;
    /* Called in the fetch thread with each finished exchange, ownership included. Must not block for long. */
    void (*done)(void *ctx, struct fetch_exchange *exchange);
    void *done_ctx;
    const struct clock *clock;
};

struct fetch;
/* Starts the thread; raises the soft limit of descriptors to the hard one. SCENT_E_INVALID: a value that cannot be a
 * header's, a CA file that cannot be read, a proxy or a cookie file that makes no sense. The strings of `options` are
 * copied. */
SCENT_NODISCARD scent_status fetch_start(const struct fetch_options *options, struct fetch **out, struct errmsg *err);
/* Hands over an exchange to be filled; any thread; never blocks. */
void fetch_submit(struct fetch *fetch, struct fetch_exchange *exchange);
/* Asks for the addresses of `host` (url_host(): a name or an address), so that they are known when the host is
 * visited; `resolved` gets the answer, with `owner`, exactly once. Where a proxy is the way, it is asked for nothing:
 * FETCH_NAME_OK without addresses. Any thread; never blocks. */
void fetch_resolve(struct fetch *fetch, struct str host, void *owner);
/* Aborts what is in flight (each still comes back through `done`, as FETCH_E_CLOSED), joins the thread, frees. Nobody
 * may submit any more. */
void fetch_stop(struct fetch *fetch);
/* The most memory that bodies took at once while they were received. */
uint64_t fetch_held_peak(const struct fetch *fetch);
/* CPU nanoseconds the fetch thread has used. */
int64_t fetch_cpu_ns(const struct fetch *fetch);

/* The libraries behind it and their versions, for people: "libcurl/7.88.1 OpenSSL/3.0.9 …". */
const char *fetch_library(void);

#endif
