#include "lab/experiment_read.h"
#include "lab/trial.h"

static scent_status check_keyword(const struct experiment *experiment, const struct conf_node *node, struct str keyword,
                                  struct errmsg *err)
{
    if (experiment->relevance == RELEVANT_BY_QUERY)
        return conf_fail(node, err, "relevance is by query, which knows no keyword: put it into the query");
    return trial_keyword_check(keyword) == SCENT_OK
               ? SCENT_OK
               : conf_fail(node, err, "a keyword is a word, or several in a row, without quotes; got '%s'",
                           conf_show(keyword).text);
}

static scent_status read_keyword(struct experiment *experiment, const struct conf_node *node,
                                 struct experiment_topic *topic, struct errmsg *err)
{
    scent_status status = experiment_read_str(experiment, node, &topic->keyword, err);

    if (!node || status != SCENT_OK)
        return status;
    topic->name = arena_printf(&experiment->arena, "%.*s + %.*s", STR_ARG(topic->category), STR_ARG(topic->keyword));
    return topic->name.p ? check_keyword(experiment, node, topic->keyword, err) : experiment_no_memory(err);
}

/* One, or a list of several that are one topic together. */
static scent_status read_category(struct experiment *experiment, const struct conf_node *node,
                                  struct experiment_topic *topic, struct errmsg *err)
{
    struct str *all = NULL;
    size_t count = 0;
    scent_status status = experiment_read_strs(experiment, node, "categories", &all, &count, err);

    if (status != SCENT_OK)
        return status;
    topic->category = all[0];
    topic->also = all + 1;
    topic->nalso = count - 1;
    topic->name = topic->category;
    for (size_t i = 0; i < topic->nalso; i++)
        topic->name = arena_printf(&experiment->arena, "%.*s, %.*s", STR_ARG(topic->name), STR_ARG(topic->also[i]));
    return topic->name.p ? SCENT_OK : experiment_no_memory(err);
}

static scent_status read_topic(struct experiment *experiment, const struct conf_node *node,
                               struct experiment_topic *topic, struct errmsg *err)
{
    static const char *const known[] = {"name", "category", "keyword", "query", "seeds", "negatives", NULL};
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
        status = read_category(experiment, conf_get(node, "category"), topic, err);
    if (status == SCENT_OK)
        status = read_keyword(experiment, conf_get(node, "keyword"), topic, err);
    if (status == SCENT_OK)
        status = experiment_read_str(experiment, conf_get(node, "name"), &topic->name, err);
    if (status == SCENT_OK)
        status = experiment_read_str(experiment, conf_get(node, "query"), &topic->query, err);
    if (status == SCENT_OK)
        status = experiment_read_strs(experiment, conf_get(node, "seeds"), "URLs", &topic->seeds, &topic->nseeds, err);
    if (status == SCENT_OK)
        status = experiment_read_strs(experiment, conf_get(node, "negatives"), "URLs", &topic->negatives,
                                      &topic->nnegatives, err);
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
    static const char *const known[] = {"level", "min_pages", "max", "keywords", NULL};
    const struct conf_node *keywords = conf_get(map, "keywords");
    uint32_t level = experiment->level, min = (uint32_t)experiment->min_pages, max = 0;
    scent_status status = conf_expect_map(map, known, err);

    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(map, "level"), 1, 64, &level, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(map, "min_pages"), 2, 1 << 24, &min, err);
    if (status == SCENT_OK)
        status = experiment_read_u32(conf_get(map, "max"), 1, 100000, &max, err);
    if (status == SCENT_OK)
        status =
            experiment_read_strs(experiment, keywords, "words", &experiment->keywords, &experiment->nkeywords, err);
    for (size_t i = 0; i < experiment->nkeywords && status == SCENT_OK; i++)
        status = check_keyword(experiment, keywords, experiment->keywords[i], err);
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
