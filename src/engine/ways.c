#include "engine/ways.h"

#include "conf/conf.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MEMORY_MAX = 64 << 20, LOGINS_MAX = 10000 };

static scent_status out_of_memory(struct errmsg *err)
{
    return errmsg_fail(err, SCENT_E_NOMEM, "out of memory for ways");
}

/* Looked at before the crawl is touched, so that a wrong name is a mistake in the configuration. */
static scent_status look_at(const char *path, const char *what, const struct log *log, struct errmsg *err)
{
    struct stat about;

    if (!path)
        return SCENT_OK;
    if (access(path, R_OK) != 0)
        return errmsg_fail(err, SCENT_E_INVALID, "cannot read the %s in %s: %s", what, path, strerror(errno));
    if (stat(path, &about) == 0 && S_ISREG(about.st_mode) && about.st_mode & (S_IRGRP | S_IROTH))
        log_line(log, LOG_WARN, "%s holds secrets and others can read it; chmod 600 %s", path, path);
    return SCENT_OK;
}

/* ---- the file of logins ---- */

/* {user: …, password: …}; no message shows a value. */
static scent_status read_login(struct ways *ways, const struct conf_node *node, struct fetch_login *out,
                               struct errmsg *err)
{
    static const char *const known[] = {"user", "password", NULL};
    const struct conf_node *parts[] = {conf_get(node, "user"), conf_get(node, "password")};
    struct str texts[2] = {STR_NONE, STR_NONE};

    if (conf_kind(node) != CONF_MAP || !parts[0] || !parts[1])
        return conf_fail(node, err, "expected {user: NAME, password: WORD}");
    if (conf_expect_map(node, known, err) != SCENT_OK)
        return SCENT_E_INVALID;
    for (size_t i = 0; i < 2; i++) {
        if (conf_str(parts[i], &texts[i], err) != SCENT_OK)
            return SCENT_E_INVALID;
        for (size_t j = 0; j < texts[i].len; j++)
            if ((unsigned char)texts[i].p[j] < ' ' || (i == 0 && texts[i].p[j] == ':'))
                return conf_fail(parts[i], err, "%s", i == 0 ? "a user name has neither colons nor control characters"
                                                             : "a password has no control characters");
        texts[i] = arena_str(&ways->arena, texts[i]);
        if (!texts[i].p)
            return out_of_memory(err);
    }
    out->user = texts[0].p;
    out->password = texts[1].p;
    return SCENT_OK;
}

/* As URLs spell it: lower case, punycode. */
static scent_status read_host(struct ways *ways, const struct conf_node *node, struct str key, const char **out,
                              struct errmsg *err)
{
    struct str text = arena_printf(&ways->arena, "http://%.*s/", STR_ARG(key)), host;
    struct url url;

    if (!text.p)
        return out_of_memory(err);
    for (size_t i = 0; i < key.len; i++)
        if ((unsigned char)key.p[i] <= ' ' || strchr("/?#@\\", key.p[i]))
            return conf_fail(node, err, "expected a host, such as www.example.org or www.example.org:8080");
    if (url_parse(&ways->arena, text, NULL, &url) != SCENT_OK)
        return conf_fail(node, err, "expected a host, such as www.example.org or www.example.org:8080");
    /* ":80" is not written in a URL that means it. */
    host = url.port || str_ends(key, STR(":80"))
               ? arena_printf(&ways->arena, "%.*s:%u", STR_ARG(url_host(&url)), url_port(&url))
               : arena_str(&ways->arena, url_host(&url));
    *out = host.p;
    return host.p ? SCENT_OK : out_of_memory(err);
}

static scent_status read_hosts(struct ways *ways, const struct conf_node *hosts, struct errmsg *err)
{
    size_t count = conf_count(hosts);

    if (conf_kind(hosts) != CONF_MAP)
        return conf_fail(hosts, err, "expected 'HOST: {user: NAME, password: WORD}' for each host");
    if (count > LOGINS_MAX)
        return conf_fail(hosts, err, "more than %d logins", LOGINS_MAX);
    ways->logins = arena_array(&ways->arena, count, sizeof *ways->logins);
    if (!ways->logins)
        return out_of_memory(err);
    for (size_t i = 0; i < count; i++) {
        const struct conf_node *node = conf_item(hosts, i);
        struct fetch_login *login = &ways->logins[i];

        SCENT_TRY(read_login(ways, node, login, err));
        SCENT_TRY(read_host(ways, node, conf_key(hosts, i), &login->host, err));
    }
    ways->nlogins = count;
    return SCENT_OK;
}

static scent_status read_root(struct ways *ways, const struct conf_node *root, struct fetch_login *proxy,
                              struct errmsg *err)
{
    static const char *const known[] = {"proxy", "hosts", NULL};
    const struct conf_node *node;

    if (conf_kind(root) != CONF_MAP)
        return conf_fail(root, err, "expected 'hosts:' with the logins below");
    SCENT_TRY(conf_expect_map(root, known, err));
    if ((node = conf_get(root, "hosts")))
        SCENT_TRY(read_hosts(ways, node, err));
    return (node = conf_get(root, "proxy")) ? read_login(ways, node, proxy, err) : SCENT_OK;
}

/* *proxy gets the proxy's login, if it is there. */
static scent_status read_logins(struct ways *ways, const char *path, struct fetch_login *proxy, struct errmsg *err)
{
    struct conf *conf;
    scent_status status;

    SCENT_TRY(conf_load(path, &conf, err));
    status = conf_root(conf) ? read_root(ways, conf_root(conf), proxy, err)
                             : errmsg_fail(err, SCENT_E_INVALID,
                                           "%s:1: the file is empty; write 'hosts:' and the logins below", path);
    conf_free(conf);
    return status;
}

/* ---- all of it ---- */

static scent_status split_login(struct ways *ways, struct str text, struct fetch_login *out, struct errmsg *err)
{
    struct str user, password;
    size_t colon = str_find(text, ':');

    if (colon == text.len)
        return errmsg_fail(err, SCENT_E_INVALID, "SCENT_PROXY_LOGIN has no colon; it is USER:PASSWORD");
    user = arena_str(&ways->arena, str_sub(text, 0, colon));
    password = arena_str(&ways->arena, str_sub(text, colon + 1, text.len));
    if (!user.p || !password.p)
        return out_of_memory(err);
    out->user = user.p;
    out->password = password.p;
    return SCENT_OK;
}

static scent_status set_proxy(struct ways *ways, struct str asked, const struct fetch_login *login, struct errmsg *err)
{
    const char *end = strstr(asked.p, "://");
    struct str scheme = end ? str_sub(asked, 0, (size_t)(end - asked.p)) : STR("http");
    struct str place = end ? str_of(end + 3) : asked, text;

    if (!login->user) {
        ways->proxy = asked.p;
        return SCENT_OK;
    }
    text =
        arena_printf(&ways->arena, "%.*s://%s:%s@%.*s", STR_ARG(scheme), login->user, login->password, STR_ARG(place));
    ways->proxy = text.p;
    return text.p ? SCENT_OK : out_of_memory(err);
}

static scent_status fill_ways(const struct topic_network *asked, const char *proxy_login, const struct log *log,
                              struct ways *out, struct errmsg *err)
{
    struct fetch_login proxy = {0};

    SCENT_TRY(look_at(asked->cookies.p, "cookies", log, err));
    SCENT_TRY(look_at(asked->logins.p, "logins", log, err));
    if (asked->logins.p)
        SCENT_TRY(read_logins(out, asked->logins.p, &proxy, err));
    if (!asked->proxy.p)
        return SCENT_OK;
    if (proxy_login)
        SCENT_TRY(split_login(out, str_of(proxy_login), &proxy, err));
    return set_proxy(out, asked->proxy, &proxy, err);
}

scent_status ways_open(const struct topic_network *asked, const char *proxy_login, const struct log *log,
                       struct ways *out, struct errmsg *err)
{
    scent_status status;

    *out = (struct ways){.onion = asked->onion.p, .cookies = asked->cookies.p};
    arena_init(&out->arena, MEMORY_MAX);
    status = fill_ways(asked, proxy_login, log, out, err);
    if (status != SCENT_OK)
        ways_release(out);
    return status;
}

void ways_release(struct ways *ways)
{
    arena_release(&ways->arena);
    *ways = (struct ways){0};
}
