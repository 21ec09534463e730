/* The key `reuse`: which crawls teach this one, and how much their evidence weighs. They are read when it begins. */
#include "base/file.h"
#include "topic/topic_read.h"

#include <stdlib.h>

enum { MAX_REUSE = 100 };
#define EXPECTED "expected a crawl directory or a file of its folder 'learned', such as winter.crawl"

static bool is_weight(double weight)
{
    return weight > 0 && weight <= 1;
}

static scent_status read_one(struct topic *topic, const struct conf_node *node, const char *name,
                             struct topic_reuse *out, struct errmsg *err)
{
    static const char *const known[] = {"from", "weight", NULL};
    bool is_map = conf_kind(node) == CONF_MAP;
    scent_status status = is_map ? conf_expect_map(node, known, err) : SCENT_OK;

    out->weight = 1;
    if (status == SCENT_OK && is_map && !conf_get(node, "from"))
        return conf_fail(node, err, "the key 'from' is missing; write {from: winter.crawl, weight: 0.5}");
    if (status == SCENT_OK)
        status = topic_read_path(topic, is_map ? conf_get(node, "from") : node, name, EXPECTED, &out->from, err);
    if (status == SCENT_OK)
        status = conf_double(conf_get(node, "weight"), 0, 1, &out->weight, err);
    if (status == SCENT_OK && !is_weight(out->weight))
        return conf_fail(conf_get(node, "weight"), err,
                         "with a weight of 0 nothing is reused; give one above 0, at most 1");
    return status;
}

scent_status topic_read_reuse(struct topic *topic, const struct conf_node *node, const char *name, struct errmsg *err)
{
    bool is_list = node && conf_kind(node) == CONF_LIST;
    size_t count = is_list ? conf_count(node) : 1;
    scent_status status = SCENT_OK;
    struct topic_reuse *reuse;

    if (!node)
        return SCENT_OK;
    if (count == 0 || count > MAX_REUSE)
        return conf_fail(node, err, "expected 1 to %d crawl directories", MAX_REUSE);
    if (!(reuse = arena_zalloc(&topic->arena, count * sizeof *reuse)))
        return errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    for (size_t i = 0; i < count && status == SCENT_OK; i++)
        status = read_one(topic, is_list ? conf_item(node, i) : node, name, &reuse[i], err);
    topic->reuse = reuse;
    topic->nreuse = count;
    return status;
}

/* "winter.crawl:0.5"; a path may have colons of its own. */
static scent_status split_spec(const char *spec, struct topic_reuse *out, struct errmsg *err)
{
    const char *colon = strrchr(spec, ':');
    char *end;

    *out = (struct topic_reuse){.from = str_of(spec), .weight = 1};
    if (!colon || file_exists(spec))
        return SCENT_OK;
    out->weight = strtod(colon + 1, &end);
    if (end == colon + 1 || *end || !is_weight(out->weight))
        return errmsg_fail(err, SCENT_E_INVALID,
                           "--reuse %s: the weight behind the colon is a number above 0, at most 1", spec);
    out->from.len = (size_t)(colon - spec);
    return SCENT_OK;
}

scent_status topic_set_reuse(struct topic *topic, const char *const *specs, size_t count, struct errmsg *err)
{
    struct topic_reuse *reuse = arena_zalloc(&topic->arena, (count + 1) * sizeof *reuse);
    scent_status status = reuse ? SCENT_OK : errmsg_fail(err, SCENT_E_NOMEM, "out of memory");

    for (size_t i = 0; i < count && status == SCENT_OK; i++) {
        status = split_spec(specs[i], &reuse[i], err);
        if (status != SCENT_OK)
            break;
        reuse[i].from = arena_str(&topic->arena, reuse[i].from); /* with a terminator */
        if (!reuse[i].from.p)
            status = errmsg_fail(err, SCENT_E_NOMEM, "out of memory");
    }
    topic->reuse = reuse;
    topic->nreuse = count;
    return status;
}
