/* The options of a fetcher, checked and copied: headers, logins, cookies, proxies. */
#include "fetch/transfer.h"

#include "base/file.h"
#include "http/http.h"

#include <stdio.h>
#include <stdlib.h>

enum { CA_FILE_MAX = 16 << 20 };
#define DEFAULT_USER_AGENT "scent/" SCENT_VERSION
#define ACCEPT             "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

/* ---- proxies ---- */

/* What libcurl calls it. NULL: no scheme that we know. */
static const char *curl_scheme(struct str scheme)
{
    static const char *const schemes[][2] = {
        {"http", "http"},
        {"socks5", "socks5h"}, /* libcurl's "socks5" looks names up itself */
        {"socks5h", "socks5h"},
    };

    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        if (str_eq_nocase(scheme, str_of(schemes[i][0])))
            return schemes[i][1];
    return NULL;
}

/* host, host:port or [IPv6]:port, and nothing else. */
static bool is_place(struct str place)
{
    uint64_t port;
    size_t colon;

    for (size_t i = 0; i < place.len; i++)
        if ((unsigned char)place.p[i] <= ' ' || strchr("/?#@\\\"<>", place.p[i]))
            return false;
    colon = place.len;
    while (colon > 0 && place.p[colon - 1] != ':' && place.p[colon - 1] != ']')
        colon--;
    if (colon == 0 || place.p[colon - 1] == ']')
        return place.len > 0;
    return colon > 1 && str_parse_u64(str_sub(place, colon, place.len), &port) && port > 0 && port < 65536;
}

/* Takes what stands before the last "@". */
static struct str take_credentials(struct str *rest)
{
    size_t at = rest->len;
    struct str credentials;

    while (at > 0 && rest->p[at - 1] != '@')
        at--;
    if (at == 0)
        return STR_NONE;
    credentials = str_sub(*rest, 0, at - 1);
    *rest = str_sub(*rest, at, rest->len);
    return credentials;
}

scent_status proxy_parse(const char *text, const char *scheme, const char *what, struct proxy *out, struct errmsg *err)
{
    struct str rest = str_of(text), credentials, user;
    const char *end = strstr(text, "://"), *spoken;

    *out = (struct proxy){0};
    spoken = curl_scheme(end ? (struct str){text, (size_t)(end - text)} : str_of(scheme));
    if (end)
        rest = str_of(end + 3);
    if (rest.len && rest.p[rest.len - 1] == '/')
        rest.len--;
    credentials = take_credentials(&rest);
    if (!spoken || !is_place(rest))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s: \"%.*s\" is not a proxy; write host:port, http://host:port or socks5://host:port",
                           what, STR_ARG(rest));
    SCENT_BUG_IF(asprintf(&out->url, "%s://%.*s", spoken, STR_ARG(rest)) < 0);
    if (credentials.p) {
        str_split(&credentials, ':', &user);
        out->user = str_dup(user);
        out->password = str_dup(credentials);
        SCENT_BUG_IF(!out->user || !out->password);
    }
    return SCENT_OK;
}

void proxy_release(struct proxy *proxy)
{
    free(proxy->url);
    free(proxy->user);
    free(proxy->password);
    *proxy = (struct proxy){0};
}

/* ---- options ---- */

static void fill_defaults(struct fetch_options *options)
{
    options->user_agent = options->user_agent ? options->user_agent : DEFAULT_USER_AGENT;
    options->max_head = options->max_head ? options->max_head : 64 * 1024;
    options->max_body = options->max_body ? options->max_body : 2 * 1024 * 1024;
    options->max_held = options->max_held ? options->max_held : 256 * 1024 * 1024;
    options->connect_timeout_us = options->connect_timeout_us ? options->connect_timeout_us : 10 * 1000000;
    options->total_timeout_us = options->total_timeout_us ? options->total_timeout_us : 60 * 1000000;
    options->dns_timeout_us = options->dns_timeout_us ? options->dns_timeout_us : 2 * 1000000;
    options->max_transfers = options->max_transfers ? options->max_transfers : 1024;
    options->clock = options->clock ? options->clock : &clock_system;
}

static char *copy(const char *text)
{
    char *own = text ? strdup(text) : NULL;

    SCENT_BUG_IF(text && !own);
    return own;
}

static scent_status add_header(struct transfer_common *common, const char *name, const char *value, struct errmsg *err)
{
    struct curl_slist *headers = NULL;
    char *line;

    if (strpbrk(value, "\r\n"))
        return errmsg_fail(err, SCENT_E_INVALID, "the value of %s holds a line break", name);
    if (asprintf(&line, "%s:%s%s", name, *value ? " " : "", value) < 0)
        return SCENT_E_NOMEM;
    headers = curl_slist_append(common->headers, line);
    free(line);
    if (!headers)
        return SCENT_E_NOMEM;
    common->headers = headers;
    return SCENT_OK;
}

static scent_status add_headers(struct transfer_common *common, struct errmsg *err)
{
    const char *const headers[][2] = {
        {"User-Agent", common->options.user_agent},
        {"Accept", ACCEPT},
        {"Accept-Encoding", HTTP_ACCEPT_ENCODING},
        {"Proxy-Connection", ""}, /* without a value libcurl leaves it out: nobody is told of the proxy */
    };

    for (size_t i = 0; i < sizeof headers / sizeof *headers; i++)
        SCENT_TRY(add_header(common, headers[i][0], headers[i][1], err));
    return SCENT_OK;
}

static bool is_header_text(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7f)
            return false;
    return true;
}

/* The message says which host, never what was to be sent to it. */
static scent_status copy_logins(struct transfer_common *common, const struct fetch_options *options, struct errmsg *err)
{
    common->options.nlogins = 0;
    common->logins = calloc(options->nlogins + 1, sizeof *common->logins);
    SCENT_BUG_IF(!common->logins);
    common->options.logins = common->logins;
    for (size_t i = 0; i < options->nlogins; i++) {
        const struct fetch_login *login = &options->logins[i];

        if (!*login->host || strchr(login->user, ':') || !is_header_text(login->user) ||
            !is_header_text(login->password))
            return errmsg_fail(err, SCENT_E_INVALID,
                               "login for \"%s\": a user name has no colon, and neither it nor "
                               "the password has control characters",
                               login->host);
        common->logins[i] = (struct fetch_login){copy(login->host), copy(login->user), copy(login->password)};
        common->options.nlogins++;
    }
    return SCENT_OK;
}

static scent_status take_proxies(struct transfer_common *common, const struct fetch_options *options,
                                 struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (options->proxy)
        status = proxy_parse(options->proxy, "http", "proxy", &common->proxy, err);
    if (status == SCENT_OK && options->onion_proxy)
        status = proxy_parse(options->onion_proxy, "socks5", "onion proxy", &common->onion_proxy, err);
    common->options.proxy = common->proxy.url;
    common->options.onion_proxy = common->onion_proxy.url;
    return status;
}

/* libcurl would complain at the first https page only. */
static scent_status look_at_ca_file(const char *path, struct errmsg *err)
{
    scent_status status;
    struct buf text;

    buf_init(&text, CA_FILE_MAX);
    status = file_read(path, &text, err) == SCENT_OK ? SCENT_OK : SCENT_E_INVALID;
    if (status == SCENT_OK && (!text.len || !memmem(text.p, text.len, "-----BEGIN", 10)))
        status = errmsg_fail(err, SCENT_E_INVALID, "%s: it holds no certificate in the format PEM", path);
    buf_release(&text);
    return status;
}

static scent_status take_options(struct transfer_common *common, const struct fetch_options *options,
                                 struct errmsg *err)
{
    SCENT_TRY(take_proxies(common, options, err));
    SCENT_TRY(copy_logins(common, options, err));
    SCENT_TRY(add_headers(common, err));
    if (options->ca_file)
        SCENT_TRY(look_at_ca_file(options->ca_file, err));
    return options->cookies_file ? cookies_read(options->cookies_file, &common->cookies, err) : SCENT_OK;
}

scent_status transfer_common_init(struct transfer_common *common, const struct fetch_options *options,
                                  struct errmsg *err)
{
    scent_status status;

    *common = (struct transfer_common){.options = *options, .max_sockets = SIZE_MAX,
                                       .single_use = curl_version_info(CURLVERSION_NOW)->version_num < 0x080100};
    fill_defaults(&common->options);
    common->options.ca_file = copy(options->ca_file);
    common->options.dns_server = copy(options->dns_server);
    status = take_options(common, options, err);
    /* They are in the header lines now, or read; the caller's strings are not kept. */
    common->options.user_agent = common->options.cookies_file = NULL;
    if (status != SCENT_OK)
        transfer_common_release(common);
    return status;
}

void transfer_common_release(struct transfer_common *common)
{
    for (size_t i = 0; i < common->options.nlogins && common->logins; i++) {
        free((char *)common->logins[i].host);
        free((char *)common->logins[i].user);
        free((char *)common->logins[i].password);
    }
    free(common->logins);
    proxy_release(&common->proxy);
    proxy_release(&common->onion_proxy);
    cookies_free(common->cookies);
    free((char *)common->options.ca_file);
    free((char *)common->options.dns_server);
    curl_slist_free_all(common->headers);
    *common = (struct transfer_common){0};
}
