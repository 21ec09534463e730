#include "lab/experiment_read.h"

static scent_status read_urls(struct experiment *experiment, const struct conf_node *node, const struct str **out,
                              size_t *count, struct errmsg *err)
{
    scent_status status = SCENT_OK;
    struct str *urls;

    if (!node)
        return SCENT_OK;
    if (conf_kind(node) != CONF_LIST || conf_count(node) == 0)
        return conf_fail(node, err, "expected a list of URLs");
    urls = arena_array(&experiment->arena, conf_count(node), sizeof *urls);
    if (!urls)
        return experiment_no_memory(err);
    for (size_t i = 0; i < conf_count(node) && status == SCENT_OK; i++)
        status = experiment_read_str(experiment, conf_item(node, i), &urls[i], err);
    *out = urls;
    *count = conf_count(node);
    return status;
}

static scent_status read_topic(struct experiment *experiment, const struct conf_node *node,
                               struct experiment_topic *topic, struct errmsg *err)
{
    static const char *const known[] = {"name", "category", "query", "seeds", "negatives", NULL};
    scent_status status;

    *topic = (struct experiment_topic){.line = conf_line(node)};
    if (conf_kind(node) == CONF_SCALAR) {
        status = experiment_read_str(experiment, node, &topic->category, err);
        topic->name = topic->category;
        return status;
    }
    status = conf_expect_map(node, known, err);
    if (status == SCENT_OK && !conf_get(node, "category"))
        return conf_fail(node, err, "the key 'category' is missing");
    if (status == SCENT_OK)
        status = experiment_read_str(experiment, conf_get(node, "category"), &topic->category, err);
    topic->name = topic->category;
    if (status == SCENT_OK)
        status = experiment_read_str(experiment, conf_get(node, "name"), &topic->name, err);
    if (status == SCENT_OK)
        status = experiment_read_str(experiment, conf_get(node, "query"), &topic->query, err);
    if (status == SCENT_OK)
        status = read_urls(experiment, conf_get(node, "seeds"), &topic->seeds, &topic->nseeds, err);
    if (status == SCENT_OK)
        status = read_urls(experiment, conf_get(node, "negatives"), &topic->negatives, &topic->nnegatives, err);
    return status;
}

static bool has_topic(const struct experiment *experiment, size_t n, struct str name)
{
    for (size_t i = 0; i < n; i++)
        if (str_eq(experiment->topics[i].name, name))
            return true;
    return false;
}

static scent_status read_list(struct experiment *experiment, const struct conf_node *list, struct errmsg *err)
{
    scent_status status = SCENT_OK;

    if (conf_count(list) == 0)
        return conf_fail(list, err, "no topic; name categories, or write {level: 2, min_pages: 50}");
    experiment->topics = arena_array(&experiment->arena, conf_count(list), sizeof *experiment->topics);
    if (!experiment->topics)
        return experiment_no_memory(err);
    for (size_t i = 0; i < conf_count(list) && status == SCENT_OK; i++) {
        status = read_topic(experiment, conf_item(list, i), &experiment->topics[i], err);
        if (status == SCENT_OK && has_topic(experiment, i, experiment->topics[i].name))
            status = conf_fail(conf_item(list, i), err, "the topic '%s' stands here twice; give one another name",
                               conf_show(experiment->topics[i].name).text);
        experiment->ntopics = i + 1;
    }
    return status;
}

static scent_status read_rule(struct experiment *experiment, const struct conf_node *map, struct errmsg *err)
{
    static const char *const known[] = {"level", "min_pages", "max", NULL};
    uint32_t level = experiment->level, min = (uint32_t)experiment->min_pages, max = 0;
    scent_status status = conf_expect_map(map, known, err);

    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(map, "level"), 1, 64, &level, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(map, "min_pages"), 2, 1 << 24, &min, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(map, "max"), 1, 100000, &max, err);
    experiment->level = level;
    experiment->min_pages = min;
    experiment->max_topics = max;
    return status;
}

scent_status experiment_read_topics(struct experiment *experiment, const struct conf_node *node, struct errmsg *err)
{
    if (!node)
        return SCENT_OK;
    if (conf_kind(node) == CONF_LIST)
        return read_list(experiment, node, err);
    if (conf_kind(node) == CONF_MAP)
        return read_rule(experiment, node, err);
    return conf_fail(node, err, "expected a list of categories, or {level: 2, min_pages: 50}");
}
