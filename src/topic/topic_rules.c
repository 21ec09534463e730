#include "topic/topic_read.h"

#include <inttypes.h>

static scent_status read_u32(const struct conf_node *node, uint32_t min, uint32_t max, uint32_t *out,
                             struct errmsg *err)
{
    uint64_t value = *out;
    scent_status status = conf_u64(node, min, max, &value, err);

    *out = (uint32_t)value;
    return status;
}

static bool is_no_host(struct str pattern)
{
    for (size_t i = 0; i < pattern.len; i++)
        if (strchr("=&%#@", pattern.p[i]) || (pattern.p[i] == ':' && pattern.p[0] != '['))
            return true;
    return false;
}

/* URLs are ASCII and patterns are matched without the scheme: another pattern could never match. */
static scent_status check_pattern(const struct conf_node *node, struct str pattern, struct errmsg *err)
{
    if (pattern.len == 0)
        return conf_fail(node, err, "an empty pattern matches nothing; remove it");
    for (size_t i = 0; i < pattern.len; i++)
        if ((unsigned char)pattern.p[i] <= ' ' || (unsigned char)pattern.p[i] >= 0x7f)
            return conf_fail(node, err,
                             "'%s' can match no URL: write hosts as xn--… and other characters as %%XX, without spaces",
                             conf_show(pattern).text);
    if (url_is_absolute(pattern))
        return conf_fail(node, err, "'%s' can match no URL: patterns are compared without the scheme; remove '%.*s'",
                         conf_show(pattern).text, (int)str_find(pattern, '/') + 2, pattern.p);
    if (str_find(pattern, '/') == pattern.len && is_no_host(pattern))
        return conf_fail(node, err,
                         "'%s' has no '/' and is compared with the host alone, which it can never match; write '%s'",
                         conf_show(pattern).text, str_find(pattern, ':') < pattern.len ? "HOST:PORT/*" : "*/*…");
    return SCENT_OK;
}

static scent_status read_patterns(struct topic *topic, const struct conf_node *node, const struct str **out,
                                  size_t *count, struct errmsg *err)
{
    scent_status status = topic_read_strs(topic, node, out, count, err);

    for (size_t i = 0; i < *count && status == SCENT_OK; i++)
        status = check_pattern(conf_kind(node) == CONF_LIST ? conf_item(node, i) : node, (*out)[i], err);
    return status;
}

static scent_status read_types(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    struct scope *scope = &topic->scope;
    scent_status status = topic_read_strs(topic, node, &scope->types, &scope->ntypes, err);

    for (size_t i = 0; i < scope->ntypes && status == SCENT_OK; i++)
        if (str_find(scope->types[i], '/') == scope->types[i].len)
            return conf_fail(conf_kind(node) == CONF_LIST ? conf_item(node, i) : node, err,
                             "expected a type such as text/html or text/*, got '%s'", conf_show(scope->types[i]).text);
    return status;
}

scent_status topic_read_scope(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    static const char *const known[] = {"include", "exclude", "hops_off_domain", "types", NULL};
    struct scope *scope = &topic->scope;
    scent_status status = conf_expect_map(node, known, err);

    if (status == SCENT_OK)
        status = read_patterns(topic, conf_get(node, "include"), &scope->include, &scope->ninclude, err);
    if (status == SCENT_OK)
        status = read_patterns(topic, conf_get(node, "exclude"), &scope->exclude, &scope->nexclude, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "hops_off_domain"), 0, UINT32_MAX - 1, &scope->hops_off_domain, err);
    if (status == SCENT_OK)
        status = read_types(topic, conf_get(node, "types"), err);
    return status;
}

/* The bounds are KiB and GiB. */
static scent_status read_bytes(const struct conf_node *node, uint64_t min, uint64_t max, uint64_t *out,
                               struct errmsg *err)
{
    scent_status status = conf_bytes(node, out, err);

    if (status == SCENT_OK && (*out < min || *out > max))
        return conf_fail(node, err, "must lie between %" PRIu64 "KiB and %" PRIu64 "GiB, got %" PRIu64 " bytes",
                         min >> 10, max >> 30, *out);
    return status;
}

scent_status topic_read_limits(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    static const char *const known[] = {"pages",    "time",       "depth",         "page_bytes",
                                        "per_host", "per_domain", "per_pattern",   "min_free_disk",
                                        "text_memory", "body_memory", NULL};
    struct topic_limits *limits = &topic->limits;
    scent_status status = conf_expect_map(node, known, err);

    if (status == SCENT_OK)
        status = conf_u64(conf_get(node, "pages"), 0, UINT64_MAX, &limits->pages, err);
    if (status == SCENT_OK)
        status = conf_duration(conf_get(node, "time"), &limits->time_us, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "depth"), 0, UINT32_MAX, &limits->depth, err);
    if (status == SCENT_OK)
        status = read_bytes(conf_get(node, "page_bytes"), 1 << 10, 1 << 30, &limits->page_bytes, err);
    if (status == SCENT_OK)
        status = conf_u64(conf_get(node, "per_host"), 0, UINT64_MAX, &limits->per_host, err);
    if (status == SCENT_OK)
        status = conf_u64(conf_get(node, "per_domain"), 0, UINT64_MAX, &limits->per_domain, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "per_pattern"), 0, UINT32_MAX, &limits->per_pattern, err);
    if (status == SCENT_OK)
        status = conf_bytes(conf_get(node, "min_free_disk"), &limits->min_free_disk, err);
    if (status == SCENT_OK)
        status = read_bytes(conf_get(node, "text_memory"), 1 << 10, (uint64_t)1 << 40, &limits->text_memory, err);
    if (status == SCENT_OK)
        status = read_bytes(conf_get(node, "body_memory"), 1 << 20, (uint64_t)1 << 40, &limits->body_memory, err);
    if (status == SCENT_OK && limits->per_domain && limits->per_host > limits->per_domain)
        return conf_fail(conf_get(node, "per_host"), err,
                         "%" PRIu64 " is more than limits.per_domain allows (%" PRIu64 "); lower it or remove it",
                         limits->per_host, limits->per_domain);
    return status;
}

/* It becomes a line of an HTTP request. */
static scent_status check_user_agent(const struct conf_node *node, struct str agent, struct errmsg *err)
{
    if (!node)
        return SCENT_OK;
    if (agent.len == 0 || agent.len > 256)
        return conf_fail(node, err, "must have 1 to 256 characters");
    for (size_t i = 0; i < agent.len; i++)
        if (agent.p[i] < ' ' || agent.p[i] > '~')
            return conf_fail(node, err, "must be plain ASCII on one line");
    return SCENT_OK;
}

static scent_status read_obey(const struct conf_node *node, bool *ignore, struct errmsg *err)
{
    struct str word = STR("obey");
    scent_status status = conf_str(node, &word, err);

    *ignore = str_eq(word, STR("ignore"));
    if (status == SCENT_OK && !*ignore && !str_eq(word, STR("obey")))
        return conf_fail(node, err, "expected obey or ignore, got '%s'", conf_show(word).text);
    return status;
}

scent_status topic_read_politeness(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    static const char *const known[] = {"delay",   "per_host",    "per_domain",   "per_ip", "user_agent",
                                        "retries", "page_robots", "rel_nofollow", NULL};
    struct topic_politeness *polite = &topic->politeness;
    const struct conf_node *agent = conf_get(node, "user_agent"), *per_host = conf_get(node, "per_host");
    scent_status status = conf_expect_map(node, known, err);

    if (status == SCENT_OK)
        status = conf_duration(conf_get(node, "delay"), &polite->delay_us, err);
    if (status == SCENT_OK)
        status = read_u32(per_host, 1, 1000, &polite->per_host, err);
    if (polite->per_domain < polite->per_host)
        polite->per_domain = polite->per_host;
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "per_domain"), polite->per_host, 10000, &polite->per_domain, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "per_ip"), 1, 10000, &polite->per_ip, err);
    if (status == SCENT_OK)
        status = topic_read_str(topic, agent, &polite->user_agent, err);
    if (status == SCENT_OK)
        status = check_user_agent(agent, polite->user_agent, err);
    if (status == SCENT_OK)
        status = read_u32(conf_get(node, "retries"), 0, 100, &polite->retries, err);
    if (status == SCENT_OK)
        status = read_obey(conf_get(node, "page_robots"), &polite->ignore_page_robots, err);
    if (status == SCENT_OK)
        status = read_obey(conf_get(node, "rel_nofollow"), &polite->ignore_rel_nofollow, err);
    if (status == SCENT_OK && polite->per_host > polite->per_ip)
        return conf_fail(per_host ? per_host : conf_get(node, "per_ip"), err,
                         "per_host (%u) is more than per_ip (%u) allows; raise per_ip or lower per_host",
                         polite->per_host, polite->per_ip);
    return status;
}
