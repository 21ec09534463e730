/* The tables of the topic file: each key with its kind, limits and default, and what must hold between keys.
 * docs/guide/topic-file.md explains the keys. */
#include "topic/topic_parts.h"

#include "topic/predicate.h"
#include "topic/query.h"

#include <inttypes.h>
#include <stdio.h>

#define DAY_US ((int64_t)86400 * 1000000)

enum { MAX_NAME = 200, MAX_WINDOW = 100000, MAX_PATHS = 1000, MAX_REUSE = 100 };

/* "topic.yaml:7: traces", for messages about what a key names. */
static scent_status keep_place(const struct conf_reader *reader, const struct conf_node *node, const char *key,
                               struct str *out, struct errmsg *err)
{
    *out = arena_printf(reader->arena, "%s:%d: %s", reader->file, conf_line(node), key);
    return out->p ? SCENT_OK : errmsg_no_memory(err);
}

/* ---- scope ---- */

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

static scent_status check_patterns(const struct conf_node *node, const struct str *patterns, struct errmsg *err)
{
    for (size_t i = 0; i < conf_many(node); i++)
        SCENT_TRY(check_pattern(conf_nth(node, i), patterns[i], err));
    return SCENT_OK;
}

static scent_status check_scope(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    const struct conf_node *types = conf_get(node, "types");
    const struct scope *scope = members;

    (void)reader;
    SCENT_TRY(check_patterns(conf_get(node, "include"), scope->include, err));
    SCENT_TRY(check_patterns(conf_get(node, "exclude"), scope->exclude, err));
    for (size_t i = 0; i < conf_many(types); i++)
        if (str_find(scope->types[i], '/') == scope->types[i].len)
            return conf_fail(conf_nth(types, i), err, "expected a type such as text/html or text/*, got '%s'",
                             conf_show(scope->types[i]).text);
    return SCENT_OK;
}

static const struct conf_field scope_fields[] = {
    {"include", FIELD_TEXTS, CONF_MEMBERS(struct scope, include, ninclude)},
    {"exclude", FIELD_TEXTS, CONF_MEMBERS(struct scope, exclude, nexclude)},
    {"hops_off_domain", FIELD_COUNT, CONF_MEMBER(struct scope, hops_off_domain), .max = UINT32_MAX - 1,
     .fallback = UINT32_MAX},
    {"types", FIELD_TEXTS, CONF_MEMBERS(struct scope, types, ntypes)},
    {0},
};
static const struct conf_table scope_table = {.fields = scope_fields, .check = check_scope};

/* ---- limits ---- */

static scent_status check_limits(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                 struct errmsg *err)
{
    const struct topic_limits *limits = members;

    (void)reader;
    if (limits->per_domain && limits->per_host > limits->per_domain)
        return conf_fail(conf_get(node, "per_host"), err,
                         "%" PRIu64 " is more than limits.per_domain allows (%" PRIu64 "); lower it or remove it",
                         limits->per_host, limits->per_domain);
    return SCENT_OK;
}

static const struct conf_field limits_fields[] = {
    {"pages", FIELD_COUNT, CONF_MEMBER(struct topic_limits, pages)},
    {"time", FIELD_DURATION, CONF_MEMBER(struct topic_limits, time_us)},
    {"depth", FIELD_COUNT, CONF_MEMBER(struct topic_limits, depth), .fallback = 20},
    {"page_bytes", FIELD_BYTES, CONF_MEMBER(struct topic_limits, page_bytes), .min = 1 << 10, .max = 1 << 30,
     .fallback = 2 << 20},
    {"per_host", FIELD_COUNT, CONF_MEMBER(struct topic_limits, per_host)},
    {"per_domain", FIELD_COUNT, CONF_MEMBER(struct topic_limits, per_domain)},
    {"per_pattern", FIELD_COUNT, CONF_MEMBER(struct topic_limits, per_pattern), .fallback = 2000},
    {"urls_per_domain", FIELD_COUNT, CONF_MEMBER(struct topic_limits, urls_per_domain), .fallback = 100000},
    {"min_free_disk", FIELD_BYTES, CONF_MEMBER(struct topic_limits, min_free_disk), .fallback = 1 << 30},
    {"text_memory", FIELD_BYTES, CONF_MEMBER(struct topic_limits, text_memory), .min = 1 << 10, .max = 0x1p40,
     .fallback = 16 << 20},
    {"body_memory", FIELD_BYTES, CONF_MEMBER(struct topic_limits, body_memory), .min = 1 << 20, .max = 0x1p40,
     .fallback = 256 << 20},
    {0},
};
static const struct conf_table limits_table = {.fields = limits_fields, .check = check_limits};

/* ---- politeness ---- */

/* It becomes a line of an HTTP request. */
static scent_status check_user_agent(const struct conf_node *node, struct str agent, struct errmsg *err)
{
    if (agent.len == 0 || agent.len > 256)
        return conf_fail(node, err, "must have 1 to 256 characters");
    for (size_t i = 0; i < agent.len; i++)
        if (agent.p[i] < ' ' || agent.p[i] > '~')
            return conf_fail(node, err, "must be plain ASCII on one line");
    return SCENT_OK;
}

static scent_status check_politeness(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                     struct errmsg *err)
{
    const struct conf_node *agent = conf_get(node, "user_agent"), *per_host = conf_get(node, "per_host");
    const struct conf_node *per_domain = conf_get(node, "per_domain");
    struct topic_politeness *polite = members;

    (void)reader;
    if (agent)
        SCENT_TRY(check_user_agent(agent, polite->user_agent, err));
    if (per_domain && polite->per_domain < polite->per_host)
        return conf_fail(per_domain, err, "must be at least per_host (%u), got %u", polite->per_host,
                         polite->per_domain);
    if (polite->per_domain < polite->per_host)
        polite->per_domain = polite->per_host;
    if (polite->per_host > polite->per_ip)
        return conf_fail(per_host ? per_host : conf_get(node, "per_ip"), err,
                         "per_host (%u) is more than per_ip (%u) allows; raise per_ip or lower per_host",
                         polite->per_host, polite->per_ip);
    return SCENT_OK;
}

static const char *const obedience[] = {"obey", "ignore", NULL};
static const struct conf_field politeness_fields[] = {
    {"delay", FIELD_DURATION, CONF_MEMBER(struct topic_politeness, delay_us), .fallback = 1e6},
    {"per_host", FIELD_COUNT, CONF_MEMBER(struct topic_politeness, per_host), .min = 1, .max = 1000, .fallback = 1},
    {"per_domain", FIELD_COUNT, CONF_MEMBER(struct topic_politeness, per_domain), .min = 1, .max = 10000,
     .fallback = 4},
    {"per_ip", FIELD_COUNT, CONF_MEMBER(struct topic_politeness, per_ip), .min = 1, .max = 10000, .fallback = 8},
    {"user_agent", FIELD_TEXT, CONF_MEMBER(struct topic_politeness, user_agent)},
    {"operator", FIELD_TEXT, CONF_MEMBER(struct topic_politeness, operator)},
    {"retries", FIELD_COUNT, CONF_MEMBER(struct topic_politeness, retries), .max = 100, .fallback = 2},
    {"connect_timeout", FIELD_DURATION, CONF_MEMBER(struct topic_politeness, connect_timeout_us), .min = 1e5,
     .max = 3600e6, .fallback = 10e6},
    {"timeout", FIELD_DURATION, CONF_MEMBER(struct topic_politeness, timeout_us), .min = 1e5, .max = 24 * 3600e6,
     .fallback = 60e6},
    {"page_robots", FIELD_CHOICE, CONF_MEMBER(struct topic_politeness, ignore_page_robots), .words = obedience},
    {"rel_nofollow", FIELD_CHOICE, CONF_MEMBER(struct topic_politeness, ignore_rel_nofollow), .words = obedience},
    {0},
};
static const struct conf_table politeness_table = {.fields = politeness_fields, .check = check_politeness};

/* ---- ways: how the network is reached ----
 *
 * The topic file is kept with the crawl and passed on with it, so nothing secret may stand in it: secrets lie in files
 * that are named here, and no message shows what was written in their place. */

#define SECRETS_ELSEWHERE "; the topic file is kept with the crawl, so user names and passwords must not stand in it"

static scent_status check_place(const struct conf_reader *reader, const struct conf_node *node, struct str place,
                                struct errmsg *err)
{
    struct str text = arena_printf(reader->arena, "http://%.*s/", STR_ARG(place));
    struct url url;
    bool is_odd = false;

    if (!text.p)
        return errmsg_no_memory(err);
    for (size_t i = 0; i < place.len; i++)
        is_odd = is_odd || (unsigned char)place.p[i] <= ' ' || strchr("/?#\\", place.p[i]);
    if (is_odd || url_parse(reader->arena, text, NULL, &url) != SCENT_OK)
        return conf_fail(node, err, "'%s' is not a proxy; write HOST:PORT", conf_show(place).text);
    return SCENT_OK;
}

/* http://HOST:PORT, socks5://HOST:PORT, HOST:PORT */
static scent_status read_proxy(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    static const char *const schemes[] = {"http", "socks5", "socks5h"};
    struct str text = STR_NONE, scheme, *out = member;
    const char *end;
    bool known = false;

    SCENT_TRY(conf_str(node, &text, err));
    if (str_find(text, '@') < text.len)
        return conf_fail(node, err, "this has a user name or a password in it" SECRETS_ELSEWHERE
                                    "; leave out what stands before the '@' and write it as 'proxy: {user: …, "
                                    "password: …}' into the file that ways.logins names, or set SCENT_PROXY_LOGIN");
    *out = arena_str(reader->arena, text);
    if (!out->p)
        return errmsg_no_memory(err);
    end = strstr(out->p, "://");
    if (!end)
        return check_place(reader, node, *out, err);
    scheme = (struct str){out->p, (size_t)(end - out->p)};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++)
        known = known || str_eq_nocase(scheme, str_of(schemes[i]));
    if (!known)
        return conf_fail(node, err, "a proxy speaks http or socks5, not '%s'", conf_show(scheme).text);
    return check_place(reader, node, str_of(end + 3), err);
}

/* Tor listens for SOCKS alone. */
static scent_status read_onion(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    struct str *out = member;

    SCENT_TRY(read_proxy(reader, node, out, err));
    if (str_starts_nocase(*out, STR("http:")))
        return conf_fail(node, err, "the way to .onion is a SOCKS port, such as 127.0.0.1:9050");
    return SCENT_OK;
}

static scent_status read_secret(const struct conf_reader *reader, const struct conf_node *node, const char *what,
                                struct str *out, struct errmsg *err)
{
    char expected[64];

    if (conf_kind(node) != CONF_SCALAR)
        return conf_fail(node, err, "expected the path of a file with %s" SECRETS_ELSEWHERE
                                    "; move them to a file of their own and name it here", what);
    snprintf(expected, sizeof expected, "the path of a file with %s", what);
    return conf_path(reader, node, expected, out, err);
}

static scent_status read_cookies(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                 struct errmsg *err)
{
    return read_secret(reader, node, "cookies", member, err);
}

static scent_status read_logins(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                struct errmsg *err)
{
    return read_secret(reader, node, "logins", member, err);
}

static const struct conf_field network_fields[] = {
    {"proxy", FIELD_OWN, CONF_MEMBER(struct topic_network, proxy), .read = read_proxy},
    {"onion", FIELD_OWN, CONF_MEMBER(struct topic_network, onion), .read = read_onion},
    {"cookies", FIELD_OWN, CONF_MEMBER(struct topic_network, cookies), .read = read_cookies},
    {"logins", FIELD_OWN, CONF_MEMBER(struct topic_network, logins), .read = read_logins},
    {0},
};
static const struct conf_table network_table = {.fields = network_fields};

static const struct conf_field hook_fields[] = {
    {"on_page", FIELD_TEXT, CONF_MEMBER(struct topic_hooks, on_page)},
    {"on_relevant", FIELD_TEXT, CONF_MEMBER(struct topic_hooks, on_relevant)},
    {0},
};
static const struct conf_table hook_table = {.fields = hook_fields};

/* ---- judge: a program of the user's own ---- */

static scent_status check_judge(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    const struct conf_node *command = conf_get(node, "command");
    struct topic_judge *judge = members;

    if (!judge->ncommand == !judge->plugin.len)
        return conf_fail(node, err, "name a program ('command: ./judge.py') or a shared library ('plugin: ./mine.so')");
    if (judge->plugin.len)
        return keep_place(reader, node, "judge", &judge->place, err);
    for (size_t i = 0; i < judge->ncommand; i++)
        if (memchr(judge->command[i].p, 0, judge->command[i].len))
            return conf_fail(command, err, "a word of a command has no NUL bytes");
    if (conf_kind(command) == CONF_SCALAR && str_find(judge->command[0], ' ') < judge->command[0].len)
        return conf_fail(command, err, "no shell takes this apart: write the program and its arguments as a list, such "
                                       "as [./judge.py, --model, words.txt]");
    return keep_place(reader, node, "judge", &judge->place, err);
}

static const struct conf_field judge_fields[] = {
    {"command", FIELD_TEXTS, CONF_MEMBERS(struct topic_judge, command, ncommand), .min = 1, .max = 1000,
     .expected = "a program and its arguments"},
    {"plugin", FIELD_TEXT, CONF_MEMBER(struct topic_judge, plugin), .min = 1},
    {"version", FIELD_TEXT, CONF_MEMBER(struct topic_judge, version)},
    {"batch", FIELD_COUNT, CONF_MEMBER(struct topic_judge, batch), .min = 1, .max = 256, .fallback = 16},
    {"timeout", FIELD_DURATION, CONF_MEMBER(struct topic_judge, timeout_us), .min = 1e5, .max = 3600e6,
     .fallback = 30e6},
    {0},
};
const struct conf_table topic_judge_table = {.fields = judge_fields,
                                             .brief = "command",
                                             .expected = "a map such as {command: ./judge.py}",
                                             .check = check_judge};

/* ---- recrawl ---- */

/* A key without an effect is a mistake. */
static scent_status check_recrawl(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                  struct errmsg *err)
{
    static const char *const keys[] = {"interval", "min", "max", "wait"};
    const struct topic_recrawl *recrawl = members;

    (void)reader;
    for (size_t i = 0; i < 4; i++) {
        const struct conf_node *given = conf_get(node, keys[i]);
        bool of_adaptive = i == 1 || i == 2;

        if (given && recrawl->policy == TOPIC_RECRAWL_NONE)
            return conf_fail(given, err, "has no effect without a policy; add 'policy: fixed' or 'policy: adaptive'");
        if (given && of_adaptive && recrawl->policy == TOPIC_RECRAWL_FIXED)
            return conf_fail(given, err, "has no effect with 'policy: fixed'; remove it, or write 'policy: adaptive'");
    }
    if (recrawl->policy != TOPIC_RECRAWL_ADAPTIVE)
        return SCENT_OK;
    if (recrawl->min_us > recrawl->max_us)
        return conf_fail(node, err, "min is longer than max (1h and 90d unless given); swap or change them");
    if (recrawl->interval_us < recrawl->min_us || recrawl->interval_us > recrawl->max_us)
        return conf_fail(node, err, "interval (7d unless given) must lie between min (1h) and max (90d)");
    return SCENT_OK;
}

#define INTERVAL(name, member, normal)                                                                                \
    {name, FIELD_DURATION, CONF_MEMBER(struct topic_recrawl, member), .min = 1e6, .max = 3650. * DAY_US,              \
     .fallback = normal}

static const char *const recrawl_policies[] = {
    [TOPIC_RECRAWL_NONE] = "none", [TOPIC_RECRAWL_FIXED] = "fixed", [TOPIC_RECRAWL_ADAPTIVE] = "adaptive", NULL};
static const struct conf_field recrawl_fields[] = {
    {"policy", FIELD_CHOICE, CONF_MEMBER(struct topic_recrawl, policy), .words = recrawl_policies},
    INTERVAL("interval", interval_us, 7. * DAY_US),
    INTERVAL("min", min_us, DAY_US / 24),
    INTERVAL("max", max_us, 90. * DAY_US),
    {"wait", FIELD_BOOL, CONF_MEMBER(struct topic_recrawl, wait)},
    {0},
};
static const struct conf_table recrawl_table = {.fields = recrawl_fields, .check = check_recrawl};

/* ---- requisites ---- */

static const struct conf_field requisites_fields[] = {
    {"of", FIELD_CHOICE, CONF_MEMBER(struct topic_requisites, of),
     .words = (const char *const[]){"none", "relevant", "all", NULL}},
    {"bytes", FIELD_BYTES, CONF_MEMBER(struct topic_requisites, bytes), .min = 1 << 10, .max = 1 << 30,
     .fallback = 10 << 20},
    {"total_bytes", FIELD_BYTES, CONF_MEMBER(struct topic_requisites, total_bytes), .max = 0x1p50},
    {"count", FIELD_COUNT, CONF_MEMBER(struct topic_requisites, count), .min = 1, .max = 10000, .fallback = 500},
    {0},
};
static const struct conf_table requisites_table = {.fields = requisites_fields,
                                                   .expected = "true, false, or a map such as {of: relevant}"};

/* "true" stands for {of: relevant}; a map without `of` means that too. */
static scent_status read_requisites(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                    struct errmsg *err)
{
    struct topic_requisites *out = member;
    bool wanted = true;

    if (conf_kind(node) != CONF_MAP)
        SCENT_TRY(conf_bool(node, &wanted, err));
    else
        SCENT_TRY(conf_table_read(&requisites_table, reader, node, out, err));
    if (conf_kind(node) != CONF_MAP || !conf_get(node, "of"))
        out->of = wanted ? TOPIC_REQUISITES_RELEVANT : TOPIC_REQUISITES_NONE;
    return SCENT_OK;
}

/* ---- traces, browsing, reuse: what others have left behind ---- */

static scent_status check_trace(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    struct topic_trace *trace = members;
    struct url url;

    if (trace->base.len && url_parse(reader->arena, trace->base, NULL, &url) != SCENT_OK)
        return conf_fail(conf_get(node, "base"), err,
                         "'%s' is not an http or https URL; give the site of the log, such as "
                         "https://www.example.org/",
                         conf_show(trace->base).text);
    return keep_place(reader, node, "traces", &trace->place, err);
}

#define A_TRACE "the path of an access log or of a file that 'scent trace import' made"
static const struct conf_field trace_fields[] = {
    {"file", FIELD_PATH, CONF_MEMBER(struct topic_trace, file), .expected = A_TRACE,
     .missing = "; write {file: access.log, base: https://www.example.org/}"},
    {"base", FIELD_TEXT, CONF_MEMBER(struct topic_trace, base), .min = 1},
    {0},
};
static const struct conf_table trace_table = {.fields = trace_fields,
                                              .size = sizeof(struct topic_trace),
                                              .brief = "file",
                                              .expected = A_TRACE,
                                              .check = check_trace};

static scent_status read_browsing(const struct conf_reader *reader, const struct conf_node *node, void *member,
                                  struct errmsg *err)
{
    struct topic *topic = reader->object;

    SCENT_TRY(conf_path(reader, node, "the path of a file that 'scent browse train' made", member, err));
    return keep_place(reader, node, "browsing", &topic->browsing_place, err);
}

static scent_status check_reuse(const struct conf_reader *reader, const struct conf_node *node, void *members,
                                struct errmsg *err)
{
    const struct topic_reuse *reuse = members;

    (void)reader;
    if (reuse->weight <= 0)
        return conf_fail(conf_get(node, "weight"), err,
                         "with a weight of 0 nothing is reused; give one above 0, at most 1");
    return SCENT_OK;
}

#define A_CRAWL "a crawl directory or a file of its folder 'learned', such as winter.crawl"
static const struct conf_field reuse_fields[] = {
    {"from", FIELD_PATH, CONF_MEMBER(struct topic_reuse, from), .expected = A_CRAWL,
     .missing = "; write {from: winter.crawl, weight: 0.5}"},
    {"weight", FIELD_NUMBER, CONF_MEMBER(struct topic_reuse, weight), .max = 1, .fallback = 1},
    {0},
};
static const struct conf_table reuse_table = {.fields = reuse_fields,
                                              .size = sizeof(struct topic_reuse),
                                              .brief = "from",
                                              .expected = A_CRAWL,
                                              .check = check_reuse};

/* ---- many machines ---- */

static const struct conf_field cluster_fields[] = {
    {"join", FIELD_TEXT, CONF_MEMBER(struct topic_cluster, join), .min = 1},
    {"name", FIELD_TEXT, CONF_MEMBER(struct topic_cluster, name), .min = 1},
    {"partitions", FIELD_COUNT, CONF_MEMBER(struct topic_cluster, parts), .min = 1, .max = 8192, .fallback = 256},
    {"workers", FIELD_COUNT, CONF_MEMBER(struct topic_cluster, workers), .min = 1, .max = 1024, .fallback = 1},
    {"lease", FIELD_DURATION, CONF_MEMBER(struct topic_cluster, lease_us), .min = 1000000, .max = 3600.0 * 1000000,
     .fallback = 120.0 * 1000000},
    {"turn", FIELD_DURATION, CONF_MEMBER(struct topic_cluster, turn_us), .min = 10000, .max = 60.0 * 1000000,
     .fallback = 1000000},
    {0},
};
static const struct conf_table cluster_table = {.fields = cluster_fields};

/* ---- the file ---- */

static scent_status read_name(const struct conf_reader *reader, const struct conf_node *node, void *member,
                              struct errmsg *err)
{
    struct str name = STR_NONE, *out = member;

    SCENT_TRY(conf_str(node, &name, err));
    if (str_trim(name).len == 0)
        return conf_fail(node, err, "the name is empty; write for example 'topic: hockey'");
    if (name.len > MAX_NAME)
        return conf_fail(node, err, "a name has at most %d bytes", MAX_NAME);
    for (size_t i = 0; i < name.len; i++)
        if ((unsigned char)name.p[i] < ' ' || name.p[i] == 0x7f)
            return conf_fail(node, err, "a name has no control characters or line breaks; write it on one line");
    *out = arena_str(reader->arena, name);
    return out->p ? SCENT_OK : errmsg_no_memory(err);
}

static scent_status read_seed(const struct conf_reader *reader, const struct conf_node *node, void *member,
                              struct errmsg *err)
{
    (void)reader;
    if (conf_kind(node) == CONF_LIST)
        return conf_fail(node, err, "expected the whole number that random numbers start from; did you mean 'seeds'?");
    return conf_u64(node, 0, UINT64_MAX, member, err);
}

static scent_status read_query(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    struct query **out = member;
    struct errmsg why = {{0}};
    struct str text = STR_NONE;

    (void)reader;
    SCENT_TRY(conf_str(node, &text, err));
    return query_parse(text, out, &why) == SCENT_OK ? SCENT_OK : conf_fail(node, err, "%s", why.text);
}

/* Keys that depend on others are read after the table, in finish(). */
static scent_status read_later(const struct conf_reader *reader, const struct conf_node *node, void *member,
                               struct errmsg *err)
{
    (void)reader;
    (void)node;
    (void)member;
    (void)err;
    return SCENT_OK;
}

#define LATER(name) {name, FIELD_OWN, .read = read_later}

static scent_status finish(const struct conf_reader *reader, const struct conf_node *root, void *members,
                           struct errmsg *err);

static const struct conf_field fields[] = {
    {"topic", FIELD_OWN, CONF_MEMBER(struct topic, name), .read = read_name,
     .missing = "; name the topic, for example 'topic: hockey'"},
    LATER("seeds"), LATER("seeds_file"),
    {"scope", FIELD_MAP, CONF_MEMBER(struct topic, scope), .table = &scope_table},
    LATER("relevant"),
    {"content", FIELD_CHOICE, CONF_MEMBER(struct topic, content), .words = (const char *const[]){"main", "all", NULL}},
    {"compression", FIELD_CHOICE, CONF_MEMBER(struct topic, compression),
     .words = (const char *const[]){"gzip", "zstd", NULL}},
    {"strategy", FIELD_OWN, .read = topic_read_strategy},
    {"window", FIELD_COUNT, CONF_MEMBER(struct topic, window), .max = MAX_WINDOW},
    {"seed", FIELD_OWN, CONF_MEMBER(struct topic, seed), .read = read_seed},
    {"limits", FIELD_MAP, CONF_MEMBER(struct topic, limits), .table = &limits_table},
    {"politeness", FIELD_MAP, CONF_MEMBER(struct topic, politeness), .table = &politeness_table},
    {"strip_tracking", FIELD_BOOL, CONF_MEMBER(struct topic, strip_tracking), .fallback = true},
    {"ways", FIELD_MAP, CONF_MEMBER(struct topic, network), .table = &network_table},
    {"hooks", FIELD_MAP, CONF_MEMBER(struct topic, hooks), .table = &hook_table},
    {"examples", FIELD_MAP, CONF_MEMBER(struct topic, examples), .table = &topic_examples_table},
    LATER("model"),
    {"taxonomy", FIELD_MAP, CONF_MEMBER(struct topic, taxonomy), .table = &topic_taxonomy_table},
    {"query", FIELD_OWN, CONF_MEMBER(struct topic, query), .read = read_query},
    {"recrawl", FIELD_MAP, CONF_MEMBER(struct topic, recrawl), .table = &recrawl_table},
    {"requisites", FIELD_OWN, CONF_MEMBER(struct topic, requisites), .read = read_requisites},
    {"cluster", FIELD_MAP, CONF_MEMBER(struct topic, cluster), .table = &cluster_table},
    {"sitemaps", FIELD_BOOL, CONF_MEMBER(struct topic, sitemaps)},
    {"traces", FIELD_MAPS, CONF_MEMBERS(struct topic, traces, ntraces), .table = &trace_table, .min = 1,
     .max = MAX_PATHS, .expected = "paths of access logs"},
    {"rules", FIELD_PATH, CONF_MEMBER(struct topic, rules_file)},
    {"graph", FIELD_PATH, CONF_MEMBER(struct topic, graph)},
    {"hubs", FIELD_COUNT, CONF_MEMBER(struct topic, hubs), .max = 100000},
    {"browsing", FIELD_OWN, CONF_MEMBER(struct topic, browsing_file), .read = read_browsing},
    {"judge", FIELD_MAP, CONF_MEMBER(struct topic, judge), .table = &topic_judge_table},
    {"reuse", FIELD_MAPS, CONF_MEMBERS(struct topic, reuse, nreuse), .table = &reuse_table, .min = 1, .max = MAX_REUSE,
     .expected = "crawl directories"},
    {0},
};
static const struct conf_table topic_table = {.fields = fields, .check = finish};

/* Says in `why` what is wrong, without the place. */
static scent_status parse_relevant(struct topic *topic, struct str text, struct errmsg *why)
{
    struct predicate *predicate = NULL;

    topic->relevant_given = text.len > 0;
    topic->relevant = text.len ? arena_str(&topic->arena, text) : topic_default_predicate(topic);
    if (!topic->relevant.p)
        return errmsg_no_memory(why);
    SCENT_TRY(predicate_parse(topic->relevant, &predicate, why));
    topic->predicate = predicate;
    return topic_check_measures(topic, why);
}

static scent_status read_relevant(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    struct str text = STR_NONE;
    struct errmsg why = {{0}};
    scent_status status;

    SCENT_TRY(conf_str(node, &text, err));
    if (node && text.len == 0)
        return conf_fail(node, err, "expected a predicate such as '\"ice hockey\" and similar() > 0.2'; write one, or "
                                    "remove the key");
    status = parse_relevant(topic, text, &why);
    if (status == SCENT_OK)
        return SCENT_OK;
    return node && status != SCENT_E_NOMEM ? conf_fail(node, err, "%s", why.text)
                                           : errmsg_fail(err, status, "%s", why.text);
}

/* The model's default depends on its training data, the predicate and the strategy on the measures that the topic has.
 * Seeds come last: they are normalised with strip_tracking and must lie in the scope. */
static scent_status finish(const struct conf_reader *reader, const struct conf_node *root, void *members,
                           struct errmsg *err)
{
    struct topic *topic = members;
    struct errmsg why = {{0}};

    SCENT_TRY(topic_read_model(topic, reader, conf_get(root, "model"), err));
    if (topic->rules_file.len && topic_classes(topic) != TOPIC_CATEGORIES)
        return conf_fail(conf_get(root, "rules"), err,
                         "interclass rules are about the categories of a taxonomy; add 'taxonomy', with "
                         "'model: bayes'");
    if (topic->hubs && !topic->graph.len)
        return conf_fail(conf_get(root, "hubs"), err,
                         "hubs are found among pages that are known; name an earlier crawl or archives: "
                         "'graph: OTHER.crawl'");
    /* Interclass rules may come from walks through these pages, in a command of their own. */
    if (topic->graph.len && !topic->hubs && !topic->learns_backlinks && topic_classes(topic) != TOPIC_CATEGORIES)
        return conf_fail(conf_get(root, "graph"), err,
                         "nothing uses these pages; write 'model: {train: backlinks}' or 'hubs: 10', or remove the "
                         "key");
    SCENT_TRY(read_relevant(topic, conf_get(root, "relevant"), err));
    if (topic_settle_strategy(topic, &why) != SCENT_OK)
        return conf_fail(conf_get(root, "strategy"), err, "%s", why.text);
    return topic_read_seeds(reader, root, err);
}

scent_status topic_complete(struct topic *topic, struct str query, struct str relevant, struct errmsg *err)
{
    struct query *parsed = NULL;

    if (query.len)
        SCENT_TRY(query_parse(query, &parsed, err));
    topic->query = parsed;
    topic->model = topic_default_model(topic);
    SCENT_TRY(parse_relevant(topic, relevant, err));
    return topic_settle_strategy(topic, err);
}

void topic_set_defaults(struct topic *topic)
{
    conf_table_defaults(&topic_table, topic);
    conf_table_defaults(&requisites_table, &topic->requisites);
}

scent_status topic_read(struct topic *topic, const struct conf_node *root, const char *name, struct errmsg *err)
{
    const struct conf_reader reader = {.arena = &topic->arena, .file = name, .object = topic};

    return conf_table_read(&topic_table, &reader, root, topic, err);
}
