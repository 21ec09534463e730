/* The server of the dashboard: connections, who may ask what, streams, and the clock that tells the news. */
#include "serve/dashboard.h"

#include "base/clock.h"
#include "base/file.h"
#include "crawldir/control.h"
#include "crawldir/crawldir.h"
#include "serve/dashboard_parts.h"
#include "serve/dashboard_replay.h"
#include "serve/dashboard_search.h"
#include "serve/page_files.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 1200,
    THREADS = 2,
    IDLE_SECONDS = 30,
    CONNECTION_MEMORY = 32 << 10, /* of a request's head: URLs are long */
    BODY_MAX = 64 << 10,
    ANSWER_MAX = 64 << 20,
    TARGET_MAX = 16 << 10,
    STREAMS_MAX = 1000,
    STREAM_BLOCK = 1 << 10,       /* memory for each; news are longer and go in pieces where a socket is full */
    TOLD_MAX = 200,               /* streams that are told the news in a second: of more, each hears them less often */
    SLOW_MAX = 4,                 /* requests that wait for others; further ones are asked to come again */
    TICK_MS = 1000,
    PAGE_ARENA = 512 << 20
};

static const char POLICY[] = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
                             "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; "
                             "require-trusted-types-for 'script'; trusted-types 'none'";

/* The news of a moment, one text for all that hear them. */
struct news {
    size_t holders; /* under the dashboard's lock */
    size_t len;
    char text[];
};

/* A client that hears the news. */
struct stream {
    struct stream *next; /* of those that wait for the next news */
    struct dashboard *dashboard;
    struct MHD_Connection *connection;
    struct news *news; /* the last ones that it was given; NULL: none */
    size_t sent;       /* of them */
};

struct dashboard {
    struct MHD_Daemon *daemon;
    struct address_token token;
    struct dashboard_options options;
    _Atomic uint16_t port; /* 0 until it is known: the server answers from its start on */
    bool is_public;
    struct shown_crawl crawls[DASHBOARD_DIRS_MAX];
    struct shown_lab labs[DASHBOARD_DIRS_MAX];
    size_t ncrawls, nlabs;

    pthread_mutex_t lock; /* of all below, and of the crawls' `live` */
    pthread_cond_t changed;
    pthread_t clock;
    bool has_clock, closed;
    struct news *news; /* the last; NULL: nobody asked yet */
    struct stream *waiting, **last_waiting; /* the first has waited longest */
    unsigned streams, slow;
};

enum request_state { REQUEST_BODY, REQUEST_SLOW, REQUEST_ANSWERED };

struct request {
    enum request_state state;
    const struct route *route;
    struct buf body;
    bool too_large;
    struct MHD_Connection *connection;
    struct call call;
    char target[]; /* as it stands in the request line */
};

/* ---- for the routes ---- */

size_t dashboard_crawls(struct dashboard *dashboard, struct shown_crawl **out)
{
    *out = dashboard->crawls;
    return dashboard->ncrawls;
}

size_t dashboard_labs(struct dashboard *dashboard, struct shown_lab **out)
{
    *out = dashboard->labs;
    return dashboard->nlabs;
}

const struct dashboard_options *dashboard_settings(const struct dashboard *dashboard)
{
    return &dashboard->options;
}

bool dashboard_live(struct dashboard *dashboard, const struct shown_crawl *crawl, struct buf *out)
{
    bool running;

    pthread_mutex_lock(&dashboard->lock);
    running = crawl->live.len > 0;
    buf_add(out, buf_str(&crawl->live));
    pthread_mutex_unlock(&dashboard->lock);
    return running;
}

bool dashboard_is_running(struct dashboard *dashboard, const struct shown_crawl *crawl)
{
    bool running;

    pthread_mutex_lock(&dashboard->lock);
    running = crawl->live.len > 0;
    pthread_mutex_unlock(&dashboard->lock);
    return running;
}

/* ---- answers ---- */

static struct str header(struct MHD_Connection *connection, const char *name)
{
    return str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name));
}

static void add_policies(struct MHD_Response *response, const char *type)
{
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "Content-Security-Policy", POLICY);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Referrer-Policy", "no-referrer");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Cross-Origin-Opener-Policy", "same-origin");
    MHD_add_response_header(response, "X-DNS-Prefetch-Control", "off");
    MHD_add_response_header(response, "Cache-Control", "no-store");
}

static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status, struct MHD_Response *response)
{
    enum MHD_Result result = MHD_queue_response(connection, status, response);

    MHD_destroy_response(response);
    return result;
}

/* The response takes the text over. */
static enum MHD_Result send_call(struct request *request)
{
    struct call *call = &request->call;
    struct MHD_Response *response;

    if (call->out.failed)
        call_fail(call, 500, "the answer is too large");
    response = MHD_create_response_from_buffer_with_free_callback_cls(call->out.len, call->out.p, free, call->out.p);
    if (!response)
        return MHD_NO;
    buf_init(&call->out, ANSWER_MAX);
    add_policies(response, call->type);
    if (call->location[0])
        MHD_add_response_header(response, "Location", call->location);
    if (call->status == 401)
        MHD_add_response_header(response, "WWW-Authenticate", "Bearer");
    request->state = REQUEST_ANSWERED;
    return queue(request->connection, (unsigned)call->status, response);
}

static enum MHD_Result send_file(struct MHD_Connection *connection, struct str content, const char *type)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(content.len, (void *)(uintptr_t)content.p, MHD_RESPMEM_PERSISTENT);

    if (!response)
        return MHD_NO;
    add_policies(response, type);
    return queue(connection, 200, response);
}

/* ---- streams ---- */

/* Under the lock. */
static void let_go(struct news *news)
{
    if (news && --news->holders == 0)
        free(news);
}

static ssize_t read_stream(void *cls, uint64_t at, char *to, size_t room)
{
    struct stream *stream = cls;
    struct dashboard *dashboard = stream->dashboard;
    size_t len;

    (void)at;
    if (!stream->news || stream->sent == stream->news->len) {
        pthread_mutex_lock(&dashboard->lock);
        if (dashboard->closed) {
            pthread_mutex_unlock(&dashboard->lock);
            return MHD_CONTENT_READER_END_OF_STREAM;
        }
        if (stream->news == dashboard->news) { /* it sleeps until there are news */
            MHD_suspend_connection(stream->connection);
            stream->next = NULL;
            *dashboard->last_waiting = stream;
            dashboard->last_waiting = &stream->next;
            pthread_mutex_unlock(&dashboard->lock);
            return 0;
        }
        let_go(stream->news);
        stream->news = dashboard->news;
        stream->news->holders++;
        stream->sent = 0;
        pthread_mutex_unlock(&dashboard->lock);
    }
    len = stream->news->len - stream->sent < room ? stream->news->len - stream->sent : room;
    memcpy(to, stream->news->text + stream->sent, len);
    stream->sent += len;
    return (ssize_t)len;
}

static void end_stream(void *cls)
{
    struct stream *stream = cls;

    pthread_mutex_lock(&stream->dashboard->lock);
    stream->dashboard->streams--;
    let_go(stream->news);
    pthread_mutex_unlock(&stream->dashboard->lock);
    free(stream);
}

static enum MHD_Result send_stream(struct dashboard *dashboard, struct request *request)
{
    struct stream *stream = calloc(1, sizeof *stream);
    struct MHD_Response *response;
    bool full;

    SCENT_BUG_IF(!stream);
    stream->dashboard = dashboard;
    stream->connection = request->connection;
    pthread_mutex_lock(&dashboard->lock);
    full = dashboard->streams >= STREAMS_MAX;
    dashboard->streams += !full;
    pthread_mutex_unlock(&dashboard->lock);
    response = full ? NULL
                    : MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, read_stream, stream,
                                                        end_stream);
    if (!response) {
        free(stream);
        call_fail(&request->call, 503, "too many clients; try again later");
        return send_call(request);
    }
    add_policies(response, "text/event-stream");
    request->state = REQUEST_ANSWERED;
    return queue(request->connection, 200, response);
}

/* ---- who may ask ---- */

static bool knows_token(const struct dashboard *dashboard, struct MHD_Connection *connection)
{
    static const struct str scheme = {"Bearer ", 7};
    struct str given = header(connection, "Authorization");

    return str_starts(given, scheme) && address_same_token(&dashboard->token, str_sub(given, scheme.len, given.len));
}

/* Of a request that a page sends: the page must be ours. A person may come from anywhere (a link, an address). */
static bool is_from_us(struct MHD_Connection *connection, struct str host)
{
    struct str origin = header(connection, "Origin"), site = header(connection, "Sec-Fetch-Site");
    char own[300];

    snprintf(own, sizeof own, "http://%.*s", STR_ARG(host));
    if (origin.len && !str_eq(origin, str_of(own)))
        return false;
    return !site.len || str_eq(site, STR("same-origin")) || str_eq(site, STR("none")) ||
           str_eq(header(connection, "Sec-Fetch-Mode"), STR("navigate"));
}

/* A route, or a failed call. */
static bool admit(struct dashboard *dashboard, struct request *request, const char *method, struct str path)
{
    struct call *call = &request->call;
    struct MHD_Connection *connection = request->connection;
    int status;

    if (!address_is_ours(call->host, dashboard->port, dashboard->is_public) || call->host.len > 255) {
        call_fail(call, 403, "this server does not answer for that name");
        return false;
    }
    if (!is_from_us(connection, call->host)) {
        call_fail(call, 403, "not for other sites");
        return false;
    }
    request->route = dashboard_find_route(dashboard, method, path, call, &status);
    if (!request->route) {
        call_fail(call, status, status == 405 ? "not by this method" : "no such address");
        return false;
    }
    if (((request->route->flags & ROUTE_CHANGES) || dashboard->is_public) && !knows_token(dashboard, connection)) {
        call_fail(call, 401, "the token is missing or of another run: open the address that scent printed");
        return false;
    }
    if ((request->route->flags & ROUTE_CHANGES) &&
        !str_starts_nocase(header(connection, "Content-Type"), STR("application/json"))) {
        call_fail(call, 415, "send application/json");
        return false;
    }
    return true;
}

/* ---- requests that wait for others ---- */

static void *run_slow(void *ctx)
{
    struct request *request = ctx;
    struct dashboard *dashboard = request->call.dashboard;

    request->route->answer(&request->call);
    pthread_mutex_lock(&dashboard->lock);
    MHD_resume_connection(request->connection);
    dashboard->slow--;
    pthread_cond_broadcast(&dashboard->changed);
    pthread_mutex_unlock(&dashboard->lock);
    return NULL;
}

static enum MHD_Result start_slow(struct dashboard *dashboard, struct request *request)
{
    pthread_attr_t attr;
    pthread_t thread;
    bool started = false;

    pthread_mutex_lock(&dashboard->lock);
    if (!dashboard->closed && dashboard->slow < SLOW_MAX && pthread_attr_init(&attr) == 0) {
        pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
        MHD_suspend_connection(request->connection);
        request->state = REQUEST_SLOW;
        started = pthread_create(&thread, &attr, run_slow, request) == 0;
        if (!started)
            MHD_resume_connection(request->connection);
        dashboard->slow += started;
        pthread_attr_destroy(&attr);
    }
    pthread_mutex_unlock(&dashboard->lock);
    if (started)
        return MHD_YES;
    call_fail(&request->call, 503, "busy; try again in a moment");
    if (request->state == REQUEST_SLOW)
        return MHD_YES; /* it is asked for once more */
    return send_call(request);
}

/* ---- libmicrohttpd's callbacks ---- */

static void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
{
    size_t len = strlen(target);
    struct request *request = calloc(1, sizeof *request + len + 1);

    if (!request)
        return NULL;
    memcpy(request->target, target, len);
    request->connection = connection;
    request->call = (struct call){.dashboard = cls, .status = 200, .type = "application/json"};
    buf_init(&request->body, BODY_MAX);
    buf_init(&request->call.out, ANSWER_MAX);
    json_writer_init(&request->call.w, &request->call.out);
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
    buf_release(&request->body);
    buf_release(&request->call.out);
    free(request);
    *slot = NULL;
}

static enum MHD_Result answer(struct dashboard *dashboard, struct request *request, const char *method)
{
    struct call *call = &request->call;
    struct str target = str_of(request->target), content;
    size_t mark = str_find(target, '?');
    const char *type;

    call->host = header(request->connection, "Host");
    call->body = buf_str(&request->body);
    call->query = mark < target.len ? str_sub(target, mark + 1, target.len) : STR("");
    target = str_sub(target, 0, mark);
    if (request->too_large || target.len > TARGET_MAX) {
        call_fail(call, request->too_large ? 413 : 414, "too large");
        return send_call(request);
    }
    if (strcmp(method, "HEAD") == 0)
        method = "GET";
    if (strcmp(method, "GET") == 0 && page_file(target, &content, &type) &&
        address_is_ours(call->host, dashboard->port, dashboard->is_public))
        return send_file(request->connection, content, type);
    if (!admit(dashboard, request, method, target))
        return send_call(request);
    if (request->route->flags & ROUTE_STREAM)
        return send_stream(dashboard, request);
    if (request->route->flags & ROUTE_SLOW)
        return start_slow(dashboard, request);
    request->route->answer(call);
    return send_call(request);
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                                  const char *version, const char *upload, size_t *upload_len, void **slot)
{
    struct request *request = *slot;

    (void)connection;
    (void)url;
    (void)version;
    if (!request)
        return MHD_NO;
    if (*upload_len) {
        request->too_large |= !buf_add(&request->body, (struct str){upload, *upload_len});
        *upload_len = 0;
        return MHD_YES;
    }
    if (request->state == REQUEST_SLOW)
        return send_call(request);
    /* The first call is for the head alone: an answer before the end would cost the connection. */
    if (!request->call.host.p) {
        request->call.host = STR("");
        return MHD_YES;
    }
    return request->state == REQUEST_BODY ? answer(cls, request, method) : MHD_NO;
}

/* ---- the clock ---- */

static void write_news(struct dashboard *dashboard, struct buf *out)
{
    struct json_writer w;

    buf_clear(out);
    buf_addz(out, "data: ");
    json_writer_init(&w, out);
    json_object_begin(&w);
    json_key(&w, "crawls");
    json_array_begin(&w);
    for (size_t i = 0; i < dashboard->ncrawls; i++)
        dashboard_write_crawl(&w, dashboard, &dashboard->crawls[i]);
    json_array_end(&w);
    json_object_end(&w);
    buf_addz(out, "\n\n");
}

/* What the crawls have said since the last time. A line is parsed before it is passed on: whoever answers in a
 * directory need not be a crawl. */
static void look(struct dashboard *dashboard)
{
    for (size_t i = 0; i < dashboard->ncrawls; i++) {
        struct shown_crawl *crawl = &dashboard->crawls[i];
        struct json *parsed = NULL;
        struct errmsg err;
        bool running;

        if (!control_watch_look(&crawl->watch, crawl->dir))
            continue;
        running = json_parse(buf_str(&crawl->watch.line), &parsed, &err) == SCENT_OK &&
                  json_as_bool(json_get(parsed, "running"));
        json_free(parsed);
        pthread_mutex_lock(&dashboard->lock);
        buf_clear(&crawl->live);
        if (running)
            buf_add(&crawl->live, buf_str(&crawl->watch.line));
        pthread_mutex_unlock(&dashboard->lock);
        survey_set_running(crawl->survey, running);
    }
}

/* Whoever has waited longest hears the news first; at most so many. */
static void tell(struct dashboard *dashboard, struct str text, size_t most)
{
    struct news *news = malloc(sizeof *news + text.len);
    struct stream *stream;

    SCENT_BUG_IF(!news);
    *news = (struct news){.holders = 1, .len = text.len};
    if (text.len)
        memcpy(news->text, text.p, text.len);
    pthread_mutex_lock(&dashboard->lock);
    let_go(dashboard->news);
    dashboard->news = news;
    while ((stream = dashboard->waiting) && most--) {
        dashboard->waiting = stream->next;
        if (!dashboard->waiting)
            dashboard->last_waiting = &dashboard->waiting;
        MHD_resume_connection(stream->connection);
    }
    pthread_mutex_unlock(&dashboard->lock);
}

static void *run_clock(void *ctx)
{
    struct dashboard *dashboard = ctx;
    struct buf news;
    bool closed = false;

    buf_init(&news, ANSWER_MAX);
    while (!closed) {
        int64_t until = clock_mono(&clock_system) + TICK_MS * 1000;
        struct timespec at = {until / 1000000, until % 1000000 * 1000};
        bool heard;

        look(dashboard);
        pthread_mutex_lock(&dashboard->lock);
        heard = dashboard->streams > 0;
        pthread_mutex_unlock(&dashboard->lock);
        if (heard) {
            write_news(dashboard, &news);
            tell(dashboard, buf_str(&news), TOLD_MAX);
        }
        pthread_mutex_lock(&dashboard->lock);
        while (!dashboard->closed && clock_mono(&clock_system) < until)
            pthread_cond_timedwait(&dashboard->changed, &dashboard->lock, &at);
        closed = dashboard->closed;
        pthread_mutex_unlock(&dashboard->lock);
    }
    tell(dashboard, buf_str(&news), SIZE_MAX); /* whoever waits learns that it has ended */
    buf_release(&news);
    return NULL;
}

/* ---- start and stop ---- */

static char *last_part(const char *path)
{
    struct str s = str_of(path);
    size_t start;

    while (s.len > 1 && s.p[s.len - 1] == '/')
        s.len--;
    for (start = s.len; start && s.p[start - 1] != '/';)
        start--;
    return str_dup(str_sub(s, start, s.len));
}

static scent_status add_dir(struct dashboard *dashboard, const char *dir, const struct dashboard_options *options,
                            struct errmsg *err)
{
    struct shown_crawl *crawl = &dashboard->crawls[dashboard->ncrawls];
    struct shown_lab *lab = &dashboard->labs[dashboard->nlabs];

    bool is_crawl = file_exists(crawldir_path(dir, "crawl.db").text);

    if (!is_crawl && file_exists(crawldir_path(dir, "summary.json").text)) {
        *lab = (struct shown_lab){str_dup(str_of(dir)), last_part(dir)};
        SCENT_BUG_IF(!lab->dir || !lab->name);
        dashboard->nlabs++;
        return SCENT_OK;
    }
    if (!options->wait && !is_crawl)
        return errmsg_fail(err, SCENT_E_NOTFOUND,
                           "%s is neither a crawl directory nor a folder with results of the lab", dir);
    *crawl = (struct shown_crawl){.dir = str_dup(str_of(dir)), .name = last_part(dir)};
    SCENT_BUG_IF(!crawl->dir || !crawl->name || pthread_mutex_init(&crawl->lock, NULL) != 0);
    buf_init(&crawl->live, 1 << 20);
    control_watch_begin(&crawl->watch);
    arena_init(&crawl->arena, PAGE_ARENA);
    crawl->survey = survey_start(dir, options->log);
    dashboard->ncrawls++;
    return SCENT_OK;
}

static scent_status listen_on(struct dashboard *dashboard, const struct dashboard_options *options, struct errmsg *err)
{
    union socket_address address;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME;

    SCENT_TRY(address_parse(options->address, options->port, options->allow_public, &address, err));
    dashboard->is_public = address.any.sa_family == AF_INET ? ntohl(address.v4.sin_addr.s_addr) >> 24 != 127
                                                            : !IN6_IS_ADDR_LOOPBACK(&address.v6.sin6_addr);
    dashboard->daemon = MHD_start_daemon(
        flags | (address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0), options->port, NULL, NULL, on_request,
        dashboard, MHD_OPTION_SOCK_ADDR, &address.any, MHD_OPTION_URI_LOG_CALLBACK, on_target, dashboard,
        MHD_OPTION_UNESCAPE_CALLBACK, address_keep_escapes, dashboard, MHD_OPTION_NOTIFY_COMPLETED,
        on_completed, dashboard,
        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)CONNECTION_MEMORY, MHD_OPTION_THREAD_POOL_SIZE, (unsigned)THREADS,
        MHD_OPTION_END);
    if (!dashboard->daemon)
        return address_fail_listen(options->address, options->port, err);
    dashboard->port = MHD_get_daemon_info(dashboard->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return SCENT_OK;
}

scent_status dashboard_start(const struct dashboard_options *options, struct dashboard **out, struct errmsg *err)
{
    struct dashboard *dashboard = calloc(1, sizeof *dashboard);
    scent_status status = SCENT_OK;
    pthread_condattr_t attr;

    SCENT_BUG_IF(!dashboard || pthread_mutex_init(&dashboard->lock, NULL) != 0);
    SCENT_BUG_IF(pthread_condattr_init(&attr) != 0 || pthread_condattr_setclock(&attr, CLOCK_MONOTONIC) != 0 ||
                 pthread_cond_init(&dashboard->changed, &attr) != 0);
    pthread_condattr_destroy(&attr);
    dashboard->options = *options;
    dashboard->token = address_new_token();
    dashboard->last_waiting = &dashboard->waiting;
    if (options->ndirs > DASHBOARD_DIRS_MAX)
        status = errmsg_fail(err, SCENT_E_INVALID, "more than %d directories", DASHBOARD_DIRS_MAX);
    for (size_t i = 0; status == SCENT_OK && i < options->ndirs; i++)
        status = add_dir(dashboard, options->dirs[i], options, err);
    if (status == SCENT_OK)
        status = listen_on(dashboard, options, err);
    if (status == SCENT_OK) {
        SCENT_BUG_IF(pthread_create(&dashboard->clock, NULL, run_clock, dashboard) != 0);
        dashboard->has_clock = true;
        *out = dashboard;
        return SCENT_OK;
    }
    dashboard_stop(dashboard);
    return status;
}

uint16_t dashboard_port(const struct dashboard *dashboard)
{
    return dashboard->port;
}

const char *dashboard_token(const struct dashboard *dashboard)
{
    return dashboard->token.text;
}

/* Slow requests end first, and streams: libmicrohttpd does not stop while a connection is suspended. */
void dashboard_stop(struct dashboard *dashboard)
{
    if (!dashboard)
        return;
    pthread_mutex_lock(&dashboard->lock);
    dashboard->closed = true;
    pthread_cond_broadcast(&dashboard->changed);
    pthread_mutex_unlock(&dashboard->lock);
    if (dashboard->has_clock)
        pthread_join(dashboard->clock, NULL);
    pthread_mutex_lock(&dashboard->lock);
    while (dashboard->slow)
        pthread_cond_wait(&dashboard->changed, &dashboard->lock);
    pthread_mutex_unlock(&dashboard->lock);
    if (dashboard->daemon)
        MHD_stop_daemon(dashboard->daemon);
    for (size_t i = 0; i < dashboard->ncrawls; i++) {
        struct shown_crawl *crawl = &dashboard->crawls[i];

        replay_stop(crawl->replay);
        indexer_stop(crawl->indexer);
        survey_stop(crawl->survey);
        store_close(crawl->store);
        page_analyser_free(crawl->analyser);
        free(crawl->snippets);
        arena_release(&crawl->arena);
        buf_release(&crawl->live);
        control_watch_end(&crawl->watch);
        pthread_mutex_destroy(&crawl->lock);
        free(crawl->dir);
        free(crawl->name);
    }
    for (size_t i = 0; i < dashboard->nlabs; i++) {
        free(dashboard->labs[i].dir);
        free(dashboard->labs[i].name);
    }
    free(dashboard->news);
    pthread_cond_destroy(&dashboard->changed);
    pthread_mutex_destroy(&dashboard->lock);
    free(dashboard);
}
