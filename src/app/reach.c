#include "app/reach.h"

#include "url/url.h"

#include <stdlib.h>

static bool proxy_is_loopback(const char *proxy)
{
    const char *colon = strrchr(proxy, ':');
    uint64_t port;

    return colon && str_parse_u64(str_of(colon + 1), &port) && port >= 1 && port <= 65535 &&
           url_host_is_loopback((struct str){proxy, (size_t)(colon - proxy)});
}

bool reach_take_option(struct reach *reach, int option, const char *value)
{
    switch (option) {
    case REACH_FROM:
        reach->from = value;
        break;
    case REACH_PROXY:
        reach->proxy = value;
        break;
    case REACH_CA:
        reach->ca_file = value;
        break;
    case REACH_DNS:
        reach->dns = value;
        break;
    case REACH_PRIVATE:
        return reach->allow_private = true;
    default:
        return false;
    }
    return value[0] != 0;
}

const char *reach_problem(const struct reach *reach)
{
    if (reach->proxy && !proxy_is_loopback(reach->proxy))
        return "--proxy-all takes HOST:PORT on loopback, such as 127.0.0.1:8080";
    if (reach->proxy && reach->from)
        return "--from and --proxy-all exclude each other";
    return NULL;
}

int reach_take_topic(const struct reach *reach, const struct command *command, int argc, char **argv, const char **topic)
{
    if (optind + 1 != argc)
        return command_misuse(command, optind == argc ? "which topic file?" : "one topic file at a time");
    if (reach_problem(reach))
        return command_misuse(command, "%s", reach_problem(reach));
    *topic = argv[optind];
    return -1;
}

scent_status reach_open(struct reach *reach, const struct log *log, struct errmsg *err)
{
    return reach->from ? web_open(reach->from, log, &reach->web, err) : SCENT_OK;
}

void reach_close(struct reach *reach)
{
    web_free(reach->web);
    reach->web = NULL;
}

static scent_status choose(const struct reach *reach, const char *path, const struct topic *topic,
                           enum fetch_reach *out, struct errmsg *err)
{
    size_t loopback = 0;

    *out = FETCH_REACH_LOOPBACK;
    if (reach->from || reach->proxy)
        return SCENT_OK;
    for (size_t i = 0; i < topic->nseeds; i++)
        loopback += url_host_is_loopback(url_host(&topic->seeds[i]));
    if (loopback && !reach->allow_private)
        return errmsg_fail(err, SCENT_E_INVALID, "%s: there are seeds on this machine; --allow-private permits that", path);
    if (loopback == topic->nseeds)
        return SCENT_OK; /* a crawl that begins on this machine stays there */
    if (!topic_has_contact(topic))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "%s: politeness.user_agent names nobody to write to; other people's servers are visited "
                           "with a contact only, such as 'scent/" SCENT_VERSION " (+https://www.example.org/about)'",
                           path);
    *out = reach->allow_private ? FETCH_REACH_ANY : FETCH_REACH_PUBLIC;
    return SCENT_OK;
}

scent_status reach_prepare(const struct reach *reach, const char *path, const struct topic *topic,
                           struct engine_options *engine, struct errmsg *err)
{
    engine->web = reach->web;
    engine->proxy = reach->proxy;
    engine->proxy_login = getenv("SCENT_PROXY_LOGIN");
    engine->ca_file = reach->ca_file;
    engine->dns_server = reach->dns;
    engine->clock = &clock_system;
    return choose(reach, path, topic, &engine->reach, err);
}
