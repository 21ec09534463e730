/* transfer - one libcurl easy handle and the exchange that it fills; handles are used again where that is safe.
 *
 * Owner and thread: the fetch thread. */
#ifndef SCENT_FETCH_TRANSFER_H
#define SCENT_FETCH_TRANSFER_H

#include "fetch/cookies.h"
#include "fetch/fetch.h"
#include "fetch/poller.h"
#include "fetch/reply.h"
#include "fetch/route.h"

#include <curl/curl.h>
#include <stdatomic.h>

/* What the user calls a proxy, taken apart: "127.0.0.1:8080", "http://proxy.example:3128",
 * "socks5://user:word@127.0.0.1:1080". Names go to the proxy as they are, with SOCKS too. The credentials are kept
 * apart, so that no message can hold them. */
struct proxy {
    char *url; /* as libcurl wants it, without credentials; NULL: there is no proxy */
    char *user, *password;
};

/* `scheme` ("http", "socks5") is meant where none is written. `what` names the option in an error. */
SCENT_NODISCARD scent_status proxy_parse(const char *text, const char *scheme, const char *what, struct proxy *out,
                                         struct errmsg *err);
void proxy_release(struct proxy *proxy); /* twice is fine */

/* The memory of all bodies that are being received. While it exceeds options.max_held all transfers that need more
 * pause, but for one: or nobody would ever come to an end. */
struct holding {
    uint64_t bytes;
    _Atomic uint64_t peak;
    const struct transfer *favoured; /* the one that goes on; NULL: nobody was short of memory */
    size_t paused;
    uint64_t paused_at; /* the bytes when the last one did: less than that, and it is worth another try */
};

/* Servers that want a request in HTTP/1.1 though they offered HTTP/2 (RFC 9113 section 7, HTTP_1_1_REQUIRED): hashes of
 * their names, the latest of each slot. Who is forgotten is asked once in vain. */
enum { HTTP1_SERVERS = 256 };
struct http1_servers {
    uint64_t hashes[HTTP1_SERVERS];
};

/* What all transfers of a fetcher have in common. */
struct transfer_common {
    struct fetch_options options; /* with the defaults filled in; strings are ours */
    struct curl_slist *headers;
    struct proxy proxy, onion_proxy;
    struct cookies *cookies; /* NULL: none */
    struct fetch_login *logins;
    struct poller *poller;
    struct holding *holding;
    struct flood *flood;
    struct http1_servers *http1_servers;
    size_t max_sockets;
    /* libcurl before 8.1 frees the header lines of a handle's last transfer, and yet continues the last of them where a
     * new head begins with a folded line (https://github.com/curl/curl/issues/11101): a server could make it write to
     * freed memory. So no handle sees two heads. */
    bool single_use;
};

/* Copies `options`, reads the cookies. The other members are the caller's to set. SCENT_E_INVALID: as fetch_start(). */
SCENT_NODISCARD scent_status transfer_common_init(struct transfer_common *common, const struct fetch_options *options,
                                                  struct errmsg *err);
void transfer_common_release(struct transfer_common *common); /* twice is fine */

/* Why a callback of ours ended a transfer. */
enum transfer_stop { STOP_NONE, STOP_UNWANTED, STOP_SIZE, STOP_HEAD, STOP_FRAMING, STOP_NOMEM, STOP_REPEAT };

struct transfer {
    CURL *easy;
    const struct transfer_common *common;
    struct fetch_exchange *exchange;
    struct reply reply;
    enum transfer_stop stop;
    uint64_t held;     /* of holding->bytes */
    uint64_t received; /* bytes behind the head, with their framing */
    bool paused;
    bool forbidden;            /* the guard refused an address: `refusal` says why */
    bool starved;              /* no descriptor was left for it */
    bool http2;                /* the handle is set for it */
    bool asked;                /* the request went out, or was about to */
    bool sent_as_http1;        /* in that version */
    bool wants_http1;          /* the server does not answer it in HTTP/2 */
    bool authenticated;        /* the handle holds a user and a password */
    const struct proxy *proxy; /* that the handle is set for; NULL: none */
    struct buf cookie;
    bool worn; /* it may have tried again after a dead connection: libcurl counts that for the handle's life */
    char via[FETCH_IP_TEXT + 8]; /* "::192.0.2.1:": any host, any port is looked for there, at its own port */
    struct curl_slist connect_to;
    bool conditional;                /* the handle sends `conditions` */
    struct curl_slist conditions[2]; /* before the headers of all */
    char condition_lines[2][FETCH_VALIDATOR_MAX + 32];
    char error[CURL_ERROR_SIZE];
    char refusal[128];
    struct transfer *next, *prev;
};

struct transfer *transfer_new(const struct transfer_common *common); /* NULL: no memory */
void transfer_free(struct transfer *transfer);

/* Prepares the handle for `exchange`; false: no memory. */
SCENT_NODISCARD bool transfer_prepare(struct transfer *transfer, struct fetch_exchange *exchange,
                                      const struct route *route);
/* Whether nobody could be connected to, so that another address may help. Before transfer_finish(). */
bool transfer_was_unreachable(const struct transfer *transfer, CURLcode code);
/* Lets a transfer that has paused try again. */
void transfer_resume(struct transfer *transfer);
/* Says in the exchange how it ended and lets go of it. */
struct fetch_exchange *transfer_finish(struct transfer *transfer, CURLcode code);

/* For an exchange that ends without libcurl: everything received is dropped. */
void transfer_fail(struct fetch_exchange *exchange, enum fetch_outcome outcome, const char *why);

#endif
