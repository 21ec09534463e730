/* The section `ways`: how the network is reached.
 *
 * The topic file is kept with the crawl and passed on with it, so nothing secret may stand in it: what is secret lies in
 * files that are named here, and no message shows what was written in its place. */
#include "topic/topic_read.h"

#include <stdio.h>

#define SECRETS_ELSEWHERE "; the topic file is kept with the crawl, so user names and passwords must not stand in it"

static scent_status check_place(struct topic *topic, const struct conf_node *node, struct str place, struct errmsg *err)
{
    struct str text = arena_printf(&topic->arena, "http://%.*s/", STR_ARG(place));
    struct url url;

    if (!text.p)
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    for (size_t i = 0; i < place.len; i++)
        if ((unsigned char)place.p[i] <= ' ' || strchr("/?#\\", place.p[i]))
            return conf_fail(node, err, "'%s' is no proxy; write HOST:PORT", conf_show(place).text);
    if (url_parse(&topic->arena, text, NULL, &url) != SCENT_OK)
        return conf_fail(node, err, "'%s' is no proxy; write HOST:PORT", conf_show(place).text);
    return SCENT_OK;
}

/* http://HOST:PORT, socks5://HOST:PORT, HOST:PORT */
static scent_status read_proxy(struct topic *topic, const struct conf_node *node, struct str *out, struct errmsg *err)
{
    static const char *const schemes[] = {"http", "socks5", "socks5h"};
    scent_status status = topic_read_str(topic, node, out, err);
    struct str scheme, place;
    const char *end;
    bool known = false;

    if (!node || status != SCENT_OK)
        return status;
    if (str_find(*out, '@') < out->len)
        return conf_fail(node, err, "this has a user name or a password in it" SECRETS_ELSEWHERE
                                    "; leave out what stands before the '@' and write it as 'proxy: {user: …, "
                                    "password: …}' into the file that ways.logins names, or set SCENT_PROXY_LOGIN");
    end = strstr(out->p, "://");
    if (!end)
        return check_place(topic, node, *out, err);
    scheme = (struct str){out->p, (size_t)(end - out->p)};
    place = str_of(end + 3);
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        known = known || str_eq_nocase(scheme, str_of(schemes[i]));
    if (!known)
        return conf_fail(node, err, "a proxy speaks http or socks5, not '%s'", conf_show(scheme).text);
    return check_place(topic, node, place, err);
}

/* Tor listens for SOCKS alone. */
static scent_status read_onion(struct topic *topic, const struct conf_node *node, struct str *out, struct errmsg *err)
{
    scent_status status = read_proxy(topic, node, out, err);

    if (node && status == SCENT_OK && str_starts_nocase(*out, STR("http:")))
        return conf_fail(node, err, "the way to .onion is a SOCKS port, such as 127.0.0.1:9050");
    return status;
}

static scent_status read_path(struct topic *topic, const struct conf_node *node, const char *name, const char *what,
                              struct str *out, struct errmsg *err)
{
    char expected[64];

    if (node && conf_kind(node) != CONF_SCALAR)
        return conf_fail(node, err, "expected the path of a file with %s" SECRETS_ELSEWHERE
                                    "; move them to a file of their own and name it here", what);
    snprintf(expected, sizeof expected, "expected the path of a file with %s", what);
    return topic_read_path(topic, node, name, expected, out, err);
}

scent_status topic_read_ways(struct topic *topic, const struct conf_node *node, const char *name, struct errmsg *err)
{
    static const char *const known[] = {"proxy", "onion", "cookies", "logins", NULL};
    struct topic_ways *ways = &topic->ways;
    scent_status status = conf_expect_map(node, known, err);

    if (status == SCENT_OK)
        status = read_proxy(topic, conf_get(node, "proxy"), &ways->proxy, err);
    if (status == SCENT_OK)
        status = read_onion(topic, conf_get(node, "onion"), &ways->onion, err);
    if (status == SCENT_OK)
        status = read_path(topic, conf_get(node, "cookies"), name, "cookies", &ways->cookies, err);
    if (status == SCENT_OK)
        status = read_path(topic, conf_get(node, "logins"), name, "logins", &ways->logins, err);
    return status;
}
