/* Requests by virtual host or through the proxy, answered from a web; slow hosts wait without a thread. */
#include "serve/webserver.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/status.h"
#include "http/http.h"
#include "serve/address.h"
#include "url/url.h"

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { CONNECTIONS_MAX = 4096, THREADS_MAX = 64, IDLE_SECONDS = 120, HANG_MS = 60 * 1000, LINE_MAX_BYTES = 16 * 1024 };
enum { BODY_MAX = 256 * 1024 * 1024 };

/* ---- connections that wait: for a slow host's delay, or for nothing at all ---- */

/* A list of connections, sorted by the time at which they are resumed. A suspended one costs no thread; one timer
 * thread resumes it when its time has come. */
struct waiting {
    struct waiting *next;
    struct MHD_Connection *connection;
    int64_t until; /* clock_system's mono */
};

struct suspended {
    pthread_mutex_t lock;
    pthread_cond_t changed;
    pthread_t timer;
    struct waiting *first; /* the next to be resumed */
    bool closed;
};

static void resume_first(struct suspended *suspended)
{
    struct waiting *waiting = suspended->first;

    suspended->first = waiting->next;
    MHD_resume_connection(waiting->connection);
    free(waiting);
}

static void wait_until(struct suspended *suspended, int64_t usec)
{
    struct timespec at = {usec / 1000000, usec % 1000000 * 1000};

    pthread_cond_timedwait(&suspended->changed, &suspended->lock, &at);
}

static void *run_timer(void *ctx)
{
    struct suspended *suspended = ctx;

    pthread_mutex_lock(&suspended->lock);
    while (!suspended->closed) {
        if (!suspended->first)
            pthread_cond_wait(&suspended->changed, &suspended->lock);
        else if (suspended->first->until > clock_mono(&clock_system))
            wait_until(suspended, suspended->first->until);
        else
            resume_first(suspended);
    }
    while (suspended->first)
        resume_first(suspended);
    pthread_mutex_unlock(&suspended->lock);
    return NULL;
}

static struct suspended *suspended_new(void)
{
    struct suspended *suspended = calloc(1, sizeof *suspended);
    pthread_condattr_t attr;

    SCENT_BUG_IF(!suspended || pthread_mutex_init(&suspended->lock, NULL) != 0);
    SCENT_BUG_IF(pthread_condattr_init(&attr) != 0 || pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) != 0 ||
                 pthread_cond_init(&suspended->changed, &attr) != 0);
    pthread_condattr_destroy(&attr);
    SCENT_BUG_IF(pthread_create(&suspended->timer, NULL, run_timer, suspended) != 0);
    return suspended;
}

/* Sorted by time; the list is as long as the server has connections at most. */
static void insert_waiting(struct suspended *suspended, struct waiting *waiting)
{
    struct waiting **at = &suspended->first;

    while (*at && (*at)->until <= waiting->until)
        at = &(*at)->next;
    waiting->next = *at;
    *at = waiting;
}

/* From inside the connection's request handler, which is called again afterwards. False: it is closed. */
static bool suspended_add(struct suspended *suspended, struct MHD_Connection *connection, uint32_t ms)
{
    struct waiting *waiting;
    bool open;

    pthread_mutex_lock(&suspended->lock);
    open = !suspended->closed;
    if (open) {
        waiting = malloc(sizeof *waiting);
        SCENT_BUG_IF(!waiting);
        *waiting = (struct waiting){NULL, connection, clock_mono(&clock_system) + (int64_t)ms * 1000};
        MHD_suspend_connection(connection);
        insert_waiting(suspended, waiting);
        pthread_cond_signal(&suspended->changed);
    }
    pthread_mutex_unlock(&suspended->lock);
    return open;
}

/* Resumes everyone and lets nobody in again. */
static void suspended_close(struct suspended *suspended)
{
    pthread_mutex_lock(&suspended->lock);
    suspended->closed = true;
    pthread_cond_signal(&suspended->changed);
    pthread_mutex_unlock(&suspended->lock);
    pthread_join(suspended->timer, NULL);
}

/* Closed before, and after the server has stopped. */
static void suspended_free(struct suspended *suspended)
{
    pthread_cond_destroy(&suspended->changed);
    pthread_mutex_destroy(&suspended->lock);
    free(suspended);
}

/* ---- the server and its requests ---- */

struct webserver {
    struct web *web;
    struct suspended *suspended;
    struct MHD_Daemon *daemon;
    const struct log *log;
    char *default_host; /* NULL: none */
    struct viewer *viewer; /* NULL: none */
    bool is_public;
    _Atomic uint16_t port; /* 0 until it is known */
};

enum request_state { REQUEST_HEAD, REQUEST_WHOLE, REQUEST_DELAYED, REQUEST_HUNG, REQUEST_SENT };

struct request {
    enum request_state state;
    bool is_proxy;
    struct buf href;
    struct buf buf; /* holds what `response` points to */
    struct web_response response;
    char target[]; /* as it stands in the request line */
};

/* ---- plain answers of our own ---- */

static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *text)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(text), (void *)(uintptr_t)text, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result result;

    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", "text/plain; charset=utf-8");
    if (status == 405)
        MHD_add_response_header(response, "Allow", "GET, HEAD");
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

/* ---- the web's answers ---- */

/* What belongs to the connection is the server's own business. */
static bool is_hop_by_hop(struct str name)
{
    static const char *const names[] = {"Connection", "Keep-Alive", "Proxy-Connection", "TE", "Trailer", "Upgrade",
                                        "Transfer-Encoding", "Content-Length"};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (str_eq_nocase(name, str_of(names[i])))
            return true;
    }
    return false;
}

static void add_header(struct MHD_Response *response, struct str line)
{
    size_t colon = str_find(line, ':');
    struct str value;
    char text[LINE_MAX_BYTES];

    if (colon == line.len || line.len >= sizeof text || is_hop_by_hop(str_sub(line, 0, colon)))
        return;
    value = str_trim(str_sub(line, colon + 1, line.len));
    memcpy(text, line.p, colon);
    text[colon] = 0;
    memcpy(text + colon + 1, value.p, value.len);
    text[colon + 1 + value.len] = 0;
    MHD_add_response_header(response, text, text + colon + 1);
}

static void add_headers(struct MHD_Response *response, struct str head)
{
    struct str line;

    str_split(&head, '\n', &line); /* the status line */
    while (str_split(&head, '\n', &line))
        add_header(response, str_trim(line));
}

/* RFC 9110, 13.1.2, for the one tag that a crawler sends back. */
static bool is_unchanged(struct MHD_Connection *connection, const struct web_response *response)
{
    struct str known = str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "If-None-Match"));
    struct str tag = http_header(response->head, STR("ETag"));

    return response->status == 200 && known.len > 0 && tag.len > 0 && str_eq(known, tag);
}

/* The response takes the buffer over: the body is not copied again. */
static enum MHD_Result send_response(struct MHD_Connection *connection, struct request *request)
{
    struct web_response *answer = &request->response;
    bool unchanged = is_unchanged(connection, answer);
    struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
        unchanged ? 0 : answer->body.len, (void *)(uintptr_t)answer->body.p, free, request->buf.p);
    enum MHD_Result result;

    if (!response)
        return MHD_NO;
    add_headers(response, answer->head);
    result = MHD_queue_response(connection, unchanged ? 304 : (unsigned)answer->status, response);
    /* Nothing is left to send should libmicrohttpd ask again (a connection that was resumed while the server stops). */
    request->state = REQUEST_SENT;
    request->response = (struct web_response){0};
    buf_init(&request->buf, BODY_MAX);
    MHD_destroy_response(response);
    return result;
}

/* What a client sees of a host that does not answer: through a proxy, that the proxy could not reach it. */
static enum MHD_Result send_fault(struct webserver *server, struct MHD_Connection *connection, struct request *request)
{
    switch (request->response.fault) {
    case WEB_NO_HOST:
        return send_text(connection, request->is_proxy ? 502 : 404, "no such host\n");
    case WEB_REFUSE:
        return request->is_proxy ? send_text(connection, 502, "connection refused\n") : MHD_NO;
    case WEB_HANG:
        request->state = REQUEST_HUNG;
        return suspended_add(server->suspended, connection, HANG_MS) ? MHD_YES : MHD_NO;
    default:
        return MHD_NO; /* closes the connection */
    }
}

/* Clients that cannot undo the content encoding get the body without it; what cannot be decoded stays as it is. */
static void make_acceptable(struct MHD_Connection *connection, struct request *request)
{
    struct str accept = str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept-Encoding"));
    struct web_response *answer = &request->response;
    struct str head = answer->head, line, body;
    enum http_end end;
    struct buf buf;
    size_t at;

    if (http_accepts(accept, http_header(answer->head, STR("Content-Encoding"))))
        return;
    buf_init(&buf, BODY_MAX);
    if (http_decode_body(answer->head, answer->body, &buf, &body, &end) != SCENT_OK || end != HTTP_WHOLE) {
        buf_release(&buf);
        return;
    }
    at = buf.len;
    while (str_split(&head, '\n', &line))
        if (!http_is_header(line, STR("Content-Encoding")) && buf_add(&buf, line))
            buf_addc(&buf, '\n');
    if (buf.failed) {
        buf_release(&buf);
        return;
    }
    buf_release(&request->buf);
    request->buf = buf;
    answer->body = (struct str){buf.p, at};
    answer->head = (struct str){buf.p + at, buf.len - at};
}

/* ---- which URL is meant ---- */

/* False: a host of our own that stands for none. */
static bool find_href(const struct webserver *server, struct MHD_Connection *connection, struct request *request)
{
    struct str target = str_of(request->target);
    struct str host = url_host_without_port(str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host")));

    request->is_proxy = url_is_absolute(target);
    if (request->is_proxy)
        return buf_add(&request->href, target);
    if (host.len == 0 || url_host_is_loopback(host)) {
        if (!server->default_host)
            return false;
        host = str_of(server->default_host);
    }
    return buf_addz(&request->href, "http://") && buf_add(&request->href, host) && buf_add(&request->href, target);
}

/* An archive may know the page under https only, which nobody can ask for here. */
static void try_https(const struct webserver *server, struct request *request)
{
    struct web_response response;
    struct buf href, buf;

    buf_init(&href, SCENT_URL_MAX);
    buf_init(&buf, BODY_MAX);
    buf_addz(&href, "https://");
    buf_add(&href, str_sub(buf_str(&request->href), 7, request->href.len));
    if (!href.failed && web_get(server->web, buf_str(&href), &buf, &response, NULL) == SCENT_OK &&
        response.fault == WEB_FINE && response.status != 404) {
        buf_release(&request->buf);
        request->buf = buf;
        request->response = response;
    } else {
        buf_release(&buf);
    }
    buf_release(&href);
}

static enum MHD_Result answer_viewer(struct webserver *server, struct MHD_Connection *connection,
                                     struct request *request, struct str host)
{
    struct viewer_request asked = {
        .target = str_of(request->target),
        .host = host,
        .dest = str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Dest")),
        .site = str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Site")),
        .mode = str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Sec-Fetch-Mode")),
    };
    struct errmsg err = {""};

    if (viewer_get(server->viewer, &asked, &request->buf, &request->response, &err) == SCENT_OK)
        return send_response(connection, request);
    log_line(server->log, LOG_WARN, "%s", err.text);
    return send_text(connection, 500, "the collection could not be read\n");
}

static enum MHD_Result answer(struct webserver *server, struct MHD_Connection *connection, struct request *request)
{
    struct str host = str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"));
    struct errmsg err = {""};

    if (server->viewer && !server->default_host && request->target[0] == '/' &&
        address_is_ours(host, server->port, server->is_public))
        return answer_viewer(server, connection, request, host);
    if (!find_href(server, connection, request))
        return send_text(connection, 404, "no such host\n");
    if (web_get(server->web, buf_str(&request->href), &request->buf, &request->response, &err) != SCENT_OK) {
        log_line(server->log, LOG_WARN, "%s", err.text);
        return send_text(connection, 500, "the web could not be read\n");
    }
    if (request->response.status == 404 && !request->is_proxy)
        try_https(server, request);
    if (request->response.fault != WEB_FINE)
        return send_fault(server, connection, request);
    make_acceptable(connection, request);
    if (request->response.delay_ms == 0)
        return send_response(connection, request);
    request->state = REQUEST_DELAYED;
    return suspended_add(server->suspended, connection, request->response.delay_ms) ? MHD_YES : MHD_NO;
}

/* ---- libmicrohttpd's callbacks ---- */

/* The only place where the target is seen as it came: with its query, nothing unescaped. */
static void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
{
    size_t len = strlen(target);
    struct request *request = calloc(1, sizeof *request + len + 1);

    (void)cls;
    (void)connection;
    if (!request)
        return NULL;
    memcpy(request->target, target, len);
    buf_init(&request->href, SCENT_URL_MAX);
    buf_init(&request->buf, BODY_MAX);
    return request;
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **slot,
                         enum MHD_RequestTerminationCode code)
{
    struct request *request = *slot;

    (void)cls;
    (void)connection;
    (void)code;
    if (!request)
        return;
    buf_release(&request->href);
    buf_release(&request->buf);
    free(request);
    *slot = NULL;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_len, void **slot)
{
    struct webserver *server = cls;
    struct request *request = *slot;

    (void)url;
    (void)version;
    (void)upload;
    if (!request)
        return MHD_NO;
    if (request->state == REQUEST_HEAD || *upload_len > 0) { /* an answer before the end would cost the connection */
        request->state = REQUEST_WHOLE;
        *upload_len = 0; /* nobody wants the body */
        return MHD_YES;
    }
    if (strcmp(method, "CONNECT") == 0)
        return send_text(connection, 501, "no tunnels\n");
    if (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0)
        return send_text(connection, 405, "only GET and HEAD\n");
    switch (request->state) {
    case REQUEST_WHOLE:
        return answer(server, connection, request);
    case REQUEST_DELAYED:
        return send_response(connection, request);
    default:
        return MHD_NO;
    }
}

/* ---- start and stop ---- */

static struct MHD_Daemon *start_daemon(struct webserver *server, const struct webserver_options *options,
                                       const union socket_address *address)
{
    unsigned threads = options->threads < THREADS_MAX ? options->threads : THREADS_MAX;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_SUPPRESS_DATE_NO_CLOCK |
                     (address->any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0);

    return MHD_start_daemon(flags, options->port, NULL, NULL, on_request, server,
                            MHD_OPTION_SOCK_ADDR, &address->any,
                            MHD_OPTION_URI_LOG_CALLBACK, on_target, server,
                            MHD_OPTION_UNESCAPE_CALLBACK, address_keep_escapes, server,
                            MHD_OPTION_NOTIFY_COMPLETED, on_completed, server,
                            MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
                            MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
                            MHD_OPTION_THREAD_POOL_SIZE, threads > 1 ? threads : 0u, MHD_OPTION_END);
}

scent_status webserver_start(struct web *web, const struct webserver_options *options, struct webserver **out,
                             struct errmsg *err)
{
    struct webserver *server;
    union socket_address address;
    scent_status status;

    SCENT_TRY(address_parse(options->address, options->port, options->allow_public, &address, err));
    server = calloc(1, sizeof *server);
    SCENT_BUG_IF(!server);
    server->web = web;
    server->log = options->log;
    server->viewer = options->viewer;
    server->is_public = options->allow_public;
    server->default_host = options->default_host ? strdup(options->default_host) : NULL;
    server->suspended = suspended_new();
    server->daemon = start_daemon(server, options, &address);
    if (!server->daemon) {
        status = address_fail_listen(options->address, options->port, err);
        webserver_stop(server);
        return status;
    }
    server->port = MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    *out = server;
    return SCENT_OK;
}

uint16_t webserver_port(const struct webserver *server)
{
    return server->port;
}

/* Whoever waits is resumed first: libmicrohttpd does not stop while a connection is suspended. */
void webserver_stop(struct webserver *server)
{
    if (!server)
        return;
    suspended_close(server->suspended);
    if (server->daemon)
        MHD_stop_daemon(server->daemon);
    suspended_free(server->suspended);
    free(server->default_host);
    free(server);
}
