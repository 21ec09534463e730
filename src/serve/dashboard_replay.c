#include "serve/dashboard_replay.h"

#include "serve/viewer.h"
#include "url/url.h"

#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>

enum { CONNECTIONS_MAX = 128, IDLE_SECONDS = 20, ANSWER_MAX = 256 << 20, RECORD_ARENA = 1 << 20 };

struct replay {
    struct shown_crawl *crawl;
    struct viewer *viewer;
    struct MHD_Daemon *daemon;
    const struct log *log;
    _Atomic uint16_t port; /* 0 until it is known */
    bool is_public;
};

/* ---- records ---- */

static scent_status copy_record(const struct warc_record *record, struct buf *buf, struct web_response *out)
{
    size_t head;

    if (!buf_add(buf, record->http_head) || (!str_ends(record->http_head, STR("\r\n\r\n")) && !buf_addz(buf, "\r\n")))
        return SCENT_E_NOMEM;
    head = buf->len;
    if (!buf_add(buf, record->payload))
        return SCENT_E_NOMEM;
    *out = (struct web_response){.status = record->http_status, .head = str_sub(buf_str(buf), 0, head),
                                 .body = str_sub(buf_str(buf), head, buf->len)};
    return SCENT_OK;
}

/* A copy is archived as a revisit of the page that has the same bytes. */
static scent_status read_page(struct shown_crawl *crawl, uint64_t number, struct buf *buf, struct web_response *out,
                              struct errmsg *err)
{
    struct store_page page;
    struct store_url row;
    struct warc_reader *reader;
    struct warc_record record;
    struct arena arena;
    scent_status status;

    arena_init(&arena, RECORD_ARENA);
    status = dashboard_get_page(crawl->store, number, &arena, &page, &row, err);
    if (status == SCENT_OK && store_page_is_revisit(&page)) {
        arena_reset(&arena);
        status = dashboard_get_page(crawl->store, page.duplicate_of, &arena, &page, &row, err);
    }
    if (status == SCENT_OK && !page.warc_length)
        status = SCENT_E_NOTFOUND;
    if (status == SCENT_OK)
        status = dashboard_read_record(crawl->dir, &page, &reader, &record, err);
    if (status == SCENT_OK) {
        status = copy_record(&record, buf, out);
        warc_reader_close(reader);
    }
    arena_release(&arena);
    return status;
}

static scent_status get_archived(void *ctx, struct str url, struct buf *buf, struct web_response *out,
                                 struct errmsg *err)
{
    struct shown_crawl *crawl = ctx;
    uint32_t id = UINT32_MAX;
    uint64_t number = 0;
    bool ready;
    scent_status status;

    buf_clear(buf);
    *out = (struct web_response){.status = 404, .absent = true, .head = STR("HTTP/1.1 404 -\r\n\r\n")};
    pthread_mutex_lock(&crawl->lock);
    status = dashboard_find_url(crawl, url, &id, &ready, err);
    if (status == SCENT_OK && id != UINT32_MAX)
        number = survey_page_of(crawl->survey, id);
    if (status == SCENT_OK && number)
        status = read_page(crawl, number, buf, out, err);
    pthread_mutex_unlock(&crawl->lock);
    return status == SCENT_E_NOTFOUND ? SCENT_OK : status;
}

/* ---- the port ---- */

static struct str header(struct MHD_Connection *connection, const char *name)
{
    return str_of(MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name));
}

static enum MHD_Result send_parts(struct MHD_Connection *connection, unsigned status, struct str head, struct str body)
{
    struct MHD_Response *response =
        MHD_create_response_from_buffer(body.len, (void *)(uintptr_t)body.p, MHD_RESPMEM_MUST_COPY);
    enum MHD_Result result;
    struct str line;
    char text[16 << 10];

    if (!response)
        return MHD_NO;
    str_split(&head, '\n', &line); /* the status line */
    while (str_split(&head, '\n', &line)) {
        size_t colon = str_find(line = str_trim(line), ':');

        if (colon == line.len || line.len >= sizeof text)
            continue;
        snprintf(text, sizeof text, "%.*s", STR_ARG(line));
        text[colon] = 0;
        MHD_add_response_header(response, text, text + colon + 1 + (text[colon + 1] == ' '));
    }
    result = MHD_queue_response(connection, status, response);
    MHD_destroy_response(response);
    return result;
}

static void *on_target(void *cls, const char *target, struct MHD_Connection *connection)
{
    (void)cls;
    (void)connection;
    return str_dup(str_of(target));
}

static void on_completed(void *cls, struct MHD_Connection *connection, void **slot,
                         enum MHD_RequestTerminationCode code)
{
    (void)cls;
    (void)connection;
    (void)code;
    free(*slot);
    *slot = NULL;
}

static enum MHD_Result on_request(void *cls, struct MHD_Connection *connection, const char *path, const char *method,
                                  const char *version, const char *upload, size_t *upload_len, void **slot)
{
    static const struct str plain = {"-\nContent-Type: text/plain\n", 27};
    struct replay *replay = cls;
    struct viewer_request asked = {
        .target = str_of(*slot ? *slot : "/"),
        .host = header(connection, "Host"),
        .dest = header(connection, "Sec-Fetch-Dest"),
        .site = header(connection, "Sec-Fetch-Site"),
        .mode = header(connection, "Sec-Fetch-Mode"),
    };
    struct web_response response;
    struct errmsg err = {""};
    enum MHD_Result result;
    struct buf buf;

    (void)path;
    (void)version;
    (void)upload;
    if (*upload_len || (strcmp(method, "GET") != 0 && strcmp(method, "HEAD") != 0))
        return MHD_NO;
    if (!address_is_ours(asked.host, replay->port, replay->is_public))
        return send_parts(connection, 403, plain, STR("this server does not answer for that name\n"));
    buf_init(&buf, ANSWER_MAX);
    if (viewer_get(replay->viewer, &asked, &buf, &response, &err) == SCENT_OK) {
        result = send_parts(connection, (unsigned)response.status, response.head, response.body);
    } else {
        log_line(replay->log, LOG_WARN, "%s", err.text);
        result = send_parts(connection, 500, plain, STR("the page could not be read\n"));
    }
    buf_release(&buf);
    return result;
}

static struct replay *replay_start(struct shown_crawl *crawl, const struct dashboard_options *options)
{
    struct replay *replay = calloc(1, sizeof *replay);
    union socket_address address;
    struct errmsg err;

    SCENT_BUG_IF(!replay);
    replay->crawl = crawl;
    replay->log = options->log;
    replay->is_public = options->allow_public;
    if (address_parse(options->address, 0, options->allow_public, &address, &err) == SCENT_OK) {
        replay->viewer = viewer_new_of(&(struct viewer_source){get_archived, crawl});
        replay->daemon = MHD_start_daemon(
            MHD_USE_EPOLL_INTERNAL_THREAD | (address.any.sa_family == AF_INET6 ? MHD_USE_IPv6 : 0), 0, NULL, NULL,
            on_request, replay, MHD_OPTION_SOCK_ADDR, &address.any, MHD_OPTION_URI_LOG_CALLBACK, on_target, replay,
            MHD_OPTION_UNESCAPE_CALLBACK, address_keep_escapes, replay, MHD_OPTION_NOTIFY_COMPLETED,
            on_completed, replay,
            MHD_OPTION_CONNECTION_LIMIT, (unsigned)CONNECTIONS_MAX, MHD_OPTION_CONNECTION_TIMEOUT,
            (unsigned)IDLE_SECONDS, MHD_OPTION_END);
    }
    if (!replay->daemon) {
        replay_stop(replay);
        return NULL;
    }
    replay->port = MHD_get_daemon_info(replay->daemon, MHD_DAEMON_INFO_BIND_PORT)->port;
    return replay;
}

void replay_stop(struct replay *replay)
{
    if (!replay)
        return;
    if (replay->daemon)
        MHD_stop_daemon(replay->daemon);
    viewer_free(replay->viewer);
    free(replay);
}

void answer_replay_link(struct call *call)
{
    struct str host = url_host_without_port(call->host), address;
    struct store *store;
    struct arena arena;
    struct url url;
    char text[6000];
    size_t len;

    address = call_text(call, "url", text, sizeof text);
    arena_init(&arena, 1 << 20);
    if (url_parse(&arena, address, NULL, &url) != SCENT_OK) {
        call_fail(call, 400, "url must be the whole address of a page");
    } else if (call_lock(call, &store)) {
        if (!call->crawl->replay)
            call->crawl->replay = replay_start(call->crawl, dashboard_settings(call->dashboard));
        if (call->crawl->replay) {
            len = (size_t)snprintf(call->location, sizeof call->location, "http://%.*s:%u/page/0/%.*s", STR_ARG(host),
                                   call->crawl->replay->port, STR_ARG(url.href));
            call->status = 302;
            call->type = "text/plain; charset=utf-8";
            if (len >= sizeof call->location)
                call->location[0] = 0;
        } else {
            call_fail(call, 500, "no port could be opened for archived pages");
        }
        call_unlock(call);
    }
    arena_release(&arena);
}
