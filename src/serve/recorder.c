/* Requests of the extension: who asks, what it brings, what is answered. */
#include "serve/recorder.h"

#include "json/json.h"
#include "serve/address.h"

#include <arpa/inet.h>
#include <errno.h>
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    CONNECTIONS_MAX = 256, /* of everybody */
    STRANGERS_MAX = 64,    /* of those who have not shown the token */
    IDLE_SECONDS = 10,
    RATE_SECONDS = 10,
    ARENA_CAP = 16 << 20
};
static const int64_t SECOND = 1000000;

/* A connection that has not shown the token. Whoever opens many and sends little would take all places: the newest of
 * them makes the oldest go. */
struct stranger {
    struct stranger *newer, *older;
    int fd;
    bool known; /* it is not in the list: it has shown the token, or was sent away */
};

struct recorder {
    struct recording *recording;
    struct MHD_Daemon *daemon;
    const struct clock *clock;
    const struct log *log;
    char *name;
    struct address_token token;
    char hosts[2][32]; /* what a Host may be */
    uint16_t port;
    int64_t window;    /* when the current ten seconds began */
    uint32_t taken;    /* requests in them */
    struct stranger *newest, *oldest;
    uint32_t strangers;
};

struct request {
    struct buf body;
    bool too_large;
};

/* ---- answers ---- */

/* No page may read or embed what we answer, whatever it is. */
static enum MHD_Result send_text(struct MHD_Connection *connection, unsigned status, const char *type, struct str text)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(text.len, (void *)(uintptr_t)text.p, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result;

    if (!response)
        return MHD_NO;
    MHD_add_response_header(response, "Content-Type", type);
    MHD_add_response_header(response, "X-Content-Type-Options", "nosniff");
    MHD_add_response_header(response, "Cross-Origin-Resource-Policy", "same-origin");
    MHD_add_response_header(response, "Cache-Control", "no-store");
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static enum MHD_Result refuse(struct MHD_Connection *connection, unsigned status, const char *why)
{
    return send_text(connection, status, "text/plain; charset=utf-8", str_of(why));
}

static enum MHD_Result send_status(const struct recorder *recorder, struct MHD_Connection *connection)
{
    struct recording_counts counts = recording_counts(recorder->recording);
    enum MHD_Result result;
    struct json_writer w;
    struct buf out;

    buf_init(&out, 0);
    json_writer_init(&w, &out);
    json_object_begin(&w);
    json_put_str(&w, "file", str_of(recorder->name));
    json_put_int(&w, "visits", (int64_t)counts.visits);
    json_put_int(&w, "useful", (int64_t)counts.useful);
    json_object_end(&w);
    result = send_text(connection, 200, "application/json", buf_str(&out));
    buf_release(&out);
    return result;
}

/* ---- who asks ---- */

static struct str header(struct MHD_Connection *connection, const char *name)
{
    return str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name));
}

static bool is_our_host(const struct recorder *recorder, struct str host)
{
    return str_eq_nocase(host, str_of(recorder->hosts[0])) || str_eq_nocase(host, str_of(recorder->hosts[1]));
}

/* Pages of the web send theirs, or "null"; other programs send none, and need the token all the same. */
static bool is_our_origin(struct str origin)
{
    return !origin.len || str_starts(origin, STR("chrome-extension://")) || str_starts(origin, STR("moz-extension://"));
}

static bool knows_token(const struct recorder *recorder, struct str authorization)
{
    static const struct str scheme = {"Bearer ", 7};

    return str_starts(authorization, scheme) &&
           address_same_token(&recorder->token, str_sub(authorization, scheme.len, authorization.len));
}

static bool is_too_fast(struct recorder *recorder)
{
    int64_t now = clock_mono(recorder->clock);

    if (now - recorder->window >= RATE_SECONDS * SECOND) {
        recorder->window = now;
        recorder->taken = 0;
    }
    return recorder->taken++ >= RECORDER_RATE * RATE_SECONDS;
}

/* The status of the refusal; 0: the request is welcome. */
static unsigned judge(struct recorder *recorder, struct MHD_Connection *connection, const char *method,
                      const char *path, const char **why)
{
    bool posts = strcmp(method, "POST") == 0;

    *why = "this is for the extension of scent\n";
    if (!is_our_host(recorder, header(connection, "Host")) || !is_our_origin(header(connection, "Origin")))
        return 403;
    if (strcmp(path, "/events") != 0 && strcmp(path, "/status") != 0)
        return 404;
    if (strcmp(method, strcmp(path, "/events") == 0 ? "POST" : "GET") != 0)
        return strcmp(method, "OPTIONS") == 0 ? 403 : 405;
    *why = "another token: paste the address that 'scent browse record' shows now\n";
    if (!knows_token(recorder, header(connection, "Authorization")))
        return 401;
    *why = "events are application/json\n";
    if (posts && !str_starts_nocase(header(connection, "Content-Type"), STR("application/json")))
        return 415;
    *why = "too many requests; try again in ten seconds\n";
    return is_too_fast(recorder) ? 429 : 0;
}

/* ---- events ---- */

static void tell(const struct recorder *recorder, const struct browsing_event *events, size_t count)
{
    static const char *const words[] = {
        [BROWSING_VISIT] = "visit", [BROWSING_USEFUL] = "useful", [BROWSING_NOT_USEFUL] = "not useful"};

    for (size_t i = 0; i < count; i++)
        log_line(recorder->log, LOG_INFO, "%-10s %.*s", words[events[i].kind], STR_ARG(events[i].url));
}

/* The events of a document, which is one of them or an array. */
static scent_status read_events(struct arena *arena, const struct json *root, struct browsing_event *out, size_t *count,
                                struct errmsg *err)
{
    bool single = json_members(root) > 0;

    *count = single ? 1 : json_count(root);
    if (*count > RECORDER_EVENTS_MAX)
        return errmsg_fail(err, SCENT_E_INVALID, "more than %d events", RECORDER_EVENTS_MAX);
    for (size_t i = 0; i < *count; i++) {
        SCENT_TRY(browsing_event_read(arena, single ? root : json_at(root, i), &out[i], err));
        if (out[i].kind == BROWSING_FORMAT)
            return errmsg_fail(err, SCENT_E_INVALID, "neither a visit nor a mark");
    }
    return SCENT_OK;
}

static scent_status take(struct recorder *recorder, struct str body, struct errmsg *err)
{
    struct browsing_event *events = calloc(RECORDER_EVENTS_MAX, sizeof *events);
    struct json *root = NULL;
    struct arena arena;
    scent_status status;
    size_t count = 0;

    SCENT_BUG_IF(!events);
    arena_init(&arena, ARENA_CAP);
    status = json_parse(body, &root, err);
    if (status == SCENT_OK)
        status = read_events(&arena, root, events, &count, err);
    if (status == SCENT_OK)
        status = recording_add(recorder->recording, events, count, err);
    if (status == SCENT_OK)
        tell(recorder, events, count);
    json_free(root);
    arena_release(&arena);
    free(events);
    return status;
}

static enum MHD_Result answer(struct recorder *recorder, struct MHD_Connection *connection, const char *method,
                              const struct request *request)
{
    struct errmsg err = {""};
    scent_status status;

    if (strcmp(method, "POST") != 0)
        return send_status(recorder, connection);
    if (request->too_large)
        return refuse(connection, 413, "too large\n");
    status = take(recorder, buf_str(&request->body), &err);
    if (status == SCENT_OK)
        return send_status(recorder, connection);
    if (status == SCENT_E_INVALID || status == SCENT_E_VERSION || status == SCENT_E_LIMIT)
        return refuse(connection, 400, err.text);
    log_line(recorder->log, LOG_ERROR, "%s", err.text);
    return refuse(connection, 507, err.text);
}

/* ---- libmicrohttpd's callbacks ---- */

static void forget(struct recorder *recorder, struct stranger *stranger)
{
    if (stranger->known)
        return;
    *(stranger->newer ? &stranger->newer->older : &recorder->newest) = stranger->older;
    *(stranger->older ? &stranger->older->newer : &recorder->oldest) = stranger->newer;
    stranger->known = true;
    recorder->strangers--;
}

static void on_connection(void *cls, struct MHD_Connection *connection, void **slot,
                          enum MHD_ConnectionNotificationCode code)
{
    struct recorder *recorder = cls;
    struct stranger *stranger = *slot, *oldest = recorder->oldest;

    if (code == MHD_CONNECTION_NOTIFY_CLOSED) {
        forget(recorder, stranger);
        free(stranger);
        return;
    }
    stranger = calloc(1, sizeof *stranger);
    SCENT_BUG_IF(!stranger);
    stranger->fd = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD)->connect_fd;
    stranger->older = recorder->newest;
    *(stranger->older ? &stranger->older->newer : &recorder->oldest) = stranger;
    recorder->newest = stranger;
    *slot = stranger;
    if (++recorder->strangers <= STRANGERS_MAX)
        return;
    shutdown(oldest->fd, SHUT_RDWR); /* the server closes it as one whose client has gone */
    forget(recorder, oldest);
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **slot,
                         enum MHD_RequestTerminationCode code)
{
    struct request *request = *slot;

    (void)cls;
    (void)connection;
    (void)code;
    if (request)
        buf_release(&request->body);
    free(request);
    *slot = NULL;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *path, const char *method,
                                  const char *version, const char *upload, size_t *upload_len, void **slot)
{
    struct recorder *recorder = cls;
    struct request *request = *slot;
    const char *why;
    unsigned refused;

    (void)version;
    if (!request) { /* the head alone: who may not ask sends no body in vain */
        refused = judge(recorder, connection, method, path, &why);
        if (refused)
            return refuse(connection, refused, why);
        forget(recorder,
               MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT)->socket_context);
        request = calloc(1, sizeof *request);
        SCENT_BUG_IF(!request);
        buf_init(&request->body, RECORDER_BODY_MAX);
        *slot = request;
        return MHD_YES;
    }
    if (*upload_len) {
        request->too_large |= !buf_add(&request->body, (struct str){upload, *upload_len});
        *upload_len = 0;
        return MHD_YES;
    }
    return answer(recorder, connection, method, request);
}

/* ---- start and stop ---- */

/* Bound before the server runs: its thread must know the port from the first request on. */
static int bind_port(uint16_t port, uint16_t *bound)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), yes = 1;
    socklen_t len = sizeof address;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes) == 0 &&
        bind(fd, (struct sockaddr *)&address, len) == 0 && listen(fd, CONNECTIONS_MAX) == 0 &&
        getsockname(fd, (struct sockaddr *)&address, &len) == 0) {
        *bound = ntohs(address.sin_port);
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static scent_status listen_on(struct recorder *recorder, uint16_t port, struct errmsg *err)
{
    int fd = bind_port(port, &recorder->port);

    if (fd < 0)
        return address_fail_listen(NULL, port, err);
    snprintf(recorder->hosts[0], sizeof recorder->hosts[0], "127.0.0.1:%u", recorder->port);
    snprintf(recorder->hosts[1], sizeof recorder->hosts[1], "localhost:%u", recorder->port);
    recorder->daemon = MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, on_request, recorder,
                                        MHD_OPTION_LISTEN_SOCKET, fd,
                                        MHD_OPTION_NOTIFY_COMPLETED, on_completed, recorder,
                                        MHD_OPTION_NOTIFY_CONNECTION, on_connection, recorder,
                                        MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX,
                                        MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)IDLE_SECONDS, MHD_OPTION_END);
    if (recorder->daemon)
        return SCENT_OK;
    close(fd);
    return errmsg_fail(err, SCENT_E_IO, "cannot serve on 127.0.0.1 port %u", recorder->port);
}

scent_status recorder_start(struct recording *recording, const struct recorder_options *options, struct recorder **out,
                            struct errmsg *err)
{
    struct recorder *recorder = calloc(1, sizeof *recorder);
    scent_status status;

    SCENT_BUG_IF(!recorder);
    *out = NULL;
    recorder->recording = recording;
    recorder->clock = options->clock;
    recorder->log = options->log;
    recorder->name = str_dup(str_of(options->name));
    SCENT_BUG_IF(!recorder->name);
    recorder->window = clock_mono(recorder->clock);
    recorder->token = address_new_token();
    status = listen_on(recorder, options->port, err);
    if (status == SCENT_OK)
        *out = recorder;
    else
        recorder_stop(recorder);
    return status;
}

uint16_t recorder_port(const struct recorder *recorder)
{
    return recorder->port;
}

const char *recorder_token(const struct recorder *recorder)
{
    return recorder->token.text;
}

void recorder_stop(struct recorder *recorder)
{
    if (!recorder)
        return;
    if (recorder->daemon)
        MHD_stop_daemon(recorder->daemon);
    free(recorder->name);
    free(recorder);
}
