#include "app/network.h"

#include "url/url.h"

#include <stdlib.h>

static bool proxy_is_loopback(const char *proxy)
{
    const char *colon = strrchr(proxy, ':');
    uint64_t port;

    return colon && str_parse_u64(str_of(colon + 1), &port) && port >= 1 && port <= 65535 &&
           url_host_is_loopback((struct str){proxy, (size_t)(colon - proxy)});
}

const char *network_problem(const struct network *network)
{
    if (network->proxy && !proxy_is_loopback(network->proxy))
        return "--proxy-all needs HOST:PORT on loopback, such as 127.0.0.1:8080";
    if (network->proxy && network->from)
        return "--from and --proxy-all cannot be combined";
    return NULL;
}

scent_status network_open(struct network *network, const struct log *log, struct errmsg *err)
{
    return network->from ? web_open(network->from, log, &network->web, err) : SCENT_OK;
}

void network_close(struct network *network)
{
    web_free(network->web);
    network->web = NULL;
}

static scent_status choose(const struct network *network, const char *path, const struct topic *topic,
                           enum fetch_reach *out, struct errmsg *err)
{
    size_t loopback = 0;

    *out = FETCH_REACH_LOOPBACK;
    if (network->from || network->proxy)
        return SCENT_OK;
    for (size_t i = 0; i < topic->nseeds; i++)
        loopback += url_host_is_loopback(url_host(&topic->seeds[i]));
    if (loopback && !network->allow_private)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: there are seeds on this machine; --allow-private permits them",
                           path);
    if (loopback == topic->nseeds)
        return SCENT_OK; /* a crawl that begins on this machine stays there */
    if (!topic_has_contact(topic))
        return errmsg_fail(
            err, SCENT_E_INVALID,
            "%s: politeness.user_agent names no contact, without which scent does not visit other people's "
            "servers; write for example 'scent/" SCENT_VERSION " (+https://www.example.org/about)'",
            path);
    *out = network->allow_private ? FETCH_REACH_ANY : FETCH_REACH_PUBLIC;
    return SCENT_OK;
}

scent_status network_prepare(const struct network *network, const char *path, const struct topic *topic,
                           struct engine_options *engine, struct errmsg *err)
{
    engine->web = network->web;
    engine->proxy = network->proxy;
    engine->proxy_login = getenv("SCENT_PROXY_LOGIN");
    engine->ca_file = network->ca_file;
    engine->dns_server = network->dns;
    engine->clock = &clock_system;
    return choose(network, path, topic, &engine->reach, err);
}
