#include "base/file.h"
#include "topic/predicate.h"
#include "topic/query.h"
#include "topic/topic_read.h"

#include <stdlib.h>

enum { MAX_FILE = 16 << 20, MAX_MEMORY = 1 << 30 };

struct str topic_version(void)
{
    struct str version = STR(SCENT_VERSION);
    size_t dots = 0, len = 0;

    while (len < version.len && (dots += version.p[len] == '.') < 2)
        len++;
    return str_sub(version, 0, len);
}

struct topic *topic_new(struct str name)
{
    struct topic *topic = calloc(1, sizeof *topic);

    SCENT_BUG_IF(!topic);
    arena_init(&topic->arena, MAX_MEMORY);
    topic_set_defaults(topic);
    topic->politeness.user_agent = arena_printf(&topic->arena, "scent/%.*s", STR_ARG(topic_version()));
    SCENT_BUG_IF(!topic->politeness.user_agent.p);
    topic->name = arena_str(&topic->arena, name);
    SCENT_BUG_IF(!topic->name.p);
    topic->strategy = STR("best-first");
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
    query_free((struct query *)topic->query);
    arena_release(&topic->arena);
    free(topic);
}

bool topic_has_contact(const struct topic *topic)
{
    const char *agent = topic->politeness.user_agent.p;

    return strstr(agent, "http://") || strstr(agent, "https://") || strchr(agent, '@');
}

scent_status topic_parse(struct str text, const char *name, struct topic **out, struct errmsg *err)
{
    struct conf *conf;
    struct topic *topic;
    scent_status status = conf_parse(text, name, &conf, err);

    *out = NULL;
    if (status != SCENT_OK)
        return status;
    topic = topic_new(STR(""));
    topic->source = arena_str(&topic->arena, text);
    if (!topic->source.p)
        status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    else if (!conf_root(conf))
        status = errmsg_fail(err, SCENT_E_INVALID,
                             "%s:1: the file is empty; 'scent init NAME' writes one to start from", name);
    else
        status = topic_read(topic, conf_root(conf), name, err);
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
