/* The life of a transfer: what libcurl calls while it runs, how its handle is set for an exchange, and how it ended,
 * said in our words. The rule of the last part: once a head is complete the exchange is a response, and whatever befell
 * the body is a cut of it. */
#include "fetch/transfer.h"

#include "base/hash.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    READ_BYTES = 64 * 1024,   /* one recv for most pages */
    RESERVE_MAX = 256 * 1024, /* an announced length is believed this far before the bytes come */
    FRAMING_MAX = 256 * 1024,
    TLS_APPLICATION_DATA = 23, /* RFC 8446 section 5.1 */
    LOW_SPEED_BYTES = 100, /* a second, for this long: */
    LOW_SPEED_SECONDS = 20
};

static size_t on_header(char *line, size_t size, size_t count, void *ctx)
{
    struct transfer *transfer = ctx;
    const struct fetch_options *options = &transfer->common->options;
    struct reply *reply = &transfer->reply;
    enum reply_result result = reply_line(reply, (struct str){line, size * count});

    if (result == REPLY_TOO_LARGE)
        transfer->stop = STOP_HEAD;
    else if (result == REPLY_NOMEM)
        transfer->stop = STOP_NOMEM;
    else if (result == REPLY_COMPLETE && options->wants && !transfer->exchange->any_type && reply->mime_len &&
             reply->status / 100 == 2 &&
             !options->wants(options->wants_ctx, (struct str){reply->mime, reply->mime_len}))
        transfer->stop = STOP_UNWANTED;
    return transfer->stop == STOP_NONE ? size * count : 0;
}

/* How much room to make for `more` bytes: for the whole body at once where its length is announced. */
static size_t room_for(struct transfer *transfer, size_t more)
{
    const struct buf *body = &transfer->exchange->body;
    curl_off_t length = -1;

    if (body->len == 0)
        curl_easy_getinfo(transfer->easy, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &length);
    if (length > RESERVE_MAX)
        length = RESERVE_MAX;
    if (length > 0 && (uint64_t)length <= body->cap && (size_t)length > more)
        more = (size_t)length;
    return more;
}

/* Whether it must wait until others have given memory back. */
static bool must_pause(struct transfer *transfer, size_t more)
{
    struct holding *holding = transfer->common->holding;
    const struct buf *body = &transfer->exchange->body;

    if (more <= body->room - body->len || holding->bytes + more <= transfer->common->options.max_held)
        return false;
    if (!holding->favoured)
        holding->favoured = transfer;
    return holding->favoured != transfer;
}

static void count_memory(struct transfer *transfer)
{
    struct holding *holding = transfer->common->holding;

    holding->bytes += transfer->exchange->body.room - transfer->held;
    transfer->held = transfer->exchange->body.room;
    if (holding->bytes > atomic_load_explicit(&holding->peak, memory_order_relaxed))
        atomic_store_explicit(&holding->peak, holding->bytes, memory_order_relaxed);
}

static size_t on_body(char *data, size_t size, size_t count, void *ctx)
{
    struct transfer *transfer = ctx;
    struct buf *body = &transfer->exchange->body;
    size_t len = size * count, room = body->cap - body->len;
    size_t take = len < room ? len : room, need = room_for(transfer, take);

    if (must_pause(transfer, need)) {
        transfer->paused = true;
        transfer->common->holding->paused++;
        transfer->common->holding->paused_at = transfer->common->holding->bytes;
        return CURL_WRITEFUNC_PAUSE;
    }
    if (!buf_reserve(body, need)) {
        transfer->stop = STOP_NOMEM;
        return 0;
    }
    count_memory(transfer);
    buf_add(body, (struct str){data, take});
    if (take == len)
        return len;
    transfer->stop = STOP_SIZE;
    return 0;
}

/* Chunks of one byte, or a chunk extension without end, are bytes that never reach the body and its cap. */
static void count_framing(struct transfer *transfer, size_t len)
{
    if (!transfer->exchange)
        return;
    transfer->received += len;
    if (transfer->received > transfer->exchange->body.len + transfer->exchange->body.cap + FRAMING_MAX) {
        transfer->stop = STOP_FRAMING;
        transfer->common->flood->flooded = transfer;
    }
}

/* Called before each request of a transfer. libcurl sends one again by itself, at once and up to five times, where a
 * kept connection ends before the answer or an HTTP/2 server refuses it: politeness knows nothing of that. It ends
 * here; the visit is repeated by the engine, in its time. */
static int on_request(void *ctx, char *ip, char *own_ip, int port, int own_port)
{
    struct transfer *transfer = ctx;

    (void)ip;
    (void)own_ip;
    (void)port;
    (void)own_port;
    if (!transfer->asked) {
        transfer->asked = true;
        return CURL_PREREQFUNC_OK;
    }
    transfer->stop = STOP_REPEAT;
    return CURL_PREREQFUNC_ABORT;
}

/* libcurl's verbose mode is the one place that tells what was really sent, and in which version. It costs less than
 * 1 us a transfer. What a proxy was told (CONNECT) is not of interest. */
static int on_debug(CURL *easy, curl_infotype type, char *data, size_t len, void *ctx)
{
    struct transfer *transfer = ctx;
    const struct transfer_common *common = transfer->common;
    struct str head = {data, len}, line = head;

    /* No code tells this. In other words it would be a visit that failed. */
    transfer->wants_http1 |= type == CURLINFO_TEXT && str_starts(head, STR("Downgrades to HTTP/1.1"));
    if (type == CURLINFO_DATA_IN)
        count_framing(transfer, len);
    if (type == CURLINFO_DATA_IN || type == CURLINFO_HEADER_IN)
        flood_useful(common->flood, easy);
    if (type == CURLINFO_SSL_DATA_IN && len == 5 && data[0] == TLS_APPLICATION_DATA) /* the header of a record */
        flood_barren(common->flood, common->poller, easy, (size_t)(unsigned char)data[3] << 8 | (unsigned char)data[4]);
    if (type != CURLINFO_HEADER_OUT || !str_starts(head, STR("GET ")) || !transfer->exchange)
        return 0;
    line.len = str_find(head, '\r');
    transfer->sent_as_http1 = str_ends(line, STR("HTTP/1.1")) || str_ends(line, STR("HTTP/1.0"));
    buf_clear(&transfer->exchange->request);
    reply_keep_request(head, &transfer->exchange->request);
    return 0;
}

/* The last word on an address, whoever named it: a URL, a name server, a redirect. A proxy is the user's own choice. */
static bool may_connect(struct transfer *transfer, const struct sockaddr *address)
{
    struct guard_verdict verdict = guard_check(transfer->common->options.reach, address);

    if (transfer->proxy || !verdict.range)
        return true;
    transfer->forbidden = true;
    guard_explain(&verdict, address, transfer->refusal, sizeof transfer->refusal);
    return false;
}

static curl_socket_t on_open_socket(void *ctx, curlsocktype purpose, struct curl_sockaddr *address)
{
    struct transfer *transfer = ctx;
    const struct transfer_common *common = transfer->common;
    int fd;

    (void)purpose;
    transfer->worn = true;
    if (!may_connect(transfer, &address->addr))
        return CURL_SOCKET_BAD;
    if (common->poller->open >= common->max_sockets) {
        transfer->starved = true;
        return CURL_SOCKET_BAD;
    }
    fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (fd < 0) {
        transfer->starved = errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM;
        return CURL_SOCKET_BAD;
    }
    poller_opened(common->poller, fd);
    return fd;
}

static int on_close_socket(void *ctx, curl_socket_t fd)
{
    poller_closed(ctx, fd);
    return close(fd);
}

static void set_callbacks(struct transfer *transfer)
{
    CURL *easy = transfer->easy;

    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer);
    curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->error);
    curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, on_header);
    curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, on_request);
    curl_easy_setopt(easy, CURLOPT_PREREQDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_VERBOSE, 1L);
    curl_easy_setopt(easy, CURLOPT_DEBUGFUNCTION, on_debug);
    curl_easy_setopt(easy, CURLOPT_DEBUGDATA, transfer);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, on_open_socket);
    curl_easy_setopt(easy, CURLOPT_OPENSOCKETDATA, transfer);
    /* A connection outlives the handle that opened it: its end is told to the poller, not to a transfer. */
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETFUNCTION, on_close_socket);
    curl_easy_setopt(easy, CURLOPT_CLOSESOCKETDATA, transfer->common->poller);
}

static void set_limits(CURL *easy, const struct fetch_options *options)
{
    long patience = (long)(options->total_timeout_us / 3000000);

    curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT_MS, (long)(options->connect_timeout_us / 1000));
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)(options->total_timeout_us / 1000));
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_LIMIT, (long)LOW_SPEED_BYTES);
    curl_easy_setopt(easy, CURLOPT_LOW_SPEED_TIME, patience > LOW_SPEED_SECONDS ? patience : (long)LOW_SPEED_SECONDS);
    curl_easy_setopt(easy, CURLOPT_BUFFERSIZE, (long)READ_BYTES);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    if (!options->proxy && !options->onion_proxy)
        curl_easy_setopt(easy, CURLOPT_DNS_CACHE_TIMEOUT, 0L); /* it only sees addresses: nothing to remember */
    curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L); /* or a slow name server would stop the whole thread at a timeout */
}

/* The URL is the whole truth: nothing of the environment, of the user's files or of a server's hints comes in. */
static bool set_protocol(CURL *easy, const struct transfer_common *common)
{
    const struct fetch_options *options = &common->options;

    curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(easy, CURLOPT_NETRC, (long)CURL_NETRC_IGNORED);
    curl_easy_setopt(easy, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(easy, CURLOPT_DISALLOW_USERNAME_IN_URL, 1L);
    curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, common->headers);
    curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    if (options->ca_file && curl_easy_setopt(easy, CURLOPT_CAINFO, options->ca_file) != CURLE_OK)
        return false;
    if (options->ca_file)
        curl_easy_setopt(easy, CURLOPT_CAPATH, NULL); /* this file alone */
    return curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_NOPROXY, "") == CURLE_OK &&
           curl_easy_setopt(easy, CURLOPT_PROXY, "") == CURLE_OK;
}

static bool configure(struct transfer *transfer)
{
    transfer->http2 = false;
    transfer->connect_to.data = NULL;
    transfer->proxy = NULL;
    transfer->authenticated = false;
    transfer->conditional = false;
    set_callbacks(transfer);
    set_limits(transfer->easy, &transfer->common->options);
    transfer->worn = !set_protocol(transfer->easy, transfer->common);
    return !transfer->worn;
}

struct transfer *transfer_new(const struct transfer_common *common)
{
    struct transfer *transfer = calloc(1, sizeof *transfer);

    if (!transfer)
        return NULL;
    transfer->common = common;
    buf_init(&transfer->cookie, 0);
    transfer->easy = curl_easy_init();
    if (transfer->easy && configure(transfer))
        return transfer;
    transfer_free(transfer);
    return NULL;
}

/* A handle without a past. Connections are not its own, so they stay. */
static bool renew(struct transfer *transfer)
{
    CURL *easy = curl_easy_init();

    if (!easy)
        return false;
    curl_easy_cleanup(transfer->easy);
    transfer->easy = easy;
    return configure(transfer);
}

void transfer_free(struct transfer *transfer)
{
    curl_easy_cleanup(transfer->easy);
    buf_release(&transfer->cookie);
    free(transfer);
}

static uint64_t server_hash(struct str url)
{
    struct target target;

    target_parse(url, &target);
    return hash_str(target.place, 0) | 1; /* 0: nobody */
}

static uint64_t *http1_slot(const struct transfer_common *common, uint64_t hash)
{
    return &common->http1_servers->hashes[hash >> 1 & (HTTP1_SERVERS - 1)];
}

/* HTTP/2 is spoken over TLS only. There it pays to wait and see whether a host's first connection can carry several. */
static void set_version(struct transfer *transfer, struct str url)
{
    bool http2 = transfer->common->options.http2 && str_starts_nocase(url, STR("https:"));
    uint64_t hash = http2 ? server_hash(url) : 0;

    if (http2)
        http2 = *http1_slot(transfer->common, hash) != hash;
    if (transfer->http2 == http2)
        return;
    transfer->http2 = http2;
    curl_easy_setopt(transfer->easy, CURLOPT_HTTP_VERSION,
                     (long)(http2 ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1));
    curl_easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, (long)http2);
}

/* libcurl shall not look for the host itself: it is told the address, whatever host it finds in the URL. */
static void set_route(struct transfer *transfer, const struct route *route)
{
    char ip[FETCH_IP_TEXT];
    bool given = route->via.len > 0;

    if (!given && !transfer->connect_to.data)
        return;
    transfer->connect_to.data = NULL;
    if (given) {
        fetch_ip_print(&route->via, ip);
        snprintf(transfer->via, sizeof transfer->via, route->via.len == 4 ? "::%s:" : "::[%s]:", ip);
        transfer->connect_to = (struct curl_slist){.data = transfer->via};
    }
    curl_easy_setopt(transfer->easy, CURLOPT_CONNECT_TO, given ? &transfer->connect_to : NULL);
}

static bool set_proxy(struct transfer *transfer, enum route_way way)
{
    const struct transfer_common *common = transfer->common;
    const struct proxy *proxy = way == ROUTE_BY_PROXY         ? &common->proxy
                                : way == ROUTE_BY_ONION_PROXY ? &common->onion_proxy
                                                              : NULL;

    if (proxy == transfer->proxy)
        return true;
    transfer->proxy = proxy;
    return curl_easy_setopt(transfer->easy, CURLOPT_PROXY, proxy ? proxy->url : "") == CURLE_OK &&
           curl_easy_setopt(transfer->easy, CURLOPT_PROXYUSERNAME, proxy ? proxy->user : NULL) == CURLE_OK &&
           curl_easy_setopt(transfer->easy, CURLOPT_PROXYPASSWORD, proxy ? proxy->password : NULL) == CURLE_OK;
}

static bool set_cookies(struct transfer *transfer, const struct target *target)
{
    const struct transfer_common *common = transfer->common;
    const struct cookies_request request = {
        .host = target->host, .path = target->path, .secure = target->secure, .now = clock_wall(common->options.clock)};

    if (!common->cookies)
        return true;
    buf_clear(&transfer->cookie);
    cookies_for(common->cookies, &request, &transfer->cookie);
    return curl_easy_setopt(transfer->easy, CURLOPT_COOKIE, transfer->cookie.len ? buf_z(&transfer->cookie) : NULL) ==
           CURLE_OK;
}

/* The port of a URL is not written where it is the usual one; a login may name it all the same. */
static bool is_login_for(const struct fetch_login *login, const struct target *target)
{
    struct str host = str_of(login->host), usual = target->secure ? STR(":443") : STR(":80");

    if (target->place.len == target->host.len && str_ends(host, usual))
        host.len -= usual.len;
    return str_eq_nocase(host, target->host) || str_eq_nocase(host, target->place);
}

static bool set_login(struct transfer *transfer, const struct target *target)
{
    const struct fetch_options *options = &transfer->common->options;
    const struct fetch_login *login = NULL;

    for (size_t i = 0; i < options->nlogins && !login; i++)
        if (is_login_for(&options->logins[i], target))
            login = &options->logins[i];
    if (!login && !transfer->authenticated)
        return true;
    transfer->authenticated = login;
    return curl_easy_setopt(transfer->easy, CURLOPT_USERNAME, login ? login->user : NULL) == CURLE_OK &&
           curl_easy_setopt(transfer->easy, CURLOPT_PASSWORD, login ? login->password : NULL) == CURLE_OK;
}

static bool set_secrets(struct transfer *transfer, struct str url)
{
    const struct transfer_common *common = transfer->common;
    struct target target;

    if (!common->cookies && !common->options.nlogins)
        return true;
    target_parse(url, &target);
    return set_cookies(transfer, &target) && set_login(transfer, &target);
}

static bool is_header_value(const char *value)
{
    size_t len = 0;

    while (value[len] && (unsigned char)value[len] >= ' ' && value[len] != 0x7f && len <= FETCH_VALIDATOR_MAX)
        len++;
    return len > 0 && len <= FETCH_VALIDATOR_MAX && !value[len];
}

static bool set_conditions(struct transfer *transfer, const struct fetch_exchange *exchange)
{
    const char *const values[] = {exchange->etag, exchange->last_modified};
    static const char *const names[] = {"If-None-Match", "If-Modified-Since"};
    struct curl_slist *headers = transfer->common->headers;

    for (int i = 1; i >= 0; i--) {
        if (!values[i] || !is_header_value(values[i]))
            continue;
        snprintf(transfer->condition_lines[i], sizeof transfer->condition_lines[i], "%s: %s", names[i], values[i]);
        transfer->conditions[i] = (struct curl_slist){.data = transfer->condition_lines[i], .next = headers};
        headers = &transfer->conditions[i];
    }
    if (headers == transfer->common->headers && !transfer->conditional)
        return true;
    transfer->conditional = headers != transfer->common->headers;
    return curl_easy_setopt(transfer->easy, CURLOPT_HTTPHEADER, headers) == CURLE_OK;
}

/* A second try gets what the first has left of the time. */
static void set_time_left(struct transfer *transfer, struct fetch_exchange *exchange)
{
    int64_t now = clock_mono(&clock_system), total = transfer->common->options.total_timeout_us;

    if (!exchange->first_tried) {
        exchange->first_tried = now;
        return;
    }
    total -= now - exchange->first_tried;
    curl_easy_setopt(transfer->easy, CURLOPT_TIMEOUT_MS, (long)(total > 1000 ? total / 1000 : 1));
    transfer->worn = true;
}

void transfer_resume(struct transfer *transfer)
{
    transfer->paused = false;
    transfer->common->holding->paused--;
    curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
}

bool transfer_prepare(struct transfer *transfer, struct fetch_exchange *exchange, const struct route *route)
{
    const struct fetch_options *options = &transfer->common->options;

    /* libcurl wants to send a request on a connection that the server just closed again on another, but only five times
     * in the life of a handle: one that may have wanted to is replaced. */
    if (transfer->worn && !renew(transfer))
        return false;
    transfer->worn = transfer->common->single_use;
    transfer->exchange = exchange;
    transfer->stop = STOP_NONE;
    transfer->received = 0;
    transfer->forbidden = transfer->starved = false;
    transfer->asked = transfer->sent_as_http1 = transfer->wants_http1 = false;
    transfer->error[0] = 0;
    reply_init(&transfer->reply, &exchange->head, options->max_head);
    buf_clear(&exchange->request);
    buf_clear(&exchange->body);
    exchange->body.cap = exchange->max_body ? exchange->max_body : options->max_body;
    set_route(transfer, route);
    set_time_left(transfer, exchange);
    set_version(transfer, str_of(exchange->url));
    return set_proxy(transfer, route->way) && set_conditions(transfer, exchange) &&
           set_secrets(transfer, str_of(exchange->url)) &&
           curl_easy_setopt(transfer->easy, CURLOPT_URL, exchange->url) == CURLE_OK;
}

/* ---- how it ended ---- */

static enum fetch_outcome outcome_of(CURLcode code)
{
    switch (code) {
    case CURLE_COULDNT_RESOLVE_HOST:
    case CURLE_COULDNT_RESOLVE_PROXY:
        return FETCH_E_DNS;
    case CURLE_COULDNT_CONNECT:
    case CURLE_PROXY:
        return FETCH_E_CONNECT;
    case CURLE_SSL_CONNECT_ERROR:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_SSL_CIPHER:
    case CURLE_SSL_CACERT_BADFILE:
    case CURLE_SSL_ISSUER_ERROR:
    case CURLE_SSL_INVALIDCERTSTATUS:
        return FETCH_E_TLS;
    case CURLE_OPERATION_TIMEDOUT:
        return FETCH_E_TIMEOUT;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_WEIRD_SERVER_REPLY:
    case CURLE_BAD_FUNCTION_ARGUMENT: /* of a function that it calls with a header line */
    case CURLE_BAD_CONTENT_ENCODING:
    case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM:
        return FETCH_E_PROTOCOL;
    case CURLE_OK: /* the end of the connection ended the head */
    case CURLE_GOT_NOTHING:
    case CURLE_SEND_ERROR:
    case CURLE_RECV_ERROR:
    case CURLE_PARTIAL_FILE:
        return FETCH_E_CLOSED;
    default:
        return FETCH_E_INTERNAL;
    }
}

/* The proxy answered CONNECT with a refusal: libcurl counts that as a failure to receive. */
static bool proxy_refused(const struct transfer *transfer)
{
    long code = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &code);
    return code >= 300;
}

/* "Out of memory" is what libcurl says to a header line of more than 100 KB. */
static bool line_too_long(const struct transfer *transfer, CURLcode code)
{
    return code == CURLE_OUT_OF_MEMORY && transfer->exchange->request.len > 0;
}

/* Before a head was complete. */
static enum fetch_outcome early_outcome(const struct transfer *transfer, CURLcode code)
{
    if (transfer->stop == STOP_HEAD)
        return FETCH_E_PROTOCOL;
    if (transfer->stop == STOP_NOMEM)
        return FETCH_E_INTERNAL;
    if (transfer->stop == STOP_REPEAT)
        return FETCH_E_CLOSED;
    if (transfer->forbidden)
        return FETCH_E_FORBIDDEN;
    if (transfer->starved)
        return FETCH_E_INTERNAL;
    if (line_too_long(transfer, code))
        return FETCH_E_PROTOCOL;
    return proxy_refused(transfer) ? FETCH_E_CONNECT : outcome_of(code);
}

bool transfer_was_unreachable(const struct transfer *transfer, CURLcode code)
{
    curl_off_t connected = 0;

    if (transfer->exchange->request.len || transfer->forbidden || transfer->starved)
        return false;
    curl_easy_getinfo(transfer->easy, CURLINFO_CONNECT_TIME_T, &connected);
    return code == CURLE_COULDNT_CONNECT || (code == CURLE_OPERATION_TIMEDOUT && connected == 0);
}

static enum fetch_cut cut_of(const struct transfer *transfer, CURLcode code)
{
    if (transfer->stop == STOP_SIZE || transfer->stop == STOP_NOMEM)
        return FETCH_CUT_SIZE;
    if (code == CURLE_OPERATION_TIMEDOUT)
        return FETCH_CUT_TIME;
    return code == CURLE_OK ? FETCH_WHOLE : FETCH_CUT_CLOSED;
}

static const char *error_text(const struct transfer *transfer, CURLcode code)
{
    switch (transfer->stop) {
    case STOP_UNWANTED:
        return "unwanted content type";
    case STOP_SIZE:
        return "body too large";
    case STOP_HEAD:
        return "header too large";
    case STOP_FRAMING:
        return "endless framing";
    case STOP_NOMEM:
        return "out of memory";
    case STOP_REPEAT:
        return transfer->wants_http1     ? "the server wants HTTP/1.1"
               : transfer->sent_as_http1 ? "the connection ended before the answer"
                                         : "the server refused the request";
    case STOP_NONE:
        break;
    }
    if (transfer->forbidden)
        return transfer->refusal;
    if (transfer->starved && !transfer->reply.done)
        return "out of descriptors";
    if (line_too_long(transfer, code))
        return "header too large";
    if (code == CURLE_OK)
        return transfer->reply.done ? "" : "the connection ended in the header";
    return transfer->error[0] ? transfer->error : curl_easy_strerror(code);
}

static const char *protocol_name(long version)
{
    switch (version) {
    case CURL_HTTP_VERSION_1_0:
        return "http/1.0";
    case CURL_HTTP_VERSION_1_1:
        return "http/1.1";
    case CURL_HTTP_VERSION_2_0:
        return "h2";
    case CURL_HTTP_VERSION_3:
        return "h3";
    default:
        return "";
    }
}

static void describe(const struct transfer *transfer)
{
    struct fetch_exchange *exchange = transfer->exchange;
    const char *ip = NULL;
    long version = 0;

    curl_easy_getinfo(transfer->easy, CURLINFO_PRIMARY_IP, &ip);
    curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_VERSION, &version);
    snprintf(exchange->ip, sizeof exchange->ip, "%s", ip ? ip : "");
    snprintf(exchange->protocol, sizeof exchange->protocol, "%s", protocol_name(version));
}

static void set_error(struct fetch_exchange *exchange, const char *text)
{
    snprintf(exchange->error, sizeof exchange->error, "%.*s", (int)sizeof exchange->error - 1, text);
}

void transfer_fail(struct fetch_exchange *exchange, enum fetch_outcome outcome, const char *why)
{
    exchange->outcome = outcome;
    exchange->cut = FETCH_WHOLE;
    exchange->status = 0;
    exchange->chunked = false;
    buf_clear(&exchange->head);
    buf_clear(&exchange->body);
    set_error(exchange, why);
}

/* The body is somebody else's now. */
static void give_back(struct transfer *transfer)
{
    struct holding *holding = transfer->common->holding;

    holding->bytes -= transfer->held;
    transfer->held = 0;
    if (transfer->paused)
        holding->paused--;
    transfer->paused = false;
    if (holding->favoured == transfer)
        holding->favoured = NULL;
    if (transfer->common->flood->flooded == transfer)
        transfer->common->flood->flooded = NULL;
}

struct fetch_exchange *transfer_finish(struct transfer *transfer, CURLcode code)
{
    struct fetch_exchange *exchange = transfer->exchange;
    const char *error = error_text(transfer, code);
    uint64_t hash = server_hash(str_of(exchange->url));

    describe(transfer);
    transfer->worn |= transfer->stop == STOP_REPEAT;
    exchange->unread = transfer->stop == STOP_REPEAT && transfer->sent_as_http1;
    if (transfer->wants_http1)
        *http1_slot(transfer->common, hash) = hash;
    if (!transfer->reply.done) {
        transfer_fail(exchange, early_outcome(transfer, code), error);
    } else {
        exchange->outcome = transfer->stop == STOP_UNWANTED ? FETCH_UNWANTED : FETCH_RESPONSE;
        exchange->cut = transfer->stop == STOP_UNWANTED ? FETCH_WHOLE : cut_of(transfer, code);
        exchange->status = transfer->reply.status;
        exchange->chunked = transfer->reply.chunked;
        set_error(exchange, error);
    }
    give_back(transfer);
    transfer->exchange = NULL;
    return exchange;
}
