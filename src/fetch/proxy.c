#include "fetch/proxy.h"

#include "base/str.h"

#include <stdio.h>
#include <stdlib.h>

static char *copy(struct str text)
{
    char *own = str_dup(text);

    SCENT_BUG_IF(!own);
    return own;
}

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
                           "%s: \"%.*s\" is no proxy; write host:port, http://host:port or "
                           "socks5://host:port",
                           what, STR_ARG(rest));
    SCENT_BUG_IF(asprintf(&out->url, "%s://%.*s", spoken, STR_ARG(rest)) < 0);
    if (credentials.p) {
        str_split(&credentials, ':', &user);
        out->user = copy(user);
        out->password = copy(credentials);
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
