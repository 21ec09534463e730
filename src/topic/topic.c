#include "base/file.h"
#include "browse/browse.h"
#include "topic/census.h"
#include "topic/predicate.h"
#include "topic/query.h"
#include "topic/topic_read.h"
#include "trace/trace.h"

#include <stdlib.h>

enum { MAX_FILE = 16 << 20, MAX_MEMORY = 1 << 30, MAX_NAME = 200, MAX_WINDOW = 100000 };

struct str topic_version(void)
{
    struct str version = STR(SCENT_VERSION);
    size_t dots = 0, len = 0;

    while (len < version.len && (dots += version.p[len] == '.') < 2)
        len++;
    return str_sub(version, 0, len);
}

static struct topic *topic_new(void)
{
    struct topic *topic = calloc(1, sizeof *topic);

    SCENT_BUG_IF(!topic);
    arena_init(&topic->arena, MAX_MEMORY);
    topic->scope.hops_off_domain = UINT32_MAX;
    topic->limits = (struct topic_limits){
        .depth = 20, .page_bytes = 2 << 20, .per_pattern = 2000, .min_free_disk = 1 << 30, .text_memory = 16 << 20,
        .body_memory = 256 << 20};
    topic->politeness = (struct topic_politeness){
        .delay_us = 1000000, .per_host = 1, .per_domain = 4, .per_ip = 8, .retries = 2};
    topic->politeness.user_agent = arena_printf(&topic->arena, "scent/%.*s", STR_ARG(topic_version()));
    SCENT_BUG_IF(!topic->politeness.user_agent.p);
    topic->recrawl = (struct topic_recrawl){
        .interval_us = 7 * TOPIC_DAY_US, .min_us = TOPIC_DAY_US / 24, .max_us = 90 * TOPIC_DAY_US};
    topic->strategy = STR("best-first");
    topic->strip_tracking = true;
    return topic;
}

unsigned topic_url_flags(const struct topic *topic)
{
    return topic->strip_tracking ? URL_STRIP_TRACKING | URL_STRIP_SESSION : 0;
}

void topic_free(struct topic *topic)
{
    if (!topic)
        return;
    predicate_free((struct predicate *)topic->predicate);
    census_free((struct census *)topic->sample);
    query_free((struct query *)topic->query);
    if (!topic->lent)
        model_free((struct model *)topic->trained);
    rulebook_free((struct rulebook *)topic->rules);
    trace_free((struct trace *)topic->trace);
    browse_free((struct browse *)topic->browsing);
    arena_release(&topic->arena);
    free(topic);
}

bool topic_has_contact(const struct topic *topic)
{
    const char *agent = topic->politeness.user_agent.p;

    return strstr(agent, "http://") || strstr(agent, "https://") || strchr(agent, '@');
}

scent_status topic_read_str(struct topic *topic, const struct conf_node *node, struct str *out, struct errmsg *err)
{
    struct str text = STR_NONE;
    scent_status status = conf_str(node, &text, err);

    if (!node || status != SCENT_OK)
        return status;
    *out = arena_str(&topic->arena, text);
    return out->p ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
}

scent_status topic_read_strs(struct topic *topic, const struct conf_node *node, const struct str **out, size_t *count,
                             struct errmsg *err)
{
    size_t n = !node ? 0 : conf_kind(node) == CONF_LIST ? conf_count(node) : 1;
    scent_status status = SCENT_OK;
    struct str *items;

    if (!node)
        return SCENT_OK;
    if (!(items = arena_array(&topic->arena, n, sizeof *items)))
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    for (size_t i = 0; i < n && status == SCENT_OK; i++)
        status = topic_read_str(topic, conf_kind(node) == CONF_LIST ? conf_item(node, i) : node, &items[i], err);
    *out = items;
    *count = n;
    return status;
}

static const char *const known[] = {
    "topic",  "seeds", "seeds_file", "scope",      "relevant",       "strategy",
    "window", "seed",  "limits",     "politeness", "strip_tracking", "ways",
    "examples", "model", "taxonomy", "query", "recrawl", "sitemaps", "traces", "rules", "browsing",
    "reuse", NULL,
};

static scent_status read_name(struct topic *topic, const struct conf_node *root, struct errmsg *err)
{
    const struct conf_node *node = conf_get(root, "topic");
    scent_status status = topic_read_str(topic, node, &topic->name, err);

    if (status != SCENT_OK)
        return status;
    if (!node)
        return conf_fail(root, err, "the key 'topic' is missing; name the topic, for example 'topic: hockey'");
    if (str_trim(topic->name).len == 0)
        return conf_fail(node, err, "the name is empty; write for example 'topic: hockey'");
    if (topic->name.len > MAX_NAME)
        return conf_fail(node, err, "a name has at most %d bytes", MAX_NAME);
    for (size_t i = 0; i < topic->name.len; i++)
        if ((unsigned char)topic->name.p[i] < ' ' || topic->name.p[i] == 0x7f)
            return conf_fail(node, err, "a name has no control characters or line breaks; write it on one line");
    return SCENT_OK;
}

static scent_status read_query(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    struct query *query = NULL;
    struct errmsg why = {{0}};
    struct str text = STR_NONE;
    scent_status status = conf_str(node, &text, err);

    if (status != SCENT_OK || !node)
        return status;
    status = query_parse(text, &query, &why);
    topic->query = query;
    return status == SCENT_OK ? SCENT_OK : conf_fail(node, err, "%s", why.text);
}

static scent_status read_relevant(struct topic *topic, const struct conf_node *node, struct errmsg *err)
{
    struct predicate *predicate = NULL;
    struct errmsg why = {{0}};
    scent_status status;

    topic->relevant = topic_default_predicate(topic);
    status = topic_read_str(topic, node, &topic->relevant, err);
    if (status != SCENT_OK)
        return status;
    status = predicate_parse(topic->relevant, &predicate, &why);
    topic->predicate = predicate;
    if (status == SCENT_OK)
        status = topic_check_measures(topic, &why);
    if (status == SCENT_E_NOMEM || (status != SCENT_OK && !node))
        return errmsg_fail(err, status, "%s", why.text);
    return status == SCENT_OK ? SCENT_OK : conf_fail(node, err, "%s", why.text);
}

static scent_status read_numbers(struct topic *topic, const struct conf_node *root, struct errmsg *err)
{
    const struct conf_node *seed = conf_get(root, "seed");
    uint64_t window = 0;
    scent_status status = conf_u64(conf_get(root, "window"), 0, MAX_WINDOW, &window, err);

    topic->window = (uint32_t)window;
    if (status == SCENT_OK && seed && conf_kind(seed) == CONF_LIST)
        return conf_fail(seed, err, "expected the whole number that random numbers start from; did you mean 'seeds'?");
    if (status == SCENT_OK)
        status = conf_u64(seed, 0, UINT64_MAX, &topic->seed, err);
    if (status == SCENT_OK)
        status = conf_bool(conf_get(root, "strip_tracking"), &topic->strip_tracking, err);
    if (status == SCENT_OK)
        status = conf_bool(conf_get(root, "sitemaps"), &topic->sitemaps, err);
    return status;
}

/* Seeds come last: they are normalised with strip_tracking and must lie in the scope. */
static scent_status read_topic(struct topic *topic, const struct conf_node *root, const char *name, struct errmsg *err)
{
    scent_status status = conf_expect_map(root, known, err);

    if (status == SCENT_OK)
        status = read_name(topic, root, err);
    if (status == SCENT_OK)
        status = read_numbers(topic, root, err);
    if (status == SCENT_OK)
        status = topic_read_scope(topic, conf_get(root, "scope"), err);
    if (status == SCENT_OK)
        status = topic_read_limits(topic, conf_get(root, "limits"), err);
    if (status == SCENT_OK)
        status = topic_read_politeness(topic, conf_get(root, "politeness"), err);
    if (status == SCENT_OK)
        status = topic_read_ways(topic, conf_get(root, "ways"), name, err);
    if (status == SCENT_OK)
        status = topic_read_recrawl(topic, conf_get(root, "recrawl"), err);
    if (status == SCENT_OK)
        status = topic_read_strategy(topic, conf_get(root, "strategy"), err);
    if (status == SCENT_OK)
        status = topic_read_examples(topic, root, name, err);
    if (status == SCENT_OK)
        status = topic_read_traces(topic, conf_get(root, "traces"), name, err);
    if (status == SCENT_OK)
        status = topic_read_browsing(topic, conf_get(root, "browsing"), name, err);
    if (status == SCENT_OK)
        status = topic_read_reuse(topic, conf_get(root, "reuse"), name, err);
    if (status == SCENT_OK)
        status = read_query(topic, conf_get(root, "query"), err);
    if (status == SCENT_OK)
        status = read_relevant(topic, conf_get(root, "relevant"), err);
    if (status == SCENT_OK && !conf_get(root, "strategy"))
        topic_choose_strategy(topic);
    if (status == SCENT_OK)
        status = topic_read_seeds(topic, root, name, err);
    return status;
}

scent_status topic_parse(struct str text, const char *name, struct topic **out, struct errmsg *err)
{
    struct conf *conf;
    struct topic *topic;
    scent_status status = conf_parse(text, name, &conf, err);

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    topic = topic_new();
    topic->source = arena_str(&topic->arena, text);
    if (!topic->source.p)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    else if (!conf_root(conf))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s:1: the file is empty; 'scent init NAME' writes one to start from", name);
    else
        status = read_topic(topic, conf_root(conf), name, err);
    conf_free(conf);
    if (status != SCENT_OK) {
        topic_free(topic);
        return status;
    }
    *out = topic;
    return SCENT_OK;
}

scent_status topic_load(const char *path, struct topic **out, struct errmsg *err)
{
    struct buf text;
    scent_status status;

    *out = NULL;
    buf_init(&text, MAX_FILE);
    status = file_read(path, &text, err);
    if (status == SCENT_OK)
        status = topic_parse(buf_str(&text), path, out, err);
    buf_release(&text);
    return status;
}
